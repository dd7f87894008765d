from collections.abc import Mapping

from dissensus.decisions.annotators import alt_test
from dissensus.web.tasks.answering import answer_of, data_and_options
from dissensus.web.tasks.reading import judges_wanted, ratings_in
from dissensus.web.tasks.telling import steps
from dissensus.web.work.process import Message, Tell


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """Each judge in the place of each rater, as a section."""
    (data, options), step = data_and_options(arguments), steps(tell)
    with step("Reading the files"):
        judges, ratings = judges_wanted(data), ratings_in(data)
    with step("Comparing with each rater"):
        result = alt_test(ratings, judges, **options)  # type: ignore[arg-type]  # the page's fields
    return answer_of(result, judges, id_="alt-test")
