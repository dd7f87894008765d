"""How far apart two distributions of forced choices are, in nats; each for one item, lower is better."""

import numpy as np
from scipy.special import rel_entr, xlogy

from dissensus.judges.aggregation import Floats, over_options

CLIP = 1e-10
"""The least that a probability counts as under a logarithm that is not multiplied by it."""


def kl_divergence(first: Floats, second: Floats) -> Floats:
    """Kullback-Leibler divergence of the second distribution from the first; 0 log 0 is 0.

    Parameters
    ----------
    first, second : ndarrays of shape (..., n_options)
        Distributions; the second is clipped at 1e-10 and not rescaled.

    Examples
    --------
    >>> kl_divergence(np.array([0.6, 0.3, 0.1]), np.array([0.8, 0.1, 0.1])).round(3)  # .6 ln .75 + .3 ln 3
    np.float64(0.157)
    """
    return np.asarray(over_options(np.asarray(xlogy(first, first), dtype=np.float64)) + cross_entropy(first, second))


def cross_entropy(first: Floats, second: Floats) -> Floats:
    """Cross-entropy of the second distribution under the first.

    Examples
    --------
    >>> cross_entropy(np.array([1.0, 0.0]), np.array([0.5, 0.5])).round(4)  # ln 2
    np.float64(0.6931)
    """
    return np.asarray(-over_options(first * np.log(np.maximum(second, CLIP))))


def jensen_shannon(first: Floats, second: Floats) -> Floats:
    """Jensen-Shannon divergence: the divergence itself, not its square root.

    With one rating per item the square root selects worse judges.

    Examples
    --------
    >>> jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])).round(4)  # ln 2
    np.float64(0.6931)
    """
    middle = (first + second) / 2
    return np.asarray(over_options(rel_entr(first, middle) + rel_entr(second, middle)) / 2)


def smoothed(distribution: Floats, smoothing: float) -> Floats:
    """The distribution with so much added to each option, rescaled.

    Examples
    --------
    >>> smoothed(np.array([1.0, 0.0]), 0.5)
    array([0.75, 0.25])
    """
    return np.asarray((distribution + smoothing) / (1 + smoothing * distribution.shape[-1]))
