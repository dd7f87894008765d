"""What the items of a pilot say of designs: moments of a difference, and the kinds of items behind measurements.

What calibrated judges tell is the difference of their scores: the mean, over an item's raters, of the logarithm of what
A's answer gives to the rater's label over what B's gives. Over items it varies by how the judges differ there, whoever
rates, and by which labels an item's few raters happen to give, which K raters divide by K.

Bootstrap samples of a pilot's items speak of its own raters. What leaving one of them out changes, less what that
changes where labels change hands among the raters of each item, is what raters add to the variance.

The noise of the pilot is taken out of the judges' errors on many bootstrap samples of it at once: a sample is a weight
for each item. The arrays have the shape (n_samples, n_items, n_draws), where the draws are the variances that an item
may have.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.errors import OptionError, RatingsError, counted, listed, named
from dissensus.methods.compare.result import CompareOptions
from dissensus.methods.equivalence.calibration import FoldRows, draw_folds, scores_of_labels
from dissensus.methods.plan_raters.designs import MomentSource, Pair
from dissensus.methods.plan_raters.moments import Crew, Moments, Nodes, first_row
from dissensus.methods.plan_raters.pilot import Pilot, Spreads, gap, label_shares, vectors_of
from dissensus.methods.plan_raters.result import PlanRatersOptions
from dissensus.sampling.draws import draw_weights
from dissensus.sampling.raters import CountCells, RaterDraws, RaterSpread, rater_draws, rater_pool, resolve_raters

# ---- What judges tell

LEAST = 1e-12  # differences below this are rounding errors


def log_ratios(pilot: Pilot, rng: Generator) -> Floats:
    """By how many bits A's calibrated answer to an item predicts each label better, of shape (n_items, n_labels).

    The score is that of `compare`.
    """
    counts = pilot.counts()
    shares = counts / counts.sum(axis=1, keepdims=True)
    rows = FoldRows(np.arange(pilot.n_items), draw_folds(pilot.n_items, rng), None)
    a, b = (scores_of_labels(outputs, shares, rows, clip=CompareOptions.clip) for outputs in label_shares(pilot))
    return a - b


def check_information(pilot: Pilot, options: PlanRatersOptions) -> None:
    """Raise where the pilot has no labels, or is asked for other answers of the judges than it has."""
    if pilot.is_measured:
        raise OptionError(
            f"{named('metric')} information needs labels, and the pilot's ratings are measurements "
            f"({listed(pilot.aligned.labels)}): choose {named('metric')} wins or mae."
        )
    asked = {int(size) for judge in (pilot.a, pilot.b) for size in judge.size}
    if options.machine_samples is not None and options.machine_samples not in asked:
        raise OptionError(
            f"{named('metric')} information plans for judges that are asked as often as in the pilot: leave out "
            f"{named('machine_samples')}."
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InformationMoments:
    """Moments of an item's difference, with any number of raters."""

    ratios: Floats  # (n_items, n_labels): as in `log_ratios`
    weights: Floats  # (n_samples, n_items): the pilot's own in the first row, then its bootstrap samples
    difference: Floats  # (n_items,): as the pilot's raters have it
    within: Floats  # (n_items,): variance of one rating's difference
    size: Codes  # (n_items,): raters

    def possible(self, pair: Pair) -> Moments:
        """Moments by everything that is possible, the best guess first."""
        mean = self.weights @ self.difference
        square = self.weights @ self.difference**2 - mean**2
        within = self.weights @ self.within
        # What the pilot's items vary by holds the noise of their own raters.
        items = np.maximum(square * self._unbiased - self.weights @ (self.within / self.size), 0)
        variance = items + within / pair[0]
        return Moments(
            margin=np.zeros_like(mean), tied=np.zeros_like(mean), mean=mean, variance=variance,
            null_variance=variance + mean**2,
        )  # fmt: skip

    @property
    def _unbiased(self) -> float:
        return len(self.size) / (len(self.size) - 1)

    def guess(self, pair: Pair) -> Moments:
        """Moments by the best guess."""
        return first_row(self.possible(pair))

    def shift_and_noise(self, pair: Pair) -> tuple[float, float]:
        """How far apart the judges are on an item, and how far its few raters move that: root mean squares, in bits."""
        found = self.guess(pair)
        noise = float(self.weights[0] @ self.within) / pair[0]
        return float(np.sqrt(max(float(found.variance) - noise, 0.0) + float(found.mean) ** 2)), float(np.sqrt(noise))


def information_moments(pilot: Pilot, ratios: Floats, weights: Floats) -> InformationMoments:
    """Moments from what the pilot's raters said; an item that one rater rated varies as the others do."""
    counts = pilot.counts()
    size = counts.sum(axis=1)
    shares = counts / size[:, None]
    difference = np.einsum("il,il->i", shares, ratios)
    around = np.einsum("il,il->i", shares, (ratios - difference[:, None]) ** 2)
    several = size > 1
    within = around * size / np.maximum(size - 1, 1)
    within = np.where(several, within, within[several].mean())
    if np.allclose(ratios, 0, atol=LEAST):
        a, b = pilot.names
        raise RatingsError(
            f"The pilot cannot tell: calibrated, {a} and {b} predict the same on each of its "
            f"{counted(pilot.n_items, 'item')}. Give a larger pilot."
        )
    return InformationMoments(ratios=ratios, weights=weights, difference=difference, within=within, size=size)


# ---- New raters

Gaps = Callable[[Codes], Floats]
"""By how much B is farther from people than A on each item, from counts of labels of shape (n_items, n_labels)."""


def label_gaps(pilot: Pilot, metric: str) -> Gaps:
    """The gaps of a metric that compares means of vectors."""
    vectors = vectors_of(pilot, metric)
    a, b = pilot.means_of(vectors.judges)

    def gaps(counts: Codes) -> Floats:
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        people = shares @ vectors.people[0] if len(vectors.people) == 1 else (shares[:, None] @ vectors.people)[:, 0]
        return gap(people, a, b, is_sorted=vectors.is_sorted)

    return gaps


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NewRaters:
    """Moments for raters like those of the pilot: the same, with what raters add."""

    source: MomentSource  # for these raters
    spread: RaterSpread  # of the mean over items
    draws: RaterDraws  # one for each bootstrap sample
    raters: int  # in the pilot
    load: float  # ratings of one of them, on average

    @property
    def _added(self) -> Floats:
        """What the pilot's raters add to the variance, by the best guess and in each bootstrap sample."""
        inflation = np.concatenate([[1.0], self.draws.inflation])
        return np.asarray(np.maximum(self.spread.total * inflation - self.spread.within, 0))

    def possible(self, pair: Pair) -> Moments:
        """Moments by everything that is possible, the best guess first."""
        moments, added = self.source.possible(pair), self._added
        moved = np.concatenate([[0.0], self.draws.normal]) * np.sqrt(added)
        decided = 1 - moments.tied
        return replace(
            moments, mean=moments.mean + moved, margin=np.clip(moments.margin + moved, -decided, decided),
            between=added * self.raters, crew=Crew(pair[0], self.load),
        )  # fmt: skip

    def guess(self, pair: Pair) -> Moments:
        """Moments by the best guess."""
        return replace(
            self.source.guess(pair), between=float(self._added[0]) * self.raters, crew=Crew(pair[0], self.load)
        )

    def shift_and_noise(self, pair: Pair) -> tuple[float, float]:
        """How far apart the judges are on an item, and how noisy its means are: root mean squares."""
        return self.source.shift_and_noise(pair)


def for_new_raters(
    pilot: Pilot, source: MomentSource, gaps: Gaps, *, metric: str, bootstrap: int, rng: Generator
) -> MomentSource:
    """The source for raters like those of the pilot, where it says who rated and has at least three; else the same."""
    rater = pilot.ratings.rater
    if rater is None or resolve_raters(None, pilot.ratings)[0] == "fixed":
        return source
    pool = rater_pool(pilot.ratings, rng)
    n_labels = pilot.ratings.n_labels

    def statistics(cells: CountCells) -> Floats:
        counts = np.zeros((pilot.n_items, len(pilot.aligned.labels)), dtype=np.intp)
        counts[:, :n_labels] = cells.dense(pilot.n_items, n_labels)
        found = gaps(counts)[counts.sum(axis=1) > 0]
        return np.array([(np.sign(found) if metric == "wins" else found).mean()])

    spread = pool.spread_of(statistics, n_labels)
    draws = rater_draws(bootstrap, pool.n_groups, rng)
    raters = len(np.unique(rater))
    return NewRaters(source=source, spread=spread, draws=draws, raters=raters, load=len(rater) / raters)


# ---- From a pilot to the kinds of items behind it: the noise of the pilot is taken out of the judges' errors

EM_STEPS = 100
RIDGE = 1e-9
HERMITE_POINTS = 3


class Matrices(NamedTuple):
    """Symmetric 2 x 2 matrices by their entries."""

    aa: Floats
    ab: Floats
    bb: Floats


class Errors(NamedTuple):
    """What the pilot leaves open of each item's true errors: their mean, their covariance, and the draws' weights."""

    a: Floats
    b: Floats
    left: Matrices
    weight: Floats


def resampled_weights(n_items: int, bootstrap: int, rng: Generator) -> Floats:
    """Weights of the items: all equal in the first row, then one bootstrap sample in each."""
    drawn = draw_weights(n_items, bootstrap, rng, copies=np.ones(n_items))
    return np.concatenate([np.ones((1, n_items)), drawn]) / n_items


def fit_pilot(pilot: Pilot, spreads: Spreads, weights: Floats) -> Nodes:
    """The kinds of items behind a pilot, a row for each bootstrap sample.

    Observed errors A - G and B - G vary by more than the true ones: by the noise of G, which both share, and of each
    judge's samples. The true ones are taken to be normal over items, their covariance is found by maximum likelihood
    (EM) with each item's own noise, and each item's are what its pilot data leave open.

    `pilot`: the data. `spreads`: variances of one response to each item. `weights` (n_samples, n_items): weights of the
    items; each row sums to 1.
    """
    shared = spreads.people / pilot.people.size[:, None]
    noise = Matrices(
        aa=spreads.machine / pilot.a.size[:, None] + shared,
        ab=shared,
        bb=spreads.machine / pilot.b.size[:, None] + shared,
    )
    a, b = ((judge.mean - pilot.people.mean)[:, None] for judge in (pilot.a, pilot.b))
    return _nodes(spreads, _true_errors(a, b, noise, weights[:, :, None]))


def _true_errors(a: Floats, b: Floats, noise: Matrices, weights: Floats) -> Errors:
    """EM over the covariance of the true errors, their mean, and which of its variances an item has."""
    draws = noise.aa.shape[1]
    weight = np.broadcast_to(weights / draws, (*weights.shape[:2], draws))
    center_a, center_b = (_total(weight * each) for each in (a, b))
    ridge = RIDGE * np.asarray(np.mean(a**2 + b**2)) + 1e-300
    least = Matrices(ridge, 0 * ridge, ridge)  # keeps what two judges that answer alike have in common invertible
    prior = _covariance(weight, a - center_a, b - center_b, least)
    for _ in range(EM_STEPS):
        errors = _update(prior, noise, a - center_a, b - center_b, weights)
        move_a, move_b = _total(errors.weight * errors.a), _total(errors.weight * errors.b)
        left = Matrices(*(own + more for own, more in zip(errors.left, least, strict=True)))
        prior = _covariance(errors.weight, errors.a - move_a, errors.b - move_b, left)
        center_a, center_b = center_a + move_a, center_b + move_b
    errors = _update(prior, noise, a - center_a, b - center_b, weights)
    return errors._replace(a=errors.a + center_a, b=errors.b + center_b)


def _total(values: Floats) -> Floats:
    return np.asarray(values.sum(axis=(1, 2), keepdims=True))


def _covariance(weights: Floats, a: Floats, b: Floats, more: Matrices) -> Matrices:
    entries = zip((a * a, a * b, b * b), more, strict=True)
    return Matrices(*(_total(weights * (square + extra)) for square, extra in entries))


def _update(prior: Matrices, noise: Matrices, a: Floats, b: Floats, weights: Floats) -> Errors:
    """What data (a, b) with this noise leave open of errors with this prior."""
    aa, ab, bb = (p + n for p, n in zip(prior, noise, strict=True))
    determinant = np.maximum(aa * bb - ab * ab, 1e-300)
    # The gain is the prior times the inverse of prior plus noise.
    g11, g12 = (prior.aa * bb - prior.ab * ab) / determinant, (prior.ab * aa - prior.aa * ab) / determinant
    g21, g22 = (prior.ab * bb - prior.bb * ab) / determinant, (prior.bb * aa - prior.ab * ab) / determinant
    left = Matrices(
        aa=np.maximum(prior.aa - g11 * prior.aa - g12 * prior.ab, 0),
        ab=prior.ab - g11 * prior.ab - g12 * prior.bb,
        bb=np.maximum(prior.bb - g21 * prior.ab - g22 * prior.bb, 0),
    )
    distance = (bb * a * a - 2 * ab * a * b + aa * b * b) / determinant
    log_fit = -(np.log(determinant) + distance) / 2
    fit = np.exp(log_fit - log_fit.max(axis=2, keepdims=True))
    return Errors(g11 * a + g12 * b, g21 * a + g22 * b, left, weights * fit / fit.sum(axis=2, keepdims=True))


def _nodes(spreads: Spreads, errors: Errors) -> Nodes:
    """Each item, with each of its variances, at nine places: those of Gauss and Hermite for its errors."""
    x, w = np.polynomial.hermite_e.hermegauss(HERMITE_POINTS)
    first, second = (grid.ravel() for grid in np.meshgrid(x, x))
    share = (w[:, None] * w).ravel() / w.sum() ** 2
    along = np.sqrt(errors.left.aa)
    slope = np.where(along > 0, errors.left.ab / np.maximum(along, 1e-300), 0.0)
    across = np.sqrt(np.maximum(errors.left.bb - slope**2, 0))

    def at(values: Floats) -> Floats:
        return values.reshape(len(errors.weight), -1)

    def repeated(variance: Floats) -> Floats:
        return at(np.broadcast_to(np.sqrt(variance)[..., None], (*errors.weight.shape, len(share))))

    return Nodes(
        weight=at(errors.weight[..., None] * share),
        people=repeated(spreads.people),
        machine=repeated(spreads.machine),
        shift_a=at(errors.a[..., None] + along[..., None] * first),
        shift_b=at(errors.b[..., None] + slope[..., None] * first + across[..., None] * second),
    )
