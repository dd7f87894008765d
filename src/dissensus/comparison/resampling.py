"""All that is drawn at random for one pair, cut into tasks of fixed size."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np
from numpy.random import Generator

from dissensus.comparison.bootstrap import bootstrap_differences
from dissensus.comparison.metrics.distances import Floats
from dissensus.comparison.mixture import mixture_differences, mixture_p_value
from dissensus.comparison.p_values import two_sided_p_value
from dissensus.comparison.problem import Problem
from dissensus.comparison.question import Test
from dissensus.comparison.response_permutation import permuted_differences
from dissensus.comparison.sign_flip import all_flipped_differences, flipped_differences
from dissensus.engine import Progress, run_tasks

RESAMPLES_PER_TASK = 1_000
"""Fixed, so that the streams of random numbers do not depend on the number of workers."""
TEST_SETS_PER_TASK = 50
"""The same for the mixture test, which draws every response."""

Kind = Literal["sign-flip", "response-permutation", "mixture", "bootstrap"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """Some of the resamples of one pair: a task for an executor."""

    problem: Problem
    kind: Kind
    resamples: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Resampled:
    """What resampling found about one pair.

    Attributes
    ----------
    p_value : float
        Of the test; NaN where a score is undefined.
    differences : ndarray of shape (bootstrap,)
        Differences of scores in bootstrap samples of the items.
    """

    p_value: float
    differences: Floats


def parts_of(problem: Problem, kind: Kind, resamples: int) -> list[Part]:
    """The tasks for so many resamples."""
    size = TEST_SETS_PER_TASK if kind == "mixture" else RESAMPLES_PER_TASK
    sizes = [min(size, resamples - done) for done in range(0, resamples, size)]
    return [Part(problem=problem, kind=kind, resamples=rows) for rows in sizes]


def drawn(part: Part, rng: Generator) -> Floats:
    """The differences of one task."""
    if part.kind == "mixture":
        return mixture_differences(part.problem, part.resamples, rng)
    if part.kind == "response-permutation":
        return permuted_differences(part.problem, part.resamples, rng)
    draw = bootstrap_differences if part.kind == "bootstrap" else flipped_differences
    return draw(part.problem.metric, part.problem.observed(), part.resamples, rng)


def resample(
    problems: Sequence[Problem],
    test: Test,
    *,
    resamples: int,
    bootstrap: int,
    rng: Generator,
    executor: Executor,
    progress: Progress | None = None,
) -> list[Resampled]:
    """P-value and bootstrap differences of each pair.

    A pair's numbers depend on its place among the pairs, not on what else is drawn: test and bootstrap have streams of
    their own.
    """
    test_stream, bootstrap_stream = rng.spawn(2)
    every = [_all_differences(problem, test, resamples) for problem in problems]
    parts = [
        [] if known is not None else parts_of(problem, test, resamples)
        for problem, known in zip(problems, every, strict=True)
    ]
    tested = _grouped(
        parts, run_tasks(executor, drawn, list(chain.from_iterable(parts)), rng=test_stream, progress=progress)
    )
    samples = [parts_of(problem, "bootstrap", bootstrap) for problem in problems]
    moved = _grouped(samples, run_tasks(executor, drawn, list(chain.from_iterable(samples)), rng=bootstrap_stream))
    found = []
    for problem, known, own, differences in zip(problems, every, tested, moved, strict=True):
        p_value = _p_value(problem, test, own if known is None else known, is_every=known is not None)
        found.append(Resampled(p_value=p_value, differences=differences))
    return found


def _all_differences(problem: Problem, test: Test, resamples: int) -> Floats | None:
    """Every difference that the test could draw, where there are few."""
    return all_flipped_differences(problem.metric, problem.observed(), resamples) if test == "sign-flip" else None


def _grouped(parts: Sequence[Sequence[Part]], results: Sequence[Floats]) -> list[Floats]:
    """The results of each pair's tasks put together."""
    ends = np.cumsum([len(own) for own in parts])
    starts = ends - [len(own) for own in parts]
    return [np.concatenate(results[start:end] or [np.empty(0)]) for start, end in zip(starts, ends, strict=True)]


def _p_value(problem: Problem, test: Test, differences: Floats, *, is_every: bool) -> float:
    observed = float(problem.metric.score(problem.observed()).difference)
    if not np.isfinite(observed):
        return float("nan")
    if test == "mixture":
        return _mixture_p_value(differences[np.isfinite(differences).all(axis=1)])
    return two_sided_p_value(observed, differences, is_every=is_every, is_symmetric=test == "sign-flip")


def _mixture_p_value(differences: Floats) -> float:
    """The authors' p, but not below what so many test sets can tell; NaN without any."""
    return max(mixture_p_value(differences), 1 / (1 + len(differences))) if len(differences) else float("nan")
