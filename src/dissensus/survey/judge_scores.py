"""Scores of judges against the raters (Algorithm 1), in every replicate."""

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.survey.moments import moment_scores
from dissensus.survey.problem import Predictions, Problem
from dissensus.survey.ranked import RankedScore, ranked_score
from dissensus.survey.subsets import Floats
from dissensus.survey.surveys import plurality_of_draws

MASSES_AT_ONCE = 1 << 23


def reference_shares(problem: Problem) -> Floats:
    """How a random reference answers each type of item, of shape (n_types, n_labels); NaN where there is none."""
    total = problem.counts.sum(axis=1)
    if problem.references == 1:
        with np.errstate(invalid="ignore"):
            return np.asarray(problem.counts / np.where(total > 0, total, np.nan)[:, None])
    shares = np.full(problem.counts.shape, np.nan)
    enough = total >= problem.references
    shares[enough] = plurality_of_draws(problem.counts[enough], problem.references)
    return shares


def judge_scores(problem: Problem, item_weights: npt.NDArray[np.integer], rng: Generator | None = None) -> Floats:
    """Score of each judge in each replicate, of shape (n_replicates, n_judges).

    Bootstrap samples need `rng` where judges' outputs are known by their moments only.
    """
    if problem.moments is not None:
        return moment_scores(problem.moments, item_weights, rng)
    if problem.columns is not None:
        each = [_rater_by_rater(problem, judge, item_weights) for judge in problem.judges]
    else:
        shares = reference_shares(problem)[problem.type_of_item]
        known = np.asarray(~np.isnan(shares).any(axis=1))
        each = [_item_by_item(problem, judge, item_weights, shares, known) for judge in problem.judges]
    return np.stack(each, axis=1) if each else np.empty((len(item_weights), 0))


def _item_by_item(
    problem: Problem,
    judge: Predictions,
    item_weights: npt.NDArray[np.integer],
    shares: Floats,
    known: npt.NDArray[np.bool_],
) -> Floats:
    """Every item counts the same, however many raters it has."""
    predictions, shares = judge.predictions[known], shares[known]
    weights = item_weights[:, known].astype(np.float64)
    score = problem.score
    if score.is_additive:
        per_item = (shares * score.of_labels()(predictions)).sum(axis=1)
        total = weights.sum(axis=1)
        mean = np.einsum("ri,i->r", weights, per_item) / np.where(total > 0, total, np.nan)
        return np.asarray(mean)
    if not score.is_ranked:
        hard = score.hard(predictions)
        return score.of_confusion(np.einsum("ri,ip,il->rpl", weights, hard, shares, optimize=_PATH))
    step = max(1, MASSES_AT_ONCE // max(1, shares.size))
    parts = []
    for first in range(0, len(weights), step):
        masses = weights[first : first + step, :, None] * shares
        parts.append(_ranked(problem, judge, predictions, judge.values[known], masses))
    return np.concatenate(parts)


# First the two matrices of an item, then the sum over items: the order is fixed, so no thread can change it.
_PATH = ["einsum_path", (1, 2), (0, 1)]


def _ranked(problem: Problem, judge: Predictions, predictions: Floats, values: Floats, masses: Floats) -> Floats:
    score = problem.score
    if score.name == "auc" or np.isnan(values).any() or judge.calibrated:
        return score.of_joint(predictions, masses)
    # A judge that gave numbers is correlated as it is: one label whose value is its answer.
    kind: RankedScore = "pearson" if score.name == "pearson" else "spearman"
    return ranked_score(kind, values[:, None], masses, values=score.values, prediction_values=np.ones(1))


def _rater_by_rater(problem: Problem, judge: Predictions, item_weights: npt.NDArray[np.integer]) -> Floats:
    """The mean over raters of the score against that rater alone."""
    assert problem.columns is not None  # noqa: S101 - the caller asked for it
    item, rater, label = problem.columns
    per_label = problem.score.of_labels()(judge.predictions)
    scored = per_label[item, label]
    n_raters = int(rater.max(initial=-1)) + 1
    means = []
    for row in item_weights:
        weight = row[item].astype(np.float64)
        total = np.bincount(rater, weights=weight * scored, minlength=n_raters)
        count = np.bincount(rater, weights=weight, minlength=n_raters)
        means.append(float(np.mean(total[count > 0] / count[count > 0])) if (count > 0).any() else np.nan)
    return np.array(means)
