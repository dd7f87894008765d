"""Label Studio's JSON_MIN, CSV and TSV: one row per annotation, one column per question."""

import json

from dissensus.data.formats.collecting import ID_NAMES, Answers, texts_of
from dissensus.data.formats.plan import Format, RawRatings, ReadPlan
from dissensus.data.sources.json_values import as_label, as_list, as_mapping
from dissensus.data.sources.source import Source

OWN = ("annotation_id", "annotator", "created_at", "id", "lead_time", "updated_at")
"""Columns that Label Studio adds to those of the data and of the questions."""

LONGEST_CELL = 100_000


def _recognises(source: Source, _: ReadPlan) -> bool:
    return {"annotation_id", "annotator", "lead_time"} <= set(source.columns)


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    sheet = source.table("annotator")
    item = plan.item_key or plan.item or next((name for name in ID_NAMES[:2] if name in sheet.columns), "id")
    item = item.removeprefix("data.")
    source.table(item)
    cells = sheet.load(sheet.columns)
    n_rows = len(cells.row)
    texts = {name: texts_of(column, n_rows) for name, column in cells.columns.items()}
    answers = Answers(source.name, FORMAT.name)
    asked = _questions(texts, item, plan)
    for i, row in enumerate(cells.row.tolist()):
        labels = {question: cell_label(texts[question][i]) for question in asked}
        for question, label in labels.items():
            if label is not None:
                who = {"item": texts[item][i], "rater": texts["annotator"][i], "label": label}
                answers.add(question, row, who)
        if not any(labels.values()):
            answers.tally.add("annotation without an answer", several="annotations without an answer")
    taken = {
        "item": f"column {item} ({plan.named('item-key')} names another)",
        "rater": "column annotator",
        "label": "the question's column",
        "status": "not in this export: skipped annotations are not in it",
    }
    return answers.ratings(plan, taken, rows=n_rows)


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
    said: dict[str | None, set[str | None]] = {}
    for task, text in zip(tasks, column, strict=True):
        said.setdefault(task, set()).add(text)
    return any(len(texts) > 1 for texts in said.values()) or any(
        text and text.startswith(("{", "[")) for text in column
    )


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
        return as_label(
            [next((v for k, v in as_mapping(entry).items() if k in {"rating", "number"}), None) for entry in inner]
        )
    return as_label(value)


FORMAT = Format(
    name="label-studio-min",
    what="Label Studio's JSON_MIN, CSV or TSV export",
    recognises=_recognises,
    ratings=_ratings,
)
