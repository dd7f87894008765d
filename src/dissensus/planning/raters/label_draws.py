"""Test sets from a pilot's labels: what its items would show with other numbers of raters and of answers."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dissensus.planning.raters.label_model import LabelModel, fit_labels
from dissensus.planning.raters.nodes import Floats
from dissensus.planning.raters.pilot_answers import Answers, Codes
from dissensus.planning.raters.pilot_data import Pilot
from dissensus.planning.raters.pilot_vectors import Vectors, gap, label_shares, vectors_of
from dissensus.planning.raters.urns import chosen_answers, continued, drawn_labels, shuffled

MOST_RESPONSES = 1_500_000
MOST_DRAWS, FEWEST_DRAWS = 300, 20
Gaps = tuple[Floats, Floats]
"""By how much B is farther from people than A, of shape (n_items, draws): as judges are, and without a difference."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelDraws:
    """Draws of each item of a pilot.

    Attributes
    ----------
    vectors : Vectors
        What each response is to the metric.
    model : LabelModel
        What further raters would say.
    sequences : ndarray of shape (n_items, draws, most_raters)
        The labels that raters give, one after the other.
    judges, null : tuple of two ndarrays of shape (n_items, draws or 1, n_coordinates)
        Mean answer of A and of B; the same if each answer is of either judge by the toss of a coin.
    """

    vectors: Vectors
    model: LabelModel
    sequences: Codes
    judges: tuple[Floats, Floats]
    null: tuple[Floats, Floats]

    def gaps(self, raters: int) -> Gaps:
        """What the items show with so many raters, at most as many as the sequences have."""
        people = means_of_labels(self.sequences[:, :, :raters], self.vectors)
        is_sorted = self.vectors.is_sorted
        return gap(people, *self.judges, is_sorted=is_sorted), gap(people, *self.null, is_sorted=is_sorted)


def label_draws(pilot: Pilot, metric: str, *, most_raters: int, samples: int, rng: Generator) -> LabelDraws:
    """Draws with up to so many raters, and so many answers of each judge.

    Parameters
    ----------
    pilot : Pilot
        The data.
    metric : str
        How near a judge is to people.
    most_raters, samples : int
        Of the designs.
    rng : Generator
        Source of random numbers.
    """
    vectors = vectors_of(pilot, metric)
    features = np.concatenate([own.sum(axis=1) / said.size[:, None] for own, said in _by_judge(pilot)], axis=1)
    model = fit_labels(pilot.counts(), features, label_shares(pilot))
    draws = n_draws(pilot, most_raters)
    size = pilot.people.size
    order = shuffled(size, pilot.codes.shape[1], draws, rng)
    sequences = continued(
        np.take_along_axis(np.broadcast_to(pilot.codes[:, None, :], order.shape), order, axis=2),
        size,
        most_raters,
        rng,
        concentration=model.concentration,
        fresh=lambda: drawn_labels(model.prior, draws, rng),
    )
    chosen = [chosen_answers(said.size, samples, draws, rng) for said in pilot.answers]
    judges = [mean_answers(own, picked) for own, picked in zip(vectors.judges, chosen, strict=True)]
    null = [mixed_answers(vectors.judges, chosen, samples=samples, draws=draws, rng=rng) for _ in range(2)]
    return LabelDraws(
        vectors=vectors, model=model, sequences=sequences, judges=(judges[0], judges[1]), null=(null[0], null[1])
    )


def _by_judge(pilot: Pilot) -> list[tuple[Floats, Answers]]:
    plain = vectors_of(pilot, "wins").judges
    return list(zip(plain, pilot.answers, strict=True))


def n_draws(pilot: Pilot, most_raters: int) -> int:
    """How often each item is drawn: as often as memory and time allow."""
    responses = pilot.n_items * max(most_raters, pilot.codes.shape[1])
    return int(np.clip(MOST_RESPONSES // responses, FEWEST_DRAWS, MOST_DRAWS))


def means_of_labels(labels: Codes, vectors: Vectors) -> Floats:
    """Mean vector of ratings, of shape (n_items, draws, n_coordinates), from labels of shape (..., n_raters)."""
    counts = np.stack([(labels == label).sum(axis=2) for label in range(vectors.people.shape[1])], axis=2)
    return np.asarray(counts @ vectors.people / labels.shape[2])


def mean_answers(vectors: Floats, chosen: Codes | None) -> Floats:
    """Mean of a judge's chosen answers, of shape (n_items, draws, n_coordinates); draws is 1 if all are used.

    Parameters
    ----------
    vectors : ndarray of shape (n_items, most, n_coordinates)
    chosen : ndarray of shape (n_items, draws, samples), optional
    """
    if chosen is None:
        return np.asarray(vectors.mean(axis=1, keepdims=True))
    rows = np.arange(len(vectors))[:, None]
    samples = chosen.shape[2]
    return np.asarray(sum(vectors[rows, chosen[:, :, place]] for place in range(samples)) / samples)


def mixed_answers(
    vectors: tuple[Floats, Floats],
    chosen: list[Codes | None],
    *,
    samples: int,
    draws: int,
    rng: Generator,
) -> Floats:
    """Mean of answers that come from either judge by the toss of a coin, of shape (n_items, draws, n_coordinates)."""
    rows = np.arange(len(vectors[0]))[:, None]
    total = np.zeros((len(rows), draws, vectors[0].shape[2]))
    for place in range(samples):
        a, b = (
            own[:, [place % own.shape[1]]] if picked is None else own[rows, picked[:, :, place]]
            for own, picked in zip(vectors, chosen, strict=True)
        )
        coin = rng.integers(0, 2, size=(len(rows), draws, 1))
        total += np.where(coin == 1, b, a)
    return np.asarray(total / samples)
