"""Panels that learn nothing: the most frequent answer of the judges, and the mean of their probabilities."""

import numpy as np

from dissensus.survey.subsets import Floats
from dissensus.survey.surveys import plurality_shares

SAME = 1e-9
"""Probabilities and shares of votes this close are equal up to rounding."""


def average(predictions: Floats) -> Floats:
    """Mean of the judges' probabilities, of shape (n_items, n_labels).

    Parameters
    ----------
    predictions : ndarray of shape (n_judges, n_items, n_labels)
        What each judge gives to each label.
    """
    return np.asarray(predictions.mean(axis=0))


def plurality(predictions: Floats) -> Floats:
    """The label that most judges find likeliest; labels that tie share it.

    A judge whose own likeliest labels tie gives each of them its part of a vote.

    Examples
    --------
    >>> plurality(np.array([[[0.9, 0.1]], [[0.4, 0.6]], [[0.2, 0.8]]]))
    array([[0., 1.]])
    """
    votes = np.stack([likeliest(own) for own in predictions]).mean(axis=0)
    return likeliest(votes)


def likeliest(shares: Floats) -> Floats:
    """1 on the likeliest label, shared equally where several are."""
    return plurality_shares(np.round(shares / SAME).astype(np.int64))
