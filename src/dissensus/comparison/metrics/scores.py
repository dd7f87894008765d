"""From a number per item and judge to a score per judge: means, roots of means, and shares of wins."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from dissensus.comparison.metrics.distances import Floats

TIE = 32 * float(np.finfo(np.float64).eps)
"""Errors that differ by less, relative to the answers that they come from, differ by rounding only: a mean of 700
answers is up to 18 units of the last digit off."""


class Columns(NamedTuple):
    """What each item says about A, about B and about the raters, each of shape (..., n_items).

    With `copies`, of shape (n_items,), each item stands for so many alike ones; they are whole numbers.
    """

    a: Floats
    b: Floats
    people: Floats
    copies: Floats | None = None

    @property
    def items_in_all(self) -> int:
        """How many items there are, alike ones counted one by one."""
        return len(self.a) if self.copies is None else int(self.copies.sum())


class Pair(NamedTuple):
    """The scores of A and B, each of shape (...)."""

    a: Floats
    b: Floats

    @property
    def difference(self) -> Floats:
        """A's score less B's."""
        return np.asarray(self.a - self.b)


Swapper = Callable[[Floats], Floats]
"""Difference of the scores after A and B changed places on an item, or on so many of its copies, of shape
(n, n_items)."""


class Score(Protocol):
    """Turns items into scores."""

    def __call__(self, columns: Columns, weights: Floats | None = None) -> Pair:
        """The scores; with weights of shape (n_replicates, n_items), those of each replicate.

        Weights tell how often an item counts, its copies included.
        """

    def swapper(self, columns: Columns) -> Swapper:
        """Prepares what many swaps need once."""


def mean_of(values: Floats, weights: Floats | None) -> Floats:
    """Mean over items, which count `weights` times."""
    if weights is None:
        return np.asarray(values.mean(axis=-1))
    return np.asarray(weights @ values / weights.sum(axis=-1))


def sum_of(values: Floats, copies: Floats | None) -> Floats:
    """Sum over items, of which there are so many copies."""
    return np.asarray(values.sum() if copies is None else copies @ values)


class MeanScore:
    """The mean over items."""

    def __call__(self, columns: Columns, weights: Floats | None = None) -> Pair:
        """The mean of each judge."""
        counted = columns.copies if weights is None else weights
        return Pair(mean_of(columns.a, counted), mean_of(columns.b, counted))

    def swapper(self, columns: Columns) -> Swapper:
        """As in Score: a swap turns the sign of an item's difference."""
        gap = columns.a - columns.b
        total, n = sum_of(gap, columns.copies), columns.items_in_all
        return lambda swap: np.asarray((total - 2 * (swap @ gap)) / n)


class RootMeanScore:
    """The root of the mean over items."""

    def __call__(self, columns: Columns, weights: Floats | None = None) -> Pair:
        """The root of each judge's mean."""
        counted = columns.copies if weights is None else weights
        return Pair(np.sqrt(mean_of(columns.a, counted)), np.sqrt(mean_of(columns.b, counted)))

    def swapper(self, columns: Columns) -> Swapper:
        """As in Score."""
        n, gap = columns.items_in_all, columns.b - columns.a
        total_a, total_b = (sum_of(errors, columns.copies) for errors in (columns.a, columns.b))

        def swapped(swap: Floats) -> Floats:
            moved = swap @ gap
            # A sum of squares that should be 0 may come out a rounding below it.
            first, second = np.maximum(total_a + moved, 0), np.maximum(total_b - moved, 0)
            return np.asarray(np.sqrt(first / n) - np.sqrt(second / n))

        return swapped


class WinShare:
    """The share of the items on which a judge errs less than the other; a tie is half a win for each.

    Differs from the paper: there a tie is a win for B. With continuous responses there are none.
    """

    def __call__(self, columns: Columns, weights: Floats | None = None) -> Pair:
        """The share of each judge; they sum to 1."""
        share = (mean_of(wins(columns), columns.copies if weights is None else weights) + 1) / 2
        return Pair(share, 1 - share)

    def swapper(self, columns: Columns) -> Swapper:
        """As in Score: a swap turns a win into a loss."""
        won = wins(columns)
        total, n = sum_of(won, columns.copies), columns.items_in_all
        return lambda swap: np.asarray((total - 2 * (swap @ won)) / n)


def wins(columns: Columns) -> Floats:
    """1 where A errs less than B, -1 where it errs more, 0 where they tie.

    Examples
    --------
    >>> wins(Columns(np.array([0.1, 0.3, 0.3]), np.array([0.2, 0.1, 0.3]), np.zeros(3)))
    array([ 1., -1.,  0.])
    """
    return np.asarray(np.sign(columns.b - columns.a))


def settled(columns: Columns, *, size: float, is_square: bool = False) -> Columns:
    """The columns with B's errors equal to A's where rounding alone sets them apart.

    Parameters
    ----------
    columns : Columns
        Errors, none below 0.
    size : float
        How large the numbers are that errors are differences of: a hundredth is rounding between numbers of 10^13.
    is_square : bool
        Whether the errors are squared.

    Examples
    --------
    >>> settled(Columns(np.array([0.1 + 0.2, 0.3]), np.array([0.3, 0.4]), np.zeros(2)), size=1.0).b
    array([0.3, 0.4])
    """
    a, b, people, copies = columns
    first, second = (np.sqrt(a), np.sqrt(b)) if is_square else (a, b)
    is_tie = np.abs(second - first) <= TIE * (first + second + size)
    return Columns(a, np.where(is_tie, a, b), people, copies)


def put_together(columns: Columns, *, by_sign: bool = False, by_people: bool = False) -> Columns:
    """The columns with one item, and its copies, for all that count the same.

    Parameters
    ----------
    columns : Columns
        Of shape (n_items,), with copies.
    by_sign : bool
        Whether all that counts is which of the judges errs more.
    by_people : bool
        Whether what raters say counts, too.

    Examples
    --------
    >>> two = Columns(np.array([0.1, 0.2]), np.array([0.3, 0.3]), np.zeros(2), np.array([2.0, 3.0]))
    >>> put_together(two, by_sign=True).copies
    array([5.])
    """
    a, b, people, copies = columns
    if by_sign:
        a, b = np.where(a > b, 1.0, 0.0), np.where(b > a, 1.0, 0.0)
    rows = np.column_stack([a, b, people if by_people else np.zeros(len(a))])
    distinct, code = np.unique(rows, axis=0, return_inverse=True)
    together = np.bincount(code.ravel(), weights=copies).astype(np.float64)
    return Columns(distinct[:, 0].copy(), distinct[:, 1].copy(), distinct[:, 2].copy(), together)
