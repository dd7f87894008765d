"""Qualtrics' CSV: three header rows, then one row per respondent and one column per question."""

import re

from dissensus.data.columns import called, matching, shown_columns
from dissensus.data.formats.answers import Answers, loaded_texts
from dissensus.data.formats.plan import KEEP_SKIPPED, Format, RawRatings, ReadPlan
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, named

IMPORT_ID = '{"ImportId"'
RATERS = ("PROLIFIC_PID", "Prolific_PID", "prolific_pid", "prolific_id", "workerId", "ResponseId")
OWN = frozenset({
    "StartDate", "EndDate", "Status", "IPAddress", "Progress", "Duration (in seconds)", "Finished", "RecordedDate",
    "ResponseId", "RecipientLastName", "RecipientFirstName", "RecipientEmail", "ExternalReference", "LocationLatitude",
    "LocationLongitude", "DistributionChannel", "UserLanguage", "STUDY_ID", "SESSION_ID", "ResponseID", *RATERS,
})  # fmt: skip
_LOOP = re.compile(r"(?P<item>\d+)_(?P<question>.+)")
_MATRIX = re.compile(r"(?P<question>.*\D)_(?P<item>\d+)")
EACH_COLUMN = "columns"
"""The question of a survey in which each item has a column of its own."""
UNFINISHED = frozenset({"false", "0", "no"})
PREVIEW = frozenset({"survey preview", "1", "survey test", "2", "spam", "8"})


def _recognises(source: Source, _: ReadPlan) -> bool:
    if not {"StartDate", "EndDate"} & set(source.columns) and "ResponseId" not in source.columns:
        return False
    return _header_rows(source) > 0


def _header_rows(source: Source) -> int:
    """How many rows below the first one belong to the header: up to the one with the ids of Qualtrics, if any."""
    sheet = source.table()
    first = sheet.load(sheet.columns[:1]).columns[sheet.columns[0]]
    return next((i + 1 for i in range(min(2, len(first.codes))) if (first[i] or "").startswith(IMPORT_ID)), 0)


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
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
            answers.tally.add("response", why=why, option=KEEP_SKIPPED)
            continue
        for column, (question, item) in places.items():
            label = texts[column][i]
            if label is not None:
                answers.add(question, row, {"item": item, "rater": texts[rater][i], "label": label})
    taken = {
        "item": "the number in a column's name"
        if EACH_COLUMN not in {q for q, _ in places.values()}
        else "the columns' names",
        "rater": called(rater),
        "label": "the cells below the three header rows",
        "status": "columns Status and Finished",
    }
    return answers.ratings(plan, taken, rows=len(cells.row) - head)


def _places(source: Source, plan: ReadPlan, rater: str) -> dict[str, tuple[str, str]]:
    """The question that each column answers, and about which item."""
    columns = [c for c in source.columns if c not in OWN and c != rater and not c.endswith(("_TEXT", "_DO"))]
    pattern = plan.item or plan.item_key
    if pattern is not None:
        return {
            column: (EACH_COLUMN, column)
            for column in matching(columns, pattern, source.name, named("item", of="read"))
        }
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


FORMATS = (Format(name="qualtrics", what="a Qualtrics export", recognises=_recognises, ratings=_ratings),)
