"""Which judge to use, and how: the rule, its words, and what must never change it."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dissensus import apply, decide, equivalence, gate, read, read_judges, read_reduced
from dissensus.errors import OptionError
from dissensus.methods.decide.as_is import Shift
from dissensus.methods.decide.decide import _is_visible, typical_ratings
from dissensus.methods.decide.reasons import how_to_use, reason_text
from dissensus.methods.decide.result import AsIs, Constant, Person
from dissensus.methods.gate.verdicts import round_up
from report_builders import judged

from decision_populations import (
    lenient_and_good,
    other_labels,
    sharp_and_bad,
    ten_useless,
    two_equal,
    with_a_constant,
)

FEW = {"bootstrap": 80}


def decision(population, **options):
    return decide(read(population.ratings), read_judges(population.judges), **FEW | options)


def with_constant(population, answer):
    """The judges, and one that always answers the same."""
    items = population.ratings["item"].unique()
    always = pd.DataFrame({"item": items, "judge": "zz always", "label": answer})
    return population._replace(judges=pd.concat([population.judges, always], ignore_index=True))


def test_the_better_judge_is_used_as_it_is_and_the_constant_is_not():
    result = decision(with_a_constant(1))
    assert result.recommendation.use == ("good",)
    assert result.recommendation.how == "as is"
    assert [judge.shown for judge in result.judges] == [True, False]
    assert result.judges[1].as_is.standing == "not better than a constant"


def test_judges_that_cannot_be_told_apart_are_both_named_and_the_cheapest_comes_first():
    result = decision(two_equal(3))
    assert set(result.recommendation.use) == {"one", "other"}
    first, second = result.recommendation.use
    assert "ahead of every other judge" not in result.recommendation.reason
    priced = decision(two_equal(3), judge_cost=[f"{first}=2", f"{second}=1"])
    assert priced.recommendation.use == (second, first)
    assert priced.next == result.next  # what tells them apart does not depend on prices


def test_no_useless_judge_is_used():
    result = decision(ten_useless(2))
    assert result.recommendation.use == ()
    assert result.recommendation.how is None
    assert result.recommendation.reason.startswith("None is shown to know more than always answering ")
    assert result.next is not None
    assert result.recalibration == ()
    with pytest.raises(OptionError, match="no judge is to be used yet"):
        result.write_recalibration("recalibration.csv")


def test_a_lenient_judge_that_knows_more_is_used_recalibrated():
    result = decision(lenient_and_good(4))
    assert result.recommendation.use == ("lenient",)
    assert result.judges[0].shift > 0.5
    by_name = {judge.judge: judge for judge in result.judges}
    assert by_name["lenient"].worth > by_name["blurred"].worth


def test_a_sharp_judge_that_knows_less_does_not_win():
    assert decision(sharp_and_bad(5)).recommendation.use == ("modest",)


def test_a_judge_with_labels_of_its_own_is_used_recalibrated(tmp_path):
    population = other_labels(6)
    result = decision(population)
    assert result.recommendation.use == ("translated",)
    assert result.recommendation.how == "recalibrated"
    result.write_recalibration(tmp_path / "r.csv")
    applied = apply(tmp_path / "r.csv", read_judges(population.judges))
    assert set(applied.answers.labels) >= {"a", "b", "c"}


@pytest.mark.parametrize("make", [two_equal, lenient_and_good])
def test_a_constant_judge_changes_nothing(make):
    population = make(7)
    labels = population.ratings["label"]
    before = decision(population)
    for answer in (labels.mode()[0], labels.iloc[0]):
        after = decision(with_constant(population, answer))
        assert after.recommendation.use == before.recommendation.use
        assert after.recommendation.how == before.recommendation.how


def test_what_it_says_about_a_judge_is_what_equivalence_says():
    from dissensus import equivalence  # noqa: PLC0415 - compared with here only

    population = sharp_and_bad(8)
    ratings, judges = read(population.ratings), read_judges(population.judges)
    result = decide(ratings, judges, **FEW)
    worths = {worth.judge: worth for worth in equivalence(ratings, judges, **FEW).judges if worth.calibrated}
    for judge in result.judges:
        assert judge.worth == pytest.approx(worths[judge.judge].equivalence, rel=1e-12, nan_ok=True)


def test_the_same_seed_gives_the_same_bytes_whatever_the_workers():
    population = with_a_constant(9)
    assert decision(population).to_json() == decision(population, workers=2).to_json()


def test_the_json_has_the_names_of_the_contract():
    result = json.loads(decision(with_a_constant(1)).to_json())["result"]
    assert list(result["recommendation"]) == ["use", "how", "reason", "caveats"]
    assert {"judge", "worth", "worth_low", "worth_high", "low_verdict", "high_verdict", "shown", "as_is", "shift",
            "separable"} <= set(result["judges"][0])  # fmt: skip
    assert list(result["judges"][0]["as_is"]) == ["measure", "value", "low", "high", "standing"]
    assert list(result["constant"]) == ["answer", "measure", "value"]
    assert list(result["person"]) == ["measure", "value"]
    assert list(result["raters"]) == ["count", "intervals", "influential"]
    assert "recalibration" not in result


def test_the_text_is_short():
    lines = decision(ten_useless(2)).summary().splitlines()
    assert len(lines) <= 25
    assert len(lines[1].split()) <= 30


def test_a_price_of_a_judge_that_is_not_there_is_refused():
    with pytest.raises(OptionError, match="which is not a judge"):
        decision(with_a_constant(1), judge_cost="nobody=1")
    with pytest.raises(OptionError, match="write JUDGE=COST"):
        decision(with_a_constant(1), judge_cost="good")


def test_a_constant_that_decides_as_well_as_the_judge_is_named():
    rng = np.random.default_rng(5)
    share = np.where(rng.random(400) < 0.3, 0.4, 0.05)  # hardly an item has half of the raters for yes
    said = rng.random((400, 6)) < share[:, None]
    ratings = pd.DataFrame(
        [(i, f"r{r}", "yes" if said[i, r] else "no") for i in range(400) for r in range(6)],
        columns=["item", "rater", "label"],
    )
    judges = pd.DataFrame({"item": range(400), "judge": "knows", "label": np.where(share > 0.2, "yes", "no")})
    result = decide(ratings, judges, positive="yes", **FEW)
    assert result.recommendation.use == ("knows",)
    assert result.recommendation.caveats[0].startswith("Not for yes-or-no decisions: as it is, knows decides like most")
    # By hand: half of the raters make an item positive, ties split as `judges` has it.
    assert result.decisions.constant == "always-negative"
    assert result.decisions.constant_consistency == pytest.approx(np.mean(said.mean(axis=1) < 0.5))
    without = decide(ratings, judges, **FEW)
    assert without.decisions is None
    assert not any("yes-or-no" in text for text in without.recommendation.caveats)
    with pytest.raises(OptionError):
        decide(ratings, judges, positive="maybe", **FEW)


def test_a_positive_option_says_how_well_the_judge_decides_even_if_all_is_well():
    population = with_a_constant(1)
    result = decision(population, positive="b")
    labels = population.ratings.assign(positive=population.ratings["label"] == "b")
    people = labels.groupby("item")["positive"].mean() >= 0.5
    answers = population.judges[population.judges["judge"] == "good"].set_index("item")["label"] == "b"
    assert result.decisions.consistency == pytest.approx((people == answers.loc[people.index]).mean())
    assert result.decisions.bias == pytest.approx(answers.mean() - people.mean())
    text = result.recommendation.caveats[0]
    assert text.startswith("Positive or not: as it is, good decides like most raters on ")
    assert f"{abs(100 * result.decisions.bias):.0f} points" in text
    assert text in " ".join(result.summary().split())


def test_the_sentence_is_true_of_the_way_it_recommends():
    as_it_is = decision(with_a_constant(1))
    assert as_it_is.recommendation.how == "as is"
    assert ", and is worth " in as_it_is.recommendation.reason
    shifted = decision(lenient_and_good(4))
    assert shifted.recommendation.how == shifted.judges[0].how == "recalibrated"
    assert shifted.recommendation.reason.startswith("lenient is worth ")
    assert any(" as they are: they are " in text for text in shifted.recommendation.caveats)


@pytest.mark.parametrize(
    ("standing", "shift", "how"),
    [
        ("like a person", (0.1, 0.05, 0.15), "as is"),  # less than a third of how far two people are apart
        ("like a person", (0.5, -0.1, 1.1), "as is"),  # could be none
        ("like a person", (-0.5, -0.6, -0.4), "recalibrated"),
        ("not better than a constant", (0.0, -0.1, 0.1), "recalibrated"),
    ],
)
def test_a_judge_is_recalibrated_where_its_shift_is_shown_and_matters(standing, shift, how):
    own = AsIs(measure="distance", value=0.6, low=0.5, high=0.7, standing=standing)
    person = Person(measure="distance", value=0.6)
    assert how_to_use(own, Shift(*shift), person, by_correlation=False) == how
    assert how_to_use(own, Shift(*shift), person, by_correlation=True) == "as is"


@pytest.mark.parametrize(
    ("make", "judge", "items", "missing"),
    [
        (lenient_and_good, "lenient", 250, None),
        (with_a_constant, "good", 250, "raters"),
        (two_equal, "one", 90, "items"),
    ],
)
def test_what_next_is_what_gate_says_about_one_person(make, judge, items, missing):
    population = make(1)
    ratings, judges = read(population.ratings), read_judges(population.judges)
    ratings = ratings.where(ratings.item < items)
    found = decide(ratings, judges, judge=judge, **FEW)
    [check] = gate(ratings, judges, judge=judge, min_equivalence=1, **FEW).checks
    assert (found.recommendation.use, check.missing) == ((judge,), missing)
    if missing is None:
        assert (found.next, check.verdict) == (None, "pass")
    elif missing == "raters":
        assert found.next.text.startswith("have other people also rate these items, ")
    else:
        assert found.next.items == round_up(check.more_items)


def test_a_shift_that_matters_is_never_rounded_to_nothing():
    grid = np.arange(90)
    truth = grid % 3 / 20  # labels 0, .05 and .1, on which raters differ by .025 on average
    ratings = pd.DataFrame({
        "item": np.tile(grid, 3), "rater": np.repeat(["x", "y", "z"], 90),
        "label": np.concatenate([truth, truth, np.where(grid % 4, truth, 0.05)]),
    })  # fmt: skip
    judges = pd.DataFrame(
        {"item": grid, "judge": "j", "label": np.where(grid % 2, truth, np.minimum(truth + 0.05, 0.1))}
    )
    result = decide(ratings, judges, raters="fixed", **FEW)
    [row] = result.judges
    assert 0 < row.shift < 0.05
    assert f"{row.shift:.3f} higher than people's" in " ".join(result.recommendation.caveats)
    assert f"+{row.shift:.3f}" in result.summary()


def test_one_rating_an_item_leaves_the_worth_open_and_says_what_to_collect():
    rng = np.random.default_rng(1)
    truth = rng.integers(2, size=80)
    ratings = pd.DataFrame({"item": range(80), "rater": "r", "label": np.where(truth, "yes", "no")})
    judges = pd.DataFrame({"item": range(80), "judge": "j", "label": np.where(truth, "yes", "no")})
    result = decide(ratings, judges, **FEW)
    assert result.constant is None
    assert any("has two ratings" in warning for warning in result.warnings)
    assert np.isnan(result.judges[0].worth)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bluebirds", "convabuse", "mtbench_pairs"])
def test_a_constant_judge_changes_nothing_on_real_data(shared, name):
    folder = shared / "data" / name
    ratings, judges = pd.read_csv(folder / "ratings.csv"), pd.read_csv(folder / "judges.csv")
    items = pd.DataFrame({"item": ratings["item"].unique(), "judge": "zz always"})
    answered = judges.groupby("item")["judge"].nunique()
    items = items[items["item"].isin(answered.index)]
    labels = ratings["label"]
    given = {"label": labels.mode()[0]}
    if judges.get("label") is None or judges["label"].isna().all():
        given |= {column: float(column == f"p_{labels.mode()[0]}") for column in judges if column.startswith("p_")}
    both = pd.concat([judges, items.assign(**given)], ignore_index=True)
    before, after = decide(ratings, judges, bootstrap=30), decide(ratings, both, bootstrap=30)
    assert after.recommendation.use == before.recommendation.use


def test_a_reason_against_every_judge_does_not_deny_that_one_beats_the_constant():
    good, bad = (
        judged("a", low=0, standing="better than a constant"),
        judged("b", low=0, standing="not better than a constant"),
    )
    constant = Constant(answer="no", measure="agreement", value=0.5)
    said = reason_text((), [bad, good], constant, 5)
    assert said == (
        "a, as it is, beats always answering no, but is not shown to be worth more than asking nobody: 3.4 raters "
        "[0.0, 4.0]."
    )
    assert reason_text((), [bad], constant, 5).startswith("None is shown to know more than always answering no; b ")
    # `equivalence` calls this judge better than asking nobody.
    assert reason_text((), [judged("c")], constant, 5) == (
        "c comes closest, worth 3.4 raters [2.8, 4.0], but that could be chance."
    )
    # Of several it is the one that the table has above 0, whichever has the best estimate.
    assert reason_text((), [bad, judged("c")], constant, 5).startswith("c comes closest, ")
    unsure = replace(judged("c"), p_value=0.0123, p_needed=0.001)
    assert reason_text((), [unsure], constant, 5).endswith(
        ", but that could be chance (p = 0.012, needed: below 0.001)."
    )


def test_a_judge_is_ahead_only_of_those_it_can_be_told_apart_from():
    first, second = judged("a", 0.26, low=0.08, high=0.43), judged("b", 0.15, low=0.0, high=0.3)
    for is_told_apart in (True, False):
        rows = [replace(first, separable=is_told_apart), replace(second, shown=False, separable=is_told_apart)]
        assert ("ahead of every other judge" in reason_text(rows[:1], rows, None, 3)) == is_told_apart
    rows = [replace(first, shown=False), second]  # the best is not shown, the second is
    assert "ahead" not in reason_text(rows[1:], rows, None, 3)


def test_ratings_to_collect_are_those_of_an_item_however_many_it_stands_for(tmp_path):
    frame = pd.DataFrame([(i, label) for i in range(90) for label in "aab"], columns=["item", "label"])
    frame.to_csv(tmp_path / "ratings.csv", index=False)
    merged, _ = read_reduced(tmp_path / "ratings.csv")
    assert (merged.n_items, typical_ratings(merged)) == (1, 3)


def test_every_judge_whose_numbers_run_against_peoples_is_named():
    rng = np.random.default_rng(0)
    truth = rng.normal(5, 2, 80)
    rated = [
        {"item": i, "rater": f"r{j}", "label": round(q + rng.normal(0, 0.5), 1)}
        for i, q in enumerate(truth) for j in range(4)
    ]  # fmt: skip
    answers = [
        {"item": i, "judge": name, "label": round(sign * q + rng.normal(0, noise), 1)}
        for i, q in enumerate(truth) for name, sign, noise in (("near", -1, 0.5), ("far", -1, 3.0), ("fair", 1, 2.0))
    ]  # fmt: skip
    two = decide(rated, [one for one in answers if one["judge"] != "fair"], bootstrap=100).recommendation
    assert two.use == ()
    assert two.caveats[0] == (
        "The numbers of far and near fall where people's rise: if their scales are reversed, multiply them by -1 in "
        "the file, and decide again."
    )
    beside = decide(rated, answers, judge=["near", "fair"], bootstrap=100).recommendation
    assert beside.use == ("fair",)
    assert any(text.startswith("The numbers of near fall") and "its scale is" in text for text in beside.caveats)


def test_equivalence_takes_the_score_that_decide_takes_and_says_so():
    rng = np.random.default_rng(3)
    truth = rng.normal(size=60)
    rated = [(i, r, str(round(float(truth[i] + rng.normal() / 2), 3))) for i in range(60) for r in "abc"]
    ratings = pd.DataFrame(rated, columns=["item", "rater", "label"])
    judges = pd.DataFrame({"item": range(60), "judge": "j", "label": truth.round(3)})
    advised, placed = decide(ratings, judges, **FEW), equivalence(ratings, judges, **FEW)
    assert advised.settings["score"] == placed.settings["score"] == "pearson"
    assert placed.settings["combiner"] == "frequency"
    assert (advised.judges[0].verdict, placed.judges[0].verdict) == ("above K", "above K")
    assert any("as in decide" in text for text in placed.warnings)
    assert not any("as in decide" in text for text in advised.warnings)
    with pytest.raises(OptionError, match="clip"):
        equivalence(ratings, judges, clip=0.01, **FEW)


@pytest.mark.slow
def test_what_settles_a_judge_that_is_not_recommended_is_what_gate_says(shared):
    files = [shared / "data" / "bluebirds" / name for name in ("ratings.csv", "judges.csv")]
    advised = decide(*files)
    (check,) = gate(*files, judge="ground_truth", min_equivalence=1).checks
    assert not advised.recommendation.use
    assert f"about {round_up(check.more_items):,} more items" in advised.next.text


def test_items_with_one_rating_that_the_own_answers_leave_out_are_counted():
    rated = [(i, r, "no" if i % 3 else "yes") for i in range(40) for r in ("ab" if i < 30 else "a")]
    ratings = pd.DataFrame(rated, columns=["item", "rater", "label"])
    judges = pd.DataFrame({"item": range(40), "judge": "j", "label": ["no" if i % 3 else "yes" for i in range(40)]})
    said = "'As it is' uses only the 30 items with two or more ratings."
    assert said in decide(ratings, judges, **FEW).warnings


@pytest.mark.parametrize(("without", "high", "is_said"), [(2.64, 5.0, False), (1.5, 3.5, True), (2.0, math.nan, False)])
def test_a_rater_is_named_only_if_the_change_shows_beside_the_interval(without, high, is_said):
    best = SimpleNamespace(worth=2.82, worth_low=1.2, worth_high=high, verdict="within", low_verdict="within")
    assert _is_visible(without, "within", best) is is_said


@pytest.mark.parametrize("right", [0.5, 0.9])
def test_a_judge_is_used_only_if_it_does_well_on_all_items_that_it_answered(right):
    rng = np.random.default_rng(3)
    items, shared = np.arange(400), np.arange(120)  # on the shared ones another judge answered, too
    truth = rng.integers(2, size=len(items))

    def mostly(share):
        return np.where(rng.random(len(items)) < share, truth, 1 - truth)

    people = pd.DataFrame({name: mostly(0.8) for name in "wxyz"}).melt(var_name="rater", value_name="label")
    many = pd.DataFrame({"item": items, "judge": "many", "label": mostly(np.where(items < len(shared), 0.95, right))})
    few = pd.DataFrame({"item": shared, "judge": "few", "label": mostly(0.7)[shared]})
    found = decide(people.assign(item=np.tile(items, 4)), pd.concat([few, many]), raters="fixed", **FEW)
    row = next(one for one in found.judges if one.judge == "many")
    assert (found.items, row.p_value < row.p_needed) == (120, True)  # on the shared items it is good
    if right == 0.5:
        assert (found.recommendation.use, row.shown, found.recalibration) == ((), False, ())
        assert found.recommendation.reason.endswith(", but only on the items that every judge answered.")
        assert found.recommendation.caveats[0].startswith("Do not use many: on all 400 items that it answered, ")
    else:
        assert (found.recommendation.use, row.how) == (("many",), "as is")
        [learned] = found.recalibration
        assert learned.items.sum() == 400
    assert any(text.startswith("Only 120 of 400 rated items ") for text in found.warnings)


@pytest.mark.parametrize("right", [0.5, 0.9])
def test_a_judge_shown_only_on_its_own_items_is_used_where_judges_share_few(right):
    rng = np.random.default_rng(5)
    items, shared = np.arange(400), np.arange(12)  # too few to show anything
    truth = rng.integers(2, size=len(items))
    said = {name: np.where(rng.random(len(items)) < share, truth, 1 - truth)
            for name, share in {"w": 0.8, "x": 0.8, "y": 0.8, "many": right, "few": 0.7}.items()}  # fmt: skip
    people = pd.concat([pd.DataFrame({"item": items, "rater": name, "label": said[name]}) for name in "wxy"])
    many = pd.DataFrame({"item": items, "judge": "many", "label": said["many"]})
    few = pd.DataFrame({"item": shared, "judge": "few", "label": said["few"][shared]})
    judges = pd.concat([few, many])
    together, alone = (decide(people, own, raters="fixed", **FEW) for own in (judges, many))
    assert together.items == 12
    assert together.recommendation.use == alone.recommendation.use == (("many",) if right == 0.9 else ())
    if right == 0.9:
        assert together.recommendation.reason == (
            f"{alone.recommendation.reason.removesuffix('.')}, on all 400 items that it answered."
        )
        assert together.recommendation.caveats == alone.recommendation.caveats
        assert "on 12 items" in together.summary()
