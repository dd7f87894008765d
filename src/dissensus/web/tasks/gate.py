from collections.abc import Mapping

from dissensus.decisions.gating import gate
from dissensus.web.tasks.answering import answer_of, data_and_options
from dissensus.web.tasks.reading import judges_wanted, ratings_in, task_in
from dissensus.web.tasks.telling import steps
from dissensus.web.work.process import Message, Tell


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """Whether a judge passes, as a section; as long as no judge is named, the judges there are."""
    (data, options), step = data_and_options(arguments), steps(tell)
    with step("Reading the files"):
        judges = judges_wanted(data)
        if not options.get("judge"):
            return {"judges": list(judges.judges)}
        ratings = ratings_in(data)
    with step("Checking the judge") as progress:
        result = gate(ratings, judges, task=task_in(data), **options, progress=progress)  # type: ignore[arg-type]  # the page's fields
    return answer_of(result, judges, id_="gate")
