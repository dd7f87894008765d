"""`dissensus judges`: what it takes, prints and refuses."""

import json

import pytest
import typer

from dissensus.cli.flags import flag_of, spread
from dissensus.cli.measure import judges_command
from dissensus.errors import DissensusError
from dissensus.options import spelled

GIVEN = ("nny", "nyy", "yyy", "nnn")
RATINGS = "item,rater,label\n" + "".join(f"{i},{r},{x}\n" for i, row in enumerate(GIVEN) for r, x in enumerate(row))
ANSWERED = {"p": "nyyn", "q": "nnyy"}
JUDGES = "item,judge,label\n" + "".join(f"{i},{j},{x}\n" for j, row in ANSWERED.items() for i, x in enumerate(row))
TASK = 'options = ["n", "y"]\npositive = ["y"]\nresponse_sets = "any"\n'


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Runs the command in a folder with ratings.csv, judges.csv and task.toml, and returns what it printed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ratings.csv").write_text(RATINGS)
    (tmp_path / "judges.csv").write_text(JUDGES)
    (tmp_path / "task.toml").write_text(TASK)
    app = typer.Typer()
    app.command()(spread(judges_command))

    def call(*arguments):
        app(args=["ratings.csv", "judges.csv", *arguments], standalone_mode=False)
        return capsys.readouterr().out

    return call


def test_json_is_the_only_output(run):
    answer = json.loads(run("--positive", "y", "--tau", "0.3", "--tau", "0.5", "--bootstrap", "20", "--json"))
    assert answer["command"] == "judges"
    assert answer["settings"]["tau"] == [0.3, 0.5]
    # People say y on items 1 and 2 at tau .5, and so does p.
    rows = {(row["tau"], row["judge"]): row for row in answer["result"]["downstream"]}
    assert rows[0.5, "p"]["consistency"] == 1
    assert rows[0.5, "q"]["consistency"] == 0.5


def test_the_task_names_the_positive_options(run):
    answer = json.loads(run("--task", "task.toml", "--bootstrap", "0", "--json"))
    assert answer["settings"]["positive"] == ["y"]


def test_the_sweep_takes_a_list(run):
    answer = json.loads(run("--positive", "y", "--beta", "0, 0.25,0.5", "--bootstrap", "0", "--json"))
    assert [row["beta"] for row in answer["result"]["sensitivity"]] == [0, 0.25, 0.5]


def test_the_same_seed_gives_the_same_json(run):
    once = run("--positive", "y", "--seed", "3", "--json")
    assert run("--positive", "y", "--seed", "3", "--json") == once


def test_it_prints_without_json(run):
    assert run("--positive", "y", "--bootstrap", "0").startswith("Without recalibration, p is closest to people")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--positive", "maybe"), "--positive 'maybe' is not an option: the options are n, y."),
        (("--tau", "0"), "--tau cannot be 0: give a share above 0 and at most 1, such as 0.5."),
        (("--tau", "1.5"), "--tau cannot be 1.5: give a share above 0 and at most 1, such as 0.5."),
        (("--beta", "0,2"), "--beta cannot be 2: give shares from 0 to 1, such as 0,0.1,0.2."),
        (("--beta", "a few"), "--beta cannot be 'a few': give shares from 0 to 1, such as 0,0.1,0.2."),
        (("--judge", "r"), "There is no judge 'r': the judges are p, q."),
        (("--mapping", "none"), "--mapping cannot be 'none': choose one of keep, paper."),
    ],
)
def test_a_wrong_option_is_one_line(run, arguments, message):
    with pytest.raises(DissensusError) as refusal:
        run(*arguments)
    assert spelled(refusal.value.message, flag_of) == message


def test_a_label_outside_the_task_is_one_line(run, tmp_path):
    (tmp_path / "judges.csv").write_text(JUDGES.replace("0,p,n", "0,p,perhaps"))
    with pytest.raises(DissensusError) as refusal:
        run("--task", "task.toml")
    assert str(refusal.value) == (
        "The judges have the label 'perhaps', and 'perhaps' is not an option of the task: its options are n, y. "
        "Add it there, or leave the task out."
    )


def test_a_judge_that_answered_none_of_the_rated_items_is_one_line(run, tmp_path):
    (tmp_path / "judges.csv").write_text(JUDGES + "9,r,n\n")
    with pytest.raises(DissensusError, match=r"^The judge r answered none of the rated items"):
        run("--positive", "y")
