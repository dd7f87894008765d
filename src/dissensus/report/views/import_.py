"""What `import` says: what was taken for what, and what was left out."""

from collections.abc import Mapping, Sequence

from dissensus.report.document import Block, Cell, Fold, Note, Points, Section, Table
from dissensus.report.numbers import counted, listing, visible
from dissensus.results import Result

MOST_NAMES = 3


def view(result: Result) -> Section:
    """How many answers there are, what was taken for each role, what was left out, and the labels."""
    report = result.as_dict()
    name = str(result.data.get("source", {}).get("file", "the source"))
    blocks: list[Block] = [_table("Column mapping", {"role": "For", "taken_from": "Taken from"}, result.rows())]
    if report.get("left_out"):
        columns = {"what": "What", "count": "How many", "why": "Why", "option": "To have them"}
        left_out = _table("What was left out", columns, report["left_out"])
        text = f"Check what was left out: {listing([str(row[0]) for row in left_out.rows], most=MOST_NAMES)}."
        blocks += [Points(title="", texts=[text]), Fold(title="What was left out", parts=[left_out])]
    if report.get("output") is not None:
        blocks.append(Note(text=f"Wrote {visible(str(report['output']))}; use it in the other commands.", kind="hint"))
    labels = _table("How often each label was given", {"label": "Label", "count": "How many"}, report.get("labels"))
    blocks.append(Fold(title="Labels", parts=[labels]))
    return Section(title="What was imported", lead=_lead(report, name), blocks=blocks)


def _lead(report: Mapping[str, object], name: str) -> str:
    items = counted(int(str(report["items"])), "item")
    written = f"{visible(name)} ({visible(str(report['format']))})"
    if report["holds"] == "judges":
        judges = report["judges"]
        number = counted(len(judges) if isinstance(judges, list) else 0, "judge")
        return f"{written} has {counted(int(str(report['answers'])), 'answer')} by {number} on {items}."
    raters = report["raters"]
    by = "by raters without a name" if raters is None else f"by {counted(int(str(raters)), 'rater')}"
    return f"{written} has {counted(int(str(report['ratings'])), 'rating')} of {items}, {by}."


def _table(caption: str, columns: Mapping[str, str], rows: object) -> Table:
    """Some keys of each row, under their headings."""
    known = [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, Sequence) else []
    cells = [[_cell(row[key]) for key in columns] for row in known]
    return Table(caption=caption, columns=list(columns.values()), rows=cells)


def _cell(value: object) -> Cell:
    return value if isinstance(value, int) else visible(str(getattr(value, "message", value))) or None
