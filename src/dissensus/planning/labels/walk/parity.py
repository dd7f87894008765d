"""Chances of the sign of a walk that still knows whether it made an odd or an even number of steps."""

import numpy as np

from dissensus.planning.labels.walk.fourier import (
    Grid,
    blocks,
    geometric,
    grid,
    log_theta,
    power_of,
    to_logs,
    variance_bins,
)
from dissensus.planning.labels.walk.tilted import Floats, Logs, Tilted

MIXED = 20.0
"""From n v = MIXED on a walk forgets whether its number of steps was odd or even: exp(-2 n v) < 1e-17."""


def many_items_by_parity(walks: Tilted) -> Logs:
    """Logarithms of the chances of S < 0, S = 0 and S > 0 for walks with 2 u n >= RARE and n v < MIXED."""
    bins = variance_bins(walks)
    lose, tie = np.empty_like(walks.x), np.empty_like(walks.x)
    for number in np.unique(bins):
        index = np.flatnonzero(bins == number)
        shared = grid(int(number))
        for block in blocks(slice(0, len(index)), len(shared.nodes)):
            part = index[block]
            lose[part], tie[part] = _sums(walks[part], shared)
    return to_logs(walks, lose, tie)


def _sums(walks: Tilted, shared: Grid) -> tuple[Floats, Floats]:
    """Sum of theta^(s-1) Q(s) over 1 <= s < H, and Q(0).

    The characteristic function is large near pi too, where its power alternates with n. Each node t is taken together
    with pi - t: even and odd s get the sum and the difference of both, so that neither drowns in the other's rounding.
    """
    half, log_factor = shared.half, log_theta(walks)
    theta = np.sqrt(walks.y) / np.sqrt(walks.x)
    b = (walks.x - walks.y) / walks.x  # 1 - theta^2
    odd, even = _weights(walks, shared)
    sine, cosine = np.sin(shared.nodes[1:]) ** 2, np.cos(shared.nodes[1:])
    sign = np.where(np.arange(len(sine)) % 2 == 0, -1.0, 1.0)[:, None]  # cos(H t)
    end = sign * np.exp((half - 2) * log_factor)
    scale = b * b + 4 * theta**2 * sine
    odd_sum = (odd[1:] * (cosine * b * (1 - theta**2 * end) / scale)).sum(axis=0)
    even_sum = (even[1:] * ((b * (1 - end) - 2 * sine * (1 + theta**2 * end)) / scale)).sum(axis=0)
    odd_sum += odd[0] * geometric(half, log_factor, b, terms=half // 2)
    even_sum += even[0] * geometric(half - 2, log_factor, b, terms=half // 2 - 1)
    return (odd_sum + theta * even_sum) / half, even.sum(axis=0) / half


def _weights(walks: Tilted, shared: Grid) -> tuple[Floats, Floats]:
    """The characteristic function to the power n at t and pi - t, as odd and as even s see it."""
    phi_less_one = shared.sine * (-4 * walks.u)
    drop = np.expm1(walks.items * np.log1p(-2 * walks.v / (1 + phi_less_one)))
    weight = power_of(phi_less_one, walks.items)
    like_n, unlike_n = weight * (2 + drop), -weight * drop
    is_odd = walks.items % 2 == 1
    return np.where(is_odd, like_n, unlike_n), np.where(is_odd, unlike_n, like_n)
