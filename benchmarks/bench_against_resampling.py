"""Bootstrap intervals and the sign-flip test against scipy.stats.bootstrap and permutation_test."""

import sys

import numpy as np

from dissensus.data import types_of_matrix
from dissensus.methods.compare.metrics import metric_of
from dissensus.methods.compare.resampling import bootstrap_differences, flipped_differences, two_sided_p_value
from dissensus.methods.describe import nominal_alpha
from dissensus.sampling.draws import draw_types
from dissensus.sampling.intervals import percentile_interval
from environments import answers_of
from populations import drawn, problem_of_values

from timing import answer_and_seconds, report

ITEMS, RATERS, LABELS = 1000, 5, 3
SAMPLES, PERMUTATIONS, BATCH = 2000, 10_000, 100
EFFECT, NOISE = 0.02, 0.3
"""Of judge B's answers, so that the p-value is neither 0 nor 1."""
SPREAD = 5
"""Two Monte Carlo answers are the same if they are so many of their standard errors apart, or fewer."""


def main():
    rng = np.random.default_rng(0)
    ratings, _ = drawn(rng, items=ITEMS, raters=RATERS, labels=LABELS)
    people = rng.random((ITEMS, 1))
    a, b = (people + shift + NOISE * rng.standard_normal((ITEMS, 1)) for shift in (0, EFFECT))
    metric = metric_of("mae")
    columns = problem_of_values(people, a, b, metric).observed()
    counts = ratings.counts()
    problem = {
        "counts": counts.tolist(), "a": columns.a.tolist(), "b": columns.b.tolist(),
        "samples": SAMPLES, "permutations": PERMUTATIONS, "batch": BATCH,
    }  # fmt: skip
    theirs = answers_of("scipy", problem)
    if theirs is None:
        return 0
    kept = [
        interval("nominal alpha", lambda: alphas(counts), theirs, "alpha", limit=1 / 5),
        interval("mean difference", lambda: differences(metric, columns), theirs, "mean"),
        p_value(metric, columns, theirs),
    ]
    return 0 if all(kept) else 1


def alphas(counts):
    types = types_of_matrix(counts)
    return nominal_alpha(types, draw_types(types.items, SAMPLES, np.random.default_rng(0)))


def differences(metric, columns):
    return bootstrap_differences(metric, columns, SAMPLES, np.random.default_rng(0))


def interval(what, samples, theirs, name, *, limit=None):
    """The bounds of two bootstraps differ by chance: the standard error of a 2.5% quantile is about .06 deviations."""
    drawn_values, seconds = answer_and_seconds(samples)
    bounds = percentile_interval(drawn_values, 0.95)
    density = np.exp(-(1.96**2) / 2) / np.sqrt(2 * np.pi)
    standard_error = np.sqrt(2 * 0.025 * 0.975 / SAMPLES) / density * np.std(drawn_values)
    return report(
        f"{what}, {ITEMS:,} items, {SAMPLES:,} samples / scipy.stats.bootstrap",
        seconds, theirs["seconds"][name], limit=limit, against="scipy",
        difference=float(np.abs(np.subtract(bounds, theirs["answers"][name])).max()),
        tolerance=float(SPREAD * standard_error),
    )  # fmt: skip


def p_value(metric, columns, theirs):
    observed = float(metric.score(columns).difference)

    def ours():
        flipped = flipped_differences(metric, columns, PERMUTATIONS, np.random.default_rng(0))
        return two_sided_p_value(observed, flipped, is_symmetric=True)

    found, seconds = answer_and_seconds(ours)
    p = theirs["answers"]["p_value"]
    return report(
        f"sign-flip, {ITEMS:,} items, {PERMUTATIONS:,} permutations / scipy.stats.permutation_test",
        seconds, theirs["seconds"]["p_value"], limit=1 / 5, against="scipy",
        difference=abs(found - p), tolerance=SPREAD * float(np.sqrt(2 * p * (1 - p) / PERMUTATIONS)),
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
