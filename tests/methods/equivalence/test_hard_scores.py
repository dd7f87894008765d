"""Hard scores take hard labels: the most likely one, or the one that a judge states."""

import numpy as np
import pytest

import dissensus
from dissensus.errors import OptionError
from dissensus.methods.equivalence.scores import SPECS, Score, label_scores

import survey_reference as reference
from survey_builders import judges_of, ratings_of, raw_equivalence


@pytest.fixture
def unanimous(tmp_path):
    """Ten items, three raters who all say a of the first five and b of the others."""
    rows = [f"i{i},r{r},{'ab'[i >= 5]}" for i in range(10) for r in range(3)]
    (tmp_path / "ratings.csv").write_text("\n".join(["item,rater,label", *rows]))
    return tmp_path


def judges_file(folder, columns, rows):
    (folder / "judges.csv").write_text("\n".join([columns, *rows]))
    return dissensus.read_judges(folder / "judges.csv")


def sixty_forty(i):
    return "0.6,0.4" if i < 5 else "0.4,0.6"


@pytest.mark.parametrize("combiner", ["abc", "frequency", "plurality"])
@pytest.mark.parametrize("score", [name for name, spec in SPECS.items() if spec.is_hard])
def test_a_judge_that_finds_the_right_label_most_likely_is_right(unanimous, score, combiner):
    # p = .6 on the label that everybody gave: by probability matching .6, by its most likely label 1.
    judges = judges_file(unanimous, "item,judge,p_a,p_b", [f"i{i},j,{sixty_forty(i)}" for i in range(10)])
    result = dissensus.equivalence(
        dissensus.read(unanimous / "ratings.csv"), judges, score=score, combiner=combiner, bootstrap=0
    )
    assert result.judges[0].score == 1.0
    assert [point.score for point in result.curve[1:]] == [1.0, 1.0]  # whoever is asked says what all say


def test_most_samples_count_as_the_label_and_a_tie_in_parts(unanimous):
    # Three samples, two of them right: 1. Two samples that differ: a half.
    rows = [f"i{i},j,{label}" for i in range(10) for label in ("ab"[i >= 5], "ab"[i >= 5], "ab"[i < 5])]
    rows += [f"i{i},k,{label}" for i in range(10) for label in "ab"]
    judges = judges_file(unanimous, "item,judge,label", rows)
    result = dissensus.equivalence(dissensus.read(unanimous / "ratings.csv"), judges, score="agreement", bootstrap=0)
    assert {judge.judge: judge.score for judge in result.judges} == {"j": 1.0, "k": 0.5}


def test_with_two_labels_equally_frequent_a_constant_is_right_half_of_the_time(unanimous):
    # Learned without the item, nobody asked would always predict the other label and never be right.
    judges = judges_file(unanimous, "item,judge,label", [f"i{i},always a,a" for i in range(10)])
    result = dissensus.equivalence(dissensus.read(unanimous / "ratings.csv"), judges, score="agreement", bootstrap=0)
    assert result.curve[0].score == 0.5
    assert (result.judges[0].score, result.judges[0].equivalence) == (0.5, 0.0)


# A stated label beside probabilities


@pytest.fixture
def stated(unanimous):
    """One judge states b of every item, with probabilities that are right; another states what its own say."""
    rows = [f"i{i},j,b,{sixty_forty(i)}" for i in range(10)] + [f"i{i},k,b,0.2,0.8" for i in range(10)]
    return dissensus.read(unanimous / "ratings.csv"), judges_file(unanimous, "item,judge,label,p_a,p_b", rows)


def test_labels_that_contradict_their_probabilities_are_counted_once_per_file(stated):
    [warning] = stated[1].warnings
    assert warning == (
        "5 stated labels of 20 beside probabilities are not the most likely by them: j on i0 (row 2), j on i1 (row 3), "
        "j on i2 (row 4), j on i3 (row 5), j on i4 (row 6). Hard scores use the label, others the probabilities."
    )


def test_labels_that_contradict_their_probabilities_are_counted_in_files_of_any_size(unanimous, stated):
    _, judges = dissensus.read_reduced(unanimous / "ratings.csv", unanimous / "judges.csv")
    [warning] = judges.warnings
    assert warning.startswith("5 stated labels of 20 beside probabilities are not the most likely by them. Hard")
    assert [judges.label.tolist(), judges.n_answers] != [stated[1].label.tolist(), stated[1].n_answers]


def test_equivalence_takes_the_stated_label_for_hard_scores_and_the_probabilities_for_others(stated):
    by = {
        score: {judge.judge: judge.score for judge in raw_equivalence(*stated, score=score, bootstrap=0).judges}
        for score in ("agreement", "recall", "brier")
    }
    assert by["agreement"] == by["recall"] == {"j": 0.5, "k": 0.5}
    # Of j .4 squared, twice, on every item; of k half of the items lose .8 squared, twice, the others .2.
    assert by["brier"] == pytest.approx({"j": -2 * 0.16, "k": -(0.64 + 0.04)})


def test_judges_takes_the_stated_label_for_hard_definitions_and_the_probabilities_for_others(stated):
    values = {
        definition.id: {row.judge: row.value for row in definition.values}
        for definition in dissensus.judges(*stated, bootstrap=0).definitions
    }
    assert values["hit_rate"] == {"j": 0.5, "k": 0.5}
    assert values["mse_soft"]["j"] != values["mse_soft"]["k"]


def test_accuracy_in_compare_is_that_of_the_stated_label(stated):
    result = dissensus.compare(*stated, a="j", b="k", metric="accuracy", resamples=50)
    assert (result.rows()[0]["score_a"], result.rows()[0]["score_b"]) == (0.5, 0.5)
    soft = dissensus.compare(*stated, a="j", b="k", metric="cross-entropy", resamples=50)
    assert soft.rows()[0]["score_a"] == pytest.approx(-np.log2(0.6))


def test_alt_test_answers_with_the_stated_label(stated):
    # Each rater always agrees with the others: a judge is as near on the five of ten items that it has right.
    result = dissensus.alt_test(*stated, min_items=2)
    assert {judge.judge: judge.advantage for judge in result.judges} == {"j": 0.5, "k": 0.5}


def test_a_stated_label_without_any_probability_and_without_a_rater_is_a_label(unanimous):
    rows = [f"i{i},j,{'c' if i == 0 else 'ab'[i >= 5]},{sixty_forty(i)}" for i in range(10)]
    judges = judges_file(unanimous, "item,judge,label,p_a,p_b", rows)
    result = dissensus.equivalence(dissensus.read(unanimous / "ratings.csv"), judges, score="agreement", bootstrap=0)
    assert result.judges[0].score == 0.9
    assert result.settings["labels"] == ["a", "b", "c"]


# The ranked probability score


def test_a_near_miss_costs_less_than_a_far_one():
    # All on the lowest of three labels, one after the other given: no step, one of two, both.
    scored = label_scores("rps")(np.array([1.0, 0.0, 0.0]))
    assert scored.tolist() == [0.0, -0.5, -1.0]


def test_the_order_of_labels_counts_not_the_order_in_which_they_are_stored():
    # Raters gave 1 and 3, the judge also 2, which stands between them although it comes last.
    ratings = ratings_of([[0, 0], [1, 1]], ("1", "3"), scale="ordinal")
    judges = judges_of({"judge": [[0.5, 0.2, 0.3], [0.1, 0.8, 0.1]]}, ("1", "3", "2"))
    result = dissensus.equivalence(ratings, judges, score="rps", bootstrap=0)
    assert result.settings["labels"] == ["1", "3", "2"]
    expected = (reference.rps([0.5, 0.3, 0.2], 0) + reference.rps([0.1, 0.1, 0.8], 2)) / 2
    assert result.judges[0].score == pytest.approx(expected, rel=1e-12)


def test_honest_probabilities_score_best():
    # A proper score: over all predictions of three labels in steps of .05, the one that labels come from is best.
    truth = np.array([0.2, 0.5, 0.3])
    grid = np.array([[a, b, 20 - a - b] for a in range(21) for b in range(21 - a)]) / 20
    expected = label_scores("rps")(grid) @ truth
    assert grid[expected.argmax()].tolist() == truth.tolist()


def test_labels_without_an_order_have_no_ranked_probability_score():
    ratings, judges = ratings_of([[0, 0], [1, 1]]), judges_of({"judge": [[0.5, 0.2, 0.3]] * 2})
    with pytest.raises(OptionError, match="rps needs labels in order: give it with"):
        dissensus.equivalence(ratings, judges, score="rps", bootstrap=0)
    strange = judges_of({"judge": [[0.5, 0.2, 0.3]] * 2}, ("a", "b", "z"))
    with pytest.raises(OptionError, match="rps needs labels in order"):
        dissensus.equivalence(ratings_of([[0, 0], [1, 1]], ("a", "b"), scale="ordinal"), strange, score="rps")


def test_a_calibrated_judge_gains_by_the_ranked_probability_score_too():
    # A lenient judge says one more than people; calibrated it knows what they say.
    ratings = ratings_of([[i % 3] * 3 for i in range(60)], ("1", "2", "3", "4"), scale="ordinal")
    lenient = np.eye(4)[[i % 3 + 1 for i in range(60)]]
    judges = judges_of({"judge": lenient}, ("1", "2", "3", "4"))
    result = dissensus.equivalence(ratings, judges, score="rps", calibrate="table", bootstrap=20)
    raw, calibrated = sorted(result.judges, key=lambda judge: judge.calibrated)
    assert raw.score == pytest.approx(-1 / 3)
    assert calibrated.score == pytest.approx(0)
    assert -1 <= raw.low <= raw.high <= 0


def test_every_additive_score_of_labels_is_what_the_joint_distribution_says():
    predictions = np.array([[0.2, 0.5, 0.3], [0.6, 0.4, 0.0]])
    masses = np.array([[[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]]])
    ours = Score(name="rps", values=np.arange(3.0), order=(0, 1, 2)).of_joint(predictions, masses)[0]
    rows = [(q, label, m) for q, row in zip(predictions, masses[0], strict=True) for label, m in enumerate(row)]
    assert ours == pytest.approx(sum(m * reference.rps(list(q), label) for q, label, m in rows) / masses.sum())
