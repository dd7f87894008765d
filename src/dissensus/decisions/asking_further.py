"""Questions beyond the four papers, each asked where the data give it a meaning; None where they do not."""

import math

import numpy as np

from dissensus.decisions.annotators import AltTestResult, alt_test
from dissensus.decisions.annotators.question import Score
from dissensus.decisions.asking import Asking
from dissensus.decisions.combining import PanelsResult, panels
from dissensus.decisions.combining.question import MOST_LABELS
from dissensus.decisions.portraying import PortraitsResult, portraits
from dissensus.decisions.prevalences import PrevalenceResult, prevalence
from dissensus.decisions.survey_options import are_measures, survey_options
from dissensus.decisions.unanswered import POSITIVE, RATERS, REPLACE, SAVED, TOGETHER, Unanswered
from dissensus.engine import Progress
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.table import ELICITATIONS
from dissensus.survey.result import EquivalenceResult

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


def portrayed(asking: Asking, judges: Judges | None) -> PortraitsResult | Unanswered | None:
    """Who are the raters, and does a judge side with a group of them?"""
    if not _has_names(asking.ratings):
        return None
    is_grouped = len(asking.ratings.groups) > 1

    def ask(progress: Progress | None) -> PortraitsResult:
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


def together(asking: Asking, judges: Judges, worth: EquivalenceResult | None) -> PanelsResult | Unanswered | None:
    """What are judges worth together? Of a single judge, how many raters it saves beside people."""
    has_labels = asking.ratings.n_labels <= MOST_LABELS and "score" not in survey_options(asking.ratings, judges)
    if worth is None or not has_labels or len(worth.curve) <= 1:
        return None

    is_single = len(judges.judges) == 1

    def ask(progress: Progress | None) -> PanelsResult:
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
