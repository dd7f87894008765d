"""Sums over items of which each stands for many alike ones; `copies` says for how many, or is None for one each."""

import numpy as np

from dissensus.judges.aggregation import Flags, Floats


def number_of(is_one: Flags, copies: Floats | None) -> Floats:
    """How many items are ones, of shape (...), from flags of shape (n_items, ...); whole numbers.

    Examples
    --------
    >>> number_of(np.array([[True, False], [True, True]]), np.array([2.0, 3.0]))
    array([5., 3.])
    """
    if copies is None:
        return np.asarray(is_one.sum(axis=0), dtype=np.float64)
    return np.asarray(np.einsum("i,i...->...", copies, is_one.astype(np.float64)))


def mean_of(values: Floats | Flags, copies: Floats | None) -> Floats:
    """Mean over items, of shape (...), of values of shape (n_items, ...).

    Examples
    --------
    >>> mean_of(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    array(1.75)
    """
    if copies is None:
        return np.asarray(values.mean(axis=0))
    return np.asarray(np.einsum("i,i...->...", copies, values.astype(np.float64)) / copies.sum())
