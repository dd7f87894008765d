"""After the decision: `route` beside the curve that it starts from, and a long history beside a bare import.

Routing 23,178 items must cost at most twice `equivalence`. A history of 1,000 runs must open within a second of a
machine that imports numpy and duckdb in .147 s; a slower machine takes longer for both.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bench_real import UNIT, unit
from dissensus import equivalence, history, read, read_judges, route
from dissensus.data.history import NewRun, RunJudge, record

from timing import best_seconds, report

ITEMS, RATERS = 23_178, 10
RUNS, ITEMS_OF_A_RUN = 1_000, 300
MOST, SECONDS = 2.0, 1.0


def population(rng):
    """Items that people call an attack with a chance of their own, and a judge that knows something about it."""
    chance = rng.beta(0.4, 1.6, size=ITEMS)
    yes = rng.random((ITEMS, RATERS)) < chance[:, None]
    items = [f"i{i}" for i in range(ITEMS)]
    people = {f"r{k}": np.where(yes[:, k], "yes", "no") for k in range(RATERS)}
    told = np.clip(chance + rng.normal(0, 0.15, ITEMS), 0.01, 0.99)
    answers = [
        {"item": item, "judge": "j", "p_no": 1 - own, "p_yes": own}
        for item, own in zip(items, told.tolist(), strict=True)
    ]
    ratings = read([
        {"item": item, "rater": rater, "label": label}
        for rater, labels in people.items() for item, label in zip(items, labels.tolist(), strict=True)
    ])  # fmt: skip
    return ratings, read_judges(answers)


def run(rng, number, counts, bits):
    """A run in which half of the items are those of every run, with scores that differ a little each time."""
    scores = bits + 0.05 * rng.normal(size=len(bits))
    judge = RunJudge(judge="j", worth=1.5, worth_low=1.0, worth_high=2.0, worth_verdict="within",
                     bits=float(scores.mean()), bits_low=0.0, bits_high=1.0)  # fmt: skip
    return NewRun(
        version="0", command="decide", question=None, by=None, value=None, data={}, settings={}, result={},
        verdict="pass", labels=("no", "yes"), counts=counts,
        items=tuple(f"i{i}" if i % 2 else f"i{i} of {number}" for i in range(len(bits))),
        judges=(judge,), outputs={"j": rng.dirichlet([1, 1], len(bits))}, bits={"j": scores},
    )  # fmt: skip


def main():
    """Time both, and say how they stand."""
    rng = np.random.default_rng(0)
    ratings, judges = population(rng)
    curve = best_seconds(lambda: equivalence(ratings, judges), times=2, clock=time.process_time)
    routed = best_seconds(lambda: route(ratings, judges, judge="j"), times=2, clock=time.process_time)
    kept = [report(f"route {ITEMS:,} items / equivalence", routed, curve, limit=MOST)]
    counts, bits = rng.multinomial(4, [0.5, 0.5], size=ITEMS_OF_A_RUN), rng.gamma(1, 0.3, ITEMS_OF_A_RUN)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.duckdb"
        record(path, [run(rng, number, counts, bits) for number in range(RUNS)], recorded_at="2026-01-01 00:00:00")
        seconds = best_seconds(lambda: history(path), times=2, clock=time.process_time)
    kept.append(report(f"history of {RUNS:,} runs / a bare import", seconds, unit(), limit=SECONDS / UNIT))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
