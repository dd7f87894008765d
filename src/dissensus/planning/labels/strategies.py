"""Ways to spend labels on an item: so many for each, more where they differ, or only where the models do."""

from dataclasses import dataclass

import numpy as np

from dissensus.planning.labels.question import TWO_CLASSES, Question, Strategy
from dissensus.planning.labels.situation import FloatArray, Situation
from dissensus.planning.labels.steps import Steps, plurality_steps
from dissensus.planning.labels.votes import lead_by_two, majority_accuracy, plurality_accuracy, two_plus_one

THREE = 3


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
    better, labels_better = rule(situation.label_accuracy_better)
    worse, labels_worse = rule(situation.label_accuracy_worse)
    # Labels are taken to be as hard where the models agree as where they do not.
    labels = float(np.mean(situation.averaged(labels_better, labels_worse)))
    # The accuracy of two-plus-one is that of three labels; of lead-by-two it is taken to lose as much to hard items.
    better, worse = (_harder(one, situation, THREE) for one in (better, worse))
    return _scheme(situation, strategy, labels, (better, worse))


def voted_accuracy(question: Question, situation: Situation, label_accuracy: FloatArray, labels: int) -> FloatArray:
    """How often the most frequent of several labels is right."""
    if question.classes > TWO_CLASSES:
        return plurality_accuracy(label_accuracy, labels, question.classes)
    return _harder(majority_accuracy(label_accuracy, labels, question.even), situation, labels)


def _harder(accuracy: FloatArray, situation: Situation, labels: int) -> FloatArray:
    """The accuracy of a majority where items differ in difficulty."""
    return np.asarray(0.5 + (accuracy - 0.5) * situation.vote_gains.get(labels, 1.0))


def _scheme(
    situation: Situation, strategy: Strategy, labels: float, accuracies: tuple[FloatArray, FloatArray]
) -> Scheme:
    every = gap_steps(situation, *accuracies)
    only_differing = strategy == "disagreement-only"
    kept = situation.disagreement if only_differing else np.ones_like(situation.disagreement)
    return Scheme(
        strategy=strategy,
        labels_per_item=labels,
        accuracy=situation.averaged(*accuracies),
        steps=Steps(x=every.x / kept, y=every.y / kept),
        kept=kept,
    )


def gap_steps(situation: Situation, better: FloatArray, worse: FloatArray) -> Steps:
    """How often an item speaks for the better model and for the worse one, by the accuracy of its label."""
    a, b, d = situation.better_only, situation.worse_only, situation.both_wrong
    if situation.classes > TWO_CLASSES:
        return plurality_steps(a, b, d, better, situation.classes)
    return Steps(x=better * a + (1 - worse) * b, y=(1 - better) * a + worse * b)  # as in Proposition 2
