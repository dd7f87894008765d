"""What pages share while the server runs, and how they show long work."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.web.guard import Settings
from dissensus.web.jobs import BusyError, Job, JobBook, Order, Pool, QuickAnswers, Work, start_address
from dissensus.web.layout import render, rendered
from dissensus.web.uploads import ComingError, TooLargeError, Uploads


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the pages share while the server runs."""

    settings: Settings
    session: str
    uploads: Uploads
    jobs: JobBook
    long: Pool
    quick: QuickAnswers

    def tidy(self) -> None:
        """Remove files and answers that are old or too many."""
        for data in self.uploads.tidy():
            self.jobs.forget_data(data)
        self.jobs.tidy()


def desk_of(request: Request) -> Desk:
    """The desk of the server that got a request."""
    desk = request.app.state.desk
    assert isinstance(desk, Desk)  # noqa: S101 - made before the first request
    return desk


STATUS: dict[type[Exception], int] = {TooLargeError: 413, BusyError: 503, ComingError: 503}


def status_of(error: Exception) -> int:
    """The HTTP status of an answer that says what is wrong."""
    return next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)


def answer_values(desk: Desk, work: Work, order: Order) -> dict[str, object]:
    """What the part of a page needs that shows an answer; nothing is started by it."""
    job = desk.jobs.answering(order.key)
    return {
        **_values(desk, work, job, start_address(order.key)),
        "has_charts": True,
        "refresh": job is not None and not job.is_over,
    }


def answer_html(desk: Desk, work: Work, job: Job) -> str:
    """The answer, or how far it is, as a piece of a page."""
    return render("answer.html.j2", **_values(desk, work, job, start_address(job.key)))


def progress_answer(desk: Desk, work: Work, job: Job, have: list[str]) -> HTMLResponse:
    """How far a job is and what is new; once it is over, the answer in place of all that."""
    if job.is_over:
        headers = {"HX-Retarget": "#answer", "HX-Reswap": "innerHTML"}
        return HTMLResponse(answer_html(desk, work, job), headers=headers)
    new = [(name, rendered(html)) for name, html in job.parts.items() if name not in have]
    html = render("working.html.j2", job=job, work="", ahead=desk.long.waiting, new_parts=new)
    return HTMLResponse(html)


def _values(desk: Desk, work: Work, job: Job | None, where: str) -> dict[str, object]:
    is_done = job is not None and job.status == "done"
    return {
        "job": job,
        "work": where,
        "ahead": desk.long.waiting,
        "new_parts": [],
        "part_names": work.part_names,
        "parts": {} if job is None else {name: rendered(html) for name, html in job.parts.items()},
        "html": rendered(work.show(job)) if job is not None and is_done else "",
    }


PARTS = ("decide", "describe", "raters", "equivalence", "judges", "compare", "alt-test", "panel", "prevalence")
"""Sections that a report shows as soon as each is computed, by the command that asks alone, in reading order."""
