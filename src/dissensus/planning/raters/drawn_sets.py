"""Simulated test sets: by how much A is nearer to people than B, item by item, with and without a difference.

One draw of items and responses serves every number of raters and every size of the test set, so that designs are
compared on common random numbers. The set without a difference (the null) has the same items; in it each response of A
and of B is drawn from either judge by the toss of a coin.

References
----------
"How Many Raters Do You Need?", section 3; what its tool does was reconstructed from its tables.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dissensus.planning.raters.nodes import Floats
from dissensus.planning.raters.wasserstein import Singles, distance, sorted_count_distance

BINS = 5
"""The paper's earth mover's distance has five bins on [0, 1]; responses outside fall in none."""
WORD = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSets:
    """What to simulate.

    Attributes
    ----------
    metric : {"wins", "mae", "emd", "emd-binned"}
        How near a judge is to people.
    effect, spread
        As for `normal_nodes`.
    pairs : tuple of (int, int)
        Raters, and responses of each judge, of each design.
    sets, items : int
        How many test sets, and of how many items.
    """

    __test__ = False  # not for pytest

    metric: str
    effect: float
    spread: tuple[float, float]
    pairs: tuple[tuple[int, int], ...]
    sets: int
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
    """Share of heads among so many coins, n times: the bits of random words."""
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
    found: dict[tuple[int, int], Differences] = {}
    for raters, samples in sorted(set(task.pairs)):
        g = people.upto(raters)
        a, b, null_a, null_b = (sorted_count_distance(g, machine.upto(samples)) for machine in machines)
        found[raters, samples] = (b - a, null_b - null_a)
    yield from (found[pair] for pair in task.pairs)


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
        # The distance ignores the order of the bins, and drawing the likeliest first ends early on most items.
        likeliest_first = -np.sort(-chances[:, :BINS], axis=1)
        self.chances, self.rng = np.concatenate([likeliest_first, chances[:, BINS:]], axis=1), rng
        self.size = 0
        self.counts = np.zeros((BINS, len(chances)), dtype=np.int32)

    def upto(self, size: int) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
        """Counts of so many responses, at least as many as before."""
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
