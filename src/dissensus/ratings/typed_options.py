"""What is typed as one option and means several things: labels, other names for labels, rows to leave out."""

import csv
from collections.abc import Mapping

from dissensus.errors import OptionError


def parts_of(text: str) -> list[str]:
    """The parts between commas; a part with a comma stands in double quotes.

    Examples
    --------
    >>> parts_of('a, "b, c"')
    ['a', 'b, c']
    """
    try:
        return [part.strip() for part in next(csv.reader([text], skipinitialspace=True), [])]
    except csv.Error as error:  # a line break, for instance
        raise OptionError(f"{text!r} is no list: write it on one line, as a,b,c.") from error


def split_labels(text: str, *, option: str = "--labels") -> list[str]:
    """Labels, or other names, from `a,b,c`.

    Examples
    --------
    >>> split_labels('no,"yes, but"')
    ['no', 'yes, but']
    """
    labels = parts_of(text)
    if not labels or not all(labels):
        raise OptionError(f"{option} {text!r} has an empty label: write them as a,b,c.")
    return labels


def renamed_labels(text: str) -> dict[str, str]:
    """Other names for labels from `NO=No,n/a=`; an empty one means missing.

    Examples
    --------
    >>> renamed_labels("NO=No,n/a=")
    {'NO': 'No', 'n/a': ''}
    """
    names = {}
    for part in parts_of(text):
        old, equals, new = part.partition("=")
        if not equals or not old.strip():
            raise OptionError(f"--map has {part!r}: write OLD=NEW, and OLD= for a label that means missing.")
        names[old.strip()] = new.strip()
    return names


def pattern_of(text: str) -> tuple[str, str]:
    """A column and a pattern from `item=check_*`.

    Examples
    --------
    >>> pattern_of("item=check_*")
    ('item', 'check_*')
    """
    column, equals, pattern = text.partition("=")
    if not equals or not column.strip() or not pattern.strip():
        raise OptionError(f"--drop cannot be {text!r}: write COLUMN=PATTERN, such as item=check_*.")
    return column.strip(), pattern.strip()


def renamed_again(first: Mapping[str, str], then: Mapping[str, str]) -> dict[str, str]:
    """One renaming that does what two do, one after the other.

    Examples
    --------
    >>> renamed_again({"NO": "No"}, {"No": "no", "n/a": ""})
    {'NO': 'no', 'No': 'no', 'n/a': ''}
    """
    known = {old: then.get(new, new) for old, new in first.items()}
    return known | {old: new for old, new in then.items() if old not in first}
