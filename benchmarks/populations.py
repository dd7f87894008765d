"""Made-up people and judges for timing: as many items, raters, labels and judges as asked for."""

import sys
from pathlib import Path

import numpy as np

from dissensus.data import Judges, Ratings

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))  # their builders serve here, too
from comparison_builders import problem_of_values

__all__ = ["drawn", "problem_of_values"]


def drawn(rng, *, items, raters, labels, judges=1, samples=1):
    """People and judges who draw from the same shares, a judge now and then from all labels alike.

    Labels are given by their names or by their number, and then they are the numbers from 1.
    """
    names = tuple(map(str, range(1, labels + 1))) if isinstance(labels, int) else tuple(labels)
    shares = rng.dirichlet(np.ones(len(names)), size=items)
    ids = tuple(f"item-{i:06}" for i in range(items))
    own_item = np.repeat(np.arange(items), raters)
    ratings = Ratings(
        item=own_item,
        rater=np.tile(np.arange(raters), items),
        label=pick(shares[own_item], rng),
        items=ids,
        raters=tuple(f"rater-{i}" for i in range(raters)),
        labels=names,
        scale="ordinal" if isinstance(labels, int) else "nominal",
    )
    item = np.tile(np.repeat(np.arange(items), samples), judges)
    judge = np.repeat(np.arange(judges), items * samples)
    is_careless = rng.random(len(item)) < rng.uniform(0, 1, judges)[judge]
    answers = Judges(
        item=item,
        judge=judge,
        sample=np.tile(np.arange(samples), judges * items),
        label=np.where(is_careless, rng.integers(0, len(names), len(item)), pick(shares[item], rng)),
        items=ids,
        judges=tuple(f"judge-{i}" for i in range(judges)),
        labels=names,
        options=names,
    )
    return ratings, answers


def pick(shares, rng):
    """A label for each row, drawn with the row's shares."""
    return (rng.random(len(shares))[:, None] > shares.cumsum(axis=1)[:, :-1]).sum(axis=1)
