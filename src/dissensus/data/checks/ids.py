"""Checks of ids: those that are probably one, those of judges that people's file writes otherwise or lacks."""

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from dissensus.data.checks.table import Finding, Severity, Table
from dissensus.data.coding import TextColumn, stack
from dissensus.data.fixes import UNSEEN, seen
from dissensus.errors import counted, listed, shortened

_WHOLE = re.compile(r"(\d+)\.0+")
FEW = 0.5
"""A judge that answered a smaller share of the rated items gets a warning."""


def plain_id(text: str) -> str:
    """An id without what nobody means by it: case, blanks, unseen characters, `.0`."""
    return _WHOLE.sub(r"\1", " ".join(seen(text).split()).casefold())


def similar_ids(table: Table) -> Iterator[Finding]:
    """Ids that differ in case, blanks, unseen characters or `.0` only, and ids with unseen characters."""
    for role, column in (("item", table.item), (table.person, table.who)):
        if column is None:
            continue
        groups: dict[str, list[str]] = defaultdict(list)
        for text in column.texts:
            groups[plain_id(text)].append(text)
        several = [texts for texts in groups.values() if len(texts) > 1]
        if several:
            shown = listed([" and ".join(map(repr, texts)) for texts in several])
            message = f"{counted(len(several), f'{role} id')} written in several ways, so read as several: {shown}."
            later = {text for texts in several for text in texts[1:]}
            yield _about_ids("similar-ids", message, len(several), table, column, later)
        strange = {text: ascii(text) for text in column.texts if UNSEEN & set(text)}
        if strange:
            ids = counted(len(strange), f"{role} id")
            message = f"{ids} with characters that nobody sees: {listed(list(strange.values()))}."
            yield _about_ids("unseen-characters", message, len(strange), table, column, set(strange))


def ids_apart(table: Table) -> Iterator[Finding]:
    """Items of judges that people rated under another spelling: `c7` for `C7`, `12.0` for `12`, `7` for `007`."""
    rated = set() if table.people is None else set(table.people.item.texts)
    known = {_number(text): text for text in sorted(rated)}
    apart = {text: known[_number(text)] for text in table.item.texts if text not in rated and _number(text) in known}
    if apart:
        shown = listed([f"{mine!r} is rated as {theirs!r}" for mine, theirs in apart.items()])
        message = (
            f"{counted(len(apart), 'item id')} may be of rated items, spelt differently: {shown}. Write them "
            "the same in both files."
        )
        yield _about_ids("ids-apart", message, len(apart), table, table.item, set(apart))


def _number(text: str) -> str:
    """An id without the zeros before a number."""
    plain = plain_id(text)
    return plain.lstrip("0") or "0" if plain.isdigit() else plain


def _about_ids(check: str, message: str, count: int, table: Table, column: TextColumn, texts: set[str]) -> Finding:
    rows = tuple(table.rows_of(column, texts.__contains__))
    return Finding(check=check, severity="warning", message=message, count=count, rows=rows)


def shared_items(table: Table) -> Iterator[Finding]:
    """Judges that answered none of the items that people rated, or few of them."""
    people = table.people
    if people is None:
        return
    item = stack([table.item, people.item])
    n = len(table.row)
    is_rated = np.zeros(len(item.texts) + 1, dtype=np.bool_)
    is_rated[item.codes[n:][people.weight > 0]] = True
    is_rated[-1] = False
    rated, who = int(is_rated.sum()), table.persons
    given = np.flatnonzero((table.answer.codes >= 0) & (who.codes >= 0) & is_rated[item.codes[:n]])
    pair = np.unique(who.codes[given] * len(item.texts) + item.codes[:n][given])
    shared = np.bincount(pair // max(1, len(item.texts)), minlength=len(who.texts)).tolist()
    answered = {name: count for name, count in zip(who.texts, shared, strict=True) if count < FEW * rated}
    silent = [shortened(name) for name, count in answered.items() if not count]
    few = [f"{shortened(name)} ({count:,})" for name, count in answered.items() if count]
    cases: tuple[tuple[Severity, list[str], str, str], ...] = (
        ("error", silent, "none", " Check that both files have the same ids in their item columns."),
        ("warning", few, "less than half", ""),
    )
    for severity, names, part, remedy in cases:
        if names:
            message = (
                f"{counted(len(names), 'judge')} answered {part} of the {counted(rated, 'rated item')}: "
                f"{listed(names)}.{remedy}"
            )
            yield Finding(check="shared-items", severity=severity, message=message, count=len(names))


CHECKS = (similar_ids, ids_apart, shared_items)
