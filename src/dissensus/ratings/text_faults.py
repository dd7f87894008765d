"""Headers, encodings and other faults of text files: what is wrong, and in which row."""

import codecs
import csv
import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from dissensus.errors import ColumnError, FileError

HEAD_BYTES = 1 << 20
DELIMITERS = (",", ";", "\t", "|")
_WIDE_ENCODINGS = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}


class Header(NamedTuple):
    """The first row of a CSV file."""

    columns: tuple[str, ...]
    delimiter: str


def open_bytes(path: Path, *, is_gzipped: bool) -> BinaryIO:
    """Open a file for reading, unpacked."""
    return cast("BinaryIO", gzip.open(path)) if is_gzipped else path.open("rb")


def _head(path: Path, *, is_gzipped: bool) -> bytes:
    try:
        with open_bytes(path, is_gzipped=is_gzipped) as stream:
            return stream.read(HEAD_BYTES)
    except (OSError, EOFError) as error:
        raise FileError(f"{path.name} cannot be unpacked: {error}. Save it again without gzip.") from error


def check_looks_like_text(path: Path, *, is_gzipped: bool) -> None:
    """Raise if the file is binary or in an encoding that is not UTF-8, as far as its beginning tells."""
    head = _head(path, is_gzipped=is_gzipped)
    if not head.strip():
        raise FileError(f"{path.name} is empty: it has nothing but blanks.")
    for mark, encoding in _WIDE_ENCODINGS.items():
        if head.startswith(mark):
            raise FileError(f"{path.name} is in {encoding}, and we read UTF-8: save it as CSV UTF-8.")
    zero = head.find(b"\0")
    if zero >= 0:
        raise FileError(
            f"{path.name} is not a text file: byte {zero + 1} (row {_row_at(head, zero)}) is zero. "
            "Export it as CSV, JSONL or Parquet and keep the suffix true."
        )
    if len(head) < HEAD_BYTES:
        check_encoding(path, is_gzipped=is_gzipped)


def check_encoding(path: Path, *, is_gzipped: bool) -> None:
    """Raise if the file is not UTF-8, naming the first bad byte and its row."""
    with open_bytes(path, is_gzipped=is_gzipped) as stream:
        row = 1
        for line in stream:
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                bad = line[error.start]
                raise FileError(
                    f"{path.name} is not UTF-8: byte 0x{bad:02x} at position {error.start + 1} of row {row} "
                    f"(after {_before(line, error.start)}). Save it as CSV UTF-8."
                ) from error
            row += 1


def _before(line: bytes, position: int) -> str:
    text = line[max(0, position - 12) : position].decode("utf-8", errors="replace")
    return repr(text)


def _row_at(head: bytes, position: int) -> int:
    return head.count(b"\n", 0, position) + 1


def text_lines(path: Path, *, is_gzipped: bool) -> Iterator[str]:
    """The lines of a UTF-8 file with their ends, without a byte order mark."""
    with open_bytes(path, is_gzipped=is_gzipped) as stream:
        yield from io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")


def read_header(path: Path, *, name: str, is_gzipped: bool, is_tsv: bool) -> Header:
    """Names of the columns and the delimiter between them.

    The delimiter is the one that splits the header into most columns: a comma before a semicolon, a tab, a bar.
    """
    head = _head(path, is_gzipped=is_gzipped).decode("utf-8-sig", errors="replace")
    rows = {d: _first_record(head, d) for d in (("\t",) if is_tsv else DELIMITERS)}
    delimiter = max(rows, key=lambda d: len(rows[d]))
    columns = [cell.strip() or f"column {i}" for i, cell in enumerate(rows[delimiter], start=1)]
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise ColumnError(f"{name} has two columns called {twice[0]!r}: rename one of them.")
    return Header(tuple(columns), delimiter)


def _first_record(head: str, delimiter: str) -> list[str]:
    try:
        return next((row for row in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter) if row), [])
    except csv.Error:
        return []


def first_line(error: Exception) -> str:
    """The first line of another program's message."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
