"""Ends of intervals: where they are, how they are found, what is said of the best of several judges, and of raters."""

import json

import numpy as np
import pytest

from dissensus.methods.equivalence import equivalence, influence
from dissensus.methods.equivalence.bounds import Intervals
from dissensus.methods.equivalence.influence import errors_of
from dissensus.methods.equivalence.options import EquivalenceOptions
from dissensus.methods.equivalence.problem import judge_scores, type_weights
from dissensus.methods.equivalence.raters import few_sizes, rater_term
from dissensus.methods.equivalence.replicates import Replicates, starting_scores
from dissensus.methods.equivalence.setup import set_up
from dissensus.methods.gate import gate

from survey_builders import judges_of, ratings_of

TWO = ("a", "b")


def chances(share):
    return np.stack([1 - np.asarray(share), np.asarray(share)], axis=1)


def population(n, rng, *, judges=1, raters=4, skill=0.7, leniency=0.0):
    """Two labels; raters answer by the item and their own leniency, judges know the item's logit with equal noise."""
    item = rng.normal(0, 1.5, n)
    own = rng.normal(0, leniency, raters) if leniency else np.zeros(raters)
    labels = (rng.random((n, raters)) < 1 / (1 + np.exp(-item[:, None] - own))).astype(int)
    noise = rng.normal(0, 1 / skill, (judges, n))
    outputs = {f"j{j}": chances(1 / (1 + np.exp(-0.6 * (item + noise[j])))) for j in range(judges)}
    return ratings_of(labels.tolist(), TWO), judges_of(outputs, TWO)


def coin(seed, n=60):
    """A judge that knows nothing, and three raters of each item who agree little."""
    rng = np.random.default_rng(seed)
    return ratings_of(rng.integers(2, size=(n, 3)).tolist(), TWO), judges_of({"coin": chances(rng.random(n))}, TWO)


def test_a_coin_above_the_curve_is_not_shown_to_know_anything():
    # With raters who do not agree the curve falls, and a calibrated coin often lies above all of it.
    found = [equivalence(*coin(seed), bootstrap=60, rng=seed) for seed in range(8)]
    above = [result for result in found if result.picked.verdict == "above K"]
    assert above
    for result in above:
        assert result.is_any_shown is False
        judge = json.loads(result.to_json())["result"]["judges"][-1]
        assert (judge["verdict"], judge["low_verdict"]) == ("above K", "below 0")
        assert judge["equivalence_low"] is None


def test_an_end_is_null_only_where_it_is_off_the_curve():
    result = equivalence(*population(80, np.random.default_rng(1), judges=3, skill=0.5), bootstrap=60)
    for judge in result.judges:
        for end in ("low", "high"):
            place = getattr(judge, f"{end}_verdict")
            assert (place == "within") == np.isfinite(getattr(judge, f"equivalence_{end}"))
    without = equivalence(*population(80, np.random.default_rng(1)), bootstrap=0).judges[0]
    assert without.low_verdict is without.high_verdict is None


def prepared_for(data, **options):
    asked = EquivalenceOptions(calibrate="none", bootstrap=20, seed=0, **options)
    return set_up(*data, asked, rng=np.random.default_rng(0)), asked


def test_standard_errors_are_those_of_the_items_one_by_one():
    rng = np.random.default_rng(3)
    labels = [rng.integers(2, size=rng.integers(1, 5)).tolist() for _ in range(40)]
    data = ratings_of(labels, TWO), judges_of({"x": chances(rng.random(40)), "y": chances(rng.random(40))}, TWO)
    prepared, asked = prepared_for(data, max_raters=2)
    problem = prepared.problem
    extras, _ = starting_scores(problem, asked, rng=rng)
    weights = rng.integers(0, 3, size=(1, 40))
    of_types = np.bincount(problem.type_of_item, weights=weights[0], minlength=len(problem.counts))[None]
    errors = errors_of(extras.items, weights, of_types, problem)
    drawn = np.repeat(np.arange(40), weights[0])
    shares = np.array([[own.count(0) / len(own), own.count(1) / len(own)] for own in labels])
    for j, judge in enumerate(problem.judges):
        own = (shares * np.log2(np.clip(judge.predictions, 0.02, 0.98))).sum(axis=1)[drawn]
        for k in range(3):
            part = np.array([len(one) > k for one in labels])[drawn]
            score = extras.items.curve[problem.type_of_item, k][drawn]
            moved = np.where(part, score - score[part].mean(), 0) / part.mean()
            expected = (own - own.mean() - moved).std() / np.sqrt(len(drawn))
            assert errors.gaps[0, j, k] == pytest.approx(expected)
    assert errors.judges[0, 1, 1] == pytest.approx(own.var() / len(drawn))


def test_many_items_are_scored_and_summed_as_few_are(monkeypatch):
    rng = np.random.default_rng(4)
    labels = [rng.integers(2, size=rng.integers(1, 5)).tolist() for _ in range(300)]
    data = ratings_of(labels, TWO), judges_of({"x": chances(rng.random(300)), "y": chances(rng.random(300))}, TWO)
    prepared, asked = prepared_for(data, max_raters=2)
    problem = prepared.problem
    monkeypatch.setattr(influence, "MERGED_FROM", 1)
    extras, _ = starting_scores(problem, asked, rng=rng)
    weights = rng.integers(0, 3, size=(4, 300))
    of_types = type_weights(weights, problem)
    found = []
    for items in (1, 300):
        monkeypatch.setattr(influence, "ITEMS_OF_A_TYPE", items)
        found.append(errors_of(extras.items, weights, of_types, problem))
    assert found[0].gaps == pytest.approx(found[1].gaps, abs=1e-12)
    assert found[0].scores == pytest.approx(judge_scores(problem, weights), abs=1e-12)


def by_hand(judge, gap_errors):
    """Replicates of a judge beside a curve that runs from 0, with nobody asked, to 1 with one rater."""
    n, empty = len(judge), np.empty((len(judge), 0))
    line = np.tile([0.0, 1.0], (n, 1))
    errors = np.tile(np.array(gap_errors)[:, None, None], (1, 1, 2))
    return Replicates(
        curve=line, amateurs=empty, judges=np.array(judge)[:, None], ceiling=np.empty(0), prior=np.empty(0),
        beyond=empty, curve_error=np.zeros((n, 2)), judge_covariance=errors[:, :, :1] ** 2, gap_error=errors,
    )  # fmt: skip


def test_each_end_of_a_worth_is_measured_in_the_standard_errors_of_the_other_side():
    # A judge worth .5 with a standard error of .1. In samples where it does well its error is half as large, so the
    # largest of ten leads, .2, is 4 standard errors: .5 - 4 * .1 = .1. The largest loss, .2 with twice the error, is 1.
    leads = [0.2, 0.1, 0.04, 0.02, 0.0, -0.02, -0.04, -0.06, -0.1, -0.2]
    samples = by_hand([0.5 + lead for lead in leads], [0.05 if lead > 0 else 0.2 for lead in leads])
    ends = {}
    for kind in ("studentized", "basic", "percentile"):
        options = EquivalenceOptions(interval=kind, confidence=0.9, seed=0)
        ends[kind] = Intervals(options=options, data=by_hand([0.5], [0.1]), samples=samples).worth(0)
    assert ends["studentized"] == pytest.approx((0.1, 0.6))
    # Neither mirrors nor percentiles know of it: both ends .2 away.
    assert ends["basic"] == pytest.approx((0.3, 0.7))
    assert ends["percentile"] == pytest.approx((0.3, 0.7))


def test_the_best_of_ten_equal_judges_is_not_taken_for_one_named_beforehand():
    data = population(120, np.random.default_rng(5), judges=10)
    result = equivalence(*data, raters="fixed", bootstrap=200)
    best, named = result.best, result.ranked[0]
    assert best.judge == named.judge == best.candidates[0]
    assert best.low < named.low
    assert best.high == named.high
    assert len(best.candidates) >= 8
    ends = {"below 0": -1.0, "above K": np.inf}
    assert ends.get(best.low_verdict, best.equivalence_low) <= ends.get(named.low_verdict, named.equivalence_low)


def test_a_judge_that_is_far_behind_is_told_from_the_best():
    ratings, judges = population(200, np.random.default_rng(6), skill=2.0)
    flat = judges_of({"j0": judges.probability, "idle": np.full((200, 2), 0.5)}, TWO)
    assert equivalence(ratings, flat, bootstrap=100).best.candidates == ("j0",)


# ---- Raters as a sample


def test_scores_without_a_rater_are_those_of_the_data_without_that_rater():
    rng = np.random.default_rng(7)
    ratings, judges = population(30, rng, judges=2, raters=4)
    prepared, _ = prepared_for((ratings, judges))
    term = rater_term(prepared.problem, prepared.rated, prepared.labels, replicates=5, rng=rng)
    assert term.deleted.judges.shape[1:] == (4, 2)
    for rater in range(4):
        without = equivalence(ratings.where(ratings.rater != rater), judges, calibrate="none", bootstrap=0)
        expected = [judge.score for judge in without.judges]
        assert term.deleted.judges[0, rater] == pytest.approx(expected)
        curve = [point.score for point in without.curve]
        assert term.deleted.curve[0, rater, : len(curve)] == pytest.approx(curve)
        # Nobody is left for surveys of three: they move as the largest that works.
        assert term.deleted.curve[0, rater, 3] == term.deleted.curve[0, rater, 2]


def test_sizes_between_those_tried_lie_between_them():
    assert few_sizes((0,)) == [0]
    assert few_sizes(tuple(range(8))) == [0, 1, 2, 3, 4, 6, 7]


def test_raters_who_differ_widen_the_intervals_and_the_gate():
    data = population(150, np.random.default_rng(8), raters=5, leniency=1.5)
    sampled, fixed = (equivalence(*data, raters=how, bootstrap=150) for how in (None, "fixed"))
    assert (sampled.settings["raters"], fixed.settings["raters"]) == ("sampled", "fixed")
    widths = [result.curve[0].high - result.curve[0].low for result in (sampled, fixed)]
    assert widths[0] > 1.5 * widths[1]
    checks = [gate(*data, judge="j0", min_equivalence=0.2, raters=how, bootstrap=150) for how in (None, "fixed")]
    assert checks[0].settings["raters"] == "sampled"
    assert checks[0].checks[0].low <= checks[1].checks[0].low


def test_without_ids_one_sentence_says_what_the_interval_does_not_cover():
    ratings, judges = population(40, np.random.default_rng(9))
    anonymous = ratings_of([[0, 1, 1]] * 40, TWO)
    anonymous = type(ratings)(item=anonymous.item, label=anonymous.label, items=ratings.items, labels=TWO)
    result = equivalence(anonymous, judges, bootstrap=20)
    assert result.settings["raters"] == "fixed"
    assert sum("the ratings do not say who rated" in warning for warning in result.warnings) == 1
