"""What is wrong with the first row of a table: it is a title, or data."""

import re
import shlex

from dissensus.errors import ColumnError, listed
from dissensus.ratings.coding import Sheet
from dissensus.ratings.columns import LIKELY, found, synonym_of
from dissensus.ratings.formats.wide import is_nameless
from dissensus.ratings.labels import number

FIRST_NAMES = ("rater", "item", "label")
SEARCHED_ROWS = 10
"""So far down the header of a table with a title may stand."""
_NUMBERED = re.compile(r" \(\d+\)$")


def title_error(sheet: Sheet) -> ColumnError | None:
    """What to do about a table with a title above its header; None if it has none."""
    named = [column for column in sheet.columns if not is_nameless(column)]
    if len(sheet.columns) - len(named) < max(1, len(named)):
        return None
    lower = _header_below(sheet)
    if lower is None and len(named) != 1:
        return None
    where = "" if lower is None else f", and its header in row {lower[0]} ({listed(lower[1])})"
    return ColumnError(
        f"{sheet.name} seems to have a title in its first row ({listed(named)}){where}: delete the rows above the "
        "header, and save it again."
    )


def _header_below(sheet: Sheet) -> tuple[int, list[str]] | None:
    """Number and names of the first row that has several names which we know."""
    cells = sheet.load(sheet.columns)
    for place, row in enumerate(cells.row[:SEARCHED_ROWS].tolist()):
        names = [text for column in cells.columns.values() if (text := column[place]) is not None]
        if sum(any(name.strip().lower() == role or synonym_of([name], role) for role in LIKELY) for name in names) > 1:
            return row, names
    return None


def headerless(sheet: Sheet) -> ColumnError:
    """What to do about a table that seems to have no header."""
    names = [*FIRST_NAMES, *(f"column{i}" for i in range(len(FIRST_NAMES) + 1, len(sheet.columns) + 1))]
    return ColumnError(
        f"{sheet.name} seems to have no header: its first row is {found(sheet)}. Name its columns in their order, "
        f"such as `dissensus import {shlex.quote(sheet.name)} --columns {','.join(names)} -o ratings.csv`."
    )


def lacks_header(sheet: Sheet) -> bool:
    """Whether the names of the columns look like data: numbers or lists, or texts that come again further down."""
    cells = sheet.load(sheet.columns)
    data = 0
    for numbered, column in cells.columns.items():
        name = _NUMBERED.sub("", numbered)
        value = number(name)
        is_measured = value is not None and (value != int(value) or value < 0)
        data += name in column.texts or name.startswith("[") or is_measured
    return 2 * data >= max(len(sheet.columns) - 1, 2)
