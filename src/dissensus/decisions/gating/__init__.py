"""May this judge pass? Thresholds, each tested on the bound of an interval."""

from dissensus.decisions.gating.gate import gate
from dissensus.decisions.gating.result import GateResult

__all__ = ["GateResult", "gate"]
