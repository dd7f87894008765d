"""Curve and scores in every replicate: the data themselves, or bootstrap samples of the items."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.errors import OptionError
from dissensus.methods.equivalence.ceiling import (
    FEW_LABELS,
    TWO_LABELS,
    Mixture,
    ceiling_of,
    fit_labels,
    fit_mixtures,
    prior_entropy_of,
    reason_not_shown,
    reason_not_tried,
    too_high_by,
)
from dissensus.methods.equivalence.curve import curve_point, pearson_of_shares, predicts_alike
from dissensus.methods.equivalence.influence import (
    Errors,
    ItemScores,
    Relearned,
    TypeScores,
    errors_of,
    item_scores,
    relearned,
    scores_by_type,
)
from dissensus.methods.equivalence.options import EquivalenceOptions
from dissensus.methods.equivalence.problem import (
    Problem,
    fold_weights,
    is_closed,
    judge_scores,
    numbers_of_cells,
    reference_shares,
    type_weights,
)
from dissensus.methods.equivalence.sampled import (
    SAMPLES,
    Orders,
    can_grow,
    draw_orders,
    draw_pairs,
    grown_scores,
    sampled_scores,
)
from dissensus.methods.equivalence.scores import PROPER_SCORES
from dissensus.methods.equivalence.surveys import surveys_against, surveys_of_size
from dissensus.options import named
from dissensus.sampling import Progress, run_tasks
from dissensus.sampling.draws import Copies, chunk_sizes, copies_of, draw_copies, draw_weights, merely

# ---- Survey sizes with very many surveys: what is computed once and reweighted, and what is sampled

RELEARN_LIMIT = 3_000_000
"""Up to this many surveys of one size, times labels, every bootstrap sample learns the combiner again.

Beyond it each item's score is computed once, with the combiner learned from all the others, and bootstrap samples
reweight these scores: a proper score is at its optimum in the combiner, so relearning would change the curve in second
order only."""
MEMORY_BUDGET = 40_000_000
"""The same, from where on surveys are sampled: about 2 GB of working memory. What is predicted after each is exact."""
QUICK_WORK = 5_000_000
"""Surveys of all sizes, times labels, times bootstrap samples: up to this many nothing is approximated."""
QUICK_LIMIT = 400_000
"""Where it is more: surveys of one size, times labels, up to which bootstrap samples learn the combiner again from sums
over their items; beyond it surveys are sampled."""

Treatment = Literal["sampled", "grown", "fixed", "learned", "relearned"]
"""Surveys are sampled, size by size or all sizes at once, or predict the same in all replicates, or are learned from
the data once, or again in every replicate from the sums over its items."""


def treatments(problem: Problem, *, bootstrap: int, exact: bool = False) -> dict[int, Treatment]:
    """The sizes of the curve that need not or cannot be treated anew in every replicate, and how they are treated."""
    learns = problem.panel.leaves_out and problem.score.is_additive
    cells = numbers_of_cells(problem, problem.sizes)
    is_quick = not exact and problem.score.name in PROPER_SCORES and can_grow(problem)
    is_quick = is_quick and problem.unit is None and sum(cells.values()) * max(bootstrap, 1) > QUICK_WORK
    once: dict[int, Treatment] = {}
    for k, number in cells.items():
        if number > MEMORY_BUDGET and problem.unit is not None:
            raise OptionError(
                f"Samples of {k} raters are too many to go through with items that count differently: lower "
                f"{named('max_raters')}."
            )
        if number > (QUICK_LIMIT if is_quick else MEMORY_BUDGET):
            once[k] = "grown" if is_quick else "sampled"
        elif bootstrap and problem.score.is_additive and predicts_alike(problem.panel, k):
            once[k] = "fixed"
        elif bootstrap and is_quick:
            once[k] = "relearned"
        elif bootstrap and learns and number > RELEARN_LIMIT:
            once[k] = "learned"
    return once


def large_sizes(
    problem: Problem, sizes: Mapping[int, Treatment], *, rng: Generator, progress: Progress | None = None
) -> dict[int, TypeScores | Relearned]:
    """Scores by type for the sizes that are treated once, or what they are made of."""
    scores: dict[int, TypeScores | Relearned] = {}
    orders: Orders | None = None
    grown = [k for k, treatment in sizes.items() if treatment == "grown"]
    for k, treatment in sizes.items():
        if treatment == "sampled":
            orders = draw_orders(problem, rng, samples=SAMPLES) if orders is None else orders
            scores[k] = sampled_scores(problem, k, orders)
        elif treatment == "grown":
            scores |= {} if k in scores else grown_scores(problem, grown, draw_pairs(problem, rng))
        elif treatment == "relearned":
            found = relearned(problem, surveys_of_size(problem.counts, k))
            scores |= {} if found.by_type.learns_from_itself(problem.items) else {k: found}
        else:
            scores[k] = scores_by_type(problem, k)
        if progress is not None:
            progress(len(scores), len(sizes))
    return scores


REPLICATES_PER_TASK = 25
"""Fixed, so that the streams of random numbers do not depend on the number of workers."""


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
    too_high_by: float = 0.0  # bits by which chance may raise the ceiling
    no_ceiling: str = ""  # why there is none though it was asked for
    large: Mapping[int, TypeScores | Relearned] = field(default_factory=dict)  # for sizes with very many surveys
    shifts: Mapping[int, float] = field(default_factory=dict)  # what bootstrap samples of some sizes score better
    items: ItemScores | None = None  # what single items score, for standard errors; None without bootstrap samples


def observed_scores(problem: Problem, extras: Extras) -> Replicates:
    """Scores of the data themselves: one replicate."""
    return scores_of(problem, problem.observed, problem.weights, extras)


def starting_scores(
    problem: Problem,
    options: EquivalenceOptions,
    *,
    once: Mapping[int, Treatment] | None = None,
    rng: Generator,
    progress: Progress | None = None,
) -> tuple[Extras, Replicates]:
    """What all replicates start from, and the scores of the data themselves."""
    sizes = treatments(problem, bootstrap=options.bootstrap, exact=options.exact) if once is None else once
    large = large_sizes(problem, sizes, rng=rng, progress=progress)
    extras = replace(ceiling_extras(problem, options), large=large)
    if options.bootstrap and problem.score.is_additive:
        extras = replace(extras, items=item_scores(problem, scores_by_size(problem, extras)))
        extras = replace(extras, shifts=_shifts(problem, extras, sizes, rng.spawn(1)[0]))
    return extras, observed_scores(problem, extras)


def _shifts(problem: Problem, extras: Extras, sizes: Mapping[int, Treatment], rng: Generator) -> dict[int, float]:
    """How much bootstrap samples score better, on average, where their combiner is learned item by item.

    Only of sizes where it matters, from some samples.
    """
    grown = [k for k, treatment in sizes.items() if treatment == "grown"]
    wanted = [k for k in grown if extras.large[k].by_type.learns_from_itself(problem.items)]
    if not wanted:
        return {}
    cells = numbers_of_cells(problem, wanted)
    copies = _drawn(problem, REPLICATES_PER_TASK, rng)[1]
    shifts = {}
    for k in wanted:
        if cells[k] <= RELEARN_LIMIT:
            exact = curve_point(surveys_of_size(problem.counts, k), copies, problem.panel, problem.score)
            shifts[k] = float(np.nanmean(exact - extras.large[k].in_samples(copies)))
    return shifts


def scores_by_size(problem: Problem, extras: Extras) -> dict[int, TypeScores]:
    """Scores by type for every size, with what the combiner learned from these data."""
    mixture = extras.starts[0] if extras.starts else None
    return {
        k: extras.large[k].by_type if k in extras.large else scores_by_type(problem, k, mixture) for k in problem.sizes
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
    """Scores of bootstrap samples of the items; None where there are to be none."""
    tasks = [(problem, extras, size) for size in task_sizes(replicates)]
    parts = run_tasks(executor, bootstrap_scores, tasks, rng=rng, progress=progress)
    return joined(parts) if parts else None


def bootstrap_scores(task: tuple[Problem, Extras, int], rng: Generator) -> Replicates:
    """Scores of bootstrap samples of the items; a task for an executor."""
    problem, extras, replicates = task
    parts = []
    for size in [replicates] if problem.copies is None else chunk_sizes(replicates, problem.n_items):
        weights, drawn = _drawn(problem, size, rng)
        parts.append(scores_of(problem, drawn, weights, extras, rng))
    scores = joined(parts)
    shifts = np.array([extras.shifts.get(k, 0.0) for k in problem.sizes])
    return replace(scores, curve=scores.curve + shifts) if extras.shifts else scores


def _drawn(problem: Problem, replicates: int, rng: Generator) -> tuple[npt.NDArray[np.integer], Copies]:
    """How often each item is drawn in each bootstrap sample, and what that means for types of items."""
    if problem.among is None:
        weights = draw_weights(problem.n_items, replicates, rng, copies=problem.copies)
    else:  # with the other parts of the file
        weights = draw_weights(problem.among.items, replicates, rng)[:, problem.among.place]
    if problem.copies is None:
        copies = copies_of(weights, problem.type_of_item, len(problem.counts))
        return (weights if problem.unit is None else weights * problem.weights), copies.counting(problem.unit)
    of_types = type_weights(weights, problem)
    # Only a combiner that is learned without the item asks how often each item was drawn.
    if not problem.panel.leaves_out:
        return weights, merely(of_types)
    return weights, draw_copies(of_types, problem.items, rng, is_smooth=problem.score.is_additive)


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
            columns.append(extras.large[k].in_samples(copies))
            continue
        if is_closed(problem, k) and problem.score.name == "pearson":
            columns.append(pearson_of_shares(problem.counts, k, copies.weights, problem.score.values))
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
    judges = errors.scores
    if judges is None or rng is None:  # the data themselves are scored without the help of differences
        judges = judge_scores(problem, weights, rng)
    return Replicates(
        curve=np.stack(columns, axis=1),
        amateurs=np.stack(amateurs, axis=1) if amateurs else np.empty((len(weights), 0)),
        judges=judges,
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
    if reason := reason_not_tried(problem.counts, problem.items):
        return replace(extras, no_ceiling=reason)
    weights = problem.observed.weights
    labels = tuple(fits[0] for fits in fit_labels(problem.counts, weights))
    if reason := reason_not_shown(problem.counts, problem.items, ceiling_of(labels)):
        return replace(extras, no_ceiling=reason)
    largest = problem.sizes[-1]
    beyond = tuple(range(largest + 1, 2 * largest + 1)) if problem.counts.shape[1] == TWO_LABELS else ()
    by_chance = too_high_by(problem.counts, problem.items)
    return replace(extras, labels=labels, beyond=beyond, too_high_by=by_chance)


def _starts(problem: Problem) -> tuple[Mixture, ...]:
    """The mixing distribution of each part of the data that the combiner learns from.

    With few labels that of all data will do. With more, the possible states themselves come from the items, and must
    not come from those that are predicted.
    """
    folds = fold_weights(problem.weights, problem) if problem.panel.learn == "cross-fit" else None
    whole = problem.observed.weights
    parts = training_parts(whole, folds)
    if problem.counts.shape[1] <= FEW_LABELS:
        return (fit_mixtures(problem.counts, whole)[0],) * len(parts)
    return tuple(fit_mixtures(problem.counts, part)[0] for part in parts)
