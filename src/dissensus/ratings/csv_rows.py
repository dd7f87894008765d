"""CSV and TSV, row by row: the header, the delimiter, and the row of a fault."""

import csv
import io
import itertools
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from dissensus.errors import ColumnError, FileError, counted
from dissensus.ratings.coding import Cells, Sheet, TextCoder
from dissensus.ratings.input_file import CHUNK, InputFile

DELIMITERS = (",", ";", "\t", "|")
SAMPLED_ROWS = 20
LONGEST_CELL = 1 << 24
"""A cell with more characters than this is taken for a quote that was never closed."""


class Header(NamedTuple):
    """The first row of a CSV file that is not blank.

    Attributes
    ----------
    columns : tuple of str
        Names, without blanks around them; a nameless column is called `column 4`.
    delimiter : str
        What stands between the cells.
    is_first_line : bool
        Whether it is the first line of the file and ends with it, which is what duckdb takes for a header.
    """

    columns: tuple[str, ...]
    delimiter: str
    is_first_line: bool


def read_header(file: InputFile) -> Header:
    """Names of the columns and the delimiter between them.

    The delimiter is the one that splits the first rows into equally many cells, and most of them: a comma before a
    semicolon, a tab, a bar.
    """
    with file.bytes() as stream:
        head = stream.read(CHUNK).decode("utf-8-sig", errors="surrogateescape")
    samples = {
        delimiter: _first_records(head, delimiter) for delimiter in (("\t",) if file.kind == "tsv" else DELIMITERS)
    }
    delimiter = max(samples, key=lambda d: _fit(samples[d]))
    first = samples[delimiter][0] if samples[delimiter] else []
    columns = [cell.strip() or nameless(i) for i, cell in enumerate(first, start=1)]
    twice = [column for i, column in enumerate(columns) if column in columns[:i]]
    if twice:
        raise ColumnError(f"{file.name} has two columns called {twice[0]!r}: rename one of them.")
    is_first_line = not head.startswith(("\r", "\n")) and not any({"\r", "\n"} & set(cell) for cell in first)
    return Header(tuple(columns), delimiter, is_first_line)


def nameless(number: int) -> str:
    """What a column without a name is called."""
    return f"column {number}"


def _first_records(head: str, delimiter: str) -> list[list[str]]:
    with _long_cells():
        rows = (row for row in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter) if not is_blank(row))
        try:
            return list(itertools.islice(rows, SAMPLED_ROWS))
        except csv.Error:
            return []


def _fit(records: list[list[str]]) -> tuple[bool, int]:
    """How well a delimiter fits: whether it splits all rows alike, and into how many cells."""
    widths = {len(record) for record in records}
    width = len(records[0]) if records else 0
    return width > 1 and len(widths) == 1, width


def is_blank(cells: list[str]) -> bool:
    """Whether a row has nothing in it, not even delimiters."""
    return not cells or (len(cells) == 1 and not cells[0].strip())


@contextmanager
def csv_rows(
    file: InputFile, delimiter: str, *, is_strict: bool = False, errors: str = "strict"
) -> Iterator[Iterator[list[str]]]:
    """The cells of each row of a CSV file, header and blank rows included."""
    with file.lines(errors=errors) as lines, _long_cells():
        yield csv.reader(lines, delimiter=delimiter, strict=is_strict)


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let Python's parser take cells as long as duckdb's lines may be."""
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def blank_rows(file: InputFile, header: Header) -> list[int]:
    """Numbers of the blank rows that have data below them."""
    with csv_rows(file, header.delimiter) as rows:
        blank = np.fromiter(map(is_blank, rows), dtype=np.bool_)
    last = np.flatnonzero(~blank)[-1]
    return (np.flatnonzero(blank[:last]) + 1).tolist()


class CsvSheet(Sheet):
    """A CSV file read by Python: for files that duckdb refuses, and to find the row of a fault."""

    def __init__(self, file: InputFile) -> None:
        self._file, self._header = file, read_header(file)
        super().__init__(file.name, self._header.columns)

    def _read(self, columns: tuple[str, ...]) -> Cells:
        places = [self.columns.index(column) for column in columns]
        coders = [TextCoder() for _ in columns]
        numbers = array("q")
        with csv_rows(self._file, self._header.delimiter, is_strict=True) as rows:
            full_rows = self._full_rows(rows)
            header_row, _ = next(full_rows)
            for row, cells in full_rows:
                numbers.append(row)
                for coder, place in zip(coders, places, strict=True):
                    coder.add(cells[place])
        return Cells(
            row=np.array(numbers, dtype=np.intp),
            columns={column: coder.column() for column, coder in zip(columns, coders, strict=True)},
            blank_rows=numbers[-1] - header_row - len(numbers) if numbers else 0,
        )

    def _full_rows(self, rows: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
        """Number and cells of each row that is not blank; an error for one that is not like the header."""
        width, row = len(self.columns), 0
        try:
            for row, cells in enumerate(rows, start=1):
                # A delimiter too many at the end of a row holds nothing.
                is_like_header = len(cells) >= width and not any(cell.strip() for cell in cells[width:])
                if not is_like_header and not is_blank(cells):
                    raise FileError(
                        f"{self.name}, row {row}: {counted(len(cells), 'cell')} where the header has {width}. "
                        f"Mend the row, or quote cells that hold a {self._header.delimiter!r}."
                    )
                if not is_blank(cells):
                    yield row, cells
        except csv.Error as error:
            raise FileError(f"{self.name}, row {row + 1}: {_fault(error)}. Mend the quotes in that row.") from error


def _fault(error: csv.Error) -> str:
    """What Python's parser complains of, in our words."""
    text = str(error)
    if "unexpected end of data" in text or "field larger" in text:
        return 'a quote (") is opened and never closed'
    return 'text follows a closing quote (")' if "expected after" in text else text
