"""Whether the labels' errors favour one of two models, from three labels or more of the items on which they differ.

On such an item a label speaks for A (+1) or for B (-1), with mean t: t = u where A is right and t = -u where B is.
Three labels of an item tell E[t], E[t^2] and E[t^3] over these items.

- If u is the same number on each side, these three moments give both numbers and how often A is right. That is how
  the paper's assumption 1 is checked.
- E[t^3] - E[t] E[t^2] is then p (1 - p) (u_a - u_b) (u_a + u_b)^2, p the share of the items on which A is right. If u
  varies, but in the same way on both sides, it is (2p - 1) (E[u^3] - E[u] E[u^2]), which has the sign of the better
  model. So items of different difficulty can look as if labels favoured the better model, never the worse one: a
  value against the better model is a sign that assumption 1 or 2 fails.
- Which of the two fails cannot be told from three labels: fewer right labels where the better model is right (1), and
  more varied difficulties where it is wrong (2), can have the same moments.
- No pilot can tell that most raters are wrong about an item: the truth is what most raters would say.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dissensus.planning.labels.pilot.data import Flags, Floats, Kinds
from dissensus.planning.labels.pilot.difficulty import weighted_mean

SMALLEST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moments:
    """Mean, square and cube of t over the items on which the models differ; each of shape (n_samples,)."""

    first: Floats
    second: Floats
    third: Floats

    def turned(self) -> "Moments":
        """The same with the models swapped."""
        return Moments(first=-self.first, second=self.second, third=-self.third)

    @property
    def lean(self) -> Floats:
        """E[t^3] - E[t] E[t^2]: above 0 if labels favour A."""
        return self.third - self.first * self.second

    @property
    def gain_of_three(self) -> Floats:
        """How much larger the mean of t is for the majority of three labels: 3 t / 2 - t^3 / 2 instead of t."""
        first = np.where(np.abs(self.first) > SMALLEST, self.first, np.nan)
        return np.asarray((3 - self.third / first) / 2)


class Sides(NamedTuple):
    """u where A is right and where B is, and the share of the items on which A is right; each of shape (n_samples,)."""

    a: Floats
    b: Floats
    share: Floats


def lead(kinds: Kinds) -> Floats:
    """Mean of t that the labels of an item show, of shape (n_kinds,); NaN without labels."""
    labels = np.where(kinds.labels > 0, kinds.labels, np.nan)
    return np.asarray((kinds.for_a - kinds.for_b) / labels)


def moments_of(kinds: Kinds, weights: Floats, which: Flags) -> Moments:
    """The three moments, from the labels of an item taken one, two and three at a time.

    Parameters
    ----------
    kinds, weights
        The pilot.
    which : ndarray of shape (n_kinds,)
        Kinds with different answers and three labels or more.
    """
    n = np.where(which, kinds.labels, 3).astype(np.float64)
    total = (kinds.for_a - kinds.for_b).astype(np.float64)
    squares = (kinds.for_a + kinds.for_b).astype(np.float64)
    second = (total**2 - squares) / (n * (n - 1))
    third = (total**3 - 3 * total * squares + 2 * total) / (n * (n - 1) * (n - 2))
    first, second, third = (weighted_mean(weights, each, which) for each in (total / n, second, third))
    return Moments(first=first, second=second, third=third)


def sides_of(moments: Moments) -> Sides:
    """The two values of t that have these moments, and the share of the first; NaN where none have.

    Examples
    --------
    >>> t, share = np.array([0.6, -0.4]), np.array([0.7, 0.3])
    >>> given = [np.array([share @ t**power]) for power in (1, 2, 3)]
    >>> [float(value.round(6)[0]) for value in sides_of(Moments(first=given[0], second=given[1], third=given[2]))]
    [0.6, 0.4, 0.7]
    """
    variance = moments.second - moments.first**2
    # E[(t - u_a) (t + u_b)] = 0, alone and times t.
    difference = moments.lean / np.where(variance > SMALLEST, variance, np.nan)
    product = moments.second - difference * moments.first
    root = np.sqrt(np.maximum(difference**2 + 4 * product, 0))
    a, b = np.clip((root + difference) / 2, 0, 1), np.clip((root - difference) / 2, 0, 1)
    share = (moments.first + b) / np.where(a + b > SMALLEST, a + b, np.nan)
    return Sides(a, b, np.clip(share, 0, 1))
