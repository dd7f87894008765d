"""What `alt_test` returns."""

import math
from dataclasses import dataclass
from typing import ClassVar

from dissensus.methods.alt_test.options import Score, Test
from dissensus.results import Result, as_dict


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterTest:
    """A judge in the place of one rater.

    Attributes
    ----------
    items : int
        That the rater, another rater and the judge labelled.
    p_value : float
        Of the hypothesis that the rater is closer to the others than the judge by epsilon or more.
    p_adjusted : float
        The same, by Benjamini and Yekutieli for all raters together.
    rejected : bool
        Whether `p_adjusted` is at most alpha: the judge wins against this rater.
    judge_at_least_as_close, rater_at_least_as_close : float
        Share of the items on which the one is at least as close to the remaining raters as the other.
    difference, low, high : float
        The rater's share less the judge's, and its interval by t: its upper end is below epsilon where the t-test of
        this rater alone finds something at alpha. NaN where the items do not differ.
    test : str
        That the p-value comes from.
    """

    rater: str
    items: int
    p_value: float
    p_adjusted: float
    rejected: bool
    judge_at_least_as_close: float
    rater_at_least_as_close: float
    difference: float
    low: float
    high: float
    test: Test


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTest:
    """Can this judge replace a rater?

    Attributes
    ----------
    winning_rate : float
        Share of the raters against whom the judge wins; NaN where no rater has enough items.
    advantage : float
        Mean over raters of the chance that the judge is at least as close to the others as the rater.
    replaces : bool or None
        Whether the winning rate is one half or more; None where it is undefined.
    beats_constant : bool or None
        Whether its advantage is above that of always giving the same answer; None where one is undefined.
    winning_rate_low, winning_rate_high : float
        Interval of the winning rate among raters like these; NaN where raters are fixed.
    """

    judge: str
    winning_rate: float
    advantage: float
    replaces: bool | None
    raters: tuple[RaterTest, ...]
    beats_constant: bool | None = None
    winning_rate_low: float = math.nan
    winning_rate_high: float = math.nan

    @property
    def won(self) -> int:
        """Against how many raters the judge wins."""
        return sum(rater.rejected for rater in self.raters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What was not tested.

    Attributes
    ----------
    items : int
        With fewer ratings than were asked for.
    raters : tuple of (str, str, int)
        Judge, rater and how many items they share, where these are too few.
    """

    items: int
    raters: tuple[tuple[str, str, int], ...]

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        raters = [{"judge": judge, "rater": rater, "items": items} for judge, rater, items in self.raters]
        return {"items": self.items, "raters": raters}


@dataclass(frozen=True, kw_only=True)
class AltTestResult(Result):
    """Can a judge replace a rater?

    Attributes
    ----------
    judges : tuple of JudgeTest
        The one with the largest advantage first.
    baseline : JudgeTest
        Always giving the same answer: its `judge` is that answer.
    dropped : Dropped
        Items and raters that are not in the test.
    """

    command: ClassVar[str] = "alt-test"

    judges: tuple[JudgeTest, ...]
    baseline: JudgeTest
    score: Score
    epsilon: float
    dropped: Dropped

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        constant = self.baseline
        return {
            "judges": [as_dict(judge) for judge in self.judges],
            "baseline": {
                "answer": constant.judge,
                "winning_rate": constant.winning_rate,
                "advantage": constant.advantage,
                "replaces": constant.replaces,
            },
            "dropped": self.dropped.as_dict(),
        }

    def rows(self) -> list[dict[str, object]]:
        """One row per judge and rater."""
        return [{"judge": judge.judge, **as_dict(rater)} for judge in self.judges for rater in judge.raters]
