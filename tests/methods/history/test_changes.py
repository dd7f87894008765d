"""Changes that are real: the level over all looks, what is found and when, and what is comparable."""

from dataclasses import replace

import numpy as np
import pytest
from tests.methods.route.populations import CHECKED, POPULATIONS, clipped

from dissensus.methods.equivalence.curve import crossings
from dissensus.methods.history.changes import changes_in


def stream(rng, *, looks=100, items=100, drop=0.0, at=50, noise=0.3, shared=1.0):
    """Scores of a judge that is asked again in each run; a share of the items is the same in all runs."""
    own = rng.gamma(1.0, 0.5, items)  # items differ more than answers to one of them
    run, key, values = [], [], []
    for t in range(looks):
        old = rng.random(items) < shared
        name = np.where(old, np.arange(items), 10_000 * (t + 1) + np.arange(items))
        level = np.where(old, own, rng.gamma(1.0, 0.5, items))
        run.append(np.full(items, t))
        key.append(name)
        values.append(level - drop * (t >= at) - noise * rng.exponential(1.0, items))  # skewed, as bits are
    return np.concatenate(run), np.concatenate(key), np.concatenate(values), np.arange(looks)


def test_the_difference_is_the_mean_over_shared_items_by_hand():
    run = np.repeat([0, 1], 25)
    key = np.tile(np.arange(25), 2)
    values = np.concatenate([np.zeros(25), np.full(25, 1.0) + 0.01 * np.arange(25)])
    first, second = changes_in(run, key, values, np.arange(2))
    assert first is None
    assert second.difference == pytest.approx(1 + 0.01 * 12)
    assert second.paired
    assert second.items == 25
    # Student's t with 24 degrees of freedom at .8 * .05 / 2 (first look), two-sided: 2.4922
    error = 0.01 * np.std(np.arange(25), ddof=1) / 5  # not skewed, so Student's interval as it is
    assert second.high - second.difference == pytest.approx(2.4922 * error, rel=1e-3)
    assert second.real


def test_a_judge_that_answers_the_same_never_changes():
    run, key = np.repeat(np.arange(30), 40), np.tile(np.arange(40), 30)
    values = np.tile(np.random.default_rng(0).normal(size=40), 30)
    assert not any(change.real for change in changes_in(run, key, values, np.arange(30))[1:])


def test_a_large_drop_is_found_at_once_and_the_runs_before_it_are_left_behind():
    found = changes_in(*stream(np.random.default_rng(1), looks=12, drop=1.0, at=6, items=60))
    assert [t for t, change in enumerate(found) if change is not None and change.real] == [6]
    assert found[6].difference == pytest.approx(-1, abs=0.2)


def test_items_whose_ratings_changed_are_not_taken_for_the_same():
    run = np.repeat([0, 1], 30)
    key = np.concatenate([np.arange(30), 100 + np.arange(30)])
    values = np.random.default_rng(0).normal(size=60)
    assert not changes_in(run, key, values, np.arange(2))[1].paired


def test_too_few_items_are_not_compared():
    found = changes_in(np.array([0, 1]), np.array([1, 2]), np.array([0.0, 1.0]), np.arange(2))
    assert np.isnan(found[1].difference)
    assert not found[1].real


def test_a_run_without_values_is_passed_over():
    run = np.concatenate([np.zeros(30, dtype=int), np.full(30, 2)])
    values = np.concatenate([np.zeros(30), np.random.default_rng(0).normal(5, 1, 30)])
    found = changes_in(run, np.tile(np.arange(30), 2), values, np.arange(3))
    assert found[1] is None
    assert found[2].real


def test_items_of_one_run_count_as_those_of_several_do():
    rng = np.random.default_rng(3)
    run, key, values = np.repeat([0, 1], 40), np.concatenate([np.arange(40), 40 + np.arange(40)]), rng.gamma(1, 1, 80)
    again = np.full(19, 2), np.arange(30, 49), rng.gamma(1, 1, 19)  # too few of each run for pairs
    alone, among = (
        changes_in(run, key, values, np.arange(2))[1],
        changes_in(*map(np.concatenate, zip((run, key, values), again, strict=True)), np.arange(3))[1],
    )
    for name in ("difference", "low", "high", "items", "paired"):
        assert getattr(alone, name) == pytest.approx(getattr(among, name), abs=1e-12)
    before, after = values[:40], values[40:]
    assert alone.difference == pytest.approx(after.mean() - before.mean())
    error = np.sqrt((before.var() + after.var()) / 39)
    assert alone.high - alone.difference > 2.42 * error  # t with 39 degrees of freedom at .8 * .05 / 2, two-sided


def test_few_false_alarms_in_many_looks():
    alarms = sum(
        any(change is not None and change.real for change in changes_in(*stream(np.random.default_rng([7, s]))))
        for s in range(40)
    )
    assert alarms <= 2


@pytest.mark.slow
@pytest.mark.parametrize("shared", [1.0, 0.5, 0.0])
def test_false_alarms_of_100_looks_are_at_most_five_in_a_hundred_streams(shared, trust):
    streams = trust.sets(1000)
    alarms = sum(
        any(
            change is not None and change.real
            for change in changes_in(*stream(np.random.default_rng([11, s]), shared=shared))
        )
        for s in range(streams)
    )
    of_items = f"100 looks, {shared:.0%} of the items the same"
    trust.keep("level", "history: any change called real", alarms / streams, streams, data=of_items)
    assert alarms <= 0.05 * streams


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKED)
def test_false_alarms_are_few_at_scores_of_judges_of_new_items(name, trust):
    streams, looks, items = trust.sets(1000), 100, 100
    run, key = np.repeat(np.arange(looks), items), np.arange(looks * items)
    alarms = sum(
        any(change is not None and change.real for change in changes_in(run, key, values.ravel(), np.arange(looks)))
        for values in (
            runs_of(CHECKED[name], items, looks, np.random.default_rng([6, list(CHECKED).index(name), s]))
            for s in range(streams)
        )
    )
    trust.keep("level", "history: any change called real", alarms / streams, streams,
               data=f"{name}, 100 looks at 100 new items")  # fmt: skip
    assert alarms <= 0.05 * streams


def test_a_few_items_without_a_rare_large_score_are_no_change():
    usual, rare = np.zeros(400), np.repeat(-5.0, 20)
    before = np.concatenate([usual, rare])  # one of 21
    spread = 0.01 * np.sin(np.arange(40.0))
    values, run = np.concatenate([before, spread]), np.repeat([0, 1], [len(before), 40])
    (_, change) = changes_in(run, np.arange(len(run)), values, np.arange(2))
    assert change.difference == pytest.approx(5 / 21, abs=0.01)  # of itself many times the standard error of 40 such
    assert not change.real  # a seventh of such sets of 40 have no rare item


def with_worth(population, worth):
    """The same judge with that many guesses among its answers that it is worth this many raters."""
    curve = np.array([[population.bits(k)[0] for k in range(4)]])
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        guesses = (1 - middle) * population.signal + middle * population.share @ population.signal
        made = replace(population, signal=guesses)
        _, told, chance = made.bits(0)
        is_better = crossings(curve, np.array([told @ chance]))[0] > worth
        low, high = (middle, high) if is_better else (low, middle)
    return made


def runs_of(population, items, runs, rng):
    """Bits over asking nobody of runs on new items with three raters each, of shape (runs, items)."""
    kind = rng.choice(len(population.share), size=(runs, items), p=population.share)
    signal = (rng.random((runs, items, 1)) > population.signal.cumsum(axis=1)[kind]).sum(axis=2)
    shares = rng.multinomial(3, population.people[kind]) / 3
    joint = population.share[:, None] * population.signal
    told = [np.log2(clipped(own)) for own in (joint / joint.sum(axis=0)).T @ population.people]
    return (shares * (np.array(told) - np.log2(clipped(population.share @ population.people)))[signal]).sum(axis=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["graded", "three labels"])
@pytest.mark.parametrize(("items", "usual"), [(1000, 2), (300, 16)])
def test_a_drop_from_one_rater_by_a_fifth_is_found(name, items, usual):
    before, after = (with_worth(POPULATIONS[name], worth) for worth in (0.9, 0.7))
    found = []
    for seed in range(100):
        rng = np.random.default_rng([13, seed])
        values = np.concatenate([runs_of(before, items, 10, rng), runs_of(after, items, usual, rng)]).ravel()
        run = np.repeat(np.arange(10 + usual), items)
        changes = changes_in(run, np.arange(len(run)), values, np.arange(10 + usual))
        found.append(any(change.real and change.difference < 0 for change in changes[10:]))
    assert np.mean(found) >= 0.5  # half of them within this many runs, as docs/how-to/watch-a-judge.md says
