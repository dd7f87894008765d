"""Survey sizes whose combiner every bootstrap sample learns again, without going through its items one by one.

Learned from all items, the score needs only the sums over items that predictions are made from, and these are exact in
every sample. How much an item's own copies add to its score, which is what learning without the item takes away, is
small and hardly depends on the sample: it comes from the data, by type of item and number of copies. A size where it
is not small (`TypeScores.learns_from_itself`) cannot be treated so.
"""

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.methods.equivalence.curve import Panel, leave_one_out, predictions_from, survey_totals, with_pseudo
from dissensus.methods.equivalence.influence import TypeScores
from dissensus.methods.equivalence.problem import Problem
from dissensus.methods.equivalence.scores import Score
from dissensus.methods.equivalence.surveys import Surveys
from dissensus.sampling.draws import Copies, observed

COPIES = np.array([1.0, 2.0, 3.0, 4.0, 6.0, 9.0])
"""Numbers of copies of an item for which its own share is computed; between them it is interpolated."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Relearned:
    """Surveys of one size, ready to be scored in bootstrap samples."""

    surveys: Surveys
    items: Codes  # (n_types,): how many items of the data each type has
    panel: Panel
    score: Score
    # (n_types, 1 + n_copies): what an item of each type scores, learned without it, then with each number of copies
    scores: Floats

    @property
    def by_type(self) -> TypeScores:
        """Scores of the data themselves."""
        part = self.surveys.takes_part
        gain = self.scores[:, 1] - self.scores[:, 0]
        scores, mass = np.where(part, self.scores[:, 1] - self._left_out_share * gain, 0), part.astype(np.float64)
        own = float((self.items * gain * part).sum() / max((self.items * part).sum(), 1))
        return TypeScores(scores, mass, own=own if self.panel.leaves_out else 0.0)

    def in_samples(self, copies: Copies) -> Floats:
        """The score in each replicate; NaN where no item has enough ratings."""
        totals = survey_totals(self.surveys, copies.weights)
        predictions = predictions_from(with_pseudo(totals, self.surveys, self.panel))
        scores = self.score.of_joint(predictions, totals * self.surveys.orders[:, None])
        if self._left_out_share:
            items = copies.weights @ self.surveys.takes_part
            taken = np.bincount(copies.replicate, weights=self._own(copies), minlength=len(items))
            scores = scores - self._left_out_share * taken / np.where(items > 0, items, np.nan)
        return np.asarray(scores)

    @property
    def _left_out_share(self) -> float:
        """How much of the score is learned without the item."""
        if not self.panel.leaves_out:
            return 0.0
        return 0.5 if self.panel.is_midpoint else 1.0

    def _own(self, copies: Copies) -> Floats:
        """What the copies of each item add to their own score, in sum over the items of each entry."""
        times = np.minimum(copies.copies, COPIES[-1])
        place = np.clip(np.searchsorted(COPIES, times, side="right") - 1, 0, len(COPIES) - 2)
        step = (times - COPIES[place]) / (COPIES[place + 1] - COPIES[place])
        own = self.scores[:, 1:] - self.scores[:, :1]
        each = own[copies.type, place] * (1 - step) + own[copies.type, place + 1] * step
        return np.asarray(each * copies.items * copies.copies)


def relearned(problem: Problem, surveys: Surveys) -> Relearned:
    """Surveys of one size of a proper score, with what the data say about each item's own share."""
    data, panel = observed(problem.items), problem.panel
    totals = with_pseudo(survey_totals(surveys, data.weights), surveys, panel)
    support = survey_totals(surveys, data.weights, (surveys.joint > 0).astype(np.float64))
    cell = np.arange(len(surveys.type))
    without = leave_one_out(surveys, totals, support, row=np.zeros_like(cell), cell=cell, copies=np.ones_like(cell))
    every = totals[0].take(surveys.survey, axis=0)
    # With c copies of it in a sample, the item's own part counts c times beside all the others.
    predicted = [without, *(predictions_from(every + (c - 1) * surveys.joint) for c in COPIES)]
    mass = surveys.joint * surveys.orders[surveys.survey, None]
    of_labels = problem.score.of_labels()
    scores = [
        np.bincount(surveys.type, weights=np.einsum("nl,nl->n", mass, of_labels(each)), minlength=surveys.n_types)
        for each in predicted
    ]
    each = np.stack(scores, axis=1).astype(np.float64)
    return Relearned(surveys=surveys, items=problem.items, panel=panel, score=problem.score, scores=each)
