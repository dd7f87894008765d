from collections import Counter
from fnmatch import fnmatchcase

import numpy as np

from dissensus.errors import ColumnError
from dissensus.ratings.coding import Sheet, TextColumn, stack
from dissensus.ratings.columns import find_column, found, missing_columns
from dissensus.ratings.formats.plan import RawRatings, ReadPlan

FEWEST_RATERS = 2


def is_wide(sheet: Sheet, plan: ReadPlan) -> bool:
    """Whether each column besides the item is a rater.

    Recognised if there is no label and no rater column, and the other columns speak the same language: most of the
    values in each occur in another one too.
    """
    if plan.wide is not None:
        return plan.wide
    if any(find_column(sheet, role, getattr(plan, role)) is not None for role in ("label", "rater", "count")):
        return False
    if find_column(sheet, "item", plan.item) is None:
        return False
    raters = rater_columns(sheet, plan)
    columns = [set(column.texts) for column in sheet.load(raters).values()]
    spread = Counter(text for texts in columns for text in texts)
    shared = [sum(spread[text] > 1 for text in texts) >= len(texts) / 2 for texts in columns if texts]
    return len(shared) >= FEWEST_RATERS and all(shared)


def rater_columns(sheet: Sheet, plan: ReadPlan) -> list[str]:
    """The columns that hold one rater each: those that --rater names or matches, else all but item and group."""
    others = {find_column(sheet, role, getattr(plan, role)) for role in ("item", "group")}
    columns = [column for column in sheet.columns if column not in others]
    if plan.rater is None:
        return columns
    patterns = [pattern.strip() for pattern in plan.rater.split(",")]
    chosen = [c for c in columns if any(c == p or fnmatchcase(c, p) for p in patterns)]
    if not chosen:
        raise ColumnError(f"{sheet.name} has no column like {plan.rater!r}. Columns found: {found(sheet)}.")
    return chosen


def read_wide(sheet: Sheet, plan: ReadPlan) -> RawRatings:
    """One row per item and one column per rater."""
    item_name = find_column(sheet, "item", plan.item)
    if item_name is None:
        raise missing_columns(sheet, ["item"])
    raters = rater_columns(sheet, plan)
    if not raters:
        raise ColumnError(f"{sheet.name} has no column besides the item: a wide file has one column per rater.")
    group_name = find_column(sheet, "group", plan.group)
    cells = sheet.load([item_name, *raters, *([group_name] if group_name else [])])
    n_items = len(cells[item_name].codes)
    rows = np.tile(np.arange(n_items), len(raters))
    who = np.repeat(np.arange(len(raters)), n_items)
    label = stack([cells[rater] for rater in raters])
    # An empty cell of a wide file is a rater who was not asked, not a rating with a missing label.
    asked = np.flatnonzero(label.codes >= 0)
    return RawRatings(
        format="wide",
        row=rows[asked] + sheet.first_row,
        item=cells[item_name].take(rows[asked]),
        label=label.take(asked),
        rater=TextColumn(who[asked], tuple(raters)),
        group=cells[group_name].take(rows[asked]) if group_name else None,
    )
