"""Which labels does a judge confuse? Its answers by the label that a person gave, beside those of another person.

No majority stands for people: each rating counts as what a person says, each item the same. Where a person says `l`,
the judge says `a` in a share of the cases; with another rater of the item in the place of the judge, that is what one
more person would confuse. All are ratios of means over items. Their intervals are Wilson's for as many items as have
the variance of the ratio, with the noise of raters where these are a sample.

References
----------
E. Wilson (1927), "Probable Inference, the Law of Succession, and Statistical Inference".
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import Ratings
from dissensus.methods.equivalence.scores import hard_predictions
from dissensus.methods.judges.answers import People
from dissensus.methods.judges.definitions import SLACK
from dissensus.methods.judges.result import Confusion, ConfusionCell, JudgesOptions, LabelRates
from dissensus.methods.judges.scoring import Scores, Statistics, scores_of, statistics_of
from dissensus.methods.judges.setup import Prepared
from dissensus.methods.judges.summary import with_baselines
from dissensus.sampling.intervals import wilson_interval
from dissensus.sampling.raters import RaterPool, rater_draws, rater_pool, rater_stream


def moved_by_raters(prepared: Prepared, ratings: Ratings, samples: Scores, stream: Generator) -> Scores:
    """Bootstrap scores for raters like these: those of the items, moved by what leaving raters out changes.

    The scores have the constants of decisions among the judges.
    """
    pool = rater_pool(ratings, stream)
    n_cells = prepared.problem.n_items * (len(prepared.space.options) + len(prepared.space.members))
    is_large = len(pool.labels) * pool.n_groups * n_cells > MOST_CELLS
    if prepared.problem.reversal is not None or prepared.kind is not None or is_large:
        found = [scores_without(*prepared.merged(everybody)) for everybody in panels_without(prepared, pool)]
    else:
        found = scores_of_panels(prepared, list(panels_without(prepared, pool)))
    spread = pool.spread(np.concatenate([_flat(scores) for scores in found]))
    moved = spread.moved(_flat(samples), rater_draws(len(samples.values), pool.n_groups, stream))
    return _unflat(moved, samples, prepared)


def panels_without(prepared: Prepared, pool: RaterPool) -> Iterator[People]:
    """People's answers without each group of raters, in the order of the pool's rows."""
    rows = prepared.rows
    for kept, label in pool.rows():
        is_kept, given = np.zeros_like(rows.is_set), rows.label.copy()
        is_kept[pool.row[kept]] = True
        given[pool.row] = label
        yield rows.people(given, is_kept)


MOST_CELLS = 30_000_000  # counts of all panels that are held at once


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
    distinct = replace(
        layout, rows=every, pool=every, place=every, weights=np.ones(len(item)), pool_copies=None,
        answers=layout.answers.of(item),
    ).problem(people)  # fmt: skip
    each = statistics_of(distinct)
    is_rated = np.asarray(counts.sum(axis=1) > 0)
    found = []
    for row in place:
        own = Statistics(**{name: getattr(each, name)[row] for name in Statistics.__dataclass_fields__})
        asked = replace(problem, is_chosen=distinct.is_chosen[row], has_both=np.zeros_like(problem.has_both))
        found.append(with_baselines(scores_of(asked, own, (problem.weights * is_rated[row])[None, :])))
    return found


def scores_without(prepared: Prepared, everybody: People) -> Scores:
    """The scores with these answers of people; NaN where nothing pairs forced choices with response sets any more."""
    problem = prepared.layout.problem(everybody)
    is_rated = (everybody.choices.sum(axis=1) + everybody.sets.sum(axis=1) > 0)[prepared.layout.pool]
    scores = with_baselines(scores_of(problem, statistics_of(problem), (problem.pool_weights * is_rated)[None, :]))
    if (problem.reversal is None) != (prepared.problem.reversal is None):
        return replace(scores, **{name: np.full_like(getattr(scores, name), np.nan) for name in MOVED})
    return scores


MOVED = ("values", "consistency", "bias")  # what gets an interval and depends on people


def _flat(scores: Scores) -> Floats:
    return np.concatenate([getattr(scores, name).reshape(len(scores.values), -1) for name in MOVED], axis=1)


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


MOST_LABELS = 20  # tables of more labels than that are no table to read
FEWEST = 2  # ratings of an item that say how raters differ


class Shares(NamedTuple):
    """What people said about each item, as shares of labels; rows of zeros where nobody said anything."""

    one: Floats  # (n_items, n_labels): of a rater
    two: Floats  # (n_items, n_labels, n_labels): of two different raters; zeros where there is one


class Ratios(NamedTuple):
    """Ratios of sums over items."""

    upper: Floats  # (n_items, n_ratios)
    lower: Floats  # (n_items, n_ratios)

    def values(self, weights: Floats) -> Floats:
        """The ratios; NaN where nothing is below."""
        total = np.einsum("i,ir->r", weights, self.lower)
        return np.asarray(np.einsum("i,ir->r", weights, self.upper) / np.where(total > 0, total, np.nan))

    def variances(self, weights: Floats) -> Floats:
        """How far they vary with the items drawn, by linearisation."""
        total = np.einsum("i,ir->r", weights, self.lower)
        rest = self.upper - self.values(weights) * self.lower
        n = weights.sum()
        squares = np.einsum("i,ir->r", weights, rest**2) / np.where(total > 0, total, np.nan) ** 2
        return np.asarray(squares * n / max(n - 1, 1))

    def sizes(self, weights: Floats) -> Floats:
        """How many items stand behind each, by Kish: for a share of 0 or 1, whose variance says nothing."""
        total = np.einsum("i,ir->r", weights, self.lower)
        return np.asarray(total**2 / np.maximum(np.einsum("i,ir->r", weights, self.lower**2), np.finfo(float).tiny))


def votes_of(prepared: Prepared, everybody: People) -> tuple[Floats, Floats]:
    """How often each answer was given to each item, and its shares of the labels; of response sets if alone."""
    own = prepared.layout.people(everybody)
    if prepared.people.has_choice.any():
        return own.choices, np.eye(own.choices.shape[1])
    members = prepared.space.members.astype(np.float64)
    return own.sets, members / members.sum(axis=1, keepdims=True)


def shares_of(prepared: Prepared, everybody: People) -> Shares:
    """What one rater and what two raters say, item by item: of forced choices, without any of response sets."""
    counts, parts = votes_of(prepared, everybody)
    n = counts.sum(axis=1)
    total = np.einsum("iv,vl->il", counts, parts)
    same = np.einsum("iv,vl,vk->ilk", counts, parts, parts)
    pairs = np.maximum(n * (n - 1), 1)[:, None, None]
    two = (np.einsum("il,ik->ilk", total, total) - same) / pairs * (n >= FEWEST)[:, None, None]
    return Shares(total / np.maximum(n, 1)[:, None], two)


def ratios_without(prepared: Prepared, everybody: People) -> Floats:
    """The ratios of each judge, then of one more person, from sums over the items, none of which is looked at alone."""
    prepared, everybody = prepared.merged(everybody)
    (counts, parts), weights = votes_of(prepared, everybody), prepared.problem.weights
    n = counts.sum(axis=1)
    total = np.einsum("iv,vl->il", counts, parts)
    one, rated, paired = total / np.maximum(n, 1)[:, None], weights * (n > 0), weights * (n >= FEWEST)

    def over(cells: Floats, label: Floats, times: Floats) -> Floats:
        given = np.einsum("i,il->l", times, one)
        lower = np.concatenate([np.repeat(given, one.shape[1]), times.sum() - given])
        return np.asarray(np.concatenate([cells.ravel(), label]) / np.where(lower > 0, lower, np.nan))

    found = []
    for answers in np.moveaxis(hard_predictions(prepared.answers.stated), 1, 0):
        cells = np.einsum("il,ia->la", one * rated[:, None], answers)
        others = (
            rated.sum() - np.einsum("i,il->l", rated, one) - np.einsum("i,ia->a", rated, answers) + np.diagonal(cells)
        )
        found.append(over(cells, others, rated))
    per_pair = paired / np.maximum(n * (n - 1), 1)
    cells = np.einsum("il,ik->lk", total * per_pair[:, None], total)
    cells -= np.einsum("v,vl,vk->lk", np.einsum("i,iv->v", per_pair, counts), parts, parts)
    others = paired.sum() - 2 * np.einsum("i,il->l", paired, one) + np.diagonal(cells)
    return np.concatenate([*found, over(cells, others, paired)])


def judge_ratios(one: Floats, answers: Floats) -> Ratios:
    """Cell by cell, then label by label the specificity, of one judge's answers of shape (n_items, n_labels)."""
    n, n_labels = one.shape
    cells = np.einsum("il,ia->ila", one, answers).reshape(n, -1)
    upper = np.concatenate([cells, (1 - one) * (1 - answers)], axis=1)
    is_rated = one.sum(axis=1, keepdims=True) > 0
    lower = np.concatenate([np.repeat(one, n_labels, axis=1), 1 - one], axis=1)
    return Ratios(upper * is_rated, lower * is_rated)


def person_ratios(shares: Shares) -> Ratios:
    """The same of one more person, on items with two ratings."""
    n, n_labels = shares.one.shape
    has_two = shares.two.sum(axis=(1, 2))[:, None] > 0
    both = np.einsum("ill->il", shares.two)
    upper = np.concatenate([shares.two.reshape(n, -1), 1 - 2 * shares.one + both], axis=1)
    lower = np.concatenate([np.repeat(shares.one, n_labels, axis=1), 1 - shares.one], axis=1)
    return Ratios(upper * has_two, lower * has_two)


def confusions(
    prepared: Prepared, ratings: Ratings, options: JudgesOptions, rng: int | Generator | None
) -> tuple[tuple[Confusion, ...], Confusion | None]:
    """What each judge and one more person confuse; nothing where there are very many labels."""
    if len(prepared.space.options) > MOST_LABELS:
        return (), None

    own, people = prepared.merged(prepared.rows.people())
    shares, weights = shares_of(own, people), own.problem.weights
    answers = np.moveaxis(hard_predictions(own.answers.stated), 1, 0)
    whole = [*(judge_ratios(shares.one, each) for each in answers), person_ratios(shares)]
    values = np.stack([own.values(weights) for own in whole])
    bounds = np.full((2, *values.shape), np.nan)
    if options.bootstrap and weights.sum() > 1:
        variance = np.stack([own.variances(weights) for own in whole])
        if options.raters == "sampled":
            pool = rater_pool(ratings, rater_stream(rng))
            spread = pool.spread(np.stack([ratios_without(prepared, each) for each in panels_without(prepared, pool)]))
            variance = spread.variance_with(variance.ravel(), options.confidence).reshape(values.shape)
        sizes = np.stack([own.sizes(weights) for own in whole])
        bounds = _bounds(values, variance, sizes, options.confidence)
    n_items = int(weights.sum())
    by_judge = (_confusion(prepared, name, values[j], bounds[:, j], n_items) for j, name in enumerate(prepared.judges))
    n_two = int(weights[whole[-1].lower.any(axis=1)].sum())
    person = _confusion(prepared, "one more person", values[-1], bounds[:, -1], n_two) if n_two else None
    return tuple(by_judge), person


def _bounds(values: Floats, variance: Floats, sizes: Floats, confidence: float) -> Floats:
    """Lower and upper ends, of shape (2, *values.shape)."""
    found = np.full((2, values.size), np.nan)
    flat = zip(values.ravel(), variance.ravel(), sizes.ravel(), strict=True)
    for place, (value, own, size) in enumerate(flat):
        if np.isfinite(value) and np.isfinite(own):
            inside = min(max(float(value), 0.0), 1.0)
            n = inside * (1 - inside) / own if own > 0 and SLACK < inside < 1 - SLACK else size
            found[:, place] = wilson_interval(inside, max(float(n), SLACK), confidence)
    return found.reshape(2, *values.shape)


def _confusion(prepared: Prepared, judge: str, values: Floats, bounds: Floats, items: int) -> Confusion:
    """One table, of the labels that people gave and those that judges answer."""
    labels = prepared.space.options
    n = len(labels)
    cell, low, high = (part[: n * n].reshape(n, n).tolist() for part in (values, *bounds))
    rates = np.stack([values[n * n :], *(part[n * n :] for part in bounds)], axis=1).tolist()
    given = [row for row in range(n) if np.isfinite(cell[row][0])]
    return Confusion(
        judge=judge,
        items=items,
        cells=tuple(
            ConfusionCell(people=labels[row], answer=labels[k], share=cell[row][k], low=low[row][k], high=high[row][k])
            for row in given
            for k in range(n)
        ),
        labels=tuple(
            LabelRates(
                label=labels[row], sensitivity=cell[row][row], sensitivity_low=low[row][row],
                sensitivity_high=high[row][row], specificity=rates[row][0], specificity_low=rates[row][1],
                specificity_high=rates[row][2],
            )
            for row in given
        ),
    )  # fmt: skip
