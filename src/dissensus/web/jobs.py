"""Long work: jobs, the processes that run them, and a queue with an end."""

import asyncio
import json
import multiprocessing
import shutil
import tempfile
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe
from typing import Literal
from urllib.parse import parse_qsl, urlencode

from dissensus.errors import DissensusError
from dissensus.web.process import Message, serve_tasks
from dissensus.web.shelf import Shelf

Status = Literal["waiting", "running", "done", "failed", "cancelled"]
Key = tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Job:
    """Work that was asked for, and how far it is."""

    key: Key  # what was asked: the same question is not computed twice
    # `task`, `arguments`: what a worker gets.
    task: str
    arguments: Mapping[str, object]
    id: str = field(default_factory=lambda: token_urlsafe(18))  # unguessable
    status: Status = "waiting"  # waiting, running, done, failed or cancelled
    # `what`, `done`, `total`: what is computed now, and how far that is.
    what: str = "Waiting for its turn"
    done: int = 0
    total: int = 0
    parts: dict[str, str] = field(default_factory=dict)  # HTML of the sections that are ready, by name
    result: Mapping[str, object] = field(default_factory=dict)  # what the task returned, once it is done
    error: str = ""  # why it failed, in a sentence
    ended: float | None = None  # when, on the monotonic clock

    @property
    def data(self) -> str:
        """The id of the data set that it is about; empty if there is none."""
        return self.key[1]

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self.status in {"done", "failed", "cancelled"}

    def take(self, message: Message) -> None:
        """Note what the worker told."""
        if message["kind"] == "part":
            self.parts[str(message["name"])] = str(message["html"])
        elif message["kind"] == "progress":
            self.what = str(message["what"])
            self.done, self.total = int(str(message["done"])), int(str(message["total"]))

    def end(self, status: Status, *, error: str = "", result: Mapping[str, object] | None = None) -> None:
        """Note that it is over."""
        self.status, self.error, self.result, self.ended = status, error, result or {}, time.monotonic()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Long work that a page asks for."""

    # `task`, `arguments`: what a worker gets.
    task: str
    arguments: Mapping[str, object]
    data: str  # id of the data set; empty if there is none
    state: str  # what was chosen on the page, as in its address
    reading: str = ""  # how the files are read, whether the project says so or the address
    method: str = ""  # whose answer is wanted, where one task serves several methods

    @property
    def key(self) -> Key:
        """The same for the same question."""
        return self.method or self.task, self.data, self.state, self.reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A kind of long work."""

    page: str  # the page that shows it: its name within a project, or its path where there is none
    order: Callable[[Shelf, Mapping[str, str]], Order]  # what a page's address asks for
    show: Callable[[Job], str] = lambda job: str(job.result["html"])  # the answer, once the job is done
    part_names: tuple[str, ...] = ()  # pieces that come before the end, in reading order

    def page_address(self, key: Key) -> str:
        """The page that shows the answer to a question."""
        _, data, state, _ = key
        where = f"/p/{data}/{self.page}" if data else f"/{self.page}"
        return f"{where}?{state}" if state else where


def start_address(key: Key) -> str:
    """Where to ask for the work that answers a question."""
    task, data, state, _ = key
    about = urlencode({"data": data}) if data else ""
    return f"/start/{task}?{'&'.join(filter(None, (about, state)))}"


def state_of(job: Job) -> dict[str, str]:
    """What was chosen on the page that asked for a job."""
    return dict(parse_qsl(job.key[2]))


# ---- A few processes for many jobs: each runs one job at a time, and a queue with an end holds the rest


class WorkerLostError(Exception):
    """The process has ended before its task was done."""


class Worker:
    """A process that runs one task at a time, and can be stopped in the middle of one.

    `warm` are modules that it imports at once, and in `threads` the server waits for its messages.
    """

    def __init__(self, folder: Path, *, warm: tuple[str, ...], threads: Executor) -> None:
        # Forking a process that runs threads can hang the child, so each worker starts afresh.
        context = multiprocessing.get_context("spawn")
        self._threads = threads
        self._folder = Path(tempfile.mkdtemp(prefix="work-", dir=folder))
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=serve_tasks, args=(theirs, str(self._folder), warm), daemon=True, name="dissensus-worker"
        )
        self._process.start()
        theirs.close()

    async def run(self, task: str, arguments: Mapping[str, object], tell: Callable[[Message], None]) -> Message:
        """Run a task; its messages go to `tell`, its last one is returned."""
        loop = asyncio.get_running_loop()
        order = json.dumps({"task": task, "arguments": arguments}).encode()
        try:
            await loop.run_in_executor(self._threads, self._pipe.send_bytes, order)
            while True:
                message: Message = json.loads(await loop.run_in_executor(self._threads, self._pipe.recv_bytes))
                if message["kind"] in {"done", "failed"}:
                    return message
                tell(message)
        except (EOFError, OSError) as error:
            raise WorkerLostError from error

    def stop(self) -> None:
        """End the process now, and remove what it wrote."""
        self._process.kill()
        self._process.join()
        self._pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)


Keep = Callable[[Job, Mapping[str, object]], Awaitable[Mapping[str, object]]]
LOST = "The computation stopped early, probably for lack of memory. Try fewer rows, or fewer bootstrap samples."
TOO_LONG = "This took longer than {}, the limit here. Take fewer bootstrap samples, or fewer rows."


class BusyError(DissensusError):
    """There is more to do than the queue may hold."""

    def __init__(self, waiting: int) -> None:
        super().__init__(f"Busy: {waiting} jobs are already waiting. Try again in a minute.")


class Pool:
    """Workers and the jobs that wait for them.

    Where `is_fresh`, each job has a process of its own, so that its memory returns. What `keep` returns of a result is
    what stays in memory.
    """

    def __init__(
        self,
        folder: Path,
        *,
        size: int,
        most_waiting: int,
        longest: float,  # seconds
        warm: tuple[str, ...] = (),
        is_fresh: bool,
        keep: Keep | None = None,
    ) -> None:
        self._keep = keep
        self._folder, self._longest, self._warm, self._is_fresh = folder, longest, warm, is_fresh
        self._most_waiting, self.waiting = most_waiting, 0  # jobs that wait for a worker
        self._queue: asyncio.Queue[Job] = asyncio.Queue()
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="dissensus-wait")
        self._running: dict[str, Worker] = {}
        self._over: dict[str, asyncio.Event] = {}
        self._idle: list[Worker] = []
        self._slots = [asyncio.create_task(self._slot()) for _ in range(size)]

    def submit(self, job: Job) -> None:
        """Put a job into the queue, unless that is full."""
        if self.waiting >= self._most_waiting:
            raise BusyError(self.waiting)
        self.waiting += 1
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
            self.waiting -= 1
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
                kept = result if self._keep is None else await self._keep(job, result)
                self._end(job, lambda: job.end("done", result=kept))
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

    >>> _duration(20), _duration(1800)
    ('20 seconds', '30 minutes')
    """
    return f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"  # noqa: PLR2004 - two minutes


MOST_REMEMBERED = 1000
Answer = Mapping[str, object]


class SupersededError(DissensusError):
    """Whoever asked has moved on, so nothing was computed."""

    def __init__(self) -> None:
        super().__init__("This was not computed, because something else was asked for in the meantime.")


class QuickAnswers:
    """Answers that come at once, such as those of a slider: computed beside the server, each position once."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._known: OrderedDict[Key, Answer] = OrderedDict()
        self._coming: dict[Key, asyncio.Task[Answer]] = {}
        self._jobs: dict[Key, Job] = {}
        self._waiting: dict[Key, set[str]] = {}  # who waits for what: the seats that asked

    async def ask(self, key: Key, task: str, arguments: Mapping[str, object], *, seat: str = "") -> Answer:
        """The answer; a DissensusError where there is none.

        Whoever asks from the same seat again no longer wants what they asked for before: if nobody else does, and no
        worker has begun with it, it is dropped.
        """
        if seat:
            self._leave(seat, key)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if key not in self._coming:
            job = Job(key=key, task=task, arguments=arguments)
            self._pool.submit(job)  # at once, so that it can be dropped from now on
            self._jobs[key] = job
            self._coming[key] = asyncio.create_task(self._computed(job))
        self._waiting.setdefault(key, set()).add(seat)
        # A visitor who goes away must not take the answer from the others who wait for it.
        return await asyncio.shield(self._coming[key])

    def _leave(self, seat: str, key: Key) -> None:
        for other, seats in self._waiting.items():
            if other != key and seat in seats:
                seats.discard(seat)
                job = self._jobs.get(other)
                if not seats and job is not None and job.status == "waiting":
                    self._pool.cancel(job)

    async def _computed(self, job: Job) -> Answer:
        key = job.key
        try:
            await self._pool.finished(job)
        finally:
            del self._coming[key], self._jobs[key]
            self._waiting.pop(key, None)
        if job.status == "cancelled":
            raise SupersededError
        if job.status != "done":
            raise DissensusError(job.error)
        self._known[key] = job.result
        if len(self._known) > MOST_REMEMBERED:
            self._known.popitem(last=False)
        return job.result


MOST_KEPT = 200  # answers that are kept; of more the oldest are forgotten


class JobBook:
    """The jobs that were asked for, found by their id or by what they answer."""

    def __init__(self, pool: Pool, *, keep_seconds: float) -> None:
        self._pool, self._keep = pool, keep_seconds
        self._by_id: dict[str, Job] = {}
        self._by_key: dict[Key, Job] = {}

    def ask(self, key: Key, task: str, arguments: Mapping[str, object]) -> Job:
        """The job that answers a question: the one that did or does, or a new one."""
        self.tidy()
        known = self.answering(key)
        if known is not None and known.status not in {"failed", "cancelled"}:
            return known
        job = Job(key=key, task=task, arguments=arguments)
        self._pool.submit(job)
        self._by_id[job.id] = self._by_key[key] = job
        return job

    def answering(self, key: Key) -> Job | None:
        """The last job about a question, if there was one."""
        return self._by_key.get(key)

    def find(self, id_: str) -> Job | None:
        """A job by its id."""
        return self._by_id.get(id_)

    def tidy(self) -> None:
        """Forget jobs that ended long ago, and the oldest of too many."""
        now = time.monotonic()
        ended = [job for job in self._by_id.values() if job.ended is not None]
        old = [job for job in ended if job.ended is not None and now - job.ended > self._keep]
        for job in {id(job): job for job in [*old, *ended[: max(len(ended) - MOST_KEPT, 0)]]}.values():
            del self._by_id[job.id]
            if self._by_key.get(job.key) is job:
                del self._by_key[job.key]

    def forget_data(self, data: str) -> None:
        """Stop and forget what is about an upload that is gone."""
        for job in [job for job in self._by_id.values() if job.data == data]:
            self._pool.cancel(job)
            del self._by_id[job.id]
            self._by_key.pop(job.key, None)

    def about(self, data: str) -> list[Job]:
        """The jobs about a data set that are done, the latest first."""
        return [job for job in reversed(self._by_id.values()) if job.status == "done" and job.data == data]
