"""Which column is which: by name, or by what the user says; a missing one is named with its likely match."""

import difflib
from collections.abc import Mapping, Sequence

from dissensus.errors import ColumnError
from dissensus.ratings.coding import Sheet

LIKELY: Mapping[str, tuple[str, ...]] = {
    "item": ("item_id", "id", "task_id", "text_id", "example_id", "document", "doc_id", "uid", "question_id", "instance",
             "comment_id", "input_id", "task", "text", "question"),
    "rater": ("rater_id", "annotator", "annotator_id", "worker", "worker_id", "workerid", "coder", "user", "user_id",
              "labeler", "labeller", "participant", "reviewer"),
    "label": ("rating", "labels", "score", "answer", "annotation", "response", "value", "vote", "choice", "class",
              "category", "judgment", "judgement", "verdict"),
    "judge": ("judge_id", "model", "model_name", "classifier", "system", "evaluator", "provider"),
}  # fmt: skip


def find_column(sheet: Sheet, role: str, given: str | None = None) -> str | None:
    """Name of the column that plays a role, or None if the sheet has none.

    Parameters
    ----------
    sheet : Sheet
        The table.
    role : str
        What the column is called unless the user says otherwise: item, rater, label, ...
    given : str, optional
        What the user says; then the column must be there.
    """
    wanted = given or role
    if wanted in sheet.columns:
        return wanted
    same = [column for column in sheet.columns if column.strip().lower() == wanted.strip().lower()]
    if len(same) == 1:
        return same[0]
    if given is not None:
        close = difflib.get_close_matches(given, sheet.columns, n=1)
        hint = f" The likely match is {close[0]!r}." if close else ""
        raise ColumnError(f"{sheet.name} has no column {given!r}. Columns found: {found(sheet)}.{hint}")
    return None


def missing_columns(sheet: Sheet, roles: Sequence[str]) -> ColumnError:
    """Error that names the missing columns, the columns found and the likely matches."""
    matches = {role: likely_match(sheet.columns, role) for role in roles}
    known = {role: match for role, match in matches.items() if match is not None}
    names = " and ".join(repr(role) for role in roles)
    say = " ".join(f"--{role} {_shell_word(match)}" for role, match in known.items())
    hint = f"The likely match is {', '.join(known.values())}: add {say}." if known else (
        "Name it with " + " ".join(f"--{role} COLUMN" for role in roles) + ".")  # fmt: skip
    if "label" in roles and len(sheet.columns) > 2 and "label" not in known:  # noqa: PLR2004 - an item and two raters
        hint += " If each column is a rater, add --wide."
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


def found(sheet: Sheet, most: int = 12) -> str:
    """The columns of a sheet in one line."""
    more = len(sheet.columns) - most
    shown = ", ".join(column if len(column) <= 40 else column[:37] + "..." for column in sheet.columns[:most])  # noqa: PLR2004
    return f"{shown} and {more} more" if more > 0 else shown


def _shell_word(name: str) -> str:
    return name if name.replace("_", "").isalnum() else f'"{name}"'
