"""Could both judges' responses come from the same distribution? Deal them out anew, item by item."""

import numpy as np
from numpy.random import Generator

from dissensus.comparison.coordinates import Cloud
from dissensus.comparison.metrics.distances import Floats
from dissensus.comparison.problem import Problem

MOST_NUMBERS = 2_000_000
"""How many numbers are held at a time."""


def permuted_differences(problem: Problem, resamples: int, rng: Generator) -> Floats:
    """Differences of scores after each item's responses of both judges were dealt out to them at random.

    Each judge keeps its number of responses.

    Returns
    -------
    ndarray of shape (resamples,)
    """
    pooled = np.concatenate([problem.a.vectors, problem.b.vectors], axis=1)
    is_there = np.concatenate([problem.a.times, problem.b.times], axis=1) > 0
    people = problem.people.mean()
    size = max(1, MOST_NUMBERS // (problem.n_items * pooled.shape[2]))
    parts = []
    for done in range(0, resamples, size):
        dealt = _dealt(pooled, is_there, problem.a, min(size, resamples - done), rng)
        total = np.einsum("imc,im->ic", pooled, is_there)
        a = dealt / problem.a.sizes[:, None]
        b = (total - dealt) / problem.b.sizes[:, None]
        parts.append(problem.metric.score(problem.columns(a, b, np.broadcast_to(people, a.shape))).difference)
    return np.concatenate(parts)


def _dealt(
    pooled: Floats, is_there: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], a: Cloud, resamples: int, rng: Generator
) -> Floats:
    """Sum of the responses that A gets, of shape (resamples, n_items, n_coordinates).

    Goes through the responses of all items at once and takes each with the chance that exactly the right number of them
    is taken in the end (selection sampling, Knuth's Algorithm S).
    """
    n_items, most, n_coordinates = pooled.shape
    total = np.zeros((resamples, n_items, n_coordinates))
    wanted = np.broadcast_to(a.sizes, (resamples, n_items)).copy()
    left = is_there.sum(axis=1).astype(np.float64)
    for place in range(most):
        takes = (rng.random((resamples, n_items)) * left < wanted) & is_there[:, place]
        total += takes[..., None] * pooled[:, place, :]
        wanted -= takes
        left -= is_there[:, place]
    return total
