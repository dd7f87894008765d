"""The options that mend something, as they are typed in a shell, whatever stands in the data."""

import csv
import glob
import io
import shlex
from collections.abc import Iterable, Mapping

from dissensus.errors import SHOWN

_UNSAFE = frozenset('"$`\\!')


def typed(option: str, text: str) -> str:
    """An option and its value, which is quoted unless it is a plain word.

    Examples
    --------
    >>> typed("--drop", "is_gold=true"), typed("--map", "n/a="), typed("--drop", "rater=$(rm x)")
    ('--drop is_gold=true', '--map "n/a="', "--drop 'rater=$(rm x)'")
    """
    if text.replace("=", "").replace("_", "").isalnum():
        return f"{option} {text}"
    return f"{option} {shlex.quote(text)}" if _UNSAFE & set(text) else f'{option} "{text}"'


def listing(parts: Iterable[str]) -> str:
    """Parts as an option takes them: with commas between, and in double quotes where a part has one.

    Examples
    --------
    >>> listing(["a", "yes, but"])
    'a,"yes, but"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(parts)
    return line.getvalue()


def renaming(names: Mapping[str, str]) -> str:
    """The option that gives labels other names, empty ones meaning missing; none if it cannot say so.

    Examples
    --------
    >>> renaming({"NO": "No", "n/a": ""}), renaming({"a=b": ""})
    ('--map "NO=No,n/a="', '')
    """
    if any("=" in old for old in names):
        return ""
    return typed("--map", listing(f"{old}={new}" for old, new in names.items()))


def dropping(column: str, patterns: Iterable[str]) -> str:
    """The options that leave out the rows whose column is like one of the first of these patterns."""
    return " ".join(typed("--drop", f"{column}={pattern}") for pattern in list(patterns)[:SHOWN])


def literally(text: str) -> str:
    """A text as a pattern of itself.

    Examples
    --------
    >>> literally("a*")
    'a[*]'
    """
    return glob.escape(text)
