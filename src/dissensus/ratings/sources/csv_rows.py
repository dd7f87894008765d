"""CSV and TSV, row by row: the header, the delimiter, and the row of a fault."""

import csv
import io
import itertools
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from dissensus.errors import SHOWN, ColumnError, FileError, counted, listed, shortened
from dissensus.ratings.coding import Cells, Sheet, TextCoder
from dissensus.ratings.sources.input_file import CHUNK, InputFile

DELIMITERS = (",", ";", "\t", "|")
OUR_COLUMNS = frozenset({"item", "rater", "label", "group", "elicitation", "count", "judge", "sample", "order"})
SAMPLED_ROWS = 20
TITLE = "If the first row is a title, delete the rows above the header; else mend"
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
    notes : tuple of str
        What the user should know about the names.
    """

    columns: tuple[str, ...]
    delimiter: str
    is_first_line: bool
    notes: tuple[str, ...] = ()


def read_header(file: InputFile) -> Header:
    """Names of the columns and the delimiter between them.

    The delimiter is the one that splits the first rows into equally many cells, and most of them: a comma before a
    semicolon, a tab, a bar.
    """
    head, samples = _samples(file)
    delimiter = _delimiter(samples)
    first = samples[delimiter][0] if samples[delimiter] else []
    columns = [cell.strip() or nameless(i) for i, cell in enumerate(first, start=1)]
    columns, notes = told_apart(columns, file.name)
    is_first_line = not head.startswith(("\r", "\n")) and not any({"\r", "\n"} & set(cell) for cell in first)
    return Header(tuple(columns), delimiter, is_first_line, notes)


def told_apart(columns: list[str], name: str) -> tuple[list[str], tuple[str, ...]]:
    """The names of columns, each once, and what to say about those that came twice.

    A column that we need by its name must not come twice; any other may, and is numbered.
    """
    names: list[str] = []
    twice = list(dict.fromkeys(column for i, column in enumerate(columns) if column in columns[:i]))
    for column in twice:
        if column.lower() in OUR_COLUMNS or column.lower().startswith("p_"):
            raise ColumnError(f"{name} has two columns called {column!r}: rename one of them.")
    for column in columns:
        again, fresh = 1, column
        while fresh in names:
            again += 1
            fresh = f"{column} ({again})"
        names.append(fresh)
    notes = (f"Columns with the same name were numbered: {listed(twice)}.",) if twice else ()
    return names, notes


def given_header(file: InputFile, columns: tuple[str, ...]) -> Header:
    """The names that the user gives to the columns of a file without a header, and the delimiter that fits them."""
    _, samples = _samples(file)
    fitting = [d for d, records in samples.items() if records and {len(record) for record in records} == {len(columns)}]
    if not fitting:
        first = samples[_delimiter(samples)][0]
        raise ColumnError(
            f"{file.name} has {counted(len(first), 'column')} ({', '.join(map(shortened, first[:SHOWN]))} in its first "
            f"row), and --columns names {len(columns)}: name each of them."
        )
    return Header(columns, fitting[0], is_first_line=False)


def _samples(file: InputFile) -> tuple[str, dict[str, list[list[str]]]]:
    """The start of a file, and its first rows as each delimiter would split them."""
    with file.bytes() as stream:
        head = stream.read(CHUNK).decode("utf-8-sig", errors="surrogateescape")
    delimiters = ("\t",) if file.kind == "tsv" else DELIMITERS
    return head, {delimiter: _first_records(head, delimiter) for delimiter in delimiters}


def _delimiter(samples: dict[str, list[list[str]]]) -> str:
    return max(samples, key=lambda delimiter: _fit(samples[delimiter]))


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


def _fit(records: list[list[str]]) -> tuple[bool, bool, int]:
    """How well a delimiter fits: whether it splits all rows alike, and no list in a cell, and into how many cells."""
    widths = {len(record) for record in records}
    width = len(records[0]) if records else 0
    splits_lists = any("[" in cell and "]" not in cell for record in records for cell in record)
    return width > 1 and len(widths) == 1, not splits_lists, width


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

    def __init__(self, file: InputFile, *, columns: tuple[str, ...] | None = None) -> None:
        self._file, self._has_header = file, columns is None
        self._header = read_header(file) if columns is None else given_header(file, columns)
        super().__init__(file.name, self._header.columns, notes=self._header.notes)

    def _read(self, columns: tuple[str, ...]) -> Cells:
        places = [self.columns.index(column) for column in columns]
        coders = [TextCoder() for _ in columns]
        numbers = array("q")
        with csv_rows(self._file, self._header.delimiter, is_strict=True) as rows:
            full_rows = self._full_rows(rows)
            header_row = next(full_rows)[0] if self._has_header else 0
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
                    remedy = TITLE if width == 1 else "Mend"
                    raise FileError(
                        f"{self.name}, row {row}: {counted(len(cells), 'cell')} where the header has {width}. {remedy} "
                        f"the row, or quote cells that hold a {self._header.delimiter!r}."
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
