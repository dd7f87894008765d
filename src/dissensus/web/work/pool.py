"""A few processes for many jobs: each runs one job at a time, and a queue with an end holds the rest."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from dissensus.errors import DissensusError
from dissensus.web.work.job import Job
from dissensus.web.work.worker import Worker, WorkerLostError

LOST = "The work ended before it was done, probably for lack of memory. Try fewer rows, or fewer bootstrap samples."
TOO_LONG = "This took longer than {}, which is what it may take here. Use the command line for it."


class BusyError(DissensusError):
    """There is more to do than the queue may hold."""

    def __init__(self, waiting: int) -> None:
        super().__init__(f"Busy: {waiting} jobs are waiting already. Try again in a minute.")


class Pool:
    """Workers and the jobs that wait for them.

    Parameters
    ----------
    folder : Path
        For temporary files.
    size : int
        How many workers there are at most.
    most_waiting : int
        How many jobs may wait.
    longest : float
        Seconds that a job may take.
    warm : tuple of str
        Tasks that workers import before they are asked.
    is_fresh : bool
        Whether each job gets a process of its own, so that its memory returns.
    """

    def __init__(
        self, folder: Path, *, size: int, most_waiting: int, longest: float, warm: tuple[str, ...] = (), is_fresh: bool
    ) -> None:
        self._folder, self._longest, self._warm, self._is_fresh = folder, longest, warm, is_fresh
        self._most_waiting, self._waiting = most_waiting, 0
        self._queue: asyncio.Queue[Job] = asyncio.Queue()
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="dissensus-wait")
        self._running: dict[str, Worker] = {}
        self._over: dict[str, asyncio.Event] = {}
        self._idle: list[Worker] = []
        self._slots = [asyncio.create_task(self._slot()) for _ in range(size)]

    @property
    def waiting(self) -> int:
        """How many jobs wait for a worker."""
        return self._waiting

    def submit(self, job: Job) -> None:
        """Put a job into the queue, unless that is full."""
        if self._waiting >= self._most_waiting:
            raise BusyError(self._waiting)
        self._waiting += 1
        self._over[job.id] = asyncio.Event()
        self._queue.put_nowait(job)

    async def finished(self, job: Job) -> None:
        """Wait until a job is over."""
        if job.id in self._over:
            await self._over[job.id].wait()

    def cancel(self, job: Job) -> None:
        """Stop a job, whether it waits or runs."""
        if job.is_over:
            return
        self._end(job, lambda: job.end("cancelled"))
        if job.id in self._running:
            self._running[job.id].stop()  # whoever waits for its message learns that it is gone

    async def close(self) -> None:
        """Stop everything, at once."""
        for slot in self._slots:
            slot.cancel()
        for worker in [*self._running.values(), *self._idle]:
            worker.stop()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*self._slots, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _slot(self) -> None:
        worker = None if self._is_fresh else self._hired()
        while True:
            job = await self._queue.get()
            self._waiting -= 1
            if job.is_over:  # cancelled while it waited
                continue
            worker = self._taken(worker)
            is_alive = await self._run(job, worker)
            if self._is_fresh or not is_alive:
                worker.stop()
                worker = None if self._is_fresh else self._hired()
            else:
                self._idle.append(worker)

    def _hired(self) -> Worker:
        worker = Worker(self._folder, warm=self._warm, threads=self._threads)
        self._idle.append(worker)
        return worker

    def _taken(self, worker: Worker | None) -> Worker:
        found = worker or self._hired()
        self._idle.remove(found)
        return found

    async def _run(self, job: Job, worker: Worker) -> bool:
        """Run a job to its end; whether the worker can be used again."""
        job.status, job.what = "running", "Starting"
        self._running[job.id] = worker
        try:
            async with asyncio.timeout(self._longest):
                last = await worker.run(job.task, job.arguments, job.take)
        except TimeoutError:
            self._end(job, lambda: job.end("failed", error=TOO_LONG.format(_duration(self._longest))))
            return False
        except WorkerLostError:
            self._end(job, lambda: job.end("failed", error=LOST))
            return False
        else:
            result = last.get("result")
            if last["kind"] == "done" and isinstance(result, dict):
                self._end(job, lambda: job.end("done", result=result))
            else:
                self._end(job, lambda: job.end("failed", error=str(last.get("error", LOST))))
            return True
        finally:
            del self._running[job.id]

    def _end(self, job: Job, end: Callable[[], None]) -> None:
        """Note how a job ended, unless it was cancelled before, and tell those who wait for it."""
        if not job.is_over:
            end()
        over = self._over.pop(job.id, None)
        if over is not None:
            over.set()


def _duration(seconds: float) -> str:
    """A time in words.

    Examples
    --------
    >>> _duration(20), _duration(1800)
    ('20 seconds', '30 minutes')
    """
    return f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"  # noqa: PLR2004 - two minutes
