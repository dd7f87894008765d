"""Ranking nine judges by every definition with 500 bootstrap samples, against one pass of the libraries that have some.

The authors' own code takes 1.87 s to score real data once, without intervals; it is not installed here. Seconds are of
processor time: a pass over 8,000 items is long enough to meet other work on the machine.
"""

import sys
import time

import krippendorff
import numpy as np
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy
from sklearn.metrics import cohen_kappa_score, mean_squared_error
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from dissensus.methods.judges import judges as rank_judges
from populations import drawn

from timing import best_seconds, report

OPTIONS = ("Very toxic", "Toxic", "Not toxic")
JUDGES, SAMPLES, RATERS = 9, 10, 5


def libraries_once(people, judges):
    """Six of the definitions for each judge, once and without intervals."""
    hard = people.argmax(axis=1)
    for own in judges:
        label = own.argmax(axis=1)
        pair = np.stack([label, hard])
        cohen_kappa_score(label, hard)
        krippendorff.alpha(pair.astype(float), level_of_measurement="nominal")
        fleiss_kappa(aggregate_raters(pair.T, n_cat=len(OPTIONS))[0])
        (jensenshannon(own, people, axis=1) ** 2).mean()
        entropy(people, np.maximum(own, 1e-10), axis=1).mean()
        mean_squared_error(people, own)


def vectors(ratings, judges):
    """Shares of the options, of people and of each judge."""
    counts = ratings.counts()
    _, _, probability = judges.distributions()
    return counts / counts.sum(axis=1, keepdims=True), probability.reshape(JUDGES, -1, len(OPTIONS))


def main():
    sizes = {"raters": RATERS, "labels": OPTIONS, "judges": JUDGES, "samples": SAMPLES}
    data = {n: drawn(np.random.default_rng(0), items=n, **sizes) for n in (200, 400, 4000, 8000)}
    seconds = {
        n: best_seconds(lambda own=own: rank_judges(*own, positive="Toxic"), clock=time.process_time)
        for n, own in data.items()
    }
    for n, taken in seconds.items():
        print(f"rank {JUDGES} judges x {SAMPLES} samples x {n:,} items, 500 samples: {n / taken:,.0f} items per second")
    people, judges = vectors(*data[200])
    kept = [
        report(
            "all definitions and decisions with 500-sample intervals / one second",
            seconds[200],
            1.0,
            limit=0.5,
        ),
        report(
            "  the same / six definitions by the libraries, once, no interval",
            seconds[200],
            best_seconds(lambda: libraries_once(people, judges), clock=time.process_time),
        ),
        report("400 items / 200 items", seconds[400], seconds[200], limit=2),
        report("8,000 items / 4,000 items", seconds[8000], seconds[4000], limit=2),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
