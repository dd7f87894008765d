"""Options of `plan labels`, and the situation that they describe: two models, and how often labels are right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Floats
from dissensus.errors import OptionError
from dissensus.methods.plan_labels.votes import EVENS, Even
from dissensus.methods.plan_labels.walk import TIES, Ties
from dissensus.options import Options, named, option, whole_numbers

Strategy = Literal["fixed", "adaptive", "lead-by-two", "disagreement-only"]
STRATEGIES: tuple[Strategy, ...] = ("fixed", "adaptive", "lead-by-two", "disagreement-only")
LABELS_PER_ITEM = (1, 3, 5)
MOST_LABELS = 999
TWO_CLASSES = 2
CORRELATED = (  # the options of the correlated form
    "worse_accuracy",
    "better_if_worse_wrong",
    "better_if_worse_right",
    "label_accuracy_better",
    "label_accuracy_worse",
)
LEARNT = ("accuracy", "label_accuracy", "disagreement", "both_wrong")
"""What a pilot tells; the margin too, but one may be planned for that is worth finding."""
PLAIN = ("margin", *LEARNT)


def checked_labels_per_item(given: Sequence[int]) -> tuple[int, ...]:
    """Numbers of labels in order, each once."""
    wrong = [number for number in given if not (float(number).is_integer() and 1 <= number <= MOST_LABELS)]
    if wrong or not len(given):
        what = f"cannot be {wrong[0]}" if wrong else "names no number"
        example = f"give whole numbers from 1 to {MOST_LABELS}, such as 1,3,5"
        raise OptionError(f"{named('labels_per_item')} {what}: {example}.")
    return tuple(sorted({int(number) for number in given}))


def _share(text: str, metavar: str) -> float | None:
    return option(None, metavar=metavar, at_least=0, at_most=1, wants="it is a share between 0 and 1", help=text)


def _chance(default: float, text: str, metavar: str) -> float:
    return option(default, metavar=metavar, above=0, below=1, wants="it is a chance between 0 and 1", help=text)


def _number(default: float, least: int, text: str, metavar: str = "C") -> float:
    return option(default, metavar=metavar, at_least=least, wants=f"give a number of {least} or more", help=text)


@dataclass(frozen=True, kw_only=True)
class PlanLabelsOptions(Options):
    """What the user asked for, as in `plan_labels`."""

    accuracy: float | None = _share("Accuracy of the worse model.", "P")
    margin: float | None = option(
        None, metavar="E", above=0, at_most=1, help="How much more accurate the better model is.",
        wants="it is how much more accurate the better model is, above 0 and at most 1",
    )  # fmt: skip
    label_accuracy: float | None = option(None, metavar="Q", help="How often a label is right.")
    disagreement: float | None = _share("Share of items on which the models differ; as by chance if not given.", "W")
    both_wrong: float | None = _share(
        "With three classes or more: share of items on which both are wrong and differ.", "D"
    )
    worse_accuracy: float | None = _share("Correlated form: accuracy of the worse model.", "P")
    better_if_worse_wrong: float | None = _share("Accuracy of the better model where the worse one is wrong.", "P")
    better_if_worse_right: float | None = _share("Accuracy of the better model where the worse one is right.", "P")
    label_accuracy_better: float | None = option(
        None, metavar="Q", help="How often a label is right where only the better model is."
    )
    label_accuracy_worse: float | None = option(
        None, metavar="Q", help="How often a label is right where only the worse model is."
    )
    budget: float | None = option(
        None, metavar="K", above=0, wants="give what the labels may cost",
        help="The most that everything may cost; a number of labels unless you give costs.",
    )  # fmt: skip
    error: float | None = option(
        None, metavar="D", above=0, below=1, wants="it is a chance between 0 and 1",
        help="How often the worse model may come out ahead.",
    )  # fmt: skip
    labels_per_item: tuple[int, ...] = option(
        LABELS_PER_ITEM, metavar="M,...", typed=partial(whole_numbers, "labels_per_item"),
        help="Numbers of labels for each item; 1,3,5 if not given.",
    )  # fmt: skip
    item_cost: float = _number(0.0, 0, "What an item costs before it is labelled.")
    label_cost: float = _number(1.0, 0, "What one label costs.")
    models: int | None = option(
        None, metavar="M", at_least=2, wants="give a number of 2 or more",
        help="How many models to rank; sets the error if there is no budget.",
    )  # fmt: skip
    delta: float = _chance(0.05, "How often the best of several models may fail to come first.", "D")
    classes: int = option(
        2, metavar="C", at_least=2, wants="give a number of 2 or more", help="How many different labels there are."
    )
    even: Even = option(
        "coin", metavar="E", choices=EVENS,
        help="If an even vote is tied: coin (toss one) or strict (count it as wrong).",
    )  # fmt: skip
    ties: Ties = option(
        "lose",
        metavar="T",
        choices=TIES,
        help="How a tie between the models counts for the better one: lose, half or win.",
    )
    strategy: Strategy = option(
        "fixed", metavar="S", choices=STRATEGIES,
        help="fixed, adaptive (a third label if two differ), lead-by-two, disagreement-only.",
    )  # fmt: skip
    a: str | None = option(None, metavar="A", help="A model of the pilot.")
    b: str | None = option(None, metavar="B", help="The model to tell from it.")
    bootstrap: int = option(
        500, metavar="N", at_least=0, wants="give a number of 0 or more",
        help="Bootstrap samples of the pilot; 0 for no intervals.",
    )  # fmt: skip
    confidence: float = _chance(0.95, "Confidence of the intervals.", "C")
    has_pilot: bool = False

    def with_value(self, names: Sequence[str]) -> list[str]:
        """Those of the options that have a value."""
        return [name for name in names if getattr(self, name) is not None]

    @property
    def is_correlated(self) -> bool:
        """Whether the models were described by the options of the correlated form."""
        return bool(self.with_value(CORRELATED))

    @property
    def only_differing(self) -> bool:
        """Whether only items on which the models differ are labelled."""
        return self.strategy == "disagreement-only"

    @property
    def in_labels(self) -> bool:
        """Whether what is spent is a number of labels: items cost nothing, and a label costs 1."""
        return self.item_cost == 0 and self.label_cost == 1

    @property
    def target(self) -> float | None:
        """The largest error that one pair of models may have; None where a budget was given instead."""
        if self.budget is not None:
            return None
        wanted = [] if self.error is None else [self.error]
        if self.models is not None and self.models > 1:
            wanted.append(self.delta / (self.models - 1))  # the union bound over the rivals of the best model
        return min(wanted, default=None)

    def check(self) -> None:
        """Raise where two options contradict each other, or more is wrong than a declaration can say."""
        self._check_goal()
        if self.is_correlated:
            self._check_correlated()
        else:
            self._check_plain()
        self.check_strategy()

    def _check_goal(self) -> None:
        if self.budget is not None and self.error is not None:
            raise OptionError(
                f"{named('budget')} and {named('error')} contradict each other: a budget asks what error it buys, an "
                "error what it costs. Give one of them."
            )
        if self.budget is None and self.error is None and self.models is None:
            raise OptionError(
                f"Say what you can spend with {named('budget')}, such as 1500 labels, or how often the worse model may "
                f"come out ahead with {named('error')}, such as 0.05."
            )
        if self.item_cost == self.label_cost == 0:
            raise OptionError(
                f"{named('item_cost')} and {named('label_cost')} are both 0: without a cost no budget buys a number of "
                "labels."
            )

    def _check_correlated(self) -> None:
        first, mixed = named(self.with_value(CORRELATED)[0]), self.with_value(PLAIN)
        if mixed:
            raise OptionError(
                f"{named(mixed[0])} and {first} belong to two forms of the question: give {named('accuracy')}, "
                f"{named('margin')} and {named('label_accuracy')}, or the five options of the correlated form."
            )
        if self.has_pilot:
            raise OptionError(
                f"{first} and {named('pilot')} contradict each other: the pilot says how the models and the labels go "
                "together."
            )
        missing = [named(name) for name in CORRELATED if getattr(self, name) is None]
        if missing:
            raise OptionError(f"The correlated form also needs {', '.join(missing)}.")
        for name in CORRELATED[3:]:
            _check_label_accuracy(name, getattr(self, name), TWO_CLASSES)
        if self.classes > TWO_CLASSES:
            raise OptionError(
                f"{named('classes')} above 2 goes with {named('accuracy')}, {named('margin')} and "
                f"{named('label_accuracy')} only."
            )

    def _check_plain(self) -> None:
        if not self.has_pilot:
            self._check_complete()
        elif self.with_value(LEARNT):
            raise OptionError(
                f"{named(self.with_value(LEARNT)[0])} and {named('pilot')} contradict each other: the pilot says what "
                f"it is. Only {named('margin')} may be given beside it."
            )
        if self.label_accuracy is not None:
            _check_label_accuracy("label_accuracy", self.label_accuracy, self.classes)
        accuracy, margin = self.accuracy, self.margin
        if accuracy is not None and margin is not None and accuracy + margin > 1 + 1e-12:
            raise OptionError(
                f"{named('accuracy')} {accuracy:g} and {named('margin')} {margin:g} add up to more than 1: "
                f"{named('accuracy')} is that of the worse model, and the better one cannot be right on more than all "
                "items."
            )

    def _check_complete(self) -> None:
        pilot = f"{named('pilot')} and {named('pilot_judges')}"
        if self.a or self.b:
            raise OptionError(f"{named('a')} and {named('b')} name judges of a pilot: give one with {pilot}.")
        models = [] if self.disagreement is not None else ["accuracy"]
        missing = [named(name) for name in (*models, "margin", "label_accuracy") if getattr(self, name) is None]
        if missing:
            raise OptionError(
                f"Missing {', '.join(missing)}: describe the models and the labels with {named('accuracy')} (of the "
                f"worse model), {named('margin')} and {named('label_accuracy')}, or learn them with {pilot}."
            )

    def check_strategy(self) -> None:
        """Raise where a strategy or a rule does not go with this many classes."""
        if self.strategy in {"adaptive", "lead-by-two"} and self.classes > TWO_CLASSES:
            raise OptionError(
                f"{named('strategy')} {self.strategy} goes with two classes: leave out {named('classes')}."
            )
        if self.even == "strict" and self.classes > TWO_CLASSES:
            raise OptionError(
                f"{named('even')} strict goes with two classes: with more, tied labels are settled by a draw."
            )
        if self.both_wrong is not None and self.classes == TWO_CLASSES:
            raise OptionError(
                f"{named('both_wrong')} goes with {named('classes')} above 2: with two, models that are both wrong "
                "agree."
            )


def _check_label_accuracy(name: str, value: float, classes: int) -> None:
    if not 1 / classes < value <= 1:
        raise OptionError(
            f"{named(name)} cannot be {value:g}: a label must be right more often than by chance, above "
            f"{1 / classes:.3g} and at most 1."
        )


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
    shares: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike], label_accuracies: tuple[npt.ArrayLike, npt.ArrayLike],
    *, classes: int = TWO_CLASSES, accuracy: float | None = None, concentration: float = math.inf,
) -> Situation:  # fmt: skip
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
