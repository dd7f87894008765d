"""Predictors: what a design's p and power will be, from moments of an item or from simulated test sets."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from dissensus.arrays import Floats
from dissensus.methods.plan_raters.moments import Moments, Nodes, expected_p, item_moments, sign_flip_power
from dissensus.methods.plan_raters.options import FEWEST_ITEMS, ITEMS, MOST_ITEMS, PlanRatersOptions
from dissensus.methods.plan_raters.result import Design, TradeOff
from dissensus.methods.plan_raters.simulated import Simulated

Pair = tuple[int, int]  # raters, and answers of each judge, per item
MOST_SEARCHED = 100_000
BOOTSTRAP_POINTS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class FromTestSets:
    """Predicts from simulated test sets, for the designs that were simulated."""

    simulated: Mapping[tuple[int, int, int], Simulated]  # by items, raters and answers
    nodes: Nodes  # the kinds of items that were simulated

    def p_value(self, items: int, pair: Pair) -> float:
        """The paper's expected p."""
        return self.simulated[items, *pair].p_value

    def power(self, items: int, pair: Pair) -> float:
        """Power of the sign-flip test."""
        return self.simulated[items, *pair].power

    def strength(self, pair: Pair) -> float:
        """How far the difference stands out, from the largest test sets."""
        return self.simulated[max(items for items, *_ in self.simulated), *pair].strength

    def shift_and_noise(self, pair: Pair) -> tuple[float, float]:
        """How far apart the judges are, and how far an item's means stray."""
        return shift_and_noise_of(self.nodes, pair)


class MomentSource(Protocol):
    """Knows the moments of an item."""

    def guess(self, pair: Pair) -> Moments:
        """Moments by the best guess."""
        ...

    def possible(self, pair: Pair) -> Moments:
        """Moments by everything that is possible, the best guess first."""
        ...

    def shift_and_noise(self, pair: Pair) -> tuple[float, float]:
        """How far apart the judges are on an item, and how far its means stray: root mean squares."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NodeMoments:
    """Exact moments of normal responses."""

    # the kinds of items; with several rows, the first is the best guess and the others are what else is possible
    nodes: Nodes
    _guess: dict[Pair, Moments] = field(default_factory=dict)
    _possible: dict[Pair, Moments] = field(default_factory=dict)

    @property
    def best(self) -> Nodes:
        """The best guess."""
        return self.nodes if self.nodes.weight.ndim == 1 else row_of(self.nodes, 0)

    def guess(self, pair: Pair) -> Moments:
        """Moments by the best guess."""
        if pair not in self._guess:
            self._guess[pair] = item_moments(self.best, raters=pair[0], samples=pair[1])
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

    def shift_and_noise(self, pair: Pair) -> tuple[float, float]:
        """How far apart the judges are, and how far an item's means stray."""
        return shift_and_noise_of(self.best, pair)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FromMoments:
    """Predicts from the moments of an item, for any design."""

    source: MomentSource  # knows them
    metric: str  # what is tested, and at which level
    alpha: float

    def p_value(self, items: int, pair: Pair) -> float:
        """The paper's expected p, by the best guess."""
        return expected_p(self.source.guess(pair), items, metric=self.metric)

    def power(self, items: int, pair: Pair) -> float:
        """Power of the sign-flip test, its mean over what is possible; finding the wrong judge better is a failure."""
        moments = self.source.possible(pair)
        power = sign_flip_power(moments, items, metric=self.metric, alpha=self.alpha)
        effect = self.effects(pair)
        is_same = np.sign(effect) == np.sign(effect.flat[0])
        return float(np.mean(power * is_same))

    def effects(self, pair: Pair) -> Floats:
        """By how much A is better than B, by everything that is possible, of any unit."""
        moments = self.source.possible(pair)
        return np.atleast_1d(moments.margin if self.metric == "wins" else moments.mean)

    def strength(self, pair: Pair) -> float:
        """How far the difference stands out from its noise on one item, by the best guess."""
        moments = self.source.guess(pair)
        if self.metric == "wins":
            return float(np.abs(moments.margin) / np.sqrt(np.maximum(1 - moments.tied - moments.margin**2, 1e-12)))
        return float(np.abs(moments.mean) / np.sqrt(np.maximum(moments.variance, 1e-300)))

    def shift_and_noise(self, pair: Pair) -> tuple[float, float]:
        """How far apart the judges are, and how far an item's means stray."""
        return self.source.shift_and_noise(pair)

    def raters_in_all(self, items: int, pair: Pair) -> int | None:
        """How many raters the power is for; None where it holds for the pilot's own, or there is no pilot."""
        crew = self.source.guess(pair).crew
        return None if crew is None else int(crew.in_all(items))

    def items_needed(self, pair: Pair, power: float, *, fewest: int = 6) -> int | None:
        """The fewest items that reach the power; None if even 100,000 do not."""
        low, high = fewest - 1, fewest
        while self.power(high, pair) < power:
            low, high = high, 2 * high
            if high > MOST_SEARCHED:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.power(middle, pair) >= power else (middle, high)
        return high


Predictor = FromTestSets | FromMoments  # says what a design will show


def shift_and_noise_of(nodes: Nodes, pair: Pair) -> tuple[float, float]:
    """How far apart the judges are on an item, and how far its means stray: root mean squares."""
    shift = (nodes.shift_b - nodes.shift_a) ** 2
    noise = nodes.people**2 / pair[0] + nodes.machine**2 / pair[1]
    return float(np.sqrt(nodes.weight @ shift)), float(np.sqrt(nodes.weight @ noise))


def row_of(nodes: Nodes, row: int) -> Nodes:
    """One row of nodes that have several."""
    names = ("weight", "people", "machine", "shift_a", "shift_b")
    return replace(nodes, **{name: getattr(nodes, name)[row] for name in names})


ROUNDING = 1e-9


def design_of(predictor: Predictor, options: PlanRatersOptions, items: int, raters: int) -> Design:
    """A design and what it will show."""
    pair = options.pair(raters)
    return Design(
        items=items,
        raters=raters,
        machine_samples=pair[1],
        p_value=predictor.p_value(items, pair),
        power=predictor.power(items, pair),
        cost=options.cost(items, raters),
        raters_in_all=predictor.raters_in_all(items, pair) if isinstance(predictor, FromMoments) else None,
    )


def grid_of(predictor: Predictor, options: PlanRatersOptions) -> tuple[Design, ...]:
    """Every number of items with every number of raters."""
    sizes = options.items or ITEMS
    return tuple(design_of(predictor, options, items, raters) for items in sizes for raters in options.raters)


def solved_designs(predictor: FromMoments, options: PlanRatersOptions) -> list[Design]:
    """For each number of raters the fewest items that reach the power, and the most that the budget pays for."""
    designs = []
    for raters in options.raters:
        sizes = {predictor.items_needed(options.pair(raters), options.power)}
        if options.budget is not None:
            paid = options.budget / max(options.cost(1, raters), ROUNDING) + ROUNDING
            sizes.add(int(min(paid, MOST_ITEMS)))
        possible = sorted(size for size in sizes if size is not None and size >= FEWEST_ITEMS)
        designs += [design_of(predictor, options, size, raters) for size in possible]
    return designs


def sufficient(designs: Iterable[Design], options: PlanRatersOptions) -> list[Design]:
    """Designs that reach the power within the budget, the cheapest first, then those with most power."""
    enough = [design for design in designs if design.power >= options.power and is_affordable(design, options)]
    return sorted(enough, key=lambda design: (design.cost, -design.power))


def is_affordable(design: Design, options: PlanRatersOptions) -> bool:
    """Whether the budget, if there is one, pays for it."""
    return options.budget is None or design.cost <= options.budget * (1 + ROUNDING)


def frontier_of(designs: Sequence[Design]) -> tuple[Design, ...]:
    """Designs that have more power than every cheaper one, by cost."""
    best: list[Design] = []
    for design in sorted(designs, key=lambda design: (design.cost, -design.power)):
        if not best or design.power > best[-1].power:
            best.append(design)
    return tuple(best)


USUAL_RATERS = 5


def usual_raters(options: PlanRatersOptions) -> int:
    """The number of raters considered that is nearest to five."""
    return min(options.raters, key=lambda number: abs(math.log(number / USUAL_RATERS)))


def traded_pairs(options: PlanRatersOptions) -> tuple[Pair, Pair]:
    """About five raters per item, and twice as many."""
    raters = usual_raters(options)
    return options.pair(raters), options.pair(2 * raters)


def trade_off(predictor: Predictor, options: PlanRatersOptions) -> TradeOff:
    """What twice the ratings bring as twice the items, and as twice the raters, from about five raters per item.

    Twice the items always make a difference stand out by the root of two more. What twice the raters do depends on how
    much of what is seen on an item is noise.
    """
    pair, double = traded_pairs(options)
    gain = predictor.strength(double) / max(predictor.strength(pair), 1e-300)
    shift, noise = predictor.shift_and_noise(pair)
    return TradeOff(
        helps="raters" if gain > math.sqrt(2) else "items",
        raters=pair[0],
        gain_items=math.sqrt(2),
        gain_raters=gain,
        shift=shift,
        noise=noise,
    )
