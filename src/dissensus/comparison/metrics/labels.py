"""What a judge's distribution over labels is worth for the labels that raters gave."""

import numpy as np

from dissensus.comparison.metrics.distances import Floats

TIE = 1e-12
"""Shares that differ by less are equal; they differ by rounding only."""


def accuracy(judge: Floats, people: Floats) -> Floats:
    """Share of the raters who gave the judge's most frequent label; labels that tie share it.

    Parameters
    ----------
    judge, people : ndarray of shape (..., n_items, n_labels)
        Shares of the labels.

    Returns
    -------
    ndarray of shape (..., n_items)

    Examples
    --------
    >>> accuracy(np.array([[0.6, 0.4], [0.5, 0.5]]), np.array([[0.2, 0.8], [0.2, 0.8]]))
    array([0.2, 0.5])
    """
    is_top = judge >= judge.max(axis=-1, keepdims=True) - TIE
    return np.asarray((is_top * people).sum(axis=-1) / is_top.sum(axis=-1))


def cross_entropy(judge: Floats, people: Floats, *, clip: float) -> Floats:
    """Bits of surprise of a rater's label to who expects the judge's distribution; shapes as in `accuracy`.

    Parameters
    ----------
    judge, people
        As in `accuracy`.
    clip : float
        How far the judge's shares are kept from 0 and 1 before they are scaled to sum to 1 again.

    Examples
    --------
    >>> cross_entropy(np.array([[0.5, 0.5]]), np.array([[0.2, 0.8]]), clip=0.02)
    array([1.])
    """
    inside = np.clip(judge, clip, 1 - clip)
    return np.asarray(-(people * np.log2(inside / inside.sum(axis=-1, keepdims=True))).sum(axis=-1))
