import asyncio
from collections.abc import Callable

from dissensus.eliciting.cache import Cache, Entry

GATHERING = 0.02
"""Seconds in which answers gather for one commit: so much of a run can be lost if it is killed, and is asked again."""
Waiting = tuple[Entry, Callable[[], None]]


class Committer:
    """Saves entries while requests go on: those that come within an instant share a commit.

    A commit waits for the disk; one for each answer would make the disk the limit, one for many answers does not.
    """

    def __init__(self, cache: Cache, *, most: int, on_error: Callable[[], None]) -> None:
        self._cache, self._on_error = cache, on_error
        self._queue: asyncio.Queue[Waiting] = asyncio.Queue()
        self._room = asyncio.Semaphore(most)
        self._task: asyncio.Task[None] | None = None
        self._error: Exception | None = None

    async def save(self, entry: Entry, then: Callable[[], None]) -> None:
        """Save an entry soon, and call `then` when it is on the disk; waits only where too many wait already."""
        if self._task is None:
            self._task = asyncio.create_task(self._commit_forever())
        await self._room.acquire()
        self._queue.put_nowait((entry, then))

    async def saved(self) -> None:
        """Wait until all is on the disk; raises what kept it from being."""
        await self._queue.join()
        if self._error is not None:
            raise self._error

    async def close(self) -> None:
        """Stop; what is not saved by then is lost."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _commit_forever(self) -> None:
        while True:
            batch = [await self._queue.get()]
            await asyncio.sleep(GATHERING)
            while not self._queue.empty():
                batch.append(self._queue.get_nowait())
            try:
                if self._error is None:
                    await asyncio.to_thread(self._cache.save, [entry for entry, _ in batch])
                    for _, then in batch:
                        then()
            except Exception as error:  # noqa: BLE001 - `saved` raises it
                self._error = error
                self._on_error()
            finally:
                for _ in batch:
                    self._room.release()
                    self._queue.task_done()
