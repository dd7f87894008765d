"""From a pilot to the kinds of items behind it: the noise of the pilot is taken out of the judges' errors.

Every function works on many bootstrap samples of the pilot at once: a sample is a weight for each item. The arrays have
the shape (n_samples, n_items, n_draws), where the draws are the variances that an item may have.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.planning.raters.nodes import Floats, Nodes
from dissensus.planning.raters.pilot_data import Pilot
from dissensus.planning.raters.spreads import Spreads

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
    """Weights of the items: all alike in the first row, then one bootstrap sample in each."""
    drawn = rng.multinomial(n_items, np.full(n_items, 1 / n_items), size=bootstrap)
    return np.concatenate([np.ones((1, n_items)), drawn]) / n_items


def fit_pilot(pilot: Pilot, spreads: Spreads, weights: Floats) -> Nodes:
    """The kinds of items behind a pilot, a row for each bootstrap sample.

    Observed errors A - G and B - G vary by more than the true ones: by the noise of G, which both share, and of each
    judge's samples. The true ones are taken to be normal over items, their covariance is found by maximum likelihood
    (EM) with each item's own noise, and each item's are what its pilot data leave open.

    Parameters
    ----------
    pilot : Pilot
        The data.
    spreads : Spreads
        Variances of one response to each item.
    weights : ndarray of shape (n_samples, n_items)
        Weights of the items; each row sums to 1.
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
