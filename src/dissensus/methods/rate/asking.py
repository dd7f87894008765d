"""One request until it is answered, and what all requests have in common: the budget, pauses and when to stop."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, TypeVar, cast
from urllib.parse import urlsplit

from dissensus.methods.rate.cache import Cache, Committer, Entry
from dissensus.methods.rate.client import LONGEST_ASKED_WAIT, Client, Reply, Trouble, backoff
from dissensus.methods.rate.options import OPENAI, Endpoint, RateOptions
from dissensus.methods.rate.requests import LengthKey, Plan, Request
from dissensus.options import named, spelled

OVERHEAD_TOKENS = 64  # what a server's chat template may add to a prompt


def tokens_at_most(request: Request, max_tokens: int) -> int:
    """What a request can cost: no tokenizer makes more tokens of a text than it has bytes."""
    return len(request.prompt.encode()) + OVERHEAD_TOKENS + max_tokens


def tokens_spent(reply: Reply, request: Request, max_tokens: int) -> int:
    """What a reply has cost: as the server says, and the most that it can be where it does not, or says nothing."""
    read = reply.prompt_tokens or tokens_at_most(request, 0)
    if reply.answer_tokens is not None and (reply.answer_tokens or not reply.text):
        return read + reply.answer_tokens
    return read + max_tokens


class Budget:
    """What a run may spend: requests, tries included, and tokens.

    A request first reserves the most that it can cost, so that the limit is never passed, however many are under way.
    """

    def __init__(self, *, max_requests: int | None, max_tokens: int | None) -> None:
        self._max_requests, self._max_tokens = max_requests, max_tokens
        self._change = asyncio.Condition()
        self._under_way = 0
        self._reserved = 0
        self.requests = 0
        self.tokens = 0

    async def reserve(self, tokens: int) -> str | None:
        """Wait until a request of at most this many tokens fits; the name of the limit if it never will."""
        if self._max_requests is None and self._max_tokens is None:
            return None
        async with self._change:
            while True:
                if self._max_requests is not None and self.requests >= self._max_requests:
                    return named("max_requests")
                if self._max_tokens is None or self.tokens + self._reserved + tokens <= self._max_tokens:
                    break
                if not self._under_way:
                    return named("max_tokens_total")
                await self._change.wait()
            self.requests += 1
            self._under_way += 1
            self._reserved += tokens
            return None

    async def settle(self, reserved: int, *, spent: int) -> None:
        """Say what a request has cost in the end."""
        if self._max_tokens is None:
            return
        async with self._change:
            self._under_way -= 1
            self._reserved -= reserved
            self.tokens += spent
            self._change.notify_all()


FEWEST_IN_A_ROW = 5
"""This many requests in a row must fail, or as many as are under way at a time, before a server is given up; and they
must be about as many items, unless it is plain that the server is at fault: one item may be too long for it."""
TOO_MANY_REQUESTS = 429


@dataclass(slots=True, kw_only=True)
class Standing:
    """How far a run is: requests of all, those that an earlier run answered, and what became of the others so far.

    Sent are those on the wire, tries included; tokens are those used so far, as the server reports.
    """

    total: int
    cached: int = 0
    answered: int = 0
    failed: int = 0
    sent: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0

    @property
    def done(self) -> int:
        """Requests that need no more asking in this run."""
        return self.cached + self.answered + self.failed


Progress = Callable[[Standing], None]


class Stop(Exception):  # noqa: N818 - the end of a run, not always an error
    """No more is to be asked in this run; fatal where nothing could be answered, as with a wrong key."""

    def __init__(self, reason: str, *, is_fatal: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.is_fatal = reason, is_fatal


class Asker:
    """Asks one request after the other, from several tasks at once.

    Every answer is committed before it is counted. What stops one task stops all of them, after the requests that are
    under way: what they cost is not thrown away.
    """

    def __init__(
        self, client: Client, cache: Cache, options: RateOptions, *, total: int, progress: Progress | None
    ) -> None:
        self._client, self._options, self._progress = client, options, progress
        self._committer = Committer(cache, most=options.concurrency, on_error=lambda: self.halt(Stop("an error")))
        self._budget = Budget(max_requests=options.max_requests, max_tokens=options.max_tokens_total)
        self._halted = asyncio.Event()
        self._free_at = 0.0  # nothing is sent before this time of the loop's clock
        self._failed_in_a_row: list[tuple[str, bool]] = []  # the items, and whether it was the server's fault
        self.standing = Standing(total=total)
        self.stop: Stop | None = None

    @property
    def is_halted(self) -> bool:
        """Whether no more is to be asked."""
        return self._halted.is_set()

    def halt(self, stop: Stop) -> None:
        """Let no task send anything more; the first reason counts."""
        self.stop = self.stop or stop
        self._halted.set()

    async def ask(self, request: Request, *, is_probe: bool = False) -> Trouble | None:
        """Ask until there is an answer, or until it is of no use to go on; the last trouble if there is no answer.

        A probe that fails for good is not recorded: it will be asked again in another form.
        """
        attempt = 0
        while True:
            await self._wait(self._free_at - asyncio.get_running_loop().time())
            trouble = await self._try(request)
            if trouble is None or self.is_halted:
                return trouble
            if trouble.kind == "fatal" or (trouble.is_unreachable and not self.standing.answered):
                self.halt(Stop(trouble.reason, is_fatal=True))
                return trouble
            if trouble.kind == "final" or attempt == self._options.retries or not self._may_wait(trouble):
                break
            await self._back_off(trouble, attempt, request)
            attempt += 1
        if not is_probe or trouble.kind != "final":
            await self.record_failure(request, trouble)
        return trouble

    async def _try(self, request: Request) -> Trouble | None:
        """Send a request once."""
        most = tokens_at_most(request, self._options.max_tokens)
        limit = None if self.is_halted else await self._budget.reserve(most)
        if limit is not None:
            self.halt(Stop(f"{limit} is reached"))
        if self.is_halted:
            return Trouble("not asked", kind="final")
        self.standing.sent += 1
        try:
            reply = await self._client.send(request.body)
        except Trouble as trouble:
            await self._budget.settle(most, spent=most if trouble.is_spent else 0)
            return trouble
        await self._budget.settle(most, spent=tokens_spent(reply, request, self._options.max_tokens))
        self._failed_in_a_row.clear()
        await self._committer.save(self._entry(request, reply=reply), lambda: self._count(reply))
        return None

    async def record_failure(self, request: Request, trouble: Trouble) -> None:
        """Record that a request has no answer; many in a row mean that no other will have one."""
        await self._committer.save(self._entry(request, failure=spelled(trouble.reason)), lambda: self._count(None))
        row = self._failed_in_a_row
        row.append((request.item, trouble.is_unreachable or trouble.status == TOO_MANY_REQUESTS))
        fewest = max(FEWEST_IN_A_ROW, self._options.concurrency)
        is_server = sum(at_fault for _, at_fault in row) >= fewest
        if is_server or (len(row) >= fewest and len({item for item, _ in row}) >= FEWEST_IN_A_ROW):
            self.halt(Stop(f"{len(row)} requests in a row failed, the last with: {trouble.reason.rstrip('.')}"))

    def count_cached(self) -> None:
        """Count a request that an earlier run answered."""
        self.standing.cached += 1
        self._tell()

    def _count(self, reply: Reply | None) -> None:
        """Count a request whose outcome is on the disk."""
        if reply is None:
            self.standing.failed += 1
        else:
            self.standing.answered += 1
            self.standing.prompt_tokens += reply.prompt_tokens or 0
            self.standing.answer_tokens += reply.answer_tokens or 0
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self.standing)

    async def saved(self) -> None:
        """Wait until every outcome is on the disk."""
        await self._committer.saved()

    async def close(self) -> None:
        """Stop saving and close the connections."""
        await self._committer.close()
        await self._client.close()

    def _entry(self, request: Request, *, reply: Reply | None = None, failure: str | None = None) -> Entry:
        url, model = self._options.base_url, self._options.model
        return Entry(key=request.key, endpoint=url, model=model, sample=request.sample, reply=reply, failure=failure)

    def _may_wait(self, trouble: Trouble) -> bool:
        return trouble.wait is None or trouble.wait <= LONGEST_ASKED_WAIT

    async def _back_off(self, trouble: Trouble, attempt: int, request: Request) -> None:
        """Wait before the next try; where the server says how long, all tasks do."""
        if trouble.wait is not None:
            until = asyncio.get_running_loop().time() + trouble.wait
            self._free_at = max(self._free_at, until)
        await self._wait(max(trouble.wait or 0.0, backoff(attempt, seed=self._options.seed, key=request.key)))

    async def _wait(self, seconds: float) -> None:
        """Wait, but no longer than until the end of the run."""
        if seconds <= 0 or self.is_halted:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._halted.wait()
        except TimeoutError:
            return


# ---- In which form a server takes requests: found out with the first one, and remembered

SCHEMA, LIMIT = "json_schema", "length_key"
YES, NO = "yes", "no"


def first_plan(plan: Plan, learned: dict[str, str]) -> Plan:
    """The plan in the form that is known to work, or most likely does."""
    structured = plan.options.structured
    is_openai = urlsplit(plan.options.base_url).hostname == urlsplit(OPENAI).hostname
    likely: LengthKey = "max_completion_tokens" if is_openai else "max_tokens"
    return replace(
        plan,
        as_json=learned.get(SCHEMA, YES) == YES if structured == "auto" else structured == "json-schema",
        length_key=cast("LengthKey", learned.get(LIMIT, likely)),
    )


def is_settled(plan: Plan, learned: dict[str, str]) -> bool:
    """Whether nothing is left to find out."""
    return LIMIT in learned and (plan.options.structured != "auto" or SCHEMA in learned)


async def settle(plan: Plan, asker: Asker, cache: Cache) -> tuple[Plan, int | None]:
    """The plan in the form that the server takes, if any, and the number of the request if one was asked.

    One question is asked in one form after the other, about the shortest item: one that is too long for a server would
    be refused in every form. A server that knows no JSON schemas refuses a request with one; then letters are asked
    for. Some models want the limit on tokens under its newer name, and say so.
    """
    url, model = plan.options.base_url, plan.options.model
    if is_settled(plan, cache.learned(url, model)):
        return plan, None
    trouble, number = None, _shortest(plan)
    for form in _forms(plan):
        request = form.request(number)
        is_known = cache.has_answer(request.key)
        trouble = None if is_known else await asker.ask(request, is_probe=True)
        await asker.saved()
        if trouble is None:
            cache.learn(url, model, _findings(form))
            return form, None if is_known else number
        if asker.is_halted or trouble.kind != "final":
            return plan, None if asker.is_halted else number
    await asker.record_failure(plan.request(number), trouble or Trouble("not asked", kind="final"))
    return plan, number


def _shortest(plan: Plan) -> int:
    """The number of the first request about the item with the shortest text."""
    lengths = [sum(map(len, item.texts)) for item in plan.items]
    return lengths.index(min(lengths)) * plan.per_item


def _findings(form: Plan) -> dict[str, str]:
    learned: dict[str, str] = {LIMIT: form.length_key}
    if form.options.structured == "auto":
        learned[SCHEMA] = YES if form.as_json else NO
    return learned


def _forms(plan: Plan) -> list[Plan]:
    """The forms to try, the most wanted first."""
    other: LengthKey = "max_completion_tokens" if plan.length_key == "max_tokens" else "max_tokens"
    forms = [plan, replace(plan, length_key=other)]
    if plan.as_json and plan.options.structured == "auto":
        forms += [replace(form, as_json=False) for form in forms]
    return forms


try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment] # not on Windows


class Turns:
    """Tells whether this process is the first to use a cache.

    A second one starts at the other end, so that the two meet in the middle instead of asking everything twice. That is
    a kindness and no lock: where that is unknown, all are first, and the cache keeps one answer of each.
    """

    def __init__(self, cache: Path) -> None:
        self._path = cache.with_name(f"{cache.name}.lock")
        self._file: int | None = None
        self.is_first = True

    def __enter__(self) -> Self:
        if fcntl is None:
            return self
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.is_first = False
        except OSError:
            pass
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is None:
            return
        if self.is_first:
            self._path.unlink(missing_ok=True)
        os.close(self._file)


# ---- A whole run: every request that has no answer yet, several at a time

T = TypeVar("T")


def run(
    plan: Plan, endpoint: Endpoint, cache: Cache, *, progress: Progress | None
) -> tuple[Plan, Standing, Stop | None]:
    """Ask all that is not answered yet: the plan in the form that was asked, how far it came, and why it stopped."""
    with Turns(cache.path) as turns:
        return _finished(_run(plan, endpoint, cache, progress=progress, backwards=not turns.is_first))


async def _run(
    plan: Plan, endpoint: Endpoint, cache: Cache, *, progress: Progress | None, backwards: bool
) -> tuple[Plan, Standing, Stop | None]:
    client = Client(endpoint, concurrency=plan.options.concurrency, timeout=plan.options.timeout)
    asker = Asker(client, cache, plan.options, total=len(plan), progress=progress)
    try:
        plan, begun = await settle(plan, asker, cache)
        order = range(len(plan) - 1, -1, -1) if backwards else range(len(plan))
        numbers = (number for number in order if number != begun)
        tasks = [_work(plan, numbers, asker, cache) for _ in range(plan.options.concurrency)]
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        await asker.saved()
    finally:
        await asker.close()
    for outcome in outcomes:
        if outcome is not None:
            raise outcome
    return plan, asker.standing, asker.stop


async def _work(plan: Plan, numbers: Iterator[int], asker: Asker, cache: Cache) -> None:
    """Ask one request after the other, as long as there are any that no task has taken."""
    try:
        for number in numbers:
            if asker.is_halted:
                return
            request = plan.request(number)
            if cache.has_answer(request.key):
                asker.count_cached()
                await asyncio.sleep(0)  # let the others work
            else:
                await asker.ask(request)
    except Exception:
        asker.halt(Stop("an error"))
        raise


def _finished(work: Coroutine[None, None, T]) -> T:
    """The outcome of the work; in a thread of its own where an event loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
