"""Work on a Dask cluster: connect, compare versions, send tasks, wait for them."""

import asyncio
import io
import logging
import pickle
import re
import sys
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

import numpy as np

from dissensus.errors import DissensusError, MissingExtraError, OptionError
from dissensus.options import named

if TYPE_CHECKING:
    from distributed import Client
    from distributed import Future as DaskFuture

# ---- Tasks as bytes, their large parts once: tasks of a bootstrap differ in a few bytes and share megabytes

LARGE_BYTES = 32_768  # an array of this many bytes is sent once
LARGE_LENGTH = 1_000  # so is a tuple, a list, a dict or a text of such a length


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A task as bytes: without its large parts, and their places among those of all tasks."""

    small: bytes
    large: tuple[int, ...]


def pack(tasks: Sequence[object]) -> tuple[list[Packed], list[bytes]]:
    """The tasks as bytes, and the large parts that they share.

    As with a pool of processes, functions are named, not sent: a worker must be able to import them.

    >>> shared = np.zeros(1_000_000)
    >>> packed, parts = pack([(shared, 1), (shared, 2)])
    >>> [len(task.small) < 500 for task in packed], [len(part) // 1_000_000 for part in parts]
    ([True, True], [8])
    >>> [unpack(task.small, [unpack(parts[i]) for i in task.large])[1] for task in packed]
    [1, 2]
    """
    places: dict[int, int] = {}
    parts: list[object] = []  # kept until the end: the id of an object that is gone may come again
    packed = []
    for task in tasks:
        buffer = io.BytesIO()
        pickler = _Pickler(buffer, places, parts)
        pickler.dump(task)
        packed.append(Packed(small=buffer.getvalue(), large=tuple(pickler.used)))
    return packed, [pickle.dumps(part, protocol=pickle.HIGHEST_PROTOCOL) for part in parts]


def unpack(small: bytes, parts: Sequence[object] = ()) -> object:
    """What was packed."""
    return _Unpickler(io.BytesIO(small), parts).load()


def is_large(thing: object) -> bool:
    """Whether to send a thing once for all tasks."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes >= LARGE_BYTES
    return isinstance(thing, tuple | list | dict | str | bytes) and len(thing) >= LARGE_LENGTH


class _Pickler(pickle.Pickler):
    """Writes the place of a large part instead of the part."""

    def __init__(self, file: io.BytesIO, places: dict[int, int], parts: list[object]) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.used: list[int] = []
        self._places, self._parts = places, parts

    def persistent_id(self, thing: object) -> int | None:
        """Which of the task's large parts this is; None if it is none."""
        if not is_large(thing):
            return None
        if id(thing) not in self._places:
            self._places[id(thing)] = len(self._parts)
            self._parts.append(thing)
        place = self._places[id(thing)]
        if place not in self.used:
            self.used.append(place)
        return self.used.index(place)


class _Unpickler(pickle.Unpickler):
    """Puts the large parts back."""

    def __init__(self, file: io.BytesIO, parts: Sequence[object]) -> None:
        super().__init__(file)
        self._parts = parts

    def persistent_load(self, place: int) -> object:
        """The large part at that place."""
        return self._parts[place]


# ---- Do the machines of a cluster run what we run? Other versions could give other numbers, or none

PACKAGES = ("dissensus", "numpy", "scipy", "duckdb", "pandas", "pyarrow", "dask", "distributed")
Versions = Mapping[str, str]
ABSENT = "not installed"


@cache
def versions_here() -> Versions:
    """The versions of this process: of Python without its patches, which change no number."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {"python": python} | {name: _version(name) for name in PACKAGES}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ABSENT


def check_cluster(client: "Client", address: str) -> None:
    """Refuse a cluster whose scheduler or workers run other versions than this process.

    The scheduler counts too: it takes every task apart before it hands it on.
    """
    found = client.get_versions(check=False, packages=list(PACKAGES))
    check_versions(_versions_of(found["scheduler"]), f"the Dask scheduler at {address}")
    for worker, described in found["workers"].items():
        check_versions(_versions_of(described), f"the Dask worker at {worker.partition('://')[2]}")


def _versions_of(described: Mapping[str, Mapping[str, str | None]]) -> Versions:
    """What a machine of the cluster says about itself."""
    packages = described["packages"]
    python = ".".join((packages["python"] or "").split(".")[:2])
    return {"python": python} | {name: packages.get(name) or ABSENT for name in PACKAGES}


def check_versions(there: Versions, where: str, *, here: Versions | None = None) -> None:
    """Refuse a machine with other versions than `here`, this process if not given; the message names the first.

    >>> check_versions(versions_here(), "a worker")
    >>> check_versions({"numpy": "2.1.0"}, "a worker", here={"numpy": "2.0.0"})
    Traceback (most recent call last):
        ...
    dissensus.errors.DissensusError: Version mismatch: numpy is 2.0.0 here and 2.1.0 on a worker. Install the same \
versions on both, for instance with `pip install numpy==2.0.0` there.
    """
    for name, own in (versions_here() if here is None else here).items():
        other = there.get(name, ABSENT)
        if other == own:
            continue
        remedy = f"`pip install {name}=={own}`" if name != "python" else f"Python {own}"
        raise DissensusError(
            f"Version mismatch: {name} is {own} here and {other} on {where}. "
            f"Install the same versions on both, for instance with {remedy} there."
        )


# ---- Is the cluster still there? Without it a wait would never end

LOOK_SECONDS = 1.0  # how often to look
LOST_SECONDS = 45.0
"""How long to wait for a cluster without workers, or for a scheduler that does not answer: with the rest, a minute."""


class Watch:
    """Looks after a cluster while its results are waited for."""

    def __init__(self, client: "Client", address: str) -> None:
        self._client = client
        self._address = address
        self._last_seen = time.monotonic()

    @property
    def is_connected(self) -> bool:
        """Whether the scheduler can be asked for anything."""
        return bool(self._client.status == "running")

    def workers(self) -> list[str]:
        """Addresses of the workers that are there."""
        try:
            return sorted(self._client.sync(self._client.scheduler.ncores, callback_timeout=LOST_SECONDS))
        except TimeoutError as error:
            raise DissensusError(
                f"The Dask scheduler at {self._address} has not answered for {LOST_SECONDS:.0f} seconds. "
                "Look whether it is still running, and run the command again."
            ) from error
        except OSError as error:
            raise self._gone() from error

    def results(self, futures: "list[DaskFuture]") -> Iterator[object]:
        """The results of tasks, in their order; what is left is cancelled when nobody asks for more.

        The list is emptied on the way: a future that nobody has lets go of its result on the cluster.
        """
        futures.reverse()
        left = futures
        try:
            while left:
                with self.telling_of_loss():
                    result = self._result(left[-1])
                left.pop()
                yield result
        finally:
            if left and self.is_connected:
                with suppress(OSError, CancelledError):
                    self._client.cancel(left)

    def _result(self, future: "DaskFuture") -> object:
        """A result, waited for as long as there is somebody to compute it."""
        fetched = asyncio.run_coroutine_threadsafe(_gathered(self._client, future), self._client.loop.asyncio_loop)
        while not wait([fetched], timeout=LOOK_SECONDS).done:
            if not self.is_connected:
                raise self._gone()
            if self.workers():
                self._last_seen = time.monotonic()
            elif time.monotonic() - self._last_seen > LOST_SECONDS:
                raise DissensusError(
                    f"The Dask scheduler at {self._address} has had no worker for {LOST_SECONDS:.0f} seconds. Start "
                    f"workers with `dask worker {self._address}`, and run the command again."
                )
        self._last_seen = time.monotonic()
        return fetched.result()

    @contextmanager
    def telling_of_loss(self) -> Iterator[None]:
        """Say in one line what became of the cluster."""
        from distributed.comm import CommClosedError  # noqa: PLC0415 - an optional dependency
        from distributed.scheduler import KilledWorker  # noqa: PLC0415 - as above

        try:
            yield
        except KilledWorker as error:
            raise DissensusError(
                f"A task was on {error.allowed_failures + 1} Dask workers when they were lost, so it was given up. "
                "They may have run out of memory: give workers more of it, or each one fewer threads."
            ) from error
        except (CancelledError, OSError) as error:
            if self.is_connected and not isinstance(error, CancelledError | CommClosedError):
                raise  # an error of the task's own
            raise self._gone() from error

    def _gone(self) -> DissensusError:
        return DissensusError(
            f"The Dask scheduler at {self._address} was lost, and the work with it. Start it again with "
            "`dask scheduler`, and run the command again."
        )


async def _gathered(client: "Client", future: "DaskFuture") -> object:
    """The result of a task; a coroutine, because waiting for it must not end with a look at the cluster."""
    return await client.gather(future, asynchronous=True)


# ---- An executor whose tasks run on a Dask cluster

P = ParamSpec("P")
T = TypeVar("T")
MOST_COPIES = 8  # this many workers get large parts from here; others get them from one another


class DaskExecutor(Executor):
    """Sends tasks to a cluster, each large part of them once, and hands over the results in the order of the tasks.

    A task whose worker is lost runs again elsewhere. The bytes of all tasks stay with the scheduler, so that what a
    lost worker held can be made again.
    """

    def __init__(self, client: "Client", address: str) -> None:
        self._client = client
        self._address = address

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The future of one task."""
        return cast("Future[T]", self._client.get_executor(pure=False).submit(fn, *args, **kwargs))

    def map(
        self, fn: Callable[..., T], *iterables: Iterable[object], timeout: float | None = None, chunksize: int = 1
    ) -> Iterator[T]:
        """Results in the order of the tasks; all are sent before the first result is asked for."""
        del timeout, chunksize  # the cluster is watched instead
        watch = Watch(self._client, self._address)
        with watch.telling_of_loss():
            futures = self._send([(fn, arguments) for arguments in zip(*iterables, strict=False)], watch)
        return cast("Iterator[T]", watch.results(futures))

    def _send(self, calls: Sequence[object], watch: Watch) -> "list[DaskFuture]":
        packed, parts = pack(calls)
        if not packed:
            return []
        copies = self._copies(parts, min(len(watch.workers()), len(packed), MOST_COPIES))
        name = f"dissensus-task-{uuid.uuid4().hex}"
        return cast(
            "list[DaskFuture]",
            self._client.map(
                run_packed, [task.small for task in packed],
                # Tasks take the workers, and with them the copies, by turns.
                [[copies[place % len(copies)][part] for part in task.large] for place, task in enumerate(packed)],
                expected=dict(versions_here()),
                key=[(name, place) for place in range(len(packed))], pure=False,
            ),
        )  # fmt: skip

    def _copies(self, parts: Sequence[bytes], number: int) -> "list[list[DaskFuture]]":
        """The large parts, this many times.

        Tasks run where their data are: with the data in one place, a worker of many threads would get all tasks. Dask
        puts tasks that need nothing, such as these, on the workers by turns. Nothing is tied to a worker: Dask forgets
        tasks that are, once all workers were lost, even if they may run elsewhere.
        """
        return [[self._client.submit(unpack, part, pure=False) for part in parts] for _ in range(max(number, 1))]


def run_packed(small: bytes, parts: Sequence[object], *, expected: Versions) -> object:
    """What a task returns; a worker calls this.

    Workers may come while the work is going on, so each task looks whether it fell among the right versions.
    """
    check_versions(versions_here(), "a Dask worker that has just joined", here=expected)
    # What comes from another worker may start at any byte, and numpy adds up such an array in another order.
    aligned = [np.require(part, requirements="A") if isinstance(part, np.ndarray) else part for part in parts]
    function, arguments = cast("tuple[Callable[..., object], tuple[object, ...]]", unpack(small, aligned))
    return function(*arguments)


# ---- Connect with the scheduler of a Dask cluster

CONNECT_SECONDS = 10
CLOSE_SECONDS = 5
PORT = 8786  # where a scheduler listens by default
ADDRESS = re.compile(r"(?P<tls>tls://)?(?P<host>[\w.-]+|\[[0-9a-fA-F:.%]+\])(:(?P<port>\d{1,5}))?/?")
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
        raise MissingExtraError(f"{named('engine')} dask://", install="dissensus[dask]") from error


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
        client = Client(_contact(address), timeout=CONNECT_SECONDS, set_as_default=False)
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


def _contact(address: str) -> str:
    return address if address.startswith("tls://") else f"tcp://{address}"


async def _greet(address: str) -> str:
    """What Dask says is at an address: with a web server or a worker there, a client would wait for ever."""
    from distributed import rpc  # noqa: PLC0415 - as above
    from distributed.security import Security  # noqa: PLC0415 - as above

    try:
        arguments = Security().get_connection_args("client")  # with the certificates that Dask's settings name
        async with rpc(_contact(address), timeout=CONNECT_SECONDS, connection_args=arguments) as there:
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
    """The address of a scheduler, with the usual port if it has none, and with tls:// if that was asked for.

    >>> host_and_port("10.0.0.7"), host_and_port("cluster.lab:9000"), host_and_port("tls://[::1]:8786/")
    ('10.0.0.7:8786', 'cluster.lab:9000', 'tls://[::1]:8786')
    """
    found = ADDRESS.fullmatch(address)
    if found is None:
        raise OptionError(
            f"{named('engine')} cannot be 'dask://{address}': give a scheduler's address, dask://host:port or "
            "tls://host:port."
        )
    return f"{found['tls'] or ''}{found['host']}:{found['port'] or PORT}"
