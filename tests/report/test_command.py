"""What `dissensus report` and `dissensus demo` check before they work."""

import sys

import pytest

from dissensus.cli.main import main
from dissensus.data.paths import example_path
from dissensus.methods.describe.describe import describe


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,y\n")
    return path


@pytest.fixture
def no_work(monkeypatch):
    """Nobody may be made to wait."""

    def refuse(*_arguments, **_more):
        raise AssertionError("the work began")

    monkeypatch.setattr("dissensus.report.answers.answers_of", refuse)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("place", ["nowhere/page.html", "."])
def test_a_page_that_has_no_place_is_refused_before_the_work(ratings, tmp_path, capsys, place):
    for command in (["report", str(ratings)], ["demo"]):
        assert main([*command, "-o", str(tmp_path / place)]) == 2
        printed = capsys.readouterr()
        assert (printed.out, len(printed.err.splitlines())) == ("", 1)
        assert "Cannot write" in printed.err


@pytest.mark.usefixtures("no_work")
def test_charts_without_the_extra_that_draws_them_are_refused_before_the_work(ratings, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)  # importing it fails
    assert main(["report", str(ratings), "-o", str(tmp_path / "r.md"), "--charts", str(tmp_path / "charts")]) == 2
    assert capsys.readouterr().err.rstrip().endswith("run `pip install 'dissensus[png]'`.")


def test_a_positive_option_that_is_none_is_one_line_and_no_page(ratings, tmp_path, capsys):
    judges, page = tmp_path / "judges.csv", tmp_path / "page.html"
    judges.write_text("item,judge,label\n1,j,x\n2,j,y\n")
    status = main(["report", str(ratings), str(judges), "-o", str(page), "--bootstrap", "0", "--positive", "z"])
    printed = capsys.readouterr()
    assert (status, printed.out, len(printed.err.splitlines())) == (2, "", 1)
    assert "--positive 'z' is not an option: the options are x, y." in printed.err
    assert not page.exists()


def test_a_mistake_of_ours_in_one_section_leaves_the_others_and_the_log_has_it(tmp_path, caplog, monkeypatch):
    def broken(*_arguments, **_more):
        raise KeyError("ours")

    monkeypatch.setattr("dissensus.report.answers.alt_test", broken)  # a method,
    monkeypatch.setattr("dissensus.report.whole._together", broken)  # a view,
    monkeypatch.setattr("dissensus.report.answers.items_of", broken)  # what others stand on,
    monkeypatch.setattr("dissensus.report.whole.front_of", broken)  # and the first screen
    page, toxicity = tmp_path / "page.html", example_path("toxicity")
    files = [str(toxicity / name) for name in ("ratings.csv", "judges.csv")]
    assert main(["report", *files, "-o", str(page), "--bootstrap", "0", "--quiet"]) == 0
    html = page.read_text()
    assert html.count("An error that was not foreseen ended this part: KeyError.") == 4
    for question in ("Do the raters agree?", "How many raters is each judge worth?", "What to collect next?"):
        assert question in html
    assert [record.exc_info is not None for record in caplog.records if record.name == "dissensus"] == [True] * 4


def test_a_mistake_of_ours_in_resampling_leaves_the_counts_that_everything_rests_on(ratings, tmp_path, monkeypatch):
    def broken(data, *, bootstrap, **more):
        if bootstrap:
            raise KeyError("ours")
        return describe(data, bootstrap=bootstrap, **more)

    monkeypatch.setattr("dissensus.report.answers.describe", broken)
    assert main(["report", str(ratings), "-o", str(tmp_path / "page.html"), "--bootstrap", "5", "--quiet"]) == 0
    html = (tmp_path / "page.html").read_text()
    assert "An error that was not foreseen ended this part: KeyError." in html
    assert "2 items" in html
