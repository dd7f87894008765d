"""What `doctor` says: what is the matter with a file, and what mends it."""

from collections import Counter
from collections.abc import Mapping, Sequence

from dissensus.report.document import Block, Note, Points, Section, Table
from dissensus.report.numbers import counted, listing, visible
from dissensus.results import Result

HEADINGS = {
    "error": "Errors: commands stop at them",
    "warning": "Warnings: they may spoil the numbers",
    "note": "Notes",
}


def view(result: Result) -> Section:
    """The findings, the worst first, and what was taken for what."""
    found = result.as_dict()
    rows = result.rows()
    blocks: list[Block] = []
    for severity, heading in HEADINGS.items():
        mine = [row for row in rows if row["severity"] == severity]
        if mine:
            blocks.append(_findings(heading, mine))
    if any(row["option"] for row in rows):
        blocks.append(Note(text="These are options of `dissensus import`: use the file that it writes.", kind="hint"))
    taken = found["taken"]
    if isinstance(taken, Mapping) and taken:
        lines = [[str(role), visible(str(where))] for role, where in taken.items()]
        blocks.append(Table(caption="What was taken for what", columns=["For", "We took"], rows=lines))
    name = visible(str(result.data.get("source", {}).get("file", "the file")))
    return Section(title="What is the matter with the file?", lead=_lead(found, rows, name), blocks=blocks)


def _lead(found: Mapping[str, object], rows: Sequence[Mapping[str, object]], name: str) -> str:
    shape = found["shape"] if isinstance(found["shape"], Mapping) else {}
    number = {word: shape[word] for word in ("ratings", "answers", "items") if isinstance(shape.get(word), int)}
    what = [counted(int(str(n)), word.removesuffix("s"), word) for word, n in number.items()]
    held = (
        f" has {' of '.join(what)} in the format {visible(str(found['format']))}"
        if what
        else " is of no use to any command until it is mended"
    )
    count = Counter(str(row["severity"]) for row in rows)
    parts = [counted(count[severity], severity) for severity in HEADINGS if count[severity]]
    return f"{name}{held}: {listing(parts) if parts else 'nothing is the matter'}."


def _findings(heading: str, rows: Sequence[Mapping[str, object]]) -> Points:
    return Points(title=heading, texts=[_sentence(row) for row in rows])


def _sentence(row: Mapping[str, object]) -> str:
    """What is the matter, where, and what mends it."""
    rows = row["rows"] if isinstance(row["rows"], list) else []
    more = " and more" if int(str(row["count"])) > len(rows) else ""
    where = f" See {'row' if len(rows) == 1 else 'rows'} {', '.join(map(str, rows))}{more}." if rows else ""
    message, option = str(row["message"]), str(row["option"])
    how = "One possibility is" if row["is_choice"] else "Mend it with"
    mends = f" {how} {option}" if option and option not in message else ""
    return visible(f"{message}{where}{mends}")
