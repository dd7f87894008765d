"""Whether a file is UTF-8 text at all; if not, which byte in which row is wrong."""

import codecs
from collections.abc import Iterable

from dissensus.errors import FileError
from dissensus.ratings.sources.csv_rows import csv_rows, read_header
from dissensus.ratings.sources.input_file import CHUNK, InputFile

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
    codecs.BOM_UTF16_LE: "is in UTF-16, and we read UTF-8. Save it in UTF-8.",
    codecs.BOM_UTF16_BE: "is in UTF-16, and we read UTF-8. Save it in UTF-8.",
}
HALF_A_MARK = "\udcef"
"""The byte that begins a byte order mark: where a file ends within the mark, Python shows none of it."""
FIRST_ESCAPED, LAST_ESCAPED = 0xDC80, 0xDCFF  # what Python reads a byte as that is not UTF-8


def check_text(file: InputFile) -> bool:
    """Whether the file may have blank lines; an error if it is not UTF-8 text.

    The whole file is looked at, because duckdb checks the encoding only of the columns it is asked for.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    tail, size, may_have_blank_lines, is_blank = b"", 0, False, True
    with file.bytes() as stream:
        while chunk := stream.read(CHUNK):
            if not size:
                _check_head(file, chunk)
            _check_chunk(file, chunk, decoder, offset=size)
            # Blank lines at the very end of the file do not count, so the end of a chunk is left to the next one.
            seam = (tail + chunk).rstrip().removeprefix(codecs.BOM_UTF8)
            may_have_blank_lines = may_have_blank_lines or any(mark in seam for mark in BLANK_LINES)
            is_blank = is_blank and not seam
            tail, size = chunk[-3:], size + len(chunk)
    _check_chunk(file, b"", decoder, offset=size)
    if is_blank:
        raise FileError(f"{file.name} is empty: it has nothing but blanks. Export it again.")
    return may_have_blank_lines


def _check_head(file: InputFile, head: bytes) -> None:
    for magic, what in FOREIGN.items():
        if head.startswith(magic):
            raise FileError(f"{file.name} {what}")


def _check_chunk(file: InputFile, chunk: bytes, decoder: codecs.IncrementalDecoder, *, offset: int) -> None:
    """Raise if a piece of the file has a zero byte or is not UTF-8; an empty piece ends the file."""
    zero = chunk.find(b"\0")
    if zero >= 0:
        raise FileError(f"{file.name} is not a text file: byte {offset + zero + 1:,} is zero. {EXPORT}")
    try:
        decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError as error:
        raise _not_utf8(file) from error


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
