"""What `plan raters` says: how many items and raters it takes to tell two judges apart."""

import math

from dissensus.methods.plan_raters.result import PlanRatersResult
from dissensus.report.document import MOST_NOTES, Figure, Fold, Section, Table
from dissensus.report.numbers import cost_text, counted, decimal, percent, rough, shortened, whole
from dissensus.report.specs.shapes import Row, choice_map
from dissensus.report.views.section import noted, setting

LONGEST = 30


def view(result: PlanRatersResult) -> Section:
    """The recommended design, the power of those around it, and folded away what it rests on."""
    pilot = [Fold(title="What the pilot says", parts=[_pilot_table(result)])] if result.pilot is not None else []
    return Section(
        title="How many items and raters does it take to tell the judges apart?",
        lead=recommendation(result),
        blocks=[
            heat_map(result, _grid_table(result)),
            *noted(notes_of(result)[:MOST_NOTES]),
            *pilot,
            Fold(title="What the plan assumes", parts=[_assumed(result)]),
        ],
    )


def recommendation(result: PlanRatersResult) -> str:
    """The recommended design with its power and cost, or that there is none."""
    best, target = result.recommended, percent(setting(result.settings, "power", 0.8), 0)
    wide = f" ({_range(result)})" if _range(result) else ""
    if best is None:
        return f"None of these designs finds the difference {target} of the time."
    return (
        f"Collect {counted(best.items, 'item')}{wide} with {counted(best.raters, 'rater')} each: the cheapest design "
        f"that finds the difference {target} of the time ({cost_text(best.cost, result.settings)})."
    )


def _range(result: PlanRatersResult) -> str:
    """How many items it may take by the pilot; empty where that is not known."""
    pilot = result.pilot
    if pilot is None or not math.isfinite(pilot.items_low):
        return ""
    high = f"to {rough(pilot.items_high)}" if math.isfinite(pilot.items_high) else "or more"
    return f"{rough(pilot.items_low)} {high}"


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
        sure = percent(setting(result.settings, "confidence", 0.95), 0)
        notes.append(f"Enlarge the pilot to narrow the plan: it may take {_range(result)} items ({sure} interval).")
    if best is not None and best.machine_samples > 1:
        notes.append(f"Get {whole(best.machine_samples)} answers of each judge to each item: the plan counts on them.")
    if trade is not None:
        other = {"items": "raters", "raters": "items"}[trade.helps]
        notes.append(f"If you can afford more, add {trade.helps}, not {other}: each extra rating then adds more power.")
    return notes


# ---- What it rests on


def _assumed(result: PlanRatersResult) -> Table:
    """What the plan rests on, a row for each assumption."""
    settings = result.settings
    rows = [
        ["A judge is better by", str(settings.get("metric"))],
        ["Test", f"two-sided sign-flip test at level {setting(settings, 'alpha', 0.05):g}, as in `compare`"],
    ]
    if result.pilot is None:
        spread = settings.get("spread")
        low, high = spread if isinstance(spread, tuple) else (0.0, 0.3)
        effect = setting(settings, "effect", 0.0)
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


def heat_map(result: PlanRatersResult, table: Table) -> Figure:
    """Power of each design of the grid, items upwards and raters to the right."""
    best, title = result.recommended, "No design reaches the power"
    if best is not None:
        title = f"{counted(best.items, 'item')} with {counted(best.raters, 'rater')} each are enough"
    rows: list[Row] = [
        {"across": str(own.raters), "down": whole(own.items), "choice": percent(own.power, 0), "strength": own.power}
        for own in sorted(result.grid, key=lambda own: (-own.items, own.raters))
    ]
    return Figure(
        title=title,
        caption="Share of test sets of each size in which the sign-flip test finds the difference.",
        spec=choice_map(rows, x_title="Raters per item", y_title="Items", choices="Power"),
        table=table,
    )
