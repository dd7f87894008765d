"""Start long work, ask how far it is, and cancel it."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dissensus.errors import DissensusError
from dissensus.web.fields import why
from dissensus.web.jobs import Work
from dissensus.web.layout import refusal, render
from dissensus.web.pages.data import CHECKUP
from dissensus.web.pages.items import ITEMS
from dissensus.web.pages.plans import PLAN_LABELS, PLAN_RATERS
from dissensus.web.pages.questions import ASKINGS
from dissensus.web.pages.results import REPORT
from dissensus.web.state import answer_html, desk_of, progress_answer, status_of

WORKS: dict[str, Work] = {
    "checkup": CHECKUP,
    "items": ITEMS,
    "plan_labels": PLAN_LABELS,
    "plan_raters": PLAN_RATERS,
    "report": REPORT,
    **{asking.method: asking.work() for asking in ASKINGS},
}
GONE = "This job does not exist, or no longer. Reload the page."
SAYS = {"X-Says": "why"}


async def start(request: Request) -> Response:
    """Start the work that a page asks for, unless it was done or is being done."""
    desk, work = desk_of(request), WORKS.get(request.path_params["task"])
    if work is None:
        return refusal("There is no such page.", status=404)
    is_htmx = "hx-request" in request.headers
    try:
        order = work.order(desk.shelf, request.query_params)
        done = desk.answering(order)
        job = done if done and done.status == "done" else desk.jobs.ask(order.key, order.task, order.arguments)
    except DissensusError as error:
        if not is_htmx:
            raise
        html = render("problem.html.j2", message=why(error))
        return HTMLResponse(html, status_code=status_of(error), headers=SAYS)
    if not is_htmx:
        return RedirectResponse(work.page_address(order.key), status_code=303)
    return HTMLResponse(answer_html(desk, work, job))


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
        return RedirectResponse(WORKS[job.task].page_address(job.key), status_code=303)
    return HTMLResponse(answer_html(desk, WORKS[job.task], job))
