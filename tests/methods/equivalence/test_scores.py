"""Scores that are not means over items, against their definitions and against scikit-learn and scipy."""

from fractions import Fraction
from math import isnan

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hypothesis_numpy
from scipy.stats import pearsonr, spearmanr

from dissensus.errors import OptionError
from dissensus.methods.equivalence import equivalence
from dissensus.methods.equivalence.curve import Panel, brier_of_shares, curve_point, fixed_scores, pearson_of_shares
from dissensus.methods.equivalence.scores import (
    Score,
    confusion_score,
    hard_predictions,
    pearson_of_items,
    ranked_score,
)
from dissensus.methods.equivalence.surveys import surveys_of_size
from dissensus.sampling.draws import merely

import survey_reference as reference
from survey_builders import judges_of, ratings_of

L = 3
LABELS = ("1", "2", "4")
VALUES = [Fraction(1), Fraction(2), Fraction(4)]
COMBINERS = {
    "abc": (reference.in_sample, {"combiner": "abc", "learn": "in-sample"}),
    "frequency": (reference.frequency, {"combiner": "frequency"}),
    "plurality": (reference.majority, {"combiner": "plurality"}),
}
CONFUSION = {"f1": reference.f1, "precision": reference.precision, "recall": reference.recall}
items_ = st.lists(st.lists(st.integers(0, L - 1), min_size=1, max_size=4), min_size=2, max_size=5).filter(
    lambda items: max(map(len, items)) >= 2
)
distribution = st.lists(st.integers(0, 4), min_size=L, max_size=L).filter(any)


def close(ours, theirs):
    return np.isclose(ours, theirs, rtol=1e-11, atol=1e-11, equal_nan=True)


def expected_values(rows):
    """Expected value of each prediction, and value of each label."""
    return [sum(p * v for p, v in zip(q, VALUES, strict=True)) for q, _ in rows], [VALUES[label] for _, label in rows]


def expected_score(rows, score, positive):
    """The score of rows (item, prediction, label, probability), from its definition."""
    rows = list(rows)
    if score == "dmi":
        return reference.dmi(rows, L)
    if score in CONFUSION:
        hard = reference.as_integer_rows(reference.split_ties(rows))
        if positive is None:
            return reference.macro(CONFUSION[score], hard, L)
        return CONFUSION[score](hard, positive)
    whole = reference.as_integer_rows(rows)
    if score == "auc":
        return reference.mean_auc(whole, L) if positive is None else reference.auc(whole, positive)
    return (reference.pearson if score == "pearson" else reference.spearman)(*expected_values(whole))


def our_result(items, score, positive, judge=None, **options):
    judge = judge or [[1, 0, 0]] * len(items)
    return equivalence(
        ratings_of(items, LABELS),
        judges_of({"judge": judge}, LABELS),
        score=score,
        bootstrap=0,
        positive=None if positive is None else LABELS[positive],
        max_raters=max(map(len, items)) - 1,
        **options,
    )


@pytest.mark.parametrize("positive", [None, 0, 2])
@pytest.mark.parametrize("score", ["auc", "f1", "precision", "recall"])
@given(items=items_, name=st.sampled_from(sorted(COMBINERS)))
@settings(max_examples=15, deadline=None)
def test_a_curve_of_labels_is_the_metric_of_every_subset_of_raters(score, positive, items, name):
    combiner, options = COMBINERS[name]
    result = our_result(items, score, positive, **options)
    for point in result.curve:
        rows = reference.joint_rows(items, point.raters, combiner, L)
        assert close(point.score, expected_score(rows, score, positive))


@pytest.mark.parametrize("score", ["dmi", "pearson", "spearman"])
@given(items=items_, name=st.sampled_from(sorted(COMBINERS)))
@settings(max_examples=15, deadline=None)
def test_a_curve_of_numbers_is_the_metric_of_every_subset_of_raters(score, items, name):
    combiner, options = COMBINERS[name]
    result = our_result(items, score, None, **options)
    for point in result.curve[1:]:
        rows = reference.joint_rows(items, point.raters, combiner, L)
        assert close(point.score, expected_score(rows, score, None))
    # With nobody asked all predictions are the same: they covary with nothing, and the joint matrix has rank 1.
    assert np.isclose(result.curve[0].score, 0, atol=1e-12)


@pytest.mark.parametrize("score", ["f1", "precision", "recall", "dmi"])
@given(items=items_, positive=st.sampled_from([None, 1]))
@settings(max_examples=12, deadline=None)
def test_leaving_the_item_out_changes_what_is_predicted_and_nothing_else(score, items, positive):
    result = our_result(items, score, positive, combiner="abc", learn="leave-one-out")
    for point in result.curve:
        learned = reference.leave_one_out
        combiner = learned if score == "dmi" else reference.with_nobody_constant(learned, point.raters)
        rows = reference.joint_rows(items, point.raters, combiner, L)
        assert close(point.score, expected_score(rows, score, positive))


@pytest.mark.parametrize("score", ["auc", "f1", "precision", "recall", "dmi", "pearson", "spearman"])
@given(items=items_, answers=st.lists(distribution, min_size=5, max_size=5), positive=st.sampled_from([None, 0, 1]))
@settings(max_examples=15, deadline=None)
def test_a_judge_is_scored_by_the_same_metric(score, items, answers, positive):
    predictions = [[Fraction(v, sum(row)) for v in row] for row in answers[: len(items)]]
    result = our_result(items, score, positive, judge=[[float(p) for p in row] for row in predictions])
    rows = reference.judge_rows(predictions, items, L)
    assert close(result.judges[0].score, expected_score(rows, score, positive))


# Masses of four distinct predictions and three labels, as whole numbers, so that rows can be repeated.
predictions_ = st.lists(distribution, min_size=2, max_size=5)
masses_ = st.lists(st.lists(st.integers(0, 4), min_size=L, max_size=L), min_size=5, max_size=5)


def repeated(answers, masses):
    rows = [
        (q, label) for q, row in zip(answers, masses, strict=False) for label in range(L) for _ in range(row[label])
    ]
    assume(len({label for _, label in rows}) > 1)
    q = np.array([np.array(row) / sum(row) for row, _ in rows])
    return q, np.array([label for _, label in rows])


def arrays(answers, masses):
    q = np.array([np.array(row) / sum(row) for row in answers])
    return q, np.array(masses[: len(answers)], dtype=float)[None]


@given(answers=predictions_, masses=masses_)
@settings(max_examples=40, deadline=None)
def test_correlations_are_those_of_scipy_on_repeated_rows(answers, masses):
    rows, given = repeated(answers, masses)
    values = np.array([1.0, 2.0, 4.0])
    x, y = rows @ values, values[given]
    assume(np.ptp(x) > 1e-9)
    q, m = arrays(answers, masses)
    assert close(ranked_score("pearson", q, m, values=values)[0], pearsonr(x, y).statistic)
    # scipy ranks what it is given: equal expectations that differ in the last bit would not tie there.
    assert close(ranked_score("spearman", q, m, values=values)[0], spearmanr(x.round(9), y).statistic)


@pytest.mark.parametrize("score", ["pearson", "spearman"])
@given(answers=predictions_, masses=masses_, unit=st.sampled_from([1e-300, 1e-13, 1e-6, 3.0, 1e6, 1e12, 1e300]))
@settings(max_examples=40, deadline=None)
def test_correlations_do_not_depend_on_what_labels_are_measured_in(score, answers, masses, unit):
    values = np.array([-1.0, 0.3, 2.0])
    q, m = arrays(answers, masses)
    ours, other = (ranked_score(score, q, m, values=v)[0] for v in (values, values * unit))
    assert close(ours, other)
    # The same for a judge that gives numbers of its own.
    own = (q @ values)[:, None]
    ours, other = (ranked_score(score, x, m, values=values, prediction_values=np.ones(1))[0] for x in (own, own * unit))
    assert close(ours, other)


@pytest.mark.parametrize("score", ["pearson", "spearman"])
@pytest.mark.parametrize("unit", ["e-13", "e6", "e12"])
def test_a_judge_and_the_curve_keep_their_correlations_in_another_unit(score, unit):
    rng = np.random.default_rng(0)
    items, judge = rng.integers(0, 3, size=(40, 5)).tolist(), rng.dirichlet(np.ones(3), 40).round(1) + 0.1

    def found(labels):
        drawn = ratings_of(items, labels), judges_of({"judge": judge / judge.sum(axis=1, keepdims=True)}, labels)
        result = equivalence(*drawn, score=score, bootstrap=0)
        return [result.judges[0].score, *(point.score for point in result.curve)]

    assert close(found(LABELS), found(tuple(label + unit for label in LABELS))).all()


def test_rounding_ties_in_a_large_unit_as_in_a_small_one():
    # .1 + .2 and .3 are one number, in thousands and in millions, beside one that is beyond all bounds.
    own = np.array([[0.1 + 0.2], [0.3], [0.7], [1e9]])
    masses = np.array([[[1.0, 0], [0, 1.0], [0, 1.0], [1.0, 0]]])
    expected = spearmanr([0.3, 0.3, 0.7, 1e9], [0, 1, 1, 0]).statistic
    for unit in (1e-13, 1, 1e6, 1e12):
        ours = ranked_score("spearman", own * unit, masses, values=np.array([0.0, 1.0]), prediction_values=np.ones(1))
        assert ours[0] == pytest.approx(expected)


@given(answers=predictions_, masses=masses_, label=st.integers(0, L - 1))
@settings(max_examples=40, deadline=None)
def test_auc_is_that_of_scikit_learn_on_repeated_rows(answers, masses, label):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    rows, given = repeated(answers, masses)
    assume(0 < (given == label).sum() < len(given))
    q, m = arrays(answers, masses)
    ours = ranked_score("auc", q, m, values=np.arange(3.0), positive=label)[0]
    assert close(ours, metrics.roc_auc_score(given == label, rows[:, label].round(12)))


@given(masses=st.lists(st.lists(st.integers(0, 4), min_size=L, max_size=L), min_size=L, max_size=L))
@settings(max_examples=40, deadline=None)
def test_confusion_scores_are_those_of_scikit_learn_on_repeated_rows(masses):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    cells = [(p, label) for p in range(L) for label in range(L) for _ in range(masses[p][label])]
    assume(cells)
    predicted, given = np.array(cells).T
    matrix = np.array(masses, dtype=float)[None]
    for name in CONFUSION:
        theirs = getattr(metrics, f"{name}_score")
        macro = theirs(given, predicted, average="macro", zero_division=0)
        assert close(confusion_score(name, matrix)[0], macro)
        each = theirs(given, predicted, average=None, labels=range(L), zero_division=np.nan)
        assert all(close(confusion_score(name, matrix, positive=c)[0], each[c]) for c in range(L))


def test_the_most_likely_label_is_shared_where_two_tie_up_to_rounding():
    third = 1 - 1 / 3 - 1 / 3
    assert np.allclose(
        hard_predictions(np.array([[1 / 3, 1 / 3, third], [0.5, 0.5, 0.0]])), [[1 / 3] * 3, [0.5, 0.5, 0]]
    )


def test_auc_of_binary_labels_takes_the_probability_of_the_positive_label():
    # The positive item has .9 and the negative .05, so it is ranked first; by the largest probability, .9 and .95, it
    # would be last.
    q = np.array([[0.1, 0.9], [0.95, 0.05]])
    masses = np.array([[[0.0, 1.0], [1.0, 0.0]]])
    assert ranked_score("auc", q, masses, values=np.arange(2.0), positive=1)[0] == 1


@pytest.mark.parametrize(
    "name", ["auc", "f1", "precision", "recall", "dmi", "pearson", "spearman", "agreement", "brier"]
)
def test_a_replicate_without_any_item_has_no_score(name):
    score = Score(name=name, values=np.array([1.0, 2.0, 4.0]))
    q = np.array([[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]])
    assert isnan(score.of_joint(q, np.zeros((1, 2, 3)))[0])


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_predictions_of_items_that_were_not_drawn_do_not_define_a_correlation(name):
    # The two items that were drawn have the same prediction; a third, not drawn, has another.
    q = np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 0, 1.0]])
    masses = np.array([[[1.0, 0, 0], [0, 1.0, 0], [0, 0, 0]]])
    assert isnan(ranked_score(name, q, masses, values=np.array([1.0, 2.0, 4.0]))[0])


def test_a_positive_label_that_is_never_predicted_has_no_precision():
    matrix = np.array([[[2.0, 1.0], [0.0, 0.0]]])
    assert isnan(confusion_score("precision", matrix, positive=1)[0])
    assert confusion_score("recall", matrix, positive=1)[0] == 0
    assert confusion_score("f1", matrix, positive=1)[0] == 0


def test_correlations_take_a_judges_own_numbers():
    # Raters say 1, 2 and 4, the judge 1.2, 1.9 and 4.4: each is nearest to its label, but the correlation is not 1.
    items = [[0, 0], [1, 1], [2, 2]]
    judge = judges_of({"judge": np.eye(3)}, ("1.2", "1.9", "4.4"))
    result = equivalence(ratings_of(items, LABELS), judge, score="pearson", bootstrap=0)
    assert close(result.judges[0].score, pearsonr([1.2, 1.9, 4.4], [1, 2, 4]).statistic)


@pytest.mark.parametrize("score", ["pearson", "spearman"])
def test_correlations_need_labels_that_are_numbers(score):
    with pytest.raises(OptionError) as error:
        equivalence(ratings_of([[0, 1], [1, 1]]), judges_of({"judge": [[1, 0, 0]] * 2}), score=score)
    assert str(error.value) == f"score= {score} needs labels that are numbers: choose agreement or cross-entropy."


def test_dmi_of_a_hard_judge_is_the_determinant_of_the_confusion_matrix():
    # Judge 0, 0, 1 against raters 00, 01, 11: M = [[2 + 1, 1], [0, 2]] / 6, det = 6 / 36.
    result = equivalence(
        ratings_of([[0, 0], [0, 1], [1, 1]], ("a", "b")),
        judges_of({"judge": [[1, 0], [1, 0], [0, 1]]}, ("a", "b")),
        score="dmi",
        bootstrap=0,
    )
    assert np.isclose(result.judges[0].score, 1 / 6, rtol=1e-12)


# ---- Closed forms


@given(
    counts=hypothesis_numpy.arrays(np.int64, st.tuples(st.integers(1, 6), st.just(L)), elements=st.integers(0, 5)),
    k=st.integers(1, 7),
    seed=st.integers(0, 99),
    values=st.sampled_from([[1.0, 2.0, 4.0], [-3e7, 0.0, 1e-3], [2.0, 2.0, 5.0], [1e9 + 1, 1e9 + 2, 1e9 + 4]]),
)
@settings(max_examples=120, deadline=None)
def test_the_mean_of_raters_is_scored_without_going_through_its_surveys(counts, k, seed, values):
    # Replicates with some types many times and others not at all, against all surveys one by one.
    weights = np.random.default_rng(seed).poisson(1.0, (5, len(counts)))
    copies = merely(weights.astype(np.float64))
    surveys = surveys_of_size(counts, k)
    numbers, panel = np.array(values), Panel(combiner="frequency")
    if not surveys.takes_part.any():
        assert np.isnan(pearson_of_shares(counts, k, copies.weights, numbers)).all()
        return
    slow = curve_point(surveys, copies, panel, Score(name="pearson", values=numbers))
    fast = pearson_of_shares(counts, k, copies.weights, numbers)
    assert np.allclose(fast, slow, rtol=1e-7, atol=1e-7, equal_nan=True)
    brier = fixed_scores(surveys, panel, Score(name="brier", values=numbers))
    part = surveys.takes_part
    assert brier_of_shares(counts, k)[part] == pytest.approx(brier[part], abs=1e-12)


@given(seed=st.integers(0, 999), is_number=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_correlation_of_a_judge_comes_from_six_sums(seed, is_number):
    rng = np.random.default_rng(seed)
    weights = rng.poisson(0.7, (6, 5))
    shares, predictions = rng.dirichlet([0.3] * L, 5), rng.dirichlet([0.3] * L, 5)
    shares[rng.random(5) < 0.3] = np.eye(L)[0]
    predictions[rng.random(5) < 0.3] = np.eye(L)[1]
    numbers = rng.choice([1.0, 2.5, 1e4], 5)
    values, masses = np.array([1.0, 2.0, 4.0]), weights[:, :, None] * shares
    fast = pearson_of_items(predictions, shares, weights, values=values, numbers=numbers if is_number else None)
    own = {"prediction_values": np.ones(1)} if is_number else {}
    slow = ranked_score("pearson", numbers[:, None] if is_number else predictions, masses, values=values, **own)
    assert np.allclose(fast, slow, rtol=1e-9, atol=1e-9, equal_nan=True)


def test_a_closed_form_needs_no_surveys_and_knows_no_limit_of_size():
    rng = np.random.default_rng(3)
    items = [rng.choice(20, 40).tolist() for _ in range(60)]  # far too many surveys to go through
    labels = tuple(map(str, range(20)))
    judge = judges_of({"judge": rng.dirichlet(np.ones(20), 60).tolist()}, labels)
    for score in ("pearson", "brier"):
        result = equivalence(
            ratings_of(items, labels),
            judge,
            score=score,
            combiner="frequency",
            bootstrap=20,
            max_raters=39,
        )
        assert result.curve[-1].raters == 39
        assert isnan(result.curve[-1].standard_error)  # nothing was sampled
