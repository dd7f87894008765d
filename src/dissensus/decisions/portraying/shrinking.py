"""Empirical Bayes: a rater with few items says little, and is drawn towards the others."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dissensus.decisions.closeness import Floats
from dissensus.ratings.coding import Codes

HALVINGS = 200
FEWEST_RATERS = 4
"""With fewer raters nothing can be told about how raters differ, and nobody is drawn anywhere."""


class Shrunk(NamedTuple):
    """Raters drawn towards their mean.

    Attributes
    ----------
    value, low, high : ndarray of shape (n_raters,)
        NaN for a rater without a number.
    mean, spread : float
        Of the raters, without what chance adds.
    """

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

    The variance is such that the weighted squares about the weighted mean sum to one less than the raters.

    Parameters
    ----------
    means, variances : ndarray of shape (n_raters,)
        Of each rater, and the variance that chance gives to it.
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

    Parameters
    ----------
    means : ndarray of shape (n_raters,)
        NaN for a rater without a number.
    counts : ndarray of shape (n_raters,)
        On how many items each rests.
    variance : float
        Of one item.
    confidence : float
        Of the intervals.

    References
    ----------
    C. Morris (1983), "Parametric Empirical Bayes Inference: Theory and Applications", JASA 78, section 4.
    """
    from scipy.special import ndtri  # noqa: PLC0415 - takes a while to import

    known = (counts > 0) & ~np.isnan(means)
    nothing = np.full(len(means), np.nan)
    if not known.any():
        return Shrunk(nothing, nothing, nothing, float("nan"), float("nan"))
    y, v = means[known], np.maximum(variance / counts[known], 0.0)
    n = len(y)
    if n < FEWEST_RATERS or not np.isfinite(variance) or variance == 0:
        value, uncertainty, centre, between = y, v, float(y.mean()), float("nan")
    else:
        centre, between = spread_between(y, v)
        pull = (n - 3) / (n - 1) * v / (v + between)
        value = y - pull * (y - centre)
        uncertainty = v * (1 - (n - 1) / n * pull) + 2 / (n - 3) * pull**2 * (y - centre) ** 2
    reach = float(ndtri((1 + confidence) / 2)) * np.sqrt(uncertainty)
    return Shrunk(
        value=_filled(known, value),
        low=_filled(known, value - reach),
        high=_filled(known, value + reach),
        mean=centre,
        spread=float(np.sqrt(between)),
    )


def _filled(known: npt.NDArray[np.bool_], numbers: Floats) -> Floats:
    """The numbers at their places, NaN elsewhere."""
    full = np.full(len(known), np.nan)
    full[known] = numbers
    return full
