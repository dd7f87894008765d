"""Labels, fixed as the user says: renamed, in one spelling, points for commas, sets taken apart, words left out."""

import csv
import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Codes
from dissensus.data.coding import Cells, Sheet, TextColumn, lookup, stack
from dissensus.data.columns import find_column
from dissensus.data.formats.plan import LeftOut, RawRatings, ReadPlan
from dissensus.data.labels import (
    LIKE_MISSING,
    PREFIX,
    SEPARATOR,
    LabelSet,
    are_percents,
    has_decimal_commas,
    infer_scale,
    listed_options,
    number,
    option_name,
    options_of,
    parts_of,
    plain_number,
    probability_columns,
    with_point,
)
from dissensus.data.layout import is_judge
from dissensus.errors import SHOWN, OptionError, counted, joined, listed, named, shell_word, shortened

if TYPE_CHECKING:
    from dissensus.data.judges import Judges


def is_wanted(plan: ReadPlan) -> bool:
    """Whether the user wants labels fixed or rows dropped at all."""
    return changes_labels(plan) or bool(plan.drop)


def changes_labels(plan: ReadPlan) -> bool:
    """Whether the user wants labels fixed."""
    return bool(plan.label_map or plan.merge_case or plan.decimal_comma or plan.split or plan.off_scale == "missing")


def fix_labels(
    column: TextColumn, plan: ReadPlan, *, what: str, times: Codes | None = None
) -> tuple[TextColumn, list[LeftOut], list[str]]:
    """The labels as the user wants them, what became missing, and what was done to the others.

    `what` is what a label is called there, a rating or an answer; `times` how many gave it, in a table of counts.
    """
    given = column.codes >= 0
    weights = None if times is None else times[given]
    count = np.bincount(column.codes[given], weights=weights, minlength=len(column.texts)).astype(np.intp).tolist()
    left_out: list[LeftOut] = []
    notes: list[str] = []
    written = _with_points(column.texts, count, plan, notes) if plan.decimal_comma else column.texts
    options = [_options(text, plan.split) for text in written]
    if plan.label_map:
        renamed = _renamed(options, plan, count, notes)
        why = f"{plan.named('label_map')} says that it means missing"
        left_out += _now_missing(options, renamed, count, what=what, why=why)
        options = renamed
    if plan.merge_case:
        options = _merged(options, count, plan.named("merge_case"), notes)
    if plan.off_scale == "missing":
        if plan.labels is None:
            scale = plan.named("off_scale")
            raise OptionError(f"{scale} missing needs the scale: give every label with {plan.named('labels')}.")
        scale_options = set(listed_options(plan.labels))
        on_scale = [label if scale_options.issuperset(label) else () for label in options]
        why = f"it is not among {plan.named('labels')}"
        left_out += _now_missing(options, on_scale, count, what=what, why=why)
        options = on_scale
    known: dict[str, int] = {}
    texts = [SEPARATOR.join(label) for label in options]
    codes = [known.setdefault(text, len(known)) if text else -1 for text in texts]
    now = dict(zip(column.texts, texts, strict=True))
    order = tuple(dict.fromkeys(filter(None, (now.get(text, text) for text in column.order))))
    return TextColumn(lookup(codes)[column.codes], tuple(known), order), left_out, notes


def with_plain_numbers(column: TextColumn, delimiter: str | None) -> tuple[TextColumn, list[str]]:
    """Labels such as `80%` and `3,5` as numbers, and what to say about it.

    In a file with semicolons between its cells the comma stands for the point of a number, which is why they are there;
    elsewhere where it can be nothing else. Without a delimiter (None) a comma stays.
    """
    texts = column.texts
    has_points = delimiter is not None and has_decimal_commas(texts, surely=delimiter not in {";", "\t"})
    if not are_percents(texts) and not has_points:
        return column, []
    plain = stack([TextColumn(column.codes, tuple(map(plain_number, texts)))])
    shown = min(text.strip() for text in texts if plain_number(text) != text)
    return plain, [f"Read labels such as {shown} as numbers, here {option_name(plain_number(shown))}."]


def _with_points(texts: Sequence[str], count: Sequence[int], plan: ReadPlan, notes: list[str]) -> list[str]:
    """The labels, a number with a comma written with a point."""
    turned = [with_point(text) for text in texts]
    times = sum(n for old, new, n in zip(texts, turned, count, strict=True) if old != new)
    if not times:
        shown = f"no label is a number like 3,5. Found: {listed(texts)}."
        raise OptionError(f"{plan.named('decimal_comma')} has nothing to do: {shown}")
    first = min((old.strip(), new) for old, new in zip(texts, turned, strict=True) if old != new)
    option = plan.named("decimal_comma")
    notes.append(f"Read {counted(times, 'label')} such as {first[0]} as {first[1]}, as {option} says.")
    return turned


def _options(text: str, split: str | None) -> tuple[str, ...]:
    """The options of a label; those between which the user's separator stands, too."""
    options = options_of(text)
    if split is None:
        return options
    parts = (option_name(part) for option in options for part in option.split(split))
    return tuple(dict.fromkeys(filter(None, parts)))


class NoSuchLabelError(OptionError):
    """A label that is to be renamed is not there; `label` says which."""

    def __init__(self, option: str, label: str, known: Iterable[str]) -> None:
        self.label = label
        super().__init__(
            f"{option} renames {label!r}, but there is no such label. Labels found: {listed(sorted(known))}."
        )


def _renamed(
    labels: Sequence[tuple[str, ...]], plan: ReadPlan, count: Sequence[int], notes: list[str]
) -> list[tuple[str, ...]]:
    table = {option_name(str(old)): option_name(str(new)) for old, new in plan.label_map.items()}
    option = plan.named("label_map")
    used = Counter[str]()
    for label, times in zip(labels, count, strict=True):
        used.update({name: times for name in label if name in table})
    known = {name for label in labels for name in label}
    for old, new in table.items():
        if old not in known:
            raise NoSuchLabelError(option, old, known)
        found = counted(used[old], "time")
        if new and used[old] and plan.merge_case and folded(old) == folded(new):
            notes.append(f"Merged {old} ({found}) into the label {new}, as {plan.named('merge_case')} says.")
        elif new and used[old]:
            notes.append(f"Renamed the label {old} to {new} ({found}), as {option} says.")
    return [tuple(dict.fromkeys(filter(None, (table.get(name, name) for name in label)))) for label in labels]


def _now_missing(
    before: Sequence[tuple[str, ...]], after: Sequence[tuple[str, ...]], count: Sequence[int], *, what: str, why: str
) -> list[LeftOut]:
    lost = Counter[str]()
    for old, new, times in zip(before, after, count, strict=True):
        if old and not new and times:
            lost[SEPARATOR.join(old)] += times
    return [
        LeftOut(what=f"{what} {label!r}", several=f"{what}s {label!r}", count=times, why=why)
        for label, times in lost.items()
    ]


def folded(option: str) -> str:
    """One spelling for options that differ in case, blanks and characters that nobody sees."""
    return "".join(seen(option).casefold().split())


UNSEEN = frozenset("\ufeff\u200b\u200c\u200d\u2060\u00a0\u00ad")


def seen(text: str) -> str:
    """The text as it looks: accents composed, no characters that take no room."""
    return "".join(c for c in unicodedata.normalize("NFKC", text) if c not in UNSEEN)


def told_apart(options: Iterable[str]) -> dict[str, str]:
    r"""How to write options so that a reader sees how they differ: with escapes where they look the same.

    >>> told_apart(["No", "NO"]), told_apart(["no", "no\N{ZERO WIDTH SPACE}"])
    ({'No': 'No', 'NO': 'NO'}, {'no': "'no'", 'no\u200b': "'no\\u200b'"})
    """
    looks = Counter(" ".join(seen(option).split()) for option in options)
    return {o: ascii(o) if looks[" ".join(seen(o).split())] > 1 else shortened(o) for o in options}


def case_variants(labels: Sequence[tuple[str, ...]], count: Sequence[int]) -> dict[str, dict[str, int]]:
    """Options that differ in case and blanks only, with how often each is used, by the most common one."""
    used = Counter[str]()
    for label, times in zip(labels, count, strict=True):
        used.update(dict.fromkeys(label, times))
    alike: dict[str, dict[str, int]] = defaultdict(dict)
    for option, times in used.items():
        alike[folded(option)][option] = times
    several = [variants for variants in alike.values() if len(variants) > 1]
    return {max(sorted(variants), key=variants.__getitem__): variants for variants in several}


def _merged(
    labels: Sequence[tuple[str, ...]], count: Sequence[int], option: str, notes: list[str]
) -> list[tuple[str, ...]]:
    table: dict[str, str] = {}
    for name, variants in case_variants(labels, count).items():
        others = {variant: times for variant, times in variants.items() if variant != name and times}
        table |= dict.fromkeys(others, name)
        shown = ", ".join(f"{variant} ({counted(times, 'time')})" for variant, times in others.items())
        if shown:
            notes.append(f"Merged {shown} into the label {name}, as {option} says.")
    return [tuple(dict.fromkeys(table.get(one, one) for one in label)) for label in labels]


def dropped_rows(sheet: Sheet, plan: ReadPlan) -> tuple[set[int], list[LeftOut]]:
    """Numbers of the rows that the user wants dropped."""
    rows: set[int] = set()
    left_out, option = [], plan.named("drop")
    for name, pattern in plan.drop:
        column = find_column(sheet, name, getattr(plan, name, None) or name, option=f"{option} COLUMN=PATTERN")
        assert column is not None  # noqa: S101 - find_column raises where a named column is missing
        cells = sheet.load([column])
        fresh = set(cells.row[cells.columns[column].having(partial(fnmatchcase, pat=pattern))].tolist()) - rows
        rows |= fresh
        left_out.append(LeftOut(what="row", count=len(fresh), why=f"{option} says so ({name} is {pattern})"))
    return rows, [some for some in left_out if some.count]


def fix_ratings(raw: RawRatings, sheet: Sheet | None, plan: ReadPlan) -> RawRatings:
    """The ratings with the rows dropped and the labels fixed as the user wants; each that goes is counted once."""
    if plan.drop:
        keep, dropped = _kept(raw, sheet, plan)
        raw = _taken(raw, keep, left_out=dropped)
        raw = replace(raw, item=raw.item.compacted())
    label, missing, notes = fix_labels(raw.label, plan, what="rating", times=raw.times)
    keep = np.flatnonzero((label.codes >= 0) | (raw.label.codes < 0))
    raw = _taken(replace(raw, label=label, warnings=(*raw.warnings, *notes)), keep, left_out=missing)
    return replace(raw, label=raw.label.compacted())


def _taken(raw: RawRatings, keep: Codes, *, left_out: Sequence[LeftOut]) -> RawRatings:
    """The ratings at these positions, and the others as left out."""
    return replace(
        raw,
        row=raw.row[keep],
        item=raw.item.take(keep),
        label=raw.label.take(keep),
        rater=None if raw.rater is None else raw.rater.take(keep),
        group=None if raw.group is None else raw.group.take(keep),
        elicitation=None if raw.elicitation is None else raw.elicitation.take(keep),
        times=None if raw.times is None else raw.times[keep],
        left_out=(*raw.left_out, *left_out),
    )


def _kept(raw: RawRatings, sheet: Sheet | None, plan: ReadPlan) -> tuple[Codes, list[LeftOut]]:
    """Positions of the ratings that stay: by what was taken for a role, else by a column of the table."""
    keep = np.ones(len(raw.row), dtype=np.bool_)
    left_out, option = [], plan.named("drop")
    for name, pattern in plan.drop:
        column = {"item": raw.item, "rater": raw.rater, "label": raw.label, "group": raw.group}.get(name)
        if column is not None:
            is_match = column.having(partial(fnmatchcase, pat=pattern))
            lost = int(np.sum((keep & is_match) * (1 if raw.times is None else raw.times)))
            keep &= ~is_match
            why = f"{option} says so ({name} is {pattern})"
            left_out += [LeftOut(what="rating", count=lost, why=why)] if lost else []
        elif sheet is None:
            hint = "name item, rater, label or group, since this file is not a table."
            raise OptionError(f"{option} {name}={pattern}: {hint}")
        else:
            rows, some = dropped_rows(sheet, replace(plan, drop=((name, pattern),)))
            keep &= ~np.isin(raw.row, sorted(rows))
            left_out += some
    return np.flatnonzero(keep), left_out


class FixedSheet(Sheet):
    """A sheet of judges' answers with rows dropped (`left_out`) and labels fixed (`done`) as the user wants."""

    def __init__(self, sheet: Sheet, plan: ReadPlan, label: str | None) -> None:
        super().__init__(sheet.name, sheet.columns)
        self.delimiter = sheet.delimiter
        self._sheet, self._label = sheet, label
        rows, self.left_out = dropped_rows(sheet, plan)
        cells = sheet.load([sheet.columns[0]] if label is None else [label])
        self._keep = np.flatnonzero(~np.isin(cells.row, sorted(rows)))
        self.done: list[str] = []
        self._fixed: TextColumn | None = None
        used = () if label is None else {one for text in cells.columns[label].texts for one in options_of(text)}
        plan = self._with_shares_renamed(plan, used)
        if label is not None:
            written = cells.columns[label].take(self._keep)
            fixed, missing, self.done = fix_labels(written, plan, what="answer")
            kept = np.flatnonzero((fixed.codes >= 0) | (written.codes < 0))
            self._keep, self._fixed = self._keep[kept], fixed.take(kept).compacted()
            self.left_out += missing

    def _with_shares_renamed(self, plan: ReadPlan, used: Collection[str]) -> ReadPlan:
        """What is left to do in cells once the columns of probabilities have the labels' new names."""
        shares = probability_columns(self._sheet) if changes_labels(plan) else {}
        self._written: dict[str, str] = {}
        if not shares:
            return plan
        if plan.decimal_comma or plan.split or plan.off_scale == "missing":
            raise OptionError(_fixed_in_cells_only(self.name, list(shares), plan))
        new = {option_name(str(old)): option_name(str(name)) for old, name in plan.label_map.items()}
        names = {c: PREFIX + SEPARATOR.join(new.get(o, o) for o in options) for c, options in shares.items()}
        here = {option for options in shares.values() for option in options}
        if missing := [old for old in new if old not in here and old not in used]:
            raise NoSuchLabelError(plan.named("label_map"), missing[0], here | {*used})
        self._written = {names.get(column, column): column for column in self._sheet.columns}
        ours = {new.get(option, option) for option in here}
        spelled = {folded(option): option for option in ours} if plan.merge_case else {}
        is_clear = len(self._written) == len(self._sheet.columns) and len(spelled) in (0, len(ours))
        if not is_clear or PREFIX in names.values():
            raise OptionError(_fixed_in_cells_only(self.name, list(shares), plan))
        self.columns = tuple(self._written)
        in_cells = {old: new.get(old, old) for old in used}  # merged into the spelling of the columns
        in_cells = {old: spelled.get(folded(name), name) for old, name in in_cells.items()}
        return replace(plan, label_map={old: name for old, name in in_cells.items() if name != old or old in new})

    def _read(self, columns: tuple[str, ...]) -> Cells:
        written = {name: self._written.get(name, name) for name in columns}
        cells = self._sheet.load(tuple(written.values())).at(self._keep)
        fixed = {} if self._label is None or self._fixed is None else {self._label: self._fixed}
        return replace(cells, columns={name: fixed.get(name, cells.columns[was]) for name, was in written.items()})


def _fixed_in_cells_only(name: str, shares: Sequence[str], plan: ReadPlan) -> str:
    """What to say where labels stand in the names of columns, where most options do not reach them."""
    options = [plan.named(one) for one in ("decimal_comma", "split", "off_scale")]
    return (
        f"{name} has a probability for each label, in {listed(shares)}: rename these columns in the file, since "
        f"{joined(options)} change labels in cells only, and {plan.named('label_map')} gives each a name of its own."
    )


# ---- Options that fix a file, as they are typed


def typed(option: str, text: str, *, of: str = "import_") -> str:
    """An option and its value, which is quoted unless it is a plain word.

    >>> from dissensus.errors import spelled
    >>> print(spelled(typed("drop", "is_gold=true")), spelled(typed("label_map", "n/a=")))
    `drop=` of `import_` is_gold=true `label_map=` of `import_` "n/a="
    >>> print(spelled(typed("drop", "rater=$(rm x)")))
    `drop=` of `import_` 'rater=$(rm x)'
    """
    return f"{named(option, of=of)} {shell_word(text)}"


def listing(parts: Iterable[str]) -> str:
    """Parts as an option takes them: with commas between, and in double quotes where a part has one.

    >>> listing(["a", "yes, but"])
    'a,"yes, but"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(parts)
    return line.getvalue()


def renaming(names: Mapping[str, str], *, of: str = "import_") -> str:
    """The option that gives labels other names, empty ones meaning missing; none if it cannot say so."""
    if any("=" in old for old in names):
        return ""
    return typed("label_map", listing(f"{old}={new}" for old, new in names.items()), of=of)


def dropping(column: str, patterns: Iterable[str]) -> str:
    """The options that leave out the rows whose column is like one of the first of these patterns."""
    return " ".join(typed("drop", f"{column}={pattern}") for pattern in list(patterns)[:SHOWN])


# ---- What every command says about labels that may not be what they look like

MOST_LABELS = 300
"""Past this many different labels they are text, and no two are compared."""


def doubts(count: Codes, label_set: LabelSet, *, order: Sequence[str] | None) -> list[str]:
    """Warnings about labels, each given `count` times; none if the user listed them."""
    if order is not None:
        return []
    counts = {option: int(times) for option, times in zip(label_set.options, count, strict=False) if times}
    return [
        *_like_missing(count, label_set), *_far_off(counts), *_same(count, label_set),
        *_with_commas(label_set.options), *_joined(label_set.options),
    ]  # fmt: skip


def _far_off(counts: Mapping[str, int]) -> list[str]:
    """Numbers that surveys write for no answer."""
    codes = [label for label in far_numbers(counts) if _CODE.fullmatch(label)]
    shown = listed([f"{code} ({counted(counts[code], 'time')})" for code in codes])
    remedy = f"if it means that there is no label, give it an empty name with {named('label_map', of='read')}"
    return [f"{shown} was read as a number: {remedy}."] if codes else []


# ---- Labels that join others

SEPARATORS = (",", ";", "/", "+", "&")


def joined_sets(labels: Collection[str]) -> dict[str, list[str]]:
    """Labels such as `a, b` by what stands between their parts, most of which come alone or in another one, too.

    >>> joined_sets(["a", "b", "a, b"]), joined_sets(["a;b", "b;c", "a;c"]), joined_sets(["yes, but", "no"])
    ({',': ['a, b']}, {';': ['a;b', 'b;c', 'a;c']}, {})
    """
    found = {}
    for separator in SEPARATORS:
        parts = {label: [p.strip() for p in label.split(separator)] for label in labels if separator in label}
        used = Counter(part for label in labels for part in parts.get(label, [label]) if part)
        alone = {label for label in labels if label not in parts}
        sets = [label for label, own in parts.items() if sum(used[p] > 1 or p in alone for p in own) > 1]
        if sets and 2 * len(sets) >= len(parts) and not (separator == "," and has_decimal_commas(labels)):
            found[separator] = sets
    return found


def _joined(options: Sequence[str]) -> list[str]:
    for separator, sets in joined_sets(options).items():
        shown = listed([repr(label) for label in sets])
        remedy = f"If they are, {named('split', of='read', value=separator)} takes them apart."
        return [f"These labels may be several options in one cell and were read as one each: {shown}. {remedy}"]
    return []


# ---- Numbers far from all others

RARE = 0.01
_CODE = re.compile(r"-?9{2,}|-[789]")
"""What surveys write for no answer."""


def far_numbers(counts: Mapping[str, int]) -> list[str]:
    """Numbers further from the others than these are from each other: codes such as -99 and 999, and rare ones.

    A fine scale, such as a count of errors, may well have a long tail: there only codes are odd.

    >>> far_numbers({"1": 9, "5": 9, "-99": 4}), far_numbers({"1": 900, "5": 900, "50": 1})
    (['-99'], ['50'])
    """
    numbers = {label: value for label in counts if (value := number(label)) is not None}
    total = sum(counts[label] for label in numbers)
    codes = [label for label in numbers if _CODE.fullmatch(label)]
    others = [value for label, value in numbers.items() if label not in codes]
    far = [code for code in codes if _is_outside(numbers[code], others)]
    if infer_scale([label for label in numbers if label not in far]) == "interval":
        return far
    usual = [value for label, value in numbers.items() if label not in far and counts[label] > RARE * total]
    return [label for label, value in numbers.items() if label in far or _is_outside(value, usual)]


def _is_outside(value: float, others: Sequence[float]) -> bool:
    """Whether a number is further from the others than these are from each other; a scale has two steps."""
    if len(set(others)) < 2:  # noqa: PLR2004 - two steps
        return False
    low, high = min(others), max(others)
    return max(low - value, value - high) > high - low


def _like_missing(count: Codes, label_set: LabelSet) -> list[str]:
    """Labels that look like the mark of a missing one."""
    return [
        f"{shortened(option)!r} was read as a label ({counted(int(times), 'time')}): if it means that there is none, "
        f"leave it out with {renaming({option: ''}, of='read')}."
        for option, times in zip(label_set.options, count, strict=False)  # the options are the first labels
        if times and option.lower() in LIKE_MISSING
    ]


def _same(count: Codes, label_set: LabelSet) -> list[str]:
    if len(label_set.labels) > MOST_LABELS:
        return []
    known = set(label_set.options)
    labels = [parts_of(label, known) for label in label_set.labels]
    alike = case_variants(labels, count.tolist()).values()
    shown = [
        " and ".join(f"{told_apart(some)[option]} ({n:,})" for option, n in sorted(some.items())) for some in alike
    ]
    merge = f"If they are, merge them with {named('merge_case', of='read')}."
    same = f"These labels may be the same and were read as different ones: {'; '.join(shown)}."
    return [f"{same} {merge}"] if shown else []


def _with_commas(options: Sequence[str]) -> list[str]:
    if not has_decimal_commas(options):
        return []
    shown = listed([repr(option) for option in options if "," in option])
    remedy = f"If they are, {named('decimal_comma', of='read')} reads them as numbers."
    return [f"These labels look like numbers with a decimal comma and were read as words: {shown}. {remedy}"]


def about_foreign_labels(judges: "Judges", options: Collection[str]) -> list[str]:
    """Warn of judges that never gave one of people's options; numbers may be scores on a scale of their own."""
    answers, speaker = [judges.label], [judges.judge]
    if judges.probability is not None:
        row, label = np.nonzero(np.nan_to_num(judges.probability) > 0)
        answers, speaker = [*answers, label], [*speaker, judges.judge[row]]
    given, who = np.concatenate(answers), np.concatenate(speaker)
    pair = np.unique((who * len(judges.labels) + given)[given >= 0])
    place = pair // max(1, len(judges.labels))
    pair = pair[np.bincount(place, minlength=len(judges.judges))[place] <= MOST_LABELS]
    given_by: dict[int, list[str]] = {}
    for judge, label in zip(*(part.tolist() for part in np.divmod(pair, max(1, len(judges.labels)))), strict=True):
        given_by.setdefault(judge, []).append(judges.labels[label])
    known, alike = set(judges.options), dict[frozenset[str], list[str]]()
    longer: dict[str, str] = {}
    for judge, labels in given_by.items():
        theirs = frozenset(part for label in labels for part in parts_of(label, known))
        means = meant(theirs.difference(options), options)
        if not theirs.isdisjoint(options):
            longer |= {one: ours for one, ours in means.items() if folded(one) != folded(ours)}
        elif means or any(number(option) is None for option in theirs):
            alike.setdefault(theirs, []).append(judges.judges[judge])
    texts = [_about_longer(longer)] if longer else []
    if alike and sum(map(len, alike.values())) == len(judges.judges):
        return [f"No judge{_foreign(sorted(frozenset().union(*alike)), options)}."]
    others = f", or name the other judges with {named('judge')}."
    for strange, names in alike.items():
        speakers = f"The judge{'s' * (len(names) > 1)} {listed(names)}"
        texts.append(f"{speakers} never{_foreign(sorted(strange), options)}{others}")
    return texts


MOST_RENAMED = 10
_END_OF_LABEL = re.compile("\\s*[.,:;!()\N{EN DASH}-](?!\\d)")


def meant(labels: Iterable[str], options: Collection[str]) -> dict[str, str]:
    """What labels probably mean that are options spelt otherwise, or go on after one, or are how one begins.

    >>> meant(["Yes.", "yes, because", "2", "nope", "1.5"], ["yes", "no", "1", "2 - poor"])
    {'Yes.': 'yes', 'yes, because': 'yes', '2': '2 - poor'}
    """
    plain = {" ".join(seen(option).casefold().split()): option for option in options}
    found = {}
    for label in labels:
        text = " ".join(seen(label).casefold().split())
        same = [own for one, own in plain.items() if folded(one) == folded(text)]
        starts = [own for one, own in plain.items() if _goes_on(text, one) or _goes_on(one, text)]
        if len(same or starts) == 1:
            found[label] = (same or starts)[0]
    return found


def _goes_on(text: str, start: str) -> bool:
    """Whether a text is this start, a sign, and more."""
    return text.startswith(start) and _END_OF_LABEL.match(text, len(start)) is not None


def _about_longer(names: Mapping[str, str]) -> str:
    """What to do about labels of judges that go on after one of people's."""
    shown = listed([f"{label!r} for {option}" for label, option in sorted(names.items())])
    option = renaming(dict(sorted(names.items())), of="read_judges") if len(names) <= MOST_RENAMED else ""
    remedy = f"rename them with {option}" if option else "write the labels alone"
    return f"These labels of judges may mean people's and were read as different ones: {shown}. If they do, {remedy}."


def _foreign(theirs: Sequence[str], options: Collection[str]) -> str:
    """What judges gave instead of people's labels, and what to do about it."""
    alike = meant(theirs, options)
    what = f" gave a label of the people ({listed(sorted(options))}), but {listed(theirs)}"
    if any(map(is_judge, theirs)) and not alike:
        return f"{what}: if a column is not a judge, name the judges' columns with {named('judge', of='read_judges')}"
    new = alike if 0 < len(alike) <= MOST_RENAMED else dict.fromkeys(theirs[:2], "LABEL")
    option = renaming(new, of="read_judges") or "other names in the file"
    return f"{what}: unless these are labels of their own, say which of people's each means with {option}"
