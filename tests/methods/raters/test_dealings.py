"""Groups of raters told apart by dealing raters into groups at random: a twin, worked examples, level and power."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from dissensus.methods.raters.cells import permutation_p, rater_weights, shared_luck


def test_the_permutation_p_value_is_that_of_all_dealings():
    means, weights = np.array([0.75, -0.5, 0.2, -0.4, 1.5, 0.0]), np.array([4.0, 2.0, 3.0, 5.0, 1.0, 2.0])
    groups = np.array([0, 0, 1, 1, 1, 1])

    def explained(first):
        others = [r for r in range(6) if r not in first]
        centre = np.average(means, weights=weights)
        return sum(weights[part].sum() * (np.average(means[part], weights=weights[part]) - centre) ** 2
                   for part in (list(first), others))  # fmt: skip

    every = [explained(pair) for pair in itertools.combinations(range(6), 2)]
    exact = np.mean([value >= explained((0, 1)) - 1e-9 for value in every])
    estimate = permutation_p(means, weights, groups, resamples=20_000, rng=np.random.default_rng(0))
    assert estimate == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000))


def test_luck_that_raters_of_a_group_share_is_what_their_sums_vary_by_beyond_single_values():
    # Item 0: two raters of the first group, .1 and .3; item 1: two of the second, .2 each. Sums squared are .16 in
    # each group, single values squared .1 and .08; the last value takes no part.
    cells = SimpleNamespace(item=np.array([0, 0, 1, 1, 1]), raters_of_item=np.array([2, 3]))
    root = shared_luck(cells, np.array([0.1, 0.3, 0.2, 0.2, 9.0]), np.array([0, 0, 1, 1, -1]), 2)
    assert root @ root.T == pytest.approx(np.diag([0.06, 0.08]))
    # Values of either sign cancel: there is less than single values say, and no luck is shared.
    opposite = shared_luck(cells, np.array([0.1, -0.1, 0.2, -0.2, 9.0]), np.array([0, 0, 1, 1, -1]), 2)
    assert not opposite.any()


def test_luck_that_raters_of_a_group_share_makes_groups_less_different():
    means, groups = np.array([0.5, 0.6, 0.4, -0.5, -0.6, -0.4, -0.5, -0.5]), np.array([0, 0, 0, 1, 1, 1, 1, 1])

    def p(shared):
        return permutation_p(means, np.ones(8), groups, resamples=4000, rng=np.random.default_rng(0), shared=shared)

    # One of 56 dealings is as far apart. With luck of .5 in each sum, means of 3 and 5 differ by .5 sqrt(1/9 + 1/25)
    # more, which is .19 to a difference of 1: about as rare as before. With luck of 3 it is 1.17.
    assert p(None) == pytest.approx(1 / 56, abs=0.01)
    assert p(0.0 * np.eye(2)) == pytest.approx(1 / 56, abs=0.01)
    assert p(3.0 * np.eye(2)) > 0.3


def share_told_apart(sizes, counts, effect, *, runs, seed):
    """How often groups of raters with so many items are told apart; raters differ by .1, an item's value by .5."""
    rng = np.random.default_rng(seed)
    groups, counts = np.repeat(np.arange(len(sizes)), sizes), np.repeat(counts, sizes)
    told = 0
    for _ in range(runs):
        means = rng.normal(0, 0.1, len(groups)) + rng.normal(0, 0.5, len(groups)) / np.sqrt(counts)
        means += effect * (groups == 0)
        weights = rater_weights(means, counts, 0.25)
        told += permutation_p(means, weights, groups, resamples=199, rng=rng) <= 0.05
    return told / runs


@pytest.mark.parametrize(
    ("sizes", "counts"), [((8, 8), (30, 30)), ((4, 40), (100, 5)), ((4, 40), (5, 100)), ((4, 8, 12), (40, 5, 20))]
)
def test_groups_of_exchangeable_raters_are_told_apart_five_times_in_a_hundred(sizes, counts):
    share = share_told_apart(sizes, counts, 0.0, runs=400, seed=7)
    assert share == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 400))


def test_a_group_of_few_raters_with_few_items_can_be_told_apart():
    # Four means have a standard error of sqrt((.1^2 + .25 / 5) / 4) = .12, so .25 is two of them: about half are told.
    # With weights in proportion to items, 4 against 100 times as many, it would be 4 in 100.
    assert share_told_apart((4, 40), (5, 100), 0.25, runs=200, seed=8) > 0.4
