"""The mixing distribution of item states, against urns whose truth is known."""

import numpy as np
import pytest

from dissensus.simulation import RUNNING_EXAMPLE, Urn, simulate_urn
from dissensus.simulation.truths import ceiling, survey_information
from dissensus.survey.npmle import Mixture, fit_mixtures, multisets, state_grid

THREE = Urn(
    labels=("a", "b", "c"),
    states=np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]),
    weights=np.array([0.6, 0.4]),
)


@pytest.mark.parametrize("urn", [RUNNING_EXAMPLE, THREE], ids=["two labels", "three labels"])
def test_information_and_ceiling_of_a_known_mixture(urn):
    mixture = Mixture(urn.states, urn.weights)
    assert mixture.ceiling() == pytest.approx(ceiling(urn), abs=1e-12)
    for k in (0, 1, 2, 9):
        assert mixture.information(k) == pytest.approx(survey_information(urn, k), abs=1e-12)


def test_the_prediction_is_the_posterior():
    # After C, C, D in the running example: state s has weight w_s p_s^2 (1 - p_s).
    weights = np.array([0.7 * 0.64 * 0.2, 0.2 * 0.01 * 0.9, 0.1 * 0.25 * 0.5])
    expected = (weights @ [0.8, 0.1, 0.5]) / weights.sum()
    ours = Mixture(RUNNING_EXAMPLE.states, RUNNING_EXAMPLE.weights).predict(np.array([[2, 1]]))
    assert ours[0] == pytest.approx([expected, 1 - expected])


def test_the_prediction_survives_many_raters():
    ours = Mixture(RUNNING_EXAMPLE.states, RUNNING_EXAMPLE.weights).predict(np.array([[4000, 1000]]))
    assert ours[0] == pytest.approx([0.8, 0.2])


def log_likelihood(mixture, counts, items):
    """Up to a constant that depends on the data only."""
    return items @ np.log(np.exp(counts @ np.log(mixture.states).T) @ mixture.weights)


@pytest.mark.parametrize("urn", [RUNNING_EXAMPLE, THREE], ids=["two labels", "three labels"])
def test_the_fit_is_at_least_as_likely_as_the_truth(urn):
    types = simulate_urn(urn, items=2000, raters=10, rng=0).ratings.types
    counts, items = types.dense(), types.items
    fit = fit_mixtures(counts, items[None].astype(float))[0]
    # The grid need not hold the true states, but 2,000 items cannot tell.
    assert log_likelihood(fit, counts, items) > log_likelihood(Mixture(urn.states, urn.weights), counts, items) - 0.5
    assert fit.weights.sum() == pytest.approx(1)


def test_the_ceiling_of_many_items_is_the_truth():
    types = simulate_urn(RUNNING_EXAMPLE, items=50_000, raters=12, rng=1).ratings.types
    fit = fit_mixtures(types.dense(), types.items[None].astype(float))[0]
    assert fit.ceiling() == pytest.approx(ceiling(RUNNING_EXAMPLE), abs=0.01)


def test_a_warm_start_ends_near_a_cold_one():
    types = simulate_urn(RUNNING_EXAMPLE, items=1000, raters=10, rng=2).ratings.types
    counts, items = types.dense(), types.items.astype(float)
    whole = fit_mixtures(counts, items[None])[0]
    weights = np.random.default_rng(0).multinomial(1000, items / 1000, size=10).astype(float)
    warm, cold = fit_mixtures(counts, weights, start=whole), fit_mixtures(counts, weights)
    gaps = [a.ceiling() - b.ceiling() for a, b in zip(warm, cold, strict=True)]
    # The ceilings themselves have a standard deviation of .012.
    assert np.abs(gaps).max() < 0.004


@pytest.mark.parametrize("n_labels", [2, 3, 5])
def test_no_state_of_the_grid_excludes_a_label(n_labels):
    grid = state_grid(n_labels)
    assert (grid > 0).all()
    assert np.allclose(grid.sum(axis=1), 1)
    assert 50 <= len(grid) <= 400


def test_multisets_are_all_ways_to_answer():
    # 4 raters and 3 labels: C(6, 2) = 15 ways.
    ways = multisets(4, 3)
    assert len({tuple(row) for row in ways.tolist()}) == len(ways) == 15
    assert (ways.sum(axis=1) == 4).all()
    assert multisets(0, 3).tolist() == [[0, 0, 0]]
