"""How pages show long work: how far it is, what is ready, and in the end the answer."""

from starlette.responses import HTMLResponse

from dissensus.web.layout import render, rendered
from dissensus.web.state import Desk
from dissensus.web.work.jobs import Job, Order, Work, start_address


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


PARTS = ("describe", "raters", "equivalence", "judges", "compare", "alt-test", "panel", "prevalence")
"""Sections that a report shows as soon as each is computed, by the command that asks alone, in reading order."""
