"""Calibrated information: how well judges' recalibrated answers predict a rater's label, item by item.

The score is that of `equivalence`, learned on the same folds: a judge that answered the same items has the same number.
"""

from copy import deepcopy
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.align import Aligned, answers_of, are_points_of_a_measure, other_scale
from dissensus.errors import joined, named
from dissensus.methods.compare.metrics import MetricName
from dissensus.methods.compare.result import CompareOptions
from dissensus.methods.equivalence.calibration import calibrated_predictions, draw_folds
from dissensus.methods.equivalence.options import MOST_LABELS
from dissensus.methods.equivalence.scores import label_scores
from dissensus.methods.equivalence.setup import share_out


def fold_stream(rng: int | Generator | None) -> Generator:
    """The random numbers of folds, for one seed those of `equivalence`."""
    return np.random.default_rng(rng).spawn(1)[0]


class Rows(NamedTuple):
    """Items, or those of an item's copies that come into one fold."""

    place: Codes  # (n_rows,): the item of each row
    fold: Codes  # (n_rows,)
    copies: Codes | Floats | None  # (n_rows,): how many items of the data each row stands for; one if None


def rows_in_folds(n_items: int, copies: Codes | None, stream: Generator) -> Rows:
    """A row for each item with its fold; the same for the same stream, which is left as it was."""
    own = deepcopy(stream)
    if copies is None:
        return Rows(np.arange(n_items), draw_folds(n_items, own), None)
    table = share_out(copies, own)
    place, fold = np.nonzero(table)
    return Rows(place, fold, table[place, fold])


def scores_of_labels(outputs: Floats, shares: Floats, rows: Rows, *, clip: float) -> Floats:
    """What each label would score after each answer, in bits, of shape (n_rows, n_labels).

    The mean of two scores, learned from all items and from other folds: the first gains by learning what the second
    loses. Outputs and shares of raters are of the same shape.
    """
    made = calibrated_predictions("auto", outputs, shares, fold=rows.fold, copies=rows.copies)
    score = label_scores("cross-entropy", clip=clip)
    return np.asarray((score(made.inside) + score(made.outside)) / 2)


class Outputs(NamedTuple):
    """What judges answered, as shares of labels, and how raters did."""

    judges: dict[str, Floats]  # each of shape (n_items, n_labels); NaN in items that it did not answer
    shares: Floats  # (n_items, n_labels)


def outputs_of(ratings: Ratings, judges: Judges) -> Outputs:
    """The answers of judges and the shares of raters on all rated items, on common labels."""
    everybody, labels, _ = answers_of(judges, ratings)
    counts = ratings.counts()
    shares = np.zeros((ratings.n_items, len(labels)))
    shares[:, : ratings.n_labels] = counts / counts.sum(axis=1, keepdims=True)
    return Outputs({answers.judge: answers.predictions for answers in everybody}, shares)


# ---- The metric, where it was left to us


def with_metric(
    options: CompareOptions, ratings: Ratings, judges: Judges, aligned: Aligned
) -> tuple[CompareOptions, list[str]]:
    """The options with a metric that fits the data, and why where it is not information."""
    if options.metric is not None:
        return options, []
    name, reason = _fitting(options, ratings, judges, aligned)
    about = f"Compared by {name}, since {reason}; {named('metric')} chooses another." if reason else ""
    return replace(options, metric=name), [about] if about else []


def _fitting(options: CompareOptions, ratings: Ratings, judges: Judges, aligned: Aligned) -> tuple[MetricName, str]:
    """The metric, and why it is not information; empty where it is, or where the options say so."""
    if options.reverse:
        return "spearman", ""
    if away := _on_other_scales(options, judges, aligned):
        return "spearman", f"{joined(away)} {'is' if len(away) == 1 else 'are'} on another scale than raters"
    if options.test != "sign-flip":
        return "wins", f"{named('test')} {options.test} draws answers, and information takes all of an item as one"
    if aligned.has_numbers and are_points_of_a_measure(ratings, judges):
        return "mae", "the labels are measurements"
    if len(aligned.labels) > MOST_LABELS:
        too_many = f"{len(aligned.labels):,} labels are too many to calibrate"
        return ("mae" if aligned.has_numbers else "accuracy"), too_many
    return "information", ""


def _on_other_scales(options: CompareOptions, judges: Judges, aligned: Aligned) -> list[str]:
    """The judges whose numbers are not on the raters' scale, as the options say or as it looks."""
    if options.same_scale or not aligned.has_numbers:
        return []
    return [name for name in judges.judges if options.same_scale is False or other_scale(aligned, name) is not None]
