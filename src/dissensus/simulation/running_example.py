"""The running example of "Survey Equivalence" (section 2, Figures 1 and 2)."""

import numpy as np

from dissensus.simulation.classifiers import HardClassifier, SoftClassifier
from dissensus.simulation.urn import Urn

RUNNING_EXAMPLE = Urn(
    labels=("C", "D"),
    states=np.array([[0.8, 0.2], [0.1, 0.9], [0.5, 0.5]]),
    weights=np.array([0.7, 0.2, 0.1]),
)
"""Do raters prefer the cat (C) or the dog (D)? In seven of ten items 80% prefer the cat, in two 10%, in one half."""

HARD_CLASSIFIER = HardClassifier(name="hard classifier", outputs=np.array([[0.9, 0.1], [0.05, 0.95], [0.5, 0.5]]))
"""The fictitious hard classifier: it says C to 90%, 5% and 50% of the items in the three states."""

SOFT_CLASSIFIER = SoftClassifier.from_hard(HARD_CLASSIFIER, name="soft classifier")
"""The calibrated classifier that the hard one induces (footnote 3)."""
