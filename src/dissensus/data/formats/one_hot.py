"""One-hot columns: `question.option` holds 1 where the option was chosen, in a row per rating or per item."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dissensus.data.coding import Cells
from dissensus.data.columns import called, find_column, likely_match, shown_columns
from dissensus.data.formats.answers import ONLY, Answers, loaded_texts, texts_of
from dissensus.data.formats.plan import Format, RawRatings, ReadPlan
from dissensus.data.labels import SEPARATOR
from dissensus.data.layout import is_named
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, listed, named, shortened

CROSSES = frozenset({"x", "X", "\N{CHECK MARK}", "\N{HEAVY CHECK MARK}"})
CHOSEN = frozenset({"1", "1.0", "true", "True", "TRUE"}) | CROSSES
NOT_CHOSEN = frozenset({"0", "0.0", "false", "False", "FALSE"})
SEPARATORS = ".:/_"  # what may stand between question and option, and between rater and question


@dataclass(frozen=True, slots=True)
class _Place:
    """What a column says: which rater chose which option of which question; the rater is empty in a row per rating."""

    rater: str
    question: str
    option: str


def _binary_columns(source: Source) -> list[str]:
    """The columns with nothing but 0 and 1."""
    if source.sheet is None:
        return []
    cells = source.sheet.load(source.columns)
    return [name for name, column in cells.columns.items() if column.texts and all(map(_is_mark, column.texts))]


def marks(text: str) -> list[str]:
    """The marks in a cell: one, or several where somebody rated the item several times.

    >>> marks("1"), marks("0, 1")
    (['1'], ['0', '1'])
    """
    return [mark.strip() for mark in text.split(",")]


def _places(columns: Sequence[str]) -> dict[str, _Place]:
    """What each of these columns says."""
    raters = _raters(columns)
    names = {}
    for column in columns:
        rater = next((r for r in raters if column.startswith(r)), "")
        names[column] = (rater.rstrip(SEPARATORS), column[len(rater) :])
    questions = _questions([rest for _, rest in names.values()])
    return {c: _Place(rater, *questions[rest]) for c, (rater, rest) in names.items() if rest in questions}


def _raters(columns: Sequence[str]) -> list[str]:
    """Starts of names, such as `Annotator1_`, after which the same questions and options come again."""
    best: tuple[int, list[str]] = (0, [])
    for separator in SEPARATORS:
        rests: dict[str, set[str]] = {}
        for column in columns:
            start, mark, rest = column.partition(separator)
            if mark:
                rests.setdefault(start + mark, set()).add(rest)
        several = Counter(frozenset(names) for names in rests.values() if len(names) > 1)
        usual, times = several.most_common(1)[0] if several else (frozenset[str](), 0)
        if times > 1 and len(usual) > best[0] and _questions(sorted(usual)):
            # One misspelt column must not hide a rater.
            best = len(usual), [start for start, names in rests.items() if 2 * len(names & usual) > len(usual)]
    return best[1]


def _questions(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Question and option of each name that shares its start with another one."""
    for separator in SEPARATORS:
        parts = {name: name.rpartition(separator) for name in dict.fromkeys(names)}
        asked = [question for question, mark, _ in parts.values() if mark]
        found_parts = {n: (q, option) for n, (q, mark, option) in parts.items() if mark and asked.count(q) > 1}
        if found_parts:
            return found_parts
    return {}


def _recognises(source: Source, plan: ReadPlan) -> bool:
    has_label = "label" in {column.strip().lower() for column in source.columns}
    if not source.columns or plan.wide or plan.label is not None or has_label:
        return False
    columns = [c for c in _binary_columns(source) if any(s in c for s in SEPARATORS)]
    if _crossed(source):
        return True
    places = _places(columns)
    if not places:
        return False
    assert source.sheet is not None  # noqa: S101 - it has columns
    cells = source.sheet.load(source.columns)
    return any(
        _is_one_hot(cells, {c: own for c, own in places.items() if own.question == question})
        for question in dict.fromkeys(place.question for place in places.values())
    )


def _crossed(source: Source) -> dict[str, _Place]:
    """The columns with nothing but crosses, each an option of one question; none unless there are two."""
    cells = source.table().load(source.columns)
    columns = [name for name, column in cells.columns.items() if column.texts and CROSSES.issuperset(column.texts)]
    return {name: _Place("", ONLY, name) for name in columns} if len(columns) > 1 else {}


def _is_one_hot(cells: Cells, places: Mapping[str, _Place]) -> bool:
    """Whether these columns are the options of a question, and not raters who answer 0 or 1 such as rater_1, rater_2.

    Options that are mere numbers could be raters, unless exactly one of them is chosen in every row.
    """
    own = list(places.values())
    is_chosen = any(CHOSEN & set(marks(t)) for c in places for t in cells.columns[c].texts)
    if len(own) == 1 or not is_chosen or is_named(own[0].question, "rater"):
        return False
    if any(place.rater or not place.option.isdigit() for place in own):
        return True
    texts = {c: texts_of(cells.columns[c], len(cells.row)) for c in places}
    return all(label.isdigit() for i in range(len(cells.row)) for _, _, label in _chosen(texts, places, i))


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    sheet = source.table()
    crossed = _crossed(source)
    places = crossed or _places(_binary_columns(source))
    if not places:
        raise ColumnError(
            f"{source.name} has no one-hot columns such as toxic.yes, toxic.no. Columns found: {shown_columns(sheet)}."
        )
    others = [c for c in sheet.columns if c not in places]
    if not crossed:
        _check_whole(source, places, others)
    is_wide = any(place.rater for place in places.values())
    rater = None if is_wide else find_column(sheet, "rater", plan.rater) or likely_match(others, "rater")
    left = [column for column in others if column != rater]
    item = find_column(sheet, "item", plan.item or plan.item_key) or likely_match(left, "item")
    item = item or (left[0] if len(left) == 1 else None)
    if item is None:
        hint = f"{named('item', of='read')}. Other columns: {listed(others)}."
        raise ColumnError(f"{source.name}: name the column of the items with {hint}")
    cells, texts = loaded_texts(sheet, [item, *places, *([] if rater is None else [rater])])
    answers = Answers(source.name, "one-hot")
    for i, row in enumerate(cells.row.tolist()):
        for who, question, label in _chosen(texts, places, i):
            if label:
                name = who if is_wide else None if rater is None else texts[rater][i]
                answers.add(question, row, {"item": texts[item][i], "rater": name, "label": label})
            elif plan.question in {None, question}:
                answers.tally.add("answer without a chosen option", why=question)
    taken = {
        "item": called(item),
        "label": "the names of columns with a cross" if crossed else "the ends of the names of columns that hold 1",
    }
    if is_wide:
        starts = listed(list(dict.fromkeys(place.rater for place in places.values())))
        taken["rater"] = f"the starts of the columns' names: {starts}"
    elif rater is not None:
        taken["rater"] = called(rater)
    return answers.ratings(plan, taken, rows=len(cells.row))


def _check_whole(source: Source, places: Mapping[str, _Place], others: Sequence[str]) -> None:
    """Raise if a column that belongs to the others holds something else, so that no rater is lost unseen."""
    endings = tuple({c[len(place.rater) + 1 :] for c, place in places.items() if place.rater})
    starts = tuple({c[: len(c) - len(place.option)] for c, place in places.items() if not place.rater})
    odd = next((c for c in others if (endings and c.endswith(endings)) or (starts and c.startswith(starts))), None)
    if odd is None or source.sheet is None:
        return
    cells = source.sheet.load([odd])
    texts = texts_of(cells.columns[odd], len(cells.row))
    for row, text in zip(cells.row.tolist(), texts, strict=True):
        if text and not _is_mark(text):
            raise ColumnError(f"{source.name}, row {row}: {odd} is {shortened(text)!r}, neither 0 nor 1. Fix the cell.")


def _is_mark(text: str) -> bool:
    return set(marks(text)) <= CHOSEN | NOT_CHOSEN


def _chosen(
    texts: Mapping[str, list[str | None]], places: Mapping[str, _Place], i: int
) -> Iterator[tuple[str, str, str]]:
    """Rater, question and chosen options of each answer in a row; one without a single cell was not given."""
    options: dict[tuple[str, str, int], list[str]] = {}
    for column, place in places.items():
        text = texts[column][i]
        for again, mark in enumerate([] if text is None else marks(text)):
            chosen = options.setdefault((place.rater, place.question, again), [])
            if mark in CHOSEN:
                chosen.append(place.option)
    for (rater, question, _), chosen in options.items():
        yield rater, question, SEPARATOR.join(chosen)


FORMATS = (
    Format(
        name="one-hot", what="a table with a column of 0 and 1 for each option", recognises=_recognises,
        ratings=_ratings, is_layout=True,
    ),
)  # fmt: skip
