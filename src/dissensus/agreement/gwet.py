"""Gwet's AC1 and AC2: agreement corrected by a chance that does not grow when one label is rare."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from dissensus.agreement.fleiss import label_shares
from dissensus.agreement.pairwise import pairwise_agreement
from dissensus.agreement.sums import Floats, item_weights, pair_sums, pairable, ratio, weighted_sum
from dissensus.errors import OptionError
from dissensus.ratings import CountTypes
from dissensus.ratings.coding import Codes

Weighting = Literal["ordinal", "linear", "quadratic"]
WEIGHTINGS: tuple[Weighting, ...] = ("ordinal", "linear", "quadratic")


def gwet_ac1(types: CountTypes, weights: npt.ArrayLike | None = None) -> Floats:
    """Gwet's AC1 for unordered labels.

    Parameters
    ----------
    types : CountTypes
        The histogram of label counts; a label that nobody used counts among the possible ones.
    weights : ndarray of shape (n_replicates, n_types), optional
        How often each type counts in each replicate; the data themselves if not given.

    Returns
    -------
    ndarray of shape (n_replicates,)
        NaN if there is only one label or no item has two ratings.

    References
    ----------
    K. L. Gwet (2008), "Computing inter-rater reliability and its variance in the presence of high agreement",
    British Journal of Mathematical and Statistical Psychology 61, 29-48.

    Examples
    --------
    >>> from dissensus.ratings import types_of_matrix
    >>> gwet_ac1(types_of_matrix([[2, 0], [1, 1], [2, 0]])).round(4)  # shares 5/6, 1/6; chance 10/36
    array([0.5385])
    """
    w = item_weights(types, weights)
    return _beyond_chance(pairwise_agreement(types, w), _chance(types, w, total_weight=float(types.n_labels)), types)


def gwet_ac2(
    types: CountTypes,
    values: Floats,
    weights: npt.ArrayLike | None = None,
    *,
    weighting: Weighting = "ordinal",
) -> Floats:
    """Gwet's AC2 for ordered labels: labels close to each other agree in part.

    Parameters
    ----------
    types : CountTypes
        The histogram of label counts.
    values : ndarray of shape (n_labels,)
        The labels as numbers, for linear and quadratic weights; NaN for words, which count by their position.
    weights : ndarray of shape (n_replicates, n_types), optional
        As in `gwet_ac1`.
    weighting : {"ordinal", "linear", "quadratic"}
        How fast partial agreement falls with distance.

    Returns
    -------
    ndarray of shape (n_replicates,)
    """
    if weighting not in WEIGHTINGS:
        raise OptionError.unknown("--weights", weighting, WEIGHTINGS)
    w = item_weights(types, weights)
    closeness = _Closeness(types.n_labels, values, weighting)
    m = types.ratings
    # Each rating is fully close to itself, and a pair is two different ratings.
    close = (pair_sums(types, closeness.between) - m) / np.maximum(m * (m - 1), 1)
    observed = ratio(weighted_sum(w, close * pairable(types)), weighted_sum(w, pairable(types).astype(np.float64)))
    return _beyond_chance(observed, _chance(types, w, total_weight=closeness.total()), types)


def _chance(types: CountTypes, w: Floats, *, total_weight: float) -> Floats:
    """Gwet's chance agreement: T_w / (q (q - 1)) times the sum of p (1 - p) over q labels."""
    q = types.n_labels
    shares = label_shares(types, w)
    return np.asarray((shares * (1 - shares)).sum(axis=1) * total_weight / max(q * (q - 1), 1))


def _beyond_chance(observed: Floats, by_chance: Floats, types: CountTypes) -> Floats:
    if types.n_labels < 2:  # noqa: PLR2004 - with one label nobody can disagree
        return np.full_like(observed, np.nan)
    return ratio(observed - by_chance, 1 - by_chance)


class _Closeness:
    """Agreement weights between labels: 1 for the same label, 0 for the two that are farthest apart."""

    def __init__(self, n_labels: int, values: Floats, weighting: Weighting) -> None:
        place = np.arange(n_labels, dtype=np.float64)
        self.x = values if weighting != "ordinal" and np.isfinite(values).all() else place
        self.weighting = weighting
        self.range = float(np.ptp(self.x)) if n_labels > 1 else 1.0

    def between(self, c: Codes, k: Codes) -> Floats:
        """Weights of pairs of labels."""
        apart = np.abs(self.x[c] - self.x[k])
        if self.weighting == "ordinal":
            # 1 - C(d + 1, 2) / C(q, 2), with d steps between the labels and q = range + 1 of them.
            return np.asarray(1 - apart * (apart + 1) / (self.range * (self.range + 1)))
        power = 2 if self.weighting == "quadratic" else 1
        return np.asarray(1 - (apart / self.range) ** power)

    def total(self) -> float:
        """Sum of the weights of all pairs of labels."""
        every = np.arange(len(self.x))
        return float(sum(self.between(np.full_like(every, c), every).sum() for c in every))
