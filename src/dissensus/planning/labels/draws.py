"""What a pilot leaves open, carried into the plan: errors and items over its bootstrap samples."""

import numpy as np

from dissensus.planning.labels.bounds import log_cramer
from dissensus.planning.labels.needed import items_needed
from dissensus.planning.labels.question import Question
from dissensus.planning.labels.situation import FloatArray
from dissensus.planning.labels.strategies import Scheme
from dissensus.planning.labels.walk import log_chances

LARGEST = 10**9
"""Items beyond which no number is looked for."""


def error_draws(scheme: Scheme, question: Question, items: int) -> FloatArray:
    """The error of so many items in each draw, of shape (n_draws,)."""
    return np.asarray(np.exp(log_chances(scheme.steps.x, scheme.steps.y, items).error(question.ties)))


def items_draws(scheme: Scheme, question: Question, error: float) -> FloatArray:
    """The items that a plan takes for that error in each draw, of shape (n_draws,); infinite where none will do."""
    x, y = scheme.steps.x, scheme.steps.y
    if question.ties == "win":  # the error first rises with the number of items, so that no bisection finds it
        safe = [items_needed(float(up), float(down), error, "win").safe for up, down in zip(x, y, strict=True)]
        return np.array([np.inf if items is None else float(items) for items in safe])
    found = np.full(x.shape, np.inf)
    rate = log_cramer(x, y, 1)
    can = rate < np.log(error) / LARGEST
    if not can.any():
        return found
    x, y = x[can], y[can]
    # Only odd numbers where nothing but ties lies between them: there the error falls from odd number to odd number.
    step = 2 if scheme.strategy == "disagreement-only" else 1
    low = np.zeros(x.shape, dtype=np.int64)
    high = np.ceil(np.log(error) / np.maximum(rate[can], -1e300) / step).astype(np.int64)  # Cramer's number is enough
    while (low < high).any():
        middle = (low + high) // 2
        fine = log_chances(x, y, middle * step + 1).error(question.ties) <= np.log(error)
        low, high = np.where(fine, low, np.minimum(middle + 1, high)), np.where(fine, middle, high)
    found[can] = low * step + 1
    return found
