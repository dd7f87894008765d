from collections.abc import Mapping

from dissensus.decisions.combining import panels
from dissensus.web.tasks.answering import answer_of, data_and_options
from dissensus.web.tasks.reading import judges_wanted, ratings_in
from dissensus.web.tasks.telling import steps
from dissensus.web.work.process import Message, Tell


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """Several judges together, as a section."""
    (data, options), step = data_and_options(arguments), steps(tell)
    with step("Reading the files"):
        judges, ratings = judges_wanted(data), ratings_in(data)
    with step("Combining the judges") as progress:
        result = panels(ratings, judges, **options, progress=progress)  # type: ignore[arg-type]  # the page's fields
    return answer_of(result, judges, id_="panel")
