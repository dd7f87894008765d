"""Start long work, ask how far it is, and cancel it."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dissensus.errors import DissensusError
from dissensus.web.messages import refusal
from dissensus.web.pages.compare import COMPARE
from dissensus.web.pages.data import CHECKUP
from dissensus.web.pages.plan_raters import PLAN
from dissensus.web.pages.report import REPORT
from dissensus.web.pages.working import answer_html, progress_answer
from dissensus.web.rendering import render
from dissensus.web.state import desk_of
from dissensus.web.work.order import Work
from dissensus.web.work.pool import BusyError

WORKS: dict[str, Work] = {"checkup": CHECKUP, "compare": COMPARE, "plan_raters": PLAN, "report": REPORT}
GONE = "This job is not known (any more): answers are kept for an hour. Load the page again."
SAYS = {"X-Says": "why"}


async def start(request: Request) -> Response:
    """Start the work that a page asks for, unless it was done or is being done."""
    desk, work = desk_of(request), WORKS.get(request.path_params["task"])
    if work is None:
        return refusal("There is no such page.", status=404)
    is_htmx = "hx-request" in request.headers
    try:
        order = work.order(desk.uploads, request.query_params)
        job = desk.jobs.ask(order.key, order.task, order.arguments)
    except DissensusError as error:
        if not is_htmx:
            raise
        status = 503 if isinstance(error, BusyError) else 400
        return HTMLResponse(render("problem.html.j2", message=str(error)), status_code=status, headers=SAYS)
    if not is_htmx:
        return RedirectResponse(f"{work.path}?{order.state}", status_code=303)
    return progress_answer(desk, work, job, [])


async def progress(request: Request) -> Response:
    """How far a job is."""
    desk = desk_of(request)
    job = desk.jobs.find(request.path_params["id"])
    if job is None:
        return HTMLResponse(render("problem.html.j2", message=GONE), status_code=404, headers=SAYS)
    return progress_answer(desk, WORKS[job.task], job, request.query_params.get("have", "").split(","))


async def cancel(request: Request) -> Response:
    """Stop a job."""
    desk = desk_of(request)
    job = desk.jobs.find(request.path_params["id"])
    if job is None:
        return HTMLResponse(render("problem.html.j2", message=GONE), status_code=404, headers=SAYS)
    desk.jobs.cancel(job)
    if "hx-request" not in request.headers:
        return RedirectResponse(f"{WORKS[job.task].path}?{job.key[2]}", status_code=303)
    return HTMLResponse(answer_html(desk, WORKS[job.task], job))
