"""What the user asked for, checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dissensus.data import Task
from dissensus.data.labels import option_name
from dissensus.data.task import PAIRWISE_OPTIONS
from dissensus.errors import OptionError
from dissensus.sampling.intervals import check_confidence

Target = Literal["share", "decision"]
TARGETS: tuple[Target, ...] = ("share", "decision")
IntervalName = Literal["wilson", "normal"]
INTERVALS: tuple[IntervalName, ...] = ("wilson", "normal")
Method = Literal["naive", "people", "rogan-gladen", "ppi", "ppi++"]
METHODS: tuple[Method, ...] = ("naive", "people", "rogan-gladen", "ppi", "ppi++")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the user asked for, as in `prevalence`."""

    judge: tuple[str, ...] | None
    positive: tuple[str, ...]
    half: tuple[str, ...]
    target: Target
    tau: float
    interval: IntervalName
    confidence: float

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def check_question(question: Question) -> None:
    """Raise where an option has a value it cannot have, or is missing."""
    if question.target not in TARGETS:
        raise OptionError.unknown("--target", question.target, TARGETS)
    if question.interval not in INTERVALS:
        raise OptionError.unknown("--interval", question.interval, INTERVALS)
    if question.judge == ():
        raise OptionError("No judge was named: name at least one, or leave judge out to take all of them.")
    if not question.positive:
        raise OptionError("Say which label is counted with --positive; it may be repeated for several labels.")
    if both := set(question.positive) & set(question.half):
        raise OptionError(f"{min(both)!r} cannot count as positive and as half: name it once.")
    if not 0 < question.tau <= 1:
        raise OptionError(f"--tau cannot be {question.tau:g}: it is a share above 0 and at most 1.")
    check_confidence(question.confidence)


def counted_labels(
    positive: str | Sequence[str] | None, half: str | Sequence[str] | None, task: Task | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels that count as one and as a half: those named, else those of the task; in a pairwise task win and tie.

    Examples
    --------
    >>> counted_labels("1.0", None, None)
    (('1',), ())
    """
    win, tie, _ = PAIRWISE_OPTIONS
    is_pairwise = task is not None and task.kind == "pairwise"
    ones, halves = _names(positive), _names(half)
    if ones is None:
        ones = () if task is None else task.positive or ((win,) if is_pairwise else ())
    if halves is None:
        halves = (tie,) if is_pairwise and tie not in ones else ()
    return ones, halves


def _names(labels: str | Sequence[str] | None) -> tuple[str, ...] | None:
    if labels is None:
        return None
    return tuple(dict.fromkeys(option_name(label) for label in ([labels] if isinstance(labels, str) else labels)))
