"""How often the combined label of several raters is right, and what it costs."""

import math
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dissensus.errors import OptionError

Floats: TypeAlias = npt.NDArray[np.float64]
Even: TypeAlias = Literal["coin", "strict"]
EVENS: tuple[Even, ...] = ("coin", "strict")
FEWEST_CLASSES = 2


def majority_accuracy(label_accuracy: npt.ArrayLike, labels: int, even: Even = "coin") -> Floats:
    """Chance that the majority of a few labels with two classes is right.

    Parameters
    ----------
    label_accuracy : array_like
        Chance q that one label is right.
    labels : int
        How many labels each item gets.
    even : {"coin", "strict"}
        What a tie among an even number of labels is worth: the flip of a coin, or a wrong label.

    Returns
    -------
    ndarray of the shape of `label_accuracy`

    References
    ----------
    "Don't Label Twice", appendix D; Boland et al. (1989).

    Examples
    --------
    >>> float(majority_accuracy(0.75, 3))
    0.84375
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

    Wrong labels fall on the other classes alike.

    Parameters
    ----------
    label_accuracy : array_like
        Chance q that one label is right.
    labels : int
        How many labels each item gets.
    classes : int
        How many classes there are, at least 2.

    Returns
    -------
    ndarray of the shape of `label_accuracy`

    Examples
    --------
    >>> round(float(plurality_accuracy(0.5, 3, 4)), 6)
    0.583333
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
    """Accuracy and expected labels per item where a third label is asked only if the first two differ.

    Examples
    --------
    >>> accuracy, labels = two_plus_one(0.75)
    >>> float(accuracy), float(labels)
    (0.84375, 2.375)
    """
    q = np.asarray(label_accuracy, dtype=np.float64)
    return majority_accuracy(q, 3), 2 + 2 * q * (1 - q)


def lead_by_two(label_accuracy: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Accuracy and expected labels per item where labels are asked until one of two classes leads by two.

    Examples
    --------
    >>> accuracy, labels = lead_by_two(0.75)
    >>> float(accuracy), float(labels)
    (0.9, 3.2)
    """
    q = np.asarray(label_accuracy, dtype=np.float64)
    agree = q**2 + (1 - q) ** 2  # the next two labels end it, or bring it back to a draw
    return q**2 / agree, 2 / agree


def _check_labels(labels: int) -> None:
    if labels < 1:
        raise OptionError(f"labels per item is {labels}: every item needs at least 1 label.")


def _share(q: Floats, right: int, labels: int) -> Floats:
    """Chance that so many labels are right."""
    log_ways = math.log(math.comb(labels, right))  # whole numbers of any size have a logarithm, floats do not
    none = np.full(q.shape, -np.inf)
    logs = log_ways + right * np.log(q, where=q > 0, out=none.copy())
    if right < labels:
        logs = logs + (labels - right) * np.log1p(-q, where=q < 1, out=none)
    return np.exp(logs)


@lru_cache(maxsize=4096)
def _wins(right: int, wrong: int, others: int) -> float:
    """Chance that `right` labels of one class come first among `wrong` labels that fall on `others` classes alike.

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
