"""What is known of each item: with the judge alone, with k people, and with both, exactly.

Every survey of k of an item's raters is scored against every rater who was not in it. Where a rater is left out, the
same surveys come with other probabilities; what they predict was learned once. Items with the same answer, fold and
ratings score the same, so each such kind is scored once for all raters who are left out.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.methods.equivalence.maps import distinct
from dissensus.methods.equivalence.problem import Predictions
from dissensus.methods.equivalence.scores import Score
from dissensus.methods.equivalence.surveys import count_subsets
from dissensus.methods.panel.beside_people import Rows, distinct_answers, label_scores, row_predictions, rows_of
from dissensus.sampling.raters import RaterPool

MOST_CELLS = 600_000
"""Surveys of one size that the items allow, times labels."""
AT_ONCE = 5_000
"""Kinds of items that are scored together."""


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
    kind: Codes  # (n_items,): items of one kind have the same answer and the same fold
    judge: Floats  # (n_scores, n_items, n_labels)
    surveys: tuple[Survey, ...]  # of 0, 1, ... people

    def scores(self) -> ItemScores:
        """The score of each item."""
        every = np.arange(len(self.counts))
        judge = _judge_scores(self.judge, self.counts)
        return _with_judge(judge, *_scored(self, self.counts, every))

    def scores_without(self, pool: RaterPool, places: Codes, n_labels: int) -> Iterator[ItemScores]:
        """The score of each item without each group of raters, in the order of `RaterPool.cells`.

        `places` says where each of the raters' labels stands among all labels.
        """
        whole, items, rows = self.scores(), [], []
        for cells in pool.cells(n_labels):
            counts = np.zeros_like(self.counts)
            counts[:, places] = cells.dense(len(counts), n_labels)
            changed = np.flatnonzero((counts != self.counts).any(axis=1))
            items.append(changed)
            rows.append(np.column_stack([self.kind[changed], counts[changed]]))
        kinds, place = distinct(np.concatenate(rows))
        example = np.empty(len(kinds), dtype=np.intp)
        example[place] = np.concatenate(items)
        blocks = [slice(first, first + AT_ONCE) for first in range(0, len(kinds), AT_ONCE)]
        parts = [_scored(self, kinds[block, 1:].astype(np.intp), example[block]) for block in blocks]
        alone, beside = (np.concatenate(part, axis=2) for part in zip(*parts, strict=True))
        ends = np.cumsum([len(changed) for changed in items])[:-1]
        for changed, own, at in zip(items, rows, np.split(place, ends), strict=True):
            copy = ItemScores(*(part.copy() for part in whole))
            judge = _judge_scores(self.judge[:, changed], own[:, 1:])
            for part, new in zip(copy, _with_judge(judge, alone[..., at], beside[..., at]), strict=True):
                part[..., changed] = new
            yield copy


def known_of(counts: Codes, outputs: Floats, calibrated: Predictions, scores: tuple[Score, ...], *, most: int,
             fold: Codes) -> Knowledge:  # fmt: skip
    """What is learned about the next rater from the judge and from surveys of up to `most` people.

    `counts` (n_items, n_labels): ratings of items that all have more than `most` of them. `outputs` (n_items,
    n_labels): the judge's answers as they are, which people's labels are put beside. `calibrated`: the judge alone.
    `scores`: what a prediction is worth. `most`: the largest survey. `fold` (n_items,): fold of each item, for learning
    from others.
    """
    assert calibrated.inside is not None  # noqa: S101 - it is calibrated
    alone = _midpoint((calibrated.inside, calibrated.predictions), scores)
    surveys = []
    for k in range(most + 1):
        rows = rows_of(counts, k)
        people = row_predictions(rows, np.empty((0, *counts.shape)), fold=fold)
        both = row_predictions(rows, outputs[None], fold=fold) if k else (calibrated.inside, calibrated.predictions)
        surveys.append(Survey(size=k, rows=rows, alone=_midpoint(people, scores), beside=_midpoint(both, scores)))
    kind = distinct_answers(outputs[None])[1] * (int(fold.max()) + 1) + fold
    return Knowledge(counts=counts, kind=kind, judge=alone, surveys=tuple(surveys))


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


def _judge_scores(judge: Floats, counts: Codes) -> Floats:
    """What the judge alone scores on items with these ratings, (n_scores, n_items); NaN where there are none."""
    total = counts.sum(axis=1)
    shares = counts / np.where(total > 0, total, np.nan)[:, None]
    return np.asarray(np.einsum("nl,snl->sn", shares, judge))


def _scored(known: Knowledge, counts: Codes, items: Codes) -> tuple[Floats, Floats]:
    """Scores of surveys alone and beside the judge, (n_sizes, n_scores, n), of items as if they had these ratings."""
    alone, beside = [], []
    for survey in known.surveys:
        rows, place = _rows_at(survey.rows, items, len(known.counts))
        mass = survey_masses(survey, rows, counts[place])
        enough = np.where(counts.sum(axis=1) > survey.size, 0.0, np.nan)
        alone.append(_summed(survey.alone[:, rows], mass, place, len(items)) + enough)
        beside.append(_summed(survey.beside[:, rows], mass, place, len(items)) + enough)
    return np.stack(alone), np.stack(beside)


def _with_judge(judge: Floats, alone: Floats, beside: Floats) -> ItemScores:
    """Scores with those of the judge, which is what nobody beside it scores."""
    return ItemScores(judge, alone, np.concatenate([judge[None], beside[1:]]))


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


def survey_masses(survey: Survey, rows: Codes, given: Codes) -> Floats:
    """Probability of each survey and of the next rater's label, if its item has these ratings; both (n_rows, n_labels).

    The survey y out of counts n has the probability prod C(n_l, y_l) / C(N, k), and the next rater gives label l with
    (n_l - y_l) / (N - k).
    """
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
