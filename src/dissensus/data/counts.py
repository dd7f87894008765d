"""How often each item got each label, and the histogram of these count vectors.

Items with the same counts are the same item to every method that does not ask who rated it. So a data set collapses
to its distinct count vectors, its *types*, and how many items have each: the cost of a method follows the number of
types, not of ratings. Counts are kept sparse, because a continuous scale has as many labels as values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.errors import RatingsError

Number = TypeVar("Number", np.intp, np.float64)

DENSE_ROOM = 4
"""Counting into a table of all items and labels is worth it up to this many times the number of ratings."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountTypes:
    """The histogram of count vectors, in an order that does not depend on the order of items, raters or rows."""

    start: Codes  # (n_types + 1,): cells `start[t]` to `start[t + 1]` belong to type t
    # `label`, `count`: (n_cells,): a label and how often it was given (at least once); the labels of a type ascend.
    label: Codes
    count: Codes
    items: Codes  # (n_types,): how many items have this type
    n_labels: int  # how many labels there are; some may never have been given

    @property
    def n_types(self) -> int:
        """How many distinct count vectors there are."""
        return len(self.items)

    @property
    def type_of_cell(self) -> Codes:
        """To which type each cell belongs."""
        return np.repeat(np.arange(self.n_types), np.diff(self.start))

    @property
    def ratings(self) -> Codes:
        """How many ratings an item of each type has."""
        return sum_cells(self, self.count)

    def dense(self) -> Codes:
        """The count vectors as a matrix of shape (n_types, n_labels)."""
        matrix = np.zeros((self.n_types, self.n_labels), dtype=np.intp)
        matrix[self.type_of_cell, self.label] = self.count
        return matrix


def sum_cells(types: CountTypes, values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Sum of a value per cell over the cells of each type; no type is empty.

    `types`: which cells belong to which type. `values` (n_cells,): what to sum. Returns shape (n_types,).
    """
    return np.add.reduceat(values, types.start[:-1]) if types.n_types else values[:0]


def count_cells(
    item: Codes, label: Codes, times: Codes | None, *, n_items: int, n_labels: int
) -> tuple[Codes, Codes, Codes]:
    """Item, label and count of every pair of item and label that occurs, ordered by item, then label.

    >>> count_cells(np.array([1, 0, 1]), np.array([0, 1, 0]), None, n_items=2, n_labels=2)
    (array([0, 1]), array([1, 0]), array([1, 2]))
    """
    key = item * n_labels + label
    if n_items * n_labels <= DENSE_ROOM * len(key):
        # Counting beats sorting while the table stays about as large as the ratings themselves.
        table = np.bincount(key, weights=times, minlength=n_items * n_labels)
        cell = np.flatnonzero(table)
        count = table[cell].astype(np.intp)
    else:
        cell, position = np.unique(key, return_inverse=True)
        count = np.bincount(position, weights=times, minlength=len(cell)).astype(np.intp)
    return cell // n_labels, cell % n_labels, count


def items_as_types(item: Codes, label: Codes, count: Codes, *, n_labels: int) -> CountTypes:
    """A type for every item that has a cell, from cells ordered by item: quick where it is used once."""
    start = np.flatnonzero(np.diff(item, prepend=-1, append=-1)).astype(np.intp)
    return CountTypes(
        start=start, label=label, count=count, items=np.ones(len(start) - 1, dtype=np.intp), n_labels=n_labels
    )


def count_types(item: Codes, label: Codes, count: Codes, *, n_items: int, n_labels: int) -> tuple[CountTypes, Codes]:
    """Collapse items with the same counts.

    `item`, `label`, `count` (n_cells,): as from `count_cells`; every item has a cell. `n_items`, `n_labels`: how many
    there are. Returns the types: those with fewer labels first, then in lexicographic order of their cells. Returns
    shape (n_items,): the type of each item.
    """
    cells = np.bincount(item, minlength=n_items)
    first = np.concatenate([[0], np.cumsum(cells)[:-1]]).astype(np.intp)
    symbol = np.unique(label * (count.max(initial=0) + 1) + count, return_inverse=True)[1] + 1
    n_symbols = int(symbol.max(initial=0)) + 1
    type_of = np.zeros(n_items, dtype=np.intp)
    active, code, n_types = np.arange(n_items), np.zeros(n_items, dtype=np.intp), 0
    # Refine the partition one cell at a time: after each round two items share a code exactly if they agree on all
    # cells so far. Items without a further cell are done and leave, so one long item does not cost all the others.
    for depth in range(int(cells.max(initial=0))):
        code = np.unique(code * n_symbols + symbol[first[active] + depth], return_inverse=True)[1]
        done = cells[active] == depth + 1
        found, position = np.unique(code[done], return_inverse=True)
        type_of[active[done]] = n_types + position
        n_types += len(found)
        active, code = active[~done], code[~done]
    items = np.bincount(type_of, minlength=n_types)
    example = np.zeros(n_types, dtype=np.intp)
    example[type_of] = np.arange(n_items)
    start = np.concatenate([[0], np.cumsum(cells[example])]).astype(np.intp)
    source = np.repeat(first[example] - start[:-1], cells[example]) + np.arange(start[-1])
    types = CountTypes(start=start, label=label[source], count=count[source], items=items, n_labels=n_labels)
    return types, type_of


def types_of_matrix(counts: npt.ArrayLike) -> CountTypes:
    """The types of a matrix of counts, one row per item and one column per label.

    >>> types = types_of_matrix([[2, 0], [1, 1], [2, 0]])
    >>> types.dense()
    array([[2, 0],
           [1, 1]])
    >>> types.items
    array([2, 1])
    """
    matrix = np.asarray(counts, dtype=np.intp)
    if matrix.ndim != 2 or (matrix < 0).any():  # noqa: PLR2004 - a matrix
        raise RatingsError("Counts must be a matrix of numbers, 0 or more: one row per item, one column per label.")
    matrix = matrix[matrix.sum(axis=1) > 0]
    item, label = (index.astype(np.intp) for index in np.nonzero(matrix))
    n_items, n_labels = matrix.shape
    return count_types(item, label, matrix[item, label], n_items=n_items, n_labels=n_labels)[0]


HALF = 0.5


def quantiles(values: Floats, shares: Sequence[float], times: Codes | Floats) -> Floats:
    """Where these shares of the values lie, as np.quantile has it, if each value occurs this many times.

    `values` (n,). `shares`: from 0 to 1. `times` (n,): whole numbers, not all of them 0. Returns shape (n_shares,).

    >>> quantiles(np.array([7.0, 1.0]), [0.25, 0.5], np.array([2, 3]))  # of 1, 1, 1, 7, 7
    array([1., 1.])
    """
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(times[order])
    place = (ends[-1] - 1) * np.asarray(shares, dtype=np.float64)
    below = np.floor(place)
    low, high = (values[order][np.searchsorted(ends, at, side="right")] for at in (below, np.ceil(place)))
    part = place - below
    gap = high - low
    return np.asarray(np.where(part >= HALF, high - gap * (1 - part), low + gap * part))


def median(values: Floats, copies: Codes | Floats | None) -> float:
    """The middle value, or the mean of the two in the middle; each occurs `copies` times, or once.

    >>> median(np.array([7.0, 1.0]), np.array([3, 3]))
    4.0
    """
    return float(np.median(values)) if copies is None else float(quantiles(values, [HALF], copies)[0])
