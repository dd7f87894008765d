"""Estimates of a share from people's answers on some items and a judge's on all: means, and moments of them.

People's answer to an item is the share of its raters who say yes (or their decision), so that an item's variance holds
the disagreement between raters as well as the difference between items. That raters were drawn from others like them,
some more lenient than others, is in no item's variance: it is seen by leaving them out.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Floats
from dissensus.methods.prevalence.result import Estimate, Method, PrevalenceOptions
from dissensus.sampling.intervals import UNKNOWN, normal_interval, reach_of, wilson_interval
from dissensus.sampling.raters import RaterPool, RaterSpread

Interval = tuple[float, float]
HALF_ERROR = 0.5  # so much of an item is added where nothing was seen yet, as Jeffreys does to a yes and a no


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

    >>> round(size_of(0.25 / 100, Base(share=0.5, n_items=100)), 9)
    100.0
    >>> round(size_of(0.0, Base(share=0.5, n_items=100, error=1.0)), 9)  # not infinitely many
    2550.0
    """
    whole = base.n_items * base.share * (1 - base.share)
    squares = base.n_items**2 * variance + HALF_ERROR * base.error
    return base.n_items * (whole + HALF_ERROR) / (squares + HALF_ERROR)


ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """What is known of the items."""

    people: Floats  # (n_rated,): people's answer to each item that they rated, from 0 to 1
    judge: Floats  # (n_rated,): the judge's to the same
    judge_only: Floats  # (n_others,): and to the items that people did not rate

    @property
    def all_judged(self) -> Floats:
        """The judge's answer to all items."""
        return np.concatenate([self.judge, self.judge_only])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeaveRatersOut:
    """People's answers without some raters: each group of them in turn, as they are and with labels shuffled."""

    pool: RaterPool
    people: Floats  # (n_times, n_rated): the answer of those who are left to each item, NaN where nobody is

    def spread(self, statistics: Callable[[Sample], Floats], sample: Sample) -> RaterSpread:
        """What raters bring to statistics of a sample, each of shape (n_statistics,); NaN where nobody is left."""
        values = []
        for people in self.people:
            left = ~np.isnan(people)
            values.append(statistics(replace(sample, people=people[left], judge=sample.judge[left])))
        return self.pool.spread(np.stack(values))


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
    return mean_of(sample.all_judged)


def people_only(sample: Sample) -> Point:
    """People's mean over the items that they rated."""
    return mean_of(sample.people)


def prediction_powered(sample: Sample, weight: float) -> Point:
    """The judge's mean over the other items, times a weight, plus what it is off by where people looked.

    A. Angelopoulos, S. Bates, C. Fannjiang, M. Jordan, T. Zrnic (2023), "Prediction-powered inference".
    """
    if weight == 0:
        return people_only(sample)
    if not len(sample.judge_only):
        return NOTHING
    imputed, rest = mean_of(weight * sample.judge_only), mean_of(sample.people - weight * sample.judge)
    return Point(value=imputed.value + rest.value, variance=imputed.variance + rest.variance)


def error_size(sample: Sample) -> float:
    """How much an error of the judge counts: 1 where its answers are yes or no, less where they are probabilities.

    >>> answers = np.array([0.4, 0.6])
    >>> round(error_size(Sample(people=answers, judge=answers, judge_only=answers)), 4)
    0.04
    """
    share = float(sample.all_judged.mean())
    return float(sample.all_judged.var()) / (share * (1 - share)) if 0 < share < 1 else 1.0


def tuned_weight(sample: Sample) -> float:
    """The weight, from 0 to 1, with which the judge helps most; 0 where it cannot help.

    A. Angelopoulos, J. Duchi, T. Zrnic (2023), "PPI++: Efficient Prediction-Powered Inference", example 6.1.
    """
    n, others = len(sample.people), len(sample.judge_only)
    if not others or n < 2:  # noqa: PLR2004 - a spread takes two
        return 0.0
    spread = float(sample.all_judged.var(ddof=1))
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


def rates(sample: Sample) -> tuple[float, float]:
    """How often the judge says yes where a rater does, and where a rater says no; NaN where none does."""
    yes, no = float(sample.people.sum()), float((1 - sample.people).sum())
    a = float(sample.people @ sample.judge) / yes if yes > 0 else math.nan
    return a, float((1 - sample.people) @ sample.judge) / no if no > 0 else math.nan


def rogan_gladen(sample: Sample, confidence: float, added: Floats | None = None) -> Corrected:
    """What share of positive items makes the judge say yes as often as it does, given how often it errs.

    Where a rater says yes the judge says yes with chance a, else with chance b; so it says yes on q = s a + (1 - s) b.
    The interval holds every s with which q - s a - (1 - s) b is near enough to 0 (Fieller), since the quotient has no
    variance worth the name where a is near b. To the variances of q - b and a - b, those that raters bring are `added`,
    of shape (2, 2).

    W. Rogan, B. Gladen (1978), "Estimating prevalence from the results of a screening test".
    """
    share = float(sample.people.mean())
    if not 0 < share < 1:
        return Corrected(value=math.nan, interval=UNKNOWN, sensitivity=math.nan, specificity=math.nan)
    a, b = rates(sample)
    q = float(sample.all_judged.mean())
    interval = _shares_within(sample, (q, a, b), reach_of(confidence), np.zeros((2, 2)) if added is None else added)
    value = (q - b) / (a - b) if a - b > ROUNDING else math.nan
    cut = min(1.0, max(0.0, value)) if math.isfinite(value) else value
    return Corrected(value=cut, interval=interval, sensitivity=a, specificity=1 - b, is_cut=abs(cut - value) > ROUNDING)


def _shares_within(sample: Sample, moments: tuple[float, float, float], z: float, added: Floats) -> Interval:
    """Every s from 0 to 1 with (q - b - s (a - b))^2 <= z^2 v(s), where v is the variance of that difference."""
    q, a, b = moments
    n, total, share = len(sample.people), len(sample.all_judged), float(sample.people.mean())
    # Half an error more on either side: no error on a few yes or no of raters does not mean that there is none.
    size = error_size(sample)
    more_a, more_b = (HALF_ERROR * size / (n * part + 2 * HALF_ERROR) ** 2 for part in (share, 1 - share))
    # What each item adds to q - b, and to a - b, beyond their means; items that people did not rate add to q only.
    adds_a = sample.people * (sample.judge - a) / (n * share)
    adds_b = (1 - sample.people) * (sample.judge - b) / (n * (1 - share))
    first, second = (sample.judge - q) / total - adds_b, adds_a - adds_b
    constant = (
        float(first @ first) + float(np.sum((sample.judge_only - q) ** 2)) / total**2 + more_b + float(added[0, 0])
    )
    linear = float(first @ second) + more_b + float(added[0, 1])
    square = float(second @ second) + more_a + more_b + float(added[1, 1])
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


def estimates_of(sample: Sample, options: PrevalenceOptions, without: LeaveRatersOut | None = None) -> Estimates:
    """Every method on a sample; with people's answers `without` some raters, intervals for raters like these."""
    weight = tuned_weight(sample)
    points: dict[Method, Point] = {
        "people": people_only(sample),
        "ppi": prediction_powered(sample, 1.0),
        "ppi++": prediction_powered(sample, weight),
    }
    variances, added = {name: point.variance for name, point in points.items()}, None
    if without is not None:
        spread = without.spread(lambda own: _means(own, weight), sample)
        wider = spread.variance_with(np.array(list(variances.values())), options.confidence)
        variances = dict(zip(points, wider.tolist(), strict=True))
        added = _of_rates(without.spread(_rates_and_gap, sample), options.confidence)
    corrected = rogan_gladen(sample, options.confidence, added)
    base = Base(share=float(sample.people.mean()), n_items=len(sample.people))
    judged, size = naive(sample), error_size(sample)
    bases: dict[Method, Base] = {
        "people": base, "ppi": replace(base, error=size), "ppi++": replace(base, error=weight**2 * size),
    }  # fmt: skip
    own = {name: _estimate(name, points[name].value, variances[name], bases[name], options) for name in points}
    of_judge = Base(share=judged.value, n_items=len(sample.all_judged))
    estimates = (
        _estimate("naive", judged.value, judged.variance, of_judge, options),
        own["people"],
        Estimate(method="rogan-gladen", value=corrected.value, low=corrected.interval[0], high=corrected.interval[1]),
        own["ppi"],
        own["ppi++"],
    )
    gain = _gain(points, bases, options)
    return Estimates(estimates=estimates, corrected=corrected, weight=weight, gain=gain)


def _gain(points: dict[Method, Point], bases: dict[Method, Base], options: PrevalenceOptions) -> float:
    """What is saved, by the intervals of these raters: more ratings by them do not make up for other raters."""
    alone, tuned = points["people"].variance, points["ppi++"].variance
    if options.interval == "wilson":
        return size_of(tuned, bases["ppi++"]) / size_of(alone, bases["people"]) - 1
    return alone / tuned - 1 if tuned > 0 else math.nan


def _means(sample: Sample, weight: float) -> Floats:
    """People's mean, ppi, and ppi++ at its weight."""
    if not len(sample.people):
        return np.full(3, np.nan)
    people, judge = float(sample.people.mean()), float(sample.judge.mean())
    others = float(sample.judge_only.mean()) if len(sample.judge_only) else math.nan
    tuned = people + weight * (others - judge) if weight else people
    return np.array([people, people + others - judge, tuned])


def _rates_and_gap(sample: Sample) -> Floats:
    """The judge's two rates and their difference."""
    if not len(sample.people):
        return np.full(3, np.nan)
    a, b = rates(sample)
    return np.array([a, b, a - b])


def _of_rates(spread: RaterSpread, confidence: float) -> Floats:
    """Variances and covariance that raters add to q - b and a - b, from what they bring to a, b and a - b."""
    from scipy.special import stdtrit  # noqa: PLC0415 - takes a while to import

    inflation = (float(stdtrit(spread.groups - 1, (1 + confidence) / 2)) / reach_of(confidence)) ** 2
    a, b, gap = inflation * spread.total - spread.within
    if not np.isfinite([a, b, gap]).all():
        return np.zeros((2, 2))
    # a is the sum of b and the gap, so that their covariance is half of what its variance has more.
    together = (a - b - gap) / 2
    values, vectors = np.linalg.eigh(np.array([[b, -together], [-together, gap]]))
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)


def _estimate(method: Method, value: float, variance: float, base: Base, options: PrevalenceOptions) -> Estimate:
    """With Wilson's interval in a sample of `size_of` items, or a normal one."""
    if options.interval == "normal" or not (math.isfinite(value) and math.isfinite(variance)):
        low, high = normal_interval(value, variance, options.confidence)
    else:
        low, high = wilson_interval(min(max(value, 0.0), 1.0), size_of(variance, base), options.confidence)
    return Estimate(method=method, value=value, low=low, high=high)
