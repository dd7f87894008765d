"""Scores by name: what a prediction is worth against the labels that raters gave; higher is better."""

from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from dissensus.errors import OptionError
from dissensus.survey.additive import ADDITIVE_SCORES, AdditiveScore, LabelScores, label_scores
from dissensus.survey.confusion import ConfusionScore, confusion_score, hard_predictions
from dissensus.survey.ranked import RankedScore, ranked_score
from dissensus.survey.subsets import Floats

ScoreName = Literal[
    "cross-entropy", "agreement", "auc", "f1", "precision", "recall", "dmi", "pearson", "spearman", "brier"
]
CONFUSION = ("f1", "precision", "recall", "dmi")
CORRELATIONS = ("pearson", "spearman")
RANKED = ("auc", *CORRELATIONS)
SCORES: tuple[ScoreName, ...] = (
    "cross-entropy", "agreement", "auc", "f1", "precision", "recall", "dmi", "pearson", "spearman", "brier",
)  # fmt: skip

RANGES: dict[ScoreName, tuple[float, float]] = {
    "cross-entropy": (-np.inf, 0.0), "agreement": (0.0, 1.0), "auc": (0.0, 1.0), "f1": (0.0, 1.0),
    "precision": (0.0, 1.0), "recall": (0.0, 1.0), "dmi": (0.0, 1.0), "pearson": (-1.0, 1.0), "spearman": (-1.0, 1.0),
    "brier": (-2.0, 0.0),
}  # fmt: skip
"""Lowest and highest value that each score can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A score and what it needs.

    Attributes
    ----------
    name : str
        As the user calls it.
    positive : int, optional
        Code of the positive label, for AUC, F1, precision and recall; None for the mean over labels.
    values : ndarray of shape (n_labels,)
        The labels as numbers, for Pearson and Spearman.
    clip : float
        How far cross-entropy keeps probabilities from 0 and 1.
    """

    name: ScoreName
    values: Floats
    positive: int | None = None
    clip: float = 0.02

    def __post_init__(self) -> None:
        if self.name not in SCORES:
            raise OptionError.unknown("--score", self.name, SCORES)
        if self.name in CORRELATIONS and not np.isfinite(self.values).all():
            raise OptionError(f"--score {self.name} needs labels that are numbers: choose agreement or cross-entropy.")
        if not 0 < self.clip < 1:
            raise OptionError(f"--clip cannot be {self.clip:g}: choose a small share above 0, such as 0.02.")

    @property
    def is_additive(self) -> bool:
        """Whether the score is a mean over items."""
        return self.name in ADDITIVE_SCORES

    @property
    def is_ranked(self) -> bool:
        """Whether the score compares predictions of different items, so that leaving items out one by one spoils it."""
        return self.name in RANKED

    def of_labels(self) -> LabelScores:
        """What each label scores, for an additive score."""
        return label_scores(cast("AdditiveScore", self.name), clip=self.clip)

    def hard(self, predictions: Floats) -> Floats:
        """Predictions as the confusion matrix takes them: the likeliest label, or as they are for DMI."""
        return predictions if self.name == "dmi" else hard_predictions(predictions)

    def of_confusion(self, matrix: Floats) -> Floats:
        """The score of confusion matrices of shape (n_replicates, n_labels predicted, n_labels given)."""
        return confusion_score(cast("ConfusionScore", self.name), matrix, positive=self.positive)

    def of_joint(self, predictions: Floats, masses: Floats) -> Floats:
        """The score of predictions whose labels have these masses.

        Parameters
        ----------
        predictions : ndarray of shape (n, n_labels) or (n_replicates, n, n_labels)
            Predictions, the same for all replicates or not.
        masses : ndarray of shape (n_replicates, n, n_labels)
            How often each prediction met each label; need not sum to 1.

        Returns
        -------
        ndarray of shape (n_replicates,)
        """
        if self.is_additive:
            scored = self.of_labels()(predictions)
            total = masses.sum(axis=(1, 2))
            return np.asarray((masses * scored).sum(axis=(1, 2)) / np.where(total > 0, total, np.nan))
        if self.name in CONFUSION:
            hard = np.broadcast_to(self.hard(predictions), masses.shape)
            return self.of_confusion(np.einsum("rnp,rnl->rpl", hard, masses))
        return ranked_score(
            cast("RankedScore", self.name), predictions, masses, values=self.values, positive=self.positive
        )
