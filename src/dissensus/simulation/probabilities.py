"""Probabilities given by hand: checked once, then read-only."""

import numpy as np
import numpy.typing as npt

from dissensus.errors import OptionError

Floats = npt.NDArray[np.float64]

SUM_TOLERANCE = 1e-6
"""How far probabilities typed by hand (.333333) may be from summing to 1."""


def checked_distribution(name: str, given: npt.ArrayLike) -> Floats:
    """One distribution, of shape (n,), summing to 1 exactly enough to draw from."""
    one_row = _as_floats(name, given)[None, ...]
    return np.asarray(checked_distributions(name, one_row, row=None)[0])


def checked_distributions(name: str, given: npt.ArrayLike, *, row: str | None) -> Floats:
    """Distributions, one per row, of shape (n_rows, n).

    Parameters
    ----------
    name : str
        What they are, for messages.
    given : array_like of shape (n_rows, n)
        Numbers from 0 to 1, each row summing to 1.
    row : str, optional
        What a row is called in messages; None if there is one row only.
    """
    values = _as_floats(name, given)
    if values.ndim != 2 or not values.size:  # noqa: PLR2004 - rows and columns
        raise OptionError(f"{name} must be a table of numbers, and its shape is {values.shape}.")
    for i, values_of_row in enumerate(values):
        where = name if row is None else f"{name}, {row} {i + 1},"
        if not (np.isfinite(values_of_row).all() and (values_of_row >= 0).all()):
            raise OptionError(f"{where} has {values_of_row.min():g}: a probability lies between 0 and 1.")
        if abs(values_of_row.sum() - 1) > SUM_TOLERANCE:
            raise OptionError(f"{where} sums to {values_of_row.sum():g}, not to 1: rescale it or add what is missing.")
    values /= values.sum(axis=1, keepdims=True)
    values.flags.writeable = False
    return values


def _as_floats(name: str, given: npt.ArrayLike) -> Floats:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name} must be numbers, as many in each row: {error}.") from error


def checked_share(name: str, value: float) -> float:
    """A number from 0 to 1."""
    if not 0 <= value <= 1:
        raise OptionError(f"{name} is {value:g}: it must lie between 0 and 1.")
    return float(value)


def draw_categories(uniform: Floats, probabilities: Floats) -> npt.NDArray[np.intp]:
    """The category in which each uniform number falls.

    The simulations draw uniform numbers and nothing else, because their stream is the least likely to change from one
    version of numpy to the next; the bundled data can be made again, byte for byte.

    Parameters
    ----------
    uniform : ndarray of shape (n,)
        Numbers in [0, 1).
    probabilities : ndarray of shape (n, n_categories)
        The distribution of each draw.

    Examples
    --------
    >>> draw_categories(np.array([0.1, 0.3, 0.99]), np.tile([0.25, 0.25, 0.5], (3, 1)))
    array([0, 1, 2])
    """
    # The last bound is left out: rounding may leave it just below 1.
    bounds = np.cumsum(probabilities[:, :-1], axis=1)
    return np.asarray((uniform[:, None] >= bounds).sum(axis=1), dtype=np.intp)


def to_normal(uniform: Floats) -> Floats:
    """Standard normal numbers from pairs of uniform ones, by the Box-Muller transform.

    Parameters
    ----------
    uniform : ndarray of shape (2, ...)
        Numbers in [0, 1).

    Examples
    --------
    >>> to_normal(np.array([[0.5], [0.0]])).round(4)  # sqrt(2 log 2)
    array([1.1774])
    """
    return np.asarray(np.sqrt(-2 * np.log1p(-uniform[0])) * np.cos(2 * np.pi * uniform[1]))
