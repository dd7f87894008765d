import numpy as np
import numpy.typing as npt

from dissensus.agreement.pairwise import pairwise_agreement
from dissensus.agreement.sums import Floats, item_weights, label_totals, ratio
from dissensus.ratings import CountTypes


def label_shares(types: CountTypes, weights: Floats) -> Floats:
    """Mean over items of the share of an item's ratings that each label has; shape (n_replicates, n_labels)."""
    return ratio(label_totals(types, weights, 1 / types.ratings), weights.sum(axis=1, keepdims=True))


def fleiss_kappa(types: CountTypes, weights: npt.ArrayLike | None = None) -> Floats:
    """Fleiss' kappa, generalised to items with different numbers of ratings.

    Observed agreement is the mean over items with two or more ratings; the shares of labels are means over all items,
    each item counting the same, however many ratings it has.

    Parameters
    ----------
    types : CountTypes
        The histogram of label counts.
    weights : ndarray of shape (n_replicates, n_types), optional
        How often each type counts in each replicate; the data themselves if not given.

    Returns
    -------
    ndarray of shape (n_replicates,)
        NaN if only one label was used or no item has two ratings.

    References
    ----------
    K. L. Gwet (2014), "Handbook of Inter-Rater Reliability", 4th ed., section 2.4 (missing ratings).

    Examples
    --------
    >>> from dissensus.ratings import types_of_matrix
    >>> fleiss_kappa(types_of_matrix([[2, 0], [1, 1], [0, 2]])).round(4)  # (2/3 - 1/2) / (1/2)
    array([0.3333])
    """
    w = item_weights(types, weights)
    shares = label_shares(types, w)
    by_chance = np.where(np.count_nonzero(shares, axis=1) <= 1, 1.0, (shares**2).sum(axis=1))
    return ratio(pairwise_agreement(types, w) - by_chance, 1 - by_chance)
