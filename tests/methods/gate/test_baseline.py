"""Not worse than before: earlier answers from a file or a history, on the items of both."""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from dissensus import compare, gate, read, read_judges
from dissensus.cli.main import main
from dissensus.data import Judges, Ratings
from dissensus.data.history import read_history
from dissensus.data.writers import write_judges
from dissensus.errors import FileError, JudgesError, OptionError
from dissensus.methods.gate.verdicts import beside_earlier, earlier_answers

RATINGS, JUDGES = read("example:binary"), read_judges("example:binary")


def as_given(data):
    return {one.name: getattr(data, one.name) for one in fields(data) if one.init}


def shuffled(share, judge="classifier", seed=0):
    """The judge, with a share of its answers changed among items."""
    own = JUDGES[judge]
    rng = np.random.default_rng(seed)
    moved = np.flatnonzero(rng.random(own.n_answers) < share)
    rows = np.arange(own.n_answers)
    rows[moved] = rng.permutation(moved)
    probability = None if own.probability is None else own.probability[rows]
    return type(own)(
        item=own.item, judge=own.judge, sample=own.sample, label=own.label[rows], items=own.items, judges=own.judges,
        labels=own.labels, options=own.options, probability=probability,
    )  # fmt: skip


def test_a_judge_is_not_worse_than_itself():
    result = gate(RATINGS, JUDGES, judge="classifier", baseline=JUDGES, margin=0.01, bootstrap=50)
    (check,) = result.checks
    assert check.check == "baseline"
    assert check.value == 0
    assert result.passes


def test_a_worse_judge_fails_and_the_difference_is_that_of_compare():
    worse = shuffled(0.8)
    result = gate(RATINGS, worse, judge="classifier", baseline=JUDGES, margin=0.01, bootstrap=50)
    both, name, about = beside_earlier(worse, "classifier", earlier_answers(JUDGES, "classifier"))
    assert name == "classifier (before)"
    assert about == []
    pair = compare(RATINGS, both, a="classifier", b=name, bootstrap=50).pairs[0]
    assert result.checks[0].value == pair.difference
    assert result.checks[0].verdict == "fail"


def test_items_that_are_new_or_gone_are_named():
    now = JUDGES.where(JUDGES.item >= 20)
    then = JUDGES.where(JUDGES.item < 280)
    result = gate(RATINGS, now, judge="classifier", baseline=then, margin=0.01, bootstrap=20)
    assert result.checks[0].items == 260
    assert "Compared with before on the 260 items of both: 20 items are new and 20 items are gone." in result.warnings


def test_labels_and_raters_that_changed_are_compared_by_what_people_say_now(tmp_path):
    path, old = tmp_path / "h.duckdb", tmp_path / "old.csv"
    write_judges(JUDGES, old)
    typed = ["gate", "example:binary", str(old), "--judge", "classifier", "--bootstrap", "20", "--quiet"]
    assert main([*typed, "--min-equivalence", "0.2", "--record", str(path)]) == 0
    changed = {**as_given(RATINGS), "labels": ("Nope", "Yes"), "options": ("Nope", "Yes")}
    ratings = Ratings(**changed | {"raters": tuple(f"new {name}" for name in RATINGS.raters)})
    now = Judges(**{**as_given(JUDGES), "labels": ("Nope", "Yes"), "options": ("Nope", "Yes")})
    for baseline in (path, old):
        result = gate(ratings, now, judge="classifier", baseline=baseline, margin=0.05, bootstrap=50)
        assert (result.checks[0].verdict, result.checks[0].items) == ("pass", 300)
        (about,) = [text for text in result.warnings if "rater used" in text]
        assert about.startswith(f"No rater used No of {'run 1' if baseline is path else 'old.csv'}")
        assert "and Nope is new since. If a label only has another name now, give it the old one" in about


def test_a_label_that_only_the_judge_uses_now_is_no_renamed_one():
    changed = {**as_given(JUDGES), "labels": ("Perhaps", "Yes"), "options": ("Perhaps", "Yes")}
    result = gate(RATINGS, Judges(**changed), judge="classifier", baseline=JUDGES, margin=1, bootstrap=20)
    (about,) = [text for text in result.warnings if "rater used" in text]
    assert about == "Judges used labels that no rater used, so they can never be right there: Perhaps."


def test_answers_without_a_common_item_are_refused():
    with pytest.raises(JudgesError, match="answered none of the items of before"):
        gate(RATINGS, JUDGES.where(JUDGES.item < 100), judge="classifier", baseline=JUDGES.where(JUDGES.item > 200),
             margin=0.1, bootstrap=20)  # fmt: skip


def test_a_baseline_needs_a_margin():
    with pytest.raises(OptionError, match="baseline= needs margin="):
        gate(RATINGS, JUDGES, judge="classifier", baseline=JUDGES)


def test_the_last_gate_that_passed_is_the_baseline(tmp_path, capsys):
    path, old = str(tmp_path / "h.duckdb"), tmp_path / "old.csv"
    write_judges(JUDGES, old)
    worse = tmp_path / "worse.csv"
    write_judges(shuffled(0.8), worse)
    typed = ["--judge", "classifier", "--bootstrap", "40", "--quiet"]
    assert main(["gate", "example:binary", str(old), *typed, "--min-equivalence", "0.2", "--record", path]) == 0
    assert main(["gate", "example:binary", str(worse), *typed, "--min-equivalence", "8", "--record", path]) == 1
    capsys.readouterr()
    against = ["--baseline", path, "--margin", "0.01"]
    assert main(["gate", "example:binary", str(worse), *typed, *against, "--json"]) == 1
    check = json.loads(capsys.readouterr().out)["result"]["checks"][0]
    assert check["against"].startswith("classifier (run 1 of ")
    assert check["verdict"] == "fail"
    assert main(["gate", "example:binary", str(old), *typed, *against, "--record", path]) == 0  # it goes on
    assert len(read_history(Path(path)).runs) == 3
    assert main(["gate", "example:binary", str(old), *typed, "--baseline", str(old), "--margin", "0.01"]) == 0
    assert "classifier (old.csv)" in capsys.readouterr().out.replace("\n", " ")


def test_a_history_without_a_gate_that_passed_is_refused(tmp_path):
    path = tmp_path / "h.duckdb"
    assert main(["decide", "example:binary", "example:binary", "--bootstrap", "20", "--record", str(path)]) == 0
    with pytest.raises(FileError, match="has no gate that classifier passed: record one"):
        gate(RATINGS, JUDGES, judge="classifier", baseline=path, margin=0.1, bootstrap=20)
