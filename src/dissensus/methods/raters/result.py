"""What `raters` returns."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from dissensus.methods.equivalence.result import JudgeWorth
from dissensus.results import Result, as_dict

About = Literal["agreement", "leniency"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A number about a rater.

    Attributes
    ----------
    value : float
        As the rater's items have it.
    shrunk, low, high : float
        Drawn towards the other raters, the more the fewer the items, and its interval.
    items : int
        On which it rests.
    """

    value: float
    shrunk: float
    low: float
    high: float
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow:
    """One rater.

    Attributes
    ----------
    rater : str
        Who it is.
    group : str, optional
        The rater's group.
    items, ratings : int
        How many.
    agreement : float
        With the other raters of the same items: how near their labels are on average, 1 if they are always the same.
    others : float
        How near those other raters are to each other on the same items; NaN if there never were two of them.
    stands_out : bool
        Whether the rater agrees far less with the others than raters do.
    difference : Measure, optional
        Agreement less that of the others; None where no item has three raters.
    leniency : Measure, optional
        How much higher the rater's labels are than the others', or how much oftener positive; None where labels have
        neither an order nor a positive option.
    consistency : Measure, optional
        How near the rater's labels are when the same item comes again; None where none does.
    """

    rater: str
    group: str | None
    items: int
    ratings: int
    agreement: float
    others: float
    stands_out: bool = False
    difference: Measure | None
    leniency: Measure | None
    consistency: Measure | None

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
    """How the raters differ in one respect.

    Attributes
    ----------
    mean, spread : float
        Mean and standard deviation of the raters, without what chance adds.
    raters : int
        How many raters have the number.
    """

    mean: float
    spread: float
    raters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """A group of raters.

    Attributes
    ----------
    difference, leniency : float
        Means over its ratings of items that another group rated too, as in RaterRow; NaN if there are none.
    """

    group: str
    raters: int
    ratings: int
    difference: float
    leniency: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTest:
    """Do groups differ more than raters who were dealt into groups at random?"""

    about: About
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeByGroup:
    """A judge against one group of raters.

    Attributes
    ----------
    agreement : float
        How near the judge is to the group's labels, on average.
    nearer, nearer_low, nearer_high : float
        How much nearer than to raters of other groups on the same items; the interval is that of other items.
    bias, bias_low, bias_high : float
        How much higher its labels are than the group's, or how much oftener positive; NaN as for leniency.
    worth : JudgeWorth, optional
        How many raters of the group it is worth; None where that cannot be told.
    items : int
        That the group rated and the judge answered.
    """

    group: str
    agreement: float
    nearer: float
    nearer_low: float
    nearer_high: float
    bias: float
    bias_low: float
    bias_high: float
    worth: JudgeWorth | None
    items: int

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them; of the worth only some."""
        names = ("equivalence", "equivalence_low", "equivalence_high", "verdict")
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "worth"}
        return plain | {name: None if self.worth is None else getattr(self.worth, name) for name in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class Siding:
    """Does a judge side with one group?

    Attributes
    ----------
    p_value, p_holm : float
        That it is no nearer to any group than to raters who were dealt into groups at random; corrected for all judges.
    sides_with : str, optional
        The group that it is nearest to, if that is more than chance.
    groups : tuple of JudgeByGroup
        One for each group.
    """

    judge: str
    p_value: float
    p_holm: float
    sides_with: str | None
    groups: tuple[JudgeByGroup, ...]


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
