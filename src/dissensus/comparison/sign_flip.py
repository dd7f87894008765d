"""Is the difference real? Exchange the two judges' scores at random, item by item."""

import numpy as np
from numpy.random import Generator

from dissensus.comparison.metrics import Metric
from dissensus.comparison.metrics.distances import Floats
from dissensus.comparison.metrics.scores import Columns

MOST_NUMBERS = 4_000_000
"""How many random signs are held at a time."""


def flipped_differences(metric: Metric, columns: Columns, resamples: int, rng: Generator) -> Floats:
    """Differences of scores after the judges changed places on a random half of the items.

    Two judges of equal quality are as likely to be ahead by so much on an item as behind by so much.

    Parameters
    ----------
    metric : Metric
        How judges are scored.
    columns : Columns
        What each item counts, of shape (n_items,).
    resamples : int
        How often to exchange.
    rng : Generator
        Source of the random signs.

    Returns
    -------
    ndarray of shape (resamples,)
    """
    size = max(1, MOST_NUMBERS // len(columns.a))
    swapped = metric.score.swapper(columns)
    parts = [swapped(_random_swaps(columns, min(size, resamples - done), rng)) for done in range(0, resamples, size)]
    return np.concatenate(parts)


def _random_swaps(columns: Columns, rows: int, rng: Generator) -> Floats:
    """Whether each item changes places, or how many of its copies do, of shape (rows, n_items)."""
    n = len(columns.a)
    if columns.copies is None:
        bits = np.unpackbits(np.frombuffer(rng.bytes(rows * -(-n // 8)), dtype=np.uint8).reshape(rows, -1), axis=1)
        return np.asarray(bits[:, :n], dtype=np.float64)
    # Item by item: the next draw is quicker where the number of copies stays the same.
    counts = columns.copies.astype(np.int64)[:, None]
    return rng.binomial(counts, 0.5, size=(n, rows)).T.astype(np.float64)


def all_flipped_differences(metric: Metric, columns: Columns, resamples: int) -> Floats | None:
    """Differences of scores for every way to exchange the judges; None if there are more than `resamples`.

    Items on which the judges do not differ need no exchange; but equal answers can differ in rank. Copies of an item
    are exchanged one by one.
    """
    differs = np.flatnonzero((columns.a != columns.b) | (metric.name == "spearman"))
    times = np.ones(len(differs), dtype=np.intp) if columns.copies is None else columns.copies[differs].astype(np.intp)
    if times.sum() >= np.log2(max(resamples, 1)) + 1e-9:
        return None
    differs = np.repeat(differs, times)
    n, ways = len(columns.a), np.arange(2 ** len(differs))
    size = max(1, MOST_NUMBERS // n)
    swapped = metric.score.swapper(columns)
    parts = []
    for done in range(0, len(ways), size):
        own = ways[done : done + size]
        swap = np.zeros((len(own), n))
        for place, item in enumerate(differs):
            swap[:, item] += own >> place & 1
        parts.append(swapped(swap))
    return np.concatenate(parts)
