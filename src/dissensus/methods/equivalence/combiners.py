"""Combiners: from the labels of a survey to a prediction of the next rater's label."""

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.errors import OptionError
from dissensus.methods.equivalence.surveys import Surveys, plurality_shares

Combiner = Literal["abc", "frequency", "plurality", "npmle"]
COMBINERS: tuple[Combiner, ...] = ("abc", "frequency", "plurality", "npmle")
Learn = Literal["leave-one-out", "in-sample", "cross-fit"]
LEARN: tuple[Learn, ...] = ("leave-one-out", "in-sample", "cross-fit")
Prior = Literal["uniform", "data"]
PRIORS: tuple[Prior, ...] = ("uniform", "data")
OwnCombiner = Callable[[npt.NDArray[np.int32]], npt.ArrayLike]
"""From label counts of shape (n_surveys, n_labels) to predictions of the same shape, rows summing to 1."""

SUM_TOLERANCE = 1e-6


def frequencies(counts: npt.NDArray[np.int32], default: Floats) -> Floats:
    """The share of each label in the survey; the default where nobody was asked.

    Examples
    --------
    >>> frequencies(np.array([[1, 3], [0, 0]]), np.array([0.5, 0.5]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    asked = counts.sum(axis=1, keepdims=True)
    return np.where(asked > 0, counts / np.maximum(asked, 1), default)


def pluralities(counts: npt.NDArray[np.int32]) -> Floats:
    """The most frequent label of the survey; labels that tie share it, and with nobody asked all labels tie."""
    return plurality_shares(counts)


def own_predictions(combiner: OwnCombiner, counts: npt.NDArray[np.int32]) -> Floats:
    """What a user's combiner predicts, checked."""
    predictions = np.asarray(combiner(counts), dtype=np.float64)
    if predictions.shape != counts.shape:
        raise OptionError(f"The combiner returned shape {predictions.shape} for surveys of shape {counts.shape}.")
    sums = predictions.sum(axis=1)
    if not np.isfinite(predictions).all() or (predictions < 0).any() or (abs(sums - 1) > SUM_TOLERANCE).any():
        raise OptionError("The combiner's predictions must be probabilities: at least 0, and 1 in sum for each survey.")
    return predictions


# ---- The Anonymous Bayesian Combiner: what the next rater says, learned from how other items went on

DENSE_CELLS = 1 << 20
ALMOST_NOTHING = 1e-9
"""Share of an item's own weight below which a remainder may be rounding."""


def survey_totals(surveys: Surveys, weights: Floats, values: Floats | None = None) -> Floats:
    """Sum over items of P(y + e_l | n), for each survey and label: S(y + e_l).

    Parameters
    ----------
    surveys : Surveys
        The surveys of one size.
    weights : ndarray of shape (n_replicates, n_types)
        How many items of each type there are.
    values : ndarray of shape (n_cells, n_labels), optional
        What to sum instead of the probabilities.

    Returns
    -------
    ndarray of shape (n_replicates, n_surveys, n_labels)
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


def over_labels(values: Floats) -> Floats:
    """Sum over the last axis; einsum is several times faster than sum where that axis is short."""
    return np.asarray(np.einsum("...l->...", values))


def predictions_from(totals: Floats) -> Floats:
    """Normalise S(y + e_l) over labels; uniform where no item is left to learn from.

    Differs from the paper: Algorithm 6 divides by the estimated probability of y, which on ragged data is estimated
    from other items and does not make the predictions sum to 1.
    """
    sums = over_labels(totals)[..., None]
    # Compared with zero itself: 1e-12 is a probability that occurs here.
    nobody = sums <= 0
    predictions = totals / np.where(nobody, 1, sums)
    if nobody.any():
        predictions = np.where(nobody, 1 / totals.shape[-1], predictions)
    return np.asarray(predictions)


def leave_one_out(
    surveys: Surveys, totals: Floats, support: Floats, *, row: Codes, cell: Codes, copies: Codes | Floats
) -> Floats:
    """Predictions for an item, learned from all the others.

    Parameters
    ----------
    surveys : Surveys
        The surveys of one size.
    totals, support : ndarray of shape (n_replicates, n_surveys, n_labels)
        Sums over items of P(y + e_l | n), and of whether it is positive.
    row, cell : ndarray of shape (n,)
        Replicate and cell (type of item and survey) to predict for.
    copies : ndarray of shape (n,)
        How often the item occurs in the replicate; all copies leave.

    Returns
    -------
    ndarray of shape (n, n_labels)
    """
    n_surveys, n_labels = surveys.shape
    place = row * n_surveys + surveys.survey[cell]
    own = surveys.joint.take(cell, axis=0) * copies[:, None]
    others = totals.reshape(-1, n_labels).take(place, axis=0) - own
    # Where next to nothing is left, whether anybody else contributes is asked of whole numbers: a difference that
    # should be 0 may be 1e-17.
    doubtful, label = np.nonzero(others < ALMOST_NOTHING * own)
    anybody = support.reshape(-1, n_labels)[place[doubtful], label] > copies[doubtful]
    others[doubtful, label] = np.where(anybody, np.maximum(others[doubtful, label], 0), 0)
    return predictions_from(others)
