"""`plan_labels`: what it recommends, what it refuses, and what it makes of a pilot."""

import itertools
import json
import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.cli.flags import spread
from dissensus.cli.simulate import plan_labels_command
from dissensus.methods.plan_labels.designs import Scheme, fixed_scheme, items_draws
from dissensus.methods.plan_labels.options import CORRELATED, situation_from
from dissensus.methods.plan_labels.plan_labels import plan_labels
from dissensus.methods.plan_labels.result import PlanLabelsResult
from dissensus.methods.plan_labels.votes import Steps
from dissensus.methods.plan_labels.walk import log_chances
from dissensus.simulation.labels import LabelNoise, simulate_labels

from tables import typed_message_of

FIGURE_1 = {"accuracy": 0.75, "margin": 0.1, "label_accuracy": 0.75}
TILTED = dict(zip(CORRELATED, (0.7, 0.8, 0.75, 0.6, 0.9), strict=True))
"""Labels that favour the worse model so much that it wins in the long run."""


def chances_by_enumeration(x, y, items):
    """P(S < 0), P(S = 0), P(S > 0) of the sum of steps, by adding one item after the other in exact fractions."""
    law = {0: Fraction(1)}
    for _ in range(items):
        sums = {}
        for place, chance in law.items():
            for step, share in ((1, x), (-1, y), (0, 1 - x - y)):
                sums[place + step] = sums.get(place + step, 0) + chance * share
        law = sums
    return tuple(
        sum(c for s, c in law.items() if side(s)) for side in (lambda s: s < 0, lambda s: s == 0, lambda s: s > 0)
    )


def voted_by_enumeration(q, labels, classes=2):
    """How often the most frequent label is right, over every sequence of labels; a draw settles ties."""
    chances = [q] + [(1 - q) / (classes - 1)] * (classes - 1)
    right = Fraction(0)
    for votes in itertools.product(range(classes), repeat=labels):
        counts = [votes.count(c) for c in range(classes)]
        if counts[0] == max(counts):
            right += Fraction(math.prod(chances[v] for v in votes)) / counts.count(max(counts))
    return right


def by_labels(plan):
    return {design.labels_per_item: design for design in plan.designs}


def test_the_plan_of_figure_1_has_the_papers_numbers_of_models():
    # Figure 1, at 1,500 labels: other models delta / error, exact and by both bounds (methods).
    plan = plan_labels(**FIGURE_1, budget=1500)
    found = [
        (
            d.labels_per_item,
            d.items,
            *(round(0.05 / bound, 3) for bound in (d.cramer, d.hoeffding)),
            round(0.05 / d.error, 2),
        )
        for d in plan.designs
    ]
    assert found == [
        (1, 1500, 16.765, 0.326, 141.95),
        (3, 500, 2.004, 0.163, 13.51),
        (5, 300, 0.966, 0.128, 5.83),
    ]
    assert [d.models_testable for d in plan.designs] == [142, 14, 6]
    assert plan.best == 1


def test_the_better_model_wins_as_often_as_in_figure_2():
    plan = plan_labels(accuracy=0.8, margin=0.01, label_accuracy=0.8, budget=1500, labels_per_item=[1, 3, 5, 11])
    assert [round(d.win, 5) for d in plan.designs] == [0.65237, 0.60882, 0.58780, 0.55048]
    more = plan_labels(accuracy=0.8, margin=0.01, label_accuracy=0.8, budget=15000)
    assert [round(d.win, 5) for d in more.designs] == [0.90392, 0.83816, 0.80180]


@pytest.mark.parametrize(
    ("models", "labels", "items", "cramer", "hoeffding"),
    [((0.75, 0.1, 0.75), 1, 369, 773, 2397), ((0.75, 0.1, 0.75), 3, 198, 406, 1268),
     ((0.8, 0.01, 0.8), 1, 23762, 52253, 166430)],
)  # fmt: skip
def test_an_error_of_a_twentieth_needs_as_many_items_as_published(models, labels, items, cramer, hoeffding):
    p, eps, q = models
    plan = plan_labels(accuracy=p, margin=eps, label_accuracy=q, error=0.05, labels_per_item=[labels])
    (needed,) = plan.needed
    assert (needed.items, needed.items_safe, needed.labels) == (items, items, items * labels)
    assert (needed.cramer_items, needed.hoeffding_items) == (cramer, hoeffding)
    assert plan.designs[0].items == items
    assert plan.designs[0].error <= 0.05


def test_labels_only_where_the_models_differ_are_worth_the_most():
    # methods: error 1.0e-9 with 1,499 labels against 3.5e-4; 113 labels (safe 125) against 369 at error .05.
    plan = plan_labels(**FIGURE_1, budget=1500, strategy="disagreement-only")
    best = plan.recommended
    assert (best.items, best.labels, float(f"{best.error:.1e}")) == (1499, 1499, 1.0e-9)
    assert best.screened == math.ceil(1499 / (0.85 * 0.25 + 0.75 * 0.15))
    assert float(f"{plan.compared[0].error:.1e}") == 3.5e-4
    needed = plan_labels(**FIGURE_1, error=0.05, strategy="disagreement-only").needed[0]
    assert (needed.items, needed.items_safe) == (113, 125)
    assert best.models_testable is None
    assert any("this pair of models only" in warning for warning in plan.warnings)


@pytest.mark.parametrize(("q", "ratio"), [(0.6, 0.68), (0.75, 1.25), (0.9, 4.1)])
def test_the_break_even_of_three_labels_is_the_formulas(q, ratio):
    plan = plan_labels(accuracy=0.6, margin=0.01, label_accuracy=q, budget=1500, labels_per_item=[1, 3])
    assert plan.break_even[0].ratio == pytest.approx(ratio, rel=0.01)


def test_the_exact_break_even_is_where_three_labels_catch_up():
    # 369 items with one label, 198 with three: 369 (c + 1) = 198 (c + 3), so c = (3 * 198 - 369) / (369 - 198).
    (found,) = plan_labels(**FIGURE_1, error=0.05, labels_per_item=[1, 3]).break_even
    assert found.ratio_exact == pytest.approx((3 * 198 - 369) / (369 - 198))
    cost = {"error": 0.05, "labels_per_item": [1, 3]}
    assert plan_labels(**FIGURE_1, **cost, item_cost=found.ratio_exact - 0.01).best == 1
    assert plan_labels(**FIGURE_1, **cost, item_cost=found.ratio_exact + 0.01).best == 3


def test_two_labels_and_a_third_cost_what_they_should_and_lose_to_one():
    plan = plan_labels(**FIGURE_1, budget=1500, labels_per_item=[1, 3], strategy="adaptive")
    one, three, adaptive = plan.designs
    assert adaptive.labels_per_item == 2 + 2 * 0.75 * 0.25
    assert adaptive.items == math.floor(1500 / 2.375)
    assert adaptive.label_accuracy == three.label_accuracy
    assert three.error > adaptive.error > one.error
    assert plan.best == 1


def test_labels_until_a_lead_of_two_have_the_accuracy_and_cost_of_that_walk():
    # The walk ends after two equal labels or starts anew: q^2 / (q^2 + (1-q)^2) right, 2 / (q^2 + (1-q)^2) labels.
    design = plan_labels(**FIGURE_1, budget=1500, strategy="lead-by-two").designs[-1]
    agree = 0.75**2 + 0.25**2
    assert (design.label_accuracy, design.labels_per_item) == pytest.approx((0.75**2 / agree, 2 / agree))


@given(
    shares=st.tuples(*[st.integers(0, 20)] * 3).filter(lambda s: s[0] > s[1]),
    q=st.integers(11, 20),
    items=st.integers(1, 6),
    labels=st.sampled_from([1, 2, 3]),
    ties=st.sampled_from(["lose", "half", "win"]),
)
@settings(max_examples=40, deadline=None)
def test_a_design_equals_its_enumeration(shares, q, items, labels, ties):
    better_only, worse_only, both = (Fraction(share, sum(shares)) for share in shares)
    q = Fraction(q, 20)
    voted = voted_by_enumeration(q, labels)
    x = voted * better_only + (1 - voted) * worse_only
    y = (1 - voted) * better_only + voted * worse_only
    lose, tie, win = chances_by_enumeration(x, y, items)
    plan = plan_labels(
        disagreement=float(1 - both), margin=float(better_only - worse_only), label_accuracy=float(q), ties=ties,
        budget=items * labels, labels_per_item=[labels],
    )  # fmt: skip
    (design,) = plan.designs
    assert design.items == items
    assert design.label_accuracy == pytest.approx(float(voted))
    assert (design.tie, design.win) == pytest.approx((float(tie), float(win)), abs=1e-14)
    assert design.error == pytest.approx(
        float(lose + {"lose": 1, "half": Fraction(1, 2), "win": 0}[ties] * tie), abs=1e-14
    )


def test_more_classes_are_a_plurality():
    # Independent errors spread over the three wrong classes: both wrong and different in (1-p)(1-p-eps) 2/3.
    p, eps, q, classes = Fraction(1, 2), Fraction(1, 10), Fraction(3, 5), 4
    a, b, d = (p + eps) * (1 - p), p * (1 - p - eps), (1 - p) * (1 - p - eps) * Fraction(2, 3)
    plan = plan_labels(accuracy=0.5, margin=0.1, label_accuracy=0.6, classes=4, budget=12, labels_per_item=[1, 3])
    for labels, design in by_labels(plan).items():
        voted = voted_by_enumeration(q, labels, classes)
        wrong = (1 - voted) / (classes - 1)
        lose, tie, win = chances_by_enumeration(voted * a + wrong * (b + d), wrong * (a + d) + voted * b, design.items)
        assert design.label_accuracy == pytest.approx(float(voted))
        assert (design.error, design.win) == pytest.approx((float(lose + tie), float(win)))


def test_several_labels_win_where_both_models_are_often_wrong_and_differ_and_the_plan_says_so():
    plan = plan_labels(
        disagreement=0.62, both_wrong=0.6, margin=0.01, label_accuracy=0.6, classes=3, budget=20000,
        labels_per_item=[1, 15],
    )  # fmt: skip
    assert plan.best == 15
    assert any(
        warning.startswith("Several labels gain here from models that are often both wrong")
        for warning in plan.warnings
    )


def test_the_correlated_form_with_equal_labels_is_the_disagreement_form():
    # p_w = .7, p_b0 = .6, p_b1 = .9: A = .3 * .6 and B = .7 * .1.
    correlated = plan_labels(**dict(zip(CORRELATED, (0.7, 0.6, 0.9, 0.8, 0.8), strict=True)), budget=500)
    same = plan_labels(disagreement=0.18 + 0.07, margin=0.18 - 0.07, label_accuracy=0.8, budget=500)
    assert [d.log10_error for d in correlated.designs] == pytest.approx([d.log10_error for d in same.designs])


def test_the_independent_form_is_the_disagreement_form_at_its_disagreement():
    same = plan_labels(disagreement=0.85 * 0.25 + 0.75 * 0.15, margin=0.1, label_accuracy=0.75, budget=1500)
    plan = plan_labels(**FIGURE_1, budget=1500)
    assert [d.log10_error for d in same.designs] == pytest.approx([d.log10_error for d in plan.designs])


def test_two_labels_can_beat_one_where_ties_are_lost_but_not_where_they_count_half():
    # The counter-example for even m (methods): q = 3/4, p_w = 1/2, p_b0 = 1, p_b1 = 1/2, m = 2 with coin flips, n = 1:
    # the better model wins 7/16 of the time, against 105/256 with two single labels.
    models = dict(zip(CORRELATED, (0.5, 1.0, 0.5, 0.75, 0.75), strict=True))
    plan = plan_labels(**models, budget=2, labels_per_item=[1, 2])
    assert [(d.items, d.win) for d in plan.designs] == [(2, pytest.approx(105 / 256)), (1, pytest.approx(7 / 16))]
    assert plan.best == 2
    assert plan_labels(**models, budget=2, labels_per_item=[1, 2], ties="half").best == 1


def test_labels_that_favour_the_worse_model_are_called_out():
    plan = plan_labels(**TILTED, budget=100_000, labels_per_item=[1, 101])
    one, many = plan.designs
    # E[G] = (2 q_b - 1) A - (2 q_w - 1) B with A = .3 * .8 and B = .7 * .25: below 0 for one label only.
    assert 0.2 * 0.24 - 0.8 * 0.175 < 0
    assert one.win < 0.5 < many.win
    assert plan.best == 101
    text = " ".join(plan.warnings)
    assert "The labels favour the worse model" in text
    assert "With 1 label for each item the worse model even wins in the long run" in text
    needed = plan_labels(**TILTED, error=0.05, labels_per_item=[1])
    assert needed.needed[0].items is None
    assert needed.best is None
    assert any(warning.startswith("More items do not bring the error down with 1 label") for warning in needed.warnings)


def test_the_error_of_the_accuracy_of_one_model_is_the_formulas():
    # methods: m [1 / (2M - 1)^2 - (2p - 1)^2] / (4k)
    plan = plan_labels(**FIGURE_1, budget=1500)
    for one, m, voted in zip(plan.absolute, (1, 3, 5), (0.75, 0.84375, 0.896484375), strict=True):
        variance = m * (1 / (2 * voted - 1) ** 2 - (2 * 0.75 - 1) ** 2) / (4 * 1500)
        assert one.standard_error == pytest.approx(math.sqrt(variance))
        assert one.bias == pytest.approx(0.75 * voted + 0.25 * (1 - voted) - 0.75)
    assert plan.most_precise.labels_per_item == 1


def test_a_corrected_accuracy_spreads_as_much_as_announced():
    rng, voted, p, items = np.random.default_rng(3), 0.84375, 0.75, 500
    agreement = rng.binomial(items, p * voted + (1 - p) * (1 - voted), size=20_000) / items
    accuracy = (agreement - (1 - voted)) / (2 * voted - 1)
    announced = plan_labels(**FIGURE_1, budget=1500).absolute[1]
    assert announced.standard_error == pytest.approx(accuracy.std(), rel=4 / math.sqrt(2 * 20_000))


def test_an_error_of_ten_to_the_minus_ten_thousand_keeps_its_logarithm_and_says_so():
    plan = plan_labels(accuracy=0.75, margin=0.2, label_accuracy=0.95, budget=400_000, labels_per_item=[1])
    (design,) = plan.designs
    assert design.error == 0
    assert design.log10_error == pytest.approx(design.log10_cramer, rel=1e-3)  # Cramer's theorem
    assert design.log10_error < -10_000
    assert design.models_testable is None
    assert [warning.split(":")[0] for warning in plan.warnings] == [
        "An error too small for a number is given as 0",
        "A number of models too large for a number is left out",
    ]
    assert json.loads(plan.to_json())["result"]["designs"][0]["models_testable"] is None


def test_a_number_of_models_sets_the_error():
    plan = plan_labels(**FIGURE_1, models=100)
    assert plan.recommended.models_testable >= 100
    assert plan.recommended.error <= 0.05 / 99
    fewer = plan_labels(**FIGURE_1, budget=plan.recommended.items - 1, models=100)
    assert any("The best design ranks" in warning for warning in fewer.warnings)


def test_costs_decide_how_many_items_a_budget_buys():
    plan = plan_labels(**FIGURE_1, budget=1000, item_cost=2, label_cost=0.1, labels_per_item=[1, 3])
    assert [d.items for d in plan.designs] == [math.floor(1000 / 2.1), math.floor(1000 / 2.3)]
    assert plan.best == 3  # an item costs 20 labels, above the break-even of 1.25
    assert plan_labels(**FIGURE_1, budget=150, label_cost=0.1, labels_per_item=[1]).designs[0].items == 1500


def test_what_a_budget_does_not_pay_for_is_left_out_with_a_warning():
    plan = plan_labels(**FIGURE_1, budget=10, labels_per_item=[1, 11])
    assert [d.labels_per_item for d in plan.designs] == [1]
    assert plan.warnings == ("The budget does not pay for one item with 11 labels: left out.",)


def test_a_worse_model_below_chance_is_called_out():
    plan = plan_labels(accuracy=0.4, margin=0.1, label_accuracy=0.8, budget=100)
    assert plan.warnings[0].startswith("The worse model is right on 40.0% of the items, less than by chance")


def test_an_even_number_of_labels_is_called_wasted_unless_it_must_win_outright():
    plan = plan_labels(**FIGURE_1, budget=120, labels_per_item=[3, 4])
    assert plan.designs[0].label_accuracy == plan.designs[1].label_accuracy
    assert plan.warnings[0].startswith("Ask for 3 instead of 4 labels")
    strict = plan_labels(**FIGURE_1, budget=120, labels_per_item=[4], even="strict")
    # Three or four of four right: 4 q^3 (1 - q) + q^4.
    assert strict.designs[0].label_accuracy == pytest.approx(4 * 0.75**3 * 0.25 + 0.75**4)


CLASHES = [
    (
        {**FIGURE_1, "accuracy": 0.95, "budget": 9},
        (
            "--accuracy 0.95 and --margin 0.1 add up to more than 1: --accuracy is that of the worse model, and the "
            "better one cannot be right on more than all items."
        ),
    ),
    (
        {**FIGURE_1, "label_accuracy": 0.5, "budget": 9},
        "--label-accuracy cannot be 0.5: a label must be right more often than by chance, above 0.5 and at most 1.",
    ),
    ({**FIGURE_1, "budget": 0.5}, "--budget 0.5 is below one item, which costs 1 with its labels: raise it."),
    (
        {**FIGURE_1, "budget": 9, "labels_per_item": [0]},
        "--labels-per-item cannot be 0: give whole numbers from 1 to 999, such as 1,3,5.",
    ),
    (
        {**FIGURE_1, "budget": 9, "labels_per_item": []},
        "--labels-per-item names no number: give whole numbers from 1 to 999, such as 1,3,5.",
    ),
    (
        {**FIGURE_1, "budget": 9, "error": 0.1},
        (
            "--budget and --error contradict each other: a budget asks what error it buys, an error what it costs. "
            "Give one of them."
        ),
    ),
    (
        FIGURE_1,
        (
            "Say what you can spend with --budget, such as 1500 labels, or how often the worse model may come out "
            "ahead with --error, such as 0.05."
        ),
    ),
    (
        {"disagreement": 0.05, "margin": 0.1, "label_accuracy": 0.8, "budget": 9},
        (
            "--disagreement is 0.05, below --margin 0.1: two models whose accuracies are that far apart disagree on "
            "at least as many items."
        ),
    ),
    (
        {**FIGURE_1, "disagreement": 0.9, "budget": 9},
        (
            "--disagreement 0.9 is too much for --accuracy 0.75 and --margin 0.1: such models differ on at most 0.4 "
            "of the items."
        ),
    ),
    (
        {**FIGURE_1, "worse_accuracy": 0.8, "budget": 9},
        (
            "--margin and --worse-accuracy belong to two forms of the question: give --accuracy, --margin and "
            "--label-accuracy, or the five options of the correlated form."
        ),
    ),
    (
        {"worse_accuracy": 0.8, "label_accuracy_better": 0.8, "budget": 9},
        "The correlated form also needs --better-if-worse-wrong, --better-if-worse-right, --label-accuracy-worse.",
    ),
    (
        {**TILTED, "better_if_worse_wrong": 0.1, "budget": 9},
        (
            "The better model is not better: it alone is right on 0.03 of the items, the worse one alone on 0.175. "
            "Raise --better-if-worse-wrong or --better-if-worse-right."
        ),
    ),
    (
        {"accuracy": 0.8, "budget": 9},
        (
            "Missing --margin, --label-accuracy: describe the models and the labels with --accuracy (of the worse "
            "model), --margin and --label-accuracy, or learn them with --pilot and --pilot-judges."
        ),
    ),
    (
        {**FIGURE_1, "budget": 9, "a": "x"},
        "--a and --b name judges of a pilot: give one with --pilot and --pilot-judges.",
    ),
    ({**FIGURE_1, "budget": 9, "ties": "draw"}, "--ties cannot be 'draw': choose one of lose, half, win."),
    ({**FIGURE_1, "error": 1.5}, "--error cannot be 1.5: it is a chance between 0 and 1."),
    ({**FIGURE_1, "budget": math.nan}, "--budget cannot be nan: give what the labels may cost."),
    ({**FIGURE_1, "budget": 9, "item_cost": -1}, "--item-cost cannot be -1: give a number of 0 or more."),
    (
        {**FIGURE_1, "budget": 9, "label_cost": 0},
        "--item-cost and --label-cost are both 0: without a cost no budget buys a number of labels.",
    ),
    (
        {**FIGURE_1, "budget": 9, "strategy": "adaptive", "classes": 3},
        "--strategy adaptive goes with two classes: leave out --classes.",
    ),
    (
        {**FIGURE_1, "budget": 9, "even": "strict", "classes": 3},
        "--even strict goes with two classes: with more, tied labels are settled by a draw.",
    ),
    (
        {**FIGURE_1, "budget": 9, "both_wrong": 0.1},
        "--both-wrong goes with --classes above 2: with two, models that are both wrong agree.",
    ),
    (
        {**FIGURE_1, "budget": 9, "both_wrong": 0.1, "classes": 3},
        (
            "--both-wrong 0.1 is too much: models that err independently are both wrong on 0.0375 of the items. Say "
            "how often they differ with --disagreement."
        ),
    ),
    (
        {"disagreement": 0.3, "margin": 0.1, "label_accuracy": 0.8, "budget": 9, "classes": 3},
        (
            "With --disagreement and more than two classes also say with --both-wrong on which share of the items "
            "both models are wrong and say different things."
        ),
    ),
    (
        {**FIGURE_1, "margin": 0, "budget": 9},
        "--margin cannot be 0: it is how much more accurate the better model is, above 0 and at most 1.",
    ),
    ({**FIGURE_1, "budget": 9, "accuracy": -0.1}, "--accuracy cannot be -0.1: it is a share between 0 and 1."),
]


@pytest.mark.parametrize(("options", "message"), CLASHES)
def test_what_cannot_be_planned_is_refused_in_one_line(options, message):
    assert typed_message_of(lambda: plan_labels(**options)) == message


def test_a_pilot_brings_its_numbers_and_its_doubt():
    made = simulate_labels(items=400, raters=5, unlabelled=2000, rng=1)
    plan = plan_labels(pilot=made.ratings, pilot_judges=made.judges, budget=1500)
    pilot, best = plan.pilot, plan.recommended
    assert float(plan.situation.disagreement) == pytest.approx(pilot.disagreement.value)
    assert float(plan.situation.margin) == pytest.approx(pilot.margin.value)
    assert float(plan.situation.label_accuracy) == pytest.approx(pilot.for_plan.value)
    assert plan.best == 1
    assert best.error_low < best.error < best.error_high
    by_hand = plan_labels(
        disagreement=pilot.disagreement.value,
        margin=pilot.margin.value,
        label_accuracy=pilot.for_plan.value,
        budget=1500,
    )
    assert best.error_if_exact == pytest.approx(by_hand.recommended.error)
    assert best.error > best.error_if_exact
    assert set(plan.data) == {"pilot", "pilot_judges"}


def test_a_pilot_of_items_that_differ_in_difficulty_trusts_majorities_less():
    # u uniform: one label is right 75% of the time, three 81.25% instead of 84.4% (13/16: E[(3u - u^3) / 4] + 1/2).
    made = simulate_labels(
        noise=LabelNoise(label_accuracy=0.75, difficulty="uniform"), items=3000, raters=9, unlabelled=0, rng=2
    )
    plan = plan_labels(pilot=made.ratings, pilot_judges=made.judges, budget=900, labels_per_item=[1, 3], bootstrap=0)
    assert [d.label_accuracy for d in plan.designs] == pytest.approx([0.75, 0.8125], abs=0.02)
    assert math.isnan(plan.recommended.error_low)


def test_a_pilot_with_a_margin_worth_finding_plans_for_that_margin():
    made = simulate_labels(items=400, raters=5, unlabelled=500, rng=1)
    plan = plan_labels(pilot=made.ratings, pilot_judges=made.judges, error=0.05, margin=0.05, labels_per_item=[1])
    assert float(plan.situation.margin) == pytest.approx(0.05)
    needed = plan.needed[0]
    assert needed.items_low < needed.items < needed.items_high
    message = typed_message_of(
        lambda: plan_labels(pilot=made.ratings, pilot_judges=made.judges, error=0.05, accuracy=0.7)
    )
    assert message == (
        "--accuracy and --pilot contradict each other: the pilot says what it is. Only --margin may be given beside it."
    )


@pytest.mark.slow
def test_the_interval_on_the_items_covers_the_truth_about_as_often_as_it_says():
    # The simulated models and labels are those of Figure 1, which needs 369 items; 51 of 60 are 3.5 standard
    # deviations below the 57 that a 95% interval should cover.
    covered = 0
    for seed in range(1000, 1060):
        made = simulate_labels(items=500, raters=5, unlabelled=1000, rng=seed)
        plan = plan_labels(
            pilot=made.ratings, pilot_judges=made.judges, error=0.05, labels_per_item=[1], bootstrap=200, rng=seed
        )
        covered += plan.needed[0].items_low <= 369 <= plan.needed[0].items_high
    assert covered > 51


@pytest.mark.parametrize("only_differing", [False, True])
def test_items_for_a_draw_are_those_for_its_numbers(only_differing):
    # The plan itself, one draw at a time, against the search over all draws at once.
    question = plan_labels(**FIGURE_1, error=0.05).options
    shares = np.array([0.2, 0.15, 0.3]), np.array([0.1, 0.12, 0.0]), np.zeros(3)
    labels = np.array([0.75, 0.9, 0.6])
    scheme = fixed_scheme(question, situation_from(shares, (labels, labels)), 1, only_differing=only_differing)
    strategy = "disagreement-only" if only_differing else "fixed"
    one_by_one = [
        plan_labels(
            disagreement=a + b, margin=a - b, label_accuracy=q, error=0.05, labels_per_item=[1], strategy=strategy
        ).needed[0].items
        for a, b, q in zip(shares[0], shares[1], labels, strict=True)
    ]  # fmt: skip
    assert items_draws(scheme, question, 0.05).tolist() == one_by_one


def test_a_draw_in_which_the_other_model_leads_needs_any_number_of_items():
    question = plan_labels(**FIGURE_1, error=0.05).options
    shares = np.array([0.1, 0.2]), np.array([0.2, 0.1]), np.zeros(2)
    scheme = fixed_scheme(question, situation_from(shares, (np.full(2, 0.8), np.full(2, 0.8))), 1)
    found = items_draws(scheme, question, 0.05)
    assert math.isinf(found[0])
    assert math.isfinite(found[1])


def test_the_curves_pass_through_the_plan():
    plan = plan_labels(**FIGURE_1, budget=1500)
    here = {p.labels_per_item: p.log10_error for p in plan.by_budget if p.budget == 1500}
    assert here == pytest.approx({m: d.log10_error for m, d in by_labels(plan).items()})


def test_the_command_prints_the_json_of_the_contract(capsys):
    app = typer.Typer()
    app.command()(spread(plan_labels_command))
    arguments = [
        "--accuracy",
        ".75",
        "--margin",
        ".1",
        "--label-accuracy",
        ".75",
        "--error",
        ".05",
        "--labels-per-item",
        "1,3",
        "--json",
    ]
    app(arguments, standalone_mode=False)
    printed = json.loads(capsys.readouterr().out)
    assert printed["command"] == "plan labels"
    result = printed["result"]
    assert result["best"] == 1
    assert {
        "labels_per_item", "items", "labels", "cost", "label_accuracy", "error", "log10_error", "tie", "win", "cramer",
        "hoeffding", "models_testable",
    } <= set(result["designs"][0])  # fmt: skip
    assert {
        "labels_per_item", "items", "items_safe", "labels", "screened", "cramer_items", "hoeffding_items",
    } <= set(result["needed"][0])  # fmt: skip
    assert [one["items"] for one in result["needed"]] == [369, 198]


def test_a_plan_is_a_result_with_rows():
    plan = plan_labels(**FIGURE_1, budget=1500)
    assert isinstance(plan, PlanLabelsResult)
    assert [row["items"] for row in plan.rows()] == [1500, 500, 300]


def test_the_items_of_a_draw_where_ties_are_won_are_the_first_number_with_such_an_error():
    # With ties won the error first rises with the number of items, so that a bisection could stop at a later number.
    one = np.ones(1)
    scheme = Scheme(strategy="fixed", labels_per_item=1.0, accuracy=one, kept=one, steps=Steps(0.19 * one, 0.14 * one))
    first = next(n for n in range(1, 2000) if np.exp(log_chances(0.19, 0.14, n).lose) <= 0.1)
    assert items_draws(scheme, SimpleNamespace(ties="win"), 0.1).tolist() == [first]


def test_a_margin_of_next_to_nothing_still_has_a_plan_for_a_budget():
    # With ties worth half the exact break-even is that of the formula for small margins.
    plan = plan_labels(accuracy=0.9, margin=1e-9, label_accuracy=0.51, budget=1e6, ties="half")
    formula = [one.ratio for one in plan.break_even]
    assert [one.ratio_exact for one in plan.break_even] == pytest.approx(formula, rel=1e-3)
    assert plan_labels(accuracy=0.9, margin=1e-9, label_accuracy=0.51, budget=1e6).recommended.labels_per_item == 1
