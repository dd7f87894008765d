"""The tests of a difference: against scipy, against every way to resample, and their p-values."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dissensus.methods.compare.metrics import Columns, metric_of
from dissensus.methods.compare.resampling import (
    all_flipped_differences,
    bootstrap_differences,
    flipped_differences,
    mixture_differences,
    mixture_p_value,
    non_inferiority_p_value,
    permuted_differences,
    two_sided_p_value,
)
from dissensus.sampling.intervals import holm, percentile_interval

import comparison_reference as reference
from comparison_builders import normal_items, padded, problem_of_values

MAE = metric_of("mae")


def columns_of(gaps):
    """Columns whose differences are these."""
    gaps = np.asarray(gaps, dtype=float)
    return Columns(np.maximum(gaps, 0), np.maximum(-gaps, 0), np.zeros(len(gaps)))


def sign_flip_p_value(gaps, resamples=2000, rng=0):
    columns = columns_of(gaps)
    every = all_flipped_differences(MAE, columns, resamples)
    drawn = flipped_differences(MAE, columns, resamples, np.random.default_rng(rng)) if every is None else every
    observed = float(MAE.score(columns).difference)
    return two_sided_p_value(observed, drawn, is_every=every is not None, is_symmetric=True)


@settings(deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=8))
def test_few_items_are_exchanged_in_every_way(gaps):
    assert sign_flip_p_value(gaps) == pytest.approx(reference.sign_flip_p_value(gaps))


def test_sign_flip_of_few_items_is_scipys_exact_paired_permutation_test():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 9))
    peer = stats.permutation_test((a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf)
    columns = Columns(a, b, a)
    every = all_flipped_differences(MAE, columns, 1000)
    assert len(every) == 2**9
    p_value = two_sided_p_value(float(MAE.score(columns).difference), every, is_every=True, is_symmetric=True)
    assert p_value == pytest.approx(peer.pvalue)


def test_sign_flip_of_many_items_agrees_with_scipys_within_chance():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 60))
    b += 0.3
    peer = stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=20_000, rng=rng,
    )  # fmt: skip
    drawn = flipped_differences(MAE, Columns(a, b, a), 20_000, rng)
    ours = two_sided_p_value(float(np.mean(a - b)), drawn, is_symmetric=True)
    assert ours == pytest.approx(peer.pvalue, abs=4.5 * math.sqrt(2 * ours * (1 - ours) / 20_000) * 1.5)


def test_every_exchange_among_many_equal_items_takes_little_memory():
    gaps = np.zeros(200_000)
    gaps[:10] = np.arange(1, 11)  # 2^10 exchanges of 200,000 items are 1.6 GB at once
    tracemalloc.start()
    p_value = sign_flip_p_value(gaps)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert p_value == 2 / 2**10
    assert peak < 2e8


def test_items_without_a_difference_change_nothing():
    assert sign_flip_p_value([3, 1, -1, 2]) == sign_flip_p_value([3, 0, 1, 0, -1, 2, 0])


def test_no_difference_at_all_gives_p_one():
    assert sign_flip_p_value([0] * 10) == 1
    assert sign_flip_p_value([0] * 10, resamples=1) == 1


def test_response_permutation_draws_every_deal_equally_often():
    # Two items, ragged: 2 responses against 1 and 1 against 1, so 3 x 2 = 6 deals, each with chance 1/6.
    people, a, b = [[1, 2], [0]], [[0, 1], [3]], [[5], [1]]
    problem = problem_of_values(*(padded(side) for side in (people, a, b)), MAE)

    def difference(first, second):
        return reference.mae(first, people) - reference.mae(second, people)

    expected = np.sort(reference.response_permutation_differences(a, b, difference))
    drawn = permuted_differences(problem, 6000, np.random.default_rng(2))
    values, counts = np.unique(np.round(drawn, 9), return_counts=True)
    distinct, times = np.unique(np.round(expected, 9), return_counts=True)
    np.testing.assert_allclose(values, distinct)
    assert stats.chisquare(counts, times * 6000 / times.sum()).pvalue > 1e-4


def test_response_permutation_of_one_item_is_scipys_exact_one():
    # |mean - people's mean| for one item with 4 and 3 responses: 35 deals.
    people, a, b = np.array([[0.4, 0.9]]), np.array([[0.5, 0.7, 0.65, 0.8]]), np.array([[1.4, 0.2, 2.3]])

    def statistic(x, y):
        return abs(x.mean() - people.mean()) - abs(y.mean() - people.mean())

    peer = stats.permutation_test((a[0], b[0]), statistic, n_resamples=np.inf)
    problem = problem_of_values(people, a, b, MAE)
    drawn = permuted_differences(problem, 40_000, np.random.default_rng(3))
    ours = two_sided_p_value(float(MAE.score(problem.observed()).difference), drawn)
    assert ours == pytest.approx(peer.pvalue, abs=4.5 * 2 * math.sqrt(0.25 / 40_000))


def test_response_permutation_of_single_answers_exchanges_the_judges():
    people, a, b = normal_items("real difference", np.random.default_rng(4), n_items=20, n_responses=1)
    problem = problem_of_values(people, a, b, MAE)
    drawn = permuted_differences(problem, 4000, np.random.default_rng(5))
    flipped = flipped_differences(MAE, problem.observed(), 4000, np.random.default_rng(6))
    assert stats.ks_2samp(drawn, flipped).pvalue > 1e-4


def test_each_judge_keeps_its_number_of_responses():
    # All of A's and B's responses to an item are alike but for one; who gets it decides, A with chance 3/4.
    problem = problem_of_values(np.zeros((1, 1)), np.array([[0, 0, 1.0]]), np.zeros((1, 1)), MAE)
    drawn = permuted_differences(problem, 8000, np.random.default_rng(7))
    assert set(np.round(drawn, 9)) == {round(1 / 3, 9), -1.0}
    assert np.mean(drawn > 0) == pytest.approx(3 / 4, abs=4.5 * math.sqrt(3 / 16 / 8000))


def test_the_mixture_resamples_items_and_responses_as_the_authors_do():
    people, a, b = normal_items("real difference", np.random.default_rng(8), n_items=8, n_responses=3)
    drawn = mixture_differences(problem_of_values(people, a, b, MAE), 800, np.random.default_rng(9))
    rng = np.random.default_rng(10)
    plain = []
    for _ in range(800):
        row = []
        for null in (True, False):
            total = 0.0
            for i in rng.integers(8, size=8):
                g = rng.choice(people[i], 3).mean()
                if null:
                    x, y = (
                        np.where(rng.random(3) < 0.5, rng.choice(a[i], 3), rng.choice(b[i], 3)).mean() for _ in "ab"
                    )
                else:
                    x, y = rng.choice(a[i], 3).mean(), rng.choice(b[i], 3).mean()
                total += abs(x - g) - abs(y - g)
            row.append(total / 8)
        plain.append(row)
    for ours, twin in zip(drawn.T, np.array(plain).T, strict=True):
        assert stats.ks_2samp(ours, twin).pvalue > 1e-4


def test_the_mixture_p_value_counts_pairs_and_their_ties():
    null, alternative = np.array([-1.0, 0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0, 2.0])
    pairs = np.mean([x >= y for x in null for y in alternative])
    assert mixture_p_value(np.stack([null, alternative], axis=1)) == pairs
    assert mixture_p_value(np.stack([-null, -alternative], axis=1)) == pairs  # both signs turn


@settings(deadline=None)
@given(st.lists(st.integers(0, 100).map(lambda k: k / 100), min_size=1, max_size=6))
def test_holm_is_that_of_its_definition(p_values):
    assert holm(p_values) == pytest.approx(reference.holm(p_values))


def test_holm_is_that_of_statsmodels():
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415 - takes seconds to import

    p_values = [0.01, 0.2, 0.013, 0.013, 0.04, 0.9]
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_holm_leaves_out_what_is_undefined():
    assert holm([0.02, math.nan, 0.01]) == pytest.approx([0.02, math.nan, 0.02], nan_ok=True)
    assert holm([math.nan]) == pytest.approx([math.nan], nan_ok=True)


def test_the_bootstrap_interval_is_scipys_within_chance():
    rng = np.random.default_rng(11)
    a, b = rng.normal(size=(2, 80))
    drawn = bootstrap_differences(MAE, Columns(a, b, a), 8000, rng)
    peer = stats.bootstrap((a - b,), np.mean, n_resamples=8000, method="percentile", rng=rng).confidence_interval
    error = np.std(a - b) / math.sqrt(80)
    assert percentile_interval(drawn, 0.95) == pytest.approx(tuple(peer), abs=0.2 * error)


def test_the_bootstrap_of_rmse_is_that_of_items_written_out():
    rng = np.random.default_rng(12)
    a, b = rng.random((2, 5))
    metric = metric_of("rmse")
    weights = rng.multinomial(5, [0.2] * 5, size=10).astype(float)
    found = metric.score(Columns(a, b, a), weights)
    for row, first in zip(weights, found.a, strict=True):
        assert first == pytest.approx(math.sqrt(np.repeat(a, row.astype(int)).mean()))


def test_a_judge_that_is_worse_by_the_margin_is_called_non_inferior_in_at_most_five_percent():
    # B's gain over A on an item is normal with mean -.2 and the margin is .2: the hypothesis just holds.
    rng = np.random.default_rng(13)
    rejected = 0
    for _ in range(400):
        gains = rng.normal(-0.2, 1, 50)
        moved = bootstrap_differences(MAE, Columns(gains, np.zeros(50), gains), 400, rng)
        rejected += non_inferiority_p_value(gains.mean(), moved, 0.2) <= 0.05
    assert rejected / 400 <= 0.05 + 4.5 * math.sqrt(0.05 * 0.95 / 400)


def test_an_undefined_difference_has_no_p_value():
    assert math.isnan(two_sided_p_value(math.nan, np.zeros(3)))
    assert math.isnan(non_inferiority_p_value(0.0, np.empty(0), 1.0))
    assert np.isnan(percentile_interval(np.empty(0), 0.95)).all()
