"""What the user asked for, checked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

from dissensus.errors import OptionError

PlanMetric = Literal["wins", "mae", "emd", "emd-binned"]
METRICS: tuple[PlanMetric, ...] = ("wins", "mae", "emd", "emd-binned")
Method = Literal["closed", "simulate"]
METHODS: tuple[Method, ...] = ("closed", "simulate")
CLOSED = ("wins", "mae")
"""Metrics with a closed form."""
ITEMS = (25, 50, 100, 250, 500, 1000)
RATERS = (1, 3, 5, 10, 25, 50)
MOST_ITEMS, MOST_RATERS = 10**8, 10**5
"""More can be computed, but nobody can collect it."""
MOST_SIMULATED = 10**5
"""Items of a simulated test set; more take gigabytes of memory."""
FEWEST_ITEMS = 6
"""With five items no two-sided sign-flip test reaches .05."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the user asked for, as in `plan_raters`."""

    metric: PlanMetric
    effect: float | None
    spread: tuple[float, float]
    items: tuple[int, ...] | None
    raters: tuple[int, ...]
    machine_samples: int | None
    item_cost: float
    rating_cost: float
    budget: float | None
    power: float
    alpha: float
    method: Method
    a: str | None
    b: str | None
    bootstrap: int
    confidence: float
    simulations: int
    seed: int | None

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def pair(self, raters: int) -> tuple[int, int]:
        """Raters, and answers of each judge: as many as raters unless their number was given."""
        return raters, self.machine_samples or raters

    def cost(self, items: int, raters: int) -> float:
        """What a design costs; judges answer for nothing."""
        return items * (self.item_cost + raters * self.rating_cost)


def checked_numbers(option: str, given: Sequence[int], *, fewest: int, most: int) -> tuple[int, ...]:
    """Whole numbers in order, each once."""
    too_many = max(given, default=0)
    if too_many > most:
        raise OptionError(f"{option} cannot be {too_many}: numbers up to {most:,} can be planned for.")
    wrong = [number for number in given if number < fewest]
    if wrong or not given:
        what = f"cannot be {wrong[0]}" if wrong else "names no number"
        raise OptionError(f"{option} {what}: give numbers of at least {fewest}, such as 25,50,100.")
    return tuple(sorted(set(given)))


def default_method(metric: str) -> Method:
    """The closed form where there is one."""
    return "closed" if metric in CLOSED else "simulate"


def check_question(question: Question, *, has_pilot: bool) -> None:
    """Raise where an option has a value it cannot have, or two options contradict each other."""
    if question.metric not in METRICS:
        raise OptionError.unknown("--metric", question.metric, METRICS)
    if question.method not in METHODS:
        raise OptionError.unknown("--method", question.method, METHODS)
    if question.method == "closed" and question.metric not in CLOSED:
        raise OptionError(f"--method closed goes with --metric wins or mae: {question.metric} needs --method simulate.")
    _check_pilot(question, has_pilot=has_pilot)
    _check_shares(question)
    _check_amounts(question)
    if question.method == "simulate" and max(question.items or ITEMS) > MOST_SIMULATED:
        raise OptionError(
            f"Simulated test sets have up to {MOST_SIMULATED:,} items, and --items asks for "
            f"{max(question.items or ITEMS):,}: ask for fewer, or for wins or mae, which have a closed form."
        )


def _check_pilot(question: Question, *, has_pilot: bool) -> None:
    if has_pilot and question.effect is not None:
        raise OptionError("--effect and --pilot contradict each other: the pilot says how large the effect is.")
    if has_pilot and question.method != default_method(question.metric):
        raise OptionError("--pilot chooses its own method, and confirms it by simulation: leave --method out.")
    if not has_pilot and question.effect is None:
        raise OptionError(
            "Say how far the worse judge strays from people with --effect, as a share of the scale such as 0.1, or "
            "give ratings and answers with --pilot and --pilot-judges."
        )
    if not has_pilot and (question.a or question.b):
        raise OptionError("--a and --b name judges of a pilot: give one with --pilot and --pilot-judges.")


def _check_shares(question: Question) -> None:
    for option, value in (
        ("--power", question.power),
        ("--alpha", question.alpha),
        ("--confidence", question.confidence),
    ):
        if not 0 < value < 1:
            raise OptionError(f"{option} cannot be {value:g}: it is a share between 0 and 1.")
    if question.power <= question.alpha:
        raise OptionError(
            f"--power {question.power:g} is not above --alpha {question.alpha:g}: chance alone reaches it."
        )
    if question.effect is not None and not 0 < question.effect <= 1:
        raise OptionError(f"--effect cannot be {question.effect:g}: it is a share of the scale, above 0 and at most 1.")
    low, high = question.spread
    if not 0 <= low <= high < math.inf or high == 0:
        raise OptionError(f"--spread cannot be {low:g}:{high:g}: give two standard deviations such as 0:0.3.")


def _check_amounts(question: Question) -> None:
    for option, value, least in (
        ("--item-cost", question.item_cost, 0),
        ("--rating-cost", question.rating_cost, 0),
        ("--machine-samples", question.machine_samples, 1),
        ("--bootstrap", question.bootstrap, 0),
        ("--simulations", question.simulations, 100),
    ):
        if value is not None and not least <= value < math.inf:
            raise OptionError(f"{option} cannot be {value:g}: give a number from {least} on.")
    if question.item_cost == question.rating_cost == 0:
        raise OptionError("--item-cost and --rating-cost are both 0: without a cost no design is the cheapest.")
    if question.budget is not None and not 0 < question.budget < math.inf:
        raise OptionError(f"--budget cannot be {question.budget:g}: give what the items and ratings may cost.")
