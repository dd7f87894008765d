"""Options of `gate` and what it returns."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from dissensus.errors import OptionError
from dissensus.methods.compare.metrics import METRICS, MetricName
from dissensus.methods.equivalence.options import COMBINERS, Calibration, Combiner, calibrate_option
from dissensus.methods.equivalence.result import Verdict as Place
from dissensus.methods.equivalence.scores import SCORES, ScoreName
from dissensus.options import Options, confidence_option, named, option
from dissensus.results import Result, as_dict
from dissensus.sampling.raters import RatersAs, raters_option

POWER = 0.8
"""Chance with which more items settle a check, if the estimate is right."""
SHARE = "it is a share from 0 to 1"


@dataclass(frozen=True, kw_only=True)
class GateOptions(Options):
    """What the judge must keep to, as in `gate`."""

    judge: tuple[str, ...] = option(metavar="J", help="The judge at the gate.")
    min_equivalence: float | None = option(
        None, metavar="X", at_least=0, wants="it is a number of raters",
        help="It must be worth at least this many raters.",
    )  # fmt: skip
    min_consistency: float | None = option(
        None, metavar="X", at_least=0, at_most=1, wants=SHARE,
        help="It must decide at least this share of the items as people do.",
    )  # fmt: skip
    tau: float = option(
        0.5, metavar="T", above=0, at_most=1, wants="give a share above 0 and at most 1, such as 0.5",
        help="Share of raters at which an item is positive.",
    )  # fmt: skip
    max_bias: float | None = option(
        None, metavar="X", at_least=0, at_most=1, wants=SHARE,
        help="Its share of positive decisions may differ from people's by at most this.",
    )  # fmt: skip
    better_than: tuple[str, ...] = option((), metavar="J", help="It must be better than this judge; may be repeated.")
    not_worse_than: tuple[str, ...] = option(
        (), metavar="J", help=f"It may be at most {named('margin')} worse than this judge; may be repeated."
    )
    margin: float | None = option(
        None, metavar="D", above=0, wants="give a number above 0, in units of the metric",
        help="How much worse, in units of the metric.",
    )  # fmt: skip
    metric: MetricName | None = option(
        None, metavar="M", choices=METRICS,
        help="Metric of the comparisons with judges, as in `compare`; chosen if not given.",
    )  # fmt: skip
    positive: tuple[str, ...] = option((), metavar="LABEL", help="An option that counts as positive; may be repeated.")
    score: ScoreName | None = option(
        None, metavar="S", choices=SCORES,
        help=f"Score of {named('min_equivalence')}, as in `equivalence`; chosen if not given.",
    )  # fmt: skip
    combiner: Combiner | None = option(
        None, metavar="C", choices=COMBINERS, help=f"Combiner of {named('min_equivalence')}; chosen if not given."
    )
    calibrate: Calibration = calibrate_option()
    min_items: int = option(
        30, metavar="N", at_least=1, wants="at least one is needed",
        help="Equivalence and comparisons on fewer items are inconclusive.",
    )  # fmt: skip
    raters: RatersAs | None = raters_option()
    bootstrap: int = option(
        500, metavar="N", at_least=1, limit="samples", help="Bootstrap samples.",
        wants="the bound of an interval decides, so give a number of samples",
    )  # fmt: skip
    confidence: float = confidence_option()
    has_baseline: bool = False  # whether earlier answers are given, which `margin` goes with as well

    def check(self) -> None:
        """Raise where nothing is asked for, or two options contradict each other."""
        if not self.judge:
            raise OptionError("No judge was named: name the judge at the gate.")
        if len(self.judge) > 1:
            raise OptionError(
                f"{named('judge')} was given more than once: a gate is for one judge, so run it for each of them."
            )
        others = (*self.better_than, *self.not_worse_than)
        has_others = bool(others) or self.has_baseline
        if self.min_equivalence is self.min_consistency is self.max_bias is None and not has_others:
            raise OptionError(
                f"A gate needs a threshold: give {named('min_equivalence')}, {named('min_consistency')}, "
                f"{named('max_bias')}, {named('better_than')}, or {named('not_worse_than')} or "
                f"{named('baseline')} with {named('margin')}."
            )
        if self.judge[0] in others:
            raise OptionError(f"The judge {self.judge[0]} cannot be compared with itself: name another judge.")
        if (self.not_worse_than or self.has_baseline) and self.margin is None:
            name = named("not_worse_than" if self.not_worse_than else "baseline")
            raise OptionError(
                f"{name} needs {named('margin')}: how much worse the judge may be, in units of the "
                "metric (information is in bits; wins and accuracy are shares: 0.05 is five percentage points)."
            )
        if self.margin is not None and not (self.not_worse_than or self.has_baseline):
            raise OptionError(
                f"{named('margin')} goes with {named('not_worse_than')} or {named('baseline')}: say what it is about."
            )

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON, and the power of what is said about more items."""
        return super().settings() | {"judge": self.judge[0], "power": POWER}


Verdict = Literal["pass", "fail", "inconclusive"]
Missing = Literal["items", "ratings", "raters", "distance", "score"]
"""What would settle a check: more items, further ratings of items, more raters, a threshold elsewhere, a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """What a constant answer would find at the same threshold."""

    judge: str  # which constant
    value: float  # what it would find, with its interval
    low: float
    high: float
    verdict: Verdict  # what the check would say of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruler:
    """What the best constant answer or one more person would find, in the units of the check."""

    value: float
    answer: str | None = None  # what the constant answers; None of a person, and where it is the shares of the labels
    # Of a person's decisions, which are compared with panels without that person: what the judge finds there.
    judge: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One threshold, and whether the judge keeps to it."""

    check: str  # the option that asked for it
    threshold: float  # what was asked for; of a comparison the smallest difference: 0, or the margin with a minus
    # What was found and its interval; infinite where a judge is worse than nobody or better than the largest survey,
    # NaN where it is undefined. Of a comparison the difference of the scores, positive where the judge is better.
    value: float
    low: float
    high: float
    verdict: Verdict  # by the bound of the interval
    items: int  # on which it rests
    # How many more would settle an inconclusive check, if the estimate is right; None where that is unknown or nothing
    # is to be settled.
    more_items: int | None
    measure: str  # of what: the score of an equivalence, the metric of a comparison, else the name of the quantity
    against: str | None = None  # the other judge of a comparison
    tau: float | None = None  # share of raters at which an item is decided positive
    # Of an equivalence: `below 0`, `within` or `above K`, of the estimate and of both ends of the interval.
    place: Place | None = None
    low_verdict: Place | None = None
    high_verdict: Place | None = None
    largest: int | None = None  # of an equivalence: K, the largest survey
    p_value: float | None = None  # of a comparison
    calibrate: str | None = None  # how the answers were turned into people's terms, where the measure does so
    missing: Missing | None = None  # what would settle an inconclusive check
    each: int | None = None  # of an equivalence: ratings that an item needs to count
    constant: Ruler | None = None  # the best constant answer, and one more person
    person: Ruler | None = None
    constants: tuple[Constant, ...] = ()  # of a check of decisions: what always positive and always negative would find

    @property
    def as_good(self) -> tuple[Constant, ...]:
        """The constants that would pass a check that the judge passes."""
        return tuple(constant for constant in self.constants if self.verdict == constant.verdict == "pass")


@dataclass(frozen=True, kw_only=True)
class GateResult(Result):
    """May this judge pass?

    Attributes
    ----------
    judge : str
        The judge at the gate.
    checks : tuple of Check
        One for each threshold.
    """

    command: ClassVar[str] = "gate"

    judge: str
    checks: tuple[Check, ...]

    @property
    def verdict(self) -> Verdict:
        """`fail` if one check fails, else `inconclusive` if one is, else `pass`."""
        verdicts = {check.verdict for check in self.checks}
        return "fail" if "fail" in verdicts else "inconclusive" if "inconclusive" in verdicts else "pass"

    @property
    def passes(self) -> bool:
        """Whether every check passes."""
        return self.verdict == "pass"

    def __bool__(self) -> bool:
        """Whether every check passes, so that `assert gate(...)` does what it seems to."""
        return self.passes

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return {"judge": self.judge, "verdict": self.verdict, "checks": self.rows()}

    def rows(self) -> list[dict[str, object]]:
        """One row per check."""
        return [as_dict(check) for check in self.checks]
