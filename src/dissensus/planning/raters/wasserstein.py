"""Earth mover's distances between two samples of each item: the true one, and the paper's on sorted counts."""

import numpy as np
import numpy.typing as npt

from dissensus.planning.raters.nodes import Floats

Singles = npt.NDArray[np.float32]
Counts = npt.NDArray[np.int32]
FIVE = ((0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3))
"""Exchanges that sort five numbers, all items at once."""


def distance(first: Singles, second: Singles) -> Floats:
    """The earth mover's distance of each pair of samples.

    Parameters
    ----------
    first, second : ndarray of shape (n_items, n_responses)
        Sorted along the last axis; the two may have different numbers of responses.

    Returns
    -------
    ndarray of shape (n_items,)

    Examples
    --------
    >>> distance(np.array([[0, 1]], dtype=np.float32), np.array([[0.5]], dtype=np.float32))
    array([0.5])
    """
    n, m = first.shape[1], second.shape[1]
    if n == m:
        return np.asarray(np.abs(first - second).mean(axis=1, dtype=np.float64))
    # Between two neighbouring steps of the two distribution functions' inverses both are constant.
    steps = np.unique(np.concatenate([np.arange(n + 1) * m, np.arange(m + 1) * n]))
    left, width = steps[:-1], np.diff(steps) / (n * m)
    return np.asarray(np.abs(first[:, left // m] - second[:, left // n]).astype(np.float64) @ width)


def sorted_count_distance(first: Counts, second: Counts) -> Floats:
    """The paper's: mean difference of counts once each sample's counts are sorted, whatever bins they come from.

    Differs from the earth mover's distance in that it ignores where the bins lie; kept because the paper's Tables 12 to
    15 are of it.

    Parameters
    ----------
    first, second : ndarray of shape (5, n_items)
        How many responses fall in each bin.

    Returns
    -------
    ndarray of shape (n_items,)
        Five times the mean, a whole number, so that equal sums stay equal.
    """
    pairs = zip(_sorted_rows(first), _sorted_rows(second), strict=True)
    return np.asarray(sum(np.abs(a - b) for a, b in pairs), dtype=np.float64)


def _sorted_rows(counts: Counts) -> list[Counts]:
    rows = list(counts)
    for i, j in FIVE:
        rows[i], rows[j] = np.minimum(rows[i], rows[j]), np.maximum(rows[i], rows[j])
    return rows
