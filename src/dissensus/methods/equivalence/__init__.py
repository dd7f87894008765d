"""How many raters is it worth? Combiners, scores, curve, crossing, calibration, ceiling."""

from dissensus.methods.equivalence.equivalence import equivalence
from dissensus.methods.equivalence.result import (
    AmateurPoint,
    Ceiling,
    CurvePoint,
    EquivalenceResult,
    JudgeDifference,
    JudgeWorth,
)

__all__ = [
    "AmateurPoint",
    "Ceiling",
    "CurvePoint",
    "EquivalenceResult",
    "JudgeDifference",
    "JudgeWorth",
    "equivalence",
]
