"""Models and labels as a pilot shows them, and as its bootstrap samples do."""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from dissensus.data import Judges, Ratings
from dissensus.errors import OptionError
from dissensus.methods.plan_labels.options import TWO_CLASSES, Question, check_strategy
from dissensus.methods.plan_labels.pilot import read_pilot
from dissensus.methods.plan_labels.pilot_data import LabelPilot
from dissensus.methods.plan_labels.situation import FloatArray, Known, Situation, situation_from


def known_from_pilot(
    ratings: Ratings, judges: Judges, question: Question, rng: int | Generator | None
) -> tuple[Question, Known]:
    """The question with what the pilot decides, and what is known from the pilot."""
    pilot = read_pilot(
        ratings,
        judges,
        a=question.a,
        b=question.b,
        bootstrap=question.bootstrap,
        confidence=question.confidence,
        rng=rng,
    )
    if question.classes not in {TWO_CLASSES, pilot.classes}:
        raise OptionError(f"--classes {question.classes} contradicts the pilot, which has {pilot.classes} classes.")
    question = replace(question, a=pilot.a, b=pilot.b, classes=pilot.classes)
    if question.margin is not None and question.margin > pilot.disagreement.value:
        raise OptionError(
            f"--margin {question.margin:g} is more than the share of items on which the pilot's models differ, "
            f"{pilot.disagreement.value:.3g}: their accuracies cannot be that far apart."
        )
    check_strategy(question)
    situation = _situation(pilot, question)
    known = Known(
        situation=situation,
        overall=_overall(pilot, situation),
        draws=_drawn(pilot, question) if question.bootstrap else None,
        pilot=pilot,
        data={"pilot": dict(ratings.describe_data()), "pilot_judges": dict(judges.describe_data())},
        warnings=pilot.warnings,
    )
    return question, known


def _situation(pilot: LabelPilot, question: Question) -> Situation:
    margin = pilot.margin.value if question.margin is None else question.margin
    return _from(
        pilot,
        question,
        disagreement=np.asarray(pilot.disagreement.value),
        margin=np.asarray(margin),
        both_wrong=np.asarray(pilot.both_wrong.value),
        label_accuracy=np.asarray(pilot.for_plan.value),
    )


def _overall(pilot: LabelPilot, situation: Situation) -> Situation:
    """The same models, with labels as they are on all items."""
    right = np.asarray(pilot.label_accuracy.value)
    return replace(
        situation,
        label_accuracy_better=right,
        label_accuracy_worse=right,
        concentration=pilot.concentration_everywhere,
    )


def _drawn(pilot: LabelPilot, question: Question) -> Situation:
    draws = pilot.draws
    margin = draws.margin if question.margin is None else np.full_like(draws.margin, question.margin)
    return _from(
        pilot,
        question,
        disagreement=draws.disagreement,
        margin=margin,
        both_wrong=draws.both_wrong,
        label_accuracy=draws.label_accuracy,
    )


def _from(
    pilot: LabelPilot,
    question: Question,
    *,
    disagreement: FloatArray,
    margin: FloatArray,
    both_wrong: FloatArray,
    label_accuracy: FloatArray,
) -> Situation:
    """The shares that belong to these numbers; a margin is at most the disagreement, and a share not negative."""
    both = np.clip(both_wrong, 0, np.maximum(disagreement - np.abs(margin), 0))
    only_one = np.maximum(disagreement - both, 1e-12)
    lead = np.clip(margin, -only_one, only_one)
    return situation_from(
        ((only_one + lead) / 2, (only_one - lead) / 2, both),
        (label_accuracy, label_accuracy),
        classes=question.classes,
        accuracy=pilot.worse_accuracy.value,
        concentration=pilot.concentration,
    )
