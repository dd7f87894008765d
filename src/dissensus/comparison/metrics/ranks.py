"""Spearman's rank correlation with the raters' mean, for many samples of the same items at once."""

import numpy as np

from dissensus.comparison.metrics.distances import Floats
from dissensus.comparison.metrics.scores import Columns, Pair, Swapper, mean_of, sum_of
from dissensus.ratings.quantiles import median

ROUNDING = 1e-13
"""Ranks that spread less are all the same: even one item of a million apart from the rest spreads them more."""
SAME = 1e-12
"""Answers that differ by less, relative to their size, are the same."""


class RankCorrelation:
    """Spearman's correlation over items of a judge's mean answer with the raters' mean."""

    def __call__(self, columns: Columns, weights: Floats | None = None) -> Pair:
        """The correlation of each judge; NaN where somebody gave every item the same."""
        counted = columns.copies if weights is None else weights
        a, b, people = (_ranks(answers, counted) for answers in columns[:3])
        return Pair(correlation(a, people, counted), correlation(b, people, counted))

    def swapper(self, columns: Columns) -> Swapper:
        """As in Score.

        The judges exchange ranks, not answers, so that they need not be on one scale; the ranks stay as they were among
        all answers of a judge. Then every sample needs three sums only.
        """
        copies, n = columns.copies, columns.items_in_all
        a, b, people = (_standard(_ranks(answers, copies), copies) for answers in columns[:3])
        parts = np.stack([b - a, b**2 - a**2, (b - a) * people], axis=1)
        weighed = people if copies is None else copies * people
        own, other = (np.array([sum_of(x, copies), sum_of(x**2, copies), x @ weighed]) for x in (a, b))
        spread = float(np.sqrt(mean_of(people**2, copies)))

        def swapped(swap: Floats) -> Floats:
            moved = swap @ parts
            return np.asarray(_from_sums(own + moved, n, spread) - _from_sums(other - moved, n, spread))

        return swapped


def rankable(judge: Floats, people: Floats, *, copies: Floats | None = None) -> Floats:
    """The judge's mean answer to each item, equal where means differ by rounding only.

    Parameters
    ----------
    judge, people : ndarray of shape (..., n_items, 1)
        Mean answers; the raters' are not needed here.
    copies : ndarray of shape (n_items,), optional
        How many items each one stands for, which goes with answers of shape (n_items, 1) only.

    Examples
    --------
    >>> rankable(np.array([[0.1 + 0.2], [0.3], [3.0]]), np.zeros((3, 1)))
    array([0.3, 0.3, 3. ])
    """
    del people  # a correlation compares items, so no single item has an error
    values = judge[..., 0]
    # Not relative to the largest: one answer of a judge may be beyond all bounds, as perplexities are.
    usual = median(np.abs(values), copies)
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    starts = np.ones(values.shape, dtype=np.bool_)
    starts[..., 1:] = np.diff(ordered, axis=-1) > SAME * np.maximum(np.abs(ordered[..., 1:]), usual)
    first = np.maximum.accumulate(np.where(starts, np.arange(values.shape[-1]), 0), axis=-1)
    found = np.empty(values.shape)
    np.put_along_axis(found, order, np.take_along_axis(ordered, first, axis=-1), axis=-1)
    return found


def _ranks(values: Floats, weights: Floats | None) -> Floats:
    return midranks(values) if weights is None else weighted_midranks(values, weights)


def _standard(ranks: Floats, copies: Floats | None) -> Floats:
    """Ranks around 0, between -1/2 and 1/2."""
    return np.asarray((ranks - mean_of(ranks, copies)) / (len(ranks) if copies is None else copies.sum()))


def _from_sums(sums: Floats, n: int, spread: float) -> Floats:
    """Correlation with ranks around 0 of this spread: from sums of x, x squared and x times the other."""
    variance = sums[..., 1] / n - (sums[..., 0] / n) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(variance > ROUNDING, sums[..., 2] / n / np.sqrt(variance) / spread, np.nan)


def midranks(values: Floats) -> Floats:
    """Ranks along the last axis from 1, equal values sharing theirs.

    Examples
    --------
    >>> midranks(np.array([3.0, 1.0, 3.0]))
    array([2.5, 1. , 2.5])
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    starts = np.ones(values.shape, dtype=np.bool_)
    starts[..., 1:] = ordered[..., 1:] > ordered[..., :-1]
    place = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=-1)
    ends = np.ones(values.shape, dtype=np.bool_)
    ends[..., :-1] = starts[..., 1:]
    last = np.flip(np.minimum.accumulate(np.flip(np.where(ends, place, values.shape[-1]), -1), axis=-1), -1)
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def weighted_midranks(values: Floats, weights: Floats) -> Floats:
    """The ranks that values have when each occurs `weights` times, without sorting anew for each replicate.

    Parameters
    ----------
    values : ndarray of shape (n_items,)
    weights : ndarray of shape (n_items,) or (n_replicates, n_items)

    Returns
    -------
    ndarray of the weights' shape

    Examples
    --------
    >>> weighted_midranks(np.array([5.0, 7.0, 7.0]), np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 1.0]]))
    array([[1.5, 3. , 3. ],
           [0.5, 1.5, 1.5]])
    """
    distinct, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(distinct)))
    sizes = np.add.reduceat(weights[..., order], starts, axis=-1)
    ranks = np.cumsum(sizes, axis=-1) - sizes / 2 + 0.5
    return np.asarray(ranks[..., group])


def correlation(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Pearson's correlation of ranks along the last axis; NaN where one side is constant."""
    total = np.ones(x.shape) if weights is None else weights
    n_items = total.sum(axis=-1, keepdims=True)
    share = total / n_items
    dx, dy = ((v - (share * v).sum(axis=-1, keepdims=True)) / n_items for v in (x, y))
    spread = np.sqrt((share * dx * dx).sum(axis=-1) * (share * dy * dy).sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread > ROUNDING, (share * dx * dy).sum(axis=-1) / spread, np.nan)
