"""CSV and TSV, row by row: the header, the delimiter, and the row of a fault."""

import codecs
import csv
import io
import itertools
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dissensus.data.coding import Cells, Sheet, TextCoder
from dissensus.data.labels import number
from dissensus.data.sources.files import CHUNK, UTF8, InputFile
from dissensus.errors import SHOWN, ColumnError, FileError, counted, listed, named, shortened
from dissensus.sizes import check_size, current, raising

DELIMITERS = (",", ";", "\t", "|")
OUR_COLUMNS = frozenset({"item", "rater", "label", "group", "elicitation", "count", "judge", "sample", "order"})
SAMPLED_ROWS = 20
MOST_ABOVE = 10  # so far down the header may stand
LATIN = "cp1252"
MOST_DECODED = 256 * 2**20  # bytes of a file that is not UTF-8 that we look through


class Header(NamedTuple):
    """The first row of a CSV file that is not blank."""

    columns: tuple[str, ...]  # without blanks around them; a nameless one is called `column 4`
    delimiter: str
    is_first_line: bool  # and ends with it, which is what duckdb takes for a header
    above: int = 0  # how many rows stand above it, blank ones not counted
    below: int = 0  # how many rows below it hold units and no data
    notes: tuple[str, ...] = ()  # what the user should know about the names


def read_header(file: InputFile) -> Header:
    """Names of the columns and the delimiter between them.

    The delimiter is the one that splits the first rows into as many cells each, and most of them: a comma before a
    semicolon, a tab, a bar. Not by csv.Sniffer, which takes letters for delimiters and reads lists in cells apart.
    """
    head, samples = _samples(file)
    delimiter = _delimiter(samples)
    above, columns, below, notes = table_head(samples[delimiter], file.name)
    first = samples[delimiter][above] if samples[delimiter] else []
    check_size("columns", len(first), f"{file.name} has {len(first):,} columns", "Keep those you need.")
    is_first_line = (
        not above + below
        and file.encoding == UTF8
        and not head.startswith(("\r", "\n"))
        and not any({"\r", "\n"} & set(cell) for cell in first)
    )
    return Header(tuple(columns), delimiter, is_first_line, above, below, (*about_encoding(file), *notes))


def table_head(rows: Sequence[Sequence[str | None]], name: str) -> tuple[int, list[str], int, tuple[str, ...]]:
    """How many of the first rows stand above the header, its names, how many below hold units, and what to say."""
    above = rows_above_header(rows)
    upper = next((i for i in (above - 1, above) if i >= 0 and _is_upper(*rows[i : i + 2])), None)
    above = above if upper is None else upper + 1
    first = [(cell or "").strip() for cell in rows[above]] if rows else []
    if upper is not None:
        first = _below_upper(rows[upper], first)
    columns, notes = short_names([cell or f"column {i}" for i, cell in enumerate(first, start=1)], name)
    below = int(_are_units(rows[above + 1 :], len(first)))
    over = rows[: above if upper is None else upper]
    titles = (f"Left out {counted(len(over), 'row')} above the header: {_first_text(over)!r}.",) if over else ()
    units = (f"Left out the row below the header: {_first_text(rows[above + 1 : above + 2])!r}.",) if below else ()
    return above, columns, below, (*titles, *notes, *units)


def _is_upper(row: Sequence[str | None] = (), below: Sequence[str | None] = ()) -> bool:
    """Whether a row has the names of raters, each above several columns whose names come again: a merged header."""
    own = [(cell or "").strip() for cell in below]
    if not all(own) or len(set(own)) == len(own) or any(number(name) is not None for name in own):
        return False
    filled, together = sum(bool(cell and cell.strip()) for cell in row), _below_upper(row, own)
    return 0 < 2 * filled <= len(own) and len(set(together)) == len(together)


def _below_upper(row: Sequence[str | None], names: Sequence[str]) -> list[str]:
    """The names of columns, those that come again with what stands above them.

    >>> _below_upper(["", "Ann", "", "Bob", ""], ["id", "label", "note", "label", "note"])
    ['id', 'Ann label', 'Ann note', 'Bob label', 'Bob note']
    """
    above: list[str] = []
    for cell in [*row, *[""] * len(names)]:
        above.append((cell or "").strip() or (above[-1] if above else ""))
    times = Counter(names)
    return [f"{above[i]} {name}".strip() if times[name] > 1 else name for i, name in enumerate(names)]


FEWEST_BELOW = 5  # rows below one that holds units
_RANGE = re.compile(r"\d\s*(-|to|\N{EN DASH}|\.\.)\s*\d")


def _are_units(rows: Sequence[Sequence[str | None]], width: int) -> bool:
    """Whether the first row says what stands below it: in brackets, below no id, or in words above numbers.

    >>> numbers = [["a", "3"], ["b", "2"], ["c", "5"], ["d", "4"], ["e", "1"]]
    >>> [_are_units([units, *numbers], 2) for units in (["(id)", "(1-5)"], ["id", "1-5"], ["", "Response"], ["f", "2"])]
    [True, True, True, False]
    """
    if len(rows) <= FEWEST_BELOW:
        return False
    columns = [[(row[i] or "").strip() if i < len(row) else "" for row in rows] for i in range(width)]
    filled = [column for column in columns if column[0]]
    is_alone = all(column[0] not in column[1:] for column in filled)
    if not filled or not is_alone:
        return False
    if all(column[0][0] + column[0][-1] in {"()", "[]"} for column in filled):
        return True
    if not columns[0][0]:
        return len({column[0] for column in filled}) == 1 and number(filled[0][0]) is None and all(columns[0][1:])
    below = [(column[0], column[1:]) for column in columns if any(column[1:])]
    numeric = [head for head, cells in below if all(not cell or number(cell) is not None for cell in cells)]
    are_words = bool(numeric) and all(head and number(head) is None for head in numeric)
    return are_words and (len(numeric) > 1 or _RANGE.search(numeric[0]) is not None)


def rows_above_header(rows: Sequence[Sequence[str | None]]) -> int:
    """How many of the first rows stand above the header: titles and remarks, with few cells and a full row below them.

    >>> rows_above_header([["Survey 2024", "", ""], ["item", "rater", "label"], ["1", "a", "x"]])
    1
    >>> rows_above_header([["", "ann", "bob"], ["1", "x", "y"]])
    0
    """
    width = max((len(row) for row in rows), default=0)
    for place, row in enumerate(rows[:MOST_ABOVE]):
        filled = sum(bool(cell and cell.strip()) for cell in row)
        is_title = filled <= 1 and (width > 2 or len(row) < width)  # noqa: PLR2004 - an index has no name
        is_remark = place + 1 < len(rows) and 2 * filled <= width and _is_header(rows[place + 1 : MOST_ABOVE], width)
        if not (is_title or is_remark):
            return place if place == 0 or 2 * filled > width else 0
    return 0


def _is_header(rows: Sequence[Sequence[str | None]], width: int) -> bool:
    """Whether one of these rows names every column."""
    return any(len({cell for cell in row if cell and cell.strip()}) == width for row in rows)


def _first_text(rows: Sequence[Sequence[str | None]]) -> str:
    return shortened(next((cell.strip() for row in rows for cell in row if cell and cell.strip()), ""))


def about_encoding(file: InputFile) -> tuple[str, ...]:
    """What to say about a file that is not in UTF-8."""
    names = {"utf-16": "UTF-16", LATIN: "Windows-1252 (Latin-1)"}
    return () if file.encoding == UTF8 else (f"Read as {names[file.encoding]}, since it is not UTF-8.",)


def short_names(columns: list[str], name: str) -> tuple[list[str], tuple[str, ...]]:
    """The names of columns, each once, and what to say about those that came twice.

    A column that we need by its name must not come twice; any other may, and is numbered.
    """
    times = Counter(columns)
    twice = [column for column, number_ in times.items() if number_ > 1]
    lower = {column.lower() for column in columns}
    are_raters = bool({"label", "rater"} - lower) and any(column.lower() in {"label", "rater"} for column in twice)
    numbered = {column for column in twice if are_raters and column.lower() in {"label", "rater"}}
    for column in twice:
        if column not in numbered and (column.lower() in OUR_COLUMNS or column.lower().startswith("p_")):
            raise ColumnError(f"{name} has two columns called {column!r}: rename one of them.")
    names: dict[str, None] = {}
    seen: Counter[str] = Counter()
    for column in columns:
        seen[column] += 1
        fresh = f"{column} {seen[column]}" if column in numbered else column
        while fresh in names:
            fresh = f"{column} ({max(seen[column], 2)})"
            seen[column] += fresh in names
        names[fresh] = None
    notes = (f"Columns with the same name were numbered: {listed(twice)}.",) if twice else ()
    return list(names), notes


def given_header(file: InputFile, columns: tuple[str, ...]) -> Header:
    """The names that the user gives to the columns of a file without a header, and the delimiter that fits them."""
    _, samples = _samples(file)
    fitting = [d for d, records in samples.items() if records and {len(record) for record in records} == {len(columns)}]
    if not fitting:
        first = samples[_delimiter(samples)][0]
        raise ColumnError(
            f"{file.name} has {counted(len(first), 'column')} ({', '.join(map(shortened, first[:SHOWN]))} in its first "
            f"row), and {named('columns', of='read')} names {len(columns)}: name each of them."
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


def _first_records(head: str, delimiter: str) -> list[list[str]]:
    with _long_cells():
        rows = (row for row in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter) if not is_blank(row))
        try:
            return list(itertools.islice(rows, SAMPLED_ROWS))
        except csv.Error:
            return []


def _fit(records: list[list[str]]) -> tuple[bool, bool, bool, int]:
    """How well a delimiter fits: whether all rows (or those below a title) have as many cells; no lists; how many."""
    table = records[rows_above_header(records) :]
    width = len(table[0]) if table else 0
    is_even = width > 1 and all(len(record) == width for record in records)
    is_even_below = width > 1 and len(table) > 1 and all(len(record) == width for record in table)
    splits_lists = any("[" in cell and "]" not in cell for record in records for cell in record)
    return is_even, is_even_below, not splits_lists, width


def is_blank(cells: list[str]) -> bool:
    """Whether a row has nothing in it, not even delimiters."""
    return not cells or (len(cells) == 1 and not cells[0].strip())


@contextmanager
def csv_rows(
    file: InputFile, delimiter: str, *, is_strict: bool = False, errors: str = "strict"
) -> Iterator[Iterator[list[str]]]:
    """The cells of each row of a CSV file, header and blank rows included."""
    with file.lines(errors=errors) as lines, _long_cells():
        try:
            yield csv.reader(lines, delimiter=delimiter, strict=is_strict)
        except UnicodeDecodeError as error:
            raise _not_utf8(file) from error


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let Python's parser take cells as long as duckdb's lines may be."""
    before = csv.field_size_limit(current().cell)
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


APOSTROPHE = "'"
GUARDED, UNGUARDED = r"^'('*[=+\-@\t\r])", r"\1"
"""A cell that a spreadsheet would run as a formula, kept from it by an apostrophe, and the cell without."""
_GUARDED = re.compile(GUARDED)
_FORMULA = re.compile(r"^'*[=+\-@\t\r]")


def guarded(cell: str) -> str:
    """A cell that no spreadsheet runs as a formula: an apostrophe before `=`, `+`, `-`, `@`, a tab or a return.

    Numbers stay what they are. `read` takes the apostrophe away again.

    >>> guarded("=1+1"), guarded("-1"), guarded("-"), unguarded(guarded("'=x"))
    ("'=1+1", '-1', "'-", "'=x")
    """
    return APOSTROPHE + cell if _FORMULA.match(cell) and number(cell) is None else cell


def unguarded(cell: str) -> str:
    """The cell that was guarded."""
    return _GUARDED.sub(UNGUARDED, cell) if cell.startswith(APOSTROPHE) else cell


class CsvSheet(Sheet):
    """A CSV file read by Python: for short files, for those that duckdb refuses, and to find the row of a fault."""

    def __init__(self, file: InputFile, *, columns: tuple[str, ...] | None = None) -> None:
        self._file, self._has_header = file, columns is None
        self._header = read_header(file) if columns is None else given_header(file, columns)
        super().__init__(file.name, self._header.columns, notes=self._header.notes)
        self.delimiter = self._header.delimiter

    def _read(self, columns: tuple[str, ...]) -> Cells:
        places = [self.columns.index(column) for column in columns]
        coders = [TextCoder() for _ in columns]
        numbers = array("q")
        with csv_rows(self._file, self._header.delimiter, is_strict=True) as rows:
            full_rows = self._full_rows(rows)
            header_row = next(full_rows)[0] if self._has_header else 0
            for _ in range(self._header.below):
                header_row = next(full_rows)[0]
            for row, cells in full_rows:
                numbers.append(row)
                for coder, place in zip(coders, places, strict=True):
                    coder.add(unguarded(cells[place]))
        return Cells(
            row=np.array(numbers, dtype=np.intp),
            columns={column: coder.column().by_text() for column, coder in zip(columns, coders, strict=True)},
            blank_rows=numbers[-1] - header_row - len(numbers) if numbers else 0,
        )

    def _full_rows(self, rows: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
        """Number and cells of each row that is not blank; an error for one that is not like the header."""
        width, row = len(self.columns), 0
        try:
            above = self._header.above
            for row, cells in enumerate(rows, start=1):
                if above and not is_blank(cells):
                    above -= 1
                    continue
                # A delimiter too many at the end of a row holds nothing.
                is_like_header = len(cells) >= width and not any(cell.strip() for cell in cells[width:])
                if not is_like_header and not is_blank(cells):
                    raise FileError(
                        f"{self.name}, row {row}: {counted(len(cells), 'cell')} where the header has {width}. Fix "
                        f"the row, or quote cells that hold a {self._header.delimiter!r}."
                    )
                if not is_blank(cells):
                    yield row, cells
        except csv.Error as error:
            raise FileError(f"{self.name}, row {row + 1}: {_fault(error)}. Fix the quotes in that row.") from error


def _fault(error: csv.Error) -> str:
    """What Python's parser complains of, in our words."""
    text = str(error)
    if "unexpected end of data" in text:
        return 'a quote (") is opened and never closed'
    if "field larger" in text:
        longer = raising("cell", 2 * current().cell)
        return f'a quote (") is opened and never closed, or a cell is longer than our limit ({longer})'
    return 'text follows a closing quote (")' if "expected after" in text else text


# ---- Whether a file is UTF-8 text at all; if not, which byte in which row is wrong

BLANK_LINES = (b"\n\n", b"\n\r\n", b"\r\r")
EXPORT = "Export the table as CSV, JSONL or Parquet."
FOREIGN = {
    b"PK\x03\x04": f"is an Excel workbook or a ZIP archive, whatever its suffix says. {EXPORT}",
    b"\xd0\xcf\x11\xe0": f"is an old Excel workbook, whatever its suffix says. {EXPORT}",
    b"\x89PNG": f"is a PNG image, whatever its suffix says. {EXPORT}",
    b"\xff\xd8\xff": f"is a JPEG image, whatever its suffix says. {EXPORT}",
    b"%PDF-": f"is a PDF document, whatever its suffix says. {EXPORT}",
    b"SQLite format 3\0": f"is an SQLite database, whatever its suffix says. {EXPORT}",
    b"PAR1": "is a Parquet file, whatever its suffix says. Rename it to end in .parquet.",
    b"\x1f\x8b": "is gzipped twice. Unpack it once.",
}
HALF_A_MARK = "\udcef"
"""The byte that begins a byte order mark: where a file ends within the mark, Python shows none of it."""
FIRST_ESCAPED, LAST_ESCAPED = 0xDC80, 0xDCFF  # what Python reads a byte as that is not UTF-8


def check_text(file: InputFile) -> bool:
    """Whether the file may have blank lines; an error if it is not UTF-8 text.

    The whole file is looked at, because duckdb checks the encoding only of the columns it is asked for.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    tail, size, line, may_have_blank_lines, is_blank = b"", 0, 0, False, True
    with file.bytes() as stream:
        while chunk := stream.read(CHUNK):
            what = next((what for magic, what in FOREIGN.items() if chunk.startswith(magic)), None)
            if not size and what is not None:
                raise FileError(f"{file.name} {what}")
            _check_chunk(file, chunk, decoder, offset=size)
            line = len(chunk) - chunk.rfind(b"\n") - 1 if b"\n" in chunk else line + len(chunk)
            if file.kind != "jsonl":  # duckdb drops a last row that is longer than its buffer
                check_size("cell", line, f"{file.name} has a line of {line:,} characters or more", "Shorten it.")
            # Blank lines at the very end of the file do not count, so the end of a chunk is left to the next one.
            seam = (tail + chunk).rstrip().removeprefix(codecs.BOM_UTF8)
            may_have_blank_lines = may_have_blank_lines or any(mark in seam for mark in BLANK_LINES)
            is_blank = is_blank and not seam
            tail, size = chunk[-3:], size + len(chunk)
    _check_chunk(file, b"", decoder, offset=size)
    if is_blank:
        raise FileError(f"{file.name} is empty: it has nothing but blanks. Export it again.")
    return may_have_blank_lines


def check_bytes(file: InputFile) -> None:
    """Raise if a text file has a zero byte or unpacks to more than our limits, before duckdb reads it."""
    size = 0
    with file.bytes() as stream:
        while chunk := stream.read(CHUNK):
            _check_zeros(file, chunk, offset=size)
            size += len(chunk)


def _check_chunk(file: InputFile, chunk: bytes, decoder: codecs.IncrementalDecoder, *, offset: int) -> None:
    """Raise if a piece of the file has a zero byte or is not UTF-8; an empty piece ends the file."""
    _check_zeros(file, chunk, offset=offset)
    try:
        decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError as error:
        raise _not_utf8(file) from error


def _check_zeros(file: InputFile, chunk: bytes, *, offset: int) -> None:
    zero = chunk.find(b"\0")
    if zero >= 0:
        raise FileError(f"{file.name} is not a text file: byte {offset + zero + 1:,} is zero. {EXPORT}")


def in_its_encoding(file: InputFile) -> InputFile:
    """The file with the encoding that its text has: Windows-1252 where nothing in it is UTF-8 beyond ASCII.

    A file with a few bad bytes among good ones is damaged, and stays what it is.
    """
    if file.encoding != UTF8 or file.kind not in {"csv", "tsv"}:
        return file
    with file.bytes() as stream:
        content = stream.read(MOST_DECODED)
    if content.isascii():
        return file
    text = content.decode(UTF8, "surrogateescape")
    strange = {character for character in set(text) if not character.isascii()}
    is_other = bool(strange) and all(FIRST_ESCAPED <= ord(character) <= LAST_ESCAPED for character in strange)
    is_cut = text[-1:] in strange and text[:-1].isascii()  # within the bytes of a letter
    is_cut = is_cut or 2 * sum(character in strange for character in text) > len(text)  # no text at all
    is_text = all(character.isprintable() or character in "\t\r\n" for character in set(text) - strange)
    return replace(file, encoding=LATIN) if is_other and is_text and not is_cut else file


def _not_utf8(file: InputFile) -> FileError:
    """The error for a file that is not UTF-8: names the first bad byte, its row and what stands before it."""
    if file.kind == "jsonl":
        with file.lines(errors="surrogateescape") as lines:
            row, cell, bad = _first_bad([line] for line in lines)
    else:
        with csv_rows(file, read_header(file).delimiter, errors="surrogateescape") as rows:
            row, cell, bad = _first_bad(rows)
    byte = cell[bad].encode("utf-8", "surrogateescape").hex()
    after = f" after {cell[max(0, bad - 12) : bad]!r}" if bad else ""
    return FileError(f"{file.name}, row {row}: byte 0x{byte}{after} is not UTF-8. Save the file in UTF-8.")


def _first_bad(rows: Iterable[list[str]]) -> tuple[int, str, int]:
    """Row, cell and place in the cell of the first byte that is not UTF-8."""
    found = (
        (row, cell, i)
        for row, cells in enumerate(rows, start=1)
        for cell in cells
        for i, character in enumerate(cell)
        if FIRST_ESCAPED <= ord(character) <= LAST_ESCAPED
    )
    return next(found, (1, HALF_A_MARK, 0))
