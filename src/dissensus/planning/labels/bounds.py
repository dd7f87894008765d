"""Upper bounds on the chance that the better classifier does not win, and the items they ask for."""

import math

import numpy as np
import numpy.typing as npt

from dissensus.errors import OptionError
from dissensus.planning.labels.walk.tilted import Floats

SLACK = 1e-12
"""An error that exceeds the one asked for by rounding only is small enough (relative, in logarithms)."""


def log_cramer(x: npt.ArrayLike, y: npt.ArrayLike, items: npt.ArrayLike) -> Floats:
    """Logarithm of Cramer's bound rho^n, rho = 2 sqrt(xy) + z = 1 - (sqrt x - sqrt y)^2.

    Parameters
    ----------
    x, y : array_like
        Chances that an item speaks for the better classifier, and for the worse one.
    items : array_like of int
        Number of items n.

    Returns
    -------
    ndarray
        0 (no bound) where y >= x, minus infinity where the better classifier always wins.

    References
    ----------
    "Don't Label Twice", Lemma 2.

    Examples
    --------
    rho = 2 sqrt(.05) + .4 = .8472, and its 20th power:

    >>> round(float(np.exp(log_cramer(0.5, 0.1, 20))), 4)
    0.0363
    """
    return np.asarray(np.asarray(items, dtype=np.float64) * log_rate(x, y))


def log_hoeffding(x: npt.ArrayLike, y: npt.ArrayLike, items: npt.ArrayLike) -> Floats:
    """Logarithm of Hoeffding's bound exp(-n (x - y)^2 / 2); 0 (no bound) where y >= x.

    Parameters
    ----------
    x, y : array_like
        Chances that an item speaks for the better classifier, and for the worse one.
    items : array_like of int
        Number of items n.

    References
    ----------
    "Don't Label Twice", Lemma 1.

    Examples
    --------
    >>> round(float(np.exp(log_hoeffding(0.5, 0.1, 20))), 4)
    0.2019
    """
    return np.asarray(np.asarray(items, dtype=np.float64) * _hoeffding_rate(x, y))


def cramer_items(x: float, y: float, error: float) -> int | None:
    """Smallest number of items for which Cramer's bound is at most `error`; None where y >= x.

    Examples
    --------
    >>> cramer_items(0.5, 0.1, 0.05)
    19
    """
    return _items(float(log_rate(x, y)), error)


def hoeffding_items(x: float, y: float, error: float) -> int | None:
    """Smallest number of items for which Hoeffding's bound is at most `error`; None where y >= x.

    Examples
    --------
    >>> hoeffding_items(0.5, 0.1, 0.05)
    38
    """
    return _items(float(_hoeffding_rate(x, y)), error)


def check_error(error: float) -> None:
    """Raise unless an error is a chance between 0 and 1."""
    if not 0 < error < 1:
        raise OptionError(f"error is {error:g}: choose a chance between 0 and 1, such as 0.05.")


def log_rate(x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Logarithm of Cramer's rho: by how much each item lowers the logarithm of the error in the long run."""
    more, less = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    roots = np.sqrt(more) + np.sqrt(less)
    gap = np.maximum(more - less, 0.0) / np.where(roots > 0, roots, 1.0)
    fall = np.minimum(gap**2, 1.0)
    return np.log1p(-fall, where=fall < 1, out=np.full(fall.shape, -np.inf))


def _hoeffding_rate(x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    gap = np.maximum(np.asarray(x, dtype=np.float64) - np.asarray(y, dtype=np.float64), 0.0)
    return np.asarray(-(gap**2) / 2)


def _items(rate: float, error: float) -> int | None:
    check_error(error)
    if rate == 0:
        return None
    return max(1, math.ceil(math.log(error) / rate * (1 - SLACK)))
