"""A whole run: every request that has no answer yet, several at a time."""

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dissensus.eliciting.asking import Asker, Progress, Standing, Stop
from dissensus.eliciting.cache import Cache
from dissensus.eliciting.client import Client
from dissensus.eliciting.endpoints import Endpoint
from dissensus.eliciting.requests import Plan
from dissensus.eliciting.settling import settle
from dissensus.eliciting.turns import Turns

T = TypeVar("T")


def run(
    plan: Plan, endpoint: Endpoint, cache: Cache, *, progress: Progress | None
) -> tuple[Plan, Standing, Stop | None]:
    """Ask all that is not answered yet.

    Returns
    -------
    Plan
        In the form in which the server was asked.
    Standing
        What was asked and used.
    Stop, optional
        Why some requests were not asked, if so.
    """
    with Turns(cache.path) as turns:
        return _finished(_run(plan, endpoint, cache, progress=progress, backwards=not turns.is_first))


async def _run(
    plan: Plan, endpoint: Endpoint, cache: Cache, *, progress: Progress | None, backwards: bool
) -> tuple[Plan, Standing, Stop | None]:
    client = Client(endpoint, concurrency=plan.question.concurrency, timeout=plan.question.timeout)
    asker = Asker(client, cache, plan.question, total=len(plan), progress=progress)
    try:
        plan, begun = await settle(plan, asker, cache)
        order = range(len(plan) - 1, -1, -1) if backwards else range(len(plan))
        numbers = (number for number in order if number != begun)
        tasks = [_work(plan, numbers, asker, cache) for _ in range(plan.question.concurrency)]
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
