from collections.abc import Sequence

from dissensus.data.coding import Cells, Sheet
from dissensus.data.columns import called, find_column, likely_match, missing_columns, shell_word
from dissensus.data.formats.plan import Format, RawRatings, ReadPlan
from dissensus.data.sources.source import Source

ROLES = ("item", "label", "rater", "group", "elicitation")
NO_RATER = "There is no rater column: each rating is taken to be by a rater of its own."


def read_tidy(sheet: Sheet, plan: ReadPlan) -> RawRatings:
    """One row per rating: item, rater, label, and perhaps group and elicitation."""
    names = {role: find_column(sheet, role, getattr(plan, role)) for role in ROLES}
    return raw_ratings(sheet, names)[0]


def raw_ratings(sheet: Sheet, names: dict[str, str | None], *, also: Sequence[str] = ()) -> tuple[RawRatings, Cells]:
    """Ratings from the columns with these names, and all cells that were loaded, further columns included."""
    item, label = names["item"], names["label"]
    if item is None or label is None:
        optional = ["rater"] if names["rater"] is None else []
        raise missing_columns(sheet, [role for role in ("item", "label") if names[role] is None], also=optional)
    cells = sheet.load([*(name for name in names.values() if name is not None), *also])
    raw = RawRatings(
        format="tidy",
        row=cells.row,
        item=cells.columns[item],
        label=cells.columns[label],
        rater=cells.column(names["rater"]),
        group=cells.column(names["group"]),
        elicitation=cells.column(names["elicitation"]),
        rows=len(cells.row),
        blank_rows=cells.blank_rows,
        warnings=(_no_rater(sheet),) if names["rater"] is None else (),
        taken={role: called(name) for role, name in names.items() if name is not None},
    )
    return raw, cells


def _no_rater(sheet: Sheet) -> str:
    likely = likely_match(sheet.columns, "rater")
    hint = f" If {likely} says who rated, add --rater {shell_word(likely)}." if likely else ""
    return f"{NO_RATER}{hint}"


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    return read_tidy(source.table(), plan)


FORMAT = Format(
    name="tidy",
    what="a table with a row per rating",
    recognises=lambda _source, _plan: False,  # told at a glance, before any format is asked
    ratings=_ratings,
    is_layout=True,
)
