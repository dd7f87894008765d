"""Everything that a survey equivalence is computed from, as plain arrays: it travels to other processes as it is."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.ratings.coding import Codes
from dissensus.ratings.counts import count_types
from dissensus.survey.curve import Panel
from dissensus.survey.moments import ScoredMoments
from dissensus.survey.scores import Score
from dissensus.survey.subsets import Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predictions:
    """One judge, raw or calibrated, on every item."""

    judge: str
    calibrated: bool
    predictions: Floats  # (n_items, n_labels)
    values: Floats  # (n_items,), for correlations; NaN where they come from the predictions


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """Types of items, who rated them, judges, and how to score.

    Attributes
    ----------
    counts : ndarray of shape (n_types, n_labels)
        Ratings by those whom judges are compared with: all raters, or the experts.
    amateurs : ndarray of shape (n_types, n_labels), optional
        Ratings by the amateurs.
    type_of_item : ndarray of shape (n_items,)
        The type of each item.
    copies : ndarray of shape (n_items,), optional
        How many items of the data each item stands for; None means one.
    judges : tuple of Predictions
        The judges.
    sizes : tuple of int
        Numbers of raters k of the curve, from 0.
    panel, score
        The combiner and the score.
    references : int
        How many held-out raters make the reference.
    fold : ndarray of shape (n_items,)
        Fold of each item, for cross-fitting.
    columns : tuple of arrays, optional
        Item and rater of each rating and its label, where judges are scored rater by rater.
    moments : ScoredMoments, optional
        What judges score on the copies of each item, where their outputs differ between them.
    """

    counts: Codes
    type_of_item: Codes
    judges: tuple[Predictions, ...]
    sizes: tuple[int, ...]
    panel: Panel
    score: Score
    fold: Codes
    references: int = 1
    amateurs: Codes | None = None
    amateur_sizes: tuple[int, ...] = ()
    columns: tuple[Codes, Codes, Codes] | None = None
    copies: Codes | None = None
    moments: ScoredMoments | None = None

    @property
    def n_items(self) -> int:
        """How many items there are, those that stand for many counted once."""
        return len(self.type_of_item)

    @property
    def items(self) -> Codes:
        """How many items of the data each type has."""
        if self.copies is None:
            return np.bincount(self.type_of_item, minlength=len(self.counts))
        return np.asarray(type_weights(self.copies[None, :], self)[0], dtype=np.intp)


def types_of_items(counts: Codes) -> tuple[Codes, Codes]:
    """Distinct rows of counts, of shape (n_types, n_columns), and the type of each row."""
    item, label = np.nonzero(counts)
    if len(np.unique(item)) < len(counts):
        raise ValueError("every item needs a rating")
    cells = (item.astype(np.intp), label.astype(np.intp), counts[item, label])
    types, type_of_item = count_types(*cells, n_items=len(counts), n_labels=counts.shape[1])
    return types.dense(), type_of_item


def type_weights(item_weights: npt.NDArray[np.integer], problem: Problem) -> Floats:
    """Weights of types, of shape (n_replicates, n_types), from weights of items."""
    n_types = len(problem.counts)
    return np.stack([np.bincount(problem.type_of_item, weights=row, minlength=n_types) for row in item_weights])


def fold_weights(item_weights: npt.NDArray[np.integer], problem: Problem) -> Floats:
    """Weights of types by fold, of shape (n_folds, n_replicates, n_types)."""
    n_folds, n_types = int(problem.fold.max(initial=0)) + 1, len(problem.counts)
    key = problem.fold * n_types + problem.type_of_item
    table = np.stack([np.bincount(key, weights=row, minlength=n_folds * n_types) for row in item_weights])
    return table.reshape(len(item_weights), n_folds, n_types).transpose(1, 0, 2).astype(np.float64)
