"""Run tasks, each with its own stream of random numbers, so that the number of workers never changes a number."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import TypeVar

import numpy as np
from numpy.random import Generator

Task = TypeVar("Task")
T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Told how many tasks are done, and of how many."""


def run_tasks(
    executor: Executor,
    function: Callable[[Task, Generator], T],
    tasks: Sequence[Task],
    *,
    rng: int | Generator | None = None,
    progress: Progress | None = None,
) -> list[T]:
    """Results of `function(task, stream)` for each task, in the order of the tasks.

    The streams belong to the tasks, not to the workers: one worker or ten, the same numbers come out.

    Examples
    --------
    >>> from dissensus.engine.executors import HereExecutor
    >>> run_tasks(HereExecutor(), lambda scale, stream: int(scale * stream.integers(10)), [1, 1], rng=0)
    [8, 6]
    """
    streams = np.random.default_rng(rng).spawn(len(tasks))
    results = []
    for done, result in enumerate(executor.map(function, tasks, streams), start=1):
        results.append(result)
        if progress is not None:
            progress(done, len(tasks))
    return results


def seed_of(rng: int | Generator | None) -> int | None:
    """The seed to write down: a number if one was given."""
    return rng if isinstance(rng, int) else None
