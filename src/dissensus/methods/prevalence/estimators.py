"""Estimates of a share from people's answers on some items and a judge's on all: means, and moments of them.

People's answer to an item is the share of its raters who say yes (or their decision), so that an item's variance holds
the disagreement between raters as well as the difference between items. Items are what was drawn at random.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Floats
from dissensus.methods.prevalence.options import Method, PrevalenceOptions
from dissensus.methods.prevalence.result import Estimate
from dissensus.sampling.intervals import UNKNOWN, normal_interval, reach_of, wilson_interval

Interval = tuple[float, float]
MORE = 0.5
"""So much of an item is added where nothing was seen yet, as Jeffreys does to a yes and a no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """What an estimate rests on."""

    share: float  # a rough idea of the share, whose spread the variance of the estimate is compared with
    n_items: int  # of the sample
    error: float = 0.0  # squared effect of an error of the judge on an item's estimate; 0 for people or judge alone


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
    squares = base.n_items**2 * variance + MORE * base.error
    return base.n_items * (whole + MORE) / (squares + MORE)


ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """What is known of the items."""

    people: Floats  # (n_rated,): people's answer to each item that they rated, from 0 to 1
    judge: Floats  # (n_rated,): the judge's to the same
    judge_only: Floats  # (n_others,): and to the items that people did not rate

    @property
    def everything(self) -> Floats:
        """The judge's answer to all items."""
        return np.concatenate([self.judge, self.judge_only])


class Point(NamedTuple):
    """An estimate and its variance; NaN where it is undefined."""

    value: float
    variance: float


NOTHING = Point(value=math.nan, variance=math.nan)


def mean_of(values: Floats) -> Point:
    """The mean, and the variance of the mean."""
    return Point(value=float(values.mean()), variance=float(values.var() / len(values)))


def naive(sample: Sample) -> Point:
    """The judge's mean over all items, as if it never erred."""
    return mean_of(sample.everything)


def people_only(sample: Sample) -> Point:
    """People's mean over the items that they rated."""
    return mean_of(sample.people)


def prediction_powered(sample: Sample, weight: float) -> Point:
    """The judge's mean over the other items, times a weight, plus what it is off by where people looked.

    References
    ----------
    A. Angelopoulos, S. Bates, C. Fannjiang, M. Jordan, T. Zrnic (2023), "Prediction-powered inference".

    Examples
    --------
    >>> sample = Sample(people=np.array([1.0, 0.0]), judge=np.array([1.0, 1.0]), judge_only=np.array([1.0, 0.0, 1.0]))
    >>> round(prediction_powered(sample, 1.0).value, 4), prediction_powered(sample, 0.0).value
    (0.1667, 0.5)
    """
    if weight == 0:
        return people_only(sample)
    if not len(sample.judge_only):
        return NOTHING
    imputed, rest = mean_of(weight * sample.judge_only), mean_of(sample.people - weight * sample.judge)
    return Point(value=imputed.value + rest.value, variance=imputed.variance + rest.variance)


def error_size(sample: Sample) -> float:
    """How much an error of the judge counts: 1 where its answers are yes or no, less where they are probabilities.

    Examples
    --------
    >>> answers = np.array([0.4, 0.6])
    >>> round(error_size(Sample(people=answers, judge=answers, judge_only=answers)), 4)
    0.04
    """
    share = float(sample.everything.mean())
    return float(sample.everything.var()) / (share * (1 - share)) if 0 < share < 1 else 1.0


def tuned_weight(sample: Sample) -> float:
    """The weight, from 0 to 1, with which the judge helps most; 0 where it cannot help.

    References
    ----------
    A. Angelopoulos, J. Duchi, T. Zrnic (2023), "PPI++: Efficient Prediction-Powered Inference", example 6.1.
    """
    n, others = len(sample.people), len(sample.judge_only)
    if not others or n < 2:  # noqa: PLR2004 - a spread takes two
        return 0.0
    spread = float(sample.everything.var(ddof=1))
    together = float(np.mean((sample.people - sample.people.mean()) * (sample.judge - sample.judge.mean())))
    return min(1.0, max(0.0, together / ((1 + n / others) * spread))) if spread > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """Rogan and Gladen's estimate."""

    value: float  # cut to lie from 0 to 1; NaN where the judge says yes no more often where people do
    interval: Interval  # all shares that the data do not rule out
    sensitivity: float  # chance that the judge agrees with a rater who says yes,
    specificity: float  # and with one who says no
    is_cut: bool = False  # whether the value was beyond 0 or 1


def rogan_gladen(sample: Sample, confidence: float) -> Corrected:
    """What share of positive items makes the judge say yes as often as it does, given how often it errs.

    Where a rater says yes the judge says yes with chance a, else with chance b; so it says yes on q = s a + (1 - s) b.
    The interval holds every s with which q - s a - (1 - s) b is near enough to 0 (Fieller), since the quotient has no
    variance worth the name where a is near b.

    References
    ----------
    W. Rogan, B. Gladen (1978), "Estimating prevalence from the results of a screening test".
    """
    share = float(sample.people.mean())
    if not 0 < share < 1:
        return Corrected(value=math.nan, interval=UNKNOWN, sensitivity=math.nan, specificity=math.nan)
    a = float(np.mean(sample.people * sample.judge)) / share
    b = float(np.mean((1 - sample.people) * sample.judge)) / (1 - share)
    q = float(sample.everything.mean())
    interval = _shares_within(sample, (q, a, b), share, reach_of(confidence))
    value = (q - b) / (a - b) if a - b > ROUNDING else math.nan
    cut = min(1.0, max(0.0, value)) if math.isfinite(value) else value
    return Corrected(value=cut, interval=interval, sensitivity=a, specificity=1 - b, is_cut=abs(cut - value) > ROUNDING)


def _shares_within(sample: Sample, moments: tuple[float, float, float], share: float, z: float) -> Interval:
    """Every s from 0 to 1 with (q - b - s (a - b))^2 <= z^2 v(s), where v is the variance of that difference."""
    q, a, b = moments
    n, total = len(sample.people), len(sample.everything)
    # Half an error more on either side: no error on a few yes or no of raters does not mean that there is none.
    size = error_size(sample)
    more_a, more_b = (MORE * size / (n * part + 2 * MORE) ** 2 for part in (share, 1 - share))
    # What each item adds to q - b, and to a - b, beyond their means; items that people did not rate add to q only.
    adds_a = sample.people * (sample.judge - a) / (n * share)
    adds_b = (1 - sample.people) * (sample.judge - b) / (n * (1 - share))
    first, second = (sample.judge - q) / total - adds_b, adds_a - adds_b
    constant = float(first @ first) + float(np.sum((sample.judge_only - q) ** 2)) / total**2 + more_b
    linear, square = float(first @ second) + more_b, float(second @ second) + more_a + more_b
    squared = (a - b) ** 2 - z**2 * square
    half = (q - b) * (a - b) - z**2 * linear
    rest = (q - b) ** 2 - z**2 * constant
    root = half**2 - squared * rest
    if squared <= 0 or root < 0 or a - b <= ROUNDING:
        return 0.0, 1.0
    low, high = (half - math.sqrt(root)) / squared, (half + math.sqrt(root)) / squared
    return min(1.0, max(0.0, low)), min(1.0, max(0.0, high))


# ---- All methods on one sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """All methods on one sample, and what they rest on."""

    estimates: tuple[Estimate, ...]
    corrected: Corrected
    weight: float  # of the judge in ppi++
    gain: float  # items that people alone would need for the interval of ppi++, by those they have, less 1; else NaN


def estimates_of(sample: Sample, options: PrevalenceOptions) -> Estimates:
    """Every method on a sample."""
    weight = tuned_weight(sample)
    corrected = rogan_gladen(sample, options.confidence)
    alone, tuned = people_only(sample), prediction_powered(sample, weight)
    base = Base(share=float(sample.people.mean()), n_items=len(sample.people))
    judged, size = naive(sample), error_size(sample)
    helped = replace(base, error=weight**2 * size)
    estimates = [
        _estimate("naive", judged, Base(share=judged.value, n_items=len(sample.everything)), options),
        _estimate("people", alone, base, options),
        Estimate(method="rogan-gladen", value=corrected.value, low=corrected.interval[0], high=corrected.interval[1]),
        _estimate("ppi", prediction_powered(sample, 1.0), replace(base, error=size), options),
        _estimate("ppi++", tuned, helped, options),
    ]
    # What is saved, by the intervals as they are.
    gain = alone.variance / tuned.variance - 1 if tuned.variance > 0 else math.nan
    if options.interval == "wilson":
        gain = size_of(tuned.variance, helped) / size_of(alone.variance, base) - 1
    return Estimates(estimates=tuple(estimates), corrected=corrected, weight=weight, gain=gain)


def _estimate(method: Method, point: Point, base: Base, options: PrevalenceOptions) -> Estimate:
    """With Wilson's interval in a sample of `size_of` items, or a normal one."""
    value, variance = point
    if options.interval == "normal" or not (math.isfinite(value) and math.isfinite(variance)):
        low, high = normal_interval(value, variance, options.confidence)
    else:
        low, high = wilson_interval(min(max(value, 0.0), 1.0), size_of(variance, base), options.confidence)
    return Estimate(method=method, value=value, low=low, high=high)
