"""The kinds of items that a test set is made of: how far responses spread, and how far each judge is from people."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

SPREAD_POINTS = 24
SHIFT_POINTS = 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nodes:
    """Kinds of items and how common each is; sums over the last axis are expectations over items.

    Attributes
    ----------
    weight : ndarray of shape (..., n_nodes)
        Share of the items of each kind; each row sums to 1.
    people, machine : ndarray of shape (..., n_nodes)
        Standard deviation of one person's, and of one of a judge's, responses to an item.
    shift_a, shift_b : ndarray of shape (..., n_nodes)
        Mean of A's, of B's responses less that of people's.
    """

    weight: Floats
    people: Floats
    machine: Floats
    shift_a: Floats
    shift_b: Floats


def normal_nodes(effect: float, spread: tuple[float, float] = (0.0, 0.3)) -> Nodes:
    """The population of the paper: normal responses, A like people, B shifted by up to `effect` either way.

    The shift e = clip(mu + eps, 0, 1) - mu, with mu uniform on [0, 1] and eps on [-effect, effect], has the density
    (1 + effect - 2t) / effect at |e| = t; its sign does not matter.

    Parameters
    ----------
    effect : float
        How far B's mean is moved at most, between 0 and 1.
    spread : (float, float)
        The standard deviation of an item's responses is uniform between these.

    References
    ----------
    "How Many Raters Do You Need?", section 3.
    """
    low, high = spread
    unit, weight = _unit_rule(SPREAD_POINTS)
    # The cube puts many points near the smallest spread, where an item goes from undecided to decided.
    sigma, sigma_weight = low + (high - low) * unit**3, weight * 3 * unit**2
    unit, weight = _unit_rule(SHIFT_POINTS)
    shift = effect * unit
    weights = sigma_weight[:, None] * weight * (1 + effect - 2 * shift)
    sigmas = np.repeat(sigma, SHIFT_POINTS)
    shifts = np.tile(shift, SPREAD_POINTS)
    return Nodes(
        weight=weights.ravel() / weights.sum(),
        people=sigmas,
        machine=sigmas,
        shift_a=np.zeros_like(shifts),
        shift_b=shifts,
    )


def _unit_rule(points: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre points and weights on [0, 1]."""
    x, weight = np.polynomial.legendre.leggauss(points)
    return (x + 1) / 2, weight / 2
