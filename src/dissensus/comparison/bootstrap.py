"""How far the difference would move with other items: the item bootstrap."""

import numpy as np
from numpy.random import Generator

from dissensus.comparison.metrics import Metric
from dissensus.comparison.metrics.distances import Floats
from dissensus.comparison.metrics.scores import Columns

MOST_NUMBERS = 2_000_000
"""How many numbers are held at a time."""


def bootstrap_differences(metric: Metric, columns: Columns, replicates: int, rng: Generator) -> Floats:
    """Differences of scores on as many items drawn with replacement, of shape (replicates,)."""
    size = max(1, MOST_NUMBERS // len(columns.a))
    parts = []
    for done in range(0, replicates, size):
        weights = _drawn_weights(columns, min(size, replicates - done), rng)
        parts.append(metric.score(columns, weights).difference)
    return np.concatenate(parts)


def _drawn_weights(columns: Columns, rows: int, rng: Generator) -> Floats:
    """How often each item is drawn, all of its copies together, of shape (rows, n_items)."""
    if columns.copies is not None:
        shares = columns.copies / columns.copies.sum()
        return rng.multinomial(columns.items_in_all, shares, size=rows).astype(np.float64)
    n = len(columns.a)
    drawn = rng.integers(n, size=(rows, n)) + n * np.arange(rows)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def non_inferiority_p_value(gain: float, gains: Floats, margin: float) -> float:
    """Chance of so good a B if it were worse by the margin, from the bootstrap moved there; NaN without replicates.

    Parameters
    ----------
    gain : float
        How much better B is than A; negative where it is worse.
    gains : ndarray of shape (replicates,)
        The same in bootstrap samples.
    margin : float
        How much worse it may be.

    Examples
    --------
    >>> non_inferiority_p_value(0.0, np.array([-2.0, -1.0, 0.0, 1.0]), margin=0.5)
    0.4
    """
    defined = gains[np.isfinite(gains)]
    if not defined.size or not np.isfinite(gain):
        return float("nan")
    reached = np.sum(defined - gain >= gain + margin)
    return float((1 + reached) / (1 + len(defined)))
