"""Every way to draw k ratings from an item, for many items at once."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dissensus.ratings.coding import Codes

Floats = npt.NDArray[np.float64]
LARGEST_POWER = 300
"""Products of factorials are formed up to this power of ten; 308 is the largest that a number can hold."""
LARGEST_WHOLE = 1e12


class Draws(NamedTuple):
    """Sub-multisets of size k of rows of counts.

    Attributes
    ----------
    row : ndarray of shape (n_draws,)
        From which row each was drawn; ascending.
    counts : ndarray of shape (n_draws, n_labels)
        How often each label was drawn.
    """

    row: Codes
    counts: npt.NDArray[np.int32]


def draw_subsets(counts: Codes, k: int) -> Draws:
    """All distinct label counts that k ratings out of each row can have.

    Labels are decided one after the other, all rows at once; each choice leaves enough ratings for the rest, so nothing
    is built in vain. Rows with fewer than k ratings have no draw.

    Parameters
    ----------
    counts : ndarray of shape (n_rows, n_labels)
        Ratings of each label.
    k : int
        How many to draw.

    Examples
    --------
    >>> draw_subsets(np.array([[2, 1], [0, 1]]), 2).counts.tolist()
    [[1, 1], [2, 0]]
    """
    later = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1] - counts  # ratings of the labels that come after
    row = np.flatnonzero(counts.sum(axis=1) >= k)
    missing = np.full(len(row), k, dtype=np.int32)
    steps: list[tuple[Codes, npt.NDArray[np.int32]]] = []
    for label in range(counts.shape[1]):
        fewest = np.maximum(missing - later[row, label], 0)
        choices = np.minimum(counts[row, label], missing) - fewest + 1
        parent = np.repeat(np.arange(len(row)), choices)
        first = np.repeat(np.cumsum(choices) - choices, choices)
        taken = (np.arange(len(parent)) - first + fewest[parent]).astype(np.int32)
        steps.append((parent, taken))
        row, missing = row[parent], missing[parent] - taken
    drawn = np.empty((len(row), counts.shape[1]), dtype=np.int32)
    place = np.arange(len(row))
    for label in range(counts.shape[1] - 1, -1, -1):
        parent, taken = steps[label]
        drawn[:, label] = taken[place]
        place = parent[place]
    return Draws(row, drawn)


def count_subsets(counts: Codes, k: int) -> int:
    """How many draws `draw_subsets` would return, without making them."""
    reachable = np.zeros((len(counts), k + 1))
    reachable[:, 0] = 1
    for label in range(counts.shape[1]):
        # Adding a label with n ratings sums the last n + 1 entries: a difference of running sums.
        running = np.concatenate([np.zeros((len(counts), 1)), np.cumsum(reachable, axis=1)], axis=1)
        lowest = np.maximum(np.arange(k + 1)[None, :] - counts[:, label, None], 0)
        reachable = running[:, 1:] - np.take_along_axis(running, lowest, axis=1)
    return int(reachable[:, k].sum())


def falling_factorials(most: int, k: int) -> Floats:
    """Falling factorials n (n - 1) ... (n - j + 1) for n up to `most` and j up to k, in row n and column j."""
    n = np.arange(most + 1, dtype=np.float64)[:, None]
    factors = np.concatenate([np.ones_like(n), np.maximum(n - np.arange(k)[None, :], 0)], axis=1)
    return np.cumprod(factors, axis=1)


def sequence_probability(counts: Codes, draws: Draws, k: int) -> Floats:
    """Probability that k ratings drawn one by one come out in one particular order with these counts.

    P(y|n) of Algorithm 5: the product of n_l! / (n_l - y_l)! over labels, divided by N! / (N - k)!.
    """
    total = counts.sum(axis=1)
    most = int(total.max(initial=0))
    if k * math.log10(most + 1) > LARGEST_POWER:
        return _large_sequence_probability(counts, draws, k)
    table = falling_factorials(most, k)
    share = np.ones(len(draws.row))
    for label in range(counts.shape[1]):
        share *= table[counts[draws.row, label], draws.counts[:, label]]
    return np.asarray(share / table[total[draws.row], k])


def _large_sequence_probability(counts: Codes, draws: Draws, k: int) -> Floats:
    """The same by logarithms, where the factorials are too large."""
    total = counts.sum(axis=1)
    log = log_factorials(int(total.max()))
    share = log[total[draws.row] - k] - log[total[draws.row]]
    for label in range(counts.shape[1]):
        given = counts[draws.row, label]
        share += log[given] - log[given - draws.counts[:, label]]
    return np.asarray(np.exp(share))


def orders(counts: npt.NDArray[np.int32]) -> Floats:
    """In how many orders label counts can come: k! / (y_1! y_2! ...)."""
    size = counts.sum(axis=1)
    log = log_factorials(int(size.max(initial=0)))
    ways = np.exp(log[size] - log[counts].sum(axis=1))
    # Whole numbers, and exactly so as long as logarithms can tell them apart.
    return np.asarray(np.where(ways < LARGEST_WHOLE, np.round(ways), ways))


def log_factorials(most: int) -> Floats:
    """Natural logarithms of 0!, 1!, ..."""
    return np.array([math.lgamma(n + 1) for n in range(most + 1)])
