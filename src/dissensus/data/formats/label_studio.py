"""Label Studio's exports: tasks with annotations and predictions, or a row per annotation."""

import json
from collections.abc import Iterator, Mapping

from dissensus.data.formats.answers import ID_NAMES, Answers, ItemKeys, loaded_texts
from dissensus.data.formats.plan import KEEP_SKIPPED, Format, RawJudges, RawRatings, ReadPlan
from dissensus.data.sources.documents import as_label, as_list, as_mapping, as_text
from dissensus.data.sources.source import Source
from dissensus.errors import counted

NO_LABEL = "only choices, ratings, numbers, pairs and taxonomies are labels"


def _recognises(source: Source, _: ReadPlan) -> bool:
    first = as_mapping(source.first)
    return not source.is_document and isinstance(first.get("annotations"), list) and isinstance(first.get("data"), dict)


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    answers, items = Answers(source.name, "label-studio"), _items(source, plan)
    rows = truths = 0
    for row, task in source.records():
        rows += 1
        item = items.add(task)
        drafts = len(as_list(as_mapping(task).get("drafts")))
        answers.tally.add("draft", count=drafts)
        for annotation in map(as_mapping, as_list(as_mapping(task).get("annotations"))):
            if annotation.get("was_cancelled") is True and plan.skipped == "drop":
                answers.tally.add("skipped annotation", why="was_cancelled is true", option=KEEP_SKIPPED)
                continue
            truths += annotation.get("ground_truth") is True
            rater = _person(annotation.get("completed_by"))
            labels = list(_labels(annotation, answers))
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
    return answers.ratings(plan, taken, rows=rows, warnings=_truths(truths), items=items)


def _items(source: Source, plan: ReadPlan) -> ItemKeys:
    return ItemKeys(source.name, plan, own=[f"data.{name}" for name in ID_NAMES], fallback="id")


def _truths(count: int) -> tuple[str, ...]:
    kept = f"{counted(count, 'annotation')} marked as ground truth counted like any other."
    return (kept,) if count else ()


def _person(value: object) -> str | None:
    """Who annotated: an id in a plain export, an object with id and email in a snapshot."""
    if isinstance(value, dict):
        return as_text(value.get("id")) or as_text(value.get("email")) or as_text(value.get("username"))
    return as_text(value)


def _labels(annotation: Mapping[str, object], answers: Answers) -> Iterator[tuple[str, str | None]]:
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

    Examples
    --------
    >>> label_of("choices", {"choices": ["a", "b"]}), label_of("rating", {"rating": 4}), label_of("labels", {})
    ('a|b', '4', None)
    >>> label_of("taxonomy", {"taxonomy": [["animal", "bird"]]}), label_of("pairwise", {"selected": "left"})
    ('animal / bird', 'left')
    """
    if kind == "taxonomy":
        return as_label(
            [" / ".join(filter(None, map(as_text, as_list(path)))) for path in as_list(value.get("taxonomy"))]
        )
    key = {"choices": "choices", "rating": "rating", "number": "number", "pairwise": "selected"}.get(kind)
    return None if key is None else as_label(value.get(key))


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
    answers, items = Answers(source.name, "label-studio"), _items(source, plan)
    for row, task in source.records():
        item = items.add(task)
        for prediction in _predictions(as_mapping(task), answers):
            judge = as_text(prediction.get("model_version")) or "prediction"
            for question, label in _labels(prediction, answers):
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
    asked = _questions(texts, item, plan)
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


def _questions(texts: dict[str, list[str | None]], item: str, plan: ReadPlan) -> list[str]:
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

    Examples
    --------
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


FORMATS = (
    Format(
        name="label-studio", what="Label Studio's JSON export or snapshot", recognises=_recognises, ratings=_ratings,
        judges=_judges,
    ),
    Format(
        name="label-studio-min", what="Label Studio's JSON_MIN, CSV or TSV export", recognises=_recognises_min,
        ratings=_min_ratings,
    ),
)  # fmt: skip
