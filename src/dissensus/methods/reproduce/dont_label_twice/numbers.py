"""What "Don't Label Twice" states, computed: sections 3 and 4, Appendices A (by sampling), B and C."""

import itertools
from functools import cache
from math import comb, exp, floor, pi, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Floats
from dissensus.methods.plan_labels.needed import log_cramer, log_hoeffding
from dissensus.methods.plan_labels.votes import correlated_steps, independent_steps, majority_accuracy
from dissensus.methods.plan_labels.walk import log_chances
from dissensus.methods.reproduce.dont_label_twice.sweep import (
    ITEMS,
    LABELS,
    PAPER_GRID,
    Grid,
    chance_of_winning,
    majority_fraction,
)

ODD = (3, 5, 7, 9, 11, 21, 51)
DELTA, BUDGET = 0.05, 1500
"""Figure 1: error tolerance, and the labels of the example in section 3.3."""
FIGURE_1 = {"accuracy": 0.75, "margin": 0.1, "label_accuracy": 0.75}
FIGURE_2 = {"accuracy": 0.8, "margin": 0.01}
FIGURE_3 = {"accuracy": 0.7, "margin": 0.1, "label_accuracy": 0.75}
ROUNDING = 1e-12


def models_by_cramer() -> int:
    """Classifiers that Cramer's bound and the union bound guarantee to rank."""
    steps = independent_steps(**FIGURE_1)
    return floor(1 + DELTA / exp(float(log_cramer(steps.x, steps.y, BUDGET))))


def models_by_hoeffding() -> int:
    """The same with Hoeffding's bound."""
    steps = independent_steps(**FIGURE_1)
    return floor(1 + DELTA / exp(float(log_hoeffding(steps.x, steps.y, BUDGET))))


def rate_of_error(labels: int, budgets: npt.NDArray[np.int64]) -> Floats:
    """Logarithm of the chance of not winning per label, for so many labels per item (Figure 3a)."""
    combined = float(majority_accuracy(FIGURE_3["label_accuracy"], labels))
    steps = independent_steps(FIGURE_3["accuracy"], FIGURE_3["margin"], combined)
    items = budgets // labels
    return np.asarray(log_chances(steps.x, steps.y, items).lose_or_tie / (items * labels))


def cramer_rate(labels: int) -> float:
    """What that rate approaches, and never exceeds."""
    combined = float(majority_accuracy(FIGURE_3["label_accuracy"], labels))
    steps = independent_steps(FIGURE_3["accuracy"], FIGURE_3["margin"], combined)
    return float(log_cramer(steps.x, steps.y, 1)) / labels


def crossing_budget() -> float:
    """The budget from which both rates are nearer to their limits than the limits are to each other (Figure 3a)."""
    budgets = np.arange(3, 6000, 3)
    gap = cramer_rate(3) - cramer_rate(1)
    errors = [cramer_rate(labels) - rate_of_error(labels, budgets) for labels in (1, 3)]
    return float(budgets[np.argmax(np.maximum(*errors) < gap)])


def gain_of(labels: int, accuracies: Floats) -> Floats:
    """By how much a majority raises the expected gap: (2 M_m - 1) / (2 q - 1)."""
    return np.asarray((2 * majority_accuracy(accuracies, labels) - 1) / (2 * accuracies - 1))


def largest_gain_of_three() -> float:
    """The most by which three labels raise the expected gap, towards q = 1/2."""
    return float(np.max(gain_of(3, np.linspace(0.5, 1, 1001)[1:])))


def proposition_c_1() -> float:
    """Share of label accuracies and odd numbers of labels for which sqrt(m) exceeds that gain."""
    accuracies = np.linspace(0.5, 1, 501)[1:]
    return float(np.mean([sqrt(m) > gain_of(m, accuracies) for m in ODD]))


def bound_c_3(labels: int) -> float:
    """Lemma C.3's bound on that gain.

    Examples
    --------
    >>> round(bound_c_3(3), 2)
    1.56
    """
    return 1 + (2 * sqrt((labels - 1) / 2) - 1) / sqrt(pi)


def lemma_c_3() -> float:
    """Share of label accuracies and odd numbers of labels for which the gain is below the bound."""
    accuracies = np.linspace(0.5, 1, 501)[1:]
    return float(np.mean([gain_of(m, accuracies) <= bound_c_3(m) for m in ODD]))


def lemma_c_1() -> float:
    """Share of settings in which a strict majority of an even number is less often right than of one label less."""
    accuracies = np.linspace(0.5, 0.95, 91)[1:]  # above, both are 1 but for rounding
    kept = []
    for even in (2, 4, 6, 10, 20):
        strict = sum(
            comb(even, k) * accuracies**k * (1 - accuracies) ** (even - k) for k in range(even // 2 + 1, even + 1)
        )
        kept.append(strict < majority_accuracy(accuracies, even - 1))
    return float(np.mean(kept))


def lemma_c_2() -> float:
    """Share of label accuracies and odd numbers of labels for which M_m = q + (2q - 1) sigma, by counting votes."""
    q, kept = np.linspace(0.5, 1, 101), []
    for m in ODD:
        counted = sum(comb(m, k) * q**k * (1 - q) ** (m - k) for k in range((m + 1) // 2, m + 1))
        sigma = sum(comb(k, (k + 1) // 2) * (q * (1 - q)) ** ((k + 1) // 2) for k in range(1, m - 1, 2))
        kept.append(np.abs(counted - q - (2 * q - 1) * sigma) < ROUNDING)
    return float(np.mean(kept))


def proposition_1() -> float:
    """Share of settings whose chances of +1 and -1 are those of listing who is right (Proposition 1)."""
    kept = []
    for p, e, q in itertools.product((0.5, 0.7, 0.9), (0.01, 0.1), (0.55, 0.8, 1.0)):
        up = down = 0.0
        for better, worse, label in itertools.product((True, False), repeat=3):
            chance = (p + e if better else 1 - p - e) * (p if worse else 1 - p) * (q if label else 1 - q)
            step = int(better == label) - int(worse == label)
            up, down = up + chance * (step > 0), down + chance * (step < 0)
        printed = q * e + (1 - p - e) * p, (1 - q) * e + (1 - p - e) * p
        kept.append(abs(up - printed[0]) < ROUNDING and abs(down - printed[1]) < ROUNDING)
    return float(np.mean(kept))


def _grid_of_correlated() -> tuple[Floats, Floats]:
    """Classifiers and pairs of label accuracies under assumption 1, on a grid of twentieths."""
    grid = Grid(parts=20)
    values = grid.numerators[1:] / grid.parts  # labels no better than chance are excluded
    pairs = np.array([(better, worse) for better in values for worse in values if better >= worse])
    return grid.classifiers() / grid.parts, pairs


@cache
def shares_of_correlated() -> tuple[float, float]:
    """Shares of that grid where Hoeffding's exponent, and Cramer's rate, are the better ones with one label."""
    classifiers, pairs = _grid_of_correlated()
    hoeffding, cramer = [], []
    for m in ODD:
        for pair in pairs:
            one = correlated_steps(*classifiers.T, *pair)
            several = correlated_steps(*classifiers.T, *majority_accuracy(pair, m))
            hoeffding.append(log_hoeffding(one.x, one.y, m) < log_hoeffding(several.x, several.y, 1))
            cramer.append(log_cramer(one.x, one.y, m) < log_cramer(several.x, several.y, 1))
    return float(np.mean(hoeffding)), float(np.mean(cramer))


def lemma_2() -> float:
    """Share of budgets up to 3,000 at which the exact error is below Cramer's bound."""
    return float(np.mean(rate_of_error(1, np.arange(1, 3001)) <= cramer_rate(1)))


def cramer_below_hoeffding() -> float:
    """Share of label accuracies at which Cramer's bound is the smaller one (Figure 3b)."""
    steps = independent_steps(FIGURE_3["accuracy"], FIGURE_3["margin"], np.linspace(0.51, 1, 50))
    return float(np.mean(log_cramer(steps.x, steps.y, 2000) < log_hoeffding(steps.x, steps.y, 2000)))


def curvature() -> float:
    """Coefficient of n eps^2 in the error rate of accurate labels and classifiers that guess (Appendix D.1)."""
    margin = 1e-4
    steps = independent_steps(0.5, margin, 1.0)
    return float(-np.expm1(log_cramer(steps.x, steps.y, 1)) / margin**2)


def chances_of_winning(labels: int, accuracies: Floats, budget: int) -> Floats:
    """Chance that the better classifier of Figure 2 is found."""
    steps = independent_steps(**FIGURE_2, label_accuracy=majority_accuracy(accuracies, labels))
    return np.asarray(np.exp(log_chances(steps.x, steps.y, budget // labels).win))


def figure_2() -> float:
    """Share of label accuracies and budgets in Figure 2 with which one label wins more often than 3, 5 or 11."""
    kept = []
    for budget, accuracies in ((1500, np.linspace(0.5, 1, 51)[1:]), (15000, np.array([0.8]))):
        one = chances_of_winning(1, accuracies, budget)
        kept += [one > chances_of_winning(m, accuracies, budget) for m in (3, 5, 11)]
    return float(np.mean(np.concatenate(kept)))


def even_labels_ahead() -> float:
    """Chance of winning with one label each on two items, less that with two labels on one, in a counter-example."""
    from fractions import Fraction  # noqa: PLC0415 - for this one claim

    half, right = Fraction(1, 2), Fraction(3, 4)
    one = chance_of_winning(half, Fraction(1), half, right, right, items=2)
    combined = majority_fraction(right, 2)
    return float(one - chance_of_winning(half, Fraction(1), half, combined, combined, items=1))


SAMPLED, DRAWS = 100_000, 100
"""Configurations of the paper's grid that are drawn, and test sets drawn for each, as in the paper."""


class Sampling(NamedTuple):
    """What drawing 100 test sets instead of computing finds, under assumption 1.

    Attributes
    ----------
    several_better : float
        Share of configurations in which several labels won more of the 100 test sets.
    squared_error : float
        Mean squared error of the share of test sets won with one label.
    """

    several_better: float
    squared_error: float


@cache
def sampling() -> Sampling:
    """Appendix A's check by sampling, on configurations drawn from the paper's grid."""
    stream = np.random.default_rng(0)
    numerators = stream.choice(PAPER_GRID.numerators, (5, SAMPLED))
    better, worse, *classifiers = numerators / PAPER_GRID.parts
    p_w, p_b0, p_b1 = classifiers
    kept = (better >= worse) & ((1 - p_w) * p_b0 + p_w * p_b1 > p_w + ROUNDING)
    items, labels = stream.choice(ITEMS, SAMPLED)[kept], stream.choice(LABELS, SAMPLED)[kept]
    pair, triple = (better[kept], worse[kept]), tuple(values[kept] for values in classifiers)
    combined = [np.where(labels == LABELS[0], *(majority_accuracy(q, m) for m in LABELS)) for q in pair]
    one, several = _chance(triple, pair, items * labels), _chance(triple, combined, items)
    won_one, won_several = (stream.binomial(DRAWS, chance) / DRAWS for chance in (one, several))
    return Sampling(float(np.mean(won_several > won_one)), float(np.mean((won_one - one) ** 2)))


def _chance(triple: tuple[Floats, ...], pair: tuple[Floats, ...] | list[Floats], items: Floats) -> Floats:
    steps = correlated_steps(*triple, *pair)
    return np.clip(np.exp(log_chances(steps.x, steps.y, items).win), 0.0, 1.0)
