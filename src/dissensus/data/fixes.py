"""Labels, fixed as the user says: renamed, in one spelling, points for commas, sets taken apart, words left out."""

import csv
import glob
import io
import shlex
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Codes
from dissensus.data.coding import Cells, Sheet, TextColumn, lookup
from dissensus.data.columns import find_column
from dissensus.data.formats.plan import LeftOut, RawRatings, ReadPlan
from dissensus.data.labels import (
    LIKE_MISSING,
    SEPARATOR,
    LabelSet,
    has_decimal_commas,
    listed_options,
    number,
    option_name,
    options_of,
    parts_of,
    probability_columns,
    with_point,
)
from dissensus.errors import SHOWN, OptionError, counted, listed, shortened

if TYPE_CHECKING:
    from dissensus.data.judges import Judges


def is_wanted(plan: ReadPlan) -> bool:
    """Whether the user wants labels mended or rows dropped at all."""
    return changes_labels(plan) or bool(plan.drop)


def changes_labels(plan: ReadPlan) -> bool:
    """Whether the user wants labels mended."""
    return bool(plan.label_map or plan.merge_case or plan.decimal_comma or plan.split or plan.off_scale == "missing")


def mend_labels(
    column: TextColumn, plan: ReadPlan, *, what: str, times: Codes | None = None
) -> tuple[TextColumn, list[LeftOut], list[str]]:
    """The labels as the user wants them, what became missing, and what was done to the others.

    Parameters
    ----------
    column : TextColumn
        The labels as they are written.
    plan : ReadPlan
        What the user wants.
    what : str
        What a label is called in what is left out: a rating or an answer.
    times : ndarray of shape (n_rows,), optional
        How many raters gave each label, in a table of counts.
    """
    given = column.codes >= 0
    weights = None if times is None else times[given]
    count = np.bincount(column.codes[given], weights=weights, minlength=len(column.texts)).astype(np.intp).tolist()
    left_out: list[LeftOut] = []
    notes: list[str] = []
    written = _with_points(column.texts, count, notes) if plan.decimal_comma else column.texts
    options = [_options(text, plan.split) for text in written]
    if plan.label_map:
        renamed = _renamed(options, plan.label_map, count, notes)
        left_out += _now_missing(options, renamed, count, what=what, why="--map says that it means missing")
        options = renamed
    if plan.merge_case:
        options = _merged(options, count, notes)
    if plan.off_scale == "missing":
        if plan.labels is None:
            raise OptionError("--off-scale missing needs the scale: give every label with --labels.")
        on_scale = _on_scale(options, listed_options(plan.labels))
        left_out += _now_missing(options, on_scale, count, what=what, why="it is not among --labels")
        options = on_scale
    known: dict[str, int] = {}
    texts = [SEPARATOR.join(label) for label in options]
    codes = [known.setdefault(text, len(known)) if text else -1 for text in texts]
    return TextColumn(lookup(codes)[column.codes], tuple(known)), left_out, notes


def _with_points(texts: Sequence[str], count: Sequence[int], notes: list[str]) -> list[str]:
    """The labels, a number with a comma written with a point."""
    turned = [with_point(text) for text in texts]
    times = sum(n for old, new, n in zip(texts, turned, count, strict=True) if old != new)
    if not times:
        raise OptionError(f"--decimal-comma has nothing to do: no label is a number like 3,5. Found: {listed(texts)}.")
    first = min((old.strip(), new) for old, new in zip(texts, turned, strict=True) if old != new)
    notes.append(f"Read {counted(times, 'label')} such as {first[0]} as {first[1]}, as --decimal-comma says.")
    return turned


def _options(text: str, split: str | None) -> tuple[str, ...]:
    """The options of a label; those between which the user's separator stands, too."""
    options = options_of(text)
    if split is None:
        return options
    parts = (option_name(part) for option in options for part in option.split(split))
    return tuple(dict.fromkeys(filter(None, parts)))


def _renamed(
    labels: Sequence[tuple[str, ...]], names: Mapping[str, str], count: Sequence[int], notes: list[str]
) -> list[tuple[str, ...]]:
    table = {option_name(old): option_name(new) for old, new in names.items()}
    used = Counter[str]()
    for label, times in zip(labels, count, strict=True):
        used.update({option: times for option in label if option in table})
    known = {option for label in labels for option in label}
    for old, new in table.items():
        if old not in known:
            raise OptionError(f"--map renames {old!r}, and no label is called so. Labels found: {_found(labels)}.")
        if new and used[old]:
            notes.append(f"Renamed the label {old} to {new} ({counted(used[old], 'time')}), as --map says.")
    return [tuple(dict.fromkeys(filter(None, (table.get(option, option) for option in label)))) for label in labels]


def _found(labels: Sequence[tuple[str, ...]]) -> str:
    return listed(sorted({option for label in labels for option in label}))


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
    """One spelling for options that differ in case and blanks only."""
    return "".join(option.casefold().split())


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


def _merged(labels: Sequence[tuple[str, ...]], count: Sequence[int], notes: list[str]) -> list[tuple[str, ...]]:
    table: dict[str, str] = {}
    for name, variants in case_variants(labels, count).items():
        others = {variant: times for variant, times in variants.items() if variant != name and times}
        table |= dict.fromkeys(others, name)
        shown = ", ".join(f"{variant} ({counted(times, 'time')})" for variant, times in others.items())
        if shown:
            notes.append(f"Merged {shown} into the label {name}, as --merge-case says.")
    return [tuple(dict.fromkeys(table.get(option, option) for option in label)) for label in labels]


def _on_scale(labels: Sequence[tuple[str, ...]], scale: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The labels, those missing that have an option off the scale."""
    known = set(scale)
    return [label if known.issuperset(label) else () for label in labels]


def dropped_rows(sheet: Sheet, plan: ReadPlan) -> tuple[set[int], list[LeftOut]]:
    """Numbers of the rows that the user wants dropped."""
    rows: set[int] = set()
    left_out = []
    for name, pattern in plan.drop:
        column = find_column(sheet, name, getattr(plan, name, None) or name, option="--drop {column}=PATTERN")
        assert column is not None  # noqa: S101 - find_column raises where a named column is missing
        cells = sheet.load([column])
        is_match = [fnmatchcase(text, pattern) for text in cells.columns[column].texts]
        matched = cells.row[np.array([*is_match, False])[cells.columns[column].codes]].tolist()
        fresh = set(matched) - rows
        rows |= fresh
        left_out.append(LeftOut(what="row", count=len(fresh), why=f"--drop says so ({name} is {pattern})"))
    return rows, [some for some in left_out if some.count]


def mend_ratings(raw: RawRatings, sheet: Sheet | None, plan: ReadPlan) -> RawRatings:
    """The ratings with the rows dropped and the labels mended as the user wants; each that goes is counted once."""
    if not is_wanted(plan):
        return raw
    if plan.drop:
        keep, dropped = _kept(raw, sheet, plan)
        raw = _taken(raw, keep, left_out=dropped)
        raw = replace(raw, item=_used(raw.item))
    label, missing, notes = mend_labels(raw.label, plan, what="rating", times=raw.times)
    keep = np.flatnonzero((label.codes >= 0) | (raw.label.codes < 0))
    raw = _taken(replace(raw, label=label, warnings=(*raw.warnings, *notes)), keep, left_out=missing)
    return replace(raw, label=_used(raw.label))


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
    left_out = []
    for name, pattern in plan.drop:
        column = {"item": raw.item, "rater": raw.rater, "label": raw.label, "group": raw.group}.get(name)
        if column is not None:
            is_match = np.array([*(fnmatchcase(text, pattern) for text in column.texts), False])[column.codes]
            lost = int(np.sum((keep & is_match) * (1 if raw.times is None else raw.times)))
            keep &= ~is_match
            left_out += (
                [LeftOut(what="rating", count=lost, why=f"--drop says so ({name} is {pattern})")] if lost else []
            )
        elif sheet is None:
            raise OptionError(
                f"--drop {name}={pattern}: name item, rater, label or group, since this file is no table."
            )
        else:
            rows, some = dropped_rows(sheet, replace(plan, drop=((name, pattern),)))
            keep &= ~np.isin(raw.row, sorted(rows))
            left_out += some
    return np.flatnonzero(keep), left_out


def _used(column: TextColumn) -> TextColumn:
    """The column with the texts that it still uses."""
    used = np.unique(column.codes[column.codes >= 0]).tolist()
    place = {code: i for i, code in enumerate(used)}
    return TextColumn(
        lookup(place.get(code, -1) for code in range(len(column.texts)))[column.codes],
        tuple(column.texts[code] for code in used),
    )


class MendedSheet(Sheet):
    """A sheet of judges' answers with rows dropped and the labels mended as the user wants.

    Attributes
    ----------
    left_out : list of LeftOut
        The rows that are not there any more.
    done : list of str
        What was done to the labels.
    """

    def __init__(self, sheet: Sheet, plan: ReadPlan, label: str | None) -> None:
        super().__init__(sheet.name, sheet.columns)
        self._sheet, self._label = sheet, label
        rows, self.left_out = dropped_rows(sheet, plan)
        cells = sheet.load([sheet.columns[0]] if label is None else [label])
        self._keep = np.flatnonzero(~np.isin(cells.row, sorted(rows)))
        self.done: list[str] = []
        self._mended: TextColumn | None = None
        if changes_labels(plan):
            _check_shares(sheet)
        if label is not None:
            written = cells.columns[label].take(self._keep)
            mended, missing, self.done = mend_labels(written, plan, what="answer")
            kept = np.flatnonzero((mended.codes >= 0) | (written.codes < 0))
            self._keep, self._mended = self._keep[kept], _used(mended.take(kept))
            self.left_out += missing

    def _read(self, columns: tuple[str, ...]) -> Cells:
        cells = self._sheet.load(columns)
        kept = {name: _used(column.take(self._keep)) for name, column in cells.columns.items()}
        if self._label in kept and self._mended is not None:
            kept[self._label] = self._mended
        return Cells(row=cells.row[self._keep], columns=kept, blank_rows=cells.blank_rows)


def _check_shares(sheet: Sheet) -> None:
    """Raise if labels stand in the names of columns, where no option reaches them."""
    shares = list(probability_columns(sheet))
    if shares:
        raise OptionError(
            f"{sheet.name} has a probability for each label, in {listed(shares)}: rename these columns in the file, "
            "since --map, --merge-case, --decimal-comma, --split and --off-scale change labels in cells only."
        )


_UNSAFE = frozenset('"$`\\!')


def typed(option: str, text: str) -> str:
    """An option and its value, which is quoted unless it is a plain word.

    Examples
    --------
    >>> typed("--drop", "is_gold=true"), typed("--map", "n/a="), typed("--drop", "rater=$(rm x)")
    ('--drop is_gold=true', '--map "n/a="', "--drop 'rater=$(rm x)'")
    """
    if text.replace("=", "").replace("_", "").isalnum():
        return f"{option} {text}"
    return f"{option} {shlex.quote(text)}" if _UNSAFE & set(text) else f'{option} "{text}"'


def listing(parts: Iterable[str]) -> str:
    """Parts as an option takes them: with commas between, and in double quotes where a part has one.

    Examples
    --------
    >>> listing(["a", "yes, but"])
    'a,"yes, but"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(parts)
    return line.getvalue()


def renaming(names: Mapping[str, str]) -> str:
    """The option that gives labels other names, empty ones meaning missing; none if it cannot say so.

    Examples
    --------
    >>> renaming({"NO": "No", "n/a": ""}), renaming({"a=b": ""})
    ('--map "NO=No,n/a="', '')
    """
    if any("=" in old for old in names):
        return ""
    return typed("--map", listing(f"{old}={new}" for old, new in names.items()))


def dropping(column: str, patterns: Iterable[str]) -> str:
    """The options that leave out the rows whose column is like one of the first of these patterns."""
    return " ".join(typed("--drop", f"{column}={pattern}") for pattern in list(patterns)[:SHOWN])


def literally(text: str) -> str:
    """A text as a pattern of itself.

    Examples
    --------
    >>> literally("a*")
    'a[*]'
    """
    return glob.escape(text)


MOST_LABELS = 300
"""Past so many different labels they are text, and no two are compared."""


def doubts(count: Codes, label_set: LabelSet, *, order: Sequence[str] | None) -> list[str]:
    """Warnings about labels; none if the user listed them.

    Parameters
    ----------
    count : ndarray of shape (n_labels,)
        How often each label was given.
    label_set, order
        The labels, and what the user says about them.
    """
    if order is not None:
        return []
    return [
        *_like_missing(count, label_set),
        *_same(count, label_set),
        *_with_commas(label_set.options),
    ]


def _like_missing(count: Codes, label_set: LabelSet) -> list[str]:
    """Labels that look like the mark of a missing one."""
    return [
        f"{shortened(option)!r} was read as a label ({counted(int(times), 'time')}): empty those cells if it means "
        "that there is none."
        for option, times in zip(label_set.options, count, strict=False)  # the options are the first labels
        if times and option.lower() in LIKE_MISSING
    ]


def _same(count: Codes, label_set: LabelSet) -> list[str]:
    if len(label_set.labels) > MOST_LABELS:
        return []
    known = set(label_set.options)
    labels = [parts_of(label, known) for label in label_set.labels]
    alike = case_variants(labels, count.tolist()).values()
    shown = [" and ".join(f"{shortened(option)} ({n:,})" for option, n in sorted(some.items())) for some in alike]
    said = f"These labels may be the same and were read as different ones: {'; '.join(shown)}. If they are, "
    return [f"{said}merge them with `dissensus import --merge-case`."] if shown else []


def _with_commas(options: Sequence[str]) -> list[str]:
    if not has_decimal_commas(options):
        return []
    shown = listed([repr(option) for option in options if "," in option])
    said = f"These labels look like numbers with a decimal comma and were read as words: {shown}. If they are, "
    return [f"{said}`dissensus import --decimal-comma` reads them as numbers."]


def about_foreign_labels(judges: "Judges", options: Collection[str]) -> list[str]:
    """Warn of judges that never gave a label of people; numbers may be scores on a scale of their own.

    Parameters
    ----------
    judges : Judges
        The answers.
    options : collection of str
        What people chose among.
    """
    given = judges.label >= 0
    if judges.probability is not None:
        given &= ~np.isin(judges.judge, judges.judge[~np.isnan(judges.probability).any(axis=1)])
    pair = np.unique(judges.judge[given] * len(judges.labels) + judges.label[given])
    speaker = pair // max(1, len(judges.labels))
    pair = pair[np.bincount(speaker, minlength=len(judges.judges))[speaker] <= MOST_LABELS]
    said: dict[int, list[str]] = {}
    for judge, label in zip(*(part.tolist() for part in np.divmod(pair, max(1, len(judges.labels)))), strict=True):
        said.setdefault(judge, []).append(judges.labels[label])
    own, alike = set(judges.options), dict[frozenset[str], list[str]]()
    for judge, labels in said.items():
        theirs = frozenset(part for label in labels for part in parts_of(label, own))
        if theirs.isdisjoint(options) and any(number(option) is None for option in theirs):
            alike.setdefault(theirs, []).append(judges.judges[judge])
    return [_foreign(names, sorted(theirs), options) for theirs, names in alike.items()]


def _foreign(judges: Sequence[str], theirs: Sequence[str], options: Collection[str]) -> str:
    people = {folded(option): option for option in sorted(options)}
    alike = {option: people[folded(option)] for option in theirs if folded(option) in people}
    who = "The judge" if len(judges) == 1 else "The judges"
    what = f"{who} {listed(judges)} never gave a label of the people ({listed(sorted(options))})"
    if alike:
        how = f"`dissensus import {renaming(alike)}`" if renaming(alike) else "the file"
        return f"{what}, but {listed(theirs)}, which are written otherwise: write them alike with {how}."
    return f"{what}, but {listed(theirs)}: if a column is no judge, name the judges' columns with --judge-columns."
