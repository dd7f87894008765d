"""Labels, mended as the user says: other names, one spelling, sets taken apart, words off the scale left out."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np
import numpy.typing as npt

from dissensus.errors import OptionError, counted, listed
from dissensus.ratings.coding import Cells, Codes, Sheet, TextColumn, lookup
from dissensus.ratings.columns import find_column
from dissensus.ratings.formats.plan import RawRatings, ReadPlan
from dissensus.ratings.labels import SEPARATOR, listed_options, option_name, options_of
from dissensus.ratings.leaving_out import LeftOut

Mask = npt.NDArray[np.bool_]


def is_wanted(plan: ReadPlan) -> bool:
    """Whether the user wants labels mended or rows dropped at all."""
    return bool(plan.label_map or plan.merge_case or plan.split or plan.drop or plan.off_scale == "missing")


def mend_labels(column: TextColumn, plan: ReadPlan) -> tuple[TextColumn, list[LeftOut], list[str]]:
    """The labels as the user wants them, what became missing, and what was done to the others."""
    count = np.bincount(column.codes[column.codes >= 0], minlength=len(column.texts)).tolist()
    options = [_options(text, plan.split) for text in column.texts]
    left_out: list[LeftOut] = []
    notes: list[str] = []
    if plan.label_map:
        renamed = _renamed(options, plan.label_map, count, notes)
        left_out += _now_missing(options, renamed, count, why="--map says that it means missing")
        options = renamed
    if plan.merge_case:
        options = _merged(options, count, notes)
    if plan.off_scale == "missing":
        if plan.labels is None:
            raise OptionError("--off-scale missing needs the scale: give every label with --labels.")
        on_scale = _on_scale(options, listed_options(plan.labels))
        left_out += _now_missing(options, on_scale, count, why="it is not among --labels")
        options = on_scale
    known: dict[str, int] = {}
    texts = [SEPARATOR.join(label) for label in options]
    codes = [known.setdefault(text, len(known)) if text else -1 for text in texts]
    return TextColumn(lookup(codes)[column.codes], tuple(known)), left_out, notes


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
    for old, new in table.items():
        if not used[old]:
            raise OptionError(f"--map renames {old!r}, and no label is called so. Labels found: {_found(labels)}.")
        if new:
            notes.append(f"Renamed the label {old} to {new} ({counted(used[old], 'time')}), as --map says.")
    return [tuple(dict.fromkeys(filter(None, (table.get(option, option) for option in label)))) for label in labels]


def _found(labels: Sequence[tuple[str, ...]]) -> str:
    return listed(sorted({option for label in labels for option in label}))


def _now_missing(
    before: Sequence[tuple[str, ...]], after: Sequence[tuple[str, ...]], count: Sequence[int], *, why: str
) -> list[LeftOut]:
    lost = Counter[str]()
    for old, new, times in zip(before, after, count, strict=True):
        if old and not new:
            lost[SEPARATOR.join(old)] += times
    return [
        LeftOut(what=f"rating {label!r}", several=f"ratings {label!r}", count=times, why=why)
        for label, times in lost.items()
    ]


def case_variants(labels: Sequence[tuple[str, ...]], count: Sequence[int]) -> dict[str, dict[str, int]]:
    """Options that differ in case and blanks only, with how often each is used, by the most common one."""
    used = Counter[str]()
    for label, times in zip(labels, count, strict=True):
        used.update(dict.fromkeys(label, times))
    alike: dict[str, dict[str, int]] = defaultdict(dict)
    for option, times in used.items():
        alike["".join(option.casefold().split())][option] = times
    several = [variants for variants in alike.values() if len(variants) > 1]
    return {max(sorted(variants), key=variants.__getitem__): variants for variants in several}


def _merged(labels: Sequence[tuple[str, ...]], count: Sequence[int], notes: list[str]) -> list[tuple[str, ...]]:
    table: dict[str, str] = {}
    for name, variants in case_variants(labels, count).items():
        others = {variant: times for variant, times in variants.items() if variant != name}
        table |= dict.fromkeys(others, name)
        shown = ", ".join(f"{variant} ({counted(times, 'time')})" for variant, times in others.items())
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
    """The ratings with the labels mended and the rows dropped as the user wants."""
    if not is_wanted(plan):
        return raw
    label, missing, notes = mend_labels(raw.label, plan)
    raw = replace(raw, label=label, left_out=(*raw.left_out, *missing), warnings=(*raw.warnings, *notes))
    if not plan.drop:
        return raw
    keep, left_out = _kept(raw, sheet, plan)
    raw = replace(
        raw,
        row=raw.row[keep],
        item=_used(raw.item.take(keep)),
        label=_used(raw.label.take(keep)),
        rater=None if raw.rater is None else raw.rater.take(keep),
        group=None if raw.group is None else raw.group.take(keep),
        elicitation=None if raw.elicitation is None else raw.elicitation.take(keep),
        times=None if raw.times is None else raw.times[keep],
    )
    return replace(raw, left_out=(*raw.left_out, *left_out))


def _kept(raw: RawRatings, sheet: Sheet | None, plan: ReadPlan) -> tuple[Codes, list[LeftOut]]:
    """Positions of the ratings that stay: by what was taken for a role, else by a column of the table."""
    keep = np.ones(len(raw.row), dtype=np.bool_)
    left_out = []
    for name, pattern in plan.drop:
        column = {"item": raw.item, "rater": raw.rater, "label": raw.label, "group": raw.group}.get(name)
        if column is not None:
            is_match = np.array([*(fnmatchcase(text, pattern) for text in column.texts), False])[column.codes]
            lost = int(np.sum(keep & is_match))
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
    """A sheet of judges' answers with the labels mended and rows dropped as the user wants."""

    def __init__(self, sheet: Sheet, plan: ReadPlan, label: str | None) -> None:
        super().__init__(sheet.name, sheet.columns)
        self._sheet, self._plan, self._label = sheet, plan, label
        self.left_out: list[LeftOut] = []
        self.done: list[str] = []

    def _read(self, columns: tuple[str, ...]) -> Cells:
        rows, self.left_out = dropped_rows(self._sheet, self._plan)
        cells = self._sheet.load(columns)
        mended = dict(cells.columns)
        if self._label in mended:
            mended[self._label], missing, self.done = mend_labels(mended[self._label], self._plan)
            self.left_out += missing
        keep = np.flatnonzero(~np.isin(cells.row, sorted(rows)))
        kept = {name: _used(column.take(keep)) for name, column in mended.items()}
        return Cells(row=cells.row[keep], columns=kept, blank_rows=cells.blank_rows)
