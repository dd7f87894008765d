"""Scores that compare predictions of different items: AUC, Pearson, Spearman, from the exact joint distribution."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from dissensus.survey.subsets import Floats

RankedScore = Literal["auc", "pearson", "spearman"]
SAME = 1e-12
"""Predictions that differ by less, relative to their size, are the same."""


def ranked_score(
    score: RankedScore,
    predictions: Floats,
    masses: Floats,
    *,
    values: Floats,
    positive: int | None = None,
    prediction_values: Floats | None = None,
) -> Floats:
    """The score of each replicate.

    Parameters
    ----------
    score : {"auc", "pearson", "spearman"}
        AUC ranks by the probability of the positive label; without one it is the mean over labels, each against the
        rest. The correlations are between the expected and the given value.
    predictions : ndarray of shape (n, n_labels) or (n_replicates, n, n_labels)
        The predictions.
    masses : ndarray of shape (n_replicates, n, n_labels)
        How often each prediction met each label.
    values : ndarray of shape (n_labels,)
        The labels as numbers.
    positive : int, optional
        Code of the positive label.
    prediction_values : ndarray, optional
        The columns of the predictions as numbers, where they are not the labels.

    Returns
    -------
    ndarray of shape (n_replicates,)
        NaN where the score is undefined: one label only, or all predictions the same for a correlation.
    """
    if score == "auc":
        labels = range(masses.shape[2]) if positive is None else [positive]
        each = [_auc_of_label(predictions[..., label], masses, label) for label in labels]
        return _mean_defined(np.array(each))
    given = values / _unit(values)
    if prediction_values is None:
        expected = predictions @ given
    else:
        expected = predictions @ prediction_values
        expected = expected / _unit(expected)
    if score == "pearson":
        return _pearson(np.broadcast_to(expected, masses.shape[:2]), given, masses)
    return np.array(
        [_spearman(expected if expected.ndim == 1 else expected[r], given, m) for r, m in enumerate(masses)]
    )


def _unit(numbers: Floats) -> float:
    """The power of two below a usual number, so that what is rounding does not depend on what they are measured in.

    Not below the largest: one may be beyond all bounds, as perplexities are. Dividing by a power of two is exact.

    Examples
    --------
    >>> _unit(np.array([0.0, -3.0, 3.0, 1e15])), _unit(np.array([0.0]))
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
    return np.where(is_defined, covariance / np.sqrt(np.where(is_defined, spread, 1)), np.nan)


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
