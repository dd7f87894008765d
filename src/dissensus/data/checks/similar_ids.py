"""Items and raters whose ids are probably one: `12` and `12.0`, `Ann` and `ann `, an id with an unseen character."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.data.coding import TextColumn
from dissensus.errors import counted, listed

_WHOLE = re.compile(r"(\d+)\.0+")
_UNSEEN = frozenset("\ufeff\u200b\u200c\u200d\u2060\u00a0\u00ad")


def check(patient: Patient) -> Iterator[Finding]:
    """Ids that differ in case, blanks, unseen characters or `.0` only, and ids with unseen characters."""
    for role, column in (("item", patient.item), (patient.person, patient.who)):
        if column is not None:
            yield from _alike(patient, role, column)
            yield from _unseen(patient, role, column)


def plain_id(text: str) -> str:
    """An id without what nobody means by it: case, blanks, unseen characters, `.0`."""
    seen = "".join(c for c in unicodedata.normalize("NFKC", text) if c not in _UNSEEN)
    return _WHOLE.sub(r"\1", " ".join(seen.split()).casefold())


def _alike(patient: Patient, role: str, column: TextColumn) -> Iterator[Finding]:
    groups: dict[str, list[str]] = defaultdict(list)
    for text in column.texts:
        groups[plain_id(text)].append(text)
    several = [texts for texts in groups.values() if len(texts) > 1]
    if several:
        later = {text for texts in several for text in texts[1:]}
        shown = listed([" and ".join(map(repr, texts)) for texts in several])
        yield Finding(
            check="similar-ids",
            severity="warning",
            message=f"{counted(len(several), f'{role} id')} written in several ways, so read as several: {shown}.",
            count=len(several),
            rows=first_rows(_rows(patient, column, later)),
        )


def _unseen(patient: Patient, role: str, column: TextColumn) -> Iterator[Finding]:
    strange = [text for text in column.texts if _UNSEEN & set(text)]
    if strange:
        shown = [ascii(text) for text in strange]
        yield Finding(
            check="unseen-characters",
            severity="warning",
            message=f"{counted(len(strange), f'{role} id')} with characters that nobody sees: {listed(shown)}.",
            count=len(strange),
            rows=first_rows(_rows(patient, column, set(strange))),
        )


def _rows(patient: Patient, column: TextColumn, texts: set[str]) -> list[int]:
    wanted = np.array([*(text in texts for text in column.texts), False])
    return [int(row) for row in patient.row[wanted[column.codes]]]
