"""Krippendorff's alpha for response sets: two raters who endorse overlapping sets agree in part."""

import numpy as np
import numpy.typing as npt

from dissensus.agreement.sums import Floats, item_weights, label_totals, pair_sums, pairable, ratio, weighted_sum
from dissensus.ratings import CountTypes

Members = npt.NDArray[np.bool_]


def jaccard_distance(members: Members) -> Floats:
    """1 less the size of the intersection over that of the union, for each pair of response sets.

    Parameters
    ----------
    members : ndarray of shape (n_labels, n_options)
        Which option is in which label; no label is empty.

    Returns
    -------
    ndarray of shape (n_labels, n_labels)

    Examples
    --------
    >>> jaccard_distance(np.array([[True, False], [True, True]]))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    both, either = _overlap(members)
    return 1 - both / either


def masi_distance(members: Members) -> Floats:
    """MASI distance: Jaccard's similarity, less where neither set contains the other.

    References
    ----------
    R. Passonneau (2006), "Measuring Agreement on Set-valued Items (MASI) for Semantic and Pragmatic Annotation".

    Examples
    --------
    >>> masi_distance(np.array([[True, False], [True, True]])).round(4)  # 1 - 1/2 * 2/3
    array([[0.    , 0.6667],
           [0.6667, 0.    ]])
    """
    both, either = _overlap(members)
    size = members.sum(axis=1)
    same = both == either
    nested = both == np.minimum(size[:, None], size[None, :])
    monotonicity = np.select([same, nested, both > 0], [1.0, 2 / 3, 1 / 3], 0.0)
    return np.asarray(1 - both / either * monotonicity)


def _overlap(members: Members) -> tuple[Floats, Floats]:
    whole = members.astype(np.float64)
    size = whole.sum(axis=1)
    both = whole @ whole.T  # whole numbers: exact in any order
    return both, size[:, None] + size[None, :] - both


def set_alpha(types: CountTypes, distance: Floats, weights: npt.ArrayLike | None = None) -> Floats:
    """Krippendorff's alpha for any distance between labels.

    Parameters
    ----------
    types : CountTypes
        The histogram of label counts.
    distance : ndarray of shape (n_labels, n_labels)
        How far apart two labels are; 0 on the diagonal.
    weights : ndarray of shape (n_replicates, n_types), optional
        How often each type counts in each replicate; the data themselves if not given.

    Returns
    -------
    ndarray of shape (n_replicates,)
        NaN if only one label was used or no item has two ratings.

    Examples
    --------
    >>> from dissensus.ratings import types_of_matrix
    >>> set_alpha(types_of_matrix([[2, 0], [1, 1], [0, 2]]), 1 - np.eye(2)).round(4)  # nominal alpha
    array([0.4444])
    """
    w = item_weights(types, weights) * pairable(types)
    n_c = label_totals(types, w)
    n = n_c.sum(axis=1)
    apart = pair_sums(types, lambda c, k: distance[c, k]) / np.maximum(types.ratings - 1, 1)
    observed = ratio(weighted_sum(w, apart), n)
    expected = ratio(np.einsum("rc,ck,rk->r", n_c, distance, n_c), n * (n - 1))
    return 1 - ratio(observed, expected)
