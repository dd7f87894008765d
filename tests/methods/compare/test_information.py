"""Judges compared by calibrated information; the metric that fits the data; a constant and a person beside them."""

import math

import numpy as np
import pandas as pd
import pytest

from dissensus import compare, equivalence, read, read_judges

from comparison_builders import judges_of, ratings_of

LABELS = ["no", "maybe", "yes"]


def unlike(n_items=60, *, seed=0, raters=4):
    """Ratings, a judge that knows them but is stricter by a step, and one that is blunt."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(0, 1, n_items)

    def label(value):
        return [LABELS[place] for place in np.clip(np.round(value + 1), 0, 2).astype(int)]

    people = np.array([label(quality + rng.normal(0, 0.6, n_items)) for _ in range(raters)]).T.tolist()
    strict, blunt = label(quality - 0.8), label(quality + rng.normal(0, 1.5, n_items))
    return ratings_of(people, labels=LABELS), judges_of(strict=strict, blunt=blunt)


def test_the_score_is_that_of_equivalence():
    ratings, judges = unlike()
    pair = compare(ratings, judges, a="strict", b="blunt", bootstrap=0, resamples=50).pairs[0]
    worth = {one.judge: one.score for one in equivalence(ratings, judges, bootstrap=0).judges if one.calibrated}
    assert (pair.score_a, pair.score_b) == pytest.approx((worth["strict"], worth["blunt"]), rel=1e-12)


def test_a_strict_judge_loses_nothing_by_information():
    ratings, judges = unlike(300)
    found = {name: compare(ratings, judges, a="strict", b="blunt", metric=name, bootstrap=100, resamples=500)
             for name in ("information", "accuracy")}  # fmt: skip
    assert found["information"].pairs[0].better == "a"
    assert found["accuracy"].pairs[0].difference < 0.1


def test_items_put_together_score_as_one_by_one_up_to_the_folds():
    ratings = ratings_of([["no", "no", "yes"]] * 40 + [["yes", "yes", "yes"]] * 40)
    judges = judges_of(right=["no"] * 40 + ["yes"] * 40, other=["no", "yes"] * 40)
    pair = compare(ratings, judges, a="right", b="other", bootstrap=0).pairs[0]
    # After "no" raters say yes in 1 of 3, after "yes" always (kept 2% from certainty).
    ideal = (1 / 3 * math.log2(1 / 3) + 2 / 3 * math.log2(2 / 3)) / 2 + math.log2(0.98) / 2
    assert pair.score_a == pytest.approx(ideal, abs=0.02)
    assert pair.score_b == pytest.approx(1 / 3 * math.log2(1 / 3) + 2 / 3 * math.log2(2 / 3), abs=0.03)


@pytest.mark.parametrize(
    ("people", "judge", "metric", "reason"),
    [
        ([[1, 2, 2]] * 8 + [[4, 5, 5]], [20] * 4 + [90] * 5, "spearman", "x and y are on another scale than raters"),
        ([[1.5, 2, 2]] * 8 + [[4, 5, 5]], [2.5] * 4 + [3] * 5, "mae", "the labels are measurements"),
        ([[f"w{i}", "v", "v"] for i in range(50)], ["v"] * 50, "accuracy", "51 labels are too many to calibrate"),
        ([["no", "yes", "no"]] * 8, ["no"] * 8, "information", ""),
    ],
)
def test_the_metric_fits_the_data_unless_one_is_asked_for(people, judge, metric, reason):
    ratings, judges = ratings_of(people), judges_of(x=judge, y=judge)
    result = compare(ratings, judges, bootstrap=0, resamples=50)
    assert (result.metric, result.settings["metric"]) == (metric, metric)
    about = [text for text in result.warnings if text.startswith("Compared by")]
    assert about == ([f"Compared by {metric}, since {reason}; metric= chooses another."] if reason else [])
    if metric == "mae":
        assert compare(ratings, judges, metric="wins", bootstrap=0, resamples=50).metric == "wins"


def test_other_tests_take_wins():
    ratings, judges = unlike()
    assert compare(ratings, judges, test="mixture", resamples=20, bootstrap=0).metric == "wins"


# ---- A constant and a person

PEOPLE = [["no", "no", "no"], ["no", "no", "yes"], ["no", "yes", "yes"], ["no", "no", "no"]] * 3
NUMBERS = [[1, 2, 3], [2, 2, 4], [3, 4], [1, 1, 1]] * 3


def plain(metric):
    """Constant and person from their definitions, label by label and rater by rater."""
    people = PEOPLE if metric == "accuracy" else NUMBERS
    labels = sorted({label for own in people for label in own})

    def item(answer, others):
        if metric == "accuracy":
            return np.mean([answer == other for other in others])
        gap = np.mean(others) - answer
        far = np.mean([abs(other - answer) for other in others])
        return {"mae": abs(gap), "rmse": gap**2, "emd": far}[metric]

    end = np.sqrt if metric == "rmse" else float
    constants = {label: end(np.mean([item(label, own) for own in people])) for label in labels}
    best = (max if metric == "accuracy" else min)(constants, key=constants.get)
    left_out = [np.mean([item(own[i], own[:i] + own[i + 1 :]) for i in range(len(own))]) for own in people]
    return str(best), constants[best], end(np.mean(left_out))


@pytest.mark.parametrize("metric", ["accuracy", "mae", "rmse", "emd"])
def test_the_constant_and_the_person_are_those_of_their_definitions(metric):
    people = PEOPLE if metric == "accuracy" else NUMBERS
    answers = ["no", "yes"] * 6 if metric == "accuracy" else [1, 2, 3, 4] * 3
    result = compare(ratings_of(people), judges_of(x=answers, y=answers[::-1]), metric=metric, bootstrap=0)
    answer, constant, person = plain(metric)
    assert result.constant.answer == answer
    assert (result.constant.score, result.person.score) == pytest.approx((constant, person))


def test_a_constant_knows_how_often_labels_occur_and_a_person_more():
    ratings, judges = unlike(300)
    result = compare(ratings, judges, bootstrap=0, resamples=50)
    shares = np.bincount(ratings.label) / len(ratings.label)
    assert result.constant.score == pytest.approx((shares * np.log2(shares)).sum(), abs=0.01)
    # Leaving one out and asking one are the same to a survey of one, as `equivalence` has it, up to learning.
    (one,) = [point.score for point in equivalence(ratings, judges, bootstrap=0).curve if point.raters == 1]
    assert result.person.score == pytest.approx(one, abs=0.02)
    assert result.constant.score < result.person.score


def test_a_judge_that_always_says_the_same_does_not_beat_the_constant():
    ratings, _ = unlike(100)
    judges = judges_of(still=["no"] * 100, other=["yes"] * 100)
    result = compare(ratings, judges, bootstrap=0, resamples=50)
    assert "No judge beats always answering" in result.summary()
    assert result.pairs[0].score_a == pytest.approx(result.constant.score, abs=1e-6)
    assert compare(*unlike(100), bootstrap=0, resamples=50).has_better_than_constant


def test_they_are_scored_on_the_items_of_every_pair():
    # Two judges answer 60 items that are all no, too; a third only the others, of which half are yes.
    people = [["no"] * 3] * 60 + [["no"] * 3, ["yes"] * 3] * 30
    said = [row[0] for row in people]
    ratings, judges = ratings_of(people), judges_of(a=said, b=["no"] * 120, c=[None] * 60 + said[60:])
    result = compare(ratings, judges, metric="accuracy", bootstrap=0, resamples=50)
    assert {pair.items for pair in result.pairs} == {120, 60}
    assert (result.constant.score, result.person.score) == (0.5, 1.0)


def test_wins_has_no_score_for_them():
    ratings, judges = unlike()
    result = compare(ratings, judges, metric="wins", bootstrap=0, resamples=50)
    assert (result.constant, result.person) == (None, None)


def test_no_list_of_pairs_is_cut_silently():
    ratings, _ = unlike()
    names = [f"j{k}" for k in range(6)]
    rng = np.random.default_rng(0)
    judges = judges_of(**{name: rng.choice(LABELS, 60).tolist() for name in names})
    said = " ".join(compare(ratings, judges, bootstrap=0, resamples=50, metric="accuracy").summary().split())
    assert "(15 pairs compared)" in said


def test_one_elicitation_is_compared():
    rows = [(i, f"r{r}", ["no", "yes"][(i + r) % 2], "forced_choice") for i in range(12) for r in range(3)]
    rows += [(i, f"r{r}", "no|yes", "response_set") for i in range(12) for r in range(3)]
    ratings = read(pd.DataFrame(rows, columns=["item", "rater", "label", "elicitation"]))
    judges = read_judges(
        pd.DataFrame([(i, j, "no") for i in range(12) for j in "ab"], columns=["item", "judge", "label"])
    )
    result = compare(ratings, judges, bootstrap=0, resamples=20)
    assert any("forced choices only" in text for text in result.warnings)
    assert result.pairs[0].score_a == pytest.approx(-1, abs=0.1)
