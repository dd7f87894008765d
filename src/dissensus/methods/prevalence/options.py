"""Options of `prevalence`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dissensus.data import Task
from dissensus.data.labels import option_name
from dissensus.data.task import PAIRWISE_OPTIONS
from dissensus.errors import OptionError
from dissensus.options import Options, confidence_option, named, option
from dissensus.sampling.raters import RatersAs, raters_option

Target = Literal["share", "decision"]
TARGETS: tuple[Target, ...] = ("share", "decision")
IntervalName = Literal["wilson", "normal"]
INTERVALS: tuple[IntervalName, ...] = ("wilson", "normal")
Method = Literal["naive", "people", "rogan-gladen", "ppi", "ppi++"]
METHODS: tuple[Method, ...] = ("naive", "people", "rogan-gladen", "ppi", "ppi++")


@dataclass(frozen=True, kw_only=True)
class PrevalenceOptions(Options):
    """What the user asked for, as in `prevalence`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to take; may be repeated.")
    positive: tuple[str, ...] | None = option(
        None, metavar="LABEL", help="A label that is counted; may be repeated.", label="Label to count"
    )
    half: tuple[str, ...] | None = option(
        None,
        metavar="LABEL",
        help="A label that counts half, e.g. a tie; may be repeated.",
        label="Label to count half",
    )
    target: Target = option(
        "share", choices=TARGETS, metavar="T",
        help=f"What an item counts: share (of raters who say LABEL) or decision (1 if {named('tau')} of them do).",
    )  # fmt: skip
    tau: float = option(
        0.5, above=0, at_most=1, wants="it is a share above 0 and at most 1", metavar="T",
        help="Share at which an item is decided positive.",
    )  # fmt: skip
    interval: IntervalName = option(
        "wilson", choices=INTERVALS, metavar="I", help="wilson, or normal (standard errors to each side)."
    )
    raters: RatersAs | None = raters_option()
    confidence: float = confidence_option()

    def check(self) -> None:
        """Raise where a name is missing or counts twice."""
        if self.judge == ():
            raise OptionError("No judge was named: name at least one, or leave judge out to take all of them.")
        if not self.positive:
            raise OptionError(
                f"Say which label is counted with {named('positive')}; it may be repeated for several labels."
            )
        if both := set(self.positive) & set(self.half or ()):
            raise OptionError(f"{min(both)!r} cannot count as positive and as half: name it once.")


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
