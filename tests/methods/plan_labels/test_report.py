"""A plan of labels: in words, in tables and in charts."""

import dataclasses
import json
import math

import pytest
import vl_convert

from dissensus.errors import DissensusError
from dissensus.methods.plan_labels.options import CORRELATED
from dissensus.methods.plan_labels.plan_labels import plan_labels
from dissensus.report.charts import Chart
from dissensus.report.document import Figure, Points, Table
from dissensus.report.html import fragment_of, page_of
from dissensus.report.text import text_of
from dissensus.report.views import main_chart, section_of
from dissensus.report.views.plan_labels import (
    absolute_sentence,
    assumptions,
    break_even_sentence,
    reason,
    recommendation,
    view,
)
from dissensus.report.views.plan_labels_charts import chance, choice_finding, pilot_points
from dissensus.simulation.labels import simulate_labels

from comparison_builders import judges_of, ratings_of

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
    assert recommendation(plan_labels(**PLANS["tilted error"])).startswith("More items do not help")


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
        "At the item costs shown, several labels for each item are best only from 1 label on",
        "The error is 0.035%; Cramer's bound says 0.3%, Hoeffding's 15.3%",
        "Models that 1,500 labels can rank: 142 with 1 label, 14 with 3 labels, 6 with 5 labels",
    ]
    assert main_chart(plan_labels(**PLANS["budget"])).figure.title == titles[0]


def test_labels_for_one_pair_of_models_have_no_chart_of_models():
    assert len(section_of(plan_labels(**PLANS["differing"])).figures()) == 4


def test_the_chart_draws_logarithms_however_deep():
    plan = plan_labels(**PLANS["deep"])
    drawn = section_of(plan).figures()[0].spec["layer"][-1]["data"]["values"]
    assert sorted(row["y"] for row in drawn) == sorted(point.log10_error for point in plan.by_budget)
    assert min(row["y"] for row in drawn) < -10_000


def test_the_title_of_the_map_follows_the_choices():
    def finding(plan):
        return choice_finding(plan_labels(**plan).best_choices)

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


# Sentences at the edges

NO_BETTER = (
    "Two labels for each item do not make the label that counts right more often than one label ({} against 75.0%)."
)
AS_MANY = (
    "Three labels for each item make the label that counts right 84.4% of the time instead of 75.0%, so that an item "
    "says 1.38 times as much, and as many items are paid for."
)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        # The majority of two with a coin is as good as one label; two right of two is .75^2.
        ({"labels_per_item": [1, 2]}, NO_BETTER.format("75.0%")),
        ({"labels_per_item": [1, 2], "even": "strict"}, NO_BETTER.format("56.2%")),
        ({"label_accuracy": 1.0}, "Labels that are always right gain nothing from being asked for again."),
        # Labels cost nothing, so each way buys 50 items.
        ({"item_cost": 2, "label_cost": 0, "labels_per_item": [1, 3]}, AS_MANY),
    ],
)  # fmt: skip
def test_the_reason_is_said_of_the_labels_that_were_compared(more, said):
    assert reason(plan_labels(**{**FIGURE_1, "budget": 100} | more)) == said


def test_a_reason_that_the_errors_contradict_is_not_given_as_the_reason():
    # Ties are won, so that fewer items, which tie more often, are better: nothing makes up for anything.
    plan = plan_labels(disagreement=0.001, margin=0.001, label_accuracy=0.9, budget=100, ties="win")
    assert plan.best == 5
    assert reason(plan).endswith("times make up for the fewer items, but here the exact errors decide.")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"models": 5}, "in at most 1.25% of such test sets"),  # .05 / 4
        ({"error": 0.05}, "Buy one label for each of 369 items (369 labels), not three for each of 198 (594 labels)"),
        # Items at 1.5 and labels at 1: 369 * 2.5 and 198 * 4.5.
        ({"error": 0.05, "item_cost": 1.5}, "198 items (a cost of 891), not one for each of 369 (a cost of 922.5)"),
        ({"budget": 1}, "Buy one label for one item: the worse model wins or ties in"),
        (
            {"budget": 100, "label_accuracy": 1.0, "accuracy": 0.9, "ties": "win"},
            "the worse model wins outright in 0% of such test sets, and as often with the other.",
        ),
    ],
)
def test_the_recommendation_says_what_was_asked_and_what_it_costs(options, said):
    assert said in recommendation(plan_labels(**{**FIGURE_1, **options}))


def test_a_benchmark_without_error_holds_any_number_of_models():
    # The better model is always right and so are labels: it never loses, and ties are won.
    text = text_of(plan_labels(accuracy=0.9, margin=0.1, label_accuracy=1.0, budget=100, ties="win"))
    assert "it can hold any number of models and still put the best one first or level with the first in" in flat(text)


def flat(text):
    return " ".join(text.split())


def test_several_labels_that_pay_anyway_are_not_said_to_need_dear_items():
    tilted = dict(zip(CORRELATED, (0.7, 0.6, 0.95, 0.6, 0.9), strict=True))
    plan = plan_labels(**tilted, budget=5000)
    assert [one.ratio_exact for one in plan.break_even] == [0.0, 0.0]
    assert break_even_sentence(plan).endswith("for less money here, whatever an item costs.")
    free = plan_labels(accuracy=0.5, margin=1e-9, label_accuracy=0.51, budget=2, item_cost=2, label_cost=0, ties="half")
    assert (free.best, break_even_sentence(free)) == (5, "")


def test_labels_that_say_next_to_nothing_measure_no_accuracy():
    plan = plan_labels(accuracy=0.6, margin=0.1, label_accuracy=0.5001, budget=50)
    assert absolute_sentence(plan).endswith("labels like these say next to nothing about that.")
    many = absolute_sentence(plan_labels(**FIGURE_1, budget=10**9))
    assert "with a standard error of 0.000031," in many


def test_a_margin_that_was_asked_for_is_not_said_to_be_the_pilots():
    made = simulate_labels(items=200, raters=5, unlabelled=200, rng=1)
    plan = plan_labels(pilot=made.ratings, pilot_judges=made.judges, margin=0.05, budget=500, bootstrap=0)
    assert "of the items, as in the pilot, and their accuracies by 0.050;" in assumptions(plan)


def test_a_pilot_that_may_have_it_the_wrong_way_round_says_that_no_number_may_be_enough():
    made = simulate_labels(items=80, raters=3, rng=4)
    plan = plan_labels(pilot=made.ratings, pilot_judges=made.judges, error=0.05, bootstrap=100)
    share = sum(plan.pilot.draws.margin <= 0) / 100
    assert plan.pilot.margin.low <= 0
    assert any(f"in {share:.0%} of its bootstrap samples it is no better" in warning for warning in plan.warnings)
    assert plan.needed[0].items_high == math.inf
    assert "items or more may be needed, or no number be enough" in " ".join(pilot_points(plan))


def test_labels_no_better_than_guesses_where_the_models_differ_are_called_so():
    # The models differ on the items aaab, aaab, aabb and bbba, where two labels agree with chance .5 or less.
    given = ["baaa", "aaab", "aaab", "bb", "baaa", "aabb", "abba", "bbba"]
    made = judges_of(one=list("baaabbba"), two=list("bbbababb"))
    plan = plan_labels(pilot=ratings_of([list(labels) for labels in given]), pilot_judges=made, budget=10, bootstrap=0)
    assert float(plan.situation.label_accuracy) == 0.5
    said = "One label is right 50.0% of the time, no more often than a guess, and three labels for each item do not "
    assert reason(plan) == f"{said}mend that."
    better = dataclasses.replace(plan.designs[1], label_accuracy=0.6)  # as if items were unlike each other
    assert reason(dataclasses.replace(plan, designs=(plan.designs[0], better, *plan.designs[2:]))).endswith(
        "than a guess; three labels for each item make the label that counts right 60.0% of the time."
    )


# Charts at the edges


def figure_rows(figure):
    return figure.spec["layer"][-1]["data"]["values"]


def test_a_line_is_drawn_over_all_label_accuracies_though_its_labels_vary():
    section = section_of(plan_labels(**PLANS["lead"]))
    rows = figure_rows(section.figures()[1])
    drawn = {name: len([row for row in rows if row["series"] == name]) for name in ("1 label", "until a lead of two")}
    assert drawn["until a lead of two"] == drawn["1 label"] == 12


@pytest.mark.parametrize("options", [{"budget": 1500.5}, {"error": 0.05, "strategy": "lead-by-two"}])
def test_models_are_counted_at_a_budget_that_is_no_whole_number(options):
    plan = plan_labels(**{**FIGURE_1, **options})
    title = section_of(plan).figures()[4].title
    assert title.startswith(f"Models that {round(plan.options.budget or plan.recommended.cost):,} labels can rank: ")
    assert title.count(" with ") == len(plan.designs)


def test_small_sums_of_money_have_their_own_rows():
    section = section_of(plan_labels(**FIGURE_1, budget=1, label_cost=0.001))
    rows = [row[0] for row in section.figures()[0].table.rows]
    assert len(set(rows)) == len(rows) == 13
    assert section.figures()[0].spec["encoding"]["x"]["axis"]["format"] == ",.3~r"


def test_bounds_of_labels_that_are_not_recommended_are_those_of_one_way_to_label():
    section = section_of(plan_labels(**PLANS["tilted error"]))
    assert len(section.figures()[3].table.rows) == 13


def test_a_single_way_to_label_is_not_said_to_beat_others():
    section = section_of(plan_labels(**FIGURE_1, budget=100, labels_per_item=[3]))
    titles = [figure.title for figure in section.figures()]
    assert titles[:2] == [f"What three labels for each item can do, by {over}" for over in ("budget", "label accuracy")]


def test_the_map_says_where_it_takes_labels_to_be_fair():
    captions = [section_of(plan_labels(**PLANS[name])).figures()[2].caption for name in ("budget", "tilted")]
    assert ["as often right for either model" in caption for caption in captions] == [False, True]
