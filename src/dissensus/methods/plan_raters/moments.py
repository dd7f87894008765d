"""Exact moments of what one item says about two judges: who is nearer to people, and by how much.

With U = B - A and V = B + A - 2G, where G, A and B are the means of an item's responses, A is nearer than B if U and V
have the same sign, and |B - G| - |A - G| = sign(UV) min(|U|, |V|). U and V are normal and, if A's and B's responses
have the same spread, independent.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Flags, Floats
from dissensus.sampling.raters import FEWEST_RATERS

# ---- The kinds of items that a test set is made of: how far responses spread, and how far each judge is from people

SPREAD_POINTS = 24
SHIFT_POINTS = 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nodes:
    """Kinds of items and how common each is; sums over the last axis are expectations over items."""

    weight: Floats  # (..., n_nodes): share of the items of each kind; each row sums to 1
    people: Floats  # (..., n_nodes): standard deviation of one person's, and of one of a judge's, responses to an item
    machine: Floats  # (..., n_nodes)
    shift_a: Floats  # (..., n_nodes): mean of A's, of B's responses less that of people's
    shift_b: Floats  # (..., n_nodes)


def normal_nodes(effect: float, spread: tuple[float, float] = (0.0, 0.3)) -> Nodes:
    """The population of the paper: normal responses, A like people, B shifted by up to `effect` either way.

    The shift e = clip(mu + eps, 0, 1) - mu, with mu uniform on [0, 1] and eps on [-effect, effect], has the density
    (1 + effect - 2t) / effect at |e| = t; its sign does not matter.

    "How Many Raters Do You Need?", section 3.
    """
    low, high = spread
    unit, weight = _unit_rule(SPREAD_POINTS)
    # The cube puts many points near the smallest spread, where an item goes from undecided to decided.
    sigma, sigma_weight = low + (high - low) * unit**3, weight * 3 * unit**2
    unit, weight = _unit_rule(SHIFT_POINTS)
    shift = effect * unit
    weights = sigma_weight[:, None] * weight * (1 + effect - 2 * shift)
    sigmas = np.repeat(sigma, SHIFT_POINTS)
    shifts = np.tile(shift, SPREAD_POINTS)
    return Nodes(
        weight=weights.ravel() / weights.sum(), people=sigmas, machine=sigmas, shift_a=np.zeros_like(shifts),
        shift_b=shifts,
    )  # fmt: skip


def _unit_rule(points: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre points and weights on [0, 1]."""
    x, weight = np.polynomial.legendre.leggauss(points)
    return (x + 1) / 2, weight / 2


HERMITE_POINTS = 16
MOST_EXACT_SAMPLES = 6  # with more samples the number that comes from B's distribution in the null is taken as normal
SMALLEST = 1e-12  # stands for a standard deviation of zero


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moments:
    """What one item of the test set says on average; each an array of the nodes' leading shape."""

    margin: Floats  # share of items on which A is nearer less share on which B is
    tied: Floats  # share of items on which both are equally near, always
    mean: Floats  # of |B - G| - |A - G|, over items and responses
    variance: Floats
    # the same if every response of A and of B is drawn from either judge by the toss of a coin; its mean is 0
    null_variance: Floats
    between: Floats | float = 0.0  # variance of what one rater adds to the mean over the items that he or she rates
    crew: "Crew | None" = None  # where the plan is for new raters


class Crew(NamedTuple):
    """How items are handed out to new raters: to as many that none rates more items than one of the pilot did."""

    per_item: int
    load: float  # ratings of one rater

    def in_all(self, items: npt.ArrayLike) -> Floats:
        """How many raters that takes, at least three: fewer say nothing about others."""
        wanted = np.ceil(np.asarray(items, dtype=np.float64) * self.per_item / self.load - SMALLEST)
        return np.maximum(wanted, max(self.per_item, FEWEST_RATERS))


def first_row(moments: Moments) -> Moments:
    """The first of several."""
    return Moments(
        margin=np.asarray(moments.margin[0]), tied=np.asarray(moments.tied[0]), mean=np.asarray(moments.mean[0]),
        variance=np.asarray(moments.variance[0]), null_variance=np.asarray(moments.null_variance[0]),
    )  # fmt: skip


def item_moments(
    nodes: Nodes, *, raters: int, samples: int, has_null: bool = True, points: int = HERMITE_POINTS
) -> Moments:
    """Moments of an item with this many raters and this many responses of each judge.

    `nodes`: the kinds of items. `raters`, `samples`: responses of people, and of each judge. `has_null`: whether the
    null's variance, which only the paper's p needs, is computed; else it is NaN. `points`: of the quadrature behind the
    variances.
    """
    own = nodes.machine**2 / samples
    shared = nodes.people**2 / raters
    sd_u, sd_v = np.sqrt(2 * own), np.sqrt(2 * own + 4 * shared)
    u, v = nodes.shift_b - nodes.shift_a, nodes.shift_a + nodes.shift_b
    error = np.sqrt(own + shared)
    mean = _expected(nodes, folded_mean(nodes.shift_b, error) - folded_mean(nodes.shift_a, error))
    square = _expected(nodes, smaller_square(u, sd_u, v, sd_v, points=points))
    return Moments(
        margin=_expected(nodes, sign_mean(u, sd_u) * sign_mean(v, sd_v)),
        tied=_expected(nodes, ((u == 0) & (own == 0)) | ((v == 0) & (own + shared == 0))),
        mean=mean,
        variance=np.maximum(square - mean**2, 0),
        null_variance=_null_variance(nodes, sd_u, sd_v, samples) if has_null else np.full_like(mean, np.nan),
    )


def _expected(nodes: Nodes, values: Floats) -> Floats:
    return np.asarray((nodes.weight * values).sum(axis=-1))


def sign_mean(mean: Floats, sd: Floats) -> Floats:
    """Expected sign of a normal number."""
    from scipy.special import ndtr  # noqa: PLC0415 - takes a while to import

    return np.asarray(2 * ndtr(mean / np.maximum(sd, SMALLEST)) - 1)


def folded_mean(mean: Floats, sd: Floats) -> Floats:
    """Expected absolute value of a normal number.

    >>> folded_mean(np.array([0.0, 3.0]), np.array([1.0, 0.0])).round(4)  # sqrt(2 / pi), and a constant
    array([0.7979, 3.    ])
    """
    from scipy.special import ndtr  # noqa: PLC0415 - as above

    sd = np.maximum(sd, SMALLEST)
    z = mean / sd
    return np.asarray(sd * np.sqrt(2 / np.pi) * np.exp(-z * z / 2) + mean * (2 * ndtr(z) - 1))


def smaller_square(u: Floats, sd_u: Floats, v: Floats, sd_v: Floats, *, points: int = HERMITE_POINTS) -> Floats:
    """Expected min(U^2, V^2) of independent normal numbers.

    Over V it is known; over U, which spreads no more than V, a few points of Gauss and Hermite suffice.

    `u`, `v`: means. `sd_u`, `sd_v`: standard deviations, sd_u at most sd_v. `points`: how many.
    """
    from scipy.special import ndtr  # noqa: PLC0415 - as above

    x, weight = np.polynomial.hermite_e.hermegauss(points)
    bound = np.abs(u[..., None] + sd_u[..., None] * x)
    mean, sd = v[..., None], np.maximum(sd_v, SMALLEST)[..., None]
    low, high = (-bound - mean) / sd, (bound - mean) / sd
    inside = ndtr(high) - ndtr(low)
    at_low, at_high = _density(low), _density(high)
    square_inside = (
        (mean**2 + sd**2) * inside + 2 * mean * sd * (at_low - at_high) + sd**2 * (low * at_low - high * at_high)
    )
    return np.asarray((bound**2 * (1 - inside) + square_inside) @ (weight / weight.sum()))


def _density(z: Floats) -> Floats:
    z = np.clip(z, -40, 40)  # beyond it is zero, and its square would overflow
    return np.asarray(np.exp(-z * z / 2) / np.sqrt(2 * np.pi))


def _null_variance(nodes: Nodes, sd_u: Floats, sd_v: Floats, samples: int) -> Floats:
    """A's mean is moved towards B's by the share of its samples that come from B, and so is B's by its own share."""
    from scipy.special import binom  # noqa: PLC0415 - as above

    apart, start = nodes.shift_b - nodes.shift_a, 2 * nodes.shift_a
    if samples > MOST_EXACT_SAMPLES:
        more = apart**2 / (2 * samples)  # variance of the two shares' difference, and of their sum
        squares = smaller_square(0 * apart, np.sqrt(sd_u**2 + more), start + apart, np.sqrt(sd_v**2 + more))
        return _expected(nodes, squares)
    chance = binom(samples, np.arange(samples + 1)) / 2.0**samples
    total = np.zeros(nodes.weight.shape[:-1])
    for j in range(samples + 1):
        for k in range(j + 1):  # j and k may be exchanged
            squares = smaller_square(apart * (j - k) / samples, sd_u, start + apart * (j + k) / samples, sd_v)
            total = total + chance[j] * chance[k] * (1 if j == k else 2) * _expected(nodes, squares)
    return np.asarray(total)


# ---- From the moments of an item to a test set: the paper's expected p, and the power of the test that `compare` runs

Items = npt.NDArray[np.intp] | int

MOST_DEGREES = 500.0  # degrees of freedom beyond which Student's t is taken as normal
FARTHEST = 30.0  # a noncentrality beyond which every test rejects, and series lose their digits


def expected_p(moments: Moments, items: int, *, metric: str) -> float:
    """The paper's p: how often a test set without a difference shows as large a one as a test set with it, or larger.

    `moments`: of one item; without a leading shape. `items`: size of the test set. `metric`: wins is exact; for the
    others the sum over items is taken as normal.
    """
    from scipy.special import bdtr, ndtr  # noqa: PLC0415 - takes a while to import

    if metric != "wins":
        spread = np.sqrt(moments.variance + moments.null_variance)
        return float(ndtr(-np.sqrt(items) * np.abs(moments.mean) / spread)) if spread > 0 else 1.0
    if moments.tied == 1:
        return 1.0
    decided, margin = _decided(moments, items)
    wins = np.arange(int(decided) + 1)
    below = np.concatenate([[0.0], bdtr(wins, decided, 0.5)])
    return float((np.diff(below) * bdtr(wins, decided, (1 + abs(float(margin))) / 2)).sum())


def sign_flip_power(moments: Moments, items: Items, *, metric: str, alpha: float) -> Floats:
    """How often the two-sided item sign-flip test rejects.

    `moments`: of one item. `items`: size of the test set; broadcasts with the moments. `metric`: for wins the sign-flip
    test is the sign test, whose power is exact; for the others it is nearly a t test. `alpha`: level of the test.
    """
    if moments.crew is not None and np.any(moments.between):
        return new_raters_power(moments, items, moments.crew, metric=metric, alpha=alpha)
    if metric == "wins":
        decided, margin = _decided(moments, items)
        return sign_test_power(decided, margin, alpha=alpha)
    return mean_power(moments, items, alpha=alpha)


def new_raters_power(moments: Moments, items: Items, crew: Crew, *, metric: str, alpha: float) -> Floats:
    """Power of a t test whose error holds the noise of items and of raters, by Welch and Satterthwaite.

    A difference of 1 with a standard error of .4, from 50 items and 5 raters, half of its variance from either:

    >>> five = Moments(
    ...     margin=np.zeros(()), tied=np.zeros(()), mean=np.ones(()), variance=np.array(4.0),
    ...     null_variance=np.zeros(()), between=0.4,
    ... )
    >>> power = new_raters_power(five, 50, Crew(per_item=5, load=50), metric="mae", alpha=0.05)
    >>> round(float(power), 3)  # 14.8 degrees of freedom
    0.646
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - as above

    n = np.asarray(items, dtype=np.float64)
    if metric == "wins":
        effect, single = np.abs(moments.margin), np.maximum(1 - moments.tied - moments.margin**2, 0)
    else:
        effect, single = np.abs(moments.mean), moments.variance
    in_all = crew.in_all(n)
    own, between = single / n, moments.between / in_all
    whole = np.maximum(own + between, SMALLEST**2)
    parts = own**2 / np.maximum(n - 1, 1) + between**2 / (in_all - 1)
    degrees = np.clip(whole**2 / np.maximum(parts, SMALLEST**4), 1, MOST_DEGREES)
    bound = np.asarray(stdtrit(degrees, 1 - alpha / 2), dtype=np.float64)
    return _t_power(np.minimum(effect / np.sqrt(whole), FARTHEST), degrees, bound)


def _t_power(noncentrality: Floats, degrees: Floats, bound: Floats, *, is_normal: Flags | bool = False) -> Floats:
    """How often a noncentral t lies beyond a bound; where the series gives up, far from 0, it is as good as normal."""
    from scipy.special import nctdtr, ndtr  # noqa: PLC0415 - as above

    power = 1 - nctdtr(degrees, noncentrality, bound) + nctdtr(degrees, noncentrality, -bound)
    normal = ndtr(noncentrality - bound) + ndtr(-noncentrality - bound)
    return np.asarray(np.clip(np.where(np.isfinite(power) & ~np.asarray(is_normal), power, normal), 0, 1))


def mean_power(moments: Moments, items: Items, *, alpha: float) -> Floats:
    """Power of flipping the signs of the items' differences.

    Given their sizes, the flipped sums have variance sum(d^2): the test rejects if |sum(d)| > z sqrt(sum(d^2)), which
    is a bound on Student's t. With an effect, t is taken as noncentral t.
    """
    from scipy.special import ndtri  # noqa: PLC0415 - as above

    n = np.asarray(items, dtype=np.float64)
    z = -ndtri(alpha / 2)
    is_possible = (n > z * z) & (moments.variance > 0)
    room = np.where(is_possible, n - z * z, 1.0)
    bound = z * np.sqrt((n - 1) / room)
    effect = np.abs(moments.mean) / np.sqrt(np.where(moments.variance > 0, moments.variance, 1.0))
    noncentrality = np.minimum(np.sqrt(n) * effect, FARTHEST)
    degrees = np.clip(n - 1, 1, MOST_DEGREES)
    power = _t_power(noncentrality, degrees, bound, is_normal=n - 1 > MOST_DEGREES)
    return np.asarray(np.where(is_possible, power, 0.0))


def sign_test_power(items: npt.NDArray[np.int64], margin: Floats, *, alpha: float) -> Floats:
    """Power of the two-sided sign test on this many items without a tie."""
    from scipy.special import bdtr, bdtrik  # noqa: PLC0415 - as above

    # The largest c for which c wins or fewer, of either judge, are rare enough.
    c = np.floor(bdtrik(np.minimum(alpha / 2, 0.5), items, 0.5))
    c = np.where(bdtr(c + 1, items, 0.5) <= alpha / 2, c + 1, c)
    c = np.where(bdtr(np.maximum(c, 0), items, 0.5) <= alpha / 2, c, c - 1)
    chance = (1 - np.abs(margin)) / 2
    safe = np.maximum(c, 0)
    power = bdtr(safe, items, chance) + bdtr(safe, items, 1 - chance)
    return np.asarray(np.where(c < 0, 0.0, power))


def _decided(moments: Moments, items: Items) -> tuple[npt.NDArray[np.int64], Floats]:
    """Items on which one judge is nearer, and A's lead among them."""
    decided = np.maximum(np.round(np.asarray(items) * (1 - moments.tied)), 1).astype(np.int64)
    with np.errstate(invalid="ignore", divide="ignore"):
        margin = np.where(moments.tied < 1, moments.margin / (1 - moments.tied), 0.0)
    return decided, np.clip(margin, -1, 1)
