"""Is the judge worth at least so many raters?"""

import math

import numpy as np

from dissensus.decisions.gating.deciding import Estimate, more_above, settled, verdict_above, with_enough_items
from dissensus.decisions.gating.question import Question
from dissensus.decisions.gating.result import Check
from dissensus.decisions.gating.survey_run import SurveyRun
from dissensus.decisions.survey_options import survey_options
from dissensus.ratings import Judges, Ratings
from dissensus.survey.crossing import crossings, verdict_of
from dissensus.survey.intervals import equivalence_interval, interval
from dissensus.survey.question import Question as SurveyQuestion
from dissensus.survey.subsets import Floats

POSITIVE_SCORES = ("auc", "f1", "precision", "recall")
PROBABILITY_SCORES = (None, "cross-entropy", "brier")
"""Scores that a judge's manners can spoil, so that it is calibrated; None is the default."""


def survey_question(ratings: Ratings, judges: Judges, question: Question) -> SurveyQuestion:
    """How the judge is compared with surveys: as the user says, else as the data allow."""
    options = survey_options(ratings, judges[question.judge])
    score = question.score or options.get("score", "cross-entropy")
    calibrate = options.get("calibrate", "none") if question.score in PROBABILITY_SCORES else "none"
    return SurveyQuestion(
        judge=(question.judge,), combiner=question.combiner or options.get("combiner", "abc"), score=score,
        positive=question.positive[0] if len(question.positive) == 1 and score in POSITIVE_SCORES else None,
        learn=None, calibrate=question.calibrate or calibrate, reference_raters=1, experts=None, amateurs=None,
        elicitation=None, prior="uniform", clip=0.02, weights="item", max_raters=None, cohort=False,
        bootstrap=question.bootstrap, interval="basic", confidence=question.confidence, ceiling=False,
        seed=question.seed,
    )  # fmt: skip


def worth_check(run: SurveyRun, threshold: float, question: Question, *, score: str) -> Check:
    """Whether the interval of the survey equivalence keeps to the threshold."""
    gap, gaps = run.judge - run.curve, run.judges[:, None] - run.curves
    value = float(crossings(run.curve[None, :], np.array([run.judge]))[0])
    low, high = equivalence_interval(gap, gaps, confidence=question.confidence)
    items = run.items_of(math.ceil(threshold))
    check = Check(
        check="min_equivalence", threshold=threshold, value=value, low=low, high=high,
        verdict=verdict_above(low, high, threshold), items=items, more_items=None, measure=score,
        place=verdict_of(value), largest=run.prepared.problem.sizes[-1],
    )  # fmt: skip
    # Equivalences can be infinite; the gap to a survey of the threshold's size is not, and has the same sign.
    apart = _gap_at(gap, gaps, threshold, items, confidence=question.confidence)
    return with_enough_items(settled(check, more_above(apart, 0.0, question)), question)


def _gap_at(gap: Floats, gaps: Floats, threshold: float, items: int, *, confidence: float) -> Estimate:
    """The judge's score less that of a survey of the threshold's size, between whole numbers interpolated."""
    below, above = math.floor(threshold), math.ceil(threshold)
    share = threshold - below
    value = float((1 - share) * gap[below] + share * gap[above])
    drawn = (1 - share) * gaps[:, below] + share * gaps[:, above]
    low, high = interval(value, drawn, confidence=confidence, kind="basic")
    return Estimate(value=value, low=low, high=high, items=items)
