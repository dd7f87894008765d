from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.errors import DissensusError
from dissensus.web.fields import Field, keywords, values_of
from dissensus.web.layout import address, page_html, rendered
from dissensus.web.rendering import render
from dissensus.web.showing import Recipe, arguments_of, command_line, options_of, python_call
from dissensus.web.state import Desk, desk_of

GOALS = (("error", "How sure I must be: how many labels?"), ("budget", "What I can spend: how sure will I be?"))
STRATEGIES = (
    ("fixed", "so many for each item"),
    ("adaptive", "a third where two differ"),
    ("lead-by-two", "until one side leads by two"),
    ("disagreement-only", "only where the models differ"),
)


def _slider(name: str, label: str, default: str, low: str, high: str, step: str) -> Field:
    return Field(name=name, label=label, kind="slider", default=default, low=low, high=high, step=step)


FIELDS = (
    _slider("accuracy", "Accuracy of the worse model", "0.75", "0.5", "0.99", "0.01"),
    _slider("margin", "How much better the other one is", "0.1", "0.01", "0.3", "0.01"),
    _slider("label_accuracy", "How often a label is right", "0.75", "0.51", "1", "0.01"),
    _slider("error", "How often the worse may come out ahead", "0.05", "0.001", "0.3", "0.001"),
    _slider("budget", "What all may cost", "1000", "50", "20000", "50"),
    Field(name="labels_per_item", label="Labels per item to compare", default="1,3,5", is_list=True, usual="1,3,5"),
    Field(name="item_cost", label="Cost of an item", kind="number", default="0", usual="0"),
    Field(name="label_cost", label="Cost of a label", kind="number", default="1", usual="1"),
    Field(
        name="strategy", label="How labels are spent", kind="choice", default="fixed", choices=STRATEGIES, usual="fixed"
    ),
)


async def plan_labels_page(request: Request) -> HTMLResponse:
    """The planner of labels, with its answer."""
    values = _values(request.query_params)
    html = page_html(
        "plan_labels.html.j2",
        title="One label each for many items, or several for few?",
        page="plan_labels",
        has_charts=True,
        recipe=_recipe(values),
        goals=GOALS,
        fields=FIELDS,
        values=values,
        html=rendered(await _answer(desk_of(request), values)),
        rest=rendered(await _answer(desk_of(request), values, wants="rest")),
    )
    return HTMLResponse(html)


async def plan_labels_answer(request: Request) -> HTMLResponse:
    """The answer alone, for sliders that move."""
    values = _values(request.query_params)
    html = await _answer(desk_of(request), values, is_moving=True)
    later = render("later.html.j2", address=address("/plan/labels/rest", values))
    recipe = render("recipe.html.j2", recipe=_recipe(values), is_swapped=True)
    return HTMLResponse(html + later + recipe, headers={"HX-Replace-Url": address("/plan/labels", values)})


async def plan_labels_rest(request: Request) -> HTMLResponse:
    """The rest of the answer, once the sliders rest."""
    return HTMLResponse(await _answer(desk_of(request), _values(request.query_params), wants="rest"))


def _values(query: Mapping[str, str]) -> dict[str, str]:
    goal = query.get("goal", "error")
    return {"goal": goal if goal in dict(GOALS) else "error", **values_of(FIELDS, query)}


def _asked(values: Mapping[str, str]) -> list[Field]:
    """The fields that count: of error and budget the one that is given."""
    ignored = "budget" if values["goal"] == "error" else "error"
    return [field for field in FIELDS if field.name != ignored]


async def _answer(desk: Desk, values: Mapping[str, str], *, wants: str = "first", is_moving: bool = False) -> str:
    """What follows the sliders, or the rest of it; what is wrong is said once."""
    asked = _asked(values)
    try:
        key = ("plan_labels", wants, *(f"{field.name}={values[field.name]}" for field in asked))
        answer = await desk.quick.ask(key, "plan_labels", {"options": keywords(asked, values), "wants": wants})
    except DissensusError as error:
        return render("problem.html.j2", message=str(error)) if wants == "first" else ""
    said = render("said.html.j2", lead=answer["lead"]) if is_moving else ""
    return str(answer["html"]) + said


def _recipe(values: Mapping[str, str]) -> Recipe:
    asked = _asked(values)
    try:
        call = python_call("dissensus.plan_labels", arguments_of(asked, values))
    except DissensusError:  # the answer says what is wrong
        call = "dissensus.plan_labels()"
    return Recipe(
        command=command_line("plan", "labels", *options_of(asked, values)),
        python=f"import dissensus\n\nplan = {call}\nprint(plan.summary())",
    )
