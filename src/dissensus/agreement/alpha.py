"""Krippendorff's alpha for nominal, ordinal and interval labels, in time linear in the number of label counts."""

import numpy as np
import numpy.typing as npt

from dissensus.agreement.sums import Floats, item_weights, label_totals, pairable, ratio, weighted_sum
from dissensus.ratings import CountTypes
from dissensus.ratings.counts import sum_cells


def nominal_alpha(types: CountTypes, weights: npt.ArrayLike | None = None) -> Floats:
    """Krippendorff's alpha for unordered labels.

    Parameters
    ----------
    types : CountTypes
        The histogram of label counts; items with one rating do not count.
    weights : ndarray of shape (n_replicates, n_types), optional
        How often each type counts in each replicate; the data themselves if not given.

    Returns
    -------
    ndarray of shape (n_replicates,)
        1 is perfect agreement, 0 is chance; NaN if only one label was used or no item has two ratings.

    References
    ----------
    K. Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C.

    Examples
    --------
    >>> from dissensus.ratings import types_of_matrix
    >>> nominal_alpha(types_of_matrix([[2, 0], [1, 1], [0, 2]])).round(4)  # 1 - (2/6) / (18/30)
    array([0.4444])
    """
    w = _pairable_weights(types, weights)
    n_c = label_totals(types, w)
    n = n_c.sum(axis=1)
    # Counting agreeing instead of disagreeing pairs keeps both sums linear in the number of labels.
    same = sum_cells(types, types.count * (types.count - 1)) / np.maximum(types.ratings - 1, 1)
    agree = ratio(weighted_sum(w, same), n)
    by_chance = ratio((n_c * (n_c - 1)).sum(axis=1), n * (n - 1))
    return ratio(agree - by_chance, 1 - by_chance)


def interval_alpha(types: CountTypes, values: Floats, weights: npt.ArrayLike | None = None) -> Floats:
    """Krippendorff's alpha for numbers: disagreement is the squared difference.

    Parameters
    ----------
    types : CountTypes
        The histogram of label counts.
    values : ndarray of shape (n_labels,)
        The number that each label is.
    weights : ndarray of shape (n_replicates, n_types), optional
        As in `nominal_alpha`.

    Returns
    -------
    ndarray of shape (n_replicates,)

    Examples
    --------
    >>> from dissensus.ratings import types_of_matrix
    >>> interval_alpha(types_of_matrix([[2, 0], [1, 1], [0, 2]]), np.array([1.0, 5.0])).round(4)
    array([0.4444])
    """
    w = _pairable_weights(types, weights)
    n_c = label_totals(types, w)
    # Alpha does not change when the zero moves or the unit does; a central zero keeps the sums of squares small, and a
    # unit near the largest number keeps squares of 1e200 and of 1e-200 within what a computer can hold.
    totals = label_totals(types, _pairable_weights(types, None))[0]
    x = _in_own_unit(np.where(np.isfinite(values) & (totals > 0), values, 0.0))
    x = _in_own_unit(x - np.average(x, weights=np.maximum(totals, 1e-300)))
    within = _sum_of_squares(types, x[None, :])[0]
    return _alpha_of_squares(types, w, n_c, within[None, :], x[None, :])


def ordinal_alpha(types: CountTypes, weights: npt.ArrayLike | None = None) -> Floats:
    """Krippendorff's alpha for ordered labels.

    The ordinal distance between two labels is the squared difference of their mid-ranks among all ratings, so ordinal
    alpha is interval alpha on mid-ranks, which each replicate has its own.

    Parameters
    ----------
    types : CountTypes
        The histogram of label counts; labels are in order.
    weights : ndarray of shape (n_replicates, n_types), optional
        As in `nominal_alpha`.

    Returns
    -------
    ndarray of shape (n_replicates,)

    Examples
    --------
    >>> from dissensus.ratings import types_of_matrix
    >>> ordinal_alpha(types_of_matrix([[2, 0], [1, 1], [0, 2]])).round(4)  # with two labels, order adds nothing
    array([0.4444])
    """
    w = _pairable_weights(types, weights)
    n_c = label_totals(types, w)
    n = np.maximum(n_c.sum(axis=1, keepdims=True), 1)
    rank = (np.cumsum(n_c, axis=1) - n_c / 2) / n - 0.5
    return _alpha_of_squares(types, w, n_c, _sum_of_squares(types, rank), rank)


def _pairable_weights(types: CountTypes, weights: npt.ArrayLike | None) -> Floats:
    return item_weights(types, weights) * pairable(types)


def _in_own_unit(x: Floats) -> Floats:
    """The numbers in a unit near the largest of them; a power of two, which leaves every digit as it is."""
    _, exponent = np.frexp(np.abs(x).max(initial=0.0))
    return np.asarray(np.ldexp(x, -exponent))


def _sum_of_squares(types: CountTypes, x: Floats) -> Floats:
    """Sum over an item's ratings of the squared distance from the item's mean; shape (n_replicates, n_types)."""
    if not types.n_types:
        return np.zeros((len(x), 0))
    start = types.start[:-1]
    of_cell = x[:, types.label]
    mean = np.add.reduceat(of_cell * types.count, start, axis=1) / types.ratings
    apart = of_cell - np.repeat(mean, np.diff(types.start), axis=1)
    return np.asarray(np.add.reduceat(apart * apart * types.count, start, axis=1))


def _alpha_of_squares(types: CountTypes, w: Floats, n_c: Floats, within: Floats, x: Floats) -> Floats:
    """1 less observed over expected disagreement, both as sums of squares (2 m S / (m - 1) over pairs of an item)."""
    m = types.ratings
    share = m / np.maximum(m - 1, 1)
    n = n_c.sum(axis=1)
    observed = ratio(np.einsum("rt,rt->r", w, within * share), n)
    mean = ratio(np.einsum("rl,rl->r", n_c, np.broadcast_to(x, n_c.shape)), n)
    expected = ratio(np.einsum("rl,rl->r", n_c, (x - mean[:, None]) ** 2), n - 1)
    return 1 - ratio(observed, np.where(_uses_one_label(n_c), 0.0, expected))


def _uses_one_label(n_c: Floats) -> npt.NDArray[np.bool_]:
    # Asked of the whole numbers, because a sum of squares that should be zero may be 1e-33.
    return np.asarray(np.count_nonzero(n_c, axis=1) <= 1)
