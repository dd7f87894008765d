"""Bootstrap intervals: basic (reverse percentile) or percentile."""

from typing import Literal

import numpy as np

from dissensus.survey.crossing import crossings
from dissensus.survey.subsets import Floats

Interval = Literal["basic", "percentile"]
INTERVALS: tuple[Interval, ...] = ("basic", "percentile")


def interval(estimate: float, replicates: Floats, *, confidence: float, kind: Interval) -> tuple[float, float]:
    """Bounds around an estimate; NaN where there is no replicate, or where a bound is not a number of the scale.

    Replicates may be infinite (a judge off the curve): they count as very large or small, and a bound that falls among
    them is unknown, not 0 or K.

    Examples
    --------
    >>> interval(1.0, np.array([0.0, 1.0, 2.0, 4.0, np.nan]), confidence=0.5, kind="percentile")
    (0.0, 2.0)
    """
    known = replicates[~np.isnan(replicates)]
    if not known.size or not np.isfinite(estimate):
        return float("nan"), float("nan")
    tail = (1 - confidence) / 2
    # The order statistic and not an interpolation, which has no meaning next to infinity.
    low, high = np.quantile(known, [tail, 1 - tail], method="inverted_cdf")
    if kind == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    return tuple(float(bound) if np.isfinite(bound) else float("nan") for bound in (low, high))  # type: ignore[return-value]


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
    bounds = np.array([interval(float(g), gaps[:, k], confidence=confidence, kind="basic") for k, g in enumerate(gap)])
    certain_gain, possible_gain = bounds[:, 0], bounds[:, 1]
    nothing = np.zeros(1)
    # Above the lower bound the judge is no longer surely better; above the upper one it is surely worse.
    low = float(crossings(-certain_gain[None, :], nothing)[0])
    high = float(crossings(-possible_gain[None, :], nothing)[0])
    return low, high
