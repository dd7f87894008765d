"""Planning from a pilot: fit it, say what it leaves open, and refuse where it cannot tell."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.errors import RatingsError, counted
from dissensus.methods.plan_raters.designs import Pair, design_of, sufficient
from dissensus.methods.plan_raters.options import FEWEST_ITEMS, Question
from dissensus.methods.plan_raters.pilot_data import Pilot, check_metric
from dissensus.methods.plan_raters.pilot_fit import FittedPilot, fit, simulated_power
from dissensus.methods.plan_raters.result import Design, PilotFindings
from dissensus.methods.plan_raters.vectors import spreads_of, vectors_of

FAR_OFF = 0.1
"""A simulated power this far below the one asked for does not confirm a design."""
LARGER = (1.15, 1.3, 1.5, 1.75, 2.0)
"""By how much a design is enlarged whose power is not there in simulated data."""
MOST_TRIED = 8
"""So many designs are simulated before the cheapest is recommended with a warning."""


def fitted(pilot: Pilot, question: Question, rng: Generator) -> FittedPilot:
    """The pilot, fitted with its bootstrap samples; an error says why it cannot serve."""
    check_metric(pilot, question.metric)
    _check_judges_differ(pilot, question.metric)
    found = fit(pilot, question, rng)
    _check_direction(found, question)
    return found


def _check_judges_differ(pilot: Pilot, metric: str) -> None:
    if pilot.is_measured:
        means = [pilot.a.mean, pilot.b.mean]
    else:
        vectors = vectors_of(pilot, metric).judges
        means = [own.sum(axis=1) / said.sizes[:, None] for own, said in zip(vectors, pilot.answers, strict=True)]
    if np.allclose(means[0], means[1], rtol=0, atol=1e-12):
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
        Those that should reach the power, the cheapest first. If the number of items is free, somewhat larger versions
        of the cheapest are tried too.
    """
    if not designs:
        return None, math.nan
    first = designs[0]
    tried: list[tuple[Design, float]] = []
    for design in sufficient([*designs, *_enlarged(found, question, first)], question)[:MOST_TRIED]:
        power = simulated_power(found.model, design, metric=question.metric, alpha=question.alpha, rng=rng)
        if power >= question.power - FAR_OFF:
            return design, power
        tried.append((design, power))
    return tried[0]


def _enlarged(found: FittedPilot, question: Question, design: Design) -> list[Design]:
    if question.items is not None:
        return []
    sizes = [math.ceil(design.items * factor) for factor in LARGER]
    return [design_of(found.predictor, question, items, design.raters) for items in sizes]


def findings(
    found: FittedPilot, question: Question, best: Design | None, simulated: float
) -> tuple[PilotFindings, list[str]]:
    """What the pilot says, and what is to be warned of."""
    pair = _own_pair(found, question) if best is None else (best.raters, best.machine_samples)
    effects = found.predictor.effects(pair)
    quartiles = _spread_quartiles(found.pilot)
    low, high = _needed_interval(found, question, pair)
    a, b = found.pilot.names
    pilot = PilotFindings(
        items=found.pilot.n_items,
        a=a,
        b=b,
        better=a if effects[0] > 0 else b,
        share_other=share_other(effects),
        spread_low=quartiles[0],
        spread=quartiles[1],
        spread_high=quartiles[2],
        items_low=low,
        items_high=high,
        simulated_power=simulated,
    )
    return pilot, _doubts(found, question, best, simulated)


def _spread_quartiles(pilot: Pilot) -> list[float]:
    """Of the standard deviation of one rating; NaN where labels are words."""
    if not pilot.aligned.has_numbers:
        return [math.nan] * 3
    return [float(each) for each in np.quantile(np.sqrt(spreads_of(pilot).people), [0.25, 0.5, 0.75])]


def _doubts(found: FittedPilot, question: Question, best: Design | None, simulated: float) -> list[str]:
    said = [*found.pilot.warnings]
    if best is not None and simulated < question.power - FAR_OFF:
        said.append(
            f"In data simulated from a model of the pilot the recommended design has power {simulated:.2f}, less than "
            f"the {best.power:.2f} predicted: the model does not fit. Take more items than recommended."
        )
    most = int(found.pilot.people.size.max())
    if best is not None and best.raters > most:
        said.append(
            f"The pilot has at most {counted(most, 'rating')} of an item, so what {counted(best.raters, 'rater')} "
            "would say rests on a model of it."
        )
    if not found.pilot.is_sampled:
        said.append(
            "The judges answered each item once, so how much their answers vary is unknown: the plan takes them to "
            "answer the same again."
        )
    return said


def _needed_interval(found: FittedPilot, question: Question, pair: Pair) -> tuple[float, float]:
    """Interval on the items needed with so many raters, from the bootstrap samples; NaN where there is no bound."""
    from scipy.special import ndtri  # noqa: PLC0415 - takes a while to import

    if question.bootstrap == 0:
        return np.nan, np.nan
    moments = found.predictor.source.possible(pair)
    effects = found.predictor.effects(pair)
    z, reach = -ndtri(question.alpha / 2), ndtri(question.power)
    with np.errstate(divide="ignore", invalid="ignore"):
        if question.metric == "wins":
            decided = np.maximum(1 - moments.tied, 1e-12)
            lead = np.abs(moments.margin) / decided
            needed = ((z + reach * np.sqrt(np.maximum(1 - lead**2, 0))) / lead) ** 2 / decided
        else:
            # Guenther (1981): a t test needs z^2 / 2 items more than a test with a known variance.
            needed = ((z + reach) ** 2) * moments.variance / moments.mean**2 + z**2 / 2
    needed = np.where(np.sign(effects) == np.sign(effects[0]), needed, np.inf)[1:]
    tail = (1 - question.confidence) / 2
    low, high = np.quantile(needed, [tail, 1 - tail], method="nearest")
    return _whole(low), _whole(high)


def _whole(bound: float) -> float:
    return float(max(np.ceil(bound), FEWEST_ITEMS)) if np.isfinite(bound) else np.nan
