"""The rows of a problem: an item each, or a profile's items of one fold."""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.ratings.coding import Codes
from dissensus.survey.calibration import FOLDS, draw_folds
from dissensus.survey.item_choice import ItemChoice

MOST_TO_SHARE_OUT = 10**9 - 1
"""More items than this numpy cannot draw without replacement."""


class Rows(NamedTuple):
    """What the rows of a problem are.

    Attributes
    ----------
    item : ndarray of shape (n_rows,)
        Which of the rated items each row is.
    place : ndarray of shape (n_rows,)
        Which of those that take part.
    fold : ndarray of shape (n_rows,)
        The fold of each row.
    copies : ndarray of shape (n_rows,), optional
        How many items each row stands for; None means one.
    """

    item: Codes
    place: Codes
    fold: Codes
    copies: Codes | None


def rows_of(choice: ItemChoice, *, needs_folds: bool, rng: Generator) -> Rows:
    """A row for each item that takes part; where items come as profiles and folds are needed, one per fold of each."""
    kept = np.flatnonzero(choice.kept)
    if choice.copies is None:
        return Rows(kept, np.arange(len(kept)), draw_folds(len(kept), rng), None)
    if not needs_folds:
        return Rows(kept, np.arange(len(kept)), np.zeros_like(kept), choice.copies)
    table = share_out(choice.copies, rng)
    place, fold = np.nonzero(table)
    return Rows(kept[place], place, fold, table[place, fold])


def share_out(copies: Codes, rng: Generator, *, folds: int = FOLDS) -> Codes:
    """How many of each profile's items come into each fold, of shape (n_profiles, n_folds).

    Folds are as equal in size as can be and their items are drawn without replacement, so this is distributed as if
    each item had been given a fold by `draw_folds`. Where numpy cannot draw so many, each item has a fold of its own
    accord, which makes no difference among so many.

    Examples
    --------
    >>> table = share_out(np.array([25, 5]), np.random.default_rng(0))
    >>> table.sum(axis=0), table.sum(axis=1)
    (array([3, 3, 3, 3, 3, 3, 3, 3, 3, 3]), array([25,  5]))
    """
    total = int(copies.sum())
    folds = min(folds, total)
    if total > MOST_TO_SHARE_OUT:
        return rng.multinomial(copies, np.full(folds, 1 / folds))
    left = copies.astype(np.int64)
    table = np.zeros((len(copies), folds), dtype=np.intp)
    for number in range(folds):
        size = (total + folds - 1 - number) // folds  # the first ones have one more where it does not come out even
        table[:, number] = rng.multivariate_hypergeometric(left, size, method="marginals")
        left -= table[:, number]
    return table
