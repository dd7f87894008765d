"""Numbers between the labels of the raters: whether a judge measures, and which label each number is nearest to."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dissensus.ratings.coding import Codes
from dissensus.ratings.labels import Scale, label_values

Floats = npt.NDArray[np.float64]


def are_measures(strange: Sequence[str], labels: Sequence[str], scale: Scale) -> bool:
    """Whether answers that no rater gave are numbers between labels, and not just other labels.

    A judge that says 5 where raters said 1 to 4 gave a label that nobody gave, not a 4; one that says 3.7 measures.

    Examples
    --------
    >>> are_measures(["5"], ["1", "4"], "ordinal"), are_measures(["3.7", "5"], ["1", "4"], "ordinal")
    (False, True)
    """
    values = label_values([*strange, *labels])
    if np.isnan(values).any():
        return False
    return scale == "interval" or any(value != int(value) for value in values[: len(strange)])


def nearest_labels(values: Floats, labels: Floats) -> Codes:
    """The place of the nearest label of each value, the lower one of two; any place for NaN.

    Examples
    --------
    >>> nearest_labels(np.array([-9.0, 1.4, 1.5, 9.0]), np.array([3.0, 2.0, 1.0]))
    array([2, 2, 2, 0])
    """
    order = np.argsort(labels, kind="stable")
    ordered = labels[order]
    halfway = (ordered[1:] + ordered[:-1]) / 2
    return np.asarray(order[np.searchsorted(halfway, values)], dtype=np.intp)
