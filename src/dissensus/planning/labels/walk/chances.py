"""Chances that the better of two classifiers loses, ties or wins on a number of labelled items."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dissensus.errors import OptionError
from dissensus.planning.labels.walk.fourier import many_items
from dissensus.planning.labels.walk.parity import MIXED, many_items_by_parity
from dissensus.planning.labels.walk.recurrence import RARE, few_items, few_items_each, rare_steps
from dissensus.planning.labels.walk.tilted import Floats, Logs, Tilted, tilted

Ties: TypeAlias = Literal["lose", "half", "win"]
TIES: tuple[Ties, ...] = ("lose", "half", "win")

FEW = 128
"""Up to so many items the recurrence runs over all of them."""

EACH, RARELY, OFTEN, ALWAYS = range(FEW + 1, FEW + 5)

TOO_MUCH = 1e-9
"""How far x + y may exceed 1 by rounding."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogChances:
    """Natural logarithms of the chances that the better classifier loses, ties and wins; all of the same shape.

    Attributes
    ----------
    lose, tie, win : ndarray
        Logarithms of P(S < 0), P(S = 0), P(S > 0); minus infinity where it cannot happen.
    """

    lose: Floats
    tie: Floats
    win: Floats

    @property
    def lose_or_tie(self) -> Floats:
        """Logarithm of the chance that the better classifier does not win."""
        return np.asarray(np.minimum(np.logaddexp(self.lose, self.tie), 0.0))

    def error(self, ties: Ties = "lose") -> Floats:
        """Logarithm of the chance of an error, where a tie is one, is half of one (a coin is flipped), or is none."""
        if ties == "lose":
            return self.lose_or_tie
        if ties == "win":
            return self.lose
        if ties == "half":
            return np.asarray(np.minimum(np.logaddexp(self.lose, self.tie - np.log(2)), 0.0))
        raise OptionError.unknown("ties", ties, TIES)


def log_chances(x: npt.ArrayLike, y: npt.ArrayLike, items: npt.ArrayLike) -> LogChances:
    """Chances of S < 0, S = 0 and S > 0, where S sums one step of +1, -1 or 0 per item.

    Exact but for rounding, also far out in the tail: the logarithms are sums of positive terms throughout. The time
    does not grow with the number of items beyond 128.

    Parameters
    ----------
    x, y : array_like
        Chances of a step of +1 (the item speaks for the better classifier) and of -1 (for the worse one).
    items : array_like of int
        Number of items, at least 1; broadcasts against `x` and `y`.

    Returns
    -------
    LogChances
        Of the shape that `x`, `y` and `items` broadcast to.

    References
    ----------
    "Don't Label Twice", Propositions 1 and 2 and Lemma 2.

    Examples
    --------
    Of two items the better classifier wins one and ties one, or wins both: .5^2 + 2 * .5 * .3.

    >>> chances = log_chances(0.5, 0.2, 2)
    >>> round(float(np.exp(chances.win)), 12), round(float(np.exp(chances.lose_or_tie)), 12)
    (0.55, 0.45)
    """
    up, down, n = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float), np.asarray(items, float))
    _check(up, down, n)
    is_swapped = up < down
    more, less = np.where(is_swapped, down, up).ravel(), np.where(is_swapped, up, down).ravel()
    # A chance of nearly 1 may come out a rounding error above it.
    lose, tie, win = (np.minimum(logs, 0.0).reshape(up.shape) for logs in _log_chances(more, less, n.ravel()))
    return LogChances(lose=np.where(is_swapped, win, lose), tie=tie, win=np.where(is_swapped, lose, win))


def _check(x: Floats, y: Floats, items: Floats) -> None:
    if not np.all((x >= 0) & (y >= 0) & (x + y <= 1 + TOO_MUCH)):
        raise OptionError("The chances of a step up and down must be 0 or more and add up to at most 1.")
    if not np.all((items >= 1) & (items == np.floor(items))):
        raise OptionError("items must be whole numbers from 1.")


def _log_chances(x: Floats, y: Floats, items: Floats) -> Logs:
    """Logarithms of the chances for x >= y, all of shape (n_walks,)."""
    two_sided = y > 0
    if np.all(two_sided):
        return _two_sided(tilted(x, y, items))
    logs = np.empty((3, len(x)))
    one = ~two_sided
    logs[:, one] = _one_sided(x[one], items[one])
    if np.any(two_sided):
        logs[:, two_sided] = _two_sided(tilted(x[two_sided], y[two_sided], items[two_sided]))
    return logs[0], logs[1], logs[2]


def _one_sided(x: Floats, items: Floats) -> Logs:
    """No step down: P(S = 0) = (1 - x)^n."""
    tie = items * np.log1p(-x, where=x < 1, out=np.full(x.shape, -np.inf))
    moved = -np.expm1(tie)
    win = np.log(moved, where=moved > 0, out=np.full(x.shape, -np.inf))
    return np.full(x.shape, -np.inf), tie, win


def _two_sided(walks: Tilted) -> Logs:
    """Each walk by the way that suits its number of items and how many of them say anything."""
    ways = _ways(walks)
    used = np.flatnonzero(np.bincount(ways))
    if np.sum(used <= FEW) > 1:
        ways[ways <= FEW] = EACH
        used = np.unique(ways)
    if len(used) == 1:
        return _by(int(used[0]), walks)
    logs = np.empty((3, len(ways)))
    for way in used:
        index = np.flatnonzero(ways == way)
        logs[:, index] = _by(int(way), walks[index])
    return logs[0], logs[1], logs[2]


def _ways(walks: Tilted) -> npt.NDArray[np.intp]:
    """The number of items up to FEW; beyond it RARELY, OFTEN or ALWAYS, by how many of the items say something."""
    is_rare, is_mixed = 2 * walks.u * walks.items < RARE, walks.items * walks.v >= MIXED
    many = np.where(is_rare, RARELY, np.where(is_mixed, OFTEN, ALWAYS))
    return np.where(walks.items <= FEW, walks.items, many).astype(np.intp)


def _by(way: int, walks: Tilted) -> Logs:
    if way <= FEW:
        return few_items(walks, way)
    return {EACH: few_items_each, RARELY: rare_steps, OFTEN: many_items, ALWAYS: many_items_by_parity}[way](walks)
