"""How often labels are right, from labels of the same items: if items are alike, and if they differ in difficulty.

A share u of the raters know the class of an item and the others guess, so that a label is right with chance
q = 1/K + (1 - 1/K) u for K classes. Two labels of an item agree with chance 1/K + (1 - 1/K) E[u^2]: agreement tells
E[u^2] and no more, and E[u^2] <= E[u] <= sqrt(E[u^2]). How far u varies shows in four labels or more.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from dissensus.planning.labels.pilot.data import Codes, Flags, Floats, Kinds
from dissensus.planning.labels.spread import NODES, UNIFORM, beta_law

MEANS = np.linspace(0, 1, 81)
CONCENTRATIONS = np.append(np.geomspace(0.2, 200, 25), np.inf)
"""Sum of the parameters of u's beta distribution: near 0 all raters know or none does, infinite if items are alike."""
KINDS_AT_ONCE = 1024


class Known(NamedTuple):
    """Mean of u and its concentration, in the pilot and in each bootstrap sample, of shape (n_samples,)."""

    mean: Floats
    concentration: Floats


def pair_agreement(kinds: Kinds) -> Floats:
    """Share of the pairs of an item's labels that agree, of shape (n_kinds,); NaN with fewer than two labels."""
    pairs = kinds.labels * (kinds.labels - 1)
    agreeing = (kinds.counts * (kinds.counts - 1)).sum(axis=1)
    return np.where(pairs > 0, agreeing / np.maximum(pairs, 1), np.nan)


def known_squared(kinds: Kinds, weights: Floats, which: Flags) -> Floats:
    """E[u^2] from the agreement of two labels, of shape (n_samples,); not above 0 where they agree as by chance.

    Parameters
    ----------
    kinds : Kinds
        The pilot.
    weights : ndarray of shape (n_samples, n_kinds)
        How many items of each kind.
    which : ndarray of shape (n_kinds,)
        The kinds to use; each has two labels or more.
    """
    chance = 1 / kinds.n_classes
    agreement = weighted_mean(weights, pair_agreement(kinds), which)
    return np.asarray((agreement - chance) / (1 - chance))


def weighted_mean(weights: Floats, values: Floats, which: Flags) -> Floats:
    """Mean of a value over the items of some kinds, for each sample; NaN where there is no such item."""
    total = weights[:, which].sum(axis=1)
    return np.asarray(weights[:, which] @ values[which] / np.where(total > 0, total, np.nan))


def fit_known(kinds: Kinds, weights: Floats, which: Flags, *, is_told: bool) -> Known:
    """Mean and concentration of u by maximum likelihood: a beta-binomial model, folded because the class is unknown.

    Parameters
    ----------
    kinds, weights, which
        As in `known_squared`.
    is_told : bool
        Whether enough items have four labels to tell how far u varies; otherwise u is as spread as a uniform one.
    """
    choices = CONCENTRATIONS if is_told else np.array([UNIFORM])
    laws = _laws(is_told=is_told)
    fit = np.zeros((len(weights), len(laws)))
    places = np.flatnonzero(which)
    for start in range(0, len(places), KINDS_AT_ONCE):
        some = places[start : start + KINDS_AT_ONCE]
        likelihood = _likelihood(kinds.counts[some]) @ laws.T
        fit += weights[:, some] @ np.log(np.maximum(likelihood, 1e-300))
    table = fit.reshape(len(weights), len(MEANS), len(choices))
    profile = table.max(axis=2)
    best = profile.argmax(axis=1)
    return Known(_peak(profile, best), choices[table[np.arange(len(table)), best].argmax(axis=1)])


def _likelihood(counts: Codes) -> Floats:
    """Chance of these counts, whatever the class, at each node of u, of shape (n_kinds, n_nodes); up to a factor.

    With c labels of n for the true class the chance is q^c r^(n - c), r = (1 - u) / K; each class may be the true one.
    """
    from scipy.special import gammaln  # noqa: PLC0415 - takes a while to import

    n_classes = counts.shape[1]
    right, wrong = np.maximum((1 + (n_classes - 1) * NODES) / n_classes, 1e-300), (1 - NODES) / n_classes
    log_right, log_wrong = np.log(right), np.log(np.maximum(wrong, 1e-300))
    labels = counts.sum(axis=1)
    # The number of orders of the labels keeps the chances of many labels from vanishing.
    orders = (gammaln(labels + 1) - gammaln(counts + 1).sum(axis=1))[:, None]
    total = np.zeros((len(counts), len(NODES)))
    for count in counts.T:
        total += np.exp(orders + count[:, None] * log_right + (labels - count)[:, None] * log_wrong)
    return np.asarray(total / n_classes)


@cache
def _laws(*, is_told: bool) -> Floats:
    """Chances of the nodes under each mean and concentration, of shape (n_means * n_concentrations, n_nodes)."""
    choices = CONCENTRATIONS if is_told else np.array([UNIFORM])
    mean, concentration = (grid.ravel() for grid in np.meshgrid(MEANS, choices, indexing="ij"))
    return beta_law(mean, concentration)


def _peak(profile: Floats, best: Codes) -> Floats:
    """Where the parabola through the best mean and its neighbours is highest."""
    row, inner = np.arange(len(profile)), np.clip(best, 1, len(MEANS) - 2)
    left, top, right = (profile[row, inner + step] for step in (-1, 0, 1))
    bend = left - 2 * top + right
    shift = np.where(bend < 0, (left - right) / (2 * np.where(bend < 0, bend, -1.0)), 0.0)
    step = MEANS[1] - MEANS[0]
    return np.where(inner == best, MEANS[best] + step * np.clip(shift, -1, 1), MEANS[best])
