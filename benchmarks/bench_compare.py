"""Sign-flip and response permutation, against scipy.stats.permutation_test and plain loops in the same run."""

import sys

import numpy as np
from scipy import stats

from dissensus.methods.compare.metrics import metric_of
from dissensus.methods.compare.resampling import flipped_differences, permuted_differences, two_sided_p_value
from populations import problem_of_values

from timing import best_seconds, report

ITEMS, RESPONSES, RESAMPLES = 1000, 5, 10_000
SOME_ITEMS = 20
LOOPS = 50
"""How many response permutations the plain loop does; its time is scaled up."""


def responses(rng):
    mu, sigma = rng.uniform(0, 1, ITEMS), rng.uniform(0, 0.3, ITEMS)
    centers = (mu, mu, np.clip(mu + rng.uniform(-0.1, 0.1, ITEMS), 0, 1))
    return [center[:, None] + sigma[:, None] * rng.standard_normal((ITEMS, RESPONSES)) for center in centers]


def mean_difference(x, y, axis):
    return np.mean(x - y, axis=axis)


def permuted_by_item(people, a, b, rng):
    """Response permutations as one would write them first: shuffle each item's responses, one test set at a time."""
    target = people.mean(axis=1)
    found = []
    for _ in range(LOOPS):
        pooled = rng.permuted(np.concatenate([a, b], axis=1), axis=1)
        first, second = pooled[:, :RESPONSES].mean(axis=1), pooled[:, RESPONSES:].mean(axis=1)
        found.append(np.mean(np.abs(first - target) - np.abs(second - target)))
    return found


def main():
    rng = np.random.default_rng(0)
    people, a, b = responses(rng)
    metric = metric_of("mae")
    problem = problem_of_values(people, a, b, metric)
    columns = problem.observed()
    observed = float(metric.score(columns).difference)

    def ours():
        return two_sided_p_value(observed, flipped_differences(metric, columns, RESAMPLES, rng), is_symmetric=True)

    def theirs():
        return stats.permutation_test(
            (columns.a, columns.b), mean_difference, permutation_type="samples", vectorized=True, batch=500,
            n_resamples=RESAMPLES, rng=rng,
        )  # fmt: skip

    kept = [
        report(
            f"sign-flip, {ITEMS:,} items, {RESAMPLES:,} resamples / scipy.stats.permutation_test",
            best_seconds(ours),
            best_seconds(theirs, times=2),
            limit=0.2,
        ),
        report(
            f"response permutation, {RESPONSES} + {RESPONSES} responses / a loop over rng.permuted",
            best_seconds(lambda: permuted_differences(problem, 1000, rng), times=3),
            best_seconds(lambda: permuted_by_item(people, a, b, rng), times=3) * 1000 / LOOPS,
            limit=1,
        ),
        report(
            "response permutation by item / scipy.stats.permutation_test, item by item",
            best_seconds(lambda: permuted_differences(problem, 1000, rng), times=3),
            best_seconds(lambda: item_by_item(a, b, people, rng), times=1) * ITEMS / SOME_ITEMS,
            limit=0.2,
        ),
    ]
    return 0 if all(kept) else 1


def item_by_item(a, b, people, rng):
    """scipy knows no pooling within items, so it is asked about each item alone; some items, scaled up."""
    for x, y, g in zip(a[:SOME_ITEMS], b[:SOME_ITEMS], people[:SOME_ITEMS], strict=True):
        center = g.mean()

        def difference(first, second, axis, center=center):
            return np.abs(first.mean(axis=axis) - center) - np.abs(second.mean(axis=axis) - center)

        stats.permutation_test((x, y), difference, vectorized=True, n_resamples=1000, rng=rng)


if __name__ == "__main__":
    sys.exit(main())
