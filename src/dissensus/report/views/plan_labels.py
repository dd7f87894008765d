"""What `plan labels` says: one label each for many items, or several for few."""

import math

from dissensus.errors import DissensusError
from dissensus.planning.labels.result import LabelDesign, PlanLabelsResult
from dissensus.report.document import Block, Cell, Paragraph, Points, Section, Table
from dissensus.report.sentences.plan_labels import assumptions, reasons, recommendation
from dissensus.report.sentences.plan_labels_chances import chance, models_words, series_name
from dissensus.report.sentences.plan_labels_pilot import pilot_points
from dissensus.report.views.plan_labels_charts import figures_of
from dissensus.results import Result


def view(result: Result) -> Section:
    """What to buy, why, what it rests on, and the plans around it."""
    if not isinstance(result, PlanLabelsResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as a plan of labels.")
    blocks: list[Block] = [Paragraph(text=text) for text in reasons(result)]
    blocks.append(Paragraph(text=assumptions(result)))
    if result.pilot is not None:
        blocks.append(Points(title="What the pilot says", texts=pilot_points(result)))
    if result.designs:
        blocks.append(_designs_table(result))
    if result.needed:
        blocks.append(_needed_table(result))
    return Section(
        title="One label each for many items, or several for few?",
        lead=recommendation(result),
        blocks=[*blocks, *figures_of(result)],
    )


def _designs_table(result: PlanLabelsResult) -> Table:
    only_differing, has_interval = bool(result.compared), any(d.error_low >= 0 for d in result.designs)
    columns = ["Per item", "Items", "Label right", "Error", *(["Interval"] if has_interval else [])]
    rows: list[list[Cell]] = [
        [
            series_name(design.strategy, design.labels_per_item) + ("" if design in result.designs else ", any item"),
            design.items,
            design.label_accuracy,
            chance(design.log10_error),
            *([_interval(design)] if has_interval else []),
            *([] if has_interval else [design.tie, design.win]),
            *([design.screened] if only_differing else [models_words(design.log10_models)]),
        ]
        for design in (*result.designs, *result.compared)
    ]
    return Table(
        caption="What each way to spend the labels does",
        columns=[
            *columns,
            *([] if has_interval else ["Tie", "Wins"]),
            "Look through" if only_differing else "Models",
        ],
        rows=rows,
        percent=frozenset({"Label right", "Tie", "Wins"}),
    )


def _interval(design: LabelDesign) -> str | None:
    """What the pilot leaves open of the error."""
    if math.isnan(design.error_low):
        return None
    return " to ".join("0%" if end == 0 else chance(math.log10(end)) for end in (design.error_low, design.error_high))


def _needed_table(result: PlanLabelsResult) -> Table:
    screened = ["Look through"] if any(one.screened is not None for one in result.needed) else []
    columns = ["Per item", "Items", "Safe from", *screened, "Labels", "Cost", "By Cramer", "By Hoeffding"]
    rows: list[list[Cell]] = [
        [
            series_name(one.strategy, one.labels_per_item),
            one.items,
            one.items_safe,
            *([one.screened] if screened else []),
            one.labels,
            one.cost,
            one.cramer_items,
            one.hoeffding_items,
        ]
        for one in result.needed
    ]
    return Table(caption="Items that the error takes", columns=columns, rows=rows, digits=1)
