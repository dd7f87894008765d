"""A plan of labels: in words, in tables and in charts."""

import dataclasses
import json
import math

import pytest
import vl_convert

from dissensus.methods.plan_labels.options import CORRELATED
from dissensus.methods.plan_labels.plan_labels import plan_labels
from dissensus.report.charts import Chart
from dissensus.report.document import Fold, Points, Table
from dissensus.report.html import fragment_of, page_of
from dissensus.report.numbers import rough
from dissensus.report.text import text_of
from dissensus.report.views.plan_labels import chance, recommendation
from dissensus.report.views.section import main_chart, section_of
from dissensus.simulation.labels import simulate_labels

FIGURE_1 = {"accuracy": 0.75, "margin": 0.1, "label_accuracy": 0.75}
PLANS = {
    "budget": {**FIGURE_1, "budget": 1500},
    "error": {**FIGURE_1, "error": 0.05},
    "models": {**FIGURE_1, "models": 30, "ties": "half"},
    "dear": {**FIGURE_1, "budget": 4000, "item_cost": 4, "strategy": "adaptive"},
    "lead": {**FIGURE_1, "budget": 400, "strategy": "lead-by-two", "labels_per_item": [1]},
    "differing": {**FIGURE_1, "budget": 1500, "strategy": "disagreement-only"},
    "differing error": {**FIGURE_1, "error": 0.05, "strategy": "disagreement-only"},
    "tilted": {**dict(zip(CORRELATED, (0.8, 0.6, 0.9, 0.6, 0.9), strict=True)), "budget": 2000},
    "tilted error": {**dict(zip(CORRELATED, (0.8, 0.6, 0.9, 0.6, 0.9), strict=True)), "error": 0.05},
    "classes": {"disagreement": 0.62, "both_wrong": 0.6, "margin": 0.01, "label_accuracy": 0.6, "classes": 3,
                "budget": 20000, "labels_per_item": [1, 15]},
    "deep": {"accuracy": 0.75, "margin": 0.2, "label_accuracy": 0.95, "budget": 400_000},
    "sure": {"accuracy": 0.5, "margin": 0.5, "label_accuracy": 1.0, "budget": 30, "ties": "win"},
    "tiny": {**FIGURE_1, "budget": 1},
}  # fmt: skip


@pytest.fixture(scope="module")
def pilot_plan():
    made = simulate_labels(items=800, raters=5, unlabelled=1000, rng=1)
    return plan_labels(pilot=made.ratings, pilot_judges=made.judges, error=0.05, bootstrap=100)


def test_a_plan_in_a_terminal(golden):
    assert text_of(plan_labels(**PLANS["budget"])) == golden("plan_labels.txt")


def test_a_plan_for_an_error_where_the_models_differ(golden):
    assert text_of(plan_labels(**PLANS["differing error"])) == golden("plan_labels_differing.txt")


def test_a_plan_on_a_page(golden):
    assert fragment_of(plan_labels(**PLANS["budget"])) == golden("plan_labels_fragment.html")


def part(plan, title):
    """The parts of a fold."""
    return next(block.parts for block in section_of(plan).blocks if isinstance(block, Fold) and block.title == title)


def rows(table):
    return {row[0]: row[1] for row in table.rows}


def notes(plan):
    return " ".join(text for block in section_of(plan).blocks if isinstance(block, Points) for text in block.texts)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"budget": 1500}, "Buy one label for each of 1,500 items: then the worse model wins or ties in 0.035% of "),
        ({"error": 0.05}, "of 369 items: the cheapest design for which the worse model wins or ties in at most 5%"),
        ({"error": 0.05, "labels_per_item": [1]}, "369 items: the smallest test set for which the worse model"),
        ({"models": 5}, "in at most 1.25% of test sets"),  # .05 / 4
        # Items at 1.5 and labels at 1: 198 * 4.5 = 891, and 369 * 2.5 = 922.5.
        ({"error": 0.05, "item_cost": 1.5}, "Buy three labels for each of 198 items: the cheapest"),
        ({"budget": 1}, "Buy one label for one item: then the worse model wins or ties in"),
        ({"budget": 100, "label_accuracy": 1.0, "accuracy": 0.9, "ties": "win"},
         "then the worse model wins outright in 0% of test sets"),
    ],
)  # fmt: skip
def test_the_recommendation_says_what_to_buy_and_what_it_does(options, words):
    assert words in recommendation(plan_labels(**{**FIGURE_1, **options}))


def test_a_test_set_that_is_far_too_large_is_called_so():
    plan = plan_labels(**PLANS["deep"])
    said = recommendation(plan)
    assert said.startswith("You can buy one label for each of 400,000 items, but ")
    enough = int(said.partition("but ")[2].partition(" are")[0].replace(",", ""))
    assert plan_labels(**{**PLANS["deep"], "budget": enough}).recommended.error < 0.01


def test_labels_that_put_the_worse_model_first_are_not_recommended():
    assert recommendation(plan_labels(**PLANS["tilted"])).startswith("Do not decide by labels like these")
    assert recommendation(plan_labels(**PLANS["tilted error"])).startswith("No design reaches this error")


def test_a_note_says_from_which_cost_of_an_item_several_labels_pay():
    assert notes(plan_labels(**PLANS["error"])) == (
        "Check what it costs to get an item (here: nothing). If it costs more than 1.3 labels, buy three labels for "
        "each item."
    )
    assert "(here: 4 labels)" in notes(plan_labels(**PLANS["dear"]))


def test_a_budget_that_is_too_small_leads_to_a_plan_for_an_error():
    assert "plan with error= 0.05" in notes(plan_labels(**PLANS["tiny"]))


def test_the_assumptions_are_rows_of_a_table():
    def assumed(name):
        return rows(part(plan_labels(**PLANS[name]), "What the plan assumes")[0])

    assert assumed("budget")["Models differ on"] == "32.5% of the items, as they err independently"
    assert assumed("classes")["Models differ on"] == "62.0% of the items"
    assert assumed("classes")["Wrong label"] == "any of 2 wrong classes, equally likely"
    assert assumed("tilted")["Label right where only the better model is"] == "60.0%"


def test_a_pilot_is_shown_with_its_intervals_and_what_it_cannot_check(pilot_plan):
    table, unchecked = part(pilot_plan, "What the pilot says")
    assert rows(table)["More accurate"] == "better"
    assert list(unchecked.texts) == list(pilot_plan.pilot.assumptions)
    low, high = pilot_plan.needed[0].items_low, pilot_plan.needed[0].items_high
    assert f"it may take {rough(low)} to {rough(high)} items (95% interval)" in notes(pilot_plan)


def test_a_judges_name_is_shown_and_never_run(pilot_plan):
    evil = dataclasses.replace(pilot_plan.pilot, better="<script>alert(1)</script>")
    page = page_of([dataclasses.replace(pilot_plan, pilot=evil)])
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_designs_from_a_pilot_and_what_they_are_compared_with_have_an_interval():
    made = simulate_labels(items=300, raters=5, rng=1)
    plan = plan_labels(
        pilot=made.ratings, pilot_judges=made.judges, budget=300, strategy="disagreement-only", bootstrap=50,
        labels_per_item=[1],
    )  # fmt: skip
    table = next(block for block in section_of(plan).blocks if isinstance(block, Table))
    column = list(table.columns).index("Interval")
    assert all(" to " in row[column] for row in table.rows[:2])


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_can_be_shown_drawn_and_written(name):
    plan = plan_labels(**PLANS[name])
    section = section_of(plan)
    text = text_of(plan, details=True)
    assert "nan" not in text.split()
    assert " inf" not in text
    json.loads(plan.to_json())
    for figure in section.figures():
        assert figure.table is not None
        assert len(figure.table.rows) > 0
        assert all(len(row) == len(figure.table.columns) for row in figure.table.rows)
        json.dumps(figure.spec, allow_nan=False)
        vl_convert.vegalite_to_vega({key: v for key, v in Chart(figure=figure).spec.items() if key != "$schema"})


def test_the_chart_is_the_error_over_the_budget():
    plan = plan_labels(**PLANS["budget"])
    assert [figure.title for figure in section_of(plan).figures()] == [main_chart(plan).figure.title]
    assert main_chart(plan).figure.title == "One label for each item is best at every budget shown"


def test_the_chart_draws_logarithms_however_deep():
    plan = plan_labels(**PLANS["deep"])
    drawn = section_of(plan).figures()[0].spec["layer"][-1]["data"]["values"]
    assert sorted(row["y"] for row in drawn) == sorted(point.log10_error for point in plan.by_budget)
    assert min(row["y"] for row in drawn) < -10_000


@pytest.mark.parametrize(
    ("share", "words"), [(0.5, "50.0%"), (0.002, "0.2%"), (0.00012, "0.012%"), (1.02e-9, "<0.01%")]
)
def test_a_chance_is_a_percentage_that_never_looks_like_nothing(share, words):
    assert chance(math.log10(share)) == words


def test_the_tables_say_how_many_items_to_look_through():
    plan = plan_labels(**PLANS["differing error"])
    table = next(block for block in section_of(plan).blocks if isinstance(block, Table))
    assert list(table.columns[:3]) == ["Labels per item", "Items", "Look through"]
    assert list(table.rows[0][:3]) == ["1 label", 113, math.ceil(113 / 0.325)]
    assert "from 125 on every number does" in " ".join(plan.summary().split())


def test_a_pilot_that_may_have_it_the_wrong_way_round_says_that_no_number_may_be_enough():
    made = simulate_labels(items=80, raters=3, rng=4)
    plan = plan_labels(pilot=made.ratings, pilot_judges=made.judges, error=0.05, bootstrap=100)
    share = sum(plan.pilot.draws.margin <= 0) / 100
    assert plan.pilot.margin.low <= 0
    assert any(f"in {share:.0%} of its bootstrap samples it is no better" in warning for warning in plan.warnings)
    assert plan.needed[0].items_high == math.inf
    assert "items or more, or no number may be enough" in notes(plan)


# Charts at the edges


def figure_rows(figure):
    return figure.spec["layer"][-1]["data"]["values"]


def test_small_sums_of_money_have_their_own_rows():
    section = section_of(plan_labels(**FIGURE_1, budget=1, label_cost=0.001))
    rows = [row[0] for row in section.figures()[0].table.rows]
    assert len(set(rows)) == len(rows) == 13
    assert section.figures()[0].spec["encoding"]["x"]["axis"]["format"] == ",.3~r"


def test_a_single_way_to_label_is_not_said_to_beat_others():
    section = section_of(plan_labels(**FIGURE_1, budget=100, labels_per_item=[3]))
    titles = [figure.title for figure in section.figures()]
    assert titles[0] == "The error with three labels for each item, by budget"
