from collections.abc import Mapping

from dissensus.planning import plan_raters
from dissensus.report.views import section_of
from dissensus.web.rendering import section_html
from dissensus.web.tasks.reading import judges_in, ratings_in
from dissensus.web.tasks.telling import steps
from dissensus.web.work.process import Message, Tell


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """A plan of items and raters, from a pilot if there is one, as a section."""
    options = arguments["options"]
    assert isinstance(options, dict)  # noqa: S101 - the server typed and named them after the fields of the page
    data = arguments.get("data")
    ratings, judges = (ratings_in(data), judges_in(data)) if isinstance(data, dict) else (None, None)
    with steps(tell)("Simulating test sets") as progress:
        result = plan_raters(**options, pilot=ratings, pilot_judges=judges, progress=progress)
    section = section_of(result)
    return {"html": section_html(section, "plan", has_title=False), "lead": section.lead}
