"""The smallest number of items that keeps the error down."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.errors import OptionError
from dissensus.methods.plan_labels.walk import MIXED, TIES, Ties, log_chances, stay

# ---- Upper bounds on the chance that the better classifier does not win, and the items they ask for

SLACK = 1e-12  # an error that exceeds the one asked for by rounding only is small enough (relative, in logarithms)


def log_cramer(x: npt.ArrayLike, y: npt.ArrayLike, items: npt.ArrayLike) -> Floats:
    """Logarithm of Cramer's bound rho^n, rho = 2 sqrt(xy) + z = 1 - (sqrt x - sqrt y)^2, for n items (Lemma 2).

    It is 0 (no bound) where y >= x, minus infinity where the better classifier always wins.
    """
    return np.asarray(np.asarray(items, dtype=np.float64) * log_rate(x, y))


def log_hoeffding(x: npt.ArrayLike, y: npt.ArrayLike, items: npt.ArrayLike) -> Floats:
    """Logarithm of Hoeffding's bound exp(-n (x - y)^2 / 2), for n items (Lemma 1); 0 (no bound) where y >= x."""
    return np.asarray(np.asarray(items, dtype=np.float64) * _hoeffding_rate(x, y))


def cramer_items(x: float, y: float, error: float) -> int | None:
    """Smallest number of items for which Cramer's bound is at most `error`; None where y >= x."""
    return _items(float(log_rate(x, y)), error)


def hoeffding_items(x: float, y: float, error: float) -> int | None:
    """Smallest number of items for which Hoeffding's bound is at most `error`; None where y >= x."""
    return _items(float(_hoeffding_rate(x, y)), error)


def check_error(error: float) -> None:
    """Raise unless an error is a chance between 0 and 1."""
    if not 0 < error < 1:
        raise OptionError(f"error is {error:g}: choose a chance between 0 and 1, such as 0.05.")


def log_rate(x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Logarithm of Cramer's rho: by how much each item lowers the logarithm of the error in the long run."""
    more, less = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    roots = np.sqrt(more) + np.sqrt(less)
    gap = np.maximum(more - less, 0.0) / np.where(roots > 0, roots, 1.0)
    fall = np.minimum(gap**2, 1.0)
    return np.log1p(-fall, where=fall < 1, out=np.full(fall.shape, -np.inf))


def _hoeffding_rate(x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    gap = np.maximum(np.asarray(x, dtype=np.float64) - np.asarray(y, dtype=np.float64), 0.0)
    return np.asarray(-(gap**2) / 2)


def _items(rate: float, error: float) -> int | None:
    check_error(error)
    if rate == 0:
        return None
    return max(1, math.ceil(math.log(error) / rate * (1 - SLACK)))


CHUNK = 8192  # this many numbers of items are tried at a time where every one must be
TRIED = 16  # this many numbers are tried at a time where the error only falls
NEAR = (-8, -1, 0, 1, 8)  # steps from a guess that are tried with it
MOST_COUNTED = 2**53  # from here on a floating point number does not tell one number of items from the next
LARGEST_LOG = 700.0  # numbers with larger logarithms are no floating point numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsNeeded:
    """The smallest number of items with a small enough error, and the one from which on every number has one.

    Both are None where the better classifier is not favoured, or so little that it would take more than `MOST_COUNTED`.
    """

    first: int | None
    safe: int | None


@lru_cache(maxsize=1024)
def items_needed(x: float, y: float, error: float, ties: Ties = "lose") -> ItemsNeeded:
    """The smallest numbers of items for which the better classifier wins often enough, ties worth what is asked.

    With one more item the error changes by -(x - y) P(S = 0) / 2 if ties count half, so that it only falls. If they
    are lost it changes by y P(S = 1) - x P(S = 0), if they are won by y (P(S = 0) - P(S = 1)). With z >= 2 sqrt(xy)
    the ratio P(S = 1) / P(S = 0) rises with the number of items, so that the error first rises, if at all, and then
    falls; ties lost, it only falls where z >= y (proved for z >= sqrt(xy), found without exception for the rest). With
    less z it goes up and down between odd and even numbers, until n v = 20 (v = z / (z + 2 sqrt(xy))): up to there
    every number is tried that bounds do not settle. With z = 0 the odd numbers, and the even ones, are such sequences.
    """
    check_error(error)
    if ties not in TIES:
        raise OptionError.unknown("ties", ties, TIES)
    enough = cramer_items(x, y, error)
    if enough is None:
        return ItemsNeeded(first=None, safe=None)
    last = min(enough, MOST_COUNTED)
    search = _Search(x=float(x), y=float(y), log_error=float(np.log(error)) * (1 - SLACK), ties=ties, last=last)
    if last < enough and not search.is_settled():
        return ItemsNeeded(first=None, safe=None)
    parts = search.parts()
    firsts = [first for first, _ in parts if first is not None]
    return ItemsNeeded(first=min(firsts, default=last), safe=max(bad for _, bad in parts) + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """What is sought: numbers of items up to `last`, from which on the error is small enough for certain.

    Each part of the search returns its first number with a small error, None if there is none, and its last number
    with a larger one, 0 if there is none.
    """

    x: float
    y: float
    log_error: float
    ties: Ties
    last: int

    def value(self, items: npt.ArrayLike, ties: Ties | None = None) -> Floats:
        """Logarithm of the error."""
        return log_chances(self.x, self.y, items).error(ties or self.ties)

    def is_small(self, items: int) -> bool:
        """Whether the error is small enough."""
        return bool(self.value(items) <= self.log_error)

    def is_settled(self) -> bool:
        """Whether from `last` on, odd or even, the error is small enough: it is there, and it falls."""
        before, here, there = self.value(np.array([self.last - 2, self.last - 1, self.last]))
        return bool(max(here, there) <= self.log_error and there <= before)

    def parts(self) -> list[tuple[int | None, int]]:
        """The search in parts that each rise and then fall, or are tried one by one."""
        z = float(stay(np.asarray(self.x), np.asarray(self.y)))
        both = float(np.sqrt(self.x) * np.sqrt(self.y))
        if self.ties == "half" or z >= 2 * both or (self.ties == "lose" and z >= self.y):
            return [self.rise_and_fall(1)]
        if z == 0:
            return [self.rise_and_fall(1, stride=2), self.rise_and_fall(2, stride=2)]
        mixed = int(np.ceil(MIXED * (z + 2 * both) / z))
        return [self.one_by_one(min(mixed, self.last)), *([self.rise_and_fall(mixed)] if mixed < self.last else [])]

    def rise_and_fall(self, start: int, *, stride: int = 1) -> tuple[int | None, int]:
        """A part whose error rises, if at all, and then falls: every `stride`-th number from `start`."""
        steps = max(0, -(-(self.last - start) // stride))
        # Only an error that spares ties rises at first.
        top = _first_true(lambda i: self._falls(start + i * stride, stride), 0, steps) if self.ties == "win" else 0
        fall = self._fall(start, stride, top, steps)
        if fall == top:
            return start, 0
        first = start if top > 0 and self.is_small(start) else start + fall * stride
        return first, start + (fall - 1) * stride

    def _fall(self, start: int, stride: int, low: int, high: int) -> int:
        """The first step with a small error, sought near a guess first."""

        def is_small(steps: Codes) -> npt.NDArray[np.bool_]:
            return np.asarray(self.value(start + steps * stride) <= self.log_error)

        if low < high:
            guess = math.ceil((min(self._guess(stride), self.last) - start) / stride)
            tried = np.array(sorted({min(max(guess + step, low), high - 1) for step in NEAR}), dtype=np.intp)
            low, high = _narrowed(tried, is_small(tried), low, high)
        return _first_small(is_small, low, high)

    def _guess(self, stride: int) -> float:
        """About how many items it takes: mostly less than one item too few.

        The formula of Lugannani and Rice for the tail of a sum on a lattice of width `stride`, in the form Phi(-w -
        log(c) / w) of Barndorff-Nielsen: exp(-w^2 / 2) is Cramer's bound, and c does not depend on the number of items.
        """
        rate, root = -float(log_rate(self.x, self.y)), math.sqrt(self.x) * math.sqrt(self.y)
        if root == 0:
            return self.last
        rest = (self.x - self.y) / (self.x + root if stride == 1 else self.x)  # 1 - theta^stride, theta = sqrt(y / x)
        weight = {"lose": 1.0, "half": 1 - rest / 2, "win": (root / self.x) ** stride}[self.ties]
        log_c = math.log(rest / weight / stride) + (math.log(root / rate) + rate) / 2
        z = -NormalDist().inv_cdf(math.exp(self.log_error))
        return (z + math.sqrt(max(z * z - 4 * log_c, 0.0))) ** 2 / (8 * rate)

    def _falls(self, items: int, stride: int) -> bool:
        here, there = self.value(np.array([items, items + stride]))
        return bool(there <= here)

    def one_by_one(self, stop: int) -> tuple[int | None, int]:
        """Numbers up to `stop`: every one that could be the first with a small error, or the last with a larger one.

        The error lies between the one with ties counted half, which only falls, and that one with half of `most_tied`
        added (ties lost) or taken away (ties won).
        """
        settled = _first_small(lambda n: self.value(n, "half") <= self.log_error, 1, stop)
        if self.ties == "lose":
            return self._scan(settled, _first_true(self._is_surely_small, settled, stop))
        bad = next((top for top in map(self._last_large, range(settled, 0, -CHUNK)) if top), 0)
        return self._first_small(settled), bad

    def most_tied(self, items: int) -> float:
        """Logarithm of a chance of a tie that no larger number of items exceeds: that of even numbers only falls."""
        return float(log_chances(self.x, self.y, items - items % 2).tie) if items > 1 else 0.0

    def _is_surely_small(self, items: int) -> bool:
        return bool(np.logaddexp(self.value(items, "half"), self.most_tied(items) - np.log(2)) <= self.log_error)

    def _scan(self, start: int, stop: int) -> tuple[int | None, int]:
        """The first number from `start` to `stop` with a small error, and the last with a larger one."""
        first, bad = None, start - 1
        for low in range(start, stop + 1, CHUNK):
            items = np.arange(low, min(low + CHUNK, stop + 1))
            is_small = self.value(items) <= self.log_error
            if first is None and np.any(is_small):
                first = int(items[np.argmax(is_small)])
            bad = int(np.max(items[~is_small], initial=bad))
        return first, bad

    def _last_large(self, stop: int) -> int:
        """The last of a few numbers up to `stop` with a larger error; 0 if there is none."""
        start = max(1, stop - CHUNK + 1)
        last = self._scan(start, stop)[1]
        return last if last >= start else 0

    def _first_small(self, stop: int) -> int | None:
        """The first number up to `stop` with a small error, ties won; halves that bounds rule out are not looked at."""
        parts = [(1, stop)]
        while parts:
            low, high = parts.pop()
            if self._cannot_be_small(low, high):
                continue
            if high - low >= CHUNK:
                middle = (low + high) // 2
                parts += [(middle + 1, high), (low, middle)]
            elif (first := self._scan(low, high)[0]) is not None:
                return first
        return None

    def _cannot_be_small(self, low: int, high: int) -> bool:
        half, tied = float(self.value(high, "half")) - self.log_error, self.most_tied(low) - self.log_error
        # Where both are huge their difference says nothing, and the numbers are looked at.
        return half < LARGEST_LOG and tied < LARGEST_LOG and np.exp(half) - np.exp(tied) / 2 > 1


def _first_true(claim: Callable[[int], bool], low: int, high: int) -> int:
    """The smallest number from `low` for which a claim holds, which from there on holds; it is taken to at `high`."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if claim(middle) else (middle + 1, high)
    return low


def _first_small(claim: Callable[[Codes], npt.NDArray[np.bool_]], low: int, high: int) -> int:
    """The same with a claim about several numbers at once, which takes hardly longer than about one."""
    while low < high:
        # In whole numbers: from 2^53 on a float does not tell one from the next.
        last = min(TRIED, high - low) - 1
        tried = np.array([low + (high - 1 - low) * i // max(last, 1) for i in range(last + 1)], dtype=np.intp)
        low, high = _narrowed(tried, claim(tried), low, high)
    return low


def _narrowed(tried: Codes, holds: npt.NDArray[np.bool_], low: int, high: int) -> tuple[int, int]:
    """Between which numbers the first one is, from some that were tried, in order."""
    place = int(np.argmax(holds)) if holds.any() else len(tried)
    return (
        low if place == 0 else int(tried[place - 1]) + 1,
        int(tried[place]) if place < len(tried) else high,
    )
