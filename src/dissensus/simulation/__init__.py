"""Populations with a known truth: urns, responses, raters who find several options right, noisy labels.

Of the urns are `urn`, `panels` and `classifiers` (who draws from them), `draws`, `truth` and `truths`; the others stand
in the files `responses*`, `indeterminate*` and `labels*`.
"""

from dissensus.simulation.classifiers import Classifier, HardClassifier, SoftClassifier
from dissensus.simulation.draws import SimulatedUrn, simulate_urn
from dissensus.simulation.panels import Panel, ResponseRule
from dissensus.simulation.result import SimulateResult
from dissensus.simulation.running_example import HARD_CLASSIFIER, RUNNING_EXAMPLE, SOFT_CLASSIFIER
from dissensus.simulation.truth import UrnTruth
from dissensus.simulation.urn import Urn

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
