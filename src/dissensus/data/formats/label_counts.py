"""Counts with a column for each label: one row per item, and in each column how many chose that label."""

import re
from fnmatch import translate

import numpy as np

from dissensus.data.coding import TextColumn
from dissensus.data.columns import called, find_column, found, likely_match
from dissensus.data.formats.counts import whole_numbers
from dissensus.data.formats.patterns import is_pattern, matching, varying
from dissensus.data.formats.plan import Format, RawRatings, ReadPlan
from dissensus.data.labels import number
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, listed

FEWEST = 2


def _columns(source: Source, plan: ReadPlan) -> dict[str, str]:
    """The columns that count, each with its label."""
    if is_pattern(plan.count, source.columns):
        assert plan.count is not None  # noqa: S101 - it is a pattern
        names = matching(source.columns, plan.count, source.name, "--count")
        if plan.count.count("*") == 1 and "," not in plan.count:
            starred = re.compile(translate(plan.count).replace(".*", "(.*)", 1))
            return {name: match[1] for name in names if (match := starred.fullmatch(name))}
        return {name: name for name in names}
    named = [column for column in source.columns if "count" in column.lower()]
    if len(named) < FEWEST:
        return {}
    labels = varying(named)
    start = named[0][: named[0].find(labels[0])] if labels[0] else ""
    is_plain = "count" in start.lower() and all(labels) and len(set(labels)) == len(labels)
    return dict(zip(named, labels, strict=True)) if is_plain else {}


def _recognises(source: Source, plan: ReadPlan) -> bool:
    columns = _columns(source, plan)
    if source.sheet is None or not columns:
        return False
    if is_pattern(plan.count, source.columns):
        return True
    cells = source.sheet.load(list(columns))
    return all(_counts(column) for column in cells.columns.values())


def _counts(column: TextColumn) -> bool:
    values = [number(text) for text in column.texts]
    return all(value is not None and value >= 0 and value == int(value) for value in values)


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    sheet = source.table()
    columns = _columns(source, plan)
    if not columns:
        raise ColumnError(f"{source.name}: name the columns that count with --count, such as --count 'count_*'.")
    others = [column for column in sheet.columns if column not in columns]
    item = find_column(sheet, "item", plan.item or plan.item_key) or likely_match(others, "item")
    if item is None:
        raise ColumnError(
            f"{source.name}: each of {listed(list(columns))} counts a label; name the column of the items with --item. "
            f"Columns found: {found(sheet)}."
        )
    cells = sheet.load([item, *columns])
    n_rows = len(cells.row)
    times = [whole_numbers(cells.columns[c], name=source.name, row=cells.row) for c in columns]
    position = np.tile(np.arange(n_rows), len(columns))
    return RawRatings(
        format=FORMAT.name,
        row=cells.row[position],
        item=cells.columns[item].take(position),
        label=TextColumn(np.repeat(np.arange(len(columns)), n_rows), tuple(columns.values())),
        times=np.concatenate(times),
        rows=n_rows,
        blank_rows=cells.blank_rows,
        taken={
            "item": called(item),
            "rater": "nobody: the file has counts",
            "label": f"the part that varies in the names of {len(columns)} columns: {', '.join(columns.values())}",
            "count": f"the cells of {listed(list(columns))}",
        },
    )


FORMAT = Format(
    name="label-counts",
    what="a table with a column of counts for each label",
    recognises=_recognises,
    ratings=_ratings,
    is_layout=True,
)
