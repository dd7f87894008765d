"""Each rater's answer to each item, beside what the others of that item answered."""

from dataclasses import dataclass

import numpy as np

from dissensus.decisions.closeness import Floats
from dissensus.errors import OptionError
from dissensus.ratings import Ratings
from dissensus.ratings.coding import Codes

MOST_CELLS = 200_000_000
"""Items times labels that fit in memory."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """A cell is a rater and an item; several ratings in it count as their mean.

    Attributes
    ----------
    rater, item : ndarray of shape (n_cells,)
        Whose cell it is.
    of_rating : ndarray of shape (n_ratings,)
        The cell of each rating.
    size : ndarray of shape (n_cells,)
        How many ratings it has.
    raters_of_item : ndarray of shape (n_items,)
        How many cells each item has.
    agreement : ndarray of shape (n_cells,)
        Mean closeness to the other raters of the item; NaN without one.
    others : ndarray of shape (n_cells,)
        Mean closeness of those others to each other; NaN with fewer than two.
    height : ndarray of shape (n_cells,)
        The answer as a number; NaN where labels are none.
    leniency : ndarray of shape (n_cells,)
        It less the others' mean; NaN without others.
    repeated : ndarray of shape (n_cells,)
        Mean closeness of the cell's ratings to each other; NaN with one rating.
    """

    rater: Codes
    item: Codes
    of_rating: Codes
    size: Codes
    raters_of_item: Codes
    agreement: Floats
    others: Floats
    height: Floats
    leniency: Floats
    repeated: Floats


def cells_of(ratings: Ratings, near: Floats, heights: Floats | None) -> Cells:
    """The cells of some ratings.

    Parameters
    ----------
    ratings : Ratings
        With known raters.
    near : ndarray of shape (n_labels, n_labels)
        How near labels are to each other, 1 for the same.
    heights : ndarray of shape (n_labels,), optional
        Labels as numbers.
    """
    if ratings.copies is not None:
        raise OptionError("Portraits ask who rated, which is lost where alike items were put together: read the files "
                          "without reducing them.")  # fmt: skip
    if ratings.rater is None or ratings.times is not None:
        raise OptionError("Portraits need to know who rated: the ratings have no rater column.")
    if ratings.n_items * ratings.n_labels > MOST_CELLS:
        raise OptionError(f"{ratings.n_labels} labels are too many to compare raters by: round them to fewer.")
    key, cell = np.unique(ratings.rater * ratings.n_items + ratings.item, return_inverse=True)
    item = key % ratings.n_items
    size = np.bincount(cell)
    weight = 1 / size[cell]
    answers = np.zeros((ratings.n_items, ratings.n_labels))
    np.add.at(answers, (ratings.item, ratings.label), weight)
    raters_of_item = np.bincount(item, minlength=ratings.n_items)
    own = _to_itself(ratings.label, cell, size, near)
    to_all = np.bincount(cell, weights=weight * (answers @ near)[ratings.item, ratings.label])
    to_others = to_all - own  # summed over the other raters
    m = raters_of_item[item]
    pairs = np.bincount(item, weights=to_others, minlength=ratings.n_items)[item]
    height = np.full(len(key), np.nan)
    if heights is not None:
        height = np.bincount(cell, weights=weight * heights[ratings.label])
    total = np.bincount(item, weights=height, minlength=ratings.n_items)[item]
    return Cells(
        rater=key // ratings.n_items,
        item=item,
        of_rating=cell,
        size=size,
        raters_of_item=raters_of_item,
        agreement=_ratio(to_others, m - 1),
        others=_ratio(pairs - 2 * to_others, (m - 1) * (m - 2)),
        height=height,
        leniency=height - _ratio(total - height, m - 1),
        repeated=_ratio(own * size**2 - size, size * (size - 1)),
    )


def _ratio(total: Floats, count: Codes) -> Floats:
    return np.where(count > 0, total / np.where(count > 0, count, 1), np.nan)


def _to_itself(label: Codes, cell: Codes, size: Codes, near: Floats) -> Floats:
    """How near a cell's mean answer is to itself: 1 with one rating, less where several differ."""
    own = np.ones(len(size))
    several = np.flatnonzero(size > 1)
    if not several.size:
        return own
    place = np.full(len(size), -1)
    place[several] = np.arange(len(several))
    rows = np.flatnonzero(place[cell] >= 0)
    shares = np.zeros((len(several), len(near)))
    np.add.at(shares, (place[cell[rows]], label[rows]), 1 / size[cell[rows]])
    own[several] = np.einsum("nl,lm,nm->n", shares, near, shares, optimize=True)
    return own


def rater_means(cells: Cells, values: Floats, n_raters: int) -> tuple[Floats, Codes]:
    """Mean of the known values of each rater's cells, NaN without any, and how many there are."""
    known = ~np.isnan(values)
    count = np.bincount(cells.rater[known], minlength=n_raters)
    total = np.bincount(cells.rater[known], weights=values[known], minlength=n_raters)
    return _ratio(total.astype(np.float64), count), count
