"""The library against its plain-Python twin, which goes through every subset of raters."""

from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dissensus.methods.equivalence.curve import Panel, crossings, curve_point
from dissensus.methods.equivalence.problem import Problem, fold_weights, types_of_items
from dissensus.methods.equivalence.scores import ADDITIVE_SCORES, Score
from dissensus.methods.equivalence.surveys import surveys_of_size
from dissensus.sampling.draws import copies_of

import survey_reference as reference
from survey_builders import LABELS, judges_of, ratings_of, uniform_judge
from survey_builders import raw_equivalence as equivalence

L = 3
COMBINERS = {
    "abc": (reference.leave_one_out, {"combiner": "abc"}),
    "abc in-sample": (reference.in_sample, {"combiner": "abc", "learn": "in-sample"}),
    "frequency": (reference.frequency, {"combiner": "frequency"}),
    "frequency with prior": (reference.frequency_with_prior, {"combiner": "frequency", "prior": "data"}),
    "plurality": (reference.majority, {"combiner": "plurality"}),
}
SCORES = {
    "cross-entropy": reference.cross_entropy,
    "agreement": reference.agreement,
    "brier": reference.brier,
    "rps": reference.rps,
}
ORDERED = {"scale": "ordinal"}
rated_items = st.lists(st.lists(st.integers(0, L - 1), min_size=1, max_size=5), min_size=1, max_size=6)
drawn = st.lists(st.integers(0, 3), min_size=6, max_size=6)
distribution = st.lists(st.integers(0, 5), min_size=L, max_size=L).filter(any).map(lambda x: [v / sum(x) for v in x])


def close(ours, theirs):
    return np.allclose(ours, theirs, rtol=1e-12, atol=1e-12, equal_nan=True)


def most_raters(items, r=1):
    return max(len(labels) for labels in items) - r


def expected_curve(items, name, score, *, r=1, weights=None):
    combiner = COMBINERS[name][0]
    return [
        reference.power(items, k, combiner, SCORES[score], L, weights=weights, r=r)
        for k in range(most_raters(items, r) + 1)
    ]


def our_curve(items, name, score, *, r=1):
    result = equivalence(
        ratings_of(items, **ORDERED),
        uniform_judge(len(items)),
        score=score,
        reference_raters=r,
        bootstrap=0,
        max_raters=most_raters(items, r),
        **COMBINERS[name][1],
    )
    return [point.score for point in result.curve]


def test_abc_of_the_six_item_example():
    # Enumerated by hand for the issue: k = 0..4.
    rows = ["aab", "abcc", "bbbca", "cab", "aaaab", "ccb"]
    items = [["abc".index(label) for label in row] for row in rows]
    expected = [-1.7282908398, -1.8825237434, -2.2493825677, -2.6749525917, -1.5849625007]
    assert np.allclose(our_curve(items, "abc", "cross-entropy"), expected, rtol=0, atol=1e-9)
    assert np.allclose(expected_curve(items, "abc", "cross-entropy"), expected, rtol=0, atol=1e-9)


def test_every_score_that_is_a_mean_has_a_twin():
    assert set(SCORES) == set(ADDITIVE_SCORES), "give each its formula in plain Python in tests/survey_reference.py"


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("name", COMBINERS)
@given(items=rated_items)
@settings(max_examples=15, deadline=None)
def test_the_curve_is_the_mean_over_every_subset_of_raters(name, score, items):
    assert close(our_curve(items, name, score), expected_curve(items, name, score))


@pytest.mark.parametrize("r", [2, 3])
@pytest.mark.parametrize("name", COMBINERS)
@given(items=rated_items, score=st.sampled_from(sorted(SCORES)))
@settings(max_examples=15, deadline=None)
def test_several_reference_raters_are_the_plurality_of_every_panel_of_them(name, r, items, score):
    assume(most_raters(items, r) >= 0)
    assert close(our_curve(items, name, score, r=r), expected_curve(items, name, score, r=r))


def in_replicates(items, weights, k, *, score, combiner="abc", learn="leave-one-out", prior="uniform", fold=None, r=1):
    """c_k in each replicate, given how often each item was drawn in each."""
    counts = np.array([[labels.count(label) for label in range(L)] for labels in items])
    types, type_of_item = types_of_items(counts)
    weights = np.asarray(weights, dtype=np.int32)
    problem = Problem(
        counts=types,
        type_of_item=type_of_item,
        judges=(),
        sizes=(k,),
        panel=Panel(combiner=combiner, learn=learn, prior=prior),
        score=Score(name=score, values=np.arange(L), order=(0, 1, 2)),
        fold=np.zeros(len(items), dtype=np.intp) if fold is None else np.asarray(fold),
    )
    return curve_point(
        surveys_of_size(types, k, references=r),
        copies_of(weights, type_of_item, len(types)),
        problem.panel,
        problem.score,
        folds=None if fold is None else fold_weights(weights, problem),
    )


@pytest.mark.parametrize("name", COMBINERS)
@given(items=rated_items, weights=st.lists(drawn, min_size=1, max_size=3), score=st.sampled_from(sorted(SCORES)))
@settings(max_examples=15, deadline=None)
def test_a_bootstrap_sample_excludes_all_copies_of_the_item(name, items, weights, score):
    weights = [row[: len(items)] for row in weights]
    assume(all(any(row) for row in weights))
    expected = [expected_curve(items, name, score, weights=row) for row in weights]
    for k in range(most_raters(items) + 1):
        ours = in_replicates(items, weights, k, score=score, **COMBINERS[name][1])
        assert close(ours, [row[k] for row in expected])


def test_an_item_drawn_twice_is_not_two_items():
    # aab, aab and bbc, with nobody asked. Drawn (2, 0, 1), the first item learns from bbc alone, q = (0, 2/3, 1/3):
    # its Brier score is 2 (1/3 * 2/3) - 1 - 5/9 = -10/9, twice. The third learns from two copies of aab, q = (2/3, 1/3,
    # 0): the same -10/9. Drawn (1, 1, 1), an aab learns from the other one too.
    items = [[0, 0, 1], [0, 0, 1], [1, 1, 2]]
    twice, once = in_replicates(items, [[2, 0, 1], [1, 1, 1]], 0, score="brier")
    assert np.isclose(twice, -10 / 9, rtol=1e-12)
    # q = ((2/3 + 0) / 2, (1/3 + 2/3) / 2, 1/6) for an aab: 2 (2/3 * 1/3 + 1/3 * 1/2) - 1 - 7/18 = -11/18.
    assert np.isclose(once, (-11 / 18 - 11 / 18 - 10 / 9) / 3, rtol=1e-12)


@given(
    items=rated_items, fold=st.lists(st.integers(0, 2), min_size=6, max_size=6), score=st.sampled_from(sorted(SCORES))
)
@settings(max_examples=40, deadline=None)
def test_a_cross_fitted_combiner_learns_from_the_other_folds(items, fold, score):
    fold = fold[: len(items)]
    combiner = reference.cross_fit(fold)
    for k in range(most_raters(items) + 1):
        expected = reference.power(items, k, combiner, SCORES[score], L)
        ours = in_replicates(items, [[1] * len(items)], k, score=score, learn="cross-fit", fold=fold)
        assert close(ours[0], expected)


@given(items=rated_items, weights=st.lists(drawn, min_size=2, max_size=4))
@settings(max_examples=15, deadline=None)
def test_replicates_do_not_depend_on_each_other(items, weights):
    weights = [row[: len(items)] for row in weights]
    assume(all(any(row) for row in weights))
    for k in range(most_raters(items) + 1):
        together = in_replicates(items, weights, k, score="cross-entropy")
        alone = [in_replicates(items, [row], k, score="cross-entropy")[0] for row in weights]
        assert close(together, alone)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("r", [1, 2, 3])
@given(items=rated_items, answers=st.lists(distribution, min_size=6, max_size=6))
@settings(max_examples=12, deadline=None)
def test_a_judge_is_scored_against_a_random_reference_of_each_item(score, r, items, answers):
    assume(most_raters(items, r) >= 0)
    predictions = answers[: len(items)]
    result = equivalence(
        ratings_of(items, **ORDERED), judges_of({"judge": predictions}), score=score, reference_raters=r, bootstrap=0
    )
    expected = reference.judge_score(predictions, items, SCORES[score], L, r=r)
    assert close(result.judges[0].score, expected)


@pytest.mark.parametrize("score", SCORES)
@given(items=rated_items, answers=st.lists(distribution, min_size=6, max_size=6))
@settings(max_examples=12, deadline=None)
def test_with_rater_weights_a_judge_is_scored_against_each_rater_alone(score, items, answers):
    predictions = answers[: len(items)]
    result = equivalence(
        ratings_of(items, **ORDERED), judges_of({"judge": predictions}), score=score, weights="rater", bootstrap=0
    )
    columns = [{i: labels[j] for i, labels in enumerate(items) if j < len(labels)} for j in range(5)]
    assert close(result.judges[0].score, reference.judge_score_by_rater(predictions, columns, SCORES[score]))


def test_item_and_rater_weights_differ_on_ragged_data():
    # Item 1 is rated ab, item 2 only a, by the first rater. The judge says a, a: per item (1/2 + 1) / 2 = 3/4; per
    # rater (1 + 0) / 2 = 1/2.
    judge = judges_of({"judge": [[1, 0, 0], [1, 0, 0]]})
    by = {
        w: equivalence(ratings_of([[0, 1], [0]]), judge, score="agreement", weights=w, bootstrap=0).judges[0].score
        for w in ("item", "rater")
    }
    assert by == {"item": 0.75, "rater": 0.5}


@given(
    pairs=st.lists(
        st.tuples(
            st.lists(st.integers(0, L - 1), min_size=1, max_size=3),
            st.lists(st.integers(0, L - 1), min_size=1, max_size=4),
        ),
        min_size=1,
        max_size=5,
    ),
    score=st.sampled_from(sorted(SCORES)),
    name=st.sampled_from(["abc", "frequency", "plurality"]),
)
@settings(max_examples=40, deadline=None)
def test_amateurs_are_scored_against_experts(pairs, score, name):
    experts, amateurs = ([list(side) for side in sides] for sides in zip(*pairs, strict=True))
    everybody = [e + a for e, a in pairs]
    group = np.array([int(j >= len(e)) for e, a in pairs for j in range(len(e) + len(a))])
    ratings = ratings_of(everybody, group=group, groups=("expert", "amateur"), **ORDERED)
    result = equivalence(
        ratings,
        uniform_judge(len(pairs)),
        experts="expert",
        amateurs="amateur",
        score=score,
        combiner=name,
        bootstrap=0,
        max_raters=most_raters(experts),
    )
    combine = {
        "abc": lambda survey, teachers: reference.abc_of_amateurs(survey, teachers, L),
        "frequency": lambda survey, _: reference.frequency(survey, None, None, None, None, L),
        "plurality": lambda survey, _: reference.plurality(survey, L),
    }[name]
    for point in result.amateurs:
        expected = reference.amateur_power(experts, amateurs, point.raters, combine, SCORES[score], L)
        assert close(point.score, expected)
    curve = [reference.power(experts, k, COMBINERS[name][0], SCORES[score], L) for k in range(most_raters(experts) + 1)]
    assert close([point.score for point in result.curve], curve)


@given(
    curve=st.lists(st.integers(-4, 4), min_size=1, max_size=6).map(lambda x: [v / 4 for v in x]),
    score=st.integers(-5, 5).map(lambda v: v / 4),
)
@settings(max_examples=200)
def test_the_crossing_is_the_leftmost_one_of_algorithm_4(curve, score):
    ours = float(crossings(np.array([curve]), np.array([score]))[0])
    expected = {"below 0": -inf, "above K": inf}.get(value := reference.crossing(curve, score), value)
    assert ours == pytest.approx(expected, rel=1e-12) if np.isfinite(expected) else ours == expected


@pytest.mark.parametrize(("curve", "score"), [([nan, 1.0], 0.5), ([0.0, 1.0], nan), ([0.0, nan], nan)])
def test_a_crossing_with_an_undefined_score_is_undefined(curve, score):
    assert isnan(crossings(np.array([curve]), np.array([score]))[0])


def test_a_label_that_only_the_judge_uses_takes_part_in_every_prediction():
    # Raters say a or b, the judge also c: with nobody asked frequencies are 1/3 each, not 1/2.
    items = [[0, 1], [0, 0]]
    judge = judges_of({"judge": [[0.5, 0.3, 0.2], [0.6, 0.2, 0.2]]})
    result = equivalence(ratings_of(items, LABELS[:2]), judge, combiner="frequency", score="agreement", bootstrap=0)
    assert np.isclose(result.curve[0].score, 1 / 3, rtol=1e-12)
    # The judge's most likely label is a on both items: half of the raters of the first gave it, all of the second.
    assert np.isclose(result.judges[0].score, (0.5 + 1) / 2, rtol=1e-12)


@given(
    rated_items.filter(lambda items: len(items) > 1 and most_raters(items) >= 0),
    st.sampled_from(["cross-entropy", "brier"]),
)
@settings(max_examples=40)
def test_the_midpoint_is_the_mean_of_what_is_learned_from_all_items_and_without_the_item(items, score):
    largest = most_raters(items)
    found = equivalence(
        ratings_of(items), uniform_judge(len(items)), score=score, learn="midpoint", max_raters=largest, bootstrap=0
    )
    alpha = reference.dirichlet(items, L)
    expected = []
    for k in range(largest + 1):
        both = [
            reference.power(items, k, reference.smoothed(select, alpha), SCORES[score], L)
            for select in (lambda i, j: i != j, lambda _i, _j: True)
        ]
        expected.append(sum(both) / 2)
    assert np.allclose([point.score for point in found.curve], expected, rtol=1e-9, atol=1e-9, equal_nan=True)
