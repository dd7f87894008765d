"""Intervals of scores, of what judges are worth, and of the best of them, from replicates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Floats
from dissensus.methods.equivalence.curve import crossings
from dissensus.methods.equivalence.options import EquivalenceOptions
from dissensus.methods.equivalence.raters import RaterTerm
from dissensus.methods.equivalence.replicates import Replicates
from dissensus.methods.equivalence.scores import SPECS
from dissensus.sampling.intervals import SMALLEST_ERROR, UNKNOWN, Bounds, Interval, bootstrap_interval, studentized
from dissensus.sampling.raters import RaterSpread


class Ends(NamedTuple):
    """Bounds of a worth in raters: infinite where one is off the curve, NaN where there is none."""

    low: float
    high: float


def equivalence_ends(gaps: Floats, confidence: float) -> Ends:
    """Numbers of raters that cannot be told apart from the judge: where the interval of the gap contains 0.

    An interval of the equivalence itself would need every sample to be on the curve; one of (judge less k raters) does
    not, and where it contains 0 says for which k.

    `gaps` (n_replicates, K + 1): values whose percentiles are bounds of the judge's score less that of k raters.
    `confidence`: of the interval.
    """
    bounds = np.array([_percentiles(column, confidence) for column in gaps.T])
    return Ends(place_of(bounds[:, 0]), place_of(bounds[:, 1]))


def place_of(gap: Floats) -> float:
    """The number of raters at which a judge's lead over k raters, for k = 0, 1, ..., is used up; infinite off them.

    >>> place_of(np.array([0.2, 0.1, -0.1])), place_of(np.array([-0.1, -0.2])), place_of(np.array([0.2, 0.1]))
    (1.5, -inf, inf)
    """
    return float(crossings(-gap[None, :], np.zeros(1))[0])


def _percentiles(values: Floats, confidence: float) -> Bounds:
    known = values[~np.isnan(values)]
    if not known.size:
        return UNKNOWN
    tail = (1 - confidence) / 2
    low, high = np.quantile(known, [tail, 1 - tail], method="inverted_cdf")
    return float(low), float(high)


class BestBounds(NamedTuple):
    """Intervals of the best of some judges, which hold although it was picked for its score."""

    low: float
    high: float
    worth: Ends
    candidates: list[int]  # judges that cannot be told apart from the best, the best first


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Intervals:
    """Scores of the data and of bootstrap samples, and what follows for the intervals."""

    options: EquivalenceOptions
    data: Replicates
    samples: Replicates | None
    raters: RaterTerm | None = None  # what raters add, where they are a sample

    @property
    def has_errors(self) -> bool:
        """Whether standard errors are known: of scores that add up over items."""
        return self.samples is not None and bool(self.data.curve_error.size)

    def plain(self, estimate: float, replicates: Floats | None) -> Bounds:
        """Bounds of a number without a standard error."""
        if replicates is None:
            return UNKNOWN
        kind: Interval = "percentile" if self.options.interval == "percentile" else "basic"
        return bootstrap_interval(estimate, replicates, confidence=self.options.confidence, kind=kind)

    def curve(self, i: int) -> Bounds:
        """Bounds of the score of the i-th survey size."""
        if self.samples is None:
            return UNKNOWN
        errors = (self.data.curve_error[0, [i]], self.samples.curve_error[:, [i]]) if self.has_errors else None
        spread = None if self.raters is None else self.raters.of_curve([i])
        return self._score(self.data.curve[0, [i]], self.samples.curve[:, [i]], errors, spread)

    def gain(self, i: int, *, of_amateurs: bool = False) -> Bounds:
        """Bounds of what surveys of the i-th size, of raters or amateurs, score beyond asking nobody."""
        if self.samples is None:
            return UNKNOWN
        value, drawn = (
            (part.amateurs if of_amateurs else part.curve)[:, [i]] - part.curve[:, [0]]
            for part in (self.data, self.samples)
        )
        spread = None if self.raters is None else self.raters.of_gain(i, of_amateurs=of_amateurs)
        return _percentiles(self._values(value[0], drawn, None, spread)[:, 0], self.options.confidence)

    def judge_gain(self, j: int) -> Bounds:
        """Bounds of what a judge scores beyond asking nobody."""
        gaps = self.gaps(j)
        return UNKNOWN if gaps is None else _percentiles(gaps[:, 0], self.options.confidence)

    def judge(self, j: int) -> Bounds:
        """Bounds of a judge's score."""
        if self.samples is None:
            return UNKNOWN
        errors = None
        if self.has_errors:
            errors = (_judge_errors(self.data)[0, [j]], _judge_errors(self.samples)[:, [j]])
        spread = None if self.raters is None else self.raters.of_judges([j])
        return self._score(self.data.judges[0, [j]], self.samples.judges[:, [j]], errors, spread)

    def amateurs(self, i: int) -> Bounds:
        """Bounds of the score of this many amateurs."""
        if self.samples is None:
            return UNKNOWN
        spread = None if self.raters is None else self.raters.of_amateurs([i])
        return self._score(self.data.amateurs[0, [i]], self.samples.amateurs[:, [i]], None, spread)

    def gaps(self, j: int) -> Floats | None:
        """Values whose percentiles are bounds of a judge's score less that of k raters, (n_replicates, n_sizes)."""
        if self.samples is None:
            return None
        gap = self.data.judges[0, j] - self.data.curve[0]
        errors = (self.data.gap_error[0, j], self.samples.gap_error[:, j]) if self.has_errors else None
        spread = None if self.raters is None else self.raters.of_gaps(j)
        return self._values(gap, self.samples.judges[:, j, None] - self.samples.curve, errors, spread)

    def worth_samples(self, j: int) -> Floats | None:
        """What a judge is worth in each bootstrap sample; infinite off the curve."""
        if self.samples is None:
            return None
        if self.raters is None:
            return crossings(self.samples.curve, self.samples.judges[:, j])
        gaps = self.raters.of_gaps(j).moved(self.samples.judges[:, [j]] - self.samples.curve, self.raters.draws)
        return crossings(-gaps, np.zeros(len(gaps)))

    def lead_samples(self, a: int, b: int) -> Floats:
        """How much better the first judge scores than the second in each bootstrap sample."""
        assert self.samples is not None  # noqa: S101 - the caller asked
        lead = self.samples.judges[:, [a]] - self.samples.judges[:, [b]]
        if self.raters is not None:
            lead = self.raters.of_differences(b, [a]).moved(lead, self.raters.draws)
        return np.asarray(lead[:, 0])

    def worth(self, j: int) -> Ends:
        """Bounds of what a judge is worth."""
        gaps, drawn = self.gaps(j), self.worth_samples(j)
        if gaps is None or drawn is None:
            return Ends(*UNKNOWN)
        if self.options.interval == "percentile":
            return Ends(*_percentiles(drawn, self.options.confidence))
        return equivalence_ends(gaps, self.options.confidence)

    def best(self, judges: Sequence[int]) -> BestBounds | None:
        """Intervals of the first of these judges, the best by its score, and who cannot be told apart from it.

        The best of many is the one that was lucky as well. Its lower bound is that of the luckiest: this many standard
        errors below the estimate as the largest of all judges' errors is in 97.5% of the samples.
        """
        samples, data = self.samples, self.data
        if samples is None or not self.has_errors or not judges:
            return None
        every = list(judges)
        first = every[0]
        off = samples.judges[:, every] - data.judges[0, every]
        error, errors = (_judge_errors(part)[:, every] for part in (data, samples))
        values = None if self.raters is None else self.raters.deleted.judges[:, :, every]
        low, high = self._errors(off, error[0], errors, values).lucky(self.options.confidence)
        gap_low = []
        for k in range(data.curve.shape[1]):
            centre = off - (samples.curve[:, [k]] - data.curve[0, k])
            own = None if self.raters is None or values is None else values - self.raters.deleted.curve[:, :, [k]]
            gap = self._errors(centre, data.gap_error[0, every, k], samples.gap_error[:, every, k], own)
            gap_low.append(data.judges[0, first] - data.curve[0, k] - gap.lucky(self.options.confidence)[0])
        least, most = SPECS[self.options.scored_by].range
        value = float(data.judges[0, first])
        alone, worth = self.judge(first), self.worth(first)
        return BestBounds(
            # Never nearer to the estimate than if it had been named beforehand: one judge has one interval.
            low=float(np.fmin(max(value - low, least), alone[0])),
            high=float(np.fmax(min(value - high, most), alone[1])),
            worth=Ends(float(np.fmin(place_of(np.array(gap_low)), worth.low)), worth.high),
            candidates=[every[i] for i in self._not_apart_from_best(every)],
        )

    def _not_apart_from_best(self, judges: list[int]) -> list[int]:
        """Which of these judges cannot be told apart from the best: none surely better, allowing for all comparisons.

        J. Hsu (1984), "Constrained Simultaneous Confidence Intervals for Multiple Comparisons with the Best".
        """
        assert self.samples is not None  # noqa: S101 - the caller asked
        scores, drawn = self.data.judges[0, judges], self.samples.judges[:, judges]
        error, errors = (_pair_errors(part.judge_covariance[:, judges][:, :, judges])
                         for part in (self.data, self.samples))  # fmt: skip
        values = None if self.raters is None else self.raters.deleted.judges[:, :, judges]
        kept = []
        for i in range(len(judges)):
            lead = scores - scores[i]
            own = None if values is None else values - values[:, :, [i]]
            pairs = self._errors(drawn - drawn[:, [i]] - lead, error[0, i], errors[:, i], own)
            limit = np.quantile(pairs.scaled.max(axis=1), self.options.confidence, method="inverted_cdf")
            if i == 0 or bool(np.all(lead <= limit * pairs.scale)):
                kept.append(i)
        return kept

    def _errors(self, centred: Floats, error: Floats, errors: Floats, values: Floats | None) -> "_Errors":
        """How far replicates are off, in standard errors; `values` are those without each group of raters."""
        known = np.where(error > 0, error, 1.0)
        off = centred / np.maximum(errors / known, SMALLEST_ERROR)
        scale = error
        if self.raters is not None and values is not None:
            noise, variance = self.raters.together(values)
            off, scale = off + noise, np.sqrt(error**2 + variance)
        return _Errors(off / np.where(scale > 0, scale, 1.0), scale)

    def _values(
        self, estimate: Floats, replicates: Floats, errors: tuple[Floats, Floats] | None, spread: RaterSpread | None
    ) -> Floats:
        """Values of shape (n_replicates, n_statistics) whose percentiles are bounds of the estimates."""
        values = replicates
        if self.options.interval == "studentized" and errors is not None:
            values = studentized(estimate, replicates, error=errors[0], errors=errors[1])
        elif self.options.interval != "percentile":
            values = np.asarray(2 * estimate - replicates)
        return values if self.raters is None or spread is None else spread.moved(values, self.raters.draws)

    def _score(
        self, estimate: Floats, replicates: Floats, errors: tuple[Floats, Floats] | None, spread: RaterSpread | None
    ) -> Bounds:
        """Bounds of one score, which end where the score itself does."""
        if not np.isfinite(estimate[0]):
            return UNKNOWN
        low, high = _percentiles(self._values(estimate, replicates, errors, spread)[:, 0], self.options.confidence)
        least, most = SPECS[self.options.scored_by].range
        return max(low, least), min(high, most)


def _judge_errors(scores: Replicates) -> Floats:
    """Standard errors of the judges' scores, of shape (n_replicates, n_judges)."""
    return np.asarray(np.sqrt(np.maximum(np.einsum("rjj->rj", scores.judge_covariance), 0.0)))


def _pair_errors(covariance: Floats) -> Floats:
    """Standard errors of differences of scores, of shape (n_replicates, n_judges, n_judges)."""
    own = np.einsum("rjj->rj", covariance)
    return np.asarray(np.sqrt(np.maximum(own[:, :, None] + own[:, None, :] - 2 * covariance, 0.0)))


class _Errors(NamedTuple):
    """How far replicates of several statistics are off, in standard errors; the first one is that of the best judge."""

    scaled: Floats  # (n_replicates, n_statistics)
    scale: Floats  # (n_statistics,)

    def lucky(self, confidence: float) -> Bounds:
        """What to take off the first statistic for its lower bound, and for its upper one."""
        tail = (1 - confidence) / 2
        known = self.scaled[~np.isnan(self.scaled[:, 0])]  # an undefined survey is undefined for all judges
        if not len(known):
            return UNKNOWN
        low = np.quantile(known.max(axis=1), 1 - tail, method="inverted_cdf")
        high = np.quantile(known[:, 0], tail, method="inverted_cdf")
        return float(low * self.scale[0]), float(high * self.scale[0])
