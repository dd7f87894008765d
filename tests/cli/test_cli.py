import json
import os
import pty
import subprocess
import sys
import time

import pytest

from dissensus import __version__, describe, read
from dissensus.cli.inputs import Output
from dissensus.cli.main import main
from dissensus.data.paths import example_path
from dissensus.methods.reproduce.dont_label_twice_sweep import Grid
from dissensus.methods.reproduce.reproduce import GRIDS, PAPERS

NOT_A_NUMBER = "Input should be a valid integer, unable to parse string as an integer"
RATINGS = "item,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,y\n3,a,y\n3,b,y\n"

NAMES = "survey-equivalence, judges-without-gold, how-many-raters, dont-label-twice"


@pytest.fixture
def run(capsys):
    """Run a command in this process: exit status, stdout, stderr."""

    def call(*arguments):
        status = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


@pytest.fixture
def ratings_file(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    return path


def test_json_is_one_object_with_the_envelope_and_nothing_else(run, ratings_file):
    status, out, err = run("describe", ratings_file, "--json", "--bootstrap", 20)
    content = json.loads(out)
    assert (status, err) == (0, "")
    assert list(content) == ["dissensus", "command", "settings", "data", "result", "warnings"]
    assert (content["dissensus"], content["command"]) == (__version__, "describe")
    assert content["settings"]["seed"] == 0
    assert content["data"]["ratings"]["file"] == "ratings.csv"
    assert len(content["data"]["ratings"]["sha256"]) == 64
    # Items: xx, xy, yy. Two of three pairs agree; alpha as derived in test_agreement.
    assert content["result"]["pairwise_agreement"] == pytest.approx(2 / 3)
    assert content["result"]["coefficients"][0]["value"] == pytest.approx(4 / 9)
    assert content["result"]["ratings_per_item"] == {"min": 2, "median": 2.0, "max": 2}
    assert content["result"]["labels"][0] == {"label": "x", "count": 3, "share": 0.5}


def test_json_of_the_command_is_that_of_the_library(run, ratings_file):
    out = run("describe", ratings_file, "--json", "--seed", 5)[1]
    assert out == describe(read(ratings_file), rng=5).to_json() + "\n"


def test_the_same_seed_gives_the_same_bytes_whatever_the_workers(run, ratings_file):
    one = run("describe", ratings_file, "--json")[1]
    assert one == run("describe", ratings_file, "--json", "--workers", 2)[1]
    assert one != run("describe", ratings_file, "--json", "--seed", 1)[1]


def test_text_says_what_the_numbers_mean(run, ratings_file):
    status, out, _ = run("describe", ratings_file)
    assert status == 0
    words = " ".join(out.split())
    assert "Two raters agree on an item 67% of the time" in words
    assert "Agreement in 6 ratings of 3 items by 2 raters" in words


def test_group_is_a_column_to_split_by_or_one_group(run, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("item,rater,label,team\n1,a,x,g\n1,b,x,g\n2,a,x,h\n2,b,y,h\n3,a,y,g\n3,b,y,g\n")
    content = json.loads(run("describe", path, "--group", "team", "--json", "--bootstrap", 0)[1])
    assert [(part["group"], part["items"]) for part in content["result"]["groups"]] == [("g", 2), ("h", 1)]
    path.write_text(path.read_text().replace("team", "group"))
    content = json.loads(run("describe", path, "--group", "g", "--json", "--bootstrap", 0)[1])
    assert (content["result"]["items"], content["settings"]["group"]) == (2, "g")
    status, out, err = run("describe", path, "--group", "nobody")
    assert (status, out) == (2, "")
    assert err == "dissensus: There is no group 'nobody': the groups are g, h.\n"


def test_options_of_reading_reach_the_reader(run, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("id;who;score\n1;a;low\n1;a;high\n1;b;low\n2;b;high\n")
    named = ("describe", path, "--item", "id", "--rater", "who", "--label", "score")
    assert run(*named)[0] == 2
    content = json.loads(run(*named, "--repeats", "last", "--labels", "low,high", "--json", "--bootstrap", 0)[1])
    assert content["settings"]["scale"] == "ordinal"
    assert content["settings"]["labels"] == ["low", "high"]
    assert len(content["warnings"]) == 1
    assert "1 repeated rating" in content["warnings"][0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["describe"], "Missing argument 'RATINGS'. See `dissensus describe --help`."),
        (["descrbe", "x"], "No such command 'descrbe'. Did you mean 'describe', 'decide'? See `dissensus --help`."),
        (["describe", "x.csv", "--bogus"], "No such option: --bogus. See `dissensus describe --help`."),
        (["describe", "x.csv"], "There is no file x.csv: check the path."),
        (
            ["describe", "x.csv", "--seed", "1", "--quiet", "--quiet", "--seed=2", "--label", "a", "--label=b"],
            "--label is given 2 times, and only one value can count: give it once. See `dissensus describe --help`.",
        ),
        (
            ["describe", "x.csv", "--bootstrap", "many"],
            f"Invalid value for '--bootstrap': {NOT_A_NUMBER}. See `dissensus describe --help`.",
        ),
        (
            ["describe", "example:binary", "--scale", "ratio"],
            "--scale cannot be 'ratio': choose one of nominal, ordinal, interval.",
        ),
        (["describe", "example:nothing"], "The example cannot be 'nothing': choose one of binary, toxicity."),
        (
            ["describe", "example:binary", "--labels", "a,,b"],
            "--labels 'a,,b' has an empty label: write them as a,b,c.",
        ),
        (["simulate"], "Missing command. See `dissensus simulate --help`."),
        (["simulate", "urn"], "Missing option '-o' / '--output'. See `dissensus simulate urn --help`."),
        (
            ["simulate", "urn", "-o", "x", "--raters", "few"],
            "--raters cannot be 'few': give a number such as 10, or a range such as 3-9.",
        ),
        (
            ["reproduce", "hamlet"],
            f"The paper cannot be 'hamlet': choose one of all, {NAMES}.",
        ),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(run, arguments, message):
    status, out, err = run(*arguments)
    assert (status, out, err) == (2, "", f"dissensus: {message}\n")


def test_a_judges_file_without_a_shared_item_is_refused(run, ratings_file, tmp_path):
    judges = tmp_path / "judges.csv"
    judges.write_text("item,judge,label\nother,j,x\n")
    status, _, err = run("report", ratings_file, judges, "-o", tmp_path / "page.html")
    assert status == 2
    assert err.startswith("dissensus: The judges share no item with the ratings: theirs are other; rated are 1, 2, 3.")
    assert err.count("\n") == 1
    assert not (tmp_path / "page.html").exists()


def test_report_writes_the_same_page_twice(run, ratings_file, tmp_path):
    page = tmp_path / "page.html"
    status, out, err = run("report", ratings_file, "-o", page, "--bootstrap", 20)
    assert (status, err) == (0, f"Wrote {page}\n")
    assert out.startswith("Two raters agree on an item 67% of the time")
    first = page.read_bytes()
    assert first.startswith(b"<!doctype html>")
    run("report", ratings_file, "-o", page, "--bootstrap", 20)
    assert page.read_bytes() == first


def test_quiet_says_nothing_but_the_result(run, ratings_file, tmp_path):
    status, out, err = run("report", ratings_file, "-o", tmp_path / "page.html", "--bootstrap", 0, "--quiet")
    assert (status, err) == (0, "")
    assert out.startswith("Two raters agree on an item 66.7% of the time; ")


def test_simulate_writes_what_describe_reads(run, tmp_path):
    status, out, _ = run("simulate", "urn", "-o", tmp_path / "urn", "--items", 30, "--raters", "3-5", "--seed", 4)
    assert (status, out) == (0, "")
    content = json.loads(run("describe", tmp_path / "urn" / "ratings.csv", "--json", "--bootstrap", 0)[1])
    assert content["result"]["items"] == 30
    assert content["result"]["ratings_per_item"]["min"] >= 3
    assert content["result"]["ratings_per_item"]["max"] <= 5
    assert json.loads((tmp_path / "urn" / "truth.json").read_text())


def test_simulate_takes_an_urn_from_a_file(run, tmp_path):
    urn = tmp_path / "urn.toml"
    urn.write_text(
        'labels = ["a", "b", "c"]\n'
        "[[states]]\nshare = 0.5\nlabels = [0.8, 0.1, 0.1]\n[[states]]\nshare = 0.5\nlabels = [0.1, 0.1, 0.8]\n"
        '[[judges]]\nname = "soft"\nkind = "soft"\noutputs = [[0.9, 0.1], [0.2, 0.8]]\n'
    )
    assert run("simulate", "urn", "-o", tmp_path / "made", "--urn", urn, "--items", 20)[0] == 0
    assert read(tmp_path / "made" / "ratings.csv").labels == ("a", "b", "c")
    urn.write_text("labels = 3")
    status, _, err = run("simulate", "urn", "-o", tmp_path / "made", "--urn", urn)
    assert (status, err) == (
        2,
        "dissensus: The urn has no states: write [[states]] tables, each with a share and labels.\n",
    )


def test_reproduce_prints_claims_and_fails_only_if_one_failed(run, monkeypatch):
    # Without the claims about a sweep, for which a page of the docs runs the same command.
    quick = tuple(claim for claim in PAPERS["dont-label-twice"] if claim.group != "appendix A")
    monkeypatch.setitem(PAPERS, "dont-label-twice", quick)
    monkeypatch.setitem(GRIDS, "reduced", Grid(parts=4))
    status, out, _ = run("reproduce", "dont-label-twice", "--json")
    claims = json.loads(out)["result"]["claims"]
    assert status == 0
    keys = {"paper", "claim", "published", "ours", "difference", "tolerance", "status", "reason"}
    assert all(keys <= set(claim) for claim in claims)
    assert len(claims) == len(quick) > 10
    assert not [claim for claim in claims if claim["status"] == "failed"]


def test_version_and_help(run):
    assert run("--version") == (0, f"dissensus {__version__}\n", "")
    status, out, _ = run()
    assert status == 0
    assert "Commands:" in out
    assert out == run("--help")[1]


def command(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "dissensus", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def test_help_of_a_command_imports_its_own_method_only():
    code = (
        "import sys; from dissensus.cli.main import main; main(['describe', '--help']); "
        "ours = [m for m in sys.modules if m.startswith('dissensus.methods.') and not m.startswith("
        "('dissensus.methods.describe', 'dissensus.methods.parts'))]; "  # parts: questions and slices of every method
        "print(ours + [m for m in ('scipy', 'rich', 'jinja2', 'narwhals') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_reader_who_goes_away_is_no_error(ratings_file):
    first = f"{sys.executable} -m dissensus describe {ratings_file} --bootstrap 0"
    done = subprocess.run(f"{first} | head -1; exit ${{PIPESTATUS[0]}}", shell=True, executable="/bin/bash",  # noqa: S602
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert "Traceback" not in done.stderr


def test_shell_completion_is_offered():
    done = command("--show-completion", "bash", env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert "dissensus" in done.stdout.lower()


def test_colour_only_where_it_is_wanted(ratings_file):
    def on_a_terminal(**environment):
        master, slave = pty.openpty()
        subprocess.run(
            [sys.executable, "-m", "dissensus", "describe", str(ratings_file), "--bootstrap", "0", "--quiet"],
            stdout=slave, check=True, env={**os.environ, "TERM": "xterm-256color", **environment},
        )  # fmt: skip
        os.close(slave)
        shown = b""
        try:
            while chunk := os.read(master, 65536):
                shown += chunk
        except OSError:  # the other end is closed, which Linux reports so
            pass
        os.close(master)
        return shown

    colour = b"\x1b[3"
    assert colour not in on_a_terminal(NO_COLOR="1")
    assert b"Two raters agree on an item" in on_a_terminal()


def test_bundled_data_have_the_shape_their_readme_says():
    assert read(example_path("binary") / "ratings.csv").n_raters == 10
    assert read(example_path("toxicity") / "ratings.csv").has_response_sets


@pytest.mark.parametrize("done", [0, 1, 3])
def test_a_progress_bar_moves_while_nothing_is_told(done, monkeypatch, capsys):
    # Before the first task, in the middle of a long one, and while the result is put together.
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with Output().progress("Working") as progress:
        if done:
            progress(done, 3)
        time.sleep(0.15)
        capsys.readouterr()
        time.sleep(0.4)
        frames = capsys.readouterr().err.split("\r")
        assert len({frame for frame in frames if "Working" in frame}) > 1
