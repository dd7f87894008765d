"""What a comparison says in words, in its table and in its chart; and its command."""

import json
import math
import re
from dataclasses import replace

import pytest
import typer
from typer.testing import CliRunner

from dissensus.cli.flags import spread
from dissensus.cli.measure import compare_command
from dissensus.errors import DissensusError, OptionError
from dissensus.methods.compare import CompareResult, compare
from dissensus.methods.compare.metrics import METRICS
from dissensus.methods.compare.options import TESTS, bounds_of
from dissensus.methods.compare.result import NonInferiority, PairComparison
from dissensus.report.document import Figure
from dissensus.report.views import main_chart, section_of
from dissensus.report.views.compare import METRIC_WORDS, TEST_WORDS, finding_sentence, pair_sentence

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


def test_a_pair_says_who_is_better_by_how_much_and_how_sure_that_is():
    assert pair_sentence(PAIR, result_of(PAIR)) == (
        '"gpt" is better than "llama": mae 0.500 against 0.700, p = 0.030 on 120 items.'
    )
    turned = replace(PAIR, better="b", p_holm=0.0001)
    assert pair_sentence(turned, result_of(turned, PAIR, metric="wins")) == (
        '"llama" is better than "gpt": wins 70.0% against 50.0%, p < 0.001 (Holm-corrected) on 120 items.'
    )


def test_an_open_comparison_is_called_open():
    pair = replace(PAIR, better="neither", p_holm=0.4)
    said = pair_sentence(pair, result_of(pair))
    assert said == 'It is open whether "gpt" or "llama" is better: mae 0.500 against 0.700, p = 0.400 on 120 items.'
    assert finding_sentence(result_of(pair)) == '"gpt"\'s mae score is lower than "llama"\'s; that may be chance'
    equal = replace(pair, difference=0.0)
    assert finding_sentence(result_of(equal)) == '"gpt"\'s mae score is equal to "llama"\'s'


def test_an_undefined_score_is_said_and_has_no_chart():
    pair = replace(PAIR, score_a=NAN, difference=NAN, low=NAN, high=NAN, p_value=NAN, p_holm=NAN, better="neither")
    result = result_of(pair, metric="spearman")
    assert '"gpt" and "llama" cannot be compared by spearman: a score is undefined.' in text(result)
    with pytest.raises(DissensusError, match="has no chart"):
        main_chart(result)


def test_the_best_judge_beats_every_other():
    others = [replace(PAIR, judge_b="bert"), replace(PAIR, judge_a="llama", judge_b="bert", better="neither")]
    assert result_of(PAIR, *others).best_judge == "gpt"
    assert result_of(replace(PAIR, better="neither"), *others).best_judge is None
    assert 'Of 3 pairs of judges, 2 have a better one; "gpt" is better than every other by mae.' in text(
        result_of(PAIR, *others)
    )


@pytest.mark.parametrize("test", TESTS)
def test_the_text_says_which_question_the_p_value_answers(test):
    said = text(result_of(PAIR, test=test))
    asked = "are the judges equally good?" if test == "sign-flip" else "do the judges answer alike?"
    assert f"The p-value answers: {asked}" in said


def test_every_metric_and_test_has_its_words():
    assert set(METRIC_WORDS) == set(METRICS)
    assert set(TEST_WORDS) == set(TESTS)


def test_non_inferiority_is_said_in_units_of_the_metric():
    shown = NonInferiority(margin=0.05, p_value=0.01, p_holm=0.02, is_non_inferior=True)
    assert '"llama" is at most 0.05 worse than "gpt" (p = 0.020).' in text(
        result_of(replace(PAIR, non_inferiority=shown))
    )
    not_shown = replace(PAIR, non_inferiority=replace(shown, is_non_inferior=False))
    said = text(result_of(not_shown, not_shown, metric="wins"))
    assert 'It is not shown that "llama" is at most 5.0 percentage points worse than "gpt" (p = 0.020).' in said


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


def test_another_result_is_refused():
    from dissensus.report.views.compare import view  # noqa: PLC0415 - the view of this command

    with pytest.raises(DissensusError, match="cannot be shown as what compare found"):
        view(object())


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
    done = run("--metric", "emd-binned", "--bounds", "1,3", "--bins", "3", "--test", "response-permutation")
    assert done.exit_code == 0
    assert "Is it" not in done.stdout
    assert "do the judges answer alike?" in " ".join(done.stdout.split())


def test_bounds_are_two_numbers():
    with pytest.raises(OptionError, match="bounds= cannot be '1': give two numbers"):
        bounds_of("1")


def test_small_scores_keep_their_digits():
    pair = replace(PAIR, score_a=0.0, score_b=0.00016, difference=-0.00016, low=-0.00028, high=-0.00004)
    said = text(result_of(pair))
    assert "mae 0.00000 against 0.00016" in said
    assert "-0.00016 [-0.00028, -0.00004]" in said
    assert re.search(r"gpt llama 0\.00000 0\.00016 ", said)


def test_holm_keeps_the_level_that_was_asked_for():
    result = replace(result_of(PAIR, replace(PAIR, judge_b="bert")), settings={"bootstrap": 0, "confidence": 0.9})
    assert "is called different stays below 10%." in text(result)


def test_one_difference_is_told_apart():
    result = result_of(PAIR, replace(PAIR, judge_b="bert", better="neither"))
    assert finding_sentence(result) == "1 of 2 differences in mae is told apart from chance"
