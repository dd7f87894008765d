"""The arrays of a question: judges' and people's rating vectors on the items that are compared."""

from dataclasses import dataclass

import numpy as np

from dissensus.judges.aggregation import Flags, Floats, RatingVectors, modes, reaches
from dissensus.judges.alike_items import number_of
from dissensus.judges.definitions import Definition
from dissensus.judges.reverse_matrix import apply_reverse, share_meeting
from dissensus.judges.reversing import Reversal


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """What is compared.

    Attributes
    ----------
    definitions : tuple of Definition
        By which the judges are ranked.
    taus : tuple of float
        Thresholds of the decisions.
    judges : RatingVectors
        Of shape (n_items, n_judges, n_options).
    judge_positive : ndarray of shape (n_items, n_judges), optional
        Probability that a judge's response set has a positive option; None if no option was called positive.
    people : RatingVectors
        Of shape (n_items, n_options).
    people_positive : ndarray of shape (n_items,), optional
        As for the judges.
    is_chosen : ndarray of shape (n_items,)
        Items on which people's forced choices are known, or made of response sets where nobody made one.
    is_reversed : ndarray of shape (n_items,)
        Items whose response sets come from forced choices through F'.
    reversal : Reversal, optional
        The paired ratings.
    positive : ndarray of shape (n_options,)
        Which options are positive.
    meets : ndarray of shape (n_sets,)
        1 for a response set with a positive option.
    pool : int
        How many items are resampled: those that are compared, then others with paired ratings.
    has_both : ndarray of shape (n_items, n_judges)
        Where a judge was asked for a forced choice and for a response set.
    smoothing : float
        Added to each option of a distribution under a logarithm.
    pool_copies : ndarray of shape (n_pool,), optional
        How many items of the data each item of the pool stands for; one if None.
    """

    definitions: tuple[Definition, ...]
    taus: tuple[float, ...]
    judges: RatingVectors
    judge_positive: Floats | None
    people: RatingVectors
    people_positive: Floats | None
    is_chosen: Flags
    is_reversed: Flags
    reversal: Reversal | None
    positive: Flags
    meets: Floats
    pool: int
    has_both: Flags
    smoothing: float
    pool_copies: Floats | None = None

    @property
    def n_items(self) -> int:
        """How many items are compared; where alike items were put together, how many different ones."""
        return len(self.is_chosen)

    @property
    def copies(self) -> Floats | None:
        """How many items of the data each of the compared items stands for; None means one."""
        return None if self.pool_copies is None else self.pool_copies[: self.n_items]

    @property
    def items_in_all(self) -> int:
        """How many items of the data are compared."""
        return self.n_items if self.copies is None else int(self.copies.sum())

    @property
    def items_chosen(self) -> int:
        """On how many items of the data people's forced choices are known."""
        return int(number_of(self.is_chosen, self.copies))

    @property
    def weights(self) -> Floats:
        """How often each item of the pool counts in the data, of shape (1, n_pool)."""
        return np.ones((1, self.pool)) if self.pool_copies is None else self.pool_copies[None, :]

    @property
    def n_judges(self) -> int:
        """How many judges are compared."""
        return int(self.judges.soft.shape[1])

    def tied(self) -> tuple[int, list[int]]:
        """On how many items people's most frequent choice ties, and each judge's."""
        people, judges = modes(self.people.soft)[1], modes(self.judges.soft)[1]
        tied = number_of(judges & self.is_chosen[:, None], self.copies)
        return int(number_of(people & self.is_chosen, self.copies)), [int(items) for items in tied]

    def with_matrix(self, matrix: Floats) -> tuple[RatingVectors, Floats | None]:
        """People's vectors and positive probabilities on the reversed items, under this F'."""
        soft = self.people.soft[self.is_reversed]
        assert self.reversal is not None  # noqa: S101 - the caller has its matrix
        marginals = apply_reverse(soft, matrix, self.reversal.members)
        positive = None if self.people_positive is None else share_meeting(soft, matrix, self.meets)
        return RatingVectors(soft=soft, marginals=marginals), positive


def decisions(positive: Floats | None, taus: tuple[float, ...], shape: tuple[int, ...]) -> Flags:
    """Which probabilities of a positive response set reach which threshold.

    Parameters
    ----------
    positive : ndarray of shape (n_items, ...), optional
        Probabilities; None if no option was called positive, and then there is nothing to decide.
    taus : tuple of float
        Thresholds.
    shape : tuple of int
        That of the probabilities.

    Returns
    -------
    ndarray of shape (n_items, n_taus, ...)
    """
    if positive is None:
        return np.zeros((shape[0], 0, *shape[1:]), dtype=np.bool_)
    return np.stack([reaches(positive, tau) for tau in taus], axis=1)
