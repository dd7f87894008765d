"""Scores of a confusion matrix: F1, precision, recall, and the determinant-based mutual information."""

from typing import Literal

import numpy as np

from dissensus.survey.subsets import Floats

ConfusionScore = Literal["f1", "precision", "recall", "dmi"]
TIE = 1e-12


def hard_predictions(predictions: Floats) -> Floats:
    """All on the likeliest label, shared equally where several tie (up to rounding)."""
    top = predictions >= predictions.max(axis=-1, keepdims=True) - TIE
    return np.asarray(top / top.sum(axis=-1, keepdims=True))


def confusion_score(score: ConfusionScore, matrix: Floats, *, positive: int | None = None) -> Floats:
    """The score of each matrix.

    Parameters
    ----------
    score : {"f1", "precision", "recall", "dmi"}
        Which score.
    matrix : ndarray of shape (n_replicates, n_labels, n_labels)
        Mass of each pair of predicted (row) and given (column) label.
    positive : int, optional
        Code of the positive label; without it the mean over labels (macro).

    Returns
    -------
    ndarray of shape (n_replicates,)
        NaN where the score is undefined, as precision is where the positive label was never predicted, and where there
        is no mass at all.
    """
    if score == "dmi":
        total = matrix.sum(axis=(1, 2))
        share = matrix / np.where(total > 0, total, 1)[:, None, None]
        return np.where(total > 0, np.abs(np.linalg.det(share)), np.nan)
    hits = np.diagonal(matrix, axis1=1, axis2=2)
    predicted, given = matrix.sum(axis=2), matrix.sum(axis=1)
    below = {"precision": predicted, "recall": given, "f1": (predicted + given) / 2}[score]
    by_label = np.where(below > 0, hits / np.where(below > 0, below, 1), np.nan)
    if positive is not None:
        return np.asarray(by_label[:, positive])
    # A label that is neither predicted nor given says nothing; one that is given but never predicted scores 0.
    present = (predicted + given) > 0
    filled = np.where(present, np.nan_to_num(by_label), 0)
    n_present = present.sum(axis=1)
    return np.where(n_present > 0, filled.sum(axis=1) / np.maximum(n_present, 1), np.nan)
