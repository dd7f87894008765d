"""Sheets that duckdb reads: it codes each column itself, so no Python object is made per cell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

from dissensus.errors import FileError
from dissensus.ratings.coding import Sheet, TextColumn
from dissensus.ratings.text_faults import read_header


@dataclass(frozen=True, slots=True)
class SqlSource:
    """Where duckdb finds a table, and how to get each column as text."""

    relation: str
    text_of: dict[str, str]  # column name -> SQL expression


class SqlSheet:
    """A sheet behind a duckdb connection.

    What duckdb refuses to read, `reread` reads again with a parser that is slower but either accepts it or says in
    which row the fault is.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        source: SqlSource,
        *,
        name: str,
        first_row: int,
        reread: Callable[[duckdb.Error], Sheet],
    ) -> None:
        self.name, self.first_row = name, first_row
        self.columns = tuple(source.text_of)
        self._connection, self._source, self._reread = connection, source, reread
        self._loaded: dict[str, TextColumn] = {}

    def load(self, columns: Sequence[str]) -> dict[str, TextColumn]:
        """These columns, coded by duckdb: one scan for all, then a dictionary for each."""
        new = [column for column in dict.fromkeys(columns) if column not in self._loaded]
        try:
            self._scan(new)
        except duckdb.Error as error:
            self._loaded |= self._reread(error).load(new)
        return {column: self._loaded[column] for column in columns}

    def _scan(self, columns: Sequence[str]) -> None:
        if not columns:
            return
        texts = ", ".join(f"{self._source.text_of[column]} AS c{i}" for i, column in enumerate(columns))
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE loaded AS SELECT {texts} FROM {self._source.relation}")
        for i, column in enumerate(columns):
            self._loaded[column] = self._coded(f"c{i}")

    def _coded(self, column: str) -> TextColumn:
        query = self._connection.execute
        distinct = f"SELECT {column} AS text FROM loaded WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY 1"
        texts = tuple(query(distinct).fetchnumpy()["text"].tolist())
        if not texts:
            n_rows = query("SELECT count(*) FROM loaded").fetchall()[0][0]
            return TextColumn(np.full(n_rows, -1, dtype=np.intp), ())
        query(f"DROP TYPE IF EXISTS codes_of_{column}")
        query(f"CREATE TYPE codes_of_{column} AS ENUM ({distinct})")
        codes = query(f"SELECT enum_code({column}::codes_of_{column}) AS code FROM loaded").fetchnumpy()["code"]
        plain = np.ma.getdata(codes).astype(np.intp)
        plain[np.ma.getmaskarray(codes)] = -1
        return TextColumn(plain, texts)


def connect(source: Path, *, spill: Path) -> duckdb.DuckDBPyConnection:
    """A connection that can read this one file and reach nothing else."""
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "temp_directory": str(spill / "spill"),
        }
    )
    connection.execute(f"SET allowed_paths = [{literal(str(source))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def csv_source(path: Path, *, name: str, is_gzipped: bool, is_tsv: bool) -> SqlSource:
    """A CSV or TSV file; the header is read by us, so that duckdb guesses nothing."""
    header = read_header(path, name=name, is_gzipped=is_gzipped, is_tsv=is_tsv)
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header.columns)))
    compression = "gzip" if is_gzipped else "none"
    relation = (
        f"read_csv({literal(str(path))}, auto_detect = false, header = true, delim = {literal(header.delimiter)}, "
        f"""quote = '"', escape = '"', compression = '{compression}', columns = {{{columns}}})"""
    )
    # A cell of nothing but blanks is empty.
    cells = {column: f"CASE WHEN trim(c{i}) <> '' THEN c{i} END" for i, column in enumerate(header.columns)}
    return SqlSource(relation, cells)


def jsonl_source(connection: duckdb.DuckDBPyConnection, path: Path) -> SqlSource:
    """A file with one JSON object per line; its columns are all keys that occur."""
    relation = f"read_ndjson_objects({literal(str(path))})"
    keys = connection.execute(
        f"SELECT key FROM (SELECT unnest(json_keys(json)) AS key FROM {relation}) GROUP BY 1 ORDER BY 1"
    ).fetchall()
    others = connection.execute(f"SELECT count(*) FROM {relation} WHERE json_type(json) <> 'OBJECT'").fetchall()
    if others[0][0]:
        raise duckdb.InvalidInputException("not every line is a JSON object")
    cells = {}
    for (key,) in keys:
        pointer = "/" + key.replace("~", "~0").replace("/", "~1")
        text = f"json_extract_string(json, {literal(pointer)})"
        cells[key] = f"CASE WHEN trim({text}) <> '' THEN {text} END"
    return SqlSource(relation, cells)


def parquet_source(connection: duckdb.DuckDBPyConnection, path: Path) -> SqlSource:
    """A Parquet file; a list in a cell is a response set, a NaN is an empty cell."""
    relation = f"read_parquet({literal(str(path))})"
    cells = {}
    for name, kind, *_ in connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall():
        cell = quoted(name)
        if kind.endswith("[]"):
            cells[name] = f"nullif(array_to_string({cell}::VARCHAR[], '|'), '')"
        elif kind in {"FLOAT", "DOUBLE"}:
            cells[name] = f"CASE WHEN NOT isnan({cell}) THEN {cell}::VARCHAR END"
        else:
            cells[name] = f"CASE WHEN trim({cell}::VARCHAR) <> '' THEN {cell}::VARCHAR END"
    if not cells:
        raise FileError(f"{path.name} has no columns.")
    return SqlSource(relation, cells)

