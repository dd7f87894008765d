"""Resnick, Kong, Schoenebeck, Weninger: "Survey Equivalence", a procedure to measure classifiers against human labels.

Printed values are typed from the paper; the place is in the name of each claim. Figures 1 and 3 show ten items that
stand in the pictures only; what the text says about them is among the claims.
"""

from dissensus.methods.reproduce.claims import Claim
from dissensus.methods.reproduce.survey_equivalence import cases, model, running, theorems, wikipedia
from dissensus.methods.reproduce.survey_equivalence.authors_files import PAPER, REQUIREMENT, WHEEL, WHEEL_SHA256

__all__ = ["CLAIMS", "PAPER", "REQUIREMENT", "WHEEL", "WHEEL_SHA256"]

CLAIMS: tuple[Claim, ...] = (
    *model.CLAIMS,
    *running.CLAIMS,
    *theorems.CLAIMS,
    *wikipedia.CLAIMS,
    *cases.CLAIMS,
)
"""The example, the theorems, and the case studies of appendix A."""
