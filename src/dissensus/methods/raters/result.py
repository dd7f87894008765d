"""Options of `raters` and what it returns."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from dissensus.data.ratings import Elicitation
from dissensus.methods.equivalence.result import JudgeWorth
from dissensus.options import Options, bootstrap_option, confidence_option, elicitation_option, option
from dissensus.results import Result, as_dict
from dissensus.sampling.raters import RatersAs, raters_option


@dataclass(frozen=True, kw_only=True)
class RatersOptions(Options):
    """What the user asked for, as in `raters`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to compare with groups; may be repeated.")
    positive: tuple[str, ...] = option(
        (), metavar="LABEL", help="A label to count for each rater; may be repeated; the task's if not given."
    )
    elicitation: Elicitation | None = elicitation_option()
    resamples: int = option(
        2000, metavar="N", at_least=1, limit="samples", wants="give a number of at least 1",
        help="Resamples of the tests of groups.",
    )  # fmt: skip
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option(help="Bootstrap samples; 0 for no intervals of judges.")
    confidence: float = confidence_option()


About = Literal["agreement", "leniency"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A number about a rater."""

    value: float  # as the rater's items have it
    shrunk: float  # drawn towards the other raters, the more the fewer the items; with its interval
    low: float
    high: float
    items: int  # on which it rests


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow:
    """One rater; leniency is None where labels have neither an order nor a positive option."""

    rater: str
    group: str | None
    items: int
    ratings: int
    agreement: float  # how near labels of the others on the same items are on average; 1 if always the same
    others: float  # how near those others are to each other there; NaN if there never were two of them
    stands_out: bool = False  # whether the rater agrees far less with the others than raters do
    difference: Measure | None  # agreement less that of the others; None where no item has three raters
    leniency: Measure | None  # how much higher the labels are than the others', or more often positive
    consistency: Measure | None  # how near the labels are when an item comes again; None where none does

    def measures(self) -> dict[str, Measure | None]:
        """The three numbers by name."""
        return {"difference": self.difference, "leniency": self.leniency, "consistency": self.consistency}

    @property
    def agreement_beside(self) -> float:
        """Agreement on the items on which that of the others is known; on all where it is known on none."""
        if self.difference is None:
            return self.agreement
        return min(1.0, max(0.0, self.others + self.difference.value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """How the raters differ in one respect."""

    mean: float  # of the raters who have the number
    spread: float  # their standard deviation, without what chance adds
    raters: int  # how many


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """A group of raters."""

    group: str
    raters: int
    ratings: int
    difference: float  # mean over its ratings of items that another group rated too; NaN without any
    leniency: float  # the same


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTest:
    """Do groups differ more than raters who were dealt into groups at random?"""

    about: About
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeByGroup:
    """A judge against one group of raters."""

    group: str
    agreement: float  # how near the judge is to the group's labels, on average
    nearer: float  # how much nearer than to raters of other groups on the same items; interval of other items
    nearer_low: float
    nearer_high: float
    bias: float  # how much higher its labels are than the group's, or more often positive; NaN as leniency
    bias_low: float
    bias_high: float
    worth: JudgeWorth | None  # how many raters of the group it is worth; None where nobody knows
    items: int  # that the group rated and the judge answered

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them; of the worth only some."""
        names = ("equivalence", "equivalence_low", "equivalence_high", "verdict", "low_verdict", "high_verdict")
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "worth"}
        return plain | {name: None if self.worth is None else getattr(self.worth, name) for name in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class Siding:
    """Does a judge side with one group?"""

    judge: str
    p_value: float  # of no nearness to any group beyond that to raters who were dealt into groups at random
    p_holm: float  # corrected for all judges
    sides_with: str | None  # the group that it is nearest to, if that is more than chance
    groups: tuple[JudgeByGroup, ...]  # one for each


@dataclass(frozen=True, kw_only=True)
class RatersResult(Result):
    """Who are the raters?

    Attributes
    ----------
    raters : tuple of RaterRow
        One for each rater.
    populations : mapping of str to Population
        How raters differ in `difference`, `leniency` and `consistency`, where these are known.
    groups : tuple of GroupRow
        One for each group; empty without groups of raters.
    tests : tuple of GroupTest
        Whether groups differ.
    judges : tuple of Siding
        Whether each judge sides with a group.
    """

    command: ClassVar[str] = "raters"

    raters: tuple[RaterRow, ...]
    populations: dict[str, Population]
    groups: tuple[GroupRow, ...] = ()
    tests: tuple[GroupTest, ...] = ()
    judges: tuple[Siding, ...] = ()

    @property
    def ranked(self) -> list[RaterRow]:
        """The raters whose difference is known, those who agree the least first."""
        known = [(rater.difference.shrunk, rater) for rater in self.raters if rater.difference is not None]
        return [rater for _, rater in sorted(known, key=lambda pair: pair[0])]

    def rows(self) -> list[dict[str, object]]:
        """One row per rater, the numbers beside each other."""
        rows = []
        for rater in self.raters:
            measures = rater.measures()
            row = {name: value for name, value in as_dict(rater).items() if name not in measures}
            for name, measure in measures.items():
                for part in Measure.__dataclass_fields__:
                    row[name if part == "value" else f"{name}_{part}"] = measure and getattr(measure, part)
            rows.append(row)
        return rows
