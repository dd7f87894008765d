"""The charts of a plan of labels: the error over the budget, and the best number of labels."""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from dissensus.methods.plan_labels.result import Choice, PlanLabelsResult, Point
from dissensus.report.document import Cell, Figure, Table
from dissensus.report.numbers import capital, counted, listing, percent, spelled, whole
from dissensus.report.specs.lines import LogLines, log_lines
from dissensus.report.specs.shapes import Row, choice_map

LEAST = -4.0
"""An error below 0.01% is as good as none."""
SEQUENTIAL = {
    "adaptive": ("two labels, and a third where they differ,", "two, then a third"),
    "lead-by-two": ("labels until one side leads by two", "until a lead of two"),
}
"""Ways to label that are no number of labels: in a sentence, and in a legend."""


def chance(log10: float) -> str:
    """A chance from its decimal logarithm, in percent.

    Examples
    --------
    >>> [chance(math.log10(p)) for p in (1.0, 0.35, 0.0123, 0.00035, 1e-20)]
    ['100%', '35.0%', '1.2%', '0.035%', '<0.01%']
    """
    if log10 < LEAST:
        return "<0.01%" if math.isfinite(log10) else "0%"
    share = 10.0**log10
    return percent(share) if share >= 0.01 else f"{100 * share:.2g}%"  # noqa: PLR2004 - one percent


def way_words(strategy: str, labels: float) -> str:
    """A way to label, as it goes before `for each item`.

    Examples
    --------
    >>> way_words("fixed", 3), way_words("lead-by-two", 3.2)
    ('three labels', 'labels until one side leads by two')
    """
    if strategy in SEQUENTIAL:
        return SEQUENTIAL[strategy][0]
    return f"{spelled(int(labels))} label{'' if labels == 1 else 's'}"


def series_name(strategy: str, labels: float) -> str:
    """A way to label, in a legend or a table.

    Examples
    --------
    >>> series_name("fixed", 1), series_name("disagreement-only", 3), series_name("adaptive", 2.375)
    ('1 label', '3 labels', 'two, then a third')
    """
    return SEQUENTIAL[strategy][1] if strategy in SEQUENTIAL else _labels(labels)


# ---- What each chart of a plan of labels shows: its title


def winner_finding(groups: Iterable[Sequence[Point]]) -> str:
    """Which way to label has the smallest error, if it is the same at every budget."""
    groups = [points for points in groups if points]
    first = [min(points, key=lambda point: (point.log10_error, point.labels_per_item)) for points in groups]
    names = list(dict.fromkeys(way_words(point.strategy, point.labels_per_item) for point in first))
    if len(names) > 1:
        return f"The best design depends on the budget: {listing(names, word='or')} for each item"
    if max(len(points) for points in groups) == 1:
        return f"The error with {names[0]} for each item, by budget"
    return f"{capital(names[0])} for each item {'is' if names[0] == 'one label' else 'are'} best at every budget shown"


def choice_finding(choices: Sequence[Choice]) -> str:
    """From which of the costs of an item that are shown on several labels are best."""
    dear = [choice.cost_ratio for choice in choices if (choice.labels_per_item or 0) > 1]
    if not dear:
        return "One label for each item is best at every label accuracy and item cost shown"
    if min(dear) == 0:
        return "Several labels for each item can be best even if items cost nothing"
    return f"At the item costs shown, several labels for each item are best only from {_labels(min(dear))} on"


def _labels(count: float) -> str:
    return f"{count:g} label{'' if count == 1 else 's'}"


def budget_words(result: PlanLabelsResult, budget: float) -> str:
    """A budget as the user gave it: labels, or money."""
    if result.options.in_labels:
        return counted(round(budget), "label")
    return f"a budget of {budget_figure(budget)}"


def budget_figure(budget: float) -> str:
    """A budget with as many digits as tell it from its neighbours.

    Examples
    --------
    >>> budget_figure(1060.66), budget_figure(0.0625), budget_figure(93.75)
    ('1,061', '0.0625', '93.8')
    """
    return whole(round(budget)) if budget >= 100 else f"{budget:.3g}"  # noqa: PLR2004 - three digits


def accuracy_words(share: float) -> str:
    """A label accuracy on an axis."""
    return percent(share, 0) if round(100 * share) == round(100 * share, 1) else percent(share)


WAYS = "Labels for each item"
ERROR = "Error"
MOST_SERIES = 8
EXACT = "Computed exactly for each design"
AHEAD = {
    "lose": "the worse model wins or ties",
    "half": "the worse model wins (ties count half)",
    "win": "the worse model wins outright",
}


def budget_chart(result: PlanLabelsResult) -> Figure:
    """The error over the budget, a line for each number of labels."""
    points, budget = result.by_budget, result.reference_budget
    lines = LogLines(
        rows=[_row(point, point.budget, point.log10_error) for point in _drawable(points)], kind="chance", series=WAYS,
        x_title=_budget_title(result), y_title=ERROR, x_form=_budget_form(points), is_log_x=True, mark=budget,
        mark_name=budget_words(result, budget),
    )  # fmt: skip
    return Figure(
        title=winner_finding(_grouped(points, lambda point: point.budget).values()),
        caption=f"How often {AHEAD[result.options.ties]}, by what is spent. {EXACT}.",
        table=_by_way(points, "Budget", lambda point: budget_figure(point.budget)),
        spec=log_lines(lines),
    )


def choice_chart(result: PlanLabelsResult) -> Figure:
    """The best number of labels by label accuracy and by what an item costs."""
    choices = result.best_choices
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
    labels = result.reference_budget / (result.options.label_cost or result.options.item_cost)
    favour = " that are equally often right for both models" if result.situation.is_biased else ""
    across, down = "Cost of an item, in labels", "How often a label is right"
    return Figure(
        title=choice_finding(choices),
        caption=f"The number of labels per item with the smallest error, for the price of {budget_figure(labels)} "
        f"labels{favour}. A dash: that buys no item.",
        table=_choice_table(choices),
        spec=choice_map(rows, x_title=across, y_title=down, choices="Best number of labels"),
    )


def _drawable(points: Sequence[Point]) -> list[Point]:
    """Those with a logarithm, of the first few ways."""
    names = [series_name(point.strategy, point.labels_per_item) for point in points]
    ways = list(dict.fromkeys(names))[:MOST_SERIES]
    return [
        point for point, name in zip(points, names, strict=True) if math.isfinite(point.log10_error) and name in ways
    ]


def _row(point: Point, x: float, y: float) -> Row:
    series = series_name(point.strategy, point.labels_per_item)
    return {"series": series, "x": x, "y": y, "shown": chance(y), "items": point.items}


def _grouped(points: Sequence[Point], key: Callable[[Point], Hashable]) -> dict[Hashable, list[Point]]:
    groups = defaultdict(list)
    for point in points:
        groups[key(point)].append(point)
    return groups


def _by_way(points: Sequence[Point], first: str, place: Callable[[Point], str]) -> Table:
    """A row for each place, a column for each way to label."""
    ways = list(dict.fromkeys(series_name(point.strategy, point.labels_per_item) for point in points))
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for point in points:
        rows[place(point)][series_name(point.strategy, point.labels_per_item)] = chance(point.log10_error)
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


def _budget_form(points: Sequence[Point]) -> str:
    """Thousands as k, but not thousandths as m."""
    return ".3~s" if min((point.budget for point in points), default=1.0) >= 1 else ",.3~r"


def _budget_title(result: PlanLabelsResult) -> str:
    return "Labels bought" if result.options.in_labels else "What is spent"
