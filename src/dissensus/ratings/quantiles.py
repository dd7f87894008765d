"""Quantiles of values that occur many times each, without writing them out."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dissensus.ratings.coding import Codes

Floats = npt.NDArray[np.float64]

HALF = 0.5


def quantiles(values: Floats, shares: Sequence[float], times: Codes | Floats) -> Floats:
    """Where these shares of the values lie, as np.quantile has it, if each value occurs so many times.

    Parameters
    ----------
    values : ndarray of shape (n,)
    shares : sequence of float
        From 0 to 1.
    times : ndarray of shape (n,)
        Whole numbers, not all of them 0.

    Returns
    -------
    ndarray of shape (n_shares,)

    Examples
    --------
    >>> quantiles(np.array([7.0, 1.0]), [0.25, 0.5], np.array([2, 3]))  # of 1, 1, 1, 7, 7
    array([1., 1.])
    """
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(times[order])
    place = (ends[-1] - 1) * np.asarray(shares, dtype=np.float64)
    below = np.floor(place)
    low, high = (values[order][np.searchsorted(ends, at, side="right")] for at in (below, np.ceil(place)))
    part = place - below
    gap = high - low
    return np.asarray(np.where(part >= HALF, high - gap * (1 - part), low + gap * part))


def median(values: Floats, copies: Codes | Floats | None) -> float:
    """The middle value, or the mean of the two in the middle; each occurs `copies` times, or once.

    Examples
    --------
    >>> median(np.array([7.0, 1.0]), np.array([3, 3]))
    4.0
    """
    return float(np.median(values)) if copies is None else float(quantiles(values, [HALF], copies)[0])
