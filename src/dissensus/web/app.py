"""The web app: its pages and what they share."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from dissensus.errors import DissensusError
from dissensus.web.collecting import Collections
from dissensus.web.fields import reason_of
from dissensus.web.guard import Guard, Settings
from dissensus.web.jobs import JobBook, Pool, QuickAnswers, Work
from dissensus.web.layout import problem, refusal
from dissensus.web.pages import collect, plans
from dissensus.web.pages.data import CHECKUP, change, data_page, upload
from dissensus.web.pages.home import contents, explain, home, static, token
from dissensus.web.pages.items import ITEMS, items_download, items_page
from dissensus.web.pages.plans import PAGES, plan_json, plan_move, plan_page, plan_rest
from dissensus.web.pages.questions import ASKINGS, asking_page
from dissensus.web.pages.results import REPORT, download, results_page
from dissensus.web.shelf import Shelf
from dissensus.web.state import Desk, answer_html, desk_of, keeper, progress_answer, status_of

QUICK_WORKERS, MOST_QUICK, LONGEST_QUICK = 2, 200, 10.0
WARM = ("dissensus.web.plan_tasks", "dissensus.methods.plan_labels", "dissensus.methods.plan_raters")
TIDY_SECONDS = 60.0

# ---- Start long work, ask how far it is, and cancel it

WORKS: dict[str, Work] = {
    "checkup": CHECKUP,
    "items": ITEMS,
    "report": REPORT,
    **{f"plan_{planner}": work for planner, work in plans.WORKS.items()},
    **{asking.method: asking.work() for asking in ASKINGS},
}
GONE = "This job does not exist, or no longer. Reload the page."


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
        return problem(reason_of(error), status_of(error))
    if not is_htmx:
        return RedirectResponse(work.page_address(order.key), status_code=303)
    return HTMLResponse(answer_html(desk, work, job))


async def progress(request: Request) -> Response:
    """How far a job is."""
    desk = desk_of(request)
    job = desk.jobs.find(request.path_params["id"])
    if job is None:
        return problem(GONE, 404)
    return progress_answer(desk, WORKS[job.key[0]], job, request.query_params.get("have", "").split(","))


async def cancel(request: Request) -> Response:
    """Stop a job."""
    desk = desk_of(request)
    job = desk.jobs.find(request.path_params["id"])
    if job is None:
        return problem(GONE, 404)
    desk.long.cancel(job)
    if "hx-request" not in request.headers:
        return RedirectResponse(WORKS[job.key[0]].page_address(job.key), status_code=303)
    return HTMLResponse(answer_html(desk, WORKS[job.key[0]], job))


ROUTES = [
    *collect.ROUTES,  # first, since raters ask most often
    Route("/", home),
    Route("/token", token, methods=["GET", "POST"]),
    Route("/static/{name}", static),
    Route("/upload", upload, methods=["POST"]),
    Route("/p/{id}/data", data_page),
    Route("/p/{id}/data/{change}", change, methods=["POST"]),
    Route("/p/{id}/results", results_page),
    *(Route(f"/p/{{id}}/{path}", partial(plan_page, planner=planner)) for planner, path in PAGES.items()),
    Route("/p/{id}/items", items_page),
    Route("/p/{id}/items.{form}", items_download),
    Route("/p/{id}/{page}.{form}", download),
    Route("/p/{id}/plan/{page}.{form}", download),
    *(Route(f"/p/{{id}}/{asking.command}", partial(asking_page, asking=asking)) for asking in ASKINGS),
    *(Route(f"/{path}", partial(plan_page, planner=planner)) for planner, path in PAGES.items()),
    *(Route(f"/{path}.json", partial(plan_json, planner=planner)) for planner, path in PAGES.items()),
    *(Route(f"/move/{planner}", partial(plan_move, planner=planner)) for planner in PAGES),
    *(Route(f"/rest/{planner}", partial(plan_rest, planner=planner)) for planner in PAGES),
    Route("/explain", explain),
    Route("/explain/{name}", explain),
    Route("/start/{task}", start, methods=["POST"]),
    Route("/jobs/{id}", progress),
    Route("/jobs/{id}/cancel", cancel, methods=["POST"]),
]


def make_app(settings: Settings) -> Guard:
    """The app for these settings, behind its guard."""
    app = Starlette(
        routes=ROUTES,
        exception_handlers={DissensusError: _foreseen, HTTPException: _not_found},
        lifespan=lambda app: _open_desk(app, settings, lambda: guard),
    )
    guard = Guard(app, settings)
    return guard


@asynccontextmanager
async def _open_desk(app: Starlette, settings: Settings, guard: Callable[[], Guard]) -> AsyncIterator[None]:
    """What the pages share, from the first request to the last; nothing of it is left behind."""
    contents()
    shelf = Shelf(Path(settings.folder), keep_seconds=settings.keep_seconds)
    folder = shelf.folder
    long = Pool(
        folder, size=settings.reports_at_once, most_waiting=settings.most_waiting, longest=settings.longest_job,
        is_fresh=True, keep=keeper(shelf),
    )  # fmt: skip
    quick = Pool(
        folder, size=QUICK_WORKERS, most_waiting=MOST_QUICK, longest=LONGEST_QUICK, warm=WARM, is_fresh=False,
    )  # fmt: skip
    jobs = JobBook(long, keep_seconds=settings.keep_seconds)
    desk = Desk(
        settings=settings, session=guard().session, key=guard().key, shelf=shelf, jobs=jobs, long=long,
        quick=QuickAnswers(quick),
    )  # fmt: skip
    app.state.desk = desk
    app.state.collections = Collections(Path(settings.folder))
    tidying = asyncio.create_task(_tidy(desk))
    try:
        yield
    finally:
        tidying.cancel()
        app.state.collections.close()
        for pool in (long, quick):
            await pool.close()
        shelf.close()


async def _tidy(desk: Desk) -> None:
    """Remove what is old, now and then."""
    while True:
        await asyncio.sleep(min(TIDY_SECONDS, desk.settings.keep_seconds / 2))
        desk.tidy()


async def _foreseen(request: Request, error: Exception) -> Response:
    """A page that says what is wrong."""
    del request
    return refusal(reason_of(error) if isinstance(error, DissensusError) else str(error), status=status_of(error))


async def _not_found(request: Request, error: Exception) -> Response:
    """A page for addresses that there are not."""
    del request
    status = error.status_code if isinstance(error, HTTPException) else 404
    words = "This page does not support this kind of request." if status == 405 else "There is no such page."  # noqa: PLR2004 - the code of HTTP
    return refusal(words, status=status)
