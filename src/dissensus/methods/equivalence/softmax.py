"""Softmax regression: from some numbers for each label to the shares of the labels, by Newton's method.

Rows come with masses, how often each label was given there, so rows that are the same can be put together.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats

STEPS = 60
SMALL_GAIN = 1e-10
"""A step that would gain less than this for each unit of mass is the last one: the next would gain its square."""
HALVINGS = 30
CELLS_AT_ONCE = 1 << 22

Design = Callable[[Floats], Floats]
"""From inputs of shape (n_rows, n_labels) to features of shape (n_rows, n_labels, n_parameters)."""


def softmax(values: Floats) -> Floats:
    """Probabilities whose logarithms are these values, up to a constant for each row."""
    raised = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ridge:
    """A penalty: half of (theta - goal) times pull times (theta - goal)."""

    pull: Floats  # (n_parameters, n_parameters)
    goal: Floats  # (n_parameters,)

    def __call__(self, theta: Floats) -> float:
        """The penalty of these parameters."""
        away = theta - self.goal
        return float(away @ self.pull @ away) / 2


def fit_softmax(
    design: Design | None, inputs: Floats, masses: Floats, ridge: Ridge, *, start: Floats | None = None
) -> Floats:
    """The parameters under which the labels are most likely, less the ridge; of shape (n_parameters,).

    `design`: features of some inputs; a label's value is the sum of its features times the parameters. If not given: a
    bias for each label, then for each label a slope on every input, which takes much less time than its features would.
    `inputs`, `masses` (n_rows, n_labels): what the features are made of, and how often each label was given. `ridge`:
    the penalty; it must hold every direction that the data leave open. `start` (n_parameters,): where to start; from
    the goal of the ridge if not given.
    """
    theta = np.array(ridge.goal if start is None else start, dtype=np.float64)
    weight = max(float(masses.sum()), 1e-300)
    made = None  # features that fit at once are made once for all steps
    if design is not None and inputs.shape[0] * inputs.shape[1] * len(theta) <= CELLS_AT_ONCE:
        made = design(inputs)
    loss, slope, bend = _derivatives(design, inputs, masses, theta, made)
    loss += ridge(theta)
    for _ in range(STEPS):
        slope = slope - ridge.pull @ (theta - ridge.goal)
        step = np.linalg.solve(bend + ridge.pull, slope)
        gain = float(step @ slope) / 2
        for _ in range(HALVINGS):
            new_loss, new_slope, new_bend = _derivatives(design, inputs, masses, theta + step, made)
            new_loss += ridge(theta + step)
            if new_loss <= loss + SMALL_GAIN * weight:
                break
            step = step / 2
        else:
            break
        theta, loss, slope, bend = theta + step, new_loss, new_slope, new_bend
        if gain <= SMALL_GAIN * weight:
            break
    return theta


def _derivatives(
    design: Design | None, inputs: Floats, masses: Floats, theta: Floats, made: Floats | None
) -> tuple[float, Floats, Floats]:
    """Minus the log-likelihood, the slope of the log-likelihood, and minus its second derivatives."""
    if design is None:
        return _matrix_derivatives(inputs, masses, theta)
    loss, slope, bend = 0.0, np.zeros_like(theta), np.zeros((len(theta),) * 2)
    for x, mass in _chunks(inputs, masses, len(theta)):
        features = design(x) if made is None else made
        values = features @ theta
        top = values.max(axis=1, keepdims=True)
        raised = np.exp(values - top)
        total = raised.sum(axis=1, keepdims=True)
        expected = raised / total
        weight = mass.sum(axis=1)
        loss += float((weight * (top + np.log(total))[:, 0]).sum() - (mass * values).sum())
        flat = features.reshape(-1, len(theta))
        spread = expected * weight[:, None]
        slope += (mass - spread).ravel() @ flat
        mean = (expected[:, None, :] @ features)[:, 0]
        bend += (flat * spread.ravel()[:, None]).T @ flat - (mean * weight[:, None]).T @ mean
    return loss, slope, bend


def _matrix_derivatives(inputs: Floats, masses: Floats, theta: Floats) -> tuple[float, Floats, Floats]:
    """The same of a bias for each label and a slope for each label and input.

    The second derivatives of labels k and l are the sums of z z^T weighted by p_k (1 - p_k) or -p_k p_l, where z is 1
    and the inputs.
    """
    n_labels = inputs.shape[1]
    size = n_labels + 1
    loss, slope, bend = 0.0, np.zeros((n_labels, size)), np.zeros((n_labels**2, size**2))
    weights = np.concatenate([theta[:n_labels, None], theta[n_labels:].reshape(n_labels, n_labels)], axis=1)
    for x, mass in _chunks(inputs, masses, size**2):
        z = np.concatenate([np.ones((len(x), 1)), x], axis=1)
        values = z @ weights.T
        top = values.max(axis=1, keepdims=True)
        raised = np.exp(values - top)
        total = raised.sum(axis=1, keepdims=True)
        expected, weight = raised / total, mass.sum(axis=1)
        spread = expected * weight[:, None]
        loss += float((weight * (top + np.log(total))[:, 0]).sum() - (mass * values).sum())
        slope += (mass - spread).T @ z
        pairs = -spread[:, :, None] * expected[:, None, :]
        pairs[:, np.arange(n_labels), np.arange(n_labels)] += spread
        bend += pairs.reshape(len(x), -1).T @ (z[:, :, None] * z[:, None, :]).reshape(len(x), -1)
    # From label by label, each with its bias and slopes, to all biases first.
    order = np.arange(n_labels * size).reshape(n_labels, size)
    order = np.concatenate([order[:, 0], order[:, 1:].ravel()])
    square = bend.reshape(n_labels, n_labels, size, size).transpose(0, 2, 1, 3).reshape(n_labels * size, -1)
    return loss, slope.ravel()[order], square[np.ix_(order, order)]


def _chunks(inputs: Floats, masses: Floats, n_parameters: int) -> Iterator[tuple[Floats, Floats]]:
    step = max(1, CELLS_AT_ONCE // max(1, inputs.shape[1] * n_parameters))
    for first in range(0, len(inputs), step):
        yield inputs[first : first + step], masses[first : first + step]
