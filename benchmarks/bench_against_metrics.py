"""Scores of judges against scikit-learn, and a corrected share against ppi-python: the same numbers, and how fast."""

import sys

import numpy as np

from dissensus.data import Judges
from dissensus.methods.equivalence import equivalence
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.prevalence.estimators import Sample, estimates_of
from dissensus.methods.prevalence.result import PrevalenceOptions
from environments import answers_of
from populations import drawn

from timing import answer_and_seconds, report

ITEMS, RATERS, LABELS, JUDGES = 1000, 5, ("no", "yes"), 4
"""An odd number of raters and two labels, so that no majority is tied."""
LOOPS, SAMPLES = 10, 500
"""scikit-learn has no intervals: so many resamplings are timed and multiplied up to all samples."""
SAME = 1e-9
UNCLIPPED = 1e-12
RATED, UNRATED, CONFIDENCE = 500, 20_000, 0.9


def main():
    rng = np.random.default_rng(0)
    kept = [*against_sklearn(rng), *against_ppi(rng)]
    return 0 if all(kept) else 1


def against_sklearn(rng):
    ratings, judges = drawn(rng, items=ITEMS, raters=RATERS, labels=LABELS, judges=JUDGES)
    given = ratings.label.reshape(ITEMS, RATERS)
    probability = np.clip(given.mean(axis=1) + 0.2 * rng.standard_normal(ITEMS), 0.05, 0.95)
    problem = {
        "people": (given.mean(axis=1) > 0.5).astype(int).tolist(), "said": judges.label.reshape(JUDGES, ITEMS).tolist(),
        "given": given.tolist(), "probability": probability.tolist(),
        "resamples": rng.integers(ITEMS, size=(LOOPS, ITEMS)).tolist(), "times": 2,
    }  # fmt: skip
    theirs = answers_of("scikit-learn", problem)
    if theirs is None:
        return []
    return [of_labels(ratings, judges, theirs), of_probabilities(ratings, probability, theirs)]


def of_labels(ratings, judges, theirs):
    """Ours has all other definitions too."""
    result, seconds = answer_and_seconds(lambda: rank_judges(ratings, judges, positive="yes", bootstrap=SAMPLES))
    values = {each.definition: each.values for each in result.definitions if each.id in {"hit_rate", "cohen_kappa"}}
    ours = [[values[name][j].value for name in ("hit_rate", "cohen_kappa")] for j in range(JUDGES)]
    return report(
        f"all definitions, {JUDGES} judges, {SAMPLES} samples / accuracy_score, cohen_kappa_score",
        seconds, theirs["seconds"]["labels_resampled"] * SAMPLES / LOOPS, limit=1, against="scikit-learn",
        difference=float(np.abs(np.subtract(ours, theirs["answers"]["labels"])).max()), tolerance=SAME,
    )  # fmt: skip


def of_probabilities(ratings, probability, theirs):
    """Ours has the power curve of the surveys too."""
    every = np.arange(ITEMS)
    judges = Judges(
        item=every, judge=np.zeros_like(every), sample=np.zeros_like(every), label=np.full(ITEMS, -1),
        probability=np.stack([1 - probability, probability], axis=1), items=ratings.items, judges=("judge",),
        labels=LABELS, options=LABELS,
    )  # fmt: skip

    def scores(bootstrap):
        return [
            equivalence(ratings, judges, score=score, positive="yes", clip=UNCLIPPED, bootstrap=bootstrap)
            for score in ("auc", "cross-entropy", "brier")
        ]

    results, seconds = answer_and_seconds(lambda: scores(SAMPLES), times=2)
    auc, bits, brier = (result.judges[0].score for result in results)
    # Ours are higher if better, in bits, and Brier's is the sum over both labels.
    ours = auc, -bits * np.log(2), -brier / 2
    return report(
        f"AUC, log loss and Brier with curves, {SAMPLES} samples / roc_auc_score, log_loss, ...",
        seconds, theirs["seconds"]["probabilities_resampled"] * SAMPLES / LOOPS, limit=1, against="scikit-learn",
        difference=float(np.abs(np.subtract(ours, theirs["answers"]["probabilities"])).max()), tolerance=SAME,
    )  # fmt: skip


def against_ppi(rng):
    chance = rng.beta(1, 2, RATED + UNRATED)
    people = rng.binomial(4, chance[:RATED]) / 4
    judge = np.clip(chance + 0.2 * rng.standard_normal(len(chance)), 0, 1)
    problem = {
        "people": people.tolist(), "judge": judge[:RATED].tolist(), "judge_only": judge[RATED:].tolist(),
        "alpha": 1 - CONFIDENCE,
    }  # fmt: skip
    theirs = answers_of("ppi-python", problem)
    if theirs is None:
        return []
    sample = Sample(people=people, judge=judge[:RATED], judge_only=judge[RATED:])
    options = PrevalenceOptions(positive=("yes",), half=(), interval="normal", confidence=CONFIDENCE)
    found, seconds = answer_and_seconds(lambda: estimates_of(sample, options).estimates, times=20)
    own = {each.method: (each.value, each.low, each.high) for each in found}
    apart = [np.abs(np.subtract(own[name], answer)).max() for name, answer in theirs["answers"].items()]
    what = f"corrected shares, five methods, {RATED} of {RATED + UNRATED:,} items / three by ppi-python"
    return [
        report(
            what, seconds, sum(theirs["seconds"].values()), against="ppi-python", difference=float(max(apart)),
            tolerance=SAME,
        )
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
