"""Judges compared on alike items that were put together, beside the same items one by one."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dissensus.data import Judges, Ratings
from dissensus.data.counts import median, quantiles
from dissensus.errors import JudgesError, OptionError, RatingsError
from dissensus.methods.compare import compare
from dissensus.methods.compare.metrics import METRICS, Columns, metric_of, put_together, rankable
from dissensus.methods.compare.pairs import MOST_REDRAWN
from dissensus.methods.compare.resampling import all_flipped_differences, bootstrap_differences, flipped_differences

from comparison_builders import judges_of, ratings_of
from profiles import moments_of, profiles_of

WORDS = ("wins", "emd", "accuracy", "cross-entropy")
QUICK = {"bootstrap": 0, "resamples": 100, "raters": "fixed"}


def data_of(*, seed=0, distinct=30, most=5, words=False, missing=True):
    """Items of which each occurs one to five times, in mixed order; judges answer once or several times."""
    rng = np.random.default_rng(seed)
    labels = np.array(["no", "maybe", "yes"]) if words else np.arange(1, 6)
    people = [rng.choice(labels, size=rng.integers(1, 4)).tolist() for _ in range(distinct)]

    def answers(j):
        given = [rng.choice(labels, size=rng.integers(1, 3)).tolist() for _ in range(distinct)]
        return [None if missing and item % 9 == j else own for item, own in enumerate(given)]

    said = {name: answers(j) for j, name in enumerate("xyz")}
    order = rng.permutation(np.repeat(np.arange(distinct), rng.integers(1, most + 1, size=distinct)))
    judges = judges_of(**{name: [own[item] for item in order] for name, own in said.items()})
    return ratings_of([people[item] for item in order]), judges


def columns_of(seed=0, n=12, most=4):
    """Errors and answers of few values, so that some items are alike in one column and not in others."""
    rng = np.random.default_rng(seed)
    a, b, people = (rng.integers(1, 7, size=n) / 4 for _ in range(3))
    return Columns(a, b, people, rng.integers(1, most + 1, size=n).astype(float))


def one_by_one(columns):
    """The same with an item for each copy."""
    times = columns.copies.astype(int)
    return Columns(*(np.repeat(column, times) for column in columns[:3]))


def names_of(pair):
    return pair["judge_a"], pair["judge_b"]


# Scores


@pytest.mark.parametrize("words", [False, True])
def test_every_metric_scores_profiles_as_their_items_one_by_one(words):
    ratings, judges = data_of(words=words)
    together, answers = profiles_of(ratings, judges)
    assert together.n_items < together.items_in_all == ratings.n_items
    for metric in WORDS if words else METRICS[1:]:  # calibration has random folds
        found = [
            json.loads(compare(*data, metric=metric, **QUICK).to_json())
            for data in ((together, answers), (ratings, judges))
        ]
        for one, other in zip(*(sorted(own["result"]["pairs"], key=names_of) for own in found), strict=True):
            for name in ("score_a", "score_b", "difference"):
                assert one[name] == pytest.approx(other[name], abs=1e-12, rel=0), metric
            assert [one[name] for name in ("judge_a", "judge_b", "items")] == [
                other[name] for name in ("judge_a", "judge_b", "items")
            ]
        assert found[0]["warnings"] == found[1]["warnings"]


@pytest.mark.parametrize("metric", METRICS)
def test_putting_together_what_counts_the_same_keeps_the_scores(metric):
    columns = columns_of()
    score = metric_of(metric).score
    merged = put_together(columns, by_sign=metric == "wins", by_people=metric == "spearman")
    assert merged.items_in_all == columns.items_in_all
    assert [float(x) for x in score(merged)] == pytest.approx([float(x) for x in score(one_by_one(columns))], abs=1e-13)


def test_answers_that_differ_by_rounding_are_told_by_the_usual_size_of_all_items():
    # 1e-13 apart: the same beside a usual answer of 1, different beside one of 1e-6. Copies make the latter usual.
    judge = np.array([[1e-6], [1e-6 + 1e-13], [1.0]])
    assert len(np.unique(rankable(judge, copies=np.array([1.0, 1.0, 5.0])))) == 2
    assert len(np.unique(rankable(judge, copies=np.array([5.0, 5.0, 1.0])))) == 3
    assert len(np.unique(rankable(np.repeat(judge, [5, 5, 1], axis=0)))) == 3


def test_a_scale_is_judged_by_items_not_by_profiles():
    # x has answers outside the labels on 30 of 55 items; then on 1 of 55, which is 1 of its 3 profiles.
    people, said = [[1, 2, 3]] * 25 + [[2, 3]] * 30, [2] * 25 + [40] * 30
    ratings, judges = ratings_of(people, scale="interval"), judges_of(x=said, y=[2] * 55)
    for data in ((ratings, judges), profiles_of(ratings, judges)):
        with pytest.raises(OptionError, match="x is on another scale"):
            compare(*data, metric="mae", **QUICK)
    ratings, judges = ratings_of(people, scale="interval"), judges_of(x=[2] * 54 + [40], y=[2] * 55)
    found = [
        compare(*data, metric="mae", **QUICK).pairs[0].score_a
        for data in ((ratings, judges), profiles_of(ratings, judges))
    ]
    assert found[0] == pytest.approx(found[1], abs=1e-12)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 6)), min_size=1, max_size=8), st.floats(0, 1))
def test_quantiles_of_repeated_values_are_those_of_the_values_written_out(pairs, share):
    values, times = (np.array(column) for column in zip(*pairs, strict=True))
    every = np.repeat(values.astype(float), times)
    assert quantiles(values.astype(float), [share], times)[0] == np.quantile(every, share)
    assert median(values.astype(float), times) == np.median(every)


# Sign flips and the bootstrap


@pytest.mark.parametrize("metric", METRICS)
def test_every_sign_flip_of_profiles_is_one_of_their_items(metric):
    columns = columns_of(seed=1, n=4, most=3)
    found, expected = (
        all_flipped_differences(metric_of(metric), own, 10_000) for own in (columns, one_by_one(columns))
    )
    assert len(found) == len(expected) > 2
    assert np.sort(found) == pytest.approx(np.sort(expected), abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_drawn_sign_flips_have_the_distribution_of_all_of_them(metric):
    columns = columns_of(seed=2, n=5, most=4)
    kind = metric_of(metric)
    every = all_flipped_differences(kind, one_by_one(columns), 1_000_000).round(9)
    drawn = flipped_differences(kind, columns, 4000, np.random.default_rng(0)).round(9)
    # At each value the share of the draws up to it is binomial: 4.5 standard deviations.
    for value in np.unique(every):
        share = np.mean(every <= value)
        assert np.mean(drawn <= value) == pytest.approx(share, abs=4.5 * np.sqrt(share * (1 - share) / 4000) + 1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_bootstrap_differences_of_profiles_have_the_distribution_of_those_of_items(metric):
    columns = columns_of(seed=3)
    kind = metric_of(metric)
    one, other = (
        bootstrap_differences(kind, own, 4000, np.random.default_rng(seed)).round(9)
        for seed, own in enumerate((columns, one_by_one(columns)))
    )
    assert stats.ks_2samp(one, other).pvalue > 1e-3


def test_the_few_ways_to_flip_are_counted_item_by_item():
    # 13 items differ: 2^13 ways are fewer than 10,000. With a 14th there are too many.
    columns = columns_of(seed=1, n=4)
    few = columns._replace(a=np.array([1.0, 2, 1, 1]), b=np.array([2.0, 1, 1, 1]), copies=np.array([6.0, 7, 900, 900]))
    assert len(all_flipped_differences(metric_of("mae"), few, 10_000)) == 2**13
    many = few._replace(copies=np.array([7.0, 7, 900, 900]))
    assert all_flipped_differences(metric_of("mae"), many, 10_000) is None


def test_p_values_of_few_items_are_those_of_the_items_one_by_one():
    ratings, judges = data_of(seed=4, distinct=4, most=3, missing=False)
    for metric in METRICS[1:]:
        found = [
            compare(*data, metric=metric, bootstrap=0, raters="fixed")
            for data in ((ratings, judges), profiles_of(ratings, judges))
        ]
        for one, other in zip(found[0].pairs, found[1].pairs, strict=True):
            assert (one.p_value, one.p_holm) == (other.p_value, other.p_holm), metric


def test_intervals_margins_and_holm_agree_with_the_items_one_by_one_up_to_chance():
    ratings, judges = data_of(seed=5, distinct=60)
    found = [
        compare(*data, metric="mae", margin=0.1, bootstrap=4000, raters="fixed", rng=seed)
        for seed, data in enumerate(((ratings, judges), profiles_of(ratings, judges)))
    ]
    assert len(found[0].pairs) == 3
    for one, other in zip(found[0].pairs, found[1].pairs, strict=True):
        width = one.high - one.low
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.06 * width)
        assert one.p_value == pytest.approx(other.p_value, abs=0.03)
        assert one.p_holm == pytest.approx(other.p_holm, abs=0.09)
        assert one.non_inferiority.p_value == pytest.approx(other.non_inferiority.p_value, abs=0.04)


def test_the_number_of_workers_changes_nothing():
    ratings, judges = profiles_of(*data_of(distinct=15))
    found = [compare(ratings, judges, metric="rmse", bootstrap=1500, workers=n).to_json() for n in (1, 2)]
    assert found[0] == found[1]


# Many items in few profiles


def large(copies, answers_x, answers_y):
    """Items that raters all called 1, and two judges that answered as told."""
    n, items = len(copies), tuple(f"i{k}" for k in range(len(copies)))
    ratings = Ratings(
        item=np.arange(n), label=np.ones(n, int), items=items, labels=("0", "1", "2"), copies=np.array(copies),
        scale="ordinal",
    )  # fmt: skip
    judges = Judges(
        item=np.tile(np.arange(n), 2), judge=np.repeat([0, 1], n), sample=np.zeros(2 * n, int),
        label=np.concatenate([answers_x, answers_y]), items=items, judges=("x", "y"), labels=("0", "1", "2"),
        options=("0", "1", "2"),
    )  # fmt: skip
    return ratings, judges


def test_wins_on_twenty_million_items_have_the_p_value_of_the_sign_test():
    # x wins 4,001,200 items, y 4,000,000, and on the others both are right.
    ratings, judges = large([4_001_200, 4_000_000, 11_998_800], [1, 0, 1], [2, 1, 1])
    pair = compare(ratings, judges, metric="wins", bootstrap=500).pairs[0]
    exact = stats.binomtest(4_001_200, 8_001_200).pvalue  # .67
    assert (pair.items, pair.score_a) == (20_000_000, (4_001_200 + 11_998_800 / 2) / 20e6)
    assert pair.p_value == pytest.approx(exact, abs=4.5 * np.sqrt(exact * (1 - exact) / 10_000))
    # A win and a loss are 1 apart from a tie, so an item's gap has this variance.
    spread = 2 * 1.96 * np.sqrt(8_001_200 / 20e6 / 20e6)
    assert pair.high - pair.low == pytest.approx(spread, rel=0.15)


def test_six_items_may_be_one_profile_and_five_are_too_few():
    assert compare(*large([6], [1], [2]), metric="mae", bootstrap=0).pairs[0].items == 6
    with pytest.raises(RatingsError, match="x and y share 5 rated items: a comparison needs 6 or more"):
        compare(*large([3, 2], [1, 1], [2, 2]), metric="mae", bootstrap=0)


# Tests that draw responses anew


@pytest.mark.parametrize("test", ["response-permutation", "mixture"])
def test_responses_are_drawn_anew_for_each_item_of_a_profile(test):
    ratings, judges = profiles_of(*data_of(distinct=12))
    options = {"metric": "mae", "test": test, "resamples": 60, "bootstrap": 50}
    found = compare(ratings, judges, **options)
    assert found.pairs == compare(ratings.expanded(), judges.expanded(ratings), **options).pairs


@pytest.mark.parametrize("test", ["response-permutation", "mixture"])
def test_too_many_items_to_draw_anew_are_refused_with_the_way_out(test):
    ratings, judges = large([MOST_REDRAWN, 1], [1, 2], [2, 1])
    with pytest.raises(OptionError, match=r"5,000,001 items are more than the 5,000,000 .* choose test= sign-flip"):
        compare(ratings, judges, metric="mae", test=test)


def test_outputs_known_as_moments_only_are_refused_with_the_way_out():
    ratings, judges = data_of(distinct=6, words=True, missing=False)
    with pytest.raises(JudgesError, match="`round_outputs=` of `read_reduced` 3"):
        compare(*moments_of(ratings, judges), metric="accuracy")


def test_items_that_nobody_rated_are_left_out_before_the_others_are_taken_apart():
    ratings, judges = data_of(distinct=12)
    together, answers = profiles_of(ratings, judges)
    more = replace(answers, items=(*answers.items[:-1], "nobody rated this"))
    options = {"metric": "mae", "test": "mixture", "resamples": 20, "bootstrap": 0}
    assert "Left out 1 item that judges answered and nobody rated." in compare(together, more, **options).warnings
