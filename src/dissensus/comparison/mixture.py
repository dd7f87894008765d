"""The resampling of Wein et al. (2023): items and responses drawn anew, with and without a difference."""

import numpy as np
from numpy.random import Generator

from dissensus.comparison.coordinates import Cloud
from dissensus.comparison.metrics.distances import Floats
from dissensus.comparison.problem import Problem

MOST_NUMBERS = 2_000_000
"""How many numbers are held at a time."""


def mixture_differences(problem: Problem, resamples: int, rng: Generator) -> Floats:
    """Differences of scores in test sets drawn from the data, under the null hypothesis and under the alternative.

    Items are drawn with replacement, then responses of each item with replacement. In the alternative each judge's come
    from its own; in the null hypothesis each response of both comes from A's with chance 1/2, else from B's.

    Returns
    -------
    ndarray of shape (resamples, 2)
        Null hypothesis, alternative.
    """
    pooled = _pooled(problem.a, problem.b)
    size = max(1, MOST_NUMBERS // (2 * problem.most_numbers))
    parts = []
    for done in range(0, resamples, size):
        rows = min(size, resamples - done)
        null = _differences(problem, pooled, pooled, rows, rng)
        alternative = _differences(problem, problem.a, problem.b, rows, rng)
        parts.append(np.stack([null, alternative], axis=1))
    return np.concatenate(parts)


def mixture_p_value(differences: Floats) -> float:
    """Chance that a test set of the null hypothesis differs as much as one of the alternative, ties counted.

    Parameters
    ----------
    differences : ndarray of shape (n, 2)
        Null hypothesis, alternative; signs are turned where the alternative is below.

    Examples
    --------
    >>> mixture_p_value(np.array([[0.0, 1.0], [1.0, 2.0]]))
    0.25
    """
    null, alternative = differences.T
    if np.median(null) > np.median(alternative):
        null, alternative = -null, -alternative
    below = np.searchsorted(np.sort(null), alternative, side="left")
    return float(1 - below.mean() / len(null))


def _pooled(a: Cloud, b: Cloud) -> Cloud:
    """The responses of both, those of each weighing one half; as if A and B gave one response together."""
    halves = [cloud.times / cloud.sizes[:, None] / 2 for cloud in (a, b)]
    return Cloud(vectors=np.concatenate([a.vectors, b.vectors], axis=1), times=np.concatenate(halves, axis=1))


def _differences(problem: Problem, a: Cloud, b: Cloud, rows: int, rng: Generator) -> Floats:
    """Differences of scores in test sets with a's and b's responses; as many for each item as A and B have."""
    item = rng.integers(problem.n_items, size=(rows, problem.n_items))
    means = [
        _redrawn(cloud, sizes, item, rng)
        for cloud, sizes in ((a, problem.a.sizes), (b, problem.b.sizes), (problem.people, problem.people.sizes))
    ]
    return problem.metric.score(problem.columns(*means)).difference


def _redrawn(
    cloud: Cloud, sizes: Floats, item: np.ndarray[tuple[int, ...], np.dtype[np.intp]], rng: Generator
) -> Floats:
    """Means of so many responses drawn with replacement, of shape (rows, n_items, n_coordinates)."""
    chances = cloud.times / cloud.sizes[:, None]
    drawn = rng.multinomial(sizes.astype(np.int64)[item], chances[item])
    return np.asarray(np.einsum("rim,rimc->ric", drawn, cloud.vectors[item]) / sizes[item][..., None])
