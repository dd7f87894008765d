"""Item bootstrap of coefficients of agreement, by reweighting types."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.agreement.sums import Floats
from dissensus.engine import Progress, run_tasks
from dissensus.ratings import CountTypes

Measure = Callable[..., Floats]
"""Called as measure(types, weights=weights)."""

REPLICATES_PER_TASK = 50
"""Fixed, so that the streams of random numbers do not depend on the number of workers."""


@dataclass(frozen=True, slots=True)
class _Job:
    types: CountTypes
    measures: Mapping[str, Measure]
    replicates: int


def draw_weights(types: CountTypes, replicates: int, rng: Generator) -> npt.NDArray[np.intp]:
    """How often each type is drawn when as many items as there are are drawn with replacement.

    Returns
    -------
    ndarray of shape (replicates, n_types)
    """
    n_items, n_types = int(types.items.sum()), types.n_types
    if n_items > 8 * n_types:
        # Few types: one multinomial draw instead of one draw per item.
        return rng.multinomial(n_items, types.items / n_items, size=replicates)
    type_of = np.repeat(np.arange(n_types), types.items)
    # A row at a time takes the same random numbers as all at once, and much less memory.
    rows = [np.bincount(type_of[rng.integers(n_items, size=n_items)], minlength=n_types) for _ in range(replicates)]
    return np.stack(rows) if rows else np.empty((0, n_types), dtype=np.intp)


def replicate(
    samples: Sequence[tuple[CountTypes, Mapping[str, Measure]]],
    *,
    replicates: int,
    rng: int | Generator | None,
    executor: Executor,
    progress: Progress | None = None,
) -> list[dict[str, Floats]]:
    """Bootstrap values of each measure, for each sample of items.

    Parameters
    ----------
    samples : sequence of (CountTypes, mapping of name to measure)
        What to resample and what to compute on it.
    replicates : int
        How many bootstrap samples to draw of each.
    rng, executor, progress
        As in `run_tasks`.

    Returns
    -------
    list of dict from name to ndarray of shape (replicates,)
        One dict per sample.
    """
    sizes = [min(REPLICATES_PER_TASK, replicates - done) for done in range(0, replicates, REPLICATES_PER_TASK)]
    jobs = [_Job(types, measures, size) for types, measures in samples for size in sizes]
    parts = run_tasks(executor, _run, jobs, rng=rng, progress=progress)
    grouped = [parts[i : i + len(sizes)] for i in range(0, len(parts), len(sizes))] if sizes else []
    return [{name: np.concatenate([part[name] for part in group]) for name in group[0]} for group in grouped]


def _run(job: _Job, stream: Generator) -> dict[str, Floats]:
    weights = draw_weights(job.types, job.replicates, stream)
    return {name: measure(job.types, weights=weights) for name, measure in job.measures.items()}
