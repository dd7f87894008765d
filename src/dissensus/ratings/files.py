"""Open a CSV, TSV, JSONL or Parquet file, gzipped or not, as a sheet of text columns."""

import gzip
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import duckdb

from dissensus.errors import FileError
from dissensus.ratings.coding import Sheet
from dissensus.ratings.plain_sheets import plain_csv_sheet, plain_jsonl_sheet
from dissensus.ratings.sql_sheets import SqlSheet, connect, csv_source, jsonl_source, parquet_source
from dissensus.ratings.text_faults import check_looks_like_text, first_line

Kind = Literal["csv", "tsv", "jsonl", "parquet"]
SUFFIXES: dict[str, Kind] = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip

GZIP_MAGIC = b"\x1f\x8b"
LARGEST_UNPACKED = 64 * 2**30
"""Bytes that a gzipped Parquet file may unpack to before we suspect a trap."""


class InputFile(NamedTuple):
    """A file that exists, and how to read it."""

    path: Path
    kind: Kind
    is_gzipped: bool


def inspect_file(path: str | os.PathLike[str]) -> InputFile:
    """What kind of file this is; an error if it cannot be one of ours."""
    file = Path(path)
    known = ", ".join(sorted(SUFFIXES))
    if file.is_dir():
        raise FileError(f"{file} is a folder, not a file: name one of the files in it.")
    if not file.exists():
        raise FileError(f"There is no file {file}: check the path.")
    suffixes = [suffix.lower() for suffix in file.suffixes]
    suffix = suffixes[-2] if len(suffixes) > 1 and suffixes[-1] == ".gz" else (suffixes[-1:] or [""])[0]
    if suffix not in SUFFIXES:
        ending = f"ends in {suffix}" if suffix else "has no suffix"
        raise FileError(f"{file.name} {ending}, and we read {known} (each may be gzipped, .gz): save it as one of these.")
    try:
        with file.open("rb") as stream:
            head = stream.read(2)
    except OSError as error:
        raise FileError(f"{file.name} cannot be opened: {error.strerror}.") from error
    if not head:
        raise FileError(f"{file.name} is empty: it has not a single byte.")
    return InputFile(file, SUFFIXES[suffix], head == GZIP_MAGIC)


@contextmanager
def open_sheet(path: str | os.PathLike[str]) -> Iterator[Sheet]:
    """Open a file as a sheet; it is closed at the end of the block."""
    file = inspect_file(path)
    with tempfile.TemporaryDirectory(prefix="dissensus-") as folder:
        source = _plain_path(file, Path(folder))
        connection = connect(source, spill=Path(folder))
        try:
            yield _sheet(connection, file, source)
        finally:
            connection.close()


def _sheet(connection: duckdb.DuckDBPyConnection, file: InputFile, source: Path) -> Sheet:
    name, is_tsv = file.path.name, file.kind == "tsv"

    def not_parquet(error: duckdb.Error) -> Sheet:
        raise FileError(f"{name} is not a Parquet file that can be read: {first_line(error)}") from error

    def slowly_as_jsonl(_: duckdb.Error) -> Sheet:
        return plain_jsonl_sheet(file.path, is_gzipped=file.is_gzipped)

    def slowly_as_csv(_: duckdb.Error) -> Sheet:
        return plain_csv_sheet(file.path, is_gzipped=file.is_gzipped, is_tsv=is_tsv)

    if file.kind == "parquet":
        reread, first_row = not_parquet, 1
    else:
        check_looks_like_text(file.path, is_gzipped=file.is_gzipped)
        reread, first_row = (slowly_as_jsonl, 1) if file.kind == "jsonl" else (slowly_as_csv, 2)
    try:
        if file.kind == "parquet":
            origin = parquet_source(connection, source)
        elif file.kind == "jsonl":
            origin = jsonl_source(connection, source)
        else:
            origin = csv_source(source, name=name, is_gzipped=file.is_gzipped, is_tsv=is_tsv)
    except duckdb.Error as error:
        return reread(error)
    return SqlSheet(connection, origin, name=name, first_row=first_row, reread=reread)


def _plain_path(file: InputFile, folder: Path) -> Path:
    """A path to the same bytes that duckdb takes literally and can seek in."""
    path = file.path.resolve()
    if file.kind == "parquet" and file.is_gzipped:
        return _unpack(path, folder / "unpacked.parquet")
    if set("*?[]") & set(str(path)):
        link = folder / f"input.{file.kind}"
        link.symlink_to(path)
        return link
    return path


def _unpack(path: Path, target: Path) -> Path:
    try:
        with gzip.open(path) as packed, target.open("wb") as plain:
            shutil.copyfileobj(_Limited(packed, LARGEST_UNPACKED), plain, 2**20)
    except (OSError, EOFError) as error:
        raise FileError(f"{path.name} cannot be unpacked: {error}. Save it again without gzip.") from error
    return target


class _Limited:
    """A stream that refuses to go on past a number of bytes."""

    def __init__(self, stream: gzip.GzipFile, limit: int) -> None:
        self.stream, self.left = stream, limit

    def read(self, size: int = -1) -> bytes:
        chunk = self.stream.read(size)
        self.left -= len(chunk)
        if self.left < 0:
            raise OSError(f"it unpacks to more than {LARGEST_UNPACKED:,} bytes")
        return chunk


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Hash of a file's bytes."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
