"""What "Validating LLM-as-a-Judge Systems in the Absence of Gold Labels" prints, with its errata.

Figures 7 and 8 and Tables 3 and 4 need the authors' judge ratings, which they do not publish.
"""

import itertools
from math import log

import numpy as np
import pytest

from dissensus.judges.definitions import PER_ITEM
from dissensus.judges.rating_model import endorsements, error_matrix, forced_choices, response_sets

from indeterminate_experiments import (
    ASYMMETRIC,
    EVERY,
    FULLY_SPECIFIED,
    RANDOM,
    SELECTING,
    UNDERSPECIFIED,
    differing_judges,
    mean_of,
    misleading_people,
    rank_correlations,
    rank_correlations_under_error,
    selection,
)

SEEDS = range(12)


def over_seeds(run, seeds=SEEDS, **settings):
    return mean_of([run(seed=seed, **settings) for seed in seeds])


def hit(judge, people):
    one_hot = np.eye(len(people))
    return float(PER_ITEM["hit_rate"](one_hot[np.argmax(judge)], one_hot[np.argmax(people)]))


def kl(people, judge):
    return float(PER_ITEM["kl_human_judge"](np.array(judge), np.array(people)))


# Appendix C


def test_example_1_as_printed_has_two_hits():
    people, z, w = (0.6, 0.3, 0.1), (0.8, 0.1, 0.1), (0.5, 0.4, 0.1)
    assert (hit(z, people), hit(w, people)) == (1, 1)  # printed: 1 and 0, but all three prefer the first option
    assert kl(people, z) == pytest.approx(0.6 * log(0.6 / 0.8) + 0.3 * log(3), abs=1e-12)
    assert kl(people, w) == pytest.approx(0.6 * log(0.6 / 0.5) + 0.3 * log(0.3 / 0.4), abs=1e-12)
    assert (round(kl(people, z), 3), round(kl(people, w), 3)) == (0.157, 0.023)


def test_example_1_with_another_judge_shows_what_it_was_to_show():
    people, z, w = (0.6, 0.3, 0.1), (0.8, 0.1, 0.1), (0.44, 0.46, 0.10)
    assert hit(z, people) > hit(w, people) == 0
    assert kl(people, z) > kl(people, w)
    assert round(kl(people, w), 3) == 0.058


def test_example_2_has_another_error_and_the_same_conclusion():
    sets = response_sets(2)
    people, w = np.array([0.4, 0.5, 0.1]), np.array([0.4, 0.5, 0.1])
    z = np.array([0.0, 0.6, 0.4])
    soft_people = forced_choices(np.array([[1, 0, 0], [0, 1, 1]]), people)
    soft_z, soft_w = (forced_choices(np.array([[1, 0, 1], [0, 1, 0]]), theta) for theta in (z, w))
    assert np.allclose(soft_people, [0.4, 0.6])
    assert np.allclose(soft_z, [0.4, 0.6])
    assert np.allclose(soft_w, [0.5, 0.5])
    assert np.allclose(endorsements(z, sets), [0.4, 1.0])  # printed: (.4, .6)
    errors = [float(PER_ITEM["mse_response_set"](endorsements(t, sets), endorsements(people, sets))) for t in (z, w)]
    assert errors == pytest.approx([0.17, 0.0])  # printed: .01 and 0
    assert kl(soft_people, soft_z) == pytest.approx(0)
    assert round(kl(soft_people, soft_w), 4) == 0.0201


# Lemma B.1


def lemma_terms(stable, error, z, w, members):
    """Delta without error, delta with error, and q; each averaged over items."""
    given = stable @ error.T

    def mse(people, judge):
        return ((endorsements(people, members) - endorsements(judge, members)) ** 2).sum(axis=1).mean()

    gram = members.astype(float) @ members.T.astype(float)
    q = np.einsum("iu,uv,iv->i", stable - given, gram, w - z).mean()
    return mse(stable, z) - mse(stable, w), mse(given, z) - mse(given, w), q


def lemma_cases():
    members = response_sets(3)
    for seed, items in itertools.product(range(300), (1, 4)):
        rng = np.random.default_rng(seed)
        stable, z, w = rng.dirichlet(np.ones(7), size=(3, items))
        yield lemma_terms(stable, error_matrix(members, rng.random(), rng.choice([-1, 0, 1])), z, w, members)


def test_the_ranking_survives_error_exactly_if_the_corrected_lemma_says_so():
    cases = [(star, real, q) for star, real, q in lemma_cases() if abs(star) > 1e-9]
    kept = [np.sign(star) == np.sign(real) for star, real, _ in cases]
    assert [bool(q * np.sign(star) < abs(star) / 2) for star, _, q in cases] == [bool(k) for k in kept]
    assert 0 < np.mean(kept) < 1


def test_the_lemma_as_printed_fails_in_both_directions():
    said = {
        (bool(np.sign(q) == np.sign(star)), bool(np.sign(star) == np.sign(real))) for star, real, q in lemma_cases()
    }
    assert (True, False) in said  # its condition holds, and the ranking turns
    assert (False, True) in said  # its condition fails, and the ranking stays


# Findings 1 to 4. The paper shows them as figures only; the numbers are those of our method's note on the paper, from
# a simulation of the same design. Where the note leaves a setting open, the test says how it was settled.

SELECTED = {
    ("fully specified", 1): (0.948, 0.975, 0.957, 0.968),
    ("random F", 1): (0.827, 0.912, 0.855, 0.935),
    ("random F", 3): (0.894, 0.944, 0.931, 0.949),
    ("asymmetric", 1): (0.796, 0.924, 0.842, 0.934),
    ("asymmetric", 100): (0.823, 0.943, 0.943, 0.955),
}
"""Consistency of the judge selected by hit rate, KL(h, j), JSD and MSE(srs/srs), by setting and ratings per item."""

SETTINGS = {
    "fully specified": (FULLY_SPECIFIED, RANDOM),
    "random F": (UNDERSPECIFIED, RANDOM),
    "asymmetric": (UNDERSPECIFIED, ASYMMETRIC),
}


def selected_at(setting, ratings, *, seeds=SEEDS, trials=3):
    tasks, gammas = SETTINGS[setting]
    return over_seeds(lambda seed: selection(tasks, gammas, ratings=ratings, seed=seed, trials=trials), seeds=seeds)


def off_by_more(found, expected, tolerance):
    return {name: (found[name], value) for name, value in expected.items() if abs(found[name] - value) > tolerance}


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "ratings"), SELECTED)
def test_judges_selected_in_simulation_do_as_well_as_printed(setting, ratings):
    found = selected_at(setting, ratings)
    expected = dict(zip(SELECTING, SELECTED[setting, ratings], strict=True))
    if (setting, ratings) == ("random F", 1):
        # Not reproduced within .03: ours is .859, and from seed to seed it varies by .008. We do not know why.
        assert found["hit_rate"] == pytest.approx(0.859, abs=0.01)
        del expected["hit_rate"]
    assert off_by_more(found, expected, 0.03) == {}


def test_judges_selected_in_simulation_do_about_as_well_as_printed():
    # The same on one trial a configuration and two seeds, so with a wider tolerance.
    for (setting, ratings), values in SELECTED.items():
        found = selected_at(setting, ratings, seeds=range(2), trials=1)
        assert off_by_more(found, dict(zip(SELECTING, values, strict=True)), 0.06) == {}


def test_finding_1_one_rating_of_a_fully_specified_task_is_worth_three_of_an_underspecified_one():
    one = selected_at("fully specified", 1, seeds=range(3))
    three = selected_at("random F", 3, seeds=range(3))
    assert all(one[name] > three[name] for name in SELECTING)


def test_finding_2_hit_rate_is_unreliable_where_people_and_judges_choose_differently():
    found = selected_at("asymmetric", 100, seeds=range(2))
    assert found["hit_rate"] < found["jsd"] - 0.08
    assert found["jsd"] < found["mse_response_set"] <= found["best"]


@pytest.mark.slow
def test_finding_2_rank_correlations_with_consistency():
    found = over_seeds(rank_correlations, tasks=UNDERSPECIFIED, gammas=ASYMMETRIC)
    printed = {
        "hit_rate": 0.395,
        "fleiss_kappa": 0.327,
        "cohen_kappa": 0.602,
        "jsd": 0.858,
        "mse_response_set": 0.878,
    }
    assert off_by_more(found, printed, 0.05) == {}


def test_finding_2_categorical_definitions_rank_worse_than_distributional_ones():
    found = over_seeds(rank_correlations, seeds=range(2), tasks=UNDERSPECIFIED, gammas=ASYMMETRIC, trials=1)
    assert max(found["hit_rate"], found["fleiss_kappa"]) < found["cohen_kappa"] < found["jsd"] < 0.9
    assert found["jsd"] == pytest.approx(found["mse_response_set"], abs=0.05)


def test_finding_3_error_hardly_turns_the_ranking_of_jsd_and_mse():
    found = over_seeds(rank_correlations_under_error, seeds=range(4), tasks=UNDERSPECIFIED, gammas=RANDOM, trials=1)
    assert off_by_more(found, {"jsd": 0.984, "mse_response_set": 0.986}, 0.05) == {}
    # The note has .288 for hit rate. Over all ten tasks it is .41: not reproduced under that reading.
    assert found["hit_rate"] == pytest.approx(0.41, abs=0.06)


def test_finding_3_error_turns_the_ranking_of_hit_rate():
    # The note does not say which tasks. Of the ten, this one was picked because it comes nearest to the note's three
    # numbers, so agreement on hit rate is no evidence; it varies much, hence ten trials a seed.
    found = over_seeds(rank_correlations_under_error, tasks=[(3, 7)], gammas=RANDOM, trials=10)
    assert off_by_more(found, {"hit_rate": 0.288, "jsd": 0.984, "mse_response_set": 0.986}, 0.05) == {}


def test_finding_4_one_rating_per_item_decides_otherwise_on_three_items_of_ten():
    # Settled afterwards: fully specified and underspecified tasks together. Underspecified tasks alone give .69.
    found = over_seeds(misleading_people, tasks=EVERY, gammas=RANDOM, ratings=1)
    assert found["same_decisions"] == pytest.approx(0.716, abs=0.03)


def test_finding_4_forced_choices_understate_prevalence():
    found = over_seeds(misleading_people, tasks=UNDERSPECIFIED, gammas=RANDOM, ratings=1)
    assert found["prevalence_gap"] == pytest.approx(-0.40, abs=0.03)


# What the paper leaves out: judges that choose differently from each other

DIFFERING = [(-1.0, (-2.5, 2.5)), (2.0, (-2.5, 2.5))]
"""People's gamma, and the range of the judges'. The note does not say how its judges differ: of six distributions of
gamma that were tried, this one comes nearest, so only the order of the definitions is evidence."""


@pytest.mark.slow
def test_where_judges_differ_jsd_ranks_worse_than_kl_and_both_worse_than_paired_ratings():
    found = over_seeds(differing_judges, tasks=UNDERSPECIFIED, gammas=DIFFERING, ratings=10, pairs=100)
    printed = {"jsd": 0.631, "kl_human_judge": 0.794, "hit_rate": 0.377, "mse_response_set": 0.938}
    assert off_by_more(found, printed, 0.05) == {}


def test_where_judges_differ_the_order_of_the_definitions_is_clear():
    found = over_seeds(differing_judges, seeds=range(2), tasks=UNDERSPECIFIED, gammas=DIFFERING, ratings=10, pairs=100)
    assert found["hit_rate"] < found["jsd"] < found["kl_human_judge"] < found["mse_response_set"]
