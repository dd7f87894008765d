"""The plan around the one that was asked for: other budgets, label accuracies and costs. For charts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dissensus.planning.labels.bounds import log_cramer, log_hoeffding
from dissensus.planning.labels.designs import LN_10, ROUNDING
from dissensus.planning.labels.question import LABELS_PER_ITEM, Question
from dissensus.planning.labels.result import PlanLabelsResult
from dissensus.planning.labels.situation import FloatArray, Situation
from dissensus.planning.labels.strategies import Scheme, fixed_scheme, schemes_of
from dissensus.planning.labels.walk import log_chances

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
