"""The survey power curve: how well k raters predict another one, exactly."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.methods.equivalence.ceiling import Mixture
from dissensus.methods.equivalence.combiners import (
    Combiner,
    Learn,
    OwnCombiner,
    Prior,
    frequencies,
    leave_one_out,
    own_predictions,
    pluralities,
    predictions_from,
    survey_totals,
)
from dissensus.methods.equivalence.scores import Score
from dissensus.methods.equivalence.surveys import Surveys
from dissensus.sampling.draws import Copies

ELEMENTS_AT_ONCE = 1 << 18
"""Small enough for the processor's cache, large enough that Python does not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """How a survey of raters turns into a prediction.

    Attributes
    ----------
    combiner : str or callable
        Anonymous Bayesian Combiner, frequency, plurality, npmle, or the user's own function.
    learn : str
        From which items the Bayesian combiner learns what to predict for an item.
    prior : str
        What the frequency combiner predicts with nobody asked.
    """

    combiner: Combiner | OwnCombiner = "abc"
    learn: Learn = "leave-one-out"
    prior: Prior = "uniform"


def curve_point(
    surveys: Surveys,
    copies: Copies,
    panel: Panel,
    score: Score,
    *,
    folds: Floats | None = None,
    mixtures: list[Mixture] | None = None,
) -> Floats:
    """Score of surveys of one size, in each replicate.

    Parameters
    ----------
    surveys : Surveys
        Every survey of k raters that the items allow.
    copies : Copies
        The replicates.
    panel : Panel
        The combiner.
    score : Score
        The score.
    folds : ndarray of shape (n_folds, n_replicates, n_types), optional
        The replicates' weights by fold, for a cross-fitted combiner.
    mixtures : list of Mixture, optional
        The fitted mixing distribution of each replicate, or of its training part fold by fold, for npmle.

    Returns
    -------
    ndarray of shape (n_replicates,)
        NaN where no item has enough ratings.
    """
    if panel.combiner == "abc" and panel.learn == "leave-one-out":
        return _left_out(surveys, copies, score)
    totals = survey_totals(surveys, copies.weights)
    if panel.combiner in {"abc", "npmle"} and folds is not None:
        predictions, masses = _cross_fitted(surveys, totals, folds, panel, mixtures)
    else:
        predictions = _predictions(surveys, totals, panel, mixtures)
        masses = totals * surveys.orders[:, None]
    scores = score.of_joint(predictions, masses)
    if surveys.size == 0 and score.is_ranked:
        # With nobody asked there is one prediction for all items, which orders none of them; folds must not tell them
        # apart. A correlation with a constant is 0 by convention.
        scores = np.where(np.isnan(scores), np.nan, 0.5) if score.name == "auc" else np.zeros_like(scores)
    return _defined(scores, surveys, copies)


def _defined(scores: Floats, surveys: Surveys, copies: Copies) -> Floats:
    return np.where(copies.weights @ surveys.takes_part > 0, scores, np.nan)


def _predictions(surveys: Surveys, totals: Floats, panel: Panel, mixtures: list[Mixture] | None) -> Floats:
    """Predictions of a combiner that does not ask whose survey it is; (n_surveys, n_labels), or per replicate."""
    if callable(panel.combiner):
        return own_predictions(panel.combiner, surveys.counts)
    if panel.combiner == "plurality":
        return pluralities(surveys.counts)
    if panel.combiner == "frequency":
        if surveys.size == 0 and panel.prior == "data":
            return predictions_from(totals)
        n_labels = surveys.shape[1]
        return frequencies(surveys.counts, np.full(n_labels, 1 / n_labels))
    if panel.combiner == "npmle" and mixtures is not None:
        return np.stack([mixture.predict(surveys.counts) for mixture in mixtures])
    return predictions_from(totals)


def _cross_fitted(
    surveys: Surveys, totals: Floats, folds: Floats, panel: Panel, mixtures: list[Mixture] | None
) -> tuple[Floats, Floats]:
    """Predictions and masses, fold by fold along the second axis: each fold is predicted from the others."""
    n_replicates = len(totals)
    predictions, masses = [], []
    for number, weights in enumerate(folds):
        own = survey_totals(surveys, weights)
        if panel.combiner == "npmle" and mixtures is not None:
            part = mixtures[number * n_replicates : (number + 1) * n_replicates]
            predictions.append(np.stack([mixture.predict(surveys.counts) for mixture in part]))
        else:
            predictions.append(predictions_from(np.maximum(totals - own, 0)))
        masses.append(own * surveys.orders[:, None])
    return np.concatenate(predictions, axis=1), np.concatenate(masses, axis=1)


def _left_out(surveys: Surveys, copies: Copies, score: Score) -> Floats:
    """The Bayesian combiner learned without the item, all its copies excluded."""
    n_replicates, n_labels = len(copies.weights), surveys.shape[1]
    additive = np.zeros(n_replicates)
    confusion = np.zeros((n_replicates, n_labels, n_labels))
    for part in _left_out_parts(surveys, copies):
        row, times = copies.replicate[part.entry], (copies.items * copies.copies)[part.entry]
        if score.is_additive:
            scored = np.einsum("nl,nl->n", part.mass, score.of_labels()(part.predictions))
            additive += np.bincount(row, weights=scored * times, minlength=n_replicates)
        else:
            confusion += _confusion(score.hard(part.predictions), part.mass * times[:, None], row, n_replicates)
    if score.is_additive:
        items = copies.weights @ surveys.takes_part
        return np.where(items > 0, additive / np.where(items > 0, items, 1), np.nan)
    return _defined(score.of_confusion(confusion), surveys, copies)


def type_scores(surveys: Surveys, data: Copies, score: Score) -> Floats:
    """Additive score of the combiner learned without the item, for an item of each type; NaN where it cannot be."""
    total = np.zeros(surveys.n_types)
    for part in _left_out_parts(surveys, data):
        scored = np.einsum("nl,nl->n", part.mass, score.of_labels()(part.predictions))
        total += np.bincount(data.type[part.entry], weights=scored, minlength=surveys.n_types)
    return np.where(surveys.takes_part, total, np.nan)


def predicts_alike(panel: Panel, k: int) -> bool:
    """Whether a survey of k raters predicts the same whatever the other items are."""
    if panel.combiner == "frequency":
        return k > 0 or panel.prior != "data"
    return callable(panel.combiner) or panel.combiner == "plurality"


def fixed_scores(surveys: Surveys, panel: Panel, score: Score) -> Floats:
    """Additive score of a combiner that predicts alike whatever the other items are, for an item of each type."""
    nothing = np.empty((0, *surveys.shape))  # nothing is learned, so no totals are needed
    scored = score.of_labels()(_predictions(surveys, nothing, panel, None))
    cells = np.einsum("nl,nl->n", surveys.joint, scored[surveys.survey]) * surveys.orders[surveys.survey]
    return np.bincount(surveys.type, weights=cells, minlength=surveys.n_types).astype(np.float64)


class _Part(NamedTuple):
    """Some entries of the replicates, one row per survey that they allow."""

    entry: Codes
    predictions: Floats  # (n, n_labels)
    mass: Floats  # (n, n_labels): probability of the survey, in any order, and of the reference's label


def _left_out_parts(surveys: Surveys, copies: Copies) -> Iterator[_Part]:
    """Predictions of the Bayesian combiner for every entry of the replicates, a chunk at a time."""
    totals = survey_totals(surveys, copies.weights)
    support = survey_totals(surveys, copies.weights, (surveys.joint > 0).astype(np.float64))
    mass = surveys.joint * surveys.orders[surveys.survey, None]
    cells = np.diff(surveys.start)[copies.type]
    for entries in _chunks(cells * surveys.shape[1]):
        size = cells[entries]
        entry = np.repeat(entries, size)
        cell = np.arange(len(entry)) - np.repeat(np.cumsum(size) - size, size) + surveys.start[copies.type[entry]]
        row = copies.replicate[entry]
        predictions = leave_one_out(surveys, totals, support, row=row, cell=cell, copies=copies.copies[entry])
        yield _Part(entry, predictions, mass.take(cell, axis=0))


def _confusion(hard: Floats, mass: Floats, row: Codes, n_replicates: int) -> Floats:
    """Mass of each pair of predicted and given label, in each replicate."""
    n_labels = mass.shape[1]
    matrix = np.empty((n_replicates, n_labels, n_labels))
    for p in range(n_labels):
        for label in range(n_labels):
            matrix[:, p, label] = np.bincount(row, weights=hard[:, p] * mass[:, label], minlength=n_replicates)
    return matrix


def _chunks(sizes: Codes) -> list[Codes]:
    """Consecutive entries, grouped so that a group is not much larger than what fits at once."""
    group = np.cumsum(sizes) // ELEMENTS_AT_ONCE
    return np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(group)) + 1)
