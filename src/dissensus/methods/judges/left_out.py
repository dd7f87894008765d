"""Raters as a sample: every value and decision without each rater, and what that adds to the intervals."""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import Ratings
from dissensus.methods.judges.scoring import Scores, scores_of, statistics_of
from dissensus.methods.judges.setup import People, Prepared
from dissensus.methods.judges.summary import with_baselines
from dissensus.sampling.raters import rater_draws, rater_pool


def moved_by_raters(prepared: Prepared, ratings: Ratings, samples: Scores, stream: Generator) -> Scores:
    """Bootstrap scores for raters like these: those of the items, moved by what leaving raters out changes.

    The scores have the constants of decisions among the judges.
    """
    pool = rater_pool(ratings, stream)
    rows = prepared.rows
    values = []
    for kept, label in pool.rows():
        is_kept, given = np.zeros_like(rows.is_set), rows.label.copy()
        is_kept[pool.row[kept]] = True
        given[pool.row] = label
        values.append(_flat(_scores_without(prepared, rows.people(given, is_kept))))
    spread = pool.spread(np.stack(values))
    moved = spread.moved(_flat_samples(samples), rater_draws(len(samples.values), pool.n_groups, stream))
    return _unflat(moved, samples, prepared)


def _scores_without(prepared: Prepared, everybody: People) -> Scores:
    """The scores with these answers of people; NaN where nothing pairs forced choices with response sets any more."""
    problem = prepared.layout.problem(everybody)
    is_rated = (everybody.choices.sum(axis=1) + everybody.sets.sum(axis=1) > 0)[prepared.layout.pool]
    scores = with_baselines(scores_of(problem, statistics_of(problem), (problem.pool_weights * is_rated)[None, :]))
    if (problem.reversal is None) != (prepared.problem.reversal is None):
        return replace(scores, **{name: np.full_like(getattr(scores, name), np.nan) for name in MOVED})
    return scores


MOVED = ("values", "consistency", "bias")
"""What gets an interval and depends on people."""


def _flat(scores: Scores) -> Floats:
    return np.concatenate([getattr(scores, name)[0].ravel() for name in MOVED])


def _flat_samples(samples: Scores) -> Floats:
    n = len(samples.values)
    return np.concatenate([getattr(samples, name).reshape(n, -1) for name in MOVED], axis=1)


def _unflat(flat: Floats, samples: Scores, prepared: Prepared) -> Scores:
    """The replicates in their shapes, none beyond what a value can be."""
    ends = np.cumsum([getattr(samples, name)[0].size for name in MOVED])[:-1]
    parts = [
        part.reshape(getattr(samples, name).shape)
        for name, part in zip(MOVED, np.split(flat, ends, axis=1), strict=True)
    ]
    low, high = np.array([definition.bounds for definition in prepared.problem.definitions]).T[:, None, :, None]
    return replace(
        samples,
        values=np.clip(parts[0], low, high),
        consistency=np.clip(parts[1], 0, 1),
        bias=np.clip(parts[2], -1, 1),
    )
