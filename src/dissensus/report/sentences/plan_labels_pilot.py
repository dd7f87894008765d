"""What the pilot of a plan of labels said, in words."""

import math
from collections.abc import Iterator

from dissensus.planning.labels.result import PlanLabelsResult
from dissensus.report.numbers import counted, decimal, percent, whole, with_interval
from dissensus.report.sentences.plan_labels_chances import chance
from dissensus.report.untrusted import quoted


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
        f"{with_interval(margin.value, margin.low, margin.high, form=_thousandths)}."
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
    said = f"What the pilot leaves open: the error of the recommended design may be {ends[0]} to {ends[1]}"
    for one in result.needed:
        if one.labels_per_item == best.labels_per_item:
            said += f", and {_needed_words(one.items_low, one.items_high)}"
    yield f"{said} ({percent(result.question.confidence, 0)} intervals). A larger pilot would narrow that."


def _needed_words(low: float, high: float) -> str:
    if math.isinf(low):
        return "no number of items may be enough"
    if math.isinf(high):
        return f"{whole(low)} items or more may be needed, or no number be enough"
    return f"{whole(low)} to {whole(high)} items may be needed"


def _thousandths(value: float) -> str:
    return decimal(value, 3)
