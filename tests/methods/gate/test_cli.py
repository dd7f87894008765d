"""The gate in a script of a throw-away repository: exit statuses, JUnit file and summary."""

import json
import os
import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from dissensus.cli.main import main

SCRIPT = """#!/bin/sh
# What a CI job runs.
"$PYTHON" -m dissensus gate data/ratings.csv data/judges.csv --judge "$JUDGE" --positive yes --bootstrap 200 \\
    --junit gate.xml --summary summary.md "$@" > output.txt 2> errors.txt
status=$?
echo "$status" > status.txt
exit "$status"
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A repository with ratings, three judges and a script: `good` sees what people see, `noise` sees nothing."""
    root = tmp_path_factory.mktemp("repository with a space")
    (root / "data").mkdir()
    rng = np.random.default_rng(5)
    state = rng.random(150) < 0.4
    yes = rng.random((150, 5)) < np.where(state, 0.9, 0.1)[:, None]
    good = np.where(rng.random(150) < 0.95, state, ~state)
    noise = rng.random(150) < 0.4
    words = np.array(["no", "yes"])
    rated = [f"{i},r{j},{words[int(yes[i, j])]}" for i in range(150) for j in range(5)]
    judged = [
        f"{i},{name},{words[int(own[i])]}" for name, own in (("good", good), ("noise", noise)) for i in range(150)
    ]
    (root / "data" / "ratings.csv").write_text("\n".join(["item,rater,label", *rated]), encoding="utf-8")
    (root / "data" / "judges.csv").write_text("\n".join(["item,judge,label", *judged]), encoding="utf-8")
    (root / "ci.sh").write_text(SCRIPT, encoding="utf-8")
    return root


def run(repository, judge, *options):
    environment = {**os.environ, "PYTHON": sys.executable, "JUDGE": judge, "NO_COLOR": "1"}
    for left in ("gate.xml", "summary.md"):
        (repository / left).unlink(missing_ok=True)
    done = subprocess.run(["sh", "ci.sh", *options], cwd=repository, env=environment, timeout=600, check=False)
    assert str(done.returncode) == (repository / "status.txt").read_text(encoding="utf-8").strip()
    return done.returncode


def text(repository, name):
    return (repository / name).read_text(encoding="utf-8")


def failures(repository):
    return [element.get("type") for element in ET.parse(repository / "gate.xml").iter("failure")]  # noqa: S314 - ours


def test_a_good_judge_passes_with_status_0(repository):
    asked = ("--min-equivalence", "0.5", "--min-consistency", "0.8", "--better-than", "noise")
    assert run(repository, "good", *asked) == 0
    assert text(repository, "output.txt").startswith('"good" passes all three checks.')
    assert failures(repository) == []
    assert text(repository, "summary.md").startswith('# Gate: pass\n\n> "good" passes')
    assert text(repository, "errors.txt") == ""


def test_a_bad_judge_fails_with_status_1(repository):
    assert run(repository, "noise", "--min-consistency", "0.8", "--better-than", "good") == 1
    assert failures(repository) == ["fail", "fail"]
    assert text(repository, "summary.md").startswith("# Gate: fail")


def test_an_open_question_fails_with_status_1_and_says_what_would_settle_it(repository):
    assert run(repository, "good", "--min-consistency", "0.93") == 1
    assert failures(repository) == ["inconclusive"]
    assert "collect about" in " ".join(text(repository, "output.txt").split())
    assert text(repository, "summary.md").startswith("# Gate: inconclusive")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "dissensus: A gate needs a threshold"),
        (("--min-equivalence", "many"), "dissensus: Invalid value for '--min-equivalence'"),
        (("--better-than", "gpt"), "dissensus: There is no judge 'gpt': the judges are good, noise."),
        (("--min-equivalence", "1", "--junit", "other.xml"), "dissensus: --junit is given 2 times"),
        (("--min-equivalence", "1", "--judge", "noise"), "dissensus: --judge was given more than once"),
    ],
)
def test_bad_input_ends_with_status_2_and_one_line(repository, options, message):
    assert run(repository, "good", *options) == 2
    said = text(repository, "errors.txt")
    assert said.startswith(message)
    assert said.count("\n") == 1


def test_junit_in_a_folder_that_is_not_there_is_refused(repository, capsys, monkeypatch):
    monkeypatch.chdir(repository)
    files = ["data/ratings.csv", "data/judges.csv", "--judge", "good"]
    assert main(["gate", *files, "--min-equivalence", "1", "--junit", "nowhere/gate.xml"]) == 2
    assert capsys.readouterr().err.startswith("dissensus: Cannot write nowhere/gate.xml")
    assert not (repository / "gate.xml").exists() or failures(repository) == []


def test_json_is_one_object_on_stdout_also_where_the_gate_fails(repository):
    assert run(repository, "noise", "--min-consistency", "0.8", "--json") == 1
    found = json.loads(text(repository, "output.txt"))
    assert (found["command"], found["result"]["verdict"]) == ("gate", "fail")
    assert set(found["result"]["checks"][0]) == {
        "check", "threshold", "value", "low", "high", "verdict", "items", "more_items", "measure", "against", "tau",
        "place", "low_verdict", "high_verdict", "largest", "p_value", "constants", "calibrate", "missing",
        "each", "constant", "person",
    }  # fmt: skip
