"""Parallel lists: one row per item, a list of labels in one cell and perhaps a list of raters in another."""

import ast
import json
import warnings as python_warnings
from collections.abc import Sequence

from dissensus.data.columns import called, find_column, found, likely_match
from dissensus.data.formats.collecting import ONLY, Answers, texts_of
from dissensus.data.formats.plan import Format, RawRatings, ReadPlan
from dissensus.data.sources.json_values import as_label, as_text
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, listed, shortened

LONGEST_CELL = 1_000_000
"""Characters of a cell that we parse as a list."""
SAMPLED = 200
LABELS = frozenset({"label", "labels", "annotations", "ratings"})
RATERS = ("rater", "worker", "annotator", "user", "coder", "labeler")
"""What the names of columns of raters have in them."""

Lists = dict[str, list[list[object] | None]]


def list_in(text: str | None) -> list[object] | None:
    """The list that a cell holds, as JSON or as Python writes it; None if it holds none. Nothing is evaluated.

    Examples
    --------
    >>> list_in('["a", null, 2]'), list_in("['a', None]"), list_in("a"), list_in("[__import__('os')]")
    (['a', None, '2'], ['a', None], None, None)
    """
    if text is None or len(text) > LONGEST_CELL:
        return None
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        value = _python_list(text)
    return value if isinstance(value, list) else None


def _python_list(text: str) -> object:
    with python_warnings.catch_warnings():
        python_warnings.simplefilter("ignore")  # Python frowns on some backslashes
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None


def entries_in(text: str | None, where: str) -> list[object]:
    """The entries of the list in a cell, none if it is empty; an error if it holds something else."""
    found_list = list_in(text)
    if text is not None and found_list is None:
        raise ColumnError(f"{where} is {shortened(text)!r}, which is no list. Mend the cell.")
    return found_list or []


def list_columns(source: Source, names: Sequence[str]) -> Lists:
    """The columns whose first filled cells are all lists, with these lists; asked of the first rows only."""
    if source.sheet is None:
        return {}
    cells = source.sheet.load(names)
    columns = {}
    for name, column in cells.columns.items():
        texts = texts_of(column, len(cells.row))[:SAMPLED]
        if any(texts) and all(text is None or text.lstrip().startswith("[") for text in texts):
            lists = [list_in(text) for text in texts]
            if all(entry is not None for entry, text in zip(lists, texts, strict=True) if text is not None):
                columns[name] = lists
    return columns


def _recognises(source: Source, plan: ReadPlan) -> bool:
    """Lists of labels, and not response sets: a label comes twice in a cell, or another column lists the raters."""
    has_header = bool(source.columns) and not any(column.startswith("[") for column in source.columns)
    if not has_header or plan.wide:
        return False
    columns = list_columns(source, _candidates(source, plan))
    label = _label_column(plan, columns)
    if label is None:
        return False
    has_twice = any(len({str(e) for e in cell}) < len(cell) for cell in columns[label] if cell)
    return has_twice or _rater_column(plan, columns, label) is not None


def _candidates(source: Source, plan: ReadPlan) -> list[str]:
    """The columns to look into: where one is the label's, it and those named like raters; a long text stays unread."""
    lower = {column.strip().lower(): column for column in source.columns}
    label = plan.label or lower.get("label")
    if label is None:
        return list(source.columns)
    return [column for column in source.columns if column in {label, plan.rater} or _names_raters(column)]


def _label_column(plan: ReadPlan, columns: Lists) -> str | None:
    if plan.label is not None:
        return plan.label if plan.label in columns else None
    names = [name for name in columns if not _names_raters(name)]
    exact = [name for name in names if name.lower() in LABELS]
    likely = likely_match(names, "label")
    return exact[0] if exact else likely or (names[0] if len(names) == 1 else None)


def _names_raters(name: str) -> bool:
    return any(word in name.lower() for word in RATERS)


def _rater_column(plan: ReadPlan, columns: Lists, label: str) -> str | None:
    """The column whose lists are as long as those of the labels in every row: named like raters, or nobody twice."""
    if plan.rater is not None:
        return plan.rater if plan.rater in columns else None
    for name in sorted((name for name in columns if name != label), key=_names_raters, reverse=True):
        pairs = list(zip(columns[name], columns[label], strict=True))
        is_as_long = all(len(a or []) == len(b or []) for a, b in pairs)
        if is_as_long and (_names_raters(name) or all(len(set(map(str, a))) == len(a) for a, _ in pairs if a)):
            return name
    return None


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    sheet = source.table()
    columns = list_columns(source, _candidates(source, plan))
    label = _label_column(plan, columns)
    if label is None:
        raise ColumnError(
            f"{source.name} has no column of lists of labels. Columns found: {found(sheet)}. Name it with --label."
        )
    rater = _rater_column(plan, columns, label)
    item = find_column(sheet, "item", plan.item or plan.item_key) or likely_match(
        [c for c in sheet.columns if c != label], "item"
    )
    if item is None:
        raise ColumnError(f"{source.name}: name the column of the items with --item. Columns found: {found(sheet)}.")
    cells = sheet.load([item, label, *([] if rater is None else [rater])])
    texts = {name: texts_of(column, len(cells.row)) for name, column in cells.columns.items()}
    answers = Answers(source.name, FORMAT.name)
    for i, row in enumerate(cells.row.tolist()):
        where = f"{source.name}, row {row}"
        labels = entries_in(texts[label][i], f"{where}: {label}")
        raters = [None] * len(labels) if rater is None else entries_in(texts[rater][i], f"{where}: {rater}")
        if len(raters) != len(labels):
            raise ColumnError(
                f"{where}: {len(labels)} labels in {label} and {len(raters)} raters in {rater}. Mend "
                "the row, or name another column with --rater."
            )
        if not labels:
            answers.tally.add("row without a label in its list", several="rows without a label in their list")
        for who, said in zip(raters, labels, strict=True):
            answers.add(ONLY, row, {"item": texts[item][i], "rater": as_text(who), "label": as_label(said)})
    taken = {"item": called(item), "label": f"each entry of the lists in column {label}"}
    taken |= {} if rater is None else {"rater": f"the entries of the lists in column {rater}"}
    others = [name for name in columns if name not in {label, rater}]
    notes = (f"Not read, though they hold lists, too: {listed(others)}.",) if others else ()
    return answers.ratings(plan, taken, rows=len(cells.row), warnings=notes)


FORMAT = Format(
    name="lists",
    what="a table with a list of labels in a cell",
    recognises=_recognises,
    ratings=_ratings,
    is_layout=True,
)
