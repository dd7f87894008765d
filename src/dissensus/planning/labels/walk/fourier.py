"""Chances of a walk's sign by a finite Fourier sum whose number of nodes does not grow with the number of items."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dissensus.planning.labels.walk.recurrence import RARE
from dissensus.planning.labels.walk.tilted import HALF, Floats, Logs, Tilted, log_or_none, log_rest

WIDTH = 8.4
"""The grid reaches so many standard deviations of the symmetric walk: what lies beyond is below 1e-15 of the middle."""

CUT = 35.0
"""Nodes at which the characteristic function to the power n is below exp(-CUT) are left out."""

RATIO = 1.5
"""Walks whose variances are within this ratio share their nodes."""

BLOCK = 16384
"""So many (node, walk) pairs at a time stay in the processor's cache."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grid:
    """The nodes t = pi k / H at which the characteristic function matters; H is even.

    Attributes
    ----------
    half : int
        Half the number of points of the whole grid, H.
    nodes : ndarray of shape (n_nodes, 1)
        The angles t from 0.
    sine : ndarray of shape (n_nodes, 1)
        Their sin^2(t/2).
    """

    half: int
    nodes: Floats
    sine: Floats


def many_items(walks: Tilted) -> Logs:
    """Logarithms of the chances of S < 0, S = 0 and S > 0 for walks with 2 u n >= RARE and many steps of 0."""
    keys = variance_bins(walks)
    order = np.argsort(keys, kind="stable")
    walks, keys = walks[order], keys[order]
    edges = [0, *(np.flatnonzero(np.diff(keys)) + 1).tolist(), len(keys)]
    groups = [(slice(start, stop), grid(int(keys[start]))) for start, stop in pairwise(edges)]
    half = np.repeat([float(shared.half) for _, shared in groups], np.diff(edges))
    logs = np.empty((3, len(order)))
    logs[:, order] = to_logs(walks, *_sums(walks, half, groups))
    return logs[0], logs[1], logs[2]


def to_logs(walks: Tilted, lose: Floats, tie: Floats) -> Logs:
    """Logarithms of the chances from the sum of theta^(s-1) Q(s) over s >= 1, and from Q(0)."""
    power, theta = walks.items * walks.log_rho, np.sqrt(walks.y) / np.sqrt(walks.x)
    log_win = log_rest(np.minimum(power + np.log(theta * lose + tie), 0.0))
    return power + (log_theta(walks) + np.log(lose)), power + log_or_none(tie), log_win


def variance_bins(walks: Tilted) -> npt.NDArray[np.int16]:
    """Number of the grid that suits each walk."""
    bins: Floats = np.ceil(np.log(np.maximum(2 * walks.u * walks.items / RARE, 1.0)) / np.log(RATIO))
    return bins.astype(np.int16)  # numpy sorts such short numbers in no time


@lru_cache(maxsize=256)
def grid(number: int) -> Grid:
    """The nodes for walks whose variance 2 u n is at most RARE RATIO^number, but not much less."""
    largest = RARE * RATIO**number
    smallest = RARE * RATIO ** max(number - 1, 0)
    half = 2 * int(np.ceil((WIDTH * np.sqrt(largest) + 8) / 2))
    # The characteristic function 1 - 4 u sin^2(t/2) to the power n is at most exp(-2 (2 u n) sin^2(t/2)).
    last = int(np.ceil(2 * half / np.pi * np.arcsin(np.sqrt(min(CUT / 2 / smallest, 1.0)))))
    nodes = np.linspace(0.0, np.pi * last / half, last + 1)[:, None]
    return Grid(half=half, nodes=nodes, sine=np.sin(nodes / 2) ** 2)


def _sums(walks: Tilted, half: Floats, groups: list[tuple[slice, Grid]]) -> tuple[Floats, Floats]:
    """Sum of theta^(s-1) Q(s) over 1 <= s < H, and Q(0).

    The kernel of the first is (a (1 - c) - 2 sine (1 + theta c)) / (a^2 + 4 theta sine) with a = 1 - theta and
    c = +-theta^(H-1), the sign alternating from node to node. What does not depend on the node is taken out, so that
    a node costs few operations.
    """
    root_x, root_y = np.sqrt(walks.x), np.sqrt(walks.y)
    theta, log_factor = root_y / root_x, log_theta(walks)
    a = (walks.x - walks.y) / (walks.x + root_x * root_y)
    pole, slope = a * a / (4 * theta), -4 * walks.u
    tie, plain, sine = np.empty_like(a), np.empty((2, len(a))), np.empty((2, len(a)))
    for group, shared in groups:
        for block in blocks(group, len(shared.nodes)):
            weight = power_of(shared.sine * slope[block], walks.items[block])
            tie[block] = weight.sum(axis=0)
            ratio = shared.sine[1:] + pole[block]
            np.divide(weight[1:], ratio, out=ratio)
            for sign in (0, 1):
                part = ratio[sign::2]
                plain[sign, block] = part.sum(axis=0)
                np.einsum("k,km->m", shared.sine[1 + sign :: 2, 0], part, out=sine[sign, block])
    end = np.array([[-1.0], [1.0]]) * np.exp((half - 1) * log_factor)
    parts = a * (1 - end) / 2 * plain - (1 + theta * end) * sine
    lose = geometric(half - 1, log_factor, a, terms=half - 1) / 2 + parts.sum(axis=0) / (2 * theta)
    return lose / half, tie / half


def blocks(group: slice, nodes: int) -> list[slice]:
    """Parts of a group that stay in the cache."""
    width = max(1, BLOCK // nodes)
    return [slice(start, min(start + width, group.stop)) for start in range(group.start, group.stop, width)]


def power_of(phi_less_one: Floats, items: Floats) -> Floats:
    """The characteristic function to the power n, in place; the first node counts half, as it has no mirror image."""
    np.log1p(phi_less_one, out=phi_less_one)
    phi_less_one *= items
    np.exp(phi_less_one, out=phi_less_one)
    phi_less_one[0] /= 2
    return phi_less_one


def log_theta(walks: Tilted) -> Floats:
    """Logarithm of theta = sqrt(y/x), exact also where it is nearly 0."""
    fall = (walks.x - walks.y) / walks.x
    far = (np.log(walks.y) - np.log(walks.x)) / 2
    return np.where(fall < HALF, np.log1p(-np.minimum(fall, HALF)) / 2, far)


def geometric(power: Floats | int, log_ratio: Floats, rest: Floats, *, terms: Floats | int) -> Floats:
    """The geometric sum (1 - theta^power) / rest of so many terms; rest is 1 less the ratio of the terms."""
    total = np.broadcast_to(np.asarray(terms, dtype=np.float64), rest.shape).copy()
    np.divide(-np.expm1(power * log_ratio), rest, where=rest > 0, out=total)
    return total
