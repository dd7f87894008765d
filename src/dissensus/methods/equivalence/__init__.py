"""How many raters is it worth? Surveys, combiners, scores, the power curve, where judges meet it, the ceiling."""

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
