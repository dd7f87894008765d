"""Everything that the data can answer, in the order of a reader's questions, and what they leave open."""

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from dissensus.data import Judges, Ratings, Task
from dissensus.data.align import are_points_of_a_measure
from dissensus.data.inputs import of_judges
from dissensus.data.ratings import ELICITATIONS
from dissensus.errors import DissensusError, OptionError
from dissensus.methods.alt_test import AltTestResult, alt_test
from dissensus.methods.alt_test.result import Score
from dissensus.methods.compare import compare
from dissensus.methods.compare.result import CompareResult
from dissensus.methods.decide.decide import decide, decision_of, plan_of, with_next, worked_worth
from dissensus.methods.decide.result import DecideOptions, DecideResult
from dissensus.methods.describe.describe import DescribeResult, describe
from dissensus.methods.equivalence.equivalence import EquivalenceRun
from dissensus.methods.equivalence.options import survey_options
from dissensus.methods.equivalence.problem import reference_shares
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.items.items import items_of
from dissensus.methods.items.result import ItemsOptions, ItemsResult
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.result import JudgesResult
from dissensus.methods.panel.panel import panel
from dissensus.methods.panel.result import MOST_LABELS, PanelResult
from dissensus.methods.parts.parts import cuts_of, overall_of, together
from dissensus.methods.parts.result import Part, PartsResult
from dissensus.methods.plan_raters.result import PlanRatersResult
from dissensus.methods.prevalence import PrevalenceResult, prevalence
from dissensus.methods.raters import RatersResult, raters
from dissensus.options import named, names_in
from dissensus.results import Message, Result, unspelled
from dissensus.sampling import Engine, Progress, open_executor

# ---- Questions that the data leave open, and what would answer them

DECISION = "Which judge to use, and how?"
AGREE = "Do the raters agree?"
WORTH = "How many raters is each judge worth?"
STAND_IN = "Which judge can stand in for people?"
BETTER = "Is the best judge really better than the second?"
COLLECT = "What to collect next?"
RATERS = "Who are the raters?"
REPLACE = "Can a judge replace a rater?"
TOGETHER = "What are the judges worth together?"
SAVED = "How many raters does the judge save?"
POSITIVE = "How many items are positive?"
ITEMS = "Which items are behind the numbers?"
COMMANDS = {  # the command that asks a question alone, with options that a report does not have
    DECISION: "decide",
    WORTH: "equivalence",
    STAND_IN: "judges",
    BETTER: "compare",
    COLLECT: "plan raters",
    RATERS: "raters",
    REPLACE: "alt-test",
    TOGETHER: "panel",
    SAVED: "panel",
    POSITIVE: "prevalence",
    ITEMS: "items",
}
OPTIONS = frozenset({"bootstrap", "item_cost", "judge", "positive", "rating_cost", "task", "workers"})
"""The options of a report beside those of reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """A question that the data leave open."""

    question: str  # as its section would be called
    reason: str  # why, in a sentence
    remedy: str = ""  # what file or option would bring the answer; empty where the reason says so

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {"question": self.question, "reason": self.reason, "remedy": self.remedy}


def options_elsewhere(texts: Iterable[str], command: str) -> str:
    """Where the options are that some messages name and a report does not have; empty if there are none.

    >>> from dissensus.options import spelled
    >>> spelled(options_elsewhere([f"{named('cohort')} or {named('positive')}"], "equivalence"))
    'cohort= is an option of `dissensus equivalence`, which asks this question alone.'
    """
    elsewhere = (name for text in texts for name, of in names_in(text) if not of and name not in OPTIONS)
    shown = [named(name) for name in dict.fromkeys(elsewhere)]
    if not shown:
        return ""
    *names, last = shown
    listed = f"{', '.join(names)} and {last} are options" if names else f"{last} is an option"
    return f"{listed} of `dissensus {command}`, which asks this question alone."


REPORT_IT = "Please report it; the other answers do not depend on this one."


def unforeseen(question: str, error: Exception) -> str:
    """What a reader learns about a mistake of ours; the log has all of it."""
    logging.getLogger("dissensus").error("No answer to %r", question, exc_info=error)
    if isinstance(error, MemoryError):
        return "This takes more memory than there is."
    return f"An error that was not foreseen ended this part: {type(error).__name__}."


WITHOUT_JUDGES = (
    Unanswered(
        question=WORTH,
        reason="No judge's answers were given.",
        remedy="Add a file with the columns item, judge and label: `dissensus report RATINGS JUDGES`.",
    ),
    Unanswered(question=STAND_IN, reason="The same file with judges' answers tells."),
    Unanswered(question=BETTER, reason="The same file with the answers of two judges tells."),
)
NO_LABELS = Unanswered(
    question=STAND_IN,
    reason="The answers are points of a measure, and the definitions of agreement ask whether two labels are the same.",
    remedy="Round raters' and judges' numbers to a few labels to see it.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contenders:
    """The best judge and the second."""

    best: str
    second: str


def contenders(worth: EquivalenceResult | None, ranking: JudgesResult | None) -> Contenders | Unanswered:
    """The two judges that are worth the most, or where that is unknown the first two by the definition to select by."""
    names = [] if worth is None else [judge.judge for judge in worth.ranked if math.isfinite(judge.score)]
    names = names or ([] if ranking is None else _by_definition(ranking))
    if len(names) > 1:
        return Contenders(best=names[0], second=names[1])
    return Unanswered(
        question=BETTER,
        reason="Only one judge can be ranked." if names else "No judge can be ranked.",
        remedy="It takes answers of a second judge to the same items, in the same file.",
    )


def _by_definition(ranking: JudgesResult) -> list[str]:
    if ranking.recommended is None:
        return []
    values = [value for value in ranking.definition(ranking.recommended).values if value.rank is not None]
    return [value.judge for value in sorted(values, key=lambda value: value.rank or 0)]


# ---- One question after the other: the answer, or why there is none

T = TypeVar("T")
Step = Callable[[str], AbstractContextManager[Progress | None]]
"""Told what is done next, it gives a context whose value takes how far that is."""
TAUS = (0.3, 0.5, 0.7)  # thresholds at which decisions are compared
FEWEST_RATERS = 3  # one to be looked at, and two to compare with
FEWEST_OTHERS = 30  # items that nobody rated: with fewer a judge can add next to nothing to what people say
BEYOND = 2  # how far surveys go beyond what the best judge is worth: panels, and people with a judge, are worth more
BINARY = 2  # labels
MOST_ITEMS = 10  # of the most telling items


@contextmanager
def no_progress(what: str) -> Iterator[None]:
    """Where nobody wants to know how far it is."""
    del what
    yield None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRun:
    """The data and the options that all questions share, as in `answers_of`."""

    ratings: Ratings
    task: Task | None
    positive: tuple[str, ...]
    bootstrap: int
    item_cost: float
    rating_cost: float
    seed: int
    executor: Executor
    step: Step
    judge: tuple[str, ...] | None = None  # those that were chosen; None where all are

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
        except Exception as error:  # noqa: BLE001 - what is wrong with one answer is no reason to withhold the others
            return Unanswered(question=question, reason=unforeseen(question, error), remedy=REPORT_IT)

    def how(self, progress: Progress | None) -> dict[str, Any]:
        """The keywords of a method that resamples."""
        return {"bootstrap": self.bootstrap, **self.where(progress)}

    def where(self, progress: Progress | None) -> dict[str, Any]:
        """Seed and place of work."""
        return {"rng": self.seed, "engine": self.executor, "progress": progress}

    @property
    def has_names(self) -> bool:
        """Whether it is known who gave which rating, and there are enough of them."""
        return self.ratings.rater is not None and len(self.ratings.raters) >= FEWEST_RATERS

    @property
    def positives(self) -> tuple[str, ...]:
        """The positive options: those named, else the task's."""
        return self.positive or (() if self.task is None else tuple(self.task.positive))

    def agreement(self) -> DescribeResult:
        """Do the raters agree?"""
        with self.step("Resampling items") as progress:
            try:
                return describe(self.ratings, by_group=bool(self.ratings.groups), **self.how(progress))
            except DissensusError:
                raise
            except Exception as error:  # noqa: BLE001 - a mistake of ours: its counts are what everything else rests on
                plain = describe(self.ratings, bootstrap=0, rng=self.seed)
                return replace(plain, warnings=(*plain.warnings, f"{unforeseen(AGREE, error)} {REPORT_IT}"))

    def worth(self, judges: Judges) -> EquivalenceRun | Unanswered:
        """How many raters is each judge worth?"""

        def ask(progress: Progress | None) -> EquivalenceRun:
            return worked_worth(self.ratings, judges, self.decision_options(), **self.where(progress))

        return self.ask(WORTH, "Comparing judges with people", ask)

    def decision_options(self) -> DecideOptions:
        """The options of the decision at the top."""
        return DecideOptions(
            judge=self.judge, positive=self.positives, bootstrap=self.bootstrap, item_cost=self.item_cost,
            rating_cost=self.rating_cost, seed=self.seed,
        )  # fmt: skip

    def decision(self, judges: Judges, worked: EquivalenceRun) -> DecideResult | Unanswered:
        """So which judge to use, and how?"""
        options = self.decision_options()
        return self.ask(
            DECISION, "Deciding", lambda _: decision_of(self.ratings, judges, worked, options, rng=self.seed)
        )

    def ranking(self, judges: Judges) -> JudgesResult | Unanswered:
        """Which judge can stand in for people?"""
        if self.ratings.scale == "interval":
            return NO_LABELS

        def ask(progress: Progress | None) -> JudgesResult:
            named = self.positive or None
            return rank_judges(self.ratings, judges, task=self.task, positive=named, tau=TAUS, **self.how(progress))

        # Thresholds and samples are ours: an option that it refuses is the user's mistake to fix.
        return self.ask(STAND_IN, "Ranking judges under every definition", ask, refused=OptionError)

    def comparison(self, judges: Judges, two: Contenders) -> CompareResult | Unanswered:
        """Is the best judge really better than the second?"""

        def ask(progress: Progress | None) -> CompareResult:
            return compare(self.ratings, judges, a=two.best, b=two.second, **self.how(progress))

        return self.ask(BETTER, "Comparing the two best judges", ask)

    def plan(self, judges: Judges, decision: DecideResult) -> PlanRatersResult | Unanswered | None:
        """What would tell the two best judges apart, where they cannot be?"""

        def ask(progress: Progress | None) -> PlanRatersResult | None:
            return plan_of(self.ratings, judges, decision, self.decision_options(), **self.where(progress))

        return self.ask(COLLECT, "Planning what to collect next", ask)


# ---- Questions beyond the four papers, each asked where the data give it a meaning; None where they do not


def ask_raters(asking: ReportRun, judges: Judges | None) -> RatersResult | Unanswered | None:
    """Who are the raters, and does a judge side with a group of them?"""
    if not asking.has_names:
        return None
    compared = judges if len(asking.ratings.groups) > 1 else None

    def ask(progress: Progress | None) -> RatersResult:
        # No samples: it would resample all surveys once more for each group, and test nothing.
        return raters(asking.ratings, compared, positive=asking.positives, bootstrap=0, **asking.where(progress))

    return asking.ask(RATERS, "Looking at the raters", ask)


def ask_alt_test(asking: ReportRun, judges: Judges) -> AltTestResult | Unanswered | None:
    """Can a judge replace a rater?"""
    if not asking.has_names:
        return None
    score = _score(asking.ratings, judges)
    return asking.ask(
        REPLACE, "Putting judges in the place of raters", lambda _: alt_test(asking.ratings, judges, score=score)
    )


def ask_panel(asking: ReportRun, judges: Judges, worth: EquivalenceResult | None) -> PanelResult | Unanswered | None:
    """What are judges worth together? Of a single judge, how many raters it saves beside people."""
    has_labels = asking.ratings.n_labels <= MOST_LABELS and "score" not in survey_options(asking.ratings, judges)
    if worth is None or not has_labels or len(worth.curve) <= 1:
        return None
    is_single = len(judges.judges) == 1

    def ask(progress: Progress | None) -> PanelResult:
        # Beside people, several judges take longer than the rest of a report.
        found = panel(asking.ratings, judges, people=is_single, max_raters=_largest(worth), **asking.how(progress))
        # Members have the numbers of the whole curve, of which a panel sees the part that matters.
        alone = {own.judge: own for own in worth.judges}  # calibrated judges come after themselves raw
        return replace(found, judges=tuple(alone[member.judge] for member in found.judges))

    what = "Putting the judge beside people" if is_single else "Combining judges"
    return asking.ask(SAVED if is_single else TOGETHER, what, ask)


def ask_prevalence(asking: ReportRun, judges: Judges) -> PrevalenceResult | Unanswered | None:
    """How many items are positive, where judges answered items that nobody rated?"""
    positive = asking.positives or _rarer(asking.ratings)
    rated = set(asking.ratings.items)
    enough = [name for name in judges.judges if len(set(judges[name].items) - rated) >= FEWEST_OTHERS]
    if not positive or not enough:
        return None

    def ask(_: Progress | None) -> PrevalenceResult:
        return prevalence(asking.ratings, judges, positive=positive, judge=enough, task=asking.task, rng=asking.seed)

    return asking.ask(POSITIVE, "Counting positive items", ask)


def ask_items(
    asking: ReportRun, judges: Judges, worked: EquivalenceRun | Unanswered
) -> ItemsResult | Unanswered | None:
    """The most telling items, judges' surprises as their worth has them."""
    if asking.ratings.copies is not None:
        return None

    def ask(_: Progress | None) -> ItemsResult | None:
        known = None if isinstance(worked, Unanswered) else surprises_of(worked)
        options = ItemsOptions(show="telling", top=MOST_ITEMS, seed=asking.seed)
        found = items_of(asking.ratings, judges, options, known=known, rng=asking.seed)
        return found if found.items else None

    return asking.ask(ITEMS, "Looking for telling items", ask)


def surprises_of(worked: EquivalenceRun) -> dict[str, dict[str, float]] | None:
    """Each calibrated judge's surprise at each item, in bits; None where worth is by another score."""
    problem, rated = worked.prepared.problem, worked.prepared.rated
    if problem.score.name != "cross-entropy":
        return None
    shares = reference_shares(problem)[problem.type_of_item]
    names = [rated.items[item] for item in worked.prepared.item.tolist()]
    found = {}
    for judge in problem.judges:
        if judge.calibrated:
            bits = -np.einsum("il,il->i", judge.label_scores(problem.score), shares)
            found[judge.judge] = dict(zip(names, bits.tolist(), strict=True))
    return found


def _rarer(ratings: Ratings) -> tuple[str, ...]:
    """Of two labels the one that people give less often; none of more labels: the user has to choose."""
    if ratings.n_labels != BINARY or ratings.scale == "interval":
        return ()
    types = ratings.types
    times = np.bincount(types.label, weights=types.count * types.items[types.type_of_cell], minlength=BINARY)
    return (ratings.labels[int(times[0] > times[1])],)


def _score(ratings: Ratings, judges: Judges) -> Score:
    """How answers of this kind are compared."""
    if are_points_of_a_measure(ratings, judges):
        return "rmse"
    choice = ELICITATIONS.index("forced_choice")
    has_choices = ratings.elicitation is not None and bool((ratings.elicitation == choice).any())
    return "similarity" if ratings.has_response_sets and not has_choices else "accuracy"


def _largest(worth: EquivalenceResult) -> int:
    """As large a survey as what judges are worth asks for: larger ones take long and tell nothing here."""
    ends = ((judge.equivalence_high, judge.equivalence) for judge in worth.judges)
    known = [high if math.isfinite(high) else value for high, value in ends]
    most = max((math.ceil(value) for value in known if math.isfinite(value)), default=0)
    beyond = any("above K" in {judge.verdict, judge.high_verdict} for judge in worth.judges)
    last = worth.curve[-1].raters
    return last if beyond else min(last, most + BEYOND)


# ---- All of them


def chosen_judges(judges: Judges | None, names: Sequence[str] | None) -> Judges | None:
    """The judges that were named; all where none are."""
    if names is None:
        return judges
    if judges is None:
        raise OptionError(f"{named('judge')} needs the judges' answers: name their file as well.")
    for name in names:
        judges[name]  # raises for an unknown judge
    return of_judges(judges, names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What the data say: the answer to each question that has one."""

    agreement: DescribeResult  # do the raters agree?
    decision: DecideResult | None = None  # so which judge to use, and how?
    worth: EquivalenceResult | None = None  # how many raters is each judge worth?
    ranking: JudgesResult | None = None  # which judge can stand in for people?
    comparison: CompareResult | None = None  # is the best judge really better than the second?
    plan: PlanRatersResult | None = None  # what it takes to tell these two apart, as long as they are not
    raters: RatersResult | None = None  # who are the raters?
    replacing: AltTestResult | None = None  # can a judge replace a rater?
    # What are the judges worth together, or how many raters does the only one save?
    together: PanelResult | None = None
    # How many items are positive, where judges answered more of them than people?
    prevalence: PrevalenceResult | None = None
    items: ItemsResult | None = None  # which items are behind the numbers?
    unanswered: tuple[Unanswered, ...] = ()  # what is left open, and why

    @property
    def results(self) -> tuple[Result, ...]:
        """The answers in reading order."""
        results = (
            self.decision, self.agreement, self.raters, self.worth, self.ranking, self.comparison, self.replacing,
            self.together, self.prevalence, self.items, self.plan,
        )  # fmt: skip
        return tuple(result for result in results if result is not None)


def answers_of(
    ratings: Ratings,
    judges: Judges | None = None,
    *,
    task: Task | None = None,
    judge: str | Sequence[str] | None = None,
    positive: Sequence[str] = (),
    bootstrap: int = 500,
    item_cost: float = 0.0,
    rating_cost: float = 1.0,
    seed: int = 0,
    engine: Engine = "local",
    workers: int = 1,
    step: Step = no_progress,
) -> Answers:
    """Ask the data every question that they can answer; a DissensusError where judges have no answer at all.

    `judge` names those to choose from, as in `decide`; all if not given.
    """
    names = DecideOptions.given({"judge": judge}).judge
    judges = chosen_judges(judges, names)
    with open_executor(engine, workers=workers) as executor:
        asking = ReportRun(
            ratings=ratings, task=task, positive=tuple(positive), bootstrap=bootstrap, item_cost=item_cost,
            rating_cost=rating_cost, seed=seed, executor=executor, step=step, judge=names,
        )  # fmt: skip
        return answers_about(judges, asking)


class AnswersInParts(NamedTuple):
    """What the data say of each question, and of slices."""

    decision: PartsResult  # which judge to use, or without judges how far raters agree, for each part
    by_question: Mapping[str, Answers]  # every answer to each question; of a file with one, that under no name


def answers_in_parts(
    ratings: Ratings, judges: Judges | None, *, task: Task | None = None, judge: str | Sequence[str] | None = None,
    **options: Any,  # noqa: ANN401 - as below
) -> AnswersInParts:  # fmt: skip
    """The same for data with several questions, or slices; `options` are those of `answers_of`."""
    names = DecideOptions.given({"judge": judge}).judge
    judges = chosen_judges(judges, names)
    asked = {
        cut.question or "": answers_of(
            cut.ratings, cut.judges, task=None if task is None else task.of_question(cut.question),
            judge=None if names is None or cut.judges is None else [n for n in names if n in cut.judges.judges],
            **options,
        )
        for cut in cuts_of(ratings, judges)
    }  # fmt: skip
    if ratings.slicing is not None:
        how: dict[str, Any] = {name: options[name] for name in ("bootstrap", "engine", "workers") if name in options}
        how["rng"] = options.get("seed", 0)
        if judges is None:
            decided: Result = describe(ratings, **how)
        else:
            how |= {name: options[name] for name in ("positive", "item_cost", "rating_cost") if name in options}
            decided = decide(ratings, judges, task=task, judge=names, **how)
    else:
        found = {question: own.decision or own.agreement for question, own in asked.items()}
        if not all(isinstance(own, DecideResult) for own in found.values()):
            found = {question: own.agreement for question, own in asked.items()}
        parts = [
            Part(question=question, items=asked[question].agreement.whole.items, result=own)
            for question, own in found.items()
        ]
        decided = replace(together(parts), overall=overall_of(parts))
    assert isinstance(decided, PartsResult)  # noqa: S101 - there are parts
    return AnswersInParts(decided, asked)


def answers_about(judges: Judges | None, asking: ReportRun) -> Answers:
    """Every question about judges, and those about people."""
    # The cheapest come first, for those who read along; what a question needs comes before it.
    agreement, raters = asking.agreement(), ask_raters(asking, judges)
    if judges is None:
        open_ = (*WITHOUT_JUDGES, *_open(raters))
        return Answers(agreement=agreement, raters=answered(raters), unanswered=open_)
    instead = ask_alt_test(asking, judges)
    positive, worked = ask_prevalence(asking, judges), asking.worth(judges)
    worth = worked if isinstance(worked, Unanswered) else worked.result
    decision = None if isinstance(worked, Unanswered) else asking.decision(judges, worked)
    ranking = asking.ranking(judges)
    if isinstance(worth, Unanswered) and isinstance(ranking, Unanswered):
        raise DissensusError(" ".join(map(unspelled, (worth.reason, worth.remedy))).strip())
    two = contenders(answered(worth), answered(ranking))
    comparison = asking.comparison(judges, two) if isinstance(two, Contenders) else two
    plan = None
    if isinstance(decision, DecideResult) and not isinstance(worked, Unanswered):
        plan = asking.plan(judges, decision)
        decision = with_next(decision, worked, answered(plan), asking.decision_options())
    panel, items = ask_panel(asking, judges, answered(worth)), ask_items(asking, judges, worked)
    return Answers(
        agreement=agreement,
        decision=answered(decision),
        worth=answered(worth),
        ranking=answered(ranking),
        comparison=answered(comparison),
        plan=answered(plan),
        raters=answered(raters),
        replacing=answered(instead),
        together=answered(panel),
        prevalence=answered(positive),
        items=answered(items),
        unanswered=_open(worth, decision, ranking, comparison, raters, instead, panel, positive, items, plan),
    )


def _open(*answers: object) -> tuple[Unanswered, ...]:
    """Those that are none."""
    return tuple(answer for answer in answers if isinstance(answer, Unanswered))


def answered(answer: T | Unanswered) -> T | None:
    """The answer, if there is one."""
    return None if isinstance(answer, Unanswered) else answer
