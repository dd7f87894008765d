"""What `plan labels` says: one label each for many items, or several for few."""

import math
from collections import defaultdict
from collections.abc import Sequence

from dissensus.methods.plan_labels.result import LabelDesign, PlanLabelsResult, Point
from dissensus.options import named
from dissensus.report.document import Cell, Figure, Fold, Points, Section, Table
from dissensus.report.numbers import (
    capital,
    counted,
    decimal,
    listing,
    percent,
    rough,
    shortened,
    spelled,
    whole,
    with_interval,
)
from dissensus.report.specs.lines import LogLines, log_lines
from dissensus.report.specs.shapes import Row
from dissensus.report.views.section import noted

LEAST = -4.0
"""An error below 0.01% counts as none."""
SEQUENTIAL = {
    "adaptive": ("two labels, and a third where they differ,", "two, then a third"),
    "lead-by-two": ("labels until one side leads by two", "until a lead of two"),
}
"""Ways to label that are no number of labels: in a sentence, and in a legend."""
ENOUGH = -2.0
"""An error of 1%, by its logarithm: a test set that is far better than that is larger than it need be."""
MOST_RATIO = 1000
LONGEST = 30
SILENT = (
    "An error ", "A number of models", "A design without error", "How accurate one model is", " equally probable for ",
)  # fmt: skip
"""In warnings that ask for nothing, or that a table shows."""


def view(result: PlanLabelsResult) -> Section:
    """What to buy, each way to spend the labels, and folded away what it rests on and the plans around it."""
    notes = [text for text in (_open_note(result), _cost_note(result), _error_note(result)) if text]
    return Section(
        title="One label each for many items, or several for few?",
        lead=recommendation(result),
        blocks=[
            *([_designs_table(result)] if result.designs else []),
            budget_chart(result),
            *noted(notes),
            *_pilot_fold(result),
            Fold(title="What the plan assumes", parts=[_assumed(result)]),
        ],
    )


def recommendation(result: PlanLabelsResult) -> str:
    """What to buy and what that does to the error; or that nothing helps."""
    best, ahead = result.recommended, AHEAD[result.options.ties]
    if best is None:
        return "No design reaches this error: labels like these favour the better model too little, or not at all."
    if best.log10_hoeffding == 0:
        return "Do not decide by labels like these: they do not favour the better model, and more items do not help."
    buy = f"{way_words(best.strategy, best.labels_per_item)} for {_items(best)}"
    if result.options.target is not None:
        which = "cheapest design" if len(result.designs) > 1 else "smallest test set"
        most = f"{100 * result.options.target:.3g}%"
        return f"Buy {buy}: the {which} for which {ahead} in at most {most} of test sets."
    enough = _enough(result, best)
    if enough is None:
        return f"Buy {buy}: then {ahead} in {chance(best.log10_error)} of test sets."
    return f"You can buy {buy}, but {whole(enough)} are enough: even then {ahead} in less than 1% of test sets."


def _items(design: LabelDesign) -> str:
    each = "one item" if design.items == 1 else f"each of {whole(design.items)} items"
    return each if design.screened is None else f"{each} on which the models differ"


def _enough(result: PlanLabelsResult, best: LabelDesign) -> int | None:
    """How many items would do, if the error is next to nothing: the fewest that the chart shows with less than 1%."""
    if best.log10_error >= LEAST or result.options.ties == "win":  # one item that ends in a tie is no test set
        return None
    points = [point for point in result.by_budget if _way(point) == _way(best) and point.log10_error < ENOUGH]
    return min((point.items for point in points), default=None)


# ---- What to check


def _open_note(result: PlanLabelsResult) -> str:
    """How far the plan could be off because the pilot is small."""
    best = result.recommended
    if best is None or math.isnan(best.error_low):
        return ""
    low, high = _ends(best)
    may = "" if low == high else f"the error may be {low} to {high}"
    for one in result.needed:
        if one.labels_per_item == best.labels_per_item:
            least, most = one.items_low, one.items_high
            high = f"to {rough(most)} items" if math.isfinite(most) else "items or more, or no number may be enough"
            may = f"it may take {rough(least)} {high}" if math.isfinite(least) else "no number of items may be enough"
    sure = percent(result.options.confidence, 0)
    return f"Enlarge the pilot to narrow the plan: {may} ({sure} interval)." if may else ""


def _cost_note(result: PlanLabelsResult) -> str:
    """From which cost of an item on several labels pay."""
    pays = [one for one in result.break_even if 0 < one.ratio_exact < MOST_RATIO]
    if not pays or not result.options.label_cost:
        return ""
    first = min(pays, key=lambda one: one.ratio_exact)
    dear, costs = decimal(first.ratio_exact, 1), result.options.item_cost / result.options.label_cost
    here = f"{costs:.3g} label{'' if costs == 1 else 's'}" if costs else "nothing"
    return (
        f"Check what it costs to get an item (here: {here}). If it costs more than {dear} labels, buy "
        f"{spelled(first.labels_per_item)} labels for each item."
    )


def _error_note(result: PlanLabelsResult) -> str:
    """How to find out what a smaller error takes."""
    best, delta = result.recommended, result.options.delta
    if best is None or result.options.target is not None or 10.0**best.log10_error <= delta:
        return ""
    return f"To see what an error of {100 * delta:.3g}% takes, plan with {named('error')} {delta:g}."


# ---- The designs


def _designs_table(result: PlanLabelsResult) -> Table:
    """What each way to spend the labels does; with disagreement-only also what random items would do."""
    has_interval = any(design.error_low >= 0 for design in result.designs)
    columns = ["Labels per item", "Items", *(["Look through"] if result.compared else []), "Cost"]
    columns += ["Majority right", "Error", *(["Interval"] if has_interval else [])]
    rows: list[list[Cell]] = [
        [
            _way(design) + ("" if design in result.designs else ", any item"),
            design.items,
            *([design.screened] if result.compared else []),
            int(design.cost) if design.cost == int(design.cost) else design.cost,
            design.label_accuracy,
            chance(design.log10_error),
            *([_interval(design)] if has_interval else []),
        ]
        for design in (*result.designs, *result.compared)
    ]
    caption = f"Error: how often {AHEAD[result.options.ties]}"
    return Table(caption=caption, columns=columns, rows=rows, digits=1, percent=frozenset({"Majority right"}))


def _interval(design: LabelDesign) -> str | None:
    """What the pilot leaves open of the error."""
    return None if math.isnan(design.error_low) else " to ".join(dict.fromkeys(_ends(design)))


def _ends(design: LabelDesign) -> list[str]:
    return ["0%" if end == 0 else chance(math.log10(end)) for end in (design.error_low, design.error_high)]


def _assumed(result: PlanLabelsResult) -> Table:
    """What the plan rests on, a row for each assumption."""
    situation, rows = result.situation, [["Items", "drawn at random"], ["Winner", "agrees with more labels"]]
    if situation.accuracy is not None:
        better = situation.accuracy + float(situation.margin)
        rows += [["Worse model right", percent(situation.accuracy)], ["Better model right", percent(better)]]
    else:
        rows.append(["Difference in accuracy", f"{decimal(100 * float(situation.margin), 1)} percentage points"])
    is_free = result.pilot is None and not result.options.is_correlated and result.options.disagreement is None
    why = ", as they err independently" if is_free else ""
    rows.append(["Models differ on", f"{percent(float(situation.disagreement))} of the items{why}"])
    if result.options.is_correlated:
        for which, right in (("better", situation.label_accuracy_better), ("worse", situation.label_accuracy_worse)):
            rows.append([f"Label right where only the {which} model is", percent(float(right))])
    else:
        rows.append(["Label right", percent(float(situation.label_accuracy))])
    if situation.classes > 2:  # noqa: PLR2004
        rows.append(["Wrong label", f"any of {situation.classes - 1} wrong classes, equally likely"])
    return Table(caption="If one of these is wrong, so is the plan", columns=["What", "Assumed"], rows=rows)


def _pilot_fold(result: PlanLabelsResult) -> list[Fold]:
    """What the pilot says, and what it could not check."""
    pilot, best = result.pilot, result.recommended
    if pilot is None:
        return []
    apart, margin, right = pilot.disagreement, pilot.margin, pilot.for_plan
    rows = [
        ["Items answered by both models", whole(pilot.items)],
        ["Items with labels (two or more)", f"{whole(pilot.labelled)} ({whole(pilot.repeated)})"],
        ["Models differ on", with_interval(apart.value, apart.low, apart.high, form=percent)],
        ["More accurate", shortened(pilot.better, LONGEST)],
        ["By", with_interval(margin.value, margin.low, margin.high, form=lambda value: decimal(value, 3))],
        ["The other one in", "-" if math.isnan(pilot.share_other) else f"{percent(pilot.share_other)} of samples"],
        ["Label right", with_interval(right.value, right.low, right.high, form=percent)],
    ]
    if best is not None and not math.isnan(best.assurance):
        rows.append(["Error kept in", f"{percent(best.assurance, 0)} of what the pilot leaves open"])
    table = Table(caption="From the pilot, with intervals", columns=["What", "Pilot"], rows=rows)
    return [Fold(title="What the pilot says", parts=[table, Points(title="Not checked", texts=pilot.assumptions)])]


# ---- Chances, ways to label, and the chart: the error over the budget


def chance(log10: float) -> str:
    """A chance from its decimal logarithm, in percent.

    >>> [chance(math.log10(p)) for p in (1.0, 0.35, 0.0123, 0.00035, 1e-20)]
    ['100%', '35.0%', '1.2%', '0.035%', '<0.01%']
    """
    if log10 < LEAST:
        return "<0.01%" if math.isfinite(log10) else "0%"
    share = 10.0**log10
    return percent(share) if share >= 0.01 else f"{100 * share:.2g}%"  # noqa: PLR2004 - one percent


def way_words(strategy: str, labels: float) -> str:
    """A way to label, as it goes before `for each item`.

    >>> way_words("fixed", 3), way_words("lead-by-two", 3.2)
    ('three labels', 'labels until one side leads by two')
    """
    if strategy in SEQUENTIAL:
        return SEQUENTIAL[strategy][0]
    return f"{spelled(int(labels))} label{'' if labels == 1 else 's'}"


def series_name(strategy: str, labels: float) -> str:
    """A way to label, in a legend or a table.

    >>> series_name("fixed", 1), series_name("disagreement-only", 3), series_name("adaptive", 2.375)
    ('1 label', '3 labels', 'two, then a third')
    """
    return SEQUENTIAL[strategy][1] if strategy in SEQUENTIAL else f"{labels:g} label{'' if labels == 1 else 's'}"


def _way(design: LabelDesign | Point) -> str:
    return series_name(design.strategy, design.labels_per_item)


def winner_finding(points: Sequence[Point]) -> str:
    """Which way to label has the smallest error, if it is the same at every budget."""
    budgets = dict.fromkeys(point.budget for point in points)
    groups = [[point for point in points if point.budget == budget] for budget in budgets]
    first = [min(group, key=lambda point: (point.log10_error, point.labels_per_item)) for group in groups]
    names = list(dict.fromkeys(way_words(point.strategy, point.labels_per_item) for point in first))
    if len(names) > 1:
        return f"The best design depends on the budget: {listing(names, word='or')} for each item"
    if max(len(group) for group in groups) == 1:
        return f"The error with {names[0]} for each item, by budget"
    return f"{capital(names[0])} for each item {'is' if names[0] == 'one label' else 'are'} best at every budget shown"


def budget_figure(budget: float) -> str:
    """A budget with as many digits as tell it from its neighbours.

    >>> budget_figure(1060.66), budget_figure(0.0625), budget_figure(93.75)
    ('1,061', '0.0625', '93.8')
    """
    return whole(round(budget)) if budget >= 100 else f"{budget:.3g}"  # noqa: PLR2004 - three digits


MOST_SERIES = 8
AHEAD = {
    "lose": "the worse model wins or ties",
    "half": "the worse model wins (ties count half)",
    "win": "the worse model wins outright",
}


def budget_chart(result: PlanLabelsResult) -> Figure:
    """The error over the budget, a line for each number of labels."""
    points, budget, in_labels = result.by_budget, result.reference_budget, result.options.in_labels
    ways = list(dict.fromkeys(map(_way, points)))
    drawn: list[Row] = [
        {"series": _way(point), "x": point.budget, "y": point.log10_error, "shown": chance(point.log10_error),
         "items": point.items}
        for point in points
        if math.isfinite(point.log10_error) and _way(point) in ways[:MOST_SERIES]
    ]  # fmt: skip
    is_large = min((point.budget for point in points), default=1.0) >= 1
    lines = LogLines(
        rows=drawn, kind="chance", series="Labels for each item",
        x_title="Labels bought" if in_labels else "What is spent", y_title="Error",
        x_form=".3~s" if is_large else ",.3~r",  # thousands as k, but not thousandths as m
        is_log_x=True, mark=budget,
        mark_name=counted(round(budget), "label") if in_labels else f"a budget of {budget_figure(budget)}",
    )  # fmt: skip
    errors: dict[str, dict[str, str]] = defaultdict(dict)
    for point in points:
        errors[budget_figure(point.budget)][_way(point)] = chance(point.log10_error)
    rows = [[name, *(cells.get(way) for way in ways)] for name, cells in errors.items()]
    return Figure(
        title=winner_finding(points),
        caption=f"How often {AHEAD[result.options.ties]}, by what is spent.",
        table=Table(caption="Budget and labels for each item", columns=["Budget", *ways], rows=rows),
        spec=log_lines(lines),
    )
