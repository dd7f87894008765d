"""What `apply` says: how many answers it turned into people's terms, and how many of them changed."""

from typing import cast

from dissensus.methods.apply.apply import ApplyResult
from dissensus.report.document import Block, Cell, Note, Section, Table
from dissensus.report.numbers import are, counted, shortened, visible
from dissensus.results import Result


def view(result: Result) -> Section:
    """Each judge: how many items it answered, on how many its label changed, and what was new."""
    applied = cast("ApplyResult", result)
    rows: list[list[Cell]] = [[shortened(one.judge), one.items, one.changed, one.unseen] for one in applied.judges]
    columns = ["Judge", "Items", "Label changed", "New answers"]
    blocks: list[Block] = [Table(caption="Answers in people's terms", columns=columns, rows=rows)]
    if applied.output is not None:
        note = f"Wrote {visible(applied.output)}; use it in place of the judges file."
        blocks.append(Note(text=note, kind="hint"))
    return Section(title="What do the answers mean in people's terms?", lead=_lead(applied), blocks=blocks)


def _lead(applied: ApplyResult) -> str:
    items = sum(one.items for one in applied.judges)
    changed = sum(one.changed for one in applied.judges)
    return f"{counted(items, 'answer')} {are(items)} now in people's terms; the label changed for {changed:,} of them."
