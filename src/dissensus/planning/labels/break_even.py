"""How dear an item must be until several labels for each pay."""

import math

from dissensus.planning.labels.bounds import log_rate
from dissensus.planning.labels.designs import affordable_items
from dissensus.planning.labels.needed import items_needed
from dissensus.planning.labels.question import Question
from dissensus.planning.labels.result import BreakEven
from dissensus.planning.labels.situation import Situation
from dissensus.planning.labels.strategies import Scheme, fixed_scheme
from dissensus.planning.labels.walk import log_chances

SMALLEST_LOG = -700.0
"""Errors below this logarithm are no floating point numbers."""


def break_even_of(question: Question, situation: Situation, single_items: int | None) -> tuple[BreakEven, ...]:
    """For each number of labels above one; `single_items` is the size of the design with one label for each."""
    only_differing = question.strategy == "disagreement-only"
    single = fixed_scheme(question, situation, 1, only_differing=only_differing)
    found = []
    for labels in question.labels_per_item:
        if labels > 1:
            several = fixed_scheme(question, situation, labels, only_differing=only_differing)
            found.append(
                BreakEven(
                    labels_per_item=labels,
                    ratio=float(single.kept) * _ratio(single, several, _gap(several) ** 2 / (_gap(single) ** 2 or 1)),
                    ratio_exact=float(single.kept) * _exact(question, single, several, single_items),
                )
            )
    return tuple(found)


def single_label_items(question: Question, situation: Situation) -> int | None:
    """The size of the design with one label for each item that the budget buys, or that the error needs."""
    only_differing = question.strategy == "disagreement-only"
    single = fixed_scheme(question, situation, 1, only_differing=only_differing)
    if question.budget is not None:
        return affordable_items(single, question, question.budget)
    return _items(question, single, question.target or 0.0)


def _items(question: Question, scheme: Scheme, error: float) -> int | None:
    """The items that a plan takes for this error."""
    found = items_needed(float(scheme.steps.x), float(scheme.steps.y), error, question.ties)
    return found.safe if question.ties == "win" else found.first


def _gap(scheme: Scheme) -> float:
    return float(scheme.steps.x - scheme.steps.y)


def _ratio(single: Scheme, several: Scheme, gain: float) -> float:
    """Where n items with several labels are worth as much as the single-label items for the same money.

    `gain` says how much faster the logarithm of the error falls with each item: by Hoeffding's bound as the square of
    the gap, by Cramer's theorem as its rate. NaN where the error falls with neither.
    """
    if _gap(single) <= 0:
        return 0.0 if _gap(several) > 0 else math.nan
    if _gap(several) <= 0 or gain <= 1:
        return math.inf
    return max((several.labels_per_item - gain) / (gain - 1), 0.0)


def _exact(question: Question, single: Scheme, several: Scheme, items: int | None) -> float:
    """Where several labels reach the error of so many single-label items for the same money."""
    x, y = float(several.steps.x), float(several.steps.y)
    if items is None or items < 1 or _gap(single) <= 0:
        return 0.0 if _gap(several) > 0 >= _gap(single) else math.nan
    error = float(log_chances(single.steps.x, single.steps.y, items).error(question.ties))
    if error < SMALLEST_LOG:
        rates = float(log_rate(x, y)), float(log_rate(single.steps.x, single.steps.y))
        return _ratio(single, several, rates[0] / rates[1]) if math.isfinite(sum(rates)) else math.nan
    enough = _items(question, several, math.exp(error))
    if enough is None or enough >= items:
        return math.inf
    return max((several.labels_per_item * enough - items) / (items - enough), 0.0)
