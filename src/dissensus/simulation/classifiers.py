"""Classifiers with a known truth: what they answer depends on the item's state, and we know how."""

from dataclasses import dataclass

import numpy as np

from dissensus.errors import OptionError
from dissensus.simulation.probabilities import Floats, checked_distributions, checked_share
from dissensus.simulation.urn import Urn


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HardClassifier:
    """A classifier that answers with a label.

    Attributes
    ----------
    name : str
        What the judge is called.
    outputs : ndarray of shape (n_states, n_labels)
        Probability of each answer to an item in each state.
    consistency : float
        Where it is sampled more than once: the probability that a further sample repeats its first answer to the item;
        else it answers anew. Each sample alone has the probabilities of `outputs`.
    """

    name: str
    outputs: Floats
    consistency: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "outputs", _checked_outputs(self.name, self.outputs))
        object.__setattr__(self, "consistency", checked_share(f"The consistency of {self.name}", self.consistency))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SoftClassifier:
    """A classifier that answers with probabilities: it sees a signal and reports how raters answer after that signal.

    Attributes
    ----------
    name : str
        What the judge is called.
    outputs : ndarray of shape (n_states, n_signals)
        Probability of each signal for an item in each state.
    consistency : float
        As for a hard classifier, of the signal.
    temperature : float
        1 reports calibrated probabilities; below 1 the classifier is too sure of itself, above 1 not sure enough.
    noise : float
        Standard deviation of the Gaussian noise on the logarithm of each reported probability, new in each answer.
    decimals : int, optional
        How many decimals it reports; all if not given.
    """

    name: str
    outputs: Floats
    consistency: float = 0.0
    temperature: float = 1.0
    noise: float = 0.0
    decimals: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "outputs", _checked_outputs(self.name, self.outputs))
        object.__setattr__(self, "consistency", checked_share(f"The consistency of {self.name}", self.consistency))
        if not (np.isfinite(self.temperature) and self.temperature > 0):
            raise OptionError(f"The temperature of {self.name} is {self.temperature:g}: it must be above 0.")
        if not (np.isfinite(self.noise) and self.noise >= 0):
            raise OptionError(f"The noise of {self.name} is {self.noise:g}: it must be 0 or more.")
        if self.decimals is not None and self.decimals < 1:
            raise OptionError(f"{self.name} reports {self.decimals} decimals: it must report at least one.")

    @classmethod
    def from_hard(
        cls,
        hard: HardClassifier,
        *,
        name: str,
        temperature: float = 1.0,
        noise: float = 0.0,
        decimals: int | None = None,
    ) -> "SoftClassifier":
        """The soft classifier that a hard one induces: how raters answer where it gives its answer (footnote 3)."""
        return cls(
            name=name,
            outputs=hard.outputs,
            consistency=hard.consistency,
            temperature=temperature,
            noise=noise,
            decimals=decimals,
        )


Classifier = HardClassifier | SoftClassifier


def _checked_outputs(name: str, outputs: Floats) -> Floats:
    if not name.strip():
        raise OptionError("A classifier needs a name.")
    return checked_distributions(f"The outputs of {name}", outputs, row="state")


def joint_with_label(urn: Urn, classifier: Classifier) -> Floats:
    """Probability of each output together with a random rater's label, of shape (n_outputs, n_labels)."""
    return np.asarray((classifier.outputs * urn.weights[:, None]).T @ urn.states, dtype=np.float64)


def reports_of(urn: Urn, classifier: SoftClassifier) -> Floats:
    """What a soft classifier reports after each signal, before noise and rounding; shape (n_signals, n_labels).

    Examples
    --------
    >>> from dissensus.simulation.running_example import RUNNING_EXAMPLE, SOFT_CLASSIFIER
    >>> reports_of(RUNNING_EXAMPLE, SOFT_CLASSIFIER)[:, 0].round(2).tolist()  # 77% and 32% (section 2)
    [0.77, 0.32]
    """
    return tempered(calibrated_reports(joint_with_label(urn, classifier)), classifier.temperature)


def calibrated_reports(joint: Floats) -> Floats:
    """Distribution of a rater's label after each output, of shape (n_outputs, n_labels).

    An output that never occurs gets the prior.

    Examples
    --------
    >>> calibrated_reports(np.array([[0.3, 0.1], [0.2, 0.4], [0.0, 0.0]])).round(3).tolist()
    [[0.75, 0.25], [0.333, 0.667], [0.5, 0.5]]
    """
    total = joint.sum(axis=1, keepdims=True)
    return np.where(total > 0, joint / np.where(total > 0, total, 1), joint.sum(axis=0))


def tempered(reports: Floats, temperature: float) -> Floats:
    """Distributions with each probability raised to 1 / temperature and rescaled."""
    raised = reports ** (1 / temperature)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), dtype=np.float64)


def with_noise(reports: Floats, normal: Floats, noise: float) -> Floats:
    """Distributions with Gaussian noise on the logarithm of each probability, rescaled."""
    shaken = reports * np.exp(noise * normal)
    return np.asarray(shaken / shaken.sum(axis=1, keepdims=True), dtype=np.float64)


def rounded(reports: Floats, decimals: int) -> Floats:
    """Distributions rounded so that each still sums to 1: the largest probability takes up the difference.

    Examples
    --------
    >>> rounded(np.array([[1 / 3, 1 / 3, 1 / 3]]), 2)
    array([[0.34, 0.33, 0.33]])
    """
    near = np.round(reports, decimals)
    row, largest = np.arange(len(near)), near.argmax(axis=1)
    near[row, largest] = np.round(near[row, largest] + 1 - near.sum(axis=1), decimals)
    return near
