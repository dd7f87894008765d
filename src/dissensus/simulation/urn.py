from dataclasses import dataclass

import numpy as np

from dissensus.errors import OptionError
from dissensus.ratings.labels import SCALES, SEPARATOR, Scale, option_name
from dissensus.simulation.probabilities import Floats, checked_distribution, checked_distributions

FEWEST_LABELS = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Urn:
    """An urn of urns: an item is a draw of a state, a rating a draw of a label from the item's state.

    Attributes
    ----------
    labels : tuple of str
        What raters can answer, in order.
    states : ndarray of shape (n_states, n_labels)
        Share of raters who give each label to an item in each state.
    weights : ndarray of shape (n_states,)
        Share of items in each state.
    scale : str
        What the order of the labels means.

    References
    ----------
    "Survey Equivalence", section 2 and Figure 2.

    Examples
    --------
    >>> urn = Urn(labels=("no", "yes"), states=[[0.9, 0.1], [0.3, 0.7]], weights=[0.5, 0.5])
    >>> urn.n_states, urn.prior.round(3).tolist()
    (2, [0.6, 0.4])
    """

    labels: tuple[str, ...]
    states: Floats
    weights: Floats
    scale: Scale = "nominal"

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
