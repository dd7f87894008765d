"""The data page: what is the matter with the files, and how to read them."""

import shlex
from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dissensus.errors import DissensusError
from dissensus.web.data_options import COLUMNS, DATA, JUDGES, RATINGS, judge_columns, reading_lines
from dissensus.web.fields import values_of
from dissensus.web.layout import address, page_html, rendered
from dissensus.web.pages.working import answer_values
from dissensus.web.receiving import TooLargeError, receive
from dissensus.web.rendering import render
from dissensus.web.showing import Recipe, command_line, options_of
from dissensus.web.state import desk_of
from dissensus.web.uploads import DataSet, Uploads
from dissensus.web.work.job import Job
from dissensus.web.work.order import Order, Work, state_of


async def data_page(request: Request) -> HTMLResponse:
    """What was found in the files, and how to read them."""
    desk = desk_of(request)
    data = desk.uploads.find(request.query_params.get("data", ""))
    values = values_of(DATA, request.query_params)
    html = page_html(
        "data.html.j2",
        title="What is in the files?",
        page="home",
        recipe=_recipe(data, values),
        data=data,
        values=values,
        ratings_fields=RATINGS,
        judges_fields=JUDGES,
        **answer_values(desk, CHECKUP, CHECKUP.order(desk.uploads, request.query_params)),
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
        status = 413 if isinstance(error, TooLargeError) else 400
        html = render("problem.html.j2", message=str(error))
        return HTMLResponse(html, status_code=status, headers={"X-Says": "why"})
    where = address("/data", {"data": desk.uploads.add(files).id})
    desk.tidy()
    return Response(headers={"HX-Redirect": where}) if is_htmx else RedirectResponse(where, status_code=303)


def _order(uploads: Uploads, query: Mapping[str, str]) -> Order:
    data, values = uploads.find(query.get("data", "")), values_of(DATA, query)
    state = {"data": data.id, **{name: value for name, value in values.items() if value}}
    return Order(task="checkup", arguments={**data.arguments(), **values}, data=data.id, state=urlencode(state))


def _show(job: Job) -> str:
    """What was found, how to mend it, and where to go on."""
    state, result = state_of(job), job.result
    mends = result.get("mends")
    return render(
        "data_found.html.j2",
        sections=[rendered(html) for html in job.parts.values()],
        errors=result["errors"],
        mends=[mend for mend in (_mend(state, str(one)) for one in mends) if mend] if isinstance(mends, list) else [],
        report=address("/report", state),
        compare=address("/compare", state) if "judges" in job.parts else "",
        plan=address("/plan/raters", state),
    )


def _mend(state: Mapping[str, str], option: str) -> tuple[str, str] | None:
    """The address of this page with an option that mends something, if the page has that option and not its value."""
    words = shlex.split(option) if option.count("'") % 2 == 0 and option.count('"') % 2 == 0 else []
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    known = {field.option: field.name for field in RATINGS}
    if not pairs or any(word not in known for word in pairs):
        return None
    wanted = {known[word]: value for word, value in pairs.items()}
    return None if wanted.items() <= state.items() else (address("/data", {**state, **wanted}), option)


def _recipe(data: DataSet, values: Mapping[str, str]) -> Recipe:
    lines = [command_line("doctor", data.ratings.name, *options_of(RATINGS, values))]
    if data.judges is not None:
        columns = [word for role, name in judge_columns(values).items() for word in (f"--{role}", name)]
        people = [] if any(values[name] for name in COLUMNS) else ["--ratings", data.ratings.name]
        repeats = options_of(RATINGS[:1], values)
        lines.append(command_line("doctor", data.judges.name, "--judges", *people, *columns, *repeats))
    python = "\n".join([*reading_lines(data, values), "print(ratings.n_items, ratings.n_ratings, ratings.warnings)"])
    return Recipe(command="\n".join(lines), python=python)


CHECKUP = Work(path="/data", part_names=("ratings", "judges"), order=_order, show=_show)
