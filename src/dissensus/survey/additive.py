"""Scores that are means over items: cross-entropy in bits, agreement, Brier."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from dissensus.errors import OptionError
from dissensus.survey.subsets import Floats

AdditiveScore = Literal["cross-entropy", "agreement", "brier"]
ADDITIVE_SCORES: tuple[AdditiveScore, ...] = get_args(AdditiveScore)
LabelScores = Callable[[Floats], Floats]
"""From predictions of shape (..., n_labels): what each label would score, of the same shape."""


@dataclass(frozen=True, slots=True)
class LabelScoring:
    """The function that scores a prediction against each label; higher is better. It travels to other processes."""

    score: AdditiveScore
    clip: float = 0.0

    def __call__(self, predictions: Floats) -> Floats:
        """What each label would score."""
        if self.score == "agreement":
            return predictions
        if self.score == "brier":
            return _brier(predictions)
        return np.asarray(np.log2(clipped(predictions, self.clip)))


def label_scores(score: AdditiveScore, *, clip: float = 0.02) -> LabelScoring:
    """What labels score under predictions; the clip is of cross-entropy only."""
    return LabelScoring(score, clip if score == "cross-entropy" else 0.0)


def clipped(predictions: Floats, clip: float) -> Floats:
    """Probabilities kept away from 0 and 1, and rescaled to sum to 1.

    Examples
    --------
    >>> clipped(np.array([1.0, 0.0]), 0.02)
    array([0.98, 0.02])
    """
    n_labels = predictions.shape[-1]
    if clip * n_labels >= 1:
        raise OptionError(
            f"--clip {clip:g} is too large for {n_labels} labels: choose less than {1 / n_labels:.3g}, or for labels "
            "that are numbers --score pearson --combiner frequency."
        )
    inside = np.clip(predictions, clip, 1 - clip)
    inside /= np.einsum("...l->...", inside)[..., None]
    return np.asarray(inside)


def _brier(predictions: Floats) -> Floats:
    """Negative squared distance between the prediction and the label, so that higher is better."""
    return np.asarray(2 * predictions - 1 - np.einsum("...l,...l->...", predictions, predictions)[..., None])
