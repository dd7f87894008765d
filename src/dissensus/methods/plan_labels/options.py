"""What the user asked for, checked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

from dissensus.errors import OptionError
from dissensus.methods.plan_labels.votes import EVENS, Even
from dissensus.methods.plan_labels.walk import TIES, Ties

Strategy = Literal["fixed", "adaptive", "lead-by-two", "disagreement-only"]
STRATEGIES: tuple[Strategy, ...] = ("fixed", "adaptive", "lead-by-two", "disagreement-only")
LABELS_PER_ITEM = (1, 3, 5)
MOST_LABELS = 999
TWO_CLASSES = 2
CORRELATED = (
    "worse_accuracy",
    "better_if_worse_wrong",
    "better_if_worse_right",
    "label_accuracy_better",
    "label_accuracy_worse",
)
"""The options of the correlated form, as `Question` has them."""
LEARNT = ("accuracy", "label_accuracy", "disagreement", "both_wrong")
"""What a pilot tells; the margin too, but one may be planned for that is worth finding."""
PLAIN = ("margin", *LEARNT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the user asked for, as in `plan_labels`."""

    accuracy: float | None
    margin: float | None
    label_accuracy: float | None
    disagreement: float | None
    both_wrong: float | None
    worse_accuracy: float | None
    better_if_worse_wrong: float | None
    better_if_worse_right: float | None
    label_accuracy_better: float | None
    label_accuracy_worse: float | None
    budget: float | None
    error: float | None
    labels_per_item: tuple[int, ...]
    item_cost: float
    label_cost: float
    models: int | None
    delta: float
    classes: int
    even: Even
    ties: Ties
    strategy: Strategy
    a: str | None
    b: str | None
    bootstrap: int
    confidence: float
    seed: int | None

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def given(self, names: Sequence[str]) -> list[str]:
        """Those of the options that have a value."""
        return [name for name in names if getattr(self, name) is not None]

    @property
    def is_correlated(self) -> bool:
        """Whether the models were described by the options of the correlated form."""
        return bool(self.given(CORRELATED))

    @property
    def target(self) -> float | None:
        """The largest error that one pair of models may have; None where a budget was given instead."""
        if self.budget is not None:
            return None
        wanted = [] if self.error is None else [self.error]
        if self.models is not None and self.models > 1:
            wanted.append(self.delta / (self.models - 1))  # the union bound over the rivals of the best model
        return min(wanted, default=None)


def option(name: str) -> str:
    """An option as the command line has it.

    Examples
    --------
    >>> option("label_accuracy")
    '--label-accuracy'
    """
    return "--" + name.replace("_", "-")


def checked_labels_per_item(given: Sequence[int]) -> tuple[int, ...]:
    """Numbers of labels in order, each once."""
    wrong = [number for number in given if not (float(number).is_integer() and 1 <= number <= MOST_LABELS)]
    if wrong or not len(given):
        what = f"cannot be {wrong[0]}" if wrong else "names no number"
        raise OptionError(f"--labels-per-item {what}: give whole numbers from 1 to {MOST_LABELS}, such as 1,3,5.")
    return tuple(sorted({int(number) for number in given}))


def check_question(question: Question, *, has_pilot: bool) -> None:
    """Raise where an option has a value it cannot have, or two options contradict each other."""
    _check_words(question)
    _check_goal(question)
    _check_amounts(question)
    if question.is_correlated:
        _check_correlated(question, has_pilot=has_pilot)
    else:
        _check_plain(question, has_pilot=has_pilot)
    check_strategy(question)


def _check_words(question: Question) -> None:
    for name, known in (("even", EVENS), ("ties", TIES), ("strategy", STRATEGIES)):
        if getattr(question, name) not in known:
            raise OptionError.unknown(option(name), getattr(question, name), known)


def _check_goal(question: Question) -> None:
    if question.budget is not None and question.error is not None:
        raise OptionError(
            "--budget and --error contradict each other: a budget asks what error it buys, an error what it costs. "
            "Give one of them."
        )
    if question.budget is None and question.error is None and question.models is None:
        raise OptionError(
            "Say what you can spend with --budget, such as 1500 labels, or how often the worse model may come out "
            "ahead with --error, such as 0.05."
        )
    for name in ("error", "delta", "confidence"):
        value = getattr(question, name)
        if value is not None and not 0 < value < 1:
            raise OptionError(f"{option(name)} cannot be {value:g}: it is a chance between 0 and 1.")


def _check_amounts(question: Question) -> None:
    for name, least in (("item_cost", 0), ("label_cost", 0), ("models", 2), ("classes", 2), ("bootstrap", 0)):
        value = getattr(question, name)
        if value is not None and not least <= value < math.inf:
            raise OptionError(f"{option(name)} cannot be {value:g}: give a number of {least} or more.")
    if question.item_cost == question.label_cost == 0:
        raise OptionError("--item-cost and --label-cost are both 0: without a cost no budget buys a number of labels.")
    if question.budget is not None and not 0 < question.budget < math.inf:
        raise OptionError(f"--budget cannot be {question.budget:g}: give what the labels may cost.")


def _check_correlated(question: Question, *, has_pilot: bool) -> None:
    mixed = question.given(PLAIN)
    if mixed:
        raise OptionError(
            f"{option(mixed[0])} and {option(question.given(CORRELATED)[0])} belong to two forms of the question: give "
            "--accuracy, --margin and --label-accuracy, or the five options of the correlated form."
        )
    if has_pilot:
        raise OptionError(
            f"{option(question.given(CORRELATED)[0])} and --pilot contradict each other: the pilot says how the models "
            "and the labels go together."
        )
    missing = [option(name) for name in CORRELATED if getattr(question, name) is None]
    if missing:
        raise OptionError(f"The correlated form also needs {', '.join(missing)}.")
    for name in CORRELATED[:3]:
        _check_share(name, getattr(question, name))
    for name in CORRELATED[3:]:
        _check_label_accuracy(name, getattr(question, name), 2)
    if question.classes > TWO_CLASSES:
        raise OptionError("--classes above 2 goes with --accuracy, --margin and --label-accuracy only.")


def _check_plain(question: Question, *, has_pilot: bool) -> None:
    if not has_pilot:
        _check_complete(question)
    elif question.given(LEARNT):
        raise OptionError(
            f"{option(question.given(LEARNT)[0])} and --pilot contradict each other: the pilot says what it is. Only "
            "--margin may be given beside it."
        )
    if question.margin is not None and not 0 < question.margin <= 1:
        raise OptionError(
            f"--margin cannot be {question.margin:g}: it is how much more accurate the better model is, above 0 and at "
            "most 1."
        )
    for name in ("accuracy", "disagreement", "both_wrong"):
        _check_share(name, getattr(question, name))
    if question.label_accuracy is not None:
        _check_label_accuracy("label_accuracy", question.label_accuracy, question.classes)
    accuracy, margin = question.accuracy, question.margin
    if accuracy is not None and margin is not None and accuracy + margin > 1 + 1e-12:
        raise OptionError(
            f"--accuracy {accuracy:g} and --margin {margin:g} add up to more than 1: --accuracy is that of the worse "
            "model, and the better one cannot be right on more than all items."
        )


def _check_complete(question: Question) -> None:
    if question.a or question.b:
        raise OptionError("--a and --b name judges of a pilot: give one with --pilot and --pilot-judges.")
    models = [] if question.disagreement is not None else ["accuracy"]
    missing = [option(name) for name in (*models, "margin", "label_accuracy") if getattr(question, name) is None]
    if missing:
        raise OptionError(
            f"Missing {', '.join(missing)}: describe the models and the labels with --accuracy (of the worse model), "
            "--margin and --label-accuracy, or learn them with --pilot and --pilot-judges."
        )


def _check_share(name: str, value: float | None) -> None:
    if value is not None and not 0 <= value <= 1:
        raise OptionError(f"{option(name)} cannot be {value:g}: it is a share between 0 and 1.")


def _check_label_accuracy(name: str, value: float, classes: int) -> None:
    if not 1 / classes < value <= 1:
        raise OptionError(
            f"{option(name)} cannot be {value:g}: a label must be right more often than by chance, above "
            f"{1 / classes:.3g} and at most 1."
        )


def check_strategy(question: Question) -> None:
    """Raise where a strategy or a rule does not go with so many classes."""
    if question.strategy in {"adaptive", "lead-by-two"} and question.classes > TWO_CLASSES:
        raise OptionError(f"--strategy {question.strategy} goes with two classes: leave out --classes.")
    if question.even == "strict" and question.classes > TWO_CLASSES:
        raise OptionError("--even strict goes with two classes: with more, tied labels are settled by a draw.")
    if question.both_wrong is not None and question.classes == TWO_CLASSES:
        raise OptionError("--both-wrong goes with --classes above 2: with two, models that are both wrong agree.")
