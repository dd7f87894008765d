"""The reduction of files that no machine holds: read on a cluster, dealt out by item, reduced part by part."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

import duckdb

from dissensus.data import Judges, Ratings
from dissensus.data.judges import LabelScores
from dissensus.data.large.read_large import MEMORY, reduce
from dissensus.data.large.steps import Step, T
from dissensus.data.large.tables import (
    Input,
    LargeFiles,
    Table,
    Tables,
    checked_memory,
    create_views,
    open_tables,
    unreadable,
)
from dissensus.data.sources.sql_sheets import any_of, connect, literal, quoted
from dissensus.errors import FileError, MissingExtraError
from dissensus.options import named
from dissensus.sampling.dask_cluster import Watch, check_installed, connected, host_and_port, quiet

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from dask.dataframe import DataFrame
    from distributed import Client, Future

# ---- Files cut into pieces that a worker can hold: rows of a Parquet file, or bytes of a text file

ROWS = 2_000_000  # rows of a Parquet file in a piece
BYTES = 128 * 2**20  # bytes of a text file in a piece
ROW_NUMBER = "file_row_number"  # what duckdb calls the number of a row


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a file: from a row or byte to another, or the whole; a line belongs to the piece in which it begins."""

    path: Path
    start: int = 0
    end: int | None = None


def pieces_of(files: LargeFiles, connection: duckdb.DuckDBPyConnection, columns: set[str]) -> list[Piece]:
    """The pieces of some files, in their order."""
    cut = _rows_of if files.kind == "parquet" else _blocks_of
    can_cut = not files.is_gzipped and ROW_NUMBER not in columns
    return [
        piece
        for path in files.paths
        for piece in (cut(path, files.kind, connection) if can_cut else [Piece(path=path)])
    ]


def _rows_of(path: Path, _kind: str, connection: duckdb.DuckDBPyConnection) -> list[Piece]:
    query = f"SELECT num_rows FROM parquet_file_metadata({literal(str(path))})"
    rows = connection.execute(query).fetchall()[0][0]
    return [Piece(path=path, start=start, end=start + ROWS) for start in range(0, max(rows, 1), ROWS)]


def _blocks_of(path: Path, kind: str, _connection: duckdb.DuckDBPyConnection) -> list[Piece]:
    """Blocks of a text file; a file with quotes is one, since a line may end within them."""
    size = path.stat().st_size
    if size <= BYTES or (kind != "jsonl" and _has_quotes(path)):
        return [Piece(path=path)]
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
    """Copy this many bytes, and the rest of the line in which they end."""
    block = b"\n"
    while size > 0 and block:
        block = file.read(min(size, 2**24))
        copy.write(block)
        size -= len(block)
    if not block.endswith(b"\n"):
        copy.write(file.readline())


# ---- The rows of a piece as a table that Dask can shuffle, and shuffled rows as the views that a reduction reads

Side = Literal["people", "answers"]
OPTIONAL = {  # columns that travel only where the table has them, by their roles
    "people": {"rater": "rater_name", "group": "grp", "elicitation": "elicitation", "count": "times"},
    "answers": {"sample": "sample", "label": "label", "elicitation": "elicitation", "order": "shown"},
}
ALWAYS = {"people": ("item", "label"), "answers": ("item", "judge")}
VIEWS = {"people": "people", "answers": "raw_answers"}
PARTS = 2**15  # items are dealt out by this many numbers: the same item has the same number in both tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a worker must know of the input; names of raters travel only where somebody looks at them."""

    wanted: Input
    tables: Tables
    memory: str
    keeps_raters: bool = True

    def table(self, side: Side) -> Table:
        """The table of people's ratings, or of judges' answers."""
        table = self.tables.people if side == "people" else self.tables.answers
        assert table is not None  # noqa: S101 - nobody asks for answers where there are none
        return table

    def columns(self, side: Side) -> list[str]:
        """The columns that travel."""
        table = self.table(side)
        roles = table.roles.keys() - (set() if self.keeps_raters else {"rater"})
        some = [column for role, column in OPTIONAL[side].items() if role in roles]
        return [*ALWAYS[side], *some, *(f"raw{i}" for i in range(len(table.probabilities)))]


def rows_of(connection: duckdb.DuckDBPyConnection, source: Source, side: Side, *, none: bool = False) -> "pd.DataFrame":
    """The rows of a view, with a number by which items are dealt out."""
    columns = ", ".join(source.columns(side))
    rows = f"SELECT {columns}, (hash(item::VARCHAR) % {PARTS})::INTEGER AS part FROM {VIEWS[side]}"
    return _frame(connection, rows + (" LIMIT 0" if none else ""))


def names_of(connection: duckdb.DuckDBPyConnection, _source: Source, _side: Side) -> "pd.DataFrame":
    """The raters of a view, each once."""
    return _frame(connection, "SELECT DISTINCT rater_name FROM people")


def _frame(connection: duckdb.DuckDBPyConnection, query: str) -> "pd.DataFrame":
    """What a query finds, with the types of Arrow: those of numpy have no missing whole numbers."""
    import pandas as pd  # noqa: PLC0415 - comes with Dask

    table = cast("pa.Table", connection.sql(query).to_arrow_table())
    return cast("pd.DataFrame", table.to_pandas(types_mapper=pd.ArrowDtype))


def read_piece(piece: Piece, source: Source, side: Side, find: Callable[..., "pd.DataFrame"]) -> "pd.DataFrame":
    """What `rows_of` or `names_of` finds in a piece; a worker calls this."""
    wanted, other = source.wanted, _other_side(source, side)
    files = wanted.people if side == "people" else wanted.answers
    assert files is not None  # noqa: S101 - as above
    if not piece.path.is_file():
        raise FileError(
            f"A Dask worker does not find {piece.path}: put {files.name} where every worker finds it at the same path."
        )
    with tempfile.TemporaryDirectory(prefix="dissensus-") as folder:
        relation, path = piece_at(piece, files, source.table(side).relation, folder=Path(folder))
        connection = connect(path, spill=Path(folder), memory=source.memory)
        try:
            own = replace(source.table(side), relation=relation)
            views = (own, other) if side == "people" else (other, own)
            create_views(connection, *views, round_outputs=wanted.round_outputs)
            return find(connection, source, side)
        except duckdb.Error as error:
            raise unreadable(error, files) from error
        finally:
            connection.close()


def _other_side(source: Source, side: Side) -> Table | None:
    """The other table, without any rows: only the types of its columns matter."""
    if source.tables.answers is None:
        return None
    other = source.table("answers" if side == "people" else "people")
    texts = dict.fromkeys(other.text_of, "NULL::VARCHAR")
    cells = ", ".join(f"NULL::{kind} AS {quoted(column)}" for column, kind in other.type_of.items())
    return replace(other, relation=f"(SELECT {cells} WHERE false)", text_of=texts)


def run_step(people: "pd.DataFrame", answers: "pd.DataFrame | None", *, step: Step[T], source: Source) -> T:
    """What a step finds in the rows of some items; a worker calls this."""
    with _views(people, answers, source) as connection:
        return step(connection)


@contextmanager
def _views(
    people: "pd.DataFrame", answers: "pd.DataFrame | None", source: Source
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with the views `people` and `answers` of some items."""
    with tempfile.TemporaryDirectory(prefix="dissensus-") as folder:
        connection = connect(spill=Path(folder), memory=source.memory)
        try:
            _register(connection, "people", people, _people_columns(source))
            if answers is not None:
                _register(connection, "answers", answers, _answer_columns(source))
            yield connection
        finally:
            connection.close()


def _register(connection: duckdb.DuckDBPyConnection, name: str, rows: "pd.DataFrame", columns: Sequence[str]) -> None:
    import pyarrow as pa  # noqa: PLC0415 - comes with Dask

    connection.register(f"{name}_rows", pa.Table.from_pandas(rows, preserve_index=False))
    connection.execute(f"CREATE TEMP VIEW {name} AS SELECT {', '.join(columns)} FROM {name}_rows")


def _people_columns(source: Source) -> list[str]:
    have = source.columns("people")
    texts = [name if name in have else f"NULL::VARCHAR AS {name}" for name in ("rater_name", "grp", "elicitation")]
    rater = "hash(rater_name)" if "rater_name" in have else "NULL::UBIGINT"
    return ["item", f"{rater} AS rater", "label", *texts, "times" if "times" in have else "1 AS times"]


def _answer_columns(source: Source) -> list[str]:
    have, digits = source.columns("answers"), source.wanted.round_outputs
    texts = [name if name in have else f"NULL::VARCHAR AS {name}" for name in OPTIONAL["answers"].values()]
    raw = [name for name in have if name.startswith("raw")]
    rounded = [name if digits is None else f"round({name}, {digits})" for name in raw]
    return ["item", "judge", *texts, *raw, *(f"{output} AS p{i}" for i, output in enumerate(rounded))]


SHUFFLE = "p2p"


def reduce_on_dask(
    wanted: Input, address: str, *, scored_by: LabelScores | None = None, memory: str = MEMORY
) -> tuple[Ratings, Judges | None]:
    """Ratings and judges as `read_large` gives them, to the last bit, by the workers of a Dask cluster.

    Every worker, and this process, must find the files at the same paths; the memory is that of each task.
    """
    where = host_and_port(address)
    check_installed()
    check_dataframes()
    with (
        open_tables(wanted, memory=checked_memory(memory)) as (connection, tables),
        quiet(),
        connected(where) as client,
    ):
        source = Source(wanted=wanted, tables=tables, memory=memory)
        parts = ManyParts(client, Watch(client, where), connection, source)
        return reduce(wanted, tables, parts, scored_by=scored_by)


def check_dataframes() -> None:
    """Refuse to go on without the tables of Dask."""
    try:
        import dask.dataframe  # noqa: F401, PLC0415 - an optional dependency that takes a second to import
    except ImportError as error:
        raise MissingExtraError(f"Reading files with {named('engine')} dask://", install="dissensus[dask]") from error


class ManyParts:
    """Tables on a cluster, both cut so that all rows of an item are in the same part."""

    def __init__(self, client: "Client", watch: Watch, connection: duckdb.DuckDBPyConnection, source: Source) -> None:
        self._client, self._watch, self._source = client, watch, source
        wanted = source.wanted
        people = self._pieces("people", wanted.people, connection)
        self._raters = self._count_raters(people) if "rater" in source.tables.people.roles else None
        is_looked_at = wanted.ratings_plan.repeats != "keep" or (self._raters is not None and self._raters[1])
        self._source = replace(source, keeps_raters=is_looked_at)
        pieces: dict[Side, list[Piece]] = {"people": people}
        if wanted.answers is not None:
            pieces["answers"] = self._pieces("answers", wanted.answers, connection)
        number = max(len(watch.workers()), *map(len, pieces.values()))
        self._parts = [
            self._dealt(own, side, rows_of(connection, self._source, side, none=True), number)
            for side, own in pieces.items()
        ]

    def map(self, step: Step[T]) -> list[T]:
        """What the step finds in each part."""
        answers = self._parts[1] if len(self._parts) > 1 else [None] * len(self._parts[0])
        run = partial(run_step, step=step, source=self._source)
        with self._watch.telling_of_loss():
            futures = self._client.map(run, self._parts[0], answers, pure=False)
        return cast("list[T]", list(self._watch.results(futures)))

    def count_raters(self) -> tuple[int, bool] | None:
        """How many raters there are, and whether one of them is nameless; None if there is no rater column."""
        return self._raters

    def _pieces(self, side: Side, files: LargeFiles, connection: duckdb.DuckDBPyConnection) -> list[Piece]:
        return pieces_of(files, connection, set(self._source.table(side).text_of))

    def _dealt(self, pieces: list[Piece], side: Side, nothing: "pd.DataFrame", number: int) -> "list[Future]":
        """The parts of a table, each item in one of them."""
        rows = self._frame(pieces, side, rows_of, nothing)
        dealt = rows.shuffle(on="part", npartitions=number, shuffle_method=SHUFFLE)
        return cast("list[Future]", self._client.compute(dealt.to_delayed()))

    def _count_raters(self, people: list[Piece]) -> tuple[int, bool]:
        import pandas as pd  # noqa: PLC0415 - comes with Dask
        import pyarrow as pa  # noqa: PLC0415 - comes with Dask

        nothing = pd.DataFrame({"rater_name": pd.Series([], dtype=pd.ArrowDtype(pa.string()))})
        names = self._frame(people, "people", names_of, nothing)
        every = names.drop_duplicates(split_out=len(people), shuffle_method=SHUFFLE)
        counted = self._client.compute(every.map_partitions(count_names, meta=(None, object)).to_delayed())
        found = cast("list[tuple[int, bool]]", list(self._watch.results(counted)))
        return sum(named for named, _ in found), any(blank for _, blank in found)

    def _frame(
        self, pieces: list[Piece], side: Side, find: Callable[..., "pd.DataFrame"], nothing: "pd.DataFrame"
    ) -> "DataFrame":
        """A table with what is found in each piece, in a partition each."""
        import dask.dataframe as dd  # noqa: PLC0415 - an optional dependency

        options = {"source": self._source, "side": side, "find": find}
        return dd.from_map(read_piece, pieces, meta=nothing, enforce_metadata=False, **options)


def count_names(names: "pd.DataFrame") -> tuple[int, bool]:
    """How many raters have a name, and whether one has none."""
    column = names["rater_name"]
    blank = column.isna() | (column.str.strip(" ") == "")
    return int((~blank).sum()), bool(blank.any())
