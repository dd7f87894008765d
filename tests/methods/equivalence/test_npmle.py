"""The mixing distribution of item states, against urns whose truth is known."""

import numpy as np
import pytest

from dissensus.methods.equivalence import equivalence
from dissensus.methods.equivalence.ceiling import Mixture, fit_mixtures, multisets, state_grid, states_near
from dissensus.simulation import RUNNING_EXAMPLE, Urn, simulate_urn
from dissensus.simulation.urn_draws import ceiling, survey_information

from survey_builders import judges_of, ratings_of

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


@pytest.mark.parametrize("n_labels", [2, 3, 4, 5, 7, 10])
def test_no_possible_state_excludes_a_label_and_they_are_never_many(n_labels):
    counts = np.random.default_rng(0).multinomial(9, np.eye(n_labels)[0] * 0.5 + 0.5 / n_labels, size=2000)
    counts[:, -1] = 0  # a label that none of the items has
    states = state_grid(n_labels) if n_labels <= 4 else states_near(counts, np.ones(2000))
    assert (states > 0).all()
    assert np.allclose(states.sum(axis=1), 1)
    assert 50 <= len(states) <= 400


def test_possible_states_do_not_come_from_items_that_are_not_learned_from():
    counts = np.random.default_rng(0).multinomial(9, np.full(6, 1 / 6), size=30)
    items = np.repeat([1.0, 0.0], 15)
    assert np.array_equal(states_near(counts, items), states_near(counts[:15], items[:15]))
    assert states_near(counts, np.zeros(30)) == pytest.approx(np.full((1, 6), 1 / 6))


def test_possible_states_do_not_depend_on_the_order_of_items():
    rng = np.random.default_rng(0)
    counts = np.unique(rng.multinomial(9, np.full(6, 1 / 6), size=400), axis=0)
    items, order = rng.integers(1, 4, len(counts)).astype(float), rng.permutation(len(counts))
    assert states_near(counts[order], items[order]) == pytest.approx(states_near(counts, items))


def test_one_label_has_one_state_and_every_survey_foretells_it():
    assert state_grid(1).tolist() == [[1]]
    ratings, judge = ratings_of([[0] * 3] * 4, ("a",)), judges_of({"judge": np.ones((4, 1))}, ("a",))
    result = equivalence(ratings, judge, combiner="npmle", score="agreement", bootstrap=5)
    assert [point.score for point in result.curve] == [1, 1, 1]


@pytest.mark.parametrize("n_labels", [2, 3, 6])
def test_every_state_is_as_likely_as_another_where_there_is_nothing_to_learn_from(n_labels):
    counts = np.eye(n_labels, dtype=np.intp)[:2]
    learned, nothing = fit_mixtures(counts, np.array([[1.0, 1.0], [0.0, 0.0]]))
    assert nothing.weights == pytest.approx(np.full(len(nothing.states), 1 / len(nothing.states)))
    # A replicate beside one that learns nothing learns what it would alone.
    assert np.array_equal(learned.weights, fit_mixtures(counts, np.array([[1.0, 1.0]]))[0].weights)


@pytest.mark.parametrize("score", ["dmi", "agreement"])
def test_samples_that_leave_a_fold_nothing_to_learn_from_count_in_the_interval(score):
    # Of two items every second sample draws one twice, and then its fold is predicted from nothing.
    ratings, judge = ratings_of([[0, 0, 1], [1, 1, 0]], ("a", "b")), judges_of({"judge": np.eye(2)}, ("a", "b"))
    curve = equivalence(
        ratings, judge, combiner="npmle", score=score, bootstrap=20, interval="basic", raters="fixed"
    ).curve
    assert all(np.isfinite([point.score, point.low, point.high]).all() for point in curve)
    # With nobody asked the most frequent label is predicted, which two of three raters give where one item came twice.
    if score == "agreement":
        assert 2 * curve[0].score - curve[0].low == pytest.approx(2 / 3)


def test_multisets_are_all_ways_to_answer():
    # 4 raters and 3 labels: C(6, 2) = 15 ways.
    ways = multisets(4, 3)
    assert len({tuple(row) for row in ways.tolist()}) == len(ways) == 15
    assert (ways.sum(axis=1) == 4).all()
    assert multisets(0, 3).tolist() == [[0, 0, 0]]
