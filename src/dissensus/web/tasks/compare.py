from collections.abc import Mapping

from dissensus.comparison import compare
from dissensus.errors import JudgesError
from dissensus.report.views import section_of
from dissensus.web.rendering import section_html
from dissensus.web.tasks.reading import judges_in, ratings_in
from dissensus.web.tasks.telling import steps
from dissensus.web.work.process import Message, Tell


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """Two judges, or every pair of them, compared, as a section."""
    data, options = arguments["data"], arguments["options"]
    assert isinstance(data, dict)  # noqa: S101 - the server wrote it
    assert isinstance(options, dict)  # noqa: S101 - as above
    step = steps(tell)
    with step("Reading the files"):
        judges = judges_in(data)
        if judges is None:
            raise JudgesError("There are no judges to compare. Upload a file of judges' answers beside the ratings.")
        ratings = ratings_in(data)
    with step("Resampling") as progress:
        result = compare(ratings, judges, **options, progress=progress)
    return {"html": section_html(section_of(result), "compare"), "judges": list(judges.judges)}
