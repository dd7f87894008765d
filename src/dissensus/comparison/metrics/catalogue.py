"""The metrics by name: what an answer is to them, what an item counts, and which way is better."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from dissensus.comparison.metrics.distances import Floats, absolute_error, sorted_error, squared_error
from dissensus.comparison.metrics.labels import accuracy, cross_entropy
from dissensus.comparison.metrics.ranks import RankCorrelation, rankable
from dissensus.comparison.metrics.scores import MeanScore, RootMeanScore, Score, WinShare

MetricName = Literal["wins", "mae", "rmse", "emd", "emd-binned", "accuracy", "cross-entropy", "spearman"]
METRICS: tuple[MetricName, ...] = (
    "wins", "mae", "rmse", "emd", "emd-binned", "accuracy", "cross-entropy", "spearman",
)  # fmt: skip

Coordinates = Literal["values", "shares", "half-shares", "steps", "bins"]
"""What an answer is as a vector; see `dissensus.comparison.coordinates`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """How a judge is scored.

    Attributes
    ----------
    name : str
        As the user calls it.
    higher_is_better : bool
        Whether a higher score is a better one.
    coordinates : str
        What an answer is as a vector.
    of_item : callable
        From the mean answers of judge and raters, each of shape (..., n_items, n_coordinates), to a number per item.
    score : Score
        From those numbers to a score per judge.
    """

    name: MetricName
    higher_is_better: bool
    coordinates: Coordinates
    of_item: Callable[[Floats, Floats], Floats]
    score: Score

    @property
    def better(self) -> Literal["higher", "lower"]:
        """Which scores are the better ones."""
        return "higher" if self.higher_is_better else "lower"

    @property
    def needs_numbers(self) -> bool:
        """Whether labels must be numbers, or words in a given order."""
        return self.coordinates in {"values", "steps", "bins"}

    @property
    def needs_one_scale(self) -> bool:
        """Whether a judge's numbers must be on the raters' scale."""
        return self.name != "spearman"


def metric_of(name: MetricName, *, has_numbers: bool = True, clip: float = 0.02) -> Metric:
    """The metric of this name.

    Parameters
    ----------
    name : str
        One of METRICS.
    has_numbers : bool
        Whether labels are numbers. Else wins and emd take distributions over labels that are all equally far apart: the
        earth mover's distance is then the total variation distance.
    clip : float
        Of the cross-entropy.
    """
    mean = MeanScore()
    values: Coordinates = "values" if has_numbers else "half-shares"
    steps: Coordinates = "steps" if has_numbers else "half-shares"
    kinds: dict[MetricName, tuple[bool, Coordinates, Callable[[Floats, Floats], Floats], Score]] = {
        "wins": (True, values, absolute_error, WinShare()),
        "mae": (False, "values", absolute_error, mean),
        "rmse": (False, "values", squared_error, RootMeanScore()),
        "emd": (False, steps, absolute_error, mean),
        "emd-binned": (False, "bins", sorted_error, mean),
        "accuracy": (True, "shares", accuracy, mean),
        "cross-entropy": (False, "shares", partial(cross_entropy, clip=clip), mean),
        "spearman": (True, "values", rankable, RankCorrelation()),
    }
    higher_is_better, coordinates, of_item, score = kinds[name]
    return Metric(name=name, higher_is_better=higher_is_better, coordinates=coordinates, of_item=of_item, score=score)
