"""Options of `route` and what it returns."""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from dissensus.data.ratings import Elicitation
from dissensus.data.writers import quoted, write_table
from dissensus.errors import OptionError
from dissensus.methods.equivalence.options import EquivalenceOptions, clip_option
from dissensus.methods.equivalence.result import Verdict
from dissensus.options import Options, bootstrap_option, confidence_option, elicitation_option, named, option
from dissensus.results import Result
from dissensus.sampling.raters import RatersAs, raters_option

MOST_PEOPLE = 5
"""People asked about one item, unless the user says more: beyond it each further person adds little."""
USUAL_PEOPLE = 2


@dataclass(frozen=True, kw_only=True)
class RouteOptions(Options):
    """What the user asked for, as in `route`."""

    judge: str | None = option(None, metavar="J", help="The judge to route with; needed where there are several.")
    match: int | None = option(
        None, metavar="K", at_least=1, wants="give the number of people that you would ask about every item",
        help="Do as well as this many people on every item; if not given, two, or one where items have two ratings.",
    )  # fmt: skip
    rating_cost: float = option(
        1.0, metavar="C", above=0, wants="it is what one rating costs", help="Cost of one person's rating."
    )
    judge_cost: float = option(
        0.0, metavar="C", at_least=0, wants="it is what one answer costs", help="Cost of one answer of the judge."
    )
    max_raters: int | None = option(
        None, metavar="K", at_least=1, wants="at least one person is asked",
        help=f"The most people asked about one item; what most items allow, at most {MOST_PEOPLE}, if not given.",
    )  # fmt: skip
    label_next: int | None = option(
        None, metavar="N", at_least=1, wants="it is the number of new items to be rated",
        help="Draw this many items without ratings to rate next: those that tell most about the judge come more often.",
    )  # fmt: skip
    elicitation: Elicitation | None = elicitation_option()
    clip: float = clip_option()
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()

    def check(self) -> None:
        """Raise where two options contradict each other."""
        if self.match is not None and self.max_raters is not None and self.match > self.max_raters:
            raise OptionError(
                f"{named('match')} {self.match} is more than {named('max_raters')} {self.max_raters}: raise the "
                "latter, since what that many people tell must be known."
            )

    def survey_options(self, judge: str, max_raters: int | None) -> EquivalenceOptions:
        """How the judge is calibrated, and which items take part."""
        return EquivalenceOptions(
            judge=(judge,), elicitation=self.elicitation, max_raters=max_raters, clip=self.clip, raters=self.raters,
            bootstrap=self.bootstrap, confidence=self.confidence, seed=self.seed,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PeoplePoint:
    """The same number of people on every item, and no judge."""

    raters: int
    cost: float  # of an item
    score: float  # how well they predict the next person, in bits
    low: float
    high: float
    agreement: float  # share of the next persons who give the answer that is most likely after these
    agreement_low: float
    agreement_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The judge on every item, and people beside it where they are expected to add more than a threshold."""

    threshold: float  # bits that people must be expected to add; NaN where nobody is asked
    share_to_people: float
    raters: int  # people asked about each of these items
    cost: float
    score: float
    low: float
    high: float
    worth: float  # how many people everywhere tell as much; NaN off their curve
    worth_verdict: Verdict | None
    agreement: float
    agreement_low: float
    agreement_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The cheapest policy that tells as much as a number of people everywhere.

    Cost and score are those on items that did not set the threshold.
    """

    people: int  # to be matched
    saves: bool  # whether it is shown to cost less
    raters: int  # people asked about an item that goes to people
    share_to_people: float
    threshold: float  # bits that people must be expected to add
    cost: float  # of an item
    people_cost: float  # with people everywhere
    cost_share: float  # the one as a share of the other
    low: float
    high: float
    score: float  # bits
    people_score: float
    difference: float  # between both
    difference_low: float
    difference_high: float
    agreement: float
    people_agreement: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """Who is asked about an item that nobody has rated."""

    item: str
    raters: int  # how many people; 0 leaves it to the judge
    gain: float  # bits that people are expected to add
    answer: str  # the label that is most likely by the judge's answer, in people's terms
    probability: float  # of that label
    inclusion_probability: float = math.nan  # the chance with which it was drawn, where some were drawn to be rated


@dataclass(frozen=True, kw_only=True)
class RouteResult(Result):
    """Which items can the judge do alone, and which need people?

    Attributes
    ----------
    judge : str
        The judge.
    shown : bool
        Whether it is shown to tell more than always answering the same; if not, people are asked about every item.
    items : int
        On how many rated items this rests.
    recommended : Plan
        What matches the number of people that was asked for.
    plans : tuple of Plan
        The same for each number of people.
    frontier : tuple of Policy
        Policies that nothing cheaper beats, the cheapest first.
    people : tuple of PeoplePoint
        People everywhere, without the judge.
    new_items : dict or None
        How many items without ratings there are, how many of them go to people, and the ratings that this takes.
        With `label_next`, those drawn to learn about the judge go to people.
    """

    command: ClassVar[str] = "route"

    judge: str
    shown: bool
    items: int
    recommended: Plan
    plans: tuple[Plan, ...]
    frontier: tuple[Policy, ...]
    people: tuple[PeoplePoint, ...]
    new_items: dict[str, int] | None
    assignments: Sequence[Assigned] = field(repr=False, compare=False, default=())

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON; the items themselves are in the file of assignments."""
        return {name: value for name, value in super().as_dict().items() if name != "assignments"}

    def rows(self) -> list[dict[str, object]]:
        """One row per policy of the frontier."""
        return [{name: getattr(one, name) for name in Policy.__dataclass_fields__} for one in self.frontier]

    def write_assignments(self, path: str | os.PathLike[str]) -> None:
        """Write who is asked about each item that nobody has rated: columns item, raters, gain, answer, probability.

        With `label_next` only the items that were drawn, with the chance of each in the column inclusion_probability.

        Raises
        ------
        OptionError
            If the judge answered no such item.
        """
        if not self.assignments:
            raise OptionError(
                "There is no item to assign: the judge answered rated items only. Give its answers to others with "
                f"{named('new')}."
            )
        names = Assigned.__slots__ if self.settings["label_next"] else Assigned.__slots__[:-1]
        cells = {name: [_cell(getattr(one, name)) for one in self.assignments] for name in names}
        write_table(path, cells)


def _cell(value: str | float) -> str:
    return quoted(value) if isinstance(value, str) else "" if math.isnan(value) else f"{value:.6g}"
