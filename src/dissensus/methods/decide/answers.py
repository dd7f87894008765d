"""Everything that the data at hand can answer, in the order of a reader's questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from dissensus.data import Judges, Ratings, Task
from dissensus.errors import DissensusError
from dissensus.methods.alt_test import AltTestResult
from dissensus.methods.compare.result import CompareResult
from dissensus.methods.decide.asking import Asking, Step, counted_positive, no_progress, portrayed, replacing, together
from dissensus.methods.decide.unanswered import WITHOUT_JUDGES, Contenders, Unanswered, contenders
from dissensus.methods.describe.result import DescribeResult
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.judges.result import JudgesResult
from dissensus.methods.panel import PanelResult
from dissensus.methods.plan_raters.result import PlanRatersResult
from dissensus.methods.prevalence import PrevalenceResult
from dissensus.methods.raters import RatersResult
from dissensus.results import Result
from dissensus.sampling import Engine, open_executor

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What the data say.

    Attributes
    ----------
    agreement : DescribeResult
        Do the raters agree?
    worth : EquivalenceResult, optional
        How many raters is each judge worth?
    ranking : JudgesResult, optional
        Which judge can stand in for people?
    comparison : CompareResult, optional
        Is the best judge really better than the second?
    plan : PlanRatersResult, optional
        What it takes to tell these two apart, as long as they are not.
    raters : RatersResult, optional
        Who are the raters?
    replacing : AltTestResult, optional
        Can a judge replace a rater?
    together : PanelResult, optional
        What are the judges worth together, or how many raters does the only one save?
    prevalence : PrevalenceResult, optional
        How many items are positive, where judges answered more of them than people?
    unanswered : tuple of Unanswered
        What is left open, and why.
    """

    agreement: DescribeResult
    worth: EquivalenceResult | None = None
    ranking: JudgesResult | None = None
    comparison: CompareResult | None = None
    plan: PlanRatersResult | None = None
    raters: RatersResult | None = None
    replacing: AltTestResult | None = None
    together: PanelResult | None = None
    prevalence: PrevalenceResult | None = None
    unanswered: tuple[Unanswered, ...] = ()

    @property
    def results(self) -> tuple[Result, ...]:
        """The answers in reading order."""
        found = (
            self.agreement, self.raters, self.worth, self.ranking, self.comparison, self.replacing, self.together,
            self.prevalence, self.plan,
        )  # fmt: skip
        return tuple(result for result in found if result is not None)


def answers_of(
    ratings: Ratings,
    judges: Judges | None = None,
    *,
    task: Task | None = None,
    positive: Sequence[str] = (),
    bootstrap: int = 500,
    item_cost: float = 0.0,
    rating_cost: float = 1.0,
    seed: int = 0,
    engine: Engine = "local",
    workers: int = 1,
    step: Step = no_progress,
) -> Answers:
    """Ask the data every question that they can answer.

    Parameters
    ----------
    ratings : Ratings
        What people said.
    judges : Judges, optional
        What judges answered on the same items.
    task : Task, optional
        Options in order, and which of them are positive.
    positive : sequence of str
        Options that count as positive in a decision; those of the task if not given.
    bootstrap : int
        Bootstrap samples; 0 for no intervals.
    item_cost, rating_cost : float
        What a new item costs to prepare, and one rating of it.
    seed : int
        Of the random numbers.
    engine, workers
        Where the work runs; the numbers do not depend on it.
    step : callable
        Told what is done next, it gives a context with what is told how far that is.

    Returns
    -------
    Answers

    Raises
    ------
    DissensusError
        If there are judges about whom nothing can be said; why not, of the first question about them. Or if a
        positive option is none.
    """
    with open_executor(engine, workers=workers) as executor:
        asking = Asking(
            ratings=ratings,
            task=task,
            positive=tuple(positive),
            bootstrap=bootstrap,
            seed=seed,
            executor=executor,
            step=step,
        )
        if judges is None:
            raters = portrayed(asking, None)
            return Answers(
                agreement=asking.agreement(), raters=answered(raters), unanswered=(*WITHOUT_JUDGES, *_open(raters))
            )
        return answers_about(judges, asking, item_cost=item_cost, rating_cost=rating_cost)


def answers_about(judges: Judges, asking: Asking, *, item_cost: float, rating_cost: float) -> Answers:
    """Every question about judges, and the one about people."""
    # Judges come first, so that those that do not fit the ratings are refused at once.
    worth, ranking = asking.worth(judges), asking.ranking(judges)
    if isinstance(worth, Unanswered) and isinstance(ranking, Unanswered):
        raise DissensusError(" ".join(getattr(text, "message", text) for text in (worth.reason, worth.remedy)).strip())
    two = contenders(answered(worth), answered(ranking))
    comparison = asking.comparison(judges, two) if isinstance(two, Contenders) else two
    plan = None
    if isinstance(two, Contenders) and isinstance(comparison, CompareResult) and not is_decided(comparison):
        plan = asking.plan(judges, two, item_cost=item_cost, rating_cost=rating_cost)
    raters, instead = portrayed(asking, judges), replacing(asking, judges)
    panel, positive = together(asking, judges, answered(worth)), counted_positive(asking, judges)
    return Answers(
        agreement=asking.agreement(),
        worth=answered(worth),
        ranking=answered(ranking),
        comparison=answered(comparison),
        plan=answered(plan),
        raters=answered(raters),
        replacing=answered(instead),
        together=answered(panel),
        prevalence=answered(positive),
        unanswered=_open(worth, ranking, comparison, raters, instead, panel, positive, plan),
    )


def _open(*answers: object) -> tuple[Unanswered, ...]:
    """Those that are none."""
    return tuple(answer for answer in answers if isinstance(answer, Unanswered))


def is_decided(comparison: CompareResult) -> bool:
    """Whether it is known which judge of each pair is better."""
    return all(pair.better != "neither" for pair in comparison.pairs)


def answered(answer: T | Unanswered) -> T | None:
    """The answer, if there is one."""
    return None if isinstance(answer, Unanswered) else answer
