"""A report with judges, and the demo: what they ask of the data, and what they print."""

import json

import dissensus
from dissensus.cli.main import main
from dissensus.cli.report import survey_settings
from dissensus.example_data import example_path


def run(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_a_report_with_judges_answers_three_questions(capsys, tmp_path):
    page = tmp_path / "page.html"
    arguments = ("report", "example:binary", "example:binary", "-o", page, "--bootstrap", 20)
    status, out, err = run(capsys, *arguments)
    assert (status, out, err) == (0, "", f"Wrote {page}\n")
    html = page.read_text(encoding="utf-8")
    assert "Do the raters agree?" in html
    assert "How many raters is each judge worth?" in html
    assert "Which judge can stand in for people?" in html
    status, out, _ = run(capsys, *arguments, "--json")
    content = json.loads(out)
    assert (content["command"], list(content["result"])) == ("report", ["describe", "equivalence", "judges"])
    assert set(content["data"]) == {"ratings", "judges"}
    assert content["settings"]["equivalence"]["calibrate"] == "isotonic"


def test_where_judges_cannot_be_ranked_the_page_says_why(capsys, tmp_path):
    ratings, judges, page = tmp_path / "ratings.csv", tmp_path / "judges.csv", tmp_path / "page.html"
    ratings.write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,y\n3,a,y\n3,b,y\n")
    judges.write_text("item,judge,label\n1,j,x\n2,j,x\n3,j,z\n")
    task = tmp_path / "task.toml"
    task.write_text('name = "t"\noptions = ["x", "y"]\n')  # which has no option z
    status, _, err = run(capsys, "report", ratings, judges, "--task", task, "-o", page, "--bootstrap", 0)
    assert (status, err) == (0, f"Wrote {page}\n")
    html = page.read_text(encoding="utf-8")
    assert "Which judge can stand in for people is not on this page: The judges have the label" in html
    assert "Which judge can stand in for people?" not in html


def test_judges_that_do_not_fit_the_ratings_are_refused(capsys, tmp_path):
    ratings, judges, page = tmp_path / "ratings.csv", tmp_path / "judges.csv", tmp_path / "page.html"
    ratings.write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,y\n")
    judges.write_text("item,judge,label\n7,j,x\n8,j,x\n")
    status, out, err = run(capsys, "report", ratings, judges, "-o", page, "--bootstrap", 0)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert not page.exists()


def test_judges_with_one_label_per_item_are_calibrated_by_a_table(tmp_path):
    ratings, judges = tmp_path / "ratings.csv", tmp_path / "judges.csv"
    ratings.write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,y\n3,a,y\n3,b,y\n")
    judges.write_text("item,judge,label\n1,j,x\n2,j,x\n3,j,y\n")
    hard = dissensus.read_judges(judges)
    assert survey_settings(dissensus.read(ratings), hard) == {"calibrate": "table"}
    judges.write_text("item,judge,sample,label\n1,j,0,x\n1,j,1,y\n2,j,0,x\n3,j,0,y\n")
    assert survey_settings(dissensus.read(ratings), dissensus.read_judges(judges)) == {"calibrate": "isotonic"}
    ratings.write_text("item,rater,label\n1,a,0.5\n1,b,1\n2,a,2\n2,b,2.5\n")
    assert survey_settings(dissensus.read(ratings), hard)["score"] == "pearson"
    ratings.write_text("item,rater,label\n" + "".join(f"{i},a,l{i}\n{i},b,l{i + 1}\n" for i in range(60)))
    assert survey_settings(dissensus.read(ratings), hard)["score"] == "agreement"


def test_who_answered_in_two_ways_counts_once():
    folder = example_path("toxicity")
    ratings, judges = dissensus.read(folder / "ratings.csv"), dissensus.read_judges(folder / "judges.csv")
    left_to_us = dissensus.equivalence(ratings, judges, bootstrap=0)
    forced = dissensus.equivalence(ratings, judges, bootstrap=0, elicitation="forced_choice")
    assert left_to_us.curve == forced.curve
    # 330 of the 2,189 ratings are response sets of experts who also made a forced choice (the data's README)
    lost = "Judges are compared with forced choices only: 330 other ratings were left out, so that nobody counts twice"
    assert any(warning.startswith(lost) for warning in left_to_us.warnings)


def test_the_demo_shows_answers_and_main_tables_only(capsys, tmp_path):
    status, out, err = run(capsys, "demo", "-o", tmp_path / "report.html")
    assert status == 0
    assert "Do the raters agree?" in out
    assert "How many raters is each judge worth?" in out
    assert "Worth, calibrated" in out
    assert "Which judge can stand in for people?" in out
    assert "Picked by" in out
    assert "How this was computed" not in out
    assert len(out.splitlines()) < 60
    assert err.splitlines()[-1] == f"Wrote {tmp_path / 'report.html'}"
