"""What is known of each item: with the judge alone, with k people, and with both, exactly.

Every survey of k of an item's raters is scored against every rater who was not in it. Where a rater is left out, the
same surveys come with other probabilities; what they predict was learned once.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.methods.equivalence.problem import Predictions
from dissensus.methods.equivalence.scores import Score
from dissensus.methods.equivalence.surveys import count_subsets
from dissensus.methods.panel.beside_people import Rows, label_scores, row_predictions, rows_of
from dissensus.sampling.raters import RaterPool

MOST_CELLS = 600_000
"""Surveys of one size that the items allow, times labels."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Survey:
    """Surveys of k people: what each label scores after each of them."""

    size: int
    rows: Rows
    alone: Floats  # (n_scores, n_rows, n_labels): without the judge
    beside: Floats  # (n_scores, n_rows, n_labels): with it


class ItemScores(NamedTuple):
    """Score of each item; NaN where it has too few ratings."""

    judge: Floats  # (n_scores, n_items)
    alone: Floats  # (n_sizes, n_scores, n_items): 0, 1, ... people
    beside: Floats  # (n_sizes, n_scores, n_items): the same beside the judge; nobody beside it is the judge alone


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Knowledge:
    """The items, and what every label scores by the judge alone and after every survey."""

    counts: Codes  # (n_items, n_labels)
    judge: Floats  # (n_scores, n_items, n_labels)
    surveys: tuple[Survey, ...]  # of 0, 1, ... people

    def scores(self) -> ItemScores:
        """The score of each item."""
        every = np.arange(len(self.counts))
        return _scored(self, self.counts, every, [survey.rows.masses for survey in self.surveys])

    def scores_without(self, pool: RaterPool, places: Codes, n_labels: int) -> Iterator[ItemScores]:
        """The score of each item without each group of raters, in the order of `RaterPool.cells`.

        `places` says where each of the raters' labels stands among all labels.
        """
        whole = self.scores()
        for cells in pool.cells(n_labels):
            counts = np.zeros_like(self.counts)
            counts[:, places] = cells.dense(len(counts), n_labels)
            changed = np.flatnonzero((counts != self.counts).any(axis=1))
            own = _scored(self, counts, changed, None)
            copy = ItemScores(*(part.copy() for part in whole))
            for part, new in zip(copy, own, strict=True):
                part[..., changed] = new
            yield copy


def known_of(counts: Codes, outputs: Floats, calibrated: Predictions, scores: tuple[Score, ...], *, most: int,
             fold: Codes) -> Knowledge:  # fmt: skip
    """What is learned about the next rater from the judge and from surveys of up to `most` people.

    Parameters
    ----------
    counts : ndarray of shape (n_items, n_labels)
        Ratings of items that all have more than `most` of them.
    outputs : ndarray of shape (n_items, n_labels)
        The judge's answers as they are, which people's labels are put beside.
    calibrated : Predictions
        The judge alone.
    scores : tuple of Score
        What a prediction is worth.
    most : int
        The largest survey.
    fold : ndarray of shape (n_items,)
        Fold of each item, for learning from others.
    """
    assert calibrated.inside is not None  # noqa: S101 - it is calibrated
    alone = _midpoint((calibrated.inside, calibrated.predictions), scores)
    surveys = []
    for k in range(most + 1):
        rows = rows_of(counts, k)
        people = row_predictions(rows, np.empty((0, *counts.shape)), fold=fold)
        both = row_predictions(rows, outputs[None], fold=fold) if k else (calibrated.inside, calibrated.predictions)
        surveys.append(Survey(size=k, rows=rows, alone=_midpoint(people, scores), beside=_midpoint(both, scores)))
    return Knowledge(counts=counts, judge=alone, surveys=tuple(surveys))


def _midpoint(learned: tuple[Floats, Floats], scores: tuple[Score, ...]) -> Floats:
    """What each label scores: the mean of learned from all items and learned from others, score by score."""
    return np.stack([sum(label_scores(made, score) for made in learned) / 2 for score in scores])


def largest_survey(counts: Codes, most: int) -> int:
    """The largest survey up to `most` whose surveys are few enough to go through."""
    possible = 0
    for k in range(1, most + 1):
        enough = counts[counts.sum(axis=1) > k]
        if not len(enough) or count_subsets(enough, k) * counts.shape[1] > MOST_CELLS:
            break
        possible = k
    return possible


def _scored(known: Knowledge, counts: Codes, items: Codes, masses: list[Floats] | None) -> ItemScores:
    """The scores of some items with these ratings; the masses of their surveys are computed if not given."""
    own = counts[items]
    total = own.sum(axis=1)
    shares = own / np.where(total > 0, total, np.nan)[:, None]
    judge = np.einsum("nl,snl->sn", shares, known.judge[:, items])
    alone, beside = [], []
    for number, survey in enumerate(known.surveys):
        rows, place = _rows_at(survey.rows, items, len(known.counts))
        mass = survey_masses(survey, rows, counts) if masses is None else masses[number]
        enough = np.where(total > survey.size, 0.0, np.nan)
        alone.append(_summed(survey.alone[:, rows], mass, place, len(items)) + enough)
        beside.append(_summed(survey.beside[:, rows], mass, place, len(items)) + enough)
    return ItemScores(judge, np.stack(alone), np.stack([judge, *beside[1:]]))


def _rows_at(rows: Rows, items: Codes, n_items: int) -> tuple[Codes, Codes]:
    """The rows of these items, and which of them each row belongs to; rows are ordered by item."""
    first = np.searchsorted(rows.item, np.arange(n_items + 1))
    size = np.diff(first)[items]
    place = np.repeat(np.arange(len(items)), size)
    return np.arange(len(place)) - (np.cumsum(size) - size)[place] + first[items][place], place


def _summed(scored: Floats, masses: Floats, place: Codes, n_items: int) -> Floats:
    """Score of each item, of shape (n_scores, n_items)."""
    rows = np.einsum("srl,rl->sr", scored, masses)
    return np.stack([np.bincount(place, weights=row, minlength=n_items) for row in rows])


def survey_masses(survey: Survey, rows: Codes, counts: Codes) -> Floats:
    """Probability of each survey and of the next rater's label, if items have these ratings; (n_rows, n_labels).

    The survey y out of counts n has the probability prod C(n_l, y_l) / C(N, k), and the next rater gives label l with
    (n_l - y_l) / (N - k).
    """
    given = counts[survey.rows.item[rows]]
    drawn = survey.rows.counts[survey.rows.survey[rows]]
    total = given.sum(axis=1)
    ways = _binomials(int(total.max(initial=0)), survey.size)
    chance = ways[given, np.minimum(drawn, survey.size)].prod(axis=1)
    possible = total > survey.size
    below = np.where(possible, ways[total, survey.size] * (total - survey.size), 1.0)
    return np.asarray(np.where(possible, chance / below, 0.0)[:, None] * np.maximum(given - drawn, 0))


def _binomials(most: int, size: int) -> Floats:
    """Numbers of subsets: n over j in row n and column j."""
    return np.array([[float(math.comb(n, j)) for j in range(size + 1)] for n in range(most + 1)])
