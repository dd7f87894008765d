"""The reduction of files that no machine holds: read on a cluster, dealt out by item, reduced part by part."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

import duckdb

from dissensus.engine.on_dask.connecting import check_installed, connected, host_and_port, quiet
from dissensus.engine.on_dask.pieces import Piece, pieces_of
from dissensus.engine.on_dask.rows import Side, Source, names_of, read_piece, rows_of, run_step
from dissensus.engine.on_dask.watching import Watch
from dissensus.errors import MissingExtraError
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.output_moments import LabelScores
from dissensus.ratings.reducing.large_files import LargeFiles, checked_memory
from dissensus.ratings.reducing.opening import Input, open_tables
from dissensus.ratings.reducing.read_large import MEMORY, reduce
from dissensus.ratings.reducing.steps import Step, T

if TYPE_CHECKING:
    import pandas as pd
    from dask.dataframe import DataFrame
    from distributed import Client, Future

SHUFFLE = "p2p"


def reduce_on_dask(
    wanted: Input, address: str, *, scored_by: LabelScores | None = None, memory: str = MEMORY
) -> tuple[Ratings, Judges | None]:
    """Ratings and judges from files larger than memory, by the workers of a Dask cluster.

    Parameters
    ----------
    wanted : Input
        What to read; every worker, and this process, must find the files at the same paths.
    address : str
        Of the scheduler, such as `host:8786`.
    scored_by, memory
        As in `read_large`; the memory is that of each task.

    Returns
    -------
    Ratings, Judges
        The same as `read_large` gives, to the last bit.
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
        raise MissingExtraError("Reading files with --engine dask://", install="dissensus[dask]") from error


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
