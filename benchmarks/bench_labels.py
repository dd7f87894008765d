"""Chances that the better of two classifiers wins, against repeated-squaring convolution in numpy."""

import sys

import numpy as np

from dissensus import label_error
from dissensus.methods.plan_labels.votes import independent_steps
from dissensus.methods.plan_labels.walk import log_chances

from timing import best_seconds, report

SETS = 10_000
CONVOLVED = {11: 2000, 101: 1000, 1001: 100}
"""Convolution is timed on so many parameter sets, and multiplied up to all of them."""

AT_MOST = {11: 1 / 10, 101: 1 / 15, 1001: 1 / 200}
"""At n = 1,001 ours took 1/590 on one machine and 1/250 to 1/290 on another, where convolution was twice as fast."""


def parameter_sets():
    """Accuracies, margins and label accuracies all over Proposition 1."""
    rng = np.random.default_rng(0)
    accuracy, label_accuracy = rng.uniform(0.5, 0.95, SETS), rng.uniform(0.5, 1, SETS)
    return independent_steps(accuracy, rng.random(SETS) * (1 - accuracy), label_accuracy)


def convolved(step, n):
    """Law of the sum of n steps, each of -1, 0 or 1 with the chances in `step`."""
    if n == 1:
        return step
    half = convolved(step, n // 2)
    law = np.convolve(half, half)
    return np.convolve(law, step) if n % 2 else law


def error_by_convolution(x, y, n):
    return convolved(np.array([y, 1 - x - y, x]), n)[: n + 1].sum()


def best_of_both(ours, theirs, *, rounds):
    """The shortest run of each, taken in turns, so that both see the same busy and quiet moments."""
    pairs = [(best_seconds(ours, times=3), best_seconds(theirs, times=1)) for _ in range(rounds)]
    return [min(seconds) for seconds in zip(*pairs, strict=True)]


def main():
    # After a large array the C library keeps freed memory, as in any process that has read a file: without one, a third
    # of the time at n = 1,001 goes into fetching pages for arrays of 80 KB.
    np.ones(2**20)
    steps = parameter_sets()

    def errors(n):
        return np.exp(log_chances(steps.x, steps.y, n).lose_or_tie)

    kept = []
    for n, sets in CONVOLVED.items():
        few = list(zip(steps.x[:sets].tolist(), steps.y[:sets].tolist(), strict=True))
        ours, theirs = best_of_both(
            lambda n=n: errors(n), lambda n=n, few=few: [error_by_convolution(x, y, n) for x, y in few], rounds=8
        )
        what = f"errors of {SETS:,} parameter sets at n = {n:,} / convolution"
        kept.append(report(what, ours, theirs * SETS / sets, limit=AT_MOST[n]))
    large, small = best_of_both(lambda: errors(10**9), lambda: errors(10**4), rounds=12)
    kept.append(report(f"errors of {SETS:,} parameter sets at n = 1e9 / at n = 1e4", large, small, limit=2))
    kept.append(against_a_loop())
    return 0 if all(kept) else 1


def against_a_loop():
    """A design of `label_error` among many, against one at a time: a million a second on a machine of our goals."""
    rng = np.random.default_rng(0)
    accuracy, margin, label_accuracy = rng.uniform(0.5, 0.9, SETS), rng.uniform(0, 0.1, SETS), rng.uniform(0.6, 1, SETS)
    items = rng.integers(10, 2000, SETS)
    few = list(zip(items.tolist(), accuracy.tolist(), margin.tolist(), label_accuracy.tolist(), strict=True))[:50]
    ours, theirs = best_of_both(
        lambda: label_error(items, accuracy, margin, label_accuracy),
        lambda: [label_error(*one) for one in few],
        rounds=5,
    )
    what = f"label_error of {SETS:,} designs at once / one at a time"
    return report(what, ours, theirs * SETS / len(few), limit=1 / 50)


if __name__ == "__main__":
    sys.exit(main())
