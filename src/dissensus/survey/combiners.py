"""Combiners that need nothing but the survey: from label counts to a prediction of the next rater's label."""

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from dissensus.errors import OptionError
from dissensus.survey.subsets import Floats
from dissensus.survey.surveys import plurality_shares

Combiner = Literal["abc", "frequency", "plurality", "npmle"]
COMBINERS: tuple[Combiner, ...] = ("abc", "frequency", "plurality", "npmle")
Learn = Literal["leave-one-out", "in-sample", "cross-fit"]
LEARN: tuple[Learn, ...] = ("leave-one-out", "in-sample", "cross-fit")
Prior = Literal["uniform", "data"]
PRIORS: tuple[Prior, ...] = ("uniform", "data")
OwnCombiner = Callable[[npt.NDArray[np.int32]], npt.ArrayLike]
"""From label counts of shape (n_surveys, n_labels) to predictions of the same shape, rows summing to 1."""

SUM_TOLERANCE = 1e-6


def frequencies(counts: npt.NDArray[np.int32], default: Floats) -> Floats:
    """The share of each label in the survey; the default where nobody was asked.

    Examples
    --------
    >>> frequencies(np.array([[1, 3], [0, 0]]), np.array([0.5, 0.5]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    asked = counts.sum(axis=1, keepdims=True)
    return np.where(asked > 0, counts / np.maximum(asked, 1), default)


def pluralities(counts: npt.NDArray[np.int32]) -> Floats:
    """The most frequent label of the survey; labels that tie share it, and with nobody asked all labels tie."""
    return plurality_shares(counts)


def own_predictions(combiner: OwnCombiner, counts: npt.NDArray[np.int32]) -> Floats:
    """What a user's combiner predicts, checked."""
    predictions = np.asarray(combiner(counts), dtype=np.float64)
    if predictions.shape != counts.shape:
        raise OptionError(f"The combiner returned shape {predictions.shape} for surveys of shape {counts.shape}.")
    sums = predictions.sum(axis=1)
    if not np.isfinite(predictions).all() or (predictions < 0).any() or (abs(sums - 1) > SUM_TOLERANCE).any():
        raise OptionError("The combiner's predictions must be probabilities: at least 0, and 1 in sum for each survey.")
    return predictions
