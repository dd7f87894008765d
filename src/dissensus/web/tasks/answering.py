"""What tasks that ask one question about a data set have in common: read the files, ask, show the section."""

from collections.abc import Mapping

from dissensus.ratings import Judges
from dissensus.report.views import section_of
from dissensus.results import Result
from dissensus.web.rendering import section_html
from dissensus.web.work.process import Message

Options = dict[str, object]


def data_and_options(arguments: Mapping[str, object]) -> tuple[Mapping[str, object], Options]:
    """The files with what is said about them, and what is said about the question."""
    data, options = arguments["data"], arguments["options"]
    assert isinstance(data, dict)  # noqa: S101 - the server wrote it
    assert isinstance(options, dict)  # noqa: S101 - as above
    return data, options


def answer_of(result: Result, judges: Judges | None, *, id_: str) -> Message:
    """The answer as a section, and the judges there are to ask about."""
    html = section_html(section_of(result), id_, has_title=False)  # the page has asked the question
    return {"html": html, "judges": [] if judges is None else list(judges.judges)}
