import asyncio
from collections import OrderedDict
from collections.abc import Mapping

from dissensus.errors import DissensusError
from dissensus.web.work.job import Job, Key
from dissensus.web.work.pool import Pool

MOST_REMEMBERED = 1000
Answer = Mapping[str, object]


class QuickAnswers:
    """Answers that come at once, such as those of a slider: computed beside the server, each position once."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._known: OrderedDict[Key, Answer] = OrderedDict()
        self._coming: dict[Key, asyncio.Task[Answer]] = {}

    async def ask(self, key: Key, task: str, arguments: Mapping[str, object]) -> Answer:
        """The answer; a DissensusError where there is none."""
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if key not in self._coming:
            self._coming[key] = asyncio.create_task(self._compute(key, task, arguments))
        # A visitor who goes away must not take the answer from the others who wait for it.
        return await asyncio.shield(self._coming[key])

    async def _compute(self, key: Key, task: str, arguments: Mapping[str, object]) -> Answer:
        try:
            job = Job(key=key, task=task, arguments=arguments)
            self._pool.submit(job)
            await self._pool.finished(job)
        finally:
            del self._coming[key]
        if job.status != "done":
            raise DissensusError(job.error)
        self._known[key] = job.result
        if len(self._known) > MOST_REMEMBERED:
            self._known.popitem(last=False)
        return job.result
