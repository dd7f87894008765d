"""What `doctor` says: what is wrong with a file, and what fixes it."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from dissensus.errors import named, shell_word
from dissensus.report.document import MOST_NOTES, Block, Fold, Note, Points, Section, Table
from dissensus.report.numbers import counted, listing, sentences, visible
from dissensus.report.views.section import noted
from dissensus.results import Result

MAP = f"{named('label_map', of='import_')} "
QUESTION = f"{named('question', of='import_')} QUESTION"
BY_COLUMN = "judge-columns"
AS_EVER = ("error", "drop", None)
"""What options say that nobody gave."""
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
    holds, given = str(report["holds"]), _given(result.settings)
    if holds == "judges" and report["format"] == BY_COLUMN and not result.settings.get("judges"):
        given.append(f"{named('source_format', of='import_')} {BY_COLUMN}")  # all columns, whatever they are called
    command = Note(text=_command(rows, name, holds=holds, given=given), kind="hint")
    fix = [command] if any(row["option"] for row in rows) else []
    room = MOST_NOTES - len(fix)
    blocks += [*noted(texts[:room]), *fix]
    more, left = Points(title="", texts=texts[room:]), counted(len(texts) - room, "more finding")
    blocks += [Fold(title=left, parts=[more])] if texts[room:] else []
    return Section(title="File check", lead=_lead(report, rows, name), blocks=blocks)


def _given(settings: Mapping[str, object]) -> list[str]:
    """The options that the user gave to read the file, which an import needs, too."""
    typed: list[str] = []
    for name, value in settings.items():
        option = named({"form": "source_format"}.get(name, name), of="import_")
        if isinstance(value, bool):
            typed += [option] if value else []
        elif isinstance(value, Mapping):
            typed.append(f"{option} {shell_word(','.join(f'{old}={new}' for old, new in value.items()))}")
        elif name == "drop" and isinstance(value, Sequence):
            parts = [part if isinstance(part, str) else "=".join(part) for part in value]
            typed += [f"{option} {shell_word(part)}" for part in parts]
        elif value not in AS_EVER:
            text = value if isinstance(value, str) else ",".join(map(str, cast("Sequence[object]", value)))
            typed.append(f"{option} {shell_word(text)}")
    return typed


def _command(rows: Sequence[Mapping[str, object]], name: str, *, holds: str, given: Sequence[str]) -> str:
    """The command that fixes all that is wrong for certain."""
    options = dict.fromkeys(_text(row["option"]) for row in rows if row["option"] and not row["is_choice"])
    if not options:
        return "If you choose so, run `dissensus import` with these options, and use the file that it writes."
    is_one = all(row["check"] != "several-questions" for row in rows)
    options = {**dict.fromkeys(given), **({} if is_one else {QUESTION: None}), **options}
    renames = [option for option in options if option.startswith(MAP)]
    if len(renames) > 1:  # one option takes all of them
        words = ",".join(shlex.split(option.removeprefix(MAP))[0] for option in renames)
        options = {**dict.fromkeys(o for o in options if o not in renames), f"{MAP}{shell_word(words)}": None}
    output = f"{holds}.csv" if name != f"{holds}.csv" else "fixed.csv"
    command = f"dissensus import {shlex.quote(name)} {' '.join(options)} -o {output}"
    by_hand = any(row["severity"] == "error" and not row["option"] for row in rows)
    start = "Correct by hand what is an error, and fix the rest" if by_hand else "Fix all at once"
    start = start if is_one else f"{start}, one question after the other,"
    return f"{start} with `{visible(command)}`, then use the file that it writes."


def _text(value: object) -> str:
    return str(getattr(value, "message", value))


def _lead(report: Mapping[str, object], rows: Sequence[Mapping[str, object]], name: str) -> str:
    shape = report["shape"] if isinstance(report["shape"], Mapping) else {}
    size = {word: shape[word] for word in ("ratings", "answers", "items") if isinstance(shape.get(word), int)}
    what = (" to " if "answers" in size else " of ").join(counted(int(str(n)), w[:-1], w) for w, n in size.items())
    held = f"({visible(str(report['format']))}) has {what}" if what else "cannot be used until it is fixed"
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
