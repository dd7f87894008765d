"""The paper's theorems, on data drawn from urns whose information is known exactly."""

import numpy as np
import pytest

from dissensus.methods.reproduce.survey_equivalence_theorems import (
    ABOUT_THE_MAJORITY,
    CASES,
    COMBINERS,
    DATA_SETS,
    HARD,
    RATERS,
    THREE_STATES,
    UNIFORM_NOISE,
    cost_of_learning,
    curves,
    panel_results,
    results_of,
)
from dissensus.simulation.urn_draws import classifier_information, equivalent_raters, survey_information


def agrees(samples, truth, slack=0.0):
    """Whether the first data set is within 3 standard errors of the truth, and the mean of all within 3 of its own."""
    samples = np.asarray(samples)
    error = samples.std(ddof=1)
    is_first_near = abs(samples[0] - truth) < slack + 3 * error
    return is_first_near and abs(samples.mean() - truth) < slack + 3 * error / np.sqrt(len(samples))


@pytest.fixture(params=CASES)
def case(request):
    return request.param


def test_theorem_1_a_survey_gains_its_mutual_information(case):
    urn, found = CASES[case][0], curves(case)
    for k in range(1, RATERS):
        assert agrees(found[:, k] - found[:, 0], survey_information(urn, k), slack=cost_of_learning(urn, k))


def test_theorem_2_a_calibrated_judge_gains_its_mutual_information(case):
    gains = [result.judges[0].score - result.curve[0].score for result in results_of(case, "abc")]
    assert agrees(gains, classifier_information(*CASES[case]))


def test_theorem_3_no_other_combiner_scores_higher(case):
    urn, abc = CASES[case][0], curves(case)
    cost = np.array([cost_of_learning(urn, k) for k in range(RATERS)])
    for combiner in COMBINERS:
        ahead = curves(case, combiner) - abc
        error = ahead.std(axis=0, ddof=1) / np.sqrt(DATA_SETS)
        assert (ahead.mean(axis=0) <= cost + 3 * error).all()


def test_corollary_1_no_other_combiner_gives_a_lower_equivalence(case):
    urn, classifier = CASES[case]
    abc = np.array([result.judges[0].equivalence for result in results_of(case, "abc")])
    assert agrees(abc, equivalent_raters(urn, classifier_information(urn, classifier)))
    for combiner in ("frequency", "smoothed frequency"):
        other = np.array([result.judges[0].equivalence for result in results_of(case, combiner)])
        # Off the curve (NaN) is above K here: frequencies never reach the classifier.
        assert (np.isnan(other) | (other > abc)).all()
    best = np.array([result.judges[0].equivalence for result in results_of(case, "posterior")])
    assert np.abs(best - abc).max() < 0.01


def test_theorem_5_the_number_of_reference_raters_does_not_matter_to_dmi():
    found = panel_results(UNIFORM_NOISE, HARD, 20)
    assert all(one.judges[0].score != pytest.approx(three.judges[0].score, rel=0.05) for one, three in found)
    gaps = [one.judges[0].equivalence - three.judges[0].equivalence for one, three in found]
    assert agrees(gaps, 0)
    assert abs(np.mean(gaps)) < 0.05


def test_without_uniform_noise_the_number_of_reference_raters_matters():
    found = panel_results(THREE_STATES, ABOUT_THE_MAJORITY, 5)
    gaps = [one.judges[0].equivalence - three.judges[0].equivalence for one, three in found]
    assert not agrees(gaps, 0)
    assert np.mean(gaps) < -0.1
