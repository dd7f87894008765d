"""Inspect's metric, in evaluations by the real package, without asking a model.

They run in a process of their own: what Inspect leaves open would be counted against the tests that come next.
"""

import json
import subprocess
import sys

import pytest

import dissensus
from dissensus import read, read_judges

EPOCHS = 2
SCRIPT = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import SampleScore, Score, scorer
from inspect_ai.solver import solver
from dissensus import DissensusError
from dissensus.inspect import worth

data = json.load(open("data.json"))
samples = [Sample(id=item, input=item, metadata={"labels": said}) for item, said in data["people"].items()]

@solver
def silent():
    async def solve(state, generate):  # a model would count tokens with a table that it downloads
        return state
    return solve

@scorer(metrics=[worth()])
def verdict():
    async def score(state, target):
        return Score(value=data["answers"][state.sample_id])
    return score

@scorer(metrics=[worth("people.csv", of="answer")])
def graded():
    async def score(state, target):
        return Score(value=1, answer=data["answers"][state.sample_id])
    return score

task = Task(dataset=samples, solver=silent(), scorer=[verdict(), graded()], epochs=data["epochs"])
[log] = eval(task, model="mockllm/model", log_dir="logs", display="none")
found = {score.name: score.metrics["worth"].value for score in log.results.scores}
try:
    worth(labels="votes")([SampleScore(score=Score(value="Yes"), sample_id=1, sample_metadata={})])
except DissensusError as error:
    found["error"] = str(error)
print(json.dumps(found | {"log": log.location}))
"""


@pytest.fixture(scope="module")
def people():
    """The bundled ratings of forty items, as labels by rater."""
    by_item = {}
    for row in read("example:binary").rows():
        by_item.setdefault(row["item"], {})[row["rater"]] = row["label"]
    return dict(list(by_item.items())[:40])


@pytest.fixture(scope="module")
def answers(people):
    """What the judge answers: of every fourth item the less frequent label."""
    said = {}
    for number, (item, labels) in enumerate(people.items()):
        most = max(sorted(set(labels.values())), key=list(labels.values()).count)
        said[item] = most if number % 4 else ("No" if most == "Yes" else "Yes")
    return said


@pytest.fixture(scope="module")
def found(people, answers, tmp_path_factory):
    """What the evaluations find."""
    folder = tmp_path_factory.mktemp("inspect")
    rows = [f"{item},{rater},{label}" for item, said in people.items() for rater, label in said.items()]
    (folder / "people.csv").write_text("\n".join(["item,rater,label", *rows]))
    (folder / "data.json").write_text(json.dumps({"people": people, "answers": answers, "epochs": EPOCHS}))
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_metric_is_the_worth_that_equivalence_finds(found, people, answers):
    ratings = [(item, rater, label) for item, said in people.items() for rater, label in said.items()]
    judge = [{"item": item, "judge": "j", "label": said} for item, said in answers.items() for _ in range(EPOCHS)]
    expected = dissensus.equivalence(ratings, judge, bootstrap=0).bounded_worth("j")
    assert expected > 0
    assert found["verdict"] == pytest.approx(expected)
    assert found["graded"] == pytest.approx(expected)


def test_the_log_of_the_evaluation_is_a_file_of_judges(found):
    assert read_judges(found["log"]).n_answers == 2 * 40 * EPOCHS


def test_samples_without_peoples_labels_are_one_line(found):
    assert found["error"].startswith("No sample has people's labels under 'votes' in its metadata")
