"""Which columns of a table hold whose answers: by their names, and by what stands in them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from dissensus.data.coding import Cells, Sheet, TextColumn
from dissensus.data.columns import INDEX, LIKELY, is_nameless
from dissensus.data.labels import number, options_of, plain_number
from dissensus.errors import joined, shortened

NO_RATERS = frozenset(
    """lang language locale country region date day time timestamp datetime created updated submitted duration seconds
    mean avg average median mode std stdev sd var min max sum total num number count length len words tokens chars gold
    truth groundtruth majority consensus final aggregate aggregated adjudicated resolved agreement url link split fold
    batch status email version age gender confidence index row""".split()  # noqa: SIM905 - easier to read
)
"""Words in the names of columns that hold no rater, though what stands in them may look like labels."""
JUDGES = frozenset(
    """gpt chatgpt openai claude sonnet llama gemini gemma palm mistral mixtral qwen deepseek grok llm bert roberta
    deberta model modell judge classifier machine prediction predicted autorater prometheus ai ki""".split()  # noqa: SIM905 - as above
)
"""Words in the names of columns and raters that are judges, beyond doubt."""
PEOPLE = frozenset(
    "human humans people person rater annotator worker coder expert crowd labeler reviewer participant".split()  # noqa: SIM905
)
"""Words in the names of columns that are people, beyond doubt."""
GIVEN_NAMES = frozenset({"Ai", "Bert", "Claude", "Ki"})
"""Judges that may be people: they are judges only beside others, or beside columns that are people's beyond doubt."""
NO_ITEMS = (
    PEOPLE
    | {name for name in LIKELY["rater"] if "_" not in name}
    | {"session", "batch", "assignment", "hit", "job", "collector", "survey", "study", "submission"}
)
"""Words in the names of ids that are no items'."""
PLAIN = ("text", "question", "task", "document", "instance")
"""Columns that may name items where no column has their ids."""
LONGEST_LABEL = 60
MOST_LABELS = 20
_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}.*")
_WORD = re.compile(r"[a-z]+")
_BETWEEN = re.compile(r"[;,|]")
WHO = ("rater", "judge")
_LAST, _FIRST = re.compile(r"(.+)([_ .:/-]+)(.+?)"), re.compile(r"(.+?)([_ .:/-]+)(.+)")
"""Two parts of a name, at the last or the first sign between words."""
_KIND = re.compile(r"_(name|id|code|no|nr|number)$")
"""What may follow the word in the name of a column that says who answered."""


def words_of(name: str) -> list[str]:
    """The words in a name.

    >>> words_of("GPT-4o (mini)"), words_of("createdAt")
    (['gpt', 'o', 'mini'], ['created', 'at'])
    """
    return _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


def is_judge(name: str) -> bool:
    """Whether a name is a judge's beyond doubt.

    >>> is_judge("gpt-4o"), is_judge("human_1"), is_judge("Claude 3.5")
    (True, False, True)
    """
    return not JUDGES.isdisjoint(words_of(name))


def are_judges(names: Sequence[str]) -> bool:
    """Whether all of these names are judges' beyond doubt.

    >>> are_judges(["gpt-4o", "Claude"]), are_judges(["Bert", "Claude"]), are_judges(["ann", "gpt-4o"])
    (True, False, False)
    """
    return all(map(is_judge, names)) and not {*names} <= GIVEN_NAMES


# ---- Columns by what other tools call them


def is_named(name: str, role: str) -> bool:
    """Whether a name means a role, here or in other tools.

    >>> is_named("annotatorName", "rater"), is_named("Rating", "label"), is_named("rating_time", "label")
    (True, True, False)
    """
    spelled = "_".join(_words_and_numbers(name))
    bare = _KIND.sub("", spelled) if role in WHO else spelled.removesuffix("_name")
    return any(one == role or one in LIKELY.get(role, ()) for one in (spelled, bare))


def _words_and_numbers(name: str) -> list[str]:
    return re.findall(r"[a-z]+|[0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


def named_otherwise(sheet: Sheet, names: Mapping[str, str | None], roles: Sequence[str]) -> dict[str, str]:
    """Columns of roles that have none, by what other tools call them; a label only where one column is called so.

    Where raters are known an item comes again with each of them: `comment_id` goes before the `id` of a row.
    """
    free = [column for column in sheet.columns if column not in names.values() and not is_nameless(column)]
    found: dict[str, str] = {}
    for role in roles:
        candidates = _called(free, role) or (_judging(sheet, free) if role == "rater" else [])
        if names.get(role) is not None or not candidates or (role == "label" and len(candidates) > 1):
            continue
        who = {**names, **found}
        if role == "item" and len(candidates) > 1 and (who.get("rater") or who.get("judge")):
            cells = sheet.load(candidates)
            candidates.sort(key=lambda name: len(cells.columns[name].texts) == len(cells.row))
        found[role] = candidates[0]
        free.remove(candidates[0])
    who = {**names, **found}
    known = {"item": who.get("item"), "rater": who.get("rater") or who.get("judge")}
    plain = {role: column for role, column in known.items() if column}
    if "label" in roles and not who.get("label") and len(plain) == len(known) and not _called(free, "label"):
        found |= roles_by_content(sheet, plain)
    return found


def _judging(sheet: Sheet, columns: Sequence[str]) -> list[str]:
    """The columns called judge or evaluator that name people: no text in them is the name of a model."""
    found = [name for name in columns if "_".join(words_of(name)).removesuffix("_id") in {"judge", "evaluator"}]
    cells = sheet.load(found or sheet.columns[:1])
    return [
        name
        for name in found
        if len(cells.columns[name].texts) > 1 and not any(map(is_judge, cells.columns[name].texts))
    ]


def _called(columns: Sequence[str], role: str) -> list[str]:
    """The columns that other tools would take for this role, the most telling first."""
    by_name = {"_".join(_words_and_numbers(column)): column for column in reversed(columns)}
    known = [by_name[name] for name in LIKELY[role] if name in by_name and name not in PLAIN]
    if role != "item":
        by_address = [column for column in columns if "email" in words_of(column)] if role == "rater" else []
        return list(dict.fromkeys([*known, *(c for c in columns if is_named(c, role)), *by_address]))
    own = [column for name, column in by_name.items() if name.endswith("_id") and NO_ITEMS.isdisjoint(name.split("_"))]
    others = [column for column in own if not is_named(column, "rater") and not is_named(column, "judge")]
    return list(dict.fromkeys([*known, *reversed(others), *(by_name[name] for name in PLAIN if name in by_name)]))


def about_names(found: Mapping[str, str], by_content: Mapping[str, str] = MappingProxyType({})) -> tuple[str, ...]:
    """What to say about columns that were taken for a role by what others call it, or by what stands in them."""
    shown = [f"{shortened(column)} as {role}" for role, column in found.items()]
    how = "what stands in them" if by_content else "their names"
    return (f"Columns taken by {how}: {joined(shown)}.",) if shown else ()


# ---- Columns of raters, by what stands in them


def answer_columns(cells: Cells, columns: Sequence[str], *, may_be_long: bool = False) -> list[str]:
    """The columns that may hold answers: not those called language, date or mean, no dates, no long texts."""
    return [name for name in columns if _may_answer(name, cells.columns[name], may_be_long=may_be_long)]


def _may_answer(name: str, column: TextColumn, *, may_be_long: bool) -> bool:
    if name == INDEX or not NO_RATERS.isdisjoint(words_of(name)):
        return False
    if not column.texts:
        return True
    is_long = sum(map(len, column.texts)) > LONGEST_LABEL * len(column.texts) and not column.texts[0].startswith("[")
    return (may_be_long or not is_long) and not all(_DATE.fullmatch(text.strip()) for text in column.texts)


def questions_among(names: Sequence[str]) -> tuple[list[str], list[str], str] | None:
    """The questions, the raters and a pattern of the first question, where names join them: `Helpful_A`, `Correct_A`.

    Names of people or numbers alone are no questions.

    >>> questions_among(["Helpful_A", "Helpful_B", "Correct_A", "Correct_B"])
    (['Helpful', 'Correct'], ['A', 'B'], 'Helpful_*')
    >>> questions_among(["rater1 clear", "rater1 true", "rater2 clear", "rater2 true"])
    (['clear', 'true'], ['rater1', 'rater2'], '* clear')
    >>> questions_among(["human_1", "human_2", "expert_1", "expert_2"]), questions_among(["ann", "bob"])
    (None, None)
    """
    for pattern in (_LAST, _FIRST):
        parts = [match.groups() for name in names if (match := pattern.fullmatch(name.strip()))]
        first, last = (list(dict.fromkeys(part[place] for part in parts)) for place in (0, 2))
        is_crossed = len(parts) == len(names) == len(first) * len(last) and min(len(first), len(last)) > 1
        if is_crossed and not any(map(_is_who, first)):
            return first, last, f"{first[0]}{parts[0][1]}*"
        if is_crossed and not any(map(_is_who, last)):
            return last, first, f"*{parts[0][1]}{last[0]}"
    return None


def _is_who(part: str) -> bool:
    """Whether a part of a name is somebody's: called a person, a number or a single letter."""
    return not PEOPLE.isdisjoint(words_of(part)) or len("".join(words_of(part))) <= 1


def may_be_judge(name: str, column: TextColumn) -> bool:
    """Whether a column called like a judge holds a few texts that come again, as labels do, and no names of models."""
    is_few = 1 < len(column.texts) <= min(MOST_LABELS, int((column.codes >= 0).sum()) // 2)
    return is_few and is_judge(name) and not is_named(name, "judge") and not any(map(is_judge, column.texts))


def rater_columns(cells: Cells, columns: Sequence[str]) -> list[str]:
    """The columns of answers that share their labels: at least half of those in each occur in another one, too."""
    labels = {
        name: {"".join(str(options_of(text)).casefold().split()) for text in cells.columns[name].texts}
        for name in answer_columns(cells, columns)
    }
    while True:
        spread = Counter(label for own in labels.values() for label in own)
        odd = [name for name, own in labels.items() if own and 2 * sum(spread[one] > 1 for one in own) < len(own)]
        if not odd:
            filled = [name for name, own in labels.items() if own]
            return list(labels) if len(filled) > 1 else []
        # Texts that happen to share a word with labels go first, since they have most that nobody shares.
        del labels[max(odd, key=lambda name: sum(spread[one] == 1 for one in labels[name]))]


def judges_among(names: Sequence[str]) -> list[str]:
    """Those that are judges: all of them, unless some are people beyond doubt and others judges."""
    judges = [name for name in names if is_judge(name)]
    has_people = any(not PEOPLE.isdisjoint(words_of(name)) for name in names)
    return judges if judges and has_people else list(names)


def people_among(names: Sequence[str]) -> list[str]:
    """Those that are no judges beyond doubt; all of them where none or every one is a judge.

    >>> people_among(["ann", "gpt-4o"]), people_among(["Anna", "Bert"]), people_among(["human_1", "Claude"])
    (['ann'], ['Anna', 'Bert'], ['human_1'])
    """
    people = [name for name in names if not is_judge(name)]
    may_be_people = {*names} - {*people} <= GIVEN_NAMES and PEOPLE.isdisjoint(
        w for name in names for w in words_of(name)
    )
    return list(names) if may_be_people else people or list(names)


# ---- Tables without a header, by what stands in them


def names_by_content(sheet: Sheet) -> list[str] | None:
    """Names for the columns of a table whose first row is data; None where it does not say which is which.

    An item has the most different texts that come again, and a rater no item twice; a column of lists has all labels of
    an item.
    """
    cells = sheet.load(sheet.columns)
    texts = {name: [name, *(column[row] for row in range(len(cells.row)))] for name, column in cells.columns.items()}
    sizes = {name: len(set(column)) for name, column in texts.items()}
    n_rows = len(cells.row) + 1
    lists = [name for name, column in texts.items() if all(text is None or text.startswith("[") for text in column)]
    others = [name for name in texts if name not in lists]
    again = sorted((name for name in others if sizes[name] < n_rows), key=sizes.__getitem__)
    roles: dict[str, str] = {}
    if lists and others:
        roles = {lists[0]: "label", max(others, key=sizes.__getitem__): "item"}
    elif len(again) >= len(TIDY):
        roles = _told_apart(texts, again[-1], again[:2])
        if len(again) > len(TIDY) and roles.get(again[0]) != "label":
            roles = {}  # of several columns that come again the label is the one with the fewest texts, or nobody knows
    return [roles.get(name, f"column{i}") for i, name in enumerate(sheet.columns, start=1)] if roles else None


def _told_apart(texts: Mapping[str, Sequence[str | None]], item: str, others: Sequence[str]) -> dict[str, str]:
    """Which of two columns is the rater's, who rates no item twice, and which the label's; nothing if both may be."""
    fitting = []
    for rater in others:
        pairs = list(zip(texts[rater], texts[item], strict=True))
        if len(set(pairs)) == len(pairs):
            fitting.append(rater)
    if len(fitting) != 1:
        return {}
    [label] = [name for name in others if name != fitting[0]]
    return {item: "item", fitting[0]: "rater", label: "label"}


# ---- Tables with a header that says nothing to us, by what stands in them


MOST_EXAMINED, MOST_COMPARED = 20_000, 12
"""Rows and columns that show which column is which."""
SHARE_OF_ITEMS = 2 / 3
"""Items come again: there are at most this many of them for each row."""


def roles_by_content(sheet: Sheet, known: Mapping[str, str]) -> dict[str, str]:
    """The columns of item, rater and label that no name tells, by role; empty where it is not plain which they are.

    `known` are those that their names tell. A rater rates no item twice; labels differ within items and raters, so that
    an age, a topic or a number of words is none; and of several such columns the one with few values is the label.
    """
    free = [name for name in sheet.columns if name not in known.values() and not is_nameless(name)]
    cells = sheet.load([*free, *known.values()])
    again = [
        name
        for name in answer_columns(cells, free, may_be_long=True)
        if 1 < len(cells.columns[name].texts) < len(cells.row)
    ]
    columns = {name: cells.columns[name] for name in [*known.values(), *again[:MOST_COMPARED]]}
    table = _Columns(columns)
    chosen = {role: [known[role]] if role in known else again[:MOST_COMPARED] for role in TIDY}
    every = [
        (item, rater, label)
        for item in chosen["item"] for rater in chosen["rater"] for label in chosen["label"]
        if len({item, rater, label}) == len(TIDY) and table.fit(item, rater, label, known)
    ]  # fmt: skip
    fitting = [roles for roles in every if table.differs(*roles)] or every  # all raters may agree
    few = [roles for roles in fitting if table.sizes[roles[2]] <= MOST_LABELS]
    plain = table.finest(few or fitting)
    if len(plain) != 1 or ("rater" not in known and any(map(is_judge, columns[plain[0][1]].texts))):
        return {}
    return {role: name for role, name in zip(TIDY, plain[0], strict=True) if role not in known}


def judges_by_content(sheet: Sheet) -> dict[str, str]:
    """The columns of item, judge and label of a table in which one column has names of models; else nothing."""
    free = [name for name in sheet.columns if not is_nameless(name)]
    cells = sheet.load(free)
    table, n_rows = _Columns(cells.columns), min(len(cells.row), MOST_EXAMINED)
    answers = answer_columns(cells, free)
    judges = [name for name in answers if (own := cells.columns[name].texts) and all(map(is_judge, own))]
    items = [name for name in free if judges and name not in judges and table.pairs(name, judges[0]) == n_rows]
    others = [name for name in answers if name not in {*judges, *items}]
    labels = [name for name in others if len(cells.columns[name].texts) <= MOST_LABELS]
    are_plain = len(judges) == len(labels) == 1 and bool(items)
    return {"item": items[0], "judge": judges[0], "label": labels[0]} if are_plain else {}


class _Columns:
    """How the cells of columns go together."""

    def __init__(self, columns: Mapping[str, TextColumn]) -> None:
        self._texts = {name: column.texts for name, column in columns.items()}
        self._codes = {name: column.codes[:MOST_EXAMINED] for name, column in columns.items()}
        self.sizes = {name: len(np.unique(codes)) for name, codes in self._codes.items()}
        self._are_numbers = {
            name: all(number(plain_number(text)) is not None for text in own.texts) for name, own in columns.items()
        }
        self._are_long = {
            name: not answer_columns(Cells(row=own.codes, columns=columns), [name]) for name, own in columns.items()
        }
        self._pairs: dict[tuple[str, str], int] = {}

    def pairs(self, one: str, other: str) -> int:
        """How many different pairs two columns have."""
        key = (one, other)
        if key not in self._pairs:
            both = self._codes[one] * (int(self._codes[other].max(initial=0)) + 2) + self._codes[other]
            self._pairs[key] = len(np.unique(both))
        return self._pairs[key]

    def fit(self, item: str, rater: str, label: str, known: Mapping[str, str]) -> bool:
        """Whether columns may be an item, a rater and a label."""
        n_rows = len(self._codes[item])
        is_item = "item" in known or self.sizes[item] <= SHARE_OF_ITEMS * n_rows
        are_crossed = {"item", "rater"} <= known.keys() or self.pairs(item, rater) == n_rows
        is_order = bool({"item", "rater"} & known.keys()) or self.sizes[item] > self.sizes[rater]
        is_label = "label" in known or self._may_be_label(label)
        is_rater = "rater" in known or not self._are_long[rater]
        return is_item and are_crossed and is_order and is_label and is_rater

    def differs(self, item: str, rater: str, label: str) -> bool:
        """Whether labels differ within items and within raters."""
        return all(self.pairs(label, who) > self.sizes[who] for who in (item, rater))

    def _may_be_label(self, name: str) -> bool:
        is_few = len({part.strip() for text in self._texts[name] for part in _BETWEEN.split(text)}) <= MOST_LABELS
        return (is_few or self._are_numbers[name]) and not self._are_long[name]

    def finest(self, found: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
        """Those of which no column says less than that of another one; of two that say the same the first."""
        kept: list[tuple[str, str, str]] = []
        for roles in found:
            others = [other for other in found if other != roles and self._is_told_by(roles, other)]
            if not any(other in kept or not self._is_told_by(other, roles) for other in others):
                kept.append(roles)
        return kept

    def _is_told_by(self, roles: Sequence[str], others: Sequence[str]) -> bool:
        """Whether each column follows from the other in its place."""
        return all(self.pairs(other, own) == self.sizes[other] for own, other in zip(roles, others, strict=True))


TIDY = ("item", "rater", "label")
