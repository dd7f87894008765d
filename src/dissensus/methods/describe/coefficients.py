"""Coefficients of agreement: Krippendorff's alpha, Fleiss' kappa, Gwet's AC1 and AC2, pairwise agreement.

A coefficient of agreement is a ratio of sums over items, so a bootstrap replicate is a row of weights, and all
replicates are one pass. Sums of whole numbers are exact in any order and may use BLAS. Other sums go through einsum,
whose order is fixed, so that the number of threads never changes a byte.

Every coefficient takes the histogram of label counts (`types`) and `weights` of shape (n_replicates, n_types), how
often each type counts in each replicate; the data if not given. It returns an array of shape (n_replicates,).
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data import CountTypes, Ratings
from dissensus.data.counts import sum_cells
from dissensus.data.labels import Scale, membership
from dissensus.errors import OptionError
from dissensus.options import named

Weighting = Literal["ordinal", "linear", "quadratic"]

# ---- Weighted sums over types: what every coefficient is made of

DENSE_LABELS = 64  # up to this many labels a matrix of counts is faster than a sparse one
PAIRS_AT_ONCE = 1 << 21


def item_weights(types: CountTypes, weights: npt.ArrayLike | None) -> Floats:
    """The weights, of shape (n_replicates, n_types); without any, one replicate: the data themselves."""
    given = types.items if weights is None else weights
    return np.atleast_2d(np.asarray(given, dtype=np.float64))


def pairable(types: CountTypes) -> npt.NDArray[np.bool_]:
    """Which types have at least two ratings, so that two raters can agree on them."""
    return types.ratings >= 2  # noqa: PLR2004 - a pair


def weighted_sum(weights: Floats, per_type: npt.NDArray[np.floating] | Codes) -> Floats:
    """Sum over types of weight times value: shape (n_replicates,), or (n_replicates, k) for k values per type."""
    return np.asarray(np.einsum("rt,t...->r...", weights, per_type))


def label_totals(types: CountTypes, weights: Floats, per_rating: Floats | None = None) -> Floats:
    """Weighted number of ratings of each label, of shape (n_replicates, n_labels)."""
    if types.n_labels <= DENSE_LABELS:
        if per_rating is None:
            return weights @ types.dense().astype(np.float64)  # whole numbers: exact in any order
        return weighted_sum(weights, types.dense() * per_rating[:, None])
    from scipy.sparse import csr_array  # noqa: PLC0415 - takes a while to import and is rarely needed

    scale = np.ones(types.n_types) if per_rating is None else per_rating
    cells = types.count * scale[types.type_of_cell]
    shape = (types.n_types, types.n_labels)
    return np.asarray((csr_array((cells, types.label, types.start), shape=shape).T @ weights.T).T)


def pair_sums(types: CountTypes, weight_of: Callable[[Codes, Codes], npt.NDArray[np.generic]]) -> Floats:
    """Sum over pairs of labels (c, k) of n_c n_k w(c, k), for each type.

    Only labels that an item has are visited, so nothing grows with the square of the number of labels.
    """
    cells = np.diff(types.start)
    chunk = np.cumsum(cells**2) // PAIRS_AT_ONCE
    sums = np.zeros(types.n_types)
    for number in np.unique(chunk):
        members = np.flatnonzero(chunk == number)
        size = cells[members]
        this = np.repeat(np.arange(types.start[members[0]], types.start[members[-1] + 1]), np.repeat(size, size))
        block = np.repeat(size, size)  # for each cell: how many partners it has
        offset = np.arange(len(this)) - np.repeat(np.cumsum(block) - block, block)
        other = np.repeat(np.repeat(types.start[members], size), block) + offset
        value = types.count[this] * types.count[other] * weight_of(types.label[this], types.label[other])
        sums[members] = np.add.reduceat(value.astype(np.float64), np.cumsum(size**2) - size**2)
    return sums


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Quotient, NaN where the denominator is zero."""
    defined = denominator != 0
    return np.where(defined, numerator, np.nan) / np.where(defined, denominator, 1.0)


# ---- Krippendorff's alpha for nominal, ordinal and interval labels, in time linear in the number of label counts


def nominal_alpha(types: CountTypes, weights: npt.ArrayLike | None = None) -> Floats:
    """Krippendorff's alpha for unordered labels.

    `types`: the histogram of label counts; items with one rating do not count. `weights` (n_replicates, n_types): how
    often each type counts in each replicate; the data themselves if not given.

    Returns an array of shape (n_replicates,): 1 is perfect agreement, 0 is chance; NaN if only one label was used or no
    item has two ratings.

    K. Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C.

    >>> from dissensus.data import types_of_matrix
    >>> nominal_alpha(types_of_matrix([[2, 0], [1, 1], [0, 2]])).round(4)  # 1 - (2/6) / (18/30)
    array([0.4444])
    """
    w = _pairable_weights(types, weights)
    n_c = label_totals(types, w)
    n = n_c.sum(axis=1)
    # Counting agreeing instead of disagreeing pairs keeps both sums linear in the number of labels.
    same = sum_cells(types, types.count * (types.count - 1)) / np.maximum(types.ratings - 1, 1)
    agree = ratio(weighted_sum(w, same), n)
    by_chance = ratio((n_c * (n_c - 1)).sum(axis=1), n * (n - 1))
    return ratio(agree - by_chance, 1 - by_chance)


def interval_alpha(types: CountTypes, values: Floats, weights: npt.ArrayLike | None = None) -> Floats:
    """Krippendorff's alpha for numbers: disagreement is the squared difference.

    >>> from dissensus.data import types_of_matrix
    >>> interval_alpha(types_of_matrix([[2, 0], [1, 1], [0, 2]]), np.array([1.0, 5.0])).round(4)
    array([0.4444])
    """
    w = _pairable_weights(types, weights)
    n_c = label_totals(types, w)
    # Alpha does not change when the zero moves or the unit does; a central zero keeps the sums of squares small, and a
    # unit near the largest number keeps squares of 1e200 and of 1e-200 within what a computer can hold.
    totals = label_totals(types, _pairable_weights(types, None))[0]
    x = _in_own_unit(np.where(np.isfinite(values) & (totals > 0), values, 0.0))
    x = _in_own_unit(x - np.average(x, weights=np.maximum(totals, 1e-300)))
    within = _sum_of_squares(types, x[None, :])[0]
    return _alpha_of_squares(types, w, n_c, within[None, :], x[None, :])


def ordinal_alpha(types: CountTypes, weights: npt.ArrayLike | None = None) -> Floats:
    """Krippendorff's alpha for ordered labels.

    The ordinal distance between two labels is the squared difference of their mid-ranks among all ratings, so ordinal
    alpha is interval alpha on mid-ranks, which each replicate has its own.

    >>> from dissensus.data import types_of_matrix
    >>> ordinal_alpha(types_of_matrix([[2, 0], [1, 1], [0, 2]])).round(4)  # with two labels, order adds nothing
    array([0.4444])
    """
    w = _pairable_weights(types, weights)
    n_c = label_totals(types, w)
    n = np.maximum(n_c.sum(axis=1, keepdims=True), 1)
    rank = (np.cumsum(n_c, axis=1) - n_c / 2) / n - 0.5
    return _alpha_of_squares(types, w, n_c, _sum_of_squares(types, rank), rank)


def _pairable_weights(types: CountTypes, weights: npt.ArrayLike | None) -> Floats:
    return item_weights(types, weights) * pairable(types)


def _in_own_unit(x: Floats) -> Floats:
    """The numbers in a unit near the largest of them; a power of two, which leaves every digit as it is."""
    _, exponent = np.frexp(np.abs(x).max(initial=0.0))
    return np.asarray(np.ldexp(x, -exponent))


def _sum_of_squares(types: CountTypes, x: Floats) -> Floats:
    """Sum over an item's ratings of the squared distance from the item's mean; shape (n_replicates, n_types)."""
    if not types.n_types:
        return np.zeros((len(x), 0))
    start = types.start[:-1]
    of_cell = x[:, types.label]
    mean = np.add.reduceat(of_cell * types.count, start, axis=1) / types.ratings
    apart = of_cell - np.repeat(mean, np.diff(types.start), axis=1)
    return np.asarray(np.add.reduceat(apart * apart * types.count, start, axis=1))


def _alpha_of_squares(types: CountTypes, w: Floats, n_c: Floats, within: Floats, x: Floats) -> Floats:
    """1 less observed over expected disagreement, both as sums of squares (2 m S / (m - 1) over pairs of an item)."""
    m = types.ratings
    share = m / np.maximum(m - 1, 1)
    n = n_c.sum(axis=1)
    observed = ratio(np.einsum("rt,rt->r", w, within * share), n)
    mean = ratio(np.einsum("rl,rl->r", n_c, np.broadcast_to(x, n_c.shape)), n)
    expected = ratio(np.einsum("rl,rl->r", n_c, (x - mean[:, None]) ** 2), n - 1)
    # Asked of the whole numbers, because a sum of squares that should be zero may be 1e-33.
    is_one_label = np.count_nonzero(n_c, axis=1) <= 1
    return 1 - ratio(observed, np.where(is_one_label, 0.0, expected))


def agreeing_share(types: CountTypes) -> Floats:
    """Share of the pairs of ratings of an item that agree, for each type; 0 where there is no pair."""
    m = types.ratings
    same = sum_cells(types, types.count * (types.count - 1))
    return np.where(pairable(types), same / np.maximum(m * (m - 1), 1), 0.0)


def pairwise_agreement(types: CountTypes, weights: npt.ArrayLike | None = None) -> Floats:
    """Mean over items with two or more ratings of the share of pairs of ratings that agree; NaN if there is none.

    >>> from dissensus.data import types_of_matrix
    >>> pairwise_agreement(types_of_matrix([[3, 0], [2, 1]])).round(4)  # all pairs agree; one in three does
    array([0.6667])
    """
    w = item_weights(types, weights)
    return ratio(weighted_sum(w, agreeing_share(types)), weighted_sum(w, pairable(types).astype(np.float64)))


def label_shares(types: CountTypes, weights: Floats) -> Floats:
    """Mean over items of the share of an item's ratings that each label has; shape (n_replicates, n_labels)."""
    return ratio(label_totals(types, weights, 1 / types.ratings), weights.sum(axis=1, keepdims=True))


def fleiss_kappa(types: CountTypes, weights: npt.ArrayLike | None = None) -> Floats:
    """Fleiss' kappa, generalised to items with different numbers of ratings.

    Observed agreement is the mean over items with two or more ratings; the shares of labels are means over all items,
    each item counting the same, however many ratings it has.

    Returns shape (n_replicates,): NaN if only one label was used or no item has two ratings.

    K. L. Gwet (2014), "Handbook of Inter-Rater Reliability", 4th ed., section 2.4 (missing ratings).

    >>> from dissensus.data import types_of_matrix
    >>> fleiss_kappa(types_of_matrix([[2, 0], [1, 1], [0, 2]])).round(4)  # (2/3 - 1/2) / (1/2)
    array([0.3333])
    """
    w = item_weights(types, weights)
    shares = label_shares(types, w)
    by_chance = np.where(np.count_nonzero(shares, axis=1) <= 1, 1.0, (shares**2).sum(axis=1))
    return ratio(pairwise_agreement(types, w) - by_chance, 1 - by_chance)


# ---- Gwet's AC1 and AC2: agreement corrected by a chance that does not grow when one label is rare


def gwet_ac1(types: CountTypes, weights: npt.ArrayLike | None = None) -> Floats:
    """Gwet's AC1 for unordered labels; one that nobody used counts among the possible ones.

    Returns shape (n_replicates,): NaN if there is only one label or no item has two ratings.

    K. L. Gwet (2008), "Computing inter-rater reliability and its variance in the presence of high agreement",
    British Journal of Mathematical and Statistical Psychology 61, 29-48.

    >>> from dissensus.data import types_of_matrix
    >>> gwet_ac1(types_of_matrix([[2, 0], [1, 1], [2, 0]])).round(4)  # shares 5/6, 1/6; chance 10/36
    array([0.5385])
    """
    w = item_weights(types, weights)
    return _beyond_chance(pairwise_agreement(types, w), _chance(types, w, total_weight=float(types.n_labels)), types)


def gwet_ac2(
    types: CountTypes, values: Floats, weights: npt.ArrayLike | None = None, *, weighting: Weighting = "ordinal",
) -> Floats:  # fmt: skip
    """Gwet's AC2 for ordered labels: labels close to each other agree in part.

    `values` (n_labels,): the labels as numbers, for linear and quadratic weights; NaN for words, which count by their
    position. `weighting`: how fast partial agreement falls with distance.
    """
    if weighting not in get_args(Weighting):
        raise OptionError.unknown(named("weights"), weighting, get_args(Weighting))
    w = item_weights(types, weights)
    closeness = _Closeness(types.n_labels, values, weighting)
    m = types.ratings
    # Each rating is fully close to itself, and a pair is two different ratings.
    close = (pair_sums(types, closeness.between) - m) / np.maximum(m * (m - 1), 1)
    observed = ratio(weighted_sum(w, close * pairable(types)), weighted_sum(w, pairable(types).astype(np.float64)))
    return _beyond_chance(observed, _chance(types, w, total_weight=closeness.total()), types)


def _chance(types: CountTypes, w: Floats, *, total_weight: float) -> Floats:
    """Gwet's chance agreement: T_w / (q (q - 1)) times the sum of p (1 - p) over q labels."""
    q = types.n_labels
    shares = label_shares(types, w)
    return np.asarray((shares * (1 - shares)).sum(axis=1) * total_weight / max(q * (q - 1), 1))


def _beyond_chance(observed: Floats, by_chance: Floats, types: CountTypes) -> Floats:
    if types.n_labels < 2:  # noqa: PLR2004 - with one label nobody can disagree
        return np.full_like(observed, np.nan)
    return ratio(observed - by_chance, 1 - by_chance)


class _Closeness:
    """Agreement weights between labels: 1 for the same label, 0 for the two that are farthest apart."""

    def __init__(self, n_labels: int, values: Floats, weighting: Weighting) -> None:
        place = np.arange(n_labels, dtype=np.float64)
        self.x = values if weighting != "ordinal" and np.isfinite(values).all() else place
        self.weighting = weighting
        self.range = float(np.ptp(self.x)) if n_labels > 1 else 1.0

    def between(self, c: Codes, k: Codes) -> Floats:
        """Weights of pairs of labels."""
        apart = np.abs(self.x[c] - self.x[k])
        if self.weighting == "ordinal":
            # 1 - C(d + 1, 2) / C(q, 2), with d steps between the labels and q = range + 1 of them.
            return np.asarray(1 - apart * (apart + 1) / (self.range * (self.range + 1)))
        power = 2 if self.weighting == "quadratic" else 1
        return np.asarray(1 - (apart / self.range) ** power)

    def total(self) -> float:
        """Sum of the weights of all pairs of labels."""
        every = np.arange(len(self.x))
        return float(sum(self.between(np.full_like(every, c), every).sum() for c in every))


# ---- Krippendorff's alpha for response sets: two raters who endorse overlapping sets agree in part

Members = npt.NDArray[np.bool_]


def jaccard_distance(members: Members) -> Floats:
    """1 less the size of the intersection over that of the union, for each pair of response sets.

    `members` (n_labels, n_options): which option is in which label; no label is empty.

    >>> jaccard_distance(np.array([[True, False], [True, True]]))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    both, either = _overlap(members)
    return 1 - both / either


def masi_distance(members: Members) -> Floats:
    """MASI distance: Jaccard's similarity, less where neither set contains the other.

    R. Passonneau (2006), "Measuring Agreement on Set-valued Items (MASI) for Semantic and Pragmatic Annotation".

    >>> masi_distance(np.array([[True, False], [True, True]])).round(4)  # 1 - 1/2 * 2/3
    array([[0.    , 0.6667],
           [0.6667, 0.    ]])
    """
    both, either = _overlap(members)
    size = members.sum(axis=1)
    same = both == either
    nested = both == np.minimum(size[:, None], size[None, :])
    monotonicity = np.select([same, nested, both > 0], [1.0, 2 / 3, 1 / 3], 0.0)
    return np.asarray(1 - both / either * monotonicity)


def _overlap(members: Members) -> tuple[Floats, Floats]:
    whole = members.astype(np.float64)
    size = whole.sum(axis=1)
    both = whole @ whole.T  # whole numbers: exact in any order
    return both, size[:, None] + size[None, :] - both


def set_alpha(types: CountTypes, distance: Floats, weights: npt.ArrayLike | None = None) -> Floats:
    """Krippendorff's alpha for any distance between labels.

    Returns an array of shape (n_replicates,): NaN if only one label was used or no item has two ratings.

    >>> from dissensus.data import types_of_matrix
    >>> set_alpha(types_of_matrix([[2, 0], [1, 1], [0, 2]]), 1 - np.eye(2)).round(4)  # nominal alpha
    array([0.4444])
    """
    w = item_weights(types, weights) * pairable(types)
    n_c = label_totals(types, w)
    n = n_c.sum(axis=1)
    apart = pair_sums(types, lambda c, k: distance[c, k]) / np.maximum(types.ratings - 1, 1)
    observed = ratio(weighted_sum(w, apart), n)
    expected = ratio(np.einsum("rc,ck,rk->r", n_c, distance, n_c), n * (n - 1))
    return 1 - ratio(observed, expected)


# ---- Which of them a set of ratings gets

Measure = Callable[..., Floats]  # called as measure(types, weights=weights)
PAIRWISE = "pairwise_agreement"


def measures_for(ratings: Ratings, *, weighting: Weighting | None = None) -> dict[str, Measure]:
    """The coefficients that the scale of the labels allows, by name and in the order of the output.

    Response sets have no order, so they get the nominal coefficients and alpha with the distances between sets. Labels
    that are numbers get interval alpha on an ordinal scale too: the numbers are there, and the output names the scale.
    """
    scale: Scale = "nominal" if ratings.has_response_sets else ratings.scale
    values = ratings.values
    measures: dict[str, Measure] = {PAIRWISE: pairwise_agreement, "krippendorff_alpha_nominal": nominal_alpha}
    if scale != "nominal":
        measures["krippendorff_alpha_ordinal"] = ordinal_alpha
        if np.isfinite(values).all():
            measures["krippendorff_alpha_interval"] = partial(interval_alpha, values=values)
    measures["fleiss_kappa"] = fleiss_kappa
    measures["gwet_ac1"] = gwet_ac1
    if scale != "nominal":
        measures["gwet_ac2"] = partial(gwet_ac2, values=values, weighting=weighting or default_weighting(scale))
    if ratings.has_response_sets:
        members = membership(ratings.labels, ratings.options)
        measures["krippendorff_alpha_jaccard"] = partial(set_alpha, distance=jaccard_distance(members))
        measures["krippendorff_alpha_masi"] = partial(set_alpha, distance=masi_distance(members))
    return measures


def default_weighting(scale: Scale) -> Weighting:
    """Weights of AC2 that fit a scale: by rank for an order, by squared distance for numbers."""
    return "quadratic" if scale == "interval" else "ordinal"
