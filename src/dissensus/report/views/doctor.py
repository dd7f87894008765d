"""What `doctor` says: what is wrong with a file, and what fixes it."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence

from dissensus.report.document import Block, Note, Points, Section, Table
from dissensus.report.numbers import counted, listing, sentences, visible
from dissensus.results import Result

HEADINGS = {
    "error": "Errors: commands stop at them",
    "warning": "Warnings: they may spoil the numbers",
    "note": "Notes",
}


def view(result: Result) -> Section:
    """The findings, the worst first, and what was taken for what."""
    report, rows = result.as_dict(), result.rows()
    blocks: list[Block] = []
    for severity, heading in HEADINGS.items():
        texts = [_sentence(row) for row in rows if row["severity"] == severity]
        blocks += [Points(title=heading, texts=texts)] if texts else []
    name = visible(str(result.data.get("source", {}).get("file", "the file")))
    if any(row["option"] for row in rows):
        blocks.append(Note(text=_command(rows, name, holds=str(report["holds"])), kind="hint"))
    taken = report["taken"]
    if isinstance(taken, Mapping) and taken:
        lines = [[str(role), visible(str(getattr(where, "message", where)))] for role, where in taken.items()]
        blocks.append(Table(caption="Column mapping", columns=["For", "Taken from"], rows=lines))
    return Section(title="File check", lead=_lead(report, rows, name), blocks=blocks)


def _command(rows: Sequence[Mapping[str, object]], name: str, *, holds: str) -> str:
    """The command that fixes all that is wrong for certain."""
    options = dict.fromkeys(_text(row["option"]) for row in rows if row["option"] and not row["is_choice"])
    if not options:
        return "These are options of `dissensus import`: use the file that it writes."
    output = f"{holds}.csv" if name != f"{holds}.csv" else "fixed.csv"
    command = f"dissensus import {shlex.quote(name)} {' '.join(options)} -o {output}"
    return f"These are options of `dissensus import`: use the file that it writes. All at once: `{visible(command)}`"


def _text(value: object) -> str:
    return str(getattr(value, "message", value))


def _lead(report: Mapping[str, object], rows: Sequence[Mapping[str, object]], name: str) -> str:
    shape = report["shape"] if isinstance(report["shape"], Mapping) else {}
    sizes = {word: shape[word] for word in ("ratings", "answers", "items") if isinstance(shape.get(word), int)}
    what = " of ".join(counted(int(str(n)), word.removesuffix("s"), word) for word, n in sizes.items())
    held = f"has {what} in the format {visible(str(report['format']))}" if what else "cannot be used until it is fixed"
    count = Counter(str(row["severity"]) for row in rows)
    problems = listing([counted(count[severity], severity) for severity in HEADINGS if count[severity]])
    return f"{name} {held}: {problems or 'no problems found'}."


def _sentence(row: Mapping[str, object]) -> str:
    """What is wrong, where, and what fixes it."""
    rows = row["rows"] if isinstance(row["rows"], list) else []
    more = " and more" if int(str(row["count"])) > len(rows) else ""
    where = f"See {'row' if len(rows) == 1 else 'rows'} {', '.join(map(str, rows))}{more}." if rows else ""
    message, option = (_text(row[key]) for key in ("message", "option"))
    how = "One possibility is" if row["is_choice"] else "Fix it with"
    return visible(sentences(message, where, f"{how} {option}" if option and option not in message else ""))
