"""From a pilot to a predictor: the one that suits its labels and the metric."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dissensus.planning.raters.drawn_moments import DrawnMoments
from dissensus.planning.raters.label_draws import label_draws
from dissensus.planning.raters.nodes import Floats
from dissensus.planning.raters.pilot_answers import Codes
from dissensus.planning.raters.pilot_confirm import Model
from dissensus.planning.raters.pilot_data import Pilot, Responses
from dissensus.planning.raters.pilot_fit import HERMITE_POINTS, fit_pilot, resampled_weights
from dissensus.planning.raters.pilot_vectors import Vectors
from dissensus.planning.raters.predicting import FromMoments, MomentSource, NodeMoments, row_of
from dissensus.planning.raters.question import CLOSED, Question
from dissensus.planning.raters.spreads import DRAWS, spreads_of
from dissensus.planning.raters.trading import traded_pairs
from dissensus.planning.raters.value_draws import value_draws


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedPilot:
    """A pilot, the predictor that was made of it, and the model that designs are confirmed with."""

    pilot: Pilot
    predictor: FromMoments
    model: Model
    typical_raters: int

    @property
    def is_drawn(self) -> bool:
        """Whether predictions come from the pilot's own ratings, not from a closed form."""
        return isinstance(self.predictor.source, DrawnMoments)


def fit(pilot: Pilot, question: Question, rng: Generator) -> FittedPilot:
    """The pilot, fitted with its bootstrap samples.

    Measurements are taken as normal, with the pilot's noise taken out; labels are drawn from the pilot's own ratings,
    and so are measurements for the earth mover's distances.
    """
    weights = resampled_weights(pilot.n_items, question.bootstrap, rng)
    make = _measured if pilot.is_measured else _labelled
    source, model = make(pilot, question, weights, rng)
    return FittedPilot(
        pilot=pilot,
        predictor=FromMoments(source=source, metric=question.metric, alpha=question.alpha),
        model=model,
        typical_raters=int(np.median(pilot.people.size)),
    )


def _most_raters(pilot: Pilot, question: Question) -> int:
    """The most that any prediction is asked for."""
    return max(*question.raters, traded_pairs(question)[1][0], int(np.median(pilot.people.size)))


def _measured(pilot: Pilot, question: Question, weights: Floats, rng: Generator) -> tuple[MomentSource, Model]:
    is_closed = question.metric in CLOSED
    nodes = fit_pilot(pilot, spreads_of(pilot), weights if is_closed else weights[:1])
    model = Model(pilot=pilot, nodes=row_of(nodes, 0), per_item=DRAWS * HERMITE_POINTS**2)
    if is_closed:
        return NodeMoments(nodes=nodes), model
    samples = question.machine_samples or 1
    draws = value_draws(pilot, question.metric, most_raters=_most_raters(pilot, question), samples=samples, rng=rng)
    machine = [_mean_variance(pilot.a), _mean_variance(pilot.b)]
    noise = float(np.mean(machine[0] / pilot.a.size + machine[1] / pilot.b.size))
    return DrawnMoments(
        draws=draws,
        weights=weights,
        apart=max(float(np.mean((pilot.a.mean - pilot.b.mean) ** 2)) - noise, 0.0),
        people=_mean_variance(pilot.people),
        machine=sum(machine) / 2,
    ), model


def _mean_variance(responses: Responses) -> float:
    known = responses.variance[np.isfinite(responses.variance)]
    return float(known.mean()) if known.size else 0.0


def _labelled(pilot: Pilot, question: Question, weights: Floats, rng: Generator) -> tuple[MomentSource, Model]:
    draws = label_draws(
        pilot,
        question.metric,
        most_raters=_most_raters(pilot, question),
        samples=question.machine_samples or 1,
        rng=rng,
    )
    people, machine, apart = _label_spreads(pilot, draws.vectors)
    source = DrawnMoments(draws=draws, weights=weights, apart=apart, people=people, machine=machine)
    return source, Model(pilot=pilot, labels=draws)


def _label_spreads(pilot: Pilot, vectors: Vectors) -> tuple[float, float, float]:
    """Mean variance of one rating, and of one answer; mean square of how far apart the judges are."""
    counts, size = pilot.counts(), pilot.people.size
    mean = (counts[:, None, :] @ vectors.people)[:, 0] / size[:, None]
    square = (counts * (vectors.people**2).sum(axis=2)).sum(axis=1) / size - (mean**2).sum(axis=1)
    people = float(np.mean((square * size / np.maximum(size - 1, 1))[size > 1]))
    means = [own.sum(axis=1) / said.size[:, None] for own, said in zip(vectors.judges, pilot.answers, strict=True)]
    machine = [_answer_variance(own, said.size) for own, said in zip(vectors.judges, pilot.answers, strict=True)]
    noise = sum(float(np.mean(own / said.size)) for own, said in zip(machine, pilot.answers, strict=True))
    apart = float(np.mean(((means[0] - means[1]) ** 2).sum(axis=1)))
    return people, sum(machine) / 2, max(apart - noise, 0.0)


def _answer_variance(vectors: Floats, size: Codes) -> float:
    """Mean variance of one answer to an item, over items with several; 0 if there are none."""
    several = size > 1
    if not several.any():
        return 0.0
    mean = vectors.sum(axis=1) / size[:, None]
    square = np.maximum((vectors**2).sum(axis=(1, 2)) / size - (mean**2).sum(axis=1), 0)
    return float(np.mean((square * size / np.maximum(size - 1, 1))[several]))
