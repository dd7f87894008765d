"""One request until it is answered, and what all requests have in common: the budget, pauses and when to stop."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from dissensus.eliciting.cache import Cache, Entry
from dissensus.eliciting.client import Client
from dissensus.eliciting.committing import Committer
from dissensus.eliciting.limits import Budget, tokens_at_most, tokens_spent
from dissensus.eliciting.question import Question
from dissensus.eliciting.replies import Reply
from dissensus.eliciting.requests import Request
from dissensus.eliciting.retrying import LONGEST_ASKED_WAIT, backoff
from dissensus.eliciting.troubles import Trouble

FEWEST_IN_A_ROW = 5
"""So many requests in a row must fail, or as many as are under way at a time, before a server is given up; and they
must be about as many items, unless it is plain that the server is at fault: one item may be too long for it."""
TOO_MANY_REQUESTS = 429


@dataclass(slots=True, kw_only=True)
class Standing:
    """How far a run is.

    Attributes
    ----------
    total, cached, answered, failed : int
        Requests: all of them, those that an earlier run answered, and what became of the others so far.
    sent : int
        Requests on the wire, tries included.
    prompt_tokens, answer_tokens : int
        Used so far, as far as the server tells.
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
    """No more is to be asked in this run.

    Attributes
    ----------
    reason : str
        Why, in one line.
    is_fatal : bool
        Whether nothing that was asked could be answered, as with a wrong key.
    """

    def __init__(self, reason: str, *, is_fatal: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.is_fatal = reason, is_fatal


class Asker:
    """Asks one request after the other, from several tasks at once.

    Every answer is committed before it is counted. What stops one task stops all of them, after the requests that are
    under way: what they cost is not thrown away.
    """

    def __init__(
        self, client: Client, cache: Cache, question: Question, *, total: int, progress: Progress | None
    ) -> None:
        self._client, self._question, self._progress = client, question, progress
        self._committer = Committer(cache, most=question.concurrency, on_error=lambda: self.halt(Stop("an error")))
        self._budget = Budget(max_requests=question.max_requests, max_tokens=question.max_tokens_total)
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
            if trouble.kind == "final" or attempt == self._question.retries or not self._may_wait(trouble):
                break
            await self._back_off(trouble, attempt, request)
            attempt += 1
        if not is_probe or trouble.kind != "final":
            await self.record_failure(request, trouble)
        return trouble

    async def _try(self, request: Request) -> Trouble | None:
        """Send a request once."""
        most = tokens_at_most(request, self._question.max_tokens)
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
        await self._budget.settle(most, spent=tokens_spent(reply, request, self._question.max_tokens))
        self._failed_in_a_row.clear()
        await self._committer.save(self._entry(request, reply=reply), lambda: self._count(reply))
        return None

    async def record_failure(self, request: Request, trouble: Trouble) -> None:
        """Record that a request has no answer; many in a row mean that no other will have one."""
        await self._committer.save(self._entry(request, failure=trouble.reason), lambda: self._count(None))
        row = self._failed_in_a_row
        row.append((request.item, trouble.is_unreachable or trouble.status == TOO_MANY_REQUESTS))
        fewest = max(FEWEST_IN_A_ROW, self._question.concurrency)
        is_server = sum(at_fault for _, at_fault in row) >= fewest
        if is_server or (len(row) >= fewest and len({item for item, _ in row}) >= FEWEST_IN_A_ROW):
            said = trouble.reason.rstrip(".")
            self.halt(Stop(f"{len(row)} requests in a row failed, the last with: {said}"))

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
        url, model = self._question.base_url, self._question.model
        return Entry(key=request.key, endpoint=url, model=model, sample=request.sample, reply=reply, failure=failure)

    def _may_wait(self, trouble: Trouble) -> bool:
        return trouble.wait is None or trouble.wait <= LONGEST_ASKED_WAIT

    async def _back_off(self, trouble: Trouble, attempt: int, request: Request) -> None:
        """Wait before the next try; where the server says how long, all tasks do."""
        if trouble.wait is not None:
            until = asyncio.get_running_loop().time() + trouble.wait
            self._free_at = max(self._free_at, until)
        await self._wait(max(trouble.wait or 0.0, backoff(attempt, seed=self._question.seed, key=request.key)))

    async def _wait(self, seconds: float) -> None:
        """Wait, but no longer than until the end of the run."""
        if seconds <= 0 or self.is_halted:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._halted.wait()
        except TimeoutError:
            return
