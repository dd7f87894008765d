"""The plan around the one that was asked for: other budgets, label accuracies and costs. For charts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dissensus.methods.plan_labels.designs import LN_10, ROUNDING, Scheme, affordable_items, fixed_scheme, schemes_of
from dissensus.methods.plan_labels.needed import items_needed, log_cramer, log_hoeffding, log_rate
from dissensus.methods.plan_labels.options import LABELS_PER_ITEM, Question
from dissensus.methods.plan_labels.result import Absolute, BreakEven, PlanLabelsResult
from dissensus.methods.plan_labels.situation import SHARE_ROUNDING, FloatArray, Situation
from dissensus.methods.plan_labels.walk import log_chances

# ---- The plan around the one that was asked for: other budgets, label accuracies and costs. For charts

BUDGETS = 2.0 ** np.arange(-4, 2.5, 0.5)
"""Around the budget, from a sixteenth to four times as much."""
REFERENCE = int(np.flatnonzero(BUDGETS == 1)[0])
ACCURACIES = 13
COST_RATIOS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Cost of an item in labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One design among others; the logarithms are decimal.

    Attributes
    ----------
    strategy, labels_per_item, items
        The design.
    budget, label_accuracy : float
        What it may cost, and how often one label is right.
    is_reference : bool
        Whether that is the budget of the plan.
    log10_error, log10_cramer, log10_hoeffding, log10_models : float
        The error, the bounds on it, and how many models it ranks.
    """

    strategy: str
    labels_per_item: float
    items: int
    budget: float
    label_accuracy: float
    is_reference: bool
    log10_error: float
    log10_cramer: float
    log10_hoeffding: float
    log10_models: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The number of labels with the smallest error at a label accuracy and a cost of items; None if nothing is paid."""

    label_accuracy: float
    cost_ratio: float
    labels_per_item: int | None


def reference_budget(result: PlanLabelsResult) -> float:
    """The budget, or what the recommended design costs; without one, a thousand labels."""
    question = result.question
    if question.budget is not None:
        return question.budget
    if result.recommended is not None:
        return result.recommended.cost
    return 1000 * max(question.label_cost, question.item_cost)


def by_budget(result: PlanLabelsResult) -> list[Point]:
    """Designs that budgets around this one buy, each way to label after the other."""
    question, situation = result.question, result.situation
    budgets = reference_budget(result) * BUDGETS
    if question.item_cost == 0 and question.label_cost == 1:
        budgets = np.floor(budgets)  # whole labels
    found: list[Point] = []
    for scheme in schemes_of(question, situation):
        found += _points(question, scheme, budgets, float(situation.label_accuracy))
    return found


def by_label_accuracy(result: PlanLabelsResult) -> list[Point]:
    """What this budget buys with better and worse labels; labels then favour neither model."""
    question, budget = result.question, np.array([reference_budget(result)])
    found: list[Point] = []
    for accuracy in _accuracies(question):
        for scheme in schemes_of(question, _with_labels(result.situation, accuracy)):
            found += _points(question, scheme, budget, accuracy)
    return found


def best_choices(result: PlanLabelsResult) -> list[Choice]:
    """The best number of labels by label accuracy and by what an item costs, for as much money as this plan has."""
    question = result.question
    labels = reference_budget(result) / (question.label_cost or question.item_cost)
    numbers = tuple(sorted({*question.labels_per_item, *LABELS_PER_ITEM}))
    only_differing = question.strategy == "disagreement-only"
    accuracies = _accuracies(question)[1:-1]
    situations = [_with_labels(result.situation, accuracy) for accuracy in accuracies]
    schemes = [
        [fixed_scheme(question, situation, m, only_differing=only_differing) for m in numbers]
        for situation in situations
    ]
    errors = _errors_by_cost(question, [scheme for row in schemes for scheme in row], labels)
    table = errors.reshape(len(accuracies), len(numbers), len(COST_RATIOS))
    best, is_paid = table.argmin(axis=1), table.min(axis=1) < np.inf
    return [
        Choice(
            label_accuracy=accuracy,
            cost_ratio=ratio,
            labels_per_item=numbers[int(best[i, j])] if is_paid[i, j] else None,
        )
        for i, accuracy in enumerate(accuracies)
        for j, ratio in enumerate(COST_RATIOS)
    ]


def _errors_by_cost(question: Question, schemes: Sequence[Scheme], budget: float) -> FloatArray:
    """Logarithm of the error by cost of an item in labels, of shape (n_schemes, n_costs); infinite if not paid for."""
    ratios = np.array(COST_RATIOS)
    items = np.array([_items(budget / (ratios / one.kept + one.labels_per_item), one) for one in schemes])
    x, y = (np.array([[float(value)] * len(ratios) for value in values]) for values in (
        [one.steps.x for one in schemes], [one.steps.y for one in schemes]
    ))  # fmt: skip
    errors = np.full(items.shape, np.inf)
    is_paid = items >= 1
    if is_paid.any():
        errors[is_paid] = log_chances(x[is_paid], y[is_paid], items[is_paid]).error(question.ties)
    return errors


def _points(question: Question, scheme: Scheme, budgets: FloatArray, label_accuracy: float) -> list[Point]:
    items = _items(budgets / scheme.item_cost(question), scheme)
    is_reference = (np.arange(len(budgets)) == REFERENCE) | (len(budgets) == 1)
    is_reference, budgets, items = (each[items >= 1] for each in (is_reference, budgets, items))
    if not len(items):
        return []
    x, y = scheme.steps.x, scheme.steps.y
    error = log_chances(x, y, items).error(question.ties)
    columns = {
        "log10_error": error / LN_10,
        "log10_cramer": log_cramer(x, y, items) / LN_10,
        "log10_hoeffding": log_hoeffding(x, y, items) / LN_10,
        "log10_models": np.logaddexp(0.0, math.log(question.delta) - error) / LN_10,
    }
    return [
        Point(
            strategy=scheme.strategy,
            labels_per_item=scheme.labels_per_item,
            items=int(items[i]),
            budget=float(budgets[i]),
            label_accuracy=label_accuracy,
            is_reference=bool(is_reference[i]),
            **{name: float(values[i]) for name, values in columns.items()},
        )
        for i in range(len(items))
    ]


def _items(paid_for: FloatArray, scheme: Scheme) -> FloatArray:
    """Whole items; with disagreement-only an odd number, which leaves no tie."""
    items = np.floor(paid_for * (1 + ROUNDING))
    return items - (items % 2 == 0) if scheme.strategy == "disagreement-only" else items


def _accuracies(question: Question) -> Sequence[float]:
    """From a little above chance to always right."""
    least = 1 / question.classes
    steps = np.linspace(least, 1, ACCURACIES)[1:]
    return [round(float(step), 3) for step in steps]


def _with_labels(situation: Situation, accuracy: float) -> Situation:
    same = np.asarray(accuracy)
    return replace(situation, label_accuracy_better=same, label_accuracy_worse=same)


class Measuring(NamedTuple):
    """A design to measure the accuracy of a model with: labels per item, items, and how often their label is right."""

    labels_per_item: float
    items: int
    label_accuracy: float


def absolute_of(question: Question, situation: Situation, designs: Sequence[Measuring]) -> tuple[Absolute, ...]:
    """Standard error and bias of each design; none where the accuracy of the model or of all labels is not known."""
    if situation.accuracy is None or question.is_correlated or question.strategy == "disagreement-only":
        return ()
    by_guessing = 1 / situation.classes  # labels like that measure nothing
    return tuple(
        _measured(design, situation.accuracy, situation.classes)
        for design in designs
        if design.label_accuracy > by_guessing + SHARE_ROUNDING
    )


def _measured(design: Measuring, accuracy: float, classes: int) -> Absolute:
    """The model agrees with a label if both are right, or both wrong and alike."""
    right = design.label_accuracy
    same_wrong = (1 - right) / (classes - 1)
    agreement = accuracy * right + (1 - accuracy) * same_wrong
    # (agreement - same_wrong) / (right - same_wrong) is the accuracy; its error is that of the observed agreement.
    error = math.sqrt(agreement * (1 - agreement) / design.items) / (right - same_wrong)
    return Absolute(
        labels_per_item=design.labels_per_item,
        items=design.items,
        standard_error=error,
        bias=agreement - accuracy,
    )


def why_not_absolute(question: Question, situation: Situation) -> str | None:
    """Why nothing is said of the accuracy of one model; None if it is."""
    if question.strategy == "disagreement-only":
        return None  # said with the caveat of that strategy
    if question.is_correlated:
        return "How accurate one model is cannot be planned here: that takes the labels' accuracy where both agree."
    if situation.accuracy is None:
        return "Give --accuracy to also plan how well each design measures the accuracy of one model."
    return None


# ---- How dear an item must be until several labels for each pay

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
    return _items_at(question, single, question.target or 0.0)


def _items_at(question: Question, scheme: Scheme, error: float) -> int | None:
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
    enough = _items_at(question, several, math.exp(error))
    if enough is None or enough >= items:
        return math.inf
    return max((several.labels_per_item * enough - items) / (items - enough), 0.0)


LARGEST = 10**9
"""Items beyond which no number is looked for."""


def error_draws(scheme: Scheme, question: Question, items: int) -> FloatArray:
    """The error of so many items in each draw, of shape (n_draws,)."""
    return np.asarray(np.exp(log_chances(scheme.steps.x, scheme.steps.y, items).error(question.ties)))


def items_draws(scheme: Scheme, question: Question, error: float) -> FloatArray:
    """The items that a plan takes for that error in each draw, of shape (n_draws,); infinite where none will do."""
    x, y = scheme.steps.x, scheme.steps.y
    if question.ties == "win":  # the error first rises with the number of items, so that no bisection finds it
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
        fine = log_chances(x, y, middle * step + 1).error(question.ties) <= np.log(error)
        low, high = np.where(fine, low, np.minimum(middle + 1, high)), np.where(fine, middle, high)
    found[can] = low * step + 1
    return found
