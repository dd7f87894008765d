"""Raters as a sample: every value and decision without each rater, and what that adds to the intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import Ratings
from dissensus.methods.judges.scoring import Scores, Statistics, scores_of, statistics_of
from dissensus.methods.judges.setup import JudgeAnswers, People, Prepared
from dissensus.methods.judges.summary import with_baselines
from dissensus.sampling.raters import RaterPool, rater_draws, rater_pool


def moved_by_raters(prepared: Prepared, ratings: Ratings, samples: Scores, stream: Generator) -> Scores:
    """Bootstrap scores for raters like these: those of the items, moved by what leaving raters out changes.

    The scores have the constants of decisions among the judges.
    """
    pool = rater_pool(ratings, stream)
    n_cells = prepared.problem.n_items * (len(prepared.space.options) + len(prepared.space.members))
    is_large = len(pool.labels) * pool.n_groups * n_cells > MOST_CELLS
    if prepared.problem.reversal is not None or is_large:
        found = [_scores_without(prepared, everybody) for everybody in panels_without(prepared, pool)]
    else:
        found = scores_of_panels(prepared, list(panels_without(prepared, pool)))
    spread = pool.spread(np.stack([_flat(scores) for scores in found]))
    moved = spread.moved(_flat_samples(samples), rater_draws(len(samples.values), pool.n_groups, stream))
    return _unflat(moved, samples, prepared)


def panels_without(prepared: Prepared, pool: RaterPool) -> Iterator[People]:
    """People's answers without each group of raters, in the order of the pool's rows."""
    rows = prepared.rows
    for kept, label in pool.rows():
        is_kept, given = np.zeros_like(rows.is_set), rows.label.copy()
        is_kept[pool.row[kept]] = True
        given[pool.row] = label
        yield rows.people(given, is_kept)


MOST_CELLS = 30_000_000
"""Counts of all panels that are held at once."""


def scores_of_panels(prepared: Prepared, panels: Sequence[People]) -> list[Scores]:
    """The scores with each of these answers of people, where F' plays no part.

    Leaving out a rater leaves most items as they are, or without one label: what an item adds to the sums is computed
    once for each of its counts that occurs.
    """
    layout, problem = prepared.layout, prepared.problem
    n_items, n_options = problem.n_items, len(prepared.space.options)
    tables = np.stack([np.hstack([p.choices[layout.rows], p.sets[layout.rows]]) for p in panels]).astype(np.int32)
    # A random sum of 64 bits stands for the counts: two of a million differ with the same sum once in 10^7 data sets.
    factors = np.random.default_rng(1).integers(1, 2**63, size=tables.shape[-1], dtype=np.uint64)
    key = np.einsum("mic,c->mi", tables.astype(np.uint64), factors)
    key += np.random.default_rng(2).integers(1, 2**63, size=n_items, dtype=np.uint64)
    _, first, place = np.unique(key.ravel(), return_index=True, return_inverse=True)
    place, item = place.reshape(key.shape), first % n_items
    counts = tables.reshape(-1, tables.shape[-1])[first].astype(np.float64)
    nobody = np.empty(0, dtype=np.intp)
    people = People(choices=counts[:, :n_options], sets=counts[:, n_options:],
                    pair_item=nobody, pair_choice=nobody, pair_set=nobody)  # fmt: skip
    every = np.arange(len(item))
    answers = JudgeAnswers(**{name: getattr(layout.answers, name)[item] for name in JudgeAnswers.__dataclass_fields__})
    distinct = replace(
        layout, rows=every, pool=every, place=every, weights=np.ones(len(item)), pool_copies=None, answers=answers
    ).problem(people)
    each = statistics_of(distinct)
    is_rated = np.asarray(counts.sum(axis=1) > 0)
    found = []
    for row in place:
        own = Statistics(**{name: getattr(each, name)[row] for name in Statistics.__dataclass_fields__})
        asked = replace(problem, is_chosen=distinct.is_chosen[row], has_both=np.zeros_like(problem.has_both))
        found.append(with_baselines(scores_of(asked, own, (problem.weights * is_rated[row])[None, :])))
    return found


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
