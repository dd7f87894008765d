"""The bootstrap interval of alpha and of a mean difference, and the sign-flip p-value, by scipy.stats."""

import numpy as np
from answering import answer
from scipy import stats


def alpha(counts):
    """Krippendorff's nominal alpha of arrays of shape (..., n_items, n_labels), with numpy alone."""
    raters, totals = counts.sum(axis=-1), counts.sum(axis=-2)
    n = totals.sum(axis=-1)
    observed = ((counts * (counts - 1)).sum(axis=-1) / (raters - 1)).sum(axis=-1) / n
    by_chance = (totals * (totals - 1)).sum(axis=-1) / (n * (n - 1))
    return (observed - by_chance) / (1 - by_chance)


def mean_difference(x, y, axis):
    return np.mean(x - y, axis=axis)


def calls(problem):
    counts, a, b = (np.array(problem[name]) for name in ("counts", "a", "b"))
    options = {"n_resamples": problem["samples"], "method": "percentile", "batch": problem["batch"], "rng": 0}

    def interval(data, statistic):
        found = stats.bootstrap(data, statistic, vectorized=True, **options)
        return [float(found.confidence_interval.low), float(found.confidence_interval.high)]

    def p_value():
        test = stats.permutation_test(
            (a, b), mean_difference, permutation_type="samples", vectorized=True, batch=problem["batch"],
            n_resamples=problem["permutations"], rng=0,
        )  # fmt: skip
        return float(test.pvalue)

    return {
        "alpha": lambda: interval((np.arange(len(counts)),), lambda rows, axis: alpha(counts[rows])),  # noqa: ARG005
        "mean": lambda: interval((a - b,), np.mean),
        "p_value": p_value,
    }


if __name__ == "__main__":
    answer(calls, ["scipy", "numpy"])
