"""Small kernels at their edges, with values worked out by hand: what a change of one sign or one axis would alter."""

import numpy as np
import pytest

from dissensus import equivalence, read, read_judges
from dissensus.data.paths import example_path
from dissensus.errors import OptionError
from dissensus.methods.equivalence import curve as learning
from dissensus.methods.equivalence.curve import crosses_again, crossings, own_predictions, verdict_of
from dissensus.methods.judges.definitions import SLACK
from dissensus.methods.judges.summary import ranks, shares_best
from dissensus.methods.plan_labels.needed import cramer_items, hoeffding_items, log_cramer, log_hoeffding, log_rate
from dissensus.sampling.intervals import UNDEFINED_SHARE, percentile_interval


@pytest.mark.parametrize("learn", ["leave-one-out", "in-sample"])
def test_a_table_of_surveys_too_large_to_be_dense_is_learned_from_alike(monkeypatch, learn):
    # The sparse product sums what the dense one sums; no other fast test has a table that large.
    folder = example_path("toxicity")
    ratings = read(folder / "ratings.csv")
    judges = read_judges(folder / "judges.csv", labels=ratings.options)
    dense = equivalence(ratings, judges, learn=learn, max_raters=3, bootstrap=5, calibrate="table")
    monkeypatch.setattr(learning, "DENSE_CELLS", 0)
    sparse = equivalence(ratings, judges, learn=learn, max_raters=3, bootstrap=5, calibrate="table")
    for mine, theirs in zip(sparse.curve, dense.curve, strict=True):
        np.testing.assert_allclose([mine.score, mine.low, mine.high], [theirs.score, theirs.low, theirs.high])


def test_each_replicate_crosses_its_own_curve():
    # Half way from 1 to 2 raters; half way from 0 to 1; at 2 raters.
    curve = np.array([[0.0, 0.5, 0.75], [0.0, 0.25, 1.0], [0.0, 0.1, 0.2]])
    np.testing.assert_allclose(crossings(curve, np.array([0.625, 0.125, 0.2])), [1.5, 0.5, 2.0])


def test_a_curve_ends_where_it_is_not_known():
    # Two raters would perhaps reach 0.6, but nobody knows; nor what a judge without a score is worth.
    curve = np.array([[0.0, 0.5, np.nan], [0.0, 0.5, np.nan], [np.nan, 0.5, 0.6]])
    np.testing.assert_array_equal(crossings(curve, np.array([0.6, np.nan, 0.5])), [np.inf, np.nan, np.nan])


def test_a_curve_that_falls_is_crossed_where_it_is_first_reached():
    assert crossings(np.array([[0.0, 0.6, 0.4, 0.8]]), np.array([0.3])) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("equivalence", "verdict"),
    [(np.nan, None), (-np.inf, "below 0"), (np.inf, "above K"), (0.0, "within"), (2.5, "within")],
)
def test_a_verdict_says_on_which_side_of_the_curve_a_judge_lies(equivalence, verdict):
    assert verdict_of(equivalence) == verdict


@pytest.mark.parametrize(
    ("curve", "equivalence", "again"),
    [
        ([0.0, 0.6, 0.4, 0.8], 5 / 6, True),  # reached before 1 rater, missed by 2
        ([0.0, 0.6, 0.5, 0.8], 5 / 6, False),  # touched by 2
        ([0.0, 0.6, 0.7, 0.8], 5 / 6, False),
        ([0.0, 0.2, 0.3, 0.4], np.inf, False),  # never reached, so not again
        ([0.6, 0.2, 0.3, 0.4], -np.inf, False),
    ],
)
def test_a_curve_crosses_again_where_it_falls_below_the_score_later(curve, equivalence, again):
    assert crosses_again(np.array(curve), 0.5, equivalence) is again


def test_shares_of_being_best_are_counted_by_definition_and_not_over_all_of_them():
    # Three replicates, two definitions, two judges. First: A, both, B. Second: B, nobody, B; judge A has no value.
    # The definitions have scales of their own, so that the best over both would never be one of the second.
    values = np.array([[[92, 91], [np.nan, 1]], [[91, 91], [np.nan, np.nan]], [[90, 91], [np.nan, 1]]], dtype=float)
    np.testing.assert_allclose(shares_best(values), [[0.5, 0.5], [np.nan, 1.0]])


def test_a_judge_without_a_value_leaves_the_replicate_to_the_others():
    # Filled in with anything but minus infinity, the missing value would take the two replicates in between.
    values = np.array([[0.1, 0.2], [np.nan, -3.0], [np.nan, -5.0], [0.1, 0.3]])
    np.testing.assert_allclose(shares_best(values), [0.0, 1.0])


def test_ranks_of_several_definitions_are_taken_within_each():
    values = np.array([[0.2, 0.9, np.nan, 0.9], [7.0, 6.0, 5.0, 8.0]])
    np.testing.assert_array_equal(ranks(values), [[3, 1, np.nan, 1], [2, 3, 4, 1]])


def test_values_closer_than_rounding_share_the_replicate():
    np.testing.assert_allclose(shares_best(np.array([[1.0, 1.0 + SLACK / 2]])), [0.5, 0.5])


def test_an_interval_stands_as_long_as_few_replicates_are_undefined():
    # One of 21 is less than the share that is allowed, two are more. The middle 90% of 1, ..., 20.
    values = np.arange(21.0)
    assert 1 / 21 < UNDEFINED_SHARE < 2 / 21
    assert percentile_interval(np.where(values < 1, np.nan, values), 0.9) == pytest.approx((1.95, 19.05))
    assert np.isnan(percentile_interval(np.where(values < 2, np.nan, values), 0.9)).all()


@pytest.mark.parametrize(
    ("x", "y", "rate"),
    [
        (0.5, 0.1, np.log(1 - (np.sqrt(0.5) - np.sqrt(0.1)) ** 2)),  # rho = 1 - (sqrt x - sqrt y)^2
        (0.0, 0.0, 0.0),  # the models never differ: no item tells anything
        (0.1, 0.5, 0.0),  # the worse one wins more often: no bound
        (1.0, 0.0, -np.inf),  # every item tells: one is enough
        (1, 0, -np.inf),
    ],
)
def test_cramers_rate_at_its_edges(x, y, rate):
    assert float(log_rate(x, y)) == pytest.approx(rate)
    assert log_rate([x, x], [y, y]).tolist() == pytest.approx([rate, rate])


def test_bounds_are_powers_of_the_rate_of_one_item():
    items = [1, 10, 100]
    np.testing.assert_allclose(log_cramer(0.5, 0.1, items), np.array(items) * log_rate(0.5, 0.1))
    np.testing.assert_allclose(log_hoeffding(0.5, 0.1, items), np.array(items) * -(0.4**2) / 2)


def test_the_items_a_bound_asks_for_are_the_fewest_that_keep_it():
    for fewest, bound in ((cramer_items, log_cramer), (hoeffding_items, log_hoeffding)):
        n = fewest(0.5, 0.1, 0.05)
        assert bound(0.5, 0.1, n) <= np.log(0.05) < bound(0.5, 0.1, n - 1)
        assert fewest(0.1, 0.5, 0.05) is None
    assert cramer_items(1.0, 0.0, 0.05) == 1


def test_a_combiner_of_ones_own_must_return_probabilities():
    counts = np.array([[2, 0], [1, 1]], dtype=np.int32)
    half = np.full((2, 2), 0.5)
    shares = own_predictions(lambda surveys: surveys / surveys.sum(axis=1, keepdims=True), counts)
    np.testing.assert_array_equal(shares, [[1, 0], [0.5, 0.5]])
    np.testing.assert_array_equal(own_predictions(lambda _: [[1, 0], [0, 1]], counts), np.eye(2))
    np.testing.assert_allclose(own_predictions(lambda _: half + 1e-9, counts), half)
    for wrong in ([[1.5, -0.5], [0.5, 0.5]], [[0.5, 0.6], [0.5, 0.5]], [[0.5, 0.4], [0.5, 0.5]], [[np.nan, 1], [0, 1]]):
        with pytest.raises(OptionError, match=r"^The combiner's predictions must be .* for each survey\.$"):
            own_predictions(lambda _, wrong=wrong: wrong, counts)
    with pytest.raises(OptionError, match=r"returned shape \(2,\) for surveys of shape \(2, 2\)"):
        own_predictions(lambda _: [0.5, 0.5], counts)
