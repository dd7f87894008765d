"""Items drawn again: how often each is in each bootstrap sample.

A sample of n items drawn with replacement draws kinds of items as often as a multinomial distribution says, whatever n
is. What is learned without an item also needs to know how many of the items of a kind were drawn once, twice and so on:
this many draws fell on this many items, like balls into boxes.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.arrays import Codes, Floats

Weights = npt.NDArray[np.int64]
NUMBERS_AT_ONCE = 1 << 22  # 32 MB, which are used again without a new page


def chunk_sizes(replicates: int, numbers: int, *, most: int | None = None) -> Iterator[int]:
    """How many replicates to make at once, of this many numbers each, so that memory holds them all.

    >>> list(chunk_sizes(5, 10, most=20))
    [2, 2, 1]
    """
    step = max(1, (most or NUMBERS_AT_ONCE) // max(numbers, 1))
    for done in range(0, replicates, step):
        yield min(step, replicates - done)


def draw_weights(n_items: int, replicates: int, rng: Generator, *, copies: Codes | Floats | None = None) -> Weights:
    """How often each item is drawn when as many as there are are drawn with replacement; shape (replicates, n_items).

    With `copies`, each item stands for this many items of the data: these are drawn, those of an item counted together.
    """
    if copies is not None:
        total = int(copies.sum())
        return rng.multinomial(total, copies / total, size=replicates)
    if n_items >= MERGED_FROM:  # a row at a time takes the same random numbers, and fits the processor's cache
        weights = np.empty((replicates, n_items), dtype=np.int64)
        for row in weights:
            row[:] = np.bincount(rng.integers(n_items, size=n_items), minlength=n_items)
        return weights
    drawn = rng.integers(max(n_items, 1), size=(replicates, n_items))
    drawn += n_items * np.arange(replicates)[:, None]
    return np.bincount(drawn.ravel(), minlength=replicates * n_items).reshape(replicates, n_items)


def draw_strata(strata: Sequence[int], replicates: int, rng: Generator, *, copies: Floats | None = None) -> Floats:
    """How often each item is drawn where strata of this many items are drawn apart; shape (replicates, n_items).

    `copies` has those of all strata in a row.
    """
    parts = [np.empty((replicates, 0), dtype=np.int64)]
    for items, end in zip(strata, np.cumsum(strata), strict=True):
        if items:
            own = None if copies is None else copies[end - items : end]
            parts.append(draw_weights(items, replicates, rng, copies=own))
    return np.concatenate(parts, axis=1).astype(np.float64)


def draw_types(items: Codes, replicates: int, rng: Generator) -> Weights:
    """How often each type is drawn, of types with this many items; shape (replicates, n_types)."""
    n_items, n_types = int(items.sum()), len(items)
    if n_items > 8 * n_types:  # few types: one multinomial draw instead of one draw per item
        return draw_weights(n_types, replicates, rng, copies=items)
    type_of = np.repeat(np.arange(n_types), items)
    # A row at a time takes the same random numbers as all at once, and much less memory.
    rows = [np.bincount(type_of[rng.integers(n_items, size=n_items)], minlength=n_types) for _ in range(replicates)]
    return np.stack(rows) if rows else np.empty((0, n_types), dtype=np.int64)


# ---- A coin for each item


class Coins(NamedTuple):
    """A coin for each of `n` items in each row, eight to a byte: heads count."""

    packed: npt.NDArray[np.uint8]  # (n_rows, n_bytes)
    n: int

    def __matmul__(self, values: Floats) -> Floats:
        """Sums of the values with heads, of shape (n_rows, ...), for values of shape (n_items, ...).

        Eight items have 256 possible sums, which are looked up: a tenth of the work of multiplying item by item.

        >>> Coins(np.array([[0b10000001], [0b01000000]], dtype=np.uint8), 8) @ np.arange(1.0, 9.0)
        array([9., 2.])
        """
        if values.ndim > 1:
            return np.stack([self @ column for column in values.T], axis=1)
        eights = np.zeros((self.packed.shape[1], 8))
        eights.ravel()[: self.n] = values
        sums = np.zeros(len(self.packed))
        for first in range(0, len(eights), BYTES_AT_ONCE):
            own = eights[first : first + BYTES_AT_ONCE]
            table = np.zeros((len(own), 1))
            for column in own.T[::-1]:  # the first item is the highest bit
                table = np.concatenate([table, table + column[:, None]], axis=1)
            place = self.packed[:, first : first + BYTES_AT_ONCE] + 256 * np.arange(len(own))
            sums += table.ravel().take(place).sum(axis=1)
        return sums


BYTES_AT_ONCE = 128  # their tables of sums, 256 KB, fit the processor's cache


def toss_coins(rows: int, n: int, rng: Generator, *, at_once: int) -> Coins:
    """A fair coin for each item in each row, this many rows drawn at once."""
    width = -(-n // 8)
    drawn = [rng.bytes(min(at_once, rows - done) * width) for done in range(0, rows, at_once)]
    return Coins(np.frombuffer(b"".join(drawn), dtype=np.uint8).reshape(rows, width), n)


# ---- Equal items put together, so that work grows with what there is to tell apart instead of with items

MERGED_FROM = 20_000  # items: on fewer, every bootstrap sample draws item by item
FEW_KINDS = 8  # items of a kind, on average, from which on it pays to draw kinds


def kinds_of(columns: Iterable[npt.NDArray[Any]]) -> tuple[Codes, Codes]:
    """The first row of each kind, in their order, and the kind of each row: rows of a kind are equal in all columns.

    Numbers of 64 bits, each column of shape (n_rows,), are mixed to one: two of a million kinds are taken for one once
    in 10^7 data sets.
    """
    mixed = np.zeros(1, dtype=np.uint64)
    for column in columns:
        mixed = mixed + np.uint64(0x9E3779B97F4A7C15) + np.ascontiguousarray(column).view(np.uint64)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed ^= mixed >> np.uint64(shift)
            mixed *= np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
    _, first, place = np.unique(mixed, return_index=True, return_inverse=True)
    rank = np.empty_like(first)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.sort(first), rank[place]


# ---- How many items of each type are in a sample how often


class Copies(NamedTuple):
    """How many items of each type are in each replicate how often.

    Weights (2, 0) and (1, 1) on two items of one type do not give the same curve, because all copies of an item leave
    together when the combiner is learned without it. So a replicate is a histogram over (type, copies).
    """

    # Each (n_entries,): how many items of this type occur how often in this replicate; ordered by replicate. Not
    # whole numbers where many identical items count as occurring as often as they do on average.
    replicate: Codes
    type: Codes
    copies: Codes | Floats
    items: Codes | Floats
    weights: Floats  # (n_replicates, n_types): how many items of each type there are in each replicate, copies counted

    def counting(self, unit: Floats | None) -> "Copies":
        """The same where an item of each type counts for this much, of shape (n_types,)."""
        if unit is None:
            return self
        return self._replace(copies=self.copies * unit[self.type], weights=self.weights * unit)


def observed(items: Codes) -> Copies:
    """The data themselves: one replicate, every item once."""
    kinds = np.flatnonzero(items)
    ones = np.ones(len(kinds), dtype=np.intp)
    return Copies(np.zeros_like(kinds), kinds, ones, items[kinds], items[None, :].astype(np.float64))


def merely(weights: Floats) -> Copies:
    """Weights of types alone, for a combiner that does not ask how often each item occurs."""
    nothing = np.empty(0, dtype=np.intp)
    return Copies(nothing, nothing, nothing, nothing, weights)


def copies_of(item_weights: npt.NDArray[np.integer], type_of_item: Codes, n_types: int) -> Copies:
    """Collapse weights of items to (replicate, type, copies)."""
    replicates = len(item_weights)
    most = int(item_weights.max(initial=0)) + 1
    table = np.empty((replicates, n_types, most), dtype=np.intp)
    for row, own in zip(table, item_weights, strict=True):  # one at a time fits the processor's cache
        row[:] = np.bincount(type_of_item * most + own, minlength=n_types * most).reshape(n_types, most)
    weights = table @ np.arange(most, dtype=np.float64)  # whole numbers: exact in any order
    table[:, :, 0] = 0
    replicate, kind, copies = np.nonzero(table)
    return Copies(replicate, kind, copies, table[replicate, kind, copies], weights)


SIMULATED = 200  # up to this many identical items each draw is simulated
BOXES_AT_ONCE = 1 << 20
NEGLIGIBLE = 1e-3  # where fewer items than this can be expected to be drawn so often, none is


class _Entries(NamedTuple):
    """In this replicate, this many items of this type occur this many times."""

    replicate: Codes
    type: Codes
    copies: Codes | Floats
    items: Codes | Floats


def draw_copies(weights: Floats, items: Codes, rng: Generator, *, is_smooth: bool) -> Copies:
    """How many items of each type occur how often, given how often the types were drawn.

    `weights` (n_replicates, n_types): how often items of each type were drawn in all. `items` (n_types,): how many
    items of each type there are. `rng`: of random numbers. `is_smooth`: whether the score changes little where
    predictions do, as additive scores; the most likely label may change.

    Up to `SIMULATED` items of a type the draws are simulated, which is exact. Beyond it leaving an item out, all its
    copies, changes what is predicted for it in the order of 1 / n. For a smooth score only the mean counts then: every
    item counts as drawn 1 + (w - 1) / n times, of w draws on n items, which is what a drawn item can expect, itself and
    its share of the other draws; the rest is of the order 1 / n^2. For other scores the numbers are those expected,
    n C(w, j) (1/n)^j (1 - 1/n)^(w - j) items drawn j times, rounded up or down at random, with those drawn once making
    up the total. What is lost is how these numbers vary around their expectation.
    """
    few = items <= SIMULATED
    many = (_mean if is_smooth else _expected)(weights[:, ~few], items[~few], rng)
    parts = [(_simulated(weights[:, few].astype(np.intp), items[few], rng), few), (many, ~few)]
    replicate = np.concatenate([part.replicate for part, _ in parts])
    kind = np.concatenate([np.flatnonzero(own)[part.type] for part, own in parts])
    copies = np.concatenate([part.copies for part, _ in parts])
    number = np.concatenate([part.items for part, _ in parts])
    order = np.lexsort((copies, kind, replicate))
    return Copies(replicate[order], kind[order], copies[order], number[order], weights)


def _simulated(drawn: Codes, items: Codes, rng: Generator) -> _Entries:
    """Throw the draws of each replicate and type on its items, a block of them at a time."""
    boxes = np.tile(items, len(drawn))
    block = np.cumsum(boxes) // BOXES_AT_ONCE
    found = [_thrown(pairs, drawn.ravel(), boxes, rng) for pairs in _runs(block)]
    pair, copies, number = (np.concatenate(columns) for columns in zip(*found, strict=True)) if found else _NOTHING
    return _Entries(pair // max(1, len(items)), pair % max(1, len(items)), copies, number)


_NOTHING = (np.empty(0, dtype=np.intp),) * 3


def _runs(block: Codes) -> list[Codes]:
    """Places of equal values that follow each other."""
    return np.split(np.arange(len(block)), np.flatnonzero(np.diff(block)) + 1) if len(block) else []


def _thrown(pairs: Codes, drawn: Codes, boxes: Codes, rng: Generator) -> tuple[Codes, Codes, Codes]:
    """For these pairs of replicate and type: pair, how often, and how many items were drawn so often."""
    balls, size = drawn[pairs], boxes[pairs]
    owner = np.repeat(np.arange(len(pairs)), balls)
    box = (np.cumsum(size) - size)[owner] + (rng.random(len(owner)) * size[owner]).astype(np.intp)
    times = np.bincount(box, minlength=int(size.sum()))
    hit = np.flatnonzero(times)
    most = int(times.max(initial=0)) + 1
    key, number = np.unique(np.repeat(np.arange(len(pairs)), size)[hit] * most + times[hit], return_counts=True)
    return pairs[key // most], key % most, number


def _mean(drawn: Floats, items: Codes, _rng: Generator) -> _Entries:
    """Every item as often as a drawn one can expect, for each replicate and type."""
    replicate, kind = np.nonzero(drawn)
    balls = drawn[replicate, kind]
    copies = 1 + (balls - 1) / items[kind]
    return _Entries(replicate, kind, copies, balls / copies)


def _expected(drawn: Floats, items: Codes, rng: Generator) -> _Entries:
    """The expected number of items drawn once, twice and so on, for each replicate and type."""
    n = items.astype(np.float64)
    expected = n * np.exp(drawn * np.log1p(-1 / n)) * drawn / (n - 1)  # drawn once
    tables = [drawn.copy()]
    while expected.size and (len(tables) < (drawn / n).max() or expected.max() >= NEGLIGIBLE):
        copies = len(tables) + 1
        expected = expected * np.maximum(drawn - copies + 1, 0) / (copies * (n - 1))
        tables.append(np.floor(expected + rng.random(expected.shape)))
        tables[0] -= copies * tables[-1]
    found = [_entries(number, copies) for copies, number in enumerate(tables, start=1)]
    return _Entries(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _entries(number: Floats, copies: int) -> _Entries:
    replicate, kind = np.nonzero(number > 0)
    return _Entries(replicate, kind, np.full(len(kind), copies), number[replicate, kind])
