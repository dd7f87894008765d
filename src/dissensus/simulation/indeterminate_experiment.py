"""The paper's selection experiment: how well does the judge do that a measure selects?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dissensus.simulation.indeterminate_population import Indeterminacy, Population, draw_population
from dissensus.simulation.indeterminate_samples import oracle_marginals, sample_choices
from dissensus.simulation.probabilities import Floats

FULLY_SPECIFIED = ((3, 3), (4, 4), (5, 5), (6, 6))
UNDERSPECIFIED = ((2, 3), (3, 5), (3, 7), (4, 7), (4, 8), (4, 10), (4, 12), (5, 8), (5, 12), (5, 20))
"""Numbers of options and of response sets."""

TAUS = (0.3, 0.5, 0.7)
SLACK = 1e-12
"""Rounding: a share this close to a threshold reaches it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """What a measure is computed from.

    Attributes
    ----------
    soft, marginals : ndarray of shape (n_items, n_options)
        People's forced choices, and how often they endorse each option, as estimated.
    judge_soft, judge_marginals : ndarray of shape (n_judges, n_items, n_options)
        The judges', without sampling error.
    """

    soft: Floats
    marginals: Floats
    judge_soft: Floats
    judge_marginals: Floats


Measure = Callable[[Seen], Floats]
"""One value per judge, of shape (n_judges,); higher is better."""


def seen_of(population: Population, ratings: int | None, rng: Generator) -> Seen:
    """So many forced choices per item, and Omega through the oracle's F' and E'; without ratings, the population."""
    soft = population.soft if ratings is None else sample_choices(population.soft, ratings, rng)
    return Seen(
        soft=soft,
        marginals=oracle_marginals(population, soft),
        judge_soft=population.judge_soft,
        judge_marginals=population.judge_marginals,
    )


def consistency(population: Population, tau: float) -> Floats:
    """Share of the items that each judge and error-free people put on the same side of tau, of shape (n_judges,).

    Decided on the first option's share of response sets.
    """
    people = population.stable_marginals[:, 0] >= tau - SLACK
    judges = population.judge_marginals[:, :, 0] >= tau - SLACK
    return np.asarray((judges == people).mean(axis=1))


def selected_consistency(
    design: Indeterminacy,
    measures: Mapping[str, Measure],
    *,
    ratings: int | None = 1,
    taus: Sequence[float] = TAUS,
    items: int = 100,
    judges: int = 50,
    rng: int | Generator | None = None,
) -> dict[str, float]:
    """Decision consistency of the judge that each measure selects, averaged over thresholds.

    Parameters
    ----------
    design : Indeterminacy
        How people and judges rate.
    measures : mapping of str to Measure
        By what to select.
    ratings : int, optional
        Forced choices per item; None is a population of people.
    taus : sequence of float
        Thresholds of the decision.
    items, judges : int
        How many.
    rng : int or Generator, optional
        Seed.

    Returns
    -------
    dict from str to float
        One entry for each measure, and `best` for the judge that does best on average.

    Examples
    --------
    >>> found = selected_consistency(Indeterminacy(), {"truth": lambda seen: -((seen.judge_marginals - seen.marginals)
    ...                              ** 2).sum(axis=(1, 2))}, ratings=None, rng=0)
    >>> found["best"] >= found["truth"] > 0.9
    True
    """
    stream = np.random.default_rng(rng)
    population = draw_population(design, items=items, judges=judges, rng=stream)
    seen = seen_of(population, ratings, stream)
    achieved = np.mean([consistency(population, tau) for tau in taus], axis=0)
    chosen = {name: float(achieved[best_judge(measure(seen))]) for name, measure in measures.items()}
    return chosen | {"best": float(achieved.max())}


def best_judge(values: Floats) -> int:
    """The judge with the highest value, the first one of those that tie; a judge without a value is never it.

    Examples
    --------
    >>> best_judge(np.array([np.nan, 0.5, 0.7, 0.7]))
    2
    """
    return int(np.argmax(np.where(np.isnan(values), -np.inf, values)))
