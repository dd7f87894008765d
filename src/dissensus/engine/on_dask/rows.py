"""The rows of a piece as a table that Dask can shuffle, and shuffled rows as the views that a reduction reads."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import duckdb

from dissensus.engine.on_dask.pieces import Piece, piece_at
from dissensus.errors import FileError
from dissensus.ratings.reducing.opening import Input, Tables
from dissensus.ratings.reducing.sql_tables import Table, create_views, unreadable
from dissensus.ratings.reducing.steps import Step, T
from dissensus.ratings.sources.sql_sheets import connect, quoted

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Side = Literal["people", "answers"]
OPTIONAL = {
    "people": {"rater": "rater_name", "group": "grp", "elicitation": "elicitation", "count": "times"},
    "answers": {"sample": "sample", "label": "label", "elicitation": "elicitation", "order": "shown"},
}
"""Columns that travel only where the table has them, by their roles."""
ALWAYS = {"people": ("item", "label"), "answers": ("item", "judge")}
VIEWS = {"people": "people", "answers": "raw_answers"}
PARTS = 2**15
"""Items are dealt out by this many numbers: the same item has the same number in both tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a worker must know of the input.

    Attributes
    ----------
    wanted : Input
        The files, and what the user says about them.
    tables : Tables
        Which column is which.
    memory : str
        What duckdb may use on a worker before it writes to disk.
    keeps_raters : bool
        Whether the names of raters travel: only where somebody looks at them.
    """

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
    """What is found in a piece; a worker calls this.

    Parameters
    ----------
    piece, source, side
        Where.
    find : callable
        `rows_of` or `names_of`.
    """
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
