"""How close a judge and a rater are to the other raters of an item.

Each function returns two arrays of shape (n_ratings,), for each rating how close the judge's answer and the rater's own
are to the ratings of everybody else on that item; higher is closer, and only the comparison of the two counts.
"""

import numpy as np
import numpy.typing as npt

from dissensus.ratings.coding import Codes

Floats = npt.NDArray[np.float64]
Signs = npt.NDArray[np.intp]


def accuracies(item: Codes, label: Codes, judge_label: Codes, n_labels: int) -> tuple[Floats, Floats]:
    """How many others gave the judge's label, and how many gave the rater's.

    Parameters
    ----------
    item, label : ndarray of shape (n_ratings,)
        The ratings.
    judge_label : ndarray of shape (n_items,)
        The judge's label of each item.
    n_labels : int
        How many labels there are.

    Examples
    --------
    >>> accuracies(np.array([0, 0, 0]), np.array([1, 1, 0]), np.array([1]), 2)
    (array([1., 1., 2.]), array([1., 1., 0.]))
    """
    cell, place, times = np.unique(item * n_labels + label, return_inverse=True, return_counts=True)
    wanted = item * n_labels + judge_label[item]
    found = np.minimum(np.searchsorted(cell, wanted), len(cell) - 1)
    agreeing = np.where(cell[found] == wanted, times[found], 0) - (label == judge_label[item])
    return agreeing.astype(np.float64), (times[place] - 1).astype(np.float64)


def nearnesses(item: Codes, value: Floats, judge_value: Floats) -> tuple[Floats, Floats]:
    """How near the judge's number and the rater's are to the mean of the others, as negative distances.

    The root mean squared distance to several numbers grows with the distance to their mean, so who is nearer to the
    mean has the smaller error.

    Parameters
    ----------
    item, value : ndarray of shape (n_ratings,)
        The ratings, each item with two or more.
    judge_value : ndarray of shape (n_items,)
        The judge's number for each item.

    Examples
    --------
    >>> nearnesses(np.array([0, 0, 0]), np.array([1.0, 2.0, 4.0]), np.array([2.0]))
    (array([-1. , -0.5, -0.5]), array([-2. , -0.5, -2.5]))
    """
    times = np.bincount(item)
    total = np.bincount(item, weights=value)
    others = (total[item] - value) / (times[item] - 1)
    return -np.abs(judge_value[item] - others), -np.abs(value - others)


def similarities(item: Codes, label: Codes, judge_shares: Floats, likeness: Floats) -> tuple[Floats, Floats]:
    """Sum over the others of how alike their labels are to the judge's answer, and to the rater's.

    Parameters
    ----------
    item, label : ndarray of shape (n_ratings,)
        The ratings.
    judge_shares : ndarray of shape (n_items, n_labels)
        The judge's answer to each item, as shares of labels: several samples, or probabilities, count in proportion.
    likeness : ndarray of shape (n_labels, n_labels)
        How alike two labels are; 1 for a label and itself.

    Examples
    --------
    >>> similarities(np.array([0, 0]), np.array([0, 1]), np.array([[0.5, 0.5]]), np.eye(2))
    (array([0.5, 0.5]), array([0., 0.]))
    """
    n_items, n_labels = judge_shares.shape
    counts = np.bincount(item * n_labels + label, minlength=n_items * n_labels).reshape(n_items, n_labels)
    to_everybody = counts @ likeness
    own = (judge_shares @ likeness)[item, label]
    judge = (judge_shares * to_everybody).sum(axis=1)[item] - own
    return judge, to_everybody[item, label] - 1.0


def jaccard(member: npt.NDArray[np.bool_]) -> Floats:
    """How alike two sets of options are: the options in both over the options in one or both.

    Parameters
    ----------
    member : ndarray of shape (n_labels, n_options)
        Which option is in which label; no label is empty.

    Examples
    --------
    >>> jaccard(np.array([[True, False], [True, True]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    sets = member.astype(np.float64)
    both = sets @ sets.T
    sizes = sets.sum(axis=1)
    return np.asarray(both / (sizes[:, None] + sizes - both))
