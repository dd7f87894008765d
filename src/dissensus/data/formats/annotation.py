"""Exports of tools in which people annotate: Argilla, Label Studio, Prodigy."""

import json
from collections.abc import Iterator, Mapping

from dissensus.data.coding import Cells
from dissensus.data.columns import called
from dissensus.data.formats.answers import ID_NAMES, Answers, ItemKeys, loaded_texts, texts_of
from dissensus.data.formats.plan import Format, RawJudges, RawRatings, ReadPlan
from dissensus.data.sources.documents import as_label, as_list, as_mapping, as_text, entries_in, list_in
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, counted

# ---- Argilla's records, as JSON or as a data set: responses of people and suggestions of models, by question

NO_STATUS = (
    "Argilla's plain JSON does not say which responses were discarded or are drafts: all are taken. Export the records "
    "with to_datasets() to keep their status."
)
KEPT = "submitted"


def _argilla_recognises(source: Source, _: ReadPlan) -> bool:
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
    """Add a response, unless it was not submitted or is not a label."""
    if status not in {None, KEPT} and plan.skipped == "drop":
        answers.tally.add(f"{status} response", why="its status says so", can_be_kept=True)
    elif cells["label"] is None:
        answers.tally.add(
            "response that is not a label", several="responses that are not labels", why="ranking or spans"
        )
    else:
        answers.add(question, row, cells)


def _argilla_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    answers, items = Answers(source.name, "argilla"), _argilla_items(source, plan)
    has_status = False
    for row, record in source.records():
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
    return answers.ratings(plan, taken, warnings=() if has_status else (NO_STATUS,), items=items)


def _argilla_judges(source: Source, plan: ReadPlan) -> RawJudges:
    answers, items = Answers(source.name, "argilla"), _argilla_items(source, plan)
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


def _argilla_items(source: Source, plan: ReadPlan) -> ItemKeys:
    return ItemKeys(source.name, plan, own=["id"], fallback="_server_id")


# ---- Records as a data set: a column `<question>.responses` with a list in each cell, and its users and status

RESPONSES, USERS, STATUS = ".responses", ".responses.users", ".responses.status"
SUGGESTION, AGENT = ".suggestion", ".suggestion.agent"
OLD_SUGGESTION = "-suggestion"


def _argilla_questions(source: Source) -> list[str]:
    return [column.removesuffix(RESPONSES) for column in source.columns if column.endswith(RESPONSES)]


def _old_questions(source: Source) -> list[str]:
    """The questions of a data set that Argilla 1 wrote: a list of objects in each cell."""
    questions = [c.removesuffix(OLD_SUGGESTION) for c in source.columns if c.endswith(OLD_SUGGESTION)]
    return [question for question in questions if question in source.columns]


def _recognises_flat(source: Source, _: ReadPlan) -> bool:
    return bool(_argilla_questions(source) or _old_questions(source))


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
    has_status = any(name.endswith(STATUS) for name in texts) or _old_questions(source)
    taken = {
        "item": plan.item_column(item),
        "rater": "the question's responses.users",
        "label": "the question's responses",
        "status": "the question's responses.status" if has_status else "not in this file",
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


# ---- Label Studio's exports: tasks with annotations and predictions, or a row per annotation

NO_LABEL = "only choices, ratings, numbers, pairs and taxonomies are labels"


def _label_studio_recognises(source: Source, _: ReadPlan) -> bool:
    first = as_mapping(source.first)
    return not source.is_document and isinstance(first.get("annotations"), list) and isinstance(first.get("data"), dict)


def _label_studio_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    answers, items = Answers(source.name, "label-studio"), _label_studio_items(source, plan)
    truths = 0
    for row, task in source.records():
        item = items.add(task)
        answers.tally.add("draft", count=len(as_list(as_mapping(task).get("drafts"))))
        for annotation in map(as_mapping, as_list(as_mapping(task).get("annotations"))):
            if annotation.get("was_cancelled") is True and plan.skipped == "drop":
                answers.tally.add("skipped annotation", why="was_cancelled is true", can_be_kept=True)
                continue
            truths += annotation.get("ground_truth") is True
            rater = _person(annotation.get("completed_by"))
            labels = list(_label_studio_labels(annotation, answers))
            for question, label in labels:
                answers.add(question, row, {"item": item, "rater": rater, "label": label})
            if not any(plan.question in {None, question} for question, _ in labels):
                answers.tally.add("annotation without an answer")
    fate = "kept" if plan.skipped == "keep" else "dropped"
    taken = {
        "item": items.taken,
        "rater": "annotations.completed_by",
        "label": "annotations.result.value",
        "status": f"annotations.was_cancelled (skipped annotations are {fate})",
    }
    kept = f"{counted(truths, 'annotation')} marked as ground truth counted like any other."
    return answers.ratings(plan, taken, warnings=(kept,) if truths else (), items=items)


def _label_studio_items(source: Source, plan: ReadPlan) -> ItemKeys:
    return ItemKeys(source.name, plan, own=[f"data.{name}" for name in ID_NAMES], fallback="id")


def _person(value: object) -> str | None:
    """Who annotated: an id in a plain export, an object with id and email in a snapshot."""
    if isinstance(value, dict):
        return as_text(value.get("id")) or as_text(value.get("email")) or as_text(value.get("username"))
    return as_text(value)


def _label_studio_labels(annotation: Mapping[str, object], answers: Answers) -> Iterator[tuple[str, str | None]]:
    """Each question that was answered with a label, and the label."""
    for result in map(as_mapping, as_list(annotation.get("result"))):
        kind = as_text(result.get("type")) or "?"
        label = label_of(kind, as_mapping(result.get("value")))
        question = as_text(result.get("from_name"))
        if label is None or question is None:
            answers.tally.add(f"result of type {kind}", several=f"results of type {kind}", why=NO_LABEL)
        else:
            yield question, label


def label_of(kind: str, value: Mapping[str, object]) -> str | None:
    """The label in a result's value.

    >>> label_of("choices", {"choices": ["a", "b"]}), label_of("rating", {"rating": 4}), label_of("labels", {})
    ('a|b', '4', None)
    >>> label_of("taxonomy", {"taxonomy": [["animal", "bird"]]}), label_of("pairwise", {"selected": "left"})
    ('animal / bird', 'left')
    """
    if kind == "taxonomy":
        paths = map(as_list, as_list(value.get("taxonomy")))
        return as_label([" / ".join(filter(None, map(as_text, path))) for path in paths])
    key = {"choices": "choices", "rating": "rating", "number": "number", "pairwise": "selected"}.get(kind)
    return None if key is None else as_label(value.get(key))


def _label_studio_judges(source: Source, plan: ReadPlan) -> RawJudges:
    answers, items = Answers(source.name, "label-studio"), _label_studio_items(source, plan)
    for row, task in source.records():
        item = items.add(task)
        for prediction in _predictions(as_mapping(task), answers):
            judge = as_text(prediction.get("model_version")) or "prediction"
            for question, label in _label_studio_labels(prediction, answers):
                answers.add(question, row, {"item": item, "judge": judge, "label": label})
    taken = {"item": items.taken, "judge": "predictions.model_version", "label": "predictions.result.value"}
    return answers.judges(plan, taken, items=items)


def _predictions(task: Mapping[str, object], answers: Answers) -> Iterator[Mapping[str, object]]:
    """The predictions of a task; a plain export has their ids there, and the predictions beside annotations."""
    seen = {}
    for annotation in map(as_mapping, as_list(task.get("annotations"))):
        shown = as_mapping(annotation.get("prediction"))
        seen[as_text(shown.get("id"))] = shown
    for prediction in as_list(task.get("predictions")):
        full = prediction if isinstance(prediction, dict) else seen.get(as_text(prediction))
        if full:
            yield full
        else:
            answers.tally.add("prediction", why="the export has its id only; export a snapshot")


# ---- JSON_MIN, CSV and TSV: one row per annotation, one column per question

OWN = ("annotation_id", "annotator", "created_at", "id", "lead_time", "updated_at")
"""Columns that Label Studio adds to those of the data and of the questions."""

LONGEST_CELL = 100_000


def _recognises_min(source: Source, _: ReadPlan) -> bool:
    return {"annotation_id", "annotator", "lead_time"} <= set(source.columns)


def _min_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    sheet = source.table("annotator")
    item = plan.item_path or next((name for name in ID_NAMES[:2] if name in sheet.columns), "id")
    item = item.removeprefix("data.")
    source.table(item)
    cells, texts = loaded_texts(sheet, sheet.columns)
    answers = Answers(source.name, "label-studio-min")
    asked = _label_studio_questions(texts, item, plan)
    for i, row in enumerate(cells.row.tolist()):
        labels = {question: cell_label(texts[question][i]) for question in asked}
        for question, label in labels.items():
            if label is not None:
                who = {"item": texts[item][i], "rater": texts["annotator"][i], "label": label}
                answers.add(question, row, who)
        if not any(labels.values()):
            answers.tally.add("annotation without an answer")
    taken = {
        "item": plan.item_column(item),
        "rater": "column annotator",
        "label": "the question's column",
        "status": "not in this export: skipped annotations are not in it",
    }
    return answers.ratings(plan, taken, rows=len(cells.row))


def _label_studio_questions(texts: dict[str, list[str | None]], item: str, plan: ReadPlan) -> list[str]:
    """The columns that may be questions: those whose texts depend on who annotates, or that hold an answer's object.

    What stands in the data is the same for all annotations of a task, and may look like a label.
    """
    others = [name for name in texts if name not in OWN and name != item]
    if plan.question is not None and plan.question in others:
        return [plan.question]
    # Where every task has one annotation, nothing tells an answer from the data: the user must.
    return [name for name in others if _is_answer(texts.get("id", texts[item]), texts[name])] or others


def _is_answer(tasks: list[str | None], column: list[str | None]) -> bool:
    by_task: dict[str | None, set[str | None]] = {}
    for task, text in zip(tasks, column, strict=True):
        by_task.setdefault(task, set()).add(text)
    has_object = any(text and text.startswith(("{", "[")) for text in column)
    return has_object or any(len(texts) > 1 for texts in by_task.values())


def cell_label(text: str | None) -> str | None:
    r"""A label as these exports have it: a text, `{"choices": [...]}` or `[{"rating": 3}]`.

    >>> cell_label("toxic"), cell_label('{"choices":["a","b"]}'), cell_label('[{"rating":3}]'), cell_label("[1")
    ('toxic', 'a|b', '3', '[1')
    """
    if text is None or not text.startswith(("{", "[")) or len(text) > LONGEST_CELL:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, dict):
        return as_label(value.get("choices"))
    inner = as_list(value)
    if inner and all(isinstance(entry, dict) for entry in inner):
        pairs = (as_mapping(entry).items() for entry in inner)
        return as_label([next((v for k, v in entry if k in {"rating", "number"}), None) for entry in pairs])
    return as_label(value)


# ---- Prodigy's JSONL: one record per answer, by the hash of what was shown

ACCEPT, REJECT = "accept", "reject"
CHOICE, ANSWER = "choice", "answer"
"""The question of a record with options, and of one that was only accepted or rejected."""


def _prodigy_recognises(source: Source, _: ReadPlan) -> bool:
    return {"_input_hash", "answer"} <= as_mapping(source.first).keys()


def _prodigy_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    answers = Answers(source.name, "prodigy")
    # The same text comes again with every annotator, so that only the hash tells records of one item.
    items = ItemKeys(source.name, plan, own=[], fallback="_input_hash")
    for row, value in source.records():
        record = as_mapping(value)
        item = items.add(record)
        rater = as_text(record.get("_annotator_id")) or as_text(record.get("_session_id"))
        for question, label in _prodigy_labels(record, plan, answers):
            answers.add(question, row, {"item": item, "rater": rater, "label": label})
    taken = {
        "item": items.taken,
        "rater": "_annotator_id, or else _session_id",
        "label": "the ids in accept, or else answer",
        "status": "answer (ignored ones are dropped)" if plan.skipped == "drop" else "answer (ignored ones are kept)",
    }
    return answers.ratings(plan, taken, items=items)


def _prodigy_labels(record: Mapping[str, object], plan: ReadPlan, answers: Answers) -> Iterator[tuple[str, str]]:
    """The question that a record answers, and the label."""
    answer = as_text(record.get("answer"))
    has_options = "options" in record or isinstance(record.get("accept"), list)
    is_refused = answer not in {ACCEPT, REJECT} or (has_options and answer == REJECT)
    if is_refused and plan.skipped == "drop":
        what = "rejected record" if answer == REJECT else "ignored record"
        answers.tally.add(what, why=f"answer is {answer}", can_be_kept=True)
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


FORMATS = (
    Format(
        name="argilla",
        what="Argilla's records as JSON",
        recognises=_argilla_recognises,
        ratings=_argilla_ratings,
        judges=_argilla_judges,
    ),
    Format(
        name="argilla-flat",
        what="a data set that Argilla wrote",
        recognises=_recognises_flat,
        ratings=_flat_ratings,
        judges=_flat_judges,
    ),
    Format(
        name="label-studio",
        what="Label Studio's JSON export or snapshot",
        recognises=_label_studio_recognises,
        ratings=_label_studio_ratings,
        judges=_label_studio_judges,
    ),
    Format(
        name="label-studio-min",
        what="Label Studio's JSON_MIN, CSV or TSV export",
        recognises=_recognises_min,
        ratings=_min_ratings,
    ),
    Format(name="prodigy", what="Prodigy's JSONL", recognises=_prodigy_recognises, ratings=_prodigy_ratings),
)
