"""What `gate` returns."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from dissensus.methods.equivalence.result import Verdict as Place
from dissensus.results import Result, as_dict

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
