"""Rows that test whether raters pay attention, and are no items."""

import re
from collections.abc import Iterator

import numpy as np

from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.data.fixes import dropping, literally
from dissensus.errors import counted, listed

CHECK = "attention-checks"
_SURE = (
    r"((attention|attn|catch|gold(en)?|trap|quality|sanity|instructional|manipulation)[ _-]?"
    r"(check|trial|item|question|test)|honeypot)s?"
)
"""What says by itself that a row is a check; a text may have `gold`, `catch` or `quality` in it and be an item."""
_WORD = r"(attention|attn|catch|gold(en)?|trap)"
_ITEM = re.compile(rf"(?<![A-Za-z])({_SURE})(?![A-Za-z])", re.IGNORECASE)
_NUMBERED = re.compile(rf"(?P<start>{_WORD}[ _-]?)\d*", re.IGNORECASE)
"""A word that is the whole id, but for a number."""
_COLUMN = re.compile(rf"_?is[ _-]?{_WORD}|_golden|_?(is[ _-]?)?{_SURE}", re.IGNORECASE)
"""A column called `gold` usually holds the true label, so that alone says nothing."""
TRUE = frozenset({"1", "1.0", "true", "yes", "y", "t"})
FALSE = frozenset({"0", "0.0", "false", "no", "n", "f"})


def check(patient: Patient) -> Iterator[Finding]:
    """Items that are called so, and columns that mark such rows."""
    items = {text: pattern for text in patient.item.texts if (pattern := _pattern(text)) is not None}
    if items and 2 * len(items) < len(patient.item.texts):
        wanted = np.array([*(text in items for text in patient.item.texts), False])
        rows = patient.row[wanted[patient.item.codes]].tolist()
        yield Finding(
            check=CHECK,
            severity="warning",
            message=f"{counted(len(items), 'item')} may be attention checks and no items: {listed(list(items))}.",
            count=len(rows),
            rows=first_rows(rows),
            option=dropping("item", dict.fromkeys(items.values())),
        )
    yield from _marked(patient)


def _pattern(item: str) -> str | None:
    """A pattern of the names of items that check the same; None if this is an item like any other.

    Examples
    --------
    >>> _pattern("attention_check_1"), _pattern("gold-17"), _pattern("I catch the bus"), _pattern("goldfish")
    ('*attention_check*', 'gold-[0-9]*', None, None)
    """
    match = _ITEM.search(item)
    if match is not None:
        return f"*{match[0]}*"
    numbered = _NUMBERED.fullmatch(item)
    if numbered is None:
        return None
    return f"{numbered['start']}[0-9]*" if item != numbered["start"] else item


def _marked(patient: Patient) -> Iterator[Finding]:
    if patient.sheet is None:
        return
    for column in patient.sheet.columns:
        if not _COLUMN.fullmatch(column.strip()):
            continue
        cells = patient.sheet.load([column])
        texts = cells.columns[column].texts
        marks = [text for text in texts if text.strip().lower() in TRUE]
        if not marks or not all(text.strip().lower() in TRUE | FALSE for text in texts):
            continue
        wanted = np.array([*(text in marks for text in texts), False])
        rows = cells.row[wanted[cells.columns[column].codes]].tolist()
        yield Finding(
            check=CHECK,
            severity="warning",
            message=f"The column {column} marks {counted(len(rows), 'row')} that may be attention checks and no items.",
            count=len(rows),
            rows=first_rows(rows),
            option=dropping(column, map(literally, marks)),
        )
