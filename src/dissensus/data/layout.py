"""From a source to plain columns: by the layout of a table where that is told at a glance, else by its format."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import replace

from dissensus.data.coding import Sheet
from dissensus.data.columns import LIKELY, found, likely_match, shell_word, synonym_of
from dissensus.data.fixes import MendedSheet, is_wanted, mend_ratings
from dissensus.data.formats.counts import has_counts, read_counts
from dissensus.data.formats.judge_columns import is_prediction
from dissensus.data.formats.plan import RawJudges, RawRatings, ReadPlan
from dissensus.data.formats.tidy import read_tidy
from dissensus.data.formats.tidy_judges import read_tidy_judges
from dissensus.data.formats.wide import is_nameless, is_wide, read_wide
from dissensus.data.labels import number
from dissensus.data.probabilities import PREFIX
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, OptionError, listed

FIRST_NAMES = ("rater", "item", "label")
SEARCHED_ROWS = 10
"""So far down the header of a table with a title may stand."""
_NUMBERED = re.compile(r" \(\d+\)$")


def title_error(sheet: Sheet) -> ColumnError | None:
    """What to do about a table with a title above its header; None if it has none."""
    named = [column for column in sheet.columns if not is_nameless(column)]
    if len(sheet.columns) - len(named) < max(1, len(named)):
        return None
    lower = _header_below(sheet)
    if lower is None and len(named) != 1:
        return None
    where = "" if lower is None else f", and its header in row {lower[0]} ({listed(lower[1])})"
    return ColumnError(
        f"{sheet.name} seems to have a title in its first row ({listed(named)}){where}: delete the rows above the "
        "header, and save it again."
    )


def _header_below(sheet: Sheet) -> tuple[int, list[str]] | None:
    """Number and names of the first row that has several names which we know."""
    cells = sheet.load(sheet.columns)
    for place, row in enumerate(cells.row[:SEARCHED_ROWS].tolist()):
        names = [text for column in cells.columns.values() if (text := column[place]) is not None]
        if sum(any(name.strip().lower() == role or synonym_of([name], role) for role in LIKELY) for name in names) > 1:
            return row, names
    return None


def headerless(sheet: Sheet) -> ColumnError:
    """What to do about a table that seems to have no header."""
    names = [*FIRST_NAMES, *(f"column{i}" for i in range(len(FIRST_NAMES) + 1, len(sheet.columns) + 1))]
    return ColumnError(
        f"{sheet.name} seems to have no header: its first row is {found(sheet)}. Name its columns in their order, "
        f"such as `dissensus import {shlex.quote(sheet.name)} --columns {','.join(names)} -o ratings.csv`."
    )


def lacks_header(sheet: Sheet) -> bool:
    """Whether the names of the columns look like data: numbers or lists, or texts that come again further down."""
    cells = sheet.load(sheet.columns)
    data = 0
    for numbered, column in cells.columns.items():
        name = _NUMBERED.sub("", numbered)
        value = number(name)
        is_measured = value is not None and (value != int(value) or value < 0)
        data += name in column.texts or name.startswith("[") or is_measured
    return 2 * data >= max(len(sheet.columns) - 1, 2)


# ---- From a source to plain columns: by the layout of a table where that is told at a glance, else by its format

AUTO = (None, "auto")
MANY_COLUMNS = 12


def take_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    """The ratings of a source, mended as the user wants."""
    raw = _ratings(source, replace(plan, wants="ratings"))
    _check_question(raw.taken, plan, source.name)
    raw = replace(raw, warnings=(*raw.warnings, *source.notes())) if source.notes() else raw
    return mend_ratings(raw, source.sheet if source.columns else None, plan) if is_wanted(plan) else raw


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    if plan.format in AUTO and _has(source, plan, "item", "label") and _has_any(source, plan, "rater", "count"):
        return table_ratings(_sheet(source), plan)
    # Only what is no plain table pays for the list of all formats.
    from dissensus.data.formats.registry import format_of, ratings_in, unrecognised  # noqa: PLC0415

    format_ = format_of(source, plan)
    if format_ is not None:
        return ratings_in(format_, source, plan)
    if source.sheet is None:
        raise unrecognised(source, plan)
    try:
        return table_ratings(source.sheet, plan)
    except ColumnError as error:
        raise _with_hint(error, source, plan) from error


def table_ratings(sheet: Sheet, plan: ReadPlan) -> RawRatings:
    """Ratings from a table: wide, counts or tidy."""
    if is_wide(sheet, plan):
        return read_wide(sheet, plan)
    return read_counts(sheet, plan) if has_counts(sheet, plan) else read_tidy(sheet, plan)


def take_judges(source: Source, plan: ReadPlan) -> RawJudges:
    """The judges' answers of a source, mended as the user wants."""
    raw = _judges(source, replace(plan, wants="judges"))
    _check_question(raw.taken, plan, source.name)
    if raw.sheet.notes:
        raw = replace(raw, warnings=(*raw.warnings, *raw.sheet.notes))
    if not is_wanted(plan):
        return raw
    label = raw.names.get("label") or next((c for c in raw.sheet.columns if c.strip().lower() == "label"), None)
    mended = MendedSheet(raw.sheet, plan, label)
    notes = (*raw.warnings, *mended.done)
    return replace(raw, sheet=mended, left_out=(*raw.left_out, *mended.left_out), warnings=notes)


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
    has_answers = _has(source, plan, "label") or any(c.lower().startswith(PREFIX) for c in source.columns)
    if plan.format in AUTO and has_answers and _has(source, plan, "item", "judge"):
        return read_tidy_judges(source, plan)
    from dissensus.data.formats.registry import format_of, judges_in, unrecognised  # noqa: PLC0415

    format_ = format_of(source, plan)
    if format_ is not None:
        return judges_in(format_, source, plan)
    if source.sheet is None:
        raise unrecognised(source, plan)
    try:
        return read_tidy_judges(source, plan)
    except ColumnError as error:
        raise _with_hint(error, source, plan) from error


def _check_question(taken: Mapping[str, str], plan: ReadPlan, name: str) -> None:
    """Raise if the user names a question and the source has none, so that the wish is not passed over."""
    if plan.question is not None and "question" not in taken:
        option = plan.named("question")
        raise OptionError(
            f"{name} does not tell questions apart, so {option} {shell_word(plan.question)} has no meaning. Leave it "
            "out, or leave the rows of other questions out with `dissensus import --drop COLUMN=PATTERN`."
        )


def _has(source: Source, plan: ReadPlan, *roles: str) -> bool:
    """Whether the table has a column for each of these roles."""
    lower = {column.strip().lower() for column in source.columns}
    wanted = [getattr(plan, role) or role for role in roles]
    return all(name in source.columns or name.strip().lower() in lower for name in wanted)


def _has_any(source: Source, plan: ReadPlan, *roles: str) -> bool:
    return any(_has(source, plan, role) for role in roles)


def _sheet(source: Source) -> Sheet:
    assert source.sheet is not None  # noqa: S101 - its columns were found
    return source.sheet


def _with_hint(error: ColumnError, source: Source, plan: ReadPlan) -> ColumnError:
    """The error, with what to do about a table that seems to have no header or a row per rater."""
    sheet = _sheet(source)
    is_plain = source.kind in {"csv", "tsv", "workbook"} and plan.columns is None
    title = title_error(sheet) if is_plain else None
    if title is not None:
        return title
    if is_plain and plan.wants == "ratings" and lacks_header(sheet):
        return headerless(sheet)
    return error if plan.wants == "judges" else _with_ratings_hint(error, sheet, plan)


def _with_ratings_hint(error: ColumnError, sheet: Sheet, plan: ReadPlan) -> ColumnError:
    """The error, with what to do about a table of judges' answers, or with a row per rater."""
    if _has_predictions(sheet):
        return ColumnError(
            f"{error} If each column is a judge, run `dissensus import {shlex.quote(sheet.name)} --judges "
            "-o judges.csv`."
        )
    rater = likely_match(sheet.columns, "rater")
    judge = synonym_of(sheet.columns, "judge")
    if rater is None and judge is not None:
        return ColumnError(
            f"{error} If {judge} says which judge answered, it is a file of judges: see `dissensus import "
            f"{shlex.quote(sheet.name)} --judges`."
        )
    is_without_item = all(column.strip().lower() != "item" for column in sheet.columns)
    if rater is not None and is_without_item and plan.item is None and len(sheet.columns) > MANY_COLUMNS:
        return ColumnError(
            f"{error} If each row is a rater and each column an item, name both: --rater {rater} --item with a pattern "
            "of the items' columns, such as --item 'q*' or --item '[0-9]*'."
        )
    return error


def _has_predictions(sheet: Sheet) -> bool:
    """Whether a column of the table has lists of probabilities or marked predictions, which people do not give."""
    cells = sheet.load(sheet.columns)
    return any(column.texts and all(map(is_prediction, column.texts)) for column in cells.columns.values())
