"""Real ratings and judges: every data set gives a complete answer. Expected numbers are counted with pandas."""

import json
from math import isnan

import numpy as np
import pandas as pd
import pytest

from dissensus.data import read, read_judges
from dissensus.methods.judges import judges as rank_judges

POSITIVE = {
    "ambient_nli": ["entailment"],
    "convabuse": ["-3", "-2", "-1"],
    "dices_350": ["Yes"],
    "mtbench_pairs": ["A"],
    "vader_tweets": ["1", "2", "3", "4"],
}


@pytest.fixture(scope="module")
def answers(shared):
    found = {}
    for name, positive in POSITIVE.items():
        folder = shared / "data" / name
        ratings, judges = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
        found[name] = rank_judges(ratings, judges, positive=positive, bootstrap=20)
    return found


@pytest.mark.parametrize("name", POSITIVE)
def test_each_definition_has_a_value_or_a_reason(answers, name):
    result = answers[name]
    for definition in result.definitions:
        for value in definition.values:
            if isnan(value.value):
                assert any(definition.id in w and value.judge in w for w in result.warnings), definition.id
            else:
                assert value.low <= value.high
                assert value.rank >= 1


@pytest.mark.parametrize("name", POSITIVE)
def test_the_answer_is_json_and_has_decisions_and_advice(answers, name):
    answer = json.loads(answers[name].to_json())["result"]
    judges = [value["judge"] for value in answer["definitions"][0]["values"]]
    assert [row["judge"] for row in answer["downstream"]] == [*judges, "always-positive", "always-negative"]
    # The overall shares of the labels are nearer to people than any judge of two of the sets.
    is_beaten = name in {"dices_350", "ambient_nli"}
    assert (answer["recommended"] is None) == is_beaten
    assert answer["advice"][0]["text"].startswith("Do not use these" if is_beaten else "Select by ")
    assert (answer["reverse_matrix"] is None) == (name != "ambient_nli")
    assert bool(answer["sensitivity"]) == (name != "ambient_nli")


def test_dices_judges_have_one_hard_label_so_kappa_is_undefined_and_a_constant_is_as_good(answers):
    result = answers["dices_350"]
    assert result.definition("cohen_kappa").selected is None
    assert {value.value for value in result.definition("hit_rate").values} == {
        result.definition("hit_rate").values[0].value
    }
    rows = {row.judge: row.consistency for row in result.downstream}
    assert rows["tfidf_lr"] == rows["tfidf_nb"] == rows["always-negative"] == pytest.approx(0.8)
    assert any(own.text.startswith("Do not decide with tfidf_lr, tfidf_nb at tau 0.5") for own in result.advice)


def test_vader_is_best_at_decisions_though_other_definitions_prefer_afinn(answers, shared):
    result = answers["vader_tweets"]
    rated = pd.read_csv(shared / "data" / "vader_tweets" / "ratings.csv", dtype={"item": str})
    judged = pd.read_csv(shared / "data" / "vader_tweets" / "judges.csv", dtype={"item": str})
    people = rated.groupby("item").label.apply(lambda labels: (labels > 0).mean() >= 0.5)
    rows = {row.judge: row.consistency for row in result.downstream}
    for judge, own in judged.groupby("judge"):
        decided = own.set_index("item").label.round() > 0  # halves go to the even number, none of them is 0.5
        assert rows[judge] == pytest.approx((decided == people[decided.index]).mean(), abs=1e-3)
    assert max(rows, key=rows.get) == "vader"
    assert result.definition(result.recommended).selected == "afinn"
    by_kappa = result.definition("weighted_kappa")  # vader keeps people's order and spreads its answers further
    assert {definition.selected for definition in result.definitions if definition is not by_kappa} == {"afinn"}
    assert by_kappa.selected == "vader"
    assert any("consider vader instead of afinn" in own.text for own in result.advice)
    assert any("counts as the nearest label" in warning for warning in result.warnings)


def test_ambient_has_a_reverse_matrix_from_the_401_items_with_both(answers):
    result = answers["ambient_nli"]
    assert (result.reverse_matrix.pairs, result.reverse_matrix.paired_by) == (401, "item")
    assert result.settings["items"] == 503
    values = np.array(result.reverse_matrix.values)
    assert np.allclose(values.sum(axis=1), 1)
    has = np.array(
        [[o in s.split("|") for s in result.reverse_matrix.response_sets] for o in result.reverse_matrix.options]
    )
    assert (values[~has] == 0).all()


def test_mtbench_hit_rates_are_those_counted_with_pandas(answers, shared):
    folder = shared / "data" / "mtbench_pairs"
    rated, judged = (pd.read_csv(folder / f"{name}.csv", dtype=str) for name in ("ratings", "judges"))
    common = set.intersection(set(rated.item), *(set(own.item) for _, own in judged.groupby("judge")))
    assert answers["mtbench_pairs"].settings["items"] == len(common) == 127
    people = rated[rated.item.isin(common)].groupby("item").label.agg(lambda x: x.mode().sort_values().iloc[0])
    for value in answers["mtbench_pairs"].definition("hit_rate").values:
        own = judged[(judged.judge == value.judge) & judged.item.isin(common)]
        label = own.groupby("item").label.agg(lambda x: x.mode().sort_values().iloc[0])
        assert value.value == pytest.approx((label == people[label.index]).mean())


def test_convabuse_judges_by_probability_are_the_mean_of_their_samples(answers, shared):
    folder = shared / "data" / "convabuse"
    labels = ["-3", "-2", "-1", "0", "1"]
    judged = pd.read_csv(folder / "judges.csv", dtype={"item": str})
    rated = pd.read_csv(folder / "ratings.csv", dtype=str)
    people = pd.crosstab(rated.item, rated.label, normalize="index")[labels]
    columns = [f"p_{label}" for label in labels]
    judged[columns] = judged[columns].div(judged[columns].sum(axis=1), axis=0)
    for value in answers["convabuse"].definition("mse_soft").values:
        own = judged[judged.judge == value.judge].groupby("item")[columns].mean()
        expected = ((own.to_numpy() - people.loc[own.index].to_numpy()) ** 2).sum(axis=1).mean()
        assert value.value == pytest.approx(expected, abs=1e-9)
