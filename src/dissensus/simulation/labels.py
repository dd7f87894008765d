"""Draw noisy labels of people and the predictions of two classifiers about items whose class is known."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.errors import OptionError
from dissensus.results import Result
from dissensus.simulation.labels_truth import ONLY_BETTER, ONLY_WORSE, LabelNoise, LabelsTruth, TwoClassifiers
from dissensus.simulation.panels import Panel, assign_raters, draw_categories, numbered

JUDGES = ("better", "worse")


class SimulatedLabels(NamedTuple):
    """What was drawn, and from what."""

    ratings: Ratings
    judges: Judges
    truth: LabelsTruth


@dataclass(frozen=True, kw_only=True)
class SimulateLabelsResult(Result):
    """What was simulated: the truth behind the data that were written."""

    command: ClassVar[str] = "simulate"

    truth: LabelsTruth

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return self.truth.as_dict()

    def rows(self) -> list[dict[str, object]]:
        """One row per item."""
        return self.truth.rows()


def simulate_labels(
    classifiers: TwoClassifiers | None = None,
    noise: LabelNoise | None = None,
    *,
    items: int = 200,
    raters: int | tuple[int, int] = 5,
    pool: int | None = None,
    unlabelled: int = 0,
    prevalence: float | None = None,
    rng: int | Generator | None = None,
) -> SimulatedLabels:
    """Labels of people and predictions of a better and a worse classifier, with the truth behind them.

    Parameters
    ----------
    classifiers : TwoClassifiers, optional
        How often each is right; if not given the paper's, of accuracies .75 and .85, independent of each other.
    noise : LabelNoise, optional
        How often labels are right; if not given three in four, on every item alike.
    items : int
        How many items are labelled.
    raters : int or (int, int)
        Labels per item: a number, or a range from which each item's number is drawn.
    pool : int, optional
        How many raters there are, if more than the labels of an item.
    unlabelled : int
        How many further items only the classifiers see.
    prevalence : float, optional
        Share of the items in the first class; the other classes are equally frequent, and so are all without it.
    rng : int or Generator, optional
        Seed.

    Returns
    -------
    SimulatedLabels
        `ratings`, `judges` and `truth`.

    References
    ----------
    "Don't Label Twice", section 2.

    Examples
    --------
    >>> ratings, judges, truth = simulate_labels(items=20, raters=3, unlabelled=10, rng=0)
    >>> ratings.n_ratings, judges.n_answers, truth.chances.margin
    (60, 60, 0.1)
    """
    if items < 1 or unlabelled < 0:
        raise OptionError(f"{items} items and {unlabelled} unlabelled ones: give at least 1 and at least 0.")
    both = classifiers or TwoClassifiers.independent(accuracy=0.75, margin=0.1)
    labels = noise or LabelNoise()
    panel = Panel(per_item=raters, pool=pool)
    stream = np.random.default_rng(rng)
    total = items + unlabelled
    names, classes = numbered("item", total), numbered("class", labels.classes)
    place = stream.random((3, total))
    truth = draw_categories(place[0], np.tile(_prevalences(prevalence, labels.classes), (total, 1)))
    who = draw_categories(place[1], np.tile(both.shares(), (total, 1)))
    accuracy = labels.draw(place[2], who)
    item, rater = assign_raters(stream, panel, items=items)
    given = _said(truth[item], accuracy[item], labels.classes, stream.random((2, len(item))))
    return SimulatedLabels(
        ratings=_ratings(item, rater, given, names=names, panel=panel, classes=classes),
        judges=_judges(truth, who, stream.random((2, total)), names=names, classes=classes),
        truth=LabelsTruth(
            classifiers=both,
            noise=labels,
            items=names,
            classes=classes,
            truth=truth,
            who=who,
            label_accuracy=accuracy,
            labelled=items,
        ),
    )


def _prevalences(first: float | None, classes: int) -> Floats:
    if first is None:
        return np.full(classes, 1 / classes)
    if not 0 < first < 1:
        raise OptionError(f"--prevalence is {first:g}: it must lie between 0 and 1.")
    return np.array([first, *[(1 - first) / (classes - 1)] * (classes - 1)])


def _said(truth: Codes, right: Floats, classes: int, uniform: Floats) -> Codes:
    """The true class with these chances, otherwise any of the others."""
    step = 1 + np.floor(uniform[1] * (classes - 1)).astype(np.intp)
    return np.asarray(np.where(uniform[0] < right, truth, (truth + step) % classes), dtype=np.intp)


def _ratings(
    item: Codes, rater: Codes, given: Codes, *, names: tuple[str, ...], panel: Panel, classes: tuple[str, ...]
) -> Ratings:
    rated = np.unique(item)  # a range from 0 leaves some items without a label
    row = np.cumsum(np.bincount(item, minlength=len(names)) > 0) - 1
    return Ratings(
        item=row[item],
        items=tuple(names[i] for i in rated),
        rater=rater,
        raters=panel.rater_names(),
        label=given,
        labels=classes,
    )


def _judges(truth: Codes, who: Codes, uniform: Floats, *, names: tuple[str, ...], classes: tuple[str, ...]) -> Judges:
    never = np.zeros(len(truth))
    said = [
        _said(truth, np.where((who == 0) | (who == own), 1.0, 0.0), len(classes), np.stack([never, draw]))
        for own, draw in zip((ONLY_BETTER, ONLY_WORSE), uniform, strict=True)
    ]
    n = len(names)
    return Judges(
        item=np.tile(np.arange(n), 2),
        judge=np.repeat([0, 1], n),
        sample=np.zeros(2 * n, dtype=np.intp),
        label=np.concatenate(said),
        items=names,
        judges=JUDGES,
        labels=classes,
        options=classes,
    )
