"""The paper's selection experiment: how well does the judge do that a measure selects?"""

import json
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data.labels import SEPARATOR
from dissensus.results import Result
from dissensus.simulation.indeterminate_model import selection_effect
from dissensus.simulation.indeterminate_population import (
    Indeterminacy,
    Population,
    draw_population,
    oracle_marginals,
    sample_choices,
)

# ---- The paper's selection experiment: how well does the judge do that a measure selects?

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


# ---- The truth behind simulated indeterminate ratings, as plain values for a file beside them

DECIMALS = 6
"""Rounded, so that the same truth is the same file on every machine."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndeterminateTruth:
    """From what the data were drawn.

    Attributes
    ----------
    design : Indeterminacy
        How people and judges rate.
    population : Population
        Everybody's rating distributions.
    items, judges : tuple of str
        Names.
    """

    design: Indeterminacy
    population: Population
    items: tuple[str, ...]
    judges: tuple[str, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """A, B, C, ...; A is the positive one."""
        return tuple(string.ascii_uppercase[: self.design.n_options])

    @property
    def response_sets(self) -> tuple[str, ...]:
        """The sets that a rater may give, as labels."""
        return tuple(
            SEPARATOR.join(self.options[i] for i in np.flatnonzero(row).tolist()) for row in self.population.members
        )

    def rows(self) -> list[dict[str, object]]:
        """One row per judge: how far it is from people, its selection effect, how often it decides as they do."""
        decided = {tau: consistency(self.population, tau) for tau in TAUS}
        squared = self._squared_errors()
        return [
            {
                "judge": name,
                "sigma": _plain(self.population.sigma[i]),
                "gamma": _plain(self.population.gamma[i]),
                "mse_response_set": _plain(squared[i]),
                **{f"consistency_{tau:g}": _plain(values[i]) for tau, values in decided.items()},
            }
            for i, name in enumerate(self.judges)
        ]

    def _squared_errors(self) -> Floats:
        apart = self.population.judge_marginals - self.population.stable_marginals
        return np.asarray((apart**2).sum(axis=2).mean(axis=1))

    def prevalence(self) -> dict[str, dict[str, float]]:
        """Share of the items that are positive at each threshold, by response sets and by forced choices."""
        shares = {"response_set": self.population.stable_marginals[:, 0], "forced_choice": self.population.soft[:, 0]}
        return {name: {f"{tau:g}": _plain((of >= tau - SLACK).mean()) for tau in TAUS} for name, of in shares.items()}

    def selection(self) -> float:
        """Gamma of people: how much likelier than by chance A is chosen from a set that has it; mean over items."""
        return _plain(selection_effect(self.population.choice, self.population.members).mean())

    def as_dict(self) -> dict[str, object]:
        """The design, what is true of people and of each judge, and the distributions of each item."""
        of_item = {
            "stable": self.population.stable,
            "forced_choices": self.population.soft,
            "endorsements": self.population.stable_marginals,
        }
        return {
            "design": asdict(self.design),
            "options": list(self.options),
            "positive": [self.options[0]],
            "response_sets": list(self.response_sets),
            "selection_effect": self.selection(),
            "prevalence": self.prevalence(),
            "error": self.population.error.round(DECIMALS).tolist(),
            "judges": self.rows(),
            "items": {
                item: {name: (values[i].round(DECIMALS) + 0.0).tolist() for name, values in of_item.items()}
                for i, item in enumerate(self.items)
            },
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True, kw_only=True)
class IndeterminateResult(Result):
    """What was simulated: the truth behind the data that were written."""

    command: ClassVar[str] = "simulate"

    truth: IndeterminateTruth

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return self.truth.as_dict()

    def rows(self) -> list[dict[str, object]]:
        """One row per judge."""
        return self.truth.rows()


def _plain(value: float) -> float:
    return round(float(value), DECIMALS) + 0.0
