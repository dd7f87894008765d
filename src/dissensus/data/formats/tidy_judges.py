"""A row per judge's answer: item, judge, sample, label and p_<label>."""

from dissensus.data.columns import find_column, missing_columns
from dissensus.data.formats.plan import Format, RawJudges, ReadPlan
from dissensus.data.probabilities import probability_columns
from dissensus.data.sources.source import Source

ROLES = ("item", "judge", "sample", "label", "elicitation", "order")
SHARES = "Judges may give probabilities instead, in columns called p_<label>."


def read_tidy_judges(source: Source, plan: ReadPlan) -> RawJudges:
    """Judges' answers from a table with a row for each of them."""
    sheet = source.table()
    given = {role: getattr(plan, role) for role in ROLES}
    names = {role: find_column(sheet, role, name, option=plan.named_by) for role, name in given.items()}
    needed = ("item",) if probability_columns(sheet) else ("item", "label")
    missing = [role for role in needed if names[role] is None]
    if missing:
        also = [] if names["judge"] is not None else ["judge"]
        known = {role: name for role, name in given.items() if name is not None}
        raise missing_columns(sheet, missing, also=also, given=known, option=plan.named_by, otherwise=SHARES)
    taken = {role: f"column {name}" for role, name in names.items() if name is not None}
    if "sample" in taken:
        taken["repeat"] = taken.pop("sample")
    return RawJudges(format="judges", sheet=sheet, names=given, taken=taken)


FORMAT = Format(
    name="judges",
    what="a table with a row per judge's answer",
    recognises=lambda _source, _plan: False,  # told at a glance, before any format is asked
    judges=read_tidy_judges,
    is_layout=True,
)
