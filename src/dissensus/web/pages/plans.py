"""The pages of the two planners."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.errors import DissensusError
from dissensus.web.data_options import DATA, fixing, pilot_words, reading_lines
from dissensus.web.fields import (
    Field,
    Recipe,
    arguments_of,
    chosen,
    command_line,
    fields_for,
    keywords,
    options_of,
    python_call,
    values_of,
    what_is_wrong,
    why,
)
from dissensus.web.jobs import Job, Order, Work
from dissensus.web.layout import EXAMPLES, address, page_html, render, rendered
from dissensus.web.pages.questions import judges_known
from dissensus.web.state import Desk, answer_values, desk_of
from dissensus.web.uploads import DataSet, Uploads

PAIRS = {"example:toxicity": "&a=strong&b=weak", "example:binary": ""}
"""Two judges of an example that are worth telling apart."""


def pilot_values(uploads: Uploads, query: Mapping[str, str]) -> tuple[DataSet, dict[str, str]]:
    """The pilot, and what an address says about its files."""
    data = uploads.find(query.get("data", ""))
    return data, {"data": data.id, **chosen(DATA, values_of(DATA, query))}


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
    return Recipe(
        command="\n".join(command_line(*words) for words in commands),
        python="\n".join([*lines, f"plan = {call}", "print(plan.summary())"]),
    )


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
    html = await _labels_answer(desk_of(request), values, is_moving=True)
    later = render("later.html.j2", address=address("/plan/labels/rest", _state(values)))
    recipe = render("recipe.html.j2", recipe=_recipe(None, values), is_swapped=True)
    return HTMLResponse(html + later + recipe, headers={"HX-Replace-Url": address("/plan/labels", _state(values))})


async def plan_labels_rest(request: Request) -> HTMLResponse:
    """The rest of the answer, once the sliders rest."""
    return HTMLResponse(await _labels_answer(desk_of(request), _values(request.query_params), wants="rest"))


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
        "html": rendered(await _labels_answer(desk, values)),
        "rest": rendered(await _labels_answer(desk, values, wants="rest")),
    }


def _with_pilot(desk: Desk, data: DataSet, query: Mapping[str, str]) -> dict[str, object]:
    """What the page needs where a pilot says how models and labels are."""
    values = _values(query)
    said = {"data": data.id, **chosen(DATA, values_of(DATA, query))}
    wrong = what_is_wrong(_asked(values), values)
    about = {} if wrong else answer_values(desk, PLAN_LABELS, PLAN_LABELS.order(desk.uploads, query))
    html = render("problem.html.j2", message=wrong) if wrong else render("answer.html.j2", **about)
    fields = fields_for(judges_known(desk, data.id), [*PILOT, *SPENDING])
    return {
        "fields": fields, "hidden": list(said.items()), "html": rendered(html), "rest": "",
        "refresh": about.get("refresh", False),
    }  # fmt: skip


async def _labels_answer(
    desk: Desk, values: Mapping[str, str], *, wants: str = "first", is_moving: bool = False
) -> str:
    """What follows the sliders, or the rest of it; what is wrong is said once."""
    try:
        options = keywords(_asked(values), values)
        key = ("plan_labels", wants, str(options))  # 0.7 and 0.70 are one question
        answer = await desk.quick.ask(key, "plan_labels", {"options": options, "wants": wants})
    except DissensusError as error:
        return render("problem.html.j2", message=why(error)) if wants == "first" else ""
    said = render("said.html.j2", lead=answer["lead"]) if is_moving else ""
    return str(answer["html"]) + said


def _labels_order(uploads: Uploads, query: Mapping[str, str]) -> Order:
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


PLAN_LABELS = Work(path="/plan/labels", part_names=(), order=_labels_order, show=_show)


METRICS = (
    ("wins", "on how many items it is nearer"),
    ("mae", "mean absolute error"),
    ("emd", "earth mover's distance (takes a while)"),
)
QUICK = frozenset({"wins", "mae"})
"""What has a closed form and follows a slider; the rest is simulated."""

DESIGN = (
    Field(name="metric", label="How near to people", kind="choice", default="wins", choices=METRICS, usual="wins"),
    Field(
        name="power", label="How often the test must find it", kind="slider", default="0.8", low="0.5", high="0.99",
        step="0.01", usual="0.8",
    ),
    Field(
        name="alpha", label="Level of the test", kind="slider", default="0.05", low="0.005", high="0.2", step="0.005",
        usual="0.05",
    ),
    Field(name="items", label="Numbers of items", holds="wholes", hint="as in 50,100,250; the best are found if empty"),
    Field(name="raters", label="Raters per item", holds="wholes", hint="as in 1,3,5; some are tried if empty"),
    Field(name="item_cost", label="Cost of an item", kind="number", default="0", usual="0"),
    Field(name="rating_cost", label="Cost of a rating", kind="number", default="1", usual="1"),
    Field(name="budget", label="What all may cost", kind="number"),
)  # fmt: skip
EFFECT = Field(
    name="effect", label="How far B strays from people (share of the scale)", kind="slider", default="0.1", low="0.01",
    high="0.5", step="0.01",
)  # fmt: skip
JUDGES = (
    Field(name="a", label="First judge", nobody="choose one"),
    Field(name="b", label="Second judge", nobody="choose one"),
)
PILOT_METRIC = Field(
    name="metric", label="How near to people", kind="choice", default="wins",
    choices=(*METRICS, ("information", "what its calibrated answers tell")),
)  # fmt: skip
WITHOUT_PILOT, WITH_PILOT = (EFFECT, *DESIGN), (*JUDGES, PILOT_METRIC, *DESIGN[1:])


async def plan_raters_page(request: Request) -> HTMLResponse:
    """The planner of items and raters, with its answer."""
    desk, query = desk_of(request), request.query_params
    data = desk.uploads.find(query["data"]) if query.get("data") else None
    fields, values = _fields(query), values_of((*DATA, *_fields(query)), query)
    said = {} if data is None else pilot_values(desk.uploads, query)[1]
    job = None if what_is_wrong(fields, values) else desk.jobs.answering(PLAN.order(desk.uploads, query).key)
    html = page_html(
        "plan_raters.html.j2",
        title="How many items and raters do I need?",
        page="plan_raters",
        has_charts=True,
        refresh=job is not None and not job.is_over,
        recipe=planning_recipe("raters", data, fields, values),
        data=data,
        examples=[(address("/plan/raters", {"data": id_}) + PAIRS[id_], words) for id_, words in EXAMPLES],
        fields=fields if data is None else fields_for(judges_known(desk, data.id), fields),
        values=values,
        hidden=list(said.items()),
        html=rendered(await _answer(desk, query)),
    )
    return HTMLResponse(html)


async def plan_raters_answer(request: Request) -> HTMLResponse:
    """The answer alone, for sliders that move."""
    query = {name: value for name, value in request.query_params.items() if name != "data"}
    values = values_of(WITHOUT_PILOT, query)
    recipe = render("recipe.html.j2", recipe=planning_recipe("raters", None, WITHOUT_PILOT, values), is_swapped=True)
    html = await _answer(desk_of(request), query, is_moving=True)
    where = address("/plan/raters", chosen(WITHOUT_PILOT, values))
    return HTMLResponse(html + recipe, headers={"HX-Replace-Url": where})


def _fields(query: Mapping[str, str]) -> tuple[Field, ...]:
    return WITH_PILOT if query.get("data") else WITHOUT_PILOT


async def _answer(desk: Desk, query: Mapping[str, str], *, is_moving: bool = False) -> str:
    """At once where there is a closed form and no pilot; else a job, and how far it is."""
    fields = _fields(query)
    values = values_of(fields, query)
    try:
        options = keywords(fields, values)
        order = PLAN.order(desk.uploads, query)
        if query.get("data") or values["metric"] not in QUICK:
            return render("answer.html.j2", **answer_values(desk, PLAN, order))
        answer = await desk.quick.ask(("plan_raters", str(options)), "plan_raters", {"options": options})
    except DissensusError as error:
        return render("problem.html.j2", message=why(error))
    return str(answer["html"]) + (render("said.html.j2", lead=answer["lead"]) if is_moving else "")


def _order(uploads: Uploads, query: Mapping[str, str]) -> Order:
    fields = _fields(query)
    values = values_of(fields, query)
    arguments: dict[str, object] = {"options": keywords(fields, values)}
    state, data = chosen(fields, values), ""
    if query.get("data"):
        found, said = pilot_values(uploads, query)
        arguments["data"], data = {**found.arguments(), **values_of(DATA, query)}, found.id
        state = {**said, **state}
    return Order(task="plan_raters", arguments=arguments, data=data, state=urlencode(state))


PLAN = Work(path="/plan/raters", part_names=(), order=_order, show=_show)
