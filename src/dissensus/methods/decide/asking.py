"""One question after the other: the answer, or why there is none."""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from dissensus.data import Judges, Ratings, Task
from dissensus.data.ratings import ELICITATIONS
from dissensus.errors import DissensusError, OptionError
from dissensus.methods.alt_test import AltTestResult, alt_test
from dissensus.methods.alt_test.options import Score
from dissensus.methods.compare import compare
from dissensus.methods.compare.metrics import MetricName
from dissensus.methods.compare.result import CompareResult
from dissensus.methods.decide.unanswered import (
    BETTER,
    COLLECT,
    COMMANDS,
    NO_LABELS,
    POSITIVE,
    RATERS,
    REPLACE,
    SAVED,
    STAND_IN,
    TOGETHER,
    WORTH,
    Contenders,
    Unanswered,
    options_elsewhere,
)
from dissensus.methods.describe import describe
from dissensus.methods.describe.result import DescribeResult
from dissensus.methods.equivalence import equivalence
from dissensus.methods.equivalence.options import are_measures, survey_options
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.result import JudgesResult
from dissensus.methods.panel import PanelResult
from dissensus.methods.panel import panel as panels
from dissensus.methods.panel.options import MOST_LABELS
from dissensus.methods.plan_raters.plan_raters import plan_raters
from dissensus.methods.plan_raters.result import PlanRatersResult
from dissensus.methods.prevalence import PrevalenceResult, prevalence
from dissensus.methods.raters import RatersResult
from dissensus.methods.raters import raters as portraits
from dissensus.results import Message
from dissensus.sampling import Progress

# ---- One question after the other: the answer, or why there is none

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
            remedy = options_elsewhere([error.message], COMMANDS[question])
            return Unanswered(question=question, reason=Message(error.message), remedy=Message(remedy))


# ---- Questions beyond the four papers, each asked where the data give it a meaning; None where they do not

FEWEST_RATERS = 3
"""One to be looked at, and two to compare with."""
FEWEST_OTHERS = 30
"""Items that nobody rated: with fewer a judge can add next to nothing to what people say."""
MOST_SAMPLES = 200
"""Bootstrap samples where each of them fits a model: fewer than those of an interval alone."""
BEYOND = 2
"""How far surveys go beyond what the best judge is worth: panels, and people with a judge, are worth more."""
TWO = 2
FORCED_CHOICE = ELICITATIONS.index("forced_choice")


def portrayed(asking: Asking, judges: Judges | None) -> RatersResult | Unanswered | None:
    """Who are the raters, and does a judge side with a group of them?"""
    if not _has_names(asking.ratings):
        return None
    is_grouped = len(asking.ratings.groups) > 1

    def ask(progress: Progress | None) -> RatersResult:
        return portraits(
            asking.ratings,
            judges if is_grouped else None,
            positive=_positive(asking),
            bootstrap=0,  # it would resample all surveys once more for each group, and test nothing
            rng=asking.seed,
            engine=asking.executor,
            progress=progress,
        )

    return asking.ask(RATERS, "Looking at the raters", ask)


def replacing(asking: Asking, judges: Judges) -> AltTestResult | Unanswered | None:
    """Can a judge replace a rater?"""
    if not _has_names(asking.ratings):
        return None

    def ask(_: Progress | None) -> AltTestResult:
        return alt_test(asking.ratings, judges, score=_score(asking.ratings, judges))

    return asking.ask(REPLACE, "Putting judges in the place of raters", ask)


def together(asking: Asking, judges: Judges, worth: EquivalenceResult | None) -> PanelResult | Unanswered | None:
    """What are judges worth together? Of a single judge, how many raters it saves beside people."""
    has_labels = asking.ratings.n_labels <= MOST_LABELS and "score" not in survey_options(asking.ratings, judges)
    if worth is None or not has_labels or len(worth.curve) <= 1:
        return None

    is_single = len(judges.judges) == 1

    def ask(progress: Progress | None) -> PanelResult:
        return panels(
            asking.ratings,
            judges,
            people=is_single,  # of several it takes longer than the rest of a report
            max_raters=_largest(worth),
            bootstrap=min(asking.bootstrap, MOST_SAMPLES),
            rng=asking.seed,
            engine=asking.executor,
            progress=progress,
        )

    what = "Putting the judge beside people" if is_single else "Combining judges"
    return asking.ask(SAVED if is_single else TOGETHER, what, ask)


def counted_positive(asking: Asking, judges: Judges) -> PrevalenceResult | Unanswered | None:
    """How many items are positive, where judges answered items that nobody rated?"""
    named = _positive(asking) or _rarer(asking.ratings)
    rated = set(asking.ratings.items)
    enough = [name for name in judges.judges if len(set(judges[name].items) - rated) >= FEWEST_OTHERS]
    if not named or not enough:
        return None

    def ask(_: Progress | None) -> PrevalenceResult:
        return prevalence(asking.ratings, judges, positive=named, judge=enough, task=asking.task)

    return asking.ask(POSITIVE, "Counting positive items", ask)


def _has_names(ratings: Ratings) -> bool:
    """Whether it is known who gave which rating, and there are enough of them."""
    return ratings.rater is not None and len(ratings.raters) >= FEWEST_RATERS


def _positive(asking: Asking) -> tuple[str, ...]:
    return asking.positive or (() if asking.task is None else tuple(asking.task.positive))


def _rarer(ratings: Ratings) -> tuple[str, ...]:
    """Of two labels the one that people give less often; none of more labels, which somebody has to choose."""
    if ratings.n_labels != TWO or ratings.scale == "interval":
        return ()
    types = ratings.types
    times = np.bincount(types.label, weights=types.count * types.items[types.type_of_cell], minlength=TWO)
    return (ratings.labels[int(times[0] > times[1])],)


def _score(ratings: Ratings, judges: Judges) -> Score:
    """How answers of this kind are compared."""
    if are_measures(ratings, judges):
        return "rmse"
    has_choices = ratings.elicitation is not None and bool((ratings.elicitation == FORCED_CHOICE).any())
    return "similarity" if ratings.has_response_sets and not has_choices else "accuracy"


def _largest(worth: EquivalenceResult) -> int:
    """As large a survey as what judges are worth asks for: larger ones take long and tell nothing here."""
    known = [
        judge.equivalence_high if math.isfinite(judge.equivalence_high) else judge.equivalence for judge in worth.judges
    ]
    most = max((math.ceil(value) for value in known if math.isfinite(value)), default=0)
    beyond = any(judge.verdict == "above K" for judge in worth.judges)
    last = worth.curve[-1].raters
    return last if beyond else min(last, most + BEYOND)
