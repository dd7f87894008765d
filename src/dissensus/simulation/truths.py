"""What is true of an urn, exactly: by formula or by enumeration, never by drawing. Logarithms are to base 2: bits.

The paper's numbers for its running example are section 2 (footnote 3) and the last paragraph of section 4.
"""

import itertools
import math

import numpy as np
import numpy.typing as npt

from dissensus.errors import OptionError
from dissensus.simulation.classifiers import (
    Classifier,
    HardClassifier,
    SoftClassifier,
    joint_with_label,
    reports_of,
)
from dissensus.simulation.panels import Codes
from dissensus.simulation.probabilities import Floats
from dissensus.simulation.urn import Urn

MOST_SURVEYS = 200_000
"""How many different surveys to enumerate before we give up."""


def prior_score(urn: Urn) -> float:
    """Expected cross-entropy score, in bits, of always predicting the prior: E(c_0).

    Examples
    --------
    >>> from dissensus.simulation.running_example import RUNNING_EXAMPLE
    >>> round(prior_score(RUNNING_EXAMPLE), 4)
    -0.9507
    """
    return float(times_log2(urn.prior, urn.prior).sum())


def omniscient_score(urn: Urn) -> float:
    """Expected cross-entropy score, in bits, of a classifier that knows the state of each item.

    Examples
    --------
    >>> from dissensus.simulation.running_example import RUNNING_EXAMPLE
    >>> round(omniscient_score(RUNNING_EXAMPLE), 4)
    -0.6991
    """
    return float(urn.weights @ times_log2(urn.states, urn.states).sum(axis=1))


def ceiling(urn: Urn) -> float:
    """Bits that the state tells about a random rater's label: no survey and no classifier can gain more.

    Examples
    --------
    >>> from dissensus.simulation.running_example import RUNNING_EXAMPLE
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
    >>> from dissensus.simulation.running_example import RUNNING_EXAMPLE
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
    >>> from dissensus.simulation.running_example import RUNNING_EXAMPLE
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
