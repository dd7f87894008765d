"""Read ratings and judges from a file or a data frame."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from dissensus.data.assemble import assemble, assemble_judges
from dissensus.data.coding import Sheet
from dissensus.data.columns import (
    MissingColumnsError,
    find_column,
    has_no_header,
    header_error,
    likely_match,
    synonym_of,
)
from dissensus.data.fixes import FixedSheet, fix_ratings, is_wanted, with_plain_numbers
from dissensus.data.formats.plan import (
    AUTO,
    OFF_SCALE,
    REPEATS,
    SKIPPED,
    LeftOut,
    OffScale,
    RawJudges,
    RawRatings,
    ReadPlan,
    Repeats,
    Skipped,
    format_of,
    unrecognised,
)
from dissensus.data.formats.side_by_side import by_content, is_prediction
from dissensus.data.formats.tables import read_table, read_tidy_judges
from dissensus.data.judges import Judges
from dissensus.data.labels import PREFIX, SCALES, Scale
from dissensus.data.layout import named_otherwise, names_by_content
from dissensus.data.questions import asked_in, each_question, pooled_judges, pooled_ratings
from dissensus.data.ratings import DRAWN, Provenance, Ratings
from dissensus.data.slices import item_column, sliced, slicing_in
from dissensus.data.sources.source import Source, open_source
from dissensus.data.task import Task
from dissensus.errors import ColumnError, DissensusError, OptionError, joined, listed, named, shell_word

if TYPE_CHECKING:
    from dissensus.data.inputs import Table

MANY_COLUMNS = 12
R = TypeVar("R", RawRatings, RawJudges)


def read(
    source: "Table",
    *,
    item: str | None = None,
    rater: str | None = None,
    label: str | None = None,
    group: str | None = None,
    elicitation: str | None = None,
    count: str | None = None,
    labels: Sequence[str] | None = None,
    scale: Scale | None = None,
    repeats: Repeats = "error",
    wide: bool | None = None,
    task: Task | None = None,
    source_format: str | None = None,
    question: str | None = None,
    item_key: str | None = None,
    sheet: str | None = None,
    columns: Sequence[str] | None = None,
    skipped: Skipped = "drop",
    label_map: Mapping[str, str] | None = None,
    merge_case: bool = False,
    decimal_comma: bool = False,
    off_scale: OffScale = "error",
    split: str | None = None,
    drop: Sequence[tuple[str, str]] = (),
    by: str | None = None,
    items: "Table | None" = None,
) -> Ratings:
    """Ratings from a file, an annotation tool's export, a frame, an array, a dict or a list of records.

    Parameters
    ----------
    source : path or table
        A file (CSV, TSV, JSON, JSONL, Parquet, Excel), or a table in Python: one row per rating (`item, rater, label`),
        one row per item and label with a `count`, or one row per item and one column per rater. Without a rater column
        each row is an anonymous rater. `example:binary` is a bundled data set. The export of an annotation tool is
        recognised. A table may be a frame (pandas with the items in its index, polars, pyarrow, duckdb, Hugging Face),
        a NumPy array (items by raters, NaN where a label is missing), a dict of rater to labels, or a list of records.
    item, rater, label, group, elicitation, count : str, optional
        What these columns are called there. In a wide file `rater` names the rater columns, with wildcards.
    labels : sequence of str, optional
        Every option in its order. Without it numbers stand as numbers, the rest alphabetically.
    scale : {"nominal", "ordinal", "interval"}, optional
        What the order of the labels means; inferred if not given.
    repeats : {"error", "first", "last", "keep"}
        What to do where a rater rated an item twice.
    wide : bool, optional
        Whether each column is a rater; recognised if not given.
    task : Task, optional
        Gives the options and their order.
    source_format : str, optional
        Name of the format, such as label-studio; recognised if not given.
    question : str, optional
        Which question, where a source asks several.
    item_key : str, optional
        Where the item's id stands in a tool's export, such as `data.id`.
    sheet : str, optional
        Which sheet of a workbook; the first if not given.
    columns : sequence of str, optional
        Names of the columns of a CSV file or a workbook without a header.
    skipped : {"drop", "keep"}
        What to do with answers that were skipped, discarded or rejected.
    label_map : mapping of str to str, optional
        Other names for labels; an empty one means missing.
    merge_case : bool
        Whether labels that differ in case or blanks only are one.
    decimal_comma : bool
        Whether a comma in a label stands for the point of a number: `3,5` is 3.5.
    off_scale : {"error", "missing"}
        What to do with labels that are not among `labels`.
    split : str, optional
        What stands between the options of a response set, besides a bar: "," or "; ".
    drop : sequence of (str, str)
        Rows to leave out: a column (item, rater, label or any other) and a pattern of its texts, such as `check_*`.
    by : str, optional
        Answer for each slice of the items by this attribute: a column of the source or of `items`, or split, ratings,
        length or suffix, which need none.
    items : path or table, optional
        A table with a row per item: columns that `by` can name, the text of an item (`text`, or `text_a` and `text_b`
        of a pair) and who wrote it (`writer`, or `writer_a` and `writer_b`).

    Returns
    -------
    Ratings
        Where a source has a column `question`, or a tool's export asks several, each question is in its `questions`.

    Raises
    ------
    DissensusError
        If the source cannot be read: the message says what is wrong, in which row, and what to do next.

    See Also
    --------
    read_judges : Judges' answers from a file or a frame.
    read_both : People and judges from one table.
    read_task : What people were asked.
    read_reduced : The same from files larger than memory.
    doctor : What is wrong with a file.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"item": [1, 1, 2], "rater": ["a", "b", "a"], "label": ["no", "yes", "no"]})
    >>> ratings = read(frame)
    >>> ratings.n_items, ratings.n_ratings, ratings.labels
    (2, 3, ('no', 'yes'))
    """
    plan = ReadPlan.given(locals(), of="read")
    with open_source(source, sheet=sheet, columns=plan.columns) as opened:
        found = each_question(lambda asked: ratings_of(opened, asked)[0], plan, task)
        ratings = pooled_ratings(found) if isinstance(found, dict) else found
        ratings = with_about(ratings, opened.sheet, plan.item, items)
        return ratings if by is None else sliced(ratings, slicing_in(by, ratings, opened, plan, items))


def read_judges(
    source: "Table",
    *,
    item: str | None = None,
    judge: str | None = None,
    sample: str | None = None,
    label: str | None = None,
    elicitation: str | None = None,
    order: str | None = None,
    labels: Sequence[str] | None = None,
    repeats: Repeats = "error",
    task: Task | None = None,
    source_format: str | None = None,
    question: str | None = None,
    item_key: str | None = None,
    label_map: Mapping[str, str] | None = None,
    merge_case: bool = False,
) -> Judges:
    """Judges' answers from a file or a frame: `item, judge, sample, label` and/or `p_<label>` columns, or a tool's log.

    Parameters
    ----------
    source : path or table
        As for `read`; one row per answer, or one row per item and one column per judge. Without a `judge` column there
        is one judge, called `judge`; without a `sample` column the rows of one judge and item are its samples.
    item, judge, sample, label, elicitation, order : str, optional
        What these columns are called there. For pairs `order` is ab or ba, as they were shown; labels are about a and
        b, not about places.
    labels : sequence of str, optional
        Every option in its order; those of the ratings, to have both in one order.
    repeats : {"error", "first", "last", "keep"}
        What to do where a sample of a judge and item comes twice.
    task : Task, optional
        Gives the options and their order.
    source_format, question, item_key, label_map, merge_case
        As for `read`.

    Returns
    -------
    Judges

    Raises
    ------
    DissensusError
        If the source cannot be read, or the probabilities of a row do not sum to 1.

    See Also
    --------
    read : Ratings from a file or a frame.
    read_both : People and judges from one table.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"item": [1, 2], "judge": "b", "p_no": [0.9, 0.2], "p_yes": [0.1, 0.8]})
    >>> judges = read_judges(frame)
    >>> judges.judges, judges.labels, judges.n_answers
    (('b',), ('no', 'yes'), 2)
    """
    plan = ReadPlan.given(locals(), of="read_judges")
    with open_source(source, example="judges.csv") as opened:
        found = each_question(lambda asked: judges_of(opened, asked)[0], plan, task)
        return pooled_judges(found) if isinstance(found, dict) else found


def item_names(source: object) -> list[str]:
    """The items of a table in the order of its rows."""
    with open_source(source) as opened:
        if opened.sheet is None:
            return []
        item = find_column(opened.sheet, "item") or opened.sheet.columns[0]
        cells = opened.sheet.load([item])
        names = [cells.columns[item][row] for row in range(len(cells.row))]
    rated = list(dict.fromkeys(name for name in names if name is not None))
    every = cells.columns[item].texts
    return rated if len(rated) == len(every) else list(every)  # of an array every row is an item


def ratings_of(source: Source, plan: ReadPlan) -> tuple[Ratings, RawRatings, tuple[LeftOut, ...]]:
    """The ratings of a source, what its format handed over, and what was left out."""
    check_plan(plan)
    raw = take_ratings(source, plan)
    n_columns, sha256 = len(source.columns), source.sha256()
    origin = Provenance(name=source.name, sha256=sha256, format=raw.format, rows=raw.rows, columns=n_columns)
    ratings, left_out = assemble(raw, plan, origin)
    return ratings, raw, left_out


def judges_of(source: Source, plan: ReadPlan) -> tuple[Judges, RawJudges, tuple[LeftOut, ...]]:
    """The judges' answers of a source, what its format handed over, and what was left out."""
    check_plan(plan)
    raw = take_judges(source, plan)
    judges, left_out = assemble_judges(raw, plan, sha256=source.sha256())
    return judges, raw, left_out


def check_plan(plan: ReadPlan) -> None:
    """Raise if an option has a value it cannot have."""
    choices = {"scale": (None, *SCALES), "repeats": REPEATS, "skipped": SKIPPED, "off_scale": OFF_SCALE}
    for option, known in choices.items():
        value = getattr(plan, option)
        if value not in known:
            raise OptionError.unknown(plan.named(option), value, known if known[0] is not None else known[1:])
    if plan.split == "":
        raise OptionError(f"{plan.named('split')} is empty: give what separates the options, such as a comma.")


# ---- From a source to plain columns: by the layout of a table where that is clear at a glance, else by its format


def take_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    """The ratings of a source, fixed as the user wants."""
    return _in_some_sheet(source, partial(_take_ratings, plan=plan))


def _in_some_sheet(source: Source, take: Callable[[Source], R]) -> R:
    """What is taken from a source; of a workbook from the first sheet that has it."""
    try:
        return take(source)
    except ColumnError:
        first = source.sheet_name
        for name in source.other_sheets():
            source.turn_to(name)
            with suppress(DissensusError):
                found: R = take(source)
                note = f"Read from the sheet {name}, since {first} has no table of ratings."
                return replace(found, warnings=(*found.warnings, note))
        source.turn_to(first)
        raise


def _take_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    opened, (source, plan) = source, asked_in(source, plan)
    raw = _ratings(source, replace(plan, wants="ratings"))
    _check_question(raw.taken, plan, source.name)
    label, notes = with_plain_numbers(raw.label, None if plan.decimal_comma or plan.split else opened.delimiter)
    raw = replace(raw, label=label, warnings=(*raw.warnings, *notes, *source.notes()))
    return fix_ratings(raw, source.sheet if source.columns else None, plan) if is_wanted(plan) else raw


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    whose = ("rater", "count")
    if plan.source_format in {None, AUTO} and any(_has_columns(source, plan, "item", "label", role) for role in whose):
        return read_table(source.table(), plan)
    format_ = format_of(source, plan)
    if format_ is not None:
        return format_.ratings_in(source, plan)
    if source.sheet is None:
        raise unrecognised(source, plan)
    try:
        return read_table(source.sheet, plan)
    except ColumnError as error:
        names = _names_of_headerless(source, plan)
        raw = by_content(source.sheet, plan) if names is None else None
        if raw is not None:
            return raw
        if names is None:
            raise _with_hint(error, source, plan) from error
    raw = _ratings(source.with_columns(tuple(names)), plan)
    kept = [name for name in names if not name.startswith("column")]
    note = f"There is no header: the columns were taken for {joined(kept)} by what stands in them."
    return replace(raw, warnings=(note, *raw.warnings))


def _names_of_headerless(source: Source, plan: ReadPlan) -> list[str] | None:
    is_file = source.kind in {"csv", "tsv", "workbook"} and plan.columns is None
    return names_by_content(source.table()) if is_file and has_no_header(source.table()) else None


def take_judges(source: Source, plan: ReadPlan) -> RawJudges:
    """The judges' answers of a source, fixed as the user wants."""
    return _in_some_sheet(source, partial(_take_judges, plan=plan))


def _take_judges(source: Source, plan: ReadPlan) -> RawJudges:
    opened, (source, plan) = source, asked_in(source, plan)
    raw = _judges(source, replace(plan, wants="judges"))
    _check_question(raw.taken, plan, source.name)
    raw.sheet.delimiter = opened.delimiter
    if raw.sheet.notes:
        raw = replace(raw, warnings=(*raw.warnings, *raw.sheet.notes))
    if not is_wanted(plan):
        return raw
    label = raw.names.get("label") or next((c for c in raw.sheet.columns if c.strip().lower() == "label"), None)
    fixed = FixedSheet(raw.sheet, plan, label)
    warnings = (*raw.warnings, *fixed.done)
    return replace(raw, sheet=fixed, left_out=(*raw.left_out, *fixed.left_out), warnings=warnings)


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
    has_answers = _has_columns(source, plan, "label") or any(c.lower().startswith(PREFIX) for c in source.columns)
    if plan.source_format in {None, AUTO} and has_answers and _has_columns(source, plan, "item", "judge"):
        return read_tidy_judges(source, plan)
    format_ = format_of(source, plan)
    if format_ is not None:
        return format_.judges_in(source, plan)
    if source.sheet is None:
        raise unrecognised(source, plan)
    try:
        return read_tidy_judges(source, plan)
    except ColumnError as error:
        raise _with_hint(error, source, plan) from error


def _check_question(taken: Mapping[str, str], plan: ReadPlan, name: str) -> None:
    """Raise if the user names a question and the source has none, so that the wish is not passed over."""
    if plan.question is not None and "question" not in taken:
        raise OptionError(
            f"{name} does not tell questions apart, so {plan.named('question')} {shell_word(plan.question)} has no "
            f"meaning. Leave it out, or leave the rows of other questions out with {named('drop', of='read')}."
        )


def _has_columns(source: Source, plan: ReadPlan, *roles: str) -> bool:
    """Whether the table has a column for each of these roles."""
    lower = {column.strip().lower() for column in source.columns}
    wanted = [getattr(plan, role) or role for role in roles]
    return all(name in source.columns or name.strip().lower() in lower for name in wanted)


def _with_hint(error: ColumnError, source: Source, plan: ReadPlan) -> ColumnError:
    """The error, with what to do about a table that has no header, is one of judges, or has a row per rater."""
    sheet = source.table()
    is_file = source.kind in {"csv", "tsv", "workbook"} and plan.columns is None
    if is_file and plan.wants == "ratings" and has_no_header(sheet):
        return header_error(sheet)
    hint = "" if plan.wants == "judges" else _hint(sheet, plan)
    if not hint:
        return error
    if isinstance(error, MissingColumnsError):
        return MissingColumnsError(error.before, error.option, f"{error.after} {hint}")
    return ColumnError(f"{error.message} {hint}")


def _hint(sheet: Sheet, plan: ReadPlan) -> str:
    """What to do about a table that holds judges' answers, or has a row per rater; nothing if it is neither."""
    importing = f"`dissensus import {shlex.quote(sheet.name)} {named('judges', of='import_')}"
    cells = sheet.load(sheet.columns)
    # People give no lists of probabilities and no marked predictions.
    if any(column.texts and all(map(is_prediction, column.texts)) for column in cells.columns.values()):
        return f"If each column is a judge, run {importing} -o judges.csv`."
    rater, judge = likely_match(sheet.columns, "rater"), synonym_of(sheet.columns, "judge")
    if rater is None and judge is not None:
        return f"If {judge} says which judge answered, it is a file of judges: see {importing}`."
    is_without_item = all(column.strip().lower() != "item" for column in sheet.columns)
    if rater is not None and is_without_item and plan.item is None and len(sheet.columns) > MANY_COLUMNS:
        item = named("item", of="read")
        return (
            f"If each row is a rater and each column an item, name both: {named('rater', of='read')} {rater} {item} "
            f"with a pattern of the items' columns, such as {item} 'q*' or {item} '[0-9]*'."
        )
    return ""


# ---- What a table says about each item beside its ratings: its text, who wrote it, and whatever else has a column

KNOWN = ("text", "text_a", "text_b", "writer", "writer_a", "writer_b", DRAWN)
"""Columns of ratings that are about the item, by their names: what it is, or both of a pair, and who wrote it."""

About = dict[str, dict[str, str]]
"""By the name of a column the value of each item that has one."""


def with_about(ratings: Ratings, sheet: Sheet | None, item: str | None, items: "Table | None") -> Ratings:
    """The ratings, and those of each question, with what their table and one about the items, which goes first, say."""
    about = {} if sheet is None else about_items(sheet, item)
    if items is not None:
        with open_source(items) as opened:
            sheet = opened.table()
            place = item_column(sheet, None, option="items")
            _check_ids(sheet, place, ratings)
            about |= about_items(sheet, place, only=None)
    questions = {question: replace(own, about=about) for question, own in ratings.questions.items()}
    return replace(ratings, about=about, questions=questions)


def _check_ids(sheet: Sheet, item: str, ratings: Ratings) -> None:
    """Raise if a table is about none of the rated items."""
    ids = [text.strip() for text in sheet.load([item]).columns[item].texts]
    rated = [name for own in (ratings.questions or {"": ratings}).values() for name in own.items]
    if set(ids).isdisjoint(rated):
        raise ColumnError(
            f"{sheet.name} is about none of the rated items: its column {item} has {listed(ids)}; rated are "
            f"{listed(rated)}. Check that both hold the same ids."
        )


def about_items(sheet: Sheet, item: str | None = None, *, only: Sequence[str] | None = KNOWN) -> About:
    """The columns, of those named in `only`, that have one value for each item."""
    known = item if item in sheet.columns else find_column(sheet, "item")
    place = known or named_otherwise(sheet, {}, ("item",)).get("item")
    by_name = {column.strip().lower(): column for column in sheet.columns if column != place}
    names = [column for name, column in by_name.items() if only is None or name in only]
    if place is None or not names:
        return {}
    cells = sheet.load([place, *names])
    ids = cells.columns[place]
    about: About = {}
    for name in names:
        column, lower = cells.columns[name], name.strip().lower()
        pairs = {(i, j) for i, j in zip(ids.codes.tolist(), column.codes.tolist(), strict=True) if i >= 0 and j >= 0}
        values = {ids.texts[i].strip(): column.texts[j] for i, j in pairs}
        if lower == DRAWN and len(values) < len(pairs):
            raise ColumnError(f"{sheet.name}: an item has two values of {name}. Give each one, or rename the column.")
        if len(values) == len(pairs):  # what differs between the rows of an item is not about the item
            about[lower if lower in KNOWN else name] = values
    return about
