"""One 50-judge selection experiment, and F' of 500 bootstrap samples, against one loop over judges or samples."""

import sys
import time

import numpy as np

from bench_growth import LINEAR
from dissensus.methods.judges.reverse_matrix import reverse_by_items
from dissensus.methods.reproduce.judges_without_gold_findings import measures_of
from dissensus.simulation.indeterminate import UNDERSPECIFIED, selected_consistency
from dissensus.simulation.indeterminate_model import Indeterminacy, draw_population, response_sets

from timing import best_seconds, report

JUDGES = 50
MEASURES = measures_of(["hit_rate", "cohen_kappa", "kl_human_judge", "jsd", "mse_response_set"])


def experiment(items, *, judges=JUDGES, tasks=UNDERSPECIFIED):
    """Every underspecified task once: people, judges, one rating per item, the judge that each measure selects."""
    for (options, sets), stream in zip(tasks, np.random.default_rng(0).spawn(len(tasks)), strict=True):
        design = Indeterminacy(n_options=options, n_sets=sets, gamma=-1.0, judge_gamma=2.0)
        selected_consistency(design, MEASURES, items=items, judges=judges, rng=stream)


def one_judge_at_a_time(items):
    for _ in range(JUDGES):
        experiment(items, judges=1)


def paired_items(n_items, replicates):
    rng = np.random.default_rng(0)
    people = draw_population(Indeterminacy(), items=n_items, judges=0, rng=rng)
    weights = rng.multinomial(n_items, np.full(n_items, 1 / n_items), size=replicates).astype(float)
    return people.soft, people.observed, response_sets(3), weights


def main():
    seconds = best_seconds(lambda: experiment(100), clock=time.process_time)
    print(f"50 judges, 100 items, 10 tasks: {seconds * 1000:.0f} ms, {10 * 100 / seconds:,.0f} items per second")
    soft, sets, members, weights = paired_items(400, 500)
    kept = [
        report(
            "selection experiment: 200 items / 100 items",
            best_seconds(lambda: experiment(200), clock=time.process_time),
            seconds,
            limit=2**LINEAR,
        ),
        report(
            "selection experiment: 50 judges at once / one at a time",
            seconds,
            best_seconds(lambda: one_judge_at_a_time(100), times=2, clock=time.process_time),
            limit=1,
        ),
        report(
            "F' by items, 500 bootstrap samples of 400 items: at once / one at a time",
            best_seconds(lambda: reverse_by_items(soft, sets, members, weights)),
            best_seconds(lambda: [reverse_by_items(soft, sets, members, row) for row in weights], times=2),
            limit=1,
        ),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
