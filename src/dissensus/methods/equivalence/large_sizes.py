"""Survey sizes with very many surveys: what is computed once and reweighted, and what is sampled.

Up to `RELEARN_LIMIT` every bootstrap sample learns the combiner again. Beyond it each item's score is computed once,
with the combiner learned from all the others, and bootstrap samples reweight these scores: a proper score is at its
optimum in the combiner, so relearning would change the curve in second order only. Beyond `MEMORY_BUDGET` surveys are
sampled; what is predicted after each sampled survey stays exact.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.errors import OptionError
from dissensus.methods.equivalence.combiners import frequencies, own_predictions, pluralities, predictions_from
from dissensus.methods.equivalence.curve import fixed_scores, predicts_alike, type_scores
from dissensus.methods.equivalence.problem import Problem
from dissensus.methods.equivalence.surveys import (
    Surveys,
    count_subsets,
    log_factorials,
    plurality_of_draws,
    surveys_of_size,
)
from dissensus.sampling.draws import observed

RELEARN_LIMIT = 3_000_000
"""Surveys that items allow, times labels, of one size."""
MEMORY_BUDGET = 40_000_000
"""The same, from where on surveys are sampled: about 2 GB of working memory."""
SAMPLES = 4000
SAMPLES_AT_ONCE = 200


class TypeScores(NamedTuple):
    """Mean score of an item of each type, and how much an item of the type counts.

    Attributes
    ----------
    score, mass : ndarray of shape (n_types,)
        0 where the type takes no part.
    standard_error : float
        Of the mean over items, from sampling surveys; NaN if none were sampled.
    """

    score: Floats
    mass: Floats
    standard_error: float

    def mean(self, weights: Floats) -> Floats:
        """The score in each replicate, from weights of shape (n_replicates, n_types)."""
        total = np.einsum("rt,t->r", weights, self.mass)
        summed = np.einsum("rt,t->r", weights, self.mass * self.score)
        return np.where(total > 0, summed / np.where(total > 0, total, 1), np.nan)


def number_of_cells(problem: Problem, k: int) -> int:
    """How many surveys of one size the types of items allow, times labels."""
    enough = problem.counts[problem.counts.sum(axis=1) >= k + problem.references]
    return count_subsets(enough, k) * len(problem.counts.T)


Treatment = Literal["sampled", "fixed", "learned"]
"""Surveys are sampled, or predict alike in every replicate, or are learned from the data once."""


def treatments(problem: Problem, *, is_resampled: bool) -> dict[int, Treatment]:
    """The sizes of the curve that need not or cannot be treated anew in every replicate, and how they are treated."""
    learns = problem.panel.combiner == "abc" and problem.panel.learn == "leave-one-out" and problem.score.is_additive
    found: dict[int, Treatment] = {}
    for k in problem.sizes:
        cells = number_of_cells(problem, k)
        if cells > MEMORY_BUDGET:
            found[k] = "sampled"
        elif is_resampled and problem.score.is_additive and predicts_alike(problem.panel, k):
            found[k] = "fixed"
        elif is_resampled and learns and cells > RELEARN_LIMIT:
            found[k] = "learned"
    return found


def large_sizes(
    problem: Problem, sizes: Mapping[int, Treatment], *, rng: Generator, done: Callable[[], None] = lambda: None
) -> dict[int, TypeScores]:
    """Scores by type for the sizes that are treated once; after each of them `done` is called."""
    found = {}
    orders: Orders | None = None
    for k, treatment in sizes.items():
        if treatment == "sampled":
            orders = draw_orders(problem, rng) if orders is None else orders
            found[k] = sampled_scores(problem, k, orders)
        else:
            surveys = surveys_of_size(problem.counts, k, references=problem.references)
            found[k] = _type_scores(
                surveys,
                fixed_scores(surveys, problem.panel, problem.score)
                if treatment == "fixed"
                else type_scores(surveys, observed(problem.items), problem.score),
            )
        done()
    return found


def _type_scores(surveys: Surveys, scores: Floats) -> TypeScores:
    part = surveys.takes_part
    return TypeScores(np.where(part, scores, 0), part.astype(np.float64), np.nan)


class Orders(NamedTuple):
    """Sampled items and an order in which their raters are asked, the same for every survey size.

    Attributes
    ----------
    type : ndarray of shape (n_samples,)
        The type of each item, ascending: every item is sampled equally often, up to one.
    label : ndarray of shape (n_samples, most_ratings)
        The labels in the order in which they come; -1 after the last.
    """

    type: Codes
    label: Codes


def draw_orders(problem: Problem, rng: Generator) -> Orders:
    """Sample items evenly and put their ratings into a random order."""
    last = np.cumsum(problem.items)
    place = np.floor((np.arange(SAMPLES) + rng.random()) * (int(last[-1]) / SAMPLES)).astype(np.intp)
    drawn = np.searchsorted(last, place, side="right")
    most = int(problem.counts.sum(axis=1).max(initial=0))
    label = np.full((SAMPLES, most), -1, dtype=np.intp)
    for row, counts in enumerate(problem.counts[drawn]):
        ordered = rng.permutation(np.repeat(np.arange(len(counts)), counts))
        label[row, : len(ordered)] = ordered
    return Orders(drawn, label)


def sampled_scores(problem: Problem, k: int, orders: Orders) -> TypeScores:
    """Scores from sampled surveys, with the exact prediction after each and every reference rater."""
    if not problem.score.is_additive or problem.panel.combiner == "npmle" or problem.panel.learn == "cross-fit":
        raise OptionError(
            f"Surveys of {k} raters are too many to enumerate here ({number_of_cells(problem, k):,} cells): lower "
            "--max-raters, or use an additive score with a combiner that is not cross-fitted."
        )
    items = np.where(problem.counts.sum(axis=1) >= k + problem.references, problem.items, 0)
    able = np.flatnonzero(items[orders.type])
    types = orders.type[able]
    n_labels = problem.counts.shape[1]
    surveys = np.stack([(orders.label[able, :k] == label).sum(axis=1) for label in range(n_labels)], axis=1)
    parts = np.split(np.arange(len(able)), range(SAMPLES_AT_ONCE, len(able), SAMPLES_AT_ONCE))
    scores = np.concatenate([_scored(problem, items, types[part], surveys[part], k) for part in parts])
    drawn = np.bincount(types, minlength=len(items))
    total = np.bincount(types, weights=scores, minlength=len(items))
    mass = drawn / np.maximum(items, 1)
    return TypeScores(total / np.maximum(drawn, 1), mass, _standard_error(scores))


def _standard_error(scores: Floats) -> float:
    """Standard error of the mean of an even sample: neighbours are alike, so their differences are the noise."""
    if len(scores) < 2:  # noqa: PLR2004 - a difference needs two
        return float("nan")
    return float(np.sqrt((np.diff(scores) ** 2).mean() / 2 / len(scores)))


def _scored(problem: Problem, items: Codes, types: Codes, surveys: Codes, k: int) -> Floats:
    """Expected score of each sampled survey over the reference raters of its item."""
    reference = _reference(problem, types, surveys, k)
    predictions = _predicted(problem, items, types, surveys, k, reference)
    return np.asarray(np.einsum("nl,nl->n", reference, problem.score.of_labels()(predictions)))


def _reference(problem: Problem, types: Codes, surveys: Codes, k: int) -> Floats:
    left = problem.counts[types] - surveys
    if problem.references == 1:
        return np.asarray(left / (problem.counts[types].sum(axis=1) - k)[:, None])
    return plurality_of_draws(left, problem.references)


def _predicted(problem: Problem, items: Codes, types: Codes, surveys: Codes, k: int, reference: Floats) -> Floats:
    """What the combiner predicts after each survey."""
    combiner = problem.panel.combiner
    counts = surveys.astype(np.int32)
    if callable(combiner):
        return own_predictions(combiner, counts)
    if combiner == "plurality":
        return pluralities(counts)
    if combiner == "frequency":
        return frequencies(counts, np.full(counts.shape[1], 1 / counts.shape[1]))
    chance = _sequence_chances(problem, items, surveys, k)
    totals = np.empty(surveys.shape)
    support = np.empty(surveys.shape)
    for row, survey in enumerate(surveys):
        able = np.flatnonzero(chance[row])
        answers = _reference(problem, able, np.broadcast_to(survey, (len(able), len(survey))), k)
        weight = items[able] * chance[row, able]
        totals[row] = np.einsum("t,tl->l", weight, answers)
        support[row] = np.einsum("t,tl->l", items[able].astype(np.float64), (answers > 0).astype(np.float64))
    if problem.panel.learn == "leave-one-out":
        own = chance[np.arange(len(types)), types][:, None] * reference
        anybody = support - (own > 0) > 0
        totals = np.where(anybody, np.maximum(totals - own, 0), 0)
    return predictions_from(totals)


def _sequence_chances(problem: Problem, items: Codes, surveys: Codes, k: int) -> Floats:
    """P(y|n) of each sampled survey for each type of item, of shape (n_samples, n_types); by logarithms."""
    total = problem.counts.sum(axis=1)
    log = log_factorials(int(total.max()))
    with np.errstate(invalid="ignore"):
        chance = np.tile(np.where(items > 0, log[np.maximum(total - k, 0)] - log[total], -np.inf), (len(surveys), 1))
    for label in range(surveys.shape[1]):
        given, asked = problem.counts[:, label][None, :], surveys[:, label][:, None]
        chance += np.where(given >= asked, log[given] - log[np.maximum(given - asked, 0)], -np.inf)
    return np.asarray(np.exp(chance))
