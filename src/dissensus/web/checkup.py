"""What is in the files of a project: first rows, columns, labels, problems and what each fix would change."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.data.checks.table import SEVERITIES, Finding, Table
from dissensus.data.columns import find_column
from dissensus.data.doctor import DoctorResult, examined
from dissensus.data.formats.plan import ReadPlan
from dissensus.data.import_ import has_judges_only
from dissensus.data.inputs import judges_beside_people
from dissensus.data.labels import number
from dissensus.data.sources.source import Source, open_source
from dissensus.errors import DissensusError, spelled
from dissensus.report.numbers import counted
from dissensus.report.views.section import section_of
from dissensus.results import unspelled
from dissensus.web.data_options import Fix, after, as_typed, fixes_in, fixes_words
from dissensus.web.fields import on_page
from dissensus.web.process import Message, Tell
from dissensus.web.tasks import judges_plan, ratings_plan, steps, text_in
from dissensus.web.uploads import BOTH

MOST_ROWS, MOST_COLUMNS, MOST_LABELS, LONGEST_CELL = 6, 30, 30, 80
FILES = ("ratings", "judges")
PLANS: Mapping[str, Callable[[Mapping[str, object]], ReadPlan]] = {"ratings": ratings_plan, "judges": judges_plan}
ROLES = {"ratings": ("item", "rater", "label"), "judges": ("item", "judge", "label")}
MOST_CHANGED = 6  # labels that a card shows before and after a fix
MOST_COMPARED = 50_000  # a file with more answers is not read once more for each fix to show what it would change
_NO_FORMAT = re.compile(r" \((?:tidy|judges)\)(?= has )")  # our own layouts need no name
COLUMNS = "Some columns have no role yet: in the menus above the columns, choose which are {}."


def checkup(arguments: Mapping[str, object], tell: Tell) -> Message:
    """Everything that the Data tab shows, always of what will be computed: judges are held against people as read."""
    step, files, people = steps(tell), {}, None
    judges: object = []
    for file in FILES:
        if text_in(arguments, file) is None:
            continue
        with step(f"Looking at {arguments[f'{file}_name']}"):
            with open_source(Path(str(arguments[file]))) as opened:
                result, table = examined(opened, PLANS[file](arguments), judges=file == "judges", people=people)
                files[file] = _seen(file, result, table, opened, arguments)
            is_small = table is not None and len(table.row) <= MOST_COMPARED
            files[file]["problems"] = _cards(
                _problem(file, finding, arguments, people, is_small=is_small) for finding in result.findings
            )
        people = table if file == "ratings" else people
        judges = result.shape.get("judges", []) if file == "judges" else []
    errors = sum(problem["severity"] == "error" for seen in files.values() for problem in seen["problems"])  # type: ignore[attr-defined] # lists of problems
    return {"files": files, "errors": errors, "judges": judges}


def _seen(
    file: str, result: DoctorResult, table: Table | None, opened: Source, arguments: Mapping[str, object]
) -> dict[str, object]:
    """What is in a file: its size in words, its first rows with the role of each column, its labels."""
    counts = {} if table is None else table.label_counts()
    shape = result.shape.get("labels")
    order = [str(label) for label in shape] if isinstance(shape, list | tuple) else []
    shown = [label for label in order if label in counts] or sorted(counts)
    name = str(arguments[f"{file}_name"])
    return {
        "name": name,
        "size": _NO_FORMAT.sub("", section_of(result, on_page).lead.replace(opened.name, name)),
        "preview": _preview(file, result, opened, PLANS[file](arguments)),
        "labels": [[label, counts[label]] for label in shown[:MOST_LABELS]],
        "more_labels": max(len(shown) - MOST_LABELS, 0),
        "is_words": any(number(label) is None for label in shown),
    }


def _preview(file: str, result: DoctorResult, opened: Source, plan: ReadPlan) -> dict[str, object] | None:
    """The first rows of a table; None where the file is not a table."""
    names = list(opened.columns)[:MOST_COLUMNS]
    if not names:
        return None
    sheet = opened.table()
    cells = sheet.load(names)
    rows = [
        [_cell(cells.columns[name].texts, int(cells.columns[name].codes[row])) for name in names]
        for row in range(min(MOST_ROWS, len(cells.row)))
    ]
    named = {role: find_column(sheet, role, getattr(plan, role)) for role in ROLES[file] if _exists(plan, role, names)}
    taken = {role: unspelled(where) for role, where in result.taken.items()}
    roles = {role: column for role, column in named.items() if column in names}
    for role, where in taken.items():
        column = where.removeprefix("column ")
        if role in ROLES[file] and where.startswith("column ") and column in names:
            roles[role] = column
    used = {column: role.replace("repeat", "sample") for role, where in taken.items()
            if (column := where.removeprefix("column ")) in names and role not in ROLES[file]}  # fmt: skip
    if file == "judges":
        used |= {name: f"chance of {name[2:]}" for name in names if name.startswith("p_")}
    other = [] if len(roles) == len(ROLES[file]) else [f"{role}: {where}" for role, where in taken.items()]
    return {
        "columns": names, "rows": rows, "roles": {column: role for role, column in roles.items()},
        "used": used,
        "choices": list(ROLES[file]), "taken": other, "more": max(len(opened.columns) - MOST_COLUMNS, 0),
    }  # fmt: skip


def _exists(plan: ReadPlan, role: str, names: Sequence[str]) -> bool:
    """Whether a column that was named for a role is there: another is a problem, which is shown below."""
    column = getattr(plan, role, None)
    return column is None or column in names


def _cell(texts: Sequence[str], code: int) -> str:
    text = "" if code < 0 else texts[code]
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


def _problem(
    file: str, finding: Finding, arguments: Mapping[str, object], people: Table | None, *, is_small: bool
) -> dict[str, object]:
    """A problem as a card: what is wrong, where, what fixes it, and the data before and after."""
    option = spelled(unspelled(finding.option), as_typed)
    values = {name: str(value) for name, value in arguments.items() if isinstance(value, str)}
    fixes = fixes_in(file, option) if option else None
    fixes = fixes if fixes and after(values, fixes) != values else None
    compared = _compared(file, fixes, arguments, people) if fixes and is_small else None
    text = spelled(unspelled(finding.message), on_page)
    return {
        "severity": finding.severity,
        "text": COLUMNS.format(", ".join(ROLES[file])) if finding.check == "columns" and not fixes else text,
        "rows": list(finding.rows),
        "more": max(finding.count - len(finding.rows), 0) if finding.rows else 0,
        "fixes": fixes or [],
        "words": fixes_words(fixes or []),
        "is_choice": finding.is_choice,
        "compared": compared,
    }


def _cards(problems: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The problems, the worst first; those that one fix solves are one."""
    cards: list[dict[str, Any]] = []
    for one in sorted(problems, key=lambda problem: SEVERITIES.index(problem["severity"])):
        same = next((card for card in cards if one["fixes"] and card["fixes"] == one["fixes"]), None)
        if same is None:
            cards.append(one)
        else:
            same["text"] += f" {one['text']}"
            same["more"] += one["more"] + len(one["rows"])
    return cards


def _compared(
    file: str, fixes: Sequence[Fix], arguments: Mapping[str, object], people: Table | None
) -> dict[str, str] | None:
    """The data before and after a fix, in words; None where they cannot be read either way."""
    values = {name: str(value) for name, value in arguments.items() if isinstance(value, str)}
    found = []
    for own in (values, after(values, fixes)):
        try:
            with open_source(Path(str(arguments[file]))) as opened:
                result, table = examined(opened, PLANS[file](own), judges=file == "judges", people=people)
        except DissensusError:
            return None
        found.append((result, {} if table is None else table.label_counts()))
    before, after_it = (
        _in_short(own, counts, other) for (own, counts), (_, other) in zip(found, found[::-1], strict=True)
    )
    return {"before": before, "after": after_it} if before != after_it else None


def _in_short(result: DoctorResult, counts: Mapping[str, int], other: Mapping[str, int]) -> str:
    """The labels whose counts differ from those of the other reading, and what stops everything."""
    if not counts:
        return "cannot be read"
    changed = [label for label in counts if counts[label] != other.get(label)]
    shown = [
        f"{label} ({counts[label]:,})" for label in sorted(changed, key=lambda label: -counts[label])[:MOST_CHANGED]
    ]
    problems = sum(finding.severity == "error" for finding in result.findings)
    stops = [f"{counted(problems, 'problem')} that stop{'s' * (problems == 1)} everything"] if problems else []
    parts = [counted(sum(counts.values()), "answer"), ", ".join(shown), *stops]
    return "; ".join(part for part in parts if part)


# ---- Which file is whose

SUSPECTS = ("judge", "model", "llm", "gpt", "claude", "pred", "auto", "classifier")
"""Parts of names of files and columns that are about judges rather than people."""


def roles_of(paths: Sequence[Path], names: Sequence[str]) -> list[str]:
    """The role of each file: what was asked (TOML), judges' answers, people's ratings, both; empty for one too many."""
    kinds = [_kind(path, name) for path, name in zip(paths, names, strict=True)]
    people = [place for place, (kind, _) in enumerate(kinds) if kind == "people"]
    if len(people) > 1 and not any(kind == "judges" for kind, _ in kinds):
        suspect = max(people, key=lambda place: kinds[place][1])
        last = suspect if kinds[suspect][1] else people[-1]
        kinds[last] = ("judges", 0)
    if len(kinds) > 1 and all(kind != "people" for kind, _ in kinds):
        first = next((place for place, (kind, _) in enumerate(kinds) if kind == "judges"), None)
        if first is not None and sum(kind == "judges" for kind, _ in kinds) > 1:
            kinds[first] = ("people", 0)
    roles: list[str] = []
    for kind, _ in kinds:
        roles.append("" if kind in roles else kind)
    if "judges" not in roles and "people" in roles:
        place = roles.index("people")
        is_shared = judges_beside_people(paths[place], {}) is not None
        roles[place] = BOTH if is_shared else "people"
    return roles


def _kind(path: Path, name: str) -> tuple[str, int]:
    """Whose a file is by what is in it, and how much its names sound like judges'."""
    if name.lower().endswith(".toml"):
        return "task", 0
    try:
        with open_source(path) as opened:
            words = [name.lower(), *(column.lower() for column in opened.columns)]
            sounds = sum(part in word for word in words for part in SUSPECTS)
            if has_judges_only(opened, ReadPlan()):
                return "judges", sounds
            columns = {column.strip().lower() for column in opened.columns}
            is_about_items = (
                bool(columns) and "text" in columns and not columns & {"label", "rating", "answer", "rater"}
            )
            return "items" if is_about_items and len(columns) <= 3 else "people", sounds  # noqa: PLR2004 - id, text, and one more
    except DissensusError:
        return "people", sum(part in name.lower() for part in SUSPECTS)
