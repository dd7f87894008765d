"""From resampled differences to p-values, and p-values of many pairs."""

from collections.abc import Sequence

import numpy as np

from dissensus.comparison.metrics.distances import Floats

ROUNDING = 1e-10
"""Differences that are closer count as equal, relative to the largest: the same sum in another order."""


def two_sided_p_value(
    difference: float, resampled: Floats, *, is_every: bool = False, is_symmetric: bool = False
) -> float:
    """Twice the chance of a difference at least as far out on the same side, at most 1; NaN if it is undefined.

    Parameters
    ----------
    difference : float
        Observed.
    resampled : ndarray of shape (n,)
        Under the null hypothesis.
    is_every : bool
        Whether these are all that there are. Else the observed one counts as one of them, so that p is never 0.
    is_symmetric : bool
        Whether differences are as likely as their opposites. Then both sides are counted, which is the same with less
        noise.

    Examples
    --------
    >>> two_sided_p_value(2.0, np.array([-2.0, -1.0, 1.0, 2.0]), is_every=True)
    0.5
    """
    known = resampled[np.isfinite(resampled)]
    if not np.isfinite(difference) or not known.size:
        return float("nan")
    slack = ROUNDING * max(float(np.abs(known).max()), abs(difference))
    extra = 0 if is_every else 1
    if is_symmetric:
        return float((np.sum(np.abs(known) >= abs(difference) - slack) + extra) / (len(known) + extra))
    tails = np.array([np.sum(known >= difference - slack), np.sum(known <= difference + slack)])
    return float(min(1.0, 2 * (tails.min() + extra) / (len(known) + extra)))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values for all pairs together: with those of at most .05, the chance of any wrong one is at most .05.

    Those that are undefined stay so and do not count.

    References
    ----------
    S. Holm (1979), "A Simple Sequentially Rejective Multiple Test Procedure".

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = np.full(len(p_values), np.nan)
    known = np.flatnonzero(np.isfinite(p_values))
    order = known[np.argsort(np.asarray(p_values)[known], kind="stable")]
    steps = np.asarray(p_values)[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(steps)) if len(order) else steps
    return [float(value) for value in adjusted]
