"""`plan_labels` at its edges: huge and tiny numbers, ties that count for the better model, items of many kinds."""

import math

import numpy as np
import pytest

from dissensus.methods.plan_labels import needed
from dissensus.methods.plan_labels.designs import MOST_ITEMS, affordable_items, fixed_scheme, sequential_scheme
from dissensus.methods.plan_labels.needed import items_needed
from dissensus.methods.plan_labels.options import CORRELATED, situation_from
from dissensus.methods.plan_labels.plan_labels import plan_labels
from dissensus.methods.plan_labels.votes import (
    lead_by_two,
    majority_accuracy,
    over_items,
    plurality_accuracy,
    two_plus_one,
)
from dissensus.methods.plan_labels.walk import log_chances
from dissensus.simulation.labels import LabelNoise, simulate_labels

from tables import typed_message_of

FIGURE_1 = {"accuracy": 0.75, "margin": 0.1, "label_accuracy": 0.75}
TILTED = dict(zip(CORRELATED, (0.7, 0.8, 0.75, 0.6, 0.9), strict=True))
"""Labels that favour the worse model so much that it wins in the long run."""


# Budgets and numbers of items


@pytest.mark.parametrize(
    ("options", "items"),
    [({"budget": 1e12}, 10**12), ({"budget": 1e9}, 10**9), ({"budget": 0.3, "label_cost": 0.1}, 3),
     ({"budget": 1500 * 0.7, "label_cost": 0.7}, 1500), ({"budget": 2.9999999}, 2)],
)  # fmt: skip
def test_a_budget_buys_as_many_items_as_it_pays_for_and_not_one_more(options, items):
    (one,) = plan_labels(**FIGURE_1, **options, labels_per_item=[1]).designs
    assert one.items == items


def test_charts_of_a_huge_budget_show_the_designs_that_it_buys():
    plan = plan_labels(**FIGURE_1, budget=1e11)
    here = [point for point in plan.by_budget if point.is_reference]
    assert [point.items for point in here] == [design.items for design in plan.designs]
    assert [point.log10_error for point in here] == pytest.approx([design.log10_error for design in plan.designs])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {**FIGURE_1, "budget": 1e99},
            "--budget 1e+99 buys more than 1,000,000,000,000 items: give what you can spend.",
        ),
        (
            # (2q - 1) margin = 2e-7, so Cramer's bound is about exp(-n 4e-14 / 2 / .5), w = .5.
            {"accuracy": 0.5, "margin": 1e-6, "label_accuracy": 0.6, "error": 0.05, "labels_per_item": [1]},
            (
                f"It would take about {math.log(20) * 2 * 0.5 / 4e-14:.0e} items: the models are too similar, or "
                "labels too often wrong, to tell them apart. Plan for a larger --margin or --error."
            ),
        ),
        (
            {**FIGURE_1, "budget": 9, "labels_per_item": [1000]},
            "--labels-per-item cannot be 1000: give whole numbers from 1 to 999, such as 1,3,5.",
        ),
        (
            {**FIGURE_1, "budget": 9, "labels_per_item": [1.5]},
            "--labels-per-item cannot be 1.5: give whole numbers from 1 to 999, such as 1,3,5.",
        ),
        (
            {**FIGURE_1, "budget": 9, "labels_per_item": [math.nan]},
            "--labels-per-item cannot be nan: give whole numbers from 1 to 999, such as 1,3,5.",
        ),
        ({**FIGURE_1, "budget": 9, "item_cost": math.inf}, "--item-cost cannot be inf: give a number of 0 or more."),
    ],
)
def test_numbers_beyond_use_are_refused_in_one_line(options, message):
    assert typed_message_of(lambda: plan_labels(**options)) == message


def test_numbers_of_labels_may_come_as_an_array():
    assert plan_labels(**FIGURE_1, budget=9, labels_per_item=np.array([3, 1])).options.labels_per_item == (1, 3)


def test_a_number_of_labels_that_takes_too_many_items_is_left_out_and_the_others_planned():
    # A = .3 * .5, B = .7 * .1: one label's gap (2 q_b - 1) A - (2 q_w - 1) B is .2 * .15 - .428.. * .07, almost 0.
    tilted = dict(zip(CORRELATED, (0.7, 0.5, 0.9, 0.6, 0.5 + 0.03 / 0.14 - 1e-8), strict=True))
    plan = plan_labels(**tilted, error=0.05, labels_per_item=[1, 3])
    assert plan.needed[0].items is None
    assert plan.best == 3
    assert any(warning.startswith("It would take more than 1,000,000,000,000 items with 1 label") for warning in
               plan.warnings)  # fmt: skip


@pytest.mark.parametrize("ties", ["lose", "win"])
def test_items_that_hardly_ever_say_nothing_need_no_search_of_all_numbers(monkeypatch, ties):
    # z = 1e-9: the error goes up and down between odd and even numbers far beyond the 10,822,215 items that it takes.
    tried = []

    def counting(x, y, items):
        tried.append(np.size(items))
        return log_chances(x, y, items)

    monkeypatch.setattr(needed, "log_chances", counting)
    x, y = (1 - 1e-9 + 5e-4) / 2, (1 - 1e-9 - 5e-4) / 2
    found = items_needed(x, y, 0.05, ties)
    assert sum(tried) < 200_000
    below = log_chances(x, y, np.array([found.first, found.safe - 1, found.safe])).error(ties) <= math.log(0.05)
    assert below.tolist() == [True, False, True]


@pytest.mark.parametrize("ties", ["lose", "half", "win"])
@pytest.mark.parametrize("z", [0.2, 0.01, 1e-7])
@pytest.mark.parametrize("gap", [0.5, 0.05])
@pytest.mark.parametrize("error", [0.45, 0.01])
def test_the_items_needed_are_those_found_one_by_one(ties, z, gap, error):
    x, y = (1 - z + gap) / 2, (1 - z - gap) / 2
    numbers = np.arange(1, math.ceil(2 * math.log(1 / error) / gap**2) + 10)  # Hoeffding's number is enough
    is_small = log_chances(x, y, numbers).error(ties) <= math.log(error)
    found = items_needed(x, y, error, ties)
    assert found.first == numbers[is_small][0]
    assert found.safe == (numbers[~is_small][-1] + 1 if np.any(~is_small) else 1)


@pytest.mark.parametrize(
    ("accuracy", "margin", "label_accuracy"), [(0.314, 0.216, 0.697), (0.149, 0.01, 0.946), (0.037, 0.527, 0.972)]
)
def test_an_odd_number_of_items_on_which_two_models_differ_never_ties(accuracy, margin, label_accuracy):
    # Here x and y, divided by the disagreement, add up to a little less than 1.
    plan = plan_labels(
        accuracy=accuracy, margin=margin, label_accuracy=label_accuracy, budget=1501, strategy="disagreement-only"
    )
    assert [(design.items % 2, design.tie) for design in plan.designs] == [(1, 0.0)] * 3


# Ties that count for the better model


def test_with_ties_won_a_plan_is_not_a_single_item_that_mostly_ties():
    # One item: the worse model wins outright with chance y = .05 * .01 + .95 * .04 = .0385, below the error.
    plan = plan_labels(accuracy=0.95, margin=0.01, label_accuracy=0.95, error=0.1, ties="win", labels_per_item=[1])
    (one,), best = plan.needed, plan.recommended
    assert one.items == 1
    assert best.items == one.items_planned == one.items_safe == one.labels
    steps = best.items + np.array([-1, 0])
    x, y = 0.05 * 0.01 + 0.95 * 0.04 + 0.9 * 0.01, 0.05 * 0.01 + 0.95 * 0.04
    errors = np.exp(log_chances(x, y, steps).error("win"))
    assert errors[0] > 0.1 >= errors[1]
    assert best.win > 0.85
    assert any("from 1,626 on, which the plan takes, every number does" in warning for warning in plan.warnings)


def test_an_error_that_is_small_because_nothing_is_decided_is_called_out():
    plan = plan_labels(disagreement=0.001, margin=0.001, label_accuracy=0.9, budget=100, ties="win")
    assert any(warning.startswith("Such a test set ends in a tie in 9") for warning in plan.warnings)
    assert not any("ends in a tie" in warning for warning in plan_labels(**FIGURE_1, budget=1500, ties="win").warnings)


def test_the_break_even_with_ties_won_is_where_both_designs_cost_as_much():
    (found,) = plan_labels(**FIGURE_1, error=0.05, ties="win", labels_per_item=[1, 3]).break_even
    one, three = (plan_labels(**FIGURE_1, error=0.05, ties="win", labels_per_item=[m]).needed[0] for m in (1, 3))
    assert found.ratio_exact == pytest.approx(
        (3 * three.items_safe - one.items_safe) / (one.items_safe - three.items_safe)
    )
    (bought,) = plan_labels(**FIGURE_1, budget=100, ties="win", labels_per_item=[1, 3]).break_even
    assert bought.ratio_exact > 0.5


def test_there_is_a_break_even_where_one_label_each_would_buy_more_items_than_can_be_planned():
    (found,) = plan_labels(**FIGURE_1, budget=2e12, labels_per_item=[3]).break_even
    (less,) = plan_labels(**FIGURE_1, budget=5e11, labels_per_item=[3]).break_even
    assert found == less


# Several labels that are no better, or worse


def test_labels_that_only_get_worse_when_asked_for_again_never_pay():
    # Two of two labels must be right: .51^2 is below chance, by more than one label is above it.
    plan = plan_labels(
        accuracy=0.75, margin=0.1, label_accuracy=0.51, budget=500, labels_per_item=[1, 2], even="strict"
    )
    assert abs(0.51**2 - 0.5) > 0.01
    assert plan.break_even[0].ratio == math.inf


def test_where_neither_one_label_nor_several_find_the_better_model_there_is_no_break_even():
    (found,) = plan_labels(**TILTED, budget=500, labels_per_item=[1, 3]).break_even
    # E[G] with the majority of three: M(.6) = .648, M(.9) = .972.
    assert (2 * 0.648 - 1) * 0.24 - (2 * 0.972 - 1) * 0.175 < 0
    assert math.isnan(found.ratio)
    assert math.isnan(found.ratio_exact)


@pytest.mark.parametrize("label_accuracy", [0.51, math.sqrt(0.5)])
def test_labels_that_are_right_half_of_the_time_or_less_measure_no_accuracy(label_accuracy):
    # Strict majority of two: q^2, at most 1/2.
    plan = plan_labels(
        accuracy=0.75, margin=0.1, label_accuracy=label_accuracy, budget=100, labels_per_item=[1, 2], even="strict"
    )
    assert label_accuracy**2 <= 0.5 + 1e-12
    assert [one.labels_per_item for one in plan.absolute] == [1]


def test_what_a_budget_does_not_pay_for_is_named_also_where_items_must_be_looked_through():
    # An item on which the models differ costs 1 / .1 to find, and its labels 1 each.
    plan = plan_labels(
        disagreement=0.1, margin=0.05, label_accuracy=0.8, budget=12, item_cost=1, strategy="disagreement-only"
    )
    assert [design.labels_per_item for design in plan.designs] == [1]
    assert "The budget does not pay for one item with 3 and 5 labels: left out." in plan.warnings
    # Two labels and a third cost 2 + 2 q (1 - q) = 2.32.
    plan = plan_labels(accuracy=0.7, margin=0.1, label_accuracy=0.8, budget=2, labels_per_item=[1], strategy="adaptive")
    assert "The budget does not pay for one item with a third label where two differ: left out." in plan.warnings


# Items that differ in difficulty


def uniform_situation(label_accuracy=0.75, classes=2):
    """Models with independent errors and labels of items of which a uniform share u of the raters know the class."""
    return situation_from((0.2125, 0.1125, 0.0), (label_accuracy, label_accuracy), classes=classes, concentration=2.0)


def test_labels_until_a_lead_of_two_on_uniform_difficulties_are_the_integrals():
    # q = (1 + u) / 2: right with chance 1/2 + u / (1 + u^2), after 4 / (1 + u^2) labels.
    scheme = sequential_scheme("lead-by-two", uniform_situation())
    assert float(scheme.accuracy) == pytest.approx(0.5 + math.log(2) / 2, abs=1e-4)
    assert scheme.labels_per_item == pytest.approx(math.pi, abs=1e-4)


def test_two_labels_and_a_third_on_uniform_difficulties_are_the_integrals():
    # M_3 = 1/2 + (3u - u^3) / 4 and 2 + (1 - u^2) / 2 labels.
    scheme = sequential_scheme("adaptive", uniform_situation())
    assert float(scheme.accuracy) == pytest.approx(0.5 + (3 / 2 - 1 / 4) / 4, abs=1e-4)
    assert scheme.labels_per_item == pytest.approx(2 + (1 - 1 / 3) / 2, abs=1e-4)


def test_a_strict_majority_of_two_on_uniform_difficulties_is_the_integral():
    # q^2 = (1 + u)^2 / 4: 7/12.
    question = plan_labels(**FIGURE_1, budget=9, labels_per_item=[2], even="strict").options
    scheme = fixed_scheme(question, uniform_situation(), 2)
    assert float(scheme.accuracy) == pytest.approx(7 / 12, abs=1e-4)


def test_a_plurality_on_items_of_different_difficulty_is_that_of_simulated_votes():
    rng = np.random.default_rng(0)
    u = rng.beta(1.2, 0.8, size=100_000)[:, None]
    right = rng.random((100_000, 3)) < 1 / 3 + 2 / 3 * u
    votes = np.where(right, 0, rng.integers(1, 3, size=right.shape))
    counts = np.stack([(votes == c).sum(axis=1) for c in range(3)], axis=1)
    share = (counts[:, 0] == counts.max(axis=1)) / (counts == counts.max(axis=1, keepdims=True)).sum(axis=1)
    found = over_items(
        lambda q: plurality_accuracy(q, 3, 3), np.array(1 / 3 + 2 / 3 * 0.6), concentration=2.0, classes=3
    )
    assert float(found) == pytest.approx(share.mean(), abs=4.5 * 0.5 / math.sqrt(100_000))


@pytest.mark.parametrize("vote", [lambda q: majority_accuracy(q, 5), lambda q: two_plus_one(q)[1],
                                  lambda q: lead_by_two(q)[0]])  # fmt: skip
def test_items_that_are_alike_are_no_special_case(vote):
    nearly = over_items(vote, np.array([0.6, 0.8]), concentration=1e5, classes=2)
    assert nearly == pytest.approx(vote(np.array([0.6, 0.8])), abs=1e-4)
    assert over_items(vote, np.array(0.8), concentration=math.inf, classes=2) == vote(np.array(0.8))


# Pilots


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"strategy": "adaptive"}, "--strategy adaptive goes with two classes: leave out --classes."),
        ({"strategy": "lead-by-two"}, "--strategy lead-by-two goes with two classes: leave out --classes."),
        ({"even": "strict"}, "--even strict goes with two classes: with more, tied labels are settled by a draw."),
    ],
)
def test_a_pilot_with_more_classes_refuses_what_goes_with_two(more, message):
    made = simulate_labels(noise=LabelNoise(classes=4, label_accuracy=0.7), items=100, raters=5, rng=0)
    assert (
        typed_message_of(
            lambda: plan_labels(pilot=made.ratings, pilot_judges=made.judges, budget=100, bootstrap=0, **more)
        )
        == message
    )


def test_how_accurate_a_model_is_rests_on_the_labels_of_all_items():
    # Labels are right .7 of the time where the models differ, .95 elsewhere: .95 - .25 * .325 = .87 over all.
    noise = LabelNoise(label_accuracy=0.95, better=0.7, worse=0.7)
    made = simulate_labels(noise=noise, items=2000, raters=5, rng=1)
    plan = plan_labels(pilot=made.ratings, pilot_judges=made.judges, budget=1500, labels_per_item=[1], bootstrap=0)
    (found,), p = plan.absolute, plan.pilot.worse_accuracy.value
    overall = plan.pilot.label_accuracy.value
    assert overall == pytest.approx(0.95 - 0.25 * 0.325, abs=0.02)
    assert plan.designs[0].label_accuracy == pytest.approx(0.7, abs=0.04)
    assert found.bias == pytest.approx(p * overall + (1 - p) * (1 - overall) - p)


def test_where_only_differing_items_are_labelled_an_odd_number_is_bought():
    plan = plan_labels(**FIGURE_1, budget=1500, strategy="disagreement-only")
    scheme = fixed_scheme(plan.options, plan.situation, 1, only_differing=True)
    assert affordable_items(scheme, plan.options, MOST_ITEMS) == MOST_ITEMS - 1
