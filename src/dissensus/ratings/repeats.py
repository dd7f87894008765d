"""Ratings that come twice: refuse them, or keep one of each."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from dissensus.errors import SHOWN, RepeatedRatingsError
from dissensus.ratings.coding import Codes, TextColumn, joint_key
from dissensus.ratings.formats.plan import Repeats

LARGEST_SCATTER = 1 << 26
"""Bytes that we spend to find repeats without sorting."""


def drop_repeats(
    columns: Mapping[str, TextColumn | None], kept: Codes, *, repeats: Repeats, row: Codes, name: str
) -> tuple[Codes, int]:
    """The rows without repeated keys, and how many were dropped.

    Parameters
    ----------
    columns : mapping of str to TextColumn
        What makes the key; a column that is None does not count.
    kept : ndarray of shape (n_kept,)
        Positions of the rows to look at, in order.
    repeats : {"error", "first", "last", "keep"}
        Which of the repeated rows to keep.
    row : ndarray of shape (n_rows,)
        Row numbers as a spreadsheet counts, for the message.
    name : str
        What to call the file in the message.
    """
    if repeats == "keep":
        return kept, 0
    present = {role: column.take(kept) for role, column in columns.items() if column is not None}
    key = joint_key(present.values())
    if are_distinct(key):
        return kept, 0
    if repeats == "last":
        kept, key = kept[::-1], key[::-1]
    first = np.unique(key, return_index=True)[1]
    dropped = len(key) - len(first)
    if repeats == "error":
        later = np.setdiff1d(np.arange(len(key)), first)[:SHOWN]
        shown = [f"{_named(present, position)} (row {row[kept[position]]})" for position in later.tolist()]
        raise RepeatedRatingsError(shown, total=dropped, source=name, key=list(present))
    return np.sort(kept[first]), dropped


def are_distinct(key: npt.NDArray[np.int64]) -> bool:
    """Whether no key occurs twice; by scattering where the keys are small, because that is faster than sorting.

    Examples
    --------
    >>> are_distinct(np.array([3, 1, 2])), are_distinct(np.array([3, 1, 3]))
    (True, False)
    """
    if key.size and key.max() < LARGEST_SCATTER:
        seen = np.zeros(int(key.max()) + 1, dtype=np.bool_)
        seen[key] = True
        return int(np.count_nonzero(seen)) == key.size
    # Not np.unique, which hashes integers: that takes ten times as long for millions of distinct keys.
    ordered = np.sort(key)
    return not bool(np.any(ordered[1:] == ordered[:-1]))


def _named(columns: Mapping[str, TextColumn], position: int) -> str:
    """What makes the key of a row, in words."""
    parts = [(role, column[position]) for role, column in columns.items()]
    return " ".join(f"{role} {text}" for role, text in parts if text is not None)
