"""Intervals of a share, from an estimate and its variance."""

import math
from statistics import NormalDist

from dissensus.decisions.prevalences.question import IntervalName

Interval = tuple[float, float]
UNKNOWN: Interval = (math.nan, math.nan)


def quantile(confidence: float) -> float:
    """How many standard errors an interval reaches to each side.

    Examples
    --------
    >>> round(quantile(0.95), 4)
    1.96
    """
    return NormalDist().inv_cdf((1 + confidence) / 2)


def normal(value: float, variance: float, confidence: float) -> Interval:
    """Value plus and minus so many standard errors; it may reach beyond 0 and 1."""
    if not (math.isfinite(value) and math.isfinite(variance)):
        return UNKNOWN
    reach = quantile(confidence) * math.sqrt(variance)
    return value - reach, value + reach


def wilson(value: float, size: float, confidence: float) -> Interval:
    """Wilson's interval of a share found in a sample of so many.

    Examples
    --------
    >>> [round(bound, 4) for bound in wilson(0.0, 50, 0.95)]
    [0.0, 0.0713]

    References
    ----------
    E. Wilson (1927), "Probable Inference, the Law of Succession, and Statistical Inference".
    """
    z2 = quantile(confidence) ** 2
    centre = (value + z2 / (2 * size)) / (1 + z2 / size)
    reach = math.sqrt(z2 * (value * (1 - value) / size + z2 / (4 * size**2))) / (1 + z2 / size)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def interval_of(
    value: float, variance: float, *, share: float, n_items: int, kind: IntervalName, confidence: float
) -> Interval:
    """The interval of an estimate of a share.

    Parameters
    ----------
    value, variance : float
        The estimate and the square of its standard error.
    share : float
        A rough idea of the share, whose spread the variance is compared with: so many items, each counted as a whole,
        would give the same variance, and Wilson's interval is that of so many.
    n_items : int
        Of the sample; the size where nothing varies.
    kind : {"wilson", "normal"}
        Which one.
    confidence : float
        Of the interval.
    """
    if kind == "normal" or not (math.isfinite(value) and math.isfinite(variance)):
        return normal(value, variance, confidence)
    spread = share * (1 - share)
    if variance <= 0:
        return wilson(min(max(value, 0.0), 1.0), n_items, confidence)
    if spread <= 0:  # nobody or everybody is positive where people looked: there is no spread to compare with
        low, high = normal(value, variance, confidence)
        return max(0.0, low), min(1.0, high)
    return wilson(min(max(value, 0.0), 1.0), spread / variance, confidence)
