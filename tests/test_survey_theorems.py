"""The paper's theorems, on data drawn from urns whose information is known exactly."""

from functools import cache
from math import comb

import numpy as np
import pytest

from dissensus.simulation import RUNNING_EXAMPLE, SOFT_CLASSIFIER, HardClassifier, SoftClassifier, Urn, simulate_urn
from dissensus.simulation.truths import classifier_information, equivalent_raters, survey_information
from dissensus.survey import equivalence

THREE = Urn(
    labels=("a", "b", "c"),
    states=np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4]]),
    weights=np.array([0.5, 0.3, 0.2]),
)
BLURRED = SoftClassifier(name="soft classifier", outputs=np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]]))
CASES = {"running example": (RUNNING_EXAMPLE, SOFT_CLASSIFIER), "three labels": (THREE, BLURRED)}
DATA_SETS = 8
RATERS = 6


@pytest.fixture(scope="module", params=CASES)
def at_20000_items(request):
    """The urn, its classifier, and what eight data sets of 20,000 items give for each combiner."""
    urn, classifier = CASES[request.param]
    drawn = [
        simulate_urn(urn, items=20_000, raters=RATERS, classifiers=[classifier], rng=seed) for seed in range(DATA_SETS)
    ]

    @cache
    def results(combiner):
        return [equivalence(d.ratings, d.judges, combiner=combiner, bootstrap=0) for d in drawn]

    return urn, classifier, results


def posterior(urn):
    """The ideal combiner: it knows the urn."""

    def combine(counts):
        states = np.exp(counts @ np.log(urn.states).T) * urn.weights
        return states / states.sum(axis=1, keepdims=True) @ urn.states

    return combine


def smoothed(counts):
    """Frequencies with one more rating of every label."""
    return (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)


def agrees(samples, truth, slack=0.0):
    """Whether the first data set is within 3 standard errors of the truth, and the mean of all within 3 of its own."""
    samples = np.asarray(samples)
    error = samples.std(ddof=1)
    is_first_near = abs(samples[0] - truth) < slack + 3 * error
    return is_first_near and abs(samples.mean() - truth) < slack + 3 * error / np.sqrt(len(samples))


def cost_of_learning(urn, k):
    """Bits that are lost by learning from 20,000 items: 1 / (2 n ln 2) for each probability after each survey."""
    surveys = comb(k + len(urn.labels) - 1, k)
    return surveys * (len(urn.labels) - 1) / (2 * 20_000 * np.log(2))


def test_theorem_1_a_survey_gains_its_mutual_information(at_20000_items):
    urn, _, results = at_20000_items
    curves = np.array([[point.score for point in result.curve] for result in results("abc")])
    for k in range(1, RATERS):
        assert agrees(curves[:, k] - curves[:, 0], survey_information(urn, k), slack=cost_of_learning(urn, k))


def test_theorem_2_a_calibrated_judge_gains_its_mutual_information(at_20000_items):
    urn, classifier, results = at_20000_items
    gains = [result.judges[0].score - result.curve[0].score for result in results("abc")]
    assert agrees(gains, classifier_information(urn, classifier))


def test_theorem_3_no_other_combiner_scores_higher(at_20000_items):
    urn, _, results = at_20000_items
    abc = np.array([[point.score for point in result.curve] for result in results("abc")])
    for combiner in ("frequency", "plurality", "npmle", smoothed, posterior(urn)):
        other = np.array([[point.score for point in result.curve] for result in results(combiner)])
        ahead = other - abc
        error = ahead.std(axis=0, ddof=1) / np.sqrt(DATA_SETS)
        cost = np.array([cost_of_learning(urn, k) for k in range(RATERS)])
        assert (ahead.mean(axis=0) <= cost + 3 * error).all()


def test_corollary_1_no_other_combiner_gives_a_lower_equivalence(at_20000_items):
    urn, classifier, results = at_20000_items
    abc = np.array([result.judges[0].equivalence for result in results("abc")])
    assert agrees(abc, equivalent_raters(urn, classifier_information(urn, classifier)))
    for combiner in ("frequency", smoothed):
        other = np.array([result.judges[0].equivalence for result in results(combiner)])
        # Off the curve (NaN) is above K here: frequencies never reach the classifier.
        assert (np.isnan(other) | (other > abc)).all()
    best = np.array([result.judges[0].equivalence for result in results(posterior(urn))])
    assert np.abs(best - abc).max() < 0.01


def test_theorem_5_the_number_of_reference_raters_does_not_matter_to_dmi():
    # Uniform noise: one state per label, 88% and 35% of raters say C (section 6).
    urn = Urn(labels=("C", "D"), states=np.array([[0.88, 0.12], [0.35, 0.65]]), weights=np.array([0.6, 0.4]))
    hard = HardClassifier(name="hard", outputs=np.array([[0.85, 0.15], [0.2, 0.8]]))
    gaps = []
    for seed in range(20):
        ratings, judges, _ = simulate_urn(urn, items=5000, raters=9, classifiers=[hard], rng=seed)
        one, three = (
            equivalence(ratings, judges, combiner="plurality", score="dmi", reference_raters=r, bootstrap=0)
            for r in (1, 3)
        )
        assert one.judges[0].score != pytest.approx(three.judges[0].score, rel=0.05)
        gaps.append(one.judges[0].equivalence - three.judges[0].equivalence)
    assert agrees(gaps, 0)
    assert abs(np.mean(gaps)) < 0.05


def test_without_uniform_noise_the_number_of_reference_raters_matters():
    # A judge that tells 60% from 40% better than 98% from 60%: a panel rewards it more than one rater does (section 6).
    states = np.array([[0.98, 0.02], [0.6, 0.4], [0.4, 0.6]])
    urn = Urn(labels=("C", "D"), states=states, weights=np.array([0.4, 0.3, 0.3]))
    hard = HardClassifier(name="hard", outputs=np.array([[0.6, 0.4], [0.9, 0.1], [0.1, 0.9]]))
    gaps = []
    for seed in range(5):
        ratings, judges, _ = simulate_urn(urn, items=5000, raters=9, classifiers=[hard], rng=seed)
        one, three = (
            equivalence(ratings, judges, combiner="plurality", score="dmi", reference_raters=r, bootstrap=0)
            for r in (1, 3)
        )
        gaps.append(one.judges[0].equivalence - three.judges[0].equivalence)
    assert not agrees(gaps, 0)
    assert np.mean(gaps) < -0.1
