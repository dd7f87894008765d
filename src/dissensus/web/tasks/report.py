"""A whole report, told section by section as each is computed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from dissensus.agreement.result import DescribeResult
from dissensus.comparison.result import CompareResult
from dissensus.decisions.answers import Answers, answers_about
from dissensus.decisions.asking import Asking
from dissensus.decisions.contenders import Contenders
from dissensus.decisions.unanswered import WITHOUT_JUDGES, Unanswered
from dissensus.engine import open_executor
from dissensus.judges.result import JudgesResult
from dissensus.ratings import Judges
from dissensus.report.footer import file_tables
from dissensus.report.views import section_of
from dissensus.report.whole import report_of
from dissensus.results import Result
from dissensus.survey.result import EquivalenceResult
from dissensus.web.rendering import render, section_html
from dissensus.web.tasks.reading import judges_in, ratings_in, task_in
from dissensus.web.tasks.telling import part, steps
from dissensus.web.work.process import Message, Tell

T = TypeVar("T")
TITLE = "What the ratings say"


@dataclass(frozen=True, kw_only=True)
class Telling(Asking):
    """Asks one question after the other, and tells each answer at once."""

    tell: Tell

    def agreement(self) -> DescribeResult:
        """Do the raters agree?"""
        return self._told("agreement", super().agreement())

    def worth(self, judges: Judges) -> EquivalenceResult | Unanswered:
        """How many raters is each judge worth?"""
        return self._told("worth", super().worth(judges))

    def ranking(self, judges: Judges) -> JudgesResult | Unanswered:
        """Which judge can stand in for people?"""
        return self._told("ranking", super().ranking(judges))

    def comparison(self, judges: Judges, two: Contenders) -> CompareResult | Unanswered:
        """Is the best judge really better than the second?"""
        return self._told("comparison", super().comparison(judges, two))

    def _told(self, name: str, answer: T) -> T:
        if isinstance(answer, Result):
            part(self.tell, name, section_html(section_of(answer), name))
        return answer


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """The report on a data set: parts while it is computed, and all of it in the end."""
    data, bootstrap = arguments["data"], arguments["bootstrap"]
    assert isinstance(data, dict)  # noqa: S101 - the server wrote it
    assert isinstance(bootstrap, int)  # noqa: S101 - as above
    step = steps(tell)
    with step("Reading the files"):
        judges, task, ratings = judges_in(data), task_in(data), ratings_in(data)
    with open_executor() as executor:
        asking = Telling(
            ratings=ratings, task=task, positive=(), bootstrap=bootstrap, seed=0, executor=executor, step=step,
            tell=tell,
        )  # fmt: skip
        if judges is None:
            answers = Answers(agreement=asking.agreement(), unanswered=WITHOUT_JUDGES)
        else:
            answers = answers_about(judges, asking, item_cost=0.0, rating_cost=1.0)
    report = report_of(answers, title=TITLE if task is None else task.instructions)
    html = render("whole.html.j2", report=report, files=file_tables(report.results))
    return {"html": html, "judges": [] if judges is None else list(judges.judges)}
