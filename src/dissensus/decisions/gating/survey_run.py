"""A survey equivalence with its replicates: the same numbers as `equivalence`, bounds off the curve included."""

from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dissensus.engine import Engine, Progress, open_executor, run_tasks
from dissensus.errors import OptionError
from dissensus.ratings import Judges, Ratings
from dissensus.survey.equivalence import REPLICATES_PER_TASK
from dissensus.survey.large_sizes import large_sizes, treatments
from dissensus.survey.question import Question, check_question
from dissensus.survey.replicates import Replicates, bootstrap_scores, observed_scores
from dissensus.survey.setting_up import Prepared, ceiling_extras, set_up
from dissensus.survey.subsets import Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurveyRun:
    """Scores of surveys and of one judge.

    Attributes
    ----------
    prepared : Prepared
        The problem and its warnings.
    curve : ndarray of shape (K + 1,)
        Score of k raters.
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
    starts = range(0, question.bootstrap, REPLICATES_PER_TASK)
    tasks = [(problem, extras, min(REPLICATES_PER_TASK, question.bootstrap - done)) for done in starts]
    with open_executor(engine, workers=workers) as executor:
        parts: list[Replicates] = run_tasks(executor, bootstrap_scores, tasks, rng=samples, progress=progress)
    return SurveyRun(
        prepared=prepared,
        curve=data.curve[0],
        judge=float(data.judges[0, -1]),
        curves=np.concatenate([part.curve for part in parts]),
        judges=np.concatenate([part.judges[:, -1] for part in parts]),
    )


def _check_reach(prepared: Prepared, reach: int) -> None:
    most = int(prepared.problem.counts.sum(axis=1).max(initial=0))
    if reach >= most:
        raise OptionError(
            f"--min-equivalence needs surveys of {reach} raters and one more to predict, and no item has more than "
            f"{most} ratings: lower it, or collect more ratings per item."
        )
