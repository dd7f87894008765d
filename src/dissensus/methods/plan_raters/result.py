"""What `plan_raters` returns."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from dissensus.results import Result, as_dict

Helps = Literal["items", "raters"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A test set that could be collected.

    Attributes
    ----------
    items, raters, machine_samples : int
        Items, raters per item, and answers of each judge per item.
    p_value : float
        The paper's expected p: no p-value of a test, and not to be compared with alpha.
    power : float
        Share of such test sets in which the two-sided sign-flip test finds the difference; planned from a pilot, the
        mean over what the pilot leaves open.
    cost : float
        Of the items and their ratings.
    raters_in_all : int, optional
        Planned from a pilot for new raters: how many raters share the work, so that none rates more items than one of
        the pilot did; None else.
    """

    items: int
    raters: int
    machine_samples: int
    p_value: float
    power: float
    cost: float
    raters_in_all: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeOff:
    """What helps more from here: twice the items, or twice the raters.

    Attributes
    ----------
    helps : {"items", "raters"}
        Which gives more power for as many more ratings.
    raters : int
        Raters per item where that was asked.
    gain_items, gain_raters : float
        Factor by which the difference stands out more from its noise; that of items is always the root of two.
    shift, noise : float
        How far apart A and B are on an item, and how far its means stray from where they would be with endless
        responses: root mean squares.
    """

    helps: Helps
    raters: int
    gain_items: float
    gain_raters: float
    shift: float
    noise: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotFindings:
    """What the pilot said.

    Attributes
    ----------
    items : int
        That people and both judges have.
    a, b, better : str
        The judges, and the one that the pilot finds nearer to people.
    share_other : float
        Share of the bootstrap samples of the pilot in which the other judge is the nearer one.
    spread_low, spread, spread_high : float
        Standard deviation of one rater's responses to an item: its quartiles over items.
    items_low, items_high : float
        Interval on the number of items that is needed; NaN where there is no bound.
    simulated_power : float
        Power of the recommended design in data simulated from a model of the pilot, with its own raters; NaN if none
        is recommended.
    raters : int, optional
        Raters of the pilot, where the plan is for new ones like these; None where it holds for these raters only.
    rater_error : float
        Standard error that as many raters bring to the difference, however many items; NaN where it is not known.
    """

    items: int
    a: str
    b: str
    better: str
    share_other: float
    spread_low: float
    spread: float
    spread_high: float
    items_low: float
    items_high: float
    simulated_power: float
    raters: int | None
    rater_error: float


@dataclass(frozen=True, kw_only=True)
class PlanRatersResult(Result):
    """How many items and raters does it take to tell two judges apart?

    Attributes
    ----------
    grid : tuple of Design
        Every number of items with every number of raters that was asked for.
    recommended : Design, optional
        The cheapest that reaches the power; None if none does.
    frontier : tuple of Design
        Designs that no cheaper one beats, by cost.
    trade_off : TradeOff, optional
        Whether more items or more raters help.
    pilot : PilotFindings, optional
        What the pilot said, if there was one.
    """

    command: ClassVar[str] = "plan raters"

    grid: tuple[Design, ...]
    recommended: Design | None
    frontier: tuple[Design, ...]
    trade_off: TradeOff | None = None
    pilot: PilotFindings | None = None

    def rows(self) -> list[dict[str, object]]:
        """One row per design of the grid."""
        return [as_dict(design) for design in self.grid]
