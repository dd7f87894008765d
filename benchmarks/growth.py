"""How cost grows: the power of the size that fits the seconds of the largest sizes."""

import math

DOUBLINGS = 5
FITTED = 3
"""The exponent is that of the last points: before them fixed costs weigh too much."""


def doubled(smallest, *, times=DOUBLINGS):
    """The smallest size and its doublings."""
    return [smallest * 2**i for i in range(times + 1)]


def exponent(sizes, seconds, *, fitted=FITTED):
    """Slope of log seconds over log size at the last points, by least squares: 1 is linear, 2 quadratic, 0 constant."""
    points = list(zip(sizes, seconds, strict=True))[-fitted:]
    x, y = ([math.log(value) for value in column] for column in zip(*points, strict=True))
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    up = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return up / sum((a - mean_x) ** 2 for a in x)
