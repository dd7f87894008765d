"""Curve and scores in every replicate: the data themselves, or bootstrap samples of the items."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields, replace
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.errors import OptionError
from dissensus.methods.equivalence.ceiling import (
    FEW_LABELS,
    TWO_LABELS,
    Mixture,
    ceiling_of,
    fit_labels,
    fit_mixtures,
    prior_entropy_of,
    why_unasked,
    why_untold,
)
from dissensus.methods.equivalence.curve import (
    curve_point,
    fixed_predictions,
    predictions_from,
    predicts_alike,
)
from dissensus.methods.equivalence.influence import (
    Errors,
    ItemScores,
    TypeScores,
    errors_of,
    item_scores,
    scores_by_type,
)
from dissensus.methods.equivalence.options import EquivalenceOptions
from dissensus.methods.equivalence.problem import Problem, fold_weights, judge_scores, reference_shares, type_weights
from dissensus.methods.equivalence.surveys import (
    count_subsets,
    log_factorials,
    plurality_of_draws,
    surveys_against,
    surveys_of_size,
)
from dissensus.options import named
from dissensus.sampling import Progress, run_tasks
from dissensus.sampling.draws import Copies, copies_of, draw_copies, draw_weights, merely, observed

# ---- Survey sizes with very many surveys: what is computed once and reweighted, and what is sampled

RELEARN_LIMIT = 3_000_000
"""Up to so many surveys that items allow, times labels, of one size, every bootstrap sample learns the combiner again.

Beyond it each item's score is computed once, with the combiner learned from all the others, and bootstrap samples
reweight these scores: a proper score is at its optimum in the combiner, so relearning would change the curve in second
order only."""
MEMORY_BUDGET = 40_000_000
"""The same, from where on surveys are sampled: about 2 GB of working memory. What is predicted after each is exact."""
SAMPLES = 4000
SAMPLES_AT_ONCE = 200


def number_of_cells(problem: Problem, k: int) -> int:
    """How many surveys of one size the types of items allow, times labels."""
    enough = problem.counts[problem.counts.sum(axis=1) >= k + problem.references]
    return count_subsets(enough, k) * len(problem.counts.T)


Treatment = Literal["sampled", "fixed", "learned"]
"""Surveys are sampled, or predict alike in every replicate, or are learned from the data once."""


def treatments(problem: Problem, *, is_resampled: bool) -> dict[int, Treatment]:
    """The sizes of the curve that need not or cannot be treated anew in every replicate, and how they are treated."""
    learns = problem.panel.leaves_out and problem.score.is_additive
    once: dict[int, Treatment] = {}
    for k in problem.sizes:
        cells = number_of_cells(problem, k)
        if cells > MEMORY_BUDGET:
            once[k] = "sampled"
        elif is_resampled and problem.score.is_additive and predicts_alike(problem.panel, k):
            once[k] = "fixed"
        elif is_resampled and learns and cells > RELEARN_LIMIT:
            once[k] = "learned"
    return once


def large_sizes(
    problem: Problem, sizes: Mapping[int, Treatment], *, rng: Generator, progress: Progress | None = None
) -> dict[int, TypeScores]:
    """Scores by type for the sizes that are treated once."""
    scores_by_size = {}
    orders: Orders | None = None
    for k, treatment in sizes.items():
        if treatment == "sampled":
            orders = draw_orders(problem, rng) if orders is None else orders
            scores_by_size[k] = sampled_scores(problem, k, orders)
        else:
            surveys = surveys_of_size(problem.counts, k, references=problem.references)
            scores_by_size[k] = scores_by_type(problem, surveys, None)
        if progress is not None:
            progress(len(scores_by_size), len(sizes))
    return scores_by_size


class Orders(NamedTuple):
    """Sampled items and an order in which their raters are asked, the same for every survey size."""

    type: Codes  # (n_samples,), ascending: every item is sampled equally often, up to one
    label: Codes  # (n_samples, most_ratings), in the order in which they come; -1 after the last


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
            f"{named('max_raters')}, or use an additive score with a combiner that is not cross-fitted."
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
    # Of an even sample: neighbours are alike, so their differences are the noise.
    error = float(np.sqrt((np.diff(scores) ** 2).mean() / 2 / len(scores))) if len(scores) > 1 else np.nan
    return TypeScores(total / np.maximum(drawn, 1), mass, error)


def _scored(problem: Problem, items: Codes, types: Codes, surveys: Codes, k: int) -> Floats:
    """Expected score of each sampled survey over the reference raters of its item."""
    reference = _reference(problem, types, surveys, k)
    scored = [
        np.einsum("nl,nl->n", reference, problem.score.of_labels()(predictions))
        for predictions in _predicted(problem, items, types, surveys, k, reference)
    ]
    return np.asarray(np.mean(scored, axis=0))


def _reference(problem: Problem, types: Codes, surveys: Codes, k: int) -> Floats:
    left = problem.counts[types] - surveys
    if problem.references == 1:
        return np.asarray(left / (problem.counts[types].sum(axis=1) - k)[:, None])
    return plurality_of_draws(left, problem.references)


def _predicted(problem: Problem, items: Codes, types: Codes, surveys: Codes, k: int, reference: Floats) -> list[Floats]:
    """What the combiner predicts after each survey; twice for the midpoint, without the item and from all."""
    fixed = fixed_predictions(problem.panel, surveys.astype(np.int32))
    if fixed is not None:
        return [fixed]
    chance = _sequence_chances(problem, items, surveys, k)
    totals = np.empty(surveys.shape)
    support = np.empty(surveys.shape)
    for row, survey in enumerate(surveys):
        able = np.flatnonzero(chance[row])
        answers = _reference(problem, able, np.broadcast_to(survey, (len(able), len(survey))), k)
        weight = items[able] * chance[row, able]
        totals[row] = np.einsum("t,tl->l", weight, answers)
        support[row] = np.einsum("t,tl->l", items[able].astype(np.float64), (answers > 0).astype(np.float64))
    panel = problem.panel
    pseudo = panel.pseudo_totals(surveys, _orders(surveys, k)) if panel.is_midpoint else 0.0
    found = [] if panel.leaves_out and not panel.is_midpoint else [predictions_from(totals + pseudo)]
    if panel.leaves_out:
        contribution = chance[np.arange(len(types)), types][:, None] * reference
        anybody = support - (contribution > 0) > 0
        others = np.where(anybody, np.maximum(totals - contribution, 0), 0)
        found.append(predictions_from(others + pseudo))
    return found


def _orders(surveys: Codes, k: int) -> Floats:
    """In how many orders the labels of each survey can come."""
    log = log_factorials(k)
    return np.asarray(np.exp(log[k] - log[surveys].sum(axis=1)))


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


REPLICATES_PER_TASK = 25
"""Fixed, so that the streams of random numbers do not depend on the number of workers."""
WEIGHTS_AT_ONCE = 1 << 22
"""Of profiles in bootstrap samples: 32 MB."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replicates:
    """Scores in each replicate; those of the ceiling are empty unless it is asked for."""

    curve: Floats  # (n_replicates, n_sizes): score of k raters
    amateurs: Floats  # (n_replicates, n_amateur_sizes): score of k amateurs
    judges: Floats  # (n_replicates, n_judges)
    ceiling: Floats  # (n_replicates,): bits that no survey can exceed
    prior: Floats  # (n_replicates,): score in bits of predicting the shares of the labels, which nobody asked can do
    beyond: Floats  # (n_replicates, n_beyond): bits that k raters tell, for sizes beyond the data
    # Standard errors, as in `Errors`; without judges or sizes where the score does not add up over items.
    curve_error: Floats
    judge_covariance: Floats
    gap_error: Floats


def up_to_size(scores: Replicates, n_sizes: int) -> Replicates:
    """The same scores of the first survey sizes."""
    return replace(
        scores,
        curve=scores.curve[:, :n_sizes],
        curve_error=scores.curve_error[:, :n_sizes],
        gap_error=scores.gap_error[:, :, :n_sizes],
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Extras:
    """What was computed beforehand, and what else to compute."""

    labels: tuple[Mixture, ...] = ()  # spread of the probability of each label; with it each replicate gets its ceiling
    starts: tuple[Mixture, ...] = ()  # of the data, or of each training part, for the combiner npmle to start from
    beyond: tuple[int, ...] = ()  # survey sizes beyond the data; for two labels only
    no_ceiling: str = ""  # why there is none though it was asked for
    large: Mapping[int, TypeScores] = field(default_factory=dict)  # for survey sizes with very many surveys
    items: ItemScores | None = None  # what single items score, for standard errors; None without bootstrap samples


def observed_scores(problem: Problem, extras: Extras) -> Replicates:
    """Scores of the data themselves: one replicate."""
    return scores_of(problem, observed(problem.items), problem.weights, extras)


def starting_scores(
    problem: Problem,
    options: EquivalenceOptions,
    *,
    once: Mapping[int, Treatment] | None = None,
    rng: Generator,
    progress: Progress | None = None,
) -> tuple[Extras, Replicates]:
    """What all replicates start from, and the scores of the data themselves."""
    sizes = treatments(problem, is_resampled=options.bootstrap > 0) if once is None else once
    large = large_sizes(problem, sizes, rng=rng, progress=progress)
    extras = replace(ceiling_extras(problem, options), large=large)
    if options.bootstrap and problem.score.is_additive:
        extras = replace(extras, items=item_scores(problem, _by_size(problem, extras)))
    return extras, observed_scores(problem, extras)


def _by_size(problem: Problem, extras: Extras) -> dict[int, TypeScores]:
    """Scores by type for every size, with what the combiner learned from these data."""
    mixture = extras.starts[0] if extras.starts else None
    return {
        k: extras.large[k]
        if k in extras.large
        else scores_by_type(problem, surveys_of_size(problem.counts, k, references=problem.references), mixture)
        for k in problem.sizes
    }


def task_sizes(replicates: int) -> list[int]:
    """How many bootstrap samples each task draws."""
    return [min(REPLICATES_PER_TASK, replicates - done) for done in range(0, replicates, REPLICATES_PER_TASK)]


def bootstrap_replicates(
    problem: Problem,
    extras: Extras,
    replicates: int,
    executor: Executor,
    *,
    rng: Generator,
    progress: Progress | None,
) -> Replicates | None:
    """Scores of bootstrap samples of the items; None where there shall be none."""
    tasks = [(problem, extras, size) for size in task_sizes(replicates)]
    parts = run_tasks(executor, bootstrap_scores, tasks, rng=rng, progress=progress)
    return joined(parts) if parts else None


def bootstrap_scores(task: tuple[Problem, Extras, int], rng: Generator) -> Replicates:
    """Scores of bootstrap samples of the items; a task for an executor."""
    problem, extras, replicates = task
    if problem.copies is None:
        weights = draw_weights(problem.n_items, replicates, rng)
        copies = copies_of(weights, problem.type_of_item, len(problem.counts))
        return scores_of(problem, copies, weights, extras, rng)
    step = max(1, WEIGHTS_AT_ONCE // problem.n_items)
    parts = []
    for done in range(0, replicates, step):
        weights = draw_weights(problem.n_items, min(step, replicates - done), rng, copies=problem.copies)
        of_types = type_weights(weights, problem)
        # Only a combiner that is learned without the item asks how often each item was drawn.
        if problem.panel.leaves_out:
            drawn = draw_copies(of_types, problem.items, rng, is_smooth=problem.score.is_additive)
        else:
            drawn = merely(of_types)
        parts.append(scores_of(problem, drawn, weights, extras, rng))
    return joined(parts)


def joined(parts: Sequence[Replicates]) -> Replicates:
    """Replicates one after the other."""
    names = [field.name for field in fields(Replicates)]
    return Replicates(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def scores_of(
    problem: Problem,
    copies: Copies,
    weights: npt.NDArray[np.integer],
    extras: Extras,
    rng: Generator | None = None,
) -> Replicates:
    """Scores in each replicate, from how often items of each type, and which items, are in it."""
    folds = fold_weights(weights, problem) if problem.panel.learn == "cross-fit" else None
    mixtures = _mixtures(problem, copies, folds, extras)
    columns = []
    for k in problem.sizes:
        if k in extras.large:
            columns.append(extras.large[k].mean(copies.weights))
            continue
        surveys = surveys_of_size(problem.counts, k, references=problem.references)
        columns.append(curve_point(surveys, copies, problem.panel, problem.score, folds=folds, mixtures=mixtures))
    amateurs = []
    if problem.amateurs is not None:
        for k in problem.amateur_sizes:
            surveys = surveys_against(problem.amateurs, k, np.nan_to_num(reference_shares(problem)))
            amateurs.append(curve_point(surveys, copies, problem.panel, problem.score, folds=folds))
    fits = fit_labels(problem.counts, copies.weights, start=extras.labels) if extras.labels else []
    whole = list(zip(*fits, strict=True))
    nothing = np.empty((len(weights), 0))
    errors = Errors(nothing, nothing[:, :, None], nothing[:, :, None])
    if extras.items is not None:
        errors = errors_of(extras.items, weights, copies.weights, problem)
    return Replicates(
        curve=np.stack(columns, axis=1),
        amateurs=np.stack(amateurs, axis=1) if amateurs else np.empty((len(weights), 0)),
        judges=judge_scores(problem, weights, rng),
        ceiling=np.array([ceiling_of(labels) for labels in whole]),
        prior=np.array([-prior_entropy_of(labels) for labels in whole]),
        beyond=np.array([[labels[0].information(k) for k in extras.beyond] for labels in whole]).reshape(
            len(whole), len(extras.beyond)
        ),
        curve_error=errors.curve,
        judge_covariance=errors.judges,
        gap_error=errors.gaps,
    )


def _mixtures(problem: Problem, copies: Copies, folds: Floats | None, extras: Extras) -> list[Mixture] | None:
    if problem.panel.combiner != "npmle":
        return None
    parts = training_parts(copies.weights, folds)
    starts = extras.starts if extras.starts and len(copies.weights) > 1 else (None,) * len(parts)
    return [
        mixture
        for part, start in zip(parts, starts, strict=True)
        for mixture in fit_mixtures(problem.counts, part, start=start)
    ]


def training_parts(weights: Floats, folds: Floats | None) -> list[Floats]:
    """Weights of what is learned from: everything, or for each fold the rest."""
    return [weights] if folds is None else [weights - fold for fold in folds]


def ceiling_extras(problem: Problem, options: EquivalenceOptions) -> Extras:
    """What replicates start from, and the sizes beyond the data where the ceiling was asked for and can be told."""
    extras = Extras(starts=_starts(problem) if options.combiner == "npmle" and options.bootstrap else ())
    if not options.ceiling:
        return extras
    if reason := why_unasked(problem.counts, problem.items):
        return replace(extras, no_ceiling=reason)
    weights = problem.items[None, :].astype(np.float64)
    labels = tuple(fits[0] for fits in fit_labels(problem.counts, weights))
    if reason := why_untold(problem.counts, problem.items, ceiling_of(labels)):
        return replace(extras, no_ceiling=reason)
    largest = problem.sizes[-1]
    beyond = tuple(range(largest + 1, 2 * largest + 1)) if problem.counts.shape[1] == TWO_LABELS else ()
    return replace(extras, labels=labels, beyond=beyond)


def _starts(problem: Problem) -> tuple[Mixture, ...]:
    """The mixing distribution of each part of the data that the combiner learns from.

    With few labels that of all data will do. With more, the possible states themselves come from the items, and must
    not come from those that are predicted.
    """
    folds = fold_weights(problem.weights, problem) if problem.panel.learn == "cross-fit" else None
    whole = problem.items[None, :].astype(np.float64)
    parts = training_parts(whole, folds)
    if problem.counts.shape[1] <= FEW_LABELS:
        return (fit_mixtures(problem.counts, whole)[0],) * len(parts)
    return tuple(fit_mixtures(problem.counts, part)[0] for part in parts)
