"""Rows that test whether raters pay attention, and are no items."""

import re
from collections.abc import Iterator

import numpy as np

from dissensus.errors import counted, listed
from dissensus.ratings.checkup.finding import Finding, first_rows
from dissensus.ratings.checkup.patient import Patient

CHECK = "attention-checks"
_WORD = "attention|attn|catch|gold|honeypot|trap|quality|sanity|instructional"
_ITEM = re.compile(rf"(?<![A-Za-z])({_WORD})[ _-]?(check|trial|item|question|test)?s?(?![A-Za-z])", re.IGNORECASE)
_COLUMN = re.compile(rf"(is[ _-]?)?({_WORD})([ _-]?(check|trial|item|question|test))?s?", re.IGNORECASE)
TRUE = frozenset({"1", "1.0", "true", "yes", "y", "t"})
FALSE = frozenset({"0", "0.0", "false", "no", "n", "f"})


def check(patient: Patient) -> Iterator[Finding]:
    """Items that are called so, and columns that mark such rows."""
    items = [text for text in patient.item.texts if _ITEM.search(text)]
    if items and 2 * len(items) < len(patient.item.texts):
        wanted = np.array([*(text in set(items) for text in patient.item.texts), False])
        rows = patient.row[wanted[patient.item.codes]].tolist()
        yield Finding(
            check=CHECK,
            severity="warning",
            message=f"{counted(len(items), 'item')} may be attention checks and no items: {listed(items)}.",
            count=len(rows),
            rows=first_rows(rows),
            option=f"--drop {_quoted('item', _pattern(items))}",
        )
    yield from _marked(patient)


def _pattern(items: list[str]) -> str:
    """A pattern of the items' names: the word that they share."""
    match = _ITEM.search(items[0])
    word = match[0] if match is not None else items[0]
    return f"*{word}*" if all(word in item for item in items) else items[0]


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
            option=f"--drop {_quoted(column, marks[0])}",
        )


def _quoted(column: str, pattern: str) -> str:
    text = f"{column}={pattern}"
    return text if text.replace("=", "").replace("_", "").isalnum() else f'"{text}"'
