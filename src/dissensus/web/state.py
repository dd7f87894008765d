"""What pages share while the server runs, and how they show long work."""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.data.project import read_form, save_result
from dissensus.errors import DissensusError
from dissensus.web.guard import SIGNED_IN, Settings
from dissensus.web.jobs import BusyError, Job, JobBook, Keep, Key, Order, Pool, QuickAnswers, Work, start_address
from dissensus.web.layout import render, rendered
from dissensus.web.shelf import DataSet, GoneError, Shelf
from dissensus.web.uploads import ComingError, TooLargeError

FORMS = ("html", "csv", "page.html", "judges.txt")
"""In which a result is kept beside its JSON: a piece of our page, a table, a page of its own, the judges there are."""

LAYOUT = 2  # changes with the pages: what a project keeps from another version of them is made anew


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the pages share while the server runs."""

    settings: Settings
    session: str
    key: str
    shelf: Shelf
    jobs: JobBook
    long: Pool
    quick: QuickAnswers

    def tidy(self) -> None:
        """Remove files and answers that are old or too many."""
        for data in self.shelf.tidy():
            self.jobs.forget_data(data)
        self.jobs.tidy()

    def answering(self, order: Order) -> Job | None:
        """The last job about a question; one that ended before the server started comes from its project."""
        return self.jobs.answering(order.key) or self._restored(order)

    def kept(self, order: Order, form: str) -> str | None:
        """An answer in one of the forms in which it was kept; None if there is none."""
        if not order.data:
            return None
        return read_form(self.shelf.find(order.data).project, result_key(order.key), form)

    def _restored(self, order: Order) -> Job | None:
        html = self.kept(order, "html")
        if html is None or self.kept(order, "json") is None:
            return None
        job = Job(key=order.key, task=order.task, arguments=order.arguments)
        judges = (self.kept(order, "judges.txt") or "").splitlines()
        job.end("done", result={"html": html, "judges": judges})
        return job


def result_key(key: Key) -> str:
    """What a result is called in its project: the same for the same question about the same files."""
    task, _, state, reading = key
    asked = json.dumps([state, reading, LAYOUT])
    return f"{task.replace('_', '-')}-{hashlib.sha256(asked.encode()).hexdigest()[:16]}"


def keeper(shelf: Shelf) -> Keep:
    """Keeps each result in its project, and in memory only what pages show."""

    def save(key: Key, result: Mapping[str, object]) -> None:
        content = result["json"]
        assert isinstance(content, dict)  # noqa: S101 - an envelope
        forms = {form: str(result[form]) for form in FORMS if form in result}
        with suppress(DissensusError, OSError, ValueError):  # a project that is gone keeps nothing
            save_result(shelf.find(key[1]).project, result_key(key), content, forms=forms)

    async def keep(job: Job, result: Mapping[str, object]) -> Mapping[str, object]:
        if "json" not in result:
            return result
        judges = str(result.get("judges.txt", "")).splitlines()
        if job.data:
            await asyncio.to_thread(save, job.key, result)
        return {"html": result["html"], "judges": judges}

    return keep


async def body_of(request: Request, *, most: int) -> bytes | None:
    """The body of a request; None if it is longer than that."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            return None
    return bytes(body)


def desk_of(request: Request) -> Desk:
    """The desk of the server that got a request."""
    desk = request.app.state.desk
    assert isinstance(desk, Desk)  # noqa: S101 - made before the first request
    return desk


def data_of(request: Request) -> DataSet:
    """The project that a page is about."""
    return desk_of(request).shelf.find(request.path_params["id"])


def query_of(request: Request) -> dict[str, str]:
    """What the address says, the id of the project included."""
    about = {"data": request.path_params["id"]} if "id" in request.path_params else {}
    return {**{name: value for name, value in request.query_params.items() if name != "data"}, **about}


LONGEST_NUMBER = 7


def whole_number(text: str) -> int | None:
    """A place in a list, or a page, as an address or a form has it; None if no list is that long."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER else None


def is_signed_in(request: Request) -> bool:
    """Whether the visitor has shown the token."""
    return bool(request.scope.get("state", {}).get(SIGNED_IN))


STATUS: dict[type[Exception], int] = {GoneError: 404, TooLargeError: 413, BusyError: 503, ComingError: 503}


def status_of(error: Exception) -> int:
    """The HTTP status of an answer that says what is wrong."""
    return next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)


def answer_values(desk: Desk, work: Work, order: Order) -> dict[str, object]:
    """What the part of a page needs that shows an answer; nothing is started by it."""
    job = desk.answering(order)
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
    html = render("working_now.html.j2", job=job, ahead=desk.long.waiting, new_parts=new)
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
