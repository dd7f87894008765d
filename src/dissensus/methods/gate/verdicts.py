"""From an estimate, its interval and a threshold to a verdict, and what would settle it."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from dissensus.methods.gate.result import POWER, GateOptions, Missing, Verdict
from dissensus.sampling.intervals import Bounds


class HalfWidth(NamedTuple):
    """How far an interval reaches to one side, and how far for these raters alone."""

    whole: float
    items: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its interval, and the items that it rests on."""

    value: float
    low: float
    high: float
    items: int
    these: Bounds | None = None  # for these raters alone, where the interval is for raters like these

    def below(self) -> HalfWidth:
        """How far the interval reaches down."""
        return HalfWidth(self.value - self.low, None if self.these is None else self.value - self.these[0])

    def above(self) -> HalfWidth:
        """How far it reaches up."""
        return HalfWidth(self.high - self.value, None if self.these is None else self.these[1] - self.value)


def verdict_above(low: float, high: float, threshold: float) -> Verdict:
    """Whether a number is at least the threshold: surely, surely not, or neither.

    Examples
    --------
    >>> verdict_above(2.0, 3.0, 2.0), verdict_above(1.0, 1.9, 2.0), verdict_above(1.0, 3.0, 2.0)
    ('pass', 'fail', 'inconclusive')
    """
    if low >= threshold:
        return "pass"
    return "fail" if high < threshold else "inconclusive"


def verdict_between(low: float, high: float, most: float) -> Verdict:
    """Whether a number is at most so far from 0."""
    if -most <= low and high <= most:
        return "pass"
    return "fail" if low > most or high < -most else "inconclusive"


def more_above(estimate: Estimate, threshold: float, options: GateOptions) -> int | None:
    """How many more items would settle whether the number is at least the threshold; None if it lies upon it."""
    if not math.isfinite(estimate.value):
        return None
    half_width = estimate.below() if estimate.value >= threshold else estimate.above()
    return _more(estimate.items, half_width, abs(estimate.value - threshold), options.confidence)


def more_between(estimate: Estimate, most: float, options: GateOptions) -> int | None:
    """How many more items would settle whether the number is at most so far from 0."""
    if not math.isfinite(estimate.value):
        return None
    below, above = estimate.below(), estimate.above()
    if abs(estimate.value) > most:
        half_width = below if estimate.value > 0 else above
        return _more(estimate.items, half_width, abs(estimate.value) - most, options.confidence)
    sides = [
        _more(estimate.items, below, most + estimate.value, options.confidence),
        _more(estimate.items, above, most - estimate.value, options.confidence),
    ]
    return None if None in sides else max(side for side in sides if side is not None)


def _more(items: int, half_width: HalfWidth, distance: float, confidence: float) -> int | None:
    """More items until the threshold is out of the interval, with the chance that `POWER` names; None if none would do.

    The interval is z standard errors wide to each side. Its part for these raters narrows with the root of the number
    of items; what raters add stays. A new estimate falls short of this one half of the time, so the distance must be z
    and z(POWER) standard errors.
    """
    from scipy.special import ndtri  # noqa: PLC0415 - takes a while to import

    if not (math.isfinite(half_width.whole) and distance > 0):
        return None
    z = float(ndtri((1 + confidence) / 2))
    by_items = half_width.whole if half_width.items is None else min(half_width.items, half_width.whole)
    room = (distance * z / (z + float(ndtri(POWER)))) ** 2 - (half_width.whole**2 - by_items**2)
    if not room > 0:
        return None
    needed = items * by_items**2 / room
    return max(1, math.ceil(needed) - items) if math.isfinite(needed) else None


More = Callable[[Estimate, float, GateOptions], int | None]
"""How many more items would settle a check."""


class Settling(NamedTuple):
    """What would settle a check that the interval leaves open."""

    missing: Missing
    more_items: int | None


def settling(estimate: Estimate, threshold: float, options: GateOptions, more: More) -> Settling:
    """More items, if these would do; else more raters, or a threshold that is not where the estimate is."""
    if math.isnan(estimate.value):
        return Settling("score", None)
    if (needed := more(estimate, threshold, options)) is not None:
        return Settling("items", needed)
    if estimate.these is None:
        return Settling("distance", None)
    low, high = estimate.these
    alone = more(replace(estimate, low=low, high=high, these=None), threshold, options)
    return Settling("distance" if alone is None else "raters", None)
