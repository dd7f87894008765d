"""Moments of an item and the power of a test set, against quadrature, simulation and the paper's own procedure."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, norm, wasserstein_distance

from dissensus.methods.plan_raters.designs import (
    TestSets,
    bin_chances,
    distance,
    expected_p_of,
    sign_flip_p,
    simulated_designs,
    sorted_count_distance,
    tossed,
)
from dissensus.methods.plan_raters.moments import (
    Nodes,
    expected_p,
    folded_mean,
    item_moments,
    normal_nodes,
    sign_flip_power,
    smaller_square,
)


def one_kind(*, people=0.2, machine=0.1, shift_a=0.05, shift_b=-0.1):
    values = {"people": people, "machine": machine, "shift_a": shift_a, "shift_b": shift_b}
    return Nodes(weight=np.ones(1), **{name: np.array([value]) for name, value in values.items()})


@pytest.mark.parametrize(
    ("u", "sd_u", "v", "sd_v"), [(0.1, 0.05, 0.2, 0.1), (0.0, 0.3, 0.1, 0.3), (0.3, 0.0, 0.1, 0.2)]
)
def test_the_smaller_square_is_that_of_its_integral(u, sd_u, v, sd_v):
    # E min(U^2, V^2) = integral over t > 0 of 2 t P(|U| > t) P(|V| > t)
    def tail(t, mean, sd):
        if sd == 0:
            return float(abs(mean) > t)
        return norm.sf(t, mean, sd) + norm.cdf(-t, mean, sd)

    integral, _ = quad(lambda t: 2 * t * tail(t, u, sd_u) * tail(t, v, sd_v), 0, 2, points=[abs(u), abs(v)], limit=200)
    ours = smaller_square(*(np.array([x]) for x in (u, sd_u, v, sd_v)))[0]
    assert ours == pytest.approx(integral, rel=5e-3)


def test_moments_of_one_kind_of_items_are_those_of_drawn_items():
    rng = np.random.default_rng(0)
    nodes, raters, samples, n = one_kind(), 3, 4, 400_000
    g = rng.normal(0, 0.2 / np.sqrt(raters), n)
    a, b = (rng.normal(shift, 0.1 / np.sqrt(samples), n) for shift in (0.05, -0.1))
    d = np.abs(b - g) - np.abs(a - g)
    moments = item_moments(nodes, raters=raters, samples=samples)
    assert moments.mean[()] == pytest.approx(d.mean(), abs=4 * d.std() / np.sqrt(n))
    assert moments.variance[()] == pytest.approx(d.var(), rel=0.01)
    assert moments.margin[()] == pytest.approx(np.sign(d).mean(), abs=4 / np.sqrt(n))


@pytest.mark.parametrize("samples", [2, 30])
def test_the_nulls_variance_is_that_of_drawn_coins(samples):
    rng = np.random.default_rng(1)
    n = 400_000
    coins_a, coins_b = rng.binomial(samples, 0.5, (2, n)) / samples
    g = rng.normal(0, 0.2, n)
    a, b = (0.05 - 0.15 * coin + rng.normal(0, 0.1 / np.sqrt(samples), n) for coin in (coins_a, coins_b))
    d = np.abs(b - g) - np.abs(a - g)
    moments = item_moments(one_kind(), raters=1, samples=samples)
    assert moments.null_variance[()] == pytest.approx(d.var(), rel=0.01)


def test_judges_that_always_answer_alike_are_always_tied():
    moments = item_moments(one_kind(machine=0.0, shift_a=0.1, shift_b=0.1), raters=5, samples=1)
    assert moments.tied == 1
    assert moments.margin == moments.mean == 0
    assert sign_flip_power(moments, 1000, metric="wins", alpha=0.05) == pytest.approx(0)
    assert expected_p(moments, 1000, metric="wins") == 1


def test_the_folded_mean_is_scipys():
    from scipy.stats import foldnorm  # noqa: PLC0415 - an oracle

    assert folded_mean(np.array([0.3]), np.array([0.2]))[0] == pytest.approx(foldnorm.mean(0.3 / 0.2, scale=0.2))


def test_expected_p_of_wins_is_that_of_two_binomials():
    moments = item_moments(normal_nodes(0.1), raters=5, samples=5)
    wins = np.arange(31)
    joint = binom.pmf(wins, 30, 0.5)[:, None] * binom.pmf(wins, 30, (1 + moments.margin) / 2)
    assert expected_p(moments, 30, metric="wins") == pytest.approx(joint[wins[:, None] >= wins].sum())


@pytest.mark.parametrize("items", [6, 25, 60])
def test_power_of_wins_is_that_of_the_exact_sign_test(items):
    from scipy.stats import binomtest  # noqa: PLC0415 - an oracle

    moments = item_moments(normal_nodes(0.1), raters=10, samples=10)
    rejected = [k for k in range(items + 1) if binomtest(k, items).pvalue <= 0.05]
    expected = binom.pmf(rejected, items, (1 + moments.margin) / 2).sum()
    assert sign_flip_power(moments, items, metric="wins", alpha=0.05) == pytest.approx(expected)


def test_five_items_never_reach_significance():
    moments = item_moments(normal_nodes(0.5), raters=50, samples=50)
    assert sign_flip_power(moments, 5, metric="wins", alpha=0.05) == 0


def random_settings(n):
    rng = np.random.default_rng(5)
    for _ in range(n):
        low = rng.choice([0.0, 0.05, 0.1])
        yield {
            "effect": float(rng.choice([0.01, 0.02, 0.05, 0.1, 0.2])),
            "spread": (float(low), float(low + rng.uniform(0.05, 0.3))),
            "pair": (int(rng.choice([1, 2, 5, 10, 40])), int(rng.choice([1, 2, 5, 10, 40]))),
            "items": int(rng.choice([25, 50, 100, 200])),
        }


@pytest.mark.parametrize(
    ("metric", "sets"),
    [("wins", 1000), ("mae", 1000), pytest.param("mae", 20_000, marks=pytest.mark.slow)],
)
def test_the_closed_form_is_what_simulation_finds_in_50_random_settings(metric, sets):
    for seed, setting in enumerate(random_settings(50)):
        pair, items = setting["pair"], setting["items"]
        nodes = normal_nodes(setting["effect"], setting["spread"])
        moments = item_moments(nodes, raters=pair[0], samples=pair[1])
        plan = TestSets(
            metric=metric, effect=setting["effect"], spread=setting["spread"], pairs=(pair,), sets=sets, items=items
        )
        found = simulated_designs(plan, [items], alpha=0.05, rng=seed)[(items, *pair)]
        p = expected_p(moments, items, metric=metric)
        # Of `sets` test sets with a difference, each compared with 2 x `sets` without: at most this standard error.
        error = np.sqrt(p * (1 - p) / sets)
        allowed = 4.5 * error + 1e-3 if metric == "wins" else max(0.015, 3 * error)
        assert abs(found.p_value - p) <= allowed, setting
        power = float(sign_flip_power(moments, items, metric=metric, alpha=0.05))
        noise = np.sqrt(power * (1 - power) / sets)
        assert abs(found.power - power) <= 4.5 * noise + 0.045, setting  # 999 flips stand for all, N = 25 for many


def test_expected_p_of_mae_is_within_its_tolerance_of_a_long_simulation():
    rng = np.random.default_rng(0)
    for effect, raters, items in ((0.1, 5, 50), (0.2, 1, 25), (0.05, 25, 100)):
        plan = TestSets(
            metric="mae", effect=effect, spread=(0.0, 0.3), pairs=((raters, raters),), sets=20_000, items=items
        )
        found = simulated_designs(plan, [items], alpha=0.05, rng=rng)[items, raters, raters]
        moments = item_moments(normal_nodes(effect), raters=raters, samples=raters)
        assert abs(found.p_value - expected_p(moments, items, metric="mae")) <= 0.015
        assert abs(found.power - float(sign_flip_power(moments, items, metric="mae", alpha=0.05))) <= 0.03


def test_the_workers_do_not_change_a_number():
    plan = TestSets(metric="mae", effect=0.1, spread=(0.0, 0.3), pairs=((5, 5),), sets=200, items=5000)
    assert simulated_designs(plan, [5000], alpha=0.05) == simulated_designs(plan, [5000], alpha=0.05, workers=2)


def test_earth_movers_distance_is_scipys():
    rng = np.random.default_rng(0)
    for n, m in ((4, 4), (3, 7), (10, 1)):
        first, second = (np.sort(rng.random((5, k)).astype(np.float32), axis=1) for k in (n, m))
        expected = [wasserstein_distance(a, b) for a, b in zip(first, second, strict=True)]
        assert distance(first, second) == pytest.approx(expected, abs=1e-6)


def test_the_papers_distance_ignores_where_the_bins_are():
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 9, (2, 5, 40)).astype(np.int32)
    expected = np.abs(np.sort(first, axis=0) - np.sort(second, axis=0)).sum(axis=0)
    assert sorted_count_distance(first, second).tolist() == expected.tolist()
    assert sorted_count_distance(first[::-1], second).tolist() == expected.tolist()


def test_bins_are_those_of_the_unit_interval():
    chances = bin_chances(np.array([0.5]), np.array([0.2]))[0]
    edges = norm.cdf(np.linspace(0, 1, 6), 0.5, 0.2)
    assert chances[:5] == pytest.approx(np.diff(edges))
    assert chances.sum() == pytest.approx(1)


@pytest.mark.parametrize("coins", [1, 3, 64, 100])
def test_tossed_coins_are_binomial(coins):
    share = tossed(coins, 50_000, np.random.default_rng(0)) * coins
    assert share.mean() == pytest.approx(coins / 2, abs=4 * np.sqrt(coins / 4 / 50_000) + 1e-4)
    assert share.var() == pytest.approx(coins / 4, rel=0.04)
    assert share.max() <= coins


def test_ties_count_and_signs_are_turned():
    assert expected_p_of(np.zeros(4), np.zeros(4)) == 1
    null, alt = np.array([0.5, -1.0, 2.0]), np.array([3.0, 1.0, 1.5])
    assert expected_p_of(null, alt) == expected_p_of(null, -alt) == pytest.approx(3 / 18)


def test_a_sign_flip_p_is_exact_when_every_flip_is_there():
    signs = np.array(np.meshgrid(*[[1.0, -1.0]] * 6)).reshape(6, -1).T.astype(np.float32)
    p = sign_flip_p(np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]), signs)
    assert p[0] == pytest.approx((1 + 2) / (1 + 64))  # itself and its mirror image
