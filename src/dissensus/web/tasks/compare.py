from collections.abc import Mapping

from dissensus.comparison import compare
from dissensus.web.tasks.answering import answer_of, data_and_options
from dissensus.web.tasks.reading import judges_wanted, ratings_in
from dissensus.web.tasks.telling import steps
from dissensus.web.work.process import Message, Tell


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """Two judges, or every pair of them, compared, as a section."""
    (data, options), step = data_and_options(arguments), steps(tell)
    with step("Reading the files"):
        judges, ratings = judges_wanted(data), ratings_in(data)
    with step("Resampling") as progress:
        result = compare(ratings, judges, **options, progress=progress)  # type: ignore[arg-type]  # the page's fields
    return answer_of(result, judges, id_="compare")
