"""The charts of a plan of labels: the error over budget and label accuracy, the best number of labels, and bounds."""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from dissensus.methods.plan_labels.result import Choice, LabelDesign, PlanLabelsResult, Point
from dissensus.report.document import Cell, Figure, Table
from dissensus.report.numbers import counted, decimal, percent, quoted, spelled, whole, with_interval
from dissensus.report.specs.lines import LogLines, log_lines
from dissensus.report.specs.shapes import Row, choice_map
from dissensus.report.text import sparkline

THOUSANDS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
LEAST_PERCENT = -4.0
LARGEST_WORD = 15.0
LARGEST_EXACT = 6.0
ROUNDING = 1e-9
AHEAD = {
    "lose": "the worse model wins or ties",
    "half": "the worse model wins, a tie counted half,",
    "win": "the worse model wins outright",
}
FIRST = {"lose": "first", "half": "first, ties settled by a coin,", "win": "first or level with the first"}
SEQUENTIAL = {
    "adaptive": ("two labels and a third where they differ", "two, then a third"),
    "lead-by-two": ("labels until one side leads by two", "until a lead of two"),
}
"""Ways to label that are no number of labels: as a subject, and in a legend."""


def chance(log10: float) -> str:
    """A chance from its decimal logarithm, however small.

    Examples
    --------
    >>> [chance(math.log10(p)) for p in (1.0, 0.35, 0.0123, 0.00035)]
    ['100%', '35.0%', '1.2%', '0.035%']
    >>> chance(-5.0), chance(-8.99), chance(-10000.2), chance(-math.inf)
    ('1 in 100,000', '1 in 980 million', '1 in 10^10,000', '0%')
    """
    if log10 >= LEAST_PERCENT:
        share = 10.0**log10
        return percent(share) if share >= 0.01 else f"{100 * share:.2g}%"  # noqa: PLR2004 - one percent
    return f"1 in {count_of(-log10)}" if math.isfinite(log10) else "0%"


def in_test_sets(log10: float, digits: int | None = None) -> str:
    """A chance as a share of test sets; with so many digits, if it is one that somebody asked for.

    Examples
    --------
    >>> in_test_sets(-2.0), in_test_sets(math.log10(0.0125), digits=3), in_test_sets(-5.0)
    ('1.0% of such test sets', '1.25% of such test sets', '1 of 100,000 such test sets')
    """
    share = chance(log10) if digits is None or log10 < LEAST_PERCENT else f"{100 * 10.0**log10:.{digits}g}%"
    return f"{share} of such test sets" if share.endswith("%") else f"{share.replace('1 in', '1 of')} such test sets"


def count_of(log10: float) -> str:
    """A count from its decimal logarithm, two digits of it, however large.

    Examples
    --------
    >>> [count_of(x) for x in (0.0, 2.1523, 5.0, 8.99, 47.3)]
    ['1', '140', '100,000', '980 million', '10^47']
    """
    if not math.isfinite(log10):
        return "any number"
    if log10 >= LARGEST_WORD:
        return f"10^{log10:,.0f}"
    rounded = float(f"{10.0**log10:.2g}")
    for size, name in THOUSANDS:
        if rounded >= size:
            return f"{rounded / size:g} {name}"
    return whole(rounded)


def models_words(log10: float) -> str:
    """How many models can be ranked, from the decimal logarithm of 1 + delta / error: whole ones.

    Examples
    --------
    >>> models_words(0.2), models_words(2.1552), models_words(47.3)
    ('1', '142', '10^47')
    """
    return whole(math.floor(10.0**log10 + ROUNDING)) if log10 < LARGEST_EXACT else count_of(log10)


def labels_each(design: LabelDesign) -> str:
    """Labels for each item, in words."""
    if design.strategy in SEQUENTIAL:
        return f"{SEQUENTIAL[design.strategy][0]} ({decimal(design.labels_per_item)} on average)"
    number = int(design.labels_per_item)
    return f"{spelled(number)} label{'' if number == 1 else 's'}"


def way_words(strategy: str, labels: float) -> str:
    """A way to label as the subject of a sentence that goes on with `leave`.

    Examples
    --------
    >>> way_words("fixed", 3), way_words("lead-by-two", 3.2)
    ('three labels for each item', 'labels until one side leads by two')
    """
    if strategy in SEQUENTIAL:
        return SEQUENTIAL[strategy][0]
    return f"{spelled(int(labels))} label{'' if labels == 1 else 's'} for each item"


def series_name(strategy: str, labels: float) -> str:
    """A way to label, in a legend or a table.

    Examples
    --------
    >>> series_name("fixed", 1), series_name("disagreement-only", 3), series_name("adaptive", 2.375)
    ('1 label', '3 labels', 'two, then a third')
    """
    return SEQUENTIAL[strategy][1] if strategy in SEQUENTIAL else f"{labels:g} label{'' if labels == 1 else 's'}"


def items_words(design: LabelDesign) -> str:
    """The items of a design, as they follow `one label for`."""
    each = "one item" if design.items == 1 else f"each of {whole(design.items)} items"
    if design.screened is None:
        return each
    return f"{each} on which the models differ, to be found among about {whole(design.screened)}"


# ---- What each chart of a plan of labels shows: its title

MOST_SHOWN = 4


def winner_finding(groups: Iterable[Sequence[Point]], *, over: str) -> str:
    """Which way to label has the smallest error, if it is the same everywhere."""
    groups = list(groups)
    ways = list(dict.fromkeys(way_words(point.strategy, point.labels_per_item) for group in groups for point in group))
    if len(ways) == 1:
        return f"What {ways[0]} can do, by {over}"
    first = [min(points, key=lambda point: (point.log10_error, point.labels_per_item)) for points in groups if points]
    names = list(dict.fromkeys(way_words(point.strategy, point.labels_per_item) for point in first))
    if len(names) == 1:
        leave = "leaves" if names[0].startswith("one ") else "leave"
        return f"{names[0][0].upper()}{names[0][1:]} {leave} the smallest error at every {over} shown"
    return f"Which way is best depends on the {over}: {', or '.join(names)}"


def choice_finding(choices: Sequence[Choice]) -> str:
    """From which of the costs of an item that are shown on several labels are best."""
    dear = [choice.cost_ratio for choice in choices if (choice.labels_per_item or 0) > 1]
    if not dear:
        return "One label for each item is best at every label accuracy and item cost shown"
    if min(dear) == 0:
        return "Several labels for each item are best for some labels even if items cost nothing"
    cost = "1 label" if min(dear) == 1 else f"{min(dear):g} labels"
    return f"At the item costs shown, several labels for each item are best only from {cost} on"


def bounds_finding(result: PlanLabelsResult) -> str:
    """The error beside what the bounds say of it."""
    best = result.recommended
    if best is None:
        return "What the bounds say of the error"
    return (
        f"The error is {chance(best.log10_error)}; Cramer's bound says {chance(best.log10_cramer)}, Hoeffding's "
        f"{chance(best.log10_hoeffding)}"
    )


def models_finding(points: Sequence[Point], budget: str) -> str:
    """How many models each way to label ranks for the same money."""
    ways = [
        f"{_models(point)} with {'labels ' if point.strategy == 'lead-by-two' else ''}"
        f"{series_name(point.strategy, point.labels_per_item)}"
        for point in points[:MOST_SHOWN]
    ]
    return f"Models that {budget} can rank: {', '.join(ways)}"


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
ERROR = "Chance of the wrong winner"
MOST_SERIES = 8
EXACT = "Exact for each design, from the law of the difference in right answers"


def figures_of(result: PlanLabelsResult) -> list[Figure]:
    """All charts, the main one first."""
    drawn = [budget_chart(result), accuracy_chart(result), choice_chart(result), bounds_chart(result)]
    return drawn if result.options.only_differing else [*drawn, models_chart(result)]


def budget_chart(result: PlanLabelsResult) -> Figure:
    """The error over the budget, a line for each number of labels."""
    points, budget = result.by_budget, result.reference_budget
    lines = LogLines(
        rows=[_row(point, point.budget, point.log10_error) for point in _drawable(points)], kind="chance", series=WAYS,
        x_title=_budget_title(result), y_title=ERROR, x_form=_budget_form(points), is_log_x=True, mark=budget,
        mark_name=budget_words(result, budget),
    )  # fmt: skip
    return Figure(
        title=winner_finding(_grouped(points, lambda point: point.budget).values(), over="budget"),
        caption=f"How often {AHEAD[result.options.ties].rstrip(',')}, by what is spent. {EXACT}.",
        table=_by_way(points, "Budget", lambda point: budget_figure(point.budget), _error),
        spec=log_lines(lines),
    )


def accuracy_chart(result: PlanLabelsResult) -> Figure:
    """The error over how often a label is right, a line for each number of labels."""
    points = result.by_label_accuracy
    groups = _grouped(points, lambda point: point.label_accuracy)
    best = [min(one, key=lambda point: point.log10_error) for one in groups.values()]
    lines = LogLines(
        rows=[_row(point, point.label_accuracy, point.log10_error) for point in _drawable(points)], kind="chance",
        series=WAYS, x_title="How often a label is right", y_title=ERROR, x_form=".0%",
        mark=float(result.situation.label_accuracy), mark_name="The labels of this plan",
    )  # fmt: skip
    return Figure(
        title=winner_finding(groups.values(), over="label accuracy"),
        caption=f"What {budget_words(result, result.reference_budget)} would do with other labels, as often right for "
        f"either model. {EXACT}.",
        table=_by_way(points, "A label is right", lambda point: accuracy_words(point.label_accuracy), _error),
        spark=_spark(best, lambda point: accuracy_words(point.label_accuracy)),
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
    favour = " that are as often right for either model" if result.situation.is_biased else ""
    across, down = "Cost of an item, in labels", "How often a label is right"
    return Figure(
        title=choice_finding(choices),
        caption=f"The number of labels for each item with the smallest error, for the price of {budget_figure(labels)} "
        f"labels{favour}. A dash: not one item is paid for.",
        table=_choice_table(choices),
        spec=choice_map(rows, x_title=across, y_title=down, choices="Best number of labels"),
    )


def bounds_chart(result: PlanLabelsResult) -> Figure:
    """The exact error beside the bounds, for the recommended number of labels."""
    points, best = result.by_budget, result.recommended
    labels = best.labels_per_item if best is not None else points[0].labels_per_item
    of_way = [point for point in points if math.isclose(point.labels_per_item, labels)]
    bounds: Mapping[str, Callable[[Point], float]] = {
        "exact": lambda point: point.log10_error,
        "Cramer's bound": lambda point: point.log10_cramer,
        "Hoeffding's bound": lambda point: point.log10_hoeffding,
    }
    rows = [
        _row(point, point.budget, value(point), series=name)
        for name, value in bounds.items()
        for point in of_way
        if math.isfinite(value(point))
    ]
    lines = LogLines(
        rows=rows, kind="chance", series="How computed", x_title=_budget_title(result), y_title=ERROR,
        x_form=_budget_form(points), is_log_x=True,
    )  # fmt: skip
    return Figure(
        title=bounds_finding(result),
        caption=f"How often {AHEAD[result.options.ties].rstrip(',')}, exact, and how often the better model does not "
        "win by the two bounds: what a bound adds is what planning by it would cost.",
        table=Table(
            caption="The error and what bounds say of it",
            columns=["Budget", "Items", *bounds],
            rows=[
                [budget_figure(point.budget), point.items, *(chance(value(point)) for value in bounds.values())]
                for point in of_way
            ],
        ),
        spark=_spark(of_way, lambda point: budget_figure(point.budget)),
        spec=log_lines(lines),
    )


def models_chart(result: PlanLabelsResult) -> Figure:
    """How many models a benchmark can rank over the budget, a line for each number of labels."""
    points, budget = result.by_budget, budget_words(result, result.reference_budget)
    first = [point for point in points if point.labels_per_item == points[0].labels_per_item]
    drawn = [point for point in points if math.isfinite(point.log10_models)]
    lines = LogLines(
        rows=[_row(point, point.budget, point.log10_models, shown=_models(point)) for point in drawn], kind="count",
        series=WAYS, x_title=_budget_title(result), y_title="Models that can be ranked", x_form=_budget_form(points),
        is_log_x=True,
    )  # fmt: skip
    return Figure(
        title=models_finding([point for point in points if point.is_reference], budget),
        caption=f"1 + delta / error: with so many models the best one comes out first in "
        f"{percent(1 - result.options.delta, 0)} of test sets, by a union bound over rivals that are each at least the "
        "margin worse.",
        table=_by_way(points, "Budget", lambda point: budget_figure(point.budget), _models),
        spark=_models_spark(first),
        spec=log_lines(lines),
    )


def _error(point: Point) -> str:
    return chance(point.log10_error)


def _models(point: Point) -> str:
    return models_words(point.log10_models)


def _models_spark(points: Sequence[Point]) -> str | None:
    known = [point for point in points if math.isfinite(point.log10_models)]
    if not known:
        return None
    ends = [f"{_models(point)} for {budget_figure(point.budget)}" for point in (known[0], known[-1])]
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
    return f"{line}  {_error(first)} at {place(first)}, {_error(last)} at {place(last)}"


def _budget_form(points: Sequence[Point]) -> str:
    """Thousands as k, but not thousandths as m."""
    return ".3~s" if min((point.budget for point in points), default=1.0) >= 1 else ",.3~r"


def _budget_title(result: PlanLabelsResult) -> str:
    return "Labels bought" if result.options.in_labels else "What is spent"


def pilot_points(result: PlanLabelsResult) -> list[str]:
    """What the pilot said, what it leaves open, and what it could not check."""
    pilot = result.pilot
    if pilot is None:
        return []
    apart, margin, right = pilot.disagreement, pilot.margin, pilot.for_plan
    other = pilot.share_other
    sure = "" if math.isnan(other) else f" (the other one in {percent(other)} of the bootstrap samples)"
    where = "" if pilot.label_accuracy_apart is None else " where the models differ"
    seen = (
        f"{counted(pilot.items, 'item')} answered by both models, {whole(pilot.labelled)} of them labelled, with "
        f"{counted(pilot.labels, 'label')} in all; {whole(pilot.repeated)} have two labels or more."
    )
    differ = (
        f"The models differ on {with_interval(apart.value, apart.low, apart.high, form=percent)} of the items; "
        f"{quoted(pilot.better)} is the more accurate one{sure}, by "
        f"{with_interval(margin.value, margin.low, margin.high, form=lambda value: decimal(value, 3))}."
    )
    labels = (
        f"A label is right {with_interval(right.value, right.low, right.high, form=percent)} of the time{where}; the "
        f"agreement of two labels alone allows {percent(pilot.label_accuracy_least.value)} to "
        f"{percent(pilot.label_accuracy_most.value)}, over all items."
    )
    return [seen, differ, labels, *_left_open(result), *pilot.assumptions]


def _left_open(result: PlanLabelsResult) -> Iterator[str]:
    """How far the plan could be off because the pilot is small."""
    best = result.recommended
    if best is None or math.isnan(best.error_low):
        return
    ends = [chance(math.log10(end)) if end > 0 else "0%" for end in (best.error_low, best.error_high)]
    text = f"What the pilot leaves open: the error of the recommended design may be {ends[0]} to {ends[1]}"
    needed = [one for one in result.needed if one.labels_per_item == best.labels_per_item]
    text += "".join(f", and {_needed_words(one.items_low, one.items_high)}" for one in needed)
    yield f"{text} ({percent(result.options.confidence, 0)} intervals). A larger pilot would narrow that."
    for one in needed:
        exact = "no number" if one.items_if_exact is None else counted(one.items_if_exact, "item")
        yield (
            f"The plan allows for that: it keeps the error on average ({chance(best.log10_error)}) and in "
            f"{percent(best.assurance, 0)} of what the pilot leaves open. If the pilot's numbers were exact, {exact} "
            "would do."
        )


def _needed_words(low: float, high: float) -> str:
    if math.isinf(low):
        return "no number of items may be enough"
    if math.isinf(high):
        return f"{whole(low)} items or more may be needed, or no number be enough"
    return f"{whole(low)} to {whole(high)} items may be needed"
