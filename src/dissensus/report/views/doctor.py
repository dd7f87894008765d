"""What `doctor` says: what is wrong with a file, and what fixes it."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from dissensus.data.checks.table import SEVERITIES, Finding, worst_first
from dissensus.data.doctor import BOTH, JUDGES, DoctorResult
from dissensus.errors import named, shell_word
from dissensus.report.document import MOST_NOTES, Block, Fold, Note, Section, Table
from dissensus.report.numbers import counted, listing, sentences, visible
from dissensus.report.views.section import is_fact, noted
from dissensus.results import unspelled

MERGE = named("merge_case", of="import_")
MAP = f"{named('label_map', of='import_')} "
QUESTION = f"{named('question', of='import_')} QUESTION"
BY_COLUMN = "judge-columns"
ANYWHERE = tuple(named(one, of="import_") for one in ("label_map", "merge_case", "labels", "scale", "item", "label"))
"""How options begin that every command has, for people and judges in one file."""
AS_EVER = ("error", "drop", None)
"""What options say that nobody gave."""


def view(result: DoctorResult) -> Section:
    """The findings, the worst first, what fixes them, and what was taken for what."""
    findings = worst_first(result.findings)
    name, texts = visible(str(result.data.get("source", {}).get("file", "the file"))), list(map(_sentence, findings))
    blocks: list[Block] = []
    if result.taken:
        lines = [[role, visible(unspelled(where))] for role, where in result.taken.items()]
        blocks.append(Table(caption="Column mapping", columns=["For", "Taken from"], rows=lines))
    given = _given(result.settings)
    if result.holds == "judges" and result.format == BY_COLUMN and not result.settings.get("judges"):
        given.append(f"{named('source_format', of='import_')} {BY_COLUMN}")  # all columns, whatever they are called
    command = Note(text=_command(findings, name, holds=result.holds, given=given), kind="hint")
    fix = [command] if any(finding.option for finding in findings) else []
    room = MOST_NOTES - len(fix)
    blocks += [*noted(texts[:room]), *fix]
    if left := texts[room:]:
        blocks.append(Fold(title=counted(len(left), "more finding"), parts=noted(left)))
    return Section(title="File check", lead=_lead(result, name), blocks=blocks)


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


def _command(findings: Sequence[Finding], name: str, *, holds: str, given: Sequence[str]) -> str:
    """The command that fixes all that is wrong for certain; where people and judges are in one file, for both."""
    sure = [one for one in findings if one.option and not one.is_choice]
    if not sure:
        return "To do so, run `dissensus import` with the option, and use the file that it writes."
    is_one = all(one.check != "several-questions" for one in findings)
    given = [*given, *([] if is_one else [QUESTION])]
    by_hand = any(one.severity == "error" and not one.option for one in findings)
    start = "Correct by hand what is an error, and fix the rest" if by_hand else "Fix all at once"
    start = start if is_one else f"{start}, one question after the other,"
    merges = any(unspelled(one.option) == MERGE for one in sure)  # in one file also into the spelling of people
    every = _options([one for one in sure if not (merges and one.check == "labels-apart")], given)
    if holds == BOTH and all(option.startswith(ANYWHERE) for option in every):
        command = f"dissensus decide {shlex.quote(name)} {' '.join(every)}"
        return f"{start} with `{visible(command)}`, or with these options of any other command."
    theirs = [one for one in sure if one.message.startswith(JUDGES)]
    people = [one for one in sure if one not in theirs]
    sides = {"ratings": people, "judges": theirs} if holds == BOTH else {holds: sure}
    commands = []
    for side, own in sides.items():
        words = [
            *([named("judges", of="import_")] if holds == BOTH and side == "judges" else []),
            *_options(own, given),
        ]
        output = f"{side}.csv" if name != f"{side}.csv" else "fixed.csv"
        commands.append(f"`{visible(' '.join(['dissensus import', shlex.quote(name), *words, '-o', output]))}`")
    files = "file that it writes" if len(commands) == 1 else "files that they write"
    return f"{start} with {' and '.join(commands)}, then use the {files}."


def _options(findings: Sequence[Finding], given: Sequence[str]) -> list[str]:
    """The options that were given and those that fix these findings, each once."""
    options = dict.fromkeys([*given, *(unspelled(one.option) for one in findings)])
    renames = [option for option in options if option.startswith(MAP)]
    if len(renames) > 1:  # one option takes all of them
        words = ",".join(dict.fromkeys(shlex.split(option.removeprefix(MAP))[0] for option in renames))
        options = {**dict.fromkeys(o for o in options if o not in renames), f"{MAP}{shell_word(words)}": None}
    return list(options)


def _lead(result: DoctorResult, name: str) -> str:
    shape = result.shape
    size = [counted(n, w[:-1], w) for w in ("ratings", "answers", "items") if isinstance(n := shape.get(w), int)]
    what = (" to " if "answers" in shape else " of ").join(size)
    held = f"({visible(str(result.format))}) has {what}" if what else "cannot be used until it is fixed"
    count = Counter(finding.severity for finding in result.findings)
    count["note"] += sum(not is_fact(warning) for warning in dict.fromkeys(result.warnings))
    problems = listing([counted(count[severity], severity) for severity in SEVERITIES if count[severity]])
    return f"{name} {held}: {problems or 'no problems found'}."


def _sentence(finding: Finding) -> str:
    """How bad it is, what is wrong, where, and what fixes it."""
    rows, left = finding.rows, finding.count - len(finding.rows)
    more = f" and {left:,} more" if left > 0 else ""
    where = f"See {'row' if len(rows) == 1 else 'rows'} {', '.join(map(str, rows))}{more}." if rows else ""
    message, option = unspelled(finding.message), unspelled(finding.option)
    how = "One possibility is" if finding.is_choice else "Fix it with"
    fix = f"{how} {option}." if option and option not in message else ""
    return visible(sentences(f"{finding.severity.capitalize()}: {message}", where, fix))
