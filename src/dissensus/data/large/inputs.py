"""What to read, and the tables behind a connection that reads it."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from dissensus.data.formats.plan import ReadPlan
from dissensus.data.large.files import LargeFiles, find_files
from dissensus.data.large.sql_tables import (
    INTEGERS,
    Table,
    create_views,
    interruptible,
    judges_table,
    ratings_table,
    source_of,
    types_of,
    unreadable,
    without_foreign_order,
)
from dissensus.data.readers import check_plan
from dissensus.data.sources.sql_sheets import connect, literal, parquet_source
from dissensus.errors import ColumnError, OptionError

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


# ---- What to read, and the tables behind a connection that reads it


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """What to read.

    Attributes
    ----------
    people, answers : LargeFiles
        The files; answers may be missing.
    ratings_plan, judges_plan : ReadPlan
        What the user says about them.
    judge : tuple of str, optional
        Which judges; all if not given.
    round_outputs : int, optional
        Digits to which probabilities are rounded.
    """

    people: LargeFiles
    answers: LargeFiles | None
    ratings_plan: ReadPlan
    judges_plan: ReadPlan
    judge: tuple[str, ...] | None = None
    round_outputs: int | None = None

    @property
    def files(self) -> tuple[LargeFiles, ...]:
        """All files."""
        return (self.people,) if self.answers is None else (self.people, self.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """The tables of an input."""

    people: Table
    answers: Table | None

    @property
    def has_numbers(self) -> bool:
        """Whether items are whole numbers."""
        tables = [self.people] if self.answers is None else [self.people, self.answers]
        return all(table.type_of[table.roles["item"]] in INTEGERS for table in tables)


def input_of(
    ratings: str | os.PathLike[str],
    judges: str | os.PathLike[str] | None = None,
    *,
    ratings_plan: ReadPlan | None = None,
    judges_plan: ReadPlan | None = None,
    judge: str | Sequence[str] | None = None,
    round_outputs: int | None = None,
) -> Input:
    """What to read, checked: the files are there, and options have values that they can have."""
    plans = {"ratings": ratings_plan or ReadPlan(), "answers": judges_plan or ReadPlan()}
    for what, plan in plans.items():
        check_plan(plan)
        if plan.repeats in {"first", "last"}:
            raise OptionError(
                f"--repeats {plan.repeats} needs the order of the rows, which large {what} do not keep: choose "
                "--repeats keep, or keep one of each in the file."
            )
    return Input(
        people=find_files(ratings),
        answers=None if judges is None else find_files(judges),
        ratings_plan=plans["ratings"],
        judges_plan=plans["answers"],
        judge=(judge,) if isinstance(judge, str) else None if judge is None else tuple(judge),
        round_outputs=_checked_digits(round_outputs),
    )


def _checked_digits(digits: int | None) -> int | None:
    if digits is not None and not 1 <= digits <= 15:  # noqa: PLR2004 - a double has no more
        raise OptionError(f"--round-outputs cannot be {digits}: give a number of digits from 1 to 15.")
    return digits


@contextmanager
def open_tables(wanted: Input, *, memory: str) -> Iterator[tuple[duckdb.DuckDBPyConnection, Tables]]:
    """A connection with the views of an input; what it wrote to disk goes at the end of the block."""
    with tempfile.TemporaryDirectory(prefix="dissensus-") as folder, _explained(wanted, memory, Path(folder)):
        paths = [path for some in wanted.files for path in some.paths]
        connection = connect(*paths, spill=Path(folder), memory=memory)
        try:
            tables = interruptible(connection, lambda own: tables_of(own, wanted))
            create_views(connection, tables.people, tables.answers, round_outputs=wanted.round_outputs)
            yield connection, tables
        finally:
            connection.close()


@contextmanager
def _explained(wanted: Input, memory: str, folder: Path) -> Iterator[None]:
    """Say in one line what duckdb could not do."""
    try:
        yield
    except duckdb.Error as error:
        is_full = isinstance(error, duckdb.OutOfMemoryException) or str(folder) in str(error)
        if not is_full:
            raise unreadable(error, *wanted.files) from error
        raise OptionError(
            f"{wanted.people.name} does not fit in --memory {memory} and what is free in {folder.parent} for temporary "
            "files: give more memory, or set TMPDIR to a folder on a larger disk."
        ) from error


def tables_of(connection: duckdb.DuckDBPyConnection, wanted: Input) -> Tables:
    """The tables in the files, and which column is which."""
    return Tables(
        people=_people(connection, wanted.people, wanted.ratings_plan),
        answers=None if wanted.answers is None else _answers(connection, wanted.answers, wanted.judges_plan),
    )


def _people(connection: duckdb.DuckDBPyConnection, files: LargeFiles, plan: ReadPlan) -> Table:
    source = source_of(connection, files)
    return fitted(connection, files, ratings_table(source, types_of(connection, source), plan, name=files.name))


def _answers(connection: duckdb.DuckDBPyConnection, files: LargeFiles, plan: ReadPlan) -> Table:
    source = source_of(connection, files)
    table = fitted(connection, files, judges_table(source, types_of(connection, source), plan, name=files.name))
    is_guessed = "order" in table.roles and plan.order is None
    return without_foreign_order(connection, table) if is_guessed else table
