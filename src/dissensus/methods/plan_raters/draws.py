"""Test sets from a pilot: what its items would show with other numbers of raters and of answers.

An item's shares of labels vary around a blend of raters' labels of items with similar answers of the judges, and of
the judges' own answers. The blend, and how far shares vary around it, are what make the pilot's ratings most likely; an
item's ratings never predict themselves.

Of as many raters as the pilot has, nothing needs to be assumed: some of an item's ratings are left out at random.
Raters beyond them answer as a Dirichlet-multinomial model predicts from the ratings there are, which is Polya's urn:
each new rating repeats an earlier one, or follows the model's prior.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.methods.plan_raters.designs import BINS, Pair, distance
from dissensus.methods.plan_raters.moments import Moments, first_row
from dissensus.methods.plan_raters.pilot import Pilot, Vectors, bins_of, gap, label_shares, spreads_of, vectors_of

# ---- A Dirichlet-multinomial model of the labels in a pilot: what further raters of an item would say

WIDTHS = (0.1, 0.2, 0.4, 0.8, np.inf)
"""How far apart the answers to two items may be to count as similar, in standard deviations; at last all items are."""
CONCENTRATIONS = np.geomspace(0.05, 200, 25)
OVERALL = 1.0  # the shares of all items count as much as this many ratings of similar items
LEAST = 1e-9
EM_STEPS = 100
ROWS = 250_000  # distances at once: as many as fit the cache


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelModel:
    """What is known of each item's shares before its own ratings are seen."""

    prior: Floats  # (n_items, n_labels): expected shares; each row sums to 1
    concentration: float  # how many ratings they are worth

    def posterior(self, counts: Codes) -> Floats:
        """Parameters of the Dirichlet distribution of each item's shares once its ratings are seen."""
        return np.asarray(counts + self.concentration * self.prior)


def fit_labels(counts: Codes, features: Floats, answers: Sequence[Floats]) -> LabelModel:
    """The model of these ratings.

    `counts` (n_items, n_labels): how many raters gave each label. `features` (n_items, n_features): what the judges
    answered, for finding similar items. `answers` (n_items, n_labels): each judge's share of each label.
    """
    guesses = np.stack([*expected_shares(counts, features), *answers])
    prior = np.maximum(blend(counts, guesses), LEAST)
    prior /= prior.sum(axis=1, keepdims=True)
    fits = [log_likelihood(counts, prior, each) for each in CONCENTRATIONS]
    return LabelModel(prior=prior, concentration=float(CONCENTRATIONS[int(np.argmax(fits))]))


def blend(counts: Codes, guesses: Floats) -> Floats:
    """The mixture of guesses at each item's shares that makes its ratings most likely, by EM.

    >>> sure, unsure = np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])
    >>> blend(np.array([[3, 1]]), np.stack([sure, unsure])).round(3)  # half of each
    array([[0.75, 0.25]])
    """
    share = np.full(len(guesses), 1 / len(guesses))
    for _ in range(EM_STEPS):
        mixed = np.maximum(np.tensordot(share, guesses, axes=1), LEAST)
        share = share * np.einsum("gic,ic->g", guesses, counts / mixed) / counts.sum()
        share /= share.sum()
    return np.tensordot(share, guesses, axes=1)


def expected_shares(counts: Codes, features: Floats) -> list[Floats]:
    """Shares of the labels among the ratings of other items, near ones counting most; one for each of `WIDTHS`."""
    total = counts.sum(axis=0)
    shares = neighbours(features, counts.astype(np.float64)) + OVERALL * total / total.sum()
    shares = np.maximum(shares, LEAST)
    return list(shares / shares.sum(axis=2, keepdims=True))


def neighbours(features: Floats, values: Floats) -> Floats:
    """Sums of the values of all other items, weighted by how near their features are.

    Weights are Gaussian, of each width in `WIDTHS`, which are standard deviations. Each width is half the next: its
    weights are the fourth power of those, so that exponentials are needed of the largest only.

    >>> neighbours(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [10.0], [100.0]]))[-1].tolist()
    [[110.0], [101.0], [11.0]]
    """
    spread = features.std(axis=0)
    scaled = features[:, spread > 0] / (spread[spread > 0] * WIDTHS[-2])
    square = (scaled**2).sum(axis=1)
    sums = np.empty((len(WIDTHS), *values.shape))
    sums[-1] = values.sum(axis=0) - values
    step = max(1, ROWS // len(values))
    for start in range(0, len(values), step):
        rows = slice(start, start + step)
        apart = np.maximum(square[rows, None] + square - 2 * scaled[rows] @ scaled.T, 0)
        weight = np.exp(apart / -2)
        weight[np.arange(len(weight)), np.arange(start, start + len(weight))] = 0
        for number in range(len(WIDTHS) - 2, -1, -1):
            sums[number, rows] = weight @ values
            weight *= weight
            weight *= weight
    return sums


def log_likelihood(counts: Codes, prior: Floats, concentration: float) -> float:
    """Of the ratings' labels in a Dirichlet-multinomial model, up to a constant.

    >>> pair = np.array([[2, 0]])  # the second rater agrees: (1 / 2 + 1) / (1 + 1) of the time
    >>> round(float(np.exp(log_likelihood(pair, np.array([[0.5, 0.5]]), 1.0))), 4)  # and the first gives it half of it
    0.375
    """
    from scipy.special import gammaln  # noqa: PLC0415 - takes a while to import

    weight = concentration * prior
    of_labels = (gammaln(counts + weight) - gammaln(weight)).sum()
    of_items = (gammaln(concentration) - gammaln(counts.sum(axis=1) + concentration)).sum()
    return float(of_labels + of_items)


# ---- Sequences of responses to an item: its own in random order, then further ones as an urn gives them


def shuffled(size: Codes | Floats, width: int, draws: int, rng: Generator) -> Codes:
    """Positions of each item's responses in random order, of shape (n_items, draws, width); then those of none."""
    keys = rng.random((len(size), draws, width))
    keys[np.broadcast_to((np.arange(width) >= size[:, None])[:, None, :], keys.shape)] = 2
    return np.argsort(keys, axis=2)


def continued(
    first: Codes, size: Codes | Floats, wanted: int, rng: Generator, *, concentration: float = 0.0,
    fresh: Callable[[], Codes] | None = None,
) -> Codes:  # fmt: skip
    """Sequences of `wanted` codes: the first `size` of each item are given, the others come from the urn.

    `first` (n_items, draws, width): the responses there are, in order. `size` (n_items,): how many of them count.
    `wanted`: length of the sequences. `rng`: source of random numbers. `concentration`: how many ratings the prior is
    worth; at 0 each further response repeats an earlier one. `fresh`: draws from the prior, of shape (n_items, draws).
    """
    n, draws, width = first.shape
    sequence = np.zeros((n, draws, wanted), dtype=np.intp)
    sequence[:, :, : min(width, wanted)] = first[:, :, :wanted]
    for place in range(int(size.min()), wanted):
        earlier = (rng.random((n, draws)) * place).astype(np.intp)[:, :, None]
        new = np.take_along_axis(sequence, earlier, axis=2)[:, :, 0]
        if fresh is not None:
            is_fresh = rng.random((n, draws)) * (concentration + place) < concentration
            new = np.where(is_fresh, fresh(), new)
        is_new = (place >= size)[:, None]
        sequence[:, :, place] = np.where(is_new, new, sequence[:, :, place])
    return sequence


def chosen_answers(size: Codes | Floats, wanted: int, draws: int, rng: Generator) -> Codes | None:
    """Which of a judge's answers to each item are used, of shape (n_items, draws, wanted); None if all are.

    More answers than there are repeat earlier ones: a judge that was asked once would answer the same again.
    """
    if (size == wanted).all() or (size == 1).all():
        return None
    return continued(shuffled(size, int(size.max()), draws, rng), size, wanted, rng)


def drawn_labels(shares: Floats, draws: int, rng: Generator) -> Codes:
    """A label for each item and draw, by the item's shares, of shape (n_items, draws)."""
    below = np.cumsum(shares, axis=1)[:, None, :-1]
    return np.asarray((rng.random((len(shares), draws))[:, :, None] > below).sum(axis=2), dtype=np.intp)


# ---- Test sets from a pilot's labels: what its items would show with other numbers of raters and of answers

MOST_RESPONSES = 1_500_000
MOST_DRAWS, FEWEST_DRAWS = 300, 20
Gaps = tuple[Floats, Floats]
"""By how much B is farther from people than A, of shape (n_items, draws): as judges are, and without a difference."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelDraws:
    """Draws of each item of a pilot."""

    vectors: Vectors  # what each response is to the metric
    model: LabelModel  # what further raters would say
    sequences: Codes  # (n_items, draws, most_raters): the labels that raters give, one after the other
    # (n_items, draws or 1, n_coordinates): mean answer of A and of B; the same if each answer is of either judge by
    # the toss of a coin
    judges: tuple[Floats, Floats]
    null: tuple[Floats, Floats]  # (n_items, draws or 1, n_coordinates)

    def gaps(self, raters: int) -> Gaps:
        """What the items show with this many raters, at most as many as the sequences have."""
        people = means_of_labels(self.sequences[:, :, :raters], self.vectors)
        is_sorted = self.vectors.is_sorted
        return gap(people, *self.judges, is_sorted=is_sorted), gap(people, *self.null, is_sorted=is_sorted)


def label_draws(pilot: Pilot, metric: str, *, most_raters: int, samples: int, rng: Generator) -> LabelDraws:
    """Draws with up to this many raters, and this many answers of each judge."""
    vectors = vectors_of(pilot, metric)
    features = np.concatenate(pilot.means_of(vectors_of(pilot, "wins").judges), axis=1)
    model = fit_labels(pilot.counts(), features, label_shares(pilot))
    draws = n_draws(pilot, most_raters)
    size = pilot.people.size
    order = shuffled(size, pilot.codes.shape[1], draws, rng)
    sequences = continued(
        np.take_along_axis(np.broadcast_to(pilot.codes[:, None, :], order.shape), order, axis=2), size, most_raters,
        rng, concentration=model.concentration, fresh=lambda: drawn_labels(model.prior, draws, rng),
    )  # fmt: skip
    chosen = [chosen_answers(answers.sizes, samples, draws, rng) for answers in pilot.answers]
    judges = [mean_answers(own, picked) for own, picked in zip(vectors.judges, chosen, strict=True)]
    null = [mixed_answers(vectors.judges, chosen, samples=samples, draws=draws, rng=rng) for _ in range(2)]
    return LabelDraws(
        vectors=vectors, model=model, sequences=sequences, judges=(judges[0], judges[1]), null=(null[0], null[1])
    )


def n_draws(pilot: Pilot, most_raters: int) -> int:
    """How often each item is drawn: as often as memory and time allow."""
    responses = pilot.n_items * max(most_raters, pilot.codes.shape[1])
    return int(np.clip(MOST_RESPONSES // responses, FEWEST_DRAWS, MOST_DRAWS))


def means_of_labels(labels: Codes, vectors: Vectors) -> Floats:
    """Mean vector of ratings, of shape (n_items, draws, n_coordinates), from labels of shape (..., n_raters)."""
    counts = np.stack([(labels == label).sum(axis=2) for label in range(vectors.people.shape[1])], axis=2)
    return np.asarray(counts @ vectors.people / labels.shape[2])


def mean_answers(vectors: Floats, chosen: Codes | None) -> Floats:
    """Mean of a judge's chosen answers, of shape (n_items, draws, n_coordinates); draws is 1 if all are used."""
    if chosen is None:
        return np.asarray(vectors.mean(axis=1, keepdims=True))
    rows = np.arange(len(vectors))[:, None]
    samples = chosen.shape[2]
    return np.asarray(sum(vectors[rows, chosen[:, :, place]] for place in range(samples)) / samples)


def mixed_answers(
    vectors: tuple[Floats, Floats], chosen: list[Codes | None], *, samples: int, draws: int, rng: Generator
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


# ---- Test sets from a pilot's measurements, for metrics that need every response: earth mover's distances


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueDraws:
    """Draws of each item of a pilot."""

    metric: str  # what is compared
    bounds: tuple[float, float]  # the lowest and the highest rating
    sequences: Floats  # (n_items, draws, most_raters): what raters say, one after the other
    # (n_items, draws, samples): answers of A and of B; the same if each answer is of either judge by the toss of a
    # coin
    judges: tuple[Floats, Floats]
    null: tuple[Floats, Floats]  # (n_items, draws, samples)

    def gaps(self, raters: int) -> Gaps:
        """What the items show with this many raters, at most as many as the sequences have."""
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
    bins = bins_of(values, bounds)
    return np.stack([(bins == each).mean(axis=-1) for each in range(BINS)], axis=-1)


def value_draws(pilot: Pilot, metric: str, *, most_raters: int, samples: int, rng: Generator) -> ValueDraws:
    """Draws with up to this many raters, and this many answers of each judge; as for `label_draws`.

    Raters beyond those of the pilot answer as a normal model predicts, within the range of the ratings: an item's mean
    varies around that of items with similar answers of the judges.
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
    sizes = [judge.sizes for judge in pilot.answers]
    a, b = (_chosen(own, size, samples, draws, rng) for own, size in zip(answers, sizes, strict=True))
    coins = rng.integers(0, 2, size=(2, *a.shape))
    return ValueDraws(
        metric=metric, bounds=bounds, sequences=sequences, judges=(a, b),
        null=(np.where(coins[0] == 1, b, a), np.where(coins[1] == 1, a, b)),
    )  # fmt: skip


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
    """What items with similar answers predict for an item's mean, and by how much true means vary around it."""
    features = np.stack([pilot.a.mean, pilot.b.mean], axis=1)
    values = np.stack([pilot.people.mean, np.ones(pilot.n_items)], axis=1)
    overall = float(pilot.people.mean.mean())
    best: tuple[float, Floats] = (np.inf, values[:, 0])
    for near in neighbours(features, values):
        expected = (near[:, 0] + overall) / (near[:, 1] + 1)
        square = float(np.mean((pilot.people.mean - expected) ** 2))
        best = min(best, (square, expected), key=lambda each: each[0])
    noise = float(np.mean(np.mean(spreads_of(pilot).people, axis=1) / pilot.people.size))
    return best[1], max(best[0] - noise, 1e-6 * best[0], 1e-300)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnMoments:
    """Moments from draws."""

    draws: LabelDraws | ValueDraws  # what the items show with any number of raters
    # (n_samples, n_items): of the items: the pilot's own in the first row, then those of its bootstrap samples; each
    # row sums to 1
    weights: Floats
    # mean square of how far apart the judges are on an item; mean variance of one rating, and of one answer
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
        return first_row(self.possible(pair))

    def _moments(self, raters: int) -> Moments:
        alt, null = self.draws.gaps(raters)
        mean = self.weights @ alt.mean(axis=1)
        square = self.weights @ (alt**2).mean(axis=1)
        return Moments(
            margin=self.weights @ np.sign(alt).mean(axis=1), tied=self.weights @ (alt == 0).mean(axis=1), mean=mean,
            variance=np.maximum(square - mean**2, 0), null_variance=self.weights @ (null**2).mean(axis=1),
        )  # fmt: skip

    def shift_and_noise(self, pair: Pair) -> tuple[float, float]:
        """How far apart the judges are on an item, and how noisy its means are: root mean squares."""
        noise = self.people / pair[0] + self.machine / pair[1]
        return float(np.sqrt(self.apart)), float(np.sqrt(noise))
