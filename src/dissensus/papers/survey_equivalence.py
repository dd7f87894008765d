"""Resnick, Kong, Schoenebeck, Weninger: "Survey Equivalence", a procedure to measure classifiers against human labels.

Printed values are typed from the paper; the place is in the name of each claim. Figures 1 and 3 show ten items that
stand in the pictures only; what the text says about them is among the claims.
"""

from dissensus.papers import survey_cases, survey_model, survey_running, survey_theorems, survey_wikipedia
from dissensus.papers.claims import Claim
from dissensus.papers.survey_files import PAPER, REQUIREMENT, WHEEL, WHEEL_SHA256

__all__ = ["CLAIMS", "PAPER", "REQUIREMENT", "WHEEL", "WHEEL_SHA256"]

CLAIMS: tuple[Claim, ...] = (
    *survey_model.CLAIMS,
    *survey_running.CLAIMS,
    *survey_theorems.CLAIMS,
    *survey_wikipedia.CLAIMS,
    *survey_cases.CLAIMS,
)
"""The example, the theorems, and the case studies of appendix A."""
