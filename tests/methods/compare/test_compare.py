"""compare from end to end: what it returns, and what it refuses in one line."""

import json
import math
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dissensus import read, read_judges
from dissensus.methods.compare import CompareResult, compare
from dissensus.methods.compare.metrics import METRICS
from dissensus.methods.compare.result import TESTS
from dissensus.simulation.responses import simulate_responses

from comparison_builders import judges_of, ratings_of
from tables import typed_message_of as message_of

PEOPLE = [[1, 2, 2], [3, 3], [5, 4, 5], [2], [1, 1], [4, 5, 4], [3, 2], [5, 5]]
NEAR = [2, 3, 5, 2, 1, 4, 3, 5]
FAR = [5, 1, 2, 4, 4, 1, 5, 3]
RATINGS = ratings_of(PEOPLE)
JUDGES = judges_of(near=NEAR, far=FAR, sampled=[[a, b] for a, b in zip(NEAR, FAR, strict=True)])


def simulated(n=60, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n)

    def noisy(spread, samples):
        return np.clip(truth[:, None] + rng.integers(-spread, spread + 1, (n, samples)), 1, 5).tolist()

    return ratings_of(noisy(1, 4)), judges_of(good=noisy(1, 3), poor=noisy(4, 3), middling=noisy(2, 3))


def test_wins_and_p_value_of_eight_items():
    # near is nearer on all 8 items: difference 1; of 2^8 ways to exchange, 2 are as far out.
    pair = compare(RATINGS, JUDGES, a="near", b="far", metric="wins").pairs[0]
    assert (pair.score_a, pair.score_b, pair.difference, pair.better) == (1, 0, 1, "a")
    assert pair.p_value == pytest.approx(2 / 2**8)
    assert pair.p_value == stats.binomtest(8, 8).pvalue
    assert (pair.low, pair.high, pair.items) == (1, 1, 8)


def test_lower_is_better_for_errors():
    forth = compare(RATINGS, JUDGES, a="near", b="far", metric="mae")
    back = compare(RATINGS, JUDGES, a="far", b="near", metric="mae")
    assert (forth.pairs[0].better, back.pairs[0].better) == ("a", "b")
    assert forth.pairs[0].difference == -back.pairs[0].difference < 0
    assert (forth.better_scores, compare(RATINGS, JUDGES, a="near", b="far").better_scores) == ("lower", "higher")


def test_json_of_a_pair_has_the_keys_of_the_design():
    content = json.loads(compare(RATINGS, JUDGES, a="near", b="far").to_json())
    assert content["result"]["constant"].keys() == {"answer", "score"}
    assert content["result"]["person"].keys() == {"score"}
    named = ["score_a", "score_b", "difference", "better", "low", "high", "p_value", "items", "metric", "test"]
    assert set(named) <= content["result"].keys()
    assert content["command"] == "compare"
    assert content["settings"]["resamples"] == 10_000
    assert {key: content["result"][key] for key in ("judge_a", "judge_b", "metric", "test", "question")} == {
        "judge_a": "near",
        "judge_b": "far",
        "metric": "information",
        "test": "sign-flip",
        "question": "same quality",
    }


def test_json_of_all_pairs_is_a_list_with_holms_p_values():
    ratings, judges = simulated()
    content = json.loads(compare(ratings, judges, metric="mae").to_json())["result"]
    pairs = content["pairs"]
    assert [(p["judge_a"], p["judge_b"]) for p in pairs] == [
        ("good", "poor"),
        ("middling", "poor"),
        ("good", "middling"),
    ]  # decided ones first
    raw = sorted(p["p_value"] for p in pairs)
    assert min(p["p_holm"] for p in pairs) == pytest.approx(3 * raw[0])
    assert all(p["p_holm"] >= p["p_value"] for p in pairs)
    assert "score_a" not in content


def test_every_pair_of_the_judges_that_were_chosen_is_compared_as_if_there_were_no_others():
    ratings, judges = simulated()
    chosen = compare(ratings, judges, judge=["poor", "good"], metric="mae", bootstrap=20)
    assert chosen.pairs == compare(ratings, judges.only(["good", "poor"]), metric="mae", bootstrap=20).pairs
    assert [(pair.judge_a, pair.judge_b) for pair in chosen.pairs] == [("good", "poor")]
    assert chosen.settings["judge"] == ("poor", "good")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"judge": "near"}, "--judge names fewer than two judges: a comparison needs two."),
        ({"judge": ["near", "far"], "b": "far"}, "--judge compares every pair of those named: leave out --a and --b."),
        ({"judge": ["near", "fat"]}, "There is no judge 'fat': the judges are far, near, sampled."),
    ],
)
def test_judges_that_cannot_be_compared_in_pairs_are_refused(options, message):
    assert message_of(lambda: compare(RATINGS, JUDGES, **options)).startswith(message)


def test_one_judge_is_compared_with_every_other():
    against = [(p.judge_a, p.judge_b) for p in compare(RATINGS, JUDGES, a="near").pairs]
    assert against == [("near", "far"), ("near", "sampled")]
    assert [(p.judge_a, p.judge_b) for p in compare(RATINGS, JUDGES, b="near").pairs] == [
        ("far", "near"),
        ("sampled", "near"),
    ]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("metric", [name for name in METRICS if name != "information"])
def test_every_metric_goes_with_every_test(metric, test):
    ratings, judges = simulated()
    result = compare(ratings, judges, a="good", b="poor", metric=metric, test=test, resamples=300, bootstrap=200)
    pair = result.pairs[0]
    assert 0 <= pair.p_value <= 1
    assert pair.low <= pair.difference <= pair.high
    if metric != "emd-binned":  # which hardly sees a difference
        assert pair.better == "a" or test == "mixture"
    assert result.question == ("same quality" if test == "sign-flip" else "same distribution")


@pytest.mark.parametrize("test", TESTS)
def test_the_number_of_workers_changes_nothing(test):
    ratings, judges = simulated()
    options = {"metric": "mae", "test": test, "resamples": 60, "bootstrap": 60}
    one = compare(ratings, judges, **options)
    assert one.to_json() == compare(ratings, judges, workers=2, **options).to_json()
    assert one.to_json() != compare(ratings, judges, rng=1, **options).to_json()


def test_the_order_of_rows_changes_no_score():
    frame = pd.DataFrame(
        [(f"i{i}", f"r{r}", label) for i, given in enumerate(PEOPLE) for r, label in enumerate(given)],
        columns=["item", "rater", "label"],
    )
    answers = pd.DataFrame(
        [(f"i{i}", name, value) for name, own in (("a", NEAR), ("b", FAR)) for i, value in enumerate(own)],
        columns=["item", "judge", "label"],
    )
    for metric in METRICS:
        straight = compare(read(frame), read_judges(answers), a="a", b="b", metric=metric).pairs[0]
        mixed = compare(
            read(frame.sample(frac=1, random_state=0)), read_judges(answers.sample(frac=1, random_state=1)),
            a="a", b="b", metric=metric,
        ).pairs[0]  # fmt: skip
        assert (straight.score_a, straight.score_b) == pytest.approx((mixed.score_a, mixed.score_b))
        assert straight.p_value == pytest.approx(mixed.p_value)


def test_counts_of_anonymous_raters_are_their_ratings():
    rows = [(f"i{i:03}", label, given.count(label)) for i, given in enumerate(PEOPLE) for label in set(given)]
    counted = read(pd.DataFrame(rows, columns=["item", "label", "count"]))
    for metric in METRICS:
        one, other = (compare(r, JUDGES, a="near", b="sampled", metric=metric).pairs[0] for r in (RATINGS, counted))
        assert one.score_b == pytest.approx(other.score_b), metric


def test_only_items_that_both_judges_answered_count():
    judges = judges_of(near=[*NEAR[:7], None], far=[None, *FAR[1:]])
    result = compare(RATINGS, judges, a="near", b="far")
    assert result.pairs[0].items == 6


def test_equal_judges_get_p_one_and_the_reason():
    result = compare(RATINGS, judges_of(one=NEAR, other=NEAR), metric="mae", raters="fixed")
    assert (result.pairs[0].p_value, result.pairs[0].better) == (1, "neither")
    assert result.warnings == (
        "p is 1: one and other score the same on every item, so there is no difference to test.",
    )


def test_a_judge_that_never_changes_its_answer_has_no_correlation():
    result = compare(RATINGS, judges_of(near=NEAR, still=[3] * 8), metric="spearman")
    pair = result.pairs[0]
    assert math.isnan(pair.score_b)
    assert math.isnan(pair.p_value)
    assert pair.better == "neither"
    assert json.loads(result.to_json())["result"]["pairs"][0]["p_value"] is None
    assert "The correlation is undefined for near and still: a judge or the raters never vary." in result.warnings


def test_a_judge_may_run_the_other_way():
    judges = judges_of(near=[6 - value for value in NEAR], far=FAR)
    plain = compare(RATINGS, judges, a="near", b="far", metric="spearman", raters="fixed")
    turned = compare(RATINGS, judges, a="near", b="far", metric="spearman", reverse="near")
    assert plain.pairs[0].score_a == pytest.approx(-turned.pairs[0].score_a)
    assert plain.warnings[0].startswith("near, far: higher answers go with lower labels.")
    assert "reverse= near" in plain.warnings[0]


def test_a_judge_on_another_scale_is_compared_by_ranks_only():
    judges = judges_of(percent=[20.5 * value for value in NEAR], far=FAR)
    assert compare(RATINGS, judges, metric="spearman").pairs[0].score_b > 0.9
    assert message_of(lambda: compare(RATINGS, judges, metric="mae")) == (
        "--metric mae compares answers with labels, but percent is on another scale: its answers run from 20.5 to "
        "102.5, the raters' labels from 1 to 5. Choose --metric spearman, or say --same-scale if that is wrong."
    )
    assert message_of(lambda: compare(RATINGS, judges, metric="spearman", test="mixture")).startswith(
        "--test mixture mixes the answers of both judges, but percent is on another scale"
    )
    assert compare(RATINGS, judges, metric="mae", same_scale=True).pairs[0].score_b > 20
    assert "you said so" in message_of(lambda: compare(RATINGS, JUDGES, metric="mae", same_scale=False))


def test_a_label_that_no_rater_gave_is_still_on_the_scale():
    assert compare(ratings_of([[1, 2, 3]] * 6), judges_of(a=[4, 3, 2, 3, 2, 1], b=[1] * 6), metric="mae").pairs


def test_non_inferiority_says_whether_b_is_at_most_so_much_worse():
    ratings, judges = simulated(200)
    wide = compare(ratings, judges, a="good", b="middling", metric="mae", margin=1.0).pairs[0]
    narrow = compare(ratings, judges, a="good", b="middling", metric="mae", margin=0.01).pairs[0]
    assert wide.difference < 0
    assert wide.better == "a"
    assert wide.non_inferiority.is_non_inferior
    assert not narrow.non_inferiority.is_non_inferior
    back = compare(ratings, judges, a="middling", b="good", metric="mae", margin=0.01).pairs[0]
    assert back.non_inferiority.is_non_inferior  # a better judge is no worse
    wins = compare(ratings, judges, a="middling", b="good", metric="wins", margin=0.01).pairs[0]
    assert wins.non_inferiority.is_non_inferior


def test_a_test_of_distributions_names_nobody_better_unless_the_interval_does():
    ratings, judges = simulated()
    options = {"a": "good", "b": "poor", "metric": "mae", "test": "response-permutation", "resamples": 500}
    assert compare(ratings, judges, **options).pairs[0].better == "a"
    assert compare(ratings, judges, bootstrap=0, **options).pairs[0].better == "neither"


def test_warnings_say_what_a_test_cannot_do():
    ratings, judges = simulated()
    for test, metric, words in (
        ("mixture", "wins", "misses most real differences"),
        ("response-permutation", "mae", "not whether they are equally good"),
        ("sign-flip", "emd-binned", "cannot see whether a judge answers too high or too low"),
    ):
        result = compare(ratings, judges, test=test, metric=metric, resamples=50, bootstrap=0)
        assert any(words in warning for warning in result.warnings)
    once = compare(RATINGS, JUDGES, a="near", b="far", test="response-permutation")
    assert any("answered each item once" in warning for warning in once.warnings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"a": "nobody"}, "There is no judge 'nobody': the judges are far, near, sampled."),
        ({"a": "near", "b": "near"}, "--a and --b are both near: name two different judges."),
        ({"metric": "f1"}, f"--metric cannot be 'f1': choose one of {', '.join(METRICS)}."),
        ({"test": "t"}, "--test cannot be 't': choose one of sign-flip, response-permutation, mixture."),
        (
            {"margin": -0.1},
            (
                "--margin cannot be -0.1: give how much worse B may be than A, a number above 0 in units of the "
                "metric, whichever way is better."
            ),
        ),
        ({"margin": 0.1, "bootstrap": 0}, "--margin needs the bootstrap: leave --bootstrap 0 out."),
        ({"resamples": 0}, "--resamples cannot be 0: give a number of at least 1."),
        ({"bootstrap": -1}, "--bootstrap cannot be -1: give the number of samples, or 0 for none."),
        ({"confidence": 2}, "--confidence cannot be 2: it is a share between 0 and 1."),
        ({"clip": 0.7}, "--clip cannot be 0.7: it is a share between 0 and 0.5."),
        (
            {"metric": "cross-entropy", "clip": 0.3},
            "5 labels are too many for --clip 0.3: choose a metric for numbers such as mae, or a clip below 0.2.",
        ),
        ({"bins": 0}, "--bins cannot be 0: give a number from 1 to 1000."),
        ({"bounds": (1, 0)}, "--bounds cannot be 1,0: give two numbers, the lower one first."),
        ({"bounds": (0, math.inf)}, "--bounds cannot be inf: give two numbers, the lower one first."),
        ({"bins": 10**8}, "--bins cannot be 100000000: give a number from 1 to 1000."),
        (
            {"metric": "information", "test": "mixture"},
            (
                "--test mixture draws a judge's answers again, and information needs all answers of an item: choose "
                "--test sign-flip, or another metric such as wins."
            ),
        ),
        ({"reverse": "near", "metric": "wins"}, "--reverse turns ranks: it goes with --metric spearman, not wins."),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    assert message_of(lambda: compare(RATINGS, JUDGES, **options)) == message


def test_five_items_are_too_few():
    judges = judges_of(near=NEAR[:5], far=FAR)
    assert message_of(lambda: compare(RATINGS, judges)) == (
        "far and near share 5 rated items: a comparison needs 6 or more. Rate more items."
    )
    judges = judges_of(near=NEAR[:5], far=FAR, more=NEAR)
    result = compare(RATINGS, judges)
    assert [(p.judge_a, p.judge_b) for p in result.pairs] == [("far", "more")]
    assert any(
        w.startswith("Left out, since 6 items are needed: far and near share 5 rated items") for w in result.warnings
    )


def test_one_judge_is_too_few():
    assert message_of(lambda: compare(RATINGS, judges_of(near=NEAR))) == (
        "There is one judge only, near: a comparison needs two."
    )


def test_a_judge_without_a_rated_item_is_refused():
    judges = judges_of(near=NEAR, far=[None] * 8 + FAR)
    assert message_of(lambda: compare(RATINGS, judges)) == (
        "The judge far answered none of the rated items: check the item ids, or name the judges to compare with "
        "--judge."
    )


@pytest.mark.parametrize("metric", ["mae", "rmse", "emd-binned", "spearman"])
def test_numbers_are_needed_where_the_metric_needs_them(metric):
    ratings = ratings_of([["yes", "no"]] * 6)
    message = message_of(lambda: compare(ratings, judges_of(a=["yes"] * 6, b=["no"] * 6), metric=metric))
    assert message == (
        f"--metric {metric} needs numbers, but the labels are no, yes, on a nominal scale: choose wins, emd, accuracy "
        "or cross-entropy, or give their order with --labels or --scale."
    )


def test_response_sets_have_no_number():
    ratings = ratings_of([["1|2", "2"]] * 6)
    judges = judges_of(a=["1"] * 6, b=["2"] * 6)
    assert "response sets among them" in message_of(lambda: compare(ratings, judges, metric="mae"))
    assert compare(ratings, judges, metric="accuracy").pairs[0].score_b == 0.5


def test_a_judge_that_gives_words_for_numbers_is_refused():
    judges = judges_of(a=["good"] * 8, b=NEAR)
    assert message_of(lambda: compare(RATINGS, judges, metric="mae")) == (
        "--metric mae needs numbers, but a gave other labels, such as 'good'. Drop these answers, or choose --metric "
        "accuracy."
    )
    result = compare(RATINGS, judges, metric="accuracy")
    assert result.pairs[0].score_a == 0
    assert "Judges used labels that no rater used, so they can never be right there: good." in result.warnings


def test_answers_between_labels_count_as_the_nearest():
    result = compare(RATINGS, judges_of(a=[value + 0.2 for value in NEAR], b=NEAR), metric="accuracy")
    assert result.pairs[0].difference == 0
    assert "a has answers that no rater gave: each counts as the nearest label of the raters." in result.warnings


def test_a_result_offers_rows_and_a_frame():
    result = compare(RATINGS, JUDGES)
    assert isinstance(result, CompareResult)
    assert len(result.rows()) == len(result.to_frame()) == 3


def test_the_same_answer_more_often_is_no_difference():
    # The mean of ten times 0.1 and that of three times 0.1 differ in the last digit, on every item.
    people = [[round(0.1 * (i % 9), 1), 0.7] for i in range(12)]
    judges = judges_of(a=[[0.1] * 3] * 12, b=[[0.1] * 10] * 12)
    for metric in ("wins", "mae", "rmse", "emd", "emd-binned"):
        result = compare(ratings_of(people), judges, a="a", b="b", metric=metric, raters="fixed")
        pair = result.pairs[0]
        assert (pair.difference, pair.p_value, pair.low, pair.high) == (0, 1, 0, 0), metric
        assert result.warnings[0].startswith("p is 1: ")


def test_ties_of_large_numbers_are_ties():
    own = [123456.7, 123450.1, 123459.3]
    people = [[123445.1 + i, 123452.3, 123467.9] for i in range(12)]
    result = compare(ratings_of(people), judges_of(a=[own] * 12, b=[own * 3] * 12), metric="wins")
    assert (result.pairs[0].score_a, result.pairs[0].p_value) == (0.5, 1)


def test_small_numbers_are_told_apart():
    scaled = [[1e-13 * value for value in given] for given in PEOPLE]
    judges = judges_of(near=[1e-13 * v for v in NEAR], far=[1e-13 * v for v in FAR])
    assert compare(ratings_of(scaled), judges, a="near", b="far", metric="wins").pairs[0].score_a == 1


def test_judges_that_score_the_same_need_not_have_p_one_where_responses_are_drawn():
    # A says 1 and 3, B always 2, raters 1, 2 and 3: both have mean 2. Redrawn, A's mean strays and B's does not.
    ratings = ratings_of([[1, 2, 3]] * 20)
    judges = judges_of(a=[[1, 3]] * 20, b=[[2, 2]] * 20)
    result = compare(ratings, judges, a="a", b="b", metric="mae", test="mixture", resamples=200)
    assert result.pairs[0].p_value < 1
    assert "a and b score the same on every item, so there is no difference to test." in result.warnings
    assert not any("p is 1" in warning for warning in result.warnings)


def test_a_mixture_of_few_test_sets_finds_nothing():
    ratings, judges = simulated()
    pair = compare(ratings, judges, a="good", b="poor", metric="mae", test="mixture", resamples=3).pairs[0]
    assert pair.p_value >= 1 / 4  # no more than three test sets can tell
    assert pair.better == "neither"


def test_too_few_resamples_for_the_pairs_are_said():
    ratings, judges = simulated()
    few = compare(ratings, judges, metric="mae", resamples=50, margin=0.1, bootstrap=30, raters="fixed")
    # Holm triples the smallest p, 1/51 or 1/31; .05 needs 3/(n + 1) <= .05.
    assert few.warnings == tuple(
        f"{too_few} no p can be below {least}, so no difference can be found. Give at least 60."
        for too_few, least in (
            ("resamples= 50 is too few for 3 pairs:", "0.059"),
            ("bootstrap= 30 is too few for 3 pairs:", "0.097"),
        )
    )
    enough = compare(ratings, judges, metric="mae", resamples=60, margin=0.1, bootstrap=60, raters="fixed")
    assert not enough.warnings


def test_a_test_of_distributions_without_intervals_says_that_it_names_nobody():
    ratings, judges = simulated()
    result = compare(ratings, judges, test="response-permutation", resamples=200, bootstrap=0)
    assert any("Without intervals (bootstrap= 0) no judge is called better" in w for w in result.warnings)


def test_one_answer_beyond_all_bounds_leaves_the_other_ranks():
    perplexity = [3.1, 5.2, 8.7, 3.4, 1.2, 6.9, 5.8, 1e15]
    pair = compare(RATINGS, judges_of(a=perplexity, b=NEAR), a="a", b="b", metric="spearman").pairs[0]
    assert pair.score_a == pytest.approx(stats.spearmanr(perplexity, [np.mean(given) for given in PEOPLE]).statistic)


def test_a_judge_turned_the_wrong_way_is_not_turned_again():
    result = compare(RATINGS, judges_of(near=NEAR, far=FAR), metric="spearman", reverse="near")
    assert "near: higher answers go with higher labels. Check whether reverse= near is needed." in result.warnings


def test_few_ratings_do_not_put_a_judge_on_another_scale():
    # Normal responses around the same means: 20 ratings span less than 200 answers do.
    for seed in range(5):
        made = simulate_responses(items=20, raters=1, rng=seed)
        assert compare(made.ratings, made.judges, metric="mae", bootstrap=0, resamples=20).pairs


def test_a_label_of_its_own_for_every_item_takes_no_table_of_all_labels():
    n = 10_000  # a table of items by labels would take 2 x 0.8 GB
    frame = pd.DataFrame({"item": np.arange(n), "rater": "r", "label": np.arange(n) % 7})
    values = np.arange(2 * n) * 6.0 / (2 * n)
    answers = pd.DataFrame({"item": np.tile(np.arange(n), 2), "judge": np.repeat(["a", "b"], n), "label": values})
    ratings, judges = read(frame, repeats="keep"), read_judges(answers)
    tracemalloc.start()
    compare(ratings, judges, metric="mae", bootstrap=0, resamples=1)
    compare(ratings, judges, metric="accuracy", bootstrap=0, resamples=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5e8


def test_too_many_labels_for_memory_are_refused():
    n = 1_000
    frame = pd.DataFrame({"item": np.arange(n).repeat(60), "rater": np.tile(np.arange(60), n)})
    frame["label"] = np.arange(60 * n) / (60 * n)
    answers = pd.DataFrame({"item": np.tile(np.arange(n), 2), "judge": np.repeat(["a", "b"], n), "label": 0.5})
    assert message_of(lambda: compare(read(frame), read_judges(answers), metric="accuracy")) == (
        "1,000 items with up to 60 answers of 60,000 kinds would take 29 GB of memory: choose a metric of mean "
        "answers such as mae, or compare on fewer items."
    )
