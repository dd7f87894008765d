"""Coefficients of agreement against the krippendorff package and irrCAC: the same numbers, and how fast."""

import sys

import numpy as np

from dissensus.data import types_of_matrix
from dissensus.methods.describe import nominal_alpha
from dissensus.methods.describe.coefficients import fleiss_kappa, gwet_ac1, interval_alpha, ordinal_alpha
from dissensus.sampling.draws import draw_types
from environments import answers_of
from populations import drawn

from timing import answer_and_seconds, report

ITEMS, RATERS, LABELS = 2000, 8, 4
LOOPS, SAMPLES = 20, 500
"""The packages have no intervals: alpha of so many resamplings is timed and multiplied up to all samples."""
SAME = 1e-9


def main():
    ratings, _ = drawn(np.random.default_rng(0), items=ITEMS, raters=RATERS, labels=LABELS)
    counts = ratings.counts()
    kept = [*against_krippendorff(counts), *against_irrcac(ratings, counts)]
    return 0 if all(kept) else 1


def against_krippendorff(counts):
    """Alpha of ready-made counts, and its interval, which has to be resampled by hand there."""
    values = np.arange(1.0, LABELS + 1)
    rows = np.random.default_rng(1).integers(ITEMS, size=(LOOPS, ITEMS))
    problem = {"counts": counts.tolist(), "values": values.tolist(), "resamples": rows.tolist()}
    theirs = answers_of("krippendorff", problem)
    if theirs is None:
        return []
    measures = {
        "nominal": nominal_alpha,
        "ordinal": ordinal_alpha,
        "interval": lambda types: interval_alpha(types, values),
    }
    kept = [
        compared(f"{level} alpha from counts, {ITEMS:,} items x {RATERS} raters", measure, counts, theirs, level)
        for level, measure in measures.items()
    ]
    return [*kept, resampled(counts, rows, theirs)]


def resampled(counts, rows, theirs):
    """Ours weighs the kinds of items, which were counted once; on the same resamplings the alphas are the same."""
    types = types_of_matrix(counts)
    again = [float(nominal_alpha(types_of_matrix(counts[own]))[0]) for own in rows]

    def samples():
        counted = types_of_matrix(counts)
        return nominal_alpha(counted, draw_types(counted.items, SAMPLES, np.random.default_rng(0)))

    _, seconds = answer_and_seconds(samples)
    return report(
        f"alpha of {SAMPLES} bootstrap samples, {types.n_types:,} kinds of items / one by one",
        seconds, theirs["seconds"]["resampled"] * SAMPLES / LOOPS, limit=1 / 5, against="krippendorff",
        difference=float(np.abs(np.subtract(again, theirs["answers"]["resampled"])).max()), tolerance=SAME,
    )  # fmt: skip


def against_irrcac(ratings, counts):
    """The three coefficients that we share."""
    table = (ratings.label.reshape(ITEMS, RATERS) + 1).tolist()
    theirs = answers_of("irrCAC", {"ratings": table, "values": list(range(1, LABELS + 1)), "times": 2})
    if theirs is None:
        return []
    measures = {"gwet_ac1": gwet_ac1, "fleiss_kappa": fleiss_kappa, "krippendorff_alpha": nominal_alpha}
    names = {"gwet_ac1": "Gwet's AC1", "fleiss_kappa": "Fleiss' kappa", "krippendorff_alpha": "Krippendorff's alpha"}
    return [
        compared(f"{names[name]}, {ITEMS:,} items x {RATERS} raters", measure, counts, theirs, name, package="irrCAC")
        for name, measure in measures.items()
    ]


def compared(what, measure, counts, theirs, name, *, package="krippendorff"):
    """Ours counts the kinds of items too, as a first call does."""
    value, seconds = answer_and_seconds(lambda: float(measure(types_of_matrix(counts))[0]), times=20)
    return report(
        f"{what} / {package}",
        seconds, theirs["seconds"][name], against=package, difference=abs(value - theirs["answers"][name]),
        tolerance=SAME,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
