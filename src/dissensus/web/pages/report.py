from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.web.data_options import DATA, file_words, mending, reading_lines
from dissensus.web.fields import Field, Recipe, chosen, command_line, options_of, typed, values_of
from dissensus.web.layout import address, page_html
from dissensus.web.pages.questions import more_questions
from dissensus.web.pages.working import PARTS, answer_values
from dissensus.web.state import desk_of
from dissensus.web.uploads import DataSet, Uploads
from dissensus.web.work.jobs import Job, Order, Work

FIELDS = (
    Field(
        name="bootstrap",
        label="Bootstrap samples",
        kind="number",
        default="500",
        step="1",
        holds="whole",
        usual="500",
        hint="fewer are quicker, 0 is without intervals",
    ),
)


async def report_page(request: Request) -> HTMLResponse:
    """Everything that the ratings say, section by section."""
    desk, query = desk_of(request), request.query_params
    order = REPORT.order(desk.uploads, query)
    data, values = desk.uploads.find(order.data), values_of((*DATA, *FIELDS), query)
    said = {"data": data.id, **chosen(DATA, values)}
    html = page_html(
        "report.html.j2",
        title="What the ratings say",
        page="home",
        recipe=_recipe(data, values),
        data=data,
        fields=FIELDS,
        values=values,
        hidden=list(said.items()),
        back=address("/data", said),
        more=more_questions(said, has_judges=data.judges is not None),
        **answer_values(desk, REPORT, order),
    )
    return HTMLResponse(html)


def _order(uploads: Uploads, query: Mapping[str, str]) -> Order:
    data, values = uploads.find(query.get("data", "")), values_of((*DATA, *FIELDS), query)
    state = {"data": data.id, **chosen((*DATA, *FIELDS), values)}
    arguments = {
        "data": {**data.arguments(), **values_of(DATA, query)},
        "bootstrap": typed(FIELDS[0], values["bootstrap"] or FIELDS[0].default),
    }
    return Order(task="report", arguments=arguments, data=data.id, state=urlencode(state))


def _recipe(data: DataSet, values: Mapping[str, str]) -> Recipe:
    samples = [f"bootstrap={values['bootstrap']}"] if values["bootstrap"] not in {"", "500"} else []
    has_task = data.task is not None
    asked = [
        "ratings",
        *(["judges"] if data.judges is not None else []),
        *(["task=task"] if has_task else []),
        *samples,
    ]
    title = "task.instructions" if has_task else '"What the ratings say"'
    lines = [
        *reading_lines(data, values),
        "",
        "from pathlib import Path",
        "from dissensus.methods.decide.answers import answers_of",
        "from dissensus.report.whole import report_of",
        "from dissensus.report.writing import write_page",
        "",
        f"report = report_of(answers_of({', '.join(asked)}), title={title})",
        'print(*report.verdict, sep="\\n")',
        'write_page(report, Path("report.html"))',
    ]
    words = ["report", *file_words(data, values), *options_of(FIELDS, values), "-o", "report.html"]
    commands = [command_line(*each) for each in (*mending(data, values), words)]
    return Recipe(command="\n".join(commands), python="\n".join(lines))


def _show(job: Job) -> str:
    return str(job.result["html"])


REPORT = Work(path="/report", part_names=PARTS, order=_order, show=_show)
