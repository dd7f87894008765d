"""The charts of a plan: power over items and raters, and p over what it costs."""

from collections.abc import Sequence

from dissensus.planning.raters.result import Design, PlanRatersResult
from dissensus.report.document import Figure, Table
from dissensus.report.numbers import percent
from dissensus.report.sentences.plan_raters import grid_finding
from dissensus.report.specs import Spec
from dissensus.report.specs.lines import line_colour
from dissensus.report.specs.parts import series_channels, tip

ROW = 30
MOST_SERIES = 8
TIPS = [
    tip("items", "Items"),
    tip("raters", "Raters per item"),
    tip("power", "Power", ".1%"),
    tip("p_value", "p", ".3f"),
    tip("cost", "Cost", ",.6~r"),
]


def heat_map(result: PlanRatersResult, table: Table) -> Figure:
    """Power of each design of the grid, items upwards and raters to the right, with the line of the budget."""
    budget = result.settings.get("budget")
    limit = float(budget) if isinstance(budget, int | float) else None
    caption = "Share of test sets of each size in which the sign-flip test finds the difference."
    if limit is not None:
        caption += f" Above the line: more than the budget of {limit:,.6g}."
    return Figure(title=grid_finding(result), caption=caption, spec=_heat_map_spec(result.grid, limit), table=table)


def _heat_map_spec(grid: Sequence[Design], budget: float | None) -> Spec:
    sizes = sorted({design.items for design in grid}, reverse=True)
    raters = sorted({design.raters for design in grid})
    rows = [design.as_dict() | {"text": percent(design.power, 0), "colour": 0} for design in grid]
    x: Spec = {"field": "raters", "type": "ordinal", "sort": raters, "title": "Raters per item"}
    y: Spec = {"field": "items", "type": "ordinal", "sort": sizes, "title": "Items"}
    shade = {
        "field": "power",
        "type": "quantitative",
        "scale": {"domain": [0, 1], "range": [0.03, 0.6]},
        "legend": None,
    }
    colour = {"field": "colour", "type": "nominal", "legend": None}
    layer: list[Spec] = [
        {"mark": {"type": "rect"}, "encoding": {"color": colour, "opacity": shade, "tooltip": TIPS}},
        {"mark": {"type": "text", "aria": False}, "encoding": {"text": {"field": "text", "type": "nominal"}}},
    ]
    if budget is not None:
        layer.append(_budget_line(grid, budget, x, y))
    return {
        "data": {"values": rows},
        "height": ROW * len(sizes),
        "encoding": {"x": x | {"axis": {"labelAngle": 0, "grid": False}}, "y": y | {"axis": {"grid": False}}},
        "layer": layer,
    }


def _budget_line(grid: Sequence[Design], budget: float, x: Spec, y: Spec) -> Spec:
    """Along the upper edges of the largest designs that the budget pays for."""
    paid = [design for design in grid if design.cost <= budget]
    edge = [
        {"raters": raters, "items": max(design.items for design in paid if design.raters == raters)}
        for raters in sorted({design.raters for design in paid})
    ]
    return {
        "data": {"values": edge},
        "mark": {"type": "rule", "style": "reference", "strokeDash": [1, 0], "strokeWidth": 2},
        "encoding": {
            "x": x | {"bandPosition": 0},
            "x2": {"field": "raters", "bandPosition": 1},
            "y": y | {"bandPosition": 0},
        },
    }


def cost_chart(result: PlanRatersResult, table: Table) -> Figure:
    """Expected p of each design of the grid over its cost, a line for each number of raters."""
    raters = sorted({design.raters for design in result.grid})[:MOST_SERIES]
    rows = [
        design.as_dict()
        | {"series": str(design.raters), "line": str(design.raters), "place": raters.index(design.raters)}
        for design in result.grid
        if design.raters in raters and design.cost > 0
    ]
    channels = series_channels("Raters per item")
    x: Spec = {"field": "cost", "type": "quantitative", "scale": {"type": "log"}, "title": "Cost"}
    y: Spec = {"field": "p_value", "type": "quantitative", "title": "Expected p", "axis": {"grid": True}}
    return Figure(
        title="What p to expect for the money",
        caption="Each point is a design: what it costs, and the p to expect of it; a line for each number of raters. "
        "Lower is better.",
        table=table,
        spec={
            "data": {"values": rows},
            "height": 260,
            "encoding": {"x": x | {"axis": {"format": "~s", "grid": False}}, "y": y},
            "layer": [
                {"mark": {"type": "line", "aria": False}, "encoding": {"stroke": line_colour("Raters per item")}},
                {"mark": {"type": "point"}, "encoding": channels | {"tooltip": TIPS}},
            ],
        },
    )
