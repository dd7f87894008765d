"""From an estimate, its interval and a threshold to a verdict, and how many more items would settle it."""

import math
from dataclasses import dataclass, replace

from dissensus.decisions.gating.question import POWER, Question
from dissensus.decisions.gating.result import Check, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its interval, and the items that it rests on."""

    value: float
    low: float
    high: float
    items: int


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


def more_above(found: Estimate, threshold: float, question: Question) -> int | None:
    """How many more items would settle whether the number is at least the threshold; None if it lies upon it."""
    if not math.isfinite(found.value):
        return None
    half_width = found.value - found.low if found.value >= threshold else found.high - found.value
    return _more(found.items, half_width, abs(found.value - threshold), question.confidence)


def more_between(found: Estimate, most: float, question: Question) -> int | None:
    """How many more items would settle whether the number is at most so far from 0."""
    if not math.isfinite(found.value):
        return None
    below, above = found.value - found.low, found.high - found.value
    if abs(found.value) > most:
        half_width = below if found.value > 0 else above
        return _more(found.items, half_width, abs(found.value) - most, question.confidence)
    sides = [
        _more(found.items, below, most + found.value, question.confidence),
        _more(found.items, above, most - found.value, question.confidence),
    ]
    return None if None in sides else max(side for side in sides if side is not None)


def _more(items: int, half_width: float, distance: float, confidence: float) -> int | None:
    """More items until the threshold is out of the interval, with the chance that `POWER` names.

    The interval is z standard errors wide to each side and narrows with the root of the number of items. A new estimate
    falls short of this one half of the time, so the distance must be z and z(POWER) standard errors.
    """
    from scipy.special import ndtri  # noqa: PLC0415 - takes a while to import

    if not (math.isfinite(half_width) and distance > 0):
        return None
    z = float(ndtri((1 + confidence) / 2))
    needed = items * (half_width / distance * (z + float(ndtri(POWER))) / z) ** 2
    return max(1, math.ceil(needed) - items) if math.isfinite(needed) else None


def settled(check: Check, more_items: int | None) -> Check:
    """The check with what would settle it, if it is inconclusive."""
    return replace(check, more_items=more_items) if check.verdict == "inconclusive" else check


def with_enough_items(check: Check, question: Question) -> Check:
    """The check, inconclusive where its items are too few for an interval from resampling them."""
    lacking = question.min_items - check.items
    if lacking <= 0:
        return check
    return replace(check, verdict="inconclusive", more_items=max(lacking, check.more_items or 0))
