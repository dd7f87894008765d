"""Options of `prevalence` and what it returns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from dissensus.data import Task
from dissensus.data.labels import option_name
from dissensus.data.task import PAIRWISE_OPTIONS
from dissensus.errors import OptionError
from dissensus.options import Options, confidence_option, named, option
from dissensus.results import Result, as_dict
from dissensus.sampling.raters import RatersAs, raters_option

Target = Literal["share", "decision"]
TARGETS: tuple[Target, ...] = ("share", "decision")
IntervalName = Literal["wilson", "normal"]
INTERVALS: tuple[IntervalName, ...] = ("wilson", "normal")
Method = Literal["naive", "people", "rogan-gladen", "ppi", "ppi++"]


@dataclass(frozen=True, kw_only=True)
class PrevalenceOptions(Options):
    """What the user asked for, as in `prevalence`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to take; may be repeated.")
    positive: tuple[str, ...] | None = option(None, metavar="LABEL", help="A label that is counted; may be repeated.")
    half: tuple[str, ...] | None = option(
        None,
        metavar="LABEL",
        help="A label that counts half, e.g. a tie; may be repeated.",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One estimate and its interval; NaN where it is undefined."""

    method: Method  # naive (the judge alone), people (their ratings alone), rogan-gladen, ppi or ppi++
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScore:
    """One of the systems that were compared in pairs."""

    system: str
    items: int  # pairs that it is in
    rated_items: int  # those of them that people rated
    win_rates: tuple[Estimate, ...]  # how often it wins, a tie being half a win
    strengths: tuple[Estimate, ...]  # Bradley-Terry: log-odds to win against a system of strength 0, the mean of all


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePrevalence:
    """The share of positive items, with the help of one judge."""

    judge: str
    items: int  # that the judge answered
    rated_items: int  # those of them that people rated
    ratings: int  # of these
    estimates: tuple[Estimate, ...]  # one for each method
    ratings_saved: float  # how many more ratings people alone would need for the interval of ppi++
    weight: float  # with which ppi++ takes the judge: 0 not at all, 1 fully
    sensitivity: float  # chance that the judge agrees with a rater who says yes,
    specificity: float  # and with one who says no
    systems: tuple[SystemScore, ...] | None = None  # for pairs of systems

    def estimate(self, method: Method) -> Estimate:
        """The estimate by this method."""
        return next(estimate for estimate in self.estimates if estimate.method == method)


@dataclass(frozen=True, kw_only=True)
class PrevalenceResult(Result):
    """How many items are positive?

    Attributes
    ----------
    judges : tuple of JudgePrevalence
        Those that save the most ratings first.
    positive, half : tuple of str
        Labels that count as one, and as a half.
    target : str
        Whether an item counts by the share of its raters or by their decision.
    """

    command: ClassVar[str] = "prevalence"

    judges: tuple[JudgePrevalence, ...]
    positive: tuple[str, ...]
    half: tuple[str, ...]
    target: Target
    tau: float

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return {"judges": [as_dict(judge) for judge in self.judges]}

    def rows(self) -> list[dict[str, object]]:
        """One row per judge and method."""
        return [
            {"judge": judge.judge, **as_dict(estimate), "ratings_saved": judge.ratings_saved}
            for judge in self.judges
            for estimate in judge.estimates
        ]
