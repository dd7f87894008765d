"""Columns of text, coded: the shape in which every source hands over its data."""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import le
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Flags
from dissensus.sizes import check_size

MISSING = -1
LARGEST_KEY = 2**62


@dataclass(frozen=True, slots=True)
class TextColumn:
    """One column of text."""

    codes: Codes  # for each row the position of its text, or -1 where the cell is empty
    texts: tuple[str, ...]  # the distinct texts of the whole column; after `take` some may not be used
    order: tuple[str, ...] = ()  # every text that may come, in order, where the column is of an ordered type

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code == MISSING else self.texts[code]

    def take(self, rows: Codes) -> "TextColumn":
        """The column at these rows."""
        return TextColumn(self.codes[rows], self.texts, self.order)

    def having(self, is_wanted: Callable[[str], bool]) -> Flags:
        """Which rows have a text that is wanted; an empty cell has none."""
        return np.array([*map(is_wanted, self.texts), False], dtype=np.bool_)[self.codes]

    def by_text(self) -> "TextColumn":
        """The column with its texts in alphabetical order, as duckdb codes it."""
        order = sorted(range(len(self.texts)), key=self.texts.__getitem__)
        place = {code: i for i, code in enumerate(order)}
        new = lookup(place[code] for code in range(len(order)))
        return TextColumn(new[self.codes], tuple(self.texts[code] for code in order), self.order)

    def compacted(self) -> "TextColumn":
        """The column with the texts that it still uses."""
        used = np.unique(self.codes[self.codes >= 0]).tolist()
        place = {code: i for i, code in enumerate(used)}
        new = lookup(place.get(code, MISSING) for code in range(len(self.texts)))
        return TextColumn(new[self.codes], tuple(self.texts[code] for code in used), self.order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Some columns of a sheet, and where their rows stand in it."""

    row: Codes  # its number as a spreadsheet counts: the header is row 1, a blank row counts
    columns: Mapping[str, TextColumn]
    blank_rows: int = 0  # how many had nothing in them and are not here

    def at(self, rows: Codes) -> "Cells":
        """The cells of these rows."""
        columns = {name: column.take(rows).compacted() for name, column in self.columns.items()}
        return replace(self, row=self.row[rows], columns=columns)

    def column(self, name: str | None) -> TextColumn | None:
        """A column, or None if it has no name because the sheet does not have it."""
        return None if name is None else self.columns[name]


class HasColumns(Protocol):
    """A table, as far as the names of its columns go."""

    @property
    def name(self) -> str:
        """What to call it in messages."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""


class ColumnNames(NamedTuple):
    """A table of which nothing but the names of its columns is here."""

    name: str
    columns: tuple[str, ...]


class Sheet(ABC):
    """A file or a frame as named columns of text; nothing in it is interpreted yet.

    `name` is for messages; `notes` are what the user should know about how it was read.
    """

    delimiter = ""  # what stands between its cells; empty if nobody knows

    def __init__(self, name: str, columns: Sequence[str], *, notes: tuple[str, ...] = ()) -> None:
        self.name, self.columns, self.notes = name, tuple(columns), notes
        self._last: tuple[tuple[str, ...], Cells] | None = None

    def load(self, columns: Iterable[str]) -> Cells:
        """These columns; asking for the same ones again costs nothing."""
        wanted = tuple(dict.fromkeys(columns))
        if self._last is None or self._last[0] != wanted:
            self._last = (wanted, self._read(wanted))
            check_rows(len(self._last[1].row), self.name)
        return self._last[1]

    @abstractmethod
    def _read(self, columns: tuple[str, ...]) -> Cells:
        """Read these columns from the source, all in one go."""


def check_rows(found: int, name: str) -> None:
    """Raise if a table has more rows than we read into memory."""
    advice = "Have it reduced while it is read, as is done with large files."
    check_size("rows", found, f"{name} has {found:,} rows", advice)


class ColumnsSheet(Sheet):
    """A sheet that is in memory already."""

    def __init__(self, name: str, row: Sequence[int], columns: Mapping[str, TextColumn]) -> None:
        super().__init__(name, tuple(columns))
        self._row, self._columns = np.array(row, dtype=np.intp), columns

    def _read(self, columns: tuple[str, ...]) -> Cells:
        return Cells(row=self._row, columns={column: self._columns[column] for column in columns})


class TextCoder:
    """Codes texts one after the other, in the order of their first appearance; a blank text is missing."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._codes = array("q")

    def add(self, text: str | None) -> None:
        """Add the text of the next row."""
        if text is None or not text or text.isspace():
            self._codes.append(MISSING)
        else:
            self._codes.append(self._known.setdefault(text, len(self._known)))

    def column(self) -> TextColumn:
        """All texts so far."""
        return TextColumn(np.array(self._codes, dtype=np.intp), tuple(self._known))


def code_texts(texts: Iterable[str | None]) -> TextColumn:
    """Texts as a column, coded in the order of their first appearance.

    >>> code_texts(["b", None, "a", "b", " "])
    TextColumn(codes=array([ 0, -1,  1,  0, -1]), texts=('b', 'a'), order=())
    """
    coder = TextCoder()
    for text in texts:
        coder.add(text)
    return coder.column()


def stack(columns: Sequence[TextColumn]) -> TextColumn:
    """Columns below each other, as one.

    >>> stack([TextColumn(np.array([0, -1]), ("a",)), TextColumn(np.array([1, 0]), ("a", "b"))])
    TextColumn(codes=array([ 0, -1,  1,  0]), texts=('a', 'b'), order=())
    """
    known: dict[str, int] = {}
    parts = []
    for column in columns:
        codes = [known.setdefault(text, len(known)) for text in column.texts]
        parts.append(lookup(codes)[column.codes])
    orders = {column.order for column in columns}
    return TextColumn(
        np.concatenate(parts) if parts else np.empty(0, np.intp), tuple(known), orders.pop() if len(orders) == 1 else ()
    )


def lookup(codes: Iterable[int]) -> Codes:
    """New codes by old code; the one more at the end serves code -1, so that a missing cell stays missing."""
    return np.array([*codes, MISSING], dtype=np.intp)


def compact(codes: Codes, texts: Sequence[str], *, by_name: bool = True) -> tuple[Codes, tuple[str, ...]]:
    """Codes into the texts that are used at all, sorted or in the order in which they are.

    >>> compact(np.array([2, 0, 2]), ["b", "unused", "a"])
    (array([0, 1, 0]), ('a', 'b'))
    >>> compact(np.array([2, 0, 2]), ["b", "unused", "a"], by_name=False)
    (array([1, 0, 1]), ('b', 'a'))
    """
    used = np.flatnonzero(np.bincount(codes, minlength=len(texts))).tolist()
    if len(used) == len(texts) and (not by_name or all(map(le, texts, islice(texts, 1, None)))):
        return codes, tuple(texts)
    ordered = sorted(used, key=texts.__getitem__) if by_name else used
    new_code = np.empty(len(texts), dtype=np.intp)
    new_code[ordered] = np.arange(len(ordered))
    return new_code[codes], tuple(texts[code] for code in ordered)


def joint_key(columns: Iterable[TextColumn]) -> npt.NDArray[np.int64]:
    """One number per row that is the same for two rows exactly if all of the columns are.

    >>> joint_key([TextColumn(np.array([0, 1, 0]), ("a", "b")), TextColumn(np.array([-1, 0, -1]), ("c",))])
    array([2, 5, 2])
    """
    key = np.zeros(1, dtype=np.int64)
    span = 1  # every key is smaller than this
    for column in columns:
        size = len(column.texts) + 1
        if span * size > LARGEST_KEY:
            used, key = np.unique(key, return_inverse=True)
            span = len(used)
        key = key * size + (column.codes + 1)
        span *= size
    return key


def rows_among(items: Sequence[str], among: Sequence[str]) -> Codes:
    """The row of each item among others; -1 where it is not there.

    >>> rows_among(["b", "x"], ["a", "b"])
    array([ 1, -1])
    """
    if items == among:
        return np.arange(len(items))
    row_of = {item: row for row, item in enumerate(among)}
    return np.array([row_of.get(item, -1) for item in items], dtype=np.intp)


def position_in_item(item: Codes) -> Codes:
    """The how-manieth of its item each row is, from 0; rows of an item stand together.

    >>> position_in_item(np.array([0, 0, 2, 2, 2]))
    array([0, 1, 0, 1, 2])
    """
    starts = np.flatnonzero(np.r_[True, item[1:] != item[:-1]]) if len(item) else np.empty(0, dtype=np.intp)
    return np.arange(len(item)) - np.repeat(starts, np.diff(np.r_[starts, len(item)]))
