"""Judges as they are, on one scale with the best constant answer and one more person.

Each is scored against the raters of an item, a person against the others. Labels in order are scored by how far apart
two answers are (`distance`), others by whether they are the same (`agreement`).
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.align import Answers, align, answered_by_all, answers_of, label_numbers, other_scale
from dissensus.data.labels import label_values
from dissensus.data.ratings import item_weights
from dissensus.methods.decide.result import AsIs, Constant, Measure, Person, Standing
from dissensus.methods.equivalence.scores import hard_predictions
from dissensus.sampling.draws import FEW_KINDS, MERGED_FROM, chunk_sizes, draw_weights, kinds_of
from dissensus.sampling.intervals import percentile_interval
from dissensus.sampling.raters import RaterPool, RatersAs, rater_draws, rater_pool

CONSTANT, PERSON = 0, 1  # columns of the scores; judges follow


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharedItems:
    """Raters, judges and the constant answer on the items that every judge answered."""

    measure: Measure
    judges: tuple[str, ...]
    # Of each judge: (n_items,) numbers for `distance`, (n_items, n_labels) shares for agreement.
    answers: tuple[Floats, ...]
    means: tuple[Floats, ...]  # (n_items,): each judge's mean answer as a number; none where labels have no order
    item: Codes  # (n_ratings,): with `label`, ordered by item and the number of the label
    label: Codes
    values: Floats  # (n_labels,): labels as numbers; NaN where they have no order
    constant: int  # the label that does best as the answer to every item
    kept: Flags  # (n_rated_items,): which items of the ratings these are
    copies: Codes | None  # (n_items,): how many items each stands for; None means one
    weights: Floats | None  # (n_items,): what each counts for, where they were drawn with other chances

    @property
    def stands_for(self) -> Floats:
        """How many items each item stands for."""
        known = self.copies if self.weights is None else self.weights
        return np.ones(self.n_items) if known is None else np.asarray(known, dtype=np.float64)

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return int(self.kept.sum())


class Shift(NamedTuple):
    """How much higher than people a judge answers: its mean answer less theirs, in units of the labels."""

    value: float
    low: float
    high: float


class Standings(NamedTuple):
    """Judges as they are, by name, and what they are held against."""

    judges: dict[str, AsIs]
    shifts: dict[str, Shift]
    constant: Constant
    person: Person


def shared_items(ratings: Ratings, judges: Judges) -> SharedItems | str:
    """The arrays to score, or why there is nothing to score."""
    everybody, labels, _ = answers_of(judges, ratings)
    values = label_numbers(ratings)
    is_ordered = bool(np.isfinite(values).all())
    if is_ordered:
        aligned = align(ratings, judges)
        others = {answers.judge: other_scale(aligned, answers.judge) for answers in everybody}
        if (name := next((name for name, why in others.items() if why is not None), None)) is not None:
            return f"{name} is on another scale than the raters: {others[name]}"
    kept = answered_by_all(everybody)
    if not (kept & (ratings.types.ratings[ratings.type_of_item] > 1)).any():
        return "no item that every judge answered has two ratings"
    times = np.ones(len(ratings.item), dtype=np.intp) if ratings.times is None else ratings.times
    row = np.lexsort((values[ratings.label], ratings.item))  # labels may be given from the highest to the lowest
    row = np.repeat(row, times[row])
    row = row[kept[ratings.item[row]]]
    item, label = (np.cumsum(kept) - 1)[ratings.item[row]], ratings.label[row]
    answers = [
        _numbers(own, kept, ratings, labels) if is_ordered else hard_predictions(own.stated[kept]) for own in everybody
    ]
    means = [_mean_numbers(own, kept, ratings, labels) for own in everybody] if is_ordered else []
    copies = None if ratings.copies is None else ratings.copies[kept]
    weights = item_weights(ratings)
    shared = SharedItems(
        measure="distance" if is_ordered else "agreement", judges=tuple(own.judge for own in everybody),
        answers=tuple(answers), means=tuple(means), item=item, label=label, values=values,
        constant=-1, kept=kept, copies=copies, weights=None if weights is None else weights[kept],
    )  # fmt: skip
    best = _constant(item, label, shared.stands_for, values)
    return replace(shared, constant=best)


def _numbers(own: Answers, kept: Flags, ratings: Ratings, labels: tuple[str, ...]) -> Floats:
    """A judge's answers as numbers: what it said, or its most likely label; NaN for a label that has no number."""
    if own.is_hard and np.isfinite(ratings.values).all():
        return own.values[kept]
    return _expected(hard_predictions(own.stated[kept]), ratings, labels)


def _mean_numbers(own: Answers, kept: Flags, ratings: Ratings, labels: tuple[str, ...]) -> Floats:
    """A judge's mean answer to each item: of its numbers, its samples or its probabilities."""
    if own.is_hard and np.isfinite(ratings.values).all():
        return own.values[kept]
    return _expected(own.predictions[kept], ratings, labels)


def _expected(shares: Floats, ratings: Ratings, labels: tuple[str, ...]) -> Floats:
    """The mean of labels with these shares; NaN where one of them has no number."""
    known = dict(zip(ratings.labels, label_numbers(ratings), strict=True))
    others = label_values(labels)
    numbers = np.array([known.get(label, other) for label, other in zip(labels, others, strict=True)])
    return np.asarray(np.where(shares > 0, shares * numbers, 0).sum(axis=1))


def _constant(item: Codes, label: Codes, weight: Floats, values: Floats) -> int:
    """The best answer to every item: the middle label where labels have an order, else the most frequent one."""
    size = np.bincount(item, minlength=len(weight))
    share = np.bincount(label, weights=weight[item] / size[item], minlength=len(values))
    if np.isnan(values).any():
        return int(np.argmax(share))
    order = np.argsort(values, kind="stable")  # numbers may be listed in any order
    return int(order[np.searchsorted(np.cumsum(share[order]), share.sum() / 2 * (1 - 1e-12))])


def item_scores(shared: SharedItems, item: Codes, label: Codes) -> Floats:
    """What the constant, a person and each judge score on each item, then each judge's shift if labels have an order.

    Of shape (n_items, 2 + n_judges) or (n_items, 2 + 2 n_judges). The larger the better: minus the distance for
    `distance`. Scores are NaN where fewer than two ratings are left, a shift where there is none.
    """
    n_items = shared.n_items
    size = np.bincount(item, minlength=n_items).astype(np.float64)
    at_least_one = np.maximum(size, 1)

    def mean(values: Floats) -> Floats:
        return np.bincount(item, weights=values, minlength=n_items) / at_least_one

    shifts: list[Floats] = []
    if shared.measure == "agreement":
        columns = [mean((label == shared.constant).astype(np.float64)), _same(item, label, n_items)]
        columns += [mean(shares[item, label]) for shares in shared.answers]
    else:
        value = shared.values[label]
        columns = [-mean(np.abs(shared.values[shared.constant] - value)), -_distance(item, value, size)]
        columns += [-mean(np.abs(answers[item] - value)) for answers in shared.answers]
        people = mean(value)
        shifts = [answers - people for answers in shared.means]
    columns[PERSON] = columns[PERSON] / np.maximum(size * (size - 1), 1)
    scores = np.stack([*columns, *shifts], axis=1)
    scores[size <= 1, : len(columns)] = np.nan
    scores[size == 0, len(columns) :] = np.nan
    return scores


def _same(item: Codes, label: Codes, n_items: int) -> Floats:
    """How many ordered pairs of two people gave the same label, by item."""
    n_labels = int(label.max(initial=0)) + 1
    key = item * n_labels + label
    if n_items * n_labels <= 2 * len(key):  # most cells occur: no need to sort
        times = np.bincount(key, minlength=n_items * n_labels).reshape(n_items, n_labels)
        return np.asarray((times * (times - 1.0)).sum(axis=1))
    key, times = np.unique(key, return_counts=True)
    return np.bincount(key // n_labels, weights=times * (times - 1.0), minlength=n_items).astype(np.float64)


def _distance(item: Codes, value: Floats, size: Floats) -> Floats:
    """Sum of the distances of ordered pairs of two people, by item; values ascend within an item."""
    first = np.concatenate([[0], np.cumsum(size)[:-1]])
    place = np.arange(len(item)) - first[item]
    return np.bincount(item, weights=2 * (2 * place - size[item] + 1) * value, minlength=len(size)).astype(np.float64)


def standings(
    shared: SharedItems, ratings: Ratings, *, raters: RatersAs, bootstrap: int, confidence: float, margin: float,
    streams: tuple[Generator, Generator],
) -> Standings:  # fmt: skip
    """Where each judge stands, from bootstrap samples of the items and, if they are a sample, the raters."""
    scores = item_scores(shared, shared.item, shared.label)
    n = len(shared.judges)
    values = _statistics(_means(shared.stands_for[None, :], scores, n), n)[0]
    drawn = _resampled(scores, shared, bootstrap, streams[0])
    if raters == "sampled" and bootstrap:
        pool = rater_pool(ratings, streams[1])
        left = _statistics(np.concatenate([_without_each(shared, pool, label) for label in pool.labels]), n)
        drawn = pool.spread(left).moved(drawn, rater_draws(bootstrap, pool.n_groups, streams[1]))
    ends = (
        [percentile_interval(column, confidence) for column in drawn.T]
        if bootstrap
        else [(value, value) for value in values]
    )
    allowed = margin * max(float(values[PERSON] - values[CONSTANT]), 0.0)
    unknown = (np.nan, np.nan)
    found, shifts = {}, {}
    for j, name in enumerate(shared.judges):
        own, beyond, apart, moved = (2 + part * n + j for part in range(4))
        # Differs from methods/5, where a judge is like a person unless it is shown to be worse: few items or few raters
        # would earn that. Here it has to be shown, and that it beats a constant, which a person may not.
        standing: Standing = "not better than a constant"
        if ends[beyond][0] > 0:
            standing = "like a person" if ends[apart][0] > -allowed else "better than a constant"
        value, (low, high) = values[own], ends[own] if bootstrap else unknown
        if shared.measure == "distance":
            value, low, high = -value, max(-high, 0.0), -low
            shifts[name] = Shift(float(values[moved]), *(ends[moved] if bootstrap else unknown))
        found[name] = AsIs(measure=shared.measure, value=float(value), low=low, high=high, standing=standing)
    sign = -1 if shared.measure == "distance" else 1
    answer = ratings.labels[shared.constant]
    return Standings(
        found,
        shifts,
        Constant(answer=answer, measure=shared.measure, value=float(sign * values[CONSTANT])),
        Person(measure=shared.measure, value=float(sign * values[PERSON])),
    )


def _statistics(means: Floats, n_judges: int) -> Floats:
    """Constant, person, judges, judges less constant, judges less person, shifts; a column each."""
    judges, shifts = means[:, 2 : 2 + n_judges], means[:, 2 + n_judges :]
    apart = [judges - means[:, [CONSTANT]], judges - means[:, [PERSON]]]
    return np.concatenate([means[:, : 2 + n_judges], *apart, shifts], axis=1)


def _means(weights: Floats, scores: Floats, n_judges: int) -> Floats:
    """The weighted mean of each column over the items with enough ratings; NaN where an answer has no number."""
    is_rated = np.isfinite(scores[:, [CONSTANT]])  # by the measure
    if scores.shape[1] > 2 + n_judges:  # shifts are known where there is any rating
        is_any = np.isfinite(scores).any(axis=1, keepdims=True)
        is_rated = np.repeat(np.hstack([is_rated, is_any]), [2 + n_judges, scores.shape[1] - 2 - n_judges], axis=1)
    totals = np.einsum("ri,ij->rj", weights, is_rated.astype(np.float64))
    sums = np.einsum("ri,ij->rj", weights, np.where(is_rated, scores, 0.0))
    return np.asarray(sums / np.where(totals > 0, totals, np.nan))


def _resampled(scores: Floats, shared: SharedItems, bootstrap: int, rng: Generator) -> Floats:
    n, copies, unit = len(shared.judges), shared.copies, shared.weights
    if len(scores) >= MERGED_FROM:
        first, kind = kinds_of([*scores.T, *(() if unit is None else (unit,))])
        if FEW_KINDS * len(first) <= len(scores):  # equal items are drawn together
            copies = np.bincount(kind, weights=copies).astype(np.intp)
            scores, unit = scores[first], None if unit is None else unit[first]
    parts = [np.empty((0, scores.shape[1]))]
    for size in chunk_sizes(bootstrap, len(scores)):
        weights = draw_weights(len(scores), size, rng, copies=copies).astype(np.float64)
        weights = weights if unit is None else weights * unit
        parts.append(_means(weights, scores, n))
    return _statistics(np.concatenate(parts), n)


def _without_each(shared: SharedItems, pool: RaterPool, label: Codes) -> Floats:
    """The means without each group of raters, if they gave these labels; (n_groups, n_columns)."""
    place = np.where(shared.kept, np.cumsum(shared.kept) - 1, -1)[pool.item]
    row = np.lexsort((shared.values[label], place))
    row = row[place[row] >= 0]
    item, label, group = place[row], label[row], pool.group[row]
    stays = (group != each for each in range(pool.n_groups))
    left = (item_scores(shared, item[own], label[own]) for own in stays)
    return np.concatenate([_means(shared.stands_for[None, :], scores, len(shared.judges)) for scores in left])
