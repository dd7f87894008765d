"""Mechanical Turk's results: one row per assignment, `Input.*` shown and `Answer.*` given."""

import json
from collections.abc import Mapping

from dissensus.data.columns import shown_columns
from dissensus.data.formats.answers import ID_NAMES, Answers, loaded_texts
from dissensus.data.formats.plan import KEEP_SKIPPED, Format, RawRatings, ReadPlan
from dissensus.data.labels import SEPARATOR
from dissensus.data.sources.documents import as_label, as_list, as_mapping, as_text
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, listed

INPUT, ANSWER, TASK_ANSWERS = "Input.", "Answer.", "Answer.taskAnswers"
OWN = frozenset({
    "HITId", "HITTypeId", "HITGroupId", "Title", "Description", "Keywords", "Reward", "CreationTime", "MaxAssignments",
    "RequesterAnnotation", "AssignmentDurationInSeconds", "AutoApprovalDelayInSeconds", "Expiration",
    "NumberOfSimilarHITs", "LifetimeInSeconds", "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime",
    "SubmitTime", "AutoApprovalTime", "ApprovalTime", "RejectionTime", "RequesterFeedback", "WorkTimeInSeconds",
    "LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate", "Approve", "Reject",
})  # fmt: skip
"""Columns that Mechanical Turk adds to those of the requester."""
TICKED = {"true": True, "on": True, "1": True, "1.0": True, "false": False, "off": False, "0": False, "0.0": False}
LONGEST_CELL = 100_000


def _recognises(source: Source, _: ReadPlan) -> bool:
    columns = set(source.columns)
    has_inputs = any(column.startswith(INPUT) for column in columns)
    return {"HITId", "WorkerId"} <= columns or (has_inputs and bool(columns & {"AssignmentId", "HITId", "WorkerId"}))


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    sheet = source.table()
    item = _item_column(source, plan)
    cells, texts = loaded_texts(sheet, sheet.columns)
    status = texts.get("AssignmentStatus")
    questions = _questions(texts, item)
    answers = Answers(source.name, "mturk")
    blank = 0
    for i, row in enumerate(cells.row.tolist()):
        if texts[item][i] is None and all(column[i] is None for column in texts.values()):
            blank += 1
            continue
        if status is not None and status[i] == "Rejected" and plan.skipped == "drop":
            answers.tally.add("rejected assignment", why="AssignmentStatus is Rejected", option=KEEP_SKIPPED)
            continue
        rater = texts["WorkerId"][i] if "WorkerId" in texts else None
        for question, label in _labels(texts, questions, i).items():
            answers.add(question, row, {"item": texts[item][i], "rater": rater, "label": label})
    answers.tally.add("blank row", count=blank + cells.blank_rows)
    taken = {
        "item": plan.item_column(item),
        "rater": "column WorkerId" if "WorkerId" in texts else "nothing: there is no column WorkerId",
        "label": f"{ANSWER}<question>" if any(c.startswith(ANSWER) for c in texts) else "the question's column",
        "status": "column AssignmentStatus" if status is not None else "not in this file",
    }
    return answers.ratings(plan, taken, rows=len(cells.row))


def _item_column(source: Source, plan: ReadPlan) -> str:
    given = plan.item_path
    if given is not None:
        named = next((c for c in (given, INPUT + given) if c in source.columns), None)
        if named is None:
            raise ColumnError(
                f"{source.name} has no column {given!r}. Columns found: {', '.join(source.columns[:12])}."
            )
        return named
    inputs = {column.lower(): column for column in source.columns if column.startswith(INPUT)}
    own = next((inputs[name] for name in (f"{INPUT}{n}".lower() for n in ID_NAMES) if name in inputs), None)
    if own is not None:
        return own
    if "HITId" in source.columns:
        return "HITId"
    names = list(inputs.values())
    likely = next((name for name in names if name.lower().endswith("id")), names[0] if names else "COLUMN")
    option = plan.named("item_key")
    raise ColumnError(
        f"{source.name} has no HITId that tells items apart. Name the items' column with {option}, such as {option} "
        f"{likely}. It shows {listed(names)}; columns found: {shown_columns(source.table())}."
    )


def _questions(texts: Mapping[str, list[str | None]], item: str) -> dict[str, list[str]]:
    """The columns of each question: one, or one for each option that could be ticked."""
    answers = [c for c in texts if c.startswith(ANSWER)]
    others = [c for c in texts if c not in OWN and c != item and not c.startswith((INPUT, "column "))]
    questions: dict[str, list[str]] = {}
    for column in answers or others:
        name = column.removeprefix(ANSWER)
        question, dot, _ = name.rpartition(".")
        is_ticked = {TICKED.get(text.lower()) is not None for text in texts[column] if text is not None}
        questions.setdefault(question if answers and dot and is_ticked == {True} else name, []).append(column)
    return questions


def _labels(texts: Mapping[str, list[str | None]], questions: Mapping[str, list[str]], i: int) -> dict[str, str | None]:
    """What one worker answered to each question."""
    labels: dict[str, str | None] = {}
    for question, columns in questions.items():
        if columns == [TASK_ANSWERS]:
            labels |= task_answers(texts[TASK_ANSWERS][i])
        elif len(columns) > 1 or columns[0] not in {question, ANSWER + question}:
            options = [c.rpartition(".")[2] for c in columns if TICKED.get((texts[c][i] or "").lower())]
            labels[question] = SEPARATOR.join(options) or None
        else:
            labels[question] = texts[columns[0]][i]
    return labels


def task_answers(text: str | None) -> dict[str, str | None]:
    """The answers in a cell of `Answer.taskAnswers`, which Mechanical Turk's own widgets write.

    Examples
    --------
    >>> task_answers('[{"q1":{"label":"spam"},"q2":{"a":true,"b":true,"c":false},"q3":"4"}]')
    {'q1': 'spam', 'q2': 'a|b', 'q3': '4'}
    """
    if text is None or len(text) > LONGEST_CELL:
        return {}
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    found_labels = {}
    for form in as_list(given):
        for question, value in as_mapping(form).items():
            inner = as_mapping(value)
            ticked = [option for option, is_on in inner.items() if is_on is True]
            label = as_text(inner.get("label")) or as_label(inner.get("labels")) or SEPARATOR.join(ticked)
            found_labels[question] = label or as_label(value)
    return found_labels


FORMATS = (Format(name="mturk", what="Mechanical Turk's results", recognises=_recognises, ratings=_ratings),)
