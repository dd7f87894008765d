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
from dissensus.web.state import Desk, desk_of
from dissensus.web.uploads import Uploads
from dissensus.web.work.job import Job
from dissensus.web.work.order import Order, Work

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
WITHOUT_PILOT, WITH_PILOT = (EFFECT, *DESIGN), (*JUDGES, *DESIGN)


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
        return render("problem.html.j2", message=str(error))
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


def _show(job: Job) -> str:
    return str(job.result["html"])


PLAN = Work(path="/plan/raters", part_names=(), order=_order, show=_show)
