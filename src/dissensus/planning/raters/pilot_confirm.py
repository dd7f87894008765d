"""Simulate a design from a model of the pilot, to see whether the predicted power is there.

The prediction takes the means of an item's responses as normal. Here raters give labels: where labels are steps of a
scale, each item's shares are drawn from what its counts leave open (a Dirichlet-multinomial model), and ties are ties.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.planning.raters.nodes import Floats, Nodes
from dissensus.planning.raters.pilot_data import Pilot
from dissensus.planning.raters.result import Design
from dissensus.planning.raters.simulated_power import FLIPS, sign_flip_p

SETS = 400
MOST_VALUES = 4_000_000
"""Items times test sets that are simulated at most; larger designs get fewer test sets."""
FEWEST_SETS = 50


class Model(NamedTuple):
    """What the pilot says of each item: the nodes of the best guess, and what is needed for stepped labels."""

    pilot: Pilot
    nodes: Nodes
    per_item: int


def simulated_power(model: Model, design: Design, *, metric: str, alpha: float, rng: Generator) -> float:
    """Power of the design in simulated test sets."""
    sets = int(np.clip(MOST_VALUES // design.items, FEWEST_SETS, SETS))
    signs = rng.integers(0, 2, size=(FLIPS, design.items)).astype(np.float32) * 2 - 1
    node = rng.choice(
        len(model.nodes.weight), p=model.nodes.weight / model.nodes.weight.sum(), size=sets * design.items
    )
    people, a, b = _means(model, node, design, rng)
    gap = np.round(np.abs(b - people) - np.abs(a - people), 9)  # a tie is a tie, whatever the rounding
    differences = (np.sign(gap) if metric == "wins" else gap).reshape(sets, design.items)
    return float(np.mean(sign_flip_p(differences, signs) <= alpha))


def _means(
    model: Model, node: np.ndarray[tuple[int], np.dtype[np.intp]], design: Design, rng: Generator
) -> tuple[Floats, Floats, Floats]:
    """Means of the responses of people, A and B, one for each drawn node."""
    nodes, pilot = model.nodes, model.pilot
    own = nodes.machine[node] / np.sqrt(design.machine_samples)
    if pilot.counts is None or pilot.values is None or pilot.is_sampled:
        people = nodes.people[node] / np.sqrt(design.raters) * rng.standard_normal(len(node))
        a, b = (shift[node] + own * rng.standard_normal(len(node)) for shift in (nodes.shift_a, nodes.shift_b))
        return people, a, b
    item = node // model.per_item
    alpha = concentration(pilot.counts)
    overall = pilot.counts.sum(axis=0) / pilot.counts.sum()
    shares = rng.standard_gamma(pilot.counts[item] + alpha * overall + 1e-9)
    given = rng.multinomial(design.raters, shares / shares.sum(axis=1, keepdims=True))
    return given @ pilot.values / design.raters, pilot.a.mean[item], pilot.b.mean[item]


def concentration(counts: np.ndarray[tuple[int, int], np.dtype[np.intp]]) -> float:
    """How alike items are: the sum of the Dirichlet parameters, from how often two raters of an item agree.

    Two ratings of an item agree by chance with probability sum(p^2), and by 1 / (1 + alpha) of the rest beyond it.

    Examples
    --------
    >>> concentration(np.array([[2, 0], [0, 2], [1, 1]]))  # 2/3 agree, 1/2 by chance: (2/3 - 1/2) / (1 - 1/2) = 1/3
    2.0
    """
    size = counts.sum(axis=1)
    paired = counts[size > 1]
    pairs = size[size > 1] * (size[size > 1] - 1)
    agree = float(np.mean((paired * (paired - 1)).sum(axis=1) / pairs))
    share = counts.sum(axis=0) / counts.sum()
    chance = float(share @ share)
    beyond = (agree - chance) / (1 - chance) if chance < 1 else 1.0
    beyond = min(max(beyond, 0.01), 1.0)
    return round(1 / beyond - 1, 9)
