"""Options of `panel` and what it returns."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from dissensus.data.ratings import Elicitation
from dissensus.errors import OptionError
from dissensus.methods.equivalence.options import (
    Calibration,
    EquivalenceOptions,
    calibrate_option,
    clip_option,
    max_raters_option,
)
from dissensus.methods.equivalence.result import CurvePoint, JudgeWorth, Verdict, gained
from dissensus.options import Options, bootstrap_option, confidence_option, elicitation_option, option
from dissensus.results import Result, as_dict
from dissensus.sampling.raters import RatersAs, raters_option

PanelScore = Literal["cross-entropy", "brier", "agreement"]
Method = Literal["plurality", "average", "stacked"]
METHODS: tuple[Method, ...] = get_args(Method)
MOST_LABELS = 40  # with more labels than that probabilities cannot be kept 2% away from certainty


@dataclass(frozen=True, kw_only=True)
class PanelOptions(Options):
    """Who is in the panel, and how its members are combined, as in `panel`."""

    judge: tuple[str, ...] | None = option(
        None, metavar="J", help="A judge to include; may be repeated; all if not given."
    )
    method: tuple[Method, ...] = option(
        METHODS, metavar="M", choices=METHODS,
        help="plurality, average or stacked; may be repeated. All if not given.",
    )  # fmt: skip
    score: PanelScore = option(
        "cross-entropy", metavar="S", choices=get_args(PanelScore), help="cross-entropy (bits), brier or agreement."
    )
    calibrate: Calibration = calibrate_option()
    people: bool = option(default=True, flag="--no-people", help="Do not ask what a judge saves beside people.")
    elicitation: Elicitation | None = elicitation_option()
    max_raters: int | None = max_raters_option()
    clip: float = clip_option()
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()

    def check(self) -> None:
        """Raise where a member is named twice."""
        if self.judge is not None and len(set(self.judge)) < len(self.judge):
            raise OptionError("A judge is named twice: name each member of the panel once.")

    def survey_options(self) -> EquivalenceOptions:
        """How members and panels are compared with surveys."""
        return EquivalenceOptions(
            judge=self.judge, score=self.score, combiner="plurality" if self.score == "agreement" else "abc",
            calibrate=self.calibrate, elicitation=self.elicitation, max_raters=self.max_raters, clip=self.clip,
            raters=self.raters, bootstrap=self.bootstrap, confidence=self.confidence, seed=self.seed,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelWorth:
    """What several judges together are worth."""

    method: Method  # how they are combined
    judges: tuple[str, ...]  # the members
    worth: JudgeWorth  # its score and how many raters it is worth
    best_judge: str  # the member with the best score
    difference: float  # how many raters more it is worth than that member; NaN where one of them is off the curve
    low: float
    high: float
    # Share of the bootstrap samples in which it scores better than that member; NaN without samples.
    share_better: float

    def is_better(self, confidence: float) -> bool:
        """Whether it is shown to be better than its best member.

        By the interval of the difference in raters, or where one of them is off the curve by the share of the samples.
        """
        return self.low > 0 if math.isfinite(self.low) else self.share_better >= (1 + confidence) / 2

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {
            "panel": self.method, "judges": list(self.judges), **_worth(self.worth), "best_judge": self.best_judge,
            "difference": self.difference, "difference_low": self.low, "difference_high": self.high,
            "share_better": self.share_better,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleAndJudge:
    """What a survey of one person or more with a judge beside it is worth; intervals are for these raters alone."""

    beside: str  # the judge, or `panel` for the stacked panel
    raters: int  # how many people are asked
    people_score: float  # without the judge, and with it; both learned in the same way, which is not that of the curve
    score: float
    gain: float  # with it less without it
    gain_low: float
    gain_high: float
    # How many people without a judge score as well; infinite where that is off the curve, NaN without intervals.
    worth: float
    low: float
    high: float
    verdict: Verdict | None  # whether the worth is on the curve, and whether the ends of its interval are
    low_verdict: Verdict | None
    high_verdict: Verdict | None
    items: int  # on which this rests

    @property
    def saved(self) -> float:
        """How many raters the judge saves."""
        return self.worth - self.raters

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        ends = {"saved_low": self.low - self.raters, "saved_high": self.high - self.raters}
        return as_dict(self) | {"saved": self.saved} | ends


@dataclass(frozen=True, kw_only=True)
class PanelResult(Result):
    """What are several judges worth together, and beside people?

    Attributes
    ----------
    curve : tuple of CurvePoint
        Score of this many raters.
    judges : tuple of JudgeWorth
        The members.
    panels : tuple of PanelWorth
        Ways to combine them; empty for one judge.
    people_and_judge : tuple of PeopleAndJudge
        Surveys with each member beside them, and with the stacked panel.
    """

    command: ClassVar[str] = "panel"

    curve: tuple[CurvePoint, ...]
    judges: tuple[JudgeWorth, ...]
    panels: tuple[PanelWorth, ...]
    people_and_judge: tuple[PeopleAndJudge, ...]

    @property
    def rulers(self) -> dict[str, float]:
        """What always the same answer and one more person are worth, by definition: asking nobody, and asking one."""
        return {"constant": 0.0, "person": 1.0}

    @property
    def ranked(self) -> list[JudgeWorth]:
        """The members with a score, the best first."""
        return sorted((worth for worth in self.judges if math.isfinite(worth.score)), key=lambda worth: -worth.score)

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        judges = [{"judge": worth.judge, **_worth(worth)} for worth in self.judges]
        rulers = {name: {"equivalence": worth} for name, worth in self.rulers.items()}
        return super().as_dict() | {"judges": judges} | rulers

    def rows(self) -> list[dict[str, object]]:
        """One row per member and panel, with the bits gained over asking nobody where the score is cross-entropy."""
        all_worths = [(worth.judge, False, worth) for worth in self.judges]
        all_worths += [(panel.method, True, panel.worth) for panel in self.panels]
        return [
            {"name": name, "is_panel": is_panel, **_worth(worth), **gained(worth, self.curve, self.settings)}
            for name, is_panel, worth in all_worths
        ]


def _worth(worth: JudgeWorth) -> dict[str, object]:
    """What is said about members and panels."""
    names = ("score", "low", "high", "equivalence", "equivalence_raters", "equivalence_low", "equivalence_high",
             "verdict", "low_verdict", "high_verdict", "share_below", "share_above")  # fmt: skip
    return {name: getattr(worth, name) for name in names}
