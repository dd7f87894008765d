"""What `history` returns."""

from dataclasses import dataclass
from typing import ClassVar

from dissensus.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A series at one run."""

    run: int
    at: str  # when it was recorded, or the slice
    value: float  # bits over asking nobody; of people a share
    low: float
    high: float
    worth: float  # in raters, where the run says so
    worth_low: float
    worth_high: float
    worth_verdict: str | None
    verdict: str | None  # of a gate
    # Since the last real change: the last runs less those before, with its confidence sequence; NaN where nothing can
    # be compared.
    difference: float
    difference_low: float
    difference_high: float
    runs: int  # how many of the last runs that compares with those before
    shared: int  # on how many items
    paired: bool  # whether these are the same items with the same ratings
    changed: bool  # whether the change is real


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A judge, or people, over time."""

    name: str  # of the judge, or of what is followed of people
    kind: str  # judge | people
    question: str | None
    points: tuple[Point, ...]

    @property
    def changes(self) -> tuple[Point, ...]:
        """The points with a real change."""
        return tuple(point for point in self.points if point.changed)


@dataclass(frozen=True, kw_only=True)
class HistoryResult(Result):
    """Is the judge still as good?

    Attributes
    ----------
    runs : int
        How many runs the history holds.
    series : tuple of Series
        Each judge over time, then people.
    left_out : tuple of str
        What cannot be compared, and why.
    """

    command: ClassVar[str] = "history"

    runs: int
    series: tuple[Series, ...]
    left_out: tuple[str, ...]

    def rows(self) -> list[dict[str, object]]:
        """One row per series and run."""
        return [
            {"name": own.name, "kind": own.kind, "question": own.question}
            | {name: getattr(point, name) for name in Point.__slots__}
            for own in self.series
            for point in own.points
        ]
