from dataclasses import dataclass
from typing import ClassVar

from dissensus.results import Result
from dissensus.simulation.truth import UrnTruth


@dataclass(frozen=True, kw_only=True)
class SimulateResult(Result):
    """What was simulated: the truth behind the data that were written."""

    command: ClassVar[str] = "simulate"

    truth: UrnTruth

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return self.truth.as_dict()

    def rows(self) -> list[dict[str, object]]:
        """One row per item: its state."""
        return self.truth.rows()
