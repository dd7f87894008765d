"""What `prevalence` returns."""

from dataclasses import dataclass
from typing import ClassVar

from dissensus.methods.prevalence.options import Method, Target
from dissensus.results import Result, as_dict


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
