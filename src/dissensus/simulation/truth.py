"""What the simulators share: what was drawn, the truth behind it, and how both are told."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, TypeVar

from dissensus.data import Judges, Ratings
from dissensus.results import Result


class Truth(ABC):
    """From what data were drawn."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> list[dict[str, object]]:
        """The main table."""

    @abstractmethod
    def as_dict(self) -> dict[str, object]:
        """What is true of the population and of what was drawn from it."""

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False) + "\n"


T = TypeVar("T", bound=Truth)


class Simulated(NamedTuple, Generic[T]):
    """What was drawn, and from what."""

    ratings: Ratings
    judges: Judges
    truth: T

    def result(self, settings: Mapping[str, object]) -> "SimulateResult":
        """The truth, for the JSON."""
        data = {"ratings": dict(self.ratings.describe_data()), "judges": dict(self.judges.describe_data())}
        return SimulateResult(settings=settings, data=data, truth=self.truth)


@dataclass(frozen=True, kw_only=True)
class SimulateResult(Result):
    """What was simulated: the truth behind the data that were written."""

    command: ClassVar[str] = "simulate"

    truth: Truth

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return self.truth.as_dict()

    def rows(self) -> list[dict[str, object]]:
        """The main table of the truth."""
        return self.truth.rows()


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of a README."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
