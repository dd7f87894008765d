"""What `equivalence` says, refuses and keeps fixed."""

import json
from math import isnan

import numpy as np
import pandas as pd
import pytest

from dissensus.data import read, read_judges
from dissensus.errors import JudgesError, OptionError, RatingsError
from dissensus.methods.equivalence.curve import crosses_again, crossings
from dissensus.methods.equivalence.scores import ADDITIVE_SCORES as MEANS
from dissensus.methods.equivalence.scores import SCORES
from dissensus.sampling.intervals import bootstrap_interval
from dissensus.simulation import HARD_CLASSIFIER, RUNNING_EXAMPLE, SOFT_CLASSIFIER, simulate_urn

from survey_builders import hard_judges_of, judges_of, ratings_of, ratings_of_counts, uniform_judge
from survey_builders import raw_equivalence as equivalence

ITEMS = [[0, 0, 1], [0, 1, 2], [2, 2, 2], [0, 0, 0], [1, 1, 2]]


def soft_judges():
    return judges_of({"one": [[0.6, 0.3, 0.1]] * 5, "two": [[0.1, 0.2, 0.7]] * 5})


@pytest.fixture(scope="module")
def drawn():
    """200 items of the running example with 5 to 9 raters, a hard and a soft judge."""
    return simulate_urn(
        RUNNING_EXAMPLE, items=200, raters=(5, 9), classifiers=[HARD_CLASSIFIER, SOFT_CLASSIFIER], rng=3
    )


@pytest.fixture(scope="module")
def soft(drawn):
    return drawn.judges["soft classifier"]


# Refusals


CLIP = (
    "3 labels are too many for clip= 0.4. If they are numbers, add score= pearson combiner= frequency; else choose a "
    "clip below 0.333."
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"judge": "three"}, "There is no judge 'three': the judges are one, two."),
        ({"judge": []}, "No judge was named: name at least one, or leave judge out to compare all of them."),
        ({"combiner": "mean"}, "combiner= cannot be 'mean': choose one of abc, frequency, plurality, npmle."),
        (
            {"score": "accuracy"},
            f"score= cannot be 'accuracy': choose one of {', '.join(SCORES)}.",
        ),
        ({"learn": "twice"}, "learn= cannot be 'twice': choose one of midpoint, leave-one-out, in-sample, cross-fit."),
        (
            {"calibrate": "beta"},
            "calibrate= cannot be 'beta': choose one of auto, none, isotonic, platt, table, multinomial.",
        ),
        ({"prior": "flat"}, "prior= cannot be 'flat': choose one of uniform, data."),
        ({"interval": "bca"}, "interval= cannot be 'bca': choose one of studentized, basic, percentile."),
        ({"weights": "label"}, "weights= cannot be 'label': choose one of item, rater."),
        ({"bootstrap": -1}, "bootstrap= cannot be -1: give the number of samples, or 0 for none."),
        ({"confidence": 1}, "confidence= cannot be 1: it is a share between 0 and 1."),
        ({"reference_raters": 0}, "reference_raters= cannot be 0: at least one is needed."),
        ({"max_raters": -1}, "max_raters= cannot be -1: it is a number of raters."),
        (
            {"max_raters": 3},
            "max_raters= 3 is more than the data have: no item has more than 3 ratings, so 2 is the most.",
        ),
        ({"clip": 0.4}, CLIP),
        ({"clip": 0}, "clip= cannot be 0: choose a small share above 0, such as 0.02."),
        ({"score": "auc", "positive": "z"}, "positive= 'z' is not a label: the labels are a, b, c."),
        ({"experts": "e"}, "experts= and amateurs= go together: name the group of each."),
        ({"amateurs": "e"}, "experts= and amateurs= go together: name the group of each."),
        ({"experts": "e", "amateurs": "a"}, "There is no group 'e': the ratings have no group column."),
        ({"ceiling": True, "score": "brier"}, "ceiling= is in bits: it goes with score= cross-entropy, not brier."),
        (
            {"score": "auc", "learn": "leave-one-out"},
            "learn= leave-one-out spoils auc, which compares items: choose in-sample or cross-fit.",
        ),
        (
            {"combiner": "npmle", "learn": "leave-one-out"},
            "combiner= npmle learns in-sample or cross-fit, not leave-one-out.",
        ),
        (
            {"weights": "rater", "score": "dmi"},
            f"weights= rater goes with {', '.join(MEANS[:-1])} or {MEANS[-1]}, and one reference rater.",
        ),
        (
            {"combiner": lambda counts: counts[:, :2]},
            "The combiner returned shape (1, 2) for surveys of shape (1, 3).",
        ),
        (
            {"combiner": lambda counts: counts + 1.0},
            "The combiner's predictions must be probabilities: at least 0, and 1 in sum for each survey.",
        ),
    ],
)
def test_an_option_that_cannot_be_is_refused(options, message):
    with pytest.raises(OptionError) as error:
        equivalence(ratings_of(ITEMS), soft_judges(), **options)
    assert str(error.value) == message


def test_a_hard_judge_has_no_cross_entropy():
    with pytest.raises(OptionError) as error:
        equivalence(ratings_of(ITEMS), hard_judges_of({"hard": [0, 1, 2, 0, 1]}))
    assert str(error.value) == (
        "The judge hard gave one label per item and no probabilities, which cross-entropy needs: "
        "choose calibrate= auto, or score= agreement."
    )


def test_a_hard_judge_of_numbers_may_be_correlated():
    ratings = ratings_of_counts([[2, 1], [1, 2]], "12")
    judges = pd.DataFrame({"item": ratings.items, "judge": "hard", "label": ["1", "2"]})
    with pytest.raises(OptionError, match=r"or score= agreement, or score= pearson since its labels are numbers\.$"):
        equivalence(ratings, read_judges(judges))


@pytest.mark.parametrize("calibrate", ["isotonic", "platt"])
def test_calibrating_labels_one_by_one_says_that_auto_makes_more_of_them(calibrate):
    result = equivalence(ratings_of(ITEMS), hard_judges_of({"hard": [0, 1, 2, 0, 1]}), calibrate=calibrate, bootstrap=0)
    assert (
        f"hard gave one label per item, of which calibrate= {calibrate} keeps little, since it looks at one label "
        "after the other: use calibrate= auto." in result.warnings
    )


def test_a_judge_without_a_rated_item_is_not_left_out_silently():
    judges = pd.DataFrame({"item": ["item-00000", "ITEM-00000"], "judge": ["one", "other"], "label": ["a", "a"]})
    with pytest.raises(JudgesError) as error:
        equivalence(ratings_of(ITEMS), read_judges(judges), score="agreement")
    assert str(error.value) == (
        "The judge other answered none of the rated items: check the item ids, or name the judges to compare with "
        "judge=."
    )


def test_a_combiner_that_cannot_learn_so_many_labels_says_so():
    n_labels = 41
    labels = [f"{i}" for i in range(n_labels)]
    people = pd.DataFrame({"item": [label for label in labels for _ in "ab"], "rater": [*"ab"] * n_labels})
    ratings = read(people.assign(label=people["item"]))
    judges = read_judges(pd.DataFrame({"item": labels, "judge": "j", "label": labels}))
    said = equivalence(ratings, judges, score="pearson", bootstrap=0).warnings
    assert any(warning.startswith("With 41 labels hardly any combination of labels comes twice") for warning in said)
    assert not equivalence(ratings, judges, score="pearson", combiner="frequency", bootstrap=0).warnings


def test_numbers_that_are_correlated_are_not_said_to_be_rounded():
    ratings = ratings_of_counts([[3, 1, 0], [1, 2, 1], [0, 1, 3], [2, 2, 0]], "123")
    judges = read_judges(pd.DataFrame({"item": ratings.items, "judge": "j", "label": ["1.2", "2.5", "2.9", "1.6"]}))
    said = {
        score: equivalence(ratings, judges, score=score, combiner="frequency", bootstrap=0).warnings
        for score in ("pearson", "agreement")
    }
    assert not any("nearest label" in warning for warning in said["pearson"])
    assert any("nearest label" in warning for warning in said["agreement"])


def test_rater_weights_need_raters():
    with pytest.raises(OptionError) as error:
        equivalence(ratings_of_counts([[2, 1], [1, 2]], "ab"), uniform_judge(2, ("a", "b")), weights="rater")
    assert str(error.value) == "weights= rater needs to know who rated: the ratings have no rater column."


def test_a_judge_of_other_items_is_refused():
    judge = pd.DataFrame({"item": ["x"], "judge": ["j"], "label": ["a"]})
    with pytest.raises(JudgesError) as error:
        equivalence(ratings_of(ITEMS), read_judges(judge), score="agreement")
    assert str(error.value).startswith(
        "The judges share no item with the ratings: theirs are x; rated are item-00000, "
    )


def test_judges_without_a_common_item_are_refused():
    judges = pd.DataFrame({"item": ["item-00000", "item-00001"], "judge": ["j", "k"], "label": ["a", "b"]})
    with pytest.raises(JudgesError) as error:
        equivalence(ratings_of(ITEMS), read_judges(judges), score="agreement")
    assert str(error.value) == "No item was answered by every judge: choose one of them with judge=."


def test_a_cohort_without_items_is_refused():
    # Three items of two ratings and one of four, which the judge did not answer: nobody is left for surveys of 3.
    judges = judges_of({"judge": [[1, 0, 0]] * 3})
    with pytest.raises((OptionError, RatingsError), match="max_raters="):
        equivalence(ratings_of([[0, 1]] * 3 + [[0, 1, 2, 2]]), judges, cohort=True, max_raters=3)


# Verdicts


def test_one_rater_per_item_places_no_judge_and_says_why():
    result = equivalence(ratings_of([[0], [1], [2]]), uniform_judge(3), bootstrap=5)
    assert [point.raters for point in result.curve] == [0]
    assert isnan(result.judges[0].equivalence)
    assert result.judges[0].equivalence_raters is None
    raters, warning = result.warnings
    assert raters.startswith("Intervals are for this one rater only")
    assert warning == (
        "No item has a rating to spare: the curve ends with nobody asked, and no judge can be placed on "
        "it. Collect two or more ratings per item."
    )
    assert json.loads(result.to_json())["result"]["judges"][0]["equivalence"] is None


def test_a_judge_that_answers_as_nobody_does_is_worth_0():
    # Frequencies with nobody asked are uniform, and so is this judge: their scores are the same up to rounding, which
    # must not decide whether the judge is below the curve.
    rng = np.random.default_rng(0)
    for _ in range(20):
        items = [rng.integers(3, size=rng.integers(2, 6)).tolist() for _ in range(rng.integers(3, 40))]
        judge = equivalence(ratings_of(items), uniform_judge(len(items)), combiner="frequency", bootstrap=0).judges[0]
        assert (judge.equivalence, judge.equivalence_raters, judge.verdict) == (0.0, 0, "within")


def test_a_judge_off_the_curve_has_a_verdict_and_no_number(drawn):
    states = RUNNING_EXAMPLE.states[drawn.truth.state]
    judges = judges_of({"perfect": states, "upside down": states[:, ::-1]}, RUNNING_EXAMPLE.labels)
    ratings = ratings_of([_labels_of(drawn.ratings, i) for i in range(200)], RUNNING_EXAMPLE.labels)
    above, below = equivalence(ratings, judges, max_raters=2, bootstrap=100).judges
    assert (above.verdict, below.verdict) == ("above K", "below 0")
    for judge in (above, below):
        assert isnan(judge.equivalence)
        assert isnan(judge.equivalence_low)
        assert isnan(judge.equivalence_high)
        assert judge.equivalence_raters is None
    assert (above.share_above, above.share_below) == (1.0, 0.0)
    assert (below.share_above, below.share_below) == (0.0, 1.0)


def _labels_of(ratings, item):
    return ratings.label[ratings.item == item].tolist()


def test_the_share_of_censored_samples_is_reported(drawn, soft):
    # With one rater at most, the soft classifier (worth about 2) is above the curve in most samples, not in all.
    judge = equivalence(drawn.ratings, soft, max_raters=1, bootstrap=200).judges[0]
    assert judge.verdict == "above K"
    assert 0.5 < judge.share_above < 1


def test_a_bound_that_falls_among_censored_samples_is_unknown():
    # 3 of 100 replicates are above the curve: the 97.5% quantile is one of them.
    samples = np.concatenate([np.linspace(1, 3, 97), np.full(3, np.inf)])
    low, high = bootstrap_interval(2.0, samples, confidence=0.95, kind="percentile")
    assert np.isfinite(low)
    assert isnan(high)
    low, high = bootstrap_interval(2.0, samples, confidence=0.95, kind="basic")
    assert isnan(low)
    assert np.isfinite(high)


def test_basic_bounds_mirror_the_percentiles():
    samples = np.array([0.5, 1.0, 1.5, 4.0])
    assert bootstrap_interval(1.2, samples, confidence=0.5, kind="percentile") == (0.5, 1.5)
    assert bootstrap_interval(1.2, samples, confidence=0.5, kind="basic") == pytest.approx((2.4 - 1.5, 2.4 - 0.5))


def test_a_curve_that_falls_again_takes_the_leftmost_crossing_and_says_so():
    curve, score = np.array([[0.0, 0.6, 0.2, 0.8]]), np.array([0.3])
    assert crossings(curve, score)[0] == pytest.approx(0.5)
    assert crosses_again(curve[0], 0.3, 0.5)
    assert not crosses_again(curve[0], 0.1, 1 / 6)
    items = [[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]]
    judge = judges_of({"judge": [[0.6, 0.4], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]}, ("a", "b"))

    def forgetful(counts):
        """Believes one rater, and nobody when there are two."""
        asked = counts.sum(axis=1, keepdims=True)
        return np.where(asked == 1, 0.8 * counts + 0.2 * (1 - counts), 0.5)

    result = equivalence(ratings_of(items, ("a", "b")), judge, combiner=forgetful, score="agreement", bootstrap=0)
    # In half of the items all pairs of raters agree, in the other half one of three: 2/3 of all. So agreement is .5,
    # then 2/3, then .5 again; the judge is right on the first item and undecided on the others: 5/8.
    scores = [point.score for point in result.curve]
    assert scores == pytest.approx([0.5, 2 / 3, 0.5])
    assert result.judges[0].score == pytest.approx(5 / 8)
    assert result.judges[0].equivalence == pytest.approx((5 / 8 - 1 / 2) / (2 / 3 - 1 / 2))
    assert result.warnings == ("The curve crosses the score of judge more than once; the leftmost crossing counts.",)


# Labels


def test_a_label_that_no_rater_used_is_never_right():
    result = equivalence(
        ratings_of([[0, 0], [1, 1]], ("a", "b")),
        hard_judges_of({"judge": [0, 1]}, ("a", "z")),
        score="agreement",
        combiner="plurality",
        bootstrap=0,
    )
    assert result.judges[0].score == 0.5
    assert result.warnings == ("Judges used labels that no rater used, so they can never be right there: z.",)
    assert result.settings["labels"] == ["a", "b", "z"]


def test_a_whole_number_that_no_rater_used_is_another_label():
    result = equivalence(
        ratings_of([[0, 0], [1, 1]], ("1", "2")),
        hard_judges_of({"judge": [0, 1]}, ("1", "5")),
        score="agreement",
        combiner="plurality",
        bootstrap=0,
    )
    assert result.judges[0].score == 0.5
    assert result.warnings == ("Judges used labels that no rater used, so they can never be right there: 5.",)


def test_a_number_between_labels_counts_as_the_nearest():
    result = equivalence(
        ratings_of([[0, 0], [1, 1]], ("1", "2")),
        hard_judges_of({"judge": [0, 1]}, ("1.2", "1.9")),
        score="agreement",
        bootstrap=0,
    )
    assert result.judges[0].score == 1
    (warning,) = result.warnings
    assert warning == "Judges gave 2 numbers that no rater gave: each counts as the nearest label."


def test_labels_of_judges_that_were_not_chosen_do_not_matter():
    rows = [("one", "a"), ("one", "b"), ("two", "a"), ("two", "z")]
    judges = read_judges(
        pd.DataFrame(
            {
                "item": ["item-00000", "item-00001"] * 2,
                "judge": [judge for judge, _ in rows],
                "label": [label for _, label in rows],
            }
        )
    )
    result = equivalence(ratings_of([[0, 0], [1, 1]], ("a", "b")), judges, judge="one", score="agreement", bootstrap=0)
    assert result.settings["labels"] == ["a", "b"]
    assert result.warnings == ()


# Ragged data, cohorts, items


def test_items_with_too_few_ratings_leave_the_curve_one_by_one():
    result = equivalence(ratings_of([[0, 0, 1], [0, 1], [2, 2, 2, 1]]), uniform_judge(3), max_raters=3, bootstrap=0)
    assert [point.items for point in result.curve] == [3, 3, 2, 1]
    assert result.warnings[0] == (
        "From 2 raters on the curve rests on fewer items and may jump: cohort= keeps the items fixed."
    )


def test_a_cohort_keeps_its_items():
    items = [[0, 0, 1], [0, 1], [2, 2, 2, 1], [0, 2, 2, 2]]
    result = equivalence(ratings_of(items), uniform_judge(4), cohort=True, max_raters=2, bootstrap=0)
    alone = equivalence(ratings_of([items[0], *items[2:]]), uniform_judge(3), max_raters=2, bootstrap=0)
    assert [point.items for point in result.curve] == [3, 3, 3]
    assert [point.score for point in result.curve] == pytest.approx([point.score for point in alone.curve], abs=1e-12)
    assert result.judges[0].score == pytest.approx(alone.judges[0].score, abs=1e-12)


def test_items_without_every_judge_are_left_out():
    judges = pd.DataFrame(
        {"item": ["item-00000", "item-00001", "item-00000"], "judge": ["j", "j", "k"], "label": ["a", "b", "a"]}
    )
    result = equivalence(ratings_of([[0, 0], [1, 1]]), read_judges(judges), score="agreement", bootstrap=0)
    assert result.curve[0].items == 1
    few = "Only 1 of 2 rated items have an answer from every judge, and judges are compared on these alone: "
    assert f"{few}get the rest, or choose fewer with judge=." in result.warnings


def test_the_largest_survey_leaves_half_of_the_items():
    # 2, 3, 3 and 9 ratings: three of four have more than 2, one has more than 3.
    items = [[0, 1], [0, 1, 2], [0, 1, 2], [0, 1, 2] * 3]
    assert equivalence(ratings_of(items), uniform_judge(4), bootstrap=0).curve[-1].raters == 2
    many = [[0, 1] * 15] * 2
    assert equivalence(ratings_of(many), uniform_judge(2), bootstrap=0).curve[-1].raters == 20


# What may not change the answer


def test_one_worker_or_two_give_the_same_bytes(drawn, soft):
    one, two = (equivalence(drawn.ratings, soft, bootstrap=60, workers=n).to_json() for n in (1, 2))
    assert one == two


def test_another_seed_moves_the_intervals_only(drawn, soft):
    first, second = (equivalence(drawn.ratings, soft, bootstrap=60, rng=seed) for seed in (1, 2))
    assert [point.score for point in first.curve] == [point.score for point in second.curve]
    assert [point.low for point in first.curve] != [point.low for point in second.curve]
    for name in ("score", "equivalence", "verdict"):
        assert getattr(first.judges[0], name) == getattr(second.judges[0], name)
    assert first.judges[0].equivalence_low != second.judges[0].equivalence_low


def as_frames(drawn):
    ratings, judges = drawn.ratings, drawn.judges["soft classifier"]
    rows = pd.DataFrame(
        {
            "item": np.array(ratings.items)[ratings.item],
            "rater": np.array(ratings.raters)[ratings.rater],
            "label": np.array(ratings.labels)[ratings.label],
        }
    )
    answers = pd.DataFrame(
        {"item": np.array(judges.items)[judges.item], "judge": "soft"}
        | {f"p_{label}": judges.probability[:, i] for i, label in enumerate(judges.labels)}
    )
    return rows, answers


def test_the_order_of_rows_changes_nothing(drawn):
    rows, answers = as_frames(drawn)
    shuffled = rows.sample(frac=1, random_state=1), answers.sample(frac=1, random_state=2)
    first, second = (
        equivalence(read(r), read_judges(j), calibrate="isotonic", bootstrap=30).to_json()
        for r, j in ((rows, answers), shuffled)
    )
    assert first == second


def test_other_names_for_items_and_raters_change_no_estimate(drawn):
    rows, answers = as_frames(drawn)
    names = {name: f"x{1000 - i}" for i, name in enumerate(sorted(rows["item"].unique()))}
    renamed = rows.assign(item=rows["item"].map(names), rater=rows["rater"].str[::-1])
    first, second = (
        equivalence(read(r), read_judges(j), bootstrap=0)
        for r, j in ((rows, answers), (renamed, answers.assign(item=answers["item"].map(names))))
    )
    assert [p.score for p in first.curve] == pytest.approx([p.score for p in second.curve], abs=1e-12)
    assert first.judges[0].equivalence == pytest.approx(second.judges[0].equivalence, abs=1e-9)


@pytest.mark.parametrize("options", [{}, {"combiner": "plurality", "score": "agreement"}, {"score": "f1"}])
def test_other_names_for_labels_change_no_estimate(options):
    rng = np.random.default_rng(5)
    items = [rng.integers(3, size=rng.integers(2, 6)).tolist() for _ in range(30)]
    predictions = rng.dirichlet(np.ones(3), size=30)
    order = [2, 0, 1]  # a is now c, b is a, c is b
    renamed = [[order[label] for label in labels] for labels in items]
    first, second = (
        equivalence(ratings_of(given), judges_of({"judge": answers}), bootstrap=0, **options)
        for given, answers in ((items, predictions), (renamed, predictions[:, np.argsort(order)]))
    )
    assert [p.score for p in first.curve] == pytest.approx([p.score for p in second.curve], abs=1e-12)
    assert first.judges[0].score == pytest.approx(second.judges[0].score, abs=1e-12)


def test_no_bootstrap_means_no_interval(drawn, soft):
    result = equivalence(drawn.ratings, soft, bootstrap=0)
    judge = result.judges[0]
    assert all(isnan(v) for v in (judge.low, judge.high, judge.equivalence_low, judge.share_below, judge.share_above))
    assert all(isnan(point.low) and isnan(point.high) for point in result.curve)


# Several judges, own combiners, ceilings


def test_two_judges_are_compared_on_the_same_samples(drawn):
    states = RUNNING_EXAMPLE.states[drawn.truth.state]
    ratings = ratings_of([_labels_of(drawn.ratings, i) for i in range(200)], RUNNING_EXAMPLE.labels)
    noisy = 0.5 * states + 0.25
    result = equivalence(
        ratings, judges_of({"a": noisy, "b": noisy, "c": states}, RUNNING_EXAMPLE.labels), bootstrap=50
    )
    pairs = {(d.judge_a, d.judge_b): d for d in result.differences}
    assert set(pairs) == {("a", "b"), ("a", "c"), ("b", "c")}
    same = pairs["a", "b"]
    assert (same.difference, same.low, same.high, same.share_a_better) == (0.0, 0.0, 0.0, 0.5)
    assert pairs["a", "c"].share_a_better == 0


def test_raw_and_calibrated_judges_stand_side_by_side(drawn):
    hard, raw, soft = equivalence(drawn.ratings, drawn.judges, calibrate="auto", bootstrap=0).judges
    assert (hard.name, hard.calibrated) == (
        "hard classifier (calibrated)",
        True,
    )  # bare labels have no odds of their own
    assert (raw.name, soft.name) == ("soft classifier", "soft classifier (calibrated)")


def test_an_own_combiner_is_used_as_it_is(drawn, soft):
    def frequency(counts):
        asked = counts.sum(axis=1, keepdims=True)
        return np.where(asked > 0, counts / np.maximum(asked, 1), 0.5)

    own, ours = (equivalence(drawn.ratings, soft, combiner=c, bootstrap=20) for c in (frequency, "frequency"))
    assert repr(own.curve) == repr(ours.curve)  # NaN is not equal to itself
    assert own.settings["combiner"] == "frequency"


def test_too_few_raters_have_no_ceiling_and_it_says_why():
    result = equivalence(ratings_of(ITEMS), soft_judges(), ceiling=True, bootstrap=0)
    assert result.ceiling is None
    assert (
        "No ceiling: half of the items have fewer than 8 ratings, too few to tell difficult items from noisy raters."
        in result.warnings
    )
    assert result.judges[0].performance_ratio is None


def test_the_ceiling_bounds_the_curve_beyond_the_data():
    ratings, judges, _ = simulate_urn(RUNNING_EXAMPLE, items=300, raters=9, classifiers=[SOFT_CLASSIFIER], rng=0)
    result = equivalence(ratings, judges, ceiling=True, bootstrap=40)
    gains = [point.score for point in result.ceiling.curve]
    assert [point.raters for point in result.ceiling.curve] == list(range(9, 17))
    assert all(np.diff(gains) > 0)
    assert gains[-1] < result.ceiling.gain
    assert result.ceiling.low < result.ceiling.gain < result.ceiling.high
    judge = result.judges[0]
    # Information is what the judge tells beyond the shares of the labels, whatever the combiner says of nobody asked.
    share = np.bincount(ratings.label) / ratings.n_ratings
    ratio = (judge.score - float((share * np.log2(share)).sum())) / result.ceiling.gain
    assert judge.performance_ratio == pytest.approx(ratio, rel=1e-3)
    assert judge.performance_ratio_low < ratio < judge.performance_ratio_high


def test_many_raters_do_not_overflow():
    # 400 ratings: 400! / 220! has more than 308 digits. Beta(1, 1) states: raters tell more and more, up to the entropy
    # of the prior less that of the states, 1 - 1 / (2 ln 2) = .2787 bits, of which k raters tell almost all.
    heads = np.random.default_rng(0).binomial(400, np.linspace(0.005, 0.995, 100))
    ratings = ratings_of_counts(np.stack([heads, 400 - heads], axis=1), ("a", "b"))
    result = equivalence(ratings, uniform_judge(100, ("a", "b")), max_raters=180, learn="in-sample", bootstrap=0)
    gains = [point.score - result.curve[0].score for point in result.curve]
    assert np.isfinite(gains).all()
    assert gains[180] == pytest.approx(0.2787, abs=0.02)
