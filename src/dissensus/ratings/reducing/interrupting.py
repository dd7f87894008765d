"""Long queries that Ctrl-C ends."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

import duckdb

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
