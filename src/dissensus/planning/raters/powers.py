"""From the moments of an item to a test set: the paper's expected p, and the power of the test that `compare` runs."""

import numpy as np
import numpy.typing as npt

from dissensus.planning.raters.item_moments import Moments
from dissensus.planning.raters.nodes import Floats

Items = npt.NDArray[np.intp] | int

MOST_DEGREES = 500.0
"""Degrees of freedom beyond which Student's t is taken as normal."""
FARTHEST = 30.0
"""A noncentrality beyond which every test rejects, and series lose their digits."""


def expected_p(moments: Moments, items: int, *, metric: str) -> float:
    """The paper's p: how often a test set without a difference shows as large a one as a test set with it, or larger.

    Parameters
    ----------
    moments : Moments
        Of one item; without a leading shape.
    items : int
        Size of the test set.
    metric : str
        Wins is exact; for the others the sum over items is taken as normal.
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

    Parameters
    ----------
    moments : Moments
        Of one item.
    items : int or ndarray
        Size of the test set; broadcasts with the moments.
    metric : str
        For wins the sign-flip test is the sign test, whose power is exact; for the others it is nearly a t test.
    alpha : float
        Level of the test.

    Examples
    --------
    >>> from dissensus.planning.raters.item_moments import item_moments
    >>> from dissensus.planning.raters.nodes import normal_nodes
    >>> moments = item_moments(normal_nodes(0.1), raters=5, samples=5)
    >>> sign_flip_power(moments, np.array([100, 400]), metric="wins", alpha=0.05).round(2).tolist()
    [0.6, 1.0]
    """
    if metric == "wins":
        decided, margin = _decided(moments, items)
        return sign_test_power(decided, margin, alpha=alpha)
    return mean_power(moments, items, alpha=alpha)


def mean_power(moments: Moments, items: Items, *, alpha: float) -> Floats:
    """Power of flipping the signs of the items' differences.

    Given their sizes, the flipped sums have variance sum(d^2): the test rejects if |sum(d)| > z sqrt(sum(d^2)), which
    is a bound on Student's t. With an effect, t is taken as noncentral t.
    """
    from scipy.special import nctdtr, ndtr, ndtri  # noqa: PLC0415 - as above

    n = np.asarray(items, dtype=np.float64)
    z = -ndtri(alpha / 2)
    is_possible = (n > z * z) & (moments.variance > 0)
    room = np.where(is_possible, n - z * z, 1.0)
    bound = z * np.sqrt((n - 1) / room)
    effect = np.abs(moments.mean) / np.sqrt(np.where(moments.variance > 0, moments.variance, 1.0))
    noncentrality = np.minimum(np.sqrt(n) * effect, FARTHEST)
    degrees = np.clip(n - 1, 1, MOST_DEGREES)
    power = 1 - nctdtr(degrees, noncentrality, bound) + nctdtr(degrees, noncentrality, -bound)
    # Far from zero, where the series gives up, and with many items, t is as good as normal.
    is_normal = (n - 1 > MOST_DEGREES) | ~np.isfinite(power)
    power = np.where(is_normal, ndtr(noncentrality - bound) + ndtr(-noncentrality - bound), power)
    return np.asarray(np.where(is_possible, np.clip(power, 0, 1), 0.0))


def sign_test_power(items: npt.NDArray[np.int64], margin: Floats, *, alpha: float) -> Floats:
    """Power of the two-sided sign test on so many items without a tie."""
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
