"""The Plan tab: how many items, raters and labels, from a pilot or from what is typed in."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from dissensus.errors import DissensusError
from dissensus.web.data_options import address_options, fixing, pilot_words, read_as, reading, reading_lines
from dissensus.web.fields import (
    Field,
    Recipe,
    arguments_of,
    chosen,
    fields_for,
    keywords,
    options_of,
    python_call,
    reason_of,
    recipe_of,
    values_of,
    what_is_wrong,
)
from dissensus.web.jobs import Order, SupersededError, Work
from dissensus.web.layout import address, page_html, project_address, render, rendered
from dissensus.web.pages.questions import downloads, judges_known
from dissensus.web.shelf import DataSet, Shelf
from dissensus.web.state import Desk, answer_values, desk_of, query_of


def planning_recipe(
    planner: str, data: DataSet | None, fields: Sequence[Field], values: Mapping[str, str]
) -> Recipe:  # fmt: skip
    """How to plan elsewhere, from a pilot if there is one."""
    lines, arguments, commands, pilot = ["import dissensus", ""], [], [], []
    if data is not None:
        lines, arguments = reading_lines(data, values), ["pilot=ratings"]
        arguments += [] if data.judges is None else ["pilot_judges=judges"]
        commands = fixing(data, values, takes_options=False)
        pilot = pilot_words(data, values)
    call = python_call(f"dissensus.plan_{planner}", [*arguments, *arguments_of(fields, values)])
    commands.append(["plan", planner, *pilot, *options_of(fields, values)])
    return recipe_of(commands, [*lines, f"plan = {call}", "print(plan.summary())"])


# ---- The fields

GOALS = (("error", "How sure I must be: how many labels?"), ("budget", "What I can spend: how sure will I be?"))
FORMS = (
    ("independent", "By accuracy: they err independently"),
    ("correlated", "By how the better one does where the worse one is wrong, and where it is right"),
)
STRATEGIES = (
    ("fixed", "the same number for each item"),
    ("adaptive", "a third where two differ"),
    ("lead-by-two", "until one side leads by two"),
    ("disagreement-only", "only where the models differ"),
)


def _slider(name: str, label: str, default: str, low: str, high: str, step: str) -> Field:
    return Field(name=name, label=label, kind="slider", default=default, low=low, high=high, step=step)


INDEPENDENT = (
    _slider("accuracy", "Accuracy of the worse model", "0.75", "0.5", "0.99", "0.01"),
    _slider("margin", "How much better the other one is", "0.1", "0.01", "0.3", "0.01"),
    _slider("label_accuracy", "How often a label is right", "0.75", "0.51", "1", "0.01"),
)
CORRELATED = (
    _slider("worse_accuracy", "Accuracy of the worse one", "0.75", "0.5", "0.99", "0.01"),
    _slider("better_if_worse_wrong", "The better one is right where the worse is wrong", "0.5", "0", "1", "0.01"),
    _slider("better_if_worse_right", "The better one is right where the worse is right", "0.95", "0", "1", "0.01"),
    _slider("label_accuracy_better", "A label is right where only the better one is", "0.75", "0.51", "1", "0.01"),
    _slider("label_accuracy_worse", "A label is right where only the worse one is", "0.75", "0.51", "1", "0.01"),
)
PILOT = (
    Field(name="a", label="First model", nobody="choose one"),
    Field(name="b", label="Second model", nobody="choose one"),
    Field(
        name="pilot_label_accuracy", label="How often a label is right", kind="number", keyword="label_accuracy",
        typed_as="--label-accuracy", hint="learned from repeated labels if empty",
    ),
)  # fmt: skip
SPENDING = (
    _slider("error", "How often the worse may come out ahead", "0.05", "0.001", "0.3", "0.001"),
    _slider("budget", "Highest cost allowed", "1000", "50", "20000", "50"),
    Field(name="labels_per_item", label="Labels per item to compare", default="1,3,5", holds="wholes", usual="1,3,5"),
    Field(name="item_cost", label="Cost of an item", kind="number", default="0", usual="0"),
    Field(name="label_cost", label="Cost of a label", kind="number", default="1", usual="1"),
    Field(
        name="strategy", label="How labels are spent", kind="choice", default="fixed", choices=STRATEGIES, usual="fixed"
    ),
)
LABEL_FIELDS = (*INDEPENDENT, *CORRELATED, *PILOT, *SPENDING)

METRICS = (
    ("wins", "on how many items it is nearer"),
    ("mae", "mean absolute error"),
    ("emd", "earth mover's distance (takes a while)"),
)
QUICK = frozenset({"wins", "mae"})  # what has a closed form and follows a slider; the rest is simulated

DESIGN = (
    Field(name="metric", label="How close to people", kind="choice", default="wins", choices=METRICS, usual="wins"),
    Field(
        name="power", label="How often a difference must be found", kind="slider", default="0.8", low="0.5",
        high="0.99", step="0.01", usual="0.8",
    ),
    Field(
        name="alpha", label="False alarms allowed", kind="slider", default="0.05", low="0.005", high="0.2",
        step="0.005", usual="0.05",
    ),
    Field(name="items", label="Numbers of items", holds="wholes", hint="as in 50,100,250; the best are found if empty"),
    Field(name="raters", label="Raters per item", holds="wholes", hint="as in 1,3,5; some are tried if empty"),
    Field(name="item_cost", label="Cost of an item", kind="number", default="0", usual="0"),
    Field(name="rating_cost", label="Cost of a rating", kind="number", default="1", usual="1"),
    Field(name="budget", label="Highest cost allowed", kind="number"),
)  # fmt: skip
EFFECT = Field(
    name="effect", label="How much further B is from people", kind="slider", default="0.1", low="0.01",
    high="0.5", step="0.01", hint="as a share of the scale",
)  # fmt: skip
JUDGES = (
    Field(name="a", label="First judge", nobody="choose one"),
    Field(name="b", label="Second judge", nobody="choose one"),
)
PILOT_METRIC = Field(
    name="metric", label="How close to people", kind="choice",
    choices=(("", "what fits the labels"), ("information", "what its calibrated answers tell"), *METRICS),
)  # fmt: skip
WITHOUT_PILOT, WITH_PILOT = (EFFECT, *DESIGN), (*JUDGES, PILOT_METRIC, *DESIGN[1:])

# ---- Which planner, and what an address says to it

PLANNERS = {"raters": "Items and raters", "labels": "Labels"}
TITLES = {
    "raters": "How many items and raters do I need?",
    "labels": "One label each for many items, or several for few?",
}
LEADS = {
    "raters": "Compare two judges with people who disagree.",
    "labels": "Compare two models on labels that are sometimes wrong.",
}
PAGES = {"raters": "plan", "labels": "plan/labels"}


def _values(planner: str, query: Mapping[str, str]) -> dict[str, str]:
    if planner == "raters":
        return values_of(WITH_PILOT if query.get("data") else WITHOUT_PILOT, query)
    goal, described = query.get("goal", ""), query.get("described", "")
    return {
        "goal": goal if goal in dict(GOALS) else "error",
        "described": "pilot" if query.get("data") else described if described in dict(FORMS) else "independent",
        **values_of(LABEL_FIELDS, query),
    }


def _planner_fields(planner: str, query: Mapping[str, str], values: Mapping[str, str]) -> list[Field]:
    """The fields that count: those of one way to describe the models, and of error and budget the one that is given."""
    if planner == "raters":
        return list(WITH_PILOT if query.get("data") else WITHOUT_PILOT)
    models = {"independent": INDEPENDENT, "correlated": CORRELATED, "pilot": PILOT}[values["described"]]
    ignored = "budget" if values["goal"] == "error" else "error"
    return [*models, *(field for field in SPENDING if field.name != ignored)]


def _state(planner: str, query: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
    """What the address of the page says."""
    said = chosen(_planner_fields(planner, query, values), values)
    if planner == "raters":
        return said
    described = {"described": "correlated"} if values["described"] == "correlated" else {}
    return {"goal": values["goal"], **described, **said}


def limits(values: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """The ends of fields that others bound, as those stand, so that nothing impossible can be chosen.

    No model is right more often than always, the better one is right more often than the worse one, and something has
    a cost.

    Examples
    --------
    >>> limits({"accuracy": "0.9", "margin": "0.05"})
    {'accuracy': ('0.5', '0.95'), 'margin': ('0.01', '0.1')}
    >>> limits({"item_cost": "0", "rating_cost": "1"}), limits({"accuracy": "much"})
    ({'item_cost': ('0', ''), 'rating_cost': ('0.01', '')}, {})
    """
    found: dict[str, tuple[str, str]] = {}
    if two := _numbers(values, "accuracy", "margin"):
        found |= {"accuracy": _within("accuracy", high=1 - two[1]), "margin": _within("margin", high=1 - two[0])}
    if three := _numbers(values, "worse_accuracy", "better_if_worse_wrong", "better_if_worse_right"):
        worse, if_wrong, if_right = three
        # The better one alone is right on (1 - worse) * if_wrong of the items, the worse one on worse * (1 - if_right).
        most, least = if_wrong / max(if_wrong + 1 - if_right, STEP), worse * (1 - if_right) / max(1 - worse, STEP)
        found["worse_accuracy"] = _within("worse_accuracy", high=most - CLEAR)
        found["better_if_worse_wrong"] = _within("better_if_worse_wrong", low=least + CLEAR)
        least = 1 - (1 - worse) * if_wrong / max(worse, STEP)
        found["better_if_worse_right"] = _within("better_if_worse_right", low=least + CLEAR)
    for names in (("item_cost", "label_cost"), ("item_cost", "rating_cost")):
        if costs := _numbers(values, *names):
            found |= {name: ("0" if other else "0.01", "") for name, other in zip(names, reversed(costs), strict=True)}
    return found


STEP, CLEAR = 0.01, 1e-6  # of the sliders that others bound, and how far an end that is not possible itself is left
_ENDS = {field.name: (float(field.low), float(field.high)) for field in (*INDEPENDENT, *CORRELATED)}


def _numbers(values: Mapping[str, str], *names: str) -> list[float]:
    """The values of these fields; none unless all are finite numbers."""
    try:
        found = [float(values[name]) for name in names]
    except (KeyError, ValueError):
        return []
    return found if all(map(math.isfinite, found)) else []


def _within(name: str, *, low: float = -math.inf, high: float = math.inf) -> tuple[str, str]:
    """The ends of a slider, moved inwards to steps that are within some others."""
    least, most = _ENDS[name]
    low, high = (min(max(end, least), most) for end in (low, high))
    low = min(math.ceil(low / STEP - CLEAR) * STEP, most) if low > least else least
    high = max(math.floor(high / STEP + CLEAR) * STEP, least) if high < most else most
    return f"{low:.4g}", f"{high:.4g}"


def _bounded(fields: Sequence[Field], values: Mapping[str, str]) -> list[Field]:
    """The fields with what can be chosen as the others stand."""
    ends = limits(values)
    return [
        replace(field, low=ends[field.name][0], high=ends[field.name][1]) if field.name in ends else field
        for field in fields
    ]


def is_quick(planner: str, query: Mapping[str, str], values: Mapping[str, str]) -> bool:
    """Whether there is a closed form that follows a slider; from a pilot, and where it is simulated, it is a job."""
    return not query.get("data") and (planner == "labels" or values["metric"] in QUICK)


async def _wanted(
    desk: Desk, planner: str, query: Mapping[str, str], wants: str, *, seat: str = ""
) -> Mapping[str, object]:
    """A part of a plan that has a closed form."""
    values = _values(planner, query)
    options = keywords(_planner_fields(planner, query, values), values)
    key = ("plan", planner, wants, str(options))  # 0.7 and 0.70 are one question
    return await desk.quick.ask(key, f"plan_{planner}", {"options": options, "wants": wants}, seat=seat)


# ---- The page, what follows a slider, and the same as JSON


async def plan_page(request: Request, planner: str) -> HTMLResponse:
    """A planner with its answer: inputs beside one big number."""
    desk, query = desk_of(request), query_of(request)
    data = desk.shelf.find(query["data"]) if query.get("data") else None
    known = [] if data is None else judges_known(desk, data.id)
    if len(known) > 1 and not {"a", "b"} & query.keys():
        query |= {"a": known[0], "b": known[1]}  # two of them to begin with; the menus have the others
    values = _values(planner, query)
    asked, read = _planner_fields(planner, query, values), {} if data is None else reading(data, query)
    shown = _shown_fields(planner, query)
    html = page_html(
        "plan.html.j2", title=TITLES[planner], page="plan" if data is None else "", tab="plan", has_charts=True,
        data=data, planner=planner,
        planners=[(_page(data, name), words, name == planner) for name, words in PLANNERS.items()], lead=LEADS[planner],
        here=_page(data, planner), goals=GOALS if planner == "labels" else (),
        forms=FORMS if planner == "labels" and data is None else (),
        fields=_bounded(shown if data is None else fields_for(known, shown), values), values=values,
        hidden=[] if data is None else list(address_options(data, query).items()),
        moves=is_quick(planner, query, values) or (planner == "raters" and data is None),
        state=urlencode(_state(planner, query, values)),
        recipe=planning_recipe(planner, data, asked, {**read, **values}), beside=await _beside(desk, planner, query),
        **await _answer(desk, planner, query),
    )  # fmt: skip
    return HTMLResponse(html)


def _page(data: DataSet | None, planner: str) -> str:
    return f"/{PAGES[planner]}" if data is None else project_address(data.id, PAGES[planner])


def _shown_fields(planner: str, query: Mapping[str, str]) -> list[Field]:
    if planner == "raters":
        return list(WITH_PILOT if query.get("data") else WITHOUT_PILOT)
    return [*PILOT, *SPENDING] if query.get("data") else [*INDEPENDENT, *CORRELATED, *SPENDING]


async def _answer(desk: Desk, planner: str, query: Mapping[str, str]) -> dict[str, object]:
    """The panel and the rest, where there is a closed form; else the job that computes it."""
    values = _values(planner, query)
    wrong = what_is_wrong(_planner_fields(planner, query, values), values)
    nothing: dict[str, object] = {"panel": "", "rest": "", "job_html": "", "downloads": []}
    if wrong:
        return {**nothing, "panel": rendered(render("problem.html.j2", message=wrong))}
    if is_quick(planner, query, values):
        panel, rest = await _panel(desk, planner, query), await _rest(desk, planner, query)
        where = address(f"/{PAGES[planner]}.json", _state(planner, query, values))
        return {**nothing, "panel": rendered(panel), "rest": rendered(rest), "downloads": [(where, "JSON")]}
    order = WORKS[planner].order(desk.shelf, query)
    about = answer_values(desk, WORKS[planner], order)
    html = rendered(render("answer.html.j2", **about))
    forms = downloads(order.data, PAGES[planner], order.state) if order.data else []
    return {**nothing, "job_html": html, "refresh": about["refresh"], "downloads": forms}


async def _panel(desk: Desk, planner: str, query: Mapping[str, str], *, id_: str = "plan") -> str:
    try:
        answer = await _wanted(desk, planner, query, "numbers")
    except DissensusError as error:
        return render("problem.html.j2", message=reason_of(error))
    return render("plan_panel.html.j2", numbers=answer["numbers"], id=id_)


async def _rest(desk: Desk, planner: str, query: Mapping[str, str]) -> str:
    try:
        return str((await _wanted(desk, planner, query, "rest"))["html"])
    except DissensusError:  # the panel says why
        return ""


async def _beside(desk: Desk, planner: str, query: Mapping[str, str]) -> dict[str, object] | None:
    """Another plan beside this one, and what differs in what was chosen."""
    other = dict(parse_qsl(query.get("beside", "")))
    if not other or query.get("data"):
        return None
    mine, theirs = _values(planner, query), _values(planner, other)
    if not is_quick(planner, other, theirs):
        return None
    labels = {field.name: field.label for field in _planner_fields(planner, other, theirs)}
    differ = [f"{labels[name]}: {theirs[name] or '-'}" for name in labels if mine.get(name) != theirs[name]]
    panel = await _panel(desk, planner, other, id_="beside")
    return {"panel": rendered(panel), "differ": differ, "where": address(f"/{PAGES[planner]}", other)}


async def plan_move(request: Request, planner: str) -> Response:
    """The numbers alone, for a slider that moves; nothing where it has moved on already."""
    desk = desk_of(request)
    query = {name: value for name, value in request.query_params.items() if name != "data"}
    values = _values(planner, query)
    asked = _planner_fields(planner, query, values)
    found: dict[str, object] = {"address": address(f"/{PAGES[planner]}", _state(planner, query, values))}
    recipe = planning_recipe(planner, None, asked, values)
    found |= {"limits": limits(values), "command": recipe.command, "python": recipe.python}
    try:
        if not is_quick(planner, query, values):
            return JSONResponse({**found, "error": "", "slow": True})
        answer = await _wanted(desk, planner, query, "numbers", seat=query.get("seat", "")[:40])
    except SupersededError:
        return Response(status_code=204)
    except DissensusError as error:
        return JSONResponse({**found, "error": reason_of(error)})
    return JSONResponse({**found, "error": "", "numbers": answer["numbers"]})


async def plan_rest(request: Request, planner: str) -> HTMLResponse:
    """The charts and tables, once the sliders rest."""
    query = {name: value for name, value in request.query_params.items() if name != "data"}
    return HTMLResponse(await _rest(desk_of(request), planner, query))


async def plan_json(request: Request, planner: str) -> Response:
    """The plan as JSON, at the address of its page."""
    desk = desk_of(request)
    query = {name: value for name, value in request.query_params.items() if name != "data"}
    if not is_quick(planner, query, _values(planner, query)):
        raise DissensusError("This plan is simulated: open its page, which shows the progress.")
    return JSONResponse((await _wanted(desk, planner, query, "json"))["json"])


# ---- Plans that take a while


def _order(planner: str, shelf: Shelf, query: Mapping[str, str]) -> Order:
    values = _values(planner, query)
    arguments: dict[str, object] = {"options": keywords(_planner_fields(planner, query, values), values)}
    state, data, said = _state(planner, query, values), "", ""
    if query.get("data"):
        found = shelf.find(query["data"])
        read = reading(found, query)
        arguments["data"], data = {**found.arguments(), **read}, found.id
        state, said = {**address_options(found, query), **state}, read_as(shelf, found, read)
    return Order(task=f"plan_{planner}", arguments=arguments, data=data, state=urlencode(state), reading=said)


WORKS = {planner: Work(page=page, order=partial(_order, planner)) for planner, page in PAGES.items()}
