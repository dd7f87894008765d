"""The experiments behind the figures of "Judges without gold labels": each for one seed, on one stream per trial."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, wraps

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
from dissensus.methods.reproduce.claims import spearman
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
    """The definitions with these ids, such as jsd, each as a measure of which higher is better.

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
        items=np.full((1, 1), float(len(people))), agreement=(judge * people).sum(axis=2).mean(axis=1)[None, :],
        judge=judge.mean(axis=1)[None, :, :], people=people.mean(axis=0)[None, None, :],
    )  # fmt: skip
    return np.asarray(definition.sign * COEFFICIENTS[definition.name](margins)[0])


Tasks = Sequence[tuple[int, int]]
Gammas = Sequence[tuple[float, float | tuple[float, float]]]
"""Pairs of people's and judges' gamma, averaged; below 0 is negative. A judge's may be a range."""
Means = dict[str, float]

EVERY: Tasks = (*FULLY_SPECIFIED, *UNDERSPECIFIED)
SELECTING = ("hit_rate", "kl_human_judge", "jsd", "mse_response_set")
RANKING = ("hit_rate", "fleiss_kappa", "cohen_kappa", "jsd", "mse_response_set")
RANDOM: Gammas = ((0.0, 0.0),)
ASYMMETRIC: Gammas = ((-1.0, 2.0), (2.0, -1.0))
SYMMETRIC: Gammas = ((1.0, 2.0), (-2.0, -1.0))
POSITIVE: Gammas = ((1.0, 1.0),)


def mean_of(rows: Iterable[Mapping[str, float]]) -> Means:
    """The mean of each entry, of those that are defined."""
    every = list(rows)
    return {name: float(np.nanmean([row[name] for row in every])) for name in every[0]}


def experiment(run: Callable[..., Mapping[str, float]]) -> Callable[..., Means]:
    """From what a population gives, run(design, stream), to its mean over tasks, pairs of gammas and trials."""

    @wraps(run)
    def over_designs(
        tasks: Tasks, gammas: Gammas, *, seed: int, trials: int = 3, error: float = 0.0, skew: float = 0.0,
        **settings: int,
    ) -> Means:  # fmt: skip
        designs = [
            Indeterminacy(n_options=options, n_sets=sets, gamma=people, judge_gamma=judges, error=error, skew=skew)
            for people, judges in gammas
            for options, sets in tasks
            for _ in range(trials)
        ]
        streams = np.random.default_rng(seed).spawn(len(designs))
        return mean_of([run(one, stream, **settings) for one, stream in zip(designs, streams, strict=True)])

    return over_designs


@experiment
def selection(design: Indeterminacy, stream: Generator, *, ratings: int) -> Means:
    """Consistency of the judge that each measure selects (Figures 4, 10 and 13)."""
    return selected_consistency(design, measures_of(SELECTING), ratings=ratings, rng=stream)


@experiment
def rank_correlations(design: Indeterminacy, stream: Generator) -> Means:
    """Spearman between each measure and consistency at a threshold, for populations; mean over thresholds (5, 14)."""
    population = draw_population(design, rng=stream)
    seen = seen_of(population, None, stream)
    achieved = [consistency(population, tau) for tau in TAUS]
    values = {name: measure(seen) for name, measure in measures_of(RANKING).items()}
    return {name: float(np.nanmean([spearman(value, of) for of in achieved])) for name, value in values.items()}


@experiment
def rank_correlations_under_error(design: Indeterminacy, stream: Generator) -> Means:
    """Spearman of each measure's values with and without people's error, for populations (Figure 11)."""
    population = draw_population(design, rng=stream)
    wrong = _seen(population, population.soft, population.marginals)
    right = _seen(population, population.stable_soft, population.stable_marginals)
    measures = measures_of(("hit_rate", "jsd", "mse_response_set"))
    return {name: spearman(measure(wrong), measure(right)) for name, measure in measures.items()}


def _seen(population: Population, soft: Floats, marginals: Floats) -> Seen:
    judge_soft, judge_marginals = population.judge_soft, population.judge_marginals
    return Seen(soft=soft, marginals=marginals, judge_soft=judge_soft, judge_marginals=judge_marginals)


def _is_positive(shares: Floats, tau: float) -> Floats:
    return np.asarray(shares[:, 0] >= tau - SLACK)


@experiment
def misleading_people(design: Indeterminacy, stream: Generator, *, ratings: int) -> Means:
    """Decisions of few ratings against the population's, and prevalences that differ (Figures 6 and 15).

    `same_decisions` (and at each threshold: `same_decisions_0.3`), `few_ratings_gap_0.3` (prevalence of few ratings
    less that of the population), and `prevalence_gap` (by forced choices less by response sets, at .5).
    """
    population = draw_population(design, judges=0, rng=stream)
    estimated = oracle_marginals(population, sample_choices(population.soft, ratings, stream))
    few = {tau: _is_positive(estimated, tau) for tau in TAUS}
    truth = {tau: _is_positive(population.marginals, tau) for tau in TAUS}
    same = {f"same_decisions_{tau}": float(np.mean(few[tau] == truth[tau])) for tau in TAUS}
    gaps = {f"few_ratings_gap_{tau}": float(few[tau].mean() - truth[tau].mean()) for tau in TAUS}
    gap = _is_positive(population.soft, 0.5).mean() - truth[0.5].mean()
    return same | gaps | {"same_decisions": float(np.mean(list(same.values()))), "prevalence_gap": float(gap)}


@experiment
def prevalence_bias(design: Indeterminacy, stream: Generator) -> Means:
    """Prevalence by forced choices with error less that by response sets without (Figure 12), mean over thresholds."""
    population = draw_population(design, judges=0, rng=stream)
    gaps = [
        _is_positive(population.soft, tau).mean() - _is_positive(population.stable_marginals, tau).mean()
        for tau in TAUS
    ]
    return {"bias": float(np.mean(gaps))}


@experiment
def omega_errors(design: Indeterminacy, stream: Generator, *, ratings: int, pairs: int) -> Means:
    """Root mean squared error of the positive option's Omega: forced choices as they are, pooled F', the oracle's."""
    population = draw_population(design, judges=0, rng=stream)
    soft = sample_choices(population.soft, ratings, stream)
    estimates = {
        "naive": soft,
        "pooled": _paired_marginals(population, soft, pairs, stream),
        "oracle": oracle_marginals(population, soft),
    }
    apart = {name: (of - population.marginals)[:, 0] for name, of in estimates.items()}
    return {name: float(np.sqrt(np.mean(difference**2))) for name, difference in apart.items()}


def _paired_marginals(population: Population, soft: Floats, pairs: int, stream: Generator) -> Floats:
    """Omega through F' estimated from raters who gave both."""
    reverse = pooled_reverse(*sample_pairs(population, pairs, stream), population.members)
    return apply_reverse(soft, reverse, population.members)


@experiment
def differing_judges(design: Indeterminacy, stream: Generator, *, ratings: int, pairs: int) -> Means:
    """Spearman with consistency over all thresholds, where each judge has a gamma of its own."""
    population = draw_population(design, rng=stream)
    soft = sample_choices(population.soft, ratings, stream)
    seen = _seen(population, soft, _paired_marginals(population, soft, pairs, stream))
    achieved = np.mean([consistency(population, tau) for tau in TAUS], axis=0)
    return {name: spearman(measure(seen), achieved) for name, measure in measures_of(SELECTING).items()}
