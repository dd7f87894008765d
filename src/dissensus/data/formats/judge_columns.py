"""Judges side by side: one row per item and one column per judge, with a label or a list of probabilities in a cell."""

import math

import numpy as np

from dissensus.data.coding import Sheet
from dissensus.data.columns import UNKNOWN, called, find_column, synonym_of
from dissensus.data.formats.collecting import ONLY, Answers, texts_of
from dissensus.data.formats.lists import list_in
from dissensus.data.formats.patterns import is_pattern, matching
from dissensus.data.formats.plan import Format, RawJudges, ReadPlan
from dissensus.data.formats.wide import is_nameless
from dissensus.data.labels import number
from dissensus.data.probabilities import PREFIX
from dissensus.data.sources.json_values import as_text
from dissensus.data.sources.source import Source
from dissensus.errors import OptionError, counted, listed

ALMOST = 1e-3
PREDICTION = "Prediction: "
"""What the software of "Survey Equivalence" writes before each answer."""


def _item_column(source: Source, plan: ReadPlan) -> str | None:
    given = plan.item or plan.item_key
    assert source.sheet is not None  # noqa: S101 - asked of tables only
    found = find_column(source.sheet, "item", given, option=plan.named_by)
    return found or (source.columns[0] if is_nameless(source.columns[0]) else None)


def _recognises(source: Source, plan: ReadPlan) -> bool:
    if plan.wants != "judges" or len(source.columns) < 2:  # noqa: PLR2004 - an item and a judge
        return False
    lower = {column.strip().lower() for column in source.columns}
    is_tidy = bool(lower & {"label", "judge"}) or any(name.startswith(PREFIX) for name in lower)
    is_named = plan.label is not None or (plan.judge is not None and not is_pattern(plan.judge, source.columns))
    item = None if is_tidy or is_named else _item_column(source, plan)
    return item is not None and (plan.judge is not None or not _names_judges(source.table(), item))


def _names_judges(sheet: Sheet, item: str) -> bool:
    """Whether a column says which judge answered: then each row is an answer, and the columns need names only."""
    others = [column for column in sheet.columns if column != item]
    if synonym_of(others, "judge") is None:
        return False
    rows = sheet.load([item]).columns[item].codes
    return synonym_of(others, "label") is not None or len(np.unique(rows)) < len(rows)


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
    sheet = source.table()
    item = _item_column(source, plan)
    if item is None:
        option = plan.named_by.format(role="item", column=UNKNOWN)
        raise OptionError(f"{source.name}: name the column of the items with {option}.")
    others = [column for column in sheet.columns if column != item and not is_nameless(column)]
    judges = others if plan.judge is None else matching(others, plan.judge, source.name, "--judge")
    cells = sheet.load([item, *judges])
    texts = {name: texts_of(column, len(cells.row)) for name, column in cells.columns.items()}
    answers = Answers(source.name, FORMAT.name)
    for judge in judges:
        for i, row in enumerate(cells.row.tolist()):
            text = texts[judge][i]
            if text is not None:
                said = _answer(text.removeprefix(PREDICTION), plan, f"{source.name}, row {row}, column {judge}")
                answers.add(ONLY, row, {"item": texts[item][i], "judge": judge, **said})
    taken = {
        "item": called(item),
        "judge": f"the names of {counted(len(judges), 'column')}: {listed(judges)}",
        "label": "the cells of these columns",
    }
    return answers.judges(plan, taken)


def is_prediction(text: str) -> bool:
    """Whether a cell holds what only a judge says: a list of probabilities, or what is marked as a prediction.

    Examples
    --------
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
        raise OptionError(
            f"{where}: {counted(len(shares), 'probability', 'probabilities')} without the names of their labels. "
            "Give these in their order with --labels, such as --labels pos,neg."
        )
    return {f"{PREFIX}{name}": str(as_text(value)) for name, value in zip(plan.labels, values or [], strict=True)}


FORMAT = Format(
    name="judge-columns",
    what="a table with a column per judge",
    recognises=_recognises,
    judges=_judges,
    is_layout=True,
)
