"""The experiments behind the figures of "Judges without gold labels", each for one seed, on one stream per trial."""

import numpy as np
from scipy.stats import spearmanr

from dissensus.judges.reverse_matrix import apply_reverse, pooled_reverse
from dissensus.judges.simulated_selection import measures_of
from dissensus.simulation.indeterminate_experiment import (
    FULLY_SPECIFIED,
    TAUS,
    UNDERSPECIFIED,
    Seen,
    consistency,
    seen_of,
    selected_consistency,
)
from dissensus.simulation.indeterminate_population import Indeterminacy, draw_population
from dissensus.simulation.indeterminate_samples import oracle_marginals, sample_choices, sample_pairs

EVERY = (*FULLY_SPECIFIED, *UNDERSPECIFIED)
SELECTING = ("hit_rate", "kl_human_judge", "jsd", "mse_response_set")
RANDOM = ((0.0, 0.0),)
ASYMMETRIC = ((-1.0, 2.0), (2.0, -1.0))
"""Pairs of people's and judges' gamma, averaged; below 0 is negative."""


def mean_of(rows):
    return {name: float(np.nanmean([row[name] for row in rows])) for name in rows[0]}


def over_designs(run, tasks, gammas, *, seed, trials, **design):
    """Mean of run(design, stream) over tasks, pairs of gammas and trials."""
    designs = [
        Indeterminacy(n_options=options, n_sets=sets, gamma=people, judge_gamma=judges, **design)
        for people, judges in gammas
        for options, sets in tasks
        for _ in range(trials)
    ]
    streams = np.random.default_rng(seed).spawn(len(designs))
    return mean_of([run(one, stream) for one, stream in zip(designs, streams, strict=True)])


def selection(tasks, gammas, *, ratings, seed, trials=3):
    """Consistency of the judge that each measure selects."""
    measures = measures_of(SELECTING)
    return over_designs(
        lambda design, stream: selected_consistency(design, measures, ratings=ratings, rng=stream),
        tasks,
        gammas,
        seed=seed,
        trials=trials,
    )


def spearman(first, second):
    """Rank correlation; NaN if one side is constant."""
    first, second = np.asarray(first), np.asarray(second)
    defined = np.isfinite(first) & np.isfinite(second)
    if min(np.ptp(first[defined], axis=0), np.ptp(second[defined], axis=0)) == 0:
        return np.nan
    return float(spearmanr(first[defined], second[defined]).statistic)


def rank_correlations(tasks, gammas, *, seed, trials=3):
    """Spearman between each measure and consistency at a threshold, for populations; mean over thresholds."""
    measures = measures_of(["hit_rate", "fleiss_kappa", "cohen_kappa", "jsd", "mse_response_set"])

    def run(design, stream):
        population = draw_population(design, rng=stream)
        seen = seen_of(population, None, stream)
        achieved = [consistency(population, tau) for tau in TAUS]
        values = {name: measure(seen) for name, measure in measures.items()}
        return {name: np.nanmean([spearman(value, of) for of in achieved]) for name, value in values.items()}

    return over_designs(run, tasks, gammas, seed=seed, trials=trials)


def rank_correlations_under_error(tasks, gammas, *, seed, trials=3):
    """Spearman of each measure's values with and without people's error, for populations (Figure 11)."""
    measures = measures_of(["hit_rate", "jsd", "mse_response_set"])

    def run(design, stream):
        population = draw_population(design, rng=stream)
        judges = {"judge_soft": population.judge_soft, "judge_marginals": population.judge_marginals}
        wrong = Seen(soft=population.soft, marginals=population.marginals, **judges)
        right = Seen(soft=population.stable_soft, marginals=population.stable_marginals, **judges)
        return {name: spearman(measure(wrong), measure(right)) for name, measure in measures.items()}

    return over_designs(run, tasks, gammas, seed=seed, trials=trials, error=0.5, skew=1.0)


def misleading_people(tasks, gammas, *, ratings, seed, trials=3):
    """Decisions of few ratings against the population's, and prevalence by choices less that by sets (Figure 6)."""

    def run(design, stream):
        population = draw_population(design, judges=0, rng=stream)
        estimated = oracle_marginals(population, sample_choices(population.soft, ratings, stream))
        truth = population.marginals[:, 0]
        same = [np.mean((estimated[:, 0] >= tau - 1e-12) == (truth >= tau - 1e-12)) for tau in TAUS]
        gap = np.mean(population.soft[:, 0] >= 0.5) - np.mean(truth >= 0.5)
        return {"same_decisions": np.mean(same), "prevalence_gap": gap}

    return over_designs(run, tasks, gammas, seed=seed, trials=trials)


def omega_errors(tasks, gammas, *, ratings, pairs, seed, trials=3):
    """Root mean squared error of the positive option's Omega: forced choices as they are, pooled F', the oracle's."""

    def run(design, stream):
        population = draw_population(design, judges=0, rng=stream)
        soft = sample_choices(population.soft, ratings, stream)
        reverse = pooled_reverse(*sample_pairs(population, pairs, stream), population.members)
        estimates = {
            "naive": soft,
            "pooled": apply_reverse(soft, reverse, population.members),
            "oracle": oracle_marginals(population, soft),
        }
        apart = {name: (of - population.marginals)[:, 0] for name, of in estimates.items()}
        return {name: np.sqrt(np.mean(difference**2)) for name, difference in apart.items()}

    return over_designs(run, tasks, gammas, seed=seed, trials=trials)


def differing_judges(tasks, gammas, *, ratings, pairs, seed, trials=1):
    """Spearman with consistency over all thresholds, where each judge has a gamma of its own."""
    measures = measures_of(SELECTING)

    def run(design, stream):
        population = draw_population(design, rng=stream)
        soft = sample_choices(population.soft, ratings, stream)
        reverse = pooled_reverse(*sample_pairs(population, pairs, stream), population.members)
        seen = Seen(
            soft=soft,
            marginals=apply_reverse(soft, reverse, population.members),
            judge_soft=population.judge_soft,
            judge_marginals=population.judge_marginals,
        )
        achieved = np.mean([consistency(population, tau) for tau in TAUS], axis=0)
        return {name: spearman(measure(seen), achieved) for name, measure in measures.items()}

    return over_designs(run, tasks, gammas, seed=seed, trials=trials)
