"""How often the combined label of several raters is right, and what that makes of many designs at once."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus import label_error, plan_labels
from dissensus.errors import OptionError
from dissensus.methods.plan_labels.votes import lead_by_two, majority_accuracy, plurality_accuracy, two_plus_one

from labels_reference import majority_by_counting, plurality_by_enumeration

percent = st.integers(0, 100).map(lambda hundredths: Fraction(hundredths, 100))


@given(percent, st.integers(1, 60))
def test_majority_accuracy_equals_the_count_of_right_labels(q, labels):
    coin = majority_by_counting(q, labels, tie_worth=Fraction(1, 2))
    strict = majority_by_counting(q, labels, tie_worth=Fraction(0))
    assert float(majority_accuracy(float(q), labels)) == pytest.approx(float(coin), rel=1e-13, abs=1e-15)
    assert float(majority_accuracy(float(q), labels, "strict")) == pytest.approx(float(strict), rel=1e-12, abs=1e-15)


def test_a_coin_makes_an_even_number_of_labels_worth_one_less():
    q = np.linspace(0.5, 1, 11)
    for labels in (2, 4, 10):
        np.testing.assert_array_equal(majority_accuracy(q, labels), majority_accuracy(q, labels - 1))


def test_three_labels_gain_the_factor_of_the_paper():
    # (2 M_3 - 1) / (2q - 1) = 1 + 2 q (1 - q), section 3.1
    q = np.linspace(0.55, 1, 10)
    np.testing.assert_allclose((2 * majority_accuracy(q, 3) - 1) / (2 * q - 1), 1 + 2 * q * (1 - q), rtol=1e-13)


@settings(max_examples=40, deadline=None)
@given(percent, st.integers(1, 6), st.integers(2, 4))
def test_plurality_accuracy_equals_all_ways_to_label(q, labels, classes):
    ours = float(plurality_accuracy(float(q), labels, classes))
    assert ours == pytest.approx(float(plurality_by_enumeration(q, labels, classes)), rel=1e-13, abs=1e-15)


@given(st.floats(0, 1), st.integers(1, 80))
def test_plurality_of_two_classes_is_the_majority(q, labels):
    assert float(plurality_accuracy(q, labels, 2)) == pytest.approx(float(majority_accuracy(q, labels)), abs=1e-12)


def test_plurality_of_many_labels_and_classes_agrees_with_a_simulation():
    rng = np.random.default_rng(0)
    labels, classes, q, sets = 25, 10, 0.25, 200_000
    counts = rng.multinomial(labels, [q, *([(1 - q) / (classes - 1)] * (classes - 1))], size=sets)
    is_first = counts[:, 0] == counts.max(axis=1)
    share = (is_first / (counts == counts.max(axis=1, keepdims=True)).sum(axis=1)).mean()
    # Four standard errors of a mean of values in [0, 1].
    assert abs(float(plurality_accuracy(q, labels, classes)) - share) < 4 * 0.5 / np.sqrt(sets)


def test_a_thousand_labels_overflow_nothing():
    assert float(plurality_accuracy(0.6, 1001, 3)) == pytest.approx(1.0, abs=1e-12)
    assert float(plurality_accuracy(0.5, 1001, 2)) == pytest.approx(0.5, abs=1e-11)
    assert float(majority_accuracy(0.5, 1001)) == pytest.approx(0.5, abs=1e-15)


def test_accuracies_keep_their_shape():
    q = np.full((2, 3), 0.7)
    assert majority_accuracy(q, 4, "strict").shape == plurality_accuracy(q, 4, 5).shape == (2, 3)


@pytest.mark.parametrize("q", [0.5, 0.6, 0.75, 0.9, 1.0])
def test_two_plus_one_is_right_as_often_as_three_labels_at_its_expected_cost(q):
    accuracy, labels = two_plus_one(q)
    assert float(accuracy) == pytest.approx(q * q + 2 * q * (1 - q) * q)  # both right, or split and the third right
    assert float(labels) == pytest.approx(2 * (q * q + (1 - q) ** 2) + 3 * 2 * q * (1 - q))


@pytest.mark.parametrize("q", [0.5, 0.6, 0.75, 0.9, 0.99])
def test_lead_by_two_is_the_absorbing_walk_between_minus_two_and_two(q):
    accuracy, labels = lead_by_two(q)
    # Leads of -1, 0, 1 go on; their expected numbers of visits from 0.
    onward = np.array([[0, q, 0], [1 - q, 0, q], [0, 1 - q, 0]])
    visits = np.linalg.inv(np.eye(3) - onward)[1]
    assert float(labels) == pytest.approx(visits.sum(), rel=1e-12)
    assert float(accuracy) == pytest.approx(visits[2] * q, rel=1e-12)  # from a lead of 1 to a lead of 2


def test_bad_numbers_of_labels_and_classes_are_refused():
    with pytest.raises(OptionError, match="at least 1 label"):
        majority_accuracy(0.7, 0)
    with pytest.raises(OptionError, match="at least 1 label"):
        plurality_accuracy(0.7, 0, 3)
    with pytest.raises(OptionError, match="at least 2 classes"):
        plurality_accuracy(0.7, 3, 1)
    with pytest.raises(OptionError, match="coin, strict"):
        majority_accuracy(0.7, 2, "toss")


# ---- Many designs at once


@pytest.mark.parametrize("ties", ["lose", "half", "win"])
@pytest.mark.parametrize("classes", [2, 5])
def test_errors_of_many_designs_are_those_of_their_plans(ties, classes):
    accuracy, labels = np.array([0.55, 0.8])[:, None], np.array([1, 3, 4])
    found = label_error(200, accuracy, 0.05, 0.7, labels_per_item=labels, classes=classes, ties=ties)
    assert found.shape == (2, 3)
    for (i, j), error in np.ndenumerate(found):
        plan = plan_labels(
            accuracy=float(accuracy[i, 0]), margin=0.05, label_accuracy=0.7, budget=200 * int(labels[j]),
            labels_per_item=(int(labels[j]),), classes=classes, ties=ties,
        )  # fmt: skip
        assert plan.designs[0].items == 200
        assert error == pytest.approx(plan.designs[0].error, rel=1e-12)


def test_the_error_of_a_few_items_is_counted_by_hand():
    # Of two items, labels always right: the better model alone is right on .9 * .5, the worse one alone on .1 * .5 of
    # them, so it comes out first with chance .45^2 + 2 * .45 * .5.
    assert label_error(2, 0.5, 0.4, 1.0) == pytest.approx(1 - (0.45**2 + 2 * 0.45 * 0.5))
    # Three labels that are right with chance .8 are right by majority with chance .896.
    assert label_error(7, 0.5, 0.4, 0.8, labels_per_item=3) == pytest.approx(label_error(7, 0.5, 0.4, 0.896), rel=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"accuracy": [0.5, 1.5]}, "must be from 0 to 1"),
        ({"labels_per_item": 1.5}, "give a whole number"),
        ({"labels_per_item": 0}, "labels"),
        ({"items": [10, 0]}, "items must be whole numbers from 1"),
        ({"ties": "never"}, "ties"),
    ],
)
def test_designs_that_cannot_be_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        label_error(**({"items": 10, "accuracy": 0.5, "margin": 0.1, "label_accuracy": 0.9} | options))
