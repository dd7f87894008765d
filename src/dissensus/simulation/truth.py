"""The truth behind simulated data, as plain values for a file beside them."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.simulation.classifiers import Classifier, HardClassifier
from dissensus.simulation.panels import Codes, Panel
from dissensus.simulation.truths import (
    MOST_SURVEYS,
    ceiling,
    classifier_agreement,
    classifier_information,
    classifier_score,
    equivalent_raters,
    limiting_alpha,
    omniscient_score,
    pairwise_agreement,
    prior_score,
    survey_information,
)
from dissensus.simulation.urn import Urn

DECIMALS = 6
"""Rounded, so that the same truth is the same file on every machine."""

MOST_RATERS = 50
"""How far a survey is followed to find how many raters a classifier is worth."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UrnTruth:
    """From what the data were drawn.

    Attributes
    ----------
    urn : Urn
        The states and their probabilities.
    classifiers : tuple of Classifier
        The judges, in the order of their names.
    items : tuple of str
        Names of all items drawn.
    state : ndarray of shape (n_items,)
        The state of each item, from 0.
    panels : tuple of Panel
        The raters.
    """

    urn: Urn
    classifiers: tuple[Classifier, ...]
    items: tuple[str, ...]
    state: Codes
    panels: tuple[Panel, ...]

    def rows(self) -> list[dict[str, object]]:
        """One row per item: its name and its state."""
        return [{"item": item, "state": state} for item, state in zip(self.items, self.state.tolist(), strict=True)]

    def as_dict(self) -> dict[str, object]:
        """The urn, what is true of it, what is true of each classifier, and the state of each item.

        Agreement and information are those of forced choices. A number that is undefined is None.
        """
        most = sum(panel.bounds[1] for panel in self.panels)
        return {
            "urn": self.urn.as_dict(),
            "exact": {
                "prior": dict(zip(self.urn.labels, _rounded(self.urn.prior.tolist()), strict=True)),
                "prior_score": _plain(prior_score(self.urn)),
                "omniscient_score": _plain(omniscient_score(self.urn)),
                "ceiling": _plain(ceiling(self.urn)),
                "survey_information": _rounded(_survey_curve(self.urn, most=most)),
                "pairwise_agreement": _plain(pairwise_agreement(self.urn)),
                "krippendorff_alpha_nominal": _plain(limiting_alpha(self.urn)),
            },
            "classifiers": [classifier_truth(self.urn, classifier) for classifier in self.classifiers],
            "states": dict(zip(self.items, self.state.tolist(), strict=True)),
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False) + "\n"


def classifier_truth(urn: Urn, classifier: Classifier) -> dict[str, object]:
    """What is true of one answer of a classifier.

    Examples
    --------
    >>> from dissensus.simulation.running_example import HARD_CLASSIFIER, RUNNING_EXAMPLE
    >>> classifier_truth(RUNNING_EXAMPLE, HARD_CLASSIFIER)["information"]
    0.130367
    """
    information = classifier_information(urn, classifier)
    most = next(k for k in range(MOST_RATERS, 0, -1) if _n_surveys(k, len(urn.labels)) <= MOST_SURVEYS)
    is_hard = isinstance(classifier, HardClassifier)
    return {
        "judge": classifier.name,
        "kind": "hard" if is_hard else "soft",
        "agreement": _plain(classifier_agreement(urn, classifier)) if isinstance(classifier, HardClassifier) else None,
        "score": None if isinstance(classifier, HardClassifier) else _plain(classifier_score(urn, classifier)),
        "information": _plain(information),
        "equivalent_raters": _plain(equivalent_raters(urn, information, most=most)),
    }


def _survey_curve(urn: Urn, *, most: int) -> list[float]:
    """Bits gained by surveys of 0, 1, ... raters, as far as they can be enumerated."""
    sizes = [k for k in range(most) if _n_surveys(k, len(urn.labels)) <= MOST_SURVEYS]
    return [survey_information(urn, k) for k in sizes]


def _n_surveys(raters: int, n_labels: int) -> int:
    return math.comb(raters + n_labels - 1, n_labels - 1)


def _rounded(values: Sequence[float]) -> list[float | None]:
    return [_plain(value) for value in values]


def _plain(value: float) -> float | None:
    return round(value, DECIMALS) + 0.0 if math.isfinite(value) else None
