"""Predictors: what a design's p and power will be, from closed forms or from simulated test sets."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from dissensus.planning.raters.item_moments import Moments, item_moments
from dissensus.planning.raters.nodes import Floats, Nodes
from dissensus.planning.raters.powers import expected_p, sign_flip_power
from dissensus.planning.raters.simulated_power import Simulated

Pair = tuple[int, int]
MOST_ITEMS = 100_000
BOOTSTRAP_POINTS = 6


class Predictor(Protocol):
    """Says what a design will show."""

    def p_value(self, items: int, pair: Pair) -> float:
        """The paper's expected p."""
        ...

    def power(self, items: int, pair: Pair) -> float:
        """Power of the sign-flip test."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FromTestSets:
    """Predicts from simulated test sets, for the designs that were simulated."""

    found: Mapping[tuple[int, int, int], Simulated]

    def p_value(self, items: int, pair: Pair) -> float:
        """The paper's expected p."""
        return self.found[items, *pair].p_value

    def power(self, items: int, pair: Pair) -> float:
        """Power of the sign-flip test."""
        return self.found[items, *pair].power


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FromMoments:
    """Predicts from the exact moments of an item, for any design.

    Attributes
    ----------
    nodes : Nodes
        The kinds of items; with several rows, the first is the best guess and the others are what else is possible.
    metric, alpha
        What is tested, and at which level.
    """

    nodes: Nodes
    metric: str
    alpha: float
    _guess: dict[Pair, Moments] = field(default_factory=dict)
    _possible: dict[Pair, Moments] = field(default_factory=dict)

    def guess(self, pair: Pair) -> Moments:
        """Moments by the best guess."""
        if pair not in self._guess:
            nodes = self.nodes if self.nodes.weight.ndim == 1 else row_of(self.nodes, 0)
            self._guess[pair] = item_moments(nodes, raters=pair[0], samples=pair[1])
        return self._guess[pair]

    def possible(self, pair: Pair) -> Moments:
        """Moments by everything that is possible, the best guess first."""
        if self.nodes.weight.ndim == 1:
            return self.guess(pair)
        if pair not in self._possible:
            self._possible[pair] = item_moments(
                self.nodes, raters=pair[0], samples=pair[1], has_null=False, points=BOOTSTRAP_POINTS
            )
        return self._possible[pair]

    def p_value(self, items: int, pair: Pair) -> float:
        """The paper's expected p, by the best guess."""
        return expected_p(self.guess(pair), items, metric=self.metric)

    def power(self, items: int, pair: Pair) -> float:
        """Power of the sign-flip test, its mean over what is possible; finding the wrong judge better is a failure."""
        moments = self.possible(pair)
        found = sign_flip_power(moments, items, metric=self.metric, alpha=self.alpha)
        effect = self.effects(pair)
        is_same = np.sign(effect) == np.sign(effect.flat[0])
        return float(np.mean(found * is_same))

    def effects(self, pair: Pair) -> Floats:
        """By how much A is better than B, by everything that is possible, of any unit."""
        moments = self.possible(pair)
        return np.atleast_1d(moments.margin if self.metric == "wins" else moments.mean)

    def strength(self, pair: Pair) -> float:
        """How far the difference stands out from its noise on one item, by the best guess."""
        moments = self.guess(pair)
        if self.metric == "wins":
            return float(np.abs(moments.margin) / np.sqrt(np.maximum(1 - moments.tied - moments.margin**2, 1e-12)))
        return float(np.abs(moments.mean) / np.sqrt(np.maximum(moments.variance, 1e-300)))

    def items_needed(self, pair: Pair, power: float, *, fewest: int = 6) -> int | None:
        """The fewest items that reach the power; None if so many as 100,000 do not."""
        low, high = fewest - 1, fewest
        while self.power(high, pair) < power:
            low, high = high, 2 * high
            if high > MOST_ITEMS:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.power(middle, pair) >= power else (middle, high)
        return high


def row_of(nodes: Nodes, row: int) -> Nodes:
    """One row of nodes that have several."""
    names = ("weight", "people", "machine", "shift_a", "shift_b")
    return replace(nodes, **{name: getattr(nodes, name)[row] for name in names})
