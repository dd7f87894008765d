"""Moments of an item from draws of the pilot's items, for the pilot and for bootstrap samples of it."""

from dataclasses import dataclass, field

import numpy as np

from dissensus.planning.raters.item_moments import Moments
from dissensus.planning.raters.label_draws import LabelDraws
from dissensus.planning.raters.nodes import Floats
from dissensus.planning.raters.predicting import Pair
from dissensus.planning.raters.value_draws import ValueDraws


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnMoments:
    """Moments from draws.

    Attributes
    ----------
    draws : LabelDraws or ValueDraws
        What the items show with any number of raters.
    weights : ndarray of shape (n_samples, n_items)
        Of the items: the pilot's own in the first row, then those of its bootstrap samples; each row sums to 1.
    apart, people, machine : float
        Mean square of how far apart the judges are on an item; mean variance of one rating, and of one answer.
    """

    draws: LabelDraws | ValueDraws
    weights: Floats
    apart: float
    people: float
    machine: float
    _known: dict[int, Moments] = field(default_factory=dict)

    def possible(self, pair: Pair) -> Moments:
        """Moments by everything that is possible, the best guess first."""
        raters = pair[0]
        if raters not in self._known:
            self._known[raters] = self._moments(raters)
        return self._known[raters]

    def guess(self, pair: Pair) -> Moments:
        """Moments by the best guess."""
        found = self.possible(pair)
        names = ("margin", "tied", "mean", "variance", "null_variance")
        return Moments(**{name: np.asarray(getattr(found, name)[0]) for name in names})

    def _moments(self, raters: int) -> Moments:
        alt, null = self.draws.gaps(raters)
        mean = self.weights @ alt.mean(axis=1)
        square = self.weights @ (alt**2).mean(axis=1)
        return Moments(
            margin=self.weights @ np.sign(alt).mean(axis=1),
            tied=self.weights @ (alt == 0).mean(axis=1),
            mean=mean,
            variance=np.maximum(square - mean**2, 0),
            null_variance=self.weights @ (null**2).mean(axis=1),
        )

    def shift_and_noise(self, pair: Pair) -> tuple[float, float]:
        """How far apart the judges are on an item, and how far its means stray: root mean squares."""
        noise = self.people / pair[0] + self.machine / pair[1]
        return float(np.sqrt(self.apart)), float(np.sqrt(noise))
