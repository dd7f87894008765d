"""Ratings and judges from plain lists, for the tests of survey equivalence."""

import math

import numpy as np

from dissensus.data import Judges, Ratings
from dissensus.methods.equivalence import equivalence

LABELS = ("a", "b", "c")
NAN = math.nan


def names_of(n, prefix="item"):
    return tuple(f"{prefix}-{i:05}" for i in range(n))


def ratings_of(items, labels=LABELS, **more):
    """Ratings from a list of labels per item (codes); the j-th label of an item is that of rater j."""
    rows = [(i, j, label) for i, given in enumerate(items) for j, label in enumerate(given)]
    item, rater, label = (np.array(column, dtype=np.intp) for column in zip(*rows, strict=True))
    most = max(len(given) for given in items)
    return Ratings(
        item=item,
        rater=rater,
        label=label,
        items=names_of(len(items)),
        raters=names_of(most, "rater"),
        labels=labels,
        **more,
    )


def ratings_of_counts(counts, labels):
    """Ratings by nobody in particular, from a matrix of counts with a row per item and a column per label."""
    counts = np.asarray(counts)
    item, label = np.nonzero(counts)
    return Ratings(item=item, label=label, times=counts[item, label], items=names_of(len(counts)), labels=tuple(labels))


def judges_of(predictions, labels=LABELS):
    """Judges with probabilities, from {name: a row of probabilities per item}."""
    n = len(next(iter(predictions.values())))
    names = tuple(sorted(predictions))
    return Judges(
        item=np.tile(np.arange(n), len(names)),
        judge=np.repeat(np.arange(len(names)), n),
        sample=np.zeros(n * len(names), dtype=np.intp),
        label=np.full(n * len(names), -1),
        probability=np.concatenate([np.asarray(predictions[name], dtype=float) for name in names]),
        items=names_of(n),
        judges=names,
        labels=labels,
        options=labels,
    )


def hard_judges_of(answers, labels=LABELS):
    """Judges with one label per item, from {name: a code per item}."""
    n = len(next(iter(answers.values())))
    names = tuple(sorted(answers))
    return Judges(
        item=np.tile(np.arange(n), len(names)),
        judge=np.repeat(np.arange(len(names)), n),
        sample=np.zeros(n * len(names), dtype=np.intp),
        label=np.concatenate([np.asarray(answers[name], dtype=np.intp) for name in names]),
        items=names_of(n),
        judges=names,
        labels=labels,
        options=labels,
    )


def uniform_judge(n, labels=LABELS):
    """A judge that knows nothing."""
    return judges_of({"judge": np.full((n, len(labels)), 1 / len(labels))}, labels)


def ends_of(verdict, low, high, *, has_interval=True):
    """Ends of an interval as a judge's worth has them; one that is NaN lies off the curve on its side."""
    if not has_interval or verdict is None:
        return {"equivalence_low": NAN, "equivalence_high": NAN, "low_verdict": None, "high_verdict": None}
    off = ("below 0", "above K") if verdict == "within" else (verdict, verdict)
    places = ["within" if math.isfinite(end) else place for end, place in zip((low, high), off, strict=True)]
    return {"equivalence_low": low, "equivalence_high": high, "low_verdict": places[0], "high_verdict": places[1]}


def raw_equivalence(*data, **options):
    """`equivalence` of judges as they are, as in the paper."""
    return equivalence(*data, **({"calibrate": "none"} | options))
