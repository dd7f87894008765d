"""Options of `plan_raters` and what it returns."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

from dissensus.data import Ratings
from dissensus.errors import OptionError
from dissensus.options import Options, named, option, whole_numbers
from dissensus.results import Result, as_dict

PlanMetric = Literal["wins", "mae", "emd", "emd-binned", "information"]
METRICS: tuple[PlanMetric, ...] = ("wins", "mae", "emd", "emd-binned", "information")
Method = Literal["closed", "simulate"]
METHODS: tuple[Method, ...] = ("closed", "simulate")
CLOSED = ("wins", "mae")  # metrics with a closed form
ITEMS = (25, 50, 100, 250, 500, 1000)
RATERS = (1, 3, 5, 10, 25, 50)
MOST_ITEMS, MOST_RATERS = 10**7, 10**5  # more can be computed, but nobody can collect it
MOST_SIMULATED = 10**5  # items of a simulated test set; more take gigabytes of memory
MOST_RESPONSES = 10**7  # of a simulated test set whose distances need each of them
FEWEST_ITEMS = 6  # with five items no two-sided sign-flip test reaches .05
MANY = "25,50,100"
SHARE = "it is a share between 0 and 1"
TWO_SPREADS = "give two standard deviations such as 0:0.3"


def spread_of(text: str) -> tuple[float, float]:
    """Two standard deviations from `0:0.3`, or one.

    >>> spread_of("0.1:0.3"), spread_of("0.2")
    ((0.1, 0.3), (0.2, 0.2))
    """
    try:
        ends = [float(part) for part in text.split(":")]
    except ValueError:
        ends = []
    if len(ends) not in {1, 2}:
        raise OptionError(f"{named('spread')} cannot be {text!r}: {TWO_SPREADS}.")
    return ends[0], ends[-1]


@dataclass(frozen=True, kw_only=True)
class DesignOptions(Options):
    """The designs to consider, what they cost, and what they must reach."""

    metric: PlanMetric | None = option(
        None,
        metavar="M",
        choices=METRICS,
        help="wins, mae, emd, emd-binned, or from a pilot information; information from labels, else wins.",
    )
    effect: float | None = option(
        None, metavar="E", above=0, at_most=1, wants="it is a share of the scale, above 0 and at most 1",
        help="How far B is off, as a share of the scale.",
    )  # fmt: skip
    spread: tuple[float, float] = option(
        (0.0, 0.3), metavar="LOW:HIGH", typed=spread_of, wants=TWO_SPREADS,
        help="Standard deviations of raters' responses to an item.  [default: 0:0.3]",
    )  # fmt: skip
    items: tuple[int, ...] | None = option(
        None,
        metavar="N,...",
        typed=partial(whole_numbers, "items", example=MANY),
        help="Numbers of items to consider; the best is found if not given.",
    )
    raters: tuple[int, ...] = option(
        RATERS,
        metavar="K,...",
        typed=partial(whole_numbers, "raters", example=MANY),
        help="Numbers of raters per item to consider.",
    )
    machine_samples: int | None = option(
        None, metavar="L", at_least=1, wants="give a number of 1 or more",
        help="Answers of each judge to each item; as many as raters if not given.",
    )  # fmt: skip
    item_cost: float = option(
        0.0, metavar="C", at_least=0, wants="give a number of 0 or more", help="What an item costs to prepare."
    )
    rating_cost: float = option(
        1.0, metavar="C", at_least=0, wants="give a number of 0 or more", help="What one rating costs."
    )
    budget: float | None = option(
        None, metavar="B", above=0, wants="give what the items and ratings may cost",
        help="The most that everything may cost.",
    )  # fmt: skip
    power: float = option(
        0.8, metavar="P", above=0, below=1, wants=SHARE, help="How often the test must find the difference."
    )
    alpha: float = option(
        0.05, metavar="P", above=0, below=1, wants=SHARE, help="Level of the two-sided sign-flip test."
    )
    method: Method | None = option(
        None, metavar="M", choices=METHODS, help="closed (wins, mae) or simulate; closed where there is one."
    )
    simulations: int = option(
        1000, metavar="N", at_least=100, limit="samples", wants="give a number of 100 or more",
        help="Test sets to simulate.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PilotOptions(Options):
    """Which judges of a pilot are compared, and how sure it is."""

    a: str | None = option(None, metavar="A", help="A judge of the pilot.")
    b: str | None = option(None, metavar="B", help="The judge to tell from it.")
    bootstrap: int = option(
        100, metavar="N", at_least=0, limit="samples", wants="give a number of 0 or more",
        help="Bootstrap samples of the pilot.",
    )  # fmt: skip
    confidence: float = option(
        0.95, metavar="C", above=0, below=1, wants=SHARE, help="Confidence of the interval on the items."
    )


@dataclass(frozen=True, kw_only=True)
class PlanRatersOptions(PilotOptions, DesignOptions):
    """What the user asked for, as in `plan_raters`."""

    def check(self) -> None:
        """Raise where two options contradict each other."""
        if self.method == "closed" and default_method(self.chosen_metric) != "closed":
            raise OptionError(
                f"{named('method')} closed goes with {named('metric')} wins or mae: {self.chosen_metric} needs "
                f"{named('method')} simulate."
            )
        if self.power <= self.alpha:
            raise OptionError(
                f"{named('power')} {self.power:g} is not above {named('alpha')} {self.alpha:g}: chance alone reaches "
                "it."
            )
        low, high = self.spread
        if not 0 <= low <= high < math.inf or high == 0:
            raise OptionError(f"{named('spread')} cannot be {low:g}:{high:g}: {TWO_SPREADS}.")
        if self.item_cost == self.rating_cost == 0:
            raise OptionError(
                f"{named('item_cost')} and {named('rating_cost')} are both 0: without a cost no design is the cheapest."
            )

    def check_pilot(self, *, has_pilot: bool) -> None:
        """Raise where an option contradicts a pilot, or that there is none."""
        pilot, pilot_judges = named("pilot"), named("pilot_judges")
        if has_pilot and self.effect is not None:
            raise OptionError(
                f"{named('effect')} and {pilot} contradict each other: the pilot says how large the effect is."
            )
        if has_pilot and self.method != default_method(self.chosen_metric):
            raise OptionError(
                f"{pilot} chooses its own method, and confirms it by simulation: leave {named('method')} out."
            )
        if not has_pilot and self.chosen_metric == "information":
            raise OptionError(
                f"{named('metric')} information is planned from a pilot: give one with {pilot} and {pilot_judges}."
            )
        if not has_pilot and self.effect is None:
            raise OptionError(
                f"Say how far off the worse judge is with {named('effect')}, as a share of the scale such "
                f"as 0.1, or give ratings and answers with {pilot} and {pilot_judges}."
            )
        if not has_pilot and (self.a or self.b):
            raise OptionError(
                f"{named('a')} and {named('b')} name judges of a pilot: give one with {pilot} and {pilot_judges}."
            )
        most = max(self.items or ITEMS)
        if self.method == "simulate" and most > MOST_SIMULATED:
            raise OptionError(
                f"Simulated test sets have up to {MOST_SIMULATED:,} items, and {named('items')} asks for {most:,}: ask "
                "for fewer, or for wins or mae, which have a closed form."
            )
        responses = most * max(*self.raters, self.machine_samples or 0)
        if self.method == "simulate" and self.metric == "emd" and responses > MOST_RESPONSES:
            raise OptionError(
                f"A simulated test set has up to {MOST_RESPONSES:,} responses for emd, and these have {responses:,}: "
                "ask for fewer items, raters or answers, or for emd-binned."
            )

    @property
    def chosen_metric(self) -> PlanMetric:
        """The metric, wins if none was named and nothing else suits."""
        return self.metric or "wins"

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        known = super().settings()
        last = {name: known.pop(name) for name in ("simulations", "seed")}
        return known | last

    def pair(self, raters: int) -> tuple[int, int]:
        """Raters, and answers of each judge: as many as raters unless their number was given."""
        return raters, self.machine_samples or raters

    def cost(self, items: int, raters: int) -> float:
        """What a design costs; judges answer for nothing."""
        return items * (self.item_cost + raters * self.rating_cost)


def default_metric(pilot: Ratings | None) -> PlanMetric:
    """What `compare` decides by where a pilot has labels; else the paper's wins."""
    return "wins" if pilot is None or pilot.scale == "interval" else "information"


def default_method(metric: str) -> Method:
    """The closed form where there is one."""
    return "closed" if metric in {*CLOSED, "information"} else "simulate"


def checked_numbers(option: str, given: Sequence[int], *, fewest: int, most: int) -> tuple[int, ...]:
    """Whole numbers in order, each once."""
    too_many = max(given, default=0)
    if too_many > most:
        raise OptionError(f"{named(option)} cannot be {too_many}: numbers up to {most:,} can be planned for.")
    wrong = [number for number in given if number < fewest]
    if wrong or not given:
        what = f"cannot be {wrong[0]}" if wrong else "names no number"
        raise OptionError(f"{named(option)} {what}: give numbers of at least {fewest}, such as {MANY}.")
    return tuple(sorted(set(given)))


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
        How far apart A and B are on an item, and how far its means are from where they would be with very
        many responses: root mean squares.
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
