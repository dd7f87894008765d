"""How far single items move scores: standard errors of judges, of surveys and of the gaps between them.

A score that adds up over items has its standard error in every bootstrap sample at the price of a few weighted sums.
The combiner counts as given: a proper score is at its optimum in it, so learning it again matters in second order only.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Flags, Floats
from dissensus.methods.equivalence.ceiling import Mixture
from dissensus.methods.equivalence.curve import (
    Panel,
    brier_of_shares,
    fixed_scores,
    leave_one_out,
    predictions_from,
    predicts_alike,
    survey_totals,
    type_scores,
    with_pseudo,
)
from dissensus.methods.equivalence.problem import Problem, is_closed, reference_shares
from dissensus.methods.equivalence.scores import Score
from dissensus.methods.equivalence.surveys import Surveys, surveys_of_size
from dissensus.sampling.draws import MERGED_FROM, Copies

OWN_PART = 1.0
"""In standard errors of the curve: up to so much the part of an item's own answers is small."""


class TypeScores(NamedTuple):
    """Mean score of an item of each type, and how much an item of the type counts; 0 where it takes no part."""

    score: Floats  # (n_types,)
    mass: Floats  # (n_types,)
    standard_error: float = math.nan  # of the mean over items, from sampling surveys; NaN if none were sampled
    samples: int = 0  # how many surveys were sampled
    own: float = 0.0  # how much better an item is predicted where the combiner learns from it, too, on average

    def learns_from_itself(self, items: Codes) -> bool:
        """Whether an item's own answers count so much that bootstrap samples, with fewer items, learn much less."""
        weight = items * self.mass
        apart = self.score - (weight * self.score).sum() / weight.sum()
        error = np.sqrt((weight * apart**2).sum()) / weight.sum()
        return bool(self.own > OWN_PART * error)

    @property
    def by_type(self) -> "TypeScores":
        """The scores themselves."""
        return self

    def in_samples(self, copies: Copies) -> Floats:
        """The score in each replicate, which does not depend on how often each item is in it."""
        return self.mean(copies.weights)

    def mean(self, weights: Floats) -> Floats:
        """The score in each replicate, from weights of shape (n_replicates, n_types)."""
        total = np.einsum("rt,t->r", weights, self.mass)
        summed = np.einsum("rt,t->r", weights, self.mass * self.score)
        return np.where(total > 0, summed / np.where(total > 0, total, 1), np.nan)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemScores:
    """What single items score, of a score that adds up over items."""

    judges: Floats  # (n_items, n_judges), less the mean; 0 where an item has no reference
    known: Flags  # (n_items,): which items have one
    products: Floats  # (n_items, n_pairs): mean product of two judges' scores, of each pair with a <= b
    curve: Floats  # (n_types, n_sizes), less the mean
    mass: Floats  # (n_types, n_sizes): how much an item of the type counts; 0 where it takes no part
    # (n_judges,): what was taken off the judges' scores; None where their mean is not the sum of these over items
    level: Floats | None


class Errors(NamedTuple):
    """Standard errors in each replicate, those of the judges as a matrix of covariances."""

    curve: Floats  # (n_replicates, n_sizes)
    judges: Floats  # (n_replicates, n_judges, n_judges)
    gaps: Floats  # (n_replicates, n_judges, n_sizes): of a judge's score less that of k raters
    scores: Floats | None = None  # (n_replicates, n_judges): of the judges, where single items tell


def item_scores(problem: Problem, by_size: Mapping[int, TypeScores]) -> ItemScores | None:
    """What single items score with each judge and after surveys of each size; None of a score that does not add up."""
    if not problem.score.is_additive:
        return None
    scores = _of_judges(problem)
    known = np.asarray(~np.isnan(scores).any(axis=1))
    counted = known.astype(np.float64)[:, None] * problem.weights.T
    level, scores = _mean(scores, counted), _centred(scores, counted)
    first, second = np.triu_indices(scores.shape[1])
    products = scores[:, first] * scores[:, second]
    if problem.moments is not None:
        products += np.where(known[:, None], problem.moments.covariance[:, first, second], 0.0)
    curve, mass = (np.stack([by_size[k][part] for k in problem.sizes], axis=1) for part in (0, 1))
    curve = _centred(curve, mass * problem.observed.weights.T)
    has_reference = np.asarray(~np.isnan(reference_shares(problem)).any(axis=1))[problem.type_of_item]
    is_sum = problem.moments is None and problem.columns is None and bool((known == has_reference).all())
    is_sum &= problem.n_items >= MERGED_FROM  # of few items, scores are worked out to the last digit
    if problem.n_items >= MERGED_FROM:  # a judge's scores side by side are faster to add
        scores, products = np.asfortranarray(scores), np.asfortranarray(products)
    return ItemScores(
        judges=scores, known=known, products=products, curve=curve, mass=mass, level=level if is_sum else None
    )


def _mean(values: Floats, weights: Floats) -> Floats:
    """Weighted mean of each column."""
    total = weights.sum(axis=0)
    return np.asarray(np.where(weights > 0, values * weights, 0).sum(axis=0) / np.where(total > 0, total, 1))


def _centred(values: Floats, weights: Floats) -> Floats:
    """Each column less its weighted mean, for the sake of rounding; 0 where there is no weight."""
    return np.asarray(np.where(weights > 0, values - _mean(values, weights), 0.0))


def _of_judges(problem: Problem) -> Floats:
    """Score of each judge on each item, of shape (n_items, n_judges); NaN where an item has no reference."""
    if problem.moments is not None:
        return problem.moments.mean
    shares = reference_shares(problem)[problem.type_of_item]
    per_label = [judge.label_scores(problem.score) for judge in problem.judges]
    if problem.columns is None:
        each = [np.einsum("il,il->i", shares, scored) for scored in per_label]
    else:
        each = [_by_rater(problem.columns, scored) for scored in per_label]
    return np.stack(each, axis=1) if each else np.empty((len(shares), 0))


def _by_rater(columns: tuple[Codes, Codes, Codes], per_label: Floats) -> Floats:
    """Where raters count the same: the score, and how far each item moves it, so that the mean is the score."""
    item, rater, label = columns
    scored = per_label[item, label]
    count = np.bincount(rater)
    mean = np.bincount(rater, weights=scored) / np.maximum(count, 1)
    moved = np.bincount(item, weights=(scored - mean[rater]) / count[rater], minlength=len(per_label))
    n_raters = np.count_nonzero(count)
    return np.asarray(mean[count > 0].mean() + moved * len(per_label) / n_raters)


def scores_by_type(problem: Problem, k: int, mixture: Mixture | None = None) -> TypeScores:
    """Score of an item of each type after surveys of k raters, with what the combiner learned from these data."""
    if is_closed(problem, k):
        part = problem.counts.sum(axis=1) > k
        scores = brier_of_shares(problem.counts, k)
    else:
        surveys = surveys_of_size(problem.counts, k, references=problem.references)
        part = surveys.takes_part
        scores = _scores_after(problem, surveys, mixture)
    return TypeScores(np.where(part, scores, 0), part.astype(np.float64))


def _scores_after(problem: Problem, surveys: Surveys, mixture: Mixture | None) -> Floats:
    is_one_for_all = surveys.size == 0 and (problem.score.is_hard or problem.panel.combiner == "frequency")
    weights = problem.observed.weights
    if predicts_alike(problem.panel, surveys.size) or is_one_for_all or mixture is not None:
        return fixed_scores(surveys, problem.panel, problem.score, weights=weights, mixture=mixture)
    return type_scores(surveys, problem.observed, problem.score, problem.panel)


TIMES_AT_ONCE = 1 << 21
"""Of items in bootstrap samples: 16 MB, which are used again without a new page."""


def errors_of(items: ItemScores, weights: npt.NDArray[np.integer], of_types: Floats, problem: Problem) -> Errors:
    """Standard errors in each replicate.

    Weights of shape (n_replicates, n_items) say how often each item was drawn, times what it counts for; `of_types` has
    them by type. What an item counts for enters variances squared.
    """
    step = max(1, TIMES_AT_ONCE // max(problem.n_items, 1))
    rows = [slice(done, done + step) for done in range(0, max(len(weights), 1), step)]
    parts = [_errors_of(items, weights[own], of_types[own], problem) for own in rows]
    curve, judges, gaps, scores = zip(*parts, strict=True)
    found = None if scores[0] is None else np.concatenate(scores)
    return Errors(np.concatenate(curve), np.concatenate(judges), np.concatenate(gaps), found)


def _errors_of(items: ItemScores, weights: npt.NDArray[np.integer], of_types: Floats, problem: Problem) -> Errors:
    times = np.where(items.known, weights, 0).astype(np.float64)
    total = times.sum(axis=1)[:, None]  # whole numbers: exact in any order
    unit = problem.unit
    squared, of_types_squared = (times, of_types) if unit is None else (times * problem.weights, of_types * unit)
    mean_judges = np.einsum("ri,ij->rj", times, items.judges) / total
    judges = _judge_covariance(items, times, total, squared, mean_judges)
    n_sizes = len(problem.sizes)  # a gate asks for the first ones first
    curve_scores, mass = items.curve[:, :n_sizes], items.mass[:, :n_sizes]
    scored = mass * curve_scores
    counted = np.einsum("rt,tk->rk", of_types, mass)
    counted = np.where(counted > 0, counted, np.nan)
    mean = np.einsum("rt,tk->rk", of_types, scored) / counted
    squares = [np.einsum("rt,tk->rk", of_types_squared, mass**2 * curve_scores**power) for power in (2, 1, 0)]
    scale = of_types.sum(axis=1)[:, None] / counted
    curve = scale**2 * (squares[0] - 2 * mean * squares[1] + mean**2 * squares[2]) / total
    by_type = _summed_by_type(squared, items.judges, problem.type_of_item, len(mass))
    cross = np.einsum("rjt,tk->rjk", by_type, scored) - mean[:, None] * np.einsum("rjt,tk->rjk", by_type, mass)
    cross *= (scale / total)[:, None]
    own = np.einsum("rjj->rj", judges)[:, :, None] * total[:, None]
    gaps = own + curve[:, None] - 2 * cross
    scores = None if items.level is None else items.level + mean_judges
    return Errors(_root(curve / total), judges, _root(gaps / total[:, None]), scores)


def _root(variance: Floats) -> Floats:
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def _judge_covariance(items: ItemScores, times: Floats, total: Floats, squared: Floats, mean: Floats) -> Floats:
    """Covariance of the judges' mean scores, of shape (n_replicates, n_judges, n_judges)."""
    n_judges = items.judges.shape[1]
    first, second = np.triu_indices(n_judges)
    if squared is times:
        pairs = (np.einsum("ri,ip->rp", times, items.products) / total - mean[:, first] * mean[:, second]) / total
    else:
        sums = np.einsum("ri,ij->rj", squared, items.judges)
        crossed = mean[:, first] * sums[:, second] + mean[:, second] * sums[:, first]
        about = np.einsum("ri,ip->rp", squared, items.products) - crossed
        pairs = (about + mean[:, first] * mean[:, second] * squared.sum(axis=1)[:, None]) / total**2
    covariance = np.empty((len(times), n_judges, n_judges))
    covariance[:, first, second] = covariance[:, second, first] = pairs
    return covariance


ITEMS_OF_A_TYPE = 64
"""On average, from which on each type is summed by itself."""


def _summed_by_type(times: Floats, scores: Floats, type_of_item: Codes, n_types: int) -> Floats:
    """Sum of the judges' scores over the items of each type, of shape (n_replicates, n_judges, n_types)."""
    sums = np.zeros((len(times), scores.shape[1], n_types))
    if len(scores) >= MERGED_FROM:  # items stay where they are: moving so many takes longer than adding them
        for r, j in np.ndindex(sums.shape[:2]):
            sums[r, j] = np.bincount(type_of_item, weights=times[r] * scores[:, j], minlength=n_types)
        return sums
    order = np.argsort(type_of_item, kind="stable")
    kinds, first = np.unique(type_of_item[order], return_index=True)
    ordered = times[:, order]
    if ITEMS_OF_A_TYPE * len(kinds) > len(order):
        for j, column in enumerate(scores.T):
            sums[:, j, kinds] = np.add.reduceat(ordered * column[order], first, axis=1)
        return sums
    own = scores[order]
    for kind, start, end in zip(kinds, first, [*first[1:], len(order)], strict=True):
        sums[:, :, kind] = np.einsum("ri,ij->rj", ordered[:, start:end], own[start:end])
    return sums


# ---- Survey sizes whose combiner every bootstrap sample learns again, without going through its items one by one
#
# Learned from all items, the score needs only the sums over items that predictions are made from, and these are exact
# in every sample. How much an item's own copies add to its score, which is what learning without the item takes away,
# is small and hardly depends on the sample: it comes from the data, by type of item and number of copies. A size where
# it is not small (`TypeScores.learns_from_itself`) cannot be treated so.

COPIES = np.array([1.0, 2.0, 3.0, 4.0, 6.0, 9.0])
"""Numbers of copies of an item for which its own share is computed; between them it is interpolated."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Relearned:
    """Surveys of one size, ready to be scored in bootstrap samples."""

    surveys: Surveys
    items: Codes  # (n_types,): how many items of the data each type has
    panel: Panel
    score: Score
    # (n_types, 1 + n_copies): what an item of each type scores, learned without it, then with each number of copies
    scores: Floats

    @property
    def by_type(self) -> TypeScores:
        """Scores of the data themselves."""
        part = self.surveys.takes_part
        gain = self.scores[:, 1] - self.scores[:, 0]
        scores, mass = np.where(part, self.scores[:, 1] - self._left_out_share * gain, 0), part.astype(np.float64)
        own = float((self.items * gain * part).sum() / max((self.items * part).sum(), 1))
        return TypeScores(scores, mass, own=own if self.panel.leaves_out else 0.0)

    def in_samples(self, copies: Copies) -> Floats:
        """The score in each replicate; NaN where no item has enough ratings."""
        totals = survey_totals(self.surveys, copies.weights)
        predictions = predictions_from(with_pseudo(totals, self.surveys, self.panel))
        scores = self.score.of_joint(predictions, totals * self.surveys.orders[:, None])
        if self._left_out_share:
            items = copies.weights @ self.surveys.takes_part
            taken = np.bincount(copies.replicate, weights=self._own(copies), minlength=len(items))
            scores = scores - self._left_out_share * taken / np.where(items > 0, items, np.nan)
        return np.asarray(scores)

    @property
    def _left_out_share(self) -> float:
        """How much of the score is learned without the item."""
        if not self.panel.leaves_out:
            return 0.0
        return 0.5 if self.panel.is_midpoint else 1.0

    def _own(self, copies: Copies) -> Floats:
        """What the copies of each item add to their own score, in sum over the items of each entry."""
        times = np.minimum(copies.copies, COPIES[-1])
        place = np.clip(np.searchsorted(COPIES, times, side="right") - 1, 0, len(COPIES) - 2)
        step = (times - COPIES[place]) / (COPIES[place + 1] - COPIES[place])
        own = self.scores[:, 1:] - self.scores[:, :1]
        each = own[copies.type, place] * (1 - step) + own[copies.type, place + 1] * step
        return np.asarray(each * copies.items * copies.copies)


def relearned(problem: Problem, surveys: Surveys) -> Relearned:
    """Surveys of one size of a proper score, with what the data say about each item's own share."""
    data, panel = problem.observed, problem.panel
    totals = with_pseudo(survey_totals(surveys, data.weights), surveys, panel)
    support = survey_totals(surveys, data.weights, (surveys.joint > 0).astype(np.float64))
    cell = np.arange(len(surveys.type))
    without = leave_one_out(surveys, totals, support, row=np.zeros_like(cell), cell=cell, copies=np.ones_like(cell))
    every = totals[0].take(surveys.survey, axis=0)
    # With c copies of it in a sample, the item's own part counts c times beside all the others.
    predicted = [without, *(predictions_from(every + (c - 1) * surveys.joint) for c in COPIES)]
    mass = surveys.joint * surveys.orders[surveys.survey, None]
    of_labels = problem.score.of_labels()
    scores = [
        np.bincount(surveys.type, weights=np.einsum("nl,nl->n", mass, of_labels(each)), minlength=surveys.n_types)
        for each in predicted
    ]
    each = np.stack(scores, axis=1).astype(np.float64)
    return Relearned(surveys=surveys, items=problem.items, panel=panel, score=problem.score, scores=each)
