"""People's response sets where only forced choices were asked for, through the reverse matrix F' of paired ratings."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dissensus.judges.aggregation import Flags, Floats
from dissensus.judges.people import People
from dissensus.judges.reverse_matrix import pooled_reverse, reverse_by_items
from dissensus.ratings.coding import Codes

PairedBy = Literal["rater", "item"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reversal:
    """Paired ratings, from which F' is estimated: P(response set | forced choice).

    Attributes
    ----------
    paired_by : {"rater", "item"}
        Whether raters gave both, or only items have both, from different raters.
    members : ndarray of shape (n_sets, n_options)
        Which option is in which response set.
    row : ndarray of shape (n_pairs,)
        The item of each pair, as a place in the pool of items that are resampled.
    choice, set_code : ndarray of shape (n_pairs,)
        The option and the set of each rater; empty where items are paired.
    choices : ndarray of shape (n_pairs, n_options)
        Shares of the forced choices of each item; empty where raters are paired.
    sets : ndarray of shape (n_pairs, n_sets)
        Shares of the response sets of each item; empty where raters are paired.
    copies : ndarray of shape (n_pairs,), optional
        How many pairs of the data each one stands for; one if None.
    """

    paired_by: PairedBy
    members: Flags
    row: Codes
    choice: Codes
    set_code: Codes
    choices: Floats
    sets: Floats
    copies: Floats | None = None

    @property
    def n_pairs(self) -> int:
        """How many pairs there are in the data."""
        return len(self.row) if self.copies is None else int(self.copies.sum())

    def matrix(self, weights: Floats | None = None) -> Floats:
        """F', of shape (n_options, n_sets); with weights of shape (n_replicates, n_pool) one for each replicate."""
        own = self.copies if weights is None else weights[:, self.row]
        if self.paired_by == "rater":
            return pooled_reverse(self.choice, self.set_code, self.members, weights=own)
        return reverse_by_items(self.choices, self.sets, self.members, weights=own)


def pool_of(people: People, rows: Codes) -> tuple[Codes, Codes]:
    """The items that are resampled, and the place of each rated item among them, or -1.

    Parameters
    ----------
    people : People
        What they said of the rated items.
    rows : ndarray of shape (n_items,)
        The items that are compared; they stand first, then others with paired ratings.
    """
    is_other = people.has_choice & people.has_set
    is_other[people.pair_item] = True
    is_other[rows] = False
    pool = np.concatenate([rows, np.flatnonzero(is_other)])
    place = np.full(len(is_other), -1, dtype=np.intp)
    place[pool] = np.arange(len(pool))
    return pool, place


def reversal_of(people: People, members: Flags, pool: Codes, copies: Floats | None = None) -> Reversal | None:
    """The paired ratings, by rater if anybody gave both, else by item; None if there are none.

    Parameters
    ----------
    people : People
        What they said.
    members : ndarray of shape (n_sets, n_options)
        Which option is in which response set.
    pool : ndarray of shape (n_items,)
        The place of each rated item in the pool.
    copies : ndarray of shape (n_items,), optional
        How many items of the data each rated item stands for.
    """
    nothing = np.empty(0, dtype=np.intp)
    if len(people.pair_item):
        return Reversal(
            paired_by="rater",
            members=members,
            row=pool[people.pair_item],
            choice=people.pair_choice,
            set_code=people.pair_set,
            choices=np.empty((0, members.shape[1])),
            sets=np.empty((0, len(members))),
            copies=None if copies is None else copies[people.pair_item],
        )
    both = np.flatnonzero(people.has_choice & people.has_set)
    if not both.size:
        return None
    return Reversal(
        paired_by="item",
        members=members,
        row=pool[both],
        choice=nothing,
        set_code=nothing,
        choices=people.shares_of_choices()[both],
        sets=people.shares_of_sets()[both],
        copies=None if copies is None else copies[both],
    )
