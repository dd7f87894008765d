"""What the alternative annotator test says in words, tables and a chart; its command; real data."""

import json
from dataclasses import replace

import pytest
import typer
from typer.testing import CliRunner

from dissensus import read, read_judges
from dissensus.cli.flags import spread
from dissensus.cli.measure import alt_test_command
from dissensus.errors import DissensusError
from dissensus.methods.alt_test import AltTestResult, Dropped, JudgeTest, RaterTest, alt_test
from dissensus.methods.alt_test.result import SCORES
from dissensus.report.views.alt_test import SCORE_WORDS
from dissensus.report.views.section import main_chart, section_of

NAN = float("nan")
WON = RaterTest(
    rater="ann", items=50, p_value=0.001, p_adjusted=0.003, rejected=True, judge_at_least_as_close=0.9,
    rater_at_least_as_close=0.8, difference=-0.1, low=-0.2, high=0.0, test="t",
)  # fmt: skip
LOST = replace(
    WON, rater="bob", p_value=0.4, p_adjusted=0.8, rejected=False, judge_at_least_as_close=0.7, difference=0.1
)
GOOD = JudgeTest(judge="gpt", winning_rate=0.5, advantage=0.8, replaces=True, raters=(WON, LOST))
POOR = JudgeTest(judge="llama", winning_rate=0.0, advantage=0.6, replaces=False, raters=(LOST, LOST))
UNKNOWN = JudgeTest(judge="bert", winning_rate=NAN, advantage=NAN, replaces=None, raters=())


def result_of(*judges, baseline=POOR, warnings=()):
    return AltTestResult(
        settings={"epsilon": 0.1, "alpha": 0.05}, data={}, warnings=warnings, judges=judges,
        baseline=replace(baseline, judge="no"), score="accuracy", epsilon=0.1, dropped=Dropped(items=0, raters=()),
    )  # fmt: skip


def test_the_lead_says_whether_the_judge_can_replace_a_rater():
    assert section_of(result_of(GOOD)).lead == (
        "Without recalibration, gpt can replace a rater: it beats 1 of 2 raters, and half are enough."
    )
    assert section_of(result_of(POOR)).lead == (
        "Without recalibration, llama is not shown to replace a rater: it beats 0 of 2 raters, where half are needed."
    )
    assert section_of(result_of(UNKNOWN)).lead == "bert cannot be tested: no rater shares enough items with it."


def test_of_several_judges_the_lead_names_those_that_can():
    assert section_of(result_of(GOOD, POOR, UNKNOWN)).lead.startswith(
        "Without recalibration, gpt can replace a rater: it beats 1 of 2"
    )
    twin = replace(GOOD, judge="twin")
    assert section_of(result_of(GOOD, twin, POOR)).lead == (
        "Without recalibration, gpt and twin can replace a rater: gpt beats 1 of 2 raters, and half are enough."
    )
    assert section_of(result_of(POOR, UNKNOWN)).lead == (
        "Without recalibration, no judge is shown to replace a rater: none beats a single rater, where half are needed."
    )


def test_every_judge_and_the_constant_have_one_row():
    sampled = replace(GOOD, winning_rate_low=0.1, winning_rate_high=0.9)
    assert [list(row) for row in section_of(result_of(sampled, POOR, UNKNOWN)).main_table().rows] == [
        ["gpt", "yes", "1 of 2 [10%, 90%]", 0.8],
        ["llama", "not shown", "0 of 2", 0.6],
        ["bert", "not tested", None, pytest.approx(NAN, nan_ok=True)],
        ["(always answering no)", "no", "0 of 2", 0.6],
    ]
    assert section_of(result_of(sampled)).brief().notes == [
        "Ask more raters to show that gpt wins: it may win against only 10% of raters like these."
    ]


def test_a_test_that_a_constant_answer_passes_is_called_so():
    section = section_of(result_of(GOOD, baseline=GOOD))
    assert (
        section.lead
        == "Without recalibration, gpt passes the test for replacing a rater, but so does always answering no."
    )
    assert section.brief().notes[0].startswith("Passing takes no skill here.")
    assert [row[1] for row in section.main_table().rows] == ["so does a constant", "yes"]
    beaten = section_of(result_of(replace(GOOD, beats_constant=False), baseline=GOOD))
    assert beaten.lead == (
        "Without recalibration, gpt is not shown to replace a rater: gpt beats 1 of 2 raters, and always answering "
        "no beats 1."
    )


def test_every_score_has_its_words():
    assert set(SCORE_WORDS) == set(SCORES)


def test_the_chart_shows_the_raters_around_epsilon():
    figure = section_of(result_of(GOOD)).figures()[0]
    assert figure.title == "gpt wins against 1 of 2 raters"
    assert [row["value"] for row in figure.spec["data"]["values"]] == [0.1, -0.1]
    assert figure.spec["layer"][0]["encoding"]["x"]["datum"] == 0.1
    low, high = figure.spec["layer"][-1]["encoding"]["x"]["scale"]["domain"]
    assert -0.25 < low < -0.2
    assert 0.1 < high < 0.15
    assert main_chart(result_of(GOOD)).to_svg().startswith("<svg")


def test_a_rater_without_an_interval_is_a_point_and_many_are_cut():
    steady = replace(WON, low=NAN, high=NAN)
    figure = section_of(result_of(replace(GOOD, raters=(steady,) * 60))).figures()[0]
    assert figure.spec["data"]["values"][0]["low"] is None
    assert "Shown: the 25 of 60 raters against whom it does worst." in figure.caption


def test_no_rater_no_chart():
    with pytest.raises(DissensusError, match="has no chart"):
        main_chart(result_of(UNKNOWN, baseline=UNKNOWN))


def test_names_that_others_wrote_are_made_harmless():
    result = result_of(replace(GOOD, judge="<script>\x1b[31m", raters=(replace(WON, rater="<b>\x1b"),)))
    assert "\x1b" not in result.summary()
    assert "<script>" not in result._repr_html_()


@pytest.fixture
def run(tmp_path):
    """Run the command on two small files."""
    (tmp_path / "r.csv").write_text(
        "item,rater,label\n" + "".join(f"{i},{r},{(i + (r == i % 3)) % 2}\n" for i in range(40) for r in range(3))
    )
    (tmp_path / "j.csv").write_text("item,judge,label\n" + "".join(f"{i},j,{i % 2}\n" for i in range(40)))
    app = typer.Typer()
    app.command("alt-test")(spread(alt_test_command))

    def call(*arguments, files=("r.csv", "j.csv")):
        return CliRunner().invoke(app, [*(str(tmp_path / name) for name in files), *arguments])

    return call


def test_the_command_prints_the_librarys_json(run):
    # Judge i % 2; rater r deviates on every third item, so there the judge agrees with both others and the rater with
    # none; elsewhere both agree with one of the others: the judge is never farther.
    content = json.loads(run("--json", "--epsilon", "0.15", "--min-items", "20").stdout)
    judge = content["result"]["judges"][0]
    assert (judge["winning_rate"], judge["advantage"], judge["replaces"]) == (1, 1, True)
    assert [r["rater_at_least_as_close"] for r in judge["raters"]] == pytest.approx([26 / 40, 27 / 40, 27 / 40])
    assert content["settings"]["epsilon"] == 0.15


def test_the_command_says_it_in_words(run):
    done = run("--test", "sign-flip", "--judge", "j", "--score", "rmse")
    assert done.exit_code == 0
    assert "j is not shown to replace a rater: j beats" in " ".join(done.stdout.split())


def test_swapped_files_are_refused(run):
    done = run(files=("j.csv", "r.csv"))
    assert isinstance(done.exception, DissensusError)


@pytest.fixture(scope="module")
def data(shared):
    def load(name):
        folder = shared / "data" / name
        return read(folder / "ratings.csv"), read_judges(folder / "judges.csv")

    return load


def test_the_true_species_does_not_replace_birdwatchers_who_err_alike(data):
    # Raters agree with each other more than with the truth: its README has the truth agree with 63.6% of them.
    result = alt_test(*data("bluebirds"))
    assert (len(result.judges[0].raters), result.judges[0].replaces) == (39, False)
    assert result.baseline.advantage < result.judges[0].advantage


def test_classifiers_that_always_say_no_pass_where_most_say_no_and_that_is_told(data):
    # Its README: hard labels nearly constant No.
    result = alt_test(*data("dices_350"))
    assert result.baseline.judge == "No"
    assert result.judges[0].replaces
    assert result.judges[0].winning_rate == pytest.approx(result.baseline.winning_rate, abs=0.02)
    assert "Passing takes no skill here" in result.summary()


def test_response_sets_of_linguists_are_replaced_by_a_model_trained_on_them(data):
    result = alt_test(*data("ambient_nli"), score="similarity", epsilon=0.2)
    found = {judge.judge: judge for judge in result.judges}
    assert found["roberta-large-wanli-set"].replaces
    assert not found["flan-t5-xxl"].replaces
    assert not result.baseline.replaces


def test_lexicons_do_not_replace_raters_of_tweets(data):
    result = alt_test(*data("vader_tweets"), score="rmse")
    assert [judge.replaces for judge in result.judges] == [False] * 3
