"""A Dirichlet-multinomial model of the labels in a pilot: what further raters of an item would say.

An item's shares of labels vary around a blend of what raters said of items to which the judges answered alike, and of
the judges' own answers. The blend, and how far shares vary around it, are what make the pilot's ratings most likely; an
item's ratings never predict themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.planning.raters.nodes import Floats

Codes = npt.NDArray[np.intp]
WIDTHS = (0.1, 0.2, 0.4, 0.8, np.inf)
"""How far apart the answers to two items may be to count as alike, in standard deviations; at last all items are."""
CONCENTRATIONS = np.geomspace(0.05, 200, 25)
OVERALL = 1.0
"""The shares of all items count as much as so many ratings of alike items."""
LEAST = 1e-9
EM_STEPS = 100
ROWS = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelModel:
    """What is known of each item's shares before its own ratings are seen.

    Attributes
    ----------
    prior : ndarray of shape (n_items, n_labels)
        Expected shares; each row sums to 1.
    concentration : float
        How many ratings they are worth.
    """

    prior: Floats
    concentration: float

    def posterior(self, counts: Codes) -> Floats:
        """Parameters of the Dirichlet distribution of each item's shares once its ratings are seen."""
        return np.asarray(counts + self.concentration * self.prior)


def fit_labels(counts: Codes, features: Floats, answers: Sequence[Floats]) -> LabelModel:
    """The model of these ratings.

    Parameters
    ----------
    counts : ndarray of shape (n_items, n_labels)
        How many raters gave each label.
    features : ndarray of shape (n_items, n_features)
        What the judges answered, for finding items that are alike.
    answers : sequence of ndarrays of shape (n_items, n_labels)
        Each judge's share of each label.
    """
    guesses = np.stack([*(expected_shares(counts, features, width) for width in WIDTHS), *answers])
    prior = np.maximum(blend(counts, guesses), LEAST)
    prior /= prior.sum(axis=1, keepdims=True)
    fits = [log_likelihood(counts, prior, each) for each in CONCENTRATIONS]
    return LabelModel(prior=prior, concentration=float(CONCENTRATIONS[int(np.argmax(fits))]))


def blend(counts: Codes, guesses: Floats) -> Floats:
    """The mixture of guesses at each item's shares that makes its ratings most likely, by EM.

    Parameters
    ----------
    counts : ndarray of shape (n_items, n_labels)
    guesses : ndarray of shape (n_guesses, n_items, n_labels)

    Examples
    --------
    >>> sure, unsure = np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])
    >>> blend(np.array([[3, 1]]), np.stack([sure, unsure])).round(3)  # half of each
    array([[0.75, 0.25]])
    """
    share = np.full(len(guesses), 1 / len(guesses))
    for _ in range(EM_STEPS):
        mixed = np.maximum(np.tensordot(share, guesses, axes=1), LEAST)
        share = share * np.einsum("gic,ic->g", guesses, counts / mixed) / counts.sum()
        share /= share.sum()
    return np.tensordot(share, guesses, axes=1)


def expected_shares(counts: Codes, features: Floats, width: float) -> Floats:
    """Shares of the labels among the ratings of other items, near ones counting most."""
    total = counts.sum(axis=0)
    overall = total / total.sum()
    near = neighbours(features, width, counts.astype(np.float64))
    shares = np.maximum(near + OVERALL * overall, LEAST)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def neighbours(features: Floats, width: float, values: Floats) -> Floats:
    """Sums of the values of all other items, weighted by how near their features are.

    Parameters
    ----------
    features : ndarray of shape (n_items, n_features)
        In any unit.
    width : float
        Of the Gaussian weight, in standard deviations.
    values : ndarray of shape (n_items, n_values)

    Examples
    --------
    >>> neighbours(np.array([[0.0], [1.0], [2.0]]), np.inf, np.array([[1.0], [10.0], [100.0]])).tolist()
    [[110.0], [101.0], [11.0]]
    """
    if np.isinf(width):
        return np.asarray(values.sum(axis=0) - values)
    spread = features.std(axis=0)
    scaled = features[:, spread > 0] / (spread[spread > 0] * width)
    square = (scaled**2).sum(axis=1)
    found = np.empty_like(values)
    step = max(1, ROWS // len(values))
    for start in range(0, len(values), step):
        rows = slice(start, start + step)
        apart = np.maximum(square[rows, None] + square - 2 * scaled[rows] @ scaled.T, 0)
        weight = np.exp(-apart / 2)
        weight[np.arange(len(weight)), np.arange(start, start + len(weight))] = 0
        found[rows] = weight @ values
    return found


def log_likelihood(counts: Codes, prior: Floats, concentration: float) -> float:
    """Of the ratings' labels in a Dirichlet-multinomial model, up to a constant.

    Examples
    --------
    >>> pair = np.array([[2, 0]])  # the second rater agrees: (1 / 2 + 1) / (1 + 1) of the time
    >>> round(float(np.exp(log_likelihood(pair, np.array([[0.5, 0.5]]), 1.0))), 4)  # and the first gives it half of it
    0.375
    """
    from scipy.special import gammaln  # noqa: PLC0415 - takes a while to import

    weight = concentration * prior
    of_labels = (gammaln(counts + weight) - gammaln(weight)).sum()
    of_items = (gammaln(concentration) - gammaln(counts.sum(axis=1) + concentration)).sum()
    return float(of_labels + of_items)
