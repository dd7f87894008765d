"""Connect with the scheduler of a Dask cluster."""

import asyncio
import logging
import re
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dissensus.engine.on_dask.executor import DaskExecutor
from dissensus.engine.on_dask.versions import check_cluster
from dissensus.engine.on_dask.watching import Watch
from dissensus.errors import DissensusError, MissingExtraError, OptionError

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 10
CLOSE_SECONDS = 5
PORT = 8786
"""Where a scheduler listens unless it is told otherwise."""
ADDRESS = re.compile(r"(?P<host>[\w.-]+|\[[0-9a-fA-F:.%]+\])(:(?P<port>\d{1,5}))?/?")
LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio")
"""What Dask writes to the terminal: a lost worker is no news to somebody who waits for a table."""


@contextmanager
def open_cluster(address: str) -> Iterator[Executor]:
    """An executor of the cluster at an address such as `host:8786`."""
    where = host_and_port(address)
    check_installed()
    with quiet(), connected(where) as client:
        yield DaskExecutor(client, where)


def check_installed() -> None:
    """Refuse to go on without Dask; to import it here and not later sets up its log before that is silenced."""
    try:
        import distributed  # noqa: F401, PLC0415 - an optional dependency that takes a second to import
    except ImportError as error:
        raise MissingExtraError("--engine dask://", install="dissensus[dask]") from error


@contextmanager
def connected(address: str) -> "Iterator[Client]":
    """A client of a scheduler that, like its workers, runs the versions that we run."""
    from distributed import Client  # noqa: PLC0415 - as above

    try:
        with ThreadPoolExecutor(1) as thread:  # the caller's thread may have a loop of its own, as a notebook's has
            kind = thread.submit(asyncio.run, _greet(address)).result()
        if kind != "Scheduler":
            raise DissensusError(f"At {address} is a Dask {kind.lower()}: give the address of the scheduler instead.")
        # Not the default client: the caller may have one of his own.
        client = Client(f"tcp://{address}", timeout=CONNECT_SECONDS, set_as_default=False)
    except OSError as error:
        raise DissensusError(
            f"No Dask scheduler answered at {address} within {CONNECT_SECONDS} seconds. Look whether the address is "
            "right, or start a scheduler with `dask scheduler`."
        ) from error
    try:
        with Watch(client, address).telling_of_loss():
            check_cluster(client, address)
        yield client
    finally:
        client.close(timeout=CLOSE_SECONDS)


async def _greet(address: str) -> str:
    """What Dask says is at an address: with a web server or a worker there, a client would wait for ever."""
    from distributed import rpc  # noqa: PLC0415 - as above

    try:
        async with rpc(f"tcp://{address}", timeout=CONNECT_SECONDS) as there:
            described = await asyncio.wait_for(there.identity(), CONNECT_SECONDS)
    except Exception as error:  # what is no Dask may answer anything, such as a message of 3 exbibytes
        raise ConnectionError(address) from error
    return str(described["type"])


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the log and the warnings of Dask from the terminal."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=r"distributed\b")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def host_and_port(address: str) -> str:
    """The address of a scheduler, with the usual port if it has none.

    Examples
    --------
    >>> host_and_port("10.0.0.7"), host_and_port("cluster.lab:9000"), host_and_port("[::1]:8786/")
    ('10.0.0.7:8786', 'cluster.lab:9000', '[::1]:8786')
    """
    found = ADDRESS.fullmatch(address)
    if found is None:
        raise OptionError(f"--engine cannot be 'dask://{address}': give a scheduler's address, dask://host:port.")
    return f"{found['host']}:{found['port'] or PORT}"
