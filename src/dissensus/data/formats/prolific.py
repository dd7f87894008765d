"""Prolific's exports: its list of participants has no ratings; the responses of its task builder have."""

from collections.abc import Iterator, Mapping

from dissensus.data.formats.answers import Answers, ItemKeys
from dissensus.data.formats.plan import Format, RawRatings, ReadPlan
from dissensus.data.sources.documents import as_label, as_list, as_mapping, as_text
from dissensus.data.sources.source import Source
from dissensus.errors import FileError, named

PARTICIPANTS = {"Submission id", "Participant id", "Status"}
RESPONSE = {"participant_id", "task_id", "response"}


def _responses(source: Source) -> Iterator[tuple[int, Mapping[str, object]]]:
    """The responses: records of their own, or a list under `results`."""
    within = as_list(as_mapping(source.document).get("results"))
    for row, value in enumerate(within, start=1) if source.is_document else source.records():
        yield row, as_mapping(value)


def _recognises(source: Source, _: ReadPlan) -> bool:
    if set(source.columns) >= PARTICIPANTS:
        return True
    results = as_list(as_mapping(source.document).get("results"))
    return as_mapping(results[0] if results else source.first).keys() >= RESPONSE


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    if set(source.columns) >= PARTICIPANTS:
        raise FileError(
            f"{source.name} is Prolific's list of participants, which has no ratings. Import what they answered: the "
            f"survey's own export, in which PROLIFIC_PID says who rated ({named('rater', of='read')} PROLIFIC_PID)."
        )
    answers = Answers(source.name, "prolific")
    items = ItemKeys(source.name, plan, own=[], fallback="task_id")
    rows = 0
    for row, record in _responses(source):
        rows += 1
        item, response = items.add(record), as_mapping(record.get("response"))
        label = as_label([as_mapping(answer).get("value") for answer in as_list(response.get("answer"))])
        question = as_text(response.get("instruction_id")) or "response"
        if label is None:
            answers.tally.add(
                "response that is no choice", several="responses that are no choice", why="text or a file"
            )
        else:
            rater = as_text(record.get("participant_id"))
            answers.add(question, row, {"item": item, "rater": rater, "label": label})
    taken = {"item": items.taken, "rater": "participant_id", "label": "response.answer.value"}
    return answers.ratings(plan, taken, rows=rows, items=items)


FORMATS = (Format(name="prolific", what="a Prolific export", recognises=_recognises, ratings=_ratings),)
