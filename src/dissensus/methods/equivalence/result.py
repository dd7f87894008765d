"""What `equivalence` returns."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypedDict

from dissensus.methods.parts.result import WorthEvidence
from dissensus.results import Result, as_dict

FLATTEST = 1e-9
"""A curve that rises less is flat."""
WIDE = (0.5, 5.0)
"""An interval of raters as wide as that supports one decimal, or none."""
Verdict = Literal["below 0", "within", "above K"]
"""Where a judge is, on a curve of 0 to K raters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """Score of a survey of this many raters; NaN bounds where there is no interval."""

    raters: int
    score: float
    low: float
    high: float
    items: int  # how many items have enough ratings for it
    gain_low: float = float("nan")  # of what it scores beyond asking nobody
    gain_high: float = float("nan")
    # Of the score, where surveys were sampled because there are too many; NaN where it is exact.
    standard_error: float = float("nan")

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        names = ("raters", "score", "low", "high", "gain_low", "gain_high", "items")
        exact = {name: getattr(self, name) for name in names}
        return exact if math.isnan(self.standard_error) else exact | {"standard_error": self.standard_error}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeWorth:
    """How many raters a judge is worth."""

    judge: str
    calibrated: bool  # whether its outputs were calibrated
    score: float
    low: float
    high: float
    gain_low: float = float("nan")  # of what it scores beyond asking nobody
    gain_high: float = float("nan")
    equivalence: float  # survey equivalence; NaN unless the verdict is `within`
    # The fewest raters whose survey scores at least as well; None unless the verdict is `within`.
    equivalence_raters: int | None
    # Ends of the interval and where they are; NaN where an end is off the curve, NaN and None without an interval.
    equivalence_low: float
    equivalence_high: float
    verdict: Verdict | None  # `below 0`, `within` or `above K`; None if the judge's score is undefined
    low_verdict: Verdict | None = None
    high_verdict: Verdict | None = None
    # Share of the bootstrap samples in which the judge is worse than nobody, or better than K raters.
    share_below: float
    share_above: float
    # Its information as a share of the ceiling; None unless the ceiling was asked for.
    performance_ratio: float | None = None
    performance_ratio_low: float | None = None
    performance_ratio_high: float | None = None

    @property
    def name(self) -> str:
        """The judge, and whether it was calibrated."""
        return f"{self.judge} (calibrated)" if self.calibrated else self.judge

    @property
    def is_shown(self) -> bool:
        """Whether the judge is shown to be better than asking nobody: by its interval; without one by the estimate."""
        if self.low_verdict is None:
            return self.verdict != "below 0" and not self.equivalence <= 0
        return self.low_verdict == "above K" or self.equivalence_low > 0


def worth_decimals(value: float, low: float, high: float) -> int:
    """How many decimals of a number of raters its interval supports; ends off the curve are NaN.

    >>> worth_decimals(0.51, 0.42, 0.6), worth_decimals(0.87, 0.57, 1.42), worth_decimals(6.3, 2.9, 9.7)
    (2, 1, 0)
    """
    known = [end for end in (value, low, high) if math.isfinite(end)]
    width = round(max(known, default=0.0) - min(known, default=0.0), 6)
    return 2 - sum(width >= limit for limit in WIDE)


class EndFields(TypedDict):
    """Both ends of the interval of a worth, and where they are."""

    equivalence_low: float
    equivalence_high: float
    low_verdict: Verdict | None
    high_verdict: Verdict | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BestJudge:
    """The judge with the best score, with intervals that hold although it was picked for it."""

    judge: str
    calibrated: bool
    score: float
    low: float
    high: float
    equivalence: float
    equivalence_low: float
    equivalence_high: float
    verdict: Verdict | None
    low_verdict: Verdict | None
    high_verdict: Verdict | None
    candidates: tuple[str, ...]  # judges that cannot be told apart from the best, the best first


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeDifference:
    """How much more one judge is worth than another, in raters; NaN where one of them is off the curve."""

    judge_a: str
    judge_b: str
    difference: float
    low: float
    high: float
    share_a_better: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AmateurPoint:
    """Score of a survey of this many amateurs, and how many experts it is worth (NaN where that is off their curve)."""

    raters: int
    score: float
    low: float
    high: float
    gain_low: float = float("nan")  # of what it scores beyond asking nobody
    gain_high: float = float("nan")
    worth_experts: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """What no survey and no judge can exceed, in bits, and the curve beyond the data."""

    gain: float
    low: float
    high: float
    curve: tuple[CurvePoint, ...]

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        points = [{"raters": p.raters, "gain": p.score, "low": p.low, "high": p.high} for p in self.curve]
        return {"gain": self.gain, "low": self.low, "high": self.high, "curve": points}


@dataclass(frozen=True, kw_only=True)
class EquivalenceResult(Result):
    """How many raters is each judge worth?"""

    command: ClassVar[str] = "equivalence"

    curve: tuple[CurvePoint, ...]
    judges: tuple[JudgeWorth, ...]
    best: BestJudge | None = None
    differences: tuple[JudgeDifference, ...] = ()
    amateurs: tuple[AmateurPoint, ...] | None = None
    ceiling: Ceiling | None = None
    evidence: WorthEvidence | None = None  # samples that the parts of a file share; for what they say together

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON, without the samples."""
        return {name: value for name, value in super().as_dict().items() if name != "evidence"}

    @property
    def ranked(self) -> list[JudgeWorth]:
        """One entry for each judge, calibrated if it was calibrated, the best first."""
        return ranked_judges(self.judges)

    @property
    def picked(self) -> JudgeWorth | None:
        """The best judge, with the ends of an interval that holds although it was picked, where they are known."""
        first = next(iter(self.ranked), None)
        if first is None or self.best is None:
            return first
        best = self.best
        return replace(
            first, low=best.low, high=best.high, equivalence_low=best.equivalence_low, low_verdict=best.low_verdict,
            equivalence_high=best.equivalence_high, high_verdict=best.high_verdict,
        )  # fmt: skip

    def bounded_worth(self, judge: str) -> float:
        """What a judge is worth in raters, for tools that need a number: 0 below the curve, its end above it.

        NaN where the judge's score is undefined.
        """
        worth = next(one for one in self.ranked if one.judge == judge)
        ends = {None: math.nan, "below 0": 0.0, "within": worth.equivalence}
        return ends.get(worth.verdict, float(self.curve[-1].raters))

    @property
    def is_flat(self) -> bool:
        """Whether surveys of any size predict the same, so that a judge's place among them means nothing."""
        known = [point.score for point in self.curve if math.isfinite(point.score)]
        return len(known) > 1 and max(known) - min(known) < FLATTEST

    @property
    def is_any_shown(self) -> bool | None:
        """Whether a judge is shown to be better than asking nobody; None where that is no question, or has no answer.

        By the interval of the best judge; without one by the estimate.
        """
        # On a curve that ends with nobody asked a judge that is better has no place, but it has a score.
        is_nobody, best = not self.curve[-1].raters, self.picked
        if self.is_flat or best is None or not (best.verdict or (is_nobody and math.isfinite(best.score))):
            return None
        return best.is_shown

    def rows(self) -> list[dict[str, object]]:
        """One row per judge, with the bits gained over asking nobody where the score is cross-entropy."""
        return [as_dict(worth) | gained(worth, self.curve, self.settings) for worth in self.judges]


def gained(worth: JudgeWorth, curve: Sequence[CurvePoint], settings: Mapping[str, object]) -> dict[str, float]:
    """A judge's cross-entropy as it is printed: bits gained over asking nobody; nothing for other scores."""
    if settings.get("score", "cross-entropy") != "cross-entropy":
        return {}
    nobody = curve[0].score
    return {"gain": worth.score - nobody, "gain_low": worth.low - nobody, "gain_high": worth.high - nobody}


def ranked_judges(worths: Iterable[JudgeWorth]) -> list[JudgeWorth]:
    """One entry for each judge, calibrated if it was calibrated, the best first."""
    by_name = {worth.judge: worth for worth in worths}  # calibrated judges come after themselves raw
    return sorted(by_name.values(), key=lambda w: -w.score if math.isfinite(w.score) else math.inf)
