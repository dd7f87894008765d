"""Tables of ratings and answers as two views of fixed columns, whatever the files call them."""

import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import TypeVar

import duckdb

from dissensus.data.assemble import NAMELESS_JUDGE
from dissensus.data.coding import ColumnNames
from dissensus.data.columns import JUDGES_NAMED_BY, find_column, missing_columns
from dissensus.data.formats.plan import ReadPlan
from dissensus.data.formats.tables import SHARES
from dissensus.data.judges import ORDERS
from dissensus.data.labels import probability_columns
from dissensus.data.large.files import LargeFiles
from dissensus.data.sources.csv_rows import read_header
from dissensus.data.sources.sql_sheets import SqlSource, csv_source, jsonl_source, literal, parquet_source, quoted
from dissensus.errors import ColumnError, FileError

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


# ---- Tables of ratings and answers as two views of fixed columns, whatever the files call them

INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"})
RATING_ROLES = ("item", "label", "rater", "group", "elicitation", "count")
JUDGE_ROLES = ("item", "judge", "sample", "label", "elicitation", "order")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table and which of its columns is which.

    Attributes
    ----------
    name : str
        What to call it in messages.
    relation : str
        What stands after FROM.
    text_of : mapping of str to str
        For each column the SQL expression of its text.
    type_of : mapping of str to str
        For each column its type.
    roles : mapping of str to str
        The column of each role that the table has.
    probabilities : mapping of str to tuple of str
        The columns that hold probabilities, each with its label.
    notes : tuple of str
        What the user should know about how it is read.
    """

    name: str
    relation: str
    text_of: Mapping[str, str]
    type_of: Mapping[str, str]
    roles: Mapping[str, str]
    probabilities: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()

    def text(self, role: str, *, otherwise: str = "NULL::VARCHAR") -> str:
        """SQL for the text of a role's column."""
        return self.text_of[self.roles[role]] if role in self.roles else otherwise

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
        """SQL for the number in a cell: NULL where it is blank, infinity where it is no number."""
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
                "export them alike."
            )
        if not header.is_first_line:
            raise ColumnError(f"{file.name} does not begin with its header: delete the lines above it.")
    return csv_source(*files.paths, header=headers[0], is_gzipped=files.is_gzipped)


def unreadable(error: duckdb.Error, *files: LargeFiles) -> FileError:
    """What duckdb says of a file, in one line and without the folder."""
    text = str(error)
    own, path = next(
        ((some, path) for some in files for path in some.paths if str(path) in text), (files[0], files[0].paths[0])
    )
    row = _CSV_ROW.search(text)
    if row is not None:
        what = next((what for mark, what in _CSV_FAULTS.items() if mark in text), "it is not like the header")
        return FileError(f"{path.name}, row {row[1]}: {what}. Mend the row, or export the file again.")
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
    if plan.wide or plan.format not in {None, "auto", "tidy", "counts"}:
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
    roles = {role: find_column(sheet, role, getattr(plan, role), option=JUDGES_NAMED_BY) for role in JUDGE_ROLES}
    probabilities = probability_columns(sheet)
    missing = [role for role in ("item", "label") if roles[role] is None and not (role == "label" and probabilities)]
    if missing:
        also = [] if roles["judge"] is not None else ["judge"]
        given = {role: name for role in JUDGE_ROLES if (name := getattr(plan, role)) is not None}
        raise missing_columns(sheet, missing, also=also, given=given, option=JUDGES_NAMED_BY, otherwise=SHARES)
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
    source: SqlSource,
    types: Mapping[str, str],
    roles: Mapping[str, str | None],
    probabilities: Mapping[str, tuple[str, ...]],
    *,
    name: str,
) -> Table:
    return Table(
        name=name,
        relation=source.relation,
        text_of=source.text_of,
        type_of=types,
        roles={role: column for role, column in roles.items() if column is not None},
        probabilities=probabilities,
        notes=source.notes,
    )


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
    outputs = [_rounded(f"raw{i}", round_outputs) + f" AS p{i}" for i in range(len(answers.probabilities))]
    connection.execute(f"CREATE OR REPLACE TEMP VIEW answers AS SELECT {', '.join(['*', *outputs])} FROM raw_answers")


def _rater_name(people: Table) -> str:
    """Who gave a rating; nobody where there is none, since a rater without any is not one of the raters."""
    if "rater" not in people.roles:
        return people.text("rater")
    return f"CASE WHEN {is_given(people.text('label'))} THEN {people.text('rater')} END"


def _times(people: Table) -> str:
    """How many raters gave a rating; an empty cell is 0."""
    return f"coalesce({people.number(people.roles['count'])}, 0)" if "count" in people.roles else "1"


def _rounded(output: str, digits: int | None) -> str:
    return output if digits is None else f"round({output}, {digits})"


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
