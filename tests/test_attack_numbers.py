"""Odd numbers in files and options: one line, at once."""

import json
import os
import time

import pytest

import dissensus
from dissensus.data.project import open_project
from test_attack import here, refused, run

__all__ = ["here"]


MANY_DIGITS, SQUARED = "9" * 5000, "\N{SUPERSCRIPT TWO}"


@pytest.mark.parametrize("entry", [f"line[{SQUARED}]", f"line[{MANY_DIGITS}]", "line[999999999999]", "line[-1]"])
def test_a_recalibration_with_odd_places_is_refused_in_one_line(here, capsys, entry):
    (here / "p.csv").write_text(
        f'judge,kind,answer,p_n,p_y,value\nj,answer,n,.8,.2,\nj,answer,y,.1,.9,\nj,map,"{entry}",,,1\n'
    )
    assert "p.csv" in refused(capsys, "apply", "p.csv", "j.csv")


@pytest.mark.parametrize("text", [f"scale = {MANY_DIGITS}", f"options = [{MANY_DIGITS}, 2]", "options = [" * 3000])
def test_toml_that_is_none_is_refused_in_one_line_wherever_it_is_read(here, capsys, text):
    (here / "t.toml").write_text(text)
    assert "not valid TOML" in refused(capsys, "describe", "r.csv", "--task", "t.toml")
    assert "not valid TOML" in refused(capsys, "simulate", "urn", "--urn", "t.toml", "-o", "new")
    (here / "project.toml").write_text(text)
    with pytest.raises(dissensus.DissensusError, match="not valid TOML"):
        open_project(here)


NO_NUMBERS = ("x", None, [5], True, 5.5, -3, 0, SQUARED, MANY_DIGITS, float("nan"))


@pytest.mark.parametrize("value", NO_NUMBERS, ids=[repr(one)[:9] for one in NO_NUMBERS])
@pytest.mark.parametrize("name", ["items", "raters", "raters_in_all"])
def test_a_plan_that_recommends_no_numbers_is_refused_in_one_line(here, capsys, name, value):
    (here / "t.toml").write_text('name = "t"\ninstructions = "?"\noptions = ["y", "n"]\n')
    (here / "items.csv").write_text("item,text\n" + "".join(f"i{i},text\n" for i in range(9)))
    design = {"items": 5, "raters": 2, "raters_in_all": 4} | {name: value}
    (here / "plan.json").write_text(json.dumps({"result": {"recommended": design}}))
    command = ("collect", "items.csv", "--task", "t.toml", "--plan", "plan.json", "-o", "new")
    if name == "raters_in_all" and value is None:  # older plans do not say it
        assert "--raters" in refused(capsys, *command)
        return
    assert "plan again" in refused(capsys, *command)
    assert not (here / "new").exists()


@pytest.mark.skipif(os.name != "posix", reason="there are no pipes by name")
def test_pairs_and_images_are_files(here, capsys):
    os.mkfifo(here / "pipe.png")
    for path in ("pipe.png", "/dev/zero"):
        command = ("prevalence", "r.csv", "j.csv", "--positive", "y", "--pairs", path)
        assert "a device or a pipe" in refused(capsys, *command)
    (here / "t.toml").write_text('name = "t"\ninstructions = "?"\noptions = ["y", "n"]\n')
    for image in ("pipe.png", "no\0.png", "../x.png", "no.png"):
        (here / "items.jsonl").write_text(json.dumps({"item": 1, "image": image}) + "\n")
        command = ("collect", "items.jsonl", "--task", "t.toml", "--raters", 2, "--ratings-per-item", 1, "-o", "new")
        assert "image" in refused(capsys, *command)
    assert not (here / "new").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan", "raters", "--effect", ".1", "--raters", "5", "--budget", "1e18"),
        ("plan", "raters", "--effect", ".1", "--machine-samples", 10**6, "--method", "simulate", "--simulations", 100),
        ("plan", "raters", "--effect", ".1", "--machine-samples", 10**6, "--metric", "emd"),
        ("plan", "raters", "--effect", ".1", "--items", 10**8),
        ("rate", "r.csv", "--task", "t.toml", "--text", "label", "--model", "m", "--dry-run", "--samples", 10**6),
    ],
)
def test_numbers_that_nobody_needs_take_no_time(here, capsys, arguments):
    (here / "t.toml").write_text('name = "t"\ninstructions = "?"\noptions = ["y", "n"]\n')
    began = time.process_time()
    status, _, err = run(capsys, *arguments)
    assert (status, err.count("\n")) in {(0, 0), (2, 1)}, err
    assert time.process_time() - began < 30


@pytest.mark.parametrize("command", ["describe", "decide", "report"])
@pytest.mark.usefixtures("here")
def test_a_billion_bootstrap_samples_are_refused(capsys, command):
    files = ("r.csv",) if command == "describe" else ("r.csv", "j.csv")
    assert "our limit for samples is 100,000" in refused(capsys, command, *files, "--bootstrap", 10**9)


@pytest.mark.parametrize("option", ["--rating-cost", "--judge-cost"])
@pytest.mark.parametrize("value", ["1e308", "1e100", "9" * 200, "inf", "nan"])
@pytest.mark.usefixtures("here")
def test_costs_that_nobody_has_are_refused_in_one_line(capsys, option, value):
    assert f"{option} cannot be" in refused(capsys, "route", "r.csv", "j.csv", "--judge", "j", option, value)


@pytest.mark.parametrize("option", ["--items", "--raters"])
@pytest.mark.parametrize("what", ["urn", "responses", "labels", "indeterminate"])
def test_simulations_of_more_rows_than_a_table_has_are_refused_at_once(here, capsys, what, option):
    began = time.process_time()
    message = refused(capsys, "simulate", what, "-o", "new", option, 10**12)
    assert "rows, and our limit for rows is 20,000,000" in message or "numbers: ask for fewer" in message
    assert time.process_time() - began < 10
    assert not (here / "new").exists()


@pytest.mark.usefixtures("here")
def test_a_cost_of_no_judge_is_refused_in_one_line(capsys):
    assert "cannot be '=5'" in refused(capsys, "decide", "r.csv", "j.csv", "--judge-cost", "=5")


@pytest.mark.usefixtures("here")
def test_a_file_is_no_folder_of_projects(capsys):
    pytest.importorskip("starlette", reason="the extra [web] is not installed")
    assert "r.csv is not a folder" in refused(capsys, "serve", "r.csv", "--no-open", "--port", 0)
