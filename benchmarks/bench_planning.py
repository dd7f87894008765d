"""Planning items and raters, against plain numpy that draws every response of every test set."""

import itertools
import sys

import numpy as np

from dissensus.methods.plan_raters.designs import TestSets, simulated_designs
from dissensus.methods.plan_raters.plan_raters import plan_raters
from dissensus.methods.reproduce.how_many_raters import ITEMS, PERTURBATIONS, RESPONSES

from timing import best_seconds, report

SETS, N, K, EFFECT = 1000, 1000, 100, 0.02
PLAIN_SETS = 20
"""Plain numpy is timed on so many test sets and multiplied up: all of them take minutes."""


def drawn(rng):
    """One test set the plain way: G, A, B and the two mixtures, each of shape (N, K)."""
    mean, sigma = rng.random((N, 1)), rng.uniform(0, 0.3, (N, 1))
    other = np.clip(mean + rng.uniform(-EFFECT, EFFECT, (N, 1)), 0, 1)
    g, a = (rng.normal(mean, sigma, (N, K)) for _ in range(2))
    b = rng.normal(other, sigma, (N, K))
    mixed = [rng.normal(np.where(rng.random((N, K)) < 0.5, mean, other), sigma) for _ in range(2)]
    return g, a, b, *mixed


def plain_errors():
    rng = np.random.default_rng(0)
    for _ in range(PLAIN_SETS):
        g, *machines = (each.mean(axis=1) for each in drawn(rng))
        a, b, null_a, null_b = (np.abs(machine - g) for machine in machines)
        _ = (b - a).mean(), (null_b - null_a).mean(), (a < b).mean(), (null_a < null_b).mean()


def plain_distances():
    rng = np.random.default_rng(0)
    edges = np.linspace(0, 1, 6)

    def counts(values):
        inside = [((low <= values) & (values < high)).sum(axis=1) for low, high in itertools.pairwise(edges)]
        return np.sort(inside, axis=0)

    for _ in range(PLAIN_SETS):
        g, *machines = map(counts, drawn(rng))
        _ = [np.abs(machine - g).mean() for machine in machines]


def cell(metric):
    plan = TestSets(metric=metric, effect=EFFECT, spread=(0.0, 0.3), pairs=((K, K),), sets=SETS, items=N)
    return simulated_designs(plan, [N], alpha=0.05)


def all_closed():
    for metric in ("wins", "mae"):
        for effect in PERTURBATIONS:
            plan_raters(metric=metric, effect=effect, items=ITEMS, raters=RESPONSES)


def main():
    plain = best_seconds(plain_errors, times=2) * SETS / PLAIN_SETS
    plain_memd = best_seconds(plain_distances, times=1) * SETS / PLAIN_SETS
    means = best_seconds(lambda: cell("mae"), times=3)
    wins = best_seconds(lambda: cell("wins"), times=3)
    closed = best_seconds(all_closed, times=3)
    memd = best_seconds(lambda: cell("emd-binned"), times=2)
    # In seconds: a cell by means under .5, all 288 closed-form cells under 3, a cell of MEMD under 5. Drawing every
    # response of one 1000 x 100 cell takes plain numpy some 10 s, so the ratios leave room for slow machines.
    kept = [
        report("MAE, 1000 items x 100 raters, 1,000 test sets / plain numpy", means, plain, limit=1 / 15),
        report("wins, the same / plain numpy", wins, plain, limit=1 / 15),
        report("all 288 closed-form cells / one cell by plain numpy", closed, plain, limit=1 / 4),
        report("binned MEMD, 1000 x 100, 1,000 test sets / plain numpy", memd, plain_memd, limit=1 / 3),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
