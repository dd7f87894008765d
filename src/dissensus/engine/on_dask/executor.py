"""An executor whose tasks run on a Dask cluster."""

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

from dissensus.engine.on_dask.packing import Packed, pack, unpack
from dissensus.engine.on_dask.versions import Versions, check_versions, versions_here
from dissensus.engine.on_dask.watching import Watch

if TYPE_CHECKING:
    from distributed import Client
    from distributed import Future as DaskFuture

P = ParamSpec("P")
T = TypeVar("T")
MOST_COPIES = 8
"""So many workers get large parts from here; others get them from one another."""


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
                run_packed,
                [task.small for task in packed],
                [_own(task, copies, place) for place, task in enumerate(packed)],
                expected=dict(versions_here()),
                key=[(name, place) for place in range(len(packed))],
                pure=False,
            ),
        )

    def _copies(self, parts: Sequence[bytes], number: int) -> "list[list[DaskFuture]]":
        """The large parts, so many times.

        Tasks run where their data are: with the data in one place, a worker of many threads would get all tasks. Dask
        puts tasks that need nothing, such as these, on the workers by turns. Nothing is tied to a worker: Dask forgets
        tasks that are, once all workers were lost, even if they may run elsewhere.
        """
        return [[self._client.submit(unpack, part, pure=False) for part in parts] for _ in range(max(number, 1))]


def _own(task: Packed, copies: "Sequence[Sequence[DaskFuture]]", place: int) -> "list[DaskFuture]":
    """The large parts of a task, where it is to run: tasks take the workers by turns."""
    return [copies[place % len(copies)][part] for part in task.large]


def run_packed(small: bytes, parts: Sequence[object], *, expected: Versions) -> object:
    """What a task returns; a worker calls this.

    Workers may come while the work is going on, so each task looks whether it fell among the right versions.
    """
    check_versions(versions_here(), "a Dask worker that has just joined", here=expected)
    function, arguments = cast("tuple[Callable[..., object], tuple[object, ...]]", unpack(small, parts))
    return function(*arguments)
