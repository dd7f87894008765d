import numpy as np

from dissensus.errors import ColumnError
from dissensus.ratings.coding import Codes, Sheet, TextColumn
from dissensus.ratings.columns import find_column
from dissensus.ratings.formats.plan import RawRatings, ReadPlan
from dissensus.ratings.formats.tidy import read_tidy
from dissensus.ratings.labels import number


def has_counts(sheet: Sheet, plan: ReadPlan) -> bool:
    """Whether this is a table of counts: a column `count` and nobody's name."""
    has_rater = find_column(sheet, "rater", plan.rater) is not None
    has_count = find_column(sheet, "count", plan.count) is not None
    if has_rater and plan.count is not None:
        raise ColumnError(f"{sheet.name} has raters and counts: name a rater column or a count column, not both.")
    return has_count and not has_rater


def read_counts(sheet: Sheet, plan: ReadPlan) -> RawRatings:
    """One row per item and label: item, label, count. Who rated is not known."""
    raw = read_tidy(sheet, plan)
    name = find_column(sheet, "count", plan.count or "count")
    assert name is not None  # noqa: S101 - find_column raises where a named column is missing
    times = _whole_numbers(sheet.load([name])[name], sheet=sheet, row=raw.row)
    rows = np.flatnonzero(times > 0)
    return RawRatings(
        format="counts",
        row=raw.row[rows],
        item=raw.item.take(rows),
        label=raw.label.take(rows),
        group=None if raw.group is None else raw.group.take(rows),
        elicitation=None if raw.elicitation is None else raw.elicitation.take(rows),
        times=times[rows],
    )


def _whole_numbers(column: TextColumn, *, sheet: Sheet, row: Codes) -> Codes:
    values = [number(text) for text in column.texts]
    is_count = np.array([v is not None and v >= 0 and v == int(v) for v in values] + [True], dtype=np.bool_)
    bad = np.flatnonzero(~is_count[column.codes])
    if bad.size:
        raise ColumnError(
            f"{sheet.name}, row {row[bad[0]]}: the count is {column[int(bad[0])]!r}; it must be a whole number, 0 or more."
        )
    # An empty cell counts nobody.
    return np.array([int(v or 0) for v in values] + [0], dtype=np.intp)[column.codes]
