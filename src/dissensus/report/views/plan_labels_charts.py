"""The charts of a plan of labels: the error over budget and label accuracy, the best number of labels, and bounds."""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence

from dissensus.planning.labels.curves import Choice, Point, best_choices, by_budget, by_label_accuracy, reference_budget
from dissensus.planning.labels.result import PlanLabelsResult
from dissensus.report.document import Cell, Figure, Table
from dissensus.report.numbers import percent
from dissensus.report.sentences.plan_labels_chances import AHEAD, chance, models_words, series_name
from dissensus.report.sentences.plan_labels_findings import (
    accuracy_words,
    bounds_finding,
    budget_figure,
    budget_words,
    choice_finding,
    models_finding,
    winner_finding,
)
from dissensus.report.spark import sparkline
from dissensus.report.specs.choice_map import choice_map
from dissensus.report.specs.log_lines import LogLines, log_lines
from dissensus.report.specs.parts import Row

WAYS = "Labels for each item"
MOST_SERIES = 8
EXACT = "Exact for each design, from the law of the difference in right answers"


def figures_of(result: PlanLabelsResult) -> list[Figure]:
    """All charts, the main one first."""
    points = by_budget(result)
    drawn = [budget_chart(result, points), accuracy_chart(result), choice_chart(result), bounds_chart(result, points)]
    return drawn if result.question.strategy == "disagreement-only" else [*drawn, models_chart(result, points)]


def budget_chart(result: PlanLabelsResult, points: Sequence[Point]) -> Figure:
    """The error over the budget, a line for each number of labels."""
    budget = reference_budget(result)
    return Figure(
        title=winner_finding(_grouped(points, lambda point: point.budget).values(), over="budget"),
        caption=f"How often {AHEAD[result.question.ties].rstrip(',')}, by what is spent. {EXACT}.",
        table=_by_way(
            points, "Budget", lambda point: budget_figure(point.budget), lambda point: chance(point.log10_error)
        ),
        spec=log_lines(
            LogLines(
                rows=[_row(point, point.budget, point.log10_error) for point in _drawable(points)],
                kind="chance",
                series=WAYS,
                x_title=_budget_title(result),
                y_title="Chance of the wrong winner",
                x_form=_budget_form(points),
                is_log_x=True,
                mark=budget,
                mark_name=budget_words(result, budget),
            )
        ),
    )


def accuracy_chart(result: PlanLabelsResult) -> Figure:
    """The error over how often a label is right, a line for each number of labels."""
    points = by_label_accuracy(result)
    groups = _grouped(points, lambda point: point.label_accuracy)
    budget = budget_words(result, reference_budget(result))
    best = [min(one, key=lambda point: point.log10_error) for one in groups.values()]
    return Figure(
        title=winner_finding(groups.values(), over="label accuracy"),
        caption=f"What {budget} would do with other labels, as often right for either model. {EXACT}.",
        table=_by_way(
            points,
            "A label is right",
            lambda point: accuracy_words(point.label_accuracy),
            lambda point: chance(point.log10_error),
        ),
        spark=_spark(best, lambda point: accuracy_words(point.label_accuracy)),
        spec=log_lines(
            LogLines(
                rows=[_row(point, point.label_accuracy, point.log10_error) for point in _drawable(points)],
                kind="chance",
                series=WAYS,
                x_title="How often a label is right",
                y_title="Chance of the wrong winner",
                x_form=".0%",
                mark=float(result.situation.label_accuracy),
                mark_name="The labels of this plan",
            )
        ),
    )


def choice_chart(result: PlanLabelsResult) -> Figure:
    """The best number of labels by label accuracy and by what an item costs."""
    choices = best_choices(result)
    most = max((choice.labels_per_item or 1 for choice in choices), default=1)
    rows: list[Row] = [
        {
            "across": f"{choice.cost_ratio:g}",
            "down": accuracy_words(choice.label_accuracy),
            "choice": "-" if choice.labels_per_item is None else str(choice.labels_per_item),
            "strength": 0 if not choice.labels_per_item or most == 1 else (choice.labels_per_item - 1) / (most - 1),
        }
        for choice in choices
    ]
    labels = result.question.label_cost or result.question.item_cost
    favour = " that are as often right for either model" if result.situation.is_biased else ""
    return Figure(
        title=choice_finding(choices),
        caption=f"The number of labels for each item with the smallest error, for the price of "
        f"{budget_figure(reference_budget(result) / labels)} labels{favour}. A dash: not one item is paid for.",
        table=_choice_table(choices),
        spec=choice_map(
            rows,
            x_title="Cost of an item, in labels",
            y_title="How often a label is right",
            choices="Best number of labels",
        ),
    )


def bounds_chart(result: PlanLabelsResult, points: Sequence[Point]) -> Figure:
    """The exact error beside the bounds, for the recommended number of labels."""
    best = result.recommended
    labels = best.labels_per_item if best is not None else points[0].labels_per_item
    own = [point for point in points if math.isclose(point.labels_per_item, labels)]
    bounds: Mapping[str, Callable[[Point], float]] = {
        "exact": lambda point: point.log10_error,
        "Cramer's bound": lambda point: point.log10_cramer,
        "Hoeffding's bound": lambda point: point.log10_hoeffding,
    }
    rows = [
        _row(point, point.budget, value(point), series=name)
        for name, value in bounds.items()
        for point in own
        if math.isfinite(value(point))
    ]
    return Figure(
        title=bounds_finding(result),
        caption=f"How often {AHEAD[result.question.ties].rstrip(',')}, exact, and how often the better model does not "
        "win by the two bounds: what a bound adds is what planning by it would cost.",
        table=Table(
            caption="The error and what bounds say of it",
            columns=["Budget", "Items", *bounds],
            rows=[
                [budget_figure(point.budget), point.items, *(chance(value(point)) for value in bounds.values())]
                for point in own
            ],
        ),
        spark=_spark(own, lambda point: budget_figure(point.budget)),
        spec=log_lines(
            LogLines(
                rows=rows,
                kind="chance",
                series="How computed",
                x_title=_budget_title(result),
                y_title="Chance of the wrong winner",
                x_form=_budget_form(points),
                is_log_x=True,
            )
        ),
    )


def models_chart(result: PlanLabelsResult, points: Sequence[Point]) -> Figure:
    """How many models a benchmark can rank over the budget, a line for each number of labels."""
    delta, budget = result.question.delta, reference_budget(result)
    first = [point for point in points if point.labels_per_item == points[0].labels_per_item]
    return Figure(
        title=models_finding([point for point in points if point.is_reference], budget_words(result, budget)),
        caption=f"1 + delta / error: with so many models the best one comes out first in {percent(1 - delta, 0)} of "
        "test sets, by a union bound over rivals that are each at least the margin worse.",
        table=_by_way(
            points, "Budget", lambda point: budget_figure(point.budget), lambda point: models_words(point.log10_models)
        ),
        spark=_models_spark(first),
        spec=log_lines(
            LogLines(
                rows=[
                    _row(point, point.budget, point.log10_models, shown=models_words(point.log10_models))
                    for point in points
                    if math.isfinite(point.log10_models)
                ],
                kind="count",
                series=WAYS,
                x_title=_budget_title(result),
                y_title="Models that can be ranked",
                x_form=_budget_form(points),
                is_log_x=True,
            )
        ),
    )


def _models_spark(points: Sequence[Point]) -> str | None:
    known = [point for point in points if math.isfinite(point.log10_models)]
    if not known:
        return None
    ends = [f"{models_words(point.log10_models)} for {budget_figure(point.budget)}" for point in (known[0], known[-1])]
    name = series_name(known[0].strategy, known[0].labels_per_item)
    return f"{sparkline([point.log10_models for point in known])}  {name}: {ends[0]}, {ends[1]}"


def _drawable(points: Sequence[Point]) -> list[Point]:
    """Those with a logarithm, of the first few ways."""
    names = [series_name(point.strategy, point.labels_per_item) for point in points]
    ways = list(dict.fromkeys(names))[:MOST_SERIES]
    return [
        point for point, name in zip(points, names, strict=True) if math.isfinite(point.log10_error) and name in ways
    ]


def _row(point: Point, x: float, y: float, *, series: str | None = None, shown: str | None = None) -> Row:
    return {
        "series": series or series_name(point.strategy, point.labels_per_item),
        "x": x,
        "y": y,
        "shown": shown or chance(y),
        "items": point.items,
    }


def _grouped(points: Sequence[Point], key: Callable[[Point], Hashable]) -> dict[Hashable, list[Point]]:
    groups = defaultdict(list)
    for point in points:
        groups[key(point)].append(point)
    return groups


def _by_way(points: Sequence[Point], first: str, place: Callable[[Point], str], value: Callable[[Point], str]) -> Table:
    """A row for each place, a column for each way to label."""
    ways = list(dict.fromkeys(series_name(point.strategy, point.labels_per_item) for point in points))
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for point in points:
        rows[place(point)][series_name(point.strategy, point.labels_per_item)] = value(point)
    return Table(
        caption=f"{first} and labels for each item",
        columns=[first, *ways],
        rows=[[name, *(cells.get(way) for way in ways)] for name, cells in rows.items()],
    )


def _choice_table(choices: Sequence[Choice]) -> Table:
    ratios = list(dict.fromkeys(choice.cost_ratio for choice in choices))
    rows: dict[str, list[Cell]] = defaultdict(list)
    for choice in choices:
        rows[accuracy_words(choice.label_accuracy)].append(choice.labels_per_item)
    return Table(
        caption="Best number of labels by label accuracy, and by the cost of an item in labels",
        columns=["A label is right", *(f"{ratio:g}" for ratio in ratios)],
        rows=[[name, *cells] for name, cells in rows.items()],
    )


def _spark(points: Sequence[Point], place: Callable[[Point], str]) -> str | None:
    """How small the error gets from the first point to the last."""
    known = [point for point in points if math.isfinite(point.log10_error)]
    if not known:
        return None
    line = sparkline([-point.log10_error for point in known])
    first, last = known[0], known[-1]
    return f"{line}  {chance(first.log10_error)} at {place(first)}, {chance(last.log10_error)} at {place(last)}"


def _budget_form(points: Sequence[Point]) -> str:
    """Thousands as k, but not thousandths as m."""
    return ".3~s" if min((point.budget for point in points), default=1.0) >= 1 else ",.3~r"


def _budget_title(result: PlanLabelsResult) -> str:
    question = result.question
    return "Labels bought" if question.item_cost == 0 and question.label_cost == 1 else "What is spent"
