"""What people said of each item: forced choices, response sets, and who gave both."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.errors import RatingsError
from dissensus.judges.aggregation import Flags, Floats
from dissensus.judges.elicited import is_response_set
from dissensus.judges.label_space import LabelSpace
from dissensus.ratings import Ratings
from dissensus.ratings.coding import Codes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class People:
    """People's ratings by item.

    Attributes
    ----------
    choices : ndarray of shape (n_items, n_options)
        How many forced choices each option got.
    sets : ndarray of shape (n_items, n_sets)
        How many raters gave each response set.
    pair_item, pair_choice, pair_set : ndarray of shape (n_pairs,)
        Raters who gave both for an item: the item, the option and the set.
    """

    choices: Floats
    sets: Floats
    pair_item: Codes
    pair_choice: Codes
    pair_set: Codes

    @property
    def has_choice(self) -> Flags:
        """Which items have a forced choice."""
        return np.asarray(self.choices.sum(axis=1) > 0)

    @property
    def has_set(self) -> Flags:
        """Which items have a response set."""
        return np.asarray(self.sets.sum(axis=1) > 0)

    def shares_of_choices(self) -> Floats:
        """O: the shares of the options among the forced choices; zeros where there is none."""
        return shares(self.choices)

    def shares_of_sets(self) -> Floats:
        """The shares of the response sets; zeros where there is none."""
        return shares(self.sets)


def shares(counts: Floats) -> Floats:
    """Rows of counts as shares of their sums; zeros where the sum is 0."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.zeros_like(counts), where=total > 0))


def people_of(ratings: Ratings, space: LabelSpace) -> People:
    """People's answers, by item of the ratings.

    Where the elicitation was not said, all ratings are response sets if one of them has several options.
    """
    size = space.people_members.sum(axis=1)
    everybody = np.zeros(len(ratings.item), dtype=np.intp)
    is_set = is_response_set(
        ratings.elicitation, size[ratings.label] > 1, everybody, whose="raters", error=RatingsError
    )
    option = space.people_members.argmax(axis=1)[ratings.label]
    set_code = space.set_codes()[ratings.label]
    times = np.ones(len(ratings.item)) if ratings.times is None else ratings.times.astype(np.float64)
    pairs = _pairs(ratings, is_set)
    return People(
        choices=_table(ratings.item, option, times * ~is_set, (ratings.n_items, len(space.options))),
        sets=_table(ratings.item, set_code, times * is_set, (ratings.n_items, len(space.members))),
        pair_item=ratings.item[pairs[0]],
        pair_choice=option[pairs[0]],
        pair_set=set_code[pairs[1]],
    )


def _table(row: Codes, column: Codes, weight: npt.NDArray[np.float64], shape: tuple[int, int]) -> Floats:
    total = np.bincount(row * shape[1] + column, weights=weight, minlength=shape[0] * shape[1])
    return total.astype(np.float64).reshape(shape)


def _pairs(ratings: Ratings, is_set: Flags) -> tuple[Codes, Codes]:
    """Rows of a forced choice and of a response set that one rater gave for one item."""
    if ratings.rater is None:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    key = ratings.item * max(1, len(ratings.raters)) + ratings.rater
    choice_rows, set_rows = np.flatnonzero(~is_set), np.flatnonzero(is_set)
    _, first, second = np.intersect1d(key[choice_rows], key[set_rows], return_indices=True)
    return choice_rows[first], set_rows[second]
