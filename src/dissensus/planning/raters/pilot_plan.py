"""Planning from a pilot: fit it, say what it leaves open, and refuse where it cannot tell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.special import ndtri

from dissensus.errors import RatingsError, counted
from dissensus.planning.raters.nodes import Floats
from dissensus.planning.raters.pilot_confirm import Model, simulated_power
from dissensus.planning.raters.pilot_data import Pilot
from dissensus.planning.raters.pilot_fit import HERMITE_POINTS, fit_pilot, resampled_weights
from dissensus.planning.raters.predicting import FromMoments, Pair, row_of
from dissensus.planning.raters.question import Question
from dissensus.planning.raters.result import Design, PilotFindings
from dissensus.planning.raters.spreads import DRAWS, spreads_of

FAR_OFF = 0.1
"""A simulated power this far below the one asked for does not confirm a design."""
MOST_TRIED = 8
"""So many designs are simulated before the cheapest is recommended with a warning."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedPilot:
    """A pilot and the predictor that was made of it."""

    pilot: Pilot
    predictor: FromMoments
    typical_raters: int


def fitted(pilot: Pilot, question: Question, rng: Generator) -> FittedPilot:
    """The pilot, fitted with its bootstrap samples; an error says why it cannot serve."""
    _check_judges_differ(pilot)
    weights = resampled_weights(pilot.n_items, question.bootstrap, rng)
    nodes = fit_pilot(pilot, spreads_of(pilot), weights)
    predictor = FromMoments(nodes=nodes, metric=question.metric, alpha=question.alpha)
    found = FittedPilot(pilot=pilot, predictor=predictor, typical_raters=int(np.median(pilot.people.size)))
    _check_direction(found, question)
    return found


def _check_judges_differ(pilot: Pilot) -> None:
    if np.array_equal(pilot.a.mean, pilot.b.mean):
        a, b = pilot.names
        raise RatingsError(
            f"The pilot cannot tell: {a} and {b} answer the same on each of its {counted(pilot.n_items, 'item')}. "
            "Check that they are two judges, or give a larger pilot."
        )


def _check_direction(found: FittedPilot, question: Question) -> None:
    """Refuse if the pilot does not say which judge is nearer to people."""
    pair = _own_pair(found, question)
    effects = found.predictor.effects(pair)
    a, b = found.pilot.names
    other = share_other(effects)
    if other > 1 - question.power:
        raise RatingsError(
            f"The pilot cannot tell which of {a} and {b} is nearer to people: in {other:.0%} of its bootstrap samples "
            f"it is the other one, so no design is known to reach power {question.power:g}. Give a larger pilot."
        )


def share_other(effects: Floats) -> float:
    """Share of the bootstrap samples in which the other judge is the better one; 0 without any."""
    return float(np.mean(np.sign(effects[1:]) != np.sign(effects[0]))) if len(effects) > 1 else 0.0


def _own_pair(found: FittedPilot, question: Question) -> Pair:
    """The pilot's own numbers of raters and samples."""
    return found.typical_raters, question.machine_samples or found.typical_raters


def confirmed(
    found: FittedPilot, question: Question, designs: Sequence[Design], rng: Generator
) -> tuple[Design | None, float]:
    """The first design whose power is there in simulated data, and that power; the first of all if none's is.

    Parameters
    ----------
    designs : sequence of Design
        Those that should reach the power, the cheapest first.
    """
    nodes = row_of(found.predictor.nodes, 0)
    model = Model(pilot=found.pilot, nodes=nodes, per_item=DRAWS * HERMITE_POINTS**2)
    tried: list[tuple[Design, float]] = []
    for design in designs[:MOST_TRIED]:
        power = simulated_power(model, design, metric=question.metric, alpha=question.alpha, rng=rng)
        if power >= question.power - FAR_OFF:
            return design, power
        tried.append((design, power))
    return tried[0] if tried else (None, math.nan)


def findings(
    found: FittedPilot, question: Question, best: Design | None, simulated: float
) -> tuple[PilotFindings, list[str]]:
    """What the pilot says, and what is to be warned of."""
    pair = _own_pair(found, question) if best is None else (best.raters, best.machine_samples)
    effects = found.predictor.effects(pair)
    quartiles = np.quantile(row_of(found.predictor.nodes, 0).people, [0.25, 0.5, 0.75])
    low, high = _needed_interval(found, question, pair)
    a, b = found.pilot.names
    pilot = PilotFindings(
        items=found.pilot.n_items,
        a=a,
        b=b,
        better=a if effects[0] > 0 else b,
        share_other=share_other(effects),
        spread_low=float(quartiles[0]),
        spread=float(quartiles[1]),
        spread_high=float(quartiles[2]),
        items_low=low,
        items_high=high,
        simulated_power=simulated,
    )
    return pilot, _doubts(found, question, best, simulated)


def _doubts(found: FittedPilot, question: Question, best: Design | None, simulated: float) -> list[str]:
    said = []
    if best is not None and simulated < question.power - FAR_OFF:
        said.append(
            f"In data simulated from a model of the pilot the recommended design has power {simulated:.2f}, less than "
            f"the {best.power:.2f} predicted: responses are far from normal. Take more items than recommended."
        )
    if not found.pilot.is_sampled:
        said.append(
            "The judges answered each item once, so how much their answers vary is unknown: the plan takes them to "
            "answer the same again."
        )
    return said


def _needed_interval(found: FittedPilot, question: Question, pair: Pair) -> tuple[float, float]:
    """Interval on the items needed with so many raters, from the bootstrap samples; NaN where there is no bound."""
    if question.bootstrap == 0:
        return np.nan, np.nan
    moments = found.predictor.possible(pair)
    effects = found.predictor.effects(pair)
    z, reach = -ndtri(question.alpha / 2), ndtri(question.power)
    with np.errstate(divide="ignore", invalid="ignore"):
        if question.metric == "wins":
            decided = np.maximum(1 - moments.tied, 1e-12)
            lead = np.abs(moments.margin) / decided
            needed = ((z + reach * np.sqrt(np.maximum(1 - lead**2, 0))) / lead) ** 2 / decided
        else:
            needed = ((z + reach) ** 2) * moments.variance / moments.mean**2
    needed = np.where(np.sign(effects) == np.sign(effects[0]), needed, np.inf)[1:]
    tail = (1 - question.confidence) / 2
    low, high = np.quantile(needed, [tail, 1 - tail], method="nearest")
    return _whole(low), _whole(high)


def _whole(bound: float) -> float:
    return float(np.ceil(bound)) if np.isfinite(bound) else np.nan
