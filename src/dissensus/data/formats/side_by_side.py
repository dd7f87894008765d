"""Tables in which the names of columns are data: a column per item, per judge, per label."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import translate

import numpy as np

from dissensus.data.coding import Sheet, TextColumn, stack
from dissensus.data.columns import (
    UNKNOWN,
    called,
    columns_by_role,
    find_column,
    is_nameless,
    is_pattern,
    likely_match,
    matching,
    shown_columns,
    synonym_of,
    typed_columns,
    varying,
)
from dissensus.data.formats.answers import ONLY, Answers, loaded_texts
from dissensus.data.formats.plan import Format, RawJudges, RawRatings, ReadPlan
from dissensus.data.formats.tables import ROLES, is_wide, read_tidy, read_wide, whole_numbers
from dissensus.data.labels import PREFIX, number
from dissensus.data.layout import (
    MOST_LABELS,
    TIDY,
    answer_columns,
    is_named,
    judges_among,
    named_otherwise,
    rater_columns,
    roles_by_content,
    words_of,
)
from dissensus.data.sources.documents import as_text, list_in
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, OptionError, counted, joined, listed, named, shortened

ITEM, RATER, COUNT = (named(role, of="read") for role in ("item", "rater", "count"))

# ---- A row per rater and a column per item


def _has_item_columns(source: Source, plan: ReadPlan) -> bool:
    return bool(source.columns) and is_pattern(plan.item, source.columns) and not is_pattern(plan.rater, source.columns)


def _ratings_by_item(source: Source, plan: ReadPlan) -> RawRatings:
    sheet = source.table()
    rater = find_column(sheet, "rater", plan.rater) or likely_match(sheet.columns, "rater")
    if rater is None:
        hint = f"Columns found: {shown_columns(sheet)}."
        raise ColumnError(f"{source.name}: name the column of the raters with {RATER}. {hint}")
    others = [column for column in sheet.columns if column != rater]
    if plan.item is None:
        hint = f"such as {ITEM} 'q*'; it has {listed(others)}."
        raise ColumnError(f"{source.name}: name the items' columns with {ITEM}, {hint}")
    return ratings_by_item(sheet, rater, matching(others, plan.item, source.name, ITEM))


def raters_in_rows(sheet: Sheet) -> tuple[str, list[str]] | None:
    """The column of the raters, each in a row, and those of the items; None where no column is plainly the raters'."""
    raters = [column for column in sheet.columns if is_named(column, "rater") or "email" in words_of(column)]
    cells = sheet.load(sheet.columns)
    raters = [name for name in raters if len(cells.columns[name].texts) == len(cells.row) > 1]
    if len(raters) != 1:
        return None
    others = [column for column in sheet.columns if column != raters[0] and not is_nameless(column)]
    items = rater_columns(cells, others)
    # Numbers of something that stand beside the items have many values, labels have few.
    labels = {text for name in items for text in cells.columns[name].texts}
    return (raters[0], items) if len(items) > FEWEST_LABELS and len(labels) <= MOST_LABELS else None


def ratings_by_item(sheet: Sheet, rater: str, items: list[str]) -> RawRatings:
    """Ratings from a table with a row per rater and a column per item."""
    cells = sheet.load([rater, *items])
    label = stack([cells.columns[item] for item in items])
    # An empty cell is a rater who was not asked, not a rating with a missing label.
    asked = np.flatnonzero(label.codes >= 0)
    what, position = np.divmod(asked, max(1, len(cells.row)))
    return RawRatings(
        format="wide-items",
        row=cells.row[position],
        item=TextColumn(what, tuple(items)),
        label=label.take(asked),
        rater=cells.columns[rater].take(position),
        rows=len(cells.row),
        blank_rows=cells.blank_rows,
        taken={
            "item": f"the names of {counted(len(items), 'column')}: {listed(items)}",
            "rater": called(rater),
            "label": "the cells of these columns",
        },
    )


# ---- A row per item and a column per judge, with a label or a list of probabilities in a cell

ALMOST = 1e-3
PREDICTION = "Prediction: "  # what the software of "Survey Equivalence" writes before each answer


def _item_column(source: Source, plan: ReadPlan) -> str | None:
    sheet = source.table()
    item = find_column(sheet, "item", plan.item or plan.item_key, of=plan.of)
    if item is None and is_nameless(source.columns[0]):
        return source.columns[0]
    return item or named_otherwise(sheet, {}, ("item",)).get("item")


def _has_judge_columns(source: Source, plan: ReadPlan) -> bool:
    if plan.wants != "judges" or len(source.columns) < 2:  # noqa: PLR2004 - an item and a judge
        return False
    lower = {column.strip().lower() for column in source.columns}
    is_tidy = bool(lower & {"label", "judge"}) or any(name.startswith(PREFIX) for name in lower)
    item = None if is_tidy or plan.label is not None else _item_column(source, plan)
    if item is None:
        return False
    if plan.judge is None:
        return not _names_judges(source.table(), item)
    return is_pattern(plan.judge, source.columns) or not _has_label_beside(source.table(), item, plan.judge)


def _has_label_beside(sheet: Sheet, item: str, judge: str) -> bool:
    """Whether another column has what the judges answered of whom this one has the names."""
    others = [column for column in sheet.columns if column not in {item, judge}]
    return judge not in sheet.columns or bool(
        synonym_of(others, "label") or named_otherwise(sheet, {"item": item, "judge": judge}, ("label",))
    )


def _names_judges(sheet: Sheet, item: str) -> bool:
    """Whether a column says which judge answered: then each row is an answer, and the columns need names only."""
    others = [column for column in sheet.columns if column != item]
    if synonym_of(others, "judge") is None:
        return False
    rows = sheet.load([item]).columns[item].codes
    return synonym_of(others, "label") is not None or len(np.unique(rows)) < len(rows)


def _judges_by_column(source: Source, plan: ReadPlan) -> RawJudges:
    sheet = source.table()
    item = _item_column(source, plan)
    if item is None:
        option = typed_columns({"item": UNKNOWN}, plan.of)
        raise OptionError(f"{source.name}: name the column of the items with {option}.")
    others = [column for column in sheet.columns if column != item and not is_nameless(column)]
    if plan.judge is None:
        judges = judges_among(answer_columns(sheet.load(others), others) or others)
    else:
        judges = matching(others, plan.judge, source.name, named("judge", of="import_"))
    cells, texts = loaded_texts(sheet, [item, *judges])
    answers = Answers(source.name, "judge-columns")
    for judge in judges:
        for i, row in enumerate(cells.row.tolist()):
            text = texts[judge][i]
            if text is not None:
                where = f"{source.name}, row {row}, column {judge}"
                answer = _answer(text.removeprefix(PREDICTION), plan, where)
                answers.add(ONLY, row, {"item": texts[item][i], "judge": judge, **answer})
    taken = {
        "item": called(item),
        "judge": f"the names of {counted(len(judges), 'column')}: {listed(judges)}",
        "label": "the cells of these columns",
    }
    return answers.judges(plan, taken)


def is_prediction(text: str) -> bool:
    """Whether a cell holds what only a judge says: a list of probabilities, or what is marked as a prediction.

    >>> is_prediction("[0.2, 0.8]"), is_prediction("Prediction: yes"), is_prediction("[1, 1, 2]"), is_prediction("yes")
    (True, True, False, False)
    """
    values = [number(as_text(value) or "") for value in list_in(text.removeprefix(PREDICTION)) or []]
    known = [value for value in values if value is not None]
    is_share = bool(values) and len(known) == len(values) and abs(math.fsum(known) - 1) < ALMOST and min(known) >= 0
    return is_share or text.startswith(PREDICTION)


def _answer(text: str, plan: ReadPlan, where: str) -> dict[str, str | None]:
    """A label, or a probability for each label."""
    values = list_in(text)
    shares = None if values is None else [number(as_text(value) or "") for value in values]
    if not shares or any(share is None for share in shares):
        return {"label": text}
    if plan.labels is None or len(plan.labels) != len(shares):
        labels = plan.named("labels")
        raise OptionError(
            f"{where}: {counted(len(shares), 'probability', 'probabilities')} without the names of their labels. "
            f"Give these in their order with {labels}, such as {labels} pos,neg."
        )
    return {f"{PREFIX}{name}": str(as_text(value)) for name, value in zip(plan.labels, values or [], strict=True)}


# ---- A row per item and a column per label, in which stands how many chose it

FEWEST_LABELS = 2
_COUNTED = re.compile(r"(n|nr|num|number|votes?)[ _-]", re.IGNORECASE)


def _count_columns(source: Source, plan: ReadPlan) -> dict[str, str]:
    """The columns that count, each with its label."""
    if plan.count is not None and is_pattern(plan.count, source.columns):
        names = matching(source.columns, plan.count, source.name, COUNT)
        if plan.count.count("*") == 1 and "," not in plan.count:
            starred = re.compile(translate(plan.count).replace(".*", "(.*)", 1))
            return {name: match[1] for name in names if (match := starred.fullmatch(name))}
        return {name: name for name in names}
    columns = [column for column in source.columns if "count" in column.lower()]
    columns = columns or [column for column in source.columns if _COUNTED.match(column)]
    if len(columns) < FEWEST_LABELS:
        return {}
    labels = varying(columns)
    start = columns[0][: columns[0].find(labels[0])] if labels[0] else ""
    is_plain = all(labels) and len(set(labels)) == len(labels)
    is_counted = "count" in start.lower() or _COUNTED.match(start) is not None
    return dict(zip(columns, labels, strict=True)) if is_plain and is_counted else {}


def _has_label_counts(source: Source, plan: ReadPlan) -> bool:
    columns = _count_columns(source, plan)
    if source.sheet is None or not columns:
        return False
    if is_pattern(plan.count, source.columns):
        return True
    cells = source.sheet.load(list(columns))
    values = [number(text) for column in cells.columns.values() for text in column.texts]
    are_counts = all(value is not None and value >= 0 and value == int(value) for value in values)
    if not are_counts or any("count" in column.lower() for column in columns):
        return are_counts
    # A bare number of something, such as n_words, is no count of raters, unless all items have as many.
    times = sum(whole_numbers(column, name=source.name, row=cells.row) for column in cells.columns.values())
    return len(np.unique(times)) == 1


def _ratings_by_label(source: Source, plan: ReadPlan) -> RawRatings:
    sheet = source.table()
    columns = _count_columns(source, plan)
    if not columns:
        raise ColumnError(f"{source.name}: name the columns that count with {COUNT}, such as {COUNT} 'count_*'.")
    others = [column for column in sheet.columns if column not in columns]
    item = find_column(sheet, "item", plan.item or plan.item_key) or likely_match(others, "item")
    if item is None:
        raise ColumnError(
            f"{source.name}: each of {listed(list(columns))} counts a label; name the column of the items with "
            f"{ITEM}. Columns found: {shown_columns(sheet)}."
        )
    cells = sheet.load([item, *columns])
    n_rows = len(cells.row)
    times = [whole_numbers(cells.columns[c], name=source.name, row=cells.row) for c in columns]
    position = np.tile(np.arange(n_rows), len(columns))
    return RawRatings(
        format="label-counts",
        row=cells.row[position],
        item=cells.columns[item].take(position),
        label=TextColumn(np.repeat(np.arange(len(columns)), n_rows), tuple(columns.values())),
        times=np.concatenate(times),
        rows=n_rows,
        blank_rows=cells.blank_rows,
        taken={
            "item": called(item),
            "rater": "nobody: the file has counts",
            "label": f"the part that varies in the names of {len(columns)} columns: {', '.join(columns.values())}",
            "count": f"the cells of {listed(list(columns))}",
        },
    )


# ---- A table whose header says too little, by what stands in its columns

FEWEST_ROWS, FEWEST_CELLS = 10, 30  # fewer do not show what a column is


def by_content(sheet: Sheet, plan: ReadPlan) -> RawRatings | None:
    """Ratings from a table whose header does not say which column is which; None where its cells do not, either."""
    if any(getattr(plan, role) is not None for role in ("item", "rater", "label", "count", "wide", "columns")):
        return None
    n_rows, found = len(sheet.load(sheet.columns[:1]).row), raters_in_rows(sheet)
    if found is not None and n_rows * len(found[1]) >= FEWEST_CELLS:
        return _with_roles(ratings_by_item(sheet, *found), {"rater": found[0]})
    if n_rows < FEWEST_ROWS:
        return None
    item = first_of_wide(sheet, plan)
    if item is not None:
        return _with_roles(read_wide(sheet, replace(plan, item=item)), {"item": item})
    names = columns_by_role(sheet, dict.fromkeys(ROLES))
    known = {role: name for role, name in names.items() if name is not None and role in TIDY}
    known |= named_otherwise(sheet, names, ("rater", "label", "item"))
    roles = roles_by_content(sheet, known)
    if not roles:
        return None
    item, rater, label = (roles.get(role) or known.get(role) for role in TIDY)
    return _with_roles(read_tidy(sheet, replace(plan, item=item, rater=rater, label=label)), roles)


def first_of_wide(sheet: Sheet, plan: ReadPlan) -> str | None:
    """The first column, if it tells rows apart and the others are raters."""
    first = sheet.columns[0]
    column = sheet.load([first]).columns[first]
    filled = column.codes[column.codes >= 0]
    is_item = len(column.texts) == len(filled) > 0 and answer_columns(sheet.load([first]), [first]) == [first]
    return first if is_item and is_wide(sheet, replace(plan, item=first)) else None


def _with_roles(raw: RawRatings, roles: Mapping[str, str]) -> RawRatings:
    """The ratings, with what was taken for which role."""
    shown = joined([f"{shortened(column)} as {role}" for role, column in roles.items()])
    options = joined([named(role, of="read") for role in roles])
    note = f"Columns taken by what stands in them: {shown}; {options} names another."
    return replace(raw, warnings=(note, *raw.warnings))


FORMATS = (
    Format(
        name="wide-items", what="a table with a row per rater and a column per item", recognises=_has_item_columns,
        ratings=_ratings_by_item, is_layout=True,
    ),
    Format(
        name="judge-columns", what="a table with a column per judge", recognises=_has_judge_columns,
        judges=_judges_by_column, is_layout=True,
    ),
    Format(
        name="label-counts", what="a table with a column of counts for each label", recognises=_has_label_counts,
        ratings=_ratings_by_label, is_layout=True,
    ),
)  # fmt: skip
