"""How well a design measures the accuracy of one model, rather than which of two is better."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from dissensus.planning.labels.question import Question
from dissensus.planning.labels.result import Absolute
from dissensus.planning.labels.situation import ROUNDING, Situation


class Measuring(NamedTuple):
    """A design to measure the accuracy of a model with: labels per item, items, and how often their label is right."""

    labels_per_item: float
    items: int
    label_accuracy: float


def absolute_of(question: Question, situation: Situation, designs: Sequence[Measuring]) -> tuple[Absolute, ...]:
    """Standard error and bias of each design; none where the accuracy of the model or of all labels is not known."""
    if situation.accuracy is None or question.is_correlated or question.strategy == "disagreement-only":
        return ()
    by_guessing = 1 / situation.classes  # labels like that measure nothing
    return tuple(
        _measured(design, situation.accuracy, situation.classes)
        for design in designs
        if design.label_accuracy > by_guessing + ROUNDING
    )


def _measured(design: Measuring, accuracy: float, classes: int) -> Absolute:
    """The model agrees with a label if both are right, or both wrong and alike."""
    right = design.label_accuracy
    same_wrong = (1 - right) / (classes - 1)
    agreement = accuracy * right + (1 - accuracy) * same_wrong
    # (agreement - same_wrong) / (right - same_wrong) is the accuracy; its error is that of the observed agreement.
    error = math.sqrt(agreement * (1 - agreement) / design.items) / (right - same_wrong)
    return Absolute(
        labels_per_item=design.labels_per_item,
        items=design.items,
        standard_error=error,
        bias=agreement - accuracy,
    )


def why_not_absolute(question: Question, situation: Situation) -> str | None:
    """Why nothing is said of the accuracy of one model; None if it is."""
    if question.strategy == "disagreement-only":
        return None  # said with the caveat of that strategy
    if question.is_correlated:
        return "How accurate one model is cannot be planned here: that takes the labels' accuracy where both agree."
    if situation.accuracy is None:
        return "Give --accuracy to also plan how well each design measures the accuracy of one model."
    return None
