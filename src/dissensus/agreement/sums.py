"""Weighted sums over types: what every coefficient is made of.

A coefficient of agreement is a ratio of sums over items, so a bootstrap replicate is a row of weights, and all
replicates are one pass. Sums of whole numbers are exact in any order and may use BLAS. Other sums go through einsum,
whose order is fixed, so that the number of threads never changes a byte.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from dissensus.ratings import CountTypes
from dissensus.ratings.coding import Codes

Floats = npt.NDArray[np.float64]

DENSE_LABELS = 64
"""Up to so many labels a matrix of counts is faster than a sparse one."""
PAIRS_AT_ONCE = 1 << 21


def item_weights(types: CountTypes, weights: npt.ArrayLike | None) -> Floats:
    """The weights, of shape (n_replicates, n_types); without any, one replicate: the data themselves."""
    given = types.items if weights is None else weights
    return np.atleast_2d(np.asarray(given, dtype=np.float64))


def pairable(types: CountTypes) -> npt.NDArray[np.bool_]:
    """Which types have at least two ratings, so that two raters can agree on them."""
    return types.ratings >= 2  # noqa: PLR2004 - a pair


def weighted_sum(weights: Floats, per_type: npt.NDArray[np.floating] | Codes) -> Floats:
    """Sum over types of weight times value: shape (n_replicates,), or (n_replicates, k) for k values per type."""
    return np.asarray(np.einsum("rt,t...->r...", weights, per_type))


def label_totals(types: CountTypes, weights: Floats, per_rating: Floats | None = None) -> Floats:
    """Weighted number of ratings of each label, of shape (n_replicates, n_labels).

    Parameters
    ----------
    types : CountTypes
        The histogram.
    weights : ndarray of shape (n_replicates, n_types)
        Weights of the types.
    per_rating : ndarray of shape (n_types,), optional
        What one rating of a type counts; 1 if not given.
    """
    if types.n_labels <= DENSE_LABELS:
        if per_rating is None:
            return weights @ types.dense().astype(np.float64)  # whole numbers: exact in any order
        return weighted_sum(weights, types.dense() * per_rating[:, None])
    from scipy.sparse import csr_array  # noqa: PLC0415 - takes a while to import and is rarely needed

    scale = np.ones(types.n_types) if per_rating is None else per_rating
    cells = types.count * scale[types.type_of_cell]
    shape = (types.n_types, types.n_labels)
    return np.asarray((csr_array((cells, types.label, types.start), shape=shape).T @ weights.T).T)


def pair_sums(types: CountTypes, weight_of: Callable[[Codes, Codes], npt.NDArray[np.generic]]) -> Floats:
    """Sum over pairs of labels (c, k) of n_c n_k w(c, k), for each type.

    Only labels that an item has are visited, so nothing grows with the square of the number of labels.

    Examples
    --------
    >>> from dissensus.ratings import types_of_matrix
    >>> pair_sums(types_of_matrix([[2, 1]]), lambda c, k: c != k)
    array([4.])
    """
    cells = np.diff(types.start)
    chunk = np.cumsum(cells**2) // PAIRS_AT_ONCE
    sums = np.zeros(types.n_types)
    for number in np.unique(chunk):
        members = np.flatnonzero(chunk == number)
        size = cells[members]
        own = np.repeat(np.arange(types.start[members[0]], types.start[members[-1] + 1]), np.repeat(size, size))
        block = np.repeat(size, size)  # for each cell: how many partners it has
        offset = np.arange(len(own)) - np.repeat(np.cumsum(block) - block, block)
        other = np.repeat(np.repeat(types.start[members], size), block) + offset
        value = types.count[own] * types.count[other] * weight_of(types.label[own], types.label[other])
        sums[members] = np.add.reduceat(value.astype(np.float64), np.cumsum(size**2) - size**2)
    return sums


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Quotient, NaN where the denominator is zero."""
    defined = denominator != 0
    return np.where(defined, numerator, np.nan) / np.where(defined, denominator, 1.0)
