"""One question after the other: the answer, or why there is none."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TypeVar

from dissensus.agreement import describe
from dissensus.agreement.result import DescribeResult
from dissensus.comparison import compare
from dissensus.comparison.metrics import MetricName
from dissensus.comparison.result import CompareResult
from dissensus.decisions.contenders import Contenders
from dissensus.decisions.survey_options import survey_options
from dissensus.decisions.unanswered import (
    BETTER,
    COLLECT,
    COMMANDS,
    NO_LABELS,
    STAND_IN,
    WORTH,
    Unanswered,
    options_elsewhere,
)
from dissensus.engine import Progress
from dissensus.errors import DissensusError, OptionError
from dissensus.judges import rank_judges
from dissensus.judges.result import JudgesResult
from dissensus.planning import PlanRatersResult, plan_raters
from dissensus.ratings import Judges, Ratings, Task
from dissensus.survey import equivalence
from dissensus.survey.result import EquivalenceResult

T = TypeVar("T")
TAUS = (0.3, 0.5, 0.7)
"""Thresholds at which decisions are compared."""
PILOT_SAMPLES = 100
"""Bootstrap samples of a plan, which fits a model to each, are fewer than those of an interval."""

Step = Callable[[str], AbstractContextManager[Progress | None]]
"""Told what is done next, it gives a context with what is told how far that is."""


@contextmanager
def no_progress(what: str) -> Iterator[None]:
    """Where nobody wants to know how far it is."""
    del what
    yield None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The data and the options that all questions share, as in `answers_of`."""

    ratings: Ratings
    task: Task | None
    positive: tuple[str, ...]
    bootstrap: int
    seed: int
    executor: Executor
    step: Step

    def agreement(self) -> DescribeResult:
        """Do the raters agree?"""
        with self.step("Resampling items") as progress:
            return describe(
                self.ratings,
                by_group=bool(self.ratings.groups),
                bootstrap=self.bootstrap,
                rng=self.seed,
                engine=self.executor,
                progress=progress,
            )

    def worth(self, judges: Judges) -> EquivalenceResult | Unanswered:
        """How many raters is each judge worth?"""
        options = survey_options(self.ratings, judges)

        def ask(progress: Progress | None) -> EquivalenceResult:
            return equivalence(
                self.ratings,
                judges,
                **options,
                bootstrap=self.bootstrap,
                rng=self.seed,
                engine=self.executor,
                progress=progress,
            )

        return self.ask(WORTH, "Comparing judges with surveys of people", ask)

    def ranking(self, judges: Judges) -> JudgesResult | Unanswered:
        """Which judge can stand in for people?"""
        if self.ratings.scale == "interval":
            return NO_LABELS

        def ask(progress: Progress | None) -> JudgesResult:
            return rank_judges(
                self.ratings,
                judges,
                task=self.task,
                positive=self.positive or None,
                tau=TAUS,
                bootstrap=self.bootstrap,
                rng=self.seed,
                engine=self.executor,
                progress=progress,
            )

        # Thresholds and samples are ours: an option that it refuses is the user's, and a mistake to mend.
        return self.ask(STAND_IN, "Ranking judges under every definition", ask, refused=OptionError)

    def comparison(self, judges: Judges, two: Contenders) -> CompareResult | Unanswered:
        """Is the best judge really better than the second?"""

        def ask_by(metric: MetricName, progress: Progress | None) -> CompareResult:
            return compare(
                self.ratings,
                judges,
                a=two.best,
                b=two.second,
                metric=metric,
                bootstrap=self.bootstrap,
                rng=self.seed,
                engine=self.executor,
                progress=progress,
            )

        def ask(progress: Progress | None) -> CompareResult:
            try:
                return ask_by("wins", progress)
            except OptionError:  # of a judge on another scale than the raters only the order can be compared
                return ask_by("spearman", progress)

        return self.ask(BETTER, "Comparing the two best judges", ask)

    def plan(
        self, judges: Judges, two: Contenders, *, item_cost: float, rating_cost: float
    ) -> PlanRatersResult | Unanswered:
        """What would tell the two best judges apart?

        With as many raters as the data have, or twice as many: with fewer the same judges can differ by another amount,
        and the plan would not follow from the comparison beside it.
        """
        typical = max(round(self.ratings.n_ratings / self.ratings.items_in_all), 1)

        def ask(progress: Progress | None) -> PlanRatersResult:
            return plan_raters(
                pilot=self.ratings,
                pilot_judges=judges,
                a=two.best,
                b=two.second,
                raters=(typical, 2 * typical),
                item_cost=item_cost,
                rating_cost=rating_cost,
                bootstrap=min(self.bootstrap, PILOT_SAMPLES),
                rng=self.seed,
                engine=self.executor,
                progress=progress,
            )

        return self.ask(COLLECT, "Planning what to collect next", ask)

    def ask(
        self,
        question: str,
        what: str,
        ask: Callable[[Progress | None], T],
        *,
        refused: tuple[type[DissensusError], ...] | type[DissensusError] = (),
    ) -> T | Unanswered:
        """The answer, or the reason that the method gives for having none; errors that are `refused` are raised."""
        try:
            with self.step(what) as progress:
                return ask(progress)
        except refused:
            raise
        except DissensusError as error:
            remedy = options_elsewhere([str(error)], COMMANDS[question])
            return Unanswered(question=question, reason=str(error), remedy=remedy)
