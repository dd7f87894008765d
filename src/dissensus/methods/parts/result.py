"""What a method returns for data in parts: its result for each, what they say together, and how they differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from dissensus.arrays import Floats
from dissensus.results import Result, as_dict
from dissensus.sampling.raters import RaterDraws


class WorthEvidence(NamedTuple):
    """What judges are worth in bootstrap samples that parts share; kept beside a result, not in the JSON."""

    judges: tuple[str, ...]
    worth: Floats  # (n_judges,): infinite off the curve
    largest: int  # the largest survey of the curve
    samples: Floats  # (n_replicates, n_judges): items drawn again, these raters
    deleted: Floats | None  # (n_shuffles + 1, n_groups, n_judges): without each group of raters; None if they are fixed
    raters: tuple[str, ...]  # the rater of each group; empty where groups have several
    draws: RaterDraws | None  # what moves each sample as raters do


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One question, or the items of one slice, and what the method says about it."""

    question: str | None = None
    by: str | None = None  # the attribute
    value: str | None = None  # its value, or its range
    items: int
    result: Result

    @property
    def name(self) -> str:
        """What to call it."""
        return ", ".join(name for name in (self.question, self.value) if name is not None)

    def place(self) -> dict[str, str | None]:
        """The question, and the value of the attribute by its name, as far as there are."""
        asked: dict[str, str | None] = {} if self.question is None else {"question": self.question}
        return asked if self.by is None else {**asked, self.by: self.value}

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them: the question, or the attribute and its value."""
        known = {name: getattr(self, name) for name in ("question", "by", "value") if getattr(self, name) is not None}
        return {**known, "items": self.items, "result": self.result.as_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallJudge:
    """What a judge is worth on average over the questions, counted from 0 to the largest survey of each."""

    judge: str
    worth: float  # NaN where a question has no curve, or the judge no place on it
    at_least: bool  # whether the judge is worth more than the largest survey of a question
    worth_low: float
    worth_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Overall:
    """What questions say together: judges that every question recommends, and the mean of what judges are worth."""

    use: tuple[str, ...]
    judges: tuple[OverallJudge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceDifference:
    """How a judge does in a slice against the other items, by its lead over as many raters as it is worth on all."""

    question: str | None
    value: str
    judge: str
    difference: float  # of the lead, in the score's unit: bits for cross-entropy
    low: float
    high: float
    p_value: float  # allowing for all slices and judges
    finding: Literal["worse", "better"] | None  # None where it could be chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """Whether a judge gets worse, or better, as a number that belongs to the items grows."""

    question: str | None
    judge: str
    correlation: float  # of the number's rank with the judge's lead, item by item
    p_value: float  # allowing for all judges
    finding: Literal["worse", "better"] | None


@dataclass(frozen=True, kw_only=True)
class PartsResult(Result):
    """The result of a method for each question or slice."""

    command: ClassVar[str] = "parts"

    method: str  # the command that was asked for
    parts: tuple[Part, ...]
    overall: Overall | Result | None = None  # of questions what they say together, of slices the result for all items
    differences: tuple[SliceDifference, ...] = ()
    trends: tuple[Trend, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "command", self.method)

    @property
    def shown_as(self) -> str:
        """The view, which is the same for every method."""
        return "parts"

    @property
    def by(self) -> str | None:
        """The attribute that slices come from; None where parts are questions."""
        return self.parts[0].by

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        overall = self.overall.as_dict() if isinstance(self.overall, Result) else self.overall and as_dict(self.overall)
        own: dict[str, object] = {"parts": [part.as_dict() for part in self.parts], "overall": overall}
        if self.by is not None:
            own["differences"] = [as_dict(one) for one in self.differences]
            own["trends"] = [as_dict(one) for one in self.trends]
        return own

    def rows(self) -> list[dict[str, object]]:
        """The rows of each part, with the question or the slice that they are about."""
        return [{**part.place(), **row} for part in self.parts for row in part.result.rows()]

    def __bool__(self) -> bool:
        """Whether the result of every part is true: what `assert gate(...)` asks."""
        return all(part.result for part in self.parts)

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __getitem__(self, name: str) -> Result:
        """The result of the question or slice of this name."""
        return next(part.result for part in self.parts if name in {part.name, part.question, part.value})
