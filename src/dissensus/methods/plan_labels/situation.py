"""How two models and the labels stand to each other: where only one of the models is right, and the labels there."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Floats
from dissensus.errors import OptionError
from dissensus.methods.plan_labels.options import TWO_CLASSES, PlanLabelsOptions
from dissensus.options import named

SHARE_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Situation:
    """Two models and the labels; each number has shape () or, for draws from a pilot, (n_draws,)."""

    # `better_only`, `worse_only`: shares of items on which only the better model is right, and only the worse one.
    better_only: Floats
    worse_only: Floats
    both_wrong: Floats  # share of items on which both are wrong and say different things; 0 with two classes
    # `label_accuracy_better`, `label_accuracy_worse`: how often a label is right where only the better model is, and
    # where only the worse one is.
    label_accuracy_better: Floats
    label_accuracy_worse: Floats
    classes: int = TWO_CLASSES  # how many different labels there are
    accuracy: float | None = None  # of the worse model, where it is known
    # How far items differ in difficulty, as in `over_items`; infinite if they do not differ.
    concentration: float = math.inf

    @property
    def disagreement(self) -> Floats:
        """Share of items on which the models say different things."""
        return self.better_only + self.worse_only + self.both_wrong

    @property
    def margin(self) -> Floats:
        """How much more accurate the better model is."""
        return self.better_only - self.worse_only

    @property
    def label_accuracy(self) -> Floats:
        """How often a label is right where exactly one of the models is."""
        return self.averaged(self.label_accuracy_better, self.label_accuracy_worse)

    @property
    def is_biased(self) -> bool:
        """Whether labels are right less often where the better model is right: the paper's assumption 1 fails."""
        return bool(np.any(self.label_accuracy_worse > self.label_accuracy_better + SHARE_ROUNDING))

    def averaged(self, better: Floats, worse: Floats) -> Floats:
        """A number of the items on which only the better model is right and of the others, weighted by their shares."""
        shares = self.better_only + self.worse_only
        return np.asarray((self.better_only * better + self.worse_only * worse) / shares)

    def as_dict(self) -> dict[str, object]:
        """The numbers as the JSON has them."""
        names = (
            "disagreement", "margin", "better_only", "worse_only", "both_wrong", "label_accuracy_better",
            "label_accuracy_worse",
        )  # fmt: skip
        numbers = {name: float(getattr(self, name)) for name in names}
        return {**numbers, "classes": self.classes, "accuracy": self.accuracy}


def situation_of(options: PlanLabelsOptions) -> Situation:
    """The situation that the user described without a pilot."""
    if options.is_correlated:
        return _correlated(options)
    accuracy, margin, label_accuracy = options.accuracy, options.margin or 0.0, options.label_accuracy or 0.0
    if options.disagreement is not None:
        _check_disagreement(options, options.disagreement, margin)
        both_wrong = options.both_wrong or 0.0
        only_one = options.disagreement - both_wrong
        shares = (only_one + margin) / 2, (only_one - margin) / 2, both_wrong
    else:
        p = accuracy or 0.0
        *one_right, by_chance = (float(share) for share in independent_shares(p, margin, options.classes))
        both_wrong = by_chance if options.both_wrong is None else options.both_wrong
        most = (1 - p) * (1 - min(p + margin, 1.0))
        if both_wrong > most + SHARE_ROUNDING:
            raise OptionError(
                f"{named('both_wrong')} {both_wrong:g} is too much: models that err independently are both wrong on "
                f"{most:.3g} of the items. Say how often they differ with {named('disagreement')}."
            )
        shares = one_right[0], one_right[1], both_wrong
    return situation_from(shares, (label_accuracy, label_accuracy), classes=options.classes, accuracy=accuracy)


def independent_shares(accuracy: npt.ArrayLike, margin: npt.ArrayLike, classes: int) -> tuple[Floats, Floats, Floats]:
    """Shares of items on which only the better model is right, only the worse one, or both are wrong and differ.

    Models err independently of each other, and errors are spread evenly over the wrong classes.
    """
    worse, more = np.asarray(accuracy, dtype=np.float64), np.asarray(margin, dtype=np.float64)
    better = np.minimum(worse + more, 1.0)
    both_wrong = (1 - worse) * (1 - better) * (classes - 2) / (classes - 1)
    return better * (1 - worse), worse * (1 - better), both_wrong


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
        better_only=better_only, worse_only=worse_only, both_wrong=both_wrong, label_accuracy_better=label_better,
        label_accuracy_worse=label_worse, classes=classes, accuracy=accuracy, concentration=concentration,
    )  # fmt: skip


def _check_disagreement(options: PlanLabelsOptions, disagreement: float, margin: float) -> None:
    """Raise where two models cannot differ that little or that much, or it is not said how they do."""
    if options.classes > TWO_CLASSES and options.both_wrong is None:
        raise OptionError(
            f"With {named('disagreement')} and more than two classes also say with {named('both_wrong')} on which "
            "share of the items both models are wrong and say different things."
        )
    both = options.both_wrong or 0.0
    only_one = disagreement - both
    if only_one < margin - SHARE_ROUNDING:
        less = f" less {named('both_wrong')}" if both else ""
        raise OptionError(
            f"{named('disagreement')}{less} is {only_one:g}, below {named('margin')} {margin:g}: two models whose "
            "accuracies are that far apart disagree on at least as many items."
        )
    if options.accuracy is None:
        return
    most = min(2 * (1 - options.accuracy - both) - margin, 2 * options.accuracy + margin)
    if only_one > most + SHARE_ROUNDING:
        raise OptionError(
            f"{named('disagreement')} {disagreement:g} is too much for {named('accuracy')} {options.accuracy:g} and "
            f"{named('margin')} {margin:g}: such models differ on at most {most + both:.3g} of the items."
        )


def _correlated(options: PlanLabelsOptions) -> Situation:
    p = options.worse_accuracy or 0.0
    better_only = (1 - p) * (options.better_if_worse_wrong or 0.0)
    worse_only = p * (1 - (options.better_if_worse_right or 0.0))
    if better_only <= worse_only:
        raise OptionError(
            f"The better model is not better: it alone is right on {better_only:.3g} of the items, the worse one alone "
            f"on {worse_only:.3g}. Raise {named('better_if_worse_wrong')} or {named('better_if_worse_right')}."
        )
    labels = (options.label_accuracy_better or 0.0, options.label_accuracy_worse or 0.0)
    return situation_from((better_only, worse_only, 0.0), labels, accuracy=p)
