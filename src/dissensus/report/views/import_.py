"""What `import` says: what was taken for what, and what was left out."""

from collections.abc import Mapping, Sequence

from dissensus.report.document import Block, Note, Section, Table
from dissensus.report.numbers import counted, visible
from dissensus.results import Result


def view(result: Result) -> Section:
    """How many answers there are, what was taken for each role, what was left out, and the labels."""
    found = result.as_dict()
    source = result.data.get("source", {})
    blocks: list[Block] = [_taken(result.rows())]
    left_out = _mappings(found.get("left_out"))
    if left_out:
        blocks.append(_left_out(left_out))
    blocks.append(_labels(_mappings(found.get("labels"))))
    if found.get("output") is not None:
        blocks.append(Note(text=f"Wrote {visible(str(found['output']))}", kind="hint"))
    return Section(title="What was imported", lead=_lead(found, str(source.get("file", "the source"))), blocks=blocks)


def _mappings(value: object) -> list[Mapping[str, object]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, Sequence) else []


def _lead(found: Mapping[str, object], name: str) -> str:
    items = counted(int(str(found["items"])), "item")
    written = f"{visible(name)}, in the format {visible(str(found['format']))},"
    if found["holds"] == "judges":
        judges = found["judges"]
        number = counted(len(judges) if isinstance(judges, list) else 0, "judge")
        return f"{written} has {counted(int(str(found['answers'])), 'answer')} by {number} on {items}."
    raters = found["raters"]
    by = "nobody knows by whom" if raters is None else f"by {counted(int(str(raters)), 'rater')}"
    return f"{written} has {counted(int(str(found['ratings'])), 'rating')} of {items}, {by}."


def _taken(rows: Sequence[Mapping[str, object]]) -> Table:
    return Table(
        caption="What was taken for what",
        columns=["For", "We took"],
        rows=[[str(row["role"]), visible(str(row["taken_from"]))] for row in rows],
    )


def _left_out(left_out: Sequence[Mapping[str, object]]) -> Table:
    return Table(
        caption="What was left out",
        columns=["What", "How many", "Why", "To have them"],
        rows=[
            [
                visible(str(some["what"])),
                int(str(some["count"])),
                visible(str(some["why"])),
                visible(str(some["option"])) or None,
            ]
            for some in left_out
        ],
    )


def _labels(labels: Sequence[Mapping[str, object]]) -> Table:
    return Table(
        caption="Labels",
        columns=["Label", "How many"],
        rows=[[visible(str(label["label"])), int(str(label["count"]))] for label in labels],
    )
