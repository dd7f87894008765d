"""One report never says two things: the decision, the alt-test, the ranking and the gate on the same data."""

import re
from dataclasses import replace

import pytest

from dissensus import alt_test, decide, gate, read, read_judges
from dissensus.report.answers import answers_of
from dissensus.report.front import NARROWER
from dissensus.report.views.alt_test import CHOOSE, lead_sentence, replaced_by
from dissensus.report.whole import report_of

BOOTSTRAP = 60


def contradictions(answers, ratings, judges):
    """What two sections say of the same judge that cannot both be true."""
    decision, found = answers.decision, []
    rows = {row.judge: row for row in decision.judges}
    use, how = decision.recommendation.use, decision.recommendation.how
    texts = [decision.recommendation.reason, *decision.recommendation.caveats]
    if how == "as is" and any(re.search("Do not use the answers of .* as they are", text) for text in texts):
        found.append("as it is, and not as it is")
    if use and how == "recalibrated" and "beats always" in decision.recommendation.reason:
        found.append("the reason is about another way of using it")
    if use and rows[use[0]].how != how:
        found.append("two ways for one judge")
    for judge, words in replaced_by(answers.replacing).items():
        if words == "yes" and answers.replacing.baseline.replaces:
            found.append(f"{judge} replaces a rater, and so does a constant")
    for one in () if answers.ranking is None else answers.ranking.scale_use:
        own = rows[one.judge].shift
        if own is not None and abs(own - one.shift) > 1e-9:
            found.append(f"two shifts of {one.judge}: {own} and {one.shift}")
    if len(use) == 1:
        [check] = gate(ratings, judges, judge=use[0], min_equivalence=1, bootstrap=BOOTSTRAP).checks
        front = report_of(answers, title="").front
        is_done = any(tile.detail == NARROWER for tile in front.tiles)
        if is_done and check.verdict == "inconclusive":
            found.append("nothing next, and gate is inconclusive")
    return found


@pytest.mark.parametrize("name", ["binary", pytest.param("toxicity", marks=pytest.mark.slow)])
def test_no_two_sections_on_bundled_data_contradict_each_other(name):
    ratings, judges = read(f"example:{name}"), read_judges(f"example:{name}")
    answers = answers_of(ratings, judges, bootstrap=BOOTSTRAP)
    assert contradictions(answers, ratings, judges) == []
    advice = replace(
        answers.decision.recommendation, use=(), how="as is", caveats=("Do not use the answers of b as they are",)
    )
    planted = replace(answers, decision=replace(answers.decision, recommendation=advice))
    assert contradictions(planted, ratings, judges) == ["as it is, and not as it is"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["ambient_nli", "bluebirds", "convabuse", "dices_350", "mtbench_pairs", "vader_tweets"]
)
def test_no_two_sections_on_real_data_contradict_each_other(shared, name):
    folder = shared / "data" / name
    ratings, judges = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
    answers = answers_of(ratings, judges, bootstrap=BOOTSTRAP)
    assert contradictions(answers, ratings, judges) == []


def test_a_decision_counts_raters_where_the_gate_does(shared):
    # Few of the items that all nine judges answered have a second rating, and one judge alone answered far more.
    folder = shared / "data" / "mtbench_pairs"
    ratings, judges = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
    first = decide(ratings, judges, bootstrap=BOOTSTRAP).judges[0]
    [check] = gate(ratings, judges, judge=first.judge, min_equivalence=0.5, bootstrap=BOOTSTRAP).checks
    assert first.verdict == "within"
    assert first.low_verdict == "below 0" or first.worth_low <= check.value
    assert first.high_verdict == "above K" or first.worth_high >= check.value


def test_the_alt_test_leaves_the_choice_to_decide_where_no_judge_beats_a_rater(shared):
    folder = shared / "data" / "vader_tweets"
    ratings, judges = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
    result = alt_test(ratings, judges)
    assert [judge.won for judge in result.judges] == [0, 0, 0]
    assert not any(judge.judge in lead_sentence(result) for judge in result.judges)
    assert CHOOSE in " ".join(result.summary().replace("\n  ", " ").split())
