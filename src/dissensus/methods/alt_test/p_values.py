"""Is the mean of d below epsilon? Tests for one rater, and their p-values for all raters together.

d is -1, 0 or 1, so that a Tally holds all that there is to know.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats

MOST_EXACT_ITEMS = 300
"""The exact test looks at every way in which this many items can fall out; with more, t is as good."""
MOST_FLIPS = 4_000_000  # sign flips are counted in a table of this many places at most; with more items, t is as good
NUISANCE_STEPS = 200
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The items of one rater, by who is closer to the others.

    >>> tally = Tally(judge_closer=2, alike=5, rater_closer=3)
    >>> tally.items, tally.mean, tally.judge_at_least_as_close, tally.rater_at_least_as_close
    (10, 0.1, 0.7, 0.8)
    """

    judge_closer: int  # items on which d = W_h - W_f is -1
    alike: int  # items on which it is 0
    rater_closer: int  # items on which it is 1

    @property
    def items(self) -> int:
        """How many items there are."""
        return self.judge_closer + self.alike + self.rater_closer

    @property
    def differing(self) -> int:
        """On how many items one of the two is closer."""
        return self.judge_closer + self.rater_closer

    @property
    def mean(self) -> float:
        """Mean of d."""
        return (self.rater_closer - self.judge_closer) / self.items

    @property
    def variance(self) -> float:
        """Variance of d, with one less than the items below the line."""
        return (self.differing - self.items * self.mean**2) / (self.items - 1)

    @property
    def judge_at_least_as_close(self) -> float:
        """Mean of W_f: the chance that the judge is at least as close to the others as the rater."""
        return (self.judge_closer + self.alike) / self.items

    @property
    def rater_at_least_as_close(self) -> float:
        """Mean of W_h: the chance that the rater is at least as close to the others as the judge."""
        return (self.rater_closer + self.alike) / self.items


def t_p_value(tally: Tally, epsilon: float) -> float:
    """One-sided t-test that the mean of d is below epsilon.

    Where d never varies, t has no size; the p-value is then that of `sign_flip_p_value`.
    """
    from scipy.special import stdtr  # noqa: PLC0415 - for those who test

    if tally.variance <= ROUNDING:
        return sign_flip_p_value(tally, epsilon)
    t = (tally.mean - epsilon) / math.sqrt(tally.variance / tally.items)
    return float(stdtr(tally.items - 1, t))


def t_interval(tally: Tally, alpha: float) -> tuple[float, float]:
    """Mean of d, and so far to each side that the upper end is the one-sided bound at alpha; NaN where d is steady."""
    from scipy.special import stdtrit  # noqa: PLC0415 - as above

    if tally.variance <= ROUNDING:
        return math.nan, math.nan
    reach = float(stdtrit(tally.items - 1, 1 - alpha)) * math.sqrt(tally.variance / tally.items)
    return tally.mean - reach, tally.mean + reach


def sign_flip_p_value(tally: Tally, epsilon: float) -> float:
    """The share of all ways to flip the signs of d - epsilon that give a sum at most as large as the one found.

    Exact where d is spread equally to both sides of epsilon. There are only three sizes of d - epsilon, so the sums
    of all flips can be counted, in a table of `flips_to_count` places.
    """
    judge, rater = np.arange(tally.judge_closer + 1), np.arange(tally.rater_closer + 1)
    sums = np.add.outer(
        (1 + epsilon) * (2 * judge - tally.judge_closer), (1 - epsilon) * (2 * rater - tally.rater_closer)
    )
    shares = np.multiply.outer(fair_flips(tally.judge_closer), fair_flips(tally.rater_closer))
    room = tally.items * (tally.mean - epsilon) - sums
    return float(min(1.0, (shares * _chance_within(room, epsilon, tally.alike)).sum()))


def flips_to_count(tally: Tally) -> int:
    """How many places the table of `sign_flip_p_value` has."""
    return (tally.judge_closer + 1) * (tally.rater_closer + 1)


def _chance_within(room: Floats, size: float, times: int) -> Floats:
    """The chance that this many flips of plus or minus `size` add up to at most `room`."""
    from scipy.special import bdtr  # noqa: PLC0415 - as above

    slack = ROUNDING * (1 + np.abs(room))
    if size == 0 or times == 0:
        return (room >= -slack).astype(np.float64)
    positive = np.floor(((room + slack) / size + times) / 2)
    return np.asarray(np.where(positive < 0, 0.0, bdtr(np.clip(positive, 0, times), times, 0.5)))


def exact_p_value(tally: Tally, epsilon: float) -> float:
    """The largest chance, among all raters who are epsilon closer than the judge, of so low a score or a lower one.

    It keeps its level however few items differ, at the price of some power.

    T. Tango (1998), "Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design", for the score; G. Barnard (1945), "A New Test for 2 x 2 Tables", for the largest chance.
    """
    n = tally.items
    judge, rater = np.indices((n + 1, n + 1), dtype=np.float64).reshape(2, -1)
    inside = judge + rater <= n
    judge, rater = judge[inside], rater[inside]
    observed = _scores(np.array([float(tally.judge_closer)]), np.array([float(tally.rater_closer)]), n, epsilon)[0]
    low = _scores(judge, rater, n, epsilon) <= observed + ROUNDING
    return float(min(1.0, max(_chances(judge[low], rater[low], n, epsilon))))


def fair_flips(times: int) -> Floats:
    """Chances of 0, 1, ... heads in this many tosses of a fair coin.

    From the middle outwards, each from the one before: whole binomial coefficients would have as many digits as tosses.
    """
    start = (times + 1) // 2
    heads = np.arange(start, times)
    outwards = np.concatenate([[1.0], np.cumprod((times - heads) / (heads + 1))])
    both = np.concatenate([outwards[::-1][:start], outwards])  # tails are as likely as heads
    return np.asarray(both / both.sum())


def _scores(judge: Floats, rater: Floats, n: int, epsilon: float) -> Floats:
    """How many standard errors the mean of d is from epsilon, the error being that of the most likely such rater."""
    # With c items alike, a/(q + e) + b/q = 2 c/(1 - 2 q - e) for the chance q that the judge is closer: a square in q.
    alike = n - judge - rater
    middle = (judge + rater) * (1 - epsilon) - 2 * epsilon * (judge + alike)
    share = (middle + np.sqrt(middle**2 + 8 * n * judge * epsilon * (1 - epsilon))) / (4 * n)
    variance = np.maximum(2 * share + epsilon - epsilon**2, 0) / n
    gap = (rater - judge) / n - epsilon
    return np.asarray(np.divide(gap, np.sqrt(variance), out=np.zeros_like(gap), where=variance > ROUNDING))


def _chances(judge: Floats, rater: Floats, n: int, epsilon: float) -> list[float]:
    """Chances of these outcomes where the rater is closer with a chance that is epsilon more than the judge's."""
    from scipy.special import gammaln, xlogy  # noqa: PLC0415 - as above

    alike = n - judge - rater
    ways = gammaln(n + 1) - gammaln(judge + 1) - gammaln(rater + 1) - gammaln(alike + 1)
    chances = []
    for share in np.linspace(0, (1 - epsilon) / 2, NUISANCE_STEPS + 1):
        rest = max(0.0, 1 - 2 * share - epsilon)
        logs = ways + xlogy(judge, share) + xlogy(rater, share + epsilon) + xlogy(alike, rest)
        chances.append(float(np.exp(logs).sum()))
    return chances


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """P-values for all raters together: among those of at most .05, at most 1 in 20 is expected to be wrong.

    The tests share raters and items, so they depend on each other: each is multiplied by 1 + 1/2 + ... + 1/m, too.

    Y. Benjamini, D. Yekutieli (2001), "The control of the false discovery rate in multiple testing under dependency",
    theorem 1.3.

    >>> [round(p, 6) for p in benjamini_yekutieli([0.01, 0.04, 0.03])]
    [0.055, 0.073333, 0.073333]
    """
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    harmonic = sum(1 / k for k in range(1, m + 1))
    steps = np.asarray(p_values, dtype=np.float64)[order] * m * harmonic / np.arange(1, m + 1)
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(1, np.minimum.accumulate(steps[::-1])[::-1])
    return [float(value) for value in adjusted]
