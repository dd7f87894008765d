"""Planning on what judges tell: the difference of their calibrated scores, item by item.

An item's difference is the mean, over its raters, of the logarithm of what A's calibrated answer gives to the rater's
label over what B's gives. Over items it varies by how the judges differ there, whoever rates, and by which labels an
item's few raters happen to give, which K raters divide by K.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.errors import OptionError, RatingsError, counted, listed, named
from dissensus.methods.compare.information import Rows, scores_of_labels
from dissensus.methods.compare.result import CompareOptions
from dissensus.methods.equivalence.calibration import draw_folds
from dissensus.methods.plan_raters.designs import Pair
from dissensus.methods.plan_raters.moments import Moments, first_row
from dissensus.methods.plan_raters.options import PlanRatersOptions
from dissensus.methods.plan_raters.pilot import Pilot, label_shares

LEAST = 1e-12  # differences below this are rounding errors


def log_ratios(pilot: Pilot, rng: Generator) -> Floats:
    """By how many bits A's calibrated answer to an item predicts each label better, of shape (n_items, n_labels).

    The score is that of `compare`.
    """
    counts = pilot.counts()
    shares = counts / counts.sum(axis=1, keepdims=True)
    rows = Rows(np.arange(pilot.n_items), draw_folds(pilot.n_items, rng), None)
    a, b = (scores_of_labels(outputs, shares, rows, clip=CompareOptions.clip) for outputs in label_shares(pilot))
    return a - b


def check_information(pilot: Pilot, options: PlanRatersOptions) -> None:
    """Raise where the pilot has no labels, or is asked for other answers of the judges than it has."""
    if pilot.is_measured:
        raise OptionError(
            f"{named('metric')} information needs labels, and the pilot's ratings are measurements "
            f"({listed(pilot.aligned.labels)}): choose {named('metric')} wins or mae."
        )
    asked = {int(size) for judge in (pilot.a, pilot.b) for size in judge.size}
    if options.machine_samples is not None and options.machine_samples not in asked:
        raise OptionError(
            f"{named('metric')} information plans for judges that are asked as often as in the pilot: leave out "
            f"{named('machine_samples')}."
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InformationMoments:
    """Moments of an item's difference, with any number of raters."""

    ratios: Floats  # (n_items, n_labels): as in `log_ratios`
    weights: Floats  # (n_samples, n_items): the pilot's own in the first row, then its bootstrap samples
    difference: Floats  # (n_items,): as the pilot's raters have it
    within: Floats  # (n_items,): variance of one rating's difference
    size: Codes  # (n_items,): raters

    def possible(self, pair: Pair) -> Moments:
        """Moments by everything that is possible, the best guess first."""
        mean = self.weights @ self.difference
        square = self.weights @ self.difference**2 - mean**2
        within = self.weights @ self.within
        # What the pilot's items vary by holds the noise of their own raters.
        items = np.maximum(square * self._unbiased - self.weights @ (self.within / self.size), 0)
        variance = items + within / pair[0]
        return Moments(
            margin=np.zeros_like(mean), tied=np.zeros_like(mean), mean=mean, variance=variance,
            null_variance=variance + mean**2,
        )  # fmt: skip

    @property
    def _unbiased(self) -> float:
        return len(self.size) / (len(self.size) - 1)

    def guess(self, pair: Pair) -> Moments:
        """Moments by the best guess."""
        return first_row(self.possible(pair))

    def shift_and_noise(self, pair: Pair) -> tuple[float, float]:
        """How far apart the judges are on an item, and how far its few raters move that: root mean squares, in bits."""
        found = self.guess(pair)
        noise = float(self.weights[0] @ self.within) / pair[0]
        return float(np.sqrt(max(float(found.variance) - noise, 0.0) + float(found.mean) ** 2)), float(np.sqrt(noise))


def information_moments(pilot: Pilot, ratios: Floats, weights: Floats) -> InformationMoments:
    """Moments from what the pilot's raters said; an item that one rater rated varies as the others do."""
    counts = pilot.counts()
    size = counts.sum(axis=1)
    shares = counts / size[:, None]
    difference = np.einsum("il,il->i", shares, ratios)
    around = np.einsum("il,il->i", shares, (ratios - difference[:, None]) ** 2)
    several = size > 1
    within = around * size / np.maximum(size - 1, 1)
    within = np.where(several, within, within[several].mean())
    if np.allclose(ratios, 0, atol=LEAST):
        a, b = pilot.names
        raise RatingsError(
            f"The pilot cannot tell: calibrated, {a} and {b} predict the same on each of its "
            f"{counted(pilot.n_items, 'item')}. Give a larger pilot."
        )
    return InformationMoments(ratios=ratios, weights=weights, difference=difference, within=within, size=size)
