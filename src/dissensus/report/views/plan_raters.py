"""What `plan raters` says: how many items and raters it takes to tell two judges apart."""

import math
from collections.abc import Mapping, Sequence

from dissensus.errors import DissensusError
from dissensus.methods.plan_raters.result import Design, PlanRatersResult
from dissensus.report.document import MOST_NOTES, Block, Figure, Fold, Points, Section, Table
from dissensus.report.numbers import counted, decimal, percent, rough, shortened, whole
from dissensus.report.specs import Spec
from dissensus.report.specs.shapes import tip
from dissensus.results import Result, as_dict

METRIC_WORDS = {
    "wins": "it is the nearer one on more items (wins)",
    "mae": "its mean answer has the smaller mean absolute error (MAE)",
    "emd": "its answers have the smaller earth mover's distance from people's",
    "emd-binned": "the paper's distance of sorted counts in five bins, which ignores where the bins lie, is smaller",
    "information": "its calibrated answers predict another rater's label better, in bits (information)",
}
LONGEST = 30


def view(result: Result) -> Section:
    """The recommended design, the power of those around it, and folded away what it rests on."""
    if not isinstance(result, PlanRatersResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as a plan of items and raters.")
    notes = notes_of(result)[:MOST_NOTES]
    pilot = [Fold(title="What the pilot says", parts=[_pilot_table(result)])] if result.pilot is not None else []
    blocks: list[Block] = [
        heat_map(result, _grid_table(result)),
        *([Points(title="", texts=notes)] if notes else []),
        *pilot,
        Fold(title="What the plan assumes", parts=[_assumed(result)]),
    ]
    title = "How many items and raters does it take to tell the judges apart?"
    return Section(title=title, lead=recommendation(result), blocks=blocks)


def recommendation(result: PlanRatersResult) -> str:
    """The recommended design with its power and cost, or that there is none."""
    best, target = result.recommended, percent(_number(result.settings, "power", 0.8), 0)
    if best is None:
        return f"None of these designs finds the difference {target} of the time."
    return (
        f"Collect {counted(best.items, 'item')} with {counted(best.raters, 'rater')} each: the cheapest design that "
        f"finds the difference {target} of the time (cost {best.cost:,.6g})."
    )


def notes_of(result: PlanRatersResult) -> list[str]:
    """What to do, the most important first."""
    best, pilot, trade = result.recommended, result.pilot, result.trade_off
    notes = []
    if best is not None and best.raters_in_all is not None:
        notes.append(
            f"Recruit at least {counted(best.raters_in_all, 'rater')} in all, so that nobody rates more items than a "
            "rater of the pilot did."
        )
    if pilot is not None and math.isfinite(pilot.items_low):
        high = f"to {rough(pilot.items_high)}" if math.isfinite(pilot.items_high) else "or more"
        wide = f"{rough(pilot.items_low)} {high} items"
        sure = percent(_number(result.settings, "confidence", 0.95), 0)
        notes.append(f"Enlarge the pilot to narrow the plan: it may take {wide} ({sure} interval).")
    if best is not None and best.machine_samples > 1:
        notes.append(f"Get {whole(best.machine_samples)} answers of each judge to each item: the plan counts on them.")
    if trade is not None:
        other = {"items": "raters", "raters": "items"}[trade.helps]
        notes.append(f"If you can afford more, add {trade.helps}, not {other}: each extra rating then adds more power.")
    return notes


def _number(settings: Mapping[str, object], name: str, default: float) -> float:
    value = settings.get(name)
    return float(value) if isinstance(value, int | float) else default


# ---- What it rests on


def _assumed(result: PlanRatersResult) -> Table:
    """What the plan rests on, a row for each assumption."""
    settings = result.settings
    metric = str(settings.get("metric"))
    rows = [
        ["A judge is better if", METRIC_WORDS.get(metric, metric)],
        ["Test", f"two-sided sign-flip test at level {_number(settings, 'alpha', 0.05):g}, as in `compare`"],
    ]
    if result.pilot is None:
        spread = settings.get("spread")
        low, high = spread if isinstance(spread, tuple) else (0.0, 0.3)
        effect = _number(settings, "effect", 0.0)
        rows += [
            ["Scale", "0 to 1"],
            ["Ratings of an item", f"normal, with a standard deviation between {low:g} and {high:g}"],
            ["One judge", "answers as people do"],
            ["The other judge", f"its mean answer is off by up to {effect:g} either way"],
        ]
    elif settings.get("method") == "closed":
        rows.append(["Judges and raters", "differ as in the pilot, without its noise"])
    else:
        rows.append(["Test sets", "drawn from the pilot; a model of it stands in for further raters"])
    trade = result.trade_off
    if trade is not None:
        raters, items = decimal(trade.gain_raters), decimal(trade.gain_items)
        where = f"Signal over noise, from {counted(trade.raters, 'rater')}"
        rows.append([where, f"{raters} times with twice the raters, {items} with twice the items"])
    return Table(caption="If one of these is wrong, so is the plan", columns=["What", "Assumed"], rows=rows)


def _pilot_table(result: PlanRatersResult) -> Table:
    """What the pilot says, a row for each finding."""
    pilot = result.pilot
    assert pilot is not None  # noqa: S101 - the caller has looked
    rows = [
        ["Judges", f"{shortened(pilot.a, LONGEST)}, {shortened(pilot.b, LONGEST)}"],
        ["Items with ratings and both answers", whole(pilot.items)],
        ["Nearer to people", shortened(pilot.better, LONGEST)],
    ]
    if result.settings.get("bootstrap"):
        rows.append(["The other one in", f"{percent(pilot.share_other, 0)} of the bootstrap samples"])
    if math.isfinite(pilot.spread):
        low, middle, high = (decimal(value) for value in (pilot.spread_low, pilot.spread, pilot.spread_high))
        rows.append(["Standard deviation of an item's ratings", f"{middle} (half of the items: {low} to {high})"])
    if pilot.raters is not None:
        rows.append(["Planned for", f"new raters like the {whole(pilot.raters)} of the pilot"])
        rows.append(["Standard error from raters alone", decimal(pilot.rater_error, 3)])
    if math.isfinite(pilot.simulated_power):
        rows.append(["Power in data simulated from the pilot", percent(pilot.simulated_power, 0)])
    return Table(caption="From the pilot", columns=["What", "Pilot"], rows=rows)


def _grid_table(result: PlanRatersResult) -> Table:
    """Power by items and raters, as the heat map shows it."""
    raters = sorted({design.raters for design in result.grid})
    power = {(design.items, design.raters): design.power for design in result.grid}
    columns = ["Items", *(counted(number, "rater") for number in raters)]
    return Table(
        caption="Power: how often the difference is found, by items and raters per item",
        columns=columns,
        rows=[[n, *(percent(power[n, k], 0) for k in raters)] for n in sorted({d.items for d in result.grid})],
    )


# ---- The chart: power over items and raters

ROW = 30
TIPS = [
    tip("items", "Items"),
    tip("raters", "Raters per item"),
    tip("power", "Power", ".1%"),
    tip("p_value", "Expected p", ".3f"),
    tip("cost", "Cost", ",.6~r"),
]


def heat_map(result: PlanRatersResult, table: Table) -> Figure:
    """Power of each design of the grid, items upwards and raters to the right, with the line of the budget."""
    budget = result.settings.get("budget")
    limit = float(budget) if isinstance(budget, int | float) else None
    best = result.recommended
    title = "No design reaches the power"
    if best is not None:
        title = f"{counted(best.items, 'item')} with {counted(best.raters, 'rater')} each are enough"
    caption = "Share of test sets of each size in which the sign-flip test finds the difference."
    if limit is not None:
        caption += f" Above the line: more than the budget of {limit:,.6g}."
    return Figure(title=title, caption=caption, spec=_heat_map_spec(result.grid, limit), table=table)


def _heat_map_spec(grid: Sequence[Design], budget: float | None) -> Spec:
    sizes = sorted({design.items for design in grid}, reverse=True)
    raters = sorted({design.raters for design in grid})
    rows = [as_dict(design) | {"text": percent(design.power, 0), "colour": 0} for design in grid]
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
