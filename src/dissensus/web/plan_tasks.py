"""Plans in a worker's process: the few numbers that follow a slider, the rest for those who stop to read, the JSON."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import dissensus
from dissensus.methods.plan_labels.result import PlanLabelsResult
from dissensus.methods.plan_raters.result import Design, PlanRatersResult
from dissensus.report.document import Figure, respelled
from dissensus.report.envelope import envelope
from dissensus.report.html import page_of
from dissensus.report.numbers import counted, percent, whole
from dissensus.report.views.plan_labels import chance, series_name
from dissensus.report.views.plan_labels import recommendation as labels_sentence
from dissensus.report.views.plan_raters import recommendation as raters_sentence
from dissensus.report.views.section import section_of
from dissensus.web.fields import on_page
from dissensus.web.layout import blocks_html, render
from dissensus.web.process import Message, Tell
from dissensus.web.tasks import judges_in, judges_wanted, kept_forms, mapping_in, ratings_in, steps

MOST_BARS, MOST_TIMES = 8, 5  # designs that are shown, and how many times the best one's cost they may have
Plan = PlanLabelsResult | PlanRatersResult
PLANNERS: Mapping[str, Callable[..., Plan]] = {
    "labels": dissensus.plan_labels,
    "raters": dissensus.plan_raters,
}


def plan_task(planner: str, arguments: Mapping[str, object], tell: Tell) -> Message:
    """A plan: all of it from a pilot or a simulation; else what is wanted of it."""
    options, wants = mapping_in(arguments, "options"), arguments.get("wants")
    if wants is None:
        return _whole(planner, arguments, options, tell)
    result = _planned(planner, json.dumps(options))
    if wants == "numbers":
        return {"numbers": numbers_of(result)}
    if wants == "json":
        return {"json": envelope(result)}
    return {"html": _rest(result)}


def _rest(result: Plan) -> str:
    """The rest of a plan, the chart first: it stays in view beside the sliders."""
    blocks = section_of(result, on_page).blocks
    return blocks_html(sorted(blocks, key=lambda block: not isinstance(block, Figure)), "rest")


@lru_cache(maxsize=64)
def _planned(planner: str, options: str) -> Plan:
    """The plan for some options: those who rest on a slider ask for it twice."""
    return PLANNERS[planner](**json.loads(options))


def _whole(planner: str, arguments: Mapping[str, object], options: Mapping[str, Any], tell: Tell) -> Message:
    step, data = steps(tell), arguments.get("data")
    ratings = judges = None
    if isinstance(data, dict):
        with step("Reading the files"):
            ratings, judges = ratings_in(data), judges_wanted(data) if planner == "labels" else judges_in(data)
    more: dict[str, Any] = {}
    with step("Learning from the pilot" if planner == "labels" else "Simulating test sets") as progress:
        if planner == "raters":
            more["progress"] = progress
        result = PLANNERS[planner](pilot=ratings, pilot_judges=judges, **options, **more)
    panel = render("plan_panel.html.j2", numbers=numbers_of(result), id="now")
    names = [] if judges is None else list(judges.judges)
    return {"html": panel + _rest(result), "page.html": page_of([result]), **kept_forms(result, names)}


def numbers_of(result: Plan) -> dict[str, object]:
    """One big number, the sentence, and each design with its cost as a bar."""
    if isinstance(result, PlanLabelsResult):
        sentence, found = labels_sentence(result), _labels_numbers(result)
    else:
        sentence, found = raters_sentence(result), _raters_numbers(result)
    return {"sentence": respelled(sentence, on_page), **found}


def _labels_numbers(result: PlanLabelsResult) -> dict[str, object]:
    best = result.recommended
    rows = [
        (series_name(one.strategy, one.labels_per_item), counted(one.items, "item"), one.cost, one is best)
        for one in result.designs
    ]
    if best is None:
        return {"big": "none", "unit": "No design is certain enough.", "bars": _bars(rows), "collect": ""}
    each = f"{best.labels_per_item:g}"
    unit = f"items with {each} label{'' if each == '1' else 's'} each, cost {best.cost:,.6g}"
    if result.options.target is None:
        unit = f"error with {counted(best.items, 'item')}, {each} label{'' if each == '1' else 's'} each"
    big = chance(best.log10_error) if result.options.target is None else whole(best.items)
    where = f"../{collect_address(best.items, round(best.labels_per_item))}"
    return {"big": big, "unit": unit, "bars": _bars(rows), "collect": where}


def _raters_numbers(result: PlanRatersResult) -> dict[str, object]:
    best, target = result.recommended, float(str(result.settings.get("power", 0.8)))
    by_raters: dict[int, Design] = {}
    for one in (*result.grid, *(() if best is None else (best,))):
        known = by_raters.get(one.raters)
        if one.power >= target and (known is None or one.cost < known.cost):
            by_raters[one.raters] = one
    found = [by_raters[raters] for raters in sorted(by_raters)]
    shown = [one for one in found if best is None or one.cost <= MOST_TIMES * best.cost][:MOST_BARS]
    rows = [
        (
            f"{counted(one.raters, 'rater')} each",
            f"{counted(one.items, 'item')}, found in {percent(one.power, 0)}",
            one.cost,
            best is not None and (one.items, one.raters) == (best.items, best.raters),
        )
        for one in shown
    ]
    if best is None:
        unit = "No design finds the difference often enough."
        return {"big": "none", "unit": unit, "bars": _bars(rows), "collect": ""}
    unit = f"items with {counted(best.raters, 'rater')} each, cost {best.cost:,.6g}"
    where = collect_address(best.items, best.raters)
    return {"big": whole(best.items), "unit": unit, "bars": _bars(rows), "collect": where}


def collect_address(items: int, raters: int) -> str:
    """Where a plan becomes a collection, seen from the planner: of the project where there is one."""
    return f"collect?items={items}&raters={max(raters, 1)}"


def _bars(rows: Sequence[tuple[str, str, float, bool]]) -> list[dict[str, object]]:
    """Designs with the length of each one's cost, of a hundred."""
    most = max((cost for _, _, cost, _ in rows), default=0) or 1
    return [
        {"name": name, "what": what, "cost": f"{cost:,.6g}", "share": round(100 * cost / most), "best": is_best}
        for name, what, cost, is_best in rows
    ]
