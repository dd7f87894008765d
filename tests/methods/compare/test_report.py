"""What a comparison says in words, in its table and in its chart; and its command."""

import json
import math
from dataclasses import replace
from itertools import combinations

import pytest
import typer
from typer.testing import CliRunner

from dissensus.cli.flags import spread
from dissensus.cli.measure import compare_command
from dissensus.errors import DissensusError, OptionError
from dissensus.methods.compare import CompareResult, compare
from dissensus.methods.compare.metrics import METRICS
from dissensus.methods.compare.result import ASKED, TESTS, Constant, NonInferiority, PairComparison, bounds_of
from dissensus.report.document import Figure
from dissensus.report.views.compare import METRIC_WORDS, TEST_WORDS
from dissensus.report.views.section import main_chart, section_of

from comparison_builders import judges_of, ratings_of

NAN = math.nan
PAIR = PairComparison(
    judge_a="gpt", judge_b="llama", score_a=0.5, score_b=0.7, difference=-0.2, better="a", low=-0.3, high=-0.1,
    p_value=0.01, p_holm=0.03, items=120,
)  # fmt: skip


def result_of(*pairs, metric="mae", test="sign-flip", warnings=()):
    return CompareResult(
        settings={"bootstrap": 2000, "confidence": 0.95}, data={}, warnings=warnings, pairs=pairs, metric=metric,
        test=test, better_scores="lower" if metric == "mae" else "higher",
        question="same quality" if test == "sign-flip" else "same distribution", is_single=len(pairs) == 1,
    )  # fmt: skip


def text(result):
    return " ".join(result.summary().split())


def test_a_pair_says_who_is_better_and_how_sure_that_is():
    result = result_of(PAIR)
    assert section_of(result).lead == "gpt is better than llama by mean absolute error (p = 0.030, 120 items)."
    assert [list(row) for row in section_of(result).main_table().rows] == [
        ["gpt", "0.50"],
        ["llama", "0.70"],
        ["difference, paired", "-0.20 [-0.30, -0.10], p = 0.030"],
    ]
    turned = replace(PAIR, better="b", p_holm=0.0001)
    assert (
        section_of(result_of(turned)).lead == "llama is better than gpt by mean absolute error (p < 0.001, 120 items)."
    )


def test_an_open_comparison_is_called_open_and_says_how_to_settle_it():
    section = section_of(result_of(replace(PAIR, better="neither", p_holm=0.4)))
    assert section.lead == "gpt and llama cannot be told apart by mean absolute error (p = 0.400, 120 items)."
    assert section.brief().notes[0].startswith("To tell gpt and llama apart, rate more items")
    assert section.figures()[0].title == "The difference could be chance"


def test_an_undefined_score_is_said_and_has_no_chart():
    pair = replace(PAIR, score_a=NAN, difference=NAN, low=NAN, high=NAN, p_value=NAN, p_holm=NAN, better="neither")
    result = result_of(pair, metric="spearman")
    assert "gpt and llama cannot be compared by Spearman's correlation: a score is undefined." in text(result)
    with pytest.raises(DissensusError, match="has no chart"):
        main_chart(result)


def round_robin(scores, *, winners, metric="mae"):
    """Every pair of judges with these errors; `winners` are the pairs (better, worse) that are told apart."""
    pairs = []
    for a, b in combinations(scores, 2):
        better = "a" if (a, b) in winners else "b" if (b, a) in winners else "neither"
        own = {"score_a": scores[a], "score_b": scores[b], "difference": scores[a] - scores[b]}
        pairs.append(replace(PAIR, judge_a=a, judge_b=b, better=better, **own))
    return result_of(*pairs, metric=metric)


ERRORS = {"mistral": 0.8, "gpt-4o": 0.3, "llama": 0.7, "gpt-4o-mini": 0.4}


@pytest.mark.parametrize(
    ("winners", "lead"),
    [
        (
            [(good, poor) for good in ("gpt-4o", "gpt-4o-mini") for poor in ("llama", "mistral")],
            "gpt-4o and gpt-4o-mini lead and cannot be told apart; both beat llama and mistral.",
        ),
        (
            [("gpt-4o", other) for other in ERRORS if other != "gpt-4o"],
            "gpt-4o is better than every other judge by mean absolute error: gpt-4o-mini, llama and mistral.",
        ),
        ([], "No judge is shown to be better than another by mean absolute error (6 pairs compared)."),
        (  # gpt-4o-mini does not beat llama, so that no group leads
            [("gpt-4o", "mistral"), ("gpt-4o", "llama"), ("gpt-4o-mini", "mistral")],
            (
                "gpt-4o leads by mean absolute error and beats llama and mistral; it cannot be told apart from "
                "gpt-4o-mini."
            ),
        ),
        (  # its rivals differ from each other
            [("gpt-4o", "mistral"), ("gpt-4o-mini", "llama"), ("gpt-4o-mini", "mistral")],
            (
                "gpt-4o leads by mean absolute error and beats mistral; it cannot be told apart from llama and "
                "gpt-4o-mini."
            ),
        ),
        (
            [("gpt-4o-mini", "mistral")],
            "gpt-4o scores best by mean absolute error, but is not shown to beat any other judge; 1 of 6 pairs differ.",
        ),
    ],
)
def test_of_many_pairs_the_lead_says_who_leads(winners, lead):
    assert section_of(round_robin(ERRORS, winners=winners)).lead == lead


def test_many_pairs_have_one_row_for_each_judge_the_best_first():
    result = round_robin(ERRORS, winners=[("gpt-4o", "llama")])
    assert [list(row) for row in section_of(result).main_table().rows] == [
        ["gpt-4o", "0.30", 1, 0, 2],
        ["gpt-4o-mini", "0.40", 0, 0, 3],
        ["llama", "0.70", 0, 1, 2],
        ["mistral", "0.80", 0, 0, 3],
    ]
    assert "Pair by pair" not in text(result)
    assert "Pair by pair" in result.summary(details=True)


def test_a_judges_score_is_the_mean_over_its_pairs():
    other = replace(PAIR, judge_b="bert", score_a=0.7)
    assert next((one.judge, one.score) for one in result_of(PAIR, other).standings) == ("gpt", pytest.approx(0.6))
    assert result_of(PAIR, replace(other, items=9)).summary().count("mean over the pairs of a judge") == 1


def test_the_best_judge_beats_every_other():
    others = [replace(PAIR, judge_b="bert"), replace(PAIR, judge_a="llama", judge_b="bert", better="neither")]
    assert result_of(PAIR, *others).best_judge == "gpt"
    assert result_of(replace(PAIR, better="neither"), *others).best_judge is None


def test_that_no_judge_beats_a_constant_is_a_note_with_something_to_do():
    result = replace(result_of(PAIR), constant=Constant(answer="2", score=0.4))
    assert section_of(result).brief().notes[0] == (
        "No judge beats always answering 2: ask `dissensus decide` whether one is worth using."
    )


@pytest.mark.parametrize("test", TESTS)
def test_the_text_says_which_question_the_p_value_answers(test):
    said = " ".join(result_of(PAIR, test=test).summary(details=True).split())
    asked = "are the judges equally good?" if test == "sign-flip" else "do the judges answer the same way?"
    assert f"The difference is paired, item by item; the p-value answers: {asked}" in said


def test_every_metric_and_test_has_its_words():
    assert set(METRIC_WORDS) == set(METRICS)
    assert set(TEST_WORDS) == set(ASKED.values())


def test_non_inferiority_is_said_in_units_of_the_metric():
    shown = NonInferiority(margin=0.05, p_value=0.01, p_holm=0.02, is_non_inferior=True)
    good = replace(PAIR, non_inferiority=shown)
    assert section_of(result_of(good)).lead == "llama is at most 0.05 worse than gpt (p = 0.020)."
    not_shown = replace(PAIR, non_inferiority=replace(shown, is_non_inferior=False))
    assert section_of(result_of(not_shown, metric="wins")).lead == (
        "llama may be more than 5 percentage points worse than gpt (p = 0.020)."
    )
    said = " ".join(result_of(good, not_shown).summary(details=True).split())
    assert "yes, p = 0.020" in said
    assert "not shown, p = 0.020" in said


def test_the_chart_shows_differences_around_zero():
    figure = section_of(result_of(PAIR, replace(PAIR, judge_b="bert", low=NAN, high=NAN))).figures()[0]
    assert isinstance(figure, Figure)
    assert [row["value"] for row in figure.spec["data"]["values"]] == [-0.2, -0.2]
    assert figure.spec["data"]["values"][1]["low"] is None
    domain = figure.spec["layer"][-1]["encoding"]["x"]["scale"]["domain"]
    assert domain[0] < -0.3
    assert 0 < domain[1] < 0.1
    assert "left of the dashed line the first is better" in figure.caption
    assert main_chart(result_of(PAIR)).to_svg().startswith("<svg")


def test_names_that_others_wrote_are_made_harmless():
    pair = replace(PAIR, judge_a="<script>\x1b[31m", judge_b="b" * 100)
    result = result_of(pair)
    assert "\x1b" not in result.summary()
    assert "<script>" not in result._repr_html_()


@pytest.fixture
def run(tmp_path):
    """Run the command on two small files."""
    (tmp_path / "r.csv").write_text(
        "item,rater,label\n" + "".join(f"{i},{r},{1 + (i + r) % 3}\n" for i in range(8) for r in range(3))
    )
    (tmp_path / "j.csv").write_text(
        "item,judge,label\n"
        + "".join(f"{i},{j},{2 if j == 'near' else 1 + 2 * (i % 2)}\n" for i in range(8) for j in ("far", "near"))
    )
    app = typer.Typer()
    app.command("compare")(spread(compare_command))

    def call(*arguments):
        return CliRunner().invoke(app, [str(tmp_path / "r.csv"), str(tmp_path / "j.csv"), *arguments])

    return call


def test_the_command_prints_the_librarys_json(run):
    done = run("--a", "near", "--b", "far", "--metric", "mae", "--margin", "0.5", "--raters", "fixed", "--json")
    content = json.loads(done.stdout)
    people = [[1 + (i + r) % 3 for r in range(3)] for i in range(8)]
    judges = judges_of(near=[2] * 8, far=[1, 3] * 4)
    pair = compare(ratings_of(people), judges, a="near", b="far", metric="mae", margin=0.5, raters="fixed").pairs[0]
    assert content["result"]["p_value"] == pair.p_value == 2 / 2**8
    assert content["result"]["non_inferiority"]["p_value"] == pair.non_inferiority.p_value
    assert content["settings"]["seed"] == 0


def test_the_command_compares_every_pair_in_words(run):
    done = run(
        "--metric", "emd-binned", "--bounds", "1,3", "--bins", "3", "--test", "response-permutation", "--details"
    )
    assert done.exit_code == 0
    assert "do the judges answer the same way?" in " ".join(done.stdout.split())


def test_bounds_are_two_numbers():
    with pytest.raises(OptionError, match="bounds= cannot be '1': give two numbers"):
        bounds_of("1")


def test_numbers_have_the_digits_that_their_interval_supports():
    small = replace(PAIR, score_a=0.0, score_b=0.00016, difference=-0.00016, low=-0.00028, high=-0.00004)
    assert "-0.00016 [-0.00028, -0.00004]" in text(result_of(small))
    wide = replace(PAIR, score_a=0.512, low=-0.6, high=0.2)
    assert "gpt 0.5 llama 0.7 difference, paired -0.2 [-0.6, 0.2]" in text(result_of(wide))
    assert "gpt 51% llama 70%" in text(result_of(wide, metric="wins"))


def test_p_values_of_several_pairs_are_said_to_be_corrected():
    result = replace(result_of(PAIR, replace(PAIR, judge_b="bert")), settings={"bootstrap": 0, "confidence": 0.9})
    assert "p-values are Holm-corrected for the number of pairs." in " ".join(result.summary(details=True).split())
