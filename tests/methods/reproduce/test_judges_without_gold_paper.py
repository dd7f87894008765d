"""What "Validating LLM-as-a-Judge Systems in the Absence of Gold Labels" prints, with its errata.

What the paper states is a claim, which test_papers.py checks; here are the numbers behind it by hand, and a
simulation of the same design by another implementation.
"""

from math import log

import numpy as np
import pytest

from dissensus.methods.reproduce.claims import spearman
from dissensus.methods.reproduce.judges_without_gold import (
    BIAS,
    CONSISTENCY,
    constant_answer,
    divergence,
    hit_of,
    lemma_cases,
    squared_error,
)
from dissensus.methods.reproduce.judges_without_gold_findings import (
    ASYMMETRIC,
    EVERY,
    RANDOM,
    SELECTING,
    experiment,
    mean_of,
    measures_of,
    misleading_people,
    rank_correlations,
    rank_correlations_under_error,
    selection,
)
from dissensus.simulation.indeterminate import FULLY_SPECIFIED, TAUS, UNDERSPECIFIED, Seen, consistency
from dissensus.simulation.indeterminate_model import (
    draw_population,
    endorsements,
    error_matrix,
    forced_choices,
    response_sets,
    sample_choices,
)

from judges_builders import paired_marginals

SEEDS = range(12)
ERROR = {"error": 0.5, "skew": 1.0}


def over_seeds(run, seeds=SEEDS, **settings):
    return mean_of([run(seed=seed, **settings) for seed in seeds])


# Appendix C


def test_example_1_as_printed_has_two_hits():
    people, z, w = (0.6, 0.3, 0.1), (0.8, 0.1, 0.1), (0.5, 0.4, 0.1)
    assert (hit_of(z, people), hit_of(w, people)) == (1, 1)  # printed: 1 and 0, but all three prefer the first option
    assert divergence(people, z) == pytest.approx(0.6 * log(0.6 / 0.8) + 0.3 * log(3), abs=1e-12)
    assert divergence(people, w) == pytest.approx(0.6 * log(0.6 / 0.5) + 0.3 * log(0.3 / 0.4), abs=1e-12)


def test_example_1_with_another_judge_shows_what_it_was_to_show():
    people, z, w = (0.6, 0.3, 0.1), (0.8, 0.1, 0.1), (0.44, 0.46, 0.10)
    assert hit_of(z, people) > hit_of(w, people) == 0
    assert divergence(people, z) > divergence(people, w)


def test_example_2_has_another_error():
    z = np.array([0.0, 0.6, 0.4])
    assert np.allclose(forced_choices(np.array([[1, 0, 1], [0, 1, 0]]), z), [0.4, 0.6])
    assert np.allclose(endorsements(z, response_sets(2)), [0.4, 1.0])  # printed: (.4, .6)
    assert squared_error(z) == pytest.approx((0.5 - 0.4) ** 2 + (0.6 - 1.0) ** 2)  # printed: .01


# Lemma B.1


def test_the_lemma_as_printed_fails_in_both_directions():
    said = {(case.says_printed, case.is_kept) for case in lemma_cases()}
    assert (True, False) in said  # its condition holds, and the ranking turns
    assert (False, True) in said  # its condition fails, and the ranking stays


def test_the_corrected_condition_is_that_delta_keeps_its_sign():
    # delta = delta* - 2 q, from the printed expansions; both averaged over items.
    for case in lemma_cases():
        assert case.real == pytest.approx(case.star - 2 * case.q, abs=1e-12)


def test_the_error_matrix_of_the_lemma_has_columns_that_sum_to_one():
    assert np.allclose(error_matrix(response_sets(3), 0.4, 1.0).sum(axis=0), 1)


# Tables 3 and 4


def test_a_bias_of_94_percent_leaves_a_constant_answer_94_percent():
    # People call a share h toxic and a judge j: |j - h| = .94, so h is at most .06 or at least .94.
    assert BIAS["Mistral Small"][0] == 0.94
    assert constant_answer(0.0) == 0.94 > max(row[0] for row in CONSISTENCY.values() if row[0] is not None)
    for h in np.linspace(0, 1, 101):
        if any(abs(j - h) >= 0.94 - 1e-9 for j in np.linspace(0, 1, 101)):
            assert max(h, 1 - h) >= 0.94 - 1e-9


def test_rank_correlation_is_that_of_another_library():
    from scipy.stats import spearmanr  # noqa: PLC0415 - an oracle

    x, y = np.random.default_rng(0).integers(5, size=(2, 30)).astype(float)
    assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic)
    assert np.isnan(spearman(np.ones(4), np.arange(4.0)))


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
def test_judges_selected_in_simulation_do_as_well_as_in_another_simulation(setting, ratings):
    found = selected_at(setting, ratings)
    expected = dict(zip(SELECTING, SELECTED[setting, ratings], strict=True))
    if (setting, ratings) == ("random F", 1):
        # Not reproduced within .03: ours is .859, and from seed to seed it varies by .008. We do not know why.
        assert found["hit_rate"] == pytest.approx(0.859, abs=0.01)
        del expected["hit_rate"]
    assert off_by_more(found, expected, 0.03) == {}


def test_judges_selected_in_simulation_do_about_as_well_as_in_another_one():
    # The same on one trial a configuration and two seeds, so with a wider tolerance.
    for (setting, ratings), values in SELECTED.items():
        found = selected_at(setting, ratings, seeds=range(2), trials=1)
        assert off_by_more(found, dict(zip(SELECTING, values, strict=True)), 0.06) == {}


def test_finding_2_hit_rate_is_unreliable_where_people_and_judges_choose_differently():
    found = selected_at("asymmetric", 100, seeds=range(1))
    assert found["hit_rate"] < found["jsd"] - 0.08
    assert found["jsd"] < found["mse_response_set"] <= found["best"]


@pytest.mark.slow
def test_finding_2_rank_correlations_with_consistency():
    found = over_seeds(rank_correlations, tasks=UNDERSPECIFIED, gammas=ASYMMETRIC)
    noted = {
        "hit_rate": 0.395,
        "fleiss_kappa": 0.327,
        "cohen_kappa": 0.602,
        "jsd": 0.858,
        "mse_response_set": 0.878,
    }
    assert off_by_more(found, noted, 0.05) == {}


def test_finding_2_categorical_definitions_rank_worse_than_distributional_ones():
    found = over_seeds(rank_correlations, seeds=range(2), tasks=UNDERSPECIFIED, gammas=ASYMMETRIC, trials=1)
    assert max(found["hit_rate"], found["fleiss_kappa"]) < found["cohen_kappa"] < found["jsd"] < 0.9
    assert found["jsd"] == pytest.approx(found["mse_response_set"], abs=0.05)


def test_finding_3_error_hardly_turns_the_ranking_of_jsd_and_mse():
    found = over_seeds(
        rank_correlations_under_error, seeds=range(4), tasks=UNDERSPECIFIED, gammas=RANDOM, trials=1, **ERROR
    )
    assert off_by_more(found, {"jsd": 0.984, "mse_response_set": 0.986}, 0.05) == {}
    # The note has .288 for hit rate. Over all ten tasks it is .41: not reproduced under that reading.
    assert found["hit_rate"] == pytest.approx(0.41, abs=0.06)


def test_finding_3_error_turns_the_ranking_of_hit_rate():
    # The note does not say which tasks. Of the ten, this one was picked because it comes nearest to the note's three
    # numbers, so agreement on hit rate is no evidence; it varies much, hence ten trials a seed.
    found = over_seeds(rank_correlations_under_error, tasks=[(3, 7)], gammas=RANDOM, trials=10, **ERROR)
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


@experiment
def differing_judges(design, stream, *, ratings, pairs):
    """Spearman with consistency over all thresholds, where each judge has a gamma of its own."""
    population = draw_population(design, rng=stream)
    soft = sample_choices(population.soft, ratings, stream)
    seen = Seen(
        soft=soft, marginals=paired_marginals(population, soft, pairs, stream),
        judge_soft=population.judge_soft, judge_marginals=population.judge_marginals,
    )  # fmt: skip
    achieved = np.mean([consistency(population, tau) for tau in TAUS], axis=0)
    return {name: spearman(measure(seen), achieved) for name, measure in measures_of(SELECTING).items()}


@pytest.mark.slow
def test_where_judges_differ_jsd_ranks_worse_than_kl_and_both_worse_than_paired_ratings():
    found = over_seeds(differing_judges, tasks=UNDERSPECIFIED, gammas=DIFFERING, trials=1, ratings=10, pairs=100)
    noted = {"jsd": 0.631, "kl_human_judge": 0.794, "hit_rate": 0.377, "mse_response_set": 0.938}
    assert off_by_more(found, noted, 0.05) == {}


def test_where_judges_differ_the_order_of_the_definitions_is_clear():
    found = over_seeds(
        differing_judges, seeds=range(2), tasks=UNDERSPECIFIED, gammas=DIFFERING, trials=1, ratings=10, pairs=100
    )
    assert found["hit_rate"] < found["jsd"] < found["kl_human_judge"] < found["mse_response_set"]
