"""Workbooks of Excel and LibreOffice as sheets; formulas are never computed."""

import datetime as dt
import io
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from dissensus.data.coding import Cells, Sheet, code_texts
from dissensus.data.columns import synonym_of
from dissensus.data.sources.csv_rows import SAMPLED_ROWS, table_head
from dissensus.data.sources.files import InputFile, check_unpacked
from dissensus.errors import FileError, MissingExtraError, OptionError, listed, named
from dissensus.sizes import check_size

# ---- ZIP archives, read member by member into memory and never unpacked to disk

MOST_MEMBERS = 100_000

STORED, DEFLATED, ZSTANDARD = 0, 8, 93
LARGEST_WINDOW = 2**27
_LOCAL_HEADER = 30


class Archive:
    """An open ZIP archive: what is in it, and the bytes of each member, within our limits.

    Not by `ZipFile.open`, which before Python 3.14 cannot unpack the zstandard members that Inspect writes.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.name, self._stream, self._unpacked = name, stream, 0
        self._size = stream.seek(0, io.SEEK_END)
        try:
            with zipfile.ZipFile(stream) as listing:
                members = listing.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise FileError(
                f"{name} is not a complete ZIP archive ({error}): it is cut off or something else. Copy it again."
            ) from error
        if len(members) > MOST_MEMBERS:
            raise FileError(f"{name} has {len(members):,} members, and our limit is {MOST_MEMBERS:,}. Split it.")
        self._members = {member.filename: member for member in members}

    def names(self) -> list[str]:
        """Names of the members, in their order."""
        return list(self._members)

    def read(self, member: str) -> bytes:
        """The bytes of a member."""
        found = self._members.get(member)
        if found is None:
            raise FileError(f"{self.name} has no member {member}: it is cut off or something else. Export it again.")
        if stat.S_ISLNK(found.external_attr >> 16):
            raise FileError(
                f"{self.name}: {member} is a link to a file outside, which we do not follow. Export it again."
            )
        check_unpacked(self._size, self._unpacked + found.file_size, self.name)
        content = self._unpack(found, found.file_size)
        if len(content) != found.file_size or zlib.crc32(content) != found.CRC:
            raise FileError(f"{self.name}: {member} is damaged: its checksum is wrong. Copy the file again.")
        self._unpacked += len(content)
        return content

    def _unpack(self, member: zipfile.ZipInfo, limit: int) -> bytes:
        """At most one byte more than the archive says, which is then found to be damaged."""
        if member.flag_bits & 1:
            raise FileError(f"{self.name}: {member.filename} is encrypted. Give the file without a password.")
        packed = self._packed(member)
        try:
            if member.compress_type == STORED:
                return packed
            if member.compress_type == DEFLATED:
                return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, limit + 1)
            if member.compress_type == ZSTANDARD:
                return _zstandard(packed, limit + 1, self.name)
        except (zlib.error, EOFError, OSError) as error:
            raise FileError(f"{self.name}: {member.filename} is damaged ({error}). Copy the file again.") from error
        raise FileError(
            f"{self.name}: {member.filename} is packed with method {member.compress_type}, which we cannot unpack. "
            "Pack it again with deflate or zstandard."
        )

    def _packed(self, member: zipfile.ZipInfo) -> bytes:
        self._stream.seek(max(0, member.header_offset))
        head = self._stream.read(_LOCAL_HEADER) if member.header_offset >= 0 else b""
        if len(head) < _LOCAL_HEADER:
            raise FileError(f"{self.name} is cut off before {member.filename}. Copy it again.")
        lengths = int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        self._stream.seek(lengths, io.SEEK_CUR)
        return self._stream.read(member.compress_size)


def _zstandard(packed: bytes, limit: int, name: str) -> bytes:
    try:
        import zstandard  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError(f"Reading {name}", install="dissensus[inspect]") from error
    try:
        decompressor = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
        with decompressor.stream_reader(io.BytesIO(packed), read_across_frames=True) as reader:
            return reader.read(limit)
    except zstandard.ZstdError as error:
        raise OSError(str(error)) from error


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open a ZIP archive; it is closed at the end of the block."""
    with path.open("rb") as stream:
        yield Archive(stream, path.name)


ZIP_MAGIC = b"PK\x03\x04"
_REFERENCE = re.compile(rb"""\br\s*=\s*["']\s*([A-Za-z]{0,10})0*(\d{1,18})""")


class WorkbookSheet(Sheet):
    """One sheet of a workbook; the first row that is not blank is the header, unless columns are given."""

    delimiter = "\t"  # what a spreadsheet puts between cells that are pasted: a comma in one is not between two

    def __init__(self, file: InputFile, sheet: str | None = None, *, columns: tuple[str, ...] | None = None) -> None:
        grid, self.sheet_name, self.sheet_names = _grid(file, sheet)
        names, rows, notes = _table(grid, columns, file.name)
        if not rows and not names:
            what = f"{file.name} has nothing in its sheet {self.sheet_name!r}"
            raise FileError(f"{what}. Name another one with {named('sheet', of='read')}.")
        if sheet is None and columns is None and _may_be_one_rater(names):
            others = {other: _table(_grid(file, other)[0], None, file.name) for other in self.sheet_names}
            same = {other: table[1] for other, table in others.items() if table[0] == names and table[1]}
            ids = [{cells[0] for _, cells in own} for own in same.values()]
            if len(same) > 1 and 2 * len(set.intersection(*ids)) >= max(map(len, ids)):
                names = [*names, RATER]
                rows = [(n, [*cells, *[None] * (len(names) - 1 - len(cells)), own])
                        for own, table in same.items() for n, cells in table]  # fmt: skip
                each = f"Read {len(same)} sheets with the same columns, each as a rater: {listed(list(same))}."
                notes = (*notes, each)
        super().__init__(file.name, names, notes=notes)
        self._rows = rows
        self._blank = max(0, rows[-1][0] - rows[0][0] + 1 - len(rows)) if rows else 0

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


RATER = "rater"
Rows = list[tuple[int, list[str | None]]]


def _table(
    grid: list[list[str | None]], columns: tuple[str, ...] | None, name: str
) -> tuple[list[str], Rows, tuple[str, ...]]:
    """The names of the columns of a sheet, its rows with their numbers, and what to say about them."""
    rows = [(number, cells) for number, cells in enumerate(grid, start=1) if any(cells)]
    if columns is not None or not rows:
        return list(columns or ()) if rows else [], rows, ()
    above, names, below, notes = table_head([cells for _, cells in rows[:SAMPLED_ROWS]], name)
    return names, rows[above + 1 + below :], notes


def _may_be_one_rater(names: list[str]) -> bool:
    """Whether a sheet has a label in each row and nobody who gave it."""
    lower = {name.strip().lower() for name in names}
    has_label = "label" in lower or synonym_of(names, "label") is not None
    return has_label and RATER not in lower and synonym_of(names, RATER) is None and "judge" not in lower


def _grid(file: InputFile, sheet: str | None) -> tuple[list[list[str | None]], str, list[str]]:
    """The cells of a sheet as text, row by row, the sheet's name, and those of all; the first that is not empty."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError(f"Reading {file.name}", install="dissensus[excel]") from error
    _check_sizes(file.path)
    try:
        workbook = CalamineWorkbook.from_path(str(file.path))
        names = workbook.sheet_names
        for chosen in _chosen(names, sheet, file.name):
            values = workbook.get_sheet_by_name(chosen).to_python(skip_empty_area=False)
            if any(cell not in {None, ""} for row in values for cell in row):
                break
    except (CalamineError, OSError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        reason = " ".join(str(error).split())
        raise FileError(
            f"{file.name} is not a workbook that we can read ({reason}). Save it again, or as CSV."
        ) from error
    return [[_cell(value) for value in row] for row in values], chosen, names


def _chosen(names: list[str], sheet: str | None, file: str) -> list[str]:
    if not names:
        raise FileError(f"{file} has no sheet. Save it again.")
    if sheet is None:
        return names
    if sheet not in names:
        raise OptionError(f"{file} has no sheet {sheet!r}: its sheets are {listed(names)}.")
    return [sheet]


def _cell(value: object) -> str | None:
    """A cell as text: 17 where Excel shows 17, though it stores 17.0.

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
            size = _grid_size(content) if name.startswith("xl/worksheets/") else 0
            what = f"{path.name} has a sheet of {size:,} cells, empty ones included"
            check_size("cells", size, what, "Delete what stands far below or far to the right of the table.")


def _grid_size(sheet: bytes) -> int:
    """Rows times columns of the rectangle that holds every cell."""
    widest, lowest = b"A", 1
    for letters, digits in _REFERENCE.findall(sheet):
        lowest = max(lowest, int(digits))
        if (len(letters), letters.upper()) > (len(widest), widest):
            widest = letters.upper()
    width = 0
    for letter in widest:
        width = width * 26 + letter - ord("A") + 1
    return width * lowest
