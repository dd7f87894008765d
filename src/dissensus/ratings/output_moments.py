"""What judges' outputs would score, summed up over items that raters labelled alike."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.ratings.coding import Codes

LabelScores = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]
"""From predictions of shape (..., n_labels): what each label would score, of the same shape."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OutputMoments:
    """Mean and covariance, within each item that stands for many, of what each label would score.

    A judge that gives another probability on every item leaves nothing to put together but items with the same label
    counts. For a score that is a mean over items these moments tell its value exactly, and how it varies from one
    bootstrap sample to the next as well as a normal distribution can.

    Attributes
    ----------
    labels : tuple of str
        Those of the raters, then those that only judges know.
    mean : ndarray of shape (n_items, n_judges, n_labels)
        Mean over the copies of an item.
    covariance : ndarray of shape (n_items, n_judges * n_labels, n_judges * n_labels)
        Over the copies, divided by their number.
    scored_by : callable
        What made scores of outputs; equal to another that scores the same.
    """

    labels: tuple[str, ...]
    mean: npt.NDArray[np.float64]
    covariance: npt.NDArray[np.float64]
    scored_by: LabelScores

    def of(self, items: Codes, judges: Codes) -> "OutputMoments":
        """The moments of these items and judges."""
        n_labels = len(self.labels)
        own = (judges[:, None] * n_labels + np.arange(n_labels)).ravel()
        return OutputMoments(
            labels=self.labels,
            mean=self.mean[np.ix_(items, judges)],
            covariance=self.covariance[np.ix_(items, own, own)],
            scored_by=self.scored_by,
        )
