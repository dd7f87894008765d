"""Intervals: from bootstrap samples, from a count, or from a variance; and p-values of several tests."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from dissensus.arrays import Floats

Bounds = tuple[float, float]
UNDEFINED_SHARE = 0.05
"""With more undefined bootstrap values than this, the interval would be that of a different question."""
UNKNOWN = (math.nan, math.nan)


def percentile_interval(values: Floats, confidence: float, *, most_undefined: float = UNDEFINED_SHARE) -> Bounds:
    """Bounds that hold the middle of the defined values; NaN if none is defined or too many are not."""
    defined = values[~np.isnan(values)]
    if not defined.size or values.size - defined.size > most_undefined * values.size:
        return UNKNOWN
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)


Interval = Literal["studentized", "basic", "percentile"]
INTERVALS: tuple[Interval, ...] = ("studentized", "basic", "percentile")
SMALLEST_ERROR = 0.2
"""Of a bootstrap sample, as a share of the data's: one that draws the same few items over and over has none."""


def studentized(estimate: Floats, replicates: Floats, *, error: Floats, errors: Floats) -> Floats:
    """Values whose percentiles are bounds of the estimate, each replicate measured in its own standard error.

    Scores are skewed: samples with a low score have a large standard error. A basic interval, which mirrors the
    samples, is then too short on one side (Hall 1988).

    P. Hall (1988), "Theoretical Comparison of Bootstrap Confidence Intervals", Annals of Statistics 16.

    >>> ones = np.ones((2, 1))
    >>> studentized(np.array([5.0]), np.array([[6.0], [3.0]]), error=ones[0], errors=np.array([[2.0], [1.0]])).ravel()
    array([4.5, 7. ])
    """
    known = np.where(error > 0, error, 1.0)
    ratio = np.maximum(errors / known, SMALLEST_ERROR)
    return np.asarray(estimate - (replicates - estimate) / ratio)


def bootstrap_interval(estimate: float, replicates: Floats, *, confidence: float, kind: Interval) -> Bounds:
    """Bounds around an estimate; NaN where there is no replicate, or where a bound is not a number of the scale.

    Replicates may be infinite (a judge off the curve): they count as very large or small, and a bound that falls among
    them is unknown, not 0 or K.
    """
    known = replicates[~np.isnan(replicates)]
    if not known.size or not np.isfinite(estimate):
        return UNKNOWN
    tail = (1 - confidence) / 2
    # The order statistic and not an interpolation, which has no meaning next to infinity.
    low, high = np.quantile(known, [tail, 1 - tail], method="inverted_cdf")
    if kind == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    return tuple(float(bound) if np.isfinite(bound) else math.nan for bound in (low, high))  # type: ignore[return-value]


# ---- Without samples: from a count or a variance


def share_interval(count: float, n: int, *, confidence: float) -> Bounds:
    """Exact (Clopper-Pearson) interval of the share behind a count.

    >>> low, high = share_interval(10, 10, confidence=0.95)
    >>> round(low, 4), high  # .025 ** (1 / 10)
    (0.6915, 1.0)
    """
    from scipy.special import betaincinv  # noqa: PLC0415 - takes a while to import

    tail = (1 - confidence) / 2
    low = 0.0 if count <= 0 else float(betaincinv(count, n - count + 1, tail))
    high = 1.0 if count >= n else float(betaincinv(count + 1, n - count, 1 - tail))
    return low, high


def paired_difference_interval(more: float, less: float, n: int, *, confidence: float) -> Bounds:
    """Interval of the difference of two shares of the same items (Bonett and Price 2012: Wald with two items added).

    `more`, `less`: items that only the first, and that only the second has. `n`: all items. `confidence`: of the
    interval.

    >>> [round(bound, 4) for bound in paired_difference_interval(0, 0, 98, confidence=0.95)]  # 1.96 * 2 ** .5 / 100
    [-0.0277, 0.0277]
    """
    from scipy.special import ndtri  # noqa: PLC0415 - takes a while to import

    first, second = (more + 1) / (n + 2), (less + 1) / (n + 2)
    middle = first - second
    reach = float(ndtri((1 + confidence) / 2)) * math.sqrt((first + second - middle**2) / (n + 2))
    return max(middle - reach, -1.0), min(middle + reach, 1.0)


def reach_of(confidence: float) -> float:
    """How many standard errors an interval reaches to each side.

    >>> round(reach_of(0.95), 4)
    1.96
    """
    from statistics import NormalDist  # noqa: PLC0415 - brings fractions and decimals

    return NormalDist().inv_cdf((1 + confidence) / 2)


def normal_interval(value: float, variance: float, confidence: float) -> Bounds:
    """Value plus and minus this many standard errors; it may reach beyond 0 and 1."""
    if not (math.isfinite(value) and math.isfinite(variance)):
        return UNKNOWN
    reach = reach_of(confidence) * math.sqrt(variance)
    return value - reach, value + reach


def wilson_interval(value: float, size: float, confidence: float) -> Bounds:
    """Wilson's interval of a share found in a sample of this many.

    >>> [round(bound, 4) for bound in wilson_interval(0.0, 50, 0.95)]
    [0.0, 0.0713]

    E. Wilson (1927), "Probable Inference, the Law of Succession, and Statistical Inference".
    """
    z2 = reach_of(confidence) ** 2
    centre = (value + z2 / (2 * size)) / (1 + z2 / size)
    reach = math.sqrt(z2 * (value * (1 - value) / size + z2 / (4 * size**2))) / (1 + z2 / size)
    return max(0.0, centre - reach), min(1.0, centre + reach)


# ---- P-values of several tests


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values for all pairs together: with those of at most .05, the chance of any wrong one is at most .05.

    Those that are undefined stay so and do not count.

    S. Holm (1979), "A Simple Sequentially Rejective Multiple Test Procedure".
    """
    adjusted = np.full(len(p_values), np.nan)
    known = np.flatnonzero(np.isfinite(p_values))
    order = known[np.argsort(np.asarray(p_values)[known], kind="stable")]
    steps = np.asarray(p_values)[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(steps)) if len(order) else steps
    return [float(value) for value in adjusted]
