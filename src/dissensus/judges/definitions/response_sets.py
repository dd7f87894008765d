"""Measures of response sets; each for one item. Vectors are 0 and 1, or shares of raters who endorse an option."""

import numpy as np

from dissensus.judges.aggregation import Floats, over_options
from dissensus.judges.definitions.distributional import CLIP


def coverage(judge: Floats, people: Floats) -> Floats:
    """Whether the judge's set lies within that of people.

    Parameters
    ----------
    judge, people : ndarrays of shape (..., n_options)
        Sets, as vectors of 0 and 1.

    Returns
    -------
    ndarray of shape (...)
        1 or 0. No answer covers nothing: an empty set counts as 1 only against an empty set.

    Examples
    --------
    >>> coverage(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.0]))
    array([1., 0., 0.])
    """
    is_within = over_options(judge * (1 - people)) == 0
    is_vain = (over_options(judge) == 0) & (over_options(people) > 0)
    return np.asarray(is_within & ~is_vain, dtype=np.float64)


def set_size(judge: Floats, people: Floats) -> Floats:
    """How many options are in the judge's set, whatever people say: its mean is the predictive efficiency."""
    return np.broadcast_to(over_options(judge), np.broadcast_shapes(judge.shape, people.shape)[:-1])


def precision(judge: Floats, people: Floats) -> Floats:
    """Share of the judge's set that people endorse; 1 for two empty sets, 0 if only one is empty.

    Examples
    --------
    >>> precision(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.0]))
    array([0.5, 0. ])
    """
    both = over_options(judge * people)
    size = over_options(judge)
    shared = np.divide(both, size, out=np.zeros_like(both), where=size > 0)
    return np.where((size == 0) & (over_options(people) == 0), 1.0, shared)


def recall(judge: Floats, people: Floats) -> Floats:
    """Share of people's set that the judge endorses; 1 for two empty sets, 0 if only one is empty.

    Examples
    --------
    >>> recall(np.array([1.0, 0.0]), np.array([1.0, 1.0]))
    array(0.5)
    """
    return precision(people, judge)


def binary_cross_entropy(judge: Floats, people: Floats) -> Floats:
    """Sum over options of the cross-entropy of the judge's share under people's yes or no, in nats.

    Examples
    --------
    >>> binary_cross_entropy(np.array([0.5, 0.5]), np.array([1.0, 0.0])).round(4)  # 2 ln 2
    np.float64(1.3863)
    """
    # Clipped below on each side by itself: 1 - 1e-10 would lose digits that log1p keeps.
    said = people * np.log(np.maximum(judge, CLIP)) + (1 - people) * np.log(np.maximum(1 - judge, CLIP))
    return -over_options(said)


def squared_error(judge: Floats, people: Floats) -> Floats:
    """Sum over options of the squared difference.

    Examples
    --------
    >>> squared_error(np.array([1.0, 0.0]), np.array([0.5, 0.6])).round(2)  # .25 + .36
    np.float64(0.61)
    """
    return over_options((judge - people) ** 2)
