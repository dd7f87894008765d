"""The alternative annotator test against hand-worked cases, a plain-Python twin and other libraries; its refusals."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from statsmodels.stats.multitest import multipletests

from dissensus import read, read_judges
from dissensus.methods.alt_test import AltTestResult, alt_test
from dissensus.methods.alt_test.p_values import (
    Tally,
    benjamini_yekutieli,
    exact_p_value,
    fair_flips,
    sign_flip_p_value,
    t_interval,
    t_p_value,
)

from comparison_builders import judges_of, ratings_of
from tables import typed_message_of as message_of

HAND = [["A", "A", "B"], ["A", "B", "B"], ["A", "A", "A"], ["B", "A", "A"]]
HAND_JUDGE = ["A", "B", "B", "A"]
ENOUGH = {"min_items": 2}


def judged(items, answers, *, labels=None, **options):
    """The judge named j against raters r0, r1, ... on lists of labels per item."""
    return alt_test(ratings_of(items, labels=labels), judges_of(j=answers), **(ENOUGH | options)).judges[0]


def jaccard(a, b):
    one, other = set(str(a).split("|")), set(str(b).split("|"))
    return len(one & other) / len(one | other)


CLOSENESS = {
    "accuracy": lambda answer, others: sum(answer == other for other in others) / len(others),
    "rmse": lambda answer, others: -math.sqrt(sum((answer - other) ** 2 for other in others) / len(others)),
    "similarity": lambda answer, others: sum(jaccard(answer, other) for other in others) / len(others),
}


def twin(items, answers, *, score, epsilon, alpha=0.05, min_raters=2, min_items=2):
    """The test as its authors write it, loop by loop, with items as {rater: label}."""
    close, raters = CLOSENESS[score], sorted({rater for labelled in items for rater in labelled})
    p_values, shares = {}, {}
    for rater in raters:
        won_f, won_h = [], []
        for labelled, answer in zip(items, answers, strict=True):
            if rater not in labelled or len(labelled) < min_raters or answer is None:
                continue
            others = [label for other, label in labelled.items() if other != rater]
            judge_score, rater_score = close(answer, others), close(labelled[rater], others)
            is_same = math.isclose(judge_score, rater_score, abs_tol=1e-9)
            won_f.append(judge_score > rater_score or is_same)
            won_h.append(rater_score > judge_score or is_same)
        if len(won_f) >= min_items:
            d = [int(h) - int(f) for f, h in zip(won_f, won_h, strict=True)]
            p_values[rater], shares[rater] = flips_twin(d, epsilon), sum(won_f) / len(won_f)
    harmonic = sum(1 / k for k in range(1, len(p_values) + 1))
    ordered = sorted(p_values.values())
    passing = [k for k, p in enumerate(ordered, 1) if p <= k / len(ordered) * alpha / harmonic]
    won = max(passing, default=0)
    return won / len(p_values), sum(shares.values()) / len(shares), p_values


def flips_twin(d, epsilon):
    """Every way to flip the signs of d - epsilon."""
    gaps = [value - epsilon for value in d]
    sums = [sum(s * g for s, g in zip(signs, gaps, strict=True)) for signs in itertools.product((-1, 1), repeat=len(d))]
    return sum(total <= sum(gaps) + 1e-9 for total in sums) / len(sums)


def test_three_raters_and_four_items_by_hand():
    # r0: others of item 1 are A, B: judge A and r0 A have 1 each, alike. Item 2, B B: judge 2, r0 0. Item 3, A A: judge
    # 0, r0 2. Item 4, A A: judge 2, r0 0. So W_f = 3/4, W_h = 2/4. r1: alike but for item 3: 3/4 and 1. r2: item 1
    # judge closer, item 3 r2 closer: 3/4 and 3/4.
    judge = judged(HAND, HAND_JUDGE)
    assert [(r.judge_at_least_as_close, r.rater_at_least_as_close) for r in judge.raters] == [
        (0.75, 0.5),
        (0.75, 1.0),
        (0.75, 0.75),
    ]
    assert [r.difference for r in judge.raters] == [-0.25, 0.25, 0.0]
    assert judge.advantage == 0.75
    assert [r.p_value for r in judge.raters] == pytest.approx(
        [flips_twin(d, 0.1) for d in ([0, -1, 1, -1], [0, 0, 1, 0], [-1, 0, 1, 0])]
    )
    assert (judge.winning_rate, judge.replaces) == (0.0, False)


def test_numbers_are_compared_by_their_distance_to_the_others():
    # 1, 2, 4 and a judge of 2: to 2 and 4, 2 is sqrt(2) off and 1 sqrt(5); to 1 and 4 judge and rater are the same; to
    # 1 and 2 the judge is sqrt(.5) off and 4 sqrt(6.5).
    judge = judged([[1, 2, 4]] * 2, [2, 2], score="rmse")
    assert [r.difference for r in judge.raters] == [-1, 0, -1]


def test_response_sets_are_compared_by_jaccard():
    # Judge a. r0 a|b against a, b: judge (1 + 0)/2, r0 (1/2 + 1/2)/2: alike. r1 a against a|b, b: the judge's own
    # answer: alike. r2 b against a|b, a: judge (1/2 + 1)/2 = 3/4, r2 (1/2 + 0)/2: judge closer.
    judge = judged([["a|b", "a", "b"]] * 2, ["a", "a"], score="similarity")
    assert [r.difference for r in judge.raters] == [0, 0, -1]


def test_samples_of_a_judge_count_as_the_score_says():
    # Most frequent 1; mean 2; shares 2/3 of 1 and 1/3 of 4. Raters say 1, 3, 3, 3.
    items, samples, steps = [[1, 3, 3, 3]] * 2, [[1, 1, 4]] * 2, ["1", "2", "3", "4"]
    accuracy, rmse, similarity = (
        [r.difference for r in judged(items, samples, score=score, labels=steps).raters] for score in CLOSENESS
    )
    # r0: nobody else said 1. The others: of 1, 3, 3 one said the judge's 1, two said 3.
    assert accuracy == [0, 1, 1, 1]
    # r0: 2 is nearer to 3 than 1 is. The others: 1, 3, 3 have the mean 7/3, to which 2 is nearer than 3.
    assert rmse == [-1, -1, -1, -1]
    # r0: neither is like 3. The others: the judge is 2/3 like the 1, they are like both 3.
    assert similarity == [0, 1, 1, 1]


def test_on_an_ordinal_scale_a_mean_is_rounded_to_a_label_as_a_rater_would_have_to():
    # Mean 2.6 is 3 of 1, 2, 3: as close to 3, 3 as a rater who says 3.
    judge = judged([[3, 3, 3], [1, 2, 3]], [[3, 3, 3, 2, 2], 1], score="rmse")
    assert judge.raters[2].difference == -0.5  # alike on the first; on the second 1 is nearer to 1 and 2 than 3 is
    between = judged([[3.5] * 3, [4.5] * 3], [[3.5, 3.4], [4.5, 4.4]], score="rmse")
    assert [r.difference for r in between.raters] == [1, 1, 1]  # on an interval scale 3.45 stays 3.45


ANSWERS = {
    "accuracy": st.sampled_from(["x", "y", "z"]),
    "rmse": st.integers(1, 5),
    "similarity": st.sampled_from(["x", "y", "x|y", "y|z", "x|y|z"]),
}


@settings(max_examples=40, deadline=None)
@given(st.data())
@pytest.mark.parametrize("score", ANSWERS)
def test_it_equals_its_definition_loop_by_loop(score, data):
    answer = ANSWERS[score]
    ratings = st.dictionaries(st.sampled_from(["ann", "bob", "cid", "dee"]), answer, min_size=1, max_size=4)
    items = data.draw(st.lists(ratings, min_size=4, max_size=9))
    items += [{"ann": first, "bob": second} for first, second in data.draw(st.tuples(*[st.tuples(answer, answer)] * 3))]
    answers = [data.draw(answer) for _ in items]
    epsilon = data.draw(st.sampled_from([0.0, 0.1, 0.25]))
    rows = [(f"i{i:02}", r, label) for i, labelled in enumerate(items) for r, label in labelled.items()]
    frame = pd.DataFrame(rows, columns=["item", "rater", "label"])
    judges = pd.DataFrame({"item": [f"i{i:02}" for i in range(len(items))], "judge": "j", "label": answers})
    order = ["1", "2", "3", "4", "5"] if score == "rmse" else ["x", "y", "z"]
    scale = "ordinal" if score == "rmse" else "nominal"
    found = alt_test(
        read(frame, labels=order, scale=scale), read_judges(judges), score=score, epsilon=epsilon, min_items=3
    ).judges[0]
    winning_rate, advantage, p_values = twin(items, answers, score=score, epsilon=epsilon, min_items=3)
    assert {r.rater: r.p_value for r in found.raters} == pytest.approx(p_values)
    assert (found.winning_rate, found.advantage) == pytest.approx((winning_rate, advantage))


tallies = st.builds(
    Tally, judge_closer=st.integers(0, 30), alike=st.integers(0, 30), rater_closer=st.integers(0, 30)
).filter(lambda tally: tally.items >= 2)


@given(tallies, st.sampled_from([0.0, 0.1, 0.2]))
def test_t_is_that_of_scipy(tally, epsilon):
    d = [-1] * tally.judge_closer + [0] * tally.alike + [1] * tally.rater_closer
    if len(set(d)) == 1:
        assert t_p_value(tally, epsilon) == sign_flip_p_value(tally, epsilon)
        assert all(map(math.isnan, t_interval(tally, 0.05)))
        return
    test = stats.ttest_1samp(d, epsilon, alternative="less")
    assert t_p_value(tally, epsilon) == pytest.approx(test.pvalue)
    assert t_interval(tally, 0.05)[1] == pytest.approx(test.confidence_interval(0.95).high)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("sizes", [(3, 0, 0), (0, 5, 0), (2, 3, 4), (4, 6, 1), (0, 0, 3), (5, 0, 5)])
def test_sign_flips_are_counted_as_if_one_by_one(sizes, epsilon):
    tally = Tally(judge_closer=sizes[0], alike=sizes[1], rater_closer=sizes[2])
    d = [-1] * sizes[0] + [0] * sizes[1] + [1] * sizes[2]
    assert sign_flip_p_value(tally, epsilon) == pytest.approx(flips_twin(d, epsilon))


@pytest.mark.parametrize("times", [0, 1, 2, 7, 30, 1999, 20_000])
def test_chances_of_heads_are_scipys_whatever_the_number_of_tosses(times):
    heads = np.arange(times + 1)
    assert fair_flips(times) == pytest.approx(stats.binom.pmf(heads, times, 0.5), rel=1e-9, abs=1e-300)
    for some in {0, 1, times // 2, times} if times < 2000 else {times // 2}:
        if 0 <= some <= times:
            assert fair_flips(times)[some] == pytest.approx(math.comb(times, some) / 2**times, rel=1e-11, abs=1e-320)


def test_sign_flips_of_thousands_of_items_are_the_normal_ones_and_of_more_are_refused():
    # Flipped sums are normal with the root of the sum of squares as their spread.
    tally, epsilon = Tally(judge_closer=1500, alike=4000, rater_closer=1400), 0.02
    total = tally.items * (tally.mean - epsilon)
    spread = math.sqrt(1500 * (1 + epsilon) ** 2 + 4000 * epsilon**2 + 1400 * (1 - epsilon) ** 2)
    assert sign_flip_p_value(tally, epsilon) == pytest.approx(stats.norm.cdf(total / spread), rel=0.01)
    n = 2100
    ratings = ratings_of([["b", "a", "a"]] * n + [["a", "a", "a"]] * n)
    said = message_of(lambda: alt_test(ratings, judges_of(j=["a"] * n + ["b"] * n), test="sign-flip"))
    assert said.startswith("--test sign-flip cannot count the flips of 2,100 items on which the judge is closer")


def test_a_judge_that_never_differs_wins_with_the_chance_of_as_many_tosses():
    assert sign_flip_p_value(Tally(judge_closer=0, alike=12, rater_closer=0), 0.1) == 2**-12


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_the_correction_is_that_of_statsmodels(p_values):
    assert benjamini_yekutieli(p_values) == pytest.approx(multipletests(p_values, method="fdr_by")[1])


def exact_twin(tally, epsilon):
    """Largest chance, over a finer grid, of outcomes with a score as low, one outcome after the other."""
    n, steps = tally.items, np.linspace(0, (1 - epsilon) / 2, 301)

    def score(judge, rater):
        def surprise(p):
            return -(xlogy(judge, p) + xlogy(rater, p + epsilon) + xlogy(n - judge - rater, 1 - 2 * p - epsilon))

        best = minimize_scalar(surprise, bounds=(0, (1 - epsilon) / 2), method="bounded", options={"xatol": 1e-12})
        return ((rater - judge) / n - epsilon) / math.sqrt(2 * best.x + epsilon - epsilon**2)

    found = score(tally.judge_closer, tally.rater_closer)
    cells = [(j, r) for j in range(n + 1) for r in range(n + 1 - j)]
    low = [(j, r) for j, r in cells if score(j, r) <= found + 1e-5]
    return max(
        sum(stats.multinomial.pmf([j, r, n - j - r], n, [p, p + epsilon, max(0, 1 - 2 * p - epsilon)]) for j, r in low)
        for p in steps
    )


@pytest.mark.parametrize("sizes", [(0, 10, 0), (1, 8, 1), (4, 3, 2), (6, 2, 0)])
def test_the_exact_test_takes_the_worst_case(sizes):
    tally = Tally(judge_closer=sizes[0], alike=sizes[1], rater_closer=sizes[2])
    assert exact_p_value(tally, 0.1) == pytest.approx(exact_twin(tally, 0.1), abs=2e-4)


def test_auto_takes_t_from_thirty_items_on():
    items, answers = HAND * 8, HAND_JUDGE * 8
    assert {r.test for r in judged(items, answers).raters} == {"t"}
    assert {r.test for r in judged(items[:29], answers[:29]).raters} == {"sign-flip"}
    assert {r.test for r in judged(items[:29], answers[:29], test="t").raters} == {"t"}


def test_items_with_one_rating_and_raters_with_few_items_are_dropped_and_counted():
    items = [*HAND * 8, ["A"], ["B"]]
    rows = [(f"i{i:03}", f"r{r}", label) for i, labelled in enumerate(items) for r, label in enumerate(labelled)]
    rows += [(f"i{i:03}", late, "A") for i in (1, 5, 9, 13, 17) for late in ("late", "later")]
    ratings = read(pd.DataFrame(rows, columns=["item", "rater", "label"]))
    result = alt_test(ratings, judges_of(j=[*HAND_JUDGE * 8, "A", "A"]))
    found = {r.rater: r for r in result.judges[0].raters}
    assert list(found) == ["r0", "r1", "r2"]
    dropped = [{"judge": "j", "rater": rater, "items": 5} for rater in ("late", "later")]
    assert result.as_dict()["dropped"] == {"items": 2, "raters": dropped}
    few = "Left out 2 raters with fewer than 30 items: late, later; they still count as other raters."
    assert few in result.warnings
    # They still are others: on five of the items A, B, B two more say A, so that r0's A is as close as the judge's B.
    assert (found["r0"].items, found["r0"].difference) == (32, pytest.approx((-8 + 5) / 32))


def test_a_constant_answer_is_the_baseline():
    result = alt_test(ratings_of([["no"] * 3] * 40), judges_of(j=["no"] * 40))
    assert (result.baseline.judge, result.baseline.replaces, result.baseline.advantage) == ("no", True, 1.0)
    assert result.judges[0].advantage == 1.0


def test_json_has_the_keys_of_the_design():
    result = alt_test(ratings_of(HAND * 8), judges_of(a=HAND_JUDGE * 8, b=["A"] * 32))
    content = json.loads(result.to_json())
    assert content["command"] == "alt-test"
    assert content["result"].keys() == {"judges", "baseline", "dropped"}
    judge = content["result"]["judges"][0]
    more = {"beats_constant", "winning_rate_low", "winning_rate_high"}
    assert judge.keys() == {"judge", "winning_rate", "advantage", "replaces", "raters"} | more
    named = {"rater", "items", "p_value", "rejected", "judge_at_least_as_close", "rater_at_least_as_close"}
    assert named <= judge["raters"][0].keys()
    assert (
        content["settings"] | {"epsilon": 0.1, "score": "accuracy", "min_raters": 2, "min_items": 30}
        == (content["settings"])
    )
    assert len(result.rows()) == 6
    assert content["settings"]["raters"] == "sampled"


def test_the_winning_rate_has_an_interval_for_raters_like_these():
    data = ratings_of(HAND * 8), judges_of(a=HAND_JUDGE * 8)
    (judge,), (fixed,) = (alt_test(*data, raters=how).judges for how in (None, "fixed"))
    exact = stats.binomtest(judge.won, 3).proportion_ci(0.95, method="exact")
    assert (judge.winning_rate_low, judge.winning_rate_high) == pytest.approx((exact.low, exact.high))
    assert math.isnan(fixed.winning_rate_low)
    assert judge.winning_rate == fixed.winning_rate


def test_a_constant_judge_does_not_beat_the_constant_and_is_not_recommended():
    # Two of three raters say A of every item: always answering A wins, and so does a judge that does so.
    ratings = ratings_of([["A", "A", "B"]] * 40)
    result = alt_test(ratings, judges_of(still=["A"] * 40))
    assert (result.judges[0].replaces, result.judges[0].beats_constant) == (True, False)
    said = " ".join(result.summary().split())
    assert "still is not shown to replace a rater: still beats 3 of 3 raters, and always answering A beats 3" in said


def test_the_order_of_rows_and_the_names_of_labels_change_nothing():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        [(f"i{i}", f"r{r}", rng.choice(["u", "v", "w"])) for i in range(40) for r in range(4)],
        columns=["item", "rater", "label"],
    )
    judges = pd.DataFrame({"item": [f"i{i}" for i in range(40)], "judge": "j", "label": rng.choice(["u", "v"], 40)})
    one = alt_test(read(frame), read_judges(judges)).judges
    mixed = alt_test(read(frame.sample(frac=1, random_state=1)), read_judges(judges.sample(frac=1, random_state=2)))
    renamed = {"u": "zz", "v": "b", "w": "c"}
    other = alt_test(read(frame.replace(renamed)), read_judges(judges.replace(renamed)))
    assert one == mixed.judges == other.judges


def test_probabilities_count_by_the_most_likely_label():
    frame = pd.DataFrame(
        [(f"i{i:03}", "j", p, 1 - p) for i, p in enumerate([0.9, 0.2, 0.4, 0.6])],
        columns=["item", "judge", "p_A", "p_B"],
    )
    found = alt_test(ratings_of(HAND), read_judges(frame), min_items=2).judges[0]
    assert found.raters == judged(HAND, ["A", "B", "B", "A"]).raters


def test_ties_of_a_judges_labels_are_told():
    result = alt_test(ratings_of(HAND), judges_of(j=[["A", "B"], "B", "B", "A"]), min_items=2)
    assert "Took the first of several labels that a judge gave equally often: j on 1 item." in result.warnings


def test_forced_choices_and_response_sets_are_not_mixed():
    rows = [(f"i{i}", f"f{r}", "a", "forced_choice") for i in range(3) for r in range(3)]
    rows += [(f"i{i}", f"s{r}", "a|b", "response_set") for i in range(3) for r in range(2)]
    ratings = read(pd.DataFrame(rows, columns=["item", "rater", "label", "elicitation"]))
    judges = read_judges(pd.DataFrame({"item": ["i0", "i1", "i2"], "judge": "j", "label": "a|b"}))
    sets = alt_test(ratings, judges, score="similarity", min_items=2)
    assert [r.rater for r in sets.judges[0].raters] == ["s0", "s1"]
    assert sets.judges[0].advantage == 1
    choices = alt_test(ratings, judges, min_items=2)
    assert [r.rater for r in choices.judges[0].raters] == ["f0", "f1", "f2"]
    assert "Only the 9 forced choices count here" in " ".join(choices.warnings)


def test_a_judge_that_answered_nothing_of_the_kind_compared_is_refused_by_name():
    rows = [(f"i{i}", f"f{r}", "a", "forced_choice") for i in range(3) for r in range(3)]
    rows += [(f"i{i}", f"s{r}", "a|b", "response_set") for i in range(2, 5) for r in range(2)]
    ratings = read(pd.DataFrame(rows, columns=["item", "rater", "label", "elicitation"]))
    answers = [(f"i{i}", "j", "a", "forced_choice") for i in range(5)]
    other_kind = [(f"i{i}", "k", "a|b", "response_set") for i in range(5)]
    columns = ["item", "judge", "label", "elicitation"]
    judges = read_judges(pd.DataFrame([*answers, *other_kind], columns=columns))
    assert message_of(lambda: alt_test(ratings, judges, min_items=2)) == (
        "--score accuracy compares forced choices, and k gave none to the items that people rated this way: name the "
        "judges to test with --judge, or choose another score."
    )
    assert alt_test(ratings, judges, judge="j", min_items=2).judges[0].judge == "j"
    elsewhere = [(item, "k", label, kind) for item, _, label, kind in answers if item in {"i3", "i4"}]
    judges = read_judges(pd.DataFrame([*answers, *elsewhere], columns=columns))
    assert "The judge k answered none of the rated items" in message_of(lambda: alt_test(ratings, judges, min_items=2))


def test_a_judge_without_enough_items_has_no_winning_rate():
    result = alt_test(ratings_of(HAND * 8), judges_of(a=HAND_JUDGE * 8, b=[*["A"] * 5, *[None] * 27]))
    assert [judge.judge for judge in result.judges] == ["a", "b"]
    assert math.isnan(result.judges[1].winning_rate)
    assert result.judges[1].replaces is None
    assert json.loads(result.to_json())["result"]["judges"][1]["winning_rate"] is None
    assert any(text.startswith("b cannot be tested: no rater shares") for text in result.warnings)
    few = "Left out for b 3 raters with fewer than 30 items: r0, r1, r2; they still count as other raters."
    assert few in result.warnings  # and none of them for a


def test_few_items_that_differ_are_warned_about_unless_the_test_is_exact():
    items, answers = [["A", "A", "A"]] * 40, ["A"] * 40
    said = "Judge and rater differ on fewer than 10 items of r0, r1, r2"
    ratings, judges = ratings_of([*items, *HAND]), judges_of(j=[*answers, *HAND_JUDGE])
    assert any(said in warning for warning in alt_test(ratings, judges).warnings)
    assert not any(said in warning for warning in alt_test(ratings, judges, test="exact").warnings)


def test_two_raters_per_item_are_warned_about():
    result = alt_test(ratings_of([["A", "B"], ["B", "B"], ["A", "A"]]), judges_of(j=["A", "B", "A"]), min_items=2)
    assert any("Collect a third rating" in warning for warning in result.warnings)


def test_arguments_cannot_be_swapped():
    ratings, judges = ratings_of(HAND), judges_of(j=HAND_JUDGE)
    assert message_of(lambda: alt_test(judges, ratings)) == (
        "These are judges' answers, where people's ratings are needed: give the ratings first."
    )
    with pytest.raises(TypeError, match="positional"):
        alt_test(ratings, judges, "j")


def test_anonymous_raters_are_refused():
    counted = read(pd.DataFrame([("i1", "A", 2), ("i1", "B", 1)], columns=["item", "label", "count"]))
    assert message_of(lambda: alt_test(counted, judges_of(j=["A"]))) == (
        "The alternative annotator test leaves out one rater after the other, but these ratings do not say who gave "
        "them: name the column of raters with --rater, or ask `dissensus equivalence` instead."
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"score": "f1"}, "--score cannot be 'f1': choose one of accuracy, rmse, similarity."),
        ({"test": "z"}, "--test cannot be 'z': choose one of auto, t, sign-flip, exact."),
        ({"epsilon": 1}, "--epsilon cannot be 1: it is a share from 0 to below 1"),
        ({"alpha": 0}, "--alpha cannot be 0"),
        ({"min_raters": 1}, "--min-raters cannot be 1"),
        ({"min_items": 1}, "--min-items cannot be 1"),
        ({"judge": "k"}, "There is no judge 'k': the judges are j."),
        ({"judge": ()}, "No judge was named"),
        ({"score": "rmse"}, "--score rmse needs numbers, but the labels are A, B, on a nominal scale"),
        ({"min_items": 5}, "No rater has 5 items that 2 raters and a judge labelled; the most are 4."),
    ],
)
def test_what_cannot_be_asked_is_refused(options, said):
    assert message_of(lambda: judged(HAND, HAND_JUDGE, **options)).startswith(said)


def test_a_judge_on_another_scale_is_refused_for_rmse():
    items = [[1, 2, 3], [3, 4, 5]] * 3
    assert "is on another scale" in message_of(lambda: judged(items, [20, 50] * 3, score="rmse"))
    assert judged(items, [20, 50] * 3, score="rmse", same_scale=True).raters


def test_a_rater_who_rated_an_item_twice_is_refused():
    frame = pd.DataFrame([("i", "r", "A"), ("i", "r", "B"), ("i", "s", "B")], columns=["item", "rater", "label"])
    said = message_of(lambda: alt_test(read(frame, repeats="keep"), judges_of(j=["A"] * 1)))
    assert "i000" in said or said.startswith("r rated the item i more than once")


def test_the_exact_test_is_for_few_items():
    items = [["A", "B", "B"]] * 301
    assert "takes up to 300 items" in message_of(lambda: judged(items, ["A"] * 301, test="exact"))


def test_it_is_a_result_of_its_own():
    assert isinstance(alt_test(ratings_of(HAND), judges_of(j=HAND_JUDGE), min_items=2), AltTestResult)
