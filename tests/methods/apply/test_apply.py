"""A recalibration written, read back and applied: new answers in people's terms."""

import json
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dissensus
from dissensus.cli.main import main
from dissensus.data.recalibration import read_recalibration, write_recalibration
from dissensus.errors import DissensusError
from dissensus.methods.apply import recalibration_of
from dissensus.methods.apply.apply import hard_labels
from dissensus.methods.equivalence.calibration import calibrated_predictions, draw_folds

from survey_builders import hard_judges_of, judges_of

LABELS = ("1", "2", "3")
TABLE = "judge,answer,items,p_1,p_2,p_3\nstrict,1,30,0.4,0.6,0\nstrict,2,20,0,0.2,0.8\n"


@pytest.fixture
def table(tmp_path):
    (tmp_path / "recalibration.csv").write_text(TABLE)
    return tmp_path / "recalibration.csv"


def answers(labels, judge="strict"):
    return dissensus.read_judges(
        pd.DataFrame({"item": [f"i{i}" for i in range(len(labels))], "judge": judge, "label": labels})
    )


def test_each_answer_becomes_what_people_say_where_the_judge_says_this(table):
    result = dissensus.apply(table, answers(["1", "2", "2"]))
    assert [row["label"] for row in result.rows()] == ["2", "3", "3"]
    assert result.answers.probability.tolist() == [[0.4, 0.6, 0], [0, 0.2, 0.8], [0, 0.2, 0.8]]
    assert result.as_dict()["judges"] == [{"judge": "strict", "items": 3, "changed": 3, "unseen": 0}]
    assert result.warnings == ()


def test_samples_of_labels_are_averaged(table):
    judges = dissensus.read_judges(pd.DataFrame({"item": "x", "judge": "strict", "sample": [0, 1], "label": [1, 2]}))
    assert dissensus.apply(table, judges).answers.probability.tolist() == [[0.2, 0.4, 0.4]]


def test_an_answer_that_was_never_seen_counts_as_people_in_general_and_is_counted(table):
    # In general: (30 * (.4, .6, 0) + 20 * (0, .2, .8)) / 50.
    result = dissensus.apply(table, answers(["1", "3"]))
    assert result.answers.probability[1] == pytest.approx([0.24, 0.44, 0.32])
    assert result.judges[0].unseen == 1
    [warning] = result.warnings
    assert warning == (
        "strict gave answers that it never gave when it was recalibrated (3), on 1 of 2 items: what they mean is a "
        "guess from its other answers and from what people say in general."
    )


def test_an_answer_with_no_items_is_a_guess_although_the_file_has_it(tmp_path):
    (tmp_path / "r.csv").write_text(TABLE + "strict,3,0,0,0.1,0.9\n")
    result = dissensus.apply(tmp_path / "r.csv", answers(["3"]))
    assert result.answers.probability.tolist() == [[0, 0.1, 0.9]]
    assert "(3), on 1 of 1 item" in result.warnings[0]


def test_labels_in_order_stand_at_their_median_and_others_at_the_most_likely(table):
    shares = np.array([[0.4, 0.3, 0.3], [0.5, 0.0, 0.5]])
    assert hard_labels(shares, "ordinal").tolist() == [1, 0]
    assert hard_labels(shares, "nominal").tolist() == [0, 0]
    words = TABLE.replace("p_1,p_2,p_3", "p_low,p_middle,p_high").replace("strict,1", "strict,low")
    table.write_text(words.replace("0.4,0.6,0", "0.4,0.3,0.3"))
    assert dissensus.apply(table, answers(["low"])).rows()[0]["label"] == "low"
    table.write_text(table.read_text().replace("judge,", "judge,scale,").replace("strict,", "strict,ordinal,"))
    assert dissensus.apply(table, answers(["low"])).rows()[0]["label"] == "middle"


def test_a_number_between_labels_counts_as_the_nearest_answer(table):
    result = dissensus.apply(table, answers(["1.2", "1.9"]))
    assert result.answers.probability.tolist() == [[0.4, 0.6, 0], [0, 0.2, 0.8]]


def test_a_stated_label_of_a_judge_with_labels_stands_for_its_probabilities(table):
    frame = pd.DataFrame({"item": ["x"], "judge": "strict", "label": ["2"], "p_1": [0.9], "p_2": [0.1]})
    assert dissensus.apply(table, dissensus.read_judges(frame)).answers.probability.tolist() == [[0, 0.2, 0.8]]


def test_other_judges_are_left_out_and_a_nameless_one_is_the_only_one_meant(table):
    frame = pd.DataFrame({"item": ["x", "x"], "judge": ["strict", "lenient"], "label": [1, 2]})
    result = dissensus.apply(table, dissensus.read_judges(frame))
    assert result.answers.judges == ("strict",)
    assert result.warnings == ("Left out lenient: recalibration.csv says nothing about them.",)
    nameless = dissensus.read_judges(pd.DataFrame({"item": ["x"], "label": [1]}))
    assert dissensus.apply(table, nameless).answers.probability.tolist() == [[0.4, 0.6, 0]]


FAULTS = [
    ("judge,answer\ns,1\n", "r.csv is not a recalibration: it has no column p_<label>"),
    ("judge,p_1,p_2\ns,0.5,0.5\n", "it has no column 'answer'"),
    ("judge,answer,p_1,p_2\ns,1,0.5,0.4\n", "row 2: the probabilities sum to 0.9, not to 1"),
    ("judge,answer,p_1,p_2\ns,,0.5,0.5\n", "row 2: the answer is empty"),
    ("judge,answer,p_1,p_2\ns,1,,\n", "row 2: there are no probabilities"),
    ("judge,answer,p_1,p_2\ns,1,0.5,0.5\ns,1.0,0.5,0.5\n", "row 3: the answer 1.0 of s comes twice"),
    ("judge,kind,answer,p_1,p_2\ns,guess,1,0.5,0.5\n", "row 2: the kind is 'guess'. Write answer, prior, map"),
    ("judge,scale,answer,p_1,p_2\ns,odd,1,0.5,0.5\n", "row 2: the scale is 'odd'. Write nominal, ordinal, interval"),
    ("judge,kind,answer,p_1,p_2\ns,prior,,0.5,0.5\n", "no row that says what an answer of s means"),
    ("judge,kind,answer,value,p_1,p_2\ns,answer,1,,0.5,0.5\ns,map,line[1],2,,\n", "numbers of the parameter line"),
    ("judge,kind,answer,value,p_1,p_2\ns,answer,1,,0.5,0.5\ns,map,line[x],2,,\n", "'line[x]' is not a parameter"),
    ("judge,kind,answer,value,p_1,p_2\ns,answer,1,,0.5,0.5\ns,map,size,2,,\n", "The map of s has no"),
    ("judge,kind,answer,value,p_1,p_2\ns,answer,1,,1,0\ns,map,a[0],2,,\ns,map,a,2,,\n", "numbers of the parameter a"),
    ("judge,answer,items,p_1,p_2\ns,1,many,0.5,0.5\n", "row 2: items is 'many', which is not a number"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_a_file_that_cannot_be_applied_is_refused_where_it_is_wrong(tmp_path, text, message):
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(DissensusError) as refused:
        dissensus.apply(tmp_path / "r.csv", answers(["1"], judge="s"))
    assert message in str(refused.value)


def test_a_judge_that_the_file_does_not_know_is_refused(table):
    with pytest.raises(DissensusError, match="recalibrates strict, and the new answers are by other: give both the"):
        dissensus.apply(table, answers(["1"], judge="other"))


def test_the_command_writes_a_judges_file_that_reads_back(table, tmp_path, capsys):
    (tmp_path / "new.csv").write_text("item,judge,label\nx,strict,1\ny,strict,2\n")
    written = tmp_path / "people.csv"
    assert main(["apply", str(table), str(tmp_path / "new.csv"), "-o", str(written), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["command"] == "apply"
    assert told["result"] == {
        "labels": ["1", "2", "3"],
        "judges": [{"judge": "strict", "items": 2, "changed": 2, "unseen": 0}],
        "output": str(written),
    }
    again = dissensus.read_judges(written)
    assert [again.labels[code] for code in again.label] == ["2", "3"]
    assert again.probability.tolist() == [[0.4, 0.6, 0], [0, 0.2, 0.8]]
    assert main(["apply", str(table), str(tmp_path / "new.csv")]) == 0
    assert "2 answers are now in people's terms; the label changed for 2 of them." in " ".join(
        capsys.readouterr().out.split()
    )


def test_a_median_beside_its_probabilities_is_no_contradiction(tmp_path):
    (tmp_path / "j.csv").write_text("item,judge,label,p_1,p_2,p_3\nx,j,2,0.4,0.3,0.3\ny,j,3,0.4,0.3,0.3\n")
    [warning] = dissensus.read_judges(tmp_path / "j.csv").warnings
    assert "1 stated label of 2" in warning
    assert "j on y (row 3)" in warning


# What was fitted, applied to the answers that it was fitted to

OUTPUTS = {
    "labels": lambda rng, n: np.eye(3)[rng.integers(0, 3, n)],
    "samples": lambda rng, n: rng.multinomial(4, [0.5, 0.3, 0.2], n) / 4,
    "probabilities": lambda rng, n: rng.dirichlet([1.0, 1.0, 1.0], n),
}


def fitted(outputs, shares, seed=0):
    fold = draw_folds(len(outputs), np.random.default_rng(seed))
    return calibrated_predictions("auto", outputs, shares, fold=fold)


@pytest.mark.parametrize("kind", OUTPUTS)
@given(seed=st.integers(0, 1000), n=st.integers(12, 80))
@settings(max_examples=8, deadline=None)
def test_applied_to_the_same_answers_it_gives_what_was_fitted(kind, seed, n, tmp_path_factory):
    rng = np.random.default_rng(seed)
    outputs = OUTPUTS[kind](rng, n)
    shares = rng.multinomial(5, [0.2, 0.5, 0.3], n) / 5
    found = fitted(outputs, shares)
    path = tmp_path_factory.mktemp("recalibration") / "r.csv"
    one = recalibration_of("judge", found.map, outputs=outputs, shares=shares, labels=LABELS, scale="ordinal")
    write_recalibration([one], path)
    judges = (
        hard_judges_of({"judge": outputs.argmax(axis=1)}, LABELS) if kind == "labels"
        else judges_of({"judge": outputs}, LABELS)
    )  # fmt: skip
    applied = dissensus.apply(path, judges)
    assert np.allclose(applied.answers.probability, found.inside, rtol=0, atol=1e-11)
    assert applied.warnings == ()
    assert (read_recalibration(path).judges[0].parameters is None) == (kind == "labels")


def test_a_file_may_hold_several_judges_and_awkward_names(tmp_path):
    rng = np.random.default_rng(1)
    outputs, shares = OUTPUTS["probabilities"](rng, 30), rng.multinomial(5, [0.2, 0.5, 0.3], 30) / 5
    hard = OUTPUTS["labels"](rng, 30)
    labels = ("so, so", 'very "good"', "bad")
    made = [
        recalibration_of(name, fitted(own, shares).map, outputs=own, shares=shares, labels=labels, scale="nominal")
        for name, own in (("a, b", outputs), ("hard", hard))
    ]
    write_recalibration(made, tmp_path / "r.csv")
    again = read_recalibration(tmp_path / "r.csv").judges
    assert [one.judge for one in again] == ["a, b", "hard"]
    for before, after in zip(made, again, strict=True):
        assert after.labels == before.labels
        assert after.scale == "nominal"
        assert np.allclose(after.shares, before.shares, rtol=0, atol=1e-12)
        assert after.items.tolist() == before.items.tolist()
    parameters = again[0].parameters
    assert {name: values.tolist() for name, values in parameters.items()} == {
        name: values.tolist() for name, values in made[0].parameters.items()
    }


@pytest.mark.parametrize("name", ["scaling.size", "maps.prior", "maps.curves.label", "weights", "table.outputs"])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e308, -1.0, None])
def test_a_map_whose_numbers_were_changed_is_refused_or_gives_shares(tmp_path, name, value):
    rng = np.random.default_rng(1)
    outputs, shares = OUTPUTS["probabilities"](rng, 60), rng.multinomial(5, [0.2, 0.5, 0.3], 60) / 5
    learned = fitted(outputs, shares).map
    one = recalibration_of("judge", learned, outputs=outputs, shares=shares, labels=LABELS, scale="nominal")
    was = one.parameters[name]
    changed = np.full_like(was, value) if value is not None else was[:-1] if was.ndim else np.zeros(3)
    write_recalibration([replace(one, parameters={**one.parameters, name: changed})], tmp_path / "r.csv")
    refused = ""
    try:
        found = dissensus.apply(tmp_path / "r.csv", judges_of({"judge": outputs}, LABELS)).answers.probability
    except DissensusError as error:
        refused = str(error)
    assert "of judge were changed: write the recalibration again" in refused or np.allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("items", ["1e308", "inf", "nan", "-3"])
def test_items_that_nobody_can_have_counted_leave_people_in_general_as_they_are(tmp_path, items):
    (tmp_path / "r.csv").write_text(f"judge,answer,items,p_1,p_2\ns,1,{items},0.4,0.6\ns,2,1e308,0.2,0.8\n")
    found = dissensus.apply(tmp_path / "r.csv", answers(["9"], judge="s")).answers.probability
    assert np.allclose(found, [[0.3, 0.7]])


def test_a_bare_label_of_a_judge_with_probabilities_means_what_people_say_there(tmp_path):
    rng = np.random.default_rng(5)
    chance = rng.beta(1, 2, 600)
    said = rng.random((600, 5)) < chance[:, None]
    told = np.clip(chance + rng.normal(0, 0.15, 600), 0.02, 0.98)
    people = pd.DataFrame({"item": np.repeat(np.arange(600), 5), "rater": np.tile(np.arange(5), 600),
                           "label": np.where(said.ravel(), "yes", "no")})  # fmt: skip
    judges = pd.DataFrame({"item": np.arange(600), "judge": "strict", "p_no": 1 - told, "p_yes": told})
    dissensus.decide(people, judges, bootstrap=50).write_recalibration(tmp_path / "r.csv")
    result = dissensus.apply(tmp_path / "r.csv", answers(["no", "yes"]))
    where = [said[told <= 0.5].mean(), said[told > 0.5].mean()]  # how often people say yes after each answer
    yes = result.answers.labels.index("yes")
    assert result.answers.probability[:, yes] == pytest.approx(where, abs=0.04)
    sure = pd.DataFrame({"item": [0], "judge": "strict", "p_no": [0.02], "p_yes": [0.98]})
    assert dissensus.apply(tmp_path / "r.csv", sure).answers.probability[0, yes] > where[1] + 0.1


@pytest.mark.parametrize("samples", [1, 2])
def test_as_many_answers_as_items_take_no_table_of_all_by_all(samples):
    table = [{"judge": "j", "answer": "x", "p_x": 0.8, "p_y": 0.2}, {"judge": "j", "answer": "y", "p_x": 0, "p_y": 1}]
    answers = [
        {"item": f"i{i}", "judge": "j", "sample": sample, "label": f"text {i}"}
        for i in range(30_000) for sample in range(samples)
    ]  # fmt: skip
    with pytest.raises(DissensusError, match="30,000 different") if samples > 1 else nullcontext():
        found = dissensus.apply(table, answers)
        assert (found.judges[0].items, found.judges[0].changed, found.judges[0].unseen) == (30_000,) * 3
