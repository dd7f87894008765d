"""Calibration: what raters say where the judge says this."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM

from dissensus.data import read, read_judges
from dissensus.methods.equivalence import equivalence
from dissensus.methods.equivalence.calibration import calibrated_predictions, draw_folds
from dissensus.methods.equivalence.maps import rising
from dissensus.simulation import HARD_CLASSIFIER, RUNNING_EXAMPLE, SoftClassifier, simulate_urn
from dissensus.simulation.urn_draws import classifier_information

METHODS = ("auto", "isotonic", "platt", "table", "multinomial")


def outside(method, predictions, shares, **keywords):
    return calibrated_predictions(method, predictions, shares, **keywords).outside


def two(p):
    p = np.asarray(p, dtype=float)
    return np.stack([1 - p, p], axis=1)


def noisy_data(n=400, seed=0):
    """A judge that is far too sure of itself, and the shares of five raters."""
    rng = np.random.default_rng(seed)
    p = rng.beta(2, 2, size=n)
    share = rng.binomial(5, p) / 5
    odds = 4 * np.log(p / (1 - p)) + rng.normal(size=n)
    return 1 / (1 + np.exp(-odds)), share


def test_isotonic_pools_neighbours_that_are_out_of_order():
    # Learned from fold 1: outputs .1, .2, .3, .4 with shares 0, .6, .2, 1. The middle two are pooled to .4. Between .1
    # and .2 the map is linear, and beyond .4 it stays.
    known, shares = [0.1, 0.2, 0.3, 0.4], [0.0, 0.6, 0.2, 1.0]
    asked = [0.15, 0.25, 0.9, 0.05]
    fold = np.array([1] * 4 + [0] * 4)
    ours = outside("isotonic", two(known + asked), two(shares + [0.5] * 4), fold=fold)[4:, 1]
    assert ours == pytest.approx([0.2, 0.4, 1.0, 0.0])


SHARES = st.one_of(st.floats(0, 1), st.integers(0, 5).map(lambda fifths: fifths / 5))


@given(st.lists(st.tuples(SHARES, st.floats(0.01, 100)), min_size=1, max_size=60))
def test_a_rising_curve_is_that_of_scipy_bit_by_bit(points):
    values, weights = np.array(points).T
    assert rising(values, weights).tolist() == isotonic_regression(values, weights=weights).x.tolist()


def test_a_table_has_the_mean_share_of_each_output():
    known, shares = [0.0, 0.0, 1.0], [0.2, 0.4, 0.9]
    fold = np.array([1] * 3 + [0] * 3)
    ours = outside("table", two([*known, 0.0, 1.0, 0.5]), two([*shares, 0, 0, 0]), fold=fold)[3:, 1]
    # An output that was never seen gets the mean of all.
    assert ours == pytest.approx([0.3, 0.9, 0.5])


def test_platt_is_the_logistic_regression_of_shares_on_log_odds():
    p, share = noisy_data()
    fold = np.array([1] * 300 + [0] * 100)
    ours = outside("platt", two(p), two(share), fold=fold)[300:, 1]
    odds = np.clip(np.log(p / (1 - p)), -12, 12)
    x = np.stack([np.ones(400), odds], axis=1)
    fit = GLM(share[:300], x[:300], family=Binomial(), var_weights=np.full(300, 5.0)).fit()
    assert ours == pytest.approx(fit.predict(x[300:]), abs=1e-4)


@pytest.mark.parametrize("method", METHODS[1:])  # of auto see test_auto.py
def test_an_items_own_raters_do_not_teach_its_prediction(method):
    p, share = noisy_data(60)
    p = p.round(1)
    fold = draw_folds(60, np.random.default_rng(0))
    before = outside(method, two(p), two(share), fold=fold)
    changed = share.copy()
    changed[7] = 1 - changed[7]
    after = outside(method, two(p), two(changed), fold=fold)
    same = fold == fold[7]
    assert np.array_equal(before[same], after[same])
    assert not np.array_equal(before[~same], after[~same])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_labels", [2, 4])
def test_calibrated_predictions_are_probabilities(method, n_labels):
    rng = np.random.default_rng(1)
    predictions, shares = rng.dirichlet(np.full(n_labels, 0.05), size=80), rng.dirichlet(np.ones(n_labels), size=80)
    predictions[:10] = np.eye(n_labels)[0]  # a judge that is sure
    ours = outside(method, predictions, shares, fold=draw_folds(80, rng))
    assert (ours >= 0).all()
    assert np.allclose(ours.sum(axis=1), 1)


@pytest.mark.parametrize("method", METHODS)
def test_items_without_a_reference_teach_nothing(method):
    p, share = noisy_data(50)
    p = p.round(1)
    fold = np.arange(50) % 5
    alone = outside(method, two(p), two(share), fold=fold)
    silent = np.concatenate([two(share), np.zeros((50, 2))])
    both = outside(method, two(np.tile(p, 2)), silent, fold=np.tile(fold, 2))
    assert np.allclose(both[:50], alone)


def test_folds_are_as_equal_as_can_be():
    fold = draw_folds(23, np.random.default_rng(0))
    assert sorted(np.bincount(fold)) == [2] * 7 + [3] * 3
    assert sorted(draw_folds(3, np.random.default_rng(0))) == [0, 1, 2]


@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_calibration_gives_an_overconfident_judge_its_information_back(method):
    sure = SoftClassifier.from_hard(HARD_CLASSIFIER, name="sure", temperature=0.2)
    ratings, judges, _ = simulate_urn(RUNNING_EXAMPLE, items=5000, raters=6, classifiers=[sure], rng=0)
    result = equivalence(ratings, judges, calibrate=method, bootstrap=0)
    raw, calibrated = (judge.score - result.curve[0].score for judge in result.judges)
    assert raw < 0
    # The standard error of 5,000 items is about .01.
    assert calibrated == pytest.approx(classifier_information(RUNNING_EXAMPLE, sure), abs=0.03)


@pytest.mark.parametrize("folder", ["convabuse", "dices_350", "bluebirds"])
@pytest.mark.parametrize("method", METHODS)
def test_a_calibrated_judge_is_hardly_worse_than_nobody(shared, folder, method):
    ratings, judges = (
        read(shared / "data" / folder / "ratings.csv"),
        read_judges(shared / "data" / folder / "judges.csv"),
    )
    result = equivalence(ratings, judges, calibrate=method, max_raters=1, bootstrap=0)
    for judge in result.judges:
        if judge.calibrated:
            # What is lost by learning a map from some hundred items or more.
            assert judge.score > result.curve[0].score - 0.02
