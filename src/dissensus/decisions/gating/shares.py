"""Intervals of shares that stay honest where items are few or all alike, and the bootstrap sees no spread."""

import math


def share_interval(count: float, n: int, *, confidence: float) -> tuple[float, float]:
    """Exact (Clopper-Pearson) interval of the share behind a count.

    Examples
    --------
    >>> low, high = share_interval(10, 10, confidence=0.95)
    >>> round(low, 4), high  # .025 ** (1 / 10)
    (0.6915, 1.0)
    """
    from scipy.special import betaincinv  # noqa: PLC0415 - takes a while to import

    tail = (1 - confidence) / 2
    low = 0.0 if count <= 0 else float(betaincinv(count, n - count + 1, tail))
    high = 1.0 if count >= n else float(betaincinv(count + 1, n - count, 1 - tail))
    return low, high


def paired_difference_interval(more: float, less: float, n: int, *, confidence: float) -> tuple[float, float]:
    """Interval of the difference of two shares of the same items (Bonett and Price 2012: Wald with two items added).

    Parameters
    ----------
    more, less : float
        Items that only the first, and that only the second has.
    n : int
        All items.
    confidence : float
        Of the interval.

    Examples
    --------
    >>> [round(bound, 4) for bound in paired_difference_interval(0, 0, 98, confidence=0.95)]  # 1.96 * 2 ** .5 / 100
    [-0.0277, 0.0277]
    """
    from scipy.special import ndtri  # noqa: PLC0415 - takes a while to import

    first, second = (more + 1) / (n + 2), (less + 1) / (n + 2)
    middle = first - second
    reach = float(ndtri((1 + confidence) / 2)) * math.sqrt((first + second - middle**2) / (n + 2))
    return max(middle - reach, -1.0), min(middle + reach, 1.0)
