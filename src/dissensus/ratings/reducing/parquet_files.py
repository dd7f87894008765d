"""Parquet files as one table: the same columns in each, and types that can stand in one column."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import duckdb

from dissensus.errors import ColumnError
from dissensus.ratings.reducing.large_files import LargeFiles
from dissensus.ratings.reducing.sql_tables import INTEGERS, Table, types_of
from dissensus.ratings.sources.sql_sheets import literal, parquet_source

NUMBERS = INTEGERS | {"FLOAT", "DOUBLE"}
NAMES = INTEGERS | {"VARCHAR"}
MEASURED = ("label", "count")
"""What may be a number, so that 1 is 1.0; everything else is a name, and 1 and 1.0 are two of them."""


def fitted(connection: duckdb.DuckDBPyConnection, files: LargeFiles, table: Table) -> Table:
    """The table, with columns of types that fit all of its files.

    duckdb would give each column the type that it has in the first file, and round 2.5 to 2 where that is an integer.
    """
    if files.kind != "parquet" or len(files.paths) == 1:
        return table
    used = [*table.roles.values(), *table.probabilities]
    first, *others = ((path.name, _types(connection, path)) for path in files.paths)
    is_mixed = False
    for name, types in others:
        _check_there(used, first, (name, types))
        for column in used:
            if types[column] != first[1][column]:
                is_mixed = True
                _check_types(table, column, first, (name, types))
    if not is_mixed:
        return table
    source = parquet_source(connection, *files.paths, name=files.name, fits_all=True)
    return replace(table, relation=source.relation, text_of=source.text_of, type_of=types_of(connection, source))


def _types(connection: duckdb.DuckDBPyConnection, path: Path) -> dict[str, str]:
    """The columns of a file and their types."""
    relation = f"read_parquet({literal(str(path))}, hive_partitioning = false)"
    return {column: kind for column, kind, *_ in connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()}


Named = tuple[str, Mapping[str, str]]


def _check_there(used: Iterable[str], first: Named, other: Named) -> None:
    for column in used:
        if column not in other[1]:
            raise ColumnError(f"{other[0]} has no column {column!r}, which {first[0]} has: give files of one table.")


def _check_types(table: Table, column: str, first: Named, other: Named) -> None:
    """Raise if a column has types in two files that are not the same thing."""
    kinds = {first[1][column], other[1][column]}
    is_measured = column in table.probabilities or column in {table.roles.get(role) for role in MEASURED}
    if not (kinds <= NAMES or (is_measured and kinds <= NUMBERS)):
        raise ColumnError(
            f"The column {column} is {first[1][column]} in {first[0]} and {other[1][column]} in {other[0]}: export it "
            "with one type."
        )
