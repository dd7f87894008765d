import time
from collections.abc import Mapping

from dissensus.web.work.job import Job, Key
from dissensus.web.work.pool import Pool

MOST_KEPT = 200
"""Answers that are kept; of more the oldest are forgotten."""


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

    def cancel(self, job: Job) -> None:
        """Stop a job."""
        self._pool.cancel(job)

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
        for job in [job for job in self._by_id.values() if data in job.key]:
            self._pool.cancel(job)
            del self._by_id[job.id]
            self._by_key.pop(job.key, None)

    def about(self, data: str) -> list[Job]:
        """The jobs about a data set that are done, the latest first."""
        return [job for job in reversed(self._by_id.values()) if job.status == "done" and data in job.key]
