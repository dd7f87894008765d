"""Chances that the better of two classifiers loses, ties and wins."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.errors import OptionError
from dissensus.methods.plan_labels.needed import log_cramer, log_hoeffding
from dissensus.methods.plan_labels.votes import (
    Steps,
    correlated_steps,
    independent_steps,
    majority_accuracy,
    plurality_accuracy,
    plurality_steps,
    two_plus_one,
)
from dissensus.methods.plan_labels.walk import log_chances

from labels_reference import (
    chances_by_fractions,
    log_chances_by_contour,
    log_chances_by_number_of_steps,
    log_of_fraction,
)


def relative_error(log_ours, log_exact):
    """Of the chance itself, not of its logarithm."""
    if mpmath.isinf(log_exact):
        return 0.0 if np.isneginf(log_ours) else np.inf
    with mpmath.workdps(40):
        return abs(float(mpmath.expm1(mpmath.mpf(float(log_ours)) - log_exact)))


@st.composite
def fractions_of_one(draw):
    """x and y that floats hold exactly."""
    whole = draw(st.sampled_from([2, 8, 64, 1024, 2**20]))
    up = draw(st.integers(0, whole))
    return Fraction(up, whole), Fraction(draw(st.integers(0, whole - up)), whole)


@st.composite
def any_steps(draw):
    """x and y of every size: tiny ones, nearly equal ones, and some that leave nothing for z."""
    x = draw(st.one_of(st.floats(0, 1), st.floats(-300, 0).map(lambda power: 10.0**power)))
    share = draw(st.one_of(st.floats(0, 1), st.floats(-18, 0).map(lambda power: 1 - 10.0**power), st.just(1.0)))
    return x, min(1 - x, draw(st.sampled_from([x, 1 - x])) * share)


# Exactness.


@settings(max_examples=150, deadline=None)
@given(fractions_of_one(), st.integers(1, 200))
def test_chances_equal_the_fractions_they_are_for_up_to_200_items(steps, items):
    exact = [log_of_fraction(chance) for chance in chances_by_fractions(*steps, items)]
    ours = log_chances(*map(float, steps), items)
    for log_ours, log_exact in zip((ours.lose, ours.tie, ours.win), exact, strict=True):
        # 1e-13 down to exp(-49); below, the logarithm itself is rounded in so many units.
        assert relative_error(log_ours, log_exact) <= 2e-15 * (1 + abs(float(max(log_ours, -1e300))))


@pytest.mark.parametrize("items", [64, 65, 66, 127, 128, 129, 200])
@pytest.mark.parametrize(
    "steps",
    [(0.001, 0.0005), (0.5, 0.5), (0.75, 0.25), (0.5, 0.25), (0.25, 0.25), (0.34, 0.33), (0.9, 0.001), (0.6, 0.4)],
)
def test_chances_are_exact_to_13_digits_where_one_way_of_computing_gives_way_to_another(steps, items):
    x, y = (Fraction(str(step)) for step in steps)
    ours = log_chances(*steps, items)
    exact = [log_of_fraction(chance) for chance in chances_by_fractions(x, y, items)]
    for log_ours, log_exact in zip((ours.lose, ours.tie, ours.win), exact, strict=True):
        assert relative_error(log_ours, log_exact) <= (1e-13 if log_exact > -100 else 1e-15 * abs(float(log_exact)))


DIFFICULT = [
    (0.1875, 0.1375),
    (0.6, 0.3999),
    (0.6, 0.4 - 1e-7),
    (0.3, 0.3 - 1e-9),
    (0.4, 0.02),
    (0.7, 1e-6),
    (1e-3, 5e-4),
    (1e-5, 1e-8),
    (1e-9, 1e-10),
    (0.999, 1e-4),
]


@pytest.mark.parametrize(("x", "y"), DIFFICULT)
@pytest.mark.parametrize("items", [1000, 1001])
def test_chances_agree_with_mpmath_at_1000_items(x, y, items):
    lose, tie = log_chances_by_number_of_steps(x, y, items)
    ours = log_chances(x, y, items)
    assert relative_error(ours.lose, lose) < 1e-11
    assert relative_error(ours.tie, tie) < 1e-11
    assert relative_error(ours.lose_or_tie, mpmath.log(mpmath.exp(lose) + mpmath.exp(tie))) < 1e-11


@pytest.mark.parametrize(("x", "y"), [(0.1875, 0.1375), (0.6, 0.4 - 1e-5), (0.4, 0.02), (1e-3, 5e-4), (1e-5, 1e-8)])
def test_chances_agree_with_mpmath_at_100000_items(x, y):
    lose, tie = log_chances_by_number_of_steps(x, y, 100_000)
    ours = log_chances(x, y, 100_000)
    assert relative_error(ours.lose, lose) < 1e-10
    assert relative_error(ours.tie, tie) < 1e-10
    assert relative_error(ours.lose_or_tie, lose + mpmath.log1p(mpmath.exp(tie - lose))) < 1e-10


def test_a_chance_of_less_than_10_to_the_minus_10000_keeps_ten_digits():
    lose, tie = log_chances_by_number_of_steps(0.4, 0.02, 100_000)
    assert lose / mpmath.log(10) < -10_000
    ours = log_chances(0.4, 0.02, 100_000)
    assert max(relative_error(ours.lose, lose), relative_error(ours.tie, tie)) < 1e-10


@pytest.mark.parametrize(
    ("x", "y"),
    [(0.1875, 0.1875 - 1e-5), (0.3, 0.3 - 1e-4), (0.25, 0.25 - 1e-9), (1e-6, 9e-7), (0.3, 0.298), (0.5, 0.49)],
)
def test_chances_agree_with_a_contour_integral_at_a_billion_items(x, y):
    lose, tie = log_chances_by_contour(x, y, 10**9)
    ours = log_chances(x, y, 10**9)
    assert relative_error(ours.lose, lose) < 1e-10
    assert relative_error(ours.tie, tie) < 1e-10


def test_the_two_mpmath_twins_agree():
    for one, other in zip(
        log_chances_by_number_of_steps(0.1875, 0.1375, 3000),
        log_chances_by_contour(0.1875, 0.1375, 3000),
        strict=True,
    ):
        assert relative_error(float(one), other) < 1e-14


# What holds for all of them.


@settings(max_examples=300, deadline=None)
@given(any_steps(), st.one_of(st.integers(1, 300), st.integers(1, 10**9)))
def test_chances_add_up_to_one_and_none_exceeds_it(steps, items):
    chances = log_chances(*steps, items)
    logs = np.array([chances.lose, chances.tie, chances.win, chances.lose_or_tie])
    assert np.all(logs <= 0)
    assert abs(np.exp(logs[:3]).sum() - 1) < 1e-12


@settings(max_examples=100, deadline=None)
@given(any_steps(), st.integers(1, 10**6))
def test_swapping_the_classifiers_swaps_the_chances(steps, items):
    x, y = steps
    one, other = log_chances(x, y, items), log_chances(y, x, items)
    np.testing.assert_allclose([one.lose, one.tie, one.win], [other.win, other.tie, other.lose], rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("items", [1, 2, 50, 64, 65, 128, 129, 5000])
def test_without_steps_down_a_tie_is_a_power_of_z(items):
    chances = log_chances(0.2, 0.0, items)
    assert np.isneginf(chances.lose)
    assert chances.tie == pytest.approx(items * np.log(0.8), rel=1e-15)
    assert np.exp(chances.win) == pytest.approx(1 - 0.8**items, rel=1e-14)


@pytest.mark.parametrize("items", [1, 64, 65, 128, 129, 10**9])
def test_certain_steps_give_certain_ends(items):
    for x, y, end in [(1.0, 0.0, "win"), (0.0, 1.0, "lose"), (0.0, 0.0, "tie")]:
        chances = log_chances(x, y, items)
        assert {name: float(getattr(chances, name)) for name in ("lose", "tie", "win")} == {
            "lose": -np.inf,
            "tie": -np.inf,
            "win": -np.inf,
            end: 0.0,
        }


@pytest.mark.parametrize("items", [1, 127, 129, 1001, 10**9 + 1])
def test_an_odd_number_of_items_that_all_speak_leaves_no_tie(items):
    for x in (0.5, 0.7, 0.9, 1 / 3):
        assert np.isneginf(log_chances(x, 1 - x, items).tie)


@pytest.mark.parametrize("items", [1, 2, 64, 65, 66, 128, 129, 130, 10**6])
def test_equal_classifiers_lose_as_often_as_they_win(items):
    for x in (0.5, 0.3, 1e-4):
        chances = log_chances(x, x, items)
        assert abs(chances.lose - chances.win) < 1e-14
        assert np.exp(chances.lose) == pytest.approx((1 - np.exp(chances.tie)) / 2, rel=1e-12)


def test_a_batch_gives_what_its_members_give():
    rng = np.random.default_rng(1)
    x, y = np.sort(rng.dirichlet([1, 1, 1], 300)[:, :2].T, axis=0)[::-1]
    x[:20], y[:20] = 0.6, 0.4
    y[20:30] = 0
    items = rng.choice([1, 5, 64, 65, 128, 129, 1000, 10**6], 300)
    batch = log_chances(x, y, items)
    single = [log_chances(*each) for each in zip(x, y, items, strict=True)]
    for name in ("lose", "tie", "win"):
        np.testing.assert_allclose(getattr(batch, name), [getattr(each, name) for each in single], rtol=1e-13)


def test_shapes_broadcast():
    chances = log_chances(np.full((3, 1), 0.4), 0.1, np.array([1, 10, 100, 1000]))
    assert chances.lose.shape == chances.tie.shape == chances.win.shape == chances.lose_or_tie.shape == (3, 4)
    assert log_chances([], [], 5).win.shape == (0,)


@pytest.mark.parametrize(
    ("x", "y", "items", "message"),
    [
        (-0.1, 0.2, 5, "must be 0 or more"),
        (0.7, 0.4, 5, "add up to at most 1"),
        (float("nan"), 0.4, 5, "must be 0 or more"),
        (0.5, 0.4, 0, "whole numbers from 1"),
        (0.5, 0.4, 2.5, "whole numbers from 1"),
    ],
)
def test_what_is_no_chance_is_refused(x, y, items, message):
    with pytest.raises(OptionError, match=message):
        log_chances(x, y, items)


def test_unknown_worth_of_ties_is_refused():
    with pytest.raises(OptionError, match="lose, half, win"):
        log_chances(0.4, 0.3, 5).error("draw")


# What the paper prints, and what follows from its model.


def error(steps, items, ties="lose"):
    return np.exp(log_chances(steps.x, steps.y, items).error(ties))


def voted(accuracy, margin, label_accuracy, labels):
    return independent_steps(accuracy, margin, majority_accuracy(label_accuracy, labels))


@pytest.mark.parametrize(
    ("labels", "cramer", "hoeffding", "exact"),
    [(1, "16.765", ".326", "141.95"), (3, "2.004", ".163", "13.51"), (5, ".966", ".128", "5.83")],
)
def test_figure_1_testable_models(labels, cramer, hoeffding, exact):
    steps, items = voted(0.75, 0.1, 0.75, labels), 1500 // labels
    for ours, printed in [
        (0.05 / np.exp(log_cramer(steps.x, steps.y, items)), cramer),
        (0.05 / np.exp(log_hoeffding(steps.x, steps.y, items)), hoeffding),
        (0.05 / error(steps, items), exact),
    ]:
        assert f"{ours:.{len(printed.split('.')[1])}f}".lstrip("0") == printed


def test_figure_1_error_of_one_label():
    assert f"{error(voted(0.75, 0.1, 0.75, 1), 1500):.4e}" == "3.5223e-04"


@pytest.mark.parametrize(
    ("budget", "labels", "printed"),
    [
        (1500, 1, ".65237"),
        (1500, 3, ".60882"),
        (1500, 5, ".58780"),
        (1500, 11, ".55048"),
        (15000, 1, ".90392"),
        (15000, 3, ".83816"),
        (15000, 5, ".80180"),
    ],
)
def test_figure_2_chance_of_picking_the_better_classifier(budget, labels, printed):
    steps = voted(0.8, 0.01, 0.8, labels)
    assert f"{np.exp(log_chances(steps.x, steps.y, budget // labels).win):.5f}".lstrip("0") == printed


def test_figure_3a_rates_and_the_budget_at_which_they_tell_the_strategies_apart():
    steps = {labels: voted(0.7, 0.1, 0.75, labels) for labels in (1, 3)}
    rate = {labels: float(log_cramer(each.x, each.y, 1)) / labels for labels, each in steps.items()}
    assert [f"{rate[labels]:.7f}" for labels in (1, 3)] == ["-0.0033093", "-0.0020969"]
    # "as soon as the absolute gap between the Cramer rates exceeds the maximum of the approximation errors (here around
    # k = 1800)", section 4.
    budgets = np.arange(3, 3000, 3)
    off = [
        rate[labels] - log_chances(each.x, each.y, budgets // labels).lose_or_tie / budgets
        for labels, each in steps.items()
    ]
    assert int(budgets[np.argmax(np.maximum(*off) < rate[3] - rate[1])]) == 1776


def test_figure_3b_bounds_with_right_labels():
    steps = independent_steps(0.7, 0.1, 1.0)
    assert f"{log_cramer(steps.x, steps.y, 2000) / 2000:.6f}" == "-0.013484"
    assert f"{log_hoeffding(steps.x, steps.y, 2000) / 2000:.3f}" == "-0.005"
    assert f"{log_chances(steps.x, steps.y, 2000).lose_or_tie / 2000:.6f}" == "-0.014883"


def test_two_labels_for_one_item_can_beat_one_label_for_two_items():
    # q = 3/4, p_w = 1/2, p_b0 = 1, p_b1 = 1/2: A = 1/2, B = 1/4, x = 7/16, y = 5/16; two labels with a coin: q.
    assert majority_accuracy(0.75, 2) == 0.75
    steps = correlated_steps(0.5, 1.0, 0.5, 0.75, 0.75)
    assert (Fraction(float(steps.x)), Fraction(float(steps.y))) == (Fraction(7, 16), Fraction(5, 16))
    assert chances_by_fractions(Fraction(7, 16), Fraction(5, 16), 1)[2] == Fraction(7, 16)
    assert chances_by_fractions(Fraction(7, 16), Fraction(5, 16), 2)[2] == Fraction(105, 256)
    ours = np.exp(log_chances(steps.x, steps.y, [1, 2]).win)
    np.testing.assert_allclose(ours, [7 / 16, 105 / 256], rtol=1e-15)
    # Where a tie is worth half, nothing is gained.
    half = error(steps, np.array([1, 2]), "half")
    assert half[1] <= half[0] + 1e-15


def test_labelling_only_where_the_models_disagree_needs_far_fewer_labels():
    every = independent_steps(0.75, 0.1, 0.75)
    disagreement = every.x + every.y
    up = (1 + (2 * 0.75 - 1) * 0.1 / disagreement) / 2
    steps = Steps(x=up, y=1 - up)
    assert float(steps.x) == pytest.approx(float(every.x / disagreement), rel=1e-15)
    assert f"{error(steps, 1499):.1e}" == "1.0e-09"
    assert f"{error(every, 1500):.1e}" == "3.5e-04"


def test_independent_errors_are_the_correlated_case_with_equal_conditionals():
    p, eps, q = 0.7, 0.12, 0.8
    independent, correlated = independent_steps(p, eps, q), correlated_steps(p, p + eps, p + eps, q, q)
    assert float(independent.x) == pytest.approx(float(correlated.x), rel=1e-14)
    assert float(independent.y) == pytest.approx(float(correlated.y), rel=1e-14)
    assert float(independent.z) == pytest.approx(p * (p + eps) + (1 - p) * (1 - p - eps), rel=1e-14)


def test_a_classifier_that_is_always_right_never_loses_with_right_labels():
    for p, eps in [(0.9, 0.1), (0.7, 0.3), (0.8, 0.2), (0.5, 0.5)]:  # 1 - .9 - .1 is not 0 in floats
        steps = independent_steps(p, eps, 1.0)
        assert float(steps.y) == 0
        assert np.isneginf(log_chances(steps.x, steps.y, 100).lose)


def test_plurality_with_two_classes_is_the_majority():
    two = plurality_steps(0.2, 0.1, 0.0, 0.8, 2)
    plain = Steps(x=np.float64(0.8 * 0.2 + 0.2 * 0.1), y=np.float64(0.2 * 0.2 + 0.8 * 0.1))
    assert (float(two.x), float(two.y)) == (pytest.approx(float(plain.x)), pytest.approx(float(plain.y)))


def test_three_labels_win_where_both_models_are_often_wrong_in_different_ways_and_lose_elsewhere():
    # Wrong labels fall on either model's wrong answer; with many such items it pays to have fewer of them.
    def errors(both_wrong):
        return [
            error(plurality_steps(0.006, 0.004, both_wrong, plurality_accuracy(0.9, labels, 4), 4), 30_000 // labels)
            for labels in (1, 3)
        ]

    one, three = errors(0.0)
    assert one < three
    one, three = errors(0.9)
    assert three < one


accuracies = st.floats(0.5, 0.98)
label_accuracies = st.floats(0.51, 1.0)


@settings(max_examples=100, deadline=None)
@given(st.floats(0.001, 0.5), st.floats(0, 1), st.integers(1, 3000))
def test_more_items_lower_the_error_where_silence_is_as_common_as_a_word_for_the_worse(x, share, items):
    y = min(x, (1 - x) / 2) * share  # z >= y
    fewer, more = log_chances(x, y, [items, items + 1]).lose_or_tie
    assert more <= fewer + 1e-13


@settings(max_examples=100, deadline=None)
@given(accuracies, st.floats(0.001, 1), label_accuracies, st.floats(0, 1), st.integers(1, 3000))
def test_better_labels_lower_the_error(accuracy, share, label_accuracy, gain, items):
    margin = share * (1 - accuracy)
    better = label_accuracy + gain * (1 - label_accuracy)
    low, high = (independent_steps(accuracy, margin, q) for q in (label_accuracy, better))
    for ties in ("lose", "half"):
        assert error(high, items, ties) <= error(low, items, ties) * (1 + 1e-11)


@settings(max_examples=100, deadline=None)
@given(accuracies, st.floats(0.001, 1), st.floats(0, 1), label_accuracies, st.integers(1, 3000))
def test_a_larger_margin_lowers_the_error_where_ties_are_worth_half(accuracy, share, part, label_accuracy, items):
    large, small = share * (1 - accuracy), part * share * (1 - accuracy)
    wide, narrow = (independent_steps(accuracy, margin, label_accuracy) for margin in (large, small))
    assert error(wide, items, "half") <= error(narrow, items, "half") * (1 + 1e-11)


def test_a_larger_margin_can_raise_the_error_where_ties_are_lost():
    # One item, p = .9, q = .6: x = .6 eps + .9 (.1 - eps) = .09 - .3 eps falls with the margin.
    assert error(independent_steps(0.9, 0.1, 0.6), 1) > error(independent_steps(0.9, 0.01, 0.6), 1)


@settings(max_examples=150, deadline=None)
@given(
    st.floats(0.5, 0.99),
    st.floats(0.5, 1),
    st.floats(0.5, 1),
    st.floats(0.51, 1),
    st.floats(0, 1),
    st.integers(1, 1000),
)
def test_one_label_each_beats_three_where_labels_do_not_favour_the_worse_model(p, if_wrong, if_right, q_w, more, items):
    # Assumption 1 (q_b >= q_w), and the better model is better.
    if (1 - p) * if_wrong <= p * (1 - if_right):
        if_right = 1.0
    q_b = q_w + more * (1 - q_w)
    one = correlated_steps(p, if_wrong, if_right, q_b, q_w)
    three = correlated_steps(p, if_wrong, if_right, majority_accuracy(q_b, 3), majority_accuracy(q_w, 3))
    assert error(one, 3 * items) <= error(three, items) * (1 + 1e-11)


def test_a_third_label_where_two_differ_loses_to_one_label_each():
    budget = 2000
    for q in (0.6, 0.75, 0.9):
        accuracy, labels = two_plus_one(q)
        adaptive = independent_steps(0.75, 0.05, accuracy)
        one = independent_steps(0.75, 0.05, q)
        assert error(one, budget) < error(adaptive, int(budget / labels))


def test_bounds_hold_and_say_nothing_where_the_better_model_is_not_favoured():
    rng = np.random.default_rng(2)
    x, y, _ = rng.dirichlet([1, 1, 1], 500).T
    items = rng.integers(1, 2000, 500)
    exact = log_chances(x, y, items).lose_or_tie
    cramer, hoeffding = log_cramer(x, y, items), log_hoeffding(x, y, items)
    assert np.all(exact <= cramer + 1e-12)
    assert np.all(cramer <= hoeffding + 1e-12)
    assert np.all(cramer[x <= y] == 0)
    assert np.all(hoeffding[x <= y] == 0)


def test_a_chance_of_nearly_1_is_never_more():
    # Came out as 1 + 2e-16: the logarithm of the chance of winning was 2.2e-16.
    chances = log_chances([0.51917289728, 0.5176], [0.03082710271999997, 0.03239999999999999], [100, 101])
    assert (chances.win <= 0).all()
    assert np.exp(chances.win) == pytest.approx(1)


def test_walks_of_different_lengths_together_are_those_of_each_length_alone():
    rng = np.random.default_rng(0)
    w, lead = rng.random(600), rng.random(600)
    x, y, items = w * (1 + lead) / 2, w * (1 - lead) / 2, rng.integers(1, 65, 600)
    together = log_chances(x, y, items)
    for n in np.unique(items):
        own = items == n
        alone = log_chances(x[own], y[own], n)
        for name in ("lose", "tie", "win"):
            np.testing.assert_array_equal(getattr(together, name)[own], getattr(alone, name), strict=True)
