"""Columns of text, coded: the shape in which every source hands over its data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.intp]

MISSING = -1


@dataclass(frozen=True, slots=True)
class TextColumn:
    """One column of text.

    Attributes
    ----------
    codes : ndarray of shape (n_rows,)
        For each row the position of its text in `texts`, or -1 where the cell is empty.
    texts : tuple of str
        The distinct texts.
    """

    codes: Codes
    texts: tuple[str, ...]

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code == MISSING else self.texts[code]

    def take(self, rows: Codes) -> "TextColumn":
        """The column at these rows."""
        return TextColumn(self.codes[rows], self.texts)


class Sheet(Protocol):
    """A file or a frame as named columns of text; nothing in it is interpreted yet."""

    @property
    def name(self) -> str:
        """What to call it in messages, such as ratings.csv."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, as they stand there."""

    @property
    def first_row(self) -> int:
        """Number of the first row of data as a person counts: 2 below a header."""

    def load(self, columns: Sequence[str]) -> dict[str, TextColumn]:
        """These columns, coded."""


def code_texts(texts: Iterable[str | None]) -> TextColumn:
    """Code texts in the order of their first appearance.

    Examples
    --------
    >>> code_texts(["b", None, "a", "b"])
    TextColumn(codes=array([ 0, -1,  1,  0]), texts=('b', 'a'))
    """
    known: dict[str, int] = {}
    codes = [MISSING if text is None else known.setdefault(text, len(known)) for text in texts]
    return TextColumn(np.array(codes, dtype=np.intp), tuple(known))


def stack(columns: Sequence[TextColumn]) -> TextColumn:
    """Columns below each other, as one."""
    known: dict[str, int] = {}
    parts = []
    for column in columns:
        # The last entry serves code -1: a missing cell stays missing.
        lookup = [known.setdefault(text, len(known)) for text in column.texts]
        parts.append(np.array([*lookup, MISSING], dtype=np.intp)[column.codes])
    return TextColumn(np.concatenate(parts) if parts else np.empty(0, np.intp), tuple(known))


def compact(codes: Codes, texts: Sequence[str]) -> tuple[Codes, tuple[str, ...]]:
    """Codes into the sorted texts that are used at all.

    Examples
    --------
    >>> compact(np.array([2, 0, 2]), ["b", "unused", "a"])
    (array([0, 1, 0]), ('a', 'b'))
    """
    used = np.flatnonzero(np.bincount(codes, minlength=len(texts)))
    ordered = sorted(used.tolist(), key=texts.__getitem__)
    new_code = np.empty(len(texts), dtype=np.intp)
    new_code[ordered] = np.arange(len(ordered))
    return new_code[codes], tuple(texts[code] for code in ordered)
