"""What raters and judges answered to each item, response by response.

- values: the response as a number (the mean of its distribution);
- shares: its share of each label;
- half-shares: half of that, so that absolute differences add up to the total variation distance;
- steps: its distribution function between the answers that an item got, times the gaps between them, so that absolute
  differences add up to the earth mover's distance;
- bins: its share of each bin, times the raters of the item over the number of bins, as the authors' tool has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.coding import position_in_item
from dissensus.errors import RatingsError
from dissensus.methods.compare.metrics import Coordinates

# ---- What raters and judges answered to each item, response by response


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Responses:
    """The responses of one party: all raters, or one judge.

    A response is a label, or a distribution over labels. It comes as entries, one for each label with a share in it.

    Attributes
    ----------
    times : ndarray of shape (n_items, most)
        How often each response of an item was given: raters who gave the same label share one; 0 where an item has
        fewer responses than others.
    item, response : ndarray of shape (n_entries,)
        Which row and column of `times` an entry belongs to.
    place : ndarray of shape (n_entries,)
        The label, as its place among the labels of raters and judges.
    value : ndarray of shape (n_entries,)
        The label as a number; NaN for a word without one.
    share : ndarray of shape (n_entries,)
        Its share of the response.
    """

    times: Floats
    item: Codes
    response: Codes
    place: Codes
    value: Floats
    share: Floats

    @property
    def sizes(self) -> Floats:
        """How many responses each item has."""
        return np.asarray(self.times.sum(axis=1))

    def on(self, rows: Codes) -> "Responses":
        """The responses to these items, in this order."""
        new = np.full(len(self.times), -1, dtype=np.intp)
        new[rows] = np.arange(len(rows))
        kept = new[self.item] >= 0
        times = self.times[rows]
        return replace(
            self,
            times=times[:, : max(1, int((times > 0).sum(axis=1).max(initial=0)))],
            item=new[self.item[kept]],
            response=self.response[kept],
            place=self.place[kept],
            value=self.value[kept],
            share=self.share[kept],
        )


def responses_of_raters(ratings: Ratings, values: Floats) -> Responses:
    """What all raters together answered; equal labels of an item are one response, given several times."""
    times = np.ones(len(ratings.item)) if ratings.times is None else ratings.times.astype(np.float64)
    cell, inverse = np.unique(ratings.item * ratings.n_labels + ratings.label, return_inverse=True)
    item, label = cell // ratings.n_labels, cell % ratings.n_labels
    response = position_in_item(item)
    table = np.zeros((ratings.n_items, int(response.max(initial=0)) + 1))
    table[item, response] = np.bincount(inverse, weights=times)
    return Responses(
        times=table, item=item, response=response, place=label, value=values[label], share=np.ones(len(item))
    )


def responses_of_judge(
    judges: Judges, code: int, *, rows: Codes, n_items: int, place: Codes, values: Floats
) -> Responses:
    """What one judge answered to rated items, sample by sample.

    Parameters
    ----------
    judges : Judges
        All of them.
    code : int
        Which one.
    rows : ndarray of shape (len(judges.items),)
        The row of each of the judges' items among the rated items; -1 where nobody rated it.
    n_items : int
        How many items were rated.
    place, values : ndarray of shape (len(judges.labels),)
        Where each of the judges' labels stands among the common labels, and its number.
    """
    own = np.flatnonzero((judges.judge == code) & (rows[judges.item] >= 0))
    own = own[np.lexsort((judges.sample[own], rows[judges.item[own]]))]
    item = rows[judges.item[own]]
    response = position_in_item(item)
    table = np.zeros((n_items, int(response.max(initial=0)) + 1))
    table[item, response] = 1
    answer, label, share = _entries(judges, own)
    return Responses(
        times=table,
        item=item[answer],
        response=response[answer],
        place=place[label],
        value=values[label],
        share=share,
    )


def _entries(judges: Judges, own: Codes) -> tuple[Codes, Codes, Floats]:
    """The labels with a share in each of these answers: which answer, which label, how large a share.

    A bare label has one entry, so that a judge with a label of its own for every item takes no table of them all.
    """
    if judges.probability is None:
        return np.arange(len(own)), judges.label[own], np.ones(len(own))
    is_bare = np.isnan(judges.probability[own]).any(axis=1)
    bare, spread = np.flatnonzero(is_bare), np.flatnonzero(~is_bare)
    shares = judges.probability[own[spread]]
    row, label = np.nonzero(shares)
    return (
        np.concatenate([bare, spread[row]]),
        np.concatenate([judges.label[own[bare]], label]),
        np.concatenate([np.ones(len(bare)), shares[row, label]]),
    )


# ---- Responses as vectors, such that what a metric compares are means of vectors

MOST_NUMBERS = 500_000_000
"""Vectors of more numbers, 4 GB, are refused."""
FEW = 256
"""So many responses of an item are summed up one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """What the coordinates are about.

    Attributes
    ----------
    n_labels : int
        How many labels raters and judges have.
    bins : int
        How many bins there are, all equally wide.
    bounds : tuple of float
        Where the bins begin and end; a response outside falls in none.
    """

    n_labels: int
    bins: int = 5
    bounds: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cloud:
    """The responses of one party as vectors.

    Attributes
    ----------
    vectors : ndarray of shape (n_items, most, n_coordinates)
        One for each response; 0 where there is none.
    times : ndarray of shape (n_items, most)
        How often each was given; 0 where there is none.
    """

    vectors: Floats
    times: Floats

    @property
    def sizes(self) -> Floats:
        """How many responses each item has."""
        return np.asarray(self.times.sum(axis=1))

    def mean(self) -> Floats:
        """Mean response to each item, of shape (n_items, n_coordinates)."""
        if self.times.shape[1] <= FEW:
            return np.asarray(np.einsum("imc,im->ic", self.vectors, self.times) / self.sizes[:, None])
        # Sums along the last axis are pairwise: their rounding does not grow with the number of responses.
        weighted = np.ascontiguousarray(np.moveaxis(self.vectors * self.times[:, :, None], 1, 2))
        return np.asarray(weighted.sum(axis=2) / self.sizes[:, None])


def clouds_of(parties: Sequence[Responses], coordinates: Coordinates, space: Space) -> list[Cloud]:
    """The responses of raters (first) and judges as vectors in the same coordinates."""
    if coordinates == "values":
        vectors = [_filled(party, np.zeros(len(party.item), dtype=np.intp), 1, by_value=True) for party in parties]
    elif coordinates == "steps":
        vectors = _steps(parties)
    elif coordinates == "bins":
        vectors = _bins(parties, space)
    else:
        half = 0.5 if coordinates == "half-shares" else 1.0
        vectors = [half * _filled(party, party.place, space.n_labels) for party in parties]
    return [Cloud(vectors=found, times=party.times) for found, party in zip(vectors, parties, strict=True)]


def _filled(party: Responses, column: Codes, n_columns: int, *, by_value: bool = False) -> Floats:
    """Sum of the shares, or of share times value, of the entries in each column."""
    n_items, most = party.times.shape
    _check_memory(n_items, most, n_columns)
    cell = (party.item * most + party.response) * n_columns + column
    weights = party.share * party.value if by_value else party.share
    sums = np.bincount(cell, weights=weights, minlength=n_items * most * n_columns).astype(np.float64)
    return sums.reshape(n_items, most, n_columns)


def _check_memory(n_items: int, most: int, n_columns: int) -> None:
    if n_items * most * n_columns > MOST_NUMBERS:
        raise RatingsError(
            f"{n_items:,} items with up to {most:,} answers of {n_columns:,} kinds would take "
            f"{n_items * most * n_columns * 8 / 1e9:,.0f} GB of memory: choose a metric of mean answers such as mae, "
            "or compare on fewer items."
        )


def _steps(parties: Sequence[Responses]) -> list[Floats]:
    item = np.concatenate([party.item for party in parties])
    distinct, code = np.unique(np.concatenate([party.value for party in parties]), return_inverse=True)
    cell, entry = np.unique(item * len(distinct) + code, return_inverse=True)
    cell_item, cell_value = cell // len(distinct), distinct[cell % len(distinct)]
    n_items = len(parties[0].times)
    first = np.searchsorted(cell_item, np.arange(n_items))
    column = np.arange(len(cell)) - first[cell_item]
    gaps = np.zeros((n_items, int(column.max(initial=0)) + 1))
    follows = cell_item[1:] == cell_item[:-1]
    gaps[cell_item[:-1][follows], column[:-1][follows]] = np.diff(cell_value)[follows]
    columns = np.split(column[entry], np.cumsum([len(party.item) for party in parties])[:-1])
    return [
        np.cumsum(_filled(party, own, gaps.shape[1]), axis=-1) * gaps[:, None, :]
        for party, own in zip(parties, columns, strict=True)
    ]


def _bins(parties: Sequence[Responses], space: Space) -> list[Floats]:
    low, high = space.bounds
    # A column more takes what falls in no bin; differs from the paper: with unequal numbers of responses the judge's
    # counts are scaled to the raters'.
    scale = (parties[0].sizes / space.bins)[:, None, None]
    found = []
    for party in parties:
        bin_of = np.floor((party.value - low) / (high - low) * space.bins)
        bin_of = np.where(party.value == high, space.bins - 1, bin_of)
        outside = (bin_of < 0) | (bin_of >= space.bins)
        column = np.where(outside, space.bins, bin_of).astype(np.intp)
        found.append(_filled(party, column, space.bins + 1)[..., : space.bins] * scale)
    return found
