"""How two models and the labels stand to each other: where only one of the models is right, and the labels there."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dissensus.errors import OptionError
from dissensus.methods.plan_labels.options import TWO_CLASSES, Question

if TYPE_CHECKING:
    from dissensus.methods.plan_labels.pilot_data import LabelPilot

# ---- How two models and the labels stand to each other: where only one of the models is right, and the labels there

FloatArray = npt.NDArray[np.float64]
SHARE_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Situation:
    """Two models and the labels; each number has shape () or, for draws from a pilot, (n_draws,).

    Attributes
    ----------
    better_only, worse_only : ndarray
        Shares of items on which only the better model is right, and only the worse one.
    both_wrong : ndarray
        Share of items on which both are wrong and say different things; 0 with two classes.
    label_accuracy_better, label_accuracy_worse : ndarray
        How often a label is right where only the better model is, and where only the worse one is.
    classes : int
        How many different labels there are.
    accuracy : float, optional
        Of the worse model, where it is known.
    concentration : float
        How far items differ in difficulty, as in `spread`; infinite if they are alike.
    """

    better_only: FloatArray
    worse_only: FloatArray
    both_wrong: FloatArray
    label_accuracy_better: FloatArray
    label_accuracy_worse: FloatArray
    classes: int = TWO_CLASSES
    accuracy: float | None = None
    concentration: float = math.inf

    @property
    def disagreement(self) -> FloatArray:
        """Share of items on which the models say different things."""
        return self.better_only + self.worse_only + self.both_wrong

    @property
    def margin(self) -> FloatArray:
        """How much more accurate the better model is."""
        return self.better_only - self.worse_only

    @property
    def label_accuracy(self) -> FloatArray:
        """How often a label is right where exactly one of the models is."""
        return self.averaged(self.label_accuracy_better, self.label_accuracy_worse)

    @property
    def is_biased(self) -> bool:
        """Whether labels are right less often where the better model is right: the paper's assumption 1 fails."""
        return bool(np.any(self.label_accuracy_worse > self.label_accuracy_better + SHARE_ROUNDING))

    def averaged(self, better: FloatArray, worse: FloatArray) -> FloatArray:
        """A number of the items on which only the better model is right and of the others, weighted by their shares."""
        shares = self.better_only + self.worse_only
        return np.asarray((self.better_only * better + self.worse_only * worse) / shares)

    def as_dict(self) -> dict[str, object]:
        """The numbers as the JSON has them."""
        return {
            "disagreement": float(self.disagreement),
            "margin": float(self.margin),
            "better_only": float(self.better_only),
            "worse_only": float(self.worse_only),
            "both_wrong": float(self.both_wrong),
            "label_accuracy_better": float(self.label_accuracy_better),
            "label_accuracy_worse": float(self.label_accuracy_worse),
            "classes": self.classes,
            "accuracy": self.accuracy,
        }


def situation_of(question: Question) -> Situation:
    """The situation that the user described without a pilot."""
    if question.is_correlated:
        return _correlated(question)
    accuracy, margin, label_accuracy = question.accuracy, question.margin or 0.0, question.label_accuracy or 0.0
    if question.disagreement is not None:
        both_wrong = both_wrong_of(question)
        only_one = question.disagreement - both_wrong
        check_disagreement(only_one, margin, question)
        shares = (only_one + margin) / 2, (only_one - margin) / 2, both_wrong
    else:
        p = accuracy or 0.0
        better = min(p + margin, 1.0)
        # Independent errors, spread evenly over the wrong classes.
        by_chance = (1 - p) * (1 - better) * (question.classes - 2) / (question.classes - 1)
        both_wrong = by_chance if question.both_wrong is None else question.both_wrong
        if both_wrong > (1 - p) * (1 - better) + SHARE_ROUNDING:
            raise OptionError(
                f"--both-wrong {both_wrong:g} is too much: models that err independently are both wrong on "
                f"{(1 - p) * (1 - better):.3g} of the items. Say how often they differ with --disagreement."
            )
        shares = better * (1 - p), p * (1 - better), both_wrong
    return situation_from(shares, (label_accuracy, label_accuracy), classes=question.classes, accuracy=accuracy)


def situation_from(
    shares: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike],
    label_accuracies: tuple[npt.ArrayLike, npt.ArrayLike],
    *,
    classes: int = TWO_CLASSES,
    accuracy: float | None = None,
    concentration: float = math.inf,
) -> Situation:
    """A situation from shares (only the better right, only the worse, both wrong and different) and accuracies."""
    better_only, worse_only, both_wrong = (np.asarray(share, dtype=np.float64) for share in shares)
    label_better, label_worse = (np.asarray(one, dtype=np.float64) for one in label_accuracies)
    return Situation(
        better_only=better_only,
        worse_only=worse_only,
        both_wrong=both_wrong,
        label_accuracy_better=label_better,
        label_accuracy_worse=label_worse,
        classes=classes,
        accuracy=accuracy,
        concentration=concentration,
    )


def both_wrong_of(question: Question) -> float:
    """How often both models are wrong and differ, where only the disagreement is known."""
    if question.classes > TWO_CLASSES and question.both_wrong is None:
        raise OptionError(
            "With --disagreement and more than two classes also say with --both-wrong on which share of the items both "
            "models are wrong and say different things."
        )
    return question.both_wrong or 0.0


def check_disagreement(only_one: float, margin: float, question: Question) -> None:
    """Raise where two models cannot differ that little or that much."""
    if only_one < margin - SHARE_ROUNDING:
        less = " less --both-wrong" if question.both_wrong else ""
        raise OptionError(
            f"--disagreement{less} is {only_one:g}, below --margin {margin:g}: two models whose accuracies are that "
            "far apart disagree on at least as many items."
        )
    if question.accuracy is None:
        return
    both = question.both_wrong or 0.0
    most = min(2 * (1 - question.accuracy - both) - margin, 2 * question.accuracy + margin)
    if only_one > most + SHARE_ROUNDING:
        raise OptionError(
            f"--disagreement {question.disagreement:g} is too much for --accuracy {question.accuracy:g} and --margin "
            f"{margin:g}: such models differ on at most {most + both:.3g} of the items."
        )


def _correlated(question: Question) -> Situation:
    p = question.worse_accuracy or 0.0
    better_only = (1 - p) * (question.better_if_worse_wrong or 0.0)
    worse_only = p * (1 - (question.better_if_worse_right or 0.0))
    if better_only <= worse_only:
        raise OptionError(
            f"The better model is not better: it alone is right on {better_only:.3g} of the items, the worse one alone "
            f"on {worse_only:.3g}. Raise --better-if-worse-wrong or --better-if-worse-right."
        )
    labels = (question.label_accuracy_better or 0.0, question.label_accuracy_worse or 0.0)
    return situation_from((better_only, worse_only, 0.0), labels, accuracy=p)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of models and labels.

    Attributes
    ----------
    situation : Situation
        As described, or as the pilot has it.
    overall : Situation, optional
        The same with the labels of all items, where those of the items on which the models differ are another matter.
    draws : Situation, optional
        In each bootstrap sample of the pilot.
    pilot : LabelPilot, optional
        What the pilot said.
    data : mapping
        The pilot's files.
    warnings : tuple of str
        Of the pilot.
    """

    situation: Situation
    overall: Situation | None = None
    draws: Situation | None = None
    pilot: "LabelPilot | None" = None
    data: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
