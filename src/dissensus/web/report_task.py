"""A whole report, told section by section as each is computed."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qsl

from dissensus import __version__
from dissensus.data import Judges, Ratings
from dissensus.data.history import read_history, record
from dissensus.data.slices import BUILT_IN, slicing_in
from dissensus.data.sources.source import open_source
from dissensus.errors import DissensusError
from dissensus.methods.describe.describe import DescribeResult
from dissensus.methods.equivalence.equivalence import EquivalenceRun
from dissensus.methods.history import history
from dissensus.methods.history.evidence import runs_of
from dissensus.report.answers import ReportRun, Unanswered, answers_about, answers_in_parts
from dissensus.report.envelope import file_tables
from dissensus.report.html import explains_front, page_of_report, section_ids
from dissensus.report.views.section import section_of
from dissensus.report.whole import report_in_parts, report_of, together, together_in_parts
from dissensus.results import Result
from dissensus.sampling import Progress, open_executor
from dissensus.web.fields import on_page
from dissensus.web.layout import render, section_html
from dissensus.web.process import Message, Tell
from dissensus.web.state import PARTS
from dissensus.web.tasks import (
    judges_in,
    kept_forms,
    mapping_in,
    part,
    ratings_in,
    ratings_plan,
    steps,
    task_in,
    text_in,
)

T = TypeVar("T")
NO_ATTRIBUTES = frozenset({"item", "rater", "label", "text", "text_a", "text_b", "count", "question", "elicitation"})
MOST_ATTRIBUTES = 20  # columns that are tried


@dataclass(frozen=True, kw_only=True)
class Telling(ReportRun):
    """Asks one question after the other, and tells each answer at once."""

    tell: Tell

    def agreement(self) -> DescribeResult:
        """Do the raters agree?"""
        answer = super().agreement()
        self._send("describe", answer)
        return answer

    def ask(
        self, question: str, what: str, ask: Callable[[Progress | None], T], *,
        refused: tuple[type[DissensusError], ...] | type[DissensusError] = (),
    ) -> T | Unanswered:  # fmt: skip
        """The answer, told as a section, or the reason why there is none."""
        answer = super().ask(question, what, ask, refused=refused)
        result = answer.result if isinstance(answer, EquivalenceRun) else answer
        if isinstance(result, Result):
            self._send(result.command, result)
        return answer

    def _send(self, name: str, answer: Result) -> None:
        if name in PARTS:
            with suppress(Exception):  # the finished report says in its place what went wrong
                part(self.tell, name, section_html(section_of(answer, on_page), name))


def tell_report(arguments: Mapping[str, object], tell: Tell) -> Message:
    """The report on a data set: parts while it is computed, and all of it in the end."""
    data, bootstrap = mapping_in(arguments, "data"), arguments["bootstrap"]
    assert isinstance(bootstrap, int)  # noqa: S101 - as in _mapping
    step = steps(tell)
    with step("Reading the files"):
        judges, task, ratings = judges_in(data), task_in(data), ratings_in(data)
    title = str(arguments["title"])
    result: Result
    decision: Result | None
    if ratings.questions or ratings.slicing is not None or (judges is not None and judges.questions):
        parts = answers_in_parts(ratings, judges, task=task, bootstrap=bootstrap, step=step)
        report, result, decision = report_in_parts(parts, title=title), together_in_parts(parts), parts.decision
    else:
        with open_executor() as executor:
            asking = Telling(
                ratings=ratings, task=task, positive=(), bootstrap=bootstrap, item_cost=0.0, rating_cost=1.0, seed=0,
                executor=executor, step=step, tell=tell,
            )  # fmt: skip
            answers = answers_about(judges, asking)
        asked = "" if task is None else task.instructions
        report, result, decision = report_of(answers, title=title, asked=asked), together(answers), answers.decision
    ids, state = section_ids(report.sections), str(arguments["state"])
    html = render(
        "whole.html.j2", report=report, files=file_tables(report.results), ids=ids, state=state,
        explained=explains_front(report.sections, ids), by=text_in(data, "by") or "",
        attributes=attributes_of(data, ratings), hidden=[pair for pair in parse_qsl(state) if pair[0] != "by"],
    )  # fmt: skip
    path = text_in(data, "history")
    if path is not None and judges is not None and decision is not None:
        html += _over_time(Path(path), ratings, judges, decision)
    names = [] if judges is None else list(judges.judges)
    return {"html": html, "page.html": page_of_report(report), **kept_forms(result, names)}


def attributes_of(data: Mapping[str, object], ratings: Ratings) -> list[tuple[str, str]]:
    """What items can be split by, with its words: columns that make two slices or more, then what needs no column."""
    items, plan, found = text_in(data, "items"), ratings_plan(data), []
    table = None if items is None else Path(items)
    with open_source(Path(str(data["ratings"]))) as opened:
        known = [*opened.columns]
        if table is not None:
            with open_source(table) as about:
                known = [*about.columns, *known]
        for column in [name for name in dict.fromkeys(known) if name.lower() not in NO_ATTRIBUTES][:MOST_ATTRIBUTES]:
            with suppress(DissensusError):  # too many values, or several for one item
                slicing = slicing_in(column, ratings, opened, plan, table)
                found += [(column, column)] if len(slicing.order) > 1 else []
    return [*found, *((name, words) for name, words in BUILT_IN.items() if name in {"split", "ratings"})]


def _over_time(path: Path, ratings: Ratings, judges: Judges, decision: Result) -> str:
    """Keep the decision in the project's history unless it is about the same files as the last one; all of it then."""
    try:
        last = read_history(path).runs[-1] if path.exists() else None
        files = tuple(data.provenance and data.provenance.sha256 for data in (ratings, judges))
        if last is None or (last.ratings_sha256, last.judges_sha256) != files:
            now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
            record(path, runs_of(ratings, judges, decision, version=__version__), recorded_at=now)
        found = history(path)
    except DissensusError as error:  # the report is no worse without it
        return render("problem.html.j2", message=str(error))
    return section_html(section_of(found, on_page), "history") if found.runs > 1 else ""
