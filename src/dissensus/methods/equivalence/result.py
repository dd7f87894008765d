"""What `equivalence` returns."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from dissensus.results import Result, as_dict

FLATTEST = 1e-9
"""A curve that rises less is flat."""
Verdict = Literal["below 0", "within", "above K"]
"""Where a judge is, on a curve of 0 to K raters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """Score of a survey of so many raters; NaN bounds where there is no interval."""

    raters: int
    score: float
    low: float
    high: float
    items: int  # how many items have enough ratings for it
    # Of the score, where surveys were sampled because there are too many; NaN where it is exact.
    standard_error: float = float("nan")

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        exact = {name: getattr(self, name) for name in ("raters", "score", "low", "high", "items")}
        return exact if math.isnan(self.standard_error) else exact | {"standard_error": self.standard_error}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeWorth:
    """How many raters a judge is worth."""

    judge: str
    calibrated: bool  # whether its outputs were calibrated
    score: float
    low: float
    high: float
    equivalence: float  # survey equivalence; NaN unless the verdict is `within`
    # The fewest raters whose survey scores at least as well; None unless the verdict is `within`.
    equivalence_raters: int | None
    equivalence_low: float
    equivalence_high: float
    verdict: Verdict | None  # `below 0`, `within` or `above K`; None if the judge's score is undefined
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
    def reach(self) -> float | None:
        """The end of the interval of a judge off the curve that lies on it, if one does."""
        end = {"below 0": self.equivalence_high, "above K": self.equivalence_low}.get(str(self.verdict), math.nan)
        return end if math.isfinite(end) else None


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
    """Score of a survey of so many amateurs, and how many experts it is worth (NaN where that is off their curve)."""

    raters: int
    score: float
    low: float
    high: float
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
    differences: tuple[JudgeDifference, ...] = ()
    amateurs: tuple[AmateurPoint, ...] | None = None
    ceiling: Ceiling | None = None

    @property
    def ranked(self) -> list[JudgeWorth]:
        """One entry for each judge, calibrated if it was calibrated, the best first."""
        by_name = {worth.judge: worth for worth in self.judges}  # calibrated judges come after themselves raw
        return sorted(by_name.values(), key=lambda w: -w.score if math.isfinite(w.score) else math.inf)

    @property
    def is_flat(self) -> bool:
        """Whether surveys of any size predict the same, so that a judge's place among them means nothing."""
        known = [point.score for point in self.curve if math.isfinite(point.score)]
        return len(known) > 1 and max(known) - min(known) < FLATTEST

    @property
    def is_any_shown(self) -> bool | None:
        """Whether a judge is shown to be better than asking nobody; None where that is no question, or has no answer.

        By the interval; without one by the estimate.
        """
        # On a curve that ends with nobody asked a judge that is better has no place, but it has a score.
        is_nobody = not self.curve[-1].raters
        placed = [w for w in self.ranked if w.verdict is not None or (is_nobody and math.isfinite(w.score))]
        if self.is_flat or not placed:
            return None
        has_interval = bool(self.settings.get("bootstrap"))
        return any(_is_shown(worth, has_interval=has_interval) for worth in placed)

    def rows(self) -> list[dict[str, object]]:
        """One row per judge."""
        return [as_dict(worth) for worth in self.judges]


def _is_shown(worth: JudgeWorth, *, has_interval: bool) -> bool:
    if worth.verdict != "within":
        return worth.verdict != "below 0"
    return (worth.equivalence_low if has_interval else worth.equivalence) > 0
