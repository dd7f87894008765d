"""Ranks, and how often a judge is best; values are turned so that higher is better."""

from collections.abc import Sequence

import numpy as np

from dissensus.judges.aggregation import SLACK, Floats

UNDEFINED_SHARE = 0.05
"""With more undefined bootstrap values than this, the interval would be that of a different question."""


def ranks(values: Floats) -> Floats:
    """Rank of each judge, 1 for the best; judges that tie share the better rank, and NaN has none.

    Parameters
    ----------
    values : ndarray of shape (..., n_judges)
        Higher is better.

    Examples
    --------
    >>> ranks(np.array([0.2, 0.9, np.nan, 0.9]))
    array([ 3.,  1., nan,  1.])
    """
    with np.errstate(invalid="ignore"):
        better = (values[..., None, :] > values[..., :, None] + SLACK).sum(axis=-1)
    return np.where(np.isnan(values), np.nan, better + 1.0)


def selected(values: Floats, judges: Sequence[str]) -> str | None:
    """The judge with the best value, the first one of those that tie; None if none has a value.

    Examples
    --------
    >>> selected(np.array([np.nan, 0.1, 0.3, 0.3]), ["a", "b", "c", "d"])
    'c'
    """
    first = np.flatnonzero(ranks(values) == 1)
    return judges[int(first[0])] if first.size else None


def shares_best(values: Floats) -> Floats:
    """Share of the replicates in which each judge is best; judges that tie share the replicate.

    Parameters
    ----------
    values : ndarray of shape (n_replicates, ..., n_judges)
        Higher is better; a judge whose value is NaN is not best.

    Returns
    -------
    ndarray of shape (..., n_judges)
        NaN for a judge that has no value in any replicate.

    Examples
    --------
    >>> shares_best(np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 1.0], [4.0, 1.0]]))
    array([0.625, 0.375])
    """
    is_known = ~np.isnan(values)
    filled = np.where(is_known, values, -np.inf)
    is_best = is_known & (filled >= filled.max(axis=-1, keepdims=True) - SLACK)
    parts = is_best / np.maximum(is_best.sum(axis=-1, keepdims=True), 1)
    counted = np.maximum(is_known.any(axis=-1).sum(axis=0), 1)[..., None]
    return np.where(is_known.any(axis=0), parts.sum(axis=0) / counted, np.nan)


def interval(replicates: Floats, confidence: float) -> tuple[float, float]:
    """Bounds that hold the middle of the replicates; NaN if too many of them are undefined.

    Examples
    --------
    >>> interval(np.array([0.0, 1.0, 2.0, 3.0, 4.0]), 0.5)
    (1.0, 3.0)
    """
    known = replicates[~np.isnan(replicates)]
    if not known.size or replicates.size - known.size > UNDEFINED_SHARE * replicates.size:
        return float("nan"), float("nan")
    tail = (1 - confidence) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)
