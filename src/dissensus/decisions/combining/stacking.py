"""Predictions combined with weights that are learned from other items.

A weighted sum of the logarithms of the predictions puts the rows in order; what raters say at each place of that order
is then read from a rising curve. The sum alone would not do: two sources that both see an item's state in part add up
in the odds of the states, which the odds of a rater's label follow only up to a ceiling.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.decisions.combining.maps import are_few, rising_map, table_map
from dissensus.survey.subsets import Floats

LEAST = 1e-3
"""Probabilities are kept so far from 0 under the logarithm."""
STEPS = 50
SMALL_STEP = 1e-7
RIDGE = 1.0
"""Weights are held together, and to a sum of 1, as firmly as one row would."""
BIAS_RIDGE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stack:
    """Weights of the sources and of the labels.

    Attributes
    ----------
    weights : ndarray of shape (n_sources,)
        How much each source's logarithms count.
    bias : ndarray of shape (n_labels,)
        Added for each label.
    """

    weights: Floats
    bias: Floats

    def predict(self, logs: Floats) -> Floats:
        """Probabilities, of shape (n_rows, n_labels), from logarithms of shape (n_sources, n_rows, n_labels)."""
        return softmax(np.einsum("j,jnl->nl", self.weights, logs) + self.bias)


def softmax(values: Floats) -> Floats:
    """Probabilities whose logarithms are these values, up to a constant for each row."""
    raised = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def logs_of(predictions: Floats) -> Floats:
    """Logarithms of probabilities, none of them minus infinity."""
    return np.log(np.maximum(predictions, LEAST))


def fit_stack(logs: Floats, masses: Floats) -> Stack:
    """The weights under which the raters' labels are likeliest, by Newton's method with a light ridge.

    Parameters
    ----------
    logs : ndarray of shape (n_sources, n_rows, n_labels)
        Logarithms of what each source predicts.
    masses : ndarray of shape (n_rows, n_labels)
        How often each label was given.

    The ridge holds the weights' sum to 1 and the weights to each other, so that a source that comes twice counts as
    much as the same source once.
    """
    n_sources, _, n_labels = logs.shape
    pull, goal = _ridge(n_sources, n_labels)
    theta = np.concatenate([np.full(n_sources, 1 / n_sources), np.zeros(n_labels)])
    value = _loss(theta, logs, masses, pull, goal)
    for _ in range(STEPS):
        slope, bend = _derivatives(theta, logs, masses)
        step = np.linalg.solve(bend + pull, slope - pull @ (theta - goal))
        while _loss(theta + step, logs, masses, pull, goal) > value and np.abs(step).max() > SMALL_STEP:
            step = step / 2
        if np.abs(step).max() <= SMALL_STEP:
            break
        theta = theta + step
        value = _loss(theta, logs, masses, pull, goal)
    return Stack(weights=theta[:n_sources], bias=theta[n_sources:])


def _ridge(n_sources: int, n_labels: int) -> tuple[Floats, Floats]:
    """Matrix and centre of the ridge: (sum of weights - 1)^2, their spread, and the biases."""
    apart = np.eye(n_sources) - 1 / n_sources
    pull = np.zeros((n_sources + n_labels,) * 2)
    pull[:n_sources, :n_sources] = RIDGE * (np.ones((n_sources, n_sources)) + apart)
    pull[n_sources:, n_sources:] = BIAS_RIDGE * np.eye(n_labels)
    goal = np.concatenate([np.full(n_sources, 1 / n_sources), np.zeros(n_labels)])
    return pull, goal


def _values(theta: Floats, logs: Floats) -> Floats:
    n_sources = len(logs)
    return np.asarray(np.einsum("j,jnl->nl", theta[:n_sources], logs) + theta[n_sources:])


def _loss(theta: Floats, logs: Floats, masses: Floats, pull: Floats, goal: Floats) -> float:
    values = _values(theta, logs)
    top = values.max(axis=1)
    total = top + np.log(np.exp(values - top[:, None]).sum(axis=1))
    away = theta - goal
    return float((masses.sum(axis=1) * total).sum() - (masses * values).sum() + away @ pull @ away / 2)


def _derivatives(theta: Floats, logs: Floats, masses: Floats) -> tuple[Floats, Floats]:
    """Slope of the likelihood and its bend, without the ridge."""
    expected = softmax(_values(theta, logs))
    weight = masses.sum(axis=1)
    rest = masses - expected * weight[:, None]
    slope = np.concatenate([np.einsum("jnl,nl->j", logs, rest), rest.sum(axis=0)])
    spread = expected * weight[:, None]
    mean = np.einsum("jnl,nl->jn", logs, expected)
    first = np.einsum("jnl,inl,nl->ji", logs, logs, spread, optimize=True) - np.einsum(
        "jn,in,n->ji", mean, mean, weight
    )
    mixed = np.einsum("jnl,nl->jl", logs, spread) - np.einsum("jn,nl->jl", mean, spread)
    last = np.diag(spread.sum(axis=0)) - np.einsum("nl,nm,n->lm", expected, expected, weight, optimize=True)
    return slope, np.block([[first, mixed], [mixed.T, last]])


def learned_stack(sources: Floats, masses: Floats) -> Callable[[Floats], Floats]:
    """From what each source predicts to one prediction; learned from these rows.

    Parameters
    ----------
    sources : ndarray of shape (n_sources, n_rows, n_labels)
        What each source predicts. Bare labels and other outputs that come again and again are looked up in a table.
    masses : ndarray of shape (n_rows, n_labels)
        How often each label was given; a row's sum is its weight.
    """
    maps = [table_map(source, masses) if are_few(source, weight=masses.sum()) else _as_it_is for source in sources]

    def logs(asked: Floats) -> Floats:
        return logs_of(np.stack([look_up(own) for look_up, own in zip(maps, asked, strict=True)]))

    known = logs(sources)
    stack = fit_stack(known, masses)
    curve = rising_map(stack.predict(known), masses)
    return lambda asked: curve(stack.predict(logs(asked)))


def _as_it_is(outputs: Floats) -> Floats:
    return outputs


def stacked(sources: Floats, masses: Floats, *, fold: npt.NDArray[np.intp]) -> Floats:
    """Combined predictions of each row, learned from the rows of other folds; shape (n_rows, n_labels)."""
    made = np.empty_like(masses)
    for number in np.unique(fold):
        held = fold == number
        learned = ~held if (~held).any() else held
        made[held] = learned_stack(sources[:, learned], masses[learned])(sources[:, held])
    return made
