import numpy as np

from dissensus.ratings.coding import Sheet
from dissensus.ratings.columns import find_column, missing_columns
from dissensus.ratings.formats.plan import RawRatings, ReadPlan


def read_tidy(sheet: Sheet, plan: ReadPlan) -> RawRatings:
    """One row per rating: item, rater, label, and perhaps group and elicitation."""
    roles = ("item", "label", "rater", "group", "elicitation")
    names = {role: find_column(sheet, role, getattr(plan, role)) for role in roles}
    missing = [role for role in ("item", "label") if names[role] is None]
    if missing:
        raise missing_columns(sheet, missing)
    cells = sheet.load([name for name in names.values() if name is not None])
    columns = {role: None if name is None else cells[name] for role, name in names.items()}
    item, label = columns["item"], columns["label"]
    assert item is not None  # noqa: S101 - checked above, in words for the user
    assert label is not None  # noqa: S101 - as above
    return RawRatings(
        format="tidy",
        row=np.arange(len(item.codes)) + sheet.first_row,
        item=item,
        label=label,
        rater=columns["rater"],
        group=columns["group"],
        elicitation=columns["elicitation"],
    )
