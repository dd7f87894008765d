"""A report with judges, and the demo: what they ask of the data, and what they print."""

import json
import re
from html import unescape

import pytest

import dissensus
from dissensus.cli.main import main
from dissensus.data.paths import example_path
from dissensus.methods.decide.result import DecideOptions
from dissensus.methods.equivalence.options import survey_options
from dissensus.options import declarations
from dissensus.report.front import title_of


def run(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


BINARY = ("report", "example:binary", "example:binary", "--bootstrap", 20)


@pytest.fixture
def files(tmp_path):
    """Ratings and judges that are quick to report on."""
    ratings, judges = tmp_path / "ratings.csv", tmp_path / "judges.csv"
    ratings.write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,y\n3,a,y\n3,b,y\n")
    judges.write_text("item,judge,label\n1,j,x\n2,j,x\n3,j,y\n")
    return ratings, judges


def test_a_report_with_judges_answers_in_the_order_of_a_readers_questions(capsys, tmp_path):
    page = tmp_path / "page.html"
    status, out, err = run(capsys, *BINARY, "-o", page)
    assert (status, err) == (0, f"Wrote {page}\n")
    assert out.startswith("Use classifier, as it is: it beats always answering No, and is worth ")
    html = page.read_text(encoding="utf-8")
    front = unescape(html[html.index('<header class="front"') : html.index("</header>")])
    assert ">Use classifier, as it is.</li>" in front
    assert ">classifier</span></th>" in front
    assert ">Helpfulness</h1>" in front
    places = [
        html.index(f">{question}</h2>")
        for question in (
            "Do the raters agree?",
            "How many raters is each judge worth?",
            "Which judge can stand in for people?",
            "Is the best judge really better than the second?",
            "What to collect next?",
        )
    ]
    assert places == sorted(places)


def test_judges_are_chosen_as_in_decide(capsys, tmp_path):
    path = tmp_path / "found.json"
    assert run(capsys, *BINARY, "--judge", "keywords", "-o", path)[0] == 0
    found = json.loads(path.read_text(encoding="utf-8"))
    assert (found["settings"]["decide"]["judge"], found["data"]["judges"]["judges"]) == (["keywords"], ["keywords"])
    shown = run(capsys, "report", "--help")[1]
    assert declarations(DecideOptions)["judge"].help in " ".join(shown.split())


def test_further_questions_stand_under_their_names_where_the_data_answer_them(capsys, tmp_path):
    path = tmp_path / "page.md"
    assert run(capsys, *BINARY, "-o", path, "--bootstrap", 20)[0] == 0
    text = path.read_text(encoding="utf-8")
    for title in ("Who are the raters?", "Can a judge replace a rater?", "What are the judges worth together?"):
        assert text.count(f"\n## {title}\n") == 1
    assert "How many items are positive?" not in text  # the judges answered no other items
    assert "--epsilon" not in text  # options are named in words


def test_the_json_has_a_part_for_each_command_and_nothing_else_is_on_stdout(capsys, tmp_path):
    status, out, _ = run(capsys, *BINARY, "-o", tmp_path / "page.html", "--json")
    content = json.loads(out)
    assert (status, content["command"]) == (0, "report")
    parts = list(content["result"])
    assert (parts[0], parts[-1]) == ("verdict", "unanswered")
    assert parts[1:7] == ["decide", "describe", "raters", "equivalence", "judges", "compare"]
    assert set(content["data"]) >= {"ratings", "judges"}
    assert content["settings"]["equivalence"]["calibrate"] == "auto"


def test_the_file_can_be_markdown_or_json_by_name_or_by_format(capsys, files, tmp_path):
    small = ("report", *files, "--bootstrap", 0, "--quiet")
    for name, options in (("a.md", ()), ("b.txt", ("--format", "md"))):
        assert run(capsys, *small, "-o", tmp_path / name, *options)[0] == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(f"# {title_of(str(files[0]))}\n")
    for name, options in (("a.json", ()), ("b.html", ("--format", "json"))):
        assert run(capsys, *small, "-o", tmp_path / name, *options)[0] == 0
        assert json.loads((tmp_path / name).read_text(encoding="utf-8"))["command"] == "report"
    assert run(capsys, *small, "-o", tmp_path / "page")[0] == 0
    assert (tmp_path / "page").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_file_is_named_after_its_format_where_no_name_is_given(capsys, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for form in ("html", "md", "json"):
        status, _, err = run(capsys, "report", *files, "--bootstrap", 0, "--format", form)
        assert (status, err) == (0, f"Wrote report.{form}\n")
        assert (tmp_path / f"report.{form}").stat().st_size > 1000


def test_charts_are_written_as_png_and_svg_and_linked(capsys, files, tmp_path):
    folder = tmp_path / "charts"
    status, _, err = run(capsys, "report", *files, "--bootstrap", 0, "-o", tmp_path / "r.md", "--charts", folder)
    assert status == 0
    written = sorted(path.name for path in folder.iterdir())
    assert written
    assert {name.rsplit(".", 1)[1] for name in written} == {"png", "svg"}
    assert all((folder / name).stat().st_size > 1000 for name in written)
    assert err == f"Wrote {tmp_path / 'r.md'} and {len(written)} drawings in {folder}\n"
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\(<charts/([^>]+)>\)", text)
    assert sorted(linked) == [name for name in written if name.endswith(".svg")]


def test_the_title_is_the_users_or_the_tasks_name_with_what_was_asked_below(capsys, files, tmp_path):
    task, page = tmp_path / "task.toml", tmp_path / "page.md"
    task.write_text('name = "clear"\noptions = ["x", "y"]\ninstructions = "Is it x?"\n')
    small = ("report", *files, "--task", task, "--bootstrap", 0, "--quiet", "-o", page)
    assert run(capsys, *small)[0] == 0
    assert page.read_text(encoding="utf-8").startswith("# Clear\n\nIs it x? 3 items, 2 raters, 1 judge\n")
    assert run(capsys, *small, "--title", "My <b>title</b>")[0] == 0
    assert page.read_text(encoding="utf-8").startswith(r"# My \<b\>title\</b\>")


def test_costs_are_in_the_sentences_about_what_to_collect(capsys, tmp_path):
    ratings, page = tmp_path / "ratings.csv", tmp_path / "page.md"
    ratings.write_text("item,rater,label\n" + "".join(f"{i},a,x\n" for i in range(10)) + "1,b,x\n2,b,y\n")
    small = ("report", ratings, "--bootstrap", 0, "--quiet", "-o", page)
    assert run(capsys, *small, "--rating-cost", 0.25)[0] == 0
    # 8 of 10 items have one rating: a second one of each costs 8 * 0.25.
    assert "Get a second rating of 8 items (cost 2 at your prices):" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["html", "md", "json"])
def test_the_same_seed_gives_the_same_bytes_whatever_the_number_of_processes(capsys, files, tmp_path, form):
    with files[1].open("a") as judges:
        judges.write("1,k,y\n2,k,x\n3,k,y\n")
    small = ("report", *files, "--bootstrap", 60, "--quiet", "--format", form)
    texts = []
    for name, workers in (("a", 1), ("b", 1), ("c", 2)):
        path = tmp_path / name
        path.mkdir()
        assert run(capsys, *small, "-o", path / "r", "--workers", workers)[0] == 0
        texts.append(
            (path / "r").read_text(encoding="utf-8").replace(str(path), "").replace(f"--workers {workers}", "")
        )
    assert texts[0] == texts[1] == texts[2]
    assert run(capsys, *small, "-o", tmp_path / "r", "--seed", 7)[0] == 0
    assert (tmp_path / "r").read_text(encoding="utf-8") != texts[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--format", "pdf"), "--format cannot be 'pdf': choose html, md or json."),
        (("-o", "report.pdf"), "-o report.pdf: a report is written as html, md or json."),
        (("--bootstrap", "-1"), "--bootstrap"),
        (("--rating-cost", "-1"), "--rating-cost"),
        (("--item-cost", "dear"), "--item-cost"),
        (("--workers", "0"), "--workers"),
        (("--engine", "cloud"), "--engine cannot be 'cloud': choose local, dask://host:port or tls://host:port."),
        (("-o", "nowhere/r.html"), "the folder nowhere does not exist"),
        (("--task", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_bad_options_are_one_line_and_exit_2(capsys, files, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, "report", *files, "--bootstrap", 0, *options)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert words in err
    assert not list(tmp_path.glob("*.html"))


def test_a_folder_for_charts_that_cannot_be_made_is_one_line(capsys, files, tmp_path):
    status, _, err = run(capsys, "report", *files, "--bootstrap", 0, "-o", tmp_path / "r.html", "--charts", files[0])
    assert status == 2
    assert err.startswith(f"Cannot make the folder {files[0]}") or f"Cannot make the folder {files[0]}" in err
    assert not (tmp_path / "r.html").exists()


def test_where_judges_cannot_be_ranked_the_page_says_why(capsys, files, tmp_path):
    ratings, judges = files
    judges.write_text("item,judge,label\n1,j,x\n2,j,x\n3,j,z\n")
    task, page = tmp_path / "task.toml", tmp_path / "page.html"
    task.write_text('name = "t"\noptions = ["x", "y"]\n')  # which has no option z
    status, _, err = run(capsys, "report", ratings, judges, "--task", task, "-o", page, "--bootstrap", 0)
    assert (status, err) == (0, f"Wrote {page}\n")
    html = page.read_text(encoding="utf-8")
    assert "<li>Which judge can stand in for people? The judges have the label" in html
    assert ">Which judge can stand in for people?</h2>" not in html
    assert ">What these data leave open</h2>" in html


def test_judges_that_do_not_fit_the_ratings_are_refused(capsys, tmp_path):
    ratings, judges, page = tmp_path / "ratings.csv", tmp_path / "judges.csv", tmp_path / "page.html"
    ratings.write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,y\n")
    judges.write_text("item,judge,label\n7,j,x\n8,j,x\n")
    status, out, err = run(capsys, "report", ratings, judges, "-o", page, "--bootstrap", 0)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert not page.exists()


def test_numbers_are_correlated_and_many_labels_compared_for_equality(tmp_path):
    ratings, judges = tmp_path / "ratings.csv", tmp_path / "judges.csv"
    ratings.write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,y\n3,a,y\n3,b,y\n")
    judges.write_text("item,judge,label\n1,j,x\n2,j,x\n3,j,y\n")
    hard = dissensus.read_judges(judges)
    assert survey_options(dissensus.read(ratings), hard) == {}
    judges.write_text("item,judge,sample,label\n1,j,0,x\n1,j,1,y\n2,j,0,x\n3,j,0,y\n")
    assert survey_options(dissensus.read(ratings), dissensus.read_judges(judges)) == {}
    ratings.write_text("item,rater,label\n1,a,0.5\n1,b,1\n2,a,2\n2,b,2.5\n")
    assert survey_options(dissensus.read(ratings), hard)["score"] == "pearson"
    ratings.write_text("item,rater,label\n" + "".join(f"{i},a,l{i}\n{i},b,l{i + 1}\n" for i in range(60)))
    assert survey_options(dissensus.read(ratings), hard)["score"] == "agreement"


def test_who_answered_in_two_ways_counts_once():
    folder = example_path("toxicity")
    ratings, judges = dissensus.read(folder / "ratings.csv"), dissensus.read_judges(folder / "judges.csv")
    left_to_us = dissensus.equivalence(ratings, judges, bootstrap=0)
    forced = dissensus.equivalence(ratings, judges, bootstrap=0, elicitation="forced_choice")
    assert repr(left_to_us.curve) == repr(forced.curve)  # NaN is not equal to itself
    # 330 of the 2,189 ratings are response sets of experts who also made a forced choice (the data's README)
    lost = "Judges are compared with forced choices only: 330 other ratings were left out"
    assert any(warning.startswith(lost) for warning in left_to_us.warnings)


def test_the_demo_shows_the_decision_on_one_screen_and_every_section_with_details(capsys, tmp_path, demo_once):
    with demo_once():
        status, out, err = run(capsys, "demo", "-o", tmp_path / "report.html")
        details = run(capsys, "demo", "--details", "-o", tmp_path / "report.html")[1]
    assert status == 0
    assert out.startswith("Use strong, as it is: it answers like a person, and is worth")
    assert "(one more person)" in out
    assert len(out.splitlines()) <= 25
    assert "Do the raters agree?" in details
    assert "How many raters is each judge worth?" in details
    assert err.splitlines()[-1] == f"Wrote {tmp_path / 'report.html'}"
    assert (tmp_path / "report.html").stat().st_size > 100_000
