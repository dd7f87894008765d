"""Open a CSV, TSV, JSON, JSONL, Parquet or Excel file as a sheet of text columns; all but Excel may be gzipped."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from dissensus.errors import FileError
from dissensus.ratings.coding import Sheet
from dissensus.ratings.sources.csv_rows import CsvSheet, blank_rows, read_header
from dissensus.ratings.sources.input_file import CHUNK, InputFile, inspect_file
from dissensus.ratings.sources.jsonl_rows import JsonlSheet, RecordSheet, blank_lines
from dissensus.ratings.sources.sql_sheets import SqlSheet, connect, csv_source, jsonl_source, parquet_source
from dissensus.ratings.sources.text_checks import check_text

LARGEST_UNPACKED = 64 * 2**30
"""Bytes that a gzipped Parquet file may unpack to before we suspect a trap."""

PARQUET_MAGIC = b"PAR1"
GLOB_CHARACTERS = frozenset("*?[]")


@contextmanager
def open_sheet(
    path: str | os.PathLike[str] | InputFile, *, sheet: str | None = None, columns: tuple[str, ...] | None = None
) -> Iterator[Sheet]:
    """Open a file as a sheet; it is closed at the end of the block.

    Parameters
    ----------
    path : path or InputFile
        The file.
    sheet : str, optional
        Which sheet of a workbook; the first if not given.
    columns : tuple of str, optional
        Names of the columns of a CSV file or a workbook without a header.
    """
    file = path if isinstance(path, InputFile) else inspect_file(path)
    if file.kind not in _OPENERS or columns is not None:
        yield _open_here(file, sheet, columns)
        return
    with tempfile.TemporaryDirectory(prefix="dissensus-") as folder:
        source = _plain_path(file, Path(folder))
        connection = connect(source, spill=Path(folder))
        try:
            yield _OPENERS[file.kind](connection, file, source)
        finally:
            connection.close()


def _open_here(file: InputFile, sheet: str | None, columns: tuple[str, ...] | None) -> Sheet:
    """A sheet that Python reads and not duckdb."""
    if file.kind == "workbook":
        from dissensus.ratings.sources.workbooks import WorkbookSheet  # noqa: PLC0415 - for those who have a workbook

        return WorkbookSheet(file, sheet, columns=columns)
    if file.kind == "json":
        return RecordSheet(file)
    if file.kind not in {"csv", "tsv"}:
        raise FileError(f"{file.name} has names for its columns or is no table: --columns is for CSV and Excel files.")
    check_text(file)
    return CsvSheet(file, columns=columns)


def _open_csv(connection: duckdb.DuckDBPyConnection, file: InputFile, source: Path) -> Sheet:
    may_have_blank_lines = check_text(file)
    header = read_header(file)
    if not header.is_first_line:
        return CsvSheet(file)
    return SqlSheet(
        connection,
        csv_source(source, header=header, is_gzipped=file.is_gzipped),
        name=file.name,
        blank_rows=blank_rows(file, header) if may_have_blank_lines else (),
        reread=lambda _: CsvSheet(file),
    )


def _open_jsonl(connection: duckdb.DuckDBPyConnection, file: InputFile, source: Path) -> Sheet:
    may_have_blank_lines = check_text(file)
    try:
        origin = jsonl_source(connection, source, is_gzipped=file.is_gzipped)
    except duckdb.Error:
        return JsonlSheet(file)
    return SqlSheet(
        connection,
        origin,
        name=file.name,
        blank_rows=blank_lines(file) if may_have_blank_lines else (),
        reread=lambda _: JsonlSheet(file),
    )


def _open_parquet(connection: duckdb.DuckDBPyConnection, file: InputFile, source: Path) -> Sheet:
    _check_parquet(source, name=file.name)

    def damaged(error: duckdb.Error) -> Sheet:
        reason = str(error).partition("\n")[0].replace(str(source), file.name)
        raise FileError(f"{file.name} is a damaged Parquet file ({reason}). Export it again.") from error

    try:
        origin = parquet_source(connection, source, name=file.name)
    except duckdb.Error as error:
        return damaged(error)
    return SqlSheet(connection, origin, name=file.name, reread=damaged)


_OPENERS = {"csv": _open_csv, "tsv": _open_csv, "jsonl": _open_jsonl, "parquet": _open_parquet}


def _check_parquet(path: Path, *, name: str) -> None:
    """A Parquet file starts and ends with the same four bytes."""
    with path.open("rb") as stream:
        head = stream.read(len(PARQUET_MAGIC))
        stream.seek(max(0, path.stat().st_size - len(PARQUET_MAGIC)))
        tail = stream.read()
    if head != PARQUET_MAGIC:
        raise FileError(f"{name} is not a Parquet file, whatever its suffix says. Export it again, or rename it.")
    if tail != PARQUET_MAGIC:
        raise FileError(f"{name} is cut off: a Parquet file ends in PAR1. Copy or export it again.")


def _plain_path(file: InputFile, folder: Path) -> Path:
    """A path to the same bytes that duckdb takes literally and can seek in."""
    path = file.path.resolve()
    if file.kind == "parquet" and file.is_gzipped:
        return _unpack(file, folder / "unpacked.parquet")
    if GLOB_CHARACTERS & set(str(path)) or not _is_unicode(str(path)):
        return _stand_in(path, folder / f"input.{file.kind}")
    return path


def _is_unicode(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _stand_in(path: Path, target: Path) -> Path:
    """The same file under a name without characters that mean something to duckdb."""
    try:
        target.symlink_to(path)
    except OSError:  # Windows lets not everybody make links
        shutil.copyfile(path, target)
    return target


def _unpack(file: InputFile, target: Path) -> Path:
    left = LARGEST_UNPACKED
    with target.open("wb") as plain, file.bytes() as packed:
        while chunk := packed.read(CHUNK):
            left -= len(chunk)
            if left < 0:
                raise FileError(f"{file.name} unpacks to more than {LARGEST_UNPACKED:,} bytes. Give it unpacked.")
            plain.write(chunk)
    return target


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Hash of a file's bytes."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
