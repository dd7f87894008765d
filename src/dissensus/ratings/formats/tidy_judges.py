"""A row per judge's answer: item, judge, sample, label and p_<label>."""

from dissensus.ratings.formats.format import Format
from dissensus.ratings.formats.plan import RawJudges, ReadPlan
from dissensus.ratings.sources.source import Source

ROLES = ("item", "judge", "sample", "label", "elicitation", "order")


def read_tidy_judges(source: Source, plan: ReadPlan) -> RawJudges:
    """Judges' answers from a table with a row for each of them."""
    sheet = source.table()
    lower = {column.strip().lower(): column for column in sheet.columns}
    names = {role: getattr(plan, role) for role in ROLES}
    found = {role: names[role] or lower.get(role) for role in ROLES}
    taken = {role: f"column {name}" for role, name in found.items() if name is not None}
    if "sample" in taken:
        taken["repeat"] = taken.pop("sample")
    return RawJudges(format="judges", sheet=sheet, names=names, taken=taken)


FORMAT = Format(
    name="judges",
    what="a table with a row per judge's answer",
    recognises=lambda _source, _plan: False,  # told at a glance, before any format is asked
    judges=read_tidy_judges,
    is_layout=True,
)
