"""Columns by pattern: `rater_*`, `[0-9]*`, or several with commas between."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from dissensus.errors import OptionError, listed

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
