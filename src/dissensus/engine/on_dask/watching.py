"""Is the cluster still there? Without it a wait would never end."""

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from dissensus.errors import DissensusError

if TYPE_CHECKING:
    from distributed import Client
    from distributed import Future as DaskFuture

LOOK_SECONDS = 1.0
"""How often to look."""
LOST_SECONDS = 60.0
"""How long to wait for a cluster without workers, or for a scheduler that does not answer."""


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
