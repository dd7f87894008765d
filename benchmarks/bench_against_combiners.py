"""Majority vote and Dawid-Skene by crowd-kit: how fast, and how well they predict a rater who was not asked.

Each is tried on its home ground too: items on which people really differ (survey equivalence's model), and items
with one true label and raters who err in ways of their own (Dawid and Skene's).
"""

import sys

import numpy as np

from dissensus.methods.equivalence.curve import frequencies
from environments import answers_of
from held_out import (
    abc_predictions,
    bits,
    counts_of,
    dawid_skene_predictions,
    disagreeing_people,
    erring_raters,
    mean_and_error,
)
from recording import record

from timing import answer_and_seconds, best_seconds, report

ITEMS, RATERS, LABELS = 4000, 10, 3
ROUNDS = 50
"""Of Dawid-Skene's algorithm, at most: it ends earlier where nothing changes any more."""
SAME = 1e-9
OURS = "ABC (ours): knows how many said what, not who"
POPULATIONS = {"people really differ": disagreeing_people, "raters err, each in their own way": erring_raters}


def main():
    kept = []
    for number, (name, population) in enumerate(POPULATIONS.items()):
        data = population(np.random.default_rng(number), items=ITEMS, raters=RATERS, labels=LABELS)
        theirs = answers_of("crowd-kit", problem_of(data))
        if theirs is None:
            return 0
        kept += [] if kept else timed(data, theirs)
        show_quality(predictions_of(data, theirs["answers"]), data, name)
    return 0 if all(kept) else 1


def problem_of(data):
    task, worker = np.nonzero(data.seen)
    return {
        "task": task.tolist(), "worker": worker.tolist(), "label": data.given[data.seen].tolist(), "times": 2,
        "tasks": ITEMS, "workers": RATERS, "labels": LABELS, "rounds": ROUNDS,
    }  # fmt: skip


def timed(data, theirs):
    """Seconds of ours and theirs, on one population: the other takes as long."""
    every, alike = np.arange(ITEMS), np.full(LABELS, 1 / LABELS)
    shares, share_seconds = answer_and_seconds(lambda: frequencies(counts_of(data, data.seen, every), alike))
    return [
        report(
            f"shares of votes, {ITEMS:,} items x {RATERS} raters / MajorityVote",
            share_seconds, theirs["seconds"]["majority"], against="crowd-kit",
            difference=float(np.abs(shares - np.array(theirs["answers"]["majority"])).max()), tolerance=SAME,
        ),
        report(
            f"ABC learned and applied, {ITEMS:,} items x {RATERS} raters / DawidSkene",
            best_seconds(lambda: abc_predictions(data)), theirs["seconds"]["dawid_skene"], limit=1, against="crowd-kit",
        ),
    ]  # fmt: skip


def predictions_of(data, theirs):
    """What each predicts for the hidden raters; the last one nobody can exceed on average."""
    tested = data.tested[0]
    votes, fitted = np.array(theirs["majority"]), theirs["dawid_skene"]
    posterior, errors = np.array(fitted["posterior"]), np.array(fitted["errors"])
    return {
        "nobody asked: all labels equally likely": np.full((len(tested), LABELS), 1 / LABELS),
        "majority vote (crowd-kit): the shares of the votes": votes[tested],
        "Dawid-Skene (crowd-kit): its posterior of the true label": posterior[tested],
        "Dawid-Skene (crowd-kit), through the errors of that very rater": dawid_skene_predictions(
            data, posterior, errors
        ),
        OURS: abc_predictions(data),
        "the truth": data.chance[data.tested],
    }


def show_quality(predictions, data, name):
    """Bits of each prediction, and of how many it falls behind ours, item by item."""
    print(f"Where {name}:")
    ours = bits(data, predictions[OURS])
    for what, predicted in predictions.items():
        score, _ = mean_and_error(bits(data, predicted))
        less, error = mean_and_error(bits(data, predicted) - ours)
        print(f"  {what:<70} {score:7.3f} bits, {less:+.3f} +- {error:.3f} against ours")
        record("quality", population=name, what=what, bits=score, against_ours=less, standard_error=error)


if __name__ == "__main__":
    sys.exit(main())
