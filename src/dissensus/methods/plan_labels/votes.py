"""How often the combined label of several raters is right, and what it costs.

A share u of the raters know the class of an item and the others guess, so that a label is right with chance
1/K + (1 - 1/K) u for K classes. Over items u has a beta distribution, given by its mean and its concentration.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Floats
from dissensus.errors import OptionError
from dissensus.methods.plan_labels.walk import ROUNDING

Even: TypeAlias = Literal["coin", "strict"]
EVENS: tuple[Even, ...] = ("coin", "strict")
FEWEST_CLASSES = 2


def majority_accuracy(label_accuracy: npt.ArrayLike, labels: int, even: Even = "coin") -> Floats:
    """Chance that the majority of a few labels with two classes is right, each of them with chance `label_accuracy`.

    A tie among an even number of labels is worth the flip of a coin, or a wrong label ("strict").

    "Don't Label Twice", appendix D; Boland et al. (1989).
    """
    _check_labels(labels)
    if even not in EVENS:
        raise OptionError.unknown("even", even, EVENS)
    q = np.asarray(label_accuracy, dtype=np.float64)
    spread = q * (1 - q)
    gain = np.zeros_like(q)
    term = spread.copy()  # C(2j-1, j) (q(1-q))^j
    for j in range(1, (labels + 1) // 2):
        gain += term
        term = term * (spread * (2 * (2 * j + 1) / (j + 1)))
    accuracy = q + (2 * q - 1) * gain
    return np.asarray(accuracy - term if even == "strict" and labels % 2 == 0 else accuracy)


def plurality_accuracy(label_accuracy: npt.ArrayLike, labels: int, classes: int) -> Floats:
    """Chance that the most frequent of a few labels is right; ties are broken at random.

    Each label is right with chance `label_accuracy`, and wrong ones spread evenly over the other `classes`.
    """
    _check_labels(labels)
    if classes < FEWEST_CLASSES:
        raise OptionError(f"classes is {classes}: a label needs at least 2 classes to choose from.")
    q = np.asarray(label_accuracy, dtype=np.float64)
    accuracy = np.zeros_like(q)
    for right in range(1, labels + 1):
        accuracy += _share(q, right, labels) * _wins(right, labels - right, classes - 1)
    return np.minimum(accuracy, 1.0)


def two_plus_one(label_accuracy: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Accuracy and expected labels per item where a third label is asked only if the first two differ."""
    q = np.asarray(label_accuracy, dtype=np.float64)
    return majority_accuracy(q, 3), 2 + 2 * q * (1 - q)


def lead_by_two(label_accuracy: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Accuracy and expected labels per item where labels are asked until one of two classes leads by two."""
    q = np.asarray(label_accuracy, dtype=np.float64)
    agree = q**2 + (1 - q) ** 2  # the next two labels end it, or bring it back to a draw
    return q**2 / agree, 2 / agree


def _check_labels(labels: int) -> None:
    if labels < 1:
        raise OptionError(f"labels per item is {labels}: every item needs at least 1 label.")


def _share(q: Floats, right: int, labels: int) -> Floats:
    """Chance that this many labels are right."""
    log_ways = math.log(math.comb(labels, right))  # whole numbers of any size have a logarithm, floats do not
    none = np.full(q.shape, -np.inf)
    logs = log_ways + right * np.log(q, where=q > 0, out=none.copy())
    if right < labels:
        logs = logs + (labels - right) * np.log1p(-q, where=q < 1, out=none)
    return np.exp(logs)


@lru_cache(maxsize=4096)
def _wins(right: int, wrong: int, others: int) -> float:
    """Chance that `right` labels of one class come first among `wrong` labels spread over `others` classes.

    The counts of the other classes are Poisson counts, given their sum; all must be below `right`, or some equal to
    it, with which the draw is shared.
    """
    if wrong == 0:
        return 1.0
    counts = np.arange(min(right, wrong) + 1)
    chances = np.array([_poisson(int(count), wrong / others) for count in counts])
    below, equal = chances[:right], float(chances[-1])
    won = 0.0
    for tied in range(min(others, wrong // right) + 1):
        rest = _power(below, others - tied, wrong - tied * right)
        won += math.comb(others, tied) * equal**tied * rest / (tied + 1)
    return won / _poisson(wrong, float(wrong))


def _poisson(count: int, mean: float) -> float:
    return math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))


def _power(coefficients: Floats, power: int, degree: int) -> float:
    """Coefficient of t^degree in a polynomial to a power."""
    result, square = np.ones(1), coefficients[: degree + 1]
    while power:
        if power % 2:
            result = np.convolve(result, square)[: degree + 1]
        power //= 2
        if power:
            square = np.convolve(square, square)[: degree + 1]
    return float(result[degree]) if degree < len(result) else 0.0


# ---- What one labelled item says about two classifiers: for the better one, for the worse one, or nothing


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Chances that an item with its (combined) label speaks for the better classifier, x, and for the worse one, y."""

    x: Floats
    y: Floats

    @property
    def z(self) -> Floats:
        """Chance that it says nothing: both are right or both are wrong."""
        return np.maximum(1 - self.x - self.y, 0.0)


def independent_steps(accuracy: npt.ArrayLike, margin: npt.ArrayLike, label_accuracy: npt.ArrayLike) -> Steps:
    """Steps of two classifiers that err independently of each other and of the labels (Proposition 1).

    `accuracy` is that of the worse one, and `label_accuracy` the chance that an item's (combined) label is right.
    """
    p, eps, q = (np.asarray(each, dtype=np.float64) for each in (accuracy, margin, label_accuracy))
    better_wrong = 1 - p - eps
    better_wrong = np.where(better_wrong <= ROUNDING, 0.0, better_wrong)  # 1 - .9 - .1 is not quite 0
    by_chance = p * better_wrong
    return Steps(x=q * eps + by_chance, y=(1 - q) * eps + by_chance)


def correlated_steps(
    worse_accuracy: npt.ArrayLike, better_if_worse_wrong: npt.ArrayLike, better_if_worse_right: npt.ArrayLike,
    label_accuracy_better: npt.ArrayLike, label_accuracy_worse: npt.ArrayLike,
) -> Steps:  # fmt: skip
    """Steps of two classifiers whose errors depend on each other and on the labels' (Proposition 2).

    The accuracy of the worse one, that of the better one where the worse one is wrong and where it is right, and the
    chance that the label is right where only the better, where only the worse classifier is right.
    """
    p_w, p_b0, p_b1, q_b, q_w = (
        np.asarray(each, dtype=np.float64)
        for each in (
            worse_accuracy,
            better_if_worse_wrong,
            better_if_worse_right,
            label_accuracy_better,
            label_accuracy_worse,
        )
    )
    a, b = (1 - p_w) * p_b0, p_w * (1 - p_b1)
    return Steps(x=q_b * a + (1 - q_w) * b, y=(1 - q_b) * a + q_w * b)


def plurality_steps(
    only_better_right: npt.ArrayLike, only_worse_right: npt.ArrayLike, both_wrong_differently: npt.ArrayLike,
    label_accuracy: npt.ArrayLike, classes: int,
) -> Steps:  # fmt: skip
    """Steps of two classifiers with several classes, where a wrong label falls on the other classes equally often.

    The shares A, B and D are those of the items on which the classifiers disagree in this way.
    """
    a, b, d, right = (
        np.asarray(each, dtype=np.float64)
        for each in (only_better_right, only_worse_right, both_wrong_differently, label_accuracy)
    )
    wrong = (1 - right) / (classes - 1)
    return Steps(x=right * a + wrong * (b + d), y=wrong * (a + d) + right * b)


# ---- Items that differ in difficulty: how often a vote is right over all of them

UNIFORM = 2.0  # the concentration at which u can be uniform; taken where a pilot cannot tell
NODES = np.linspace(0, 1, 129)


def over_items(
    vote: Callable[[Floats], Floats], label_accuracy: Floats, *, concentration: float, classes: int
) -> Floats:
    """Mean over items of what a vote makes of the accuracy of their labels, of the shape of `label_accuracy`.

    `vote` maps how often a label of an item is right to a number, such as how often the majority of three is.
    `concentration` is the sum of the parameters of u's beta distribution; infinite if items are equal.
    """
    if np.isinf(concentration):
        return np.asarray(vote(label_accuracy))
    guess = 1 / classes
    known = np.clip((label_accuracy - guess) / (1 - guess), 0, 1)
    law = beta_law(known.ravel(), np.full(known.size, concentration))
    return np.asarray(law @ vote(guess + (1 - guess) * NODES)).reshape(known.shape)


def beta_law(mean: Floats, concentration: Floats) -> Floats:
    """Beta distributions put on the nodes, with their means unchanged, of shape (n, n_nodes).

    >>> law = beta_law(np.array([0.5]), np.array([2.0]))  # uniform
    >>> float((law @ NODES).round(6)[0]), float((law @ NODES**2).round(4)[0])
    (0.5, 0.3333)
    """
    from scipy.special import betainc  # noqa: PLC0415 - takes a while to import

    is_point = np.isinf(concentration) | (mean <= 0) | (mean >= 1)
    inner, spread = np.where(is_point, 0.5, mean), np.where(is_point, UNIFORM, concentration)
    a, b = (inner * spread)[:, None], ((1 - inner) * spread)[:, None]
    mass = np.diff(betainc(a, b, NODES), axis=1)
    part = np.diff(betainc(a + 1, b, NODES), axis=1) * inner[:, None]  # integral of u over each interval
    # What lies between two nodes is shared out between them so that its mean stays.
    upper = np.clip((part - mass * NODES[:-1]) / np.diff(NODES), 0, mass)
    law = np.zeros((len(mean), len(NODES)))
    law[:, :-1] += mass - upper
    law[:, 1:] += upper
    points = np.maximum(1 - np.abs(mean[:, None] - NODES) * (len(NODES) - 1), 0)
    return np.where(is_point[:, None], points, law)
