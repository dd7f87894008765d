"""Distances between a judge's mean answer to an item and the raters': coordinate by coordinate."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def absolute_error(judge: Floats, people: Floats) -> Floats:
    """Sum of the absolute differences of the coordinates.

    What that is depends on the coordinates: the absolute error of means (values), the total variation distance of
    distributions (half shares), the earth mover's distance (distribution functions times the gaps between answers).

    Parameters
    ----------
    judge, people : ndarray of shape (..., n_items, n_coordinates)
        Mean of their answers.

    Returns
    -------
    ndarray of shape (..., n_items)

    Examples
    --------
    >>> absolute_error(np.array([[1.0, 0.0]]), np.array([[0.25, 0.75]]))
    array([1.5])
    """
    return np.asarray(np.abs(judge - people).sum(axis=-1))


def squared_error(judge: Floats, people: Floats) -> Floats:
    """Sum of the squared differences of the coordinates; shapes as in `absolute_error`."""
    return np.asarray(np.square(judge - people).sum(axis=-1))


def sorted_error(judge: Floats, people: Floats) -> Floats:
    """Sum of the absolute differences after both sides were sorted; shapes as in `absolute_error`.

    The authors' tool sorts the counts of the bins before it subtracts them, so it does not see which bin is which: all
    answers in the lowest bin are as good as all in the highest. Kept to get the paper's numbers.

    Examples
    --------
    >>> sorted_error(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    array([0.])
    """
    return absolute_error(np.sort(judge, axis=-1), np.sort(people, axis=-1))
