"""Each metric against its plain-Python twin and against scipy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dissensus.methods.compare import compare
from dissensus.methods.compare.metrics import (
    METRICS,
    Columns,
    MeanScore,
    RankCorrelation,
    RootMeanScore,
    WinShare,
    metric_of,
    midranks,
    weighted_midranks,
)
from dissensus.methods.compare.pairs import Cloud, Space

import comparison_reference as reference
from comparison_builders import judges_of, padded, problem_of_values, ratings_of

LABELS = (0, 1, 2)
responses = st.lists(st.integers(0, 8), min_size=1, max_size=4)
triples = st.lists(st.tuples(responses, responses, responses), min_size=2, max_size=7)
labels = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)
labelled = st.lists(st.tuples(labels, labels, labels), min_size=6, max_size=8)


def scores(items, name, space=None):
    """Scores of A and B, from lists of the raters', A's and B's responses to each item."""
    people, a, b = (padded(side) for side in zip(*items, strict=True))
    problem = problem_of_values(people, a, b, metric_of(name), space)
    found = problem.metric.score(problem.observed())
    return float(found.a), float(found.b)


def scores_of_labels(items, name, **options):
    people, a, b = (list(side) for side in zip(*items, strict=True))
    ratings = ratings_of(people, labels=["a", "b", "c"], scale="nominal")
    result = compare(ratings, judges_of(a=a, b=b), a="a", b="b", metric=name, resamples=1, bootstrap=0, **options)
    return result.pairs[0].score_a, result.pairs[0].score_b


@settings(deadline=None)
@given(triples)
def test_mae_and_rmse_are_errors_of_mean_answers(items):
    people, a, b = zip(*items, strict=True)
    assert scores(items, "mae") == pytest.approx((reference.mae(a, people), reference.mae(b, people)))
    assert scores(items, "rmse") == pytest.approx((reference.rmse(a, people), reference.rmse(b, people)))


@settings(deadline=None)
@given(triples)
def test_wins_count_items_and_ties_count_half(items):
    from fractions import Fraction  # noqa: PLC0415 - ties must be exact

    people, a, b = ([[Fraction(v) for v in own] for own in side] for side in zip(*items, strict=True))
    share = float(reference.share_of_wins(a, b, people, reference.absolute_error))
    assert scores(items, "wins") == pytest.approx((share, 1 - share))


@settings(deadline=None)
@given(triples)
def test_emd_is_the_area_between_distribution_functions_and_scipys(items):
    people, a, b = zip(*items, strict=True)
    ours = scores(items, "emd")
    twin = [np.mean([reference.earth_movers_distance(j, g) for j, g in zip(s, people, strict=True)]) for s in (a, b)]
    peer = [np.mean([stats.wasserstein_distance(j, g) for j, g in zip(s, people, strict=True)]) for s in (a, b)]
    assert ours == pytest.approx(tuple(twin))
    assert ours == pytest.approx(tuple(peer))


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.lists(st.integers(-2, 12), min_size=3, max_size=3)] * 3), min_size=1, max_size=5))
def test_emd_binned_is_what_the_authors_tool_does(items):
    people, a, b = zip(*items, strict=True)
    twin = [
        np.mean([reference.binned_distance(j, g, bins=5, low=0, high=10) for j, g in zip(s, people, strict=True)])
        for s in (a, b)
    ]
    assert scores(items, "emd-binned", Space(n_labels=1, bins=5, bounds=(0, 10))) == pytest.approx(tuple(twin))


def test_emd_binned_counts_as_numpy_does():
    rng = np.random.default_rng(0)
    people, a = rng.normal(0.5, 0.4, (2, 4, 6))
    expected = [
        np.abs(np.sort(np.histogram(x, 5, (0, 1))[0]) - np.sort(np.histogram(y, 5, (0, 1))[0])).mean()
        for x, y in zip(a, people, strict=True)
    ]
    problem = problem_of_values(people, a, a, metric_of("emd-binned"))
    np.testing.assert_allclose(problem.observed().a, expected)


def test_emd_binned_scales_a_judges_counts_to_the_raters():
    # 4 raters: 3 in one bin, 1 in another. A says once what 3 of them said: shares (1, 0), scaled to (4, 0, 0, 0, 0).
    problem = problem_of_values(
        np.array([[0.1, 0.1, 0.1, 0.5]]), np.array([[0.9]]), np.array([[0.1]]), metric_of("emd-binned")
    )
    assert problem.observed().a == pytest.approx([(abs(4 - 3) + abs(0 - 1)) / 5])
    assert problem.observed().b == problem.observed().a  # it does not see which bin is which


@settings(max_examples=25, deadline=None)
@given(labelled)
def test_label_metrics_take_the_distributions_of_nominal_labels(items):
    people, a, b = zip(*items, strict=True)
    for name, twin in (
        ("accuracy", lambda j, g: reference.accuracy(j, g, "abc")),
        ("cross-entropy", lambda j, g: reference.cross_entropy(j, g, "abc", clip=0.05)),
        ("emd", lambda j, g: float(reference.total_variation(j, g, "abc"))),
    ):
        expected = [np.mean([twin(j, g) for j, g in zip(side, people, strict=True)]) for side in (a, b)]
        assert scores_of_labels(items, name, clip=0.05) == pytest.approx(tuple(expected)), name
    share = reference.share_of_wins(a, b, people, lambda j, g: reference.total_variation(j, g, "abc"))
    assert scores_of_labels(items, "wins") == pytest.approx((share, 1 - share))


@settings(deadline=None)
@given(triples)
def test_spearman_is_scipys_on_mean_answers(items):
    people, a, b = ([np.mean(own) for own in side] for side in zip(*items, strict=True))
    ours = scores(items, "spearman")
    for own, side in zip(ours, (a, b), strict=True):
        is_constant = min(len(set(np.round(side, 9))), len(set(np.round(people, 9)))) == 1
        expected = np.nan if is_constant else stats.spearmanr(np.round(side, 9), np.round(people, 9)).statistic
        assert own == pytest.approx(expected, nan_ok=True)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), min_size=5, max_size=5), min_size=1, max_size=4))
def test_midranks_are_scipys(rows):
    np.testing.assert_allclose(midranks(np.array(rows, dtype=float)), stats.rankdata(rows, axis=1))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=3, max_size=8),
)
def test_a_weighted_correlation_is_that_of_items_written_out(rows):
    x, people, weight = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    repeat = weight.astype(int)
    if weight.sum() == 0:
        return
    ranks = weighted_midranks(x, weight[None, :])[0]
    np.testing.assert_allclose(np.repeat(ranks, repeat), stats.rankdata(np.repeat(x, repeat)))
    found = RankCorrelation()(Columns(x, people, people), weight[None, :])
    long = [np.repeat(v, repeat) for v in (x, people)]
    expected = np.nan if min(len(set(v)) for v in long) == 1 else stats.spearmanr(*long).statistic
    assert found.a[0] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("score", [MeanScore(), RootMeanScore(), WinShare()], ids=lambda score: type(score).__name__)
def test_a_swapped_difference_is_that_of_swapped_columns(score):
    rng = np.random.default_rng(1)
    columns = Columns(*rng.integers(0, 4, (3, 9)).astype(float))
    swap = rng.integers(0, 2, (20, 9)).astype(float)
    for row, difference in zip(swap, score.swapper(columns)(swap), strict=True):
        a, b = np.where(row, columns.b, columns.a), np.where(row, columns.a, columns.b)
        assert difference == pytest.approx(float(score(Columns(a, b, columns.people)).difference))


def test_a_swapped_correlation_is_that_of_swapped_ranks():
    rng = np.random.default_rng(2)
    a, b, people = rng.normal(size=(3, 12))
    swap = rng.integers(0, 2, (20, 12)).astype(float)
    ranks = [stats.rankdata(values) for values in (a, b, people)]
    for row, difference in zip(swap, RankCorrelation().swapper(Columns(a, b, people))(swap), strict=True):
        first, second = np.where(row, ranks[1], ranks[0]), np.where(row, ranks[0], ranks[1])
        expected = np.corrcoef(first, ranks[2])[0, 1] - np.corrcoef(second, ranks[2])[0, 1]
        assert difference == pytest.approx(expected)


def test_probabilities_are_responses_too():
    # People: a, a, b. Judge: .6 a and .4 b, then all a: mean .8 a. Total variation |.8 - 2/3|.
    import pandas as pd  # noqa: PLC0415

    from dissensus import read_judges  # noqa: PLC0415

    ratings = ratings_of([["a", "a", "b"]] * 6)
    rows = [(f"i{i:03}", "p", s, p, 1 - p) for i in range(6) for s, p in enumerate((0.6, 1.0))]
    rows += [(f"i{i:03}", "q", 0, 2 / 3, 1 / 3) for i in range(6)]
    judges = read_judges(pd.DataFrame(rows, columns=["item", "judge", "sample", "p_a", "p_b"]))
    pair = compare(ratings, judges, a="p", b="q", metric="emd").pairs[0]
    assert (pair.score_a, pair.score_b) == pytest.approx((0.8 - 2 / 3, 0))
    assert compare(ratings, judges, a="p", b="q", metric="wins").pairs[0].score_b == 1


@pytest.mark.parametrize("name", [name for name in METRICS if metric_of(name).coordinates != "shares"])
def test_exchanging_the_judges_turns_the_difference(name):
    rng = np.random.default_rng(3)
    people, a, b = (rng.integers(0, 5, (12, 3)).astype(float) for _ in range(3))
    metric = metric_of(name)
    one, other = (
        problem_of_values(people, *pair, metric, Space(n_labels=1, bounds=(0, 4))) for pair in ((a, b), (b, a))
    )
    first, second = (float(p.metric.score(p.observed()).difference) for p in (one, other))
    assert first == pytest.approx(-second)


def test_words_in_a_given_order_count_their_steps():
    ratings = ratings_of([["low", "high"]] * 6, labels=["low", "middle", "high"], scale="ordinal")
    result = compare(ratings, judges_of(a=["middle"] * 6, b=["high"] * 6), a="a", b="b", metric="mae")
    assert (result.pairs[0].score_a, result.pairs[0].score_b) == (0, 1)
    assert "The labels are words in an order: they count 0 (low), 1, 2, and so on." in result.warnings


@pytest.mark.parametrize("far", [1e12, 1e13])
def test_true_differences_between_huge_answers_stay_what_they_are(far):
    # Whole numbers of this size and halves of them are exact, and so are their differences.
    items = [([far, far + 2], [far + 1], [far + 1 + step]) for step in (0.5, -1.0, 0.5, 2.0)]
    moved = [[[answer - far for answer in side] for side in item] for item in items]
    for name in ("mae", "rmse", "emd", "wins"):
        assert scores(items, name) == pytest.approx(scores(moved, name), rel=1e-12), name
    assert scores(items, "mae") == (0, 1)


@pytest.mark.parametrize("times", [3, 10, 100])
def test_an_answer_given_more_often_ties_with_itself_whatever_its_size(times):
    rng = np.random.default_rng(times)
    for size in (1e-9, 0.1, 123456.7, 1e12):
        own = (size * rng.uniform(0.5, 1, 7)).tolist()
        people = (size * rng.uniform(0.5, 1, 3)).tolist()
        assert scores([(people, own, own * times)] * 2, "wins") == (0.5, 0.5)


def test_the_mean_of_many_answers_is_as_exact_as_that_of_few():
    answers = np.random.default_rng(0).normal(1e6, 1.0, 70_000)
    cloud = Cloud(vectors=answers[None, :, None], times=np.ones((1, len(answers))))
    assert abs(float(cloud.mean()[0, 0]) - math.fsum(answers) / len(answers)) <= 4 * np.spacing(1e6)
