"""Each threshold on its own: the method that it takes, then its check."""

import math
from concurrent.futures import Executor
from dataclasses import dataclass

from numpy.random import Generator

from dissensus.comparison import compare
from dissensus.decisions.gating.comparison_check import comparison_check
from dissensus.decisions.gating.decision_checks import constant_warnings, decision_checks
from dissensus.decisions.gating.question import Question
from dissensus.decisions.gating.result import Check
from dissensus.decisions.gating.survey_run import run_survey
from dissensus.decisions.gating.worth_check import survey_question, worth_check
from dissensus.engine import Progress
from dissensus.errors import OptionError
from dissensus.judges import rank_judges
from dissensus.judges.downstream import BASELINES
from dissensus.judges.result import JudgesResult
from dissensus.judges.summing_up import kappa_warnings
from dissensus.ratings import Judges, Ratings, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """The data, and what is asked of them."""

    ratings: Ratings
    judges: Judges
    task: Task | None
    question: Question
    rng: int | Generator | None
    executor: Executor
    progress: Progress | None

    def worth(self, threshold: float) -> tuple[Check, tuple[str, ...]]:
        """Is the judge worth at least so many raters?"""
        asked = survey_question(self.ratings, self.judges, self.question)
        run = run_survey(
            self.ratings,
            self.judges,
            asked,
            reach=math.ceil(threshold),
            rng=self.rng,
            engine=self.executor,
            progress=self.progress,
        )
        return worth_check(run, threshold, self.question, score=asked.score), run.prepared.warnings

    def decisions(self) -> tuple[list[Check], tuple[str, ...]]:
        """Does the judge decide as people do, and as often positively?"""
        question = self.question
        result = rank_judges(
            self.ratings,
            self.judges,
            task=self.task,
            judge=question.judge,
            positive=question.positive or None,
            tau=question.tau,
            bootstrap=question.bootstrap,
            confidence=question.confidence,
            rng=self.rng,
            engine=self.executor,
            progress=self.progress,
        )
        if not result.downstream:
            raise OptionError(
                "--min-consistency and --max-bias are about a decision: name its label, --positive LABEL."
            )
        row, *_ = (row for row in result.downstream if row.judge == question.judge)
        constants = result.downstream[-len(BASELINES) :]  # they stand last
        items = result.settings["items"]
        assert isinstance(items, int)  # noqa: S101 - `rank_judges` counts them
        checks = decision_checks(row, constants, items, question)
        return checks, (*constant_warnings(checks), *_about_decisions(result))

    def comparison(self, other: str, *, margin: float | None) -> tuple[Check, tuple[str, ...]]:
        """Is the judge better than another, or at most so much worse?"""
        question = self.question
        result = compare(
            self.ratings,
            self.judges,
            a=question.judge,
            b=other,
            metric=question.metric,
            bootstrap=question.bootstrap,
            confidence=question.confidence,
            rng=self.rng,
            engine=self.executor,
            progress=self.progress,
        )
        return comparison_check(result, margin, question), result.warnings


def _about_decisions(result: JudgesResult) -> tuple[str, ...]:
    """The warnings about the data and the decisions, not those about definitions that no gate asks for."""
    others = {*kappa_warnings(result.downstream)}
    ids = [definition.id for definition in result.definitions]
    return tuple(text for text in result.warnings if text not in others and not any(id_ in text for id_ in ids))
