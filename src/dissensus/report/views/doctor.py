"""What `doctor` says: what is wrong with a file, and what fixes it."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence

from dissensus.errors import named, shell_word
from dissensus.report.document import MOST_NOTES, Block, Fold, Note, Points, Section, Table
from dissensus.report.numbers import counted, listing, sentences, visible
from dissensus.report.views.section import noted
from dissensus.results import Result

MAP = f"{named('label_map', of='import_')} "
SEVERITIES = ("error", "warning", "note")
"""The worst first: commands stop at an error, and a warning may spoil numbers."""


def view(result: Result) -> Section:
    """The findings, the worst first, what fixes them, and what was taken for what."""
    report, rows = result.as_dict(), sorted(result.rows(), key=lambda row: SEVERITIES.index(str(row["severity"])))
    name = visible(str(result.data.get("source", {}).get("file", "the file")))
    texts = [_sentence(row) for row in rows]
    blocks: list[Block] = []
    taken = report["taken"]
    if isinstance(taken, Mapping) and taken:
        lines = [[str(role), visible(str(getattr(where, "message", where)))] for role, where in taken.items()]
        blocks.append(Table(caption="Column mapping", columns=["For", "Taken from"], rows=lines))
    command = Note(text=_command(rows, name, holds=str(report["holds"])), kind="hint")
    fix = [command] if any(row["option"] for row in rows) else []
    room = MOST_NOTES - len(fix)
    blocks += [*noted(texts[:room]), *fix]
    more, left = Points(title="", texts=texts[room:]), counted(len(texts) - room, "more finding")
    blocks += [Fold(title=left, parts=[more])] if texts[room:] else []
    return Section(title="File check", lead=_lead(report, rows, name), blocks=blocks)


def _command(rows: Sequence[Mapping[str, object]], name: str, *, holds: str) -> str:
    """The command that fixes all that is wrong for certain."""
    options = dict.fromkeys(_text(row["option"]) for row in rows if row["option"] and not row["is_choice"])
    if not options:
        return "If you choose so, run `dissensus import` with these options, and use the file that it writes."
    renames = [option for option in options if option.startswith(MAP)]
    if len(renames) > 1:  # one option takes all of them
        words = ",".join(shlex.split(option.removeprefix(MAP))[0] for option in renames)
        options = {**dict.fromkeys(o for o in options if o not in renames), f"{MAP}{shell_word(words)}": None}
    output = f"{holds}.csv" if name != f"{holds}.csv" else "fixed.csv"
    command = f"dissensus import {shlex.quote(name)} {' '.join(options)} -o {output}"
    by_hand = any(row["severity"] == "error" and not row["option"] for row in rows)
    start = "Correct by hand what is an error, and fix the rest" if by_hand else "Fix all at once"
    return f"{start} with `{visible(command)}`, then use the file that it writes."


def _text(value: object) -> str:
    return str(getattr(value, "message", value))


def _lead(report: Mapping[str, object], rows: Sequence[Mapping[str, object]], name: str) -> str:
    shape = report["shape"] if isinstance(report["shape"], Mapping) else {}
    sizes = {word: shape[word] for word in ("ratings", "answers", "items") if isinstance(shape.get(word), int)}
    what = " of ".join(counted(int(str(n)), word.removesuffix("s"), word) for word, n in sizes.items())
    held = f"has {what} in the format {visible(str(report['format']))}" if what else "cannot be used until it is fixed"
    count = Counter(str(row["severity"]) for row in rows)
    problems = listing([counted(count[severity], severity) for severity in SEVERITIES if count[severity]])
    return f"{name} {held}: {problems or 'no problems found'}."


def _sentence(row: Mapping[str, object]) -> str:
    """How bad it is, what is wrong, where, and what fixes it."""
    rows = row["rows"] if isinstance(row["rows"], list) else []
    left = int(str(row["count"])) - len(rows)
    more = f" and {left:,} more" if left > 0 else ""
    where = f"See {'row' if len(rows) == 1 else 'rows'} {', '.join(map(str, rows))}{more}." if rows else ""
    message, option = (_text(row[key]) for key in ("message", "option"))
    how = "One possibility is" if row["is_choice"] else "Fix it with"
    fix = f"{how} {option}." if option and option not in message else ""
    return visible(sentences(f"{str(row['severity']).capitalize()}: {message}", where, fix))
