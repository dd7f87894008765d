import asyncio

from dissensus.eliciting.replies import Reply
from dissensus.eliciting.requests import Request

OVERHEAD_TOKENS = 64
"""What a server's chat template may add to a prompt."""


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
        """Wait until a request of at most so many tokens fits; the name of the limit if it never will."""
        if self._max_requests is None and self._max_tokens is None:
            return None
        async with self._change:
            while True:
                if self._max_requests is not None and self.requests >= self._max_requests:
                    return "--max-requests"
                if self._max_tokens is None or self.tokens + self._reserved + tokens <= self._max_tokens:
                    break
                if not self._under_way:
                    return "--max-tokens-total"
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
