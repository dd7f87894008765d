"""From the distribution of an item's ratings to one vector: hard, soft, and the two of response sets."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dissensus.arrays import Codes, Flags, Floats

# ---- From the distribution of an item's ratings to one vector: hard, soft, and the two of response sets

Aggregation = Literal["hard", "soft", "hard_response_set", "soft_response_set"]


SLACK = 1e-12
"""Rounding: a share this close to a threshold reaches it, and two shares this close tie."""


def modes(soft: Floats) -> tuple[Codes, Flags]:
    """The option with the largest share, the lowest one of those that tie, and whether several tie.

    Parameters
    ----------
    soft : ndarray of shape (..., n_options)
        Shares of forced choices.

    Returns
    -------
    mode, is_tied : ndarrays of shape (...)

    Examples
    --------
    >>> modes(np.array([[0.2, 0.8], [0.5, 0.5]]))
    (array([1, 0]), array([False,  True]))
    """
    is_largest = soft >= soft.max(axis=-1, keepdims=True) - SLACK
    return np.asarray(is_largest.argmax(axis=-1)), np.asarray(is_largest.sum(axis=-1) > 1)


def reaches(share: Floats, tau: float) -> Flags:
    """Whether shares are at least tau, rounding forgiven.

    Examples
    --------
    >>> reaches(np.array([0.1 + 0.2, 0.29]), 0.3)
    array([ True, False])
    """
    return share >= tau - SLACK


def over_options(values: Floats) -> Floats:
    """Sum over the last axis, option by option: numpy's own sum is several times slower on an axis of two or three.

    Examples
    --------
    >>> over_options(np.array([[0.25, 0.5], [1.0, 2.0]]))
    array([0.75, 3.  ])
    """
    total = values[..., 0].copy()
    for option in range(1, values.shape[-1]):
        total += values[..., option]
    return total


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingVectors:
    """The two distributions that every aggregation starts from.

    Attributes
    ----------
    soft : ndarray of shape (..., n_options)
        O of the paper: how often each option is the forced choice.
    marginals : ndarray of shape (..., n_options)
        Omega of the paper: how often each option is in the response set; the sum may exceed 1.
    """

    soft: Floats
    marginals: Floats

    def aggregated(self, how: Aggregation, tau: float | None = None) -> Floats:
        """The rating vectors under an aggregation, of shape (..., n_options).

        Parameters
        ----------
        how : str
            `hard` has a 1 at the most frequent choice, `hard_response_set` at every option that reaches tau.
        tau : float, optional
            Threshold of hard response sets.

        Examples
        --------
        >>> shares = RatingVectors(soft=np.array([0.3, 0.7]), marginals=np.array([0.6, 0.7]))
        >>> shares.aggregated("hard"), shares.aggregated("hard_response_set", 0.5)
        (array([0., 1.]), array([1., 1.]))
        """
        if how == "soft":
            return self.soft
        if how == "soft_response_set":
            return self.marginals
        if how == "hard":
            return np.asarray(np.eye(self.soft.shape[-1])[modes(self.soft)[0]])
        if tau is None:
            raise TypeError("hard response sets need a threshold")
        return reaches(self.marginals, tau).astype(np.float64)


def number_of(is_one: Flags, copies: Floats | None) -> Floats:
    """How many items are ones, of shape (...), from flags of shape (n_items, ...); whole numbers.

    Examples
    --------
    >>> number_of(np.array([[True, False], [True, True]]), np.array([2.0, 3.0]))
    array([5., 3.])
    """
    if copies is None:
        return np.asarray(is_one.sum(axis=0), dtype=np.float64)
    return np.asarray(np.einsum("i,i...->...", copies, is_one.astype(np.float64)))


def mean_of(values: Floats | Flags, copies: Floats | None) -> Floats:
    """Mean over items, of shape (...), of values of shape (n_items, ...).

    Examples
    --------
    >>> mean_of(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    array(1.75)
    """
    if copies is None:
        return np.asarray(values.mean(axis=0))
    return np.asarray(np.einsum("i,i...->...", copies, values.astype(np.float64)) / copies.sum())
