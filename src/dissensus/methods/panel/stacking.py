"""Predictions combined with weights that are learned from other items.

A weighted sum of the logarithms of the predictions puts the rows in order; what raters say at each place of that order
is then read from a rising curve. The sum alone would not do: two sources that both see an item's state in part add up
in the odds of the states, which the odds of a rater's label follow only up to a ceiling.

Outputs that come again and again are looked up in a table; others go through a rising curve for each label.

A weighted sum of logarithms cannot say everything: how much a judge adds may depend on what people said, because both
tell about an item's state and only through it about the next rater. Without this step surveys with a judge beside them
fell .0015 bits short of the truth, however many items there were.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.methods.equivalence.calibration import calibrated_predictions
from dissensus.methods.equivalence.maps import Curves, sums
from dissensus.methods.equivalence.scores import hard_predictions
from dissensus.methods.equivalence.softmax import Ridge, fit_softmax, softmax

# ---- From a judge's outputs to what raters say after them, learned from weighted rows

ROWS_PER_OUTPUT = 20  # where outputs occur at least so often on average, a table can learn each of them
PRIOR_ROWS = 1.0  # an output's table entry starts as this many rows with the shares of all


ALMOST_NOTHING = 1e-9  # a mass below this is what rounding leaves of nothing


def tabled(outputs: Floats, place: Codes, masses: Floats) -> Floats:
    """Mean shares of the rows with the same output, those of all rows where none was seen; the outputs if they differ.

    Outputs and masses are of shape (n_rows, n_labels); masses say how often each label was given after the output, and
    `place`, of shape (n_rows,), which of the different outputs it is.
    """
    n_places = int(place.max(initial=-1)) + 1
    total = sums(place, masses, n_places)
    if np.sum(total.sum(axis=1) > ALMOST_NOTHING) * ROWS_PER_OUTPUT > masses.sum():
        return outputs
    everybody = masses.sum(axis=0) / masses.sum()
    return np.asarray((total + PRIOR_ROWS * everybody) / (total.sum(axis=1, keepdims=True) + PRIOR_ROWS))[place]


LEAST = 1e-3  # probabilities are kept so far from 0 under the logarithm
RIDGE = 1.0  # weights are held together, and to a sum of 1, as firmly as one row would
BIAS_RIDGE = 0.01
LEAST_WEIGHT = 0.1
"""Of all sources together, where their mean is taken: sources that tell nothing have no weight to share."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stack:
    """Weights of the sources and of the labels."""

    weights: Floats  # (n_sources,): how much each source's logarithms count
    bias: Floats  # (n_labels,): added for each label

    def predict(self, logs: Floats) -> Floats:
        """Probabilities, of shape (n_rows, n_labels), from logarithms of shape (n_sources, n_rows, n_labels)."""
        return softmax(np.einsum("j,jnl->nl", self.weights, logs) + self.bias)

    def mean(self, logs: Floats) -> Floats:
        """Probabilities with the weighted mean of these logarithms, without biases."""
        weights = self.weights / max(float(self.weights.sum()), LEAST_WEIGHT)
        return softmax(np.einsum("j,jnl->nl", weights, logs))


def logs_of(predictions: Floats) -> Floats:
    """Logarithms of probabilities, none of them minus infinity."""
    return np.log(np.maximum(predictions, LEAST))


def fit_stack(logs: Floats, masses: Floats, *, start: Stack | None = None) -> Stack:
    """The weights under which the raters' labels are most likely, by Newton's method with a light ridge.

    From logarithms of what each source predicts, of shape (n_sources, n_rows, n_labels), and masses of shape (n_rows,
    n_labels), how often each label was given. The ridge holds the weights' sum to 1 and the weights to each other, so
    that a source that comes twice counts as much as the same source once. It takes half the steps to `start` from the
    weights of nearly the same rows.
    """
    n_sources = len(logs)
    ridge = _ridge(n_sources, logs.shape[2])
    first = None if start is None else np.concatenate([start.weights, start.bias])
    theta = fit_softmax(_with_biases, logs.transpose(1, 2, 0), masses, ridge, start=first)
    return Stack(weights=theta[:n_sources], bias=theta[n_sources:])


def _with_biases(logs: Floats) -> Floats:
    """Logarithms of each source, of shape (n_rows, n_labels, n_sources), and a bias for each label."""
    n_rows, n_labels, _ = logs.shape
    return np.concatenate([logs, np.broadcast_to(np.eye(n_labels), (n_rows, n_labels, n_labels))], axis=2)


def _ridge(n_sources: int, n_labels: int) -> Ridge:
    """(Sum of weights - 1)^2, their spread, and the biases."""
    apart = np.eye(n_sources) - 1 / n_sources
    pull = np.zeros((n_sources + n_labels,) * 2)
    pull[:n_sources, :n_sources] = RIDGE * (np.ones((n_sources, n_sources)) + apart)
    pull[n_sources:, n_sources:] = BIAS_RIDGE * np.eye(n_labels)
    return Ridge(pull=pull, goal=np.concatenate([np.full(n_sources, 1 / n_sources), np.zeros(n_labels)]))


def learned_stack(
    sources: Floats, places: Sequence[Codes], masses: Floats, *, start: Stack | None = None
) -> tuple[Floats, Stack]:
    """One prediction of each row from what each source predicts; learned from the rows with masses, as `fit_stack`.

    Bare labels and other outputs that come again and again are looked up in a table; `places` says which of its
    different outputs each source has in a row.
    """
    logs = logs_of(np.stack([tabled(*source, masses) for source in zip(sources, places, strict=True)]))
    known = masses.sum(axis=1) > ALMOST_NOTHING
    stack = fit_stack(logs[:, known], masses[known], start=start)
    predictions = stack.predict(logs)
    return Curves.of(predictions[known], masses[known])(predictions), stack


def stacked(sources: Floats, shares: Floats, *, fold: Codes) -> tuple[Floats, Floats]:
    """Combined predictions of each item, learned from all items, and from those of other folds.

    A weighted mean of the sources' logarithms, calibrated as a judge of its own: several times the same source are that
    source, whatever fold the weights come from.
    """
    logs = logs_of(sources)
    others = np.empty_like(shares)
    for number in np.unique(fold):
        held = fold == number
        learned = ~held if (~held).any() else held
        others[held] = fit_stack(logs[:, learned], shares[learned]).mean(logs[:, held])
    every = fit_stack(logs, shares).mean(logs)
    inside, outside = (calibrated_predictions("auto", made, shares, fold=fold) for made in (every, others))
    return inside.inside, outside.outside


def average(predictions: Floats) -> Floats:
    """Mean of the judges' probabilities, of shape (n_judges, n_items, n_labels)."""
    return np.asarray(predictions.mean(axis=0))


def plurality(predictions: Floats) -> Floats:
    """The label that most judges find most likely; tied labels share it.

    A judge whose own most likely labels tie gives each of them its part of a vote.

    >>> plurality(np.array([[[0.9, 0.1]], [[0.4, 0.6]], [[0.2, 0.8]]]))
    array([[0., 1.]])
    """
    return hard_predictions(hard_predictions(predictions).mean(axis=0))


STRENGTH = 10.0  # the stack counts as this many items in each case
KINDS_PER_LABEL = 2
"""Answers of a judge are of this many kinds for each label: if there are more, the more and the less certain half."""


def kinds_of(answers: Floats, code: Codes) -> Codes:
    """The kind of each answer: itself if they are few; else the most likely label, and if it is very likely.

    Of the different answers, of shape (n_judges, n_answers, n_labels), `code` says which of them each item got.
    """
    n_answers, n_labels = answers.shape[1:]
    if n_answers <= KINDS_PER_LABEL * n_labels:
        return np.arange(n_answers)
    shares = answers.mean(axis=0)
    most_likely, sureness = shares.argmax(axis=1), shares.max(axis=1)
    middle = np.zeros(n_labels)
    for label in np.unique(most_likely):
        middle[label] = np.median(sureness[code][most_likely[code] == label])
    return np.asarray(KINDS_PER_LABEL * most_likely + (sureness > middle[most_likely]))


def refined(predictions: Floats, masses: Floats, case: Codes) -> Floats:
    """Predictions moved by what the rows of each case say beyond them, the less the fewer these are.

    Ten items that all say yes count as much as the stack, which says that half of them do:

    >>> refined(np.array([[0.5, 0.5]]), np.array([[0.0, 10.0]]), np.array([0]))
    array([[0.25, 0.75]])
    """
    n_cases = int(case.max()) + 1
    given = sums(case, masses, n_cases)
    foreseen = sums(case, predictions * masses.sum(axis=1, keepdims=True), n_cases)
    beyond = (given - foreseen) / (given.sum(axis=1, keepdims=True) + STRENGTH)
    moved = np.maximum(predictions + beyond[case], 0.0)
    return np.asarray(moved / moved.sum(axis=1, keepdims=True))
