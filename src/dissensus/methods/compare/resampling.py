"""All that is drawn at random for one pair, cut into tasks of fixed size."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Ratings
from dissensus.data.align import Responses
from dissensus.methods.compare.metrics import Columns, Metric
from dissensus.methods.compare.pairs import Cloud, NamedPair, Pairs, Problem
from dissensus.methods.compare.result import Test
from dissensus.sampling import Progress, run_tasks
from dissensus.sampling.draws import draw_weights, toss_coins
from dissensus.sampling.raters import CountCells, rater_draws, rater_pool

# ---- Is the difference real? Exchange the two judges' scores at random, item by item

MOST_SIGNS = 4_000_000  # how many random signs are drawn at a time
MOST_COINS = 1 << 30  # how many are held at a time, a bit each
MOST_NUMBERS = 2_000_000  # how many numbers of another kind are


class RaterNoise(NamedTuple):
    """What moves the differences of a pair; pairs share the draws behind it."""

    test: Floats  # (resamples,): those under the null hypothesis
    bootstrap: Floats  # (bootstrap,): those of bootstrap samples


def _at_once(resamples: int, per_resample: int, most: int = MOST_NUMBERS) -> list[int]:
    """How many resamples are drawn one time after the other, so that no more numbers are held."""
    size = max(1, most // per_resample)
    return [min(size, resamples - done) for done in range(0, resamples, size)]


def flipped_differences(metric: Metric, columns: Columns, resamples: int, rng: Generator) -> Floats:
    """Differences of scores after the judges changed places on a random half of the items.

    Two judges of equal quality are as likely to be ahead by so much on an item as behind by so much. The columns have
    the shape (n_items,), the differences (resamples,).
    """
    n, swapped = len(columns.a), metric.score.swapper(columns)
    if columns.copies is not None:
        # Item by item: the next draw is quicker where the number of copies stays the same.
        counts = columns.copies.astype(np.int64)[:, None]
        sizes = _at_once(resamples, n, MOST_SIGNS)
        return np.concatenate([swapped(rng.binomial(counts, 0.5, size=(n, rows)).T.astype(float)) for rows in sizes])
    at_once = max(1, MOST_SIGNS // n)
    sizes = _at_once(resamples, 1, max(1, MOST_COINS // (n * at_once)) * at_once)
    return np.concatenate([swapped(toss_coins(rows, n, rng, at_once=at_once)) for rows in sizes])


def all_flipped_differences(metric: Metric, columns: Columns, resamples: int) -> Floats | None:
    """Differences of scores for every way to exchange the judges; None if there are more than `resamples`.

    Items on which the judges do not differ need no exchange; but equal answers can differ in rank. Copies of an item
    are exchanged one by one.
    """
    differs = np.flatnonzero((columns.a != columns.b) | metric.is_ranks)
    times = np.ones(len(differs), dtype=np.intp) if columns.copies is None else columns.copies[differs].astype(np.intp)
    if times.sum() >= np.log2(max(resamples, 1)) + 1e-9:
        return None
    differs = np.repeat(differs, times)
    n, ways = len(columns.a), np.arange(2 ** len(differs))
    size = max(1, MOST_SIGNS // n)
    swapped = metric.score.swapper(columns)
    parts = []
    for done in range(0, len(ways), size):
        own = ways[done : done + size]
        swap = np.zeros((len(own), n))
        for place, item in enumerate(differs):
            swap[:, item] += own >> place & 1
        parts.append(swapped(swap))
    return np.concatenate(parts)


def permuted_differences(problem: Problem, resamples: int, rng: Generator) -> Floats:
    """Differences of scores after each item's responses of both judges were dealt out to them at random.

    Each judge keeps its number of responses.

    Returns shape (resamples,).
    """
    pooled = np.concatenate([problem.a.vectors, problem.b.vectors], axis=1)
    is_there = np.concatenate([problem.a.times, problem.b.times], axis=1) > 0
    people = problem.people.mean()
    total = np.einsum("imc,im->ic", pooled, is_there)
    parts = []
    for rows in _at_once(resamples, problem.n_items * pooled.shape[2]):
        dealt = _dealt(pooled, is_there, problem.a, rows, rng)
        a = dealt / problem.a.sizes[:, None]
        b = (total - dealt) / problem.b.sizes[:, None]
        parts.append(problem.metric.score(problem.columns(a, b, np.broadcast_to(people, a.shape))).difference)
    return np.concatenate(parts)


def _dealt(
    pooled: Floats, is_there: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], a: Cloud, resamples: int, rng: Generator
) -> Floats:
    """Sum of the responses that A gets, of shape (resamples, n_items, n_coordinates).

    Goes through the responses of all items at once and takes each with the chance that exactly the right number of them
    is taken in the end (selection sampling, Knuth's Algorithm S).
    """
    n_items, most, n_coordinates = pooled.shape
    total = np.zeros((resamples, n_items, n_coordinates))
    wanted = np.broadcast_to(a.sizes, (resamples, n_items)).copy()
    left = is_there.sum(axis=1).astype(np.float64)
    for place in range(most):
        takes = (rng.random((resamples, n_items)) * left < wanted) & is_there[:, place]
        total += takes[..., None] * pooled[:, place, :]
        wanted -= takes
        left -= is_there[:, place]
    return total


# ---- The resampling of Wein et al. (2023): items and responses drawn again, with and without a difference


def mixture_differences(problem: Problem, resamples: int, rng: Generator) -> Floats:
    """Differences of scores in test sets drawn from the data, under the null hypothesis and under the alternative.

    Items are drawn with replacement, then responses of each item with replacement. In the alternative each judge's come
    from its own; in the null hypothesis each response of both comes from A's with chance 1/2, else from B's.

    Returns shape (resamples, 2): null hypothesis, alternative.
    """
    pooled = _pooled(problem.a, problem.b)
    parts = []
    for rows in _at_once(resamples, 2 * problem.most_numbers):
        null = _differences(problem, pooled, pooled, rows, rng)
        alternative = _differences(problem, problem.a, problem.b, rows, rng)
        parts.append(np.stack([null, alternative], axis=1))
    return np.concatenate(parts)


def mixture_p_value(differences: Floats) -> float:
    """Chance that a test set of the null hypothesis differs as much as one of the alternative, ties counted.

    `differences` (n, 2): null hypothesis, alternative; signs are flipped where the alternative is below.
    """
    null, alternative = differences.T
    if np.median(null) > np.median(alternative):
        null, alternative = -null, -alternative
    below = np.searchsorted(np.sort(null), alternative, side="left")
    return float(1 - below.mean() / len(null))


def _pooled(a: Cloud, b: Cloud) -> Cloud:
    """The responses of both, those of each weighing one half; as if A and B gave one response together."""
    halves = [cloud.times / cloud.sizes[:, None] / 2 for cloud in (a, b)]
    return Cloud(vectors=np.concatenate([a.vectors, b.vectors], axis=1), times=np.concatenate(halves, axis=1))


def _differences(problem: Problem, a: Cloud, b: Cloud, rows: int, rng: Generator) -> Floats:
    """Differences of scores in test sets with a's and b's responses; as many for each item as A and B have."""
    item = rng.integers(problem.n_items, size=(rows, problem.n_items))
    means = [
        _redrawn(cloud, sizes, item, rng)
        for cloud, sizes in ((a, problem.a.sizes), (b, problem.b.sizes), (problem.people, problem.people.sizes))
    ]
    return problem.metric.score(problem.columns(*means)).difference


def _redrawn(
    cloud: Cloud, sizes: Floats, item: np.ndarray[tuple[int, ...], np.dtype[np.intp]], rng: Generator
) -> Floats:
    """Means of some responses drawn with replacement, of shape (rows, n_items, n_coordinates)."""
    chances = cloud.times / cloud.sizes[:, None]
    drawn = rng.multinomial(sizes.astype(np.int64)[item], chances[item])
    return np.asarray(np.einsum("rim,rimc->ric", drawn, cloud.vectors[item]) / sizes[item][..., None])


def bootstrap_differences(metric: Metric, columns: Columns, replicates: int, rng: Generator) -> Floats:
    """Differences of scores on as many items drawn with replacement, of shape (replicates,)."""
    parts = []
    for rows in _at_once(replicates, len(columns.a)):
        weights = draw_weights(len(columns.a), rows, rng, copies=columns.copies)
        parts.append(metric.score(columns, weights.astype(np.float64)).difference)
    return np.concatenate(parts)


def non_inferiority_p_value(gain: float, gains: Floats, margin: float) -> float:
    """Chance of so good a B if it were worse by the margin, from the bootstrap moved there; NaN without replicates.

    `gain`: how much better B is than A; negative where it is worse. `gains` (replicates,): the same in bootstrap
    samples. `margin`: how much worse it may be.
    """
    defined = gains[np.isfinite(gains)]
    if not defined.size or not np.isfinite(gain):
        return float("nan")
    reached = np.sum(defined - gain >= gain + margin)
    return float((1 + reached) / (1 + len(defined)))


ROUNDING = 1e-10  # differences that are closer count as equal, relative to the largest: the same sum in another order


def two_sided_p_value(
    difference: float, resampled: Floats, *, is_every: bool = False, is_symmetric: bool = False
) -> float:
    """Twice the chance of a difference at least as far out on the same side, at most 1; NaN if it is undefined.

    `difference`: observed. `resampled` (n,): under the null hypothesis. `is_every`: whether these are all that there
    are. Else the observed one counts as one of them, so that p is never 0. `is_symmetric`: whether differences are as
    likely as their opposites. Then both sides are counted, which is the same with less noise.
    """
    known = resampled[np.isfinite(resampled)]
    if not np.isfinite(difference) or not known.size:
        return float("nan")
    slack = ROUNDING * max(float(np.abs(known).max()), abs(difference))
    extra = 0 if is_every else 1
    if is_symmetric:
        return float((np.sum(np.abs(known) >= abs(difference) - slack) + extra) / (len(known) + extra))
    tails = np.array([np.sum(known >= difference - slack), np.sum(known <= difference + slack)])
    return float(min(1.0, 2 * (tails.min() + extra) / (len(known) + extra)))


RESAMPLES_PER_TASK = 1_000  # fixed, so that the streams of random numbers do not depend on the number of workers
TEST_SETS_PER_TASK = 50  # the same for the mixture test, which draws every response

Kind = Literal["sign-flip", "response-permutation", "mixture", "bootstrap"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """Some of the resamples of one pair: a task for an executor."""

    problem: Problem
    kind: Kind
    resamples: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Resampled:
    """What resampling found about one pair."""

    p_value: float  # of the test; NaN where a score is undefined
    differences: Floats  # (bootstrap,): differences of scores in bootstrap samples of the items


def parts_of(problem: Problem, kind: Kind, resamples: int) -> list[Part]:
    """The tasks for a number of resamples."""
    size = TEST_SETS_PER_TASK if kind == "mixture" else RESAMPLES_PER_TASK
    return [Part(problem=problem, kind=kind, resamples=rows) for rows in _at_once(resamples, 1, size)]


def drawn(part: Part, rng: Generator) -> Floats:
    """The differences of one task."""
    if part.kind == "mixture":
        return mixture_differences(part.problem, part.resamples, rng)
    if part.kind == "response-permutation":
        return permuted_differences(part.problem, part.resamples, rng)
    draw = bootstrap_differences if part.kind == "bootstrap" else flipped_differences
    return draw(part.problem.metric, part.problem.observed(), part.resamples, rng)


def resample(
    problems: Sequence[Problem], test: Test, *, resamples: int, bootstrap: int, rng: Generator, executor: Executor,
    noise: Sequence[RaterNoise] | None = None, progress: Progress | None = None,
) -> list[Resampled]:  # fmt: skip
    """P-value and bootstrap differences of each pair, for raters like these where their noise is given.

    A pair has the same numbers alone and among others: all pairs share the random numbers of the test, and those of the
    bootstrap.
    """
    test_stream, bootstrap_stream = rng.spawn(2)
    # Every difference that the test could draw, where there are few.
    every = [
        all_flipped_differences(problem.metric, problem.observed(), resamples) if test == "sign-flip" else None
        for problem in problems
    ]
    parts = [
        [] if known is not None else parts_of(problem, test, resamples)
        for problem, known in zip(problems, every, strict=True)
    ]
    tested = _run(parts, executor, rng=test_stream, progress=progress)
    samples = [parts_of(problem, "bootstrap", bootstrap) for problem in problems]
    moved = _run(samples, executor, rng=bootstrap_stream)
    added = [None] * len(problems) if noise is None else noise
    return [
        _resampled(problem, test, known, drawn, differences, more)
        for problem, known, drawn, differences, more in zip(problems, every, tested, moved, added, strict=True)
    ]


def _resampled(
    problem: Problem, test: Test, every: Floats | None, drawn: Floats, samples: Floats, noise: RaterNoise | None
) -> Resampled:
    """The p-value of a pair and its bootstrap differences, for raters like these where their noise is given."""
    null, is_every = (drawn, False) if every is None else (every, True)
    if noise is not None:
        null, is_every = _moved(null, noise.test, is_every=is_every)
        samples = np.clip(samples + noise.bootstrap, -problem.metric.widest, problem.metric.widest)
    return Resampled(p_value=_p_value(problem, test, null, is_every=is_every), differences=samples)


def _moved(null: Floats, noise: Floats, *, is_every: bool) -> tuple[Floats, bool]:
    """Differences of the null hypothesis, moved by the noise of raters, and whether they still are all that there are.

    Where they are, each of them meets the same number of draws, one at least.
    """
    if not is_every:
        return null + (noise if null.ndim == 1 else noise[:, None]), False
    if not noise.any():
        return null, True
    times = -(-len(noise) // len(null))
    return np.tile(null, times) + np.resize(noise, times * len(null)), False


def _run(
    parts: Sequence[Sequence[Part]], executor: Executor, *, rng: Generator, progress: Progress | None = None
) -> list[Floats]:
    """The results of each pair's tasks put together; every pair has the same streams."""
    streams = rng.spawn(max(map(len, parts), default=0))
    each = [deepcopy(stream) for own in parts for stream in streams[: len(own)]]
    results = run_tasks(executor, drawn, list(chain.from_iterable(parts)), streams=each, progress=progress)
    ends = np.cumsum([len(own) for own in parts])
    starts = ends - [len(own) for own in parts]
    return [np.concatenate(results[start:end] or [np.empty(0)]) for start, end in zip(starts, ends, strict=True)]


def _p_value(problem: Problem, test: Test, differences: Floats, *, is_every: bool) -> float:
    observed = float(problem.metric.score(problem.observed()).difference)
    if not np.isfinite(observed):
        return float("nan")
    if test == "mixture":
        # The authors' p, but not below what this number of test sets can show.
        known = differences[np.isfinite(differences).all(axis=1)]
        return max(mixture_p_value(known), 1 / (1 + len(known))) if len(known) else float("nan")
    return two_sided_p_value(observed, differences, is_every=is_every, is_symmetric=test == "sign-flip")


def on_items_of(pairs: Sequence[NamedPair], ratings: Ratings) -> Ratings:
    """The ratings of the items of these pairs."""
    is_used = np.zeros(ratings.n_items, dtype=np.bool_)
    for pair in pairs:
        is_used[pair.rows] = True
    return ratings if is_used.all() else ratings.where(is_used[ratings.item])


def noise_of(asked: Pairs, *, sizes: tuple[int, int], stream: Generator) -> list[RaterNoise]:
    """What raters add to the difference of each pair, for these numbers of resamples of the test and of the bootstrap.

    What a calibration learned is kept: to first order it does not matter who taught it.
    """
    ratings, people, pairs = asked.ratings, asked.people, asked.pairs
    used = on_items_of(pairs, ratings)
    pool = rater_pool(used, stream)
    items = np.flatnonzero(np.isin(ratings.items, used.items)) if used is not ratings else np.arange(ratings.n_items)
    labels = np.array([ratings.labels.index(label) for label in used.labels], dtype=np.intp)
    means = [(pair.problem.a.mean(), pair.problem.b.mean()) for pair in pairs]
    values = [
        [difference_without(pair.problem, *own, times[pair.rows]) for pair, own in zip(pairs, means, strict=True)]
        for times in _times(people, pool.cells(used.n_labels), items, labels, ratings.n_labels)
    ]
    spread = pool.spread(np.array(values))
    moves = [spread.moved(np.zeros((size, len(pairs))), rater_draws(size, pool.n_groups, stream)).T for size in sizes]
    # A reversed pair has the same numbers with the other sign.
    signs = [1 if pair.judge_a <= pair.judge_b else -1 for pair in pairs]
    return [RaterNoise(sign * test, sign * bootstrap) for sign, test, bootstrap in zip(signs, *moves, strict=True)]


def difference_without(problem: Problem, a: Floats, b: Floats, times: Floats) -> float:
    """Difference of the scores where raters gave their responses fewer times; NaN where none is left.

    Means of the judges are of shape (n_items, n_coordinates), times of shape (n_items, most).
    """
    left = np.flatnonzero(times.any(axis=1))
    if not len(left):
        return float("nan")
    vectors = problem.people.vectors[:, : times.shape[1]]
    times = times[:, : vectors.shape[1]]
    if len(left) < len(times):
        vectors, times, a, b = vectors[left], times[left], a[left], b[left]
    columns = problem.columns(a, b, Cloud(vectors=vectors, times=times).mean())
    return float(problem.metric.score(columns).difference)


def _times(
    people: Responses, cells: Iterator[CountCells], items: Codes, labels: Codes, n_labels: int
) -> Iterator[Floats]:
    """How often each response of raters was given without some of them, of the shape of `people.times`."""
    known = people.item * n_labels + people.place
    for own in cells:
        item = items[own.item]
        response = people.response[np.searchsorted(known, item * n_labels + labels[own.label])]
        times = np.zeros(people.times.shape)
        times[item, response] = own.times
        yield times
