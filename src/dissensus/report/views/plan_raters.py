"""What `plan raters` says: how many items and raters it takes to tell two judges apart."""

from collections.abc import Sequence

from dissensus.errors import DissensusError
from dissensus.planning.raters.result import Design, PlanRatersResult
from dissensus.report.document import Block, Paragraph, Section, Table
from dissensus.report.sentences.plan_raters import (
    P_IS_NO_P_VALUE,
    assumptions,
    pilot_sentence,
    recommendation,
    trade_off_sentence,
)
from dissensus.report.views.plan_raters_charts import cost_chart, heat_map
from dissensus.results import Result


def view(result: Result) -> Section:
    """The recommended design, why, what it rests on, and the designs around it."""
    if not isinstance(result, PlanRatersResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as a plan of items and raters.")
    blocks: list[Block] = []
    if result.trade_off is not None:
        blocks.append(Paragraph(text=trade_off_sentence(result.trade_off)))
    if result.pilot is not None:
        blocks.append(Paragraph(text=pilot_sentence(result.pilot, result.settings)))
    blocks += [
        Paragraph(text=assumptions(result)),
        heat_map(result, _grid_table(result)),
        cost_chart(result, _table("Designs that no cheaper one beats", result.frontier)),
        Paragraph(text=P_IS_NO_P_VALUE),
    ]
    return Section(
        title="How many items and raters does it take to tell the judges apart?",
        lead=recommendation(result),
        blocks=blocks,
    )


def _table(caption: str, designs: Sequence[Design]) -> Table:
    return Table(
        caption=caption,
        columns=["Items", "Raters", "Answers of a judge", "Power", "p", "Cost"],
        rows=[[d.items, d.raters, d.machine_samples, d.power, d.p_value, _amount(d.cost)] for d in designs],
        percent=frozenset({"Power"}),
    )


def _grid_table(result: PlanRatersResult) -> Table:
    """Power by items and raters, as the heat map shows it."""
    raters = sorted({design.raters for design in result.grid})
    power = {(design.items, design.raters): design.power for design in result.grid}
    columns = ["Items", *(f"{number} rater{'' if number == 1 else 's'}" for number in raters)]
    return Table(
        caption="Power by items and raters per item",
        columns=columns,
        rows=[[items, *(power[items, k] for k in raters)] for items in sorted({d.items for d in result.grid})],
        percent=frozenset(columns[1:]),
    )


def _amount(cost: float) -> int | float:
    return int(cost) if cost == int(cost) else cost
