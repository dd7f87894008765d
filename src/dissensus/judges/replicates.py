"""Bootstrap samples of the items, the same for every judge and every definition."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from dissensus.engine import Engine, Progress, open_executor, run_tasks
from dissensus.judges.aggregation import Floats
from dissensus.judges.problem import Problem
from dissensus.judges.scoring import Scores, Statistics, scores_of

REPLICATES_PER_TASK = 50
"""Fixed, so that the streams of random numbers do not depend on the number of workers."""


def draw_weights(strata: Sequence[int], replicates: int, rng: Generator, *, copies: Floats | None = None) -> Floats:
    """How often each item is drawn with replacement, as many as there are within each stratum.

    Parameters
    ----------
    strata : sequence of int
        Numbers of items: those that are compared, and others whose paired ratings are used.
    replicates : int
        How many samples to draw.
    rng : Generator
        Source of random numbers.
    copies : ndarray of shape (n_items,), optional
        How many items of the data each one stands for, all strata in a row; then these are drawn, and the copies of an
        item counted together.

    Returns
    -------
    ndarray of shape (replicates, n_items)
    """
    parts = []
    for items, end in zip(strata, np.cumsum(strata), strict=True):
        if copies is None:
            drawn = rng.integers(max(items, 1), size=(replicates, items))
            drawn += items * np.arange(replicates)[:, None]
            parts.append(np.bincount(drawn.ravel(), minlength=replicates * items).reshape(replicates, items))
        elif items:
            own = copies[end - items : end]
            parts.append(rng.multinomial(int(own.sum()), own / own.sum(), size=replicates))
    return np.concatenate(parts, axis=1).astype(np.float64)


def bootstrap_scores(
    problem: Problem,
    statistics: Statistics,
    *,
    replicates: int,
    rng: int | Generator | None,
    engine: Engine,
    workers: int,
    progress: Progress | None,
) -> Scores | None:
    """Scores of bootstrap samples; None if there are to be none."""
    sizes = [min(REPLICATES_PER_TASK, replicates - done) for done in range(0, replicates, REPLICATES_PER_TASK)]
    if not sizes:
        return None
    tasks = [(problem, statistics, size) for size in sizes]
    with open_executor(engine, workers=workers) as executor:
        parts = run_tasks(executor, _run, tasks, rng=rng, progress=progress)
    names = ("values", "consistency", "judged_positive", "prevalence", "reverse", "own_beta")
    return Scores(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def _run(task: tuple[Problem, Statistics, int], rng: Generator) -> Scores:
    problem, statistics, replicates = task
    strata = (problem.n_items, problem.pool - problem.n_items)
    weights = draw_weights(strata, replicates, rng, copies=problem.pool_copies)
    return scores_of(problem, statistics, weights)
