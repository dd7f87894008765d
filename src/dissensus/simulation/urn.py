"""Urns: items of known states, raters drawn from them, and classifiers that see the state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from dissensus.arrays import Floats
from dissensus.data.labels import SCALES, SEPARATOR, Scale, option_name
from dissensus.errors import OptionError
from dissensus.simulation.panels import checked_distribution, checked_distributions, checked_share

FEWEST_LABELS = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Urn:
    """An urn of urns: an item is a draw of a state, a rating a draw of a label from the item's state.

    "Survey Equivalence", section 2 and Figure 2.

    >>> urn = Urn(labels=("no", "yes"), states=[[0.9, 0.1], [0.3, 0.7]], weights=[0.5, 0.5])
    >>> urn.n_states, urn.prior.round(3).tolist()
    (2, [0.6, 0.4])
    """

    labels: tuple[str, ...]  # what raters can answer, in order
    states: Floats  # (n_states, n_labels): share of raters who give each label to an item in each state
    weights: Floats  # (n_states,): share of items in each state
    scale: Scale = "nominal"  # what the order of the labels means

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", _checked_labels(tuple(self.labels)))
        object.__setattr__(self, "states", checked_distributions("The urn's states", self.states, row="state"))
        object.__setattr__(self, "weights", checked_distribution("The weights of the states", self.weights))
        if self.scale not in SCALES:
            raise OptionError.unknown("The urn's scale", self.scale, SCALES)
        if self.states.shape[1] != len(self.labels):
            raise OptionError(f"The urn has {len(self.labels)} labels, and its states have {self.states.shape[1]} "
                              "probabilities: give one for each label.")  # fmt: skip
        if len(self.weights) != self.n_states:
            raise OptionError(f"The urn has {self.n_states} states and {len(self.weights)} weights: give one for each.")

    @property
    def n_states(self) -> int:
        """How many states an item can be in."""
        return len(self.states)

    @property
    def prior(self) -> Floats:
        """Share of each label among all ratings, of shape (n_labels,)."""
        return self.weights @ self.states

    def as_dict(self) -> dict[str, object]:
        """The urn as plain values."""
        states, weights = (np.round(values, 12).tolist() for values in (self.states, self.weights))
        return {"labels": list(self.labels), "scale": self.scale, "states": states, "weights": weights}


def _checked_labels(labels: tuple[str, ...]) -> tuple[str, ...]:
    if len(labels) < FEWEST_LABELS:
        raise OptionError(f"An urn needs at least two labels, and this one has {len(labels)}.")
    for i, label in enumerate(labels):
        if not label or SEPARATOR in label or option_name(label) != label:
            raise OptionError(f"The label {label!r} cannot be used: labels are not empty, have no {SEPARATOR!r} and no "
                              "blanks around them, and numbers are written short (1, not 1.0).")  # fmt: skip
        if label in labels[:i]:
            raise OptionError(f"The label {label!r} is listed twice.")
    return labels


# ---- Classifiers with a known truth: what they answer depends on the item's state, and we know how


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HardClassifier:
    """A classifier that answers with a label."""

    name: str  # what the judge is called
    outputs: Floats  # (n_states, n_labels): probability of each answer to an item in each state
    # Where it is sampled more than once: the probability that a further sample repeats its first answer to the item;
    # else it answers anew. Each sample alone has the probabilities of `outputs`.
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
        cls, hard: HardClassifier, *, name: str, temperature: float = 1.0, noise: float = 0.0,
        decimals: int | None = None,
    ) -> "SoftClassifier":  # fmt: skip
        """The soft classifier that a hard one induces: how raters answer where it gives its answer (footnote 3)."""
        return cls(
            name=name, outputs=hard.outputs, consistency=hard.consistency, temperature=temperature, noise=noise,
            decimals=decimals,
        )  # fmt: skip


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

    >>> from dissensus.simulation.urn import RUNNING_EXAMPLE, SOFT_CLASSIFIER
    >>> reports_of(RUNNING_EXAMPLE, SOFT_CLASSIFIER)[:, 0].round(2).tolist()  # 77% and 32% (section 2)
    [0.77, 0.32]
    """
    return tempered(calibrated_reports(joint_with_label(urn, classifier)), classifier.temperature)


def calibrated_reports(joint: Floats) -> Floats:
    """Distribution of a rater's label after each output, of shape (n_outputs, n_labels).

    An output that never occurs gets the prior.

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

    >>> rounded(np.array([[1 / 3, 1 / 3, 1 / 3]]), 2)
    array([[0.34, 0.33, 0.33]])
    """
    near = np.round(reports, decimals)
    row, largest = np.arange(len(near)), near.argmax(axis=1)
    near[row, largest] = np.round(near[row, largest] + 1 - near.sum(axis=1), decimals)
    return near


RUNNING_EXAMPLE = Urn(
    labels=("C", "D"), states=np.array([[0.8, 0.2], [0.1, 0.9], [0.5, 0.5]]), weights=np.array([0.7, 0.2, 0.1])
)
"""Do raters prefer the cat (C) or the dog (D)? In seven of ten items 80% prefer the cat, in two 10%, in one half."""

HARD_CLASSIFIER = HardClassifier(name="hard classifier", outputs=np.array([[0.9, 0.1], [0.05, 0.95], [0.5, 0.5]]))
"""The fictitious hard classifier: it says C to 90%, 5% and 50% of the items in the three states."""

SOFT_CLASSIFIER = SoftClassifier.from_hard(HARD_CLASSIFIER, name="soft classifier")
"""The calibrated classifier that the hard one induces (footnote 3)."""


# ---- An urn and its classifiers from plain data, as a TOML file has them

_KEYS = {
    "urn": ("labels", "scale", "states", "judges"),
    "state": ("share", "labels"),
    "judge": ("name", "kind", "outputs", "consistency", "temperature", "noise", "decimals"),
}
_SOFT_ONLY = ("temperature", "noise", "decimals")


def urn_from(description: Mapping[str, object]) -> tuple[Urn, tuple[Classifier, ...]]:
    """The urn and the classifiers that a description names.

    `description`: `labels` (a list), `scale` (nominal if not given), `states` (each with a `share` of the items and a
    list `labels` with the share of raters who give each label), and `judges` (each with a `name`, a `kind`, hard or
    soft, and `outputs`: for each state the probability of each answer; optionally what HardClassifier and
    SoftClassifier take besides).

    >>> urn, judges = urn_from({
    ...     "labels": ["no", "yes"],
    ...     "states": [{"share": 0.5, "labels": [0.9, 0.1]}, {"share": 0.5, "labels": [0.2, 0.8]}],
    ...     "judges": [{"name": "good", "kind": "hard", "outputs": [[1, 0], [0, 1]]}],
    ... })
    >>> urn.n_states, judges[0].name
    (2, 'good')
    """
    _check_keys("urn", description)
    states = _tables(description, "states")
    if not states:
        raise OptionError("The urn has no states: write [[states]] tables, each with a share and labels.")
    for state in states:
        _check_keys("state", state)
    urn = Urn(
        labels=tuple(str(label) for label in _list(description, "labels")),
        states=_matrix([state.get("labels") for state in states], "labels of the states"),
        weights=_matrix([state.get("share") for state in states], "shares of the states"),
        scale=cast("Scale", description.get("scale", "nominal")),
    )
    return urn, tuple(_classifier(judge) for judge in _tables(description, "judges"))


def _classifier(judge: Mapping[str, object]) -> Classifier:
    _check_keys("judge", judge)
    name, kind = str(judge.get("name", "")), judge.get("kind", "hard")
    if kind not in {"hard", "soft"}:
        raise OptionError.unknown(f"The kind of the judge {name}", kind, ("hard", "soft"))
    outputs = _matrix(judge.get("outputs"), f"outputs of the judge {name}")
    consistency = _number(judge, "consistency", 0.0)
    if kind == "hard":
        soft = [key for key in _SOFT_ONLY if key in judge]
        if soft:
            raise OptionError(f"The judge {name} is hard and has no {soft[0]}: make it soft, or leave that out.")
        return HardClassifier(name=name, outputs=outputs, consistency=consistency)
    return SoftClassifier(
        name=name, outputs=outputs, consistency=consistency, temperature=_number(judge, "temperature", 1.0),
        noise=_number(judge, "noise", 0.0), decimals=int(_number(judge, "decimals", 0)) or None,
    )  # fmt: skip


def _number(table: Mapping[str, object], key: str, default: float) -> float:
    value = table.get(key, default)
    if not isinstance(value, int | float):
        raise OptionError(f"{key} must be a number, and it is {value!r}.")
    return float(value)


def _check_keys(what: str, table: Mapping[str, object]) -> None:
    unknown = [key for key in table if key not in _KEYS[what]]
    if unknown:
        raise OptionError(f"A {what} has no key {unknown[0]!r}: its keys are {', '.join(_KEYS[what])}.")


def _list(table: Mapping[str, object], key: str) -> Sequence[object]:
    value = table.get(key, [])
    if not isinstance(value, list):
        raise OptionError(f"{key} must be a list, and it is {value!r}.")
    return value


def _tables(table: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    value = _list(table, key)
    if not all(isinstance(entry, dict) for entry in value):
        raise OptionError(f"{key} must be [[{key}]] tables.")
    return cast("list[Mapping[str, object]]", list(value))


def _matrix(value: object, what: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(f"The {what} must be numbers, as many for each: {error}.") from error
