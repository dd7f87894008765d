"""Groups of raters: do they differ, and is a judge nearer to one than to another?

The null is that raters were dealt into groups at random, so raters change groups in a permutation, not ratings: raters
have their ways, and ratings by one of them are no independent witnesses.
"""

import numpy as np
from numpy.random import Generator

from dissensus.decisions.closeness import Floats
from dissensus.decisions.portraying.cells import Cells, rater_means
from dissensus.decisions.portraying.grouping import Groups
from dissensus.decisions.portraying.shrinking import pooled_variance, spread_between
from dissensus.ratings.coding import Codes

PERMUTATIONS_AT_ONCE = 1 << 21
"""Raters times dealings that are held in memory."""


def centred(cells: Cells, values: Floats) -> Floats:
    """Values less the mean of the item; NaN stays NaN."""
    known = ~np.isnan(values)
    total = np.bincount(cells.item[known], weights=values[known], minlength=len(cells.raters_of_item))
    count = np.bincount(cells.item[known], minlength=len(cells.raters_of_item))
    return np.asarray(values - (total / np.maximum(count, 1))[cells.item])


def between_groups(sums: Floats, weights: Floats, groups: Codes, n_groups: int) -> Floats:
    """Squares between groups: what group means explain, in each row of groups.

    Parameters
    ----------
    sums, weights : ndarray of shape (n_raters,)
        Of each rater's values.
    groups : ndarray of shape (n_rows, n_raters)
        Group of each rater.
    n_groups : int
        How many groups there are.
    """
    total = np.zeros(len(groups))
    away = sums - weights * (sums.sum() / weights.sum())
    for group in range(n_groups):
        inside = (groups == group).astype(np.float64)
        weight = inside @ weights
        total += np.where(weight > 0, (inside @ away) ** 2 / np.where(weight > 0, weight, 1.0), 0.0)
    return total


def rater_weights(means: Floats, counts: Codes, variance: float) -> Floats:
    """How much each rater's mean counts: less for few items, but not in proportion, since raters differ too.

    Parameters
    ----------
    means, counts : ndarray of shape (n_raters,)
        Of the raters' values.
    variance : float
        Of one value about its rater's mean.
    """
    if not variance > 0 or len(means) < 2:  # noqa: PLR2004 - nothing between fewer than two
        return np.ones(len(means))
    noise = variance / counts
    return np.asarray(1 / (noise + spread_between(means, noise)[1]))


def groups_p(cells: Cells, values: Floats, groups: Groups, *, resamples: int, rng: Generator) -> float:
    """The p-value that raters' means of these values do not depend on their group.

    Raters without a value or a group take no part. NaN if fewer than two groups have one.
    """
    means, counts = rater_means(cells, values, len(groups.of_rater))
    variance = pooled_variance(values, cells.rater, means)
    part = (counts > 0) & (groups.of_rater >= 0)
    weights = rater_weights(means[part], counts[part], variance)
    return permutation_p(means[part], weights, groups.of_rater[part], resamples=resamples, rng=rng)


def permutation_p(means: Floats, weights: Floats, groups: Codes, *, resamples: int, rng: Generator) -> float:
    """Share of dealings of raters into groups of these sizes that set groups apart as much; the data count as one.

    Parameters
    ----------
    means, weights : ndarray of shape (n_raters,)
        Of each rater. The weights do not know the groups, so the test is exact where raters can be exchanged; with
        weights in proportion to the items, four raters with many items would be called different too often, and four
        with few items never.
    groups : ndarray of shape (n_raters,)
        Group of each.
    resamples : int
        Dealings.
    rng : Generator
        Deals.
    """
    present, groups = np.unique(groups, return_inverse=True)
    if len(present) < 2:  # noqa: PLR2004 - two groups can differ
        return float("nan")
    sums = means * weights
    found = float(between_groups(sums, weights, groups[None, :], len(present))[0])
    slack = 1e-9 * float((weights * means**2).sum())
    step = max(1, PERMUTATIONS_AT_ONCE // len(groups))
    as_far = 0
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        dealt = rng.permuted(np.tile(groups.astype(np.int32), (rows, 1)), axis=1)
        as_far += int(np.sum(between_groups(sums, weights, dealt, len(present)) >= found - slack))
    return (1 + as_far) / (1 + resamples)
