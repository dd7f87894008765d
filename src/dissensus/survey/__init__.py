"""How many raters is it worth? Combiners, scores, curve, crossing, calibration, ceiling."""

from dissensus.survey.equivalence import equivalence
from dissensus.survey.result import (
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
