"""Populations with a known truth: urns, responses, raters who find several options right, noisy labels.

Of the urns are `urn`, `panel` and `classifiers` (who draws from them), `draws`, `truth` and `truths`; the others stand
in the files `responses*`, `indeterminate*` and `labels*`.
"""

from dissensus.simulation.panels import Panel, ResponseRule
from dissensus.simulation.urn import (
    HARD_CLASSIFIER,
    RUNNING_EXAMPLE,
    SOFT_CLASSIFIER,
    Classifier,
    HardClassifier,
    SoftClassifier,
    Urn,
)
from dissensus.simulation.urn_draws import SimulatedUrn, SimulateResult, UrnTruth, simulate_urn

__all__ = [
    "HARD_CLASSIFIER",
    "RUNNING_EXAMPLE",
    "SOFT_CLASSIFIER",
    "Classifier",
    "HardClassifier",
    "Panel",
    "ResponseRule",
    "SimulateResult",
    "SimulatedUrn",
    "SoftClassifier",
    "Urn",
    "UrnTruth",
    "simulate_urn",
]
