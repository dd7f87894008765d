"""What `apply` says: how many answers it turned into people's terms, and how many of them changed."""

from dissensus.methods.apply.apply import ApplyResult
from dissensus.report.document import Block, Note, Section, Table
from dissensus.report.numbers import are, counted, shortened, visible


def view(result: ApplyResult) -> Section:
    """Each judge: how many items it answered, on how many its label changed, and what was new."""
    items, changed = sum(one.items for one in result.judges), sum(one.changed for one in result.judges)
    lead = f"{counted(items, 'answer')} {are(items)} now in people's terms; the label changed for {changed:,} of them."
    table = Table(
        caption="Answers in people's terms",
        columns=["Judge", "Items", "Label changed", "New answers"],
        rows=[[shortened(one.judge), one.items, one.changed, one.unseen] for one in result.judges],
    )
    blocks: list[Block] = [table]
    if result.output is not None:
        note = f"Wrote {visible(result.output)}; use it in place of the judges file."
        blocks.append(Note(text=note, kind="hint"))
    return Section(title="What do the answers mean in people's terms?", lead=lead, blocks=blocks)
