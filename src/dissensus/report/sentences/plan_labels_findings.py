"""What each chart of a plan of labels shows: its title."""

from collections.abc import Iterable, Sequence

from dissensus.planning.labels.curves import Choice, Point
from dissensus.planning.labels.result import PlanLabelsResult
from dissensus.report.numbers import counted, percent, whole
from dissensus.report.sentences.plan_labels_chances import chance, models_words, series_name, way_words

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
    dear = [
        choice.cost_ratio for choice in choices if choice.labels_per_item is not None and choice.labels_per_item > 1
    ]
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
    said = [
        f"{models_words(point.log10_models)} with {'labels ' if point.strategy == 'lead-by-two' else ''}"
        f"{series_name(point.strategy, point.labels_per_item)}"
        for point in points[:MOST_SHOWN]
    ]
    return f"Models that {budget} can rank: {', '.join(said)}"


def budget_words(result: PlanLabelsResult, budget: float) -> str:
    """A budget as the user gave it: labels, or money."""
    question = result.question
    if question.item_cost == 0 and question.label_cost == 1:
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
