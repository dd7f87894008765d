"""Predicting a held-out rater: populations with a known truth, and what a combiner of the other raters is worth.

Raters see the items of a population; on the items of its second half one rater's label is hidden and predicted.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.data import types_of_matrix
from dissensus.methods.equivalence.curve import predictions_from, survey_totals
from dissensus.methods.equivalence.scores import clipped
from dissensus.methods.equivalence.surveys import surveys_of_size
from populations import pick

CLIP = 0.02
"""As in `dissensus equivalence`, for everybody alike."""


@dataclass(frozen=True)
class HeldOut:
    """Labels of shape (n_items, n_raters), what a rater would say, and who is hidden on each item of the second half.

    `chance` has shape (n_items, n_raters, n_labels): the truth, which no combiner knows.
    """

    given: npt.NDArray[np.intp]
    chance: npt.NDArray[np.float64]
    hidden: npt.NDArray[np.intp]

    @property
    def n_labels(self):
        return self.chance.shape[2]

    @property
    def first_tested(self):
        return len(self.given) - len(self.hidden)

    @property
    def tested(self):
        """The items of the second half and their hidden raters, as an index of `given`."""
        return np.arange(self.first_tested, len(self.given)), self.hidden

    @property
    def seen(self):
        """Which ratings a combiner may see."""
        mask = np.ones(self.given.shape, dtype=bool)
        mask[self.tested] = False
        return mask


def disagreeing_people(rng, *, items, raters, labels):
    """Items on which people really differ, and raters who are all alike: each item has shares of its own."""
    shares = rng.dirichlet(np.full(labels, 0.5), size=items)
    return _drawn(rng, np.repeat(shares[:, None], raters, axis=1))


def erring_raters(rng, *, items, raters, labels):
    """The model of Dawid and Skene: every item has one true label, and every rater errs in a way of their own."""
    truth = rng.integers(labels, size=items)
    accuracy = rng.uniform(0.4, 0.95, raters)
    wrong = rng.dirichlet(np.ones(labels), size=(raters, labels)) * (1 - accuracy)[:, None, None]
    errors = wrong + accuracy[:, None, None] * np.eye(labels)
    return _drawn(rng, errors[:, truth].transpose(1, 0, 2))


def _drawn(rng, chance):
    items, raters, labels = chance.shape
    given = pick(chance.reshape(-1, labels), rng).reshape(items, raters)
    return HeldOut(given, chance, rng.integers(raters, size=items // 2))


def bits(data, predictions):
    """Base-2 logarithm of the probability that each prediction gave to what the hidden rater said; higher is better.

    Predictions have a row per tested item.
    """
    said = data.given[data.tested]
    return np.log2(clipped(predictions, CLIP)[np.arange(len(said)), said])


def mean_and_error(values):
    """Mean over items, and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def counts_of(data, mask, items):
    """Labels that each item got from raters in the mask."""
    one = np.eye(data.n_labels, dtype=np.intp)[data.given[items]]
    return (one * mask[items][..., None]).sum(axis=1)


def abc_predictions(data):
    """The Anonymous Bayesian Combiner, learned from the first half: how did items with such a survey go on?"""
    learned = types_of_matrix(counts_of(data, data.seen, np.arange(data.first_tested)))
    surveys = surveys_of_size(learned.dense(), data.given.shape[1] - 1)
    totals = survey_totals(surveys, learned.items[None].astype(float))[0]
    place = {tuple(row): i for i, row in enumerate(surveys.counts.tolist())}
    asked = counts_of(data, data.seen, data.tested[0]).tolist()
    nobody = np.zeros(data.n_labels)  # a survey that no learned item allows predicts all labels alike
    return predictions_from(np.array([totals[place[tuple(row)]] if tuple(row) in place else nobody for row in asked]))


def dawid_skene_predictions(data, posterior, errors):
    """What the hidden rater says if the posterior of the true label and the rater's own errors are right."""
    tested, hidden = data.tested
    return np.einsum("nt,ntl->nl", posterior[tested], errors[hidden])
