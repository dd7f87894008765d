"""Options of `decide` and what it returns."""

import os
from dataclasses import dataclass
from typing import ClassVar, Literal

from dissensus.data.ratings import Elicitation
from dissensus.data.recalibration import Recalibration, write_recalibration
from dissensus.errors import OptionError
from dissensus.methods.equivalence.result import Verdict
from dissensus.methods.parts.result import WorthEvidence
from dissensus.options import Options, bootstrap_option, confidence_option, elicitation_option, named, option
from dissensus.results import Result, as_dict
from dissensus.sampling.raters import RatersAs, raters_option


@dataclass(frozen=True, kw_only=True)
class DecideOptions(Options):
    """What the user asked for, as in `decide`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to choose from; may be repeated.")
    positive: tuple[str, ...] = option((), metavar="LABEL", help="An option that counts as positive; may be repeated.")
    elicitation: Elicitation | None = elicitation_option()
    judge_cost: tuple[str, ...] = option(
        (), metavar="J=C", help="What a judge costs, to put the cheapest first where several are as good."
    )
    item_cost: float = option(0.0, metavar="C", at_least=0, help="What a new item costs to prepare.")
    rating_cost: float = option(1.0, metavar="C", at_least=0, help="What one rating costs.")
    margin: float = option(
        0.1, metavar="D", at_least=0, wants="it is a share, such as 0.1",
        help="How much worse than a person a judge may be and still be like one, as a share of a person's lead over "
        "always giving the same answer.",
    )  # fmt: skip
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()

    def check(self) -> None:
        """Raise where a price cannot be read."""
        self.costs()

    def costs(self) -> dict[str, float]:
        """What each judge costs, where that was said."""
        costs = {}
        for text in self.judge_cost:
            judge, equals, price = text.rpartition("=")
            try:
                costs[judge] = float(price)
            except ValueError:
                equals = ""
            if not judge or not equals or not costs.get(judge, -1) >= 0:
                raise OptionError(f"{named('judge_cost')} cannot be {text!r}: write JUDGE=COST, such as gpt=2.5.")
        return costs


How = Literal["as is", "recalibrated"]
Standing = Literal["like a person", "better than a constant", "not better than a constant"]
Measure = Literal["agreement", "distance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AsIs:
    """How a judge's own answers do: the share of raters who gave its answer, or its mean distance from raters."""

    measure: Measure
    value: float
    low: float
    high: float
    standing: Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideJudge:
    """One judge: what it is worth once its answers are read as people would mean them, and how it does as it is."""

    judge: str
    worth: float  # in raters, calibrated; NaN where it is off the curve
    worth_low: float  # NaN where the end is off the curve
    worth_high: float
    verdict: Verdict | None
    low_verdict: Verdict | None
    high_verdict: Verdict | None
    shown: bool  # to know something: the lower end of its worth is above asking nobody, and chance is ruled out
    as_is: AsIs | None
    # How much higher than people it answers: its mean answer (of samples or probabilities) less theirs, in units of the
    # labels, with its interval; None where labels have no order.
    shift: float | None
    separable: bool  # can be told apart from the best judge; for the best one, from every other
    shift_low: float | None = None
    shift_high: float | None = None
    # That it tells nothing beyond a constant answer, corrected for the number of judges, and below what that is ruled
    # out; NaN where there is no such test.
    p_value: float = float("nan")
    p_needed: float = float("nan")
    how: How = "as is"  # recalibrated if its own answers are not shown to beat a constant, or are shifted


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Positive or not, by half of the raters: how the first judge decides as it is, beside the better constant."""

    judge: str
    consistency: float  # share of the items on which it decides as people do
    consistency_low: float
    consistency_high: float
    bias: float  # share of items that it calls positive, less people's
    bias_low: float
    bias_high: float
    constant: str  # `always-positive` or `always-negative`
    constant_consistency: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """Always giving one answer."""

    answer: str
    measure: Measure
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One more person, standing in as the judge."""

    measure: Measure
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Influential:
    """A rater without whom a judge is worth something else."""

    rater: str
    judge: str
    worth_without: float  # NaN where that is off the curve
    verdict_without: Verdict | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Raters:
    """Whom the intervals speak of, and who of the raters moves the answer."""

    count: int | None
    intervals: Literal["raters like these", "these raters"]
    influential: tuple[Influential, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """The cheapest step that would change or settle the answer."""

    text: str
    items: int | None
    raters: int | None
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """Which judge to use, and how."""

    use: tuple[str, ...]  # the best first, with those that cannot be told apart from it; empty if there is none
    how: How | None  # for the first of them
    reason: str
    caveats: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class DecideResult(Result):
    """Which judge to use, and how?"""

    command: ClassVar[str] = "decide"

    recommendation: Recommendation
    judges: tuple[DecideJudge, ...]  # the best first
    constant: Constant | None
    person: Person | None
    raters: Raters
    next: Next | None
    decisions: Decisions | None = None  # None where no option is positive
    largest: int  # the largest survey of the curve: K of `above K`
    items: int  # rated items that every judge answered
    recalibration: tuple[Recalibration, ...] = ()  # what answers of the judges to use mean; for a file of its own
    evidence: WorthEvidence | None = None  # samples that the parts of a file share; for what they say together

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON, without the recalibration, which has a file of its own, and the samples."""
        return {name: value for name, value in super().as_dict().items() if name not in {"recalibration", "evidence"}}

    def write_recalibration(self, path: str | os.PathLike[str]) -> None:
        """Write what each answer of the judges to use means in people's terms, for `apply`.

        Raises
        ------
        OptionError
            If no judge is to be used.
        """
        if not self.recalibration:
            raise OptionError(f"There is nothing to write to {path}: no judge is to be used yet.")
        write_recalibration(self.recalibration, path)

    def rows(self) -> list[dict[str, object]]:
        """One row per judge."""
        rows = []
        for judge in self.judges:
            own = as_dict(judge)
            del own["as_is"]
            as_is = {} if judge.as_is is None else as_dict(judge.as_is)
            rows.append(own | {f"as_is_{name}": value for name, value in as_is.items()})
        return rows
