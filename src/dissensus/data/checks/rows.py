"""Checks of rows and ids: attention checks, blank and repeated rows, items rated once, ids written otherwise."""

import codecs
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from glob import escape

import numpy as np

from dissensus.data.checks.table import Finding, Severity, Table
from dissensus.data.coding import TextColumn, joint_key, stack
from dissensus.data.fixes import UNSEEN, dropping, seen
from dissensus.errors import counted, listed, named, shortened

# ---- Ids that are probably one, and those of judges that people's file writes otherwise or lacks

_WHOLE = re.compile(r"(\d+)\.0+")
FEW = 0.5  # a judge that answered a smaller share of the rated items gets a warning


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


_SURE = (
    r"((attention|attn|catch|gold(en)?|trap|quality|sanity|instructional|manipulation)[ _-]?"
    r"(check|trial|item|question|test)|honeypot)s?"
)
"""What says by itself that a row is a check; a text may have `gold`, `catch` or `quality` in it and be an item."""
_WORD = r"(attention|attn|catch|gold(en)?|trap)"
_ITEM = re.compile(rf"(?<![A-Za-z])({_SURE})(?![A-Za-z])", re.IGNORECASE)
_NUMBERED = re.compile(rf"(?P<start>{_WORD}[ _-]?)\d*", re.IGNORECASE)  # a word that is the whole id, but for a number
_COLUMN = re.compile(rf"_?is[ _-]?{_WORD}|_golden|_?(is[ _-]?)?{_SURE}", re.IGNORECASE)
"""A column called `gold` usually holds the true label, so that alone says nothing."""
TRUE = frozenset({"1", "1.0", "true", "yes", "y", "t"})
FALSE = frozenset({"0", "0.0", "false", "no", "n", "f"})


def attention_checks(table: Table) -> Iterator[Finding]:
    """Rows that test whether raters pay attention: items that are called so, and columns that mark such rows."""
    items = {text: pattern for text in table.item.texts if (pattern := _pattern(text)) is not None}
    if items and 2 * len(items) < len(table.item.texts):
        yield _attention(
            f"{counted(len(items), 'item')} may be attention checks, not real items: {listed(list(items))}.",
            table.rows_of(table.item, items.__contains__),
            dropping("item", dict.fromkeys(items.values())),
        )
    for column in () if table.sheet is None else table.sheet.columns:
        if table.sheet is None or not _COLUMN.fullmatch(column.strip()):
            continue
        cells = table.sheet.load([column])
        texts = cells.columns[column].texts
        marks = [text for text in texts if text.strip().lower() in TRUE]
        if marks and all(text.strip().lower() in TRUE | FALSE for text in texts):
            rows = cells.row[cells.columns[column].having(marks.__contains__)].tolist()
            yield _attention(
                f"The column {column} marks {counted(len(rows), 'row')} that may be attention checks, not real items.",
                rows,
                dropping(column, map(escape, marks)),
            )


def _pattern(item: str) -> str | None:
    """A pattern of the names of items that check the same; None if this is an item like any other.

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


def _attention(message: str, rows: list[int], option: str) -> Finding:
    return Finding(
        check="attention-checks", severity="warning", message=message, count=len(rows), rows=tuple(rows), option=option
    )


def blank_rows(table: Table) -> Iterator[Finding]:
    """Rows without anything in them, answers without a label, and what the format left out."""
    bare = table.answer.codes < 0
    blank = tuple(table.row[bare & (table.item.codes < 0)].tolist())
    count = table.blank_rows + len(blank)
    if count:
        message = f"{counted(count, 'blank row')}, left out by every command."
        yield Finding(check="blank-rows", severity="note", message=message, count=count, rows=blank)
    missing = tuple(table.row[bare & (table.item.codes >= 0)].tolist())
    if missing:
        message = f"{counted(len(missing), 'answer')} without a label, left out by every command."
        yield Finding(check="missing-labels", severity="note", message=message, count=len(missing), rows=missing)
    for some in table.left_out:
        message = replace(some, can_be_kept=False).sentence()
        yield Finding(check="left-out", severity="note", message=message, count=some.count, option=some.option)


def encoding(table: Table) -> Iterator[Finding]:
    """A byte order mark at the start, which other programs take for a part of the first id or name."""
    if table.file is None or table.file.kind not in {"csv", "tsv", "json", "jsonl"}:
        return
    with table.file.bytes() as stream:
        head = stream.read(len(codecs.BOM_UTF8))
    if head == codecs.BOM_UTF8:
        message = "The file starts with a byte order mark. We read it as it is meant; other programs may not."
        yield Finding(check="encoding", severity="note", message=message)


def repeated_ratings(table: Table) -> Iterator[Finding]:
    """Answers of one rater about one item that come again, and how many of them say something else."""
    is_sampled = table.holds == "judges" and not table.repeat
    if table.who is None or is_sampled or table.times is not None:
        return
    given = np.flatnonzero((table.answer.codes >= 0) & (table.item.codes >= 0) & (table.who.codes >= 0))
    columns = [column.take(given) for column in (table.item, table.who, *table.repeat)]
    _, first, group = np.unique(joint_key(columns), return_index=True, return_inverse=True)
    later = np.flatnonzero(first[group] != np.arange(len(given)))
    if not later.size:
        return
    labels = table.answer.codes[given]
    conflicting = later[labels[later] != labels[first[group[later]]]]
    others = f"{conflicting.size:,} with another label" if conflicting.size else "all with the same label"
    yield Finding(
        check="repeated-ratings",
        severity="error" if table.plan.repeats == "error" else "note",
        message=f"{counted(later.size, 'answer')} by a {table.person} about an item that the {table.person} had "
        f"answered before: {others}.",
        count=int(later.size),
        rows=tuple(table.row[given[conflicting if conflicting.size else later]].tolist()),
        option=f"{named('repeats', of='import_')} {'last' if conflicting.size else 'first'}",
    )


def single_ratings(table: Table) -> Iterator[Finding]:
    """Items that only one person rated: they say nothing about agreement; of judges, in the ratings beside them."""
    rows = table.holds == "ratings"
    if not rows:
        if table.people is None:
            return
        table = table.people
    known = table.item.codes >= 0
    count = np.bincount(table.item.codes[known], weights=table.weight[known], minlength=len(table.item.texts))
    rated = int(np.sum(count > 0))
    single = np.flatnonzero(count == 1)
    if single.size:
        yield Finding(
            check="single-ratings",
            severity="warning" if 2 * single.size >= rated else "note",
            message=f"{single.size:,} of {counted(rated, 'item')} {'has' if single.size == 1 else 'have'} one rating "
            "only, which says nothing about agreement: get a second one of some.",
            count=int(single.size),
            rows=tuple(table.row[np.isin(table.item.codes, single) & (table.weight > 0)].tolist()) if rows else (),
        )


CHECKS = (
    attention_checks, blank_rows, encoding, ids_apart, repeated_ratings, shared_items, similar_ids, single_ratings,
)  # fmt: skip
