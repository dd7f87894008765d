"""Planning from a pilot: what is drawn from it, what it is simulated from, and what is refused."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest

from dissensus import compare, read, read_judges
from dissensus.methods.plan_raters.draws import (
    WIDTHS,
    chosen_answers,
    continued,
    fit_labels,
    label_draws,
    neighbours,
    shuffled,
    value_draws,
)
from dissensus.methods.plan_raters.from_pilot import beta_responses
from dissensus.methods.plan_raters.pilot import pilot_of
from dissensus.methods.plan_raters.plan_raters import plan_raters
from dissensus.simulation.responses import Responses, simulate_responses

from tables import typed_message_of as message_of

METRICS = ("wins", "mae", "emd", "emd-binned")


def simulated(kind, *, seed=1, items=40, raters=5, samples=(3, 3), effect=0.4, **population):
    drawn = simulate_responses(
        Responses(kind=kind, effect=effect, **population), items=items, raters=raters, samples=samples, rng=seed
    )
    return drawn.ratings, drawn.judges


def words(ratings, judges):
    """The same with words for labels."""
    named = {str(number): word for number, word in enumerate(("none", "bad", "fair", "good", "best", "odd"))}
    people = pd.DataFrame(
        {
            "item": np.array(ratings.items)[ratings.item],
            "rater": np.array(ratings.raters)[ratings.rater],
            "label": [named[ratings.labels[label]] for label in ratings.label],
        }
    )
    machines = pd.DataFrame(
        {
            "item": np.array(judges.items)[judges.item],
            "judge": np.array(judges.judges)[judges.judge],
            "sample": judges.sample,
            "label": [named[judges.labels[label]] for label in judges.label],
        }
    )
    return people, machines


def mean_gap(draws, raters, metric):
    gaps = draws.gaps(raters)[0]
    return float((np.sign(gaps) if metric == "wins" else gaps).mean())


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("samples", [(3, 3), (1, 1)])
def test_with_the_pilots_own_raters_and_answers_the_draws_show_what_compare_finds(metric, samples):
    ratings, judges = simulated("likert", samples=samples)
    draws = label_draws(
        pilot_of(ratings, judges), metric, most_raters=5, samples=samples[0], rng=np.random.default_rng(0)
    )
    found = compare(ratings, judges, metric=metric, bootstrap=0, resamples=10).pairs[0].difference
    # For emd-binned compare has counts over the number of bins, here shares: with five of each that is the same.
    assert mean_gap(draws, 5, metric) == pytest.approx(found if metric == "wins" else -found, abs=1e-9)


@pytest.mark.parametrize("metric", ["wins", "emd"])
def test_words_are_compared_by_their_shares_as_compare_does(metric):
    people, machines = words(*simulated("likert"))
    ratings, judges = read(people), read_judges(machines)
    draws = label_draws(pilot_of(ratings, judges), metric, most_raters=5, samples=3, rng=np.random.default_rng(0))
    found = compare(ratings, judges, metric=metric, bootstrap=0, resamples=10).pairs[0].difference
    assert mean_gap(draws, 5, metric) == pytest.approx(found if metric == "wins" else -found, abs=1e-9)


@pytest.mark.parametrize("metric", ["emd", "emd-binned"])
def test_measurements_are_compared_as_compare_does(metric):
    ratings, judges = simulated("normal")
    draws = value_draws(pilot_of(ratings, judges), metric, most_raters=5, samples=3, rng=np.random.default_rng(0))
    found = compare(ratings, judges, metric=metric, bootstrap=0, resamples=10).pairs[0].difference
    assert mean_gap(draws, 5, metric) == pytest.approx(-found, abs=1e-6)


@pytest.mark.parametrize("metric", ["wins", "mae"])
def test_fewer_raters_are_every_choice_among_the_pilots(metric):
    ratings, judges = simulated("likert", items=12, samples=(1, 1))
    own = pilot_of(ratings, judges)
    draws = label_draws(own, metric, most_raters=5, samples=1, rng=np.random.default_rng(0))
    values = own.rating_values()
    gaps = []
    for chosen in itertools.combinations(range(5), 2):
        people = values[:, chosen].mean(axis=1)
        gap = np.round(np.abs(own.b.mean - people) - np.abs(own.a.mean - people), 9)
        gaps.append(np.sign(gap) if metric == "wins" else gap)
    error = np.std(gaps, axis=0) / np.sqrt(draws.sequences.shape[1])
    assert mean_gap(draws, 2, metric) == pytest.approx(np.mean(gaps), abs=4 * np.sqrt(np.mean(error**2) / 12) + 1e-9)


def test_an_urn_repeats_and_follows_its_prior_as_a_dirichlet_multinomial_does():
    # Two ratings of label 0 and a prior worth one rating, half and half: the third is 0 with (2 + 1/2) / (2 + 1).
    rng = np.random.default_rng(3)
    first = np.zeros((1, 40_000, 2), dtype=np.intp)
    drawn = continued(
        first, np.array([2]), 4, rng, concentration=1.0, fresh=lambda: rng.integers(0, 2, size=(1, 40_000))
    )
    error = np.sqrt(2.5 / 3 * 0.5 / 3 / 40_000)
    assert np.mean(drawn[0, :, 2] == 0) == pytest.approx(2.5 / 3, abs=4 * error)
    assert np.mean(drawn[0, :, 3] == 0) == pytest.approx(2.5 / 3, abs=4 * error)  # exchangeable
    assert np.mean((drawn[0, :, 2:] == 0).all(axis=1)) == pytest.approx(2.5 / 3 * 3.5 / 4, abs=4 * error)


def test_ratings_stand_in_random_order_and_none_twice():
    order = shuffled(np.array([2, 3]), 3, 50, np.random.default_rng(0))
    assert (np.sort(order[1], axis=1) == [0, 1, 2]).all()
    assert (np.sort(order[0, :, :2], axis=1) == [0, 1]).all()
    assert len(np.unique(order[1], axis=0)) == 6


def test_a_judge_that_answered_once_answers_the_same_again():
    assert chosen_answers(np.array([1, 1]), 3, 10, np.random.default_rng(0)) is None
    some = chosen_answers(np.array([2, 2]), 1, 1000, np.random.default_rng(0))
    assert some.mean() == pytest.approx(0.5, abs=0.05)


def test_near_items_count_by_a_gaussian_of_their_distance():
    rng = np.random.default_rng(3)
    features, values = rng.normal(size=(40, 2)) * [1.0, 5.0], rng.random((40, 3))
    apart = features / features.std(axis=0)
    for width, found in zip(WIDTHS, neighbours(features, values), strict=True):
        for i in range(40):
            weight = np.exp(-(((apart - apart[i]) / width) ** 2).sum(axis=1) / 2)
            weight[i] = 0
            assert found[i] == pytest.approx((weight[:, None] * values).sum(axis=0), rel=1e-9, abs=1e-12)


def test_the_model_of_labels_finds_how_far_shares_vary():
    # Shares drawn around one half, worth 2 ratings; the judges know nothing of them.
    rng = np.random.default_rng(5)
    shares = rng.dirichlet([1, 1], size=2000)
    counts = rng.multinomial(6, shares)
    model = fit_labels(counts, rng.random((2000, 2)), [np.full((2000, 2), 0.5)])
    assert model.concentration == pytest.approx(2, rel=0.25)
    assert model.prior.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.02)


def test_the_model_of_labels_learns_from_judges_that_know():
    # A judge that gives the shares themselves is worth more than any number of ratings.
    rng = np.random.default_rng(5)
    shares = rng.dirichlet([1, 1], size=500)
    model = fit_labels(rng.multinomial(4, shares), rng.random((500, 1)), [shares])
    assert np.abs(model.prior - shares).mean() < 0.05
    assert model.concentration > 20


def test_simulated_measurements_have_the_mean_and_the_spread_of_the_pilots_and_stay_within_bounds():
    drawn = beta_responses(np.array([0.3, 0.9]), np.array([0.2, 0.05]), (0, 1), 200_000, np.random.default_rng(0))
    assert drawn.mean(axis=1) == pytest.approx([0.3, 0.9], abs=0.002)
    assert drawn.std(axis=1) == pytest.approx([0.2, 0.05], abs=0.002)
    assert drawn.min() >= 0
    assert drawn.max() <= 1


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["likert", "normal"])
def test_every_metric_has_a_plan(metric, kind):
    ratings, judges = simulated(kind, items=80, effect=0.6)
    options = {"metric": metric, "pilot": ratings, "pilot_judges": judges, "raters": [3], "bootstrap": 20}
    plan = plan_raters(**options)
    if metric != "emd-binned":  # which does not see where the bins lie
        assert plan.recommended is not None
        assert plan.pilot.better == "A"
    assert plan.trade_off is not None
    assert plan.grid == plan_raters(**options).grid
    assert plan.summary().startswith(("Collect ", "None of these designs"))


def test_words_have_a_plan_and_no_standard_deviation():
    people, machines = words(*simulated("likert", items=60, effect=0.6))
    plan = plan_raters(pilot=read(people), pilot_judges=read_judges(machines), raters=[3], bootstrap=20)
    assert plan.recommended.items >= 6
    assert np.isnan(plan.pilot.spread)
    assert "Standard deviation of" not in plan.summary(details=True)
    assert json.loads(plan.to_json())["result"]["pilot"]["spread"] is None


def test_words_in_an_order_count_as_numbers():
    people, machines = words(*simulated("likert", items=60, effect=0.6))
    order = ["bad", "fair", "good", "best", "odd"]
    plan = plan_raters(
        metric="mae", pilot=read(people, labels=order), pilot_judges=read_judges(machines), raters=[3], bootstrap=20
    )
    assert "The labels are words in an order: they count 0 (bad), 1, 2, and so on." in plan.warnings


def test_more_raters_than_the_pilot_has_rest_on_a_model_and_the_plan_says_so():
    ratings, judges = simulated("likert", items=80, effect=0.6)
    plan = plan_raters(pilot=ratings, pilot_judges=judges, raters=[8], bootstrap=20)
    assert (
        "The pilot has at most 5 ratings of an item, so what 8 raters would say rests on a model of it."
        in plan.warnings
    )


def test_words_with_a_metric_for_numbers_are_refused():
    people, machines = words(*simulated("likert"))
    told = message_of(lambda: plan_raters(metric="mae", pilot=read(people), pilot_judges=read_judges(machines)))
    assert told == (
        "--metric mae needs numbers, but the pilot's labels are bad, best, fair, good, odd, on a nominal scale: choose "
        "--metric wins or emd, which compare shares of labels, or recode the labels as numbers."
    )


def test_a_judge_on_another_scale_is_refused(shared):
    folder = shared / "data" / "wmt23_mqm_ende"
    ratings, judges = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
    for metric in METRICS:
        told = message_of(lambda metric=metric: plan_raters(metric=metric, pilot=ratings, pilot_judges=judges))
        assert told == (
            f"--metric {metric} compares answers with labels, but chrF_vs_refA is on another scale: its middle "
            "answer is 67.869, but 95% of the ratings lie from 0 to 26.965. Put its answers on the raters' scale; "
            "without that only `compare --metric spearman` makes sense, and there is no plan for it."
        )


def test_a_pilot_takes_the_judges_that_compare_takes():
    middle = np.linspace(0, 1, 60)  # B's answers run from -.15 to 1.15: a third of the range beyond the labels
    table = {"item": np.repeat(np.arange(60), 3), "rater": [*"abc"] * 60}
    people = read(pd.DataFrame(table | {"label": (middle[:, None] + [-0.03, 0.0, 0.02]).ravel().round(4)}))
    answers = np.concatenate([middle + 0.01, (middle - 0.5) * 1.3 + 0.5]).round(4)
    table = {"item": [*range(60)] * 2, "judge": ["A"] * 60 + ["B"] * 60, "label": answers}
    judges = read_judges(pd.DataFrame(table))
    assert people.scale == "interval"
    assert compare(people, judges, metric="mae", raters="fixed", bootstrap=20, resamples=100).pairs[0].better == "a"
    assert plan_raters(metric="mae", pilot=people, pilot_judges=judges, bootstrap=20).pilot.better == "A"


def power_in(population, design, *, metric, rng, sets=200):
    """Share of test sets of the design in which the sign-flip test, by its normal limit, finds A nearer."""
    drawn = simulate_responses(
        population,
        items=design.items * sets,
        raters=design.raters,
        samples=(design.machine_samples,) * 2,
        rng=rng,
    )
    own = pilot_of(drawn.ratings, drawn.judges)
    gap = np.round(np.abs(own.b.mean - own.people.mean) - np.abs(own.a.mean - own.people.mean), 9)
    gap = (np.sign(gap) if metric == "wins" else gap).reshape(sets, design.items)
    return float(np.mean(gap.sum(axis=1) > 1.96 * np.sqrt((gap**2).sum(axis=1))))


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["wins", "mae"])
@pytest.mark.parametrize(
    ("population", "raters", "samples", "planned"),
    [
        (Responses(kind="likert", effect=0.25), 5, (5, 5), 5),
        (Responses(kind="likert", effect=0.4, points=7), (2, 6), (3, 3), 8),
        (Responses(effect=0.2, is_clipped=True), 4, (4, 4), 4),
    ],
)
def test_plans_have_the_power_they_were_made_for_in_other_populations(
    metric, population, raters, samples, planned, trust
):
    powers, pilots = [], trust.sets(24)
    for seed in range(pilots):
        drawn = simulate_responses(population, items=60, raters=raters, samples=samples, rng=seed)
        options = {"pilot": drawn.ratings, "pilot_judges": drawn.judges, "raters": [planned], "rng": seed}
        best = plan_raters(metric=metric, **options).recommended
        if best is not None:
            powers.append(power_in(population, best, metric=metric, rng=seed))
    data = f"{population.kind} ratings, effect {population.effect:g}, pilot of 60 items"
    error = np.std(powers) / math.sqrt(len(powers))
    trust.keep("power", f"plan raters: {metric}", np.mean(powers), len(powers), data=data, error=error)
    assert len(powers) > 0.75 * pilots
    assert 0.7 <= np.mean(powers) <= 0.9


@pytest.mark.parametrize("metric", ["information", "wins", "emd"])
def test_a_plan_from_a_pilot_does_not_depend_on_the_order_of_rows(metric):
    rng = np.random.default_rng(5)
    labels = rng.integers(1, 5, size=40)[:, None] + rng.integers(0, 2, size=(40, 4))  # the last one is judge a
    people = [{"item": f"i{i}", "rater": f"r{r}", "label": int(labels[i, r])} for i in range(40) for r in range(3)]
    judges = [{"item": f"i{i}", "judge": "a", "label": int(labels[i, 3])} for i in range(40)]
    judges += [{"item": f"i{i}", "judge": "b", "label": int(rng.integers(1, 6))} for i in range(40)]
    plans = []
    for _ in range(2):
        ratings, answers = read(people), read_judges(judges)
        options = {"a": "a", "b": "b", "metric": metric, "items": (50,), "raters": (2,), "bootstrap": 20}
        plans.append(plan_raters(pilot=ratings, pilot_judges=answers, **options).grid)
        rng.shuffle(people)
        rng.shuffle(judges)
    assert plans[0] == plans[1]
