"""How near two labels are, and what a label is worth as a number."""

import numpy as np
import numpy.typing as npt

from dissensus.errors import OptionError
from dissensus.ratings import Ratings
from dissensus.ratings.labels import option_name

Floats = npt.NDArray[np.float64]


def closeness(ratings: Ratings) -> Floats:
    """How near each label is to each other, from 0 to 1, of shape (n_labels, n_labels).

    Labels without an order, and response sets, are near if they are the same; others by their distance as a share of
    the largest one.
    """
    values = ordered_values(ratings)
    if values is None:
        return np.eye(ratings.n_labels)
    reach = float(values.max() - values.min())
    return np.asarray(1 - np.abs(values[:, None] - values) / (reach or 1.0))


def ordered_values(ratings: Ratings) -> Floats | None:
    """The labels as numbers: themselves, or their places in the order; None if they have none."""
    if ratings.scale == "nominal" or ratings.has_response_sets:
        return None
    values = ratings.values
    return values if np.isfinite(values).all() else np.arange(ratings.n_labels, dtype=np.float64)


def label_heights(ratings: Ratings, positive: tuple[str, ...]) -> Floats | None:
    """What leniency is measured in: 1 for positive labels, or the labels as numbers; None if there is neither."""
    if not positive:
        return ordered_values(ratings)
    names = [option_name(label) for label in positive]
    for name, label in zip(names, positive, strict=True):
        if name not in ratings.labels:
            raise OptionError(f"--positive {label!r} is no label: the labels are {', '.join(ratings.labels)}.")
    return np.array([float(label in names) for label in ratings.labels])
