import numpy as np
import numpy.typing as npt

from dissensus.agreement.sums import Floats, item_weights, pairable, ratio, weighted_sum
from dissensus.ratings import CountTypes
from dissensus.ratings.counts import sum_cells


def agreeing_share(types: CountTypes) -> Floats:
    """Share of the pairs of ratings of an item that agree, for each type; 0 where there is no pair."""
    m = types.ratings
    same = sum_cells(types, types.count * (types.count - 1))
    return np.where(pairable(types), same / np.maximum(m * (m - 1), 1), 0.0)


def pairwise_agreement(types: CountTypes, weights: npt.ArrayLike | None = None) -> Floats:
    """Mean over items with two or more ratings of the share of pairs of ratings that agree.

    Parameters
    ----------
    types : CountTypes
        The histogram of label counts.
    weights : ndarray of shape (n_replicates, n_types), optional
        How often each type counts in each replicate; the data themselves if not given.

    Returns
    -------
    ndarray of shape (n_replicates,)
        NaN if no item has two ratings.

    Examples
    --------
    >>> from dissensus.ratings import types_of_matrix
    >>> pairwise_agreement(types_of_matrix([[3, 0], [2, 1]])).round(4)  # all pairs agree; one in three does
    array([0.6667])
    """
    w = item_weights(types, weights)
    return ratio(weighted_sum(w, agreeing_share(types)), weighted_sum(w, pairable(types).astype(np.float64)))
