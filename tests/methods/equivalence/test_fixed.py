"""Combiners that learn nothing are scored once for each type of item, and bootstrap samples reweight these scores."""

import numpy as np
import pytest

from dissensus.methods.equivalence.curve import (
    Panel,
    curve_point,
    fixed_scores,
    frequencies,
    predicts_alike,
)
from dissensus.methods.equivalence.scores import Score
from dissensus.methods.equivalence.surveys import surveys_of_size
from dissensus.sampling.draws import copies_of, draw_weights

COUNTS = np.array([[3, 1, 0], [2, 2, 2], [0, 0, 4], [5, 1, 1], [1, 0, 0]])
TYPE_OF_ITEM = np.array([0, 0, 1, 2, 3, 3, 3, 4])


def own(counts):
    """A combiner of the user's own."""
    return frequencies(counts, np.array([0.5, 0.25, 0.25]))


@pytest.mark.parametrize("combiner", ["frequency", "plurality", own])
@pytest.mark.parametrize("score", ["agreement", "brier", "cross-entropy"])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_reweighted_scores_are_those_of_scoring_every_survey_in_every_sample(combiner, score, k):
    rng = np.random.default_rng(0)
    weights = draw_weights(len(TYPE_OF_ITEM), 20, rng)
    copies = copies_of(weights, TYPE_OF_ITEM, len(COUNTS))
    panel, score = Panel(combiner=combiner), Score(name=score, values=np.array([0.0, 1.0, 2.0]))
    surveys = surveys_of_size(COUNTS, k)
    once = fixed_scores(surveys, panel, score)
    part = surveys.takes_part
    total = copies.weights @ part
    reweighted = np.where(total > 0, copies.weights @ np.where(part, once, 0) / np.where(total > 0, total, 1), np.nan)
    np.testing.assert_allclose(reweighted, curve_point(surveys, copies, panel, score), rtol=1e-12)


def test_what_is_learned_from_the_data_is_not_fixed():
    assert not predicts_alike(Panel(combiner="abc"), 1)
    assert not predicts_alike(Panel(combiner="npmle"), 1)
    assert not predicts_alike(Panel(combiner="frequency", prior="data"), 0)
    assert predicts_alike(Panel(combiner="frequency", prior="data"), 1)
