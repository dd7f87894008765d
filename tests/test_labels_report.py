"""A plan of labels: in words, in tables and in charts."""

import dataclasses
import json
import math

import pytest
import vl_convert

from dissensus.errors import DissensusError
from dissensus.planning import plan_labels
from dissensus.planning.labels.curves import best_choices, by_budget
from dissensus.planning.labels.question import CORRELATED
from dissensus.report.charts import Chart
from dissensus.report.document import Figure, Points, Table
from dissensus.report.html import fragment_of
from dissensus.report.page import page_of
from dissensus.report.sentences.plan_labels import (
    absolute_sentence,
    assumptions,
    break_even_sentence,
    reason,
    recommendation,
)
from dissensus.report.sentences.plan_labels_chances import chance
from dissensus.report.sentences.plan_labels_findings import choice_finding
from dissensus.report.text import text_of
from dissensus.report.views import main_chart, section_of
from dissensus.report.views.plan_labels import view
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


def test_the_recommendation_says_what_to_buy_what_not_and_what_it_does():
    assert recommendation(plan_labels(**PLANS["budget"])) == (
        "Buy one label for each of 1,500 items, not three for each of 500: the worse model wins or ties in 0.035% of "
        "such test sets instead of 0.37%."
    )
    assert recommendation(plan_labels(**PLANS["error"])) == (
        "Buy one label for each of 369 items (369 labels), not three for each of 198 (594 labels): the cheapest of the "
        "designs compared for which the worse model wins or ties in at most 5% of such test sets."
    )


def test_a_strategy_that_loses_is_advised_against():
    said = recommendation(plan_labels(**FIGURE_1, budget=1500, strategy="adaptive"))
    assert said.startswith(
        "Buy one label for each of 1,500 items, not two labels and a third where they differ (2.38 on average) for "
        "each of 631: "
    )


def test_labels_that_put_the_worse_model_first_are_not_recommended():
    assert recommendation(plan_labels(**PLANS["tilted"])).startswith("Do not decide by labels like these")
    assert recommendation(plan_labels(**PLANS["tilted error"])).startswith("No number of items is enough")


def test_the_reason_weighs_what_an_item_says_against_the_number_of_items():
    # (2 * .84375 - 1) / (2 * .75 - 1) = 1.375; the root of three is 1.73.
    said = reason(plan_labels(**PLANS["budget"]))
    assert "says 1.38 times as much; to make up for the fewer items it would have to say 1.73 times" in said
    assert "that is more than the" in reason(plan_labels(**FIGURE_1, budget=4000, item_cost=4))
    assert reason(plan_labels(**PLANS["sure"])) == (
        "Labels that are always right gain nothing from being asked for again."
    )


def test_the_break_even_is_told_in_labels():
    said = break_even_sentence(plan_labels(**PLANS["error"]))
    assert "three from a cost of 1.32 labels on (1.25 by the formula for small margins)" in said
    assert said.endswith("Here an item costs nothing.")
    dear = break_even_sentence(plan_labels(**PLANS["dear"]))
    assert dear.endswith("Here an item costs as much as 4 labels.")


def test_what_the_labels_say_of_one_model_is_told_as_another_aim():
    assert "with a standard error of 0.025" in absolute_sentence(plan_labels(**PLANS["budget"]))
    assert absolute_sentence(plan_labels(**PLANS["differing"])) == ""


def test_the_assumptions_name_how_the_models_go_together():
    assert "err independently of each other and so differ on 32.5%" in assumptions(plan_labels(**PLANS["budget"]))
    assert "the models differ on 62.0% of the items" in assumptions(plan_labels(**PLANS["classes"]))
    assert "right on 60.0% of the items that only the better model gets right" in assumptions(
        plan_labels(**PLANS["tilted"])
    )


def test_a_pilot_is_told_with_its_intervals_and_what_it_cannot_check(pilot_plan):
    points = next(block for block in section_of(pilot_plan).blocks if isinstance(block, Points)).texts
    text = " ".join(points)
    assert '"better" is the more accurate one' in text
    assert "What the pilot leaves open: the error of the recommended design may be" in text
    assert "items may be needed (95% intervals)" in text
    assert set(pilot_plan.pilot.assumptions) <= set(points)


def test_a_judges_name_is_shown_and_never_run(pilot_plan):
    evil = dataclasses.replace(pilot_plan.pilot, better="<script>alert(1)</script>")
    page = page_of([dataclasses.replace(pilot_plan, pilot=evil)])
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_only_designs_from_the_pilot_have_an_interval():
    made = simulate_labels(items=300, raters=5, rng=1)
    plan = plan_labels(
        pilot=made.ratings, pilot_judges=made.judges, budget=300, strategy="disagreement-only", bootstrap=50,
        labels_per_item=[1],
    )  # fmt: skip
    table = next(block for block in section_of(plan).blocks if isinstance(block, Table))
    column = list(table.columns).index("Interval")
    assert " to " in table.rows[0][column]
    assert table.rows[1][column] is None


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_can_be_told_drawn_and_written(name):
    plan = plan_labels(**PLANS[name])
    section = section_of(plan)
    text = text_of(plan)
    assert "nan" not in text.split()
    assert " inf" not in text
    json.loads(plan.to_json())
    for figure in section.figures():
        assert figure.table is not None
        assert len(figure.table.rows) > 0
        assert all(len(row) == len(figure.table.columns) for row in figure.table.rows)
        json.dumps(figure.spec, allow_nan=False)
        vl_convert.vegalite_to_vega({key: v for key, v in Chart(figure=figure).spec.items() if key != "$schema"})


def test_a_plan_has_five_charts_and_the_first_is_the_error_over_the_budget():
    section = section_of(plan_labels(**PLANS["budget"]))
    titles = [figure.title for figure in section.figures()]
    assert titles == [
        "One label for each item leaves the smallest error at every budget shown",
        "One label for each item leaves the smallest error at every label accuracy shown",
        "Several labels for each item pay only where an item costs as much as a label or more",
        "The error is 0.035%; Cramer's bound says 0.3%, Hoeffding's 15.3%",
        "Models that 1,500 labels can rank: 142 with 1 label, 14 with 3 labels, 6 with 5 labels",
    ]
    assert main_chart(plan_labels(**PLANS["budget"])).figure.title == titles[0]


def test_labels_for_one_pair_of_models_have_no_chart_of_models():
    assert len(section_of(plan_labels(**PLANS["differing"])).figures()) == 4


def test_the_chart_draws_logarithms_however_deep():
    plan = plan_labels(**PLANS["deep"])
    drawn = section_of(plan).figures()[0].spec["layer"][-1]["data"]["values"]
    assert sorted(row["y"] for row in drawn) == sorted(point.log10_error for point in by_budget(plan))
    assert min(row["y"] for row in drawn) < -10_000


def test_the_title_of_the_map_follows_the_choices():
    def finding(plan):
        return choice_finding(best_choices(plan_labels(**plan)))

    assert finding(PLANS["classes"]).endswith("even if items cost nothing")
    assert finding(PLANS["tiny"]) == "One label for each item is best at every label accuracy and item cost shown"


@pytest.mark.parametrize(
    ("share", "words"), [(0.5, "50.0%"), (0.002, "0.2%"), (2e-5, "1 in 50,000"), (1.02e-9, "1 in 980 million")]
)
def test_a_chance_is_a_percentage_or_one_in_so_many(share, words):
    assert chance(math.log10(share)) == words


def test_only_a_plan_of_labels_is_shown_as_one():
    class Other:
        warnings = ()

    with pytest.raises(DissensusError, match="A Other cannot be shown as a plan of labels"):
        view(Other())


def test_the_tables_say_how_many_items_to_look_through():
    section = section_of(plan_labels(**PLANS["differing error"]))
    tables = [block for block in section.blocks if isinstance(block, Table)]
    assert tables[0].columns[-1] == "Look through"
    assert tables[1].rows[0][:5] == ["1 label", 113, 125, math.ceil(113 / 0.325), 113]
    assert not any(isinstance(block, Figure) and block.title.startswith("Models") for block in section.blocks)
