import re
from collections import Counter
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from dissensus.data.coding import Cells, Sheet, TextColumn, stack
from dissensus.data.columns import called, find_column, found, missing_columns
from dissensus.data.formats.plan import Format, RawRatings, ReadPlan
from dissensus.data.labels import options_of
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, counted, listed

FEWEST_RATERS = 2
WILDCARDS = frozenset("*?,")
_NAMELESS = re.compile(r"column \d+|Unnamed: \d+|__index_level_\d+__")
"""What we, pandas and pyarrow call a column without a name: usually the row numbers of somebody's frame."""


def is_nameless(column: str) -> bool:
    """Whether a column has no name of its own."""
    return _NAMELESS.fullmatch(column) is not None


def is_wide(sheet: Sheet, plan: ReadPlan) -> bool:
    """Whether each column besides the item is a rater.

    Recognised if there is no label, rater or count column and the other columns speak the same language: at least half
    of the values in each occur in another one too. A `rater` with wildcards says so, too.
    """
    if plan.wide is not None:
        return plan.wide
    if plan.rater is not None and plan.rater not in sheet.columns and WILDCARDS & set(plan.rater):
        return True
    if any(find_column(sheet, role, getattr(plan, role)) is not None for role in ("label", "rater", "count")):
        return False
    names = _named(sheet, plan)
    if names["item"] is None:
        return False
    raters, cells = _raters(sheet, plan, names)
    columns = [{options_of(text) for text in cells.columns[rater].texts} for rater in raters]
    spread = Counter(label for labels in columns for label in labels)
    shared = [sum(spread[label] > 1 for label in labels) >= len(labels) / 2 for labels in columns if labels]
    return len(shared) >= FEWEST_RATERS and all(shared)


def read_wide(sheet: Sheet, plan: ReadPlan) -> RawRatings:
    """One row per item and one column per rater."""
    names = _named(sheet, plan)
    if names["item"] is None:
        raise missing_columns(sheet, ["item"])
    raters, cells = _raters(sheet, plan, names)
    item, n_rows = cells.columns[names["item"]], len(cells.row)
    label = stack([cells.columns[rater] for rater in raters])
    # An empty cell of a wide file is a rater who was not asked, not a rating with a missing label.
    asked = np.flatnonzero(label.codes >= 0)
    who, position = np.divmod(asked, max(1, n_rows))
    is_empty = (item.codes < 0) & (label.codes.reshape(len(raters), n_rows) < 0).all(axis=0)
    group, elicitation = cells.column(names["group"]), cells.column(names["elicitation"])
    return RawRatings(
        format="wide",
        row=cells.row[position],
        item=item.take(position),
        label=label.take(asked),
        rater=TextColumn(who, tuple(raters)),
        group=None if group is None else group.take(position),
        elicitation=None if elicitation is None else elicitation.take(position),
        rows=n_rows,
        blank_rows=cells.blank_rows + int(is_empty.sum()),
        warnings=_passed_over(cells, {*raters, *names.values()}),
        taken={
            **{role: called(name) for role, name in names.items() if name is not None},
            "rater": f"the names of {counted(len(raters), 'column')}: {listed(raters)}",
            "label": "the cells of these columns",
        },
    )


def _named(sheet: Sheet, plan: ReadPlan) -> dict[str, str | None]:
    """The columns that are no raters."""
    return {role: find_column(sheet, role, getattr(plan, role)) for role in ("item", "group", "elicitation")}


def _raters(sheet: Sheet, plan: ReadPlan, names: dict[str, str | None]) -> tuple[list[str], Cells]:
    """The columns that hold one rater each: those that `rater` names or matches, else all the others with a name."""
    others = [column for column in sheet.columns if column not in names.values()]
    if plan.rater is None:
        raters = [column for column in others if not is_nameless(column)]
    else:
        patterns = [plan.rater, *(pattern.strip() for pattern in plan.rater.split(","))]
        raters = others = [c for c in others if any(c == p or fnmatchcase(c, p) for p in patterns)]
    if not raters:
        like = "besides the item" if plan.rater is None else f"like {plan.rater!r}"
        raise ColumnError(
            f"{sheet.name} has no column {like}. Columns found: {found(sheet)}. A wide file has one column per rater; "
            "name them with --rater, with * for any letters and commas between, or leave --wide out."
        )
    return raters, sheet.load([*(name for name in names.values() if name is not None), *others])


def _passed_over(cells: Cells, used: set[str | None]) -> tuple[str, ...]:
    """Say which columns were not read as raters for want of a name, unless they are empty."""
    passed = [name for name, column in cells.columns.items() if name not in used and column.texts]
    return (f"Not read as raters, because they have no name: {listed(passed)}.",) if passed else ()


def _has_index(source: Source, plan: ReadPlan) -> bool:
    """Whether the first column has no name and tells rows apart, as the index of a frame does, and the rest is wide."""
    first = source.columns[0] if source.columns else ""
    is_said = any(getattr(plan, role) is not None for role in ("item", "rater", "label", "count"))
    if source.sheet is None or is_said or plan.wide is not None or not is_nameless(first):
        return False
    column = source.sheet.load([first]).columns[first]
    is_distinct = bool((column.codes >= 0).all()) and len(column.texts) == len(column.codes) > 0
    return is_distinct and is_wide(source.sheet, replace(plan, item=first))


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    return read_wide(source.table(), replace(plan, item=source.columns[0]) if _has_index(source, plan) else plan)


FORMAT = Format(
    name="wide",
    what="a table with a row per item and a column per rater",
    recognises=_has_index,
    ratings=_ratings,
    is_layout=True,
)
