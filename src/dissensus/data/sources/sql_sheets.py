"""Sheets that duckdb reads: it codes each column itself, so no Python object is made per cell."""

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes
from dissensus.data.coding import Cells, Sheet, TextColumn, check_rows, lookup
from dissensus.data.sources.csv_rows import (
    APOSTROPHE,
    GUARDED,
    UNGUARDED,
    CsvSheet,
    Header,
    blank_rows,
    check_text,
    in_its_encoding,
    read_header,
)
from dissensus.data.sources.documents import JsonlSheet, blank_lines
from dissensus.data.sources.files import UTF8, InputFile, plain_path
from dissensus.errors import FileError, listed, shortened
from dissensus.sizes import LIBRARIES, current

FEW_ROWS = 2000  # rows of a table that is coded here and not by duckdb
MOST_IN_PLACE = 8
LITTLE_MEMORY = 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlSource:
    """Where duckdb finds a table."""

    relation: str  # what stands after FROM
    text_of: dict[str, str]  # for each column by name the SQL expression of its text
    first_row: int  # as a spreadsheet counts: 2 below a header
    is_columnar: bool = False  # whether reading one column after the other costs no more than all at once
    notes: tuple[str, ...] = ()  # what the user should know about how it is read
    delimiter: str = ""  # between the cells of a text file


class SqlSheet(Sheet):
    """A sheet behind a duckdb connection.

    What duckdb refuses to read, `reread` reads again with a parser that is slower but either accepts it or says in
    which row the fault is.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, source: SqlSource, *, name: str, blank_rows: Sequence[int] = (),
        reread: Callable[[duckdb.Error], Sheet],
    ) -> None:  # fmt: skip
        super().__init__(name, tuple(source.text_of), notes=source.notes)
        self._connection, self._source, self._reread = connection, source, reread
        self._blank_rows, self.delimiter = blank_rows, source.delimiter

    def _read(self, columns: tuple[str, ...]) -> Cells:
        try:
            coded = self._coded(columns)
        except duckdb.OutOfMemoryException as error:
            raise MemoryError from error  # a parser that is slower takes more of it
        except duckdb.Error as error:
            return self._reread(error).load(columns)
        return Cells(
            row=self._row_numbers(len(coded[0].codes)),
            columns=dict(zip(columns, coded, strict=True)),
            blank_rows=len(self._blank_rows),
        )

    def _coded(self, columns: tuple[str, ...]) -> list[TextColumn]:
        """The columns, coded by duckdb: a dictionary for each, then all codes in one scan."""
        query = self._connection.execute
        texts = ", ".join(f"{self._source.text_of[column]} AS c{i}" for i, column in enumerate(columns))
        # A text file would be parsed again for every column; a few columns of a Parquet file are best read in place.
        kind = "VIEW" if self._source.is_columnar and len(columns) <= MOST_IN_PLACE else "TABLE"
        query(f"CREATE OR REPLACE TEMP {kind} {kind}_loaded AS SELECT {texts} FROM {self._source.relation}")
        n_rows = query(f"SELECT count(*) FROM {kind}_loaded").fetchall()[0][0]
        check_rows(n_rows, self.name)
        if kind == "TABLE" and n_rows <= FEW_ROWS:
            # Four queries a column take longer than a thousand rows do.
            cells = query(f"SELECT * FROM {kind}_loaded").fetchnumpy()
            return [_coded_here(cells[f"c{i}"].tolist()) for i in range(len(columns))]
        words = []
        for i in range(len(columns)):
            distinct = f"SELECT c{i} AS word FROM {kind}_loaded WHERE c{i} IS NOT NULL GROUP BY 1"
            query(f"CREATE OR REPLACE TEMP TABLE words AS {distinct}")
            query(f"DROP TYPE IF EXISTS words{i}")
            query(f"CREATE TYPE words{i} AS ENUM (SELECT word FROM words ORDER BY 1)")
            words.append(query("SELECT word FROM words ORDER BY 1").fetchnumpy()["word"].tolist())
        each = ", ".join(f"enum_code(c{i}::words{i}) AS c{i}" for i in range(len(columns)))
        codes = query(f"SELECT {each} FROM {kind}_loaded").fetchnumpy()
        return [_text_column(codes[f"c{i}"], word) for i, word in enumerate(words)]

    def _row_numbers(self, n_rows: int) -> Codes:
        """Number of each row; duckdb passes over blank rows, a spreadsheet counts them."""
        first = self._source.first_row
        every = np.arange(first, first + n_rows + len(self._blank_rows))
        return np.setdiff1d(every, self._blank_rows) if self._blank_rows else every


def _coded_here(texts: list[str | None]) -> TextColumn:
    """A short column, coded by us as duckdb would."""
    words = sorted({text for text in texts if text is not None and text and not text.isspace()})
    place = {word: i for i, word in enumerate(words)}
    codes = [-1 if text is None else place.get(text, -1) for text in texts]
    return TextColumn(np.array(codes, dtype=np.intp), tuple(words))


def _text_column(codes: npt.NDArray[np.unsignedinteger], texts: list[str]) -> TextColumn:
    # duckdb masks the rows that are empty.
    plain = np.ma.getdata(codes).astype(np.intp)
    plain[np.ma.getmaskarray(codes)] = -1
    kept = [text for text in texts if text and not text.isspace()]
    if len(kept) < len(texts):
        place = {text: i for i, text in enumerate(kept)}
        plain = lookup(place.get(text, -1) for text in texts)[plain]
    return TextColumn(plain, tuple(kept))


def connect(*sources: Path, spill: Path, memory: str | None = None) -> duckdb.DuckDBPyConnection:
    """A connection that can read these files and reach nothing else.

    What does not fit in `memory`, such as 2GB, goes to the folder `spill`.
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
        "temp_directory": str(spill / "spill"),
    }
    config["memory_limit"] = memory or f"{(current().memory - LIBRARIES) * 3 // 4 // 2**20}MiB"
    if current().memory < LITTLE_MEMORY:  # a thread that finds none at its start ends the process
        config["threads"] = 1
    if memory is not None:
        config["preserve_insertion_order"] = "false"
    connection = duckdb.connect(config=config)
    allowed = ", ".join(literal(str(source)) for source in sources)
    connection.execute(f"SET allowed_paths = [{allowed}]")
    # It would be drawn on stdout, into the JSON; in a notebook without widgets duckdb refuses even to turn it off.
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchone() == (True,):
        connection.execute("SET enable_progress_bar = false")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def literal(text: str) -> str:
    """A text as an SQL literal.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name as an SQL identifier.

    >>> quoted('5" screen')
    '"5"" screen"'
    """
    return '"' + name.replace('"', '""') + '"'


def any_of(paths: Sequence[Path]) -> str:
    """Paths as an SQL literal: of one file, or of several that are read as one.

    >>> any_of([Path("a.csv")]), any_of([Path("a.csv"), Path("b.csv")])
    ("'a.csv'", "['a.csv', 'b.csv']")
    """
    each = [literal(str(path)) for path in paths]
    return each[0] if len(each) == 1 else f"[{', '.join(each)}]"


def csv_source(*paths: Path, header: Header, is_gzipped: bool) -> SqlSource:
    """CSV or TSV files of the same columns; the header is read by us, so that duckdb guesses nothing."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header.columns)))
    relation = (
        f"read_csv({any_of(paths)}, auto_detect = false, header = true, delim = {literal(header.delimiter)}, "
        f"quote = '\"', escape = '\"', compression = '{'gzip' if is_gzipped else 'none'}', "
        f"hive_partitioning = false, max_line_size = {current().cell}, columns = {{{columns}}})"
    )
    texts = {column: _unguarded(f"c{i}") for i, column in enumerate(header.columns)}
    return SqlSource(relation=relation, text_of=texts, first_row=2, notes=header.notes, delimiter=header.delimiter)


def _unguarded(cell: str) -> str:
    """SQL for a cell without the apostrophe that keeps a spreadsheet from running it; see `csv_rows.unguarded`."""
    plain = f"regexp_replace({cell}, {literal(GUARDED)}, {literal(UNGUARDED)})"
    return f"CASE WHEN starts_with({cell}, {literal(APOSTROPHE)}) THEN {plain} ELSE {cell} END"


def jsonl_source(connection: duckdb.DuckDBPyConnection, *paths: Path, is_gzipped: bool) -> SqlSource:
    """Files with one JSON object per line; their columns are all keys that occur."""
    relation = (
        f"(SELECT json, json_keys(json) AS keys FROM read_ndjson_objects({any_of(paths)}, "
        f"compression = '{'gzip' if is_gzipped else 'none'}', hive_partitioning = false))"
    )
    query = connection.execute
    is_odd = "json_type(json) <> 'OBJECT' OR len(keys) <> len(list_distinct(keys))"
    if query(f"SELECT count(*) FROM {relation} WHERE {is_odd}").fetchall() != [(0,)]:
        raise duckdb.InvalidInputException("a line is no JSON object, or has a key twice")
    first = query(f"SELECT keys FROM {relation} LIMIT 1").fetchall()
    every = query(f"SELECT key FROM (SELECT unnest(keys) AS key FROM {relation}) GROUP BY 1 ORDER BY 1").fetchall()
    keys = dict.fromkeys([*(first[0][0] if first else ()), *(key for (key,) in every)])
    return SqlSource(relation=relation, text_of={key: _json_text(key) for key in keys}, first_row=1)


def _json_text(key: str) -> str:
    """SQL for the text under a key; NaN, which is not JSON but is written all the same, is an empty cell."""
    pointer = literal("/" + key.replace("~", "~0").replace("/", "~1"))
    text = f"json_extract_string(json, {pointer})"
    return f"CASE WHEN {text} <> 'NaN' OR json_type(json, {pointer}) = 'VARCHAR' THEN {text} END"


def parquet_source(connection: duckdb.DuckDBPyConnection, *paths: Path, name: str, fits_all: bool = False) -> SqlSource:
    """Parquet files of the same columns; a list or an object in a cell comes as JSON, a NaN is an empty cell.

    With `fits_all` a column has a type that can hold what all files have in it, else the type in the first file.
    """
    relation = f"read_parquet({any_of(paths)}, hive_partitioning = false{', union_by_name = true' if fits_all else ''})"
    columns = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    if not columns:
        raise FileError(f"{name} has no columns: export it again.")
    names = class_names(connection, paths[0])
    cells = {column: _named_classes(quoted(column), names.get(column)) for column, *_ in columns}
    texts = {column: _parquet_text(cells[column], kind) for column, kind, *_ in columns}
    notes = tuple(
        f"The numbers in {shortened(column)} are shown as the names that the data set gives them: {listed(classes)}."
        for column, classes in names.items()
    )
    return SqlSource(relation=relation, text_of=texts, first_row=1, is_columnar=True, notes=notes)


def class_names(connection: duckdb.DuckDBPyConnection, path: Path) -> dict[str, list[str]]:
    """The names of the classes in columns that a Hugging Face data set stores as numbers."""
    query = f"SELECT value::BLOB FROM parquet_kv_metadata({literal(str(path))}) WHERE key::BLOB = 'huggingface'::BLOB"
    found = connection.execute(query).fetchall()
    try:
        features = json.loads(found[0][0])["info"]["features"] if found else {}
        return {
            column: [str(name) for name in feature["names"]]
            for column, feature in features.items()
            if feature.get("_type") == "ClassLabel" and feature.get("names")
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}  # what others wrote about their columns is only a help


def _named_classes(cell: str, names: list[str] | None) -> str:
    """SQL for the name of a class where the column holds its number; a negative one is a missing label."""
    if names is None:
        return cell
    return f"CASE WHEN {cell} >= 0 THEN list_extract([{', '.join(map(literal, names))}], {cell}::BIGINT + 1) END"


def _parquet_text(cell: str, kind: str) -> str:
    """SQL for the text of a cell."""
    if kind.endswith("[]") or kind.startswith(("STRUCT", "MAP")):
        return f"to_json({cell})::VARCHAR"
    if kind in {"FLOAT", "DOUBLE"}:
        return f"CASE WHEN NOT isnan({cell}) THEN {cell}::VARCHAR END"
    return f"{cell}::VARCHAR"


# ---- A file as a sheet, whatever its kind


PARQUET_MAGIC = b"PAR1"


@contextmanager
def open_sql_sheet(file: InputFile) -> Iterator[Sheet]:
    """Open a CSV, TSV, JSON Lines or Parquet file as a sheet; it is closed at the end of the block."""
    with tempfile.TemporaryDirectory(prefix="dissensus-") as folder:
        source = plain_path(file, Path(folder))
        connection = connect(source, spill=Path(folder))
        try:
            yield _OPENERS[file.kind](connection, file, source)
        finally:
            connection.close()


def _open_csv(connection: duckdb.DuckDBPyConnection, file: InputFile, source: Path) -> Sheet:
    try:
        may_have_blank_lines = check_text(file)
    except FileError:
        file = in_its_encoding(file)
        may_have_blank_lines = check_text(file)
    header = read_header(file)
    if not header.is_first_line:
        return CsvSheet(file)
    return SqlSheet(
        connection, csv_source(source, header=header, is_gzipped=file.is_gzipped), name=file.name,
        blank_rows=blank_rows(file, header) if may_have_blank_lines else (), reread=lambda _: CsvSheet(file),
    )  # fmt: skip


def _open_jsonl(connection: duckdb.DuckDBPyConnection, file: InputFile, source: Path) -> Sheet:
    may_have_blank_lines = check_text(file)
    if file.encoding != UTF8:
        return JsonlSheet(file)
    try:
        origin = jsonl_source(connection, source, is_gzipped=file.is_gzipped)
    except duckdb.Error:
        return JsonlSheet(file)
    return SqlSheet(
        connection, origin, name=file.name, blank_rows=blank_lines(file) if may_have_blank_lines else (),
        reread=lambda _: JsonlSheet(file),
    )  # fmt: skip


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
