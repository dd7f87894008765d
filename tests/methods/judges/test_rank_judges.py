"""What `judges` says, refuses and keeps fixed."""

import json
from dataclasses import replace
from math import isnan

import numpy as np
import pandas as pd
import pytest

from dissensus.data import Task, read, read_judges
from dissensus.errors import JudgesError, OptionError
from dissensus.methods.judges import judges as rank_judges

from judges_builders import choices, judges_from, names_of, ratings_from, sets

ITEMS = [choices(0, 0, 1), choices(1, 1, 2), choices(2), choices(0, 2, 2), choices(0)]
JUDGES = {
    "one": [choices(0, 1), choices(1), choices(2), choices(2), choices(1)],
    "two": [choices(1), choices(2), choices(2), choices(0), choices(0)],
}


def ranked(items=ITEMS, judges=JUDGES, **options):
    return rank_judges(ratings_from(items), judges_from(judges), **({"bootstrap": 0} | options))


# The contract

KEYS = {
    "definitions": "id definition judge_aggregation human_aggregation tau better selected tied_items values "
    "constant person perfect",
    "downstream": "tau judge consistency consistency_low consistency_high bias bias_low bias_high kappa reduced",
    "sensitivity": "beta tau prevalence selected best consistency lost",
    "inversions": "judge_a judge_b prefer_a prefer_b",
    "advice": "text reason",
}


@pytest.fixture(scope="module")
def answer():
    return json.loads(ranked(positive="a", tau=[0.3, 0.5], bootstrap=60).to_json())


@pytest.mark.parametrize("part", KEYS)
def test_the_json_has_the_names_of_the_design(answer, part):
    assert answer["result"][part]
    for row in answer["result"][part]:
        assert list(row) == KEYS[part].split()


def test_values_in_the_json_have_the_names_of_the_design(answer):
    for definition in answer["result"]["definitions"]:
        for value in definition["values"]:
            assert list(value) == [
                "judge",
                "value",
                "low",
                "high",
                "rank",
                "share_best",
                "tied_items",
                "beats_constant",
                "reduced",
            ]
    for row in answer["result"]["sensitivity"]:
        assert [list(entry) for entry in row["consistency"]] == [["judge", "value"]] * 2
        assert set(row["selected"].values()) <= {"one", "two", None}


def test_the_json_says_what_made_it(answer):
    assert answer["command"] == "judges"
    assert answer["settings"]["positive"] == ["a"]
    assert answer["settings"]["tau"] == [0.3, 0.5]
    assert answer["settings"]["seed"] == 0
    assert answer["data"]["judges"]["judges"] == ["one", "two"]


def test_aggregations_are_among_the_four(answer):
    known = {"hard", "soft", "hard_response_set", "soft_response_set"}
    for definition in answer["result"]["definitions"]:
        assert {definition["judge_aggregation"], definition["human_aggregation"]} <= known
        uses_sets = "hard_response_set" in (definition["judge_aggregation"], definition["human_aggregation"])
        assert (definition["tau"] is not None) == uses_sets


def test_a_value_that_is_null_has_its_reason_in_the_warnings():
    result = ranked(judges={"one": [choices(0)] * 5, "two": JUDGES["two"]})
    assert isnan(result.definition("cohen_kappa").of("one").value)
    assert result.definition("cohen_kappa").of("one").rank is None
    assert result.definition("cohen_kappa").selected == "two"
    said = "cohen_kappa of one undefined: it has one hard label only (a), so agreement is that of chance."
    assert said in result.warnings


def test_one_label_on_both_sides_leaves_no_coefficient():
    result = rank_judges(
        ratings_from([choices(0)] * 3), judges_from({"one": [choices(0)] * 3}), positive="b", bootstrap=20
    )
    for id_ in ("krippendorff_alpha", "fleiss_kappa", "cohen_kappa", "scott_pi"):
        assert isnan(result.definition(id_).values[0].value)
    said = "krippendorff_alpha, fleiss_kappa, cohen_kappa, scott_pi of one undefined: it and people each have one hard"
    assert any(warning.startswith(said) for warning in result.warnings)
    assert result.definition("hit_rate").values[0].value == 1


def test_thresholds_that_differ_by_rounding_are_one():
    assert ranked(tau=[0.1 + 0.2, 0.3]).settings["tau"] == (0.3,)


def test_rows_are_one_per_definition_and_judge():
    result = ranked()
    assert len(result.rows()) == 2 * len(result.definitions)
    assert result.rows()[0]["id"] == "hit_rate"


# Intervals


def test_without_bootstrap_there_are_no_intervals():
    value = ranked().definition("jsd").values[0]
    assert isnan(value.low)
    assert isnan(value.share_best)


def test_intervals_hold_the_value_and_shares_add_up():
    result = ranked(
        items=ITEMS * 8, judges={name: own * 8 for name, own in JUDGES.items()}, bootstrap=300, positive="a"
    )
    for definition in result.definitions:
        assert np.isclose(sum(value.share_best for value in definition.values), 1)
        for value in definition.values:
            assert value.low <= value.value <= value.high
    for row in result.downstream:
        assert row.consistency_low <= row.consistency <= row.consistency_high
        assert row.bias_low <= row.bias <= row.bias_high


def test_the_interval_of_a_mean_is_about_two_standard_errors_wide():
    # 400 items, hits with probability one half: the standard error is .5 / 20 = .025.
    rng = np.random.default_rng(1)
    hits = rng.integers(0, 2, size=400)
    result = ranked([choices(0)] * 400, {"one": [choices(own) for own in hits]}, bootstrap=1000, raters="fixed")
    value = result.definition("hit_rate").values[0]
    assert np.isclose((value.high - value.low) / (2 * 1.96), 0.025, rtol=0.1)


def test_one_item_cannot_be_resampled():
    result = ranked([choices(0, 1)], {"one": [choices(0)]}, bootstrap=100)
    assert isnan(result.definition("jsd").values[0].low)
    assert "There is only one item to resample, so there are no intervals." in result.warnings


def test_the_same_seed_gives_the_same_answer_whatever_the_number_of_processes():
    once = ranked(positive="a", bootstrap=120, rng=3).to_json()
    assert once == ranked(positive="a", bootstrap=120, rng=3, workers=2).to_json()
    assert once != ranked(positive="a", bootstrap=120, rng=4).to_json()


def test_bootstrap_samples_of_many_items_come_a_few_at_a_time_and_are_the_same(monkeypatch):
    once = ranked(positive="a", bootstrap=120, rng=3).definition("mse_soft").values
    monkeypatch.setattr("dissensus.sampling.draws.NUMBERS_AT_ONCE", 1)  # one sample at a time
    apart = ranked(positive="a", bootstrap=120, rng=3).definition("mse_soft").values
    assert [(value.low, value.high) for value in apart] == [
        pytest.approx((value.low, value.high), abs=1e-12) for value in once
    ]


def test_the_order_of_items_changes_nothing():
    order = [3, 0, 4, 2, 1]
    again = ranked([ITEMS[i] for i in order], {name: [own[i] for i in order] for name, own in JUDGES.items()})
    for mine, other in zip(ranked().definitions, again.definitions, strict=True):
        assert np.allclose([v.value for v in mine.values], [v.value for v in other.values], equal_nan=True)


# Which items


def test_judges_are_compared_on_the_items_that_all_of_them_answered():
    judges = {"one": JUDGES["one"][:3], "two": JUDGES["two"]}
    result = ranked(judges=judges)
    assert result.settings["items"] == 3
    assert "Left out 2 items that not every judge answered: all are compared on the same 3 items." in result.warnings
    assert ranked(judges=judges, judge="two").settings["items"] == 5


def test_forced_choice_definitions_use_items_with_forced_choices():
    items = [*ITEMS[:4], sets({0, 1})]
    result = ranked(items, JUDGES)
    hits = [own[0] == ("choice", {mode}) for own, mode in zip(JUDGES["two"][:4], (0, 1, 2, 2), strict=True)]
    assert result.definition("hit_rate").of("two").value == np.mean(hits)
    assert any(w.startswith("Only 4 of 5 items have forced choices of people") for w in result.warnings)


def test_response_sets_alone_stand_in_for_choices_in_equal_parts():
    result = ranked([sets({0, 1}), sets({2})], {"one": [choices(0), choices(2)]})
    assert result.definition("mse_soft").values[0].value == pytest.approx((0.25 + 0.25) / 2)
    choice = "Forced choices only from one: each counts as the whole response set"
    assert any(w.startswith(choice) for w in result.warnings)
    assert any(w.startswith("Nobody made a forced choice") for w in result.warnings)


# Refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tau": 0}, "tau= cannot be 0: give a share above 0 and at most 1, such as 0.5."),
        ({"tau": [0.5, 1.2]}, "tau= cannot be 1.2: give a share above 0 and at most 1, such as 0.5."),
        ({"tau": float("nan")}, "tau= cannot be nan: give a share above 0 and at most 1, such as 0.5."),
        ({"tau": []}, "tau= has no value: give a threshold such as 0.5."),
        ({"beta": [0, 1.5]}, "beta= cannot be 1.5: give shares from 0 to 1, such as 0,0.1,0.2."),
        ({"beta": -0.1}, "beta= cannot be -0.1: give shares from 0 to 1, such as 0,0.1,0.2."),
        ({"mapping": "both"}, "mapping= cannot be 'both': choose one of keep, paper."),
        ({"positive": "d"}, "positive= 'd' is not an option: the options are a, b, c."),
        ({"positive": "abc"}, "positive= 'abc' is not an option: the options are a, b, c."),
        (
            {"positive": ["a", "b", "c"]},
            "positive= names every option, so that nothing could be negative: leave at least one out.",
        ),
        ({"judge": "three"}, "There is no judge 'three': the judges are one, two."),
        ({"judge": []}, "No judge was named: name at least one, or leave judge out to compare all of them."),
        ({"bootstrap": -1}, "bootstrap= cannot be -1: give the number of samples, or 0 for none."),
        ({"confidence": 1}, "confidence= cannot be 1: it is a share between 0 and 1."),
        ({"smoothing": -1}, "smoothing= cannot be -1: it is added to shares, so 0 or more."),
    ],
)
def test_an_option_that_cannot_be_is_refused_in_one_line(options, message):
    with pytest.raises(OptionError) as refusal:
        ranked(**options)
    assert str(refusal.value) == message


def test_a_judge_that_answered_none_of_the_rated_items_is_refused():
    strange = replace(judges_from(JUDGES), items=(*names_of(4), "elsewhere"))
    only_there = strange.where((strange.judge == 0) | (strange.item == 4))
    with pytest.raises(JudgesError) as refusal:
        rank_judges(ratings_from(ITEMS), only_there)
    assert str(refusal.value) == (
        "The judge two answered none of the rated items: check the item ids, or name the judges to compare with judge=."
    )
    assert rank_judges(ratings_from(ITEMS), only_there, judge="one", bootstrap=0).settings["judge"] == ["one"]


def test_a_judge_that_is_called_as_a_constant_is_refused():
    with pytest.raises(JudgesError, match=r"^A judge is called 'always-negative', like the constant"):
        ranked(judges={"always-negative": JUDGES["one"], "two": JUDGES["two"]}, positive="a")
    assert ranked(judges={"always-negative": JUDGES["one"], "two": JUDGES["two"]}, positive="a", judge="two").downstream


def test_judges_that_share_no_item_with_each_other_or_with_people_are_refused():
    apart = judges_from(JUDGES)
    apart = apart.where((apart.item < 2) == (apart.judge == 0))
    with pytest.raises(JudgesError, match="No item was answered by every judge"):
        rank_judges(ratings_from(ITEMS), apart)
    with pytest.raises(JudgesError, match="The judges share no item with the ratings"):
        rank_judges(ratings_from(ITEMS), replace(judges_from(JUDGES), items=names_of(5, "other")))


# Decisions, sweep and F'


def test_without_a_positive_option_there_are_no_decisions_and_that_is_said():
    result = ranked()
    assert result.downstream == ()
    assert result.sensitivity == ()
    assert any(warning.startswith("No positive option was named") for warning in result.warnings)


def test_the_positive_options_are_those_of_the_task_unless_named():
    task = Task(options=("a", "b", "c"), positive=("b",))
    assert ranked(task=task).settings["positive"] == ["b"]
    assert ranked(task=task, positive="c").settings["positive"] == ["c"]


def test_in_a_pairwise_task_the_first_option_is_positive():
    task = Task(options=("win", "tie", "lose"), kind="pairwise")
    rated = read(pd.DataFrame({"item": [1, 2], "rater": "r", "label": ["win", "lose"]}), task=task)
    judged = read_judges(pd.DataFrame({"item": [1, 2], "judge": "j", "label": ["win", "win"]}), task=task)
    result = rank_judges(rated, judged, task=task, bootstrap=0)
    assert result.settings["positive"] == ["win"]
    assert result.downstream[0].bias == 0.5


def test_the_sweep_finds_where_another_judge_becomes_best():
    # Three in ten say a: the item is positive from beta = (.5 - .3) / .7 on. One judge says a, the other b.
    # Of a second item all say c, so that neither judge is a constant; it stays negative.
    people = [choices(*[0] * 3, *[1] * 7), choices(2, 2, 2)]
    judges = {"no": [choices(1), choices(2)], "yes": [choices(0), choices(2)]}
    result = ranked(people, judges, positive="a", beta=[0, 0.2, 0.4])
    assert [(row.beta, row.prevalence, row.best) for row in result.sensitivity] == [
        (0, 0, "no"), (0.2, 0, "no"), (0.4, 0.5, "yes")]  # fmt: skip
    assert result.sensitivity[-1].consistency == {"no": 0.5, "yes": 1.0}
    exact = [flip for flip in result.flip_points if flip.definition is None]
    assert [(flip.judge_from, flip.judge_to) for flip in exact] == [("no", "yes")]
    assert exact[0].beta_from == exact[0].beta_to == pytest.approx(0.2 / 0.7)
    # Squared error of the first item at beta 0: no .3^2 + .3^2, yes .7^2 + .7^2; of the second they have the same.
    # At .4 Omega is (.58, .7): no .58^2 + .3^2, yes .42^2 + .7^2.
    assert {row.selected["mse_response_set"] for row in result.sensitivity} == {"no"}
    paper = ranked(people, judges, positive="a", beta=[0.4], mapping="paper")  # Omega (.58, .42)
    assert paper.sensitivity[0].selected["mse_response_set"] == "yes"
    assert paper.sensitivity[0].selected["hit_rate"] == "no"
    alone = ranked(people[:1], {name: own[:1] for name, own in judges.items()}, positive="a", beta=[0, 0.4])
    assert {judge for row in alone.sensitivity for id_, judge in row.selected.items() if "efficiency" not in id_} == {
        None
    }


def test_the_sweep_leaves_given_response_sets_alone():
    people = [choices(*[0] * 3, *[1] * 7), sets({1}), sets({0}), sets({0, 1})]
    result = ranked(people, {"one": [choices(1)] * 4}, positive="a", beta=[0, 1])
    assert [row.prevalence for row in result.sensitivity] == [2 / 4, 3 / 4]


@pytest.mark.parametrize(
    "options",
    [
        {"task": Task(options=("a", "b", "c"), response_sets="single")},
        {"items": [sets({0}), sets({1, 2})] * 2 + [sets({0})]},
    ],
)
def test_there_is_no_sweep_where_response_sets_are_known(options):
    assert ranked(**options, positive="a").sensitivity == ()


PAIRED = [choices(1, 1) + sets({0, 1}, {1}), choices(0, 1, 1, 1)]
RATERS = [[0, 1, 0, 1], [2, 3, 4, 5]]


def paired(**options):
    ratings = ratings_from(PAIRED, ("a", "b"), raters=RATERS)
    judges = judges_from({"one": [choices(0), choices(0)]}, ("a", "b"))
    return rank_judges(ratings, judges, positive="a", **({"bootstrap": 0} | options))


def test_paired_ratings_give_the_reverse_matrix_and_with_it_the_response_sets():
    # Two raters chose b and gave {a, b} and {b}; every set with the option starts at 1/2. So F'(b) = (0, 1/2, 1/2), and
    # F'(a), of which nothing is known, is (1/2, 0, 1/2). With O = (.25, .75) on the second item Omega is
    # (.25 + .75/2, .75 + .25/2) = (.625, .875), and that is also the probability of a set with a.
    result = paired()
    matrix = result.reverse_matrix
    assert (matrix.paired_by, matrix.pairs) == ("rater", 2)
    assert matrix.response_sets == ("a", "b", "a|b")
    assert matrix.values == ((0.5, 0.0, 0.5), (0.0, 0.5, 0.5))
    # The judge says a. First item: Omega = (1/2, 1).
    expected = ((0.5**2 + 1) + (0.375**2 + 0.875**2)) / 2
    assert result.definition("mse_response_set").values[0].value == pytest.approx(expected)
    assert result.downstream[0].consistency == 1.0  # .5 and .625 reach .5
    assert result.sensitivity == ()
    assert paired(beta=[0.0, 0.1]).sensitivity != ()  # unless it is asked for


def test_the_reverse_matrix_has_intervals_that_sum_up_its_replicates():
    matrix = paired(bootstrap=200).reverse_matrix
    assert len(matrix.low) == len(matrix.high) == 2
    for value, low, high in zip(matrix.values, matrix.low, matrix.high, strict=True):
        assert np.isclose(sum(value), 1)
        assert (np.array(low) <= np.array(value)).all()
        assert (np.array(value) <= np.array(high)).all()


def test_items_with_both_from_different_raters_give_the_reverse_matrix_by_item():
    ratings = ratings_from(PAIRED, ("a", "b"))  # everybody another rater
    result = rank_judges(ratings, judges_from({"one": [choices(0), choices(0)]}, ("a", "b")), positive="a", bootstrap=0)
    assert result.reverse_matrix.paired_by == "item"
    assert np.allclose(result.reverse_matrix.values[1], (0, 0.5, 0.5))
    assert any(warning.startswith("Nobody gave both") for warning in result.warnings)


def test_pairs_on_items_that_no_judge_answered_count_for_the_reverse_matrix():
    ratings = ratings_from(PAIRED, ("a", "b"), raters=RATERS)
    judges = judges_from({"one": [choices(0), choices(0)]}, ("a", "b"))
    result = rank_judges(ratings, judges.where(judges.item == 1), positive="a", bootstrap=30)
    assert result.settings["items"] == 1
    assert result.reverse_matrix.pairs == 2
    assert result.definition("mse_response_set").values[0].value == pytest.approx(0.375**2 + 0.875**2)


def test_a_judge_asked_for_both_has_its_own_beta():
    # Where it chose b it endorses a, too, in one of two; where it chose a it does not count.
    judge = [choices(1) + sets({0, 1}), choices(1) + sets({1}), choices(0) + sets({0})]
    result = ranked([choices(1)] * 3, {"both": judge, "one": [choices(1)] * 3}, positive="a", bootstrap=50)
    (own,) = result.own_beta
    assert (own.judge, own.beta, own.items) == ("both", 0.5, 3)
    assert 0 <= own.low <= 0.5 <= own.high <= 1
