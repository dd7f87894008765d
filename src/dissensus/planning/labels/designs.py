"""What a design shows, how many items a budget buys, and how many an error needs."""

import math
from collections.abc import Sequence

import numpy as np

from dissensus.errors import OptionError
from dissensus.planning.labels.bounds import cramer_items, hoeffding_items, log_cramer, log_hoeffding
from dissensus.planning.labels.needed import ItemsNeeded, items_needed
from dissensus.planning.labels.question import Question
from dissensus.planning.labels.result import LabelDesign, Needed
from dissensus.planning.labels.situation import FloatArray
from dissensus.planning.labels.strategies import Scheme
from dissensus.planning.labels.walk import log_chances

LN_10 = math.log(10)
LARGEST = 300
"""Decimal digits that a count of models may have."""
ROUNDING = 1e-14
"""Costs are decimal fractions: .3 must buy three labels at .1, and 10^12 not one more than 10^12."""
MOST_ITEMS = 10**12


def affordable_items(scheme: Scheme, question: Question, budget: float) -> int:
    """How many items the budget pays for; with disagreement-only an odd number, which leaves no tie."""
    paid_for = budget / scheme.item_cost(question)
    if paid_for > MOST_ITEMS:
        raise OptionError(f"--budget {budget:g} buys more than {MOST_ITEMS:,} items: give what you can spend.")
    items = math.floor(paid_for * (1 + ROUNDING))
    if scheme.strategy != "disagreement-only" or items < 2 or question.ties != "lose":  # noqa: PLR2004 - one item cannot be screened
        return items
    errors = log_chances(scheme.steps.x, scheme.steps.y, np.array([items - 1, items])).error(question.ties)
    return items - 1 if errors[0] < errors[1] else items


def design_of(scheme: Scheme, question: Question, items: int, draws: FloatArray | None = None) -> LabelDesign:
    """All about so many items labelled in this way; `draws` are errors with other outcomes of the pilot."""
    x, y = scheme.steps.x, scheme.steps.y
    chances = log_chances(x, y, items)
    error = float(chances.error(question.ties))
    cramer, hoeffding = float(log_cramer(x, y, items)), float(log_hoeffding(x, y, items))
    log10_models = _log10_models(error, question.delta) if scheme.strategy != "disagreement-only" else math.nan
    low, high = (math.nan, math.nan) if draws is None else interval(draws, question.confidence)
    return LabelDesign(
        strategy=scheme.strategy,
        labels_per_item=whole(scheme.labels_per_item),
        items=items,
        screened=screened(scheme, items),
        labels=whole(items * scheme.labels_per_item),
        cost=whole(items * scheme.item_cost(question)),
        label_accuracy=float(scheme.accuracy),
        error=math.exp(error),
        log10_error=error / LN_10,
        error_low=low,
        error_high=high,
        tie=math.exp(float(chances.tie)),
        win=math.exp(float(chances.win)),
        cramer=math.exp(cramer),
        log10_cramer=cramer / LN_10,
        hoeffding=math.exp(hoeffding),
        log10_hoeffding=hoeffding / LN_10,
        models_testable=_models_testable(error, question.delta) if log10_models < LARGEST else None,
        log10_models=log10_models,
    )


def needed_of(scheme: Scheme, question: Question, error: float, draws: FloatArray | None = None) -> Needed:
    """How many items it takes; `draws` are the numbers with other outcomes of the pilot."""
    x, y = float(scheme.steps.x), float(scheme.steps.y)
    by_cramer = cramer_items(x, y, error)
    too_many = by_cramer is not None and by_cramer > MOST_ITEMS
    found = ItemsNeeded(first=None, safe=None) if too_many else items_needed(x, y, error, question.ties)
    low, high = (math.nan, math.nan) if draws is None else interval(draws, question.confidence)
    items = found.safe if question.ties == "win" else found.first
    return Needed(
        strategy=scheme.strategy,
        labels_per_item=whole(scheme.labels_per_item),
        items=found.first,
        items_safe=found.safe,
        items_planned=items,
        items_low=low,
        items_high=high,
        screened=None if items is None else screened(scheme, items),
        labels=None if items is None else whole(items * scheme.labels_per_item),
        cost=None if items is None else whole(items * scheme.item_cost(question)),
        cramer_items=by_cramer,
        hoeffding_items=hoeffding_items(x, y, error),
    )


def screened(scheme: Scheme, items: int) -> int | None:
    """How many items to look through, on average, for so many on which the models differ."""
    return math.ceil(items / float(scheme.kept) * (1 - ROUNDING)) if scheme.strategy == "disagreement-only" else None


def interval(draws: FloatArray, confidence: float) -> tuple[float, float]:
    """Percentile interval; an end may be infinite."""
    ends = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2], method="nearest")
    return float(ends[0]), float(ends[1])


def best_of(designs: Sequence[LabelDesign]) -> LabelDesign:
    """The design with the smallest error; of equals the one with fewer labels for each item."""
    return min(designs, key=lambda design: (design.log10_error, design.labels_per_item))


def _log10_models(log_error: float, delta: float) -> float:
    if log_error == -math.inf:
        return math.inf
    return float(np.logaddexp(0.0, math.log(delta) - log_error)) / LN_10


def _models_testable(log_error: float, delta: float) -> int:
    """The best of so many models comes out first with chance 1 - delta, by the union bound over its rivals."""
    return math.floor(1 + delta / math.exp(log_error))


def whole(number: float) -> float:
    """The number as an int where it is one: labels are counted, expected labels are not."""
    nearest = round(number)
    return nearest if math.isclose(number, nearest, rel_tol=1e-12) else number
