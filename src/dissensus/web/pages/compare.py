from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.web.data_options import DATA, file_words, reading_lines
from dissensus.web.fields import Field, keywords, values_of
from dissensus.web.layout import EXAMPLES, page_html
from dissensus.web.pages.working import answer_values
from dissensus.web.showing import Recipe, arguments_of, command_line, options_of, python_call
from dissensus.web.state import Desk, desk_of
from dissensus.web.uploads import DataSet, Uploads
from dissensus.web.work.job import Job
from dissensus.web.work.order import Order, Work

METRICS = (
    ("wins", "on how many items it is nearer"),
    ("mae", "mean absolute error"),
    ("rmse", "root mean square error"),
    ("emd", "earth mover's distance"),
    ("accuracy", "accuracy"),
    ("cross-entropy", "cross-entropy"),
    ("spearman", "rank correlation"),
)
TESTS = (
    ("sign-flip", "are they equally good? (sign flips)"),
    ("response-permutation", "do they answer alike? (permutation)"),
    ("mixture", "do they answer alike? (mixture)"),
)
FIELDS = (
    Field(name="a", label="First judge", hint="a name; every pair if both are empty"),
    Field(name="b", label="Second judge"),
    Field(name="metric", label="How near to people", kind="choice", default="wins", choices=METRICS, usual="wins"),
    Field(name="test", label="Test", kind="choice", default="sign-flip", choices=TESTS, usual="sign-flip"),
    Field(name="margin", label="Margin", kind="number", hint="also ask whether B is at most so much worse than A"),
)


async def compare_page(request: Request) -> HTMLResponse:
    """Two judges of a data set compared."""
    desk, query = desk_of(request), request.query_params
    values, shown = values_of((*DATA, *FIELDS), query), {"title": "Is A better than B?", "page": "compare"}
    if not query.get("data"):
        recipe = Recipe(command="dissensus compare ratings.csv judges.csv", python=_python(None, values))
        return HTMLResponse(page_html("compare.html.j2", **shown, recipe=recipe, data=None, examples=EXAMPLES))
    order = COMPARE.order(desk.uploads, query)
    data = desk.uploads.find(order.data)
    chosen = {"data": data.id, **values_of(DATA, query)}
    words = [*file_words(data, values), *options_of(FIELDS, values)]
    html = page_html(
        "compare.html.j2",
        **shown,
        recipe=Recipe(command=command_line("compare", *words), python=_python(data, values)),
        data=data,
        fields=fields_for(judges_known(desk, data.id)),
        values=values,
        hidden=[(name, value) for name, value in chosen.items() if value],
        **answer_values(desk, COMPARE, order),
    )
    return HTMLResponse(html)


def judges_known(desk: Desk, data: str) -> list[str]:
    """The judges of a data set, as far as an earlier answer has named them."""
    for job in desk.jobs.about(data):
        names = job.result.get("judges")
        if isinstance(names, list) and names:
            return [str(name) for name in names]
    return []


def fields_for(judges: Sequence[str], fields: Sequence[Field] = FIELDS, *, nobody: str = "every pair") -> list[Field]:
    """The fields, with the judges to choose from once they are known; `nobody` says what choosing none means."""
    choices = (("", nobody), *((name, name) for name in judges))
    return [replace(f, kind="choice", choices=choices) if judges and f.name in {"a", "b"} else f for f in fields]


def _order(uploads: Uploads, query: Mapping[str, str]) -> Order:
    data, values = uploads.find(query.get("data", "")), values_of((*DATA, *FIELDS), query)
    state = {"data": data.id, **{name: value for name, value in values.items() if value}}
    arguments = {"data": {**data.arguments(), **values_of(DATA, query)}, "options": keywords(FIELDS, values)}
    return Order(task="compare", arguments=arguments, data=data.id, state=urlencode(state))


def _python(data: DataSet | None, values: Mapping[str, str]) -> str:
    if data is None:
        lines = ["import dissensus", "", 'ratings = dissensus.read("ratings.csv")']
        lines.append('judges = dissensus.read_judges("judges.csv")')
    else:
        lines = reading_lines(data, values)
    call = python_call("dissensus.compare", ["ratings", "judges", *arguments_of(FIELDS, values)])
    return "\n".join([*lines, f"result = {call}", "print(result.summary())"])


def _show(job: Job) -> str:
    return str(job.result["html"])


COMPARE = Work(path="/compare", part_names=(), order=_order, show=_show)
