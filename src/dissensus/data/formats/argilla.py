"""Argilla's records as JSON: responses of people and suggestions of models, by question."""

from collections.abc import Iterator

from dissensus.data.formats.collecting import Answers, ItemKeys
from dissensus.data.formats.plan import Format, RawJudges, RawRatings, ReadPlan
from dissensus.data.sources.json_values import as_label, as_list, as_mapping, as_text
from dissensus.data.sources.source import Source

NO_STATUS = (
    "Argilla's plain JSON does not say which responses were discarded or are drafts: all are taken. Export the records "
    "with to_datasets() to keep their status."
)
KEPT = "submitted"


def _recognises(source: Source, _: ReadPlan) -> bool:
    first = as_mapping(source.first)
    return (
        not source.is_document
        and isinstance(first.get("responses"), dict | list)
        and isinstance(first.get("fields"), dict)
    )


def _responses(record: object) -> Iterator[tuple[str, object, str | None, str | None]]:
    """Question, value, user and status of each response; by question, or as a list of users' values."""
    responses = as_mapping(record).get("responses")
    for question, given in as_mapping(responses).items():
        for response in map(as_mapping, as_list(given)):
            yield question, response.get("value"), as_text(response.get("user_id")), as_text(response.get("status"))
    for response in map(as_mapping, as_list(responses)):
        for question, value in as_mapping(response.get("values")).items():
            inner = as_mapping(value).get("value", value)
            yield question, inner, as_text(response.get("user_id")), as_text(response.get("status"))


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    answers, items = Answers(source.name, FORMAT.name), _items(source, plan)
    rows, has_status = 0, False
    for row, record in source.records():
        rows += 1
        item = items.add(record)
        for question, value, user, status in _responses(record):
            has_status = has_status or status is not None
            if status not in {None, KEPT} and plan.skipped == "drop":
                answers.tally.add(f"{status} response", why="its status says so", option="--skipped keep")
                continue
            label = as_label(value)
            if label is None:
                answers.tally.add(
                    "response that is no label", several="responses that are no label", why="ranking or spans"
                )
            else:
                answers.add(question, row, {"item": item, "rater": user, "label": label})
    taken = {
        "item": items.taken,
        "rater": "responses.user_id",
        "label": "responses.value",
        "status": "responses.status" if has_status else "not in this export",
    }
    return answers.ratings(plan, taken, rows=rows, warnings=() if has_status else (NO_STATUS,), items=items)


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
    answers, items = Answers(source.name, FORMAT.name), _items(source, plan)
    for row, record in source.records():
        item = items.add(record)
        for question, given in as_mapping(as_mapping(record).get("suggestions")).items():
            suggestion = as_mapping(given)
            label = as_label(suggestion.get("value"))
            if label is not None:
                judge = as_text(suggestion.get("agent")) or "suggestion"
                answers.add(question, row, {"item": item, "judge": judge, "label": label})
    taken = {"item": items.taken, "judge": "suggestions.agent", "label": "suggestions.value"}
    return answers.judges(plan, taken, items=items)


def _items(source: Source, plan: ReadPlan) -> ItemKeys:
    return ItemKeys(source.name, plan, own=["id"], fallback="_server_id")


FORMAT = Format(
    name="argilla", what="Argilla's records as JSON", recognises=_recognises, ratings=_ratings, judges=_judges
)
