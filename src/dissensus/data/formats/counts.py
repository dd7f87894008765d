from dataclasses import replace

import numpy as np

from dissensus.arrays import Codes
from dissensus.data.coding import Sheet, TextColumn
from dissensus.data.columns import called, find_column
from dissensus.data.formats.plan import Format, RawRatings, ReadPlan
from dissensus.data.formats.tidy import ROLES, raw_ratings
from dissensus.data.labels import number
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, shortened

LARGEST_COUNT = 2**53
"""Past this a float does not hold every whole number."""


def has_counts(sheet: Sheet, plan: ReadPlan) -> bool:
    """Whether this is a table of counts: a column `count` and nobody's name."""
    has_rater = find_column(sheet, "rater", plan.rater) is not None
    has_count = find_column(sheet, "count", plan.count) is not None
    if has_rater and plan.count is not None:
        raise ColumnError(f"{sheet.name} has raters and counts: name a rater column or a count column, not both.")
    return has_count and not has_rater


def read_counts(sheet: Sheet, plan: ReadPlan) -> RawRatings:
    """One row per item and label: item, label, count. Who rated is not known; rows of the same label add up."""
    count = find_column(sheet, "count", plan.count or "count")
    assert count is not None  # noqa: S101 - find_column raises where a named column is missing
    names = {role: find_column(sheet, role, getattr(plan, role)) for role in ROLES}
    raw, cells = raw_ratings(sheet, names, also=[count])
    times = whole_numbers(cells.columns[count], name=sheet.name, row=raw.row)
    return replace(raw, format="counts", times=times, taken={**raw.taken, "count": called(count)})


def whole_numbers(column: TextColumn, *, name: str, row: Codes) -> Codes:
    """The counts in a column; an empty cell is 0, anything but a whole number an error."""
    values = [number(text) for text in column.texts]
    is_count = [v is not None and 0 <= v < LARGEST_COUNT and v == int(v) for v in values]
    bad = np.flatnonzero(~np.array([*is_count, True])[column.codes])
    if bad.size:
        text = shortened(str(column[int(bad[0])]))
        raise ColumnError(
            f"{name}, row {row[bad[0]]}: the count is {text!r}. Give a whole number, 0 or more; an empty cell is 0."
        )
    return np.array([*(int(v or 0) for v in values), 0], dtype=np.intp)[column.codes]


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    return read_counts(source.table(), plan)


FORMAT = Format(
    name="counts",
    what="a table with a count for each item and label",
    recognises=lambda _source, _plan: False,  # told at a glance, before any format is asked
    ratings=_ratings,
    is_layout=True,
)
