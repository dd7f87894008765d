"""The command line of `import`, and sources given to other commands as they are."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dissensus.cli.main import main

from tables import jsonl, write

TASKS = [
    {
        "id": number,
        "data": {"key": f"k{number}"},
        "annotations": [
            {
                "completed_by": rater,
                "was_cancelled": False,
                "result": [
                    {"from_name": "tone", "type": "choices", "value": {"choices": [tone]}},
                    {"from_name": "stars", "type": "rating", "value": {"rating": stars}},
                ],
            }
            for rater, tone, stars in ((1, "good", 5), (2, "bad" if number % 2 else "good", 4))
        ],
    }
    for number in range(1, 7)
]
LOG = {
    "version": 2,
    "eval": {"model": "m"},
    "samples": [
        {"id": f"k{n}", "epoch": 1, "scores": {"grader": {"value": "good" if n % 3 else "bad"}}} for n in range(1, 7)
    ],
}


@pytest.fixture
def run(capsys):
    def call(*arguments):
        status = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


@pytest.fixture
def export(tmp_path):
    return write(tmp_path, json.dumps(TASKS), "export.json")


def test_import_writes_our_tidy_file_and_says_what_it_took(run, export, tmp_path):
    out = tmp_path / "ratings.csv"
    status, text, err = run("import", export, "--question", "tone", "--item-key", "data.key", "-o", out)
    assert (status, err) == (0, "")
    assert out.read_text().splitlines()[:3] == ["item,rater,label", "k1,1,good", "k1,2,bad"]
    words = " ".join(text.split())
    assert "export.json (label-studio) has 12 ratings of 6 items, by 2 raters." in words
    assert "item data.key" in words
    assert "question tone (also asked: stars)" in words
    assert "Wrote" in words


def test_import_as_json_is_one_object(run, export):
    status, out, err = run("import", export, "--question", "stars", "--json")
    result = json.loads(out)["result"]
    assert (status, err) == (0, "")
    assert (result["format"], result["ratings"], result["output"]) == ("label-studio", 12, None)
    assert result["labels"] == [{"label": "4", "count": 6}, {"label": "5", "count": 6}]


def test_without_a_question_import_lists_them_and_stops(run, export, tmp_path):
    status, out, err = run("import", export, "-o", tmp_path / "x.csv")
    assert (status, out) == (2, "")
    assert err.startswith("dissensus: export.json asks 2 questions: tone (12 answers: bad, good); stars (12 answers")
    assert not (tmp_path / "x.csv").exists()


def test_options_of_import_reach_the_reader(run, tmp_path):
    source = write(tmp_path, "a;1;No\nb;1;NO\nc;1;No\na;2;n/a\nb;check_1;NO\n", "r.txt")
    out = tmp_path / "out.csv"
    options = ("--columns", "rater,item,label", "--merge-case", "--map", "n/a=", "--drop", "item=check_*")
    assert run("import", source, *options, "-o", out)[0] == 0
    assert out.read_text() == "item,rater,label\n1,a,No\n1,b,No\n1,c,No\n"


@pytest.mark.parametrize("option", [("--map", "NO"), ("--drop", "item"), ("--columns", "a,,b")])
def test_an_option_that_is_written_wrongly_says_how_to_write_it(run, export, option):
    status, _, err = run("import", export, *option)
    assert status == 2
    assert option[0] in err or "a,b,c" in err


def test_describe_takes_an_export_as_it_is(run, export):
    status, out, _ = run("describe", export, "--question", "tone", "--bootstrap", 0, "--json")
    content = json.loads(out)
    assert status == 0
    assert content["data"]["ratings"]["format"] == "label-studio"
    assert content["result"]["ratings"] == 12


def test_judges_and_ratings_are_taken_from_two_tools_at_once(run, export, tmp_path):
    log = write(tmp_path, json.dumps(LOG), "log.json")
    options = ("--question", "tone", "--item-key", "data.key", "--score", "agreement", "--bootstrap", 0, "--json")
    status, out, err = run("equivalence", export, log, *options)
    assert (status, err) == (0, "")
    assert json.loads(out)["result"]["judges"][0]["judge"] == "grader"


def test_a_judges_source_with_several_questions_gives_that_of_the_ratings(run, export, tmp_path):
    for sample in (log := json.loads(json.dumps(LOG)))["samples"]:
        sample["scores"]["grader"]["value"] = {"tone": "good", "style": "bad"}
    path = write(tmp_path, json.dumps(log), "log.json")
    given = ("--item-key", "data.key", "--score", "agreement", "--bootstrap", 0)
    assert run("equivalence", export, path, "--question", "tone", *given)[0] == 0
    status, _, err = run("equivalence", export, path, "--question", "stars", *given)
    assert (status, "no question 'stars': its questions are tone, style" in err) == (2, True)
    options = ("--question", "tone", "--item-key", "data.key", "--judges-question", "tone", "--score", "agreement")
    assert run("equivalence", export, path, *options, "--bootstrap", 0)[0] == 0


def test_a_group_column_is_still_found_in_any_table(run, tmp_path):
    rows = [{"item": str(i), "rater": r, "label": "x", "panel": r} for i in range(3) for r in "ab"]
    path = write(tmp_path, jsonl(*rows), "r.jsonl")
    status, out, _ = run("describe", path, "--group", "panel", "--bootstrap", 0, "--json")
    assert status == 0
    assert "panel" not in json.loads(out)["warnings"]


def test_help_lists_both_commands(run):
    out = run("--help")[1]
    assert "import" in out
    assert "doctor" in out


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no name for the standard output here")
def test_the_standard_output_can_be_named_as_the_file_whatever_it_is(tmp_path):
    source = write(tmp_path, "item,rater,label\n1,a,no\n", "r.csv")
    words = [
        sys.executable,
        "-m",
        "dissensus",
        "import",
        str(source),
        "--map",
        "no=yes",
        "-o",
        "/dev/stdout",
        "--quiet",
    ]
    piped = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    with (tmp_path / "out.csv").open("w") as file:
        subprocess.run(words, stdout=file, timeout=120, check=True)
    for text in (piped.stdout, (tmp_path / "out.csv").read_text()):
        assert text.startswith("item,rater,label\n1,a,yes\n")
