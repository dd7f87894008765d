"""Simulate a design from a fitted model of the pilot, to see whether the predicted power is there.

Labels come from a Dirichlet-multinomial model: an item's shares are drawn from what its ratings leave open.
Measurements come from beta distributions between the lowest and the highest response, with the mean and the spread that
the fit of the pilot leaves open.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dissensus.planning.raters.item_moments import Moments
from dissensus.planning.raters.label_draws import LabelDraws, mean_answers
from dissensus.planning.raters.nodes import Floats, Nodes
from dissensus.planning.raters.pilot_answers import Codes
from dissensus.planning.raters.pilot_data import Pilot
from dissensus.planning.raters.pilot_vectors import gap
from dissensus.planning.raters.powers import sign_flip_power
from dissensus.planning.raters.result import Design
from dissensus.planning.raters.simulated_power import FLIPS, sign_flip_p
from dissensus.planning.raters.urns import chosen_answers
from dissensus.planning.raters.value_draws import value_gap

SETS = 400
MOST_VALUES = 4_000_000
"""Numbers that are held at a time."""
MOST_ITEMS = 400_000
"""Items times test sets that are simulated at most; larger designs get fewer test sets."""
FEWEST_SETS = 100
WIDEST = 0.95
"""A beta distribution's variance, as a share of the most that its mean allows."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """A pilot with a model of its labels, or with the kinds of items behind its measurements.

    Attributes
    ----------
    pilot : Pilot
        The data.
    labels : LabelDraws, optional
        Of labels.
    nodes : Nodes, optional
        Of measurements: so many nodes for each item as `per_item` says, item by item.
    per_item : int
        See there.
    """

    pilot: Pilot
    labels: LabelDraws | None = None
    nodes: Nodes | None = None
    per_item: int = 1


def simulated_power(model: Model, design: Design, *, metric: str, alpha: float, rng: Generator) -> float:
    """Power of the design in simulated test sets."""
    if design.items > MOST_ITEMS // FEWEST_SETS:
        return _power_of_many(model, design, metric=metric, alpha=alpha, rng=rng)
    sets = min(MOST_ITEMS // design.items, SETS)
    signs = rng.integers(0, 2, size=(FLIPS, design.items)).astype(np.float32) * 2 - 1
    found = _gaps(model, design, sets * design.items, metric, rng).reshape(sets, design.items)
    return float(np.mean(sign_flip_p(np.sign(found) if metric == "wins" else found, signs) <= alpha))


def _power_of_many(model: Model, design: Design, *, metric: str, alpha: float, rng: Generator) -> float:
    """With very many items the test depends on the moments of one item only; these are simulated."""
    found = _gaps(model, design, MOST_ITEMS, metric, rng)
    moments = Moments(
        margin=np.asarray(np.sign(found).mean()),
        tied=np.asarray((found == 0).mean()),
        mean=np.asarray(found.mean()),
        variance=np.asarray(found.var()),
        null_variance=np.asarray(np.nan),
    )
    return float(sign_flip_power(moments, design.items, metric=metric, alpha=alpha))


def _numbers_per_item(model: Model, design: Design) -> int:
    if model.labels is None:
        return design.raters + 2 * design.machine_samples
    return int(np.prod(model.labels.vectors.people.shape[1:])) + design.machine_samples


def _gaps(model: Model, design: Design, n: int, metric: str, rng: Generator) -> Floats:
    """By how much B is farther from people than A, on n items."""
    step = max(1, MOST_VALUES // _numbers_per_item(model, design))
    return np.concatenate([_some_gaps(model, design, min(step, n - done), metric, rng) for done in range(0, n, step)])


def _some_gaps(model: Model, design: Design, n: int, metric: str, rng: Generator) -> Floats:
    if model.labels is not None:
        item = rng.integers(0, model.pilot.n_items, size=n)
        return _label_gaps(model.pilot, model.labels, item, design, rng)
    assert model.nodes is not None  # noqa: S101 - one of the two is given
    node = rng.choice(len(model.nodes.weight), p=model.nodes.weight / model.nodes.weight.sum(), size=n)
    return _value_gaps(model.pilot, model.nodes, node, node // model.per_item, design, metric, rng)


def _label_gaps(pilot: Pilot, labels: LabelDraws, item: Codes, design: Design, rng: Generator) -> Floats:
    shares = rng.standard_gamma(labels.model.posterior(pilot.counts())[item]) + 1e-300
    given = rng.multinomial(design.raters, shares / shares.sum(axis=1, keepdims=True)) / design.raters
    vectors = labels.vectors
    every = vectors.people if len(vectors.people) == 1 else vectors.people[item]
    people = (given @ every[0])[:, None] if len(every) == 1 else given[:, None] @ every
    a, b = (
        mean_answers(own[item], chosen_answers(said.size[item], design.machine_samples, 1, rng))
        for own, said in zip(vectors.judges, pilot.answers, strict=True)
    )
    return gap(people, a, b, is_sorted=vectors.is_sorted)[:, 0]


def _value_gaps(
    pilot: Pilot, nodes: Nodes, node: Codes, item: Codes, design: Design, metric: str, rng: Generator
) -> Floats:
    ratings = pilot.rating_values()
    bounds = float(np.nanmin(ratings)), float(np.nanmax(ratings))
    said = [own.numbers() for own in pilot.answers]
    widest = (
        min(bounds[0], *(float(np.nanmin(own)) for own in said)),
        max(bounds[1], *(float(np.nanmax(own)) for own in said)),
    )
    center = pilot.people.mean[item]
    people = beta_responses(center, nodes.people[node], bounds, design.raters, rng)
    a, b = (
        beta_responses(center + shift[node], nodes.machine[node], widest, design.machine_samples, rng)
        for shift in (nodes.shift_a, nodes.shift_b)
    )
    return value_gap(people, a, b, metric=metric, bounds=bounds)


def beta_responses(mean: Floats, spread: Floats, bounds: tuple[float, float], size: int, rng: Generator) -> Floats:
    """Responses within bounds with these means and standard deviations, of shape (n, size).

    Where the mean is at a bound, or beyond it, every response is the bound; a spread that the mean does not allow is
    taken as the widest that it does.

    Examples
    --------
    >>> beta_responses(np.array([0.5, 2.0]), np.array([0.0, 0.3]), (0.0, 1.0), 2, np.random.default_rng(0)).tolist()
    [[0.5, 0.5], [1.0, 1.0]]
    """
    low, high = bounds
    width = max(high - low, 1e-300)
    place = np.clip((mean - low) / width, 0, 1)
    room = place * (1 - place)
    variance = np.minimum((spread / width) ** 2, WIDEST * room)
    is_fixed = variance <= 1e-9 * np.maximum(room, 1e-12)
    strength = room / np.where(is_fixed, 1, variance) - 1
    drawn = rng.beta(
        np.where(is_fixed, 1, place * strength)[:, None], np.where(is_fixed, 1, (1 - place) * strength)[:, None],
        size=(len(place), size),
    )  # fmt: skip
    return np.asarray(low + width * np.where(is_fixed[:, None], place[:, None], drawn))
