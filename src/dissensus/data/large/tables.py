"""Large files as tables of duckdb: one file, a folder or a pattern of files that are read as one table."""

import glob
import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import duckdb

from dissensus.data.assemble import NAMELESS_JUDGE
from dissensus.data.coding import ColumnNames
from dissensus.data.columns import find_column, missing_columns
from dissensus.data.formats.plan import ReadPlan
from dissensus.data.formats.tables import SHARES
from dissensus.data.judges import ORDERS
from dissensus.data.labels import probability_columns
from dissensus.data.readers import check_plan
from dissensus.data.sources.csv_rows import check_bytes, read_header
from dissensus.data.sources.files import (
    GLOB_CHARACTERS,
    SQL_KINDS,
    InputFile,
    inspect_file,
    sha256_of,
    table_kind,
    unchanged,
)
from dissensus.data.sources.sql_sheets import (
    SqlSource,
    connect,
    csv_source,
    jsonl_source,
    literal,
    parquet_source,
    quoted,
)
from dissensus.errors import ColumnError, FileError, OptionError, listed
from dissensus.options import named

# ---- One file, a folder or a pattern of files that are read as one table

REPEATS = named("repeats")
NOTES = {".txt"}  # suffixes of tables that are not looked for in a folder, where they are more often a README
_SIZE = re.compile(r"\d+(\.\d+)? ?[KMGT]i?B", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeFiles:
    """Files of one kind and the same columns, in the order of their paths; `name` is what the user called them."""

    name: str
    files: tuple[InputFile, ...]

    @property
    def kind(self) -> str:
        """What their suffixes say."""
        return self.files[0].kind

    @property
    def is_gzipped(self) -> bool:
        """Whether they are gzipped."""
        return self.files[0].is_gzipped

    @property
    def paths(self) -> tuple[Path, ...]:
        """Where they are, as duckdb takes it."""
        return tuple(file.path.resolve() for file in self.files)

    def sha256(self) -> str:
        """Hash of the file's bytes; of several files the hash of their hashes, one per line."""
        each = [sha256_of(path) for path in self.paths]
        return each[0] if len(each) == 1 else hashlib.sha256("\n".join(each).encode()).hexdigest()


def find_files(source: str | os.PathLike[str]) -> LargeFiles:
    """The files behind a path, a folder or a pattern; an error if there is none or they are of different kinds."""
    path = Path(source)
    named = sorted(_inside(path)) if path.is_dir() else _matching(path)
    found = list({file.resolve(): file for file in reversed(named)}.values())[::-1]  # a link is no second file
    if not found:
        raise FileError(f"There is no Parquet, CSV or JSONL file in {path}: check the path.")
    files = tuple(inspect_file(file) for file in found)
    odd = [file.name for file in files if (file.kind, file.is_gzipped) != (files[0].kind, files[0].is_gzipped)]
    if odd:
        raise FileError(f"{path} has files of different kinds ({files[0].name}, {odd[0]}): name those of one kind.")
    if files[0].kind not in SQL_KINDS or (files[0].kind == "parquet" and files[0].is_gzipped):
        raise FileError(
            f"{files[0].name} is not one of {listed(SQL_KINDS)}, which can be read piece by piece: convert it."
        )
    strange = [file.name for file in files if GLOB_CHARACTERS & set(str(file.path.resolve()))]
    if strange:
        raise FileError(f"The path of {strange[0]} has a character out of *?[] in it: rename the file or its folder.")
    return LargeFiles(name=path.name or str(path), files=files)


def _inside(folder: Path) -> Sequence[Path]:
    """The files in a folder and below; names that begin with a dot or an underscore are notes of other tools."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith((".", "_")))
    return [path for path in files if table_kind(path) in SQL_KINDS and path.suffix.lower() not in NOTES]


def _matching(path: Path) -> list[Path]:
    if path.exists() or not GLOB_CHARACTERS & set(str(path)):
        return [path]
    names = glob.glob(str(path), recursive=True)  # noqa: PTH207 - Path.glob does not take a pattern of folders as it is
    return [Path(name) for name in sorted(names) if Path(name).is_file()]


def checked_memory(memory: str) -> str:
    """An amount of memory as duckdb takes it.

    >>> checked_memory("2GB")
    '2GB'
    """
    if not _SIZE.fullmatch(memory.strip()):
        raise OptionError(f"{named('memory')} cannot be {memory!r}: write it like 500MB or 2GB.")
    return memory.strip()


# ---- Tables of ratings and answers as two views of fixed columns, whatever the files call them

LAST_BLANK = 0x3000
BLANKS = "".join(character for character in map(chr, range(LAST_BLANK + 1)) if character.isspace())


def trimmed(text: str) -> str:
    """SQL for a text without blanks around it."""
    return f"trim({text}, {literal(BLANKS)})"


def filled(text: str) -> str:
    """SQL for a text, NULL where it is blank."""
    # Almost every text begins with a character that is no blank, and trimming takes forty times as long as a look.
    return f"CASE WHEN {text} >= '!' AND {text} < chr(127) THEN {text} WHEN {trimmed(text)} <> '' THEN {text} END"


def is_blank(text: str) -> str:
    """SQL that tells whether a text is blank or missing."""
    return f"(({filled(text)}) IS NULL)"


def is_given(label: str) -> str:
    """SQL that tells whether a label is there: it is neither blank nor a list without an option."""
    begins_with_word = f"({label} >= '0' AND {label} < '[') OR ({label} >= 'a' AND {label} < chr(123))"
    bare = f"trim({label}, {literal(BLANKS + '[]|')})"
    return f"CASE WHEN {begins_with_word} THEN true ELSE {bare} NOT IN ('', 'null') END"


INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"})
RATING_ROLES = ("item", "label", "rater", "group", "elicitation", "count")
JUDGE_ROLES = ("item", "judge", "sample", "label", "elicitation", "order")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table and which of its columns is which.

    `relation` stands after FROM; `text_of` has the SQL expression of each column's text, `roles` the column of each
    role that the table has, `probabilities` the label of each column that holds some, and `notes` for the user.
    """

    name: str
    relation: str
    text_of: Mapping[str, str]
    type_of: Mapping[str, str]
    roles: Mapping[str, str]
    probabilities: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()
    delimiter: str = ""

    def text(self, role: str) -> str:
        """SQL for the text of a role's column."""
        return self.text_of[self.roles[role]] if role in self.roles else "NULL::VARCHAR"

    def name_of(self, role: str) -> str:
        """SQL for the names in a role's column: a whole number as it is, which is faster, else its text."""
        column = self.roles[role]
        return quoted(column) if self.type_of[column] in INTEGERS else self.text_of[column]

    def filled(self, role: str, *, otherwise: str = "NULL::VARCHAR") -> str:
        """The same, NULL where the cell is blank."""
        if role not in self.roles:
            return otherwise
        return self.text(role) if self.type_of[self.roles[role]] in INTEGERS else filled(self.text(role))

    def spelled(self, role: str) -> str:
        """The same in one spelling: elicitations and orders are written in many ways."""
        text = f"lower({trimmed(self.text(role))})"
        if role == "elicitation":
            text = f"replace(replace({text}, '-', '_'), ' ', '_')"
        return f"nullif({text}, '')" if role in self.roles else "NULL::VARCHAR"

    def number(self, column: str) -> str:
        """SQL for the number in a cell: NULL where it is blank, infinity where it is not a number."""
        cell, kind = quoted(column), self.type_of[column]
        if kind in INTEGERS:
            return f"{cell}::DOUBLE"
        if kind == "DOUBLE":
            return f"CASE WHEN NOT isnan({cell}) THEN {cell} END"
        # A short float is what is written: 0.1, not 0.10000000149. duckdb takes 1_000 for a number, and we do not.
        text = self.text_of[column]
        value = f"try_cast({text} AS DOUBLE)"
        is_number = f"isfinite({value}) AND NOT contains({text}, '_')"
        return f"CASE WHEN {is_number} THEN {value} WHEN {trimmed(text)} <> '' THEN 'infinity'::DOUBLE END"


def source_of(connection: duckdb.DuckDBPyConnection, files: LargeFiles) -> SqlSource:
    """The files as duckdb reads them."""
    if files.kind == "parquet":
        return parquet_source(connection, *files.paths, name=files.name)
    for file in files.files:
        check_bytes(file)
    if files.kind == "jsonl":
        source = jsonl_source(connection, *files.paths, is_gzipped=files.is_gzipped)
        # Which row comes first is left to duckdb, so the order of its keys must not matter.
        return replace(source, text_of=dict(sorted(source.text_of.items())))
    headers = [read_header(file) for file in files.files]
    first = files.files[0].name
    for file, header in zip(files.files, headers, strict=True):
        if header.columns != headers[0].columns:
            raise ColumnError(f"{file.name} has other columns than {first}: give files of one table.")
        if header.delimiter != headers[0].delimiter:
            raise ColumnError(
                f"{file.name} has {header.delimiter!r} between its cells and {first} has {headers[0].delimiter!r}: "
                "export them with the same separator."
            )
        if not header.is_first_line:
            raise ColumnError(f"{file.name} does not begin with its header: delete the lines above it.")
    return csv_source(*files.paths, header=headers[0], is_gzipped=files.is_gzipped)


def unreadable(error: duckdb.Error, *files: LargeFiles) -> FileError:
    """What duckdb says about a file, in one line and without the folder."""
    text = str(error)
    each = [(some, path) for some in files for path in some.paths]
    own, path = next(((some, path) for some, path in each if str(path) in text), each[0])
    row = _CSV_ROW.search(text)
    if row is not None:
        what = next((what for mark, what in _CSV_FAULTS.items() if mark in text), "it is not like the header")
        return FileError(f"{path.name}, row {row[1]}: {what}. Fix the row, or export the file again.")
    reason = text.partition("\n")[0].replace(str(path), path.name).strip().rstrip(".")
    return FileError(f"{own.name} cannot be read: {reason}. Export it again.")


_CSV_ROW = re.compile(r"CSV Error on Line: (\d+)")
_CSV_FAULTS = {
    "Expected Number of Columns": "it has more or fewer cells than the header",
    "unterminated quote": 'a quote (") is opened and never closed, or text follows a closing one',
    "unicode": "it is not UTF-8",
    "Maximum line size": 'it is too long, perhaps because a quote (") is never closed',
}


def ratings_table(source: SqlSource, types: Mapping[str, str], plan: ReadPlan, *, name: str) -> Table:
    """Ratings with a row each, or a table of counts."""
    sheet = ColumnNames(name, tuple(source.text_of))
    if plan.wide or plan.source_format not in {None, "auto", "tidy", "counts"}:
        raise ColumnError(f"{name} is too large to be read but as item, rater, label: `dissensus import` the parts.")
    roles = {role: find_column(sheet, role, getattr(plan, role)) for role in RATING_ROLES}
    missing = [role for role in ("item", "label") if roles[role] is None]
    if missing:
        raise missing_columns(sheet, missing)
    if roles["rater"] is not None:
        if plan.count is not None:
            raise ColumnError(f"{name} has raters and counts: name a rater column or a count column, not both.")
        roles["count"] = None
    return _table(source, types, roles, {}, name=name)


def judges_table(source: SqlSource, types: Mapping[str, str], plan: ReadPlan, *, name: str) -> Table:
    """Judges' answers with a row each."""
    sheet = ColumnNames(name, tuple(source.text_of))
    roles = {role: find_column(sheet, role, getattr(plan, role), of="read_judges") for role in JUDGE_ROLES}
    probabilities = probability_columns(sheet)
    missing = [role for role in ("item", "label") if roles[role] is None and not (role == "label" and probabilities)]
    if missing:
        also = [] if roles["judge"] is not None else ["judge"]
        given = {role: name for role in JUDGE_ROLES if (name := getattr(plan, role)) is not None}
        raise missing_columns(sheet, missing, also=also, given=given, of="read_judges", otherwise=SHARES)
    return _table(source, types, roles, probabilities, name=name)


def without_foreign_order(connection: duckdb.DuckDBPyConnection, answers: Table) -> Table:
    """The answers; a column that is called `order` and never says ab or ba says something else and is left alone."""
    known = ", ".join(map(literal, ORDERS))
    shown = f"SELECT {answers.spelled('order')} AS shown FROM {answers.relation}"
    query = f"SELECT bool_or(shown IN ({known})), count(shown) FROM ({shown})"
    is_known, given = connection.execute(query).fetchall()[0]
    if is_known or not given:
        return answers
    return replace(answers, roles={role: column for role, column in answers.roles.items() if role != "order"})


def _table(
    source: SqlSource, types: Mapping[str, str], roles: Mapping[str, str | None],
    probabilities: Mapping[str, tuple[str, ...]], *, name: str,
) -> Table:  # fmt: skip
    return Table(
        name=name, relation=source.relation, text_of=source.text_of, type_of=types, probabilities=probabilities,
        roles={role: column for role, column in roles.items() if column is not None}, notes=source.notes,
        delimiter=source.delimiter,
    )  # fmt: skip


def types_of(connection: duckdb.DuckDBPyConnection, source: SqlSource) -> dict[str, str]:
    """The type of each column; text files have text only."""
    if not source.is_columnar:
        return dict.fromkeys(source.text_of, "VARCHAR")
    described = connection.execute(f"DESCRIBE SELECT * FROM {source.relation}").fetchall()
    return {column: kind for column, kind, *_ in described}


def create_views(
    connection: duckdb.DuckDBPyConnection, people: Table, answers: Table | None, *, round_outputs: int | None
) -> None:
    """The views `people` (item, rater, label, grp, elicitation, times) and `answers` (item, judge, ..., p0, p1)."""
    tables = [people] if answers is None else [people, answers]
    # Whole numbers stay numbers where both files have them: text takes several times as long to group and to join.
    as_numbers = all(table.type_of[table.roles["item"]] in INTEGERS for table in tables)
    item = [table.name_of("item") if as_numbers else table.text("item") for table in tables]
    rater = f"hash({people.name_of('rater')})" if "rater" in people.roles else "NULL::UBIGINT"
    connection.execute(
        f"CREATE OR REPLACE TEMP VIEW people AS SELECT {item[0]} AS item, {rater} AS rater, "
        f"{_rater_name(people)} AS rater_name, {people.text('label')} AS label, {people.filled('group')} AS grp, "
        f"{people.spelled('elicitation')} AS elicitation, {_times(people)} AS times FROM {people.relation}"
    )
    if answers is None:
        return
    columns = [
        f"{item[1]} AS item",
        f"{answers.filled('judge', otherwise=literal(NAMELESS_JUDGE))} AS judge",
        *(f"{answers.filled(role)} AS {role}" for role in ("sample", "label")),
        f"{answers.spelled('elicitation')} AS elicitation",
        f"{answers.spelled('order')} AS shown",
        *(f"{answers.number(name)} AS raw{i}" for i, name in enumerate(answers.probabilities)),
    ]
    connection.execute(
        f"CREATE OR REPLACE TEMP VIEW raw_answers AS SELECT {', '.join(columns)} FROM {answers.relation}"
    )
    rounded = "raw{i}" if round_outputs is None else f"round(raw{{i}}, {round_outputs})"
    outputs = [f"{rounded.format(i=i)} AS p{i}" for i in range(len(answers.probabilities))]
    connection.execute(f"CREATE OR REPLACE TEMP VIEW answers AS SELECT {', '.join(['*', *outputs])} FROM raw_answers")


def _rater_name(people: Table) -> str:
    """Who gave a rating; nobody where there is none, since a rater without any is not one of the raters."""
    if "rater" not in people.roles:
        return people.text("rater")
    return f"CASE WHEN {is_given(people.text('label'))} THEN {people.text('rater')} END"


def _times(people: Table) -> str:
    """How many raters gave a rating; an empty cell is 0."""
    return f"coalesce({people.number(people.roles['count'])}, 0)" if "count" in people.roles else "1"


T = TypeVar("T")
PATIENCE = 0.1


def interruptible(connection: duckdb.DuckDBPyConnection, work: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
    """What the work finds; Ctrl-C ends it within a moment.

    duckdb may not hear of Ctrl-C before a query is done, which can take minutes. So the work is done by another thread,
    and this one waits and tells duckdb to stop.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(work, connection)
        try:
            return future.result()
        except KeyboardInterrupt:
            while not future.done():  # the next query of the work is to be stopped as well
                connection.interrupt()
                wait([future], timeout=PATIENCE)
            raise


# ---- What to read, and the tables behind a connection that reads it

NUMBERS = INTEGERS | {"FLOAT", "DOUBLE"}
NAMES = INTEGERS | {"VARCHAR"}
MEASURED = ("label", "count")
"""What may be a number, so that 1 is 1.0; everything else is a name, and 1 and 1.0 are two of them."""


def fitted(connection: duckdb.DuckDBPyConnection, files: LargeFiles, table: Table) -> Table:
    """The table, with columns of types that fit all of its files: duckdb takes those of the first one."""
    if files.kind != "parquet" or len(files.paths) == 1:
        return table
    used = [*table.roles.values(), *table.probabilities]
    first, *others = ((path.name, _types(connection, path)) for path in files.paths)
    is_mixed = False
    for name, types in others:
        for column in used:
            if column not in types:
                raise ColumnError(f"{name} has no column {column!r}, which {first[0]} has: give files of one table.")
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


def _check_types(table: Table, column: str, first: Named, other: Named) -> None:
    """Raise if a column has types in two files that are not the same thing."""
    kinds = {first[1][column], other[1][column]}
    is_measured = column in table.probabilities or column in {table.roles.get(role) for role in MEASURED}
    if not (kinds <= NAMES or (is_measured and kinds <= NUMBERS)):
        raise ColumnError(
            f"The column {column} is {first[1][column]} in {first[0]} and {other[1][column]} in {other[0]}: export it "
            "with one type."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """What to read: files, what the user says about them, which judges, and the digits of probabilities."""

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
    ratings: str | os.PathLike[str], judges: str | os.PathLike[str] | None = None, *,
    ratings_plan: ReadPlan | None = None, judges_plan: ReadPlan | None = None, judge: str | Sequence[str] | None = None,
    round_outputs: int | None = None,
) -> Input:  # fmt: skip
    """What to read, checked: the files are there, and options have values that they can have."""
    if round_outputs is not None and not 1 <= round_outputs <= 15:  # noqa: PLR2004 - a double has no more
        option = named("round_outputs")
        raise OptionError(f"{option} cannot be {round_outputs}: give a number of digits from 1 to 15.")
    plans = {"ratings": ratings_plan or ReadPlan(), "answers": judges_plan or ReadPlan()}
    for what, plan in plans.items():
        check_plan(plan)
        if plan.repeats in {"first", "last"}:
            raise OptionError(
                f"{REPEATS} {plan.repeats} needs the order of the rows, which large {what} do not keep: choose "
                f"{REPEATS} keep, or keep one of each in the file."
            )
    return Input(
        people=find_files(ratings),
        answers=None if judges is None else find_files(judges),
        ratings_plan=plans["ratings"],
        judges_plan=plans["answers"],
        judge=(judge,) if isinstance(judge, str) else None if judge is None else tuple(judge),
        round_outputs=round_outputs,
    )


@contextmanager
def open_tables(wanted: Input, *, memory: str) -> Iterator[tuple[duckdb.DuckDBPyConnection, Tables]]:
    """A connection with the views of an input; what it wrote to disk goes at the end of the block."""
    read = [file for some in wanted.files for file in some.files]
    with (
        tempfile.TemporaryDirectory(prefix="dissensus-") as folder,
        _explained(wanted, memory, Path(folder)),
        unchanged(*read),
    ):
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
            f"{wanted.people.name} does not fit in {named('memory')} {memory} and what is free in "
            f"{folder.parent} for temporary files: give more memory, or set TMPDIR to a folder on a larger disk."
        ) from error


def tables_of(connection: duckdb.DuckDBPyConnection, wanted: Input) -> Tables:
    """The tables in the files, and which column is which."""
    source = source_of(connection, wanted.people)
    types = types_of(connection, source)
    people = ratings_table(source, types, wanted.ratings_plan, name=wanted.people.name)
    people = fitted(connection, wanted.people, people)
    if wanted.answers is None:
        return Tables(people=people, answers=None)
    source = source_of(connection, wanted.answers)
    types = types_of(connection, source)
    answers = judges_table(source, types, wanted.judges_plan, name=wanted.answers.name)
    answers = fitted(connection, wanted.answers, answers)
    if "order" in answers.roles and wanted.judges_plan.order is None:  # guessed
        answers = without_foreign_order(connection, answers)
    return Tables(people=people, answers=answers)
