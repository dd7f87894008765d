"""May this judge pass? Thresholds, each tested on the bound of an interval."""

from dissensus.methods.gate.gate import gate
from dissensus.methods.gate.result import GateResult

__all__ = ["GateResult", "gate"]
