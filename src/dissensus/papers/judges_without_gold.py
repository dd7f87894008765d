"""Guerdan and others: "Validating LLM-as-a-Judge Systems in the Absence of Gold Labels"."""

from dissensus.papers import judges_printed, judges_simulated, judges_theory
from dissensus.papers.claims import Claim
from dissensus.papers.judges_theory import PAPER

__all__ = ["CLAIMS", "PAPER"]

CLAIMS: tuple[Claim, ...] = (*judges_theory.CLAIMS, *judges_simulated.CLAIMS, *judges_printed.CLAIMS)
"""The theorems, the simulations, and what is printed about judges whose ratings are not published."""
