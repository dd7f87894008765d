"""Surveys of k raters and the reference rater they are scored against, exactly."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.ratings.coding import Codes
from dissensus.survey.subsets import Draws, Floats, draw_subsets, orders, sequence_probability


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surveys:
    """Every survey of k raters that some type of item allows, and how the reference rater answers after it.

    Attributes
    ----------
    size : int
        k, how many raters are asked.
    counts : ndarray of shape (n_surveys, n_labels)
        The distinct surveys y, as label counts.
    orders : ndarray of shape (n_surveys,)
        In how many orders each can come.
    type, survey : ndarray of shape (n_cells,)
        A type of item and a survey that it allows; cells of a type are contiguous.
    joint : ndarray of shape (n_cells, n_labels)
        Probability that raters of such an item give the survey in one particular order and the reference rater then
        gives the label: P(y + e_l | n).
    start : ndarray of shape (n_types + 1,)
        Where the cells of each type begin.
    """

    size: int
    counts: npt.NDArray[np.int32]
    orders: Floats
    type: Codes
    survey: Codes
    joint: Floats
    start: Codes

    @property
    def n_types(self) -> int:
        """How many types of items there are."""
        return len(self.start) - 1

    @property
    def shape(self) -> tuple[int, int]:
        """Number of surveys and of labels."""
        return len(self.counts), self.joint.shape[1]

    @property
    def takes_part(self) -> npt.NDArray[np.bool_]:
        """Which types have enough ratings for a survey and its reference."""
        return np.diff(self.start) > 0


def surveys_of_size(counts: Codes, k: int, *, references: int = 1) -> Surveys:
    """Surveys of k raters, scored against the plurality of further raters of the same item.

    Parameters
    ----------
    counts : ndarray of shape (n_types, n_labels)
        Ratings of each type of item.
    k : int
        How many raters are asked.
    references : int
        How many further raters make the reference: one, or the plurality of several.
    """
    total = counts.sum(axis=1)
    enough = np.where((total >= k + references)[:, None], counts, 0)
    draws = draw_subsets(enough, k) if k else _nobody(enough)
    left = enough[draws.row] - draws.counts
    one = left / (total[draws.row] - k)[:, None]
    reference = one if references == 1 else plurality_of_draws(left, references)
    return _assemble(draws, sequence_probability(enough, draws, k)[:, None] * reference, k, n_types=len(counts))


def surveys_against(counts: Codes, k: int, reference: Floats) -> Surveys:
    """Surveys of k raters of one kind, scored against the label distribution of another kind.

    Parameters
    ----------
    counts : ndarray of shape (n_types, n_labels)
        Ratings by those who are asked.
    k : int
        How many are asked.
    reference : ndarray of shape (n_types, n_labels)
        How a reference rater answers; a row of zeros where there is none.
    """
    enough = np.where(((counts.sum(axis=1) >= k) & (reference.sum(axis=1) > 0))[:, None], counts, 0)
    known = np.flatnonzero((counts.sum(axis=1) >= k) & (reference.sum(axis=1) > 0))
    draws = draw_subsets(enough, k) if k else Draws(known, np.zeros((len(known), counts.shape[1]), dtype=np.int32))
    joint = sequence_probability(enough, draws, k)[:, None] * reference[draws.row]
    return _assemble(draws, joint, k, n_types=len(counts))


def _nobody(counts: Codes) -> Draws:
    row = np.flatnonzero(counts.sum(axis=1) > 0)
    return Draws(row, np.zeros((len(row), counts.shape[1]), dtype=np.int32))


def _assemble(draws: Draws, joint: Floats, k: int, *, n_types: int) -> Surveys:
    survey, counts = _distinct(draws.counts, k)
    start = np.searchsorted(draws.row, np.arange(n_types + 1))
    return Surveys(
        size=k, counts=counts, orders=orders(counts), type=draws.row, survey=survey, joint=joint, start=start
    )


def _distinct(counts: npt.NDArray[np.int32], k: int) -> tuple[Codes, npt.NDArray[np.int32]]:
    """Which survey each row is, and the distinct surveys."""
    n_labels = counts.shape[1]
    if n_labels * np.log2(k + 1) < 62:  # noqa: PLR2004 - bits of a positive integer, and one to spare
        key = counts.astype(np.int64) @ (k + 1) ** np.arange(n_labels)
        _, first, survey = np.unique(key, return_index=True, return_inverse=True)
        return survey, counts[first]
    distinct, survey = np.unique(counts, axis=0, return_inverse=True)
    return survey.ravel(), distinct


def plurality_of_draws(counts: npt.NDArray[np.integer], r: int) -> Floats:
    """Distribution of the most frequent label among r ratings drawn from each row; a tie counts in parts.

    Examples
    --------
    >>> plurality_of_draws(np.array([[2, 1]]), 3), plurality_of_draws(np.array([[2, 1]]), 1).round(3)
    (array([[1., 0.]]), array([[0.667, 0.333]]))
    """
    distinct, place = np.unique(counts.astype(np.intp), axis=0, return_inverse=True)
    draws = draw_subsets(distinct, r)
    chance = sequence_probability(distinct, draws, r) * orders(draws.counts)
    won = plurality_shares(draws.counts) * chance[:, None]
    total = np.zeros((len(distinct), counts.shape[1]))
    np.add.at(total, draws.row, won)
    return total[place.ravel()]


def plurality_shares(counts: npt.NDArray[np.integer]) -> Floats:
    """1 on the most frequent label, shared equally where several are; uniform where nobody was asked."""
    top = counts == counts.max(axis=1, keepdims=True)
    return np.asarray(top / top.sum(axis=1, keepdims=True))
