"""The data page and the report: what the files hold, and everything that they say."""

from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dissensus.errors import DissensusError
from dissensus.web.data_options import (
    ALL_JUDGES,
    ALL_RATINGS,
    DATA,
    FIXES,
    JUDGE_COLUMNS,
    JUDGE_FIXES,
    JUDGE_QUESTION,
    RATINGS,
    RENAME,
    LabelChoice,
    file_words,
    fixed,
    fixing,
    is_read_plainly,
    label_choices,
    reading_lines,
    renamed,
)
from dissensus.web.fields import Field, Recipe, chosen, command_line, options_of, typed, values_of, what_is_wrong, why
from dissensus.web.jobs import Job, Order, Work, state_of
from dissensus.web.layout import address, page_html, render, rendered
from dissensus.web.pages.questions import more_questions
from dissensus.web.state import PARTS, answer_values, desk_of, status_of
from dissensus.web.uploads import DataSet, Uploads, receive

# ---- The data page: what is wrong with the files, and how to read them

RENAMES = {"ratings": "rename", "judges": "judges_rename"}
"""What the lists are called in which a visitor picks other names for labels."""


async def data_page(request: Request) -> Response:
    """What was found in the files, and how to read them."""
    desk, query = desk_of(request), request.query_params
    data, values = desk.uploads.find(query.get("data", "")), values_of(DATA, query)
    said = {"data": data.id, **chosen(DATA, values)}
    picked = {file: query.getlist(name) for file, name in RENAMES.items()}
    if any(part for parts in picked.values() for part in parts):
        return RedirectResponse(address("/data", renamed(said, picked)), status_code=303)
    wrong = what_is_wrong(DATA, values)
    about = {} if wrong else answer_values(desk, CHECKUP, CHECKUP.order(desk.uploads, query))
    html = page_html(
        "data.html.j2",
        title="What is in the files?",
        page="home",
        recipe=_recipe(data, values),
        data=data,
        values=values,
        ratings_fields=RATINGS,
        ratings_fixes=FIXES,
        judges_fields=(*JUDGE_COLUMNS, JUDGE_QUESTION),
        judges_fixes=JUDGE_FIXES,
        wrong=wrong,
        **about,
    )
    return HTMLResponse(html)


async def upload(request: Request) -> Response:
    """Take files in, and go to the page about them."""
    desk, is_htmx = desk_of(request), "hx-request" in request.headers
    try:
        files = await receive(
            request, desk.uploads, largest=desk.settings.largest_upload, idle_seconds=desk.settings.request_seconds
        )
    except DissensusError as error:
        if not is_htmx:
            raise
        html = render("problem.html.j2", message=why(error))
        return HTMLResponse(html, status_code=status_of(error), headers={"X-Says": "why"})
    where = address("/data", {"data": desk.uploads.add(files).id})
    desk.tidy()
    return Response(headers={"HX-Redirect": where}) if is_htmx else RedirectResponse(where, status_code=303)


def _order(uploads: Uploads, query: Mapping[str, str]) -> Order:
    data, values = uploads.find(query.get("data", "")), values_of(DATA, query)
    state = {"data": data.id, **chosen(DATA, values)}
    return Order(task="checkup", arguments={**data.arguments(), **values}, data=data.id, state=urlencode(state))


def _show(job: Job) -> str:
    """What was found, how to fix it, and where to go on."""
    state, result = state_of(job), job.result
    return render(
        "data_found.html.j2",
        sections=[rendered(html) for html in job.parts.values()],
        errors=result["errors"],
        fixes=_fixes(state, result),
        hidden=list(state.items()),
        lists=_lists(state, result),
        report=address("/report", state),
        more=more_questions(state, has_judges="judges" in job.parts),
    )


def _fixes(state: Mapping[str, str], result: Mapping[str, object]) -> list[tuple[str, str, str]]:
    """What the check-up proposes, as the address of this page with it, the file and the option."""
    proposed = result.get("fixes")
    found = []
    for file, option in proposed if isinstance(proposed, list) else ():
        new = fixed(state, file, option)
        if new is not None:
            found.append((address("/data", new), file, option))
    return found


def _lists(state: Mapping[str, str], result: Mapping[str, object]) -> list[tuple[str, str, list[LabelChoice]]]:
    """For each file the name of its lists, and its labels with what each can be taken for.

    Only where no label has another name yet: the lists are about labels as the file has them.
    """
    labels = result.get("labels")
    found = []
    for file, names in labels.items() if isinstance(labels, dict) else ():
        choices = label_choices([str(name) for name in names])
        if choices and RENAME[file] not in state:
            found.append((str(file), RENAMES[file], choices))
    return found


def _recipe(data: DataSet, values: Mapping[str, str]) -> Recipe:
    lines = [command_line("doctor", data.ratings.name, *options_of(ALL_RATINGS, values))]
    if data.judges is not None:
        people = ["--ratings", data.ratings.name] if is_read_plainly(values) else []
        said = options_of((*ALL_JUDGES, RATINGS[0]), values)
        lines.append(command_line("doctor", data.judges.name, "--judges", *people, *said))
    python = "\n".join([*reading_lines(data, values), "print(ratings.n_items, ratings.n_ratings, ratings.warnings)"])
    return Recipe(command="\n".join(lines), python=python)


CHECKUP = Work(path="/data", part_names=("ratings", "judges"), order=_order, show=_show)


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
        recipe=_report_recipe(data, values),
        data=data,
        fields=FIELDS,
        values=values,
        hidden=list(said.items()),
        back=address("/data", said),
        more=more_questions(said, has_judges=data.judges is not None),
        **answer_values(desk, REPORT, order),
    )
    return HTMLResponse(html)


def _report_order(uploads: Uploads, query: Mapping[str, str]) -> Order:
    data, values = uploads.find(query.get("data", "")), values_of((*DATA, *FIELDS), query)
    state = {"data": data.id, **chosen((*DATA, *FIELDS), values)}
    arguments = {
        "data": {**data.arguments(), **values_of(DATA, query)},
        "bootstrap": typed(FIELDS[0], values["bootstrap"] or FIELDS[0].default),
    }
    return Order(task="report", arguments=arguments, data=data.id, state=urlencode(state))


def _report_recipe(data: DataSet, values: Mapping[str, str]) -> Recipe:
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
        "from dissensus.report.files import write_page",
        "",
        f"report = report_of(answers_of({', '.join(asked)}), title={title})",
        'print(*report.verdict, sep="\\n")',
        'write_page(report, Path("report.html"))',
    ]
    words = ["report", *file_words(data, values), *options_of(FIELDS, values), "-o", "report.html"]
    commands = [command_line(*each) for each in (*fixing(data, values), words)]
    return Recipe(command="\n".join(commands), python="\n".join(lines))


def _report_show(job: Job) -> str:
    return str(job.result["html"])


REPORT = Work(path="/report", part_names=PARTS, order=_report_order, show=_report_show)
