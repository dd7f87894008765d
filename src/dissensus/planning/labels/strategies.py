"""Ways to spend labels on an item: so many for each, more where they differ, or only where the models do."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dissensus.planning.labels.question import TWO_CLASSES, Question, Strategy
from dissensus.planning.labels.situation import FloatArray, Situation
from dissensus.planning.labels.steps import Steps, plurality_steps
from dissensus.planning.labels.votes import lead_by_two, majority_accuracy, plurality_accuracy, two_plus_one


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scheme:
    """A way to label an item; each array has shape () or, for draws from a pilot, (n_draws,).

    Attributes
    ----------
    strategy : str
        Its name.
    labels_per_item : float
        Expected labels for an item that is labelled.
    accuracy : ndarray
        How often the label that counts is right where exactly one of the models is.
    steps : Steps
        How often such an item speaks for the better model, and for the worse one.
    kept : ndarray
        Share of the items that are labelled at all.
    """

    strategy: Strategy
    labels_per_item: float
    accuracy: FloatArray
    steps: Steps
    kept: FloatArray

    def item_cost(self, question: Question) -> float:
        """What a labelled item costs, with those that were looked through to find it."""
        return question.item_cost / float(np.mean(self.kept)) + self.labels_per_item * question.label_cost


def schemes_of(question: Question, situation: Situation) -> list[Scheme]:
    """The ways to be compared: each number of labels, and the strategy where that is another way to label."""
    only_differing = question.strategy == "disagreement-only"
    found = [fixed_scheme(question, situation, m, only_differing=only_differing) for m in question.labels_per_item]
    if question.strategy in {"adaptive", "lead-by-two"}:
        found.append(sequential_scheme(question.strategy, situation))
    return found


def fixed_scheme(question: Question, situation: Situation, labels: int, *, only_differing: bool = False) -> Scheme:
    """So many labels for each item, or for each on which the models differ."""
    better, worse = (
        voted_accuracy(question, situation, one, labels)
        for one in (situation.label_accuracy_better, situation.label_accuracy_worse)
    )
    strategy: Strategy = "disagreement-only" if only_differing else "fixed"
    return _scheme(situation, strategy, float(labels), (better, worse))


def sequential_scheme(strategy: Strategy, situation: Situation) -> Scheme:
    """A third label where two differ (adaptive), or labels until one class leads by two."""
    rule = two_plus_one if strategy == "adaptive" else lead_by_two
    (better, labels_better), (worse, labels_worse) = (
        (_over_items(lambda q: rule(q)[0], situation, one), _over_items(lambda q: rule(q)[1], situation, one))
        for one in (situation.label_accuracy_better, situation.label_accuracy_worse)
    )
    # Labels are taken to be as hard where the models agree as where they do not.
    labels = float(np.mean(situation.averaged(labels_better, labels_worse)))
    return _scheme(situation, strategy, labels, (better, worse))


def voted_accuracy(question: Question, situation: Situation, label_accuracy: FloatArray, labels: int) -> FloatArray:
    """How often the most frequent of several labels is right."""
    if labels == 1:
        return label_accuracy

    def vote(one: FloatArray) -> FloatArray:
        if question.classes > TWO_CLASSES:
            return plurality_accuracy(one, labels, question.classes)
        return majority_accuracy(one, labels, question.even)

    return _over_items(vote, situation, label_accuracy)


def _over_items(
    vote: Callable[[FloatArray], FloatArray], situation: Situation, label_accuracy: FloatArray
) -> FloatArray:
    """What a vote makes of the accuracy of labels, over items that may differ in difficulty."""
    if math.isinf(situation.concentration):
        return vote(label_accuracy)
    from dissensus.planning.labels.spread import over_items  # noqa: PLC0415 - needs scipy, plans without a pilot do not

    return over_items(vote, label_accuracy, concentration=situation.concentration, classes=situation.classes)


def _scheme(
    situation: Situation, strategy: Strategy, labels: float, accuracies: tuple[FloatArray, FloatArray]
) -> Scheme:
    steps = gap_steps(situation, *accuracies)
    kept = np.ones_like(situation.disagreement)
    if strategy == "disagreement-only":
        kept = situation.disagreement
        steps = _where_they_differ(steps, kept, always_speaks=situation.classes == TWO_CLASSES)
    return Scheme(
        strategy=strategy,
        labels_per_item=labels,
        accuracy=situation.averaged(*accuracies),
        steps=steps,
        kept=kept,
    )


def _where_they_differ(steps: Steps, share: FloatArray, *, always_speaks: bool) -> Steps:
    """The steps on the items on which the models differ; with two classes a label then speaks for one of them."""
    x, y = steps.x / share, steps.y / share
    if not always_speaks:
        return Steps(x=x, y=y)
    # The smaller chance is the more exact one, and both must add up to 1: a trace of ties would count as such.
    return Steps(x=np.where(x < y, x, 1 - y), y=np.where(x < y, 1 - x, y))


def gap_steps(situation: Situation, better: FloatArray, worse: FloatArray) -> Steps:
    """How often an item speaks for the better model and for the worse one, by the accuracy of its label."""
    a, b, d = situation.better_only, situation.worse_only, situation.both_wrong
    if situation.classes > TWO_CLASSES:
        return plurality_steps(a, b, d, better, situation.classes)
    return Steps(x=better * a + (1 - worse) * b, y=(1 - better) * a + worse * b)  # as in Proposition 2
