"""What judges said: samples, probabilities, response sets, orders, and labels that people do not have."""

import numpy as np
import pandas as pd
import pytest

from dissensus.data import Task, read, read_judges
from dissensus.errors import ColumnError, JudgesError, RatingsError, TaskError
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.answers import answers_of, label_space
from dissensus.methods.judges.summary import order_flips

from judges_builders import choices, judges_from, ratings_from, sets

A_AND_B = np.array([True, False, False])


def answers(judges, ratings=None, order=None, positive=A_AND_B):
    made = judges_from(judges) if isinstance(judges, dict) else judges
    n = len(made.items)
    rated = ratings_from([choices(0, 1, 2)] * n) if ratings is None else ratings
    space = label_space(rated, made, None)
    return answers_of(made, space, row_of_item=np.arange(n), n_items=n, positive=positive, order=order)


def test_samples_are_averaged():
    found = answers({"one": [choices(0, 0, 1, 2)]})
    assert found.soft[0, 0].tolist() == [0.5, 0.25, 0.25]
    assert found.marginals[0, 0].tolist() == [0.5, 0.25, 0.25]
    assert found.positive[0, 0] == 0.5


def test_response_sets_count_in_equal_parts_as_a_choice_and_whole_as_a_set():
    found = answers({"one": [sets({0, 1}, {2})]})
    assert found.soft[0, 0].tolist() == [0.25, 0.25, 0.5]
    assert found.marginals[0, 0].tolist() == [0.5, 0.5, 0.5]
    assert not found.has_choice.any()


def test_a_set_with_two_positive_options_is_positive_once():
    found = answers({"one": [sets({0, 1}, {2})]}, positive=np.array([True, True, False]))
    assert found.positive[0, 0] == 0.5  # the sum of the marginals would be 1


def test_both_elicitations_are_kept_apart():
    found = answers({"one": [choices(2) + sets({0, 2})]})
    assert found.soft[0, 0].tolist() == [0, 0, 1]
    assert found.marginals[0, 0].tolist() == [1, 0, 1]
    assert found.has_choice.all()
    assert found.has_set.all()


def test_a_judge_that_ever_endorses_several_options_is_a_response_set_judge():
    judges = {"sets": [[(None, {0})], [(None, {0, 1})]], "choices": [[(None, {0})], [(None, {1})]]}
    found = answers(judges)
    assert found.has_set.tolist() == [[True, False], [True, False]]


def test_probabilities_are_used_before_the_label_and_may_be_of_sets():
    frame = pd.DataFrame(
        {"item": [1, 2], "judge": "j", "label": "a", "p_a": [0.2, 1], "p_b": [0.3, 0], "p_a|b": [0.5, 0]}
    )
    ratings = read(pd.DataFrame({"item": [1, 2], "rater": "r", "label": ["a", "b"]}))
    judges = read_judges(frame)
    space = label_space(ratings, judges, None)
    positive = np.array([True, False])
    found = answers_of(judges, space, row_of_item=np.arange(2), n_items=2, positive=positive)
    assert np.allclose(found.soft[0, 0], [0.2 + 0.25, 0.3 + 0.25])
    assert np.allclose(found.marginals[0, 0], [0.7, 0.8])
    assert np.isclose(found.positive[0, 0], 0.7)


def test_a_forced_choice_with_several_options_is_refused():
    with pytest.raises(JudgesError, match="1 of the judges' answers are called a forced choice and endorse several"):
        answers({"one": [[("choice", {0, 1})]]})
    with pytest.raises(RatingsError, match="1 of the raters' answers are called a forced choice and endorse several"):
        rank_judges(ratings_from([[("choice", {0, 1})]]), judges_from({"one": [choices(0)]}), bootstrap=0)


# Orders


def test_both_orders_count_the_same_however_many_samples_they_have():
    # Shown as ab the judge says a three times, as ba once c.
    found = answers({"one": [choices(0, 0, 0, 2)]}, order=np.array([0, 0, 0, 1]))
    assert found.soft[0, 0].tolist() == [0.5, 0, 0.5]


def test_the_share_of_choices_that_flip_with_the_order_is_that_of_items_asked_in_both():
    judges = {"one": [choices(0, 2), choices(1, 1), choices(0, 0)], "two": [choices(0), choices(0), choices(0)]}
    order = np.array([0, 1, 0, 1, 0, 0, 0, 0, -1])  # the third item only as ab
    flips = order_flips(answers(judges, order=order), ("one", "two"), np.ones(3))
    assert [(own.judge, own.items, own.share) for own in flips] == [("one", 2, 0.5)]


def test_data_without_orders_have_no_flips():
    assert order_flips(answers({"one": [choices(0, 2)]}), ("one",), np.ones(1)) == ()


def test_a_column_of_orders_is_read_and_one_of_other_things_is_left_alone():
    orders = ["AB", "ba", "ab", "ba"]
    rows = {"item": [1, 1, 2, 2], "judge": "j", "sample": 0, "label": ["a", "b", "a", "a"], "order": orders}
    rated = pd.DataFrame({"item": [1, 2], "rater": "r", "label": ["a", "b"]})
    result = rank_judges(read(rated), read_judges(pd.DataFrame(rows)), bootstrap=0)
    assert [(own.items, own.share) for own in result.order_flips] == [(2, 0.5)]
    others = pd.DataFrame(rows | {"sample": [0, 1, 0, 1], "order": [1, 2, 3, 4]})
    assert read_judges(others).order is None
    with pytest.raises(ColumnError, match=r"row 1: the order is '1'\. Write ab or ba"):
        read_judges(others, order="order")


# Labels


def numbers(answers_, **more):
    rated = pd.DataFrame({"item": [1, 1, 2, 2], "rater": ["r", "s"] * 2, "label": [-1, 0, 1, 2]})
    judged = pd.DataFrame({"item": [1, 2], "judge": "j", "label": answers_})
    return rank_judges(read(rated), read_judges(judged), bootstrap=0, **more)


def test_measurements_are_rounded_to_the_nearest_label_and_that_is_stated():
    result = numbers([-0.6, 7.5])  # -1 and 2, each the label of one of two raters
    assert result.settings["options"] == ["-1", "0", "1", "2"]
    assert result.definition("hit_rate").values[0].value == 0.5  # people's modes are -1 and, of a tie, 1
    said = "Judges gave 2 numbers that no rater gave: each counts as the nearest label."
    assert said in result.warnings


def test_a_judge_on_another_scale_is_told():
    said = "2 of the judges' numbers lie beyond the labels, which run from -1 to 2: put the judge's answers"
    assert any(warning.startswith(said) for warning in numbers([55.5, 70.25]).warnings)
    assert not any("lie beyond" in warning for warning in numbers([-0.6, 7.5]).warnings)


def test_a_whole_number_that_no_rater_gave_is_another_label_and_no_measurement():
    result = numbers([-1, 5])
    assert result.settings["options"] == ["-1", "0", "1", "2", "5"]
    assert "Judges used options that no rater used, so they can never be right there: 5." in result.warnings


def test_options_that_only_judges_use_come_last():
    ratings = ratings_from([choices(0), choices(1)], ("b", "c"))
    judges = judges_from({"one": [choices(0), choices(1)]}, ("a", "b"))
    result = rank_judges(ratings, judges, bootstrap=0)
    assert result.settings["options"] == ["b", "c", "a"]
    assert result.definition("hit_rate").values[0].value == 0  # a and b against b and c


TASK = Task(options=("a", "b", "c"), response_sets=(("a",), ("b",), ("c",), ("a", "b")))


def test_labels_outside_the_task_are_refused():
    ratings, judges = ratings_from([choices(0), choices(1)]), judges_from({"one": [choices(0), choices(1)]})
    small = Task(options=("a", "c"))
    with pytest.raises(
        TaskError, match="The ratings have the label 'b', and 'b' is not an option of the task: its options"
    ):
        rank_judges(ratings, judges, task=small)
    others = judges_from({"one": [choices(0), choices(3)]}, ("a", "b", "c", "d"))
    with pytest.raises(JudgesError, match="The judges have the label 'd', and 'd' is not an option of the task"):
        rank_judges(ratings, others, task=TASK)


def test_response_sets_that_the_task_does_not_admit_are_refused():
    judges = judges_from({"one": [choices(0), sets({0, 2})]})
    with pytest.raises(JudgesError, match=r"'a\|c', which is not a response set that the task admits"):
        rank_judges(ratings_from([choices(0), choices(1)]), judges, task=TASK)


def test_the_task_gives_the_order_of_the_options():
    # b and c tie for people, so that the hard label is the first of them in the task's order: c.
    task = Task(options=("c", "b", "a"))
    result = rank_judges(ratings_from([choices(1, 2)]), judges_from({"one": [choices(2)]}), task=task, bootstrap=0)
    assert result.definition("hit_rate").values[0].value == 1
    assert (
        rank_judges(ratings_from([choices(1, 2)]), judges_from({"one": [choices(2)]}), bootstrap=0)
        .definition("hit_rate")
        .values[0]
        .value
        == 0
    )


def test_one_label_in_all_is_refused():
    with pytest.raises(RatingsError, match=r"People and judges have one label only \(a\)"):
        rank_judges(ratings_from([choices(0)], ("a",)), judges_from({"one": [choices(0)]}, ("a",)))
