"""A replicate is a row of weights: it must give what the drawn items themselves would give."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dissensus.data import Task
from dissensus.methods.judges.answers import rating_rows, shares
from dissensus.methods.judges.scoring import scores_of, statistics_of
from dissensus.methods.judges.setup import set_up
from dissensus.methods.judges.summary import ranks, selected, shares_best
from dissensus.sampling.draws import draw_strata
from dissensus.sampling.intervals import percentile_interval

from judges_builders import ASKED, OPTIONS, choices, judges_from, ratings_from, sets

ITEMS = [choices(0, 1, 1), choices(2, 2), sets({0}, {0, 1}), choices(0) + sets({0, 2}), choices(1, 2) + sets({2})]
JUDGES = {
    "one": [choices(0), choices(2), sets({0, 1}), choices(2), choices(1)],
    "two": [choices(1, 1, 0), choices(1, 2), choices(0), choices(0), sets({1, 2}, {2})],
}
ONLY_CHOICES = ([choices(0, 1, 1), choices(2, 2), choices(0), choices(0, 2), choices(1, 2)], JUDGES)


def prepared(items, judges):
    # With a task the response sets of F' do not depend on which of them were given.
    return set_up(ratings_from(items), judges_from(judges), Task(options=OPTIONS), ASKED)


def repeated(values, times):
    return [value for value, n in zip(values, times, strict=True) for _ in range(n)]


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from([(ITEMS, JUDGES), ONLY_CHOICES]),
    st.lists(st.integers(0, 3), min_size=5, max_size=5).filter(any),
)
def test_weights_count_items_as_often_as_the_same_items_in_the_data(problem, times):
    items, judges = problem
    # Without forced choices the data would be read otherwise.
    assume(any(n for n, own in zip(times, items, strict=True) if any(kind == "choice" for kind, _ in own)))
    whole = prepared(items, judges).problem
    drawn = prepared(repeated(items, times), {name: repeated(own, times) for name, own in judges.items()}).problem
    weighted = scores_of(whole, statistics_of(whole), np.array([times], dtype=float))
    direct = scores_of(drawn, statistics_of(drawn), np.ones((1, drawn.n_items)))
    # Without a pair F' would be made of nothing in the replicate, and the data would have none.
    assume((whole.reversal is None) == (drawn.reversal is None))
    for name in ("values", "consistency", "judged_positive", "prevalence"):
        ours, theirs = getattr(weighted, name), getattr(direct, name)
        assert np.allclose(ours, theirs, rtol=1e-7, atol=1e-7, equal_nan=True), name


def test_replicates_do_not_depend_on_each_other():
    problem = prepared(ITEMS, JUDGES).problem
    statistics = statistics_of(problem)
    weights = draw_strata((5,), 6, np.random.default_rng(1))
    together = scores_of(problem, statistics, weights)
    for row, own in enumerate(weights):
        alone = scores_of(problem, statistics, own[None])
        assert np.allclose(together.values[row], alone.values[0], atol=1e-9, equal_nan=True)
        assert np.allclose(together.consistency[row], alone.consistency[0])


def test_the_reverse_matrix_moves_only_items_without_response_sets():
    problem = prepared(ITEMS, JUDGES).problem
    assert problem.is_reversed.tolist() == [True, True, False, False, False]
    statistics = statistics_of(problem)
    # F' is learned from items 3 and 4: without one of them it is another one, while item 2 stays what it is.
    only_third = scores_of(problem, statistics, np.array([[0.0, 0, 1, 1, 0], [0.0, 0, 1, 0, 1]]))
    place = [definition.id for definition in problem.definitions].index("mse_response_set")
    expected = statistics.per_item[[2, 2], place] + statistics.per_item[[3, 4], place]
    assert np.allclose(only_third.values[:, place] * 2, expected)
    assert not np.allclose(only_third.reverse[0], only_third.reverse[1])


def test_a_replicate_without_forced_choices_has_no_value_by_forced_choices():
    problem = prepared(ITEMS, JUDGES).problem
    found = scores_of(problem, statistics_of(problem), np.array([[0.0, 0, 3, 0, 0]]))
    by_id = dict(zip([d.id for d in problem.definitions], found.values[0], strict=True))
    assert np.isnan(by_id["hit_rate"]).all()
    assert np.isnan(by_id["scott_pi"]).all()
    assert np.isfinite(by_id["mse_response_set"]).all()


def test_weights_draw_as_many_items_as_there_are_in_each_stratum():
    weights = draw_strata((4, 3), 200, np.random.default_rng(0))
    assert (weights[:, :4].sum(axis=1) == 4).all()
    assert (weights[:, 4:].sum(axis=1) == 3).all()
    assert weights[:, :4].mean() == 1
    assert 0.8 < weights[:, 0].mean() < 1.2
    assert draw_strata((4, 0), 2, np.random.default_rng(0)).shape == (2, 4)


# Ranks


def test_judges_that_tie_share_the_better_rank_and_nan_has_none():
    assert np.array_equal(ranks(np.array([0.2, 0.5, 0.5 + 1e-15, np.nan])), [3, 1, 1, np.nan], equal_nan=True)
    assert selected(np.array([np.nan, 0.2, 0.5, 0.5]), "abcd") == "c"
    assert selected(np.array([np.nan, np.nan]), "ab") is None


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=20))
def test_shares_of_being_best_add_up_to_one(rows):
    assert np.isclose(shares_best(np.array(rows, dtype=float)).sum(), 1)


def test_a_judge_without_values_is_never_best_and_leaves_the_others_alone():
    values = np.array([[np.nan, 1.0, 2.0], [np.nan, 2.0, 1.0], [np.nan, np.nan, np.nan]])
    assert np.array_equal(shares_best(values), [np.nan, 0.5, 0.5], equal_nan=True)


def test_an_interval_is_that_of_the_percentiles_unless_too_much_is_undefined():
    values = np.arange(101.0)
    assert percentile_interval(values, 0.9) == pytest.approx((5.0, 95.0))
    values[:5] = np.nan  # just under 5%
    assert percentile_interval(values, 0.9) == pytest.approx(np.quantile(np.arange(5.0, 101.0), [0.05, 0.95]))
    values[:6] = np.nan
    assert np.isnan(percentile_interval(values, 0.9)).all()


# People


def test_ratings_of_one_kind_are_told_from_the_labels_where_nobody_said_it():
    unsaid = [[(None, {0}), (None, {0, 1})], [(None, {1})]]
    ratings = ratings_from(unsaid)
    people = rating_rows(ratings, prepared(unsaid, {"one": [choices(0), choices(1)]}).space).people()
    assert people.choices.sum() == 0
    assert people.sets.sum() == 3
    single = [[(None, {0})], [(None, {1})]]
    people = rating_rows(ratings_from(single), prepared(single, {"one": [choices(0), choices(1)]}).space).people()
    assert people.choices.sum() == 2
    assert people.sets.sum() == 0


def test_raters_who_gave_both_are_paired_within_the_item():
    items = [choices(0) + sets({0, 1}) + choices(1), sets({2}) + choices(2)]
    # Rater 0 gave both for item 0 and a set for item 1, rater 1 a choice for each.
    ratings = ratings_from(items, raters=[[0, 0, 1], [0, 1]])
    space = prepared(items, {"one": [choices(0), choices(1)]}).space
    people = rating_rows(ratings, space).people()
    assert people.pair_item.tolist() == [0]
    assert people.pair_choice.tolist() == [0]
    assert space.response_sets[people.pair_set[0]] == "a|b"


def test_counts_of_raters_count():
    ratings = ratings_from([choices(0, 1)])
    many = replace(ratings, times=np.array([9, 1]), rater=None, raters=())
    space = prepared([choices(0, 1)], {"one": [choices(0)]}).space
    assert shares(rating_rows(many, space).people().choices).tolist() == [[0.9, 0.1, 0.0]]
