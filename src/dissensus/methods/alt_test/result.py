"""Options of `alt_test` and what it returns."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from dissensus.errors import OptionError
from dissensus.options import Options, option
from dissensus.results import Result, as_dict
from dissensus.sampling.raters import RatersAs, raters_option

Score = Literal["accuracy", "rmse", "similarity"]
SCORES: tuple[Score, ...] = ("accuracy", "rmse", "similarity")
Test = Literal["auto", "t", "sign-flip", "exact"]
TESTS: tuple[Test, ...] = ("auto", "t", "sign-flip", "exact")
FEW_ITEMS = 30  # with fewer items of a rater the authors do not trust the t-test; `auto` then flips signs


@dataclass(frozen=True, kw_only=True)
class AltTestOptions(Options):
    """What the user asked for, as in `alt_test`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to test; may be repeated.")
    epsilon: float = option(
        0.1,
        metavar="E",
        at_least=0,
        below=1,
        wants="it is a share from 0 to below 1; the authors take 0.2 for experts, 0.15 for skilled raters and 0.1 for "
        "crowd workers",
        help="Head start of the judge: .2 against experts, .15 skilled raters, .1 a crowd.",
    )
    score: Score = option(
        "accuracy",
        metavar="S",
        choices=SCORES,
        help="How close answers are: accuracy, rmse or similarity (response sets).",
    )
    test: Test = option(
        "auto",
        metavar="T",
        choices=TESTS,
        help="For each rater: auto (t, sign-flip below 30 items), t, sign-flip or exact.",
    )
    alpha: float = option(
        0.05, metavar="A", above=0, below=1, wants="it is a share between 0 and 1", help="Expected share of wrong wins."
    )
    min_raters: int = option(
        2, metavar="N", at_least=2, wants="an item needs a rater and another one", help="Ratings that an item needs."
    )
    min_items: int = option(
        30, metavar="N", at_least=2, wants="a test needs two items or more", help="Items that a rater needs."
    )
    raters: RatersAs | None = raters_option()
    same_scale: bool | None = option(
        None, flag="--same-scale", help="Judges' numbers are on the raters' scale, whatever they look like."
    )

    def check(self) -> None:
        """Raise where no judge is named."""
        if self.judge == ():
            raise OptionError("No judge was named: name at least one, or leave judge out to test all of them.")

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON; nothing is drawn at random."""
        return {name: value for name, value in super().settings().items() if name != "seed"}


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
