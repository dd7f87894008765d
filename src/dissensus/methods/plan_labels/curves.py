"""The plans around the one that was asked for: other budgets, label accuracies and costs, and other aims."""

import math
from collections.abc import Iterable

import numpy as np

from dissensus.arrays import Floats
from dissensus.methods.plan_labels.designs import (
    LN_10,
    MOST_ITEMS,
    ROUNDING,
    Scheme,
    affordable_items,
    fixed_scheme,
    log_mean,
    schemes_of,
)
from dissensus.methods.plan_labels.needed import items_needed, log_cramer, log_hoeffding, log_rate
from dissensus.methods.plan_labels.options import SHARE_ROUNDING, PlanLabelsOptions, Situation
from dissensus.methods.plan_labels.result import Absolute, BreakEven, Point
from dissensus.methods.plan_labels.walk import log_chances

BUDGETS = 2.0 ** np.arange(-4, 2.5, 0.5)  # around the budget, from a sixteenth to four times as much
REFERENCE = int(np.flatnonzero(BUDGETS == 1)[0])


def by_budget(
    options: PlanLabelsOptions, situation: Situation, budget: float, drawn: Situation | None = None
) -> tuple[Point, ...]:
    """Designs that budgets around this one buy, each way to label after the other; `drawn` as in `design_of`."""
    budgets = budget * BUDGETS
    if options.in_labels:
        budgets = np.floor(budgets)
    found: list[Point] = []
    schemes = schemes_of(options, situation)
    for scheme, draws in zip(schemes, schemes if drawn is None else schemes_of(options, drawn), strict=True):
        found += _points(options, scheme, budgets, float(situation.label_accuracy), draws)
    return tuple(found)


def _points(
    options: PlanLabelsOptions, scheme: Scheme, budgets: Floats, label_accuracy: float, drawn: Scheme
) -> list[Point]:
    items = _items(budgets / scheme.item_cost(options), scheme)
    is_reference = (np.arange(len(budgets)) == REFERENCE) | (len(budgets) == 1)
    is_reference, budgets, items = (each[items >= 1] for each in (is_reference, budgets, items))
    if not len(items):
        return []
    x, y = drawn.steps.x[..., None], drawn.steps.y[..., None]
    error = _mean(log_chances(x, y, items).error(options.ties))
    columns = {
        "log10_error": error / LN_10,
        "log10_cramer": _mean(log_cramer(x, y, items)) / LN_10,
        "log10_hoeffding": _mean(log_hoeffding(x, y, items)) / LN_10,
        "log10_models": np.logaddexp(0.0, math.log(options.delta) - error) / LN_10,
    }
    return [
        Point(
            strategy=scheme.strategy, labels_per_item=scheme.labels_per_item, items=int(items[i]),
            budget=float(budgets[i]), label_accuracy=label_accuracy, is_reference=bool(is_reference[i]),
            **{name: float(values[i]) for name, values in columns.items()},
        )
        for i in range(len(items))
    ]  # fmt: skip


def _mean(logs: Floats) -> Floats:
    return log_mean(logs) if logs.ndim > 1 else logs


def _items(paid_for: Floats, scheme: Scheme) -> Floats:
    """Whole items; with disagreement-only an odd number, which leaves no tie."""
    items = np.floor(paid_for * (1 + ROUNDING))
    return items - (items % 2 == 0) if scheme.strategy == "disagreement-only" else items


# ---- How well a design measures the accuracy of one model


def absolute_of(
    options: PlanLabelsOptions, situation: Situation, designs: Iterable[tuple[float, int, float]]
) -> tuple[Absolute, ...]:
    """Standard error and bias of each design (labels per item, items, and how often their label is right).

    None where the accuracy of the model or of all labels is not known.
    """
    if situation.accuracy is None or options.is_correlated or options.only_differing:
        return ()
    by_guessing = 1 / situation.classes  # labels like that measure nothing
    return tuple(
        _measured(labels, items, right, situation.accuracy, situation.classes)
        for labels, items, right in designs
        if right > by_guessing + SHARE_ROUNDING
    )


def _measured(labels: float, items: int, right: float, accuracy: float, classes: int) -> Absolute:
    """The model agrees with a label if both are right, or both wrong in the same way."""
    same_wrong = (1 - right) / (classes - 1)
    agreement = accuracy * right + (1 - accuracy) * same_wrong
    # (agreement - same_wrong) / (right - same_wrong) is the accuracy; its error is that of the observed agreement.
    error = math.sqrt(agreement * (1 - agreement) / items) / (right - same_wrong)
    return Absolute(labels_per_item=labels, items=items, standard_error=error, bias=agreement - accuracy)


# ---- How dear an item must be until several labels for each pay

SMALLEST_LOG = -700.0  # errors below this logarithm are no floating point numbers


def break_even_of(options: PlanLabelsOptions, situation: Situation) -> tuple[BreakEven, ...]:
    """For each number of labels above one, compared with the design with one label for each item."""
    single = fixed_scheme(options, situation, 1, only_differing=options.only_differing)
    if options.budget is not None:
        most = MOST_ITEMS * (1 - ROUNDING) * single.item_cost(options)
        single_items: int | None = affordable_items(single, options, min(options.budget, most))
    else:
        single_items = _items_at(options, single, options.target or 0.0)
    found = []
    for labels in options.labels_per_item:
        if labels > 1:
            several = fixed_scheme(options, situation, labels, only_differing=options.only_differing)
            ratio = _ratio(single, several, _gap(several) ** 2 / (_gap(single) ** 2 or 1))
            exact = _exact(options, single, several, single_items)
            kept = float(single.kept)
            found.append(BreakEven(labels_per_item=labels, ratio=kept * ratio, ratio_exact=kept * exact))
    return tuple(found)


def _items_at(options: PlanLabelsOptions, scheme: Scheme, error: float) -> int | None:
    """The items that a plan takes for this error."""
    found = items_needed(float(scheme.steps.x), float(scheme.steps.y), error, options.ties)
    return found.safe if options.ties == "win" else found.first


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


def _exact(options: PlanLabelsOptions, single: Scheme, several: Scheme, items: int | None) -> float:
    """Where several labels reach the error of this many single-label items for the same money."""
    x, y = float(several.steps.x), float(several.steps.y)
    if items is None or items < 1 or _gap(single) <= 0:
        return 0.0 if _gap(several) > 0 >= _gap(single) else math.nan
    error = float(log_chances(single.steps.x, single.steps.y, items).error(options.ties))
    if error < SMALLEST_LOG:
        rates = float(log_rate(x, y)), float(log_rate(single.steps.x, single.steps.y))
        return _ratio(single, several, rates[0] / rates[1]) if math.isfinite(sum(rates)) else math.nan
    enough = _items_at(options, several, math.exp(error))
    if enough is None or enough >= items:
        return math.inf
    return max((several.labels_per_item * enough - items) / (items - enough), 0.0)


# ---- The same in each bootstrap sample of a pilot

LARGEST = 10**9  # items beyond which no number is looked for


def items_draws(scheme: Scheme, options: PlanLabelsOptions, error: float) -> Floats:
    """The items that a plan takes for that error in each draw, of shape (n_draws,); infinite where none will do."""
    x, y = scheme.steps.x, scheme.steps.y
    if options.ties == "win":  # the error first rises with the number of items, so that no bisection finds it
        safe = [items_needed(float(up), float(down), error, "win").safe for up, down in zip(x, y, strict=True)]
        return np.array([np.inf if items is None else float(items) for items in safe])
    found = np.full(x.shape, np.inf)
    rate = log_cramer(x, y, 1)
    can = rate < np.log(error) / LARGEST
    if not can.any():
        return found
    x, y = x[can], y[can]
    # Only odd numbers where nothing but ties lies between them: there the error falls from odd number to odd number.
    step = 2 if scheme.strategy == "disagreement-only" else 1
    low = np.zeros(x.shape, dtype=np.int64)
    high = np.ceil(np.log(error) / np.maximum(rate[can], -1e300) / step).astype(np.int64)  # Cramer's number is enough
    while (low < high).any():
        middle = (low + high) // 2
        fine = log_chances(x, y, middle * step + 1).error(options.ties) <= np.log(error)
        low, high = np.where(fine, low, np.minimum(middle + 1, high)), np.where(fine, middle, high)
    found[can] = low * step + 1
    return found


ASSURED = 0.85
"""Share of what a pilot leaves open in which a plan keeps its error; small pilots leave open a little more than their
samples show, so that it is kept in about 80% of them."""


def assured_items(scheme: Scheme, options: PlanLabelsOptions, error: float, draws: Floats) -> int | None:
    """The fewest items that keep an error on average over the draws and in most of them; None if no number does.

    `draws`, of shape (n_draws,), are the items that each draw needs.
    """
    enough = float(np.quantile(draws, ASSURED, method="inverted_cdf"))
    if not math.isfinite(enough):
        return None
    step = 2 if scheme.strategy == "disagreement-only" else 1

    def is_kept(more: int) -> bool:
        errors = log_chances(scheme.steps.x, scheme.steps.y, int(enough) + step * more).error(options.ties)
        return bool(np.exp(errors).mean() <= error)

    low, high = -1, 0
    while not is_kept(high):
        low, high = high, 2 * high + 1
        if high > LARGEST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_kept(middle) else (middle, high)
    return int(enough) + step * high
