"""Predictors: what a design's p and power will be, from moments of an item or from simulated test sets."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.methods.plan_raters.moments import Moments, Nodes, expected_p, item_moments, sign_flip_power
from dissensus.methods.plan_raters.result import FEWEST_ITEMS, ITEMS, MOST_ITEMS, Design, PlanRatersOptions, TradeOff
from dissensus.sampling import Engine, Progress, open_executor, run_tasks

# ---- What simulated test sets say of designs: the paper's expected p, and the power of the sign-flip test
#
# One draw of items and responses serves every number of raters and every size of the test set, so that designs are
# compared on common random numbers. The set without a difference (the null) has the same items; in it each response of
# A and of B is drawn from either judge by the toss of a coin. "How Many Raters Do You Need?", section 3; what its tool
# does was reconstructed from its tables.

Singles = npt.NDArray[np.float32]
Counts = npt.NDArray[np.int32]
FIVE = ((0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3))
"""Exchanges that sort five numbers, all items at once."""


def distance(first: Singles, second: Singles) -> Floats:
    """The earth mover's distance of each pair of samples.

    `first`, `second` (n_items, n_responses): sorted along the last axis; the two may have different numbers of
    responses. Returns shape (n_items,).

    >>> distance(np.array([[0, 1]], dtype=np.float32), np.array([[0.5]], dtype=np.float32))
    array([0.5])
    """
    n, m = first.shape[1], second.shape[1]
    if n == m:
        return np.asarray(np.abs(first - second).mean(axis=1, dtype=np.float64))
    # Between two neighbouring steps of the two distribution functions' inverses both are constant.
    steps = np.unique(np.concatenate([np.arange(n + 1) * m, np.arange(m + 1) * n]))
    left, width = steps[:-1], np.diff(steps) / (n * m)
    return np.asarray(np.abs(first[:, left // m] - second[:, left // n]).astype(np.float64) @ width)


def sorted_count_distance(first: Counts, second: Counts) -> Floats:
    """The paper's: mean difference of counts once each sample's counts are sorted, whatever bins they come from.

    Differs from the earth mover's distance in that it ignores where the bins lie; kept because the paper's Tables 12 to
    15 are of it.

    `first`, `second` (5, n_items): how many responses fall in each bin. Returns shape (n_items,): five times the mean,
    a whole number, so that equal sums stay equal.
    """
    pairs = zip(_sorted_rows(first), _sorted_rows(second), strict=True)
    return np.asarray(sum(np.abs(a - b) for a, b in pairs), dtype=np.float64)


def _sorted_rows(counts: Counts) -> list[Counts]:
    rows = list(counts)
    for i, j in FIVE:
        rows[i], rows[j] = np.minimum(rows[i], rows[j]), np.maximum(rows[i], rows[j])
    return rows


# ---- Simulated test sets: by how much A is nearer to people than B, item by item, with and without a difference

BINS = 5  # the paper's earth mover's distance has five bins on [0, 1]; responses outside fall in none
WORD = 64
MOST_WORDS = 64  # of coins; more are drawn at once


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSets:
    """What to simulate."""

    __test__ = False  # not for pytest

    metric: str  # how near a judge is to people
    effect: float  # as for `normal_nodes`
    spread: tuple[float, float]
    pairs: tuple[tuple[int, int], ...]  # raters, and responses of each judge, of each design
    sets: int  # how many test sets, and of how many items
    items: int


Differences = tuple[Floats | Singles, Floats | Singles]
"""Score of B less score of A for each test set and item: with a difference, and without."""


def simulate(task: TestSets, rng: Generator) -> list[Differences]:
    """Differences of each design, two arrays of shape (sets, items) each."""
    n = task.sets * task.items
    mean = rng.random(n)
    sigma = rng.uniform(*task.spread, size=n)
    shift = np.clip(mean + rng.uniform(-task.effect, task.effect, size=n), 0, 1) - mean
    draw = {"emd": _by_responses, "emd-binned": _by_bins}.get(task.metric, _by_means)
    shape = (task.sets, task.items)
    return [(alt.reshape(shape), null.reshape(shape)) for alt, null in draw(task, rng, mean, sigma, shift)]


def _by_means(task: TestSets, rng: Generator, mean: Floats, sigma: Floats, shift: Floats) -> Iterator[Differences]:
    """Wins and MAE need the means of an item's responses only, which are normal."""
    del mean  # only differences matter
    apart = shift.astype(np.float32)
    g, a, b = sigma.astype(np.float32) * rng.standard_normal((3, len(sigma)), dtype=np.float32)
    for raters, samples in task.pairs:
        people = g / np.float32(np.sqrt(raters))
        own_a, own_b = (own / np.float32(np.sqrt(samples)) - people for own in (a, b))
        alt = np.abs(own_b + apart) - np.abs(own_a)
        moved_a, moved_b = (apart * tossed(samples, len(sigma), rng) for _ in range(2))
        null = np.abs(own_b + moved_b) - np.abs(own_a + moved_a)
        yield (np.sign(alt), np.sign(null)) if task.metric == "wins" else (alt, null)


def tossed(coins: int, n: int, rng: Generator) -> Singles:
    """Share of heads among this many coins, n times: the bits of random words."""
    if coins > MOST_WORDS * WORD:
        return (rng.binomial(coins, 0.5, size=n) / coins).astype(np.float32)
    heads = np.zeros(n, dtype=np.float32)
    for left in range(coins, 0, -WORD):
        words = rng.integers(0, 2**WORD, size=n, dtype=np.uint64)
        heads += np.bitwise_count(words >> np.uint64(WORD - left) if left < WORD else words)
    return heads / np.float32(coins)


def _by_bins(task: TestSets, rng: Generator, mean: Floats, sigma: Floats, shift: Floats) -> Iterator[Differences]:
    """Counts of responses in bins are multinomial; more raters add to the counts of fewer."""
    chance_a, chance_b = bin_chances(mean, sigma), bin_chances(mean + shift, sigma)
    either = (chance_a + chance_b) / 2
    people = _Tally(chance_a, rng)
    machines = [_Tally(chance, rng) for chance in (chance_a, chance_b, either, either)]
    differences: dict[tuple[int, int], Differences] = {}
    for raters, samples in sorted(set(task.pairs)):
        g = people.upto(raters)
        a, b, null_a, null_b = (sorted_count_distance(g, machine.upto(samples)) for machine in machines)
        differences[raters, samples] = (b - a, null_b - null_a)
    yield from (differences[pair] for pair in task.pairs)


def bin_chances(mean: Floats, sigma: Floats) -> Floats:
    """Probability of each bin, and of none, of shape (n_items, BINS + 1)."""
    from scipy.special import ndtr  # noqa: PLC0415 - takes a while to import

    edges = np.linspace(0, 1, BINS + 1)
    with np.errstate(divide="ignore"):
        below = ndtr((edges - mean[:, None]) / np.maximum(sigma, 1e-12)[:, None])
    inside = np.diff(below, axis=1)
    return np.concatenate([inside, np.maximum(1 - inside.sum(axis=1, keepdims=True), 0)], axis=1)


class _Tally:
    """Counts that grow with the number of responses."""

    def __init__(self, chances: Floats, rng: Generator) -> None:
        # The distance ignores the order of the bins, and drawing the most likely first ends early on most items.
        most_likely_first = -np.sort(-chances[:, :BINS], axis=1)
        self.chances, self.rng = np.concatenate([most_likely_first, chances[:, BINS:]], axis=1), rng
        self.size = 0
        self.counts = np.zeros((BINS, len(chances)), dtype=np.int32)

    def upto(self, size: int) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
        """Counts of this many responses, at least as many as before."""
        if size > self.size:
            more = self.rng.multinomial(size - self.size, self.chances)
            self.counts = self.counts + more[:, :BINS].T.astype(np.int32)
            self.size = size
        return self.counts


def _by_responses(task: TestSets, rng: Generator, mean: Floats, sigma: Floats, shift: Floats) -> Iterator[Differences]:
    """The earth mover's distance needs every response."""
    del mean  # only differences matter
    n = len(sigma)
    most_raters, most_samples = (max(pair[side] for pair in task.pairs) for side in (0, 1))
    spread, apart = sigma.astype(np.float32)[:, None], shift.astype(np.float32)[:, None]
    g = spread * rng.standard_normal((n, most_raters), dtype=np.float32)
    a, b = (spread * rng.standard_normal((n, most_samples), dtype=np.float32) for _ in range(2))
    coins = (rng.integers(0, 2, size=a.shape, dtype=np.bool_) for _ in range(2))
    null_a, null_b = (own + apart * coin for own, coin in zip((a, b), coins, strict=True))
    b = b + apart
    for raters, samples in task.pairs:
        people = np.sort(g[:, :raters], axis=1)
        own = [distance(people, np.sort(machine[:, :samples], axis=1)) for machine in (a, b, null_a, null_b)]
        yield own[1] - own[0], own[3] - own[2]


FLIPS = 999
"""Random flips of the signs; the same for all test sets, which keeps each test valid and is one product of matrices."""
RESPONSES_PER_TASK = 4_000_000  # fixed, so that the streams of random numbers do not depend on the number of workers
SLACK = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """Of one design: the paper's expected p, the power of the sign-flip test, and how far a difference stands out.

    The last is the mean of the items' differences over their standard deviation.
    """

    p_value: float
    power: float
    strength: float


def simulated_designs(
    plan: TestSets, sizes: Sequence[int], *, alpha: float, rng: int | Generator | None = 0, engine: Engine = "local",
    workers: int = 1, progress: Progress | None = None,
) -> dict[tuple[int, int, int], Simulated]:  # fmt: skip
    """What test sets say, by number of items, raters and samples.

    `plan`: what to simulate; its `items` is the largest size. `sizes`: numbers of items; smaller test sets are the
    first items of larger ones. `alpha`: level of the sign-flip test.
    """
    flip_stream, set_stream = np.random.default_rng(rng).spawn(2)
    with open_executor(engine, workers=workers) as executor:
        parts = run_tasks(executor, simulate, _tasks(plan), rng=set_stream, progress=progress)
    signs = flip_stream.integers(0, 2, size=(FLIPS, plan.items)).astype(np.float32) * 2 - 1
    designs = {}
    for place, (raters, samples) in enumerate(plan.pairs):
        alt, null = (np.concatenate([part[place][side] for part in parts]) for side in (0, 1))
        for items in sizes:
            own = alt[:, :items]
            designs[items, raters, samples] = Simulated(
                p_value=expected_p_of(*(each[:, :items].sum(axis=1, dtype=np.float64) for each in (null, alt))),
                power=float(np.mean(sign_flip_p(own, signs[:, :items]) <= alpha)),
                strength=abs(float(own.mean(dtype=np.float64))) / max(float(own.std(dtype=np.float64)), 1e-300),
            )
    return designs


def _tasks(plan: TestSets) -> list[TestSets]:
    """The plan in parts small enough for memory."""
    widest = max(raters + 4 * samples for raters, samples in plan.pairs)
    per_item = {"emd": widest, "emd-binned": 30}.get(plan.metric, 8)
    sets = min(max(1, RESPONSES_PER_TASK // (per_item * plan.items)), plan.sets)
    return [replace(plan, sets=min(sets, plan.sets - done)) for done in range(0, plan.sets, sets)]


def expected_p_of(null: Floats, alt: Floats) -> float:
    """Share of pairs in which the test set without a difference shows at least as much as the one with it.

    As in the paper's tool, the signs are turned so that the median with a difference is not the smaller one. Without a
    difference A and B are exchangeable, so each such test set counts with both signs, which halves its noise.

    >>> expected_p_of(np.array([1.0, 3.0]), np.array([1.0, 2.0]))  # of -3, -1, 1, 3: two are at least 1, one at least 2
    0.375
    """
    null = np.concatenate([null, -null])
    alt = -alt if np.median(alt) < 0 else alt
    at_least = len(null) - np.searchsorted(np.sort(null), alt, side="left")
    return float(at_least.mean() / len(null))


def sign_flip_p(differences: Floats | Singles, signs: Singles) -> Floats:
    """Two-sided p of each test set: how often flipping the signs of its items gives at least as large a sum."""
    single = differences.astype(np.float32, copy=False)
    flipped = np.abs(signs @ single.T)
    observed = np.abs(single.sum(axis=1)) * (1 - SLACK)
    return np.asarray((1 + (flipped >= observed).sum(axis=0)) / (1 + len(signs)))


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
        """How far apart the judges are, and how noisy an item's means are."""
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
        """How far apart the judges are on an item, and how noisy its means are: root mean squares."""
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
        """How far apart the judges are, and how noisy an item's means are."""
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
        """How far apart the judges are, and how noisy an item's means are."""
        return self.source.shift_and_noise(pair)

    def raters_in_all(self, items: int, pair: Pair) -> int | None:
        """How many raters the power is for; None where it holds for the pilot's own, or there is no pilot."""
        crew = self.source.guess(pair).crew
        return None if crew is None else int(crew.in_all(items))

    def items_needed(self, pair: Pair, power: float) -> int | None:
        """The fewest items that reach the power; None if even 100,000 do not."""
        low, high = FEWEST_ITEMS - 1, FEWEST_ITEMS
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
    """How far apart the judges are on an item, and how noisy its means are: root mean squares."""
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
        items=items, raters=raters, machine_samples=pair[1], p_value=predictor.p_value(items, pair),
        power=predictor.power(items, pair), cost=options.cost(items, raters),
        raters_in_all=predictor.raters_in_all(items, pair) if isinstance(predictor, FromMoments) else None,
    )  # fmt: skip


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


def traded_pairs(options: PlanRatersOptions) -> tuple[Pair, Pair]:
    """The number of raters considered that is nearest to five, and twice as many."""
    raters = min(options.raters, key=lambda number: abs(math.log(number / USUAL_RATERS)))
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
        helps="raters" if gain > math.sqrt(2) else "items", raters=pair[0], gain_items=math.sqrt(2), gain_raters=gain,
        shift=shift, noise=noise,
    )  # fmt: skip
