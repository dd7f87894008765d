"""Open a CSV, TSV, JSON, JSONL, Parquet or Excel file as a sheet of text columns; all but Excel may be gzipped."""

import hashlib
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from dissensus.data.coding import Sheet
from dissensus.data.sources.csv_rows import CsvSheet, blank_rows, check_text, read_header
from dissensus.data.sources.input_file import CHUNK, InputFile, inspect_file
from dissensus.data.sources.json_values import JsonlSheet, RecordSheet, blank_lines
from dissensus.data.sources.sql_sheets import SqlSheet, connect, csv_source, jsonl_source, parquet_source
from dissensus.errors import FileError, MissingExtraError

# ---- Open a CSV, TSV, JSON, JSONL, Parquet or Excel file as a sheet of text columns; all but Excel may be gzipped

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
        from dissensus.data.sources.workbooks import WorkbookSheet  # noqa: PLC0415 - for those who have a workbook

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


LARGEST_YAML = 16 * 2**20
"""Bytes of a YAML file that we parse."""
DEEPEST = 20


def yaml_document(file: InputFile) -> object:
    """What a YAML file holds, every value as the text it is written as: `No` is a label and not false.

    Nothing is evaluated, no tag is followed, and aliases are refused, because a few of them can stand for gigabytes.
    """
    try:
        import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError(f"Reading {file.name}", install="dissensus[yaml]") from error
    with file.bytes() as stream:
        content = stream.read(LARGEST_YAML + 1)
    if len(content) > LARGEST_YAML:
        raise FileError(f"{file.name} has more than {LARGEST_YAML:,} bytes, our limit for YAML. Save it as JSON.")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        depth = 0
        for event in yaml.parse(content, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > DEEPEST:
                what = "an alias (*)" if isinstance(event, yaml.AliasEvent) else f"more than {DEEPEST} levels"
                raise FileError(f"{file.name} has {what}, which we do not read in YAML. Save it as JSON.")
        twice = _twice(yaml.compose(content, Loader=loader))
        if twice is not None:
            raise FileError(f"{file.name}: the key {twice!r} comes twice in one place. Delete one of them.")
        return yaml.load(content, Loader=loader)  # noqa: S506 - the base loader makes texts, lists and dicts only
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise FileError(f"{file.name} is not valid YAML ({reason}). Mend it, or save it as JSON.") from error
    except RecursionError as error:
        raise FileError(f"{file.name} is nested too deeply to be ratings. Check that it is the right file.") from error


def _twice(node: object) -> str | None:
    """A key that comes twice in one mapping of a parsed document, so that one of its values would be lost."""
    inner = getattr(node, "value", None)
    if not isinstance(inner, list):
        return None
    pairs = [entry for entry in inner if isinstance(entry, tuple)]
    keys = Counter(str(getattr(key, "value", "")) for key, _ in pairs)
    again = next((key for key, times in keys.items() if times > 1), None)
    values = [value for _, value in pairs] if pairs else inner
    return again if again is not None else next(filter(None, map(_twice, values)), None)
