"""What simulated test sets say of designs: the paper's expected p, and the power of the sign-flip test."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dissensus.engine import Engine, Progress, open_executor, run_tasks
from dissensus.planning.raters.drawn_sets import TestSets, simulate
from dissensus.planning.raters.nodes import Floats
from dissensus.planning.raters.wasserstein import Singles

FLIPS = 999
"""Random flips of the signs; the same for all test sets, which keeps each test valid and is one product of matrices."""
RESPONSES_PER_TASK = 4_000_000
"""Fixed, so that the streams of random numbers do not depend on the number of workers."""
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
    plan: TestSets,
    sizes: Sequence[int],
    *,
    alpha: float,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> dict[tuple[int, int, int], Simulated]:
    """What test sets say, by number of items, raters and samples.

    Parameters
    ----------
    plan : TestSets
        What to simulate; its `items` is the largest size.
    sizes : sequence of int
        Numbers of items; smaller test sets are the first items of larger ones.
    alpha : float
        Level of the sign-flip test.
    """
    flip_stream, set_stream = np.random.default_rng(rng).spawn(2)
    with open_executor(engine, workers=workers) as executor:
        parts = run_tasks(executor, simulate, _tasks(plan), rng=set_stream, progress=progress)
    signs = flip_stream.integers(0, 2, size=(FLIPS, plan.items)).astype(np.float32) * 2 - 1
    found = {}
    for place, (raters, samples) in enumerate(plan.pairs):
        alt, null = (np.concatenate([part[place][side] for part in parts]) for side in (0, 1))
        for items in sizes:
            found[items, raters, samples] = Simulated(
                p_value=expected_p_of(*(each[:, :items].sum(axis=1, dtype=np.float64) for each in (null, alt))),
                power=float(np.mean(sign_flip_p(alt[:, :items], signs[:, :items]) <= alpha)),
                strength=_strength(alt[:, :items]),
            )
    return found


def _tasks(plan: TestSets) -> list[TestSets]:
    """The plan in parts small enough for memory."""
    widest = max(raters + 4 * samples for raters, samples in plan.pairs)
    per_item = {"emd": widest, "emd-binned": 30}.get(plan.metric, 8)
    sets = min(max(1, RESPONSES_PER_TASK // (per_item * plan.items)), plan.sets)
    sizes = [min(sets, plan.sets - done) for done in range(0, plan.sets, sets)]
    return [
        TestSets(
            metric=plan.metric,
            effect=plan.effect,
            spread=plan.spread,
            pairs=plan.pairs,
            sets=size,
            items=plan.items,
        )
        for size in sizes
    ]


def _strength(differences: Floats | Singles) -> float:
    spread = float(differences.std(dtype=np.float64))
    return abs(float(differences.mean(dtype=np.float64))) / max(spread, 1e-300)


def expected_p_of(null: Floats, alt: Floats) -> float:
    """Share of pairs in which the test set without a difference shows at least as much as the one with it.

    As in the paper's tool, the signs are turned so that the median with a difference is not the smaller one. Without a
    difference A and B are exchangeable, so each such test set counts with both signs, which halves its noise.

    Examples
    --------
    >>> expected_p_of(np.array([1.0, 3.0]), np.array([1.0, 2.0]))  # of -3, -1, 1, 3: two are at least 1, one at least 2
    0.375
    """
    null = np.concatenate([null, -null])
    alt = -alt if np.median(alt) < 0 else alt
    at_least = len(null) - np.searchsorted(np.sort(null), alt, side="left")
    return float(at_least.mean() / len(null))


def sign_flip_p(differences: Floats | Singles, signs: Singles) -> Floats:
    """Two-sided p of each test set: how often flipping the signs of its items gives at least as large a sum.

    Parameters
    ----------
    differences : ndarray of shape (n_sets, n_items)
        One row per test set.
    signs : ndarray of shape (n_flips, n_items)
        Of 1 and -1.
    """
    single = differences.astype(np.float32, copy=False)
    flipped = np.abs(signs @ single.T)
    observed = np.abs(single.sum(axis=1)) * (1 - SLACK)
    return np.asarray((1 + (flipped >= observed).sum(axis=0)) / (1 + len(signs)))
