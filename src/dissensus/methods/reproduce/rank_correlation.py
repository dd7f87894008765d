"""How far two lists of numbers are in the same order."""

import numpy as np
from numpy.typing import NDArray

from dissensus.methods.compare.metrics import correlation, midranks


def spearman(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Rank correlation; NaN if one side is constant.

    Examples
    --------
    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 9.0, 4.0]))
    0.5
    """
    is_defined = np.isfinite(first) & np.isfinite(second)
    x, y = np.asarray(first)[is_defined], np.asarray(second)[is_defined]
    if min(np.ptp(x), np.ptp(y)) == 0:
        return float("nan")
    return float(correlation(midranks(x), midranks(y)))
