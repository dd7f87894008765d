"""Populations with a known truth: urns, responses, raters who find several options right, noisy labels."""

from dissensus.simulation.panels import Panel, ResponseRule, Simulated, SimulateResult
from dissensus.simulation.urn import (
    HARD_CLASSIFIER,
    RUNNING_EXAMPLE,
    SOFT_CLASSIFIER,
    Classifier,
    HardClassifier,
    SoftClassifier,
    Urn,
)
from dissensus.simulation.urn_draws import UrnTruth, simulate_urn

__all__ = [
    "HARD_CLASSIFIER",
    "RUNNING_EXAMPLE",
    "SOFT_CLASSIFIER",
    "Classifier",
    "HardClassifier",
    "Panel",
    "ResponseRule",
    "SimulateResult",
    "Simulated",
    "SoftClassifier",
    "Urn",
    "UrnTruth",
    "simulate_urn",
]
