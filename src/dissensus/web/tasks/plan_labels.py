from collections.abc import Mapping

from dissensus.planning import PlanLabelsResult, plan_labels
from dissensus.planning.labels.curves import by_budget
from dissensus.report.document import Paragraph, Section
from dissensus.report.sentences.plan_labels import reasons, recommendation
from dissensus.report.views import section_of
from dissensus.report.views.plan_labels_charts import budget_chart
from dissensus.web.rendering import blocks_html, section_html
from dissensus.web.work.process import Message, Tell


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """A plan of labels: what follows a slider, or the rest, which takes longer and is for those who stop and read."""
    del tell  # it is done at once
    options = arguments["options"]
    assert isinstance(options, dict)  # noqa: S101 - the server typed and named them after the fields of the page
    result = plan_labels(**options)
    first = _first(result)
    if arguments["wants"] == "first":
        return {"html": section_html(first, "plan", has_title=False), "lead": first.lead}
    rest = [block for block in section_of(result).blocks if block not in first.blocks]
    return {"html": blocks_html(rest, "rest")}


def _first(result: PlanLabelsResult) -> Section:
    """The sentence, the reasons, and the error against the budget."""
    said = [Paragraph(text=text) for text in reasons(result)]
    chart = budget_chart(result, by_budget(result))
    return Section(title="The plan", lead=recommendation(result), blocks=[*said, chart])
