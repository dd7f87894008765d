"""The Results tab: everything that the files say, and every answer in the forms in which it can be taken away."""

from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from dissensus.data.project import HISTORY
from dissensus.web.data_options import address_options, file_words, fixing, read_as, reading, reading_lines
from dissensus.web.fields import (
    MOST_TIMES,
    Field,
    Recipe,
    chosen,
    options_of,
    recipe_of,
    typed,
    values_of,
    what_is_wrong,
)
from dissensus.web.jobs import Order, Work
from dissensus.web.layout import page_html, project_address, refusal, render, rendered
from dissensus.web.pages.plans import WORKS
from dissensus.web.pages.questions import ASKINGS, more_questions
from dissensus.web.shelf import DataSet, Shelf
from dissensus.web.state import PARTS, answer_values, data_of, desk_of, query_of

FIELDS = (
    Field(
        name="bootstrap",
        label="Bootstrap samples",
        kind="number",
        default="500",
        low="0",
        high=MOST_TIMES["bootstrap"],
        step="1",
        holds="whole",
        usual="500",
        hint="fewer are quicker; 0 gives no intervals",
    ),
    Field(name="by", label="Split by", hint="a column that describes each item"),
)


async def results_page(request: Request) -> Response:
    """Everything that the files say, section by section."""
    desk, data, query = desk_of(request), data_of(request), query_of(request)
    if not data.has_people:
        return RedirectResponse(project_address(data.id, "data"), status_code=303)
    values = {**reading(data, query), **values_of(FIELDS, query)}
    wrong = what_is_wrong(FIELDS, values)
    order = None if wrong else REPORT.order(desk.shelf, query)
    html = page_html(
        "results.html.j2", title=data.project.name, tab="results", recipe=_recipe(data, values), data=data,
        fields=FIELDS[:1], values=values,
        hidden=list({**address_options(data, query), **chosen(FIELDS[1:], values)}.items()),
        more=more_questions(data, address_options(data, query)),
        wrong=rendered(render("problem.html.j2", message=wrong)) if wrong else "",
        **({} if order is None else answer_values(desk, REPORT, order)),
    )  # fmt: skip
    return HTMLResponse(html)


def _order(shelf: Shelf, query: Mapping[str, str]) -> Order:
    data = shelf.find(query.get("data", ""))
    read, values = reading(data, query), values_of(FIELDS, query)
    samples = typed(FIELDS[0], values["bootstrap"] or FIELDS[0].default)
    kept = {"history": str(data.project.folder / HISTORY)} if not data.is_example else {}
    state = urlencode({**address_options(data, query), **chosen(FIELDS, values)})
    about = {**data.arguments(), **read, **kept, "by": values["by"]}
    arguments = {"data": about, "bootstrap": samples, "title": data.project.name, "state": state}
    return Order(task="report", arguments=arguments, data=data.id, state=state, reading=read_as(shelf, data, read))


def _recipe(data: DataSet, values: Mapping[str, str]) -> Recipe:
    samples = [f"bootstrap={values['bootstrap']}"] if values["bootstrap"] not in {"", "500"} else []
    has_task = data.task is not None
    answers, report = ("answers_in_parts", "report_in_parts") if values["by"] else ("answers_of", "report_of")
    question = ", asked=task.instructions" if has_task and not values["by"] else ""
    judges = ["judges"] if data.judges is not None else ["None"] if values["by"] else []
    asked = ["ratings", *judges, *(["task=task"] if has_task else []), *samples]
    lines = [
        *reading_lines(data, values, more=FIELDS[1:]),
        "",
        "from pathlib import Path",
        f"from dissensus.report.answers import {answers}",
        f"from dissensus.report.whole import {report}",
        "from dissensus.report.files import write_page",
        "",
        f"report = {report}({answers}({', '.join(asked)}), title={data.project.name!r}{question})",
        'print(*report.verdict, sep="\\n")',
        'write_page(report, Path("report.html"))',
    ]
    words = ["report", *file_words(data, values), *options_of(FIELDS, values), "-o", "report.html"]
    return recipe_of([*fixing(data, values), words], lines)


REPORT = Work(page="results", part_names=PARTS, order=_order)

# ---- Every answer at the address of its page: .json, .csv, and .html as a page that needs no server

KINDS = {"json": "application/json", "csv": "text/csv", "html": "text/html"}
NOT_YET = "This is not computed yet: open the page without the suffix, or try again in a while."


async def download(request: Request) -> Response:
    """An answer in one of its forms; it is started where it was not computed yet."""
    desk, query = desk_of(request), query_of(request)
    page = request.url.path.split("/", 3)[3].rpartition(".")[0]
    form = request.path_params["form"]
    plans = {work.page: work for work in WORKS.values()}
    works = {"results": REPORT, **plans, **{asking.command: asking.work() for asking in ASKINGS}}
    if page not in works or form not in KINDS:
        return refusal("There is no such page.", status=404)
    order = works[page].order(desk.shelf, query)
    found = desk.kept(order, {"html": "page.html"}.get(form, form))
    if found is None:
        job = desk.jobs.answering(order.key)
        if form == "json":
            job = desk.jobs.ask(order.key, order.task, order.arguments)
            return JSONResponse({"status": job.status, "error": job.error or None, "text": NOT_YET}, status_code=202)
        return refusal(job.error if job and job.error else NOT_YET, status=404)
    name = f"{data_of(request).project.name} {page.replace('/', ' ')}.{form}"
    headers = {} if form == "json" else {"Content-Disposition": attachment(name)}
    return Response(found, media_type=KINDS[form], headers=headers)


def attachment(name: str) -> str:
    """The header that lets a browser save an answer under a name."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in " ._-") else "_" for c in name)
    return f'attachment; filename="{plain}"'
