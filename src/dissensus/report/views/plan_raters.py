"""What `plan raters` says: how many items and raters it takes to tell two judges apart."""

import math
from collections.abc import Sequence

from dissensus.errors import DissensusError
from dissensus.methods.plan_raters.result import Design, PilotFindings, PlanRatersResult, TradeOff
from dissensus.report.document import Block, Figure, Paragraph, Section, Table
from dissensus.report.numbers import counted, decimal, percent, quoted, whole
from dissensus.report.specs import Spec
from dissensus.report.specs.lines import line_colour
from dissensus.report.specs.shapes import series_channels, tip
from dissensus.report.views.worth import Settings
from dissensus.results import Result, as_dict

# ---- A plan of items and raters, in words

METRIC_WORDS = {
    "wins": "on how many items it is the nearer one (wins)",
    "mae": "the mean absolute error of its mean answer (MAE)",
    "emd": "the earth mover's distance of its answers from people's",
    "emd-binned": "the paper's distance of sorted counts in five bins, which ignores where the bins lie",
    "information": "how well its calibrated answers predict another rater's label, in bits (information)",
}
P_IS_NO_P_VALUE = (
    'p is the number that "How Many Raters Do You Need?" tabulates: how often a test set without a difference shows as '
    "large a one. It is no p-value of a test: p = .05 means a power of about 75% one-sided. Go by power."
)


def design_words(design: Design) -> str:
    """A design in a sentence."""
    samples = counted(design.machine_samples, "answer")
    raters = counted(design.raters, "rater")
    in_all = f" ({whole(design.raters_in_all)} raters or more in all)" if design.raters_in_all is not None else ""
    return f"{counted(design.items, 'item')} with {raters} each{in_all} and {samples} of each judge to each item"


def recommendation(result: PlanRatersResult) -> str:
    """The recommended design with its power and cost, or that there is none."""
    best, target = result.recommended, _number(result.settings, "power", 0.8)
    if best is None:
        return f"None of the designs considered finds the difference {percent(target, 0)} of the time."
    return (
        f"Collect {design_words(best)}: the cheapest design that finds the difference at least {percent(target, 0)} of "
        f"the time (power {percent(best.power)}, cost {whole(round(best.cost, 1))})."
    )


def assumptions(result: PlanRatersResult) -> str:
    """What the plan rests on."""
    settings = result.settings
    metric = METRIC_WORDS.get(str(settings.get("metric")), str(settings.get("metric")))
    test = f"the two-sided item sign-flip test at level {_number(settings, 'alpha', 0.05):g}, which `compare` runs"
    meaning = f"Near to people means: {metric}. Power is that of {test}."
    if result.pilot is not None:
        return f"{meaning} {_learnt(result)}"
    spread = settings.get("spread")
    low, high = spread if isinstance(spread, tuple) else (0.0, 0.3)
    return (
        f"{meaning} Assumed, on a scale from 0 to 1: responses to an item are normal with a standard deviation between "
        f"{low:g} and {high:g}; one judge answers as people do; the other's mean is off by up to "
        f"{_number(settings, 'effect', 0.0):g} either way."
    )


def _learnt(result: PlanRatersResult) -> str:
    """How the pilot was used."""
    if result.settings.get("method") == "closed":
        return "How judges and raters differ was learnt from the pilot, its own noise taken out."
    return (
        "Test sets were drawn from the pilot: its items, and of each some of its ratings; raters beyond those of the "
        "pilot answer as a model of it predicts."
    )


def trade_off_sentence(trade: TradeOff) -> str:
    """Whether more items or more raters help, and why."""
    gains = (
        f"from {counted(trade.raters, 'rater')} per item, twice the raters make the difference stand out "
        f"{decimal(trade.gain_raters)} times as much, twice the items {decimal(trade.gain_items)} times"
    )
    sizes = f"(the judges are {decimal(trade.shift, 3)} apart on an item, its noise is {decimal(trade.noise, 3)})"
    if trade.helps == "raters":
        return (
            f"More raters help more than more items here: {gains}. On most items the noise of a few responses hides "
            f"which judge is nearer {sizes}."
        )
    return (
        f"More items help more than more raters here: {gains}. The items that can tell the judges apart do so already "
        f"{sizes}."
    )


def pilot_sentence(pilot: PilotFindings, settings: Settings) -> str:
    """What the pilot shows and leaves open."""
    a, b = quoted(pilot.a), quoted(pilot.b)
    first = f"The pilot has {counted(pilot.items, 'item')} with ratings and answers of {a} and {b}; it finds "
    first += f"{quoted(pilot.better)} nearer to people"
    if settings.get("bootstrap"):
        first += f" (the other one in {percent(pilot.share_other, 0)} of its bootstrap samples)"
    sentences = [first]
    if math.isfinite(pilot.spread):
        spreads = [decimal(value) for value in (pilot.spread_low, pilot.spread, pilot.spread_high)]
        half = f"half of the items: {spreads[0]} to {spreads[2]}"
        sentences.append(f"Ratings of an item have a standard deviation of {spreads[1]} ({half})")
    if math.isfinite(pilot.items_low):
        is_bounded = math.isfinite(pilot.items_high)
        many = (
            f"{whole(pilot.items_low)} to {whole(pilot.items_high)}"
            if is_bounded
            else f"{whole(pilot.items_low)} or more"
        )
        sentences.append(
            f"With as many raters as recommended, {many} items may be needed "
            f"({percent(_number(settings, 'confidence', 0.95), 0)} interval): a larger pilot would narrow it"
        )
    if pilot.raters is not None:
        sentences.append(
            f"The plan is for new raters like its {whole(pilot.raters)}, as busy as these: as many raters alone move "
            f"the difference by a standard error of {decimal(pilot.rater_error, 3)}, whatever the items"
        )
    if math.isfinite(pilot.simulated_power):
        sentences.append(
            f"In data simulated from a model of the pilot, with its own raters, the design has power "
            f"{percent(pilot.simulated_power)}"
        )
    return ". ".join(sentences) + "."


def grid_finding(result: PlanRatersResult) -> str:
    """The title of the heat map."""
    best = result.recommended
    if best is None:
        return "No design reaches the power"
    return f"{counted(best.items, 'item')} with {counted(best.raters, 'rater')} each are enough"


def _number(settings: Settings, name: str, default: float) -> float:
    value = settings.get(name)
    return float(value) if isinstance(value, int | float) else default


# ---- The charts of a plan: power over items and raters, and p over what it costs

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


def cost_chart(result: PlanRatersResult, table: Table) -> Figure:
    """Expected p of each design of the grid over its cost, a line for each number of raters."""
    raters = sorted({design.raters for design in result.grid})[:MOST_SERIES]
    rows = [
        as_dict(design)
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
