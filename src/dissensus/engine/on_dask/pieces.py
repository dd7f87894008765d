"""Files cut into pieces that a worker can hold: rows of a Parquet file, or bytes of a text file."""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import duckdb

from dissensus.ratings.reducing.large_files import LargeFiles
from dissensus.ratings.sources.sql_sheets import any_of, literal

ROWS = 2_000_000
"""Rows of a Parquet file in a piece."""
BYTES = 128 * 2**20
"""Bytes of a text file in a piece."""
ROW_NUMBER = "file_row_number"
"""What duckdb calls the number of a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a file.

    Attributes
    ----------
    path : Path
        The file.
    start, end : int, optional
        The first row and the one after the last, or the same in bytes: a line belongs to the piece in which it
        begins. None for the whole file.
    """

    path: Path
    start: int = 0
    end: int | None = None


def pieces_of(files: LargeFiles, connection: duckdb.DuckDBPyConnection, columns: set[str]) -> list[Piece]:
    """The pieces of some files, in their order."""
    cut = _rows_of if files.kind == "parquet" else _blocks_of
    can_cut = not files.is_gzipped and ROW_NUMBER not in columns
    return [piece for path in files.paths for piece in (cut(path, files.kind, connection) if can_cut else [_all(path)])]


def _all(path: Path) -> Piece:
    return Piece(path=path)


def _rows_of(path: Path, _kind: str, connection: duckdb.DuckDBPyConnection) -> list[Piece]:
    query = f"SELECT num_rows FROM parquet_file_metadata({literal(str(path))})"
    rows = connection.execute(query).fetchall()[0][0]
    return [Piece(path=path, start=start, end=start + ROWS) for start in range(0, max(rows, 1), ROWS)]


def _blocks_of(path: Path, kind: str, _connection: duckdb.DuckDBPyConnection) -> list[Piece]:
    """Blocks of a text file; a file with quotes is one, since a line may end within them."""
    size = path.stat().st_size
    if size <= BYTES or (kind != "jsonl" and _has_quotes(path)):
        return [_all(path)]
    return [Piece(path=path, start=start, end=start + BYTES) for start in range(0, size, BYTES)]


def _has_quotes(path: Path) -> bool:
    with path.open("rb") as file:
        return any(b'"' in block for block in iter(lambda: file.read(2**24), b""))


def piece_at(piece: Piece, files: LargeFiles, relation: str, *, folder: Path) -> tuple[str, Path]:
    """What stands after FROM for a piece instead of all files, and the file that this reads."""
    path = piece.path
    if piece.end is not None and files.kind != "parquet":
        path = folder / f"piece.{files.kind}"
        _copy_lines(piece, path, has_header=files.kind != "jsonl")
    own = relation.replace(any_of(files.paths), any_of([path]))
    if piece.end is not None and files.kind == "parquet":
        numbered = own.replace("hive_partitioning = false", f"hive_partitioning = false, {ROW_NUMBER} = true")
        own = f"(SELECT * FROM {numbered} WHERE {ROW_NUMBER} >= {piece.start} AND {ROW_NUMBER} < {piece.end})"
    return own, path


def _copy_lines(piece: Piece, target: Path, *, has_header: bool) -> None:
    """Write the lines that begin in a piece, below the header."""
    with piece.path.open("rb") as file, target.open("wb") as copy:
        first = file.readline() if has_header else b""
        copy.write(first)
        if piece.start > len(first):
            file.seek(piece.start - 1)
            file.readline()  # this line began in the piece before
        else:
            file.seek(len(first))
        _copy(file, copy, (piece.end or 0) - file.tell())


def _copy(file: BinaryIO, copy: BinaryIO, size: int) -> None:
    """Copy so many bytes, and the rest of the line in which they end."""
    block = b"\n"
    while size > 0 and block:
        block = file.read(min(size, 2**24))
        copy.write(block)
        size -= len(block)
    if not block.endswith(b"\n"):
        copy.write(file.readline())
