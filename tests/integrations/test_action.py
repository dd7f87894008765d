"""The GitHub Action: the shell of its steps, run here as GitHub would, with a `gh` that writes down what it is told."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from dissensus import read, read_judges
from dissensus.cli.main import main
from dissensus.data.history import read_history
from dissensus.data.writers import write_judges

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
WORKFLOW = yaml.safe_load((ROOT / "examples" / "judge.yml").read_text(encoding="utf-8"))
LIMIT = 65_536  # characters of a comment on GitHub


def program(folder, name, text):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def runner(tmp_path):
    """Run a step in an empty folder; what it printed, and what it left behind."""
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    programs = tmp_path / "programs"
    programs.mkdir()
    program(programs, "dissensus", f'exec "{sys.executable}" -m dissensus "$@"')
    program(programs, "python", 'echo "$@" > installed.txt')
    program(programs, "gh", 'echo "$@" >> gh.txt; [ "$3" != --paginate ] || cat earlier.txt')
    (tmp_path / "earlier.txt").write_text("")

    def run(name, **inputs):
        given = {key: spec.get("default", "") for key, spec in ACTION["inputs"].items()} | inputs
        step = STEPS[name]
        # What stands in a script would be run: values come in as variables only.
        assert "${{" not in step["run"]
        values = {key: filled(text, given) for key, text in step.get("env", {}).items()}
        own = {"GITHUB_OUTPUT": "output.txt", "GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_REPOSITORY": "us/it"}
        source = {"PYTHONPATH": str(ROOT / "src"), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        # As GitHub runs `shell: bash`.
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        environment = {**os.environ, **own, **source, **values}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    run.folder = tmp_path
    return run


def filled(text, inputs):
    known = {f"inputs.{name}": value for name, value in inputs.items()} | {"github.event.pull_request.number": "7"}
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], text)


EXAMPLE = {"ratings": "example:binary", "judges": "example:binary", "judge": "classifier", "options": "--bootstrap 50"}


@pytest.mark.parametrize(("least", "verdict"), [("0.5", "pass"), ("9", "fail")])
def test_a_gate_says_its_verdict(runner, least, verdict):
    gated = runner("Gate", **EXAMPLE, gate=f"--min-equivalence {least}")
    assert gated.returncode == 0, gated.stderr
    assert (runner.folder / "output.txt").read_text() == f"verdict={verdict}\n"
    assert (runner.folder / "gate.md").stat().st_size
    assert (runner.folder / "gate.xml").stat().st_size


def test_a_judge_is_held_to_its_earlier_answers(runner):
    history = {"record": "runs.duckdb", "baseline": "runs.duckdb"}
    write_judges(read_judges("example:binary"), runner.folder / "old answers.csv")
    ratings = read("example:binary")
    best = [ratings.labels[at] for at in ratings.counts().argmax(axis=1)]
    rows = [f"{item},classifier,{label}\n" for item, label in zip(ratings.items, best, strict=True)]
    (runner.folder / "best.csv").write_text("item,judge,label\n" + "".join(rows))
    for inputs, verdict, held in (
        (history | {"gate": "--min-equivalence 0.5"}, "pass", False),  # there is no history yet
        (history | {"gate": ""}, "pass", True),
        ({"gate": "", "baseline": "old answers.csv"}, "pass", True),
        ({"gate": "", "baseline": "best.csv", "margin": "0.01"}, "fail", True),
    ):
        gated = runner("Gate", **EXAMPLE, **inputs)
        assert gated.returncode == 0, gated.stderr
        assert (runner.folder / "output.txt").read_text().splitlines()[-1] == f"verdict={verdict}"
        assert ("worse than" in (runner.folder / "gate.md").read_text()) == held
    assert len(read_history(runner.folder / "runs.duckdb").runs) == 2


def test_the_comment_begins_with_the_gate_and_goes_on_with_the_report(runner):
    (runner.folder / "gate.md").write_text("The gate.\n")
    reported = runner("Report", **EXAMPLE)
    assert reported.returncode == 0, reported.stderr
    comment = (runner.folder / "comment.md").read_text(encoding="utf-8")
    assert comment.startswith("<!-- dissensus -->\nThe gate.\n\n# ")
    assert comment.count("<details") == comment.count("</details>")
    assert len(comment) <= LIMIT
    assert (runner.folder / "summary.md").read_text(encoding="utf-8") == comment


def test_a_long_report_is_cut_after_a_line_and_says_so(runner):
    rows = "\n".join(f"| {i} | a cell of a long table |" for i in range(5000))
    program(runner.folder / "programs", "dissensus", "cp long.md report.md")
    (runner.folder / "long.md").write_text(f"# Long\n\n<details>\n{rows}\n</details>\n")
    assert runner("Report", ratings="r.csv").returncode == 0
    comment = (runner.folder / "comment.md").read_text(encoding="utf-8")
    assert len(comment) <= LIMIT
    assert comment.endswith("*Cut here: the whole report is in the artifact dissensus.*\n")
    assert comment.count("<details") == comment.count("</details>")
    assert all(line in f"# Long <details>\n{rows}" for line in comment.splitlines()[1:-5])


def test_input_that_is_wrong_ends_the_job_with_the_message(runner):
    done = runner("Gate", ratings="nowhere.csv", judges="x.csv", judge="new; rm -rf .")
    assert done.returncode == 2
    assert "There is no file" in done.stderr


@pytest.mark.parametrize(("earlier", "method"), [("", "POST"), ("42\n", "PATCH")])
def test_a_comment_is_written_once_and_then_renewed(runner, earlier, method):
    (runner.folder / "earlier.txt").write_text(earlier)
    assert runner("Comment", token="secret").returncode == 0  # noqa: S106 - none
    asked, written = (runner.folder / "gh.txt").read_text().splitlines()
    assert asked.startswith("api repos/us/it/issues/7/comments --paginate")
    place = "comments/42" if earlier else "7/comments"
    assert written == f"api --silent --method {method} repos/us/it/issues/{place} -F body=@comment.md"


def test_what_to_install_is_one_word_and_a_failed_gate_fails_the_job(runner):
    assert runner("Install", requirement="dissensus[web] ; x").returncode == 0
    assert (runner.folder / "installed.txt").read_text() == "-m pip install --quiet dissensus[web] ; x\n"
    assert runner("Verdict").returncode == 1


def test_the_workflow_gives_the_action_what_it_takes(capsys):
    [step] = [step for step in WORKFLOW["jobs"]["gate"]["steps"] if step.get("uses", "").startswith("OWNER/")]
    assert set(step["with"]) <= set(ACTION["inputs"])
    assert {name for name, spec in ACTION["inputs"].items() if spec.get("required")} <= set(step["with"])
    assert WORKFLOW["permissions"]["pull-requests"] == "write"
    # Its thresholds are options that there are, asked of other judges.
    options = step["with"]["gate"].replace("old", "keywords").split()
    assert (
        main(["gate", "example:binary", "example:binary", "--judge", "classifier", "--bootstrap", "50", *options]) == 0
    )
    capsys.readouterr()


def test_the_page_about_ci_shows_the_workflow():
    page = (ROOT / "docs" / "how-to" / "use-it-in-ci.md").read_text(encoding="utf-8")
    assert (ROOT / "examples" / "judge.yml").read_text(encoding="utf-8") in page
