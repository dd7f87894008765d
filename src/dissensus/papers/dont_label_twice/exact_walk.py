"""The chances of "Don't Label Twice" as fractions: slow, and exact."""

from fractions import Fraction
from math import comb, lcm


def majority_fraction(accuracy: Fraction, labels: int) -> Fraction:
    """Chance that the majority of so many labels is right; a coin decides a tie.

    Examples
    --------
    >>> majority_fraction(Fraction(3, 4), 3)
    Fraction(27, 32)
    """
    wrong = 1 - accuracy
    terms = [comb(labels, right) * accuracy**right * wrong ** (labels - right) for right in range(labels + 1)]
    tie = terms[labels // 2] / 2 if labels % 2 == 0 else Fraction(0)
    return sum(terms[labels // 2 + 1 :], start=tie)


def chance_of_winning(
    worse_accuracy: Fraction,
    better_if_worse_wrong: Fraction,
    better_if_worse_right: Fraction,
    label_accuracy_better: Fraction,
    label_accuracy_worse: Fraction,
    *,
    items: int,
) -> Fraction:
    """Chance that the better classifier is ahead after so many items (Proposition 2).

    Examples
    --------
    The counter-example for an even number of labels: 7/16 of two items with one label each.

    >>> half, right = Fraction(1, 2), Fraction(3, 4)
    >>> chance_of_winning(half, Fraction(1), half, right, right, items=1)
    Fraction(7, 16)
    """
    only_better = (1 - worse_accuracy) * better_if_worse_wrong
    only_worse = worse_accuracy * (1 - better_if_worse_right)
    up = label_accuracy_better * only_better + (1 - label_accuracy_worse) * only_worse
    down = (1 - label_accuracy_better) * only_better + label_accuracy_worse * only_worse
    return _positive_part(up, down, items)


def _positive_part(up: Fraction, down: Fraction, items: int) -> Fraction:
    """Chance that the sum of so many steps is positive.

    The generating function (down + stay t + up t^2)^items is evaluated at a power of two so large that its coefficients
    do not meet, so that one power of an integer multiplies it out.
    """
    whole = lcm(up.denominator, down.denominator)
    plus, minus = int(up * whole), int(down * whole)
    bits = items * whole.bit_length() + 1
    value = (minus + ((whole - plus - minus) << bits) + (plus << (2 * bits))) ** items
    tail, mask, total = value >> ((items + 1) * bits), (1 << bits) - 1, 0
    while tail:
        total += tail & mask
        tail >>= bits
    return Fraction(total, whole**items)
