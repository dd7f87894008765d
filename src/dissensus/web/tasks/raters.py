from collections.abc import Mapping

from dissensus.decisions.portraying import portraits
from dissensus.web.tasks.answering import answer_of, data_and_options
from dissensus.web.tasks.reading import judges_in, ratings_in, said, task_in
from dissensus.web.tasks.telling import steps
from dissensus.web.work.process import Message, Tell


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """A portrait of each rater, as a section."""
    (data, options), step = data_and_options(arguments), steps(tell)
    with step("Reading the files"):
        judges, ratings = judges_in(data), ratings_in(data, group=said(data, "group"))
    with step("Comparing raters") as progress:
        result = portraits(ratings, judges, task=task_in(data), **options, progress=progress)  # type: ignore[arg-type]  # the page's fields
    return answer_of(result, judges, id_="raters")
