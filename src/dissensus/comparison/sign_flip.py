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
    n = len(columns.a)
    size = max(1, MOST_NUMBERS // n)
    swapped = metric.score.swapper(columns)
    parts = []
    for done in range(0, resamples, size):
        rows = min(size, resamples - done)
        bits = np.unpackbits(np.frombuffer(rng.bytes(rows * -(-n // 8)), dtype=np.uint8).reshape(rows, -1), axis=1)
        parts.append(swapped(bits[:, :n].astype(np.float64)))
    return np.concatenate(parts)


def all_flipped_differences(metric: Metric, columns: Columns, resamples: int) -> Floats | None:
    """Differences of scores for every way to exchange the judges; None if there are more than `resamples`.

    Items on which the judges do not differ need no exchange; but equal answers can differ in rank.
    """
    differs = np.flatnonzero((columns.a != columns.b) | (metric.name == "spearman"))
    if len(differs) >= np.log2(max(resamples, 1)) + 1e-9:
        return None
    n, ways = len(columns.a), np.arange(2 ** len(differs))
    size = max(1, MOST_NUMBERS // n)
    swapped = metric.score.swapper(columns)
    parts = []
    for done in range(0, len(ways), size):
        own = ways[done : done + size]
        swap = np.zeros((len(own), n))
        swap[:, differs] = own[:, None] >> np.arange(len(differs)) & 1
        parts.append(swapped(swap))
    return np.concatenate(parts)
