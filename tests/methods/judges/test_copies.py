"""Judges ranked on alike items that were put together, beside the same items one by one."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dissensus.data import Judges, Ratings
from dissensus.data.counts import median
from dissensus.errors import JudgesError
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.confusion import panels_without, scores_of_panels, scores_without
from dissensus.methods.judges.definitions import mean_of, number_of
from dissensus.methods.judges.scoring import scores_of, statistics_of
from dissensus.methods.judges.setup import set_up
from dissensus.sampling.draws import draw_strata
from dissensus.sampling.raters import rater_pool

from judges_builders import ASKED, OPTIONS, choices, judges_from, ratings_from, sets
from profiles import moments_of, profiles_of

NAMES = ("one", "two", "three")


def drawn_choices(rng, most):
    return choices(*rng.integers(3, size=rng.integers(1, most + 1)).tolist())


def drawn_sets(rng, most):
    given = [np.flatnonzero(rng.random(3) < 0.5).tolist() or [0] for _ in range(rng.integers(1, most + 1))]
    return sets(*given)


def people_of_kind(kind, rng, item):
    """Both from different raters on some items, choices or sets only on others."""
    if kind == "choices" or (kind == "both" and item % 3 == 0):
        return drawn_choices(rng, 4)
    if kind == "sets" or (kind == "both" and item % 7 == 1):
        return drawn_sets(rng, 4)
    return drawn_choices(rng, 3) + drawn_sets(rng, 3)


def data_of(kind, *, seed=0, distinct=40, most=6):
    """Items of which each occurs one to six times, in mixed order; not every judge answered every item."""
    rng = np.random.default_rng(seed)
    people = [people_of_kind(kind, rng, item) for item in range(distinct)]
    said = {
        name: [
            [] if j and item % 11 == j else drawn_choices(rng, 2) + (drawn_sets(rng, 2) if (item + j) % 2 else [])
            for item in range(distinct)
        ]
        for j, name in enumerate(NAMES)
    }
    order = rng.permutation(np.repeat(np.arange(distinct), rng.integers(1, most + 1, size=distinct)))
    judges = judges_from({name: [given[item] for item in order] for name, given in said.items()})
    return ratings_from([people[item] for item in order]), judges


def shown_in_orders(judges):
    """The same with an order of the pair for each answer: by its sample, or not said."""
    return replace(judges, order=np.where(judges.item % 5 == 0, -1, judges.sample % 2))


def with_probabilities(judges):
    """The same with a distribution for answers with a single option."""
    n_labels = len(judges.labels)
    table = np.full((judges.n_answers, n_labels), np.nan)
    is_single = (judges.label < len(OPTIONS)) & (judges.elicitation == 0)
    table[is_single] = 0.1
    table[is_single, len(OPTIONS) :] = 0.0
    table[is_single, judges.label[is_single]] = 1 - 0.1 * (len(OPTIONS) - 1)
    return replace(judges, probability=table)


def assert_same(one, other, where="result"):
    """Equal in every part, numbers to 1e-12."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for name in one:
            assert_same(one[name], other[name], f"{where}.{name}")
    elif isinstance(one, list):
        assert len(one) == len(other), where
        for place, (first, second) in enumerate(zip(one, other, strict=True)):
            assert_same(first, second, f"{where}[{place}]")
    elif isinstance(one, float) and isinstance(other, float):
        assert one == pytest.approx(other, abs=1e-12, rel=0), where
    else:
        assert one == other, where


CASES = {
    "choices": ({"positive": "a", "tau": (0.3, 0.5)}, lambda judges: judges),
    "sets": ({"positive": ("a", "b")}, lambda judges: judges),
    "both": ({"positive": "a", "beta": (0, 0.1, 0.4), "smoothing": 0.01}, lambda judges: judges),
    "choices in orders": ({"positive": "b", "mapping": "paper"}, shown_in_orders),
    "both with probabilities": ({"positive": "c"}, with_probabilities),
    "both without a positive option": ({}, lambda judges: judges),
}


@pytest.mark.parametrize("name", CASES)
def test_profiles_tell_what_their_items_tell_one_by_one(name):
    options, change = CASES[name]
    ratings, judges = data_of(name.split()[0])
    judges = change(judges)
    together, answers = profiles_of(ratings, judges)
    assert together.n_items < together.items_in_all == ratings.n_items
    one_by_one = rank_judges(ratings, judges, raters="fixed", bootstrap=0, **options)
    result = rank_judges(together, answers, raters="fixed", bootstrap=0, **options)
    one, other = (json.loads(found.to_json()) for found in (result, one_by_one))
    for part in ("result", "warnings", "settings"):
        assert_same(one[part], other[part], part)


def test_settings_and_ties_count_items_not_profiles():
    # Four copies of a tie between a and b, three items where people agree on c.
    ratings, judges = profiles_of(
        ratings_from([choices(0, 1)] * 4 + [choices(2, 2)] * 3),
        judges_from({"one": [choices(0)] * 4 + [choices(1, 2)] * 3}),
    )
    result = rank_judges(ratings, judges, bootstrap=0)
    hits = result.definition("hit_rate")
    assert result.settings["items"] == 7
    assert (hits.tied_items, hits.values[0].tied_items) == (4, 3)
    assert hits.values[0].value == pytest.approx(4 / 7)  # a ties first, and 1 of {b, c} is b


def test_twenty_million_items_in_two_profiles_take_no_more_than_two_items():
    copies = np.array([7_000_000, 13_000_000])
    ratings = Ratings(
        item=np.array([0, 0, 1]), label=np.array([0, 1, 1]), times=np.array([3, 1, 2]),
        items=("x", "y"), labels=("no", "yes"), copies=copies,
    )  # fmt: skip
    judges = Judges(
        item=np.array([0, 1]), judge=np.zeros(2, int), sample=np.zeros(2, int), label=np.array([0, 0]),
        items=("x", "y"), judges=("one",), labels=("no", "yes"), options=("no", "yes"),
    )  # fmt: skip
    result = rank_judges(ratings, judges, positive="yes", tau=0.25, bootstrap=200)
    value = result.definition("mse_soft").values[0]
    exact = (7 * 2 * Fraction(1, 4) ** 2 + 13 * 2) / Fraction(20)
    assert value.value == pytest.approx(float(exact), rel=1e-14)
    # Every item is positive to people at 1/4 and to the judge at none, so consistency is 0 in every sample.
    decided = next(row for row in result.downstream if row.judge == "one")
    assert (decided.consistency, decided.consistency_low, decided.bias) == (0, 0, -1)
    # The spread of a mean over n items of which a share p has 2 - 1/8 more: (15/8) sqrt(p (1 - p) / n).
    spread = 2 * 1.96 * 15 / 8 * np.sqrt(0.35 * 0.65 / 20e6)
    assert value.high - value.low == pytest.approx(spread, rel=0.2)


# The bootstrap


def test_weights_have_the_mean_and_the_covariance_of_items_drawn_one_by_one():
    copies = np.array([3.0, 1.0, 6.0, 2.0, 2.0])
    weights = draw_strata((3, 2), 40_000, np.random.default_rng(0), copies=copies)
    assert (weights[:, :3].sum(axis=1) == 10).all()
    assert (weights[:, 3:].sum(axis=1) == 4).all()
    assert weights.mean(axis=0) == pytest.approx(copies, abs=0.04)
    share = copies[:3] / 10
    expected = 10 * (np.diag(share) - np.outer(share, share))  # of a multinomial
    assert np.cov(weights[:, :3], rowvar=False) == pytest.approx(expected, abs=0.06)


def test_an_empty_second_stratum_draws_nothing():
    assert draw_strata((2, 0), 3, np.random.default_rng(0), copies=np.array([2.0, 3.0])).shape == (3, 2)


@pytest.mark.parametrize("kind", ["choices", "both"])
def test_bootstrap_scores_of_profiles_have_the_distribution_of_those_of_items(kind):
    ratings, judges = data_of(kind, seed=3, distinct=12)
    samples = []
    for seed, (people, answers) in enumerate([(ratings, judges), profiles_of(ratings, judges)]):
        problem = set_up(people, answers, None, ASKED).problem
        strata = (problem.n_items, problem.pool - problem.n_items)
        weights = draw_strata(strata, 1500, np.random.default_rng(seed), copies=problem.pool_copies)
        found = scores_of(problem, statistics_of(problem), weights)
        samples.append(np.column_stack([found.values.reshape(1500, -1), found.consistency.reshape(1500, -1)]))
    compared = 0
    for one, other in zip(samples[0].T, samples[1].T, strict=True):
        assert np.isnan(one).mean() == pytest.approx(np.isnan(other).mean(), abs=0.05)
        known = one[~np.isnan(one)].round(9), other[~np.isnan(other)].round(9)
        # Some 80 values, of which many are functions of each other: one in 10,000 by chance each.
        assert stats.ks_2samp(*known).pvalue > 1e-4
        compared += 1
    assert compared > 60


def test_alike_items_in_one_profile_still_have_intervals():
    ratings, judges = profiles_of(ratings_from([choices(0, 1)] * 5), judges_from({"one": [choices(0)] * 5}))
    result = rank_judges(ratings, judges, bootstrap=20)
    value = result.definition("mse_soft").values[0]
    assert (value.low, value.high) == pytest.approx((value.value, value.value))
    assert not any("only one item" in warning for warning in result.warnings)


def test_the_number_of_workers_changes_nothing():
    ratings, judges = profiles_of(*data_of("both", distinct=15))
    found = [rank_judges(ratings, judges, positive="a", bootstrap=120, workers=n).to_json() for n in (1, 2)]
    assert found[0] == found[1]


# Refusals and sums


def test_outputs_known_as_moments_only_are_refused_with_the_way_out():
    ratings = ratings_from([choices(0, 1), choices(0, 1), choices(2, 2)])
    judges = judges_from({"one": [choices(0), choices(1), choices(2)]})
    with pytest.raises(JudgesError, match="`round_outputs=` of `read_reduced` 3"):
        rank_judges(*moments_of(ratings, judges), bootstrap=0)


def test_sums_over_copies_are_those_over_items():
    rng = np.random.default_rng(0)
    for _ in range(50):
        copies = rng.integers(1, 5, size=rng.integers(1, 8)).astype(float)
        values = rng.integers(4, size=(len(copies), 2)).astype(float)
        every = np.repeat(values, copies.astype(int), axis=0)
        assert mean_of(values, copies) == pytest.approx(every.mean(axis=0))
        assert median(values[:, 0], copies) == np.median(every[:, 0])
        assert number_of(values > 1, copies).tolist() == (every > 1).sum(axis=0).tolist()


@pytest.mark.parametrize("bootstrap", [0, 20])
def test_many_equal_items_are_put_together_and_every_number_stays(monkeypatch, bootstrap):
    """Bootstrap samples draw kinds of items then; what they do not move is the same, raters left out included."""
    rng = np.random.default_rng(3)
    label, rater = rng.integers(3, size=(120, 4)), np.arange(4)
    people = Ratings(
        item=np.repeat(np.arange(120), 4), rater=np.tile(rater, 120), label=label.ravel(), raters=tuple("wxyz"),
        items=tuple(map(str, range(120))), labels=OPTIONS,
    )  # fmt: skip
    answers = judges_from({name: [choices(int(rng.integers(3))) for _ in range(120)] for name in NAMES[:2]})
    answers = replace(answers, items=people.items)
    apart = rank_judges(people, answers, positive=OPTIONS[0], bootstrap=bootstrap)
    assert set_up(people, answers, None, ASKED).kind is None
    monkeypatch.setattr("dissensus.methods.judges.answers.MERGED_FROM", 0)
    whole = set_up(people, answers, None, ASKED)
    merged, _ = whole.merged(whole.rows.people())
    assert merged.problem.n_items < 120 == merged.problem.items_in_all
    together = rank_judges(people, answers, positive=OPTIONS[0], bootstrap=bootstrap)
    assert [v.value for d in together.definitions for v in d.values] == pytest.approx(
        [v.value for d in apart.definitions for v in d.values], abs=1e-12, nan_ok=True
    )
    for own, other in zip(together.confusion, apart.confusion, strict=True):
        cells = [[(c.share, c.low, c.high) for c in each.cells] for each in (own, other)]
        np.testing.assert_allclose(*cells, rtol=0, atol=1e-12)
    pool = rater_pool(people, np.random.default_rng(0))
    panels = list(panels_without(whole, pool))
    for scores, panel in zip(scores_of_panels(whole, panels), panels, strict=True):
        one = scores_without(*whole.merged(panel))
        np.testing.assert_allclose(one.values, scores.values, rtol=0, atol=1e-12)
        np.testing.assert_allclose(one.consistency, scores.consistency, rtol=0, atol=1e-12)
