"""A survey equivalence with its replicates: the same numbers as `equivalence`, bounds off the curve included."""

import math
from concurrent.futures import Executor
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import Judges, Ratings
from dissensus.errors import OptionError
from dissensus.methods.equivalence.crossing import crossings, equivalence_interval
from dissensus.methods.equivalence.equivalence import REPLICATES_PER_TASK
from dissensus.methods.equivalence.large_sizes import large_sizes, treatments
from dissensus.methods.equivalence.options import Question, check_question
from dissensus.methods.equivalence.problem import Problem
from dissensus.methods.equivalence.replicates import Extras, Replicates, bootstrap_scores, observed_scores
from dissensus.methods.equivalence.setup import Prepared, ceiling_extras, set_up
from dissensus.sampling import Engine, Progress, open_executor, run_tasks


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurveyRun:
    """Scores of surveys and of one judge.

    Attributes
    ----------
    prepared : Prepared
        The problem and its warnings.
    curve : ndarray of shape (K + 1,)
        Score of k raters, as far as bootstrap samples have it.
    judge : float
        Score of the judge, calibrated if that was asked for.
    curves, judges : ndarray of shape (n_replicates, K + 1) and (n_replicates,)
        The same in each bootstrap sample.
    """

    prepared: Prepared
    curve: Floats
    judge: float
    curves: Floats
    judges: Floats

    def is_bounded(self, confidence: float) -> bool:
        """Whether the interval of the equivalence ends on the curve."""
        gap, gaps = self.judge - self.curve, self.judges[:, None] - self.curves
        return equivalence_interval(gap, gaps, confidence=confidence)[1] < np.inf

    def items_of(self, raters: int) -> int:
        """How many items have enough ratings for surveys of so many raters."""
        problem = self.prepared.problem
        return int(problem.items[problem.counts.sum(axis=1) >= raters + problem.references].sum())


def run_survey(
    ratings: Ratings,
    judges: Judges,
    question: Question,
    *,
    reach: int,
    rng: int | Generator | None,
    engine: Engine,
    workers: int = 1,
    progress: Progress | None = None,
) -> SurveyRun:
    """The power curve, at least up to so many raters, and the one judge of the question."""
    check_question(question)
    # The streams of `equivalence`, so that the same seed gives the same numbers.
    folds, surveys, samples = np.random.default_rng(rng).spawn(3)
    prepared = set_up(ratings, judges, question, rng=deepcopy(folds))
    if prepared.problem.sizes[-1] < reach:
        _check_reach(prepared, reach)
        prepared = set_up(ratings, judges, replace(question, max_raters=reach), rng=folds)
    problem = prepared.problem
    large = large_sizes(problem, treatments(problem, is_resampled=True), rng=surveys)
    extras = replace(ceiling_extras(prepared, question), large=large)
    data = observed_scores(problem, extras)
    curve, judge = data.curve[0], float(data.judges[0, -1])
    with open_executor(engine, workers=workers) as executor:
        for n_sizes in _stages(curve, judge, reach):
            part = replace(problem, sizes=problem.sizes[:n_sizes])
            # Each time the same samples: what was not needed before is added.
            drawn = _replicates(part, extras, question.bootstrap, executor, rng=deepcopy(samples), progress=progress)
            run = SurveyRun(prepared=prepared, curve=curve[:n_sizes], judge=judge, curves=drawn[0], judges=drawn[1])
            if run.is_bounded(question.confidence):
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


def _replicates(
    problem: Problem,
    extras: Extras,
    bootstrap: int,
    executor: Executor,
    *,
    rng: Generator,
    progress: Progress | None,
) -> tuple[Floats, Floats]:
    """The curve and the judge's score in each bootstrap sample."""
    starts = range(0, bootstrap, REPLICATES_PER_TASK)
    tasks = [(problem, extras, min(REPLICATES_PER_TASK, bootstrap - done)) for done in starts]
    parts: list[Replicates] = run_tasks(executor, bootstrap_scores, tasks, rng=rng, progress=progress)
    return np.concatenate([part.curve for part in parts]), np.concatenate([part.judges[:, -1] for part in parts])


def _check_reach(prepared: Prepared, reach: int) -> None:
    most = int(prepared.problem.counts.sum(axis=1).max(initial=0))
    if reach >= most:
        raise OptionError(
            f"--min-equivalence needs surveys of {reach} raters and one more to predict, and no item has more than "
            f"{most} ratings: lower it, or collect more ratings per item."
        )
