"""Test sets from a pilot's measurements, for metrics that need every response: earth mover's distances."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.methods.plan_raters.designs import Pair
from dissensus.methods.plan_raters.label_draws import (
    WIDTHS,
    Gaps,
    LabelDraws,
    chosen_answers,
    n_draws,
    neighbours,
    shuffled,
)
from dissensus.methods.plan_raters.moments import Moments
from dissensus.methods.plan_raters.pilot_data import Pilot
from dissensus.methods.plan_raters.simulated import BINS, distance
from dissensus.methods.plan_raters.vectors import bins_of, gap, spreads_of

# ---- Test sets from a pilot's measurements, for metrics that need every response: earth mover's distances


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueDraws:
    """Draws of each item of a pilot.

    Attributes
    ----------
    metric : {"emd", "emd-binned"}
        What is compared.
    bounds : (float, float)
        The lowest and the highest rating.
    sequences : ndarray of shape (n_items, draws, most_raters)
        What raters say, one after the other.
    judges, null : tuple of two ndarrays of shape (n_items, draws, samples)
        Answers of A and of B; the same if each answer is of either judge by the toss of a coin.
    """

    metric: str
    bounds: tuple[float, float]
    sequences: Floats
    judges: tuple[Floats, Floats]
    null: tuple[Floats, Floats]

    def gaps(self, raters: int) -> Gaps:
        """What the items show with so many raters, at most as many as the sequences have."""
        people = self.sequences[:, :, :raters]
        return (
            value_gap(people, *self.judges, metric=self.metric, bounds=self.bounds),
            value_gap(people, *self.null, metric=self.metric, bounds=self.bounds),
        )


def value_gap(people: Floats, a: Floats, b: Floats, *, metric: str, bounds: tuple[float, float]) -> Floats:
    """By how much B is farther from people than A, from responses of shape (..., n_responses)."""
    if metric == "emd":
        rows = [np.sort(each.reshape(-1, each.shape[-1]).astype(np.float32), axis=1) for each in (people, a, b)]
        return np.asarray(distance(rows[0], rows[2]) - distance(rows[0], rows[1])).reshape(people.shape[:-1])
    if metric == "emd-binned":
        shares = [_bin_shares(each, bounds) for each in (people, a, b)]
        return gap(shares[0], shares[1], shares[2], is_sorted=True)
    means = [each.mean(axis=-1, keepdims=True) for each in (people, a, b)]
    return gap(means[0], means[1], means[2], is_sorted=False)


def _bin_shares(values: Floats, bounds: tuple[float, float]) -> Floats:
    found = bins_of(values, bounds)
    return np.stack([(found == each).mean(axis=-1) for each in range(BINS)], axis=-1)


def value_draws(pilot: Pilot, metric: str, *, most_raters: int, samples: int, rng: Generator) -> ValueDraws:
    """Draws with up to so many raters, and so many answers of each judge; as for `label_draws`.

    Raters beyond those of the pilot answer as a normal model predicts, within the range of the ratings: an item's mean
    varies around that of items to which the judges answered alike.
    """
    draws = n_draws(pilot, most_raters)
    ratings = pilot.rating_values()
    bounds = float(np.nanmin(ratings)), float(np.nanmax(ratings))
    order = shuffled(pilot.people.size, ratings.shape[1], draws, rng)
    first = np.take_along_axis(np.broadcast_to(ratings[:, None, :], order.shape), order, axis=2)
    sequences = np.empty((pilot.n_items, draws, most_raters))
    width = min(most_raters, first.shape[2])
    sequences[:, :, :width] = first[:, :, :width]
    is_new = (np.arange(most_raters) >= pilot.people.size[:, None])[:, None, :]
    more = np.clip(_further(pilot, draws, most_raters, rng), *bounds)
    sequences = np.where(is_new, more, sequences)
    answers = [np.nan_to_num(values) for values in pilot.answer_values()]
    sizes = [said.sizes for said in pilot.answers]
    a, b = (_chosen(own, size, samples, draws, rng) for own, size in zip(answers, sizes, strict=True))
    coins = rng.integers(0, 2, size=(2, *a.shape))
    return ValueDraws(
        metric=metric,
        bounds=bounds,
        sequences=sequences,
        judges=(a, b),
        null=(np.where(coins[0] == 1, b, a), np.where(coins[1] == 1, a, b)),
    )


def _chosen(answers: Floats, size: Floats, samples: int, draws: int, rng: Generator) -> Floats:
    """Answers of a judge, of shape (n_items, draws, samples)."""
    chosen = chosen_answers(size, samples, draws, rng)
    if chosen is None:
        own = answers if answers.shape[1] == samples else np.repeat(answers[:, :1], samples, axis=1)
        return np.broadcast_to(own[:, None, :], (len(own), draws, samples))
    return np.asarray(answers[np.arange(len(answers))[:, None, None], chosen])


def _further(pilot: Pilot, draws: int, raters: int, rng: Generator) -> Floats:
    """What more raters would say, of shape (n_items, draws, raters)."""
    expected, between = _expected_means(pilot)
    possible = spreads_of(pilot).people
    own = possible[:, rng.integers(0, possible.shape[1], size=draws)]
    precision = 1 / between + pilot.people.size[:, None] / np.maximum(own, 1e-12 * between)
    seen = (pilot.people.size * pilot.people.mean)[:, None] / np.maximum(own, 1e-12 * between)
    mean = (expected[:, None] / between + seen) / precision
    mean = mean + rng.standard_normal(mean.shape) / np.sqrt(precision)
    return np.asarray(mean[:, :, None] + np.sqrt(own)[:, :, None] * rng.standard_normal((*mean.shape, raters)))


def _expected_means(pilot: Pilot) -> tuple[Floats, float]:
    """What items with alike answers lead one to expect of an item's mean, and by how much true means vary around it."""
    features = np.stack([pilot.a.mean, pilot.b.mean], axis=1)
    values = np.stack([pilot.people.mean, np.ones(pilot.n_items)], axis=1)
    overall = float(pilot.people.mean.mean())
    best: tuple[float, Floats] = (np.inf, values[:, 0])
    for width in WIDTHS:
        near = neighbours(features, width, values)
        expected = (near[:, 0] + overall) / (near[:, 1] + 1)
        square = float(np.mean((pilot.people.mean - expected) ** 2))
        best = min(best, (square, expected), key=lambda each: each[0])
    noise = float(np.mean(np.mean(spreads_of(pilot).people, axis=1) / pilot.people.size))
    return best[1], max(best[0] - noise, 1e-6 * best[0], 1e-300)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnMoments:
    """Moments from draws.

    Attributes
    ----------
    draws : LabelDraws or ValueDraws
        What the items show with any number of raters.
    weights : ndarray of shape (n_samples, n_items)
        Of the items: the pilot's own in the first row, then those of its bootstrap samples; each row sums to 1.
    apart, people, machine : float
        Mean square of how far apart the judges are on an item; mean variance of one rating, and of one answer.
    """

    draws: LabelDraws | ValueDraws
    weights: Floats
    apart: float
    people: float
    machine: float
    _known: dict[int, Moments] = field(default_factory=dict)

    def possible(self, pair: Pair) -> Moments:
        """Moments by everything that is possible, the best guess first."""
        raters = pair[0]
        if raters not in self._known:
            self._known[raters] = self._moments(raters)
        return self._known[raters]

    def guess(self, pair: Pair) -> Moments:
        """Moments by the best guess."""
        found = self.possible(pair)
        names = ("margin", "tied", "mean", "variance", "null_variance")
        return Moments(**{name: np.asarray(getattr(found, name)[0]) for name in names})

    def _moments(self, raters: int) -> Moments:
        alt, null = self.draws.gaps(raters)
        mean = self.weights @ alt.mean(axis=1)
        square = self.weights @ (alt**2).mean(axis=1)
        return Moments(
            margin=self.weights @ np.sign(alt).mean(axis=1),
            tied=self.weights @ (alt == 0).mean(axis=1),
            mean=mean,
            variance=np.maximum(square - mean**2, 0),
            null_variance=self.weights @ (null**2).mean(axis=1),
        )

    def shift_and_noise(self, pair: Pair) -> tuple[float, float]:
        """How far apart the judges are on an item, and how far its means stray: root mean squares."""
        noise = self.people / pair[0] + self.machine / pair[1]
        return float(np.sqrt(self.apart)), float(np.sqrt(noise))
