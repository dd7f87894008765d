"""Which column is which: by name, or by what the user says; a missing one is named with its likely match."""

import difflib
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from dissensus.errors import ColumnError, joined, shortened

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
        "category", "judgment", "judgement", "verdict",
    ),
    "judge": ("judge_id", "model", "model_name", "classifier", "system", "evaluator", "provider"),
}  # fmt: skip
"""What other tools call our columns, the most telling name first."""

MOST_COLUMNS = 12
FEWEST_WIDE_COLUMNS = 3


class HasColumns(Protocol):
    """A table, as far as the names of its columns go."""

    @property
    def name(self) -> str:
        """What to call it in messages."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""


class ColumnNames(NamedTuple):
    """A table of which nothing but the names of its columns is here."""

    name: str
    columns: tuple[str, ...]


def find_column(
    sheet: HasColumns, role: str, given: str | None = None, *, option: str = "--{role} {column}"
) -> str | None:
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
    named = option.format(role=role, column="COLUMN")
    hint = f"The likely match is {close[0]!r}." if close else f"Name one of them with {named}."
    raise ColumnError(f"{sheet.name} has no column {given!r}. Columns found: {found(sheet)}. {hint}")


def missing_columns(
    sheet: HasColumns, roles: Sequence[str], *, also: Sequence[str] = (), option: str = "--{role} {column}"
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
    option : str
        How the user names a column, with {role} and {column}.
    """
    matches = {role: likely_match(sheet.columns, role) for role in (*roles, *also)}
    known = {role: match for role, match in matches.items() if match is not None}
    if known:
        options = " ".join(option.format(role=role, column=shell_word(match)) for role, match in known.items())
        are = "match is" if len(known) == 1 else "matches are"
        hint = f"The likely {are} {joined(list(known.values()))}: add {options}."
    else:
        named = " ".join(option.format(role=role, column="COLUMN") for role in roles)
        hint = f"Name {'it' if len(roles) == 1 else 'them'} with {named}."
    if "label" in roles and "label" not in known and len(sheet.columns) >= FEWEST_WIDE_COLUMNS:
        hint += " If each column is a rater, add --wide."
    names = " and no column ".join(repr(role) for role in roles)
    return ColumnError(f"{sheet.name} has no column {names}. Columns found: {found(sheet)}. {hint}")


def likely_match(columns: Sequence[str], role: str) -> str | None:
    """The column that is most likely meant by a role.

    Examples
    --------
    >>> likely_match(["Annotator", "rating", "text_id"], "label")
    'rating'
    """
    by_name = {column.strip().lower().replace(" ", "_").replace("-", "_"): column for column in reversed(columns)}
    for synonym in LIKELY.get(role, ()):
        if synonym in by_name:
            return by_name[synonym]
    close = difflib.get_close_matches(role, by_name, n=1, cutoff=0.7)
    return by_name[close[0]] if close else None


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
