"""Groups of raters: do they differ, and is a judge nearer to one than to another?

The null is that raters were dealt into groups at random, so raters change groups in a permutation, not ratings: raters
have their ways, and ratings by one of them are no independent witnesses.
"""

import numpy as np
from numpy.random import Generator

from dissensus.decisions.portraying.cells import Cells
from dissensus.decisions.portraying.closeness import Floats
from dissensus.ratings.coding import Codes

PERMUTATIONS_AT_ONCE = 1 << 22


def centred(cells: Cells, values: Floats) -> Floats:
    """Values less the mean of the item; NaN stays NaN."""
    known = ~np.isnan(values)
    total = np.bincount(cells.item[known], weights=values[known], minlength=len(cells.raters_of_item))
    count = np.bincount(cells.item[known], minlength=len(cells.raters_of_item))
    return np.asarray(values - (total / np.maximum(count, 1))[cells.item])


def rater_sums(cells: Cells, values: Floats, n_raters: int) -> tuple[Floats, Codes]:
    """Sum of the known values of each rater's cells, and how many there are."""
    known = ~np.isnan(values)
    rater = cells.rater[known]
    sums = np.bincount(rater, weights=values[known], minlength=n_raters)
    return sums.astype(np.float64), np.bincount(rater, minlength=n_raters)


def between_groups(sums: Floats, counts: Codes, groups: Codes, n_groups: int) -> Floats:
    """Squares between groups: what group means explain, in each row of groups.

    Parameters
    ----------
    sums, counts : ndarray of shape (n_raters,)
        Of each rater's values.
    groups : ndarray of shape (n_rows, n_raters)
        Group of each rater.
    n_groups : int
        How many groups there are.
    """
    total = np.zeros(len(groups))
    centre = sums.sum() / max(1, counts.sum())
    for group in range(n_groups):
        inside = groups == group
        count = inside @ counts
        away = inside @ sums - centre * count
        total += np.where(count > 0, away**2 / np.maximum(count, 1), 0.0)
    return total


def permutation_p(sums: Floats, counts: Codes, groups: Codes, *, resamples: int, rng: Generator) -> float:
    """Share of dealings of raters into groups of these sizes that set groups apart as much; the data count as one.

    Raters without a value take no part. NaN if fewer than two groups have one.
    """
    part = counts > 0
    sums, counts, groups = sums[part], counts[part], groups[part]
    present, groups = np.unique(groups, return_inverse=True)
    if len(present) < 2:  # noqa: PLR2004 - two groups can differ
        return float("nan")
    found = between_groups(sums, counts, groups[None, :], len(present))[0]
    slack = 1e-9 * max(1.0, found)
    step = max(1, PERMUTATIONS_AT_ONCE // len(groups))
    as_far = 0
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        dealt = rng.permuted(np.tile(groups, (rows, 1)), axis=1)
        as_far += int(np.sum(between_groups(sums, counts, dealt, len(present)) >= found - slack))
    return (1 + as_far) / (1 + resamples)
