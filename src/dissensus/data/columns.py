"""Which column is which: by name, or by what the user says; a missing one is named with its likely match."""

import difflib
import re
import shlex
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from dissensus.data.coding import HasColumns, Sheet
from dissensus.data.labels import number
from dissensus.errors import ColumnError, OptionError, joined, listed, shortened

LIKELY: Mapping[str, tuple[str, ...]] = {
    "item": (
        "item_id", "id", "task_id", "text_id", "example_id", "document", "doc_id", "uid", "question_id",
        "instance", "comment_id", "input_id", "example_no", "task", "text", "question",
    ),
    "rater": (
        "rater_id", "annotator", "annotator_id", "worker", "worker_id", "workerid", "coder", "user", "user_id",
        "labeler", "labeller", "participant", "reviewer", "voter", "voter_id",
        "prolific_pid",
    ),
    "label": (
        "rating", "labels", "score", "answer", "annotation", "response", "value", "vote", "choice", "class",
        "category", "judgment", "judgement", "verdict", "prediction", "predicted", "predicted_label", "decision",
    ),
    "judge": ("judge_id", "model", "model_name", "classifier", "system", "evaluator", "provider"),
}  # fmt: skip
"""What other tools call our columns, the most telling name first."""

NAMED_BY = "--{role} {column}"
"""How the command line names a column of the file that a command is about."""
JUDGES_NAMED_BY = "--judge-columns {role}={column}"
"""How it names a column of a judges file beside a file of ratings."""
UNKNOWN = "COLUMN"
"""What stands for a name that only the user knows."""
WIDE = "If each column is a rater, add --wide."

MOST_COLUMNS = 12
FEWEST_WIDE_COLUMNS = 3


def find_column(sheet: HasColumns, role: str, given: str | None = None, *, option: str = NAMED_BY) -> str | None:
    """Name of the column that plays a role, or None if the sheet has none.

    Parameters
    ----------
    sheet : Sheet
        The table.
    role : str
        What the column is called unless the user says otherwise: item, rater, label, ...
    given : str, optional
        What the user says; then the column must be there.
    option : str
        How the user names a column, with {role} and {column}.
    """
    wanted = role if given is None else given
    if wanted in sheet.columns:
        return wanted
    same = [column for column in sheet.columns if column.strip().lower() == wanted.strip().lower()]
    if len(same) == 1:
        return same[0]
    if given is None:
        return None
    close = difflib.get_close_matches(given, sheet.columns, n=1)
    named = option.format(role=role, column=UNKNOWN)
    hint = f"The likely match is {close[0]!r}." if close else f"Name one of them with {named}."
    raise ColumnError(f"{sheet.name} has no column {given!r}. Columns found: {found(sheet)}. {hint}")


def missing_columns(
    sheet: HasColumns,
    roles: Sequence[str],
    *,
    also: Sequence[str] = (),
    given: Mapping[str, str] | None = None,
    option: str = NAMED_BY,
    otherwise: str = WIDE,
) -> ColumnError:
    """Error that names the missing columns, the columns found and the likely matches.

    Parameters
    ----------
    sheet : Sheet
        The table.
    roles : sequence of str
        What is missing and needed.
    also : sequence of str
        What is missing and optional: only its likely match is named.
    given : mapping of str to str, optional
        Columns by role that the user named already.
    option : str
        How the user names a column, with {role} and {column}.
    otherwise : str
        What to say where no column looks like a label.
    """
    named = given or {}
    free = [column for column in sheet.columns if column not in named.values()]
    matches = {role: likely_match(free, role) for role in (*roles, *also)}
    known = {role: match for role, match in matches.items() if match is not None}
    if known:
        wanted = {role: match or UNKNOWN for role, match in matches.items() if role in roles or match is not None}
        are = "match is" if len(known) == 1 else "matches are"
        hint = f"The likely {are} {joined(list(known.values()))}: add {typed_columns(wanted, option, given=named)}."
    else:
        options = typed_columns(dict.fromkeys(roles, UNKNOWN), option, given=named)
        hint = f"Name {'it' if len(roles) == 1 else 'them'} with {options}."
    if "label" in roles and "label" not in known and len(sheet.columns) >= FEWEST_WIDE_COLUMNS:
        hint += f" {otherwise}"
    names = " and no column ".join(repr(role) for role in roles)
    return ColumnError(f"{sheet.name} has no column {names}. Columns found: {found(sheet)}. {hint}")


def typed_columns(names: Mapping[str, str], option: str = NAMED_BY, *, given: Mapping[str, str] | None = None) -> str:
    """Columns by their roles, as the user types them: one option for each, or one that has those given before, too.

    Examples
    --------
    >>> typed_columns({"judge": "model", "label": "verdict"})
    '--judge model --label verdict'
    >>> typed_columns({"judge": "model", "label": "verdict"}, JUDGES_NAMED_BY, given={"item": "Comment ID"})
    '--judge-columns judge=model,label=verdict,item="Comment ID"'
    """
    once, equals, each = option.partition(" {role}=")
    if not equals:
        return " ".join(option.format(role=role, column=shell_word(column)) for role, column in names.items())
    parts = {**names, **(given or {})}
    return f"{once} " + ",".join(f"{role}={each.format(column=shell_word(column))}" for role, column in parts.items())


def likely_match(columns: Sequence[str], role: str) -> str | None:
    """The column that is most likely meant by a role.

    Examples
    --------
    >>> likely_match(["Annotator", "rating", "text_id"], "label")
    'rating'
    """
    by_name = _by_name(columns)
    close = difflib.get_close_matches(role, by_name, n=1, cutoff=0.7)
    return synonym_of(columns, role) or (by_name[close[0]] if close else None)


def synonym_of(columns: Sequence[str], role: str) -> str | None:
    """The column that has a name which other tools give to a role.

    Examples
    --------
    >>> synonym_of(["Model Name", "labelled"], "judge"), synonym_of(["Model Name", "labelled"], "label")
    ('Model Name', None)
    """
    by_name = _by_name(columns)
    return next((by_name[synonym] for synonym in LIKELY.get(role, ()) if synonym in by_name), None)


def _by_name(columns: Sequence[str]) -> dict[str, str]:
    """The columns by their names in one spelling; of two alike the first."""
    return {column.strip().lower().replace(" ", "_").replace("-", "_"): column for column in reversed(columns)}


def found(sheet: HasColumns) -> str:
    """The columns of a sheet in one line."""
    more = len(sheet.columns) - MOST_COLUMNS
    shown = ", ".join(shortened(column) for column in sheet.columns[:MOST_COLUMNS])
    return f"{shown} and {more} more" if more > 0 else shown


def shell_word(name: str) -> str:
    """A name as it is typed in a shell.

    Examples
    --------
    >>> shell_word("text_id"), shell_word("text id")
    ('text_id', '"text id"')
    """
    return name if name.replace("_", "").isalnum() else f'"{name}"'


def called(column: str) -> str:
    """A column in a sentence.

    Examples
    --------
    >>> called("text_id"), called("column 1")
    ('column text_id', 'column 1, which has no name')
    """
    number = column.removeprefix("column ")
    return f"{column}, which has no name" if number.isdigit() and number != column else f"column {column}"


WILDCARDS = frozenset("*?[,")


def is_pattern(text: str | None, columns: Sequence[str]) -> bool:
    """Whether a name stands for several columns."""
    return text is not None and text not in columns and bool(WILDCARDS & set(text))


def matching(columns: Sequence[str], pattern: str, name: str, option: str) -> list[str]:
    """The columns that a pattern names; an error if it names none.

    Examples
    --------
    >>> matching(["id", "0", "1", "n-votes"], "[0-9]*", "votes.csv", "--item")
    ['0', '1']
    """
    patterns = [pattern, *(part.strip() for part in pattern.split(","))]
    found = [column for column in columns if any(column == p or fnmatchcase(column, p) for p in patterns)]
    if not found:
        raise OptionError(f"{name} has no column like {pattern!r} for {option}: it has {listed(list(columns))}.")
    return found


def varying(columns: Sequence[str]) -> list[str]:
    """What is left of names without the start and the end that they share.

    Examples
    --------
    >>> varying(["credCount-2_ret", "credCount-1_ret", "credCount0_ret"])
    ['-2', '-1', '0']
    """
    start = 0
    while all(start < len(c) and c[start] == columns[0][start] for c in columns) and columns[0][start] not in "-+":
        start += 1
    end = 0
    shortest = min(map(len, columns))
    while end < shortest - start - 1 and len({c[len(c) - 1 - end] for c in columns}) == 1:
        end += 1
    return [column[start : len(column) - end] for column in columns]


_NAMELESS = re.compile(r"column \d+|Unnamed: \d+|__index_level_\d+__")
"""What we, pandas and pyarrow call a column without a name: usually the row numbers of somebody's frame."""


def is_nameless(column: str) -> bool:
    """Whether a column has no name of its own."""
    return _NAMELESS.fullmatch(column) is not None


FIRST_NAMES = ("rater", "item", "label")


SEARCHED_ROWS = 10
"""So far down the header of a table with a title may stand."""


_NUMBERED = re.compile(r" \(\d+\)$")


def title_error(sheet: Sheet) -> ColumnError | None:
    """What to do about a table with a title above its header; None if it has none."""
    named = [column for column in sheet.columns if not is_nameless(column)]
    if len(sheet.columns) - len(named) < max(1, len(named)):
        return None
    lower = _header_below(sheet)
    if lower is None and len(named) != 1:
        return None
    where = "" if lower is None else f", and its header in row {lower[0]} ({listed(lower[1])})"
    return ColumnError(
        f"{sheet.name} seems to have a title in its first row ({listed(named)}){where}: delete the rows above the "
        "header, and save it again."
    )


def _header_below(sheet: Sheet) -> tuple[int, list[str]] | None:
    """Number and names of the first row that has several names which we know."""
    cells = sheet.load(sheet.columns)
    for place, row in enumerate(cells.row[:SEARCHED_ROWS].tolist()):
        names = [text for column in cells.columns.values() if (text := column[place]) is not None]
        if sum(any(name.strip().lower() == role or synonym_of([name], role) for role in LIKELY) for name in names) > 1:
            return row, names
    return None


def headerless(sheet: Sheet) -> ColumnError:
    """What to do about a table that seems to have no header."""
    names = [*FIRST_NAMES, *(f"column{i}" for i in range(len(FIRST_NAMES) + 1, len(sheet.columns) + 1))]
    return ColumnError(
        f"{sheet.name} seems to have no header: its first row is {found(sheet)}. Name its columns in their order, "
        f"such as `dissensus import {shlex.quote(sheet.name)} --columns {','.join(names)} -o ratings.csv`."
    )


def lacks_header(sheet: Sheet) -> bool:
    """Whether the names of the columns look like data: numbers or lists, or texts that come again further down."""
    cells = sheet.load(sheet.columns)
    data = 0
    for numbered, column in cells.columns.items():
        name = _NUMBERED.sub("", numbered)
        value = number(name)
        is_measured = value is not None and (value != int(value) or value < 0)
        data += name in column.texts or name.startswith("[") or is_measured
    return 2 * data >= max(len(sheet.columns) - 1, 2)
