"""The experiments behind the figures of "Judges without gold labels": each for one seed, on one stream per trial."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.errors import OptionError
from dissensus.methods.judges.definitions import (
    COEFFICIENTS,
    PER_ITEM,
    Definition,
    Margins,
    RatingVectors,
    definitions_at,
)
from dissensus.methods.judges.reverse_matrix import apply_reverse, pooled_reverse
from dissensus.methods.reproduce.rank_correlation import spearman
from dissensus.simulation.indeterminate import (
    FULLY_SPECIFIED,
    SLACK,
    TAUS,
    UNDERSPECIFIED,
    Measure,
    Seen,
    consistency,
    seen_of,
    selected_consistency,
)
from dissensus.simulation.indeterminate_model import (
    Indeterminacy,
    Population,
    draw_population,
    oracle_marginals,
    sample_choices,
    sample_pairs,
)


def measures_of(ids: Iterable[str], *, tau: float = 0.5) -> dict[str, Measure]:
    """The definitions with these ids, each as a measure of which higher is better.

    Parameters
    ----------
    ids : iterable of str
        Such as hit_rate, jsd or mse_response_set.
    tau : float
        Threshold of hard response sets.

    Examples
    --------
    >>> from dissensus.simulation.indeterminate import selected_consistency
    >>> from dissensus.simulation.indeterminate_model import Indeterminacy
    >>> found = selected_consistency(Indeterminacy(), measures_of(["mse_response_set"]), ratings=100, rng=0)
    >>> found["mse_response_set"] > 0.9
    True
    """
    known = {definition.id: definition for definition in definitions_at([tau])}
    wanted = list(ids)
    for name in wanted:
        if name not in known:
            raise OptionError.unknown("A definition", name, known)
    return {name: partial(_values, known[name]) for name in wanted}


def _values(definition: Definition, seen: Seen) -> Floats:
    """Each judge's value, of shape (n_judges,), the better the higher; NaN where undefined."""
    people = RatingVectors(soft=seen.soft, marginals=seen.marginals).aggregated(definition.human, definition.tau)
    judges = RatingVectors(soft=seen.judge_soft, marginals=seen.judge_marginals)
    judge = judges.aggregated(definition.judge, definition.tau)
    if definition.name not in COEFFICIENTS:
        return np.asarray(definition.sign * PER_ITEM[definition.name](judge, people).mean(axis=1))
    margins = Margins(
        items=np.full((1, 1), float(len(people))),
        agreement=(judge * people).sum(axis=2).mean(axis=1)[None, :],
        judge=judge.mean(axis=1)[None, :, :],
        people=people.mean(axis=0)[None, None, :],
    )
    return np.asarray(definition.sign * COEFFICIENTS[definition.name](margins)[0])


# ---- The experiments behind the figures of "Judges without gold labels": each for one seed, on one stream per trial

Tasks = Sequence[tuple[int, int]]
Gammas = Sequence[tuple[float, float | tuple[float, float]]]
"""Pairs of people's and judges' gamma, averaged; below 0 is negative. A judge's may be a range."""
Found = dict[str, float]
Run = Callable[[Indeterminacy, Generator], Mapping[str, float]]

EVERY: Tasks = (*FULLY_SPECIFIED, *UNDERSPECIFIED)
SELECTING = ("hit_rate", "kl_human_judge", "jsd", "mse_response_set")
RANKING = ("hit_rate", "fleiss_kappa", "cohen_kappa", "jsd", "mse_response_set")
RANDOM: Gammas = ((0.0, 0.0),)
ASYMMETRIC: Gammas = ((-1.0, 2.0), (2.0, -1.0))
SYMMETRIC: Gammas = ((1.0, 2.0), (-2.0, -1.0))
POSITIVE: Gammas = ((1.0, 1.0),)


def mean_of(rows: Iterable[Mapping[str, float]]) -> Found:
    """The mean of each entry, of those that are defined."""
    every = list(rows)
    return {name: float(np.nanmean([row[name] for row in every])) for name in every[0]}


def over_designs(
    run: Run, tasks: Tasks, gammas: Gammas, *, seed: int, trials: int, error: float = 0.0, skew: float = 0.0
) -> Found:
    """Mean of run(design, stream) over tasks, pairs of gammas and trials."""
    designs = [
        Indeterminacy(n_options=options, n_sets=sets, gamma=people, judge_gamma=judges, error=error, skew=skew)
        for people, judges in gammas
        for options, sets in tasks
        for _ in range(trials)
    ]
    streams = np.random.default_rng(seed).spawn(len(designs))
    return mean_of([run(one, stream) for one, stream in zip(designs, streams, strict=True)])


def selection(
    tasks: Tasks, gammas: Gammas, *, ratings: int, seed: int, trials: int = 3, error: float = 0.0, skew: float = 0.0
) -> Found:
    """Consistency of the judge that each measure selects (Figures 4, 10 and 13)."""
    measures = measures_of(SELECTING)
    return over_designs(
        lambda design, stream: selected_consistency(design, measures, ratings=ratings, rng=stream),
        tasks,
        gammas,
        seed=seed,
        trials=trials,
        error=error,
        skew=skew,
    )


def rank_correlations(tasks: Tasks, gammas: Gammas, *, seed: int, trials: int = 3) -> Found:
    """Spearman between each measure and consistency at a threshold, for populations; mean over thresholds (5, 14)."""
    measures = measures_of(RANKING)

    def run(design: Indeterminacy, stream: Generator) -> Found:
        population = draw_population(design, rng=stream)
        seen = seen_of(population, None, stream)
        achieved = [consistency(population, tau) for tau in TAUS]
        values = {name: measure(seen) for name, measure in measures.items()}
        return {name: float(np.nanmean([spearman(value, of) for of in achieved])) for name, value in values.items()}

    return over_designs(run, tasks, gammas, seed=seed, trials=trials)


def rank_correlations_under_error(
    tasks: Tasks, gammas: Gammas, *, seed: int, trials: int = 3, error: float = 0.5, skew: float = 1.0
) -> Found:
    """Spearman of each measure's values with and without people's error, for populations (Figure 11)."""
    measures = measures_of(["hit_rate", "jsd", "mse_response_set"])

    def run(design: Indeterminacy, stream: Generator) -> Found:
        population = draw_population(design, rng=stream)
        judge_soft, judge_marginals = population.judge_soft, population.judge_marginals
        wrong = _seen(population.soft, population.marginals, judge_soft, judge_marginals)
        right = _seen(population.stable_soft, population.stable_marginals, judge_soft, judge_marginals)
        return {name: spearman(measure(wrong), measure(right)) for name, measure in measures.items()}

    return over_designs(run, tasks, gammas, seed=seed, trials=trials, error=error, skew=skew)


def _seen(soft: Floats, marginals: Floats, judge_soft: Floats, judge_marginals: Floats) -> Seen:
    return Seen(soft=soft, marginals=marginals, judge_soft=judge_soft, judge_marginals=judge_marginals)


def _is_positive(shares: Floats, tau: float) -> Floats:
    return np.asarray(shares[:, 0] >= tau - SLACK)


def misleading_people(tasks: Tasks, gammas: Gammas, *, ratings: int, seed: int, trials: int = 3) -> Found:
    """Decisions of few ratings against the population's, and prevalences that differ (Figures 6 and 15).

    Returns
    -------
    dict from str to float
        `same_decisions` (and at each threshold: `same_decisions_0.3`), `few_ratings_gap_0.3` (prevalence of few ratings
        less that of the population), and `prevalence_gap` (by forced choices less by response sets, at .5).
    """

    def run(design: Indeterminacy, stream: Generator) -> Found:
        population = draw_population(design, judges=0, rng=stream)
        estimated = oracle_marginals(population, sample_choices(population.soft, ratings, stream))
        few = {tau: _is_positive(estimated, tau) for tau in TAUS}
        truth = {tau: _is_positive(population.marginals, tau) for tau in TAUS}
        same = {f"same_decisions_{tau}": float(np.mean(few[tau] == truth[tau])) for tau in TAUS}
        gaps = {f"few_ratings_gap_{tau}": float(few[tau].mean() - truth[tau].mean()) for tau in TAUS}
        gap = _is_positive(population.soft, 0.5).mean() - truth[0.5].mean()
        return same | gaps | {"same_decisions": float(np.mean(list(same.values()))), "prevalence_gap": float(gap)}

    return over_designs(run, tasks, gammas, seed=seed, trials=trials)


def prevalence_bias(tasks: Tasks, gammas: Gammas, *, seed: int, error: float, skew: float, trials: int = 3) -> Found:
    """Prevalence by forced choices with error less that by response sets without (Figure 12), mean over thresholds."""

    def run(design: Indeterminacy, stream: Generator) -> Found:
        population = draw_population(design, judges=0, rng=stream)
        gaps = [
            _is_positive(population.soft, tau).mean() - _is_positive(population.stable_marginals, tau).mean()
            for tau in TAUS
        ]
        return {"bias": float(np.mean(gaps))}

    return over_designs(run, tasks, gammas, seed=seed, trials=trials, error=error, skew=skew)


def omega_errors(tasks: Tasks, gammas: Gammas, *, ratings: int, pairs: int, seed: int, trials: int = 3) -> Found:
    """Root mean squared error of the positive option's Omega: forced choices as they are, pooled F', the oracle's."""

    def run(design: Indeterminacy, stream: Generator) -> Found:
        population = draw_population(design, judges=0, rng=stream)
        soft = sample_choices(population.soft, ratings, stream)
        estimates = {
            "naive": soft,
            "pooled": _paired_marginals(population, soft, pairs, stream),
            "oracle": oracle_marginals(population, soft),
        }
        apart = {name: (of - population.marginals)[:, 0] for name, of in estimates.items()}
        return {name: float(np.sqrt(np.mean(difference**2))) for name, difference in apart.items()}

    return over_designs(run, tasks, gammas, seed=seed, trials=trials)


def _paired_marginals(population: Population, soft: Floats, pairs: int, stream: Generator) -> Floats:
    """Omega through F' estimated from raters who gave both."""
    reverse = pooled_reverse(*sample_pairs(population, pairs, stream), population.members)
    return apply_reverse(soft, reverse, population.members)


def differing_judges(tasks: Tasks, gammas: Gammas, *, ratings: int, pairs: int, seed: int, trials: int = 1) -> Found:
    """Spearman with consistency over all thresholds, where each judge has a gamma of its own."""
    measures = measures_of(SELECTING)

    def run(design: Indeterminacy, stream: Generator) -> Found:
        population = draw_population(design, rng=stream)
        soft = sample_choices(population.soft, ratings, stream)
        marginals = _paired_marginals(population, soft, pairs, stream)
        seen = _seen(soft, marginals, population.judge_soft, population.judge_marginals)
        achieved = np.mean([consistency(population, tau) for tau in TAUS], axis=0)
        return {name: spearman(measure(seen), achieved) for name, measure in measures.items()}

    return over_designs(run, tasks, gammas, seed=seed, trials=trials)
