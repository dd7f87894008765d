"""The walk of the test set's gap, seen from a symmetric walk under which a draw is typical."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Logs: TypeAlias = tuple[Floats, Floats, Floats]
"""Natural logarithms of the chances of S < 0, S = 0 and S > 0."""

ROUNDING = 2.0**-52
HALF = 0.5
"""Up to here log(1 - f) is taken from f, which is exact for small f; beyond it, from 1 - f."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tilted:
    """Walks of `items` steps +1, -1 and 0 with chances x >= y > 0 and z = 1 - x - y; all of shape (n_walks,).

    The chance of ending at s is rho^n theta^(-s) Q(s), where theta = sqrt(y/x) and Q is the law of the symmetric walk
    with chances u, u and v: a deep tail is a large power times a sum of moderate positive terms.

    Attributes
    ----------
    items : ndarray
        Number of steps n, as floats.
    x, y : ndarray
        Chances of +1 and of -1.
    rho, log_rho : ndarray
        Cramer's rate rho = 2 sqrt(xy) + z, and its logarithm.
    u, v : ndarray
        Chances sqrt(xy) / rho of either step, and z / rho of none, of the symmetric walk.
    """

    items: Floats
    x: Floats
    y: Floats
    rho: Floats
    log_rho: Floats
    u: Floats
    v: Floats

    def __getitem__(self, index: npt.NDArray[np.intp] | slice) -> "Tilted":
        return Tilted(
            items=self.items[index],
            x=self.x[index],
            y=self.y[index],
            rho=self.rho[index],
            log_rho=self.log_rho[index],
            u=self.u[index],
            v=self.v[index],
        )


def tilted(x: Floats, y: Floats, items: Floats) -> Tilted:
    """The walks with their symmetric walks; x >= y > 0."""
    z = stay(x, y)
    root_x, root_y = np.sqrt(x), np.sqrt(y)
    both = root_x * root_y
    rho = 2 * both + z
    fall = ((x - y) / (root_x + root_y)) ** 2  # 1 - rho, exact where rho is nearly 1
    log_rho = np.where(fall < HALF, np.log1p(-np.minimum(fall, HALF)), np.log(rho))
    return Tilted(items=items, x=x, y=y, rho=rho, log_rho=log_rho, u=both / rho, v=z / rho)


def stay(x: Floats, y: Floats) -> Floats:
    """Chance z = 1 - x - y of a step of 0, without rounding; 0 where x and y add up to 1 but for their own rounding.

    Parameters
    ----------
    x, y : ndarray
        Chances of the other steps, x >= y.
    """
    total = x + y
    z = (1 - total) - (y - (total - x))  # the second term is what the sum lost
    return np.where((z <= ROUNDING) & (y >= ROUNDING), 0.0, np.maximum(z, 0.0))


def log_or_none(values: Floats) -> Floats:
    """Logarithms; minus infinity for 0."""
    return np.log(values, where=values > 0, out=np.full(values.shape, -np.inf))


def log_rest(log_chance: Floats) -> Floats:
    """Logarithm of 1 less a chance, for chances that are not nearly 1."""
    chance = np.exp(log_chance)
    return np.log1p(-chance, where=chance < 1, out=np.full(chance.shape, -np.inf))
