"""Which column is which: by name, by pattern, or as the user says; a missing one is named with its likely match."""

import difflib
import re
import shlex
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from dissensus.data.coding import HasColumns, Sheet
from dissensus.data.labels import number
from dissensus.errors import ColumnError, OptionError, joined, likely, listed, named, shell_word, shortened
from dissensus.options import parts_of

LIKELY: Mapping[str, tuple[str, ...]] = {
    "item": (
        "item_id", "id", "task_id", "text_id", "example_id", "document", "doc_id", "uid", "question_id",
        "instance", "comment_id", "input_id", "example_no", "task", "text", "question",
    ),
    "rater": (
        "rater_id", "annotator", "annotator_id", "worker", "worker_id", "workerid", "coder", "user", "user_id",
        "username", "labeler", "labeller", "participant", "reviewer", "voter", "voter_id", "prolific_pid", "subject",
        "respondent", "expert", "grader", "assessor", "listener", "reader",
    ),
    "label": (
        "rating", "labels", "score", "answer", "annotation", "response", "value", "vote", "choice", "class",
        "category", "judgment", "judgement", "verdict", "prediction", "predicted", "predicted_label", "decision",
        "winner", "preference",
    ),
    "judge": ("judge_id", "model", "model_name", "classifier", "system", "evaluator", "provider"),
}  # fmt: skip
"""What other tools call our columns, the most telling name first."""

INDEX = "__index_level_0__"
"""What the index of a frame is called that names no column: the rows are numbered."""
UNKNOWN = "COLUMN"
"""What stands for a name that only the user knows."""
WIDE = f"If each column is a rater, add {named('wide', of='read')}."
MOST_COLUMNS = 12
FEWEST_WIDE_COLUMNS = 3


class MissingColumnsError(ColumnError):
    """Columns are missing that others are likely matches of; the message names these by `option`."""

    def __init__(self, before: str, option: str, after: str) -> None:
        self.before, self.option, self.after = before, option, after
        super().__init__(f"{before}: add {option}.{after}")


def find_column(
    sheet: HasColumns, role: str, given: str | None = None, *, of: str = "read", option: str = ""
) -> str | None:
    """Name of the column that plays a role, or None if the sheet has none; one that the user names must be there.

    `of` is the function that takes the names of columns, `option` how the user names this one if not by its role.
    """
    wanted = role if given is None else given
    if wanted in sheet.columns:
        return wanted
    same = [column for column in sheet.columns if column.strip().lower() == wanted.strip().lower()]
    if len(same) == 1:
        return same[0]
    if given is None:
        return None
    how = option or typed_columns({role: UNKNOWN}, of)
    hint = likely(given, sheet.columns) or f" Name one of them with {how}."
    raise ColumnError(f"{sheet.name} has no column {given!r}. Columns found: {shown_columns(sheet)}.{hint}")


def columns_by_role(sheet: HasColumns, given: Mapping[str, str | None], *, of: str = "read") -> dict[str, str | None]:
    """Name of the column of each role, as `find_column` finds it; an error if one column would play two roles."""
    columns = {role: find_column(sheet, role, name, of=of) for role, name in given.items()}
    roles: dict[str, str] = {}
    for role, column in columns.items():
        if column is None:
            continue
        other = roles.setdefault(column, role)
        if other != role:
            unnamed = next((one for one in (other, role) if given[one] is None), role)
            raise ColumnError(
                f"{sheet.name}: the column {column!r} would be both the {other} and the {role}. Name another column "
                f"with {typed_columns({unnamed: UNKNOWN}, of)}, or rename the column."
            )
    return columns


def missing_columns(
    sheet: HasColumns, roles: Sequence[str], *, also: Sequence[str] = (), given: Mapping[str, str] | None = None,
    of: str = "read", otherwise: str = WIDE,
) -> ColumnError:  # fmt: skip
    """Error that names the missing columns, the columns found and the likely matches.

    Of what is missing and optional (`also`) only the likely match is named; `given` are columns by role that the user
    named already, and `otherwise` is said where no column looks like a label.
    """
    free = [column for column in sheet.columns if column not in (given or {}).values()]
    matches = {role: likely_match(free, role) for role in (*roles, *also)}
    known = {role: match for role, match in matches.items() if match is not None}
    names = " and no column ".join(repr(role) for role in roles)
    message = f"{sheet.name} has no column {names}. Columns found: {shown_columns(sheet)}."
    is_wide = "label" in roles and "label" not in known and len(sheet.columns) >= FEWEST_WIDE_COLUMNS
    more = f" {otherwise}" if is_wide else ""
    if known:
        wanted = {role: match or UNKNOWN for role, match in matches.items() if role in roles or match is not None}
        are = "match is" if len(known) == 1 else "matches are"
        before = f"{message} The likely {are} {joined(list(known.values()))}"
        return MissingColumnsError(before, typed_columns(wanted, of, given=given), more)
    options = typed_columns(dict.fromkeys(roles, UNKNOWN), of, given=given)
    return ColumnError(f"{message} Name {'it' if len(roles) == 1 else 'them'} with {options}.{more}")


def typed_columns(names: Mapping[str, str], of: str, *, given: Mapping[str, str] | None = None) -> str:
    """Columns by their roles, as options of a function: one for each, or one for all where it reads judges.

    >>> from dissensus.errors import spelled
    >>> spelled(typed_columns({"judge": "model", "label": "verdict"}, "import_"))
    "`judge='model'` of `import_` `label='verdict'` of `import_`"
    >>> spelled(typed_columns({"judge": "model"}, "read_judges", given={"item": "Comment ID"}))
    '`judge=` of `read_judges` judge=model,item="Comment ID"'
    """
    if of != "read_judges":
        return " ".join(named(role, of=of, value=column) for role, column in names.items())
    parts = {**names, **(given or {})}
    listing = ",".join(f"{role}={shell_word(column)}" for role, column in parts.items())
    return f"{named(next(iter(parts)), of=of)} {listing}"


def likely_match(columns: Sequence[str], role: str) -> str | None:
    """The column that is most likely meant by a role.

    >>> likely_match(["Annotator", "rating", "text_id"], "label")
    'rating'
    """
    by_name = _by_name(columns)
    close = difflib.get_close_matches(role, by_name, n=1, cutoff=0.7)
    return synonym_of(columns, role) or (by_name[close[0]] if close else None)


def synonym_of(columns: Sequence[str], role: str) -> str | None:
    """The column that has a name which other tools give to a role.

    >>> synonym_of(["Model Name", "labelled"], "judge"), synonym_of(["Model Name", "labelled"], "label")
    ('Model Name', None)
    """
    by_name = _by_name(columns)
    return next((by_name[synonym] for synonym in LIKELY.get(role, ()) if synonym in by_name), None)


def _by_name(columns: Sequence[str]) -> dict[str, str]:
    """The columns by their names in one spelling; of two equal ones the first."""
    return {column.strip().lower().replace(" ", "_").replace("-", "_"): column for column in reversed(columns)}


def shown_columns(sheet: HasColumns) -> str:
    """The columns of a sheet in one line."""
    columns = [column for column in sheet.columns if column != INDEX]
    more = len(columns) - MOST_COLUMNS
    shown = ", ".join(shortened(column) for column in columns[:MOST_COLUMNS])
    return f"{shown} and {more} more" if more > 0 else shown


def called(column: str) -> str:
    """A column in a sentence.

    >>> called("text_id"), called("column 1")
    ('column text_id', 'column 1, which has no name')
    """
    number_ = column.removeprefix("column ")
    return f"{column}, which has no name" if number_.isdigit() and number_ != column else f"column {column}"


# ---- Columns by pattern: `rater_*`, `[0-9]*`, or several with commas between

WILDCARDS = frozenset("*?[,")


def is_pattern(text: str | None, columns: Sequence[str]) -> bool:
    """Whether a name stands for several columns."""
    return text is not None and text not in columns and bool(WILDCARDS & set(text))


def like_pattern(columns: Sequence[str], pattern: str) -> list[str]:
    """The columns that a pattern names.

    >>> like_pattern(["id", "0", "1", "n-votes"], "[0-9]*")
    ['0', '1']
    """
    patterns = [pattern, *parts_of(pattern)]
    return [column for column in columns if any(column == p or fnmatchcase(column, p) for p in patterns)]


def matching(columns: Sequence[str], pattern: str, name: str, option: str) -> list[str]:
    """The columns that a pattern names; an error if it names none."""
    matches = like_pattern(columns, pattern)
    if not matches:
        hint = likely(pattern, columns)
        raise OptionError(f"{name} has no column like {pattern!r} for {option}: it has {listed(list(columns))}.{hint}")
    return matches


def varying(columns: Sequence[str]) -> list[str]:
    """What is left of names without the start and the end that they share.

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


# ---- Tables whose first row is no header

_NAMELESS = re.compile(r"column \d+|Unnamed: \d+|__index_level_\d+__")
"""What we, pandas and pyarrow call a column without a name: usually the row numbers of somebody's frame."""
_NUMBERED = re.compile(r" \(\d+\)$")
FIRST_NAMES = ("rater", "item", "label")


def is_nameless(column: str) -> bool:
    """Whether a column has no name of its own."""
    return _NAMELESS.fullmatch(column) is not None


def has_no_header(sheet: Sheet) -> bool:
    """Whether the first row is data: its cells are numbers or lists, or texts that come again further down."""
    data = 0
    for numbered, column in sheet.load(sheet.columns).columns.items():
        name = _NUMBERED.sub("", numbered)
        value = number(name)
        is_measured = value is not None and (value != int(value) or value < 0)
        data += name in column.texts or name.startswith("[") or is_measured
    return 2 * data >= max(len(sheet.columns) - 1, 2)


def header_error(sheet: Sheet) -> ColumnError:
    """What to do about a table without a header."""
    names = [*FIRST_NAMES, *(f"column{i}" for i in range(len(FIRST_NAMES) + 1, len(sheet.columns) + 1))]
    option = f"{named('columns', of='import_')} {','.join(names[: len(sheet.columns)])}"
    return ColumnError(
        f"{sheet.name} seems to have no header: its first row is {shown_columns(sheet)}. Name its columns in their "
        f"order, such as `dissensus import {shlex.quote(sheet.name)} {option} -o ratings.csv`."
    )
