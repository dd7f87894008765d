"""The survey power curve, and where a judge meets it: how well k raters predict another one, exactly."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.errors import OptionError
from dissensus.methods.equivalence.ceiling import Mixture
from dissensus.methods.equivalence.options import Combiner, Learn, OwnCombiner, Prior
from dissensus.methods.equivalence.result import Verdict
from dissensus.methods.equivalence.scores import Score, correlation, several_predicted, unit_of
from dissensus.methods.equivalence.surveys import Surveys, plurality_shares
from dissensus.sampling.draws import Copies

# ---- Combiners: from the labels of a survey to a prediction of the next rater's label

SUM_TOLERANCE = 1e-6


def frequencies(counts: npt.NDArray[np.int32], default: Floats) -> Floats:
    """The share of each label in the survey; the default where nobody was asked.

    >>> frequencies(np.array([[1, 3], [0, 0]]), np.array([0.5, 0.5]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    asked = counts.sum(axis=1, keepdims=True)
    return np.where(asked > 0, counts / np.maximum(asked, 1), default)


def own_predictions(combiner: OwnCombiner, counts: npt.NDArray[np.int32]) -> Floats:
    """What a user's combiner predicts, checked."""
    predictions = np.asarray(combiner(counts), dtype=np.float64)
    if predictions.shape != counts.shape:
        raise OptionError(f"The combiner returned shape {predictions.shape} for surveys of shape {counts.shape}.")
    sums = predictions.sum(axis=1)
    if not np.isfinite(predictions).all() or (predictions < 0).any() or (abs(sums - 1) > SUM_TOLERANCE).any():
        raise OptionError("The combiner's predictions must be probabilities: at least 0, and 1 in sum for each survey.")
    return predictions


DENSE_CELLS = 1 << 20
ALMOST_NOTHING = 1e-9
"""Share of an item's own weight below which a remainder may be rounding."""


def survey_totals(surveys: Surveys, weights: Floats, values: Floats | None = None) -> Floats:
    """Sum over items of P(y + e_l | n), S(y + e_l), of shape (n_replicates, n_surveys, n_labels).

    Weights of shape (n_replicates, n_types) say how many items of each type there are; `values` of shape (n_cells,
    n_labels) are summed instead of the probabilities.
    """
    n_surveys, n_labels = surveys.shape
    cells = surveys.joint if values is None else values
    if surveys.n_types * n_surveys * n_labels <= DENSE_CELLS:
        table = np.zeros((surveys.n_types, n_surveys, n_labels))
        table[surveys.type, surveys.survey] = cells  # each type allows a survey once
        return np.asarray(np.einsum("rt,tyl->ryl", weights, table))
    from scipy.sparse import csr_array  # noqa: PLC0415 - takes a while to import and is needed for large tables only

    columns = surveys.survey[:, None] * n_labels + np.arange(n_labels)
    shape = (surveys.n_types, n_surveys * n_labels)
    sparse = csr_array((cells.ravel(), columns.ravel(), surveys.start * n_labels), shape=shape)
    # In one piece, since rows of it are taken again and again.
    return np.ascontiguousarray((sparse.T @ weights.T).T).reshape(len(weights), n_surveys, n_labels)


def predictions_from(totals: Floats) -> Floats:
    """Normalise S(y + e_l) over labels; uniform where no item is left to learn from.

    Differs from the paper: Algorithm 6 divides by the estimated probability of y, which on ragged data is estimated
    from other items and does not make the predictions sum to 1.
    """
    sums = np.einsum("...l->...", totals)[..., None]  # several times faster than sum where the last axis is short
    # Compared with zero itself: 1e-12 is a probability that occurs here.
    nobody = sums <= 0
    predictions = totals / np.where(nobody, 1, sums)
    if nobody.any():
        predictions = np.where(nobody, 1 / totals.shape[-1], predictions)
    return np.asarray(predictions)


def leave_one_out(
    surveys: Surveys, totals: Floats, support: Floats, *, row: Codes, cell: Codes, copies: Codes | Floats
) -> Floats:
    """Predictions for an item, learned from all the others, of shape (n, n_labels).

    `surveys`: the surveys of one size. `totals`, `support` (n_replicates, n_surveys, n_labels): sums over items of P(y
    + e_l | n), and of whether it is positive. `row`, `cell`, `copies` (n,): replicate and cell to predict for, and how
    often the item occurs in the replicate; all copies leave.
    """
    n_surveys, n_labels = surveys.shape
    place = row * n_surveys + surveys.survey[cell]
    contribution = surveys.joint.take(cell, axis=0) * copies[:, None]
    others = totals.reshape(-1, n_labels).take(place, axis=0) - contribution
    # Where next to nothing is left, whether anybody else contributes is asked of whole numbers: a difference that
    # should be 0 may be 1e-17.
    doubtful, label = np.nonzero(others < ALMOST_NOTHING * contribution)
    anybody = support.reshape(-1, n_labels)[place[doubtful], label] > copies[doubtful] * (1 + ALMOST_NOTHING)
    others[doubtful, label] = np.where(anybody, np.maximum(others[doubtful, label], 0), 0)
    return predictions_from(others)


# ---- The survey power curve

ELEMENTS_AT_ONCE = 1 << 18
"""Small enough for the processor's cache, large enough that Python does not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """How a survey of raters turns into a prediction."""

    combiner: Combiner | OwnCombiner = "abc"  # Anonymous Bayesian Combiner, or another
    learn: Learn = "leave-one-out"  # from which items the Bayesian combiner learns what to predict for an item
    prior: Prior = "uniform"  # what the frequency combiner predicts with nobody asked
    dirichlet: tuple[float, ...] = ()  # the Dirichlet distribution of items nearest to the data, for the midpoint

    @property
    def leaves_out(self) -> bool:
        """Whether an item is predicted by what is learned without it, perhaps beside what is learned from all."""
        return self.combiner == "abc" and self.learn in {"leave-one-out", "midpoint"}

    @property
    def is_midpoint(self) -> bool:
        """Whether scores are the mean of two: learned from all items, which gains by it, and without the item."""
        return self.combiner == "abc" and self.learn == "midpoint"

    def pseudo_totals(self, counts: npt.NDArray[np.integer], orders: Floats) -> Floats:
        """What half an item of the Dirichlet distribution adds to what is learned after each survey.

        Surveys that hardly ever come again then predict no nonsense; with many items it plays no part.

        `counts` (n_surveys, n_labels): labels of each survey. `orders` (n_surveys,): in how many orders they can come.
        """
        alpha = np.array(self.dirichlet)
        expected = (counts + alpha) / (counts.sum(axis=1, keepdims=True) + alpha.sum())
        return np.asarray(PSEUDO_ITEMS * expected / orders[:, None])


PSEUDO_ITEMS = 0.5
LARGEST, SMALLEST = 1e6, 1e-3
"""Of the sum of a Dirichlet distribution's parameters."""


def nearest_dirichlet(counts: Codes, items: Codes | Floats) -> tuple[float, ...]:
    """The Dirichlet distribution of items with the shares of the labels and the agreement of pairs that the data have.

    `counts` (n_types, n_labels): ratings of an item of each type. `items` (n_types,): how many items there are of each
    type.
    """
    size = counts.sum(axis=1).astype(np.float64)
    weight = items * (size > 0)
    shares = np.einsum("t,tl->l", weight / np.maximum(size, 1), counts.astype(np.float64)) / max(weight.sum(), 1)
    pairs = items * (size > 1)
    same = (counts * (counts - 1)).sum(axis=1) / np.maximum(size * (size - 1), 1)
    agreement = float((pairs * same).sum() / max(pairs.sum(), 1))
    excess = agreement - float((shares**2).sum())
    total = (1 - agreement) / excess if excess > (1 - agreement) / LARGEST else LARGEST
    return tuple((max(total, SMALLEST) * np.maximum(shares, 1e-12)).tolist())


def curve_point(
    surveys: Surveys, copies: Copies, panel: Panel, score: Score, *, folds: Floats | None = None,
    mixtures: list[Mixture] | None = None,
) -> Floats:  # fmt: skip
    """Score of surveys of one size in each replicate; NaN where no item has enough ratings.

    `surveys`, `copies`, `panel`, `score`: every survey of k raters that the items allow, the replicates, the combiner
    and the score. `folds` (n_folds, n_replicates, n_types): the replicates' weights by fold, for a cross-fitted
    combiner. `mixtures`: the fitted mixing distribution of each replicate, or of its training part fold by fold, for
    npmle.
    """
    # With nobody asked a hard score takes the most frequent label for all items. Learned without the item it would be
    # the other label just where two are equally frequent, and right on no item at all.
    is_learned = panel.combiner in {"abc", "npmle"}
    is_constant = is_learned and surveys.size == 0 and score.is_hard
    left_out = None
    if panel.leaves_out and not is_constant:
        left_out = _left_out(surveys, copies, score, panel)
        if not panel.is_midpoint:
            return left_out
    totals = survey_totals(surveys, copies.weights)
    if is_constant:
        predictions, masses = predictions_from(totals), totals
    elif is_learned and folds is not None:
        predictions, masses = _cross_fitted(surveys, totals, folds, panel, mixtures)
    else:
        predictions = _predictions(surveys, totals, panel, mixtures)
        masses = totals * surveys.orders[:, None]
    scores = score.of_joint(predictions, masses)
    scores = scores if left_out is None else (scores + left_out) / 2
    if surveys.size == 0 and score.is_ranked:
        # With nobody asked there is one prediction for all items, which orders none of them; folds must not tell them
        # apart. A correlation with a constant is 0 by convention.
        scores = np.where(np.isnan(scores), np.nan, 0.5) if score.name == "auc" else np.zeros_like(scores)
    return _defined(scores, surveys, copies)


def _defined(scores: Floats, surveys: Surveys, copies: Copies) -> Floats:
    return np.where(copies.weights @ surveys.takes_part > 0, scores, np.nan)


def _predictions(surveys: Surveys, totals: Floats, panel: Panel, mixtures: list[Mixture] | None) -> Floats:
    """Predictions of a combiner that does not ask whose survey it is; (n_surveys, n_labels), or per replicate."""
    fixed = fixed_predictions(panel, surveys.counts) if predicts_alike(panel, surveys.size) else None
    if fixed is not None:
        return fixed
    if panel.combiner == "npmle" and mixtures is not None:
        return np.stack([mixture.predict(surveys.counts) for mixture in mixtures])
    return predictions_from(with_pseudo(totals, surveys, panel))


def with_pseudo(totals: Floats, surveys: Surveys, panel: Panel) -> Floats:
    """Sums over items, of shape (..., n_surveys, n_labels), with what the midpoint adds to them."""
    return totals + panel.pseudo_totals(surveys.counts, surveys.orders) if panel.is_midpoint else totals


def _cross_fitted(
    surveys: Surveys, totals: Floats, folds: Floats, panel: Panel, mixtures: list[Mixture] | None
) -> tuple[Floats, Floats]:
    """Predictions and masses, fold by fold along the second axis: each fold is predicted from the others."""
    n_replicates = len(totals)
    predictions, masses = [], []
    for number, weights in enumerate(folds):
        held = survey_totals(surveys, weights)
        if panel.combiner == "npmle" and mixtures is not None:
            part = mixtures[number * n_replicates : (number + 1) * n_replicates]
            predictions.append(np.stack([mixture.predict(surveys.counts) for mixture in part]))
        else:
            predictions.append(predictions_from(np.maximum(totals - held, 0)))
        masses.append(held * surveys.orders[:, None])
    return np.concatenate(predictions, axis=1), np.concatenate(masses, axis=1)


def _left_out(surveys: Surveys, copies: Copies, score: Score, panel: Panel) -> Floats:
    """The Bayesian combiner learned without the item, all its copies excluded."""
    n_replicates, n_labels = len(copies.weights), surveys.shape[1]
    additive = np.zeros(n_replicates)
    confusion = np.zeros((n_replicates, n_labels, n_labels))
    for part in _left_out_parts(surveys, copies, panel):
        row, times = copies.replicate[part.entry], (copies.items * copies.copies)[part.entry]
        if score.is_additive:
            scored = np.einsum("nl,nl->n", part.mass, score.of_labels()(part.predictions))
            additive += np.bincount(row, weights=scored * times, minlength=n_replicates)
        else:
            confusion += _confusion(score.hard(part.predictions), part.mass * times[:, None], row, n_replicates)
    if score.is_additive:
        items = copies.weights @ surveys.takes_part
        return np.where(items > 0, additive / np.where(items > 0, items, 1), np.nan)
    return _defined(score.of_confusion(confusion), surveys, copies)


def type_scores(surveys: Surveys, data: Copies, score: Score, panel: Panel) -> Floats:
    """Additive score of the combiner learned without the item, for an item of each type; NaN where it cannot be.

    Of the midpoint, the mean of that and of the score learned from all items.
    """
    total = np.zeros(surveys.n_types)
    for part in _left_out_parts(surveys, data, panel):
        scored = np.einsum("nl,nl->n", part.mass, score.of_labels()(part.predictions))
        total += np.bincount(data.type[part.entry], weights=scored, minlength=surveys.n_types)
    if panel.is_midpoint:
        total = (total + fixed_scores(surveys, panel, score, weights=data.weights)) / 2
    return np.where(surveys.takes_part, total, np.nan)


def predicts_alike(panel: Panel, k: int) -> bool:
    """Whether a survey of k raters predicts the same whatever the other items are."""
    if panel.combiner == "frequency":
        return k > 0 or panel.prior != "data"
    return callable(panel.combiner) or panel.combiner == "plurality"


def fixed_predictions(panel: Panel, counts: npt.NDArray[np.int32]) -> Floats | None:
    """What surveys predict whatever the other items are; None where that is learned from them."""
    if callable(panel.combiner):
        return own_predictions(panel.combiner, counts)
    if panel.combiner == "plurality":
        return plurality_shares(counts)
    n_labels = counts.shape[1]
    return frequencies(counts, np.full(n_labels, 1 / n_labels)) if panel.combiner == "frequency" else None


# ---- The shares of a survey as the prediction: scores in closed form, without going through the surveys

CLOSED_SCORES = ("pearson", "brier")


def brier_of_shares(counts: Codes, k: int) -> Floats:
    """Brier score of the shares of k raters against a further one, for an item with each of these counts.

    With A the agreement of two raters of the item it is -(1 + 1/k)(1 - A): two raters differ with probability 1 - A,
    and the shares of k vary by a k-th of that.

    >>> brier_of_shares(np.array([[2, 2], [3, 1]]), 2)
    array([-1.  , -0.75])
    """
    total = counts.sum(axis=1)
    same = (counts * (counts - 1)).sum(axis=1) / np.maximum(total * (total - 1), 1)
    return np.asarray((1 + 1 / k) * (same - 1))


def pearson_of_shares(counts: Codes, k: int, weights: Floats, values: Floats) -> Floats:
    """Correlation between the mean of k raters and a further one, in each replicate; NaN where it is undefined.

    An item's raters are drawn without replacement: from their mean m and variance v the mean of k of n has the variance
    v / k (n - k) / (n - 1), and its covariance with a further one is -v / (n - 1).

    `counts` (n_types, n_labels): of which types with more than k ratings take part. `weights` (n_replicates, n_types).
    `values` (n_labels,): the labels as numbers.
    """
    total = counts.sum(axis=1)
    part = total > k
    given, n, weights = counts[part], total[part].astype(np.float64), weights[:, part]
    numbers = values / unit_of(values)
    lowest, highest = (
        np.clip(k - np.cumsum(given[:, order], axis=1) + given[:, order], 0, given[:, order]) @ numbers[order] / k
        for order in (np.argsort(numbers), np.argsort(-numbers))
    )
    is_given = np.einsum("rt,tl->rl", weights, (given > 0).astype(np.float64)) > 0
    is_defined = several_predicted(lowest, highest, weights) & (is_given.sum(axis=1) > 1)
    mean = given @ numbers / n
    variance = np.einsum("tl,tl->t", given, (numbers - mean[:, None]) ** 2) / n
    drawn, next_one = variance / k * (n - k) / (n - 1), variance / (n - 1)
    within = np.einsum("rt,tc->rc", weights, np.stack([drawn, next_one, variance], axis=1))
    total = weights.sum(axis=1)[:, None]
    apart = mean - np.einsum("rt,t->r", weights, mean)[:, None] / np.where(total > 0, total, 1)
    between = np.einsum("rt,rt,rt->r", weights, apart, apart)
    spread = (between + within[:, 0]) * (between + within[:, 2])
    return correlation(between - within[:, 1], spread, is_defined)


def fixed_scores(
    surveys: Surveys, panel: Panel, score: Score, *, weights: Floats | None = None, mixture: Mixture | None = None
) -> Floats:
    """Additive score of a combiner that predicts the same for every item with these answers, for an item of each type.

    What it learns comes from `weights` of shape (1, n_types), how many items of each type there are, or is a mixture.
    """
    totals = np.empty((0, *surveys.shape)) if weights is None else survey_totals(surveys, weights)
    predictions = _predictions(surveys, totals, panel, None if mixture is None else [mixture])
    scored = score.of_labels()(predictions.reshape(surveys.shape))
    cells = np.einsum("nl,nl->n", surveys.joint, scored[surveys.survey]) * surveys.orders[surveys.survey]
    return np.bincount(surveys.type, weights=cells, minlength=surveys.n_types).astype(np.float64)


class _Part(NamedTuple):
    """Some entries of the replicates, one row per survey that they allow."""

    entry: Codes
    predictions: Floats  # (n, n_labels)
    mass: Floats  # (n, n_labels): probability of the survey, in any order, and of the reference's label


def _left_out_parts(surveys: Surveys, copies: Copies, panel: Panel) -> Iterator[_Part]:
    """Predictions of the Bayesian combiner for every entry of the replicates, a chunk at a time."""
    totals = with_pseudo(survey_totals(surveys, copies.weights), surveys, panel)
    support = survey_totals(surveys, copies.weights, (surveys.joint > 0).astype(np.float64))
    mass = surveys.joint * surveys.orders[surveys.survey, None]
    cells = np.diff(surveys.start)[copies.type]
    for entries in _chunks(cells * surveys.shape[1]):
        size = cells[entries]
        entry = np.repeat(entries, size)
        cell = np.arange(len(entry)) - np.repeat(np.cumsum(size) - size, size) + surveys.start[copies.type[entry]]
        row = copies.replicate[entry]
        predictions = leave_one_out(surveys, totals, support, row=row, cell=cell, copies=copies.copies[entry])
        yield _Part(entry, predictions, mass.take(cell, axis=0))


def _confusion(hard: Floats, mass: Floats, row: Codes, n_replicates: int) -> Floats:
    """Mass of each pair of predicted and given label, in each replicate."""
    n_labels = mass.shape[1]
    matrix = np.empty((n_replicates, n_labels, n_labels))
    for p in range(n_labels):
        for label in range(n_labels):
            matrix[:, p, label] = np.bincount(row, weights=hard[:, p] * mass[:, label], minlength=n_replicates)
    return matrix


def _chunks(sizes: Codes) -> list[Codes]:
    """Consecutive entries, grouped so that a group is not much larger than what fits at once."""
    group = np.cumsum(sizes) // ELEMENTS_AT_ONCE
    return np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(group)) + 1)


# ---- Where a judge's score meets the power curve (Algorithm 4)

SAME = 1e-10
"""Scores this close are equal up to rounding: a judge that answers as nobody does is worth 0, not less or more."""


def crossings(curve: Floats, score: Floats) -> Floats:
    """Survey equivalence: the leftmost point at which the curve reaches the score.

    `curve` (n_replicates, K + 1): score of 0, 1, ..., K raters; NaN where it is not known, which ends the curve.
    `score` (n_replicates,): the judge's score. Returns shape (n_replicates,): -inf where the judge is worse than
    nobody, inf where K raters do not reach it, NaN where it has no score.

    >>> crossings(np.array([[0.0, 0.5, 0.75]]), np.array([0.625])), crossings(np.array([[0.0, 1.0]]), np.array([-1.0]))
    (array([1.5]), array([-inf]))
    """
    reached = np.where(np.isnan(curve), False, curve >= score[:, None] - SAME)  # noqa: FBT003 - an array of them
    reached[:, 0] = False
    k = np.argmax(reached, axis=1)
    rows = np.arange(len(curve))
    upper, lower = curve[rows, k], curve[rows, np.maximum(k - 1, 0)]
    step = np.where(upper > lower, upper - lower, 1.0)
    inside = k - 1 + np.minimum((score - lower) / step, 1.0)
    value = np.where(reached.any(axis=1), inside, np.inf)
    value = np.where(score <= curve[:, 0] + SAME, 0.0, value)
    value = np.where(score < curve[:, 0] - SAME, -np.inf, value)
    return np.where(np.isnan(score) | np.isnan(curve[:, 0]), np.nan, value)


def verdict_of(equivalence: float) -> Verdict | None:
    """In words, whether the judge lies on the curve; None if its score is undefined."""
    if np.isnan(equivalence):
        return None
    if np.isinf(equivalence):
        return "below 0" if equivalence < 0 else "above K"
    return "within"


def crosses_again(curve: Floats, score: float, equivalence: float) -> bool:
    """Whether the curve falls below the score again after it has reached it."""
    if not np.isfinite(equivalence):
        return False
    after = curve[int(np.ceil(equivalence)) :]
    return bool(np.any(after < score - SAME))
