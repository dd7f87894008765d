"""Responses as vectors, such that what a metric compares are means of vectors.

- values: the response as a number (the mean of its distribution);
- shares: its share of each label;
- half-shares: half of that, so that absolute differences add up to the total variation distance;
- steps: its distribution function between the answers that an item got, times the gaps between them, so that absolute
  differences add up to the earth mover's distance;
- bins: its share of each bin, times the raters of the item over the number of bins, as the authors' tool has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data.align import Responses
from dissensus.errors import RatingsError
from dissensus.methods.compare.metrics import Coordinates

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
    """`Responses.filled`, unless it would fill the memory."""
    n_items, most = party.times.shape
    if n_items * most * n_columns > MOST_NUMBERS:
        raise RatingsError(
            f"{n_items:,} items with up to {most:,} answers of {n_columns:,} kinds would take "
            f"{n_items * most * n_columns * 8 / 1e9:,.0f} GB of memory: choose a metric of mean answers such as mae, "
            "or compare on fewer items."
        )
    return party.filled(column, n_columns, by_value=by_value)


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
