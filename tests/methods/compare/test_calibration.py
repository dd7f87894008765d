"""How often each test rejects, when nothing, only the kind of error, or the quality differs."""

import math

import numpy as np
import pytest

from dissensus.methods.compare.metrics import metric_of
from dissensus.methods.compare.resampling import (
    flipped_differences,
    mixture_differences,
    mixture_p_value,
    permuted_differences,
    two_sided_p_value,
)

from comparison_builders import normal_items, problem_of_values

pytestmark = pytest.mark.slow

KINDS = ("no difference", "equal quality", "real difference")
PROTOTYPE_SETS = 300
PROTOTYPE = {
    ("response-permutation", "mae"): (0.037, 0.123, 0.61),
    ("response-permutation", "wins"): (0.057, 0.033, 0.62),
    ("mixture", "mae"): (0.000, 0.003, 0.13),
    ("mixture", "wins"): (0.000, 0.000, 0.15),
}
"""Rejection rates at .05 that a prototype found on 300 data sets of 100 items and 5 responses."""


def p_value(test, problem, rng):
    metric, columns = problem.metric, problem.observed()
    difference = float(metric.score(columns).difference)
    if test == "sign-flip":
        return two_sided_p_value(difference, flipped_differences(metric, columns, 999, rng), is_symmetric=True)
    if test == "response-permutation":
        return two_sided_p_value(difference, permuted_differences(problem, 199, rng))
    return mixture_p_value(mixture_differences(problem, 250, rng))


def rejection_rate(test, name, kind, *, sets):
    rng = np.random.default_rng(20230501)
    metric = metric_of(name)
    found = [p_value(test, problem_of_values(*normal_items(kind, rng), metric), rng) for _ in range(sets)]
    return np.mean(np.array(found) <= 0.05)


@pytest.mark.parametrize("name", ["mae", "wins", "rmse", "emd"])
@pytest.mark.parametrize("kind", KINDS[:2])
def test_sign_flip_holds_its_level(name, kind):
    # .065 is .05 and three standard errors of 2,000 data sets.
    assert rejection_rate("sign-flip", name, kind, sets=2000) <= 0.065


@pytest.mark.parametrize("name", ["mae", "wins"])
def test_sign_flip_finds_a_difference(name):
    assert rejection_rate("sign-flip", name, "real difference", sets=2000) >= 0.40


@pytest.mark.parametrize("kind", KINDS[:2])
def test_sign_flip_of_correlations_holds_its_level(kind):
    assert rejection_rate("sign-flip", "spearman", kind, sets=1000) <= 0.05 + 4.5 * math.sqrt(0.05 * 0.95 / 1000)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("test", "name"), PROTOTYPE)
def test_other_tests_reject_as_the_prototype_found(test, name, kind):
    sets = 2000 if test == "response-permutation" else 300  # one set of the mixture takes some 0.1 s
    expected = PROTOTYPE[test, name][KINDS.index(kind)]
    rate = rejection_rate(test, name, kind, sets=sets)
    # Both are shares of data sets; a rate of 0 still has the error of one data set.
    share = max((rate * sets + expected * PROTOTYPE_SETS) / (sets + PROTOTYPE_SETS), 1 / PROTOTYPE_SETS)
    error = math.sqrt(share * (1 - share) * (1 / sets + 1 / PROTOTYPE_SETS))
    assert rate == pytest.approx(expected, abs=3.5 * error)
