from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.errors import DissensusError
from dissensus.web.data_options import DATA
from dissensus.web.fields import Field, chosen, fields_for, keywords, values_of, what_is_wrong
from dissensus.web.layout import EXAMPLES, address, page_html, rendered
from dissensus.web.pages.asking import judges_known
from dissensus.web.pages.piloting import PAIRS, pilot_values, planning_recipe
from dissensus.web.pages.working import answer_values
from dissensus.web.rendering import render
from dissensus.web.showing import Recipe
from dissensus.web.state import Desk, desk_of
from dissensus.web.uploads import DataSet, Uploads
from dissensus.web.work.job import Job
from dissensus.web.work.order import Order, Work

GOALS = (("error", "How sure I must be: how many labels?"), ("budget", "What I can spend: how sure will I be?"))
FORMS = (
    ("independent", "By accuracy: they err independently"),
    ("correlated", "By how the better one does where the worse one is wrong, and where it is right"),
)
STRATEGIES = (
    ("fixed", "so many for each item"),
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
    _slider("budget", "What all may cost", "1000", "50", "20000", "50"),
    Field(name="labels_per_item", label="Labels per item to compare", default="1,3,5", holds="wholes", usual="1,3,5"),
    Field(name="item_cost", label="Cost of an item", kind="number", default="0", usual="0"),
    Field(name="label_cost", label="Cost of a label", kind="number", default="1", usual="1"),
    Field(
        name="strategy", label="How labels are spent", kind="choice", default="fixed", choices=STRATEGIES, usual="fixed"
    ),
)
FIELDS = (*INDEPENDENT, *CORRELATED, *PILOT, *SPENDING)


async def plan_labels_page(request: Request) -> HTMLResponse:
    """The planner of labels, with its answer."""
    desk, query = desk_of(request), request.query_params
    data, values = desk.uploads.find(query["data"]) if query.get("data") else None, _values(query)
    html = page_html(
        "plan_labels.html.j2",
        title="One label each for many items, or several for few?",
        page="plan_labels",
        has_charts=True,
        recipe=_recipe(data, {**values_of(DATA, query), **values}),
        goals=GOALS,
        forms=FORMS,
        values=values,
        data=data,
        examples=[(address("/plan/labels", {"data": id_}) + PAIRS[id_], words) for id_, words in EXAMPLES],
        **(await _without_pilot(desk, values) if data is None else _with_pilot(desk, data, query)),
    )
    return HTMLResponse(html)


async def plan_labels_answer(request: Request) -> HTMLResponse:
    """The answer alone, for sliders that move."""
    values = _values(request.query_params)
    html = await _answer(desk_of(request), values, is_moving=True)
    later = render("later.html.j2", address=address("/plan/labels/rest", _state(values)))
    recipe = render("recipe.html.j2", recipe=_recipe(None, values), is_swapped=True)
    return HTMLResponse(html + later + recipe, headers={"HX-Replace-Url": address("/plan/labels", _state(values))})


async def plan_labels_rest(request: Request) -> HTMLResponse:
    """The rest of the answer, once the sliders rest."""
    return HTMLResponse(await _answer(desk_of(request), _values(request.query_params), wants="rest"))


def _values(query: Mapping[str, str]) -> dict[str, str]:
    goal, described = query.get("goal", ""), query.get("described", "")
    return {
        "goal": goal if goal in dict(GOALS) else "error",
        "described": "pilot" if query.get("data") else described if described in dict(FORMS) else "independent",
        **values_of(FIELDS, query),
    }


def _asked(values: Mapping[str, str]) -> list[Field]:
    """The fields that count: those of one way to describe the models, and of error and budget the one that is given."""
    models = {"independent": INDEPENDENT, "correlated": CORRELATED, "pilot": PILOT}[values["described"]]
    ignored = "budget" if values["goal"] == "error" else "error"
    return [*models, *(field for field in SPENDING if field.name != ignored)]


def _state(values: Mapping[str, str]) -> dict[str, str]:
    """What the address of the page says."""
    described = {"described": "correlated"} if values["described"] == "correlated" else {}
    return {"goal": values["goal"], **described, **chosen(_asked(values), values)}


async def _without_pilot(desk: Desk, values: Mapping[str, str]) -> dict[str, object]:
    """What the page needs that follows its sliders."""
    return {
        "fields": [*INDEPENDENT, *CORRELATED, *SPENDING],
        "hidden": [],
        "html": rendered(await _answer(desk, values)),
        "rest": rendered(await _answer(desk, values, wants="rest")),
    }


def _with_pilot(desk: Desk, data: DataSet, query: Mapping[str, str]) -> dict[str, object]:
    """What the page needs where a pilot says how models and labels are."""
    values = _values(query)
    said = {"data": data.id, **chosen(DATA, values_of(DATA, query))}
    wrong = what_is_wrong(_asked(values), values)
    about = {} if wrong else answer_values(desk, PLAN, PLAN.order(desk.uploads, query))
    html = render("problem.html.j2", message=wrong) if wrong else render("answer.html.j2", **about)
    fields = fields_for(judges_known(desk, data.id), [*PILOT, *SPENDING])
    return {
        "fields": fields, "hidden": list(said.items()), "html": rendered(html), "rest": "",
        "refresh": about.get("refresh", False),
    }  # fmt: skip


async def _answer(desk: Desk, values: Mapping[str, str], *, wants: str = "first", is_moving: bool = False) -> str:
    """What follows the sliders, or the rest of it; what is wrong is said once."""
    try:
        options = keywords(_asked(values), values)
        key = ("plan_labels", wants, str(options))  # 0.7 and 0.70 are one question
        answer = await desk.quick.ask(key, "plan_labels", {"options": options, "wants": wants})
    except DissensusError as error:
        return render("problem.html.j2", message=str(error)) if wants == "first" else ""
    said = render("said.html.j2", lead=answer["lead"]) if is_moving else ""
    return str(answer["html"]) + said


def _order(uploads: Uploads, query: Mapping[str, str]) -> Order:
    values = _values(query)
    data, state = pilot_values(uploads, query)
    arguments = {"options": keywords(_asked(values), values), "data": data.arguments() | values_of(DATA, query)}
    return Order(
        task="plan_labels", arguments=arguments, data=data.id, state=urlencode({**state, **_state(values)})
    )  # fmt: skip


def _recipe(data: DataSet | None, values: Mapping[str, str]) -> Recipe:
    return planning_recipe("labels", data, _asked(values), values)


def _show(job: Job) -> str:
    return str(job.result["html"])


PLAN = Work(path="/plan/labels", part_names=(), order=_order, show=_show)
