"""Workbooks of Excel and LibreOffice as sheets; formulas are never computed."""

import datetime as dt
import re
from pathlib import Path

import numpy as np

from dissensus.errors import FileError, MissingExtraError, OptionError, listed
from dissensus.ratings.coding import Cells, Sheet, code_texts
from dissensus.ratings.sources.archives import open_archive
from dissensus.ratings.sources.csv_rows import nameless, told_apart
from dissensus.ratings.sources.input_file import InputFile

LARGEST_GRID = 20_000_000
"""Cells of a sheet, empty ones included: one cell in the last corner would make seventeen billion."""

ZIP_MAGIC = b"PK\x03\x04"
_REFERENCE = re.compile(rb'\br="([A-Z]{1,3})?(\d{1,7})"')


class WorkbookSheet(Sheet):
    """One sheet of a workbook; the first row that is not blank is the header, unless columns are given."""

    def __init__(self, file: InputFile, sheet: str | None = None, *, columns: tuple[str, ...] | None = None) -> None:
        grid, sheet_name = _grid(file, sheet)
        rows = [(number, cells) for number, cells in enumerate(grid, start=1) if any(cells)]
        if not rows:
            raise FileError(f"{file.name} has nothing in its sheet {sheet_name!r}. Name another one with --sheet.")
        names = list(columns or ())
        notes: tuple[str, ...] = ()
        if columns is None:
            header = [(cell or "").strip() or nameless(i) for i, cell in enumerate(rows[0][1], start=1)]
            names, notes = told_apart(header, file.name)
            rows = rows[1:]
        super().__init__(file.name, names, notes=notes)
        self.sheet_name, self._rows = sheet_name, rows
        self._blank = rows[-1][0] - rows[0][0] + 1 - len(rows) if rows else 0

    def _read(self, columns: tuple[str, ...]) -> Cells:
        places = {column: self.columns.index(column) for column in columns}
        return Cells(
            row=np.array([number for number, _ in self._rows], dtype=np.intp),
            columns={
                column: code_texts(cells[place] if place < len(cells) else None for _, cells in self._rows)
                for column, place in places.items()
            },
            blank_rows=self._blank,
        )


def _grid(file: InputFile, sheet: str | None) -> tuple[list[list[str | None]], str]:
    """The cells of a sheet as text, row by row, and the sheet's name."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError(f"Reading {file.name}", install="dissensus[excel]") from error
    _check_sizes(file.path)
    try:
        workbook = CalamineWorkbook.from_path(str(file.path))
        names = workbook.sheet_names
        chosen = _chosen(names, sheet, file.name)
        values = workbook.get_sheet_by_name(chosen).to_python(skip_empty_area=False)
    except (CalamineError, OSError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        reason = " ".join(str(error).split())
        raise FileError(f"{file.name} is no workbook that we can read ({reason}). Save it again, or as CSV.") from error
    return [[_cell(value) for value in row] for row in values], chosen


def _chosen(names: list[str], sheet: str | None, file: str) -> str:
    if not names:
        raise FileError(f"{file} has no sheet. Save it again.")
    if sheet is None:
        return names[0]
    if sheet not in names:
        raise OptionError(f"{file} has no sheet {sheet!r}: its sheets are {listed(names)}.")
    return sheet


def _cell(value: object) -> str | None:
    """A cell as text: 17 where Excel shows 17, though it stores 17.0.

    Examples
    --------
    >>> _cell(17.0), _cell(0.5), _cell(True), _cell(""), _cell("=1+1"), _cell(dt.date(2024, 5, 1))
    ('17', '0.5', 'true', None, '=1+1', '2024-05-01')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    text = "" if value is None else str(value)
    return text if text.strip() else None


def _check_sizes(path: Path) -> None:
    """Unpack every member once, within our limits, before a parser that knows none opens the file."""
    with path.open("rb") as stream:
        if stream.read(len(ZIP_MAGIC)) != ZIP_MAGIC:
            return  # an old .xls, which is not packed
    with open_archive(path) as archive:
        for name in archive.names():
            content = b"" if name.endswith("/") else archive.read(name)
            if name.startswith("xl/worksheets/") and _grid_size(content) > LARGEST_GRID:
                raise FileError(
                    f"{path.name} has a sheet of more than {LARGEST_GRID:,} cells, empty ones included, which is our "
                    "limit. Delete what stands far below or far to the right of the table."
                )


def _grid_size(sheet: bytes) -> int:
    """Rows times columns of the rectangle that holds every cell."""
    widest, lowest = b"A", 1
    for letters, digits in _REFERENCE.findall(sheet):
        lowest = max(lowest, int(digits))
        if (len(letters), letters) > (len(widest), widest):
            widest = letters
    width = 0
    for letter in widest:
        width = width * 26 + letter - ord("A") + 1
    return width * lowest
