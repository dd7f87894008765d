"""Each rater's answer to each item, beside what the others of that item answered.

The null is that raters were dealt into groups at random, so raters change groups in a permutation, not ratings: raters
have their ways, and ratings by one of them are no independent witnesses. Nor are raters of a group who see items the
same way: the luck that they share is added.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Ratings
from dissensus.data.assemble import NO_GROUP
from dissensus.errors import OptionError, counted
from dissensus.options import named
from dissensus.sampling.draws import chunk_sizes

MOST_CELLS = 200_000_000  # items times labels that fit in memory


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RaterCells:
    """A cell is a rater and an item; several ratings in it count as their mean."""

    rater: Codes  # (n_cells,)
    item: Codes  # (n_cells,)
    of_rating: Codes  # (n_ratings,): the cell of each rating
    size: Codes  # (n_cells,): how many ratings it has
    raters_of_item: Codes  # (n_items,): how many cells each has
    agreement: Floats  # (n_cells,): mean closeness to the other raters of the item; NaN without one
    others: Floats  # (n_cells,): mean closeness of those others to each other; NaN with fewer than two
    height: Floats  # (n_cells,): the answer as a number; NaN where labels are none
    leniency: Floats  # (n_cells,): it less the others' mean; NaN without others
    repeated: Floats  # (n_cells,): mean closeness of the cell's ratings to each other; NaN with one rating


def cells_of(ratings: Ratings, near: Floats, heights: Floats | None) -> RaterCells:
    """The cells of ratings, from how near labels are to each other, (n_labels, n_labels), and labels as numbers."""
    if ratings.copies is not None:
        raise OptionError("Raters are not known where identical items were merged: read the files "
                          "without reducing them.")  # fmt: skip
    if ratings.rater is None or ratings.times is not None:
        raise OptionError("The ratings do not say who rated what: add a rater column.")
    if ratings.n_items * ratings.n_labels > MOST_CELLS:
        raise OptionError(f"{ratings.n_labels} labels are too many to compare raters by: round them to fewer.")
    key, cell = np.unique(ratings.rater * ratings.n_items + ratings.item, return_inverse=True)
    item = key % ratings.n_items
    size = np.bincount(cell)
    weight = 1 / size[cell]
    answers = np.zeros((ratings.n_items, ratings.n_labels))
    np.add.at(answers, (ratings.item, ratings.label), weight)
    raters_of_item = np.bincount(item, minlength=ratings.n_items)
    to_itself = _to_itself(ratings.label, cell, size, near)
    to_all = np.bincount(cell, weights=weight * (answers @ near)[ratings.item, ratings.label])
    to_others = to_all - to_itself  # summed over the other raters
    m = raters_of_item[item]
    pairs = np.bincount(item, weights=to_others, minlength=ratings.n_items)[item]
    height = np.full(len(key), np.nan)
    if heights is not None:
        height = np.bincount(cell, weights=weight * heights[ratings.label])
    total = np.bincount(item, weights=height, minlength=ratings.n_items)[item]
    return RaterCells(
        rater=key // ratings.n_items, item=item, of_rating=cell, size=size, raters_of_item=raters_of_item,
        agreement=_ratio(to_others, m - 1), others=_ratio(pairs - 2 * to_others, (m - 1) * (m - 2)), height=height,
        leniency=height - _ratio(total - height, m - 1), repeated=_ratio(to_itself * size**2 - size, size * (size - 1)),
    )  # fmt: skip


def _ratio(total: Floats, count: Codes) -> Floats:
    return np.where(count > 0, total / np.where(count > 0, count, 1), np.nan)


def _to_itself(label: Codes, cell: Codes, size: Codes, near: Floats) -> Floats:
    """How near a cell's mean answer is to itself: 1 with one rating, less where several differ."""
    near_itself = np.ones(len(size))
    several = np.flatnonzero(size > 1)
    if not several.size:
        return near_itself
    place = np.full(len(size), -1)
    place[several] = np.arange(len(several))
    rows = np.flatnonzero(place[cell] >= 0)
    shares = np.zeros((len(several), len(near)))
    np.add.at(shares, (place[cell[rows]], label[rows]), 1 / size[cell[rows]])
    near_itself[several] = np.einsum("nl,lm,nm->n", shares, near, shares, optimize=True)
    return near_itself


def rater_means(cells: RaterCells, values: Floats, n_raters: int) -> tuple[Floats, Codes]:
    """Mean of the known values of each rater's cells, NaN without any, and how many there are."""
    known = ~np.isnan(values)
    count = np.bincount(cells.rater[known], minlength=n_raters)
    total = np.bincount(cells.rater[known], weights=values[known], minlength=n_raters)
    return _ratio(total.astype(np.float64), count), count


class Groups(NamedTuple):
    """Names of two or more groups, and a code into them for each rater, or -1 without a group."""

    names: tuple[str, ...]
    of_rater: Codes

    def of_cells(self, cells: RaterCells) -> Codes:
        """The group of each cell's rater."""
        return np.asarray(self.of_rater[cells.rater])


def groups_of_raters(ratings: Ratings) -> tuple[Groups | None, list[str]]:
    """The groups, and warnings; None if there are fewer than two, or they are not groups of raters.

    A rater whose group is missing in some rows is in that of the others.
    """
    names = tuple(name for name in ratings.groups if name != NO_GROUP)
    if ratings.group is None or ratings.rater is None or len(names) < 2:  # noqa: PLR2004 - two can differ
        return None, []
    codes = {name: code for code, name in enumerate(names)}
    group = np.array([codes.get(name, -1) for name in ratings.groups], dtype=np.intp)[ratings.group]
    of_rater = np.full(len(ratings.raters), -1, dtype=np.intp)
    of_rater[ratings.rater[group >= 0]] = group[group >= 0]
    differs = (group >= 0) & (of_rater[ratings.rater] != group)
    several = int(np.count_nonzero(np.bincount(ratings.rater[differs])))
    if several:
        why = f"{counted(several, 'rater')} rated in several of them, so the group column is not about raters"
        return None, [f"Groups are not compared: {why}. Name another one with {named('group', of='read')}."]
    without = int(np.sum(of_rater < 0))
    left_out = f"Left out {counted(without, 'rater')} without a group where groups are compared."
    return Groups(names, of_rater), [left_out] if without else []


def on_shared_items(cells: RaterCells, groups: Groups) -> Flags:
    """Which cells of raters in groups are of items that two or more groups rated: others say nothing about groups."""
    group = groups.of_cells(cells)
    known = group >= 0
    one = np.full(len(cells.raters_of_item), -1, dtype=np.intp)
    one[cells.item[known]] = group[known]
    is_shared = np.bincount(cells.item[known & (one[cells.item] != group)], minlength=len(one)) > 0
    return np.asarray(known & is_shared[cells.item])


def smallest_p(groups: Groups) -> float:
    """The p-value of groups that could not be farther apart: one in this many dealings of the raters."""
    sizes = np.bincount(groups.of_rater[groups.of_rater >= 0], minlength=len(groups.names))
    dealings = math.lgamma(sizes.sum() + 1) - sum(math.lgamma(size + 1) for size in sizes)
    alike = sum(math.lgamma(times + 1) for times in np.bincount(sizes)[1:])  # groups of a size can change places
    return math.exp(alike - dealings)


# ---- Empirical Bayes: a rater with few items says little, and is drawn towards the others

HALVINGS = 200
FEWEST_TO_SHRINK = 4  # with fewer raters nothing can be told about how raters differ, and nobody is drawn anywhere


class Shrunk(NamedTuple):
    """Raters drawn towards their mean, NaN without a number; mean and spread of the raters without what chance adds."""

    value: Floats
    low: Floats
    high: Floats
    mean: float
    spread: float


def pooled_variance(values: Floats, rater: Codes, means: Floats) -> float:
    """Variance of a rater's items about the rater's own mean, the same for all raters; NaN if nobody has two items."""
    known = ~np.isnan(values)
    rest = values[known] - means[rater[known]]
    freedom = int(known.sum()) - int(np.count_nonzero(np.bincount(rater[known])))
    return float((rest**2).sum() / freedom) if freedom > 0 else float("nan")


def spread_between(means: Floats, variances: Floats) -> tuple[float, float]:
    """Mean and variance of the raters behind noisy means (Paule and Mandel 1982).

    The variance is such that the weighted squares about the weighted mean sum to one less than the raters; `variances`
    are what chance gives to the mean of each.
    """

    def excess(between: float) -> tuple[float, float]:
        weights = 1 / (variances + between)
        centre = float((weights * means).sum() / weights.sum())
        return float((weights * (means - centre) ** 2).sum()) - (len(means) - 1), centre

    if excess(0.0)[0] <= 0:
        return excess(0.0)[1], 0.0
    low, high = 0.0, float(np.var(means, ddof=1)) + float(variances.max())
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if excess(middle)[0] > 0 else (low, middle)
    return excess(high)[1], high


def shrink(means: Floats, counts: Codes, variance: float, *, confidence: float) -> Shrunk:
    """Each rater's mean drawn towards the others', with Morris's (1983) interval.

    From the means, of shape (n_raters,), NaN for a rater without a number, the items that each rests on, and the
    variance of one item.

    C. Morris (1983), "Parametric Empirical Bayes Inference: Theory and Applications", JASA 78, section 4.
    """
    from scipy.special import ndtri  # noqa: PLC0415 - takes a while to import

    known = (counts > 0) & ~np.isnan(means)
    nothing = np.full(len(means), np.nan)
    if not known.any():
        return Shrunk(nothing, nothing, nothing, float("nan"), float("nan"))
    y, v = means[known], np.maximum(variance / counts[known], 0.0)
    n = len(y)
    if n < FEWEST_TO_SHRINK or not np.isfinite(variance) or variance == 0:
        value, uncertainty, centre, between = y, v, float(y.mean()), float("nan")
    else:
        centre, between = spread_between(y, v)
        pull = (n - 3) / (n - 1) * v / (v + between)
        value = y - pull * (y - centre)
        uncertainty = v * (1 - (n - 1) / n * pull) + 2 / (n - 3) * pull**2 * (y - centre) ** 2
    reach = float(ndtri((1 + confidence) / 2)) * np.sqrt(uncertainty)
    drawn = np.full((3, len(means)), np.nan)
    drawn[:, known] = value, value - reach, value + reach
    return Shrunk(drawn[0], drawn[1], drawn[2], mean=centre, spread=float(np.sqrt(between)))


# ---- Groups of raters: do they differ, and is a judge nearer to one than to another?

PERMUTATIONS_AT_ONCE = 1 << 21  # raters times dealings that are held in memory


def centred(cells: RaterCells, values: Floats) -> Floats:
    """Values less the mean of the item; NaN stays NaN."""
    known = ~np.isnan(values)
    total = np.bincount(cells.item[known], weights=values[known], minlength=len(cells.raters_of_item))
    count = np.bincount(cells.item[known], minlength=len(cells.raters_of_item))
    return np.asarray(values - (total / np.maximum(count, 1))[cells.item])


def between_groups(
    sums: Floats, weights: Floats, groups: Codes, n_groups: int, *, moved: Floats | None = None
) -> Floats:
    """Squares between groups: what group means explain, in each row of groups, of shape (n_rows, n_raters).

    `moved` (n_rows, n_groups): added to the sums of groups.
    """
    away = sums - weights * (sums.sum() / weights.sum())
    inside = [(groups == group).astype(np.float64) for group in range(n_groups)]
    weight = np.stack([own @ weights for own in inside], axis=1)
    total = np.stack([own @ away for own in inside], axis=1)
    if moved is not None:
        total = total + moved - weight / weights.sum() * moved.sum(axis=1, keepdims=True)
    return np.asarray(np.where(weight > 0, total**2 / np.where(weight > 0, weight, 1.0), 0.0).sum(axis=1))


def rater_weights(means: Floats, counts: Codes, variance: float) -> Floats:
    """How much each rater's mean counts: less for few items, but not in proportion, since raters differ too.

    The variance is that of one value about its rater's mean.
    """
    if not variance > 0 or len(means) < 2:  # noqa: PLR2004 - nothing between fewer than two
        return np.ones(len(means))
    noise = variance / counts
    return np.asarray(1 / (noise + spread_between(means, noise)[1]))


def groups_p(cells: RaterCells, values: Floats, groups: Groups, *, resamples: int, rng: Generator) -> float:
    """The p-value that raters' means of these values do not depend on their group, on other items like these.

    Raters without a value or a group take no part. NaN if fewer than two groups have one.
    """
    means, counts = rater_means(cells, values, len(groups.of_rater))
    variance = pooled_variance(values, cells.rater, means)
    part = (counts > 0) & (groups.of_rater >= 0)
    weights = rater_weights(means[part], counts[part], variance)
    present, of_rater = np.unique(groups.of_rater[part], return_inverse=True)
    if len(present) < 2:  # noqa: PLR2004 - two groups can differ
        return float("nan")
    each, code = np.zeros(len(part)), np.full(len(part), -1)
    each[part], code[part] = weights / counts[part], of_rater
    centre = float((means[part] * weights).sum() / weights.sum())
    shared = shared_luck(cells, each[cells.rater] * (values - centre), code[cells.rater], len(present))
    return permutation_p(means[part], weights, of_rater, resamples=resamples, rng=rng, shared=shared)


def shared_luck(cells: RaterCells, values: Floats, group: Codes, n_groups: int) -> Floats:
    """A root of the covariance of groups' sums, beyond that of the single values, of shape (n_groups, n_groups).

    Raters of a group who see an item the same way share luck: which items there are, and whether a judge sees them so,
    too. Dealing raters into other groups has the noise of single values already. `group` (n_cells,): -1 takes no part.
    """
    known = ~np.isnan(values) & (group >= 0)
    place, value = cells.item[known] * n_groups + group[known], values[known]
    sums = np.bincount(place, weights=value, minlength=len(cells.raters_of_item) * n_groups).reshape(-1, n_groups)
    single = np.bincount(group[known], weights=value**2, minlength=n_groups)
    size, ways = np.linalg.eigh(sums.T @ sums - np.diag(single))
    return np.asarray(ways * np.sqrt(np.maximum(size, 0)))


def permutation_p(
    means: Floats, weights: Floats, groups: Codes, *, resamples: int, rng: Generator, shared: Floats | None = None
) -> float:
    """Share of dealings of raters into groups of these sizes that set groups apart as much; the data count as one.

    The weights do not know the groups, so the test is exact where raters can be exchanged; with weights in proportion
    to the items, four raters with many items would be called different too often, and four with few items never.
    `shared`: of the luck that raters of a group share.
    """
    n_groups = int(groups.max()) + 1
    sums = means * weights
    observed = float(between_groups(sums, weights, groups[None, :], n_groups)[0])
    slack = 1e-9 * float((weights * means**2).sum())
    as_far = np.zeros(2)
    for rows in chunk_sizes(resamples, len(groups), most=PERMUTATIONS_AT_ONCE):
        dealt = rng.permuted(np.tile(groups.astype(np.int32), (rows, 1)), axis=1)
        luck = np.zeros((rows, n_groups)) if shared is None else rng.standard_normal((rows, n_groups)) @ shared.T
        drawn = [between_groups(sums, weights, dealt, n_groups, moved=moved) for moved in (None, luck)]
        as_far += (np.stack(drawn) >= observed - slack).sum(axis=1)
    return float(1 + as_far.max()) / (1 + resamples)  # luck makes no dealing rarer
