"""Argilla's records, as JSON or as a data set: responses of people and suggestions of models, by question."""

from collections.abc import Iterator, Mapping

from dissensus.data.coding import Cells
from dissensus.data.columns import called
from dissensus.data.formats.answers import Answers, ItemKeys, texts_of
from dissensus.data.formats.plan import KEEP_SKIPPED, Format, RawJudges, RawRatings, ReadPlan
from dissensus.data.sources.documents import as_label, as_list, as_mapping, as_text, entries_in, list_in
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError

NO_STATUS = (
    "Argilla's plain JSON does not say which responses were discarded or are drafts: all are taken. Export the records "
    "with to_datasets() to keep their status."
)
KEPT = "submitted"


def _recognises(source: Source, _: ReadPlan) -> bool:
    first = as_mapping(source.first)
    has_fields = isinstance(first.get("fields"), dict)
    return not source.is_document and isinstance(first.get("responses"), dict | list) and has_fields


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


def _add(
    answers: Answers, question: str, row: int, cells: dict[str, str | None], status: str | None, plan: ReadPlan
) -> None:
    """Add a response, unless it was not submitted or is no label."""
    if status not in {None, KEPT} and plan.skipped == "drop":
        answers.tally.add(f"{status} response", why="its status says so", option=KEEP_SKIPPED)
    elif cells["label"] is None:
        answers.tally.add("response that is no label", several="responses that are no label", why="ranking or spans")
    else:
        answers.add(question, row, cells)


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    answers, items = Answers(source.name, "argilla"), _items(source, plan)
    rows, has_status = 0, False
    for row, record in source.records():
        rows += 1
        item = items.add(record)
        for question, value, user, status in _responses(record):
            has_status = has_status or status is not None
            _add(answers, question, row, {"item": item, "rater": user, "label": as_label(value)}, status, plan)
    taken = {
        "item": items.taken,
        "rater": "responses.user_id",
        "label": "responses.value",
        "status": "responses.status" if has_status else "not in this export",
    }
    return answers.ratings(plan, taken, rows=rows, warnings=() if has_status else (NO_STATUS,), items=items)


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
    answers, items = Answers(source.name, "argilla"), _items(source, plan)
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


# ---- Records as a data set: a column `<question>.responses` with a list in each cell, and its users and status

RESPONSES, USERS, STATUS = ".responses", ".responses.users", ".responses.status"
SUGGESTION, AGENT = ".suggestion", ".suggestion.agent"
OLD_SUGGESTION = "-suggestion"


def _questions(source: Source) -> list[str]:
    return [column.removesuffix(RESPONSES) for column in source.columns if column.endswith(RESPONSES)]


def _old_questions(source: Source) -> list[str]:
    """The questions of a data set that Argilla 1 wrote: a list of objects in each cell."""
    questions = [c.removesuffix(OLD_SUGGESTION) for c in source.columns if c.endswith(OLD_SUGGESTION)]
    return [question for question in questions if question in source.columns]


def _recognises_flat(source: Source, _: ReadPlan) -> bool:
    return bool(_questions(source) or _old_questions(source))


def _load(source: Source, plan: ReadPlan) -> tuple[Cells, dict[str, list[str | None]], str]:
    columns = source.table().columns
    item = plan.item_path or next(c for c in ("id", "external_id", columns[0]) if c in columns)
    wanted = [c for c in source.columns if c == item or RESPONSES in c or SUGGESTION in c or OLD_SUGGESTION in c]
    cells = source.table(item).load([*wanted, *_old_questions(source)])
    return cells, {name: texts_of(column, len(cells.row)) for name, column in cells.columns.items()}, item


def _flat_responses(
    texts: Mapping[str, list[str | None]], i: int, where: str
) -> Iterator[tuple[str, object, str | None, str | None]]:
    """Question, value, user and status of each response in a row."""
    for column in texts:
        if column.endswith(RESPONSES):
            question = column.removesuffix(RESPONSES)
            values = entries_in(texts[column][i], f"{where}: {column}")
            users, status = (
                entries_in(texts[name][i], f"{where}: {name}") if name in texts else []
                for name in (question + USERS, question + STATUS)
            )
            if not {len(users), len(status)} <= {0, len(values)}:
                raise ColumnError(
                    f"{where}: {len(values)} responses to {question}, {len(users)} users and {len(status)} statuses. "
                    "Fix the row, or export the data set again."
                )
            nobody = [None] * len(values)
            for value, user, state in zip(values, users or nobody, status or nobody, strict=True):
                yield question, value, as_text(user), as_text(state)
        elif column.endswith(OLD_SUGGESTION) and column.removesuffix(OLD_SUGGESTION) in texts:
            question = column.removesuffix(OLD_SUGGESTION)
            for response in map(as_mapping, entries_in(texts[question][i], f"{where}: {question}")):
                yield question, response.get("value"), as_text(response.get("user_id")), as_text(response.get("status"))


def _flat_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    cells, texts, item = _load(source, plan)
    answers = Answers(source.name, "argilla-flat")
    for i, row in enumerate(cells.row.tolist()):
        for question, value, user, status in _flat_responses(texts, i, f"{source.name}, row {row}"):
            cells_ = {"item": texts[item][i], "rater": user, "label": as_label(value)}
            _add(answers, question, row, cells_, status, plan)
    taken = {
        "item": plan.item_column(item),
        "rater": "the question's responses.users",
        "label": "the question's responses",
        "status": "the question's responses.status"
        if any(name.endswith(STATUS) for name in texts) or _old_questions(source)
        else "not in this file",
    }
    return answers.ratings(plan, taken, rows=len(cells.row))


def _flat_judges(source: Source, plan: ReadPlan) -> RawJudges:
    cells, texts, item = _load(source, plan)
    answers = Answers(source.name, "argilla-flat")
    for column in texts:
        ending = next((e for e in (SUGGESTION, OLD_SUGGESTION) if column.endswith(e)), None)
        if ending is None:
            continue
        question = column.removesuffix(ending)
        agents = texts.get(question + AGENT)
        for i, row in enumerate(cells.row.tolist()):
            text = texts[column][i]
            label = as_label(list_in(text) or text)
            if label is not None:
                judge = (agents[i] if agents is not None else None) or "suggestion"
                answers.add(question, row, {"item": texts[item][i], "judge": judge, "label": label})
    taken = {"item": called(item), "judge": "the question's suggestion.agent", "label": "the question's suggestion"}
    return answers.judges(plan, taken)


FORMATS = (
    Format(
        name="argilla", what="Argilla's records as JSON", recognises=_recognises, ratings=_ratings, judges=_judges,
    ),
    Format(
        name="argilla-flat", what="a data set that Argilla wrote", recognises=_recognises_flat, ratings=_flat_ratings,
        judges=_flat_judges,
    ),
)  # fmt: skip
