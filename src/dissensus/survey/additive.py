"""Scores that are means over items: cross-entropy in bits, agreement, Brier."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from dissensus.errors import OptionError
from dissensus.survey.subsets import Floats

AdditiveScore = Literal["cross-entropy", "agreement", "brier"]
LabelScores = Callable[[Floats], Floats]
"""From predictions of shape (..., n_labels): what each label would score, of the same shape."""


def label_scores(score: AdditiveScore, *, clip: float = 0.02) -> LabelScores:
    """The function that scores a prediction against each label; higher is better."""
    if score == "agreement":
        return _agreement
    if score == "brier":
        return _brier
    return lambda predictions: np.log2(clipped(predictions, clip))


def clipped(predictions: Floats, clip: float) -> Floats:
    """Probabilities kept away from 0 and 1, and rescaled to sum to 1.

    Examples
    --------
    >>> clipped(np.array([1.0, 0.0]), 0.02)
    array([0.98, 0.02])
    """
    n_labels = predictions.shape[-1]
    if clip * n_labels >= 1:
        raise OptionError(f"--clip {clip:g} is too large for {n_labels} labels: choose less than {1 / n_labels:.3g}.")
    inside = np.clip(predictions, clip, 1 - clip)
    inside /= np.einsum("...l->...", inside)[..., None]
    return np.asarray(inside)


def _agreement(predictions: Floats) -> Floats:
    return predictions


def _brier(predictions: Floats) -> Floats:
    """Negative squared distance between the prediction and the label, so that higher is better."""
    return np.asarray(2 * predictions - 1 - np.einsum("...l,...l->...", predictions, predictions)[..., None])
