"""Surveys of k raters and the reference rater they are scored against, exactly."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Flags, Floats

# ---- Every way to draw k ratings from an item, for many items at once

LARGEST_POWER = 300
"""Products of factorials are formed up to this power of ten; 308 is the largest that a number can hold."""
LARGEST_WHOLE = 1e12


class Draws(NamedTuple):
    """Sub-multisets of size k of rows of counts."""

    row: Codes  # (n_draws,): from which row each was drawn; ascending
    counts: npt.NDArray[np.int32]  # (n_draws, n_labels): how often each label was drawn


def draw_subsets(counts: Codes, k: int) -> Draws:
    """All distinct label counts that k ratings out of each row can have.

    Labels are decided one after the other, all rows at once; each choice leaves enough ratings for the rest, so nothing
    is built for nothing. Rows with fewer than k ratings have no draw.

    `counts` (n_rows, n_labels): ratings of each label. `k`: how many to draw.

    >>> draw_subsets(np.array([[2, 1], [0, 1]]), 2).counts.tolist()
    [[1, 1], [2, 0]]
    """
    later = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1] - counts  # ratings of the labels that come after
    row = np.flatnonzero(counts.sum(axis=1) >= k)
    missing = np.full(len(row), k, dtype=np.int32)
    steps: list[tuple[Codes, npt.NDArray[np.int32]]] = []
    for label in range(counts.shape[1]):
        fewest = np.maximum(missing - later[row, label], 0)
        choices = np.minimum(counts[row, label], missing) - fewest + 1
        parent = np.repeat(np.arange(len(row)), choices)
        first = np.repeat(np.cumsum(choices) - choices, choices)
        taken = (np.arange(len(parent)) - first + fewest[parent]).astype(np.int32)
        steps.append((parent, taken))
        row, missing = row[parent], missing[parent] - taken
    drawn = np.empty((len(row), counts.shape[1]), dtype=np.int32)
    place = np.arange(len(row))
    for label in range(counts.shape[1] - 1, -1, -1):
        parent, taken = steps[label]
        drawn[:, label] = taken[place]
        place = parent[place]
    return Draws(row, drawn)


def count_subsets(counts: Codes, k: int) -> int:
    """How many draws `draw_subsets` would return, without making them."""
    return int(numbers_of_subsets(counts, k)[:, k].sum())


def numbers_of_subsets(counts: Codes, most: int) -> Floats:
    """How many draws of 0, 1, ..., `most` ratings each row allows, of shape (n_rows, most + 1)."""
    reachable = np.zeros((len(counts), most + 1))
    reachable[:, 0] = 1
    for label in range(counts.shape[1]):
        # Adding a label with n ratings sums the last n + 1 entries: a difference of running sums.
        running = np.concatenate([np.zeros((len(counts), 1)), np.cumsum(reachable, axis=1)], axis=1)
        lowest = np.maximum(np.arange(most + 1)[None, :] - counts[:, label, None], 0)
        reachable = running[:, 1:] - np.take_along_axis(running, lowest, axis=1)
    return reachable


def sequence_probability(counts: Codes, draws: Draws, k: int) -> Floats:
    """Probability that k ratings drawn one by one come out in one particular order with these counts.

    P(y|n) of Algorithm 5: the product of n_l! / (n_l - y_l)! over labels, divided by N! / (N - k)!.
    """
    total = counts.sum(axis=1)
    most = int(total.max(initial=0))
    if k * math.log10(most + 1) > LARGEST_POWER:  # by logarithms, where the factorials are too large
        log = log_factorials(most)
        logs = log[total[draws.row] - k] - log[total[draws.row]]
        for label in range(counts.shape[1]):
            given = counts[draws.row, label]
            logs += log[given] - log[given - draws.counts[:, label]]
        return np.asarray(np.exp(logs))
    n = np.arange(most + 1, dtype=np.float64)[:, None]
    factors = np.concatenate([np.ones_like(n), np.maximum(n - np.arange(k)[None, :], 0)], axis=1)
    table = np.cumprod(factors, axis=1)  # falling factorials n (n - 1) ... (n - j + 1), in row n and column j
    share = np.ones(len(draws.row))
    for label in range(counts.shape[1]):
        share *= table[counts[draws.row, label], draws.counts[:, label]]
    return np.asarray(share / table[total[draws.row], k])


def orders(counts: npt.NDArray[np.int32]) -> Floats:
    """In how many orders label counts can come: k! / (y_1! y_2! ...)."""
    size = counts.sum(axis=1)
    log = log_factorials(int(size.max(initial=0)))
    ways = np.exp(log[size] - log[counts].sum(axis=1))
    # Whole numbers, and exactly so as long as logarithms can tell them apart.
    return np.asarray(np.where(ways < LARGEST_WHOLE, np.round(ways), ways))


def log_factorials(most: int) -> Floats:
    """Natural logarithms of 0!, 1!, ..."""
    return np.array([math.lgamma(n + 1) for n in range(most + 1)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surveys:
    """Every survey of k raters that some type of item allows, and how the reference rater answers after it.

    A cell is a type of item and a survey that it allows. `joint` has the probability that raters of such an item give
    the survey in one particular order and the reference rater then gives the label: P(y + e_l | n).
    """

    size: int  # k, how many raters are asked
    counts: npt.NDArray[np.int32]  # (n_surveys, n_labels): the distinct surveys y, as label counts
    orders: Floats  # (n_surveys,): in how many orders each can come
    type: Codes  # (n_cells,), ascending
    survey: Codes  # (n_cells,)
    joint: Floats  # (n_cells, n_labels)
    start: Codes  # (n_types + 1,): where the cells of each type begin

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

    `counts` (n_types, n_labels): ratings of each type of item. `k`: how many raters are asked. `references`: how many
    further raters make the reference: one, or the plurality of several.
    """
    total = counts.sum(axis=1)
    enough = np.where((total >= k + references)[:, None], counts, 0)
    draws = draw_subsets(enough, k) if k else _nobody(enough.sum(axis=1) > 0, counts.shape[1])
    left = enough[draws.row] - draws.counts
    one = left / (total[draws.row] - k)[:, None]
    reference = one if references == 1 else plurality_of_draws(left, references)
    return _assemble(draws, sequence_probability(enough, draws, k)[:, None] * reference, k, n_types=len(counts))


def surveys_against(counts: Codes, k: int, reference: Floats) -> Surveys:
    """Surveys of k raters of one kind, scored against the label distribution of another kind.

    `counts` (n_types, n_labels): ratings by those who are asked. `k`: how many are asked. `reference` (n_types,
    n_labels): how a reference rater answers; a row of zeros where there is none.
    """
    known = (counts.sum(axis=1) >= k) & (reference.sum(axis=1) > 0)
    enough = np.where(known[:, None], counts, 0)
    draws = draw_subsets(enough, k) if k else _nobody(known, counts.shape[1])
    joint = sequence_probability(enough, draws, k)[:, None] * reference[draws.row]
    return _assemble(draws, joint, k, n_types=len(counts))


def _nobody(known: Flags, n_labels: int) -> Draws:
    """The empty survey of each row that takes part."""
    row = np.flatnonzero(known)
    return Draws(row, np.zeros((len(row), n_labels), dtype=np.int32))


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
