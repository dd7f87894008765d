"""Curve and scores in every replicate: the data themselves, or bootstrap samples of the items.

A sample of n items drawn with replacement draws the profiles as often as a multinomial distribution says, whatever n
is. A combiner that is learned without the item also needs to know how many of a type's alike items were drawn once,
twice and so on: so many draws fell on so many items, like balls into boxes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.methods.equivalence.ceiling import Mixture, ceiling_of, fit_labels, fit_mixtures, prior_entropy_of
from dissensus.methods.equivalence.curve import Copies, copies_of, curve_point, draw_item_weights, merely, observed
from dissensus.methods.equivalence.large_sizes import TypeScores
from dissensus.methods.equivalence.problem import Problem, fold_weights, judge_scores, reference_shares, type_weights
from dissensus.methods.equivalence.surveys import Surveys, surveys_against, surveys_of_size

# ---- Bootstrap samples of items that come as profiles

SIMULATED = 200
"""Up to so many alike items each draw is simulated."""
BOXES_AT_ONCE = 1 << 20
NEGLIGIBLE = 1e-3
"""Where fewer items than this can be expected to be drawn so often, none is."""


class _Entries(NamedTuple):
    """In this replicate, so many items of this type occur so many times."""

    replicate: Codes
    type: Codes
    copies: Codes | Floats
    items: Codes | Floats


def draw_profile_weights(copies: Codes, replicates: int, rng: Generator) -> npt.NDArray[np.int64]:
    """How often each profile is drawn when as many items as they stand for are drawn; shape (replicates, n_profiles).

    Examples
    --------
    >>> draw_profile_weights(np.array([3, 1]), 5, np.random.default_rng(0)).sum(axis=1)
    array([4, 4, 4, 4, 4])
    """
    total = int(copies.sum())
    return rng.multinomial(total, copies / total, size=replicates)


def draw_copies(weights: Floats, items: Codes, rng: Generator, *, is_smooth: bool) -> Copies:
    """How many items of each type occur how often, given how often the types were drawn.

    Parameters
    ----------
    weights : ndarray of shape (n_replicates, n_types)
        How often items of each type were drawn in all.
    items : ndarray of shape (n_types,)
        How many items of each type there are.
    rng : Generator
        Of random numbers.
    is_smooth : bool
        Whether the score changes little where predictions do, as additive scores; the likeliest label may change.

    Notes
    -----
    Up to `SIMULATED` items of a type the draws are simulated, which is exact. Beyond it leaving an item out, all its
    copies, changes what is predicted for it in the order of 1 / n. For a smooth score only the mean counts then: every
    item counts as drawn 1 + (w - 1) / n times, of w draws on n items, which is what a drawn item can expect, itself and
    its share of the other draws; the rest is of the order 1 / n^2. For other scores the numbers are those expected,
    n C(w, j) (1/n)^j (1 - 1/n)^(w - j) items drawn j times, rounded up or down at random, with those drawn once making
    up the total. What is lost is how these numbers vary around their expectation.
    """
    few = items <= SIMULATED
    many = (_mean if is_smooth else _expected)(weights[:, ~few], items[~few], rng)
    parts = [(_simulated(weights[:, few].astype(np.intp), items[few], rng), few), (many, ~few)]
    replicate = np.concatenate([part.replicate for part, _ in parts])
    kind = np.concatenate([np.flatnonzero(own)[part.type] for part, own in parts])
    copies = np.concatenate([part.copies for part, _ in parts])
    number = np.concatenate([part.items for part, _ in parts])
    order = np.lexsort((copies, kind, replicate))
    return Copies(replicate[order], kind[order], copies[order], number[order], weights)


def _simulated(drawn: Codes, items: Codes, rng: Generator) -> _Entries:
    """Throw the draws of each replicate and type on its items, a block of them at a time."""
    boxes = np.tile(items, len(drawn))
    block = np.cumsum(boxes) // BOXES_AT_ONCE
    found = [_thrown(pairs, drawn.ravel(), boxes, rng) for pairs in _runs(block)]
    pair, copies, number = (np.concatenate(columns) for columns in zip(*found, strict=True)) if found else _NOTHING
    return _Entries(pair // max(1, len(items)), pair % max(1, len(items)), copies, number)


_NOTHING = (np.empty(0, dtype=np.intp),) * 3


def _runs(block: Codes) -> list[Codes]:
    """Places of equal values that follow each other."""
    return np.split(np.arange(len(block)), np.flatnonzero(np.diff(block)) + 1) if len(block) else []


def _thrown(pairs: Codes, drawn: Codes, boxes: Codes, rng: Generator) -> tuple[Codes, Codes, Codes]:
    """For these pairs of replicate and type: pair, how often, and how many items were drawn so often."""
    balls, size = drawn[pairs], boxes[pairs]
    owner = np.repeat(np.arange(len(pairs)), balls)
    box = (np.cumsum(size) - size)[owner] + (rng.random(len(owner)) * size[owner]).astype(np.intp)
    times = np.bincount(box, minlength=int(size.sum()))
    hit = np.flatnonzero(times)
    most = int(times.max(initial=0)) + 1
    key, number = np.unique(np.repeat(np.arange(len(pairs)), size)[hit] * most + times[hit], return_counts=True)
    return pairs[key // most], key % most, number


def _mean(drawn: Floats, items: Codes, _rng: Generator) -> _Entries:
    """Every item as often as a drawn one can expect, for each replicate and type."""
    replicate, kind = np.nonzero(drawn)
    balls = drawn[replicate, kind]
    copies = 1 + (balls - 1) / items[kind]
    return _Entries(replicate, kind, copies, balls / copies)


def _expected(drawn: Floats, items: Codes, rng: Generator) -> _Entries:
    """The expected number of items drawn once, twice and so on, for each replicate and type."""
    n = items.astype(np.float64)
    expected = n * np.exp(drawn * np.log1p(-1 / n)) * drawn / (n - 1)  # drawn once
    tables = [drawn.copy()]
    while expected.size and (len(tables) < (drawn / n).max() or expected.max() >= NEGLIGIBLE):
        copies = len(tables) + 1
        expected = expected * np.maximum(drawn - copies + 1, 0) / (copies * (n - 1))
        tables.append(np.floor(expected + rng.random(expected.shape)))
        tables[0] -= copies * tables[-1]
    found = [_entries(number, copies) for copies, number in enumerate(tables, start=1)]
    return _Entries(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _entries(number: Floats, copies: int) -> _Entries:
    replicate, kind = np.nonzero(number > 0)
    return _Entries(replicate, kind, np.full(len(kind), copies), number[replicate, kind])


# ---- Curve and scores in every replicate: the data themselves, or bootstrap samples of the items

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
        weights = draw_item_weights(problem.n_items, replicates, rng)
        copies = copies_of(weights, problem.type_of_item, len(problem.counts))
        return _scores(problem, copies, weights, extras, rng)
    step = max(1, WEIGHTS_AT_ONCE // problem.n_items)
    sizes = [min(step, replicates - done) for done in range(0, replicates, step)]
    return joined([_profile_scores(problem, problem.copies, extras, size, rng) for size in sizes])


def _profile_scores(problem: Problem, copies: Codes, extras: Extras, replicates: int, rng: Generator) -> Replicates:
    """The same where items come as profiles."""
    weights = draw_profile_weights(copies, replicates, rng)
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
