"""Reading and agreement on 700,586 ratings, against bare duckdb and the krippendorff package in the same run."""

import sys
import time
from pathlib import Path

import duckdb
import krippendorff
import numpy as np

from dissensus import describe, read
from dissensus.methods.describe import nominal_alpha
from dissensus.methods.describe.describe import replicate
from dissensus.sampling import open_executor

from timing import best_seconds, report

POLIS = Path(__file__).resolve().parents[2] / "shared" / "data" / "polis_votes" / "ratings.parquet"


def alpha_with_interval(ratings):
    ratings.__dict__.pop("_histogram", None)  # counting is part of the work
    with open_executor() as executor:
        samples = [(ratings.types, {"alpha": nominal_alpha})]
        values = replicate(samples, replicates=500, rng=0, executor=executor)[0]["alpha"]
    return nominal_alpha(ratings.types)[0], np.quantile(values, [0.025, 0.975])


def main():
    if not POLIS.exists():
        print("bench_describe: skipped, the folder with real ratings is not here")
        return 0
    ratings = read(POLIS)
    matrix = np.full((ratings.n_raters, ratings.n_items), np.nan)
    matrix[ratings.rater, ratings.item] = ratings.values[ratings.label]
    counts = ratings.counts()
    scan = f"SELECT item, rater, label FROM read_parquet('{POLIS}')"
    kept = [
        report(
            "alpha + 500-sample interval / one krippendorff.alpha of the ratings",
            best_seconds(lambda: alpha_with_interval(ratings)),
            best_seconds(lambda: krippendorff.alpha(matrix, level_of_measurement="nominal"), times=2),
            limit=3,
        ),
        report(
            "  the same / krippendorff.alpha of ready-made counts",
            best_seconds(lambda: alpha_with_interval(ratings)),
            best_seconds(lambda: krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")),
        ),
        report(
            "alpha alone, from counts / krippendorff.alpha of ready-made counts",
            best_seconds(lambda: nominal_alpha(ratings.types)),
            best_seconds(lambda: krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")),
        ),
        report(
            "describe, all coefficients with intervals / one krippendorff.alpha",
            best_seconds(lambda: describe(ratings), times=3),
            best_seconds(lambda: krippendorff.alpha(matrix, level_of_measurement="nominal"), times=2),
        ),
        report(
            "read polis_votes / bare duckdb scan into numpy",
            best_seconds(lambda: read(POLIS), clock=time.process_time),  # of all threads: duckdb uses every core
            best_seconds(lambda: duckdb.execute(scan).fetchnumpy(), clock=time.process_time),
            limit=2,
        ),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
