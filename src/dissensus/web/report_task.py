"""A whole report, told section by section as each is computed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from dissensus.errors import DissensusError
from dissensus.methods.decide.answers import (
    WITHOUT_JUDGES,
    Answers,
    Asking,
    Unanswered,
    answered,
    answers_about,
    answers_in_parts,
    portrayed,
)
from dissensus.methods.describe.result import DescribeResult
from dissensus.methods.equivalence.equivalence import Worked
from dissensus.report.envelope import file_tables
from dissensus.report.html import page_of_report
from dissensus.report.views import section_of
from dissensus.report.whole import report_in_parts, report_of, together, together_in_parts
from dissensus.results import Result
from dissensus.sampling import Progress, open_executor
from dissensus.web.fields import on_page
from dissensus.web.layout import render, section_html
from dissensus.web.process import Message, Tell
from dissensus.web.state import PARTS
from dissensus.web.tasks import judges_in, kept_forms, mapping_in, part, ratings_in, steps, task_in

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Telling(Asking):
    """Asks one question after the other, and tells each answer at once."""

    tell: Tell

    def agreement(self) -> DescribeResult:
        """Do the raters agree?"""
        answer = super().agreement()
        self._told("describe", answer)
        return answer

    def ask(
        self,
        question: str,
        what: str,
        ask: Callable[[Progress | None], T],
        *,
        refused: tuple[type[DissensusError], ...] | type[DissensusError] = (),
    ) -> T | Unanswered:
        """The answer, told as a section, or the reason why there is none."""
        answer = super().ask(question, what, ask, refused=refused)
        result = answer.result if isinstance(answer, Worked) else answer
        if isinstance(result, Result):
            self._told(result.command, result)
        return answer

    def _told(self, name: str, answer: Result) -> None:
        if name in PARTS:
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
    if ratings.questions or ratings.slicing is not None or (judges is not None and judges.questions):
        parts = answers_in_parts(ratings, judges, task=task, bootstrap=bootstrap, step=step)
        report, result = report_in_parts(parts, title=title), together_in_parts(parts)
    else:
        with open_executor() as executor:
            asking = Telling(
                ratings=ratings, task=task, positive=(), bootstrap=bootstrap, item_cost=0.0, rating_cost=1.0, seed=0,
                executor=executor, step=step, tell=tell,
            )  # fmt: skip
            answers = _without_judges(asking) if judges is None else answers_about(judges, asking)
        asked = "" if task is None else task.instructions
        report, result = report_of(answers, title=title, asked=asked), together(answers)
    html = render("whole.html.j2", report=report, files=file_tables(report.results))
    names = [] if judges is None else list(judges.judges)
    return {"html": html, "page.html": page_of_report(report), **kept_forms(result, names)}


def _without_judges(asking: Asking) -> Answers:
    agreement, raters = asking.agreement(), portrayed(asking, None)
    is_open = (raters,) if isinstance(raters, Unanswered) else ()
    return Answers(agreement=agreement, raters=answered(raters), unanswered=(*WITHOUT_JUDGES, *is_open))
