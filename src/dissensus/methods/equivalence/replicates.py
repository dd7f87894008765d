"""Curve and scores in every replicate: the data themselves, or bootstrap samples of the items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.methods.equivalence.ceiling import Mixture, ceiling_of, fit_labels, fit_mixtures, prior_entropy_of
from dissensus.methods.equivalence.curve import curve_point
from dissensus.methods.equivalence.large_sizes import TypeScores
from dissensus.methods.equivalence.problem import Problem, fold_weights, judge_scores, reference_shares, type_weights
from dissensus.methods.equivalence.surveys import Surveys, surveys_against, surveys_of_size
from dissensus.sampling.draws import Copies, copies_of, draw_copies, draw_weights, merely, observed

WEIGHTS_AT_ONCE = 1 << 22
"""Of profiles in bootstrap samples: 32 MB."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replicates:
    """Scores in each replicate.

    Attributes
    ----------
    curve : ndarray of shape (n_replicates, n_sizes)
        Score of k raters.
    amateurs : ndarray of shape (n_replicates, n_amateur_sizes)
        Score of k amateurs.
    judges : ndarray of shape (n_replicates, n_judges)
        Score of each judge.
    ceiling : ndarray of shape (n_replicates,)
        Bits that no survey can exceed; empty unless asked for.
    prior : ndarray of shape (n_replicates,)
        Score in bits of predicting the shares of the labels for every item, which nobody asked can do; empty unless the
        ceiling is asked for.
    beyond : ndarray of shape (n_replicates, n_beyond)
        Bits that k raters tell, for sizes beyond the data; empty unless asked for.
    """

    curve: Floats
    amateurs: Floats
    judges: Floats
    ceiling: Floats
    prior: Floats
    beyond: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Extras:
    """What was computed beforehand, and what else to compute.

    Attributes
    ----------
    labels : tuple of Mixture
        How the data spread the probability of each label, to start from; with it each replicate gets its ceiling.
    starts : tuple of Mixture
        The mixing distribution of the data, or of each training part, for the combiner npmle to start from.
    beyond : tuple of int
        Survey sizes beyond the data; for two labels only.
    no_ceiling : str
        Why there is no ceiling though it was asked for.
    large : mapping of int to TypeScores
        Scores by type for survey sizes with very many surveys.
    """

    labels: tuple[Mixture, ...] = ()
    starts: tuple[Mixture, ...] = ()
    beyond: tuple[int, ...] = ()
    no_ceiling: str = ""
    large: Mapping[int, TypeScores] = field(default_factory=dict)


def amateur_surveys(problem: Problem) -> list[Surveys]:
    """The surveys of amateurs of each size, scored against the experts."""
    if problem.amateurs is None:
        return []
    reference = np.nan_to_num(reference_shares(problem))
    return [surveys_against(problem.amateurs, k, reference) for k in problem.amateur_sizes]


def observed_scores(problem: Problem, extras: Extras) -> Replicates:
    """Scores of the data themselves: one replicate."""
    weights = np.ones((1, problem.n_items), dtype=np.int32) if problem.copies is None else problem.copies[None, :]
    return _scores(problem, observed(problem.items), weights, extras)


def bootstrap_scores(task: tuple[Problem, Extras, int], rng: Generator) -> Replicates:
    """Scores of bootstrap samples of the items; a task for an executor."""
    problem, extras, replicates = task
    if problem.copies is None:
        weights = draw_weights(problem.n_items, replicates, rng)
        copies = copies_of(weights, problem.type_of_item, len(problem.counts))
        return _scores(problem, copies, weights, extras, rng)
    step = max(1, WEIGHTS_AT_ONCE // problem.n_items)
    sizes = [min(step, replicates - done) for done in range(0, replicates, step)]
    return joined([_profile_scores(problem, problem.copies, extras, size, rng) for size in sizes])


def _profile_scores(problem: Problem, copies: Codes, extras: Extras, replicates: int, rng: Generator) -> Replicates:
    """The same where items come as profiles."""
    weights = draw_weights(len(copies), replicates, rng, copies=copies)
    of_types = type_weights(weights, problem)
    # Only a combiner that is learned without the item asks how often each item was drawn.
    if problem.panel.combiner == "abc" and problem.panel.learn == "leave-one-out":
        drawn = draw_copies(of_types, problem.items, rng, is_smooth=problem.score.is_additive)
    else:
        drawn = merely(of_types)
    return _scores(problem, drawn, weights, extras, rng)


def joined(parts: Sequence[Replicates]) -> Replicates:
    """Replicates one after the other."""
    names = [field.name for field in fields(Replicates)]
    return Replicates(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def _scores(
    problem: Problem,
    copies: Copies,
    weights: npt.NDArray[np.integer],
    extras: Extras,
    rng: Generator | None = None,
) -> Replicates:
    folds = fold_weights(weights, problem) if problem.panel.learn == "cross-fit" else None
    mixtures = _mixtures(problem, copies, folds, extras)
    columns = []
    for k in problem.sizes:
        if k in extras.large:
            columns.append(extras.large[k].mean(copies.weights))
            continue
        surveys = surveys_of_size(problem.counts, k, references=problem.references)
        columns.append(curve_point(surveys, copies, problem.panel, problem.score, folds=folds, mixtures=mixtures))
    amateurs = [
        curve_point(surveys, copies, problem.panel, problem.score, folds=folds) for surveys in amateur_surveys(problem)
    ]
    fits = fit_labels(problem.counts, copies.weights, start=extras.labels) if extras.labels else []
    whole = list(zip(*fits, strict=True))
    return Replicates(
        curve=np.stack(columns, axis=1),
        amateurs=np.stack(amateurs, axis=1) if amateurs else np.empty((len(weights), 0)),
        judges=judge_scores(problem, weights, rng),
        ceiling=np.array([ceiling_of(labels) for labels in whole]),
        prior=np.array([-prior_entropy_of(labels) for labels in whole]),
        beyond=np.array([[labels[0].information(k) for k in extras.beyond] for labels in whole]).reshape(
            len(whole), len(extras.beyond)
        ),
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
