from dataclasses import dataclass
from typing import Literal

from dissensus.judges.aggregation import Aggregation

Better = Literal["higher", "lower"]

SHORT: dict[Aggregation, str] = {
    "hard": "h",
    "soft": "s",
    "hard_response_set": "hrs",
    "soft_response_set": "srs",
}
"""As the paper writes them: coverage (h/hrs) has the judge's aggregation first, then people's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A definition of performance: a measure, and how each side's ratings are aggregated for it.

    Attributes
    ----------
    name : str
        The measure.
    judge, human : str
        How the judge's and people's ratings are aggregated.
    better : {"higher", "lower"}
        Which values are better.
    tau : float, optional
        Threshold of hard response sets; None where there are none.
    is_one_of_many : bool
        Whether the measure comes with several aggregations or thresholds, so that its id must say which.
    """

    name: str
    judge: Aggregation
    human: Aggregation
    better: Better
    tau: float | None = None
    is_one_of_many: bool = False

    @property
    def id(self) -> str:
        """The measure's name, with the aggregations and the threshold where it comes with several.

        Examples
        --------
        >>> Definition(name="coverage", judge="hard", human="hard_response_set", better="higher", tau=0.5,
        ...            is_one_of_many=True).id
        'coverage_h_hrs_0.5'
        """
        if not self.is_one_of_many:
            return self.name
        threshold = "" if self.tau is None else f"_{self.tau:.12g}"
        return f"{self.name}_{SHORT[self.judge]}_{SHORT[self.human]}{threshold}"

    @property
    def needs_choices(self) -> bool:
        """Whether people's side is made of forced choices."""
        return self.human in {"hard", "soft"}

    @property
    def sign(self) -> float:
        """1 where higher is better, -1 where lower is."""
        return 1.0 if self.better == "higher" else -1.0
