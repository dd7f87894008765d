"""A survey equivalence with its replicates: the numbers of `equivalence`, bounds off the curve included."""

import math
from concurrent.futures import Executor
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import Judges, Ratings
from dissensus.errors import OptionError
from dissensus.methods.equivalence.bounds import Intervals
from dissensus.methods.equivalence.curve import crossings
from dissensus.methods.equivalence.equivalence import rater_term_of
from dissensus.methods.equivalence.options import EquivalenceOptions
from dissensus.methods.equivalence.replicates import bootstrap_replicates, starting_scores, up_to_size
from dissensus.methods.equivalence.setup import Prepared, set_up
from dissensus.methods.gate.verdicts import Estimate
from dissensus.options import named
from dissensus.sampling import Progress
from dissensus.sampling.intervals import Bounds, bootstrap_interval
from dissensus.sampling.raters import rater_stream


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurveyRun:
    """Scores of surveys and of one judge.

    Attributes
    ----------
    prepared : Prepared
        The problem and its warnings.
    intervals : Intervals
        Scores of the data and of bootstrap samples, of surveys up to a size that the judge does not reach.
    judge : int
        Which of the judges stands at the gate: the last one, calibrated if that was asked for.
    """

    prepared: Prepared
    intervals: Intervals
    judge: int = -1

    @property
    def gap(self) -> Floats:
        """The judge's score less that of k raters, of shape (K + 1,)."""
        data = self.intervals.data
        return np.asarray(data.judges[0, self.judge] - data.curve[0])


def run_survey(
    ratings: Ratings,
    judges: Judges,
    options: EquivalenceOptions,
    *,
    reach: int,
    rng: int | Generator | None,
    executor: Executor,
    progress: Progress | None = None,
) -> SurveyRun:
    """The power curve, at least up to this many raters, and the one judge of the options."""
    # The streams of `equivalence`, so that the same seed gives the same numbers.
    folds, surveys, samples = np.random.default_rng(rng).spawn(3)
    prepared = set_up(ratings, judges, options, rng=deepcopy(folds))
    if prepared.problem.sizes[-1] < reach:
        most = int(prepared.problem.counts.sum(axis=1).max(initial=0))
        if reach >= most:
            raise OptionError(
                f"{named('min_equivalence')} needs surveys of {reach} raters and one more to predict, and no item has "
                f"more than {most} ratings: lower it, or collect more ratings per item."
            )
        prepared = set_up(ratings, judges, replace(options, max_raters=reach), rng=folds)
    extras, data = starting_scores(prepared.problem, options, rng=surveys)
    term, about_raters = rater_term_of(prepared, options, rng=rater_stream(rng))
    prepared = replace(prepared, warnings=(*prepared.warnings, *about_raters))
    for n_sizes in _stages(data.curve[0], float(data.judges[0, -1]), reach):
        part = replace(prepared.problem, sizes=prepared.problem.sizes[:n_sizes])
        # Each time the same samples: what was not needed before is added.
        drawn = bootstrap_replicates(
            part, extras, options.bootstrap, executor, rng=deepcopy(samples), progress=progress
        )
        raters = None if term is None else term.up_to_size(n_sizes)
        intervals = Intervals(options=options, data=up_to_size(data, n_sizes), samples=drawn, raters=raters)
        run = SurveyRun(prepared=prepared, intervals=intervals)
        if intervals.worth(run.judge).high < np.inf:
            break
    return run


def _stages(curve: Floats, judge: float, reach: int) -> list[int]:
    """How much of the curve to draw in the bootstrap samples, first, and if the upper bound lies beyond, in the end.

    Large surveys are many, and a judge that is worth few raters is not compared with them.
    """
    value = float(crossings(curve[None, :], np.array([judge]))[0])
    if not value < np.inf:
        return [len(curve)]
    first = 2 * max(reach, math.ceil(max(value, 0.0))) + 2
    return [first, len(curve)] if first < len(curve) else [len(curve)]


def gap_at(run: SurveyRun, threshold: float, items: int, *, confidence: float) -> Estimate:
    """The judge's score less that of a survey of the threshold's size, between whole numbers interpolated."""
    below, above = math.floor(threshold), math.ceil(threshold)
    share = threshold - below
    value = float((1 - share) * run.gap[below] + share * run.gap[above])

    def bounds(intervals: Intervals) -> Bounds:
        gaps = intervals.gaps(run.judge)
        assert gaps is not None  # noqa: S101 - a gate takes samples
        drawn = (1 - share) * gaps[:, below] + share * gaps[:, above]
        return bootstrap_interval(value, drawn, confidence=confidence, kind="percentile")

    low, high = bounds(run.intervals)
    these = None if run.intervals.raters is None else bounds(replace(run.intervals, raters=None))
    return Estimate(value=value, low=low, high=high, items=items, these=these)
