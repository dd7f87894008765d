"""A wide file the other way round: one row per rater and one column per item."""

import numpy as np

from dissensus.data.coding import TextColumn, stack
from dissensus.data.columns import called, find_column, found, likely_match
from dissensus.data.formats.patterns import is_pattern, matching
from dissensus.data.formats.plan import Format, RawRatings, ReadPlan
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, counted, listed


def _recognises(source: Source, plan: ReadPlan) -> bool:
    return bool(source.columns) and is_pattern(plan.item, source.columns) and not is_pattern(plan.rater, source.columns)


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    sheet = source.table()
    rater = find_column(sheet, "rater", plan.rater) or likely_match(sheet.columns, "rater")
    if rater is None:
        raise ColumnError(f"{source.name}: name the column of the raters with --rater. Columns found: {found(sheet)}.")
    others = [column for column in sheet.columns if column != rater]
    if plan.item is None:
        raise ColumnError(
            f"{source.name}: name the items' columns with --item, such as --item 'q*'; it has {listed(others)}."
        )
    items = matching(others, plan.item, source.name, "--item")
    cells = sheet.load([rater, *items])
    n_rows = len(cells.row)
    label = stack([cells.columns[item] for item in items])
    # An empty cell is a rater who was not asked, not a rating with a missing label.
    asked = np.flatnonzero(label.codes >= 0)
    what, position = np.divmod(asked, max(1, n_rows))
    return RawRatings(
        format=FORMAT.name,
        row=cells.row[position],
        item=TextColumn(what, tuple(items)),
        label=label.take(asked),
        rater=cells.columns[rater].take(position),
        rows=n_rows,
        blank_rows=cells.blank_rows,
        taken={
            "item": f"the names of {counted(len(items), 'column')}: {listed(items)}",
            "rater": called(rater),
            "label": "the cells of these columns",
        },
    )


FORMAT = Format(
    name="wide-items",
    what="a table with a row per rater and a column per item",
    recognises=_recognises,
    ratings=_ratings,
    is_layout=True,
)
