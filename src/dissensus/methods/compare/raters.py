"""Raters as a sample: how far the difference of two judges would move with other raters like these."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Ratings
from dissensus.data.align import Responses
from dissensus.methods.compare.pairs import Cloud, NamedPair, Pairs, Problem
from dissensus.sampling.raters import Cells, rater_draws, rater_pool


class RaterNoise(NamedTuple):
    """What moves the differences of a pair; pairs share the draws behind it."""

    test: Floats  # (resamples,): those under the null hypothesis
    bootstrap: Floats  # (bootstrap,): those of bootstrap samples


def on_items_of(pairs: Sequence[NamedPair], ratings: Ratings) -> Ratings:
    """The ratings of the items of these pairs."""
    is_used = np.zeros(ratings.n_items, dtype=np.bool_)
    for pair in pairs:
        is_used[pair.rows] = True
    return ratings if is_used.all() else ratings.where(is_used[ratings.item])


def noise_of(asked: Pairs, *, sizes: tuple[int, int], stream: Generator) -> list[RaterNoise]:
    """What raters add to the difference of each pair, for these numbers of resamples of the test and of the bootstrap.

    What a calibration learned is kept: to first order it does not matter who taught it.
    """
    ratings, people, pairs = asked.ratings, asked.people, asked.pairs
    used = on_items_of(pairs, ratings)
    pool = rater_pool(used, stream)
    items = np.flatnonzero(np.isin(ratings.items, used.items)) if used is not ratings else np.arange(ratings.n_items)
    labels = np.array([ratings.labels.index(label) for label in used.labels], dtype=np.intp)
    means = [(pair.problem.a.mean(), pair.problem.b.mean()) for pair in pairs]
    values = [
        [difference_without(pair.problem, *own, times[pair.rows]) for pair, own in zip(pairs, means, strict=True)]
        for times in _times(people, pool.cells(used.n_labels), items, labels, ratings.n_labels)
    ]
    spread = pool.spread(np.array(values))
    moves = [spread.moved(np.zeros((size, len(pairs))), rater_draws(size, pool.n_groups, stream)).T for size in sizes]
    # A reversed pair has the same numbers with the other sign.
    signs = [1 if pair.judge_a <= pair.judge_b else -1 for pair in pairs]
    return [RaterNoise(sign * test, sign * bootstrap) for sign, test, bootstrap in zip(signs, *moves, strict=True)]


def difference_without(problem: Problem, a: Floats, b: Floats, times: Floats) -> float:
    """Difference of the scores where raters gave their responses fewer times; NaN where none is left.

    Means of the judges are of shape (n_items, n_coordinates), times of shape (n_items, most).
    """
    left = np.flatnonzero(times.any(axis=1))
    if not len(left):
        return float("nan")
    vectors = problem.people.vectors[:, : times.shape[1]]
    times = times[:, : vectors.shape[1]]
    if len(left) < len(times):
        vectors, times, a, b = vectors[left], times[left], a[left], b[left]
    columns = problem.columns(a, b, Cloud(vectors=vectors, times=times).mean())
    return float(problem.metric.score(columns).difference)


def _times(people: Responses, cells: Iterator[Cells], items: Codes, labels: Codes, n_labels: int) -> Iterator[Floats]:
    """How often each response of raters was given without some of them, of the shape of `people.times`."""
    known = people.item * n_labels + people.place
    for own in cells:
        item = items[own.item]
        response = people.response[np.searchsorted(known, item * n_labels + labels[own.label])]
        times = np.zeros(people.times.shape)
        times[item, response] = own.times
        yield times
