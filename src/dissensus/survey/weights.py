"""Bootstrap weights of items, collapsed to how many items of a type were drawn how often."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.ratings.coding import Codes
from dissensus.survey.subsets import Floats


class Copies(NamedTuple):
    """How many items of each type are in each replicate how often.

    Weights (2, 0) and (1, 1) on two items of one type do not give the same curve, because all copies of an item leave
    together when the combiner is learned without it. So a replicate is a histogram over (type, copies).

    Attributes
    ----------
    replicate, type, copies, items : ndarray of shape (n_entries,)
        In this replicate, so many items of this type occur so many times; ordered by replicate. Not whole numbers
        where many alike items count as occurring as often as they do on average.
    weights : ndarray of shape (n_replicates, n_types)
        How many items of each type there are in each replicate, copies counted.
    """

    replicate: Codes
    type: Codes
    copies: Codes | Floats
    items: Codes | Floats
    weights: Floats


def observed(items: Codes) -> Copies:
    """The data themselves: one replicate, every item once."""
    kinds = np.flatnonzero(items)
    ones = np.ones(len(kinds), dtype=np.intp)
    return Copies(np.zeros_like(kinds), kinds, ones, items[kinds], items[None, :].astype(np.float64))


def merely(weights: Floats) -> Copies:
    """Weights of types alone, for a combiner that does not ask how often each item occurs."""
    nothing = np.empty(0, dtype=np.intp)
    return Copies(nothing, nothing, nothing, nothing, weights)


def draw_item_weights(n_items: int, replicates: int, rng: Generator) -> npt.NDArray[np.int32]:
    """How often each item is drawn when n items are drawn with replacement; shape (replicates, n_items)."""
    drawn = rng.integers(n_items, size=(replicates, n_items))
    drawn += n_items * np.arange(replicates)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=replicates * n_items)
    return counts.reshape(replicates, n_items).astype(np.int32)


def copies_of(item_weights: npt.NDArray[np.int32], type_of_item: Codes, n_types: int) -> Copies:
    """Collapse weights of items to (replicate, type, copies)."""
    replicates = len(item_weights)
    most = int(item_weights.max(initial=0)) + 1
    key = (np.arange(replicates)[:, None] * n_types + type_of_item[None, :]) * most + item_weights
    table = np.bincount(key.ravel(), minlength=replicates * n_types * most).reshape(replicates, n_types, most)
    weights = table @ np.arange(most, dtype=np.float64)  # whole numbers: exact in any order
    table[:, :, 0] = 0
    replicate, kind, copies = np.nonzero(table)
    return Copies(replicate, kind, copies, table[replicate, kind, copies], weights)
