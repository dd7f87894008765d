"""Intervals of a share, from an estimate and its variance."""

import math
from dataclasses import dataclass
from statistics import NormalDist

from dissensus.decisions.prevalences.question import IntervalName

Interval = tuple[float, float]
UNKNOWN: Interval = (math.nan, math.nan)
MORE = 0.5
"""So much of an item is added where nothing was seen yet, as Jeffreys does to a yes and a no."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """What an estimate rests on.

    Attributes
    ----------
    share : float
        A rough idea of the share, whose spread the variance of the estimate is compared with.
    n_items : int
        Items of the sample.
    error : float
        Square of how much an error of the judge moves the estimate of an item: 0 where the estimate is people's or the
        judge's own, else the square of the judge's weight, or less where its answers are probabilities.
    """

    share: float
    n_items: int
    error: float = 0.0


def size_of(variance: float, base: Base) -> float:
    """How many items, each a whole yes or no and none helped by a judge, would give an estimate as exact.

    The variance is compared with that of whole items, each side with half an item more, and the judge's errors with
    half an error more: what did not happen yet on a few items is not impossible. Without that, a judge that did not err
    on 30 items would be taken for perfect, and one seventh of a yes for all that there can be.

    Examples
    --------
    >>> round(size_of(0.25 / 100, Base(share=0.5, n_items=100)), 9)
    100.0
    >>> round(size_of(0.0, Base(share=0.5, n_items=100, error=1.0)), 9)  # not infinitely many
    2550.0
    """
    whole = base.n_items * base.share * (1 - base.share)
    found = base.n_items**2 * variance + MORE * base.error
    return base.n_items * (whole + MORE) / (found + MORE)


def interval_of(value: float, variance: float, base: Base, *, kind: IntervalName, confidence: float) -> Interval:
    """The interval of an estimate of a share: Wilson's, in a sample of `size_of` items, or normal."""
    if kind == "normal" or not (math.isfinite(value) and math.isfinite(variance)):
        return normal(value, variance, confidence)
    return wilson(min(max(value, 0.0), 1.0), size_of(variance, base), confidence)
