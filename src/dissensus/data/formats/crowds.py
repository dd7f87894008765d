"""Exports of platforms that ask many people: Mechanical Turk, Prolific, Qualtrics."""

import json
import re
from collections.abc import Iterator, Mapping

from dissensus.data.columns import called, matching, shown_columns
from dissensus.data.formats.answers import ID_NAMES, Answers, ItemKeys, loaded_texts
from dissensus.data.formats.plan import Format, RawRatings, ReadPlan
from dissensus.data.labels import SEPARATOR
from dissensus.data.sources.documents import as_label, as_list, as_mapping, as_text
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, FileError, listed, named

# ---- Mechanical Turk's results: one row per assignment, `Input.*` shown and `Answer.*` given

INPUT, ANSWER, TASK_ANSWERS = "Input.", "Answer.", "Answer.taskAnswers"
MTURK_OWN = frozenset({
    "HITId", "HITTypeId", "HITGroupId", "Title", "Description", "Keywords", "Reward", "CreationTime", "MaxAssignments",
    "RequesterAnnotation", "AssignmentDurationInSeconds", "AutoApprovalDelayInSeconds", "Expiration",
    "NumberOfSimilarHITs", "LifetimeInSeconds", "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime",
    "SubmitTime", "AutoApprovalTime", "ApprovalTime", "RejectionTime", "RequesterFeedback", "WorkTimeInSeconds",
    "LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate", "Approve", "Reject",
})  # fmt: skip
"""Columns that Mechanical Turk adds to those of the requester."""
TICKED = {"true": True, "on": True, "1": True, "1.0": True, "false": False, "off": False, "0": False, "0.0": False}
LONGEST_CELL = 100_000


def _mturk_recognises(source: Source, _: ReadPlan) -> bool:
    columns = set(source.columns)
    has_inputs = any(column.startswith(INPUT) for column in columns)
    return {"HITId", "WorkerId"} <= columns or (has_inputs and bool(columns & {"AssignmentId", "HITId", "WorkerId"}))


def _mturk_ratings(source: Source, plan: ReadPlan) -> RawRatings:
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
            answers.tally.add("rejected assignment", why="AssignmentStatus is Rejected", can_be_kept=True)
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
            found = ", ".join(source.columns[:12])
            raise ColumnError(f"{source.name} has no column {given!r}. Columns found: {found}.")
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
    others = [c for c in texts if c not in MTURK_OWN and c != item and not c.startswith((INPUT, "column "))]
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


# ---- Prolific's exports: its list of participants has no ratings; the responses of its task builder have

PARTICIPANTS = {"Submission id", "Participant id", "Status"}
RESPONSE = {"participant_id", "task_id", "response"}


def _responses(source: Source) -> Iterator[tuple[int, Mapping[str, object]]]:
    """The responses: records of their own, or a list under `results`."""
    within = as_list(as_mapping(source.document).get("results"))
    for row, value in enumerate(within, start=1) if source.is_document else source.records():
        yield row, as_mapping(value)


def _prolific_recognises(source: Source, _: ReadPlan) -> bool:
    if set(source.columns) >= PARTICIPANTS:
        return True
    results = as_list(as_mapping(source.document).get("results"))
    return as_mapping(results[0] if results else source.first).keys() >= RESPONSE


def _prolific_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    if set(source.columns) >= PARTICIPANTS:
        raise FileError(
            f"{source.name} is Prolific's list of participants, which has no ratings. Import what they answered: the "
            f"survey's own export, in which PROLIFIC_PID says who rated ({named('rater', of='read')} PROLIFIC_PID)."
        )
    answers = Answers(source.name, "prolific")
    items = ItemKeys(source.name, plan, own=[], fallback="task_id")
    for row, record in _responses(source):
        item, response = items.add(record), as_mapping(record.get("response"))
        label = as_label([as_mapping(answer).get("value") for answer in as_list(response.get("answer"))])
        question = as_text(response.get("instruction_id")) or "response"
        if label is None:
            answers.tally.add(
                "response that is not a choice", several="responses that are not choices", why="text or a file"
            )
        else:
            rater = as_text(record.get("participant_id"))
            answers.add(question, row, {"item": item, "rater": rater, "label": label})
    taken = {"item": items.taken, "rater": "participant_id", "label": "response.answer.value"}
    return answers.ratings(plan, taken, items=items)


# ---- Qualtrics' CSV: three header rows, then one row per respondent and one column per question

IMPORT_ID = '{"ImportId"'
RATERS = ("PROLIFIC_PID", "Prolific_PID", "prolific_pid", "prolific_id", "workerId", "ResponseId")
QUALTRICS_OWN = frozenset({
    "StartDate", "EndDate", "Status", "IPAddress", "Progress", "Duration (in seconds)", "Finished", "RecordedDate",
    "ResponseId", "RecipientLastName", "RecipientFirstName", "RecipientEmail", "ExternalReference", "LocationLatitude",
    "LocationLongitude", "DistributionChannel", "UserLanguage", "STUDY_ID", "SESSION_ID", "ResponseID", *RATERS,
})  # fmt: skip
_LOOP = re.compile(r"(?P<item>\d+)_(?P<question>.+)")
_MATRIX = re.compile(r"(?P<question>.*\D)_(?P<item>\d+)")
EACH_COLUMN = "columns"  # the question of a survey in which each item has a column of its own
UNFINISHED = frozenset({"false", "0", "no"})
PREVIEW = frozenset({"survey preview", "1", "survey test", "2", "spam", "8"})


def _qualtrics_recognises(source: Source, _: ReadPlan) -> bool:
    if not {"StartDate", "EndDate"} & set(source.columns) and "ResponseId" not in source.columns:
        return False
    return _header_rows(source) > 0


def _header_rows(source: Source) -> int:
    """How many rows below the first one belong to the header: up to the one with the ids of Qualtrics, if any."""
    sheet = source.table()
    first = sheet.load(sheet.columns[:1]).columns[sheet.columns[0]]
    return next((i + 1 for i in range(min(2, len(first.codes))) if (first[i] or "").startswith(IMPORT_ID)), 0)


def _qualtrics_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    sheet = source.table()
    rater = plan.rater or next((name for name in RATERS if name in sheet.columns), None)
    if rater is None or rater not in sheet.columns:
        hint = f"{named('rater', of='read')}. Columns found: {shown_columns(sheet)}."
        raise ColumnError(f"{source.name}: name the column of the respondents with {hint}")
    cells, texts = loaded_texts(sheet, sheet.columns)
    head = _header_rows(source)
    places = _places(source, plan, rater)
    answers = Answers(source.name, "qualtrics")
    for i, row in list(enumerate(cells.row.tolist()))[head:]:
        why = _left_out(texts, i)
        if why is not None and plan.skipped == "drop":
            answers.tally.add("response", why=why, can_be_kept=True)
            continue
        for column, (question, item) in places.items():
            label = texts[column][i]
            if label is not None:
                answers.add(question, row, {"item": item, "rater": texts[rater][i], "label": label})
    has_own_columns = EACH_COLUMN in {question for question, _ in places.values()}
    taken = {
        "item": "the columns' names" if has_own_columns else "the number in a column's name",
        "rater": called(rater),
        "label": "the cells below the three header rows",
        "status": "columns Status and Finished",
    }
    return answers.ratings(plan, taken, rows=len(cells.row) - head)


def _places(source: Source, plan: ReadPlan, rater: str) -> dict[str, tuple[str, str]]:
    """The question that each column answers, and about which item."""
    columns = [c for c in source.columns if c not in QUALTRICS_OWN and c != rater and not c.endswith(("_TEXT", "_DO"))]
    pattern = plan.item or plan.item_key
    if pattern is not None:
        items = matching(columns, pattern, source.name, named("item", of="read"))
        return {column: (EACH_COLUMN, column) for column in items}
    places = {}
    for column in columns:
        match = _LOOP.fullmatch(column) or _MATRIX.fullmatch(column)
        places[column] = (EACH_COLUMN, column) if match is None else (match["question"], match["item"])
    return places


def _left_out(texts: dict[str, list[str | None]], i: int) -> str | None:
    """Why a response does not count; None if it does."""
    finished, status = texts.get("Finished"), texts.get("Status")
    if finished is not None and (finished[i] or "").lower() in UNFINISHED:
        return "Finished is false"
    if status is not None and (status[i] or "").lower() in PREVIEW:
        return "Status says that it is a preview, a test or spam"
    return None


FORMATS = (
    Format(name="mturk", what="Mechanical Turk's results", recognises=_mturk_recognises, ratings=_mturk_ratings),
    Format(name="prolific", what="a Prolific export", recognises=_prolific_recognises, ratings=_prolific_ratings),
    Format(name="qualtrics", what="a Qualtrics export", recognises=_qualtrics_recognises, ratings=_qualtrics_ratings),
)
