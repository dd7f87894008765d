"""Guerdan and others: "Validating LLM-as-a-Judge Systems in the Absence of Gold Labels"."""

from dissensus.methods.reproduce.claims import Claim
from dissensus.methods.reproduce.judges_without_gold import printed, simulated, theory
from dissensus.methods.reproduce.judges_without_gold.theory import PAPER

__all__ = ["CLAIMS", "PAPER"]

CLAIMS: tuple[Claim, ...] = (*theory.CLAIMS, *simulated.CLAIMS, *printed.CLAIMS)
"""The theorems, the simulations, and what is printed about judges whose ratings are not published."""
