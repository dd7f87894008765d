"""What `import` says: what was taken for what, and what was left out."""

from collections.abc import Mapping, Sequence

from dissensus.data.import_ import ImportResult, label_rows
from dissensus.data.ratings import Ratings
from dissensus.report.document import Block, Cell, Fold, Note, Section, Table
from dissensus.report.numbers import counted, listing, visible
from dissensus.report.views.section import noted
from dissensus.results import unspelled

MOST_NAMES = 3


def view(result: ImportResult) -> Section:
    """How many answers there are, what was taken for each role, what was left out, and the labels."""
    blocks: list[Block] = [_table("Column mapping", {"role": "For", "taken_from": "Taken from"}, result.rows())]
    if result.left_out:
        columns = {"what": "What", "count": "How many", "why": "Why", "option": "To have them"}
        left_out = _table("What was left out", columns, [some.as_dict() for some in result.left_out])
        names = listing([str(row[0]) for row in left_out.rows], most=MOST_NAMES)
        blocks += [*noted([f"Check what was left out: {names}."]), Fold(title="What was left out", parts=[left_out])]
    if result.output is not None:
        blocks.append(Note(text=f"Wrote {visible(result.output)}; use it in the other commands.", kind="hint"))
    columns = {"label": "Label", "count": "How many"}
    labels = _table("How often each label was given", columns, label_rows(result.imported))
    return Section(
        title="What was imported", lead=_lead(result), blocks=[*blocks, Fold(title="Labels", parts=[labels])]
    )


def _lead(result: ImportResult) -> str:
    found, name = result.imported, str(result.data.get("source", {}).get("file", "the source"))
    written = f"{visible(name)} ({visible(result.format)})"
    if not isinstance(found, Ratings):
        by = f"by {counted(len(found.judges), 'judge')} on {counted(len(found.items), 'item')}"
        return f"{written} has {counted(found.n_answers, 'answer')} {by}."
    by = "by raters without a name" if found.n_raters is None else f"by {counted(found.n_raters, 'rater')}"
    return f"{written} has {counted(found.n_ratings, 'rating')} of {counted(found.n_items, 'item')}, {by}."


def _table(caption: str, columns: Mapping[str, str], rows: Sequence[Mapping[str, object]]) -> Table:
    """Some keys of each row, under their headings."""
    cells = [[_cell(row[key]) for key in columns] for row in rows]
    return Table(caption=caption, columns=list(columns.values()), rows=cells)


def _cell(value: object) -> Cell:
    return value if isinstance(value, int) else visible(unspelled(value)) or None
