import json
from collections.abc import Mapping
from functools import lru_cache

from dissensus.planning import PlanLabelsResult, plan_labels
from dissensus.planning.labels.curves import by_budget
from dissensus.report.document import Paragraph, Section
from dissensus.report.sentences.plan_labels import reasons, recommendation
from dissensus.report.views import section_of
from dissensus.report.views.plan_labels_charts import budget_chart
from dissensus.web.rendering import blocks_html, section_html
from dissensus.web.tasks.reading import judges_wanted, ratings_in
from dissensus.web.tasks.telling import steps
from dissensus.web.work.process import Message, Tell


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """A plan of labels: all of it from a pilot; else what follows a slider, or the rest, for those who stop to read."""
    options = arguments["options"]
    assert isinstance(options, dict)  # noqa: S101 - the server typed and named them after the fields of the page
    data = arguments.get("data")
    if isinstance(data, dict):
        return _from_pilot(data, options, tell)
    result = _planned(json.dumps(options))
    first = _first(result)
    if arguments["wants"] == "first":
        return {"html": section_html(first, "plan", has_title=False), "lead": first.lead}
    rest = [block for block in section_of(result).blocks if block not in first.blocks]
    return {"html": blocks_html(rest, "rest")}


@lru_cache(maxsize=64)
def _planned(options: str) -> PlanLabelsResult:
    """The plan for some options: those who rest on a slider ask for it twice."""
    return plan_labels(**json.loads(options))


def _from_pilot(data: Mapping[str, object], options: Mapping[str, object], tell: Tell) -> Message:
    step = steps(tell)
    with step("Reading the files"):
        judges, ratings = judges_wanted(data), ratings_in(data)
    with step("Learning from the pilot"):
        result = plan_labels(pilot=ratings, pilot_judges=judges, **options)  # type: ignore[arg-type]  # the page's fields
    return {"html": section_html(section_of(result), "plan", has_title=False), "judges": list(judges.judges)}


def _first(result: PlanLabelsResult) -> Section:
    """The sentence, the reasons, and the error against the budget."""
    said = [Paragraph(text=text) for text in reasons(result)]
    chart = budget_chart(result, by_budget(result))
    return Section(title="The plan", lead=recommendation(result), blocks=[*said, chart])
