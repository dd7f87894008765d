"""Intervals under a known truth, by simulation; seeded, and slow."""

from math import isnan

import numpy as np
import pytest

from dissensus.simulation import RUNNING_EXAMPLE, SOFT_CLASSIFIER, simulate_urn
from dissensus.simulation.urn_draws import ceiling, classifier_information, equivalent_raters

from survey_builders import raw_equivalence as equivalence

pytestmark = pytest.mark.slow


def covers(low, high, truth):
    """Whether the truth lies within the bounds; a bound that is unknown excludes nothing."""
    return (isnan(low) or low <= truth) and (isnan(high) or truth <= high)


def test_the_interval_of_the_equivalence_covers_the_truth():
    truth = equivalent_raters(RUNNING_EXAMPLE, classifier_information(RUNNING_EXAMPLE, SOFT_CLASSIFIER))
    hits = []
    for seed in range(200):
        drawn = simulate_urn(RUNNING_EXAMPLE, items=300, raters=8, classifiers=[SOFT_CLASSIFIER], rng=seed)
        judge = equivalence(drawn.ratings, drawn.judges, bootstrap=500, rng=seed).judges[0]
        hits.append(covers(judge.equivalence_low, judge.equivalence_high, truth))
    # .95 asked for; .974 in 800 other replications, since the equivalence is skewed.
    assert 0.91 <= np.mean(hits) <= 0.98


def test_the_interval_of_the_ceiling_covers_the_truth():
    truth = ceiling(RUNNING_EXAMPLE)
    hits = []
    for seed in range(50):
        drawn = simulate_urn(RUNNING_EXAMPLE, items=1000, raters=10, classifiers=[SOFT_CLASSIFIER], rng=seed)
        found = equivalence(drawn.ratings, drawn.judges, ceiling=True, bootstrap=200, rng=seed).ceiling
        hits.append(covers(found.low, found.high, truth))
    assert np.mean(hits) >= 0.85
