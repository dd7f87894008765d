"""Where a judge's score meets the power curve (Algorithm 4)."""

from typing import Literal

import numpy as np

from dissensus.arrays import Floats
from dissensus.sampling.intervals import bootstrap_interval

Verdict = Literal["below 0", "within", "above K"]
SAME = 1e-10
"""Scores this close are equal up to rounding: a judge that answers as nobody does is worth 0, not less or more."""


def crossings(curve: Floats, score: Floats) -> Floats:
    """Survey equivalence: the leftmost point at which the curve reaches the score.

    Parameters
    ----------
    curve : ndarray of shape (n_replicates, K + 1)
        Score of 0, 1, ..., K raters; NaN where it is not known, which ends the curve.
    score : ndarray of shape (n_replicates,)
        The judge's score.

    Returns
    -------
    ndarray of shape (n_replicates,)
        -inf where the judge is worse than nobody, inf where K raters do not reach it, NaN where it has no score.

    Examples
    --------
    >>> crossings(np.array([[0.0, 0.5, 0.75]]), np.array([0.625])), crossings(np.array([[0.0, 1.0]]), np.array([-1.0]))
    (array([1.5]), array([-inf]))
    """
    reached = np.where(np.isnan(curve), False, curve >= score[:, None] - SAME)  # noqa: FBT003 - an array of them
    reached[:, 0] = False
    k = np.argmax(reached, axis=1)
    rows = np.arange(len(curve))
    upper, lower = curve[rows, k], curve[rows, np.maximum(k - 1, 0)]
    step = np.where(upper > lower, upper - lower, 1.0)
    inside = k - 1 + np.minimum((score - lower) / step, 1.0)
    value = np.where(reached.any(axis=1), inside, np.inf)
    value = np.where(score <= curve[:, 0] + SAME, 0.0, value)
    value = np.where(score < curve[:, 0] - SAME, -np.inf, value)
    return np.where(np.isnan(score) | np.isnan(curve[:, 0]), np.nan, value)


def verdict_of(equivalence: float) -> Verdict | None:
    """In words, whether the judge lies on the curve; None if its score is undefined."""
    if np.isnan(equivalence):
        return None
    if np.isinf(equivalence):
        return "below 0" if equivalence < 0 else "above K"
    return "within"


def crosses_again(curve: Floats, score: float, equivalence: float) -> bool:
    """Whether the curve falls below the score again after it has reached it."""
    if not np.isfinite(equivalence):
        return False
    after = curve[int(np.ceil(equivalence)) :]
    return bool(np.any(after < score - SAME))


def equivalence_interval(gap: Floats, gaps: Floats, *, confidence: float) -> tuple[float, float]:
    """Numbers of raters that cannot be told apart from the judge: where the basic interval of the gap contains 0.

    A basic interval of the equivalence itself is mirrored: samples in which the judge is better than K raters, where
    the equivalence is unknown, would take away the lower bound. Inverting the interval of (judge less k raters) needs
    no sample to be on the curve.

    Parameters
    ----------
    gap : ndarray of shape (K + 1,)
        The judge's score less that of k raters.
    gaps : ndarray of shape (n_replicates, K + 1)
        The same in each replicate.
    confidence : float
        Of the interval.

    Returns
    -------
    low, high : float
        -inf and inf where a bound is off the curve.
    """
    bounds = np.array(
        [bootstrap_interval(float(g), gaps[:, k], confidence=confidence, kind="basic") for k, g in enumerate(gap)]
    )
    certain_gain, possible_gain = bounds[:, 0], bounds[:, 1]
    nothing = np.zeros(1)
    # Above the lower bound the judge is no longer surely better; above the upper one it is surely worse.
    low = float(crossings(-certain_gain[None, :], nothing)[0])
    high = float(crossings(-possible_gain[None, :], nothing)[0])
    return low, high
