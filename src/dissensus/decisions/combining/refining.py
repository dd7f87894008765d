"""Predictions drawn towards what raters said in the same case: after the same survey and a like answer of the judge.

A weighted sum of logarithms cannot say everything: how much a judge adds may depend on what people said, because both
tell about an item's state and only through it about the next rater. Without this step surveys with a judge beside them
fell .0015 bits short of the truth, however many items there were.
"""

import numpy as np

from dissensus.ratings.coding import Codes
from dissensus.survey.subsets import Floats

STRENGTH = 10.0
"""The stack counts as so many items in each case."""
KINDS_PER_LABEL = 2
"""Answers of a judge are of so many kinds for each label: where there are more, the surer and the less sure half."""


def kinds_of(answers: Floats, code: Codes) -> Codes:
    """The kind of each answer.

    Parameters
    ----------
    answers : ndarray of shape (n_judges, n_answers, n_labels)
        The different answers.
    code : ndarray of shape (n_items,)
        Which of them each item got.

    Returns
    -------
    ndarray of shape (n_answers,)
        The answers themselves if they are few; else the likeliest label, and whether they are surer of it than most.
    """
    n_answers, n_labels = answers.shape[1:]
    if n_answers <= KINDS_PER_LABEL * n_labels:
        return np.arange(n_answers)
    shares = answers.mean(axis=0)
    likeliest, sureness = shares.argmax(axis=1), shares.max(axis=1)
    middle = np.zeros(n_labels)
    for label in np.unique(likeliest):
        middle[label] = np.median(sureness[code][likeliest[code] == label])
    return np.asarray(KINDS_PER_LABEL * likeliest + (sureness > middle[likeliest]))


def refined(predictions: Floats, masses: Floats, case: Codes) -> Floats:
    """Predictions moved by what the rows of each case say beyond them, the less the fewer these are.

    Parameters
    ----------
    predictions : ndarray of shape (n_rows, n_labels)
        Of the stack.
    masses : ndarray of shape (n_rows, n_labels)
        How often each label was given, in items.
    case : ndarray of shape (n_rows,)
        Which rows are alike.

    Examples
    --------
    Ten items that all say yes count as much as the stack, which says that half of them do:

    >>> refined(np.array([[0.5, 0.5]]), np.array([[0.0, 10.0]]), np.array([0]))
    array([[0.25, 0.75]])
    """
    shape = (int(case.max()) + 1, masses.shape[1])
    said, foreseen = np.zeros(shape), np.zeros(shape)
    np.add.at(said, case, masses)
    np.add.at(foreseen, case, predictions * masses.sum(axis=1, keepdims=True))
    beyond = (said - foreseen) / (said.sum(axis=1, keepdims=True) + STRENGTH)
    moved = np.maximum(predictions + beyond[case], 0.0)
    return np.asarray(moved / moved.sum(axis=1, keepdims=True))
