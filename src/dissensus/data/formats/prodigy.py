"""Prodigy's JSONL: one record per answer, by the hash of what was shown."""

from collections.abc import Iterator, Mapping

from dissensus.data.formats.answers import Answers, ItemKeys
from dissensus.data.formats.plan import KEEP_SKIPPED, Format, RawRatings, ReadPlan
from dissensus.data.sources.documents import as_label, as_mapping, as_text
from dissensus.data.sources.source import Source

ACCEPT, REJECT = "accept", "reject"
CHOICE, ANSWER = "choice", "answer"
"""The question of a record with options, and of one that was only accepted or rejected."""


def _recognises(source: Source, _: ReadPlan) -> bool:
    return {"_input_hash", "answer"} <= as_mapping(source.first).keys()


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    answers = Answers(source.name, "prodigy")
    # The same text comes again with every annotator, so that only the hash tells records of one item.
    items = ItemKeys(source.name, plan, own=[], fallback="_input_hash")
    rows = 0
    for row, value in source.records():
        rows += 1
        record = as_mapping(value)
        item = items.add(record)
        rater = as_text(record.get("_annotator_id")) or as_text(record.get("_session_id"))
        for question, label in _labels(record, plan, answers):
            answers.add(question, row, {"item": item, "rater": rater, "label": label})
    taken = {
        "item": items.taken,
        "rater": "_annotator_id, or else _session_id",
        "label": "the ids in accept, or else answer",
        "status": "answer (ignored ones are dropped)" if plan.skipped == "drop" else "answer (ignored ones are kept)",
    }
    return answers.ratings(plan, taken, rows=rows, items=items)


def _labels(record: Mapping[str, object], plan: ReadPlan, answers: Answers) -> Iterator[tuple[str, str]]:
    """The question that a record answers, and the label."""
    answer = as_text(record.get("answer"))
    has_options = "options" in record or isinstance(record.get("accept"), list)
    is_refused = answer not in {ACCEPT, REJECT} or (has_options and answer == REJECT)
    if is_refused and plan.skipped == "drop":
        what = "rejected record" if answer == REJECT else "ignored record"
        answers.tally.add(what, why=f"answer is {answer}", option=KEEP_SKIPPED)
        return
    if has_options:
        label = as_label(record.get("accept"))
        if label is None:
            answers.tally.add("record without a chosen option")
        else:
            yield CHOICE, label
    elif answer in {ACCEPT, REJECT}:
        yield as_text(record.get("label")) or ANSWER, answer
    else:
        answers.tally.add("ignored record", why="it has no label to keep")


FORMATS = (Format(name="prodigy", what="Prodigy's JSONL", recognises=_recognises, ratings=_ratings),)
