"""The truth behind simulated indeterminate ratings, as plain values for a file beside them."""

import json
import string
from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np

from dissensus.ratings.labels import SEPARATOR
from dissensus.results import Result
from dissensus.simulation.indeterminate_experiment import SLACK, TAUS, consistency
from dissensus.simulation.indeterminate_model import selection_effect
from dissensus.simulation.indeterminate_population import Indeterminacy, Population
from dissensus.simulation.probabilities import Floats

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
