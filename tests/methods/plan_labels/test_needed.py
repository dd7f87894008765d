"""The smallest number of items that keeps the error down."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.errors import OptionError
from dissensus.methods.plan_labels.needed import (
    ItemsNeeded,
    cramer_items,
    hoeffding_items,
    items_needed,
    log_cramer,
    log_hoeffding,
)
from dissensus.methods.plan_labels.votes import Steps, independent_steps, majority_accuracy
from dissensus.methods.plan_labels.walk import log_chances


def needed(steps, error, ties="lose"):
    return items_needed(float(steps.x), float(steps.y), error, ties)


@pytest.mark.parametrize(
    ("accuracy", "margin", "label_accuracy", "labels", "exact", "cramer", "hoeffding"),
    [
        (0.75, 0.1, 0.75, 1, 369, 773, 2397),
        (0.75, 0.1, 0.75, 3, 198, 406, 1268),
        (0.8, 0.01, 0.8, 1, 23762, 52253, 166430),
    ],
)
def test_items_for_an_error_of_one_in_twenty(accuracy, margin, label_accuracy, labels, exact, cramer, hoeffding):
    steps = independent_steps(accuracy, margin, majority_accuracy(label_accuracy, labels))
    assert needed(steps, 0.05) == ItemsNeeded(first=exact, safe=exact)
    assert cramer_items(steps.x, steps.y, 0.05) == cramer
    assert hoeffding_items(steps.x, steps.y, 0.05) == hoeffding


def test_labelling_only_where_models_disagree_needs_113_items_and_125_to_be_safe():
    every = independent_steps(0.75, 0.1, 0.75)
    up = (1 + (2 * 0.75 - 1) * 0.1 / (every.x + every.y)) / 2
    steps = Steps(x=up, y=1 - up)
    assert needed(steps, 0.05) == ItemsNeeded(first=113, safe=125)
    # Odd numbers leave no tie, even ones lose them.
    errors = np.exp(log_chances(steps.x, steps.y, np.arange(111, 128)).lose_or_tie)
    assert [n for n, error in zip(range(111, 128), errors, strict=True) if error > 0.05] == [
        111,
        *range(112, 125, 2),
    ]


def by_trying_all(x, y, error, ties):
    """First and safe numbers among all up to Cramer's, beyond which the bound itself is small enough."""
    items = np.arange(1, cramer_items(x, y, error) + 2)
    is_small = log_chances(x, y, items).error(ties) <= np.log(error) * (1 - 1e-12)
    bad = items[~is_small]
    return ItemsNeeded(first=int(items[np.argmax(is_small)]), safe=int(bad[-1]) + 1 if len(bad) else 1)


@st.composite
def favoured_steps(draw):
    """x > y with much, little, hardly any or no silence."""
    z = draw(st.one_of(st.floats(0, 0.95), st.floats(-5, -1).map(lambda power: 10.0**power), st.just(0.0)))
    gap = (1 - z) * draw(st.floats(0.08, 1))
    x = (1 - z + gap) / 2
    return x, (1 - x if z == 0 else max(0.0, 1 - z - x))


@settings(max_examples=40, deadline=None)
@given(favoured_steps(), st.sampled_from([0.001, 0.05, 0.2, 0.45]), st.sampled_from(["lose", "half", "win"]))
def test_the_search_finds_what_trying_all_numbers_finds(steps, error, ties):
    assert items_needed(*steps, error, ties) == by_trying_all(*steps, error, ties)


@pytest.mark.parametrize("ties", ["lose", "half", "win"])
@pytest.mark.parametrize(
    ("x", "y"),
    [(0.34, 0.3), (0.4, 0.35), (0.52, 0.479), (0.55, 0.45), (0.2, 0.15), (0.01, 0.005), (0.5, 0.0), (1.0, 0.0)],
)
def test_the_search_finds_what_trying_all_finds_for_steps_of_every_kind(x, y, ties):
    for error in (0.3, 0.05, 0.004):
        assert items_needed(x, y, error, ties) == by_trying_all(x, y, error, ties)


def test_an_error_that_spares_ties_may_be_small_by_silence_first():
    # One item speaks for the worse model with chance .04; by 20 items the chance that it leads has grown.
    found = items_needed(0.06, 0.04, 0.05, "win")
    assert found.first == 1
    assert np.exp(log_chances(0.06, 0.04, 20).lose) > 0.05
    assert found.safe == by_trying_all(0.06, 0.04, 0.05, "win").safe > 20


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 2000))
def test_an_error_with_ties_worth_half_falls_with_every_item_by_what_the_ties_decide(share, part, items):
    x = max(share, 1 - share) * 0.999
    y = min(x, 1 - x) * part
    now, then = (np.exp(log_chances(x, y, n).error("half")) for n in (items, items + 1))
    fall = (x - y) * np.exp(log_chances(x, y, items).tie) / 2
    assert now - then == pytest.approx(fall, rel=1e-9, abs=1e-13)


def test_hard_questions_are_answered_without_trying_every_number():
    assert items_needed(0.25005, 0.24995, 0.05).first == pytest.approx(1.645**2 * 0.5 / 1e-8, rel=1e-3)
    found = items_needed(0.50005, 0.49995, 0.05)
    assert found.first == pytest.approx(1.645**2 / 1e-8, rel=1e-3)
    assert found.first % 2 == 1
    assert found.safe > found.first


@pytest.mark.parametrize("ties", ["lose", "half"])
@pytest.mark.parametrize(
    ("accuracy", "margin", "label_accuracy"), [(0.5, 0.1, 0.9), (0.75, 0.1, 0.75), (0.8, 0.01, 0.6)]
)
@pytest.mark.parametrize("error", [0.2, 0.01, 1e-9])
def test_the_first_guess_is_next_to_the_number(monkeypatch, accuracy, margin, label_accuracy, error, ties):
    tried = []
    monkeypatch.setattr(
        "dissensus.methods.plan_labels.needed.log_chances",
        lambda x, y, items: tried.append(items) or log_chances(x, y, items),
    )
    items_needed.cache_clear()
    needed(independent_steps(accuracy, margin, label_accuracy), error, ties)
    assert len(tried) == 1


@pytest.mark.parametrize("ties", ["lose", "half", "win"])
def test_no_number_is_enough_where_the_better_model_is_not_favoured(ties):
    assert items_needed(0.2, 0.2, 0.05, ties) == ItemsNeeded(first=None, safe=None)
    assert items_needed(0.1, 0.2, 0.05, ties) == ItemsNeeded(first=None, safe=None)
    assert cramer_items(0.2, 0.2, 0.05) is None
    assert hoeffding_items(0.1, 0.2, 0.05) is None


@pytest.mark.parametrize("ties", ["lose", "half", "win"])
def test_more_items_than_a_computer_can_count_are_none_and_no_overflow(ties):
    # By the normal approximation (1.645 sd / gap)^2 = 1.4e22 items, and a whole number has 9.2e18 at most.
    assert items_needed(0.25, 0.25 - 1e-11, 0.05, ties) == ItemsNeeded(first=None, safe=None)
    assert items_needed(0.5, 0.5 - 1e-11, 0.05, ties) == ItemsNeeded(first=None, safe=None)


def test_an_error_just_below_a_half_is_found_although_its_bound_is_beyond_counting():
    # The error of n items, ties counted half, is Phi(-gap sqrt(n) / sd); Cramer's bound asks for log(2) / gap^2 items.
    gap, sd, items = 1e-9, math.sqrt(0.5), 10**6
    error = 0.5 - gap * math.sqrt(items) / sd / math.sqrt(2 * math.pi)
    assert math.log(2) / gap**2 > 2**53
    assert items_needed(0.25 + gap / 2, 0.25 - gap / 2, error, "half").first == pytest.approx(items, rel=1e-3)


def test_a_model_that_wins_every_item_needs_one():
    assert items_needed(1.0, 0.0, 1e-9) == ItemsNeeded(first=1, safe=1)
    assert cramer_items(1.0, 0.0, 1e-9) == 1


def test_an_error_met_exactly_is_met():
    # Half of the items say nothing, the others speak for the better model: the error is 2^-n.
    assert items_needed(0.5, 0.0, 0.125) == ItemsNeeded(first=3, safe=3)
    assert cramer_items(0.5, 0.0, 0.125) == 3


@given(st.floats(0.01, 0.6), st.floats(0, 0.95), st.floats(1e-9, 0.5))
def test_bounds_are_met_by_their_number_of_items_and_not_by_one_less(x, part, error):
    y = min(x * part, 1 - x)
    for items, log_bound in [
        (cramer_items(x, y, error), log_cramer),
        (hoeffding_items(x, y, error), log_hoeffding),
    ]:
        slack = 1e-9 * abs(np.log(error))
        assert log_bound(x, y, items) <= np.log(error) + slack
        assert items == 1 or log_bound(x, y, items - 1) > np.log(error) - slack


@pytest.mark.parametrize("error", [0.0, 1.0, -0.1, float("nan")])
def test_an_error_that_is_no_chance_is_refused(error):
    with pytest.raises(OptionError, match="between 0 and 1"):
        items_needed(0.4, 0.2, error)
    with pytest.raises(OptionError, match="between 0 and 1"):
        cramer_items(0.4, 0.2, error)


def test_an_unknown_worth_of_ties_is_refused():
    with pytest.raises(OptionError, match="lose, half, win"):
        items_needed(0.4, 0.2, 0.05, "draw")
