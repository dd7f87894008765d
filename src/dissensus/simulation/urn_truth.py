"""What is true of an urn, exactly: by formula or by enumeration, never by drawing. Logarithms are to base 2: bits.

The paper's numbers for its running example are section 2 (footnote 3) and the last paragraph of section 4.
"""

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.errors import OptionError
from dissensus.simulation.panels import Panel
from dissensus.simulation.urn import Classifier, HardClassifier, SoftClassifier, Urn, joint_with_label, reports_of

# ---- What is true of an urn, exactly: by formula or by enumeration, never by drawing. Logarithms are to base 2: bits

MOST_SURVEYS = 200_000
"""How many different surveys to enumerate before we give up."""


def prior_score(urn: Urn) -> float:
    """Expected cross-entropy score, in bits, of always predicting the prior: E(c_0).

    Examples
    --------
    >>> from dissensus.simulation.urn import RUNNING_EXAMPLE
    >>> round(prior_score(RUNNING_EXAMPLE), 4)
    -0.9507
    """
    return float(times_log2(urn.prior, urn.prior).sum())


def omniscient_score(urn: Urn) -> float:
    """Expected cross-entropy score, in bits, of a classifier that knows the state of each item.

    Examples
    --------
    >>> from dissensus.simulation.urn import RUNNING_EXAMPLE
    >>> round(omniscient_score(RUNNING_EXAMPLE), 4)
    -0.6991
    """
    return float(urn.weights @ times_log2(urn.states, urn.states).sum(axis=1))


def ceiling(urn: Urn) -> float:
    """Bits that the state tells about a random rater's label: no survey and no classifier can gain more.

    Examples
    --------
    >>> from dissensus.simulation.urn import RUNNING_EXAMPLE
    >>> round(ceiling(RUNNING_EXAMPLE), 4)
    0.2515
    """
    return mutual_information(urn.states * urn.weights[:, None])


def classifier_information(urn: Urn, classifier: Classifier) -> float:
    """Bits that one answer of a classifier tells about a random rater's label, once it is calibrated.

    Noise on a soft classifier's report does not count: this is the information in its signal.
    """
    return mutual_information(joint_with_label(urn, classifier))


def classifier_score(urn: Urn, classifier: SoftClassifier) -> float:
    """Expected cross-entropy score, in bits, of a soft classifier's reports; NaN if they are noisy or rounded.

    A report of 0 for a label that raters give scores minus infinity.
    """
    if classifier.noise or classifier.decimals is not None:
        return math.nan
    return float(times_log2(joint_with_label(urn, classifier), reports_of(urn, classifier)).sum())


def classifier_agreement(urn: Urn, classifier: HardClassifier) -> float:
    """Probability that one answer of a hard classifier equals a random rater's label."""
    return float(np.trace(joint_with_label(urn, classifier)))


def survey_information(urn: Urn, raters: int) -> float:
    """Bits that the labels of so many raters tell about the next rater's label: what an ideal combiner gains.

    Examples
    --------
    >>> from dissensus.simulation.urn import RUNNING_EXAMPLE
    >>> [round(survey_information(RUNNING_EXAMPLE, k), 4) for k in (0, 1, 9)]
    [0.0, 0.0806, 0.2259]
    """
    surveys = label_counts(raters, len(urn.labels))
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log2(np.arange(1, raters + 1)))])
    ways = log_factorial[raters] - log_factorial[surveys].sum(axis=1)
    log_likelihood = times_log2(surveys[:, None, :], urn.states[None, :, :]).sum(axis=2)
    in_state = np.exp2(ways[:, None] + log_likelihood) * urn.weights
    return mutual_information(in_state @ urn.states)


def equivalent_raters(urn: Urn, gain: float, *, most: int = 50) -> float:
    """How many raters gain so many bits over the prior, with fractions by linear interpolation.

    Returns
    -------
    float
        NaN if the gain is below 0 or beyond that of `most` raters.
    """
    if not gain >= 0:
        return math.nan
    before = 0.0
    for raters in range(1, most + 1):
        after = survey_information(urn, raters)
        if after >= gain:
            return raters - 1 + (gain - before) / (after - before) if after > before else 0.0
        before = after
    return math.nan


def pairwise_agreement(urn: Urn) -> float:
    """Probability that two raters give the same label to a random item."""
    return float(urn.weights @ (urn.states**2).sum(axis=1))


def limiting_alpha(urn: Urn) -> float:
    """Krippendorff's nominal alpha of very many items; NaN if only one label is ever given.

    Examples
    --------
    >>> from dissensus.simulation.urn import RUNNING_EXAMPLE
    >>> round(limiting_alpha(RUNNING_EXAMPLE), 4)  # (.69 - .5338) / (1 - .5338)
    0.335
    """
    by_chance = float((urn.prior**2).sum())
    return (pairwise_agreement(urn) - by_chance) / (1 - by_chance) if by_chance < 1 else math.nan


def times_log2(x: npt.NDArray[np.generic], p: Floats) -> Floats:
    """The product of x and log2(p): 0 where x is 0, whatever p is, and -inf where only p is 0.

    Examples
    --------
    >>> times_log2(np.array([0.0, 2.0, 1.0]), np.array([0.0, 0.5, 0.0])).tolist()
    [0.0, -2.0, -inf]
    """
    amount, share = np.broadcast_arrays(x.astype(np.float64), p)
    log = np.log2(share, out=np.full(share.shape, -np.inf), where=share > 0)
    product = np.zeros(share.shape)
    np.multiply(amount, log, out=product, where=amount > 0)
    return product


def mutual_information(joint: Floats) -> float:
    """Bits that rows tell about columns.

    Examples
    --------
    >>> mutual_information(np.array([[0.5, 0.0], [0.0, 0.5]]))
    1.0
    """
    if_independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    ratio = np.divide(joint, if_independent, out=np.ones_like(joint), where=joint > 0)
    return max(0.0, float((joint * np.log2(ratio)).sum()))


def label_counts(raters: int, n_labels: int) -> Codes:
    """All ways to share so many ratings among the labels, of shape (n_ways, n_labels).

    Examples
    --------
    >>> label_counts(2, 2)
    array([[0, 2],
           [1, 1],
           [2, 0]])
    """
    ways = math.comb(raters + n_labels - 1, n_labels - 1)
    if ways > MOST_SURVEYS:
        raise OptionError(f"Surveys of {raters} raters with {n_labels} labels come out in {ways:,} ways, too many to "
                          f"enumerate: ask for fewer raters (the limit is {MOST_SURVEYS:,}).")  # fmt: skip
    # Stars and bars: where the n_labels - 1 bars stand among the raters.
    bars = itertools.combinations(range(raters + n_labels - 1), n_labels - 1)
    flat = np.fromiter(itertools.chain.from_iterable(bars), dtype=np.intp, count=ways * (n_labels - 1))
    inner = flat.reshape(ways, n_labels - 1)
    edges = np.column_stack([np.full(ways, -1), inner, np.full(ways, raters + n_labels - 1)])
    return np.diff(edges, axis=1) - 1


# ---- The truth behind simulated data, as plain values for a file beside them

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
    >>> from dissensus.simulation.urn import HARD_CLASSIFIER, RUNNING_EXAMPLE
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
