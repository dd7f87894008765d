"""Exact moments of what one item says about two judges: who is nearer to people, and by how much.

With U = B - A and V = B + A - 2G, where G, A and B are the means of an item's responses, A is nearer than B if U and V
have the same sign, and |B - G| - |A - G| = sign(UV) min(|U|, |V|). U and V are normal and, if A's and B's responses
spread alike, independent.
"""

from dataclasses import dataclass

import numpy as np

from dissensus.planning.raters.nodes import Floats, Nodes

HERMITE_POINTS = 16
MOST_EXACT_SAMPLES = 6
"""With more samples the number that comes from B's distribution in the null is taken as normal."""
SMALLEST = 1e-12
"""Stands for a standard deviation of zero."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moments:
    """What one item of the test set says on average; each an array of the nodes' leading shape.

    Attributes
    ----------
    margin : ndarray
        Share of items on which A is nearer less share on which B is.
    tied : ndarray
        Share of items on which both are equally near, always.
    mean, variance : ndarray
        Of |B - G| - |A - G|, over items and responses.
    null_variance : ndarray
        The same if every response of A and of B is drawn from either judge by the toss of a coin; its mean is 0.
    """

    margin: Floats
    tied: Floats
    mean: Floats
    variance: Floats
    null_variance: Floats


def item_moments(
    nodes: Nodes, *, raters: int, samples: int, has_null: bool = True, points: int = HERMITE_POINTS
) -> Moments:
    """Moments of an item with so many raters and so many responses of each judge.

    Parameters
    ----------
    nodes : Nodes
        The kinds of items.
    raters, samples : int
        Responses of people, and of each judge.
    has_null : bool
        Whether the null's variance, which only the paper's p needs, is computed; else it is NaN.
    points : int
        Of the quadrature behind the variances.

    Examples
    --------
    >>> from dissensus.planning.raters.nodes import normal_nodes
    >>> moments = item_moments(normal_nodes(0.1), raters=5, samples=5)
    >>> round(float(moments.margin), 3), round(float(moments.mean), 4)
    (0.234, 0.017)
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

    Examples
    --------
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

    Parameters
    ----------
    u, v : ndarray
        Means.
    sd_u, sd_v : ndarray
        Standard deviations, sd_u at most sd_v.
    points : int
        How many.
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
