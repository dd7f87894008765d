"""Scores by name: what a prediction is worth against the labels that raters gave; higher is better."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Flags, Floats
from dissensus.errors import OptionError
from dissensus.options import named

ScoreName = Literal[
    "cross-entropy", "agreement", "brier", "rps", "f1", "precision", "recall", "dmi", "auc", "pearson", "spearman"
]
SCORES: tuple[ScoreName, ...] = get_args(ScoreName)
Order = tuple[int, ...] | None
"""The labels from the lowest to the highest; as they come if None."""
LabelScores = Callable[[Floats], Floats]
"""From predictions of shape (..., n_labels): what each label would score, of the same shape."""


@dataclass(frozen=True, slots=True)
class LabelScoring:
    """The function that scores a prediction against each label; higher is better. It travels to other processes."""

    score: ScoreName
    clip: float = 0.0
    order: Order = None

    def __call__(self, predictions: Floats) -> Floats:
        """What each label would score."""
        formula = SPECS[self.score].formula
        assert formula is not None, "only a mean over items scores labels"  # noqa: S101 - we ask no other
        return formula(predictions, self.clip, self.order)


def label_scores(score: ScoreName, *, clip: float = 0.02, order: Order = None) -> LabelScoring:
    """What labels score under predictions; the clip and the order are kept only by a score that heeds them."""
    spec = SPECS[score]
    return LabelScoring(score, clip if spec.is_clipped else 0.0, order if spec.is_ordered else None)


def clipped(predictions: Floats, clip: float) -> Floats:
    """Probabilities kept away from 0 and 1, and rescaled to sum to 1.

    >>> clipped(np.array([1.0, 0.0]), 0.02)
    array([0.98, 0.02])
    """
    n_labels = predictions.shape[-1]
    if clip * n_labels >= 1:
        raise OptionError(
            f"{n_labels:,} labels are too many for {named('clip')} {clip:g}. If they are numbers, add {named('score')} "
            f"pearson {named('combiner')} frequency; else choose a clip below {1 / n_labels:.3g}."
        )
    inside = np.clip(predictions, clip, 1 - clip)
    inside /= np.einsum("...l->...", inside)[..., None]
    return np.asarray(inside)


def _brier(predictions: Floats) -> Floats:
    """Negative squared distance between the prediction and the label, so that higher is better."""
    return np.asarray(2 * predictions - 1 - np.einsum("...l,...l->...", predictions, predictions)[..., None])


def ranked_probability_scores(predictions: Floats) -> Floats:
    """Ranked probability score of each label with its sign turned, so that higher is better, of the same shape.

    Minus the mean over the cuts between neighbouring labels of the squared error of the probability of lying at or
    below the cut: a near miss costs less than a far one, which no other score of probabilities here knows.

    `predictions` (..., n_labels): the labels from the lowest to the highest. Returns shape (..., n_labels): from -1,
    all on the lowest where the highest was given, to 0.

    E. S. Epstein (1969), "A Scoring System for Probability Forecasts of Ranked Categories".

    >>> ranked_probability_scores(np.array([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]]))
    array([[-0.5  ,  0.   , -0.5  ],
           [-0.125, -0.125, -0.625]])
    """
    below = np.cumsum(predictions, axis=-1)[..., :-1]  # at or below each cut
    nothing = np.zeros((*predictions.shape[:-1], 1))
    # A cut below the given label should have 0, one at or above it 1.
    too_low = np.concatenate([nothing, np.cumsum(below**2, axis=-1)], axis=-1)
    too_high = np.concatenate([nothing, np.cumsum((1 - below[..., ::-1]) ** 2, axis=-1)], axis=-1)[..., ::-1]
    return np.asarray((0 - too_low - too_high) / max(below.shape[-1], 1))


def _in_order(predictions: Floats, order: Order) -> Floats:
    """Ranked probability scores of labels that come in another order than theirs."""
    if order is None:
        return ranked_probability_scores(predictions)
    place = np.array(order, dtype=np.intp)
    return np.asarray(ranked_probability_scores(predictions[..., place])[..., np.argsort(place)])


TIE = 1e-9  # probabilities and shares that are this close are equal up to rounding


def hard_predictions(predictions: Floats) -> Floats:
    """All on the most likely label, shared equally where several tie (up to rounding)."""
    top = predictions >= predictions.max(axis=-1, keepdims=True) - TIE
    return np.asarray(top / top.sum(axis=-1, keepdims=True))


def confusion_score(score: ScoreName, matrix: Floats, *, positive: int | None = None) -> Floats:
    """The score of each matrix.

    `score`: which score. `matrix` (n_replicates, n_labels, n_labels): mass of each pair of predicted (row) and given
    (column) label. `positive`: code of the positive label; without it the mean over labels (macro). Returns shape
    (n_replicates,): NaN where the score is undefined, as precision is where the positive label was never predicted, and
    where there is no mass at all.
    """
    if score == "dmi":
        total = matrix.sum(axis=(1, 2))
        share = matrix / np.where(total > 0, total, 1)[:, None, None]
        return np.where(total > 0, np.abs(np.linalg.det(share)), np.nan)
    hits = np.diagonal(matrix, axis1=1, axis2=2)
    predicted, given = matrix.sum(axis=2), matrix.sum(axis=1)
    below = {"precision": predicted, "recall": given, "f1": (predicted + given) / 2}[score]
    by_label = np.where(below > 0, hits / np.where(below > 0, below, 1), np.nan)
    if positive is not None:
        return np.asarray(by_label[:, positive])
    # A label that is neither predicted nor given says nothing; one that is given but never predicted scores 0.
    present = (predicted + given) > 0
    filled = np.where(present, np.nan_to_num(by_label), 0)
    n_present = present.sum(axis=1)
    return np.where(n_present > 0, filled.sum(axis=1) / np.maximum(n_present, 1), np.nan)


# ---- Scores that compare predictions of different items

SAME = 1e-12
"""Predictions that differ by less, relative to their size, are the same."""


def ranked_score(
    score: ScoreName, predictions: Floats, masses: Floats, *, values: Floats, positive: int | None = None,
    prediction_values: Floats | None = None,
) -> Floats:  # fmt: skip
    """The score of each replicate.

    `score`: AUC ranks by the probability of the positive label; without one it is the mean over labels, each against
    the rest. The correlations are between the expected and the given value. `predictions` (n, n_labels): the
    predictions. `masses` (n_replicates, n, n_labels): how often each prediction met each label. `values` (n_labels,):
    the labels as numbers. `positive`: code of the positive label. `prediction_values`: the columns of the predictions
    as numbers, where they are not the labels. Returns shape (n_replicates,): NaN where the score is undefined: one
    label only, or all predictions the same for a correlation.
    """
    if score == "auc":
        labels = range(masses.shape[2]) if positive is None else [positive]
        each = [_auc_of_label(predictions[..., label], masses, label) for label in labels]
        return _mean_defined(np.array(each))
    given = values / unit_of(values)
    if prediction_values is None:
        expected = predictions @ given
    else:
        expected = predictions @ prediction_values
        expected = expected / unit_of(expected)
    if score == "pearson":
        return _pearson(np.broadcast_to(expected, masses.shape[:2]), given, masses)
    return np.array(
        [_spearman(expected if expected.ndim == 1 else expected[r], given, m) for r, m in enumerate(masses)]
    )


def unit_of(numbers: Floats) -> float:
    """The power of two below a usual number, so that what is rounding does not depend on what they are measured in.

    Not below the largest: one may be beyond all bounds, as perplexities are. Dividing by a power of two is exact.

    >>> unit_of(np.array([0.0, -3.0, 3.0, 1e15])), unit_of(np.array([0.0]))
    (2.0, 1.0)
    """
    sizes = np.abs(numbers[numbers != 0])
    return float(2.0 ** np.floor(np.log2(np.median(sizes)))) if sizes.size else 1.0


def _auc_of_label(predicted: Floats, masses: Floats, label: int) -> Floats:
    """Probability that an item with the label is ranked above one without; ties count half."""
    given = masses[:, :, label]
    rest = masses.sum(axis=2) - given
    if predicted.ndim == 1:
        return _auc(predicted, given, rest)
    return np.concatenate([_auc(predicted[r], given[r : r + 1], rest[r : r + 1]) for r in range(len(masses))])


def _auc(predicted: Floats, given: Floats, rest: Floats) -> Floats:
    order, start = _ties(predicted)
    above = np.add.reduceat(given[:, order], start, axis=1)
    below = np.add.reduceat(rest[:, order], start, axis=1)
    lower = np.cumsum(below, axis=1) - below
    wins = (above * (lower + below / 2)).sum(axis=1)
    pairs = above.sum(axis=1) * below.sum(axis=1)
    return np.where(pairs > 0, wins / np.where(pairs > 0, pairs, 1), np.nan)


def _ties(predicted: Floats) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Ascending order of predictions, and where each run of equal ones (up to rounding) starts."""
    order = np.argsort(predicted, kind="stable")
    ordered = predicted[order]
    is_new = np.diff(ordered, prepend=-np.inf) > SAME * np.maximum(np.abs(ordered), 1)
    return order, np.flatnonzero(is_new)


def _mean_defined(each: Floats) -> Floats:
    defined = ~np.isnan(each)
    total = np.where(defined, each, 0).sum(axis=0)
    count = defined.sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _pearson(expected: Floats, values: Floats, masses: Floats) -> Floats:
    """Weighted correlation between predictions (n_replicates, n) and label values."""
    total = masses.sum(axis=(1, 2))
    total = np.where(total > 0, total, 1)  # a replicate without any mass has no label, and so no correlation
    by_prediction, by_label = masses.sum(axis=2), masses.sum(axis=1)
    x = expected - (by_prediction * expected).sum(axis=1, keepdims=True) / total[:, None]
    y = values - (by_label @ values)[:, None] / total[:, None]
    covariance = np.einsum("rn,rnl,rl->r", x, masses, y)
    spread = (by_prediction * x**2).sum(axis=1) * (by_label * y**2).sum(axis=1)
    # Predictions that are all the same have a spread of rounding errors, not of information; those without mass, of
    # items that are not in the replicate, do not count.
    occurs = by_prediction > 0
    width = np.where(occurs, expected, -np.inf).max(axis=1) - np.where(occurs, expected, np.inf).min(axis=1)
    size = np.where(occurs, np.abs(expected), 0).max(axis=1)
    is_defined = (width > SAME * np.maximum(size, 1)) & (np.count_nonzero(by_label, axis=1) > 1)
    return correlation(covariance, spread, is_defined)


def pearson_of_items(
    predictions: Floats, shares: Floats, weights: Floats, *, values: Floats, numbers: Floats | None = None
) -> Floats:
    """Correlation in each replicate of predictions that are the same in all of them, from sums over items alone.

    `predictions`, `shares` (n_items, n_labels): of an item, and how it was answered. `weights` (n_replicates, n_items).
    `values` (n_labels,): the labels as numbers. `numbers` (n_items,): what was answered, where those are no labels.
    """
    given = values / unit_of(values)
    x = predictions @ given if numbers is None else numbers / unit_of(numbers)
    by_label, total = np.einsum("ri,il->rl", weights, shares), weights.sum(axis=1)[:, None]
    total = np.where(total > 0, total, 1)
    apart = x - np.einsum("ri,i->r", weights, x)[:, None] / total
    y = given - (by_label @ given)[:, None] / total
    pulled = weights * apart
    covariance = np.einsum("ri,i->r", pulled, shares @ (given - given.mean()))
    spread = np.einsum("ri,ri->r", pulled, apart) * np.einsum("rl,rl->r", by_label, y**2)
    return correlation(covariance, spread, several_predicted(x, x, weights) & (np.count_nonzero(by_label, axis=1) > 1))


def correlation(covariance: Floats, spread: Floats, is_defined: Flags) -> Floats:
    """Covariance by the root of the product of two variances, of each replicate; NaN where it is undefined."""
    is_defined = is_defined & (spread > 0)
    return np.where(is_defined, covariance / np.sqrt(np.where(is_defined, spread, 1)), np.nan)


def several_predicted(lowest: Floats, highest: Floats, weights: Floats) -> Flags:
    """Whether not all predictions are the same in each replicate, from the ends of those of each row."""
    low = np.where(weights > 0, lowest, np.inf).min(axis=1, initial=np.inf)
    high = np.where(weights > 0, highest, -np.inf).max(axis=1, initial=-np.inf)
    return np.asarray(high - low > SAME * np.maximum(np.maximum(np.abs(low), np.abs(high)), 1))


def _spearman(expected: Floats, values: Floats, masses: Floats) -> float:
    """Weighted rank correlation: Pearson's of the mid-ranks."""
    predicted_rank = _mid_ranks(expected, masses.sum(axis=1))
    label_rank = _mid_ranks(values, masses.sum(axis=0))
    return float(_pearson(predicted_rank[None, :], label_rank, masses[None])[0])


def _mid_ranks(x: Floats, mass: Floats) -> Floats:
    order, start = _ties(x)
    of_run = np.add.reduceat(mass[order], start)
    middle = np.cumsum(of_run) - of_run / 2
    ranks = np.empty_like(mass)
    total = float(mass.sum())
    ranks[order] = np.repeat(middle / (total if total > 0 else 1), np.diff([*start, len(x)]))
    return ranks


# ---- All that sets scores apart


@dataclass(frozen=True, slots=True)
class ScoreSpec:
    """What a score is."""

    # Means over items of what each label scores; from the confusion matrix; from predictions of different items, which
    # take the exact joint distribution.
    kind: Literal["additive", "confusion", "ranked"]
    range: tuple[float, float]  # the lowest and the highest value that it can have
    formula: Callable[[Floats, float, Order], Floats] | None = None  # from predictions, clip and order, if additive
    is_hard: bool = False  # of labels: a prediction counts as its most likely label, a judge as the label it stated
    is_proper: bool = False  # of probabilities, which a judge that sounds too sure spoils: its outputs are calibrated
    is_clipped: bool = False  # whether probabilities are kept away from 0 and 1
    is_ordered: bool = False  # whether the order of labels counts
    is_correlation: bool = False  # whether labels must be numbers
    has_positive: bool = False  # of one label against the rest


SHARE = (0.0, 1.0)
SPECS: dict[ScoreName, ScoreSpec] = {
    "cross-entropy": ScoreSpec(
        "additive", (-np.inf, 0.0), lambda p, clip, _: np.asarray(np.log2(clipped(p, clip))),
        is_proper=True, is_clipped=True,
    ),
    "agreement": ScoreSpec("additive", SHARE, lambda p, _clip, _order: hard_predictions(p), is_hard=True),
    "brier": ScoreSpec("additive", (-2.0, 0.0), lambda p, _clip, _order: _brier(p), is_proper=True),
    "rps": ScoreSpec(
        "additive", (-1.0, 0.0), lambda p, _clip, order: _in_order(p, order),
        is_proper=True, is_ordered=True,
    ),
    "f1": ScoreSpec("confusion", SHARE, is_hard=True, has_positive=True),
    "precision": ScoreSpec("confusion", SHARE, is_hard=True, has_positive=True),
    "recall": ScoreSpec("confusion", SHARE, is_hard=True, has_positive=True),
    "dmi": ScoreSpec("confusion", SHARE),
    "auc": ScoreSpec("ranked", SHARE, has_positive=True),
    "pearson": ScoreSpec("ranked", (-1.0, 1.0), is_correlation=True),
    "spearman": ScoreSpec("ranked", (-1.0, 1.0), is_correlation=True),
}  # fmt: skip
ADDITIVE_SCORES = tuple(name for name, spec in SPECS.items() if spec.kind == "additive")
CORRELATIONS = tuple(name for name, spec in SPECS.items() if spec.is_correlation)
PROPER_SCORES = tuple(name for name, spec in SPECS.items() if spec.is_proper)
MOMENT_SCORES = tuple(name for name in ADDITIVE_SCORES if not SPECS[name].is_ordered)
"""Scores that moments of outputs keep; the order of labels is not known when files are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A score and what it needs."""

    name: ScoreName
    values: Floats  # (n_labels,): the labels as numbers, for Pearson and Spearman
    positive: int | None = None  # code of the positive label, for AUC, F1, precision and recall; None for the mean
    clip: float = 0.02  # how far cross-entropy keeps probabilities from 0 and 1
    order: Order = None  # for rps

    def __post_init__(self) -> None:
        if self.spec.is_correlation and not np.isfinite(self.values).all():
            needs = f"{named('score')} {self.name} needs labels that are numbers"
            raise OptionError(f"{needs}: choose agreement or cross-entropy.")
        if self.spec.is_ordered and self.order is None:
            order = f"{named('score')} {self.name} needs labels in order: give it with {named('labels', of='read')}"
            raise OptionError(f"{order}, lowest first, or choose cross-entropy or brier, for labels without an order.")

    @property
    def spec(self) -> ScoreSpec:
        """What sets it apart from other scores."""
        return SPECS[self.name]

    @property
    def is_additive(self) -> bool:
        """Whether the score is a mean over items."""
        return self.spec.kind == "additive"

    @property
    def is_ranked(self) -> bool:
        """Whether the score compares predictions of different items, so that leaving items out one by one spoils it."""
        return self.spec.kind == "ranked"

    @property
    def is_hard(self) -> bool:
        """Whether it is a score of labels, not of their probabilities."""
        return self.spec.is_hard

    def of_labels(self) -> LabelScores:
        """What each label scores, for an additive score."""
        return label_scores(self.name, clip=self.clip, order=self.order)

    def hard(self, predictions: Floats) -> Floats:
        """Predictions as the confusion matrix takes them: the most likely label, or as they are for DMI."""
        return hard_predictions(predictions) if self.is_hard else predictions

    def of_confusion(self, matrix: Floats) -> Floats:
        """The score of confusion matrices of shape (n_replicates, n_labels predicted, n_labels given)."""
        return confusion_score(self.name, matrix, positive=self.positive)

    def of_joint(self, predictions: Floats, masses: Floats) -> Floats:
        """The score in each replicate of predictions whose labels have these masses; shapes as in `ranked_score`."""
        if self.is_additive:
            scored = self.of_labels()(predictions)
            total = masses.sum(axis=(1, 2))
            return np.asarray((masses * scored).sum(axis=(1, 2)) / np.where(total > 0, total, np.nan))
        if self.spec.kind == "confusion":
            hard = np.broadcast_to(self.hard(predictions), masses.shape)
            return self.of_confusion(np.einsum("rnp,rnl->rpl", hard, masses))
        return ranked_score(self.name, predictions, masses, values=self.values, positive=self.positive)
