"""How near answers are: labels to each other, and a judge and a rater to the other raters of an item.

`accuracies`, `nearnesses` and `similarities` return two arrays of shape (n_ratings,), for each rating how close the
judge's answer and the rater's own are to the ratings of everybody else on that item; only the comparison counts.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data import Ratings
from dissensus.data.labels import label_values, membership, option_name, parts_of
from dissensus.errors import OptionError, listed, named


def closeness(ratings: Ratings, strange: Sequence[str] = ()) -> Floats:
    """How near each label is to each of the raters', from 0 to 1.

    Labels without an order are near if they are the same; response sets by the options that they share (Jaccard);
    others by their distance as a share of the largest one between raters' labels.

    `ratings`: whose labels they are. `strange`: labels that only judges use. Returns shape (n_labels + n_strange,
    n_labels): the raters' labels come first. A strange word is near to none.
    """
    labels = (*ratings.labels, *strange)
    if ratings.has_response_sets:
        return set_likeness(labels, ratings.options)[:, : ratings.n_labels]
    values = ordered_values(ratings, strange)
    if values is None:
        return np.eye(len(labels))[:, : ratings.n_labels]
    known = values[: ratings.n_labels]
    reach = float(known.max() - known.min()) or 1.0
    near = np.maximum(0.0, 1 - np.abs(values[:, None] - known) / reach)
    return np.asarray(np.where(np.isnan(near), 0.0, near))


def ordered_values(ratings: Ratings, strange: Sequence[str] = ()) -> Floats | None:
    """The labels as numbers: themselves, or their places in the order, where strange ones have none; None if no order.

    >>> table = {"item": ["1"] * 2, "rater": ["a", "b"], "label": ["low", "high"]}
    >>> from dissensus.data import read
    >>> import pandas as pd
    >>> ordered_values(read(pd.DataFrame(table), labels=["low", "high"]), ["huge"])
    array([ 0.,  1., nan])
    """
    if ratings.scale == "nominal" or ratings.has_response_sets:
        return None
    values = label_values((*ratings.labels, *strange))
    if np.isfinite(values[: ratings.n_labels]).all():
        return values
    return np.concatenate([np.arange(ratings.n_labels, dtype=np.float64), np.full(len(strange), np.nan)])


def label_heights(ratings: Ratings, positive: tuple[str, ...], strange: Sequence[str] = ()) -> Floats | None:
    """What leniency is measured in: 1 for positive labels and sets with one, or the labels as numbers; None if neither.

    `ratings`: whose labels they are. `positive`: options or whole labels. `strange`: labels that only judges use; they
    come last.
    """
    if not positive:
        return ordered_values(ratings, strange)
    names = {option_name(label) for label in positive}
    for name, label in zip(map(option_name, positive), positive, strict=True):
        if name not in ratings.labels and name not in ratings.options:
            raise OptionError(f"{named('positive')} {label!r} is not a label: the labels are {listed(ratings.labels)}.")
    labels = (*ratings.labels, *strange)
    return np.array([float(label in names or bool(names & {*parts_of(label, ratings.options)})) for label in labels])


def set_likeness(labels: Sequence[str], options: Sequence[str]) -> Floats:
    """Jaccard of every two labels; a label that is no option is a set of options.

    >>> set_likeness(["No", "Yes", "No|Yes"], ["No", "Yes"])
    array([[1. , 0. , 0.5],
           [0. , 1. , 0.5],
           [0.5, 0.5, 1. ]])
    """
    every = tuple(dict.fromkeys(part for label in labels for part in parts_of(label, options)))
    return jaccard(membership(labels, every))


def accuracies(item: Codes, label: Codes, judge_label: Codes, n_labels: int) -> tuple[Floats, Floats]:
    """How many others gave the judge's label, and how many gave the rater's.

    `item`, `label` (n_ratings,): the ratings. `judge_label` (n_items,): the judge's label of each item. `n_labels`: how
    many labels there are.

    >>> accuracies(np.array([0, 0, 0]), np.array([1, 1, 0]), np.array([1]), 2)
    (array([1., 1., 2.]), array([1., 1., 0.]))
    """
    cell, place, times = np.unique(item * n_labels + label, return_inverse=True, return_counts=True)
    wanted = item * n_labels + judge_label[item]
    nearest = np.minimum(np.searchsorted(cell, wanted), len(cell) - 1)
    agreeing = np.where(cell[nearest] == wanted, times[nearest], 0) - (label == judge_label[item])
    return agreeing.astype(np.float64), (times[place] - 1).astype(np.float64)


def nearnesses(item: Codes, value: Floats, judge_value: Floats) -> tuple[Floats, Floats]:
    """How near the judge's number and the rater's are to the mean of the others, as negative distances.

    The root mean squared distance to several numbers grows with the distance to their mean, so who is nearer to the
    mean has the smaller error.

    `item`, `value` (n_ratings,): the ratings, each item with two or more. `judge_value` (n_items,): the judge's number
    for each item.

    >>> nearnesses(np.array([0, 0, 0]), np.array([1.0, 2.0, 4.0]), np.array([2.0]))
    (array([-1. , -0.5, -0.5]), array([-2. , -0.5, -2.5]))
    """
    times = np.bincount(item)
    total = np.bincount(item, weights=value)
    others = (total[item] - value) / (times[item] - 1)
    return -np.abs(judge_value[item] - others), -np.abs(value - others)


def similarities(item: Codes, label: Codes, judge_shares: Floats, likeness: Floats) -> tuple[Floats, Floats]:
    """Sum over the others of how similar their labels are to the judge's answer, and to the rater's.

    `item`, `label` (n_ratings,): the ratings. `judge_shares` (n_items, n_labels): the judge's answer to each item, as
    shares of labels: several samples, or probabilities, count in proportion. `likeness` (n_labels, n_labels): how
    similar two labels are; 1 for a label and itself.

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
    """How similar two sets of options are: the options in both over the options in one or both.

    `member` (n_labels, n_options): which option is in which label; no label is empty.

    >>> jaccard(np.array([[True, False], [True, True]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    sets = member.astype(np.float64)
    both = sets @ sets.T
    sizes = sets.sum(axis=1)
    return np.asarray(both / (sizes[:, None] + sizes - both))
