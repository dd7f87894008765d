"""The Anonymous Bayesian Combiner: what the next rater says, learned from how other items went on."""

import numpy as np

from dissensus.ratings.coding import Codes
from dissensus.survey.subsets import Floats
from dissensus.survey.surveys import Surveys

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
