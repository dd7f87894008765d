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


def fit_softmax(design: Design, inputs: Floats, masses: Floats, ridge: Ridge, *, start: Floats | None = None) -> Floats:
    """The parameters under which the labels are most likely, less the ridge; of shape (n_parameters,).

    Parameters
    ----------
    design : callable
        Features of some inputs; a label's value is the sum of its features times the parameters.
    inputs, masses : ndarray of shape (n_rows, n_labels)
        What the features are made of, and how often each label was given.
    ridge : Ridge
        The penalty; it must hold every direction that the data leave open.
    start : ndarray of shape (n_parameters,), optional
        Where to start; from the goal of the ridge if not given.
    """
    theta = np.array(ridge.goal if start is None else start, dtype=np.float64)
    weight = max(float(masses.sum()), 1e-300)
    loss, slope, bend = _derivatives(design, inputs, masses, theta)
    loss += ridge(theta)
    for _ in range(STEPS):
        slope = slope - ridge.pull @ (theta - ridge.goal)
        step = np.linalg.solve(bend + ridge.pull, slope)
        gain = float(step @ slope) / 2
        for _ in range(HALVINGS):
            new_loss, new_slope, new_bend = _derivatives(design, inputs, masses, theta + step)
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


def _derivatives(design: Design, inputs: Floats, masses: Floats, theta: Floats) -> tuple[float, Floats, Floats]:
    """Minus the log-likelihood, the slope of the log-likelihood, and minus its second derivatives."""
    loss, slope, bend = 0.0, np.zeros_like(theta), np.zeros((len(theta),) * 2)
    for x, mass in _chunks(inputs, masses, len(theta)):
        features = design(x)
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


def _chunks(inputs: Floats, masses: Floats, n_parameters: int) -> Iterator[tuple[Floats, Floats]]:
    step = max(1, CELLS_AT_ONCE // max(1, inputs.shape[1] * n_parameters))
    for first in range(0, len(inputs), step):
        yield inputs[first : first + step], masses[first : first + step]
