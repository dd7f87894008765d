"""Plain twins of the chances behind `plan labels`: exact fractions, and mpmath where fractions take too long."""

import itertools
import math
from fractions import Fraction

import mpmath


def chances_by_fractions(x, y, items):
    """P(S < 0), P(S = 0) and P(S > 0) as fractions: the generating function (y + z t + x t^2)^n, multiplied out.

    The polynomial is evaluated at a power of two so large that its whole-number coefficients do not touch.
    """
    whole = math.lcm(x.denominator, y.denominator)
    up, down = int(x * whole), int(y * whole)
    bits = items * whole.bit_length() + 1
    packed = (down + ((whole - up - down) << bits) + (up << (2 * bits))) ** items
    law = [(packed >> (s * bits)) & ((1 << bits) - 1) for s in range(2 * items + 1)]
    total = whole**items
    assert sum(law) == total
    return Fraction(sum(law[:items]), total), Fraction(law[items], total), Fraction(sum(law[items + 1 :]), total)


def log_of_fraction(value):
    """Natural logarithm to 40 digits; minus infinity for 0."""
    with mpmath.workdps(40):
        return mpmath.log(mpmath.mpf(value.numerator) / value.denominator) if value else mpmath.mpf("-inf")


def log_chances_by_number_of_steps(x, y, items, *, bits=4000):
    """Logarithms of P(S < 0) and P(S = 0) for x > y, summed over the number k of items that say something.

    Given k, S is a simple walk, whose chances follow from those for k - 2 and the chance of a draw. Only the k that
    matter are summed; they lie around 2 u n, twelve standard deviations to either side.
    """
    with mpmath.workprec(bits):
        x, y = mpmath.mpf(x), mpmath.mpf(y)
        z, speaks = 1 - x - y, x + y
        up, down = x / speaks, y / speaks
        u = mpmath.sqrt(x * y) / (2 * mpmath.sqrt(x * y) + z)
        centre, spread = float(2 * u * items), math.sqrt(float(2 * u * (1 - 2 * u)) * items)
        first = 2 * max(0, int((centre - 12 * spread - 20) / 2))
        last = min(items, int(centre + 12 * spread + 20))
        half = first // 2
        draw = mpmath.binomial(first, half) * (up * down) ** half
        coin = draw / 2 + _fewer_up_than_down(draw, half, down / up)  # P(S < 0) + P(S = 0) / 2 given k
        weight = mpmath.binomial(items, first) * speaks**first * z ** (items - first)
        lose = tie = mpmath.mpf(0)
        for k in range(first, last + 1):
            drawn = draw if k % 2 == 0 else 0
            lose += weight * (coin - drawn / 2)
            tie += weight * drawn
            weight *= speaks / z * (items - k) / (k + 1)
            if k % 2 == 0:  # the next item decides the draws; the one after it changes nothing on average
                coin -= (up - down) * draw / 2
                draw *= up * down * 4 * (k + 1) / (k + 2)
        return mpmath.log(lose), mpmath.log(tie)


def _fewer_up_than_down(draw, half, ratio):
    total, term = mpmath.mpf(0), draw
    for j in range(half):
        term *= ratio * (half - j) / (half + j + 1)
        total += term
        if term < total * mpmath.mpf(2) ** -mpmath.mp.prec:
            break
    return total


def log_chances_by_contour(x, y, items):
    """Logarithms of P(S < 0) and P(S = 0) for x > y by Cauchy's integral of the generating function, to 60 digits.

    The circle goes through the saddle; a point every 1/26 of a standard deviation's frequency.
    """
    with mpmath.workdps(80):
        x, y, n = mpmath.mpf(x), mpmath.mpf(y), int(items)
        z = 1 - x - y
        radius = mpmath.sqrt(y / x)
        rho = z + 2 * mpmath.sqrt(x * y)
        spread = mpmath.sqrt(2 * mpmath.sqrt(x * y) / rho * n)
        points = 2 * int(13 * spread + 40)
        lose = tie = mpmath.mpf(0)
        for k in range(points // 2):
            t = radius * mpmath.expjpi(mpmath.mpf(2 * k) / points)
            power = mpmath.exp(n * mpmath.log((x * t + z + y / t) / rho))
            twice = 1 if k == 0 else 2
            tie += twice * power.real
            # t^s summed over 1 <= s < points / 2 picks out S = -1, -2, ...
            lose += twice * (power * (t - t ** (points // 2)) / (1 - t)).real
            if abs(power) < mpmath.mpf(10) ** -60:
                break
        base = n * mpmath.log(rho) - mpmath.log(points)
        return base + mpmath.log(lose), base + mpmath.log(tie)


def majority_by_counting(accuracy, labels, *, tie_worth):
    """Chance that more than half of the labels are right, as a fraction."""
    shares = [
        math.comb(labels, right) * accuracy**right * (1 - accuracy) ** (labels - right) for right in range(labels + 1)
    ]
    tied = shares[labels // 2] * tie_worth if labels % 2 == 0 else 0
    return sum(shares[labels // 2 + 1 :]) + tied


def plurality_by_enumeration(accuracy, labels, classes):
    """Chance that class 0 comes first among all ways to label, ties shared, as a fraction."""
    wrong = (1 - accuracy) / (classes - 1)
    total = Fraction(0)
    for given in itertools.product(range(classes), repeat=labels):
        counts = [given.count(one) for one in range(classes)]
        if counts[0] == max(counts):
            total += accuracy ** counts[0] * wrong ** (labels - counts[0]) / counts.count(max(counts))
    return total
