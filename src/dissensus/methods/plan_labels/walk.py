"""Chances that the better of two classifiers loses, ties or wins on a number of labelled items.

Two algorithms, a recurrence of positive terms and a finite Fourier sum, each in two forms, because no form keeps all
digits everywhere. The recurrence starts from n for up to 64 items, and up to 128 of which almost every one says
something (`few_items`); for many items of which few say anything it starts where nothing is left (`rare_steps`), as
there a Fourier sum would lose the tiny chances in the rounding of 1. The Fourier sum is that of `many_items`; where
almost every item says something the characteristic function is as large near pi as near 0, odd and even ends hardly
mix, and each needs a sum of its own (`many_items_by_parity`).
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Floats
from dissensus.errors import OptionError

# ---- The walk of the test set's gap, seen from a symmetric walk under which a draw is typical

Logs: TypeAlias = tuple[Floats, Floats, Floats]  # natural logarithms of the chances of S < 0, S = 0 and S > 0
ROUNDING = 2.0**-52
HALF = 0.5  # up to here log(1 - f) is taken from f, which is exact for small f; beyond it, from 1 - f


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tilted:
    """Walks of `items` steps +1, -1 and 0 with chances x >= y > 0 and z = 1 - x - y; all of shape (n_walks,).

    The chance of ending at s is rho^n theta^(-s) Q(s), where rho = 2 sqrt(xy) + z is Cramer's rate, theta = sqrt(y/x)
    and Q is the law of the symmetric walk with chances u = sqrt(xy) / rho of either step and v = z / rho of none: a
    deep tail is a large power times a sum of moderate positive terms.
    """

    items: Floats
    x: Floats
    y: Floats
    rho: Floats
    log_rho: Floats
    u: Floats
    v: Floats

    def __getitem__(self, index: npt.NDArray[np.intp] | slice) -> "Tilted":
        return Tilted(**{field.name: getattr(self, field.name)[index] for field in fields(self)})


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

    It is x that is not smaller than y.
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


# ---- Chances of a walk's sign by a recurrence of positive terms: few items, or items that rarely say anything

BLOCK = 4096  # this many walks at a time stay in the processor's cache
RARE = 16.0  # largest variance 2 u n of the symmetric walk for which `rare_steps` starts high enough
TOP = 48  # the symmetric walk of variance `RARE` ends that far out with a chance of 1e-22 of that of ending at 0


def few_items(walks: Tilted) -> Logs:
    """Logarithms of the chances of S < 0, S = 0 and S > 0 after `walks.items` steps, which may differ.

    With R(s) = Q(s) / u^s the recurrence (n - s + 1) R(s - 1) = u^2 (n + s + 1) R(s + 1) + v s R(s) starts from
    R(n) = 1, holds positive terms only, needs no norming, and stays within 2^-n and 3^n.
    """
    if np.ptp(walks.items) == 0:
        return _in_blocks(_few_items, walks)
    order = np.argsort(-walks.items, kind="stable")
    logs = np.empty((3, len(order)))
    logs[:, order] = _in_blocks(_few_items, walks[order])
    return logs[0], logs[1], logs[2]


def _in_blocks(logs: Callable[[Tilted], Logs], walks: Tilted) -> Logs:
    parts = [logs(walks[start : start + BLOCK]) for start in range(0, len(walks.x), BLOCK)]
    lose, tie, win = (np.concatenate(part) for part in zip(*parts, strict=True))
    return lose, tie, win


def _few_items(walks: Tilted) -> Logs:
    """For walks in order of their items, the most first: at s those with s items or more are on."""
    square, down, up = walks.u**2, walks.y / walks.rho, walks.x / walks.rho
    capped = np.minimum(up, 1.0)
    above, here = np.zeros_like(square), np.ones_like(square)
    lower, upper = here.copy(), here.copy()
    is_same = bool(walks.items[0] == walks.items[-1])
    for s in range(int(walks.items[0]), 0, -1):
        on = slice(None) if is_same else slice(0, int(np.searchsorted(-walks.items, -s, side="right")))
        n = walks.items[0] if is_same else walks.items[on]
        below = above[on]  # a view: it is overwritten
        below *= square[on]
        below *= (n + s + 1) / (n - s + 1)
        stays = here[on] * walks.v[on]
        stays *= s / (n - s + 1)
        below += stays
        if is_same:
            above, here = here, above
        else:
            above[on], here[on] = here[on].copy(), below.copy()
        if s > 1:
            _add_below(lower[on], down[on], here[on])
            _add_below(upper[on], capped[on], here[on])
    return _logs(walks, (lower, here, upper), (down, up), norm=np.ones_like(here))


def rare_steps(walks: Tilted) -> Logs:
    """Logarithms of the chances of S < 0, S = 0 and S > 0 for many items of which few say anything (2 u n <= RARE).

    The same recurrence for T(s) = Q(s) / tau^s, started at a point where nothing is left (Miller's algorithm) and
    normed by Q(0) + 2 Q(1) + 2 Q(2) + ... = 1. tau = min(1, un/v) keeps T within 1 and TOP!.
    """
    n, u, v = walks.items, walks.u, walks.v
    tau = np.minimum(1.0, u * n / v)
    theta = np.sqrt(walks.y) / np.sqrt(walks.x)
    square, stay, down, up = tau * tau, tau * v / u, tau * theta, tau / theta
    capped = np.minimum(up, 1.0)
    above, here = np.zeros_like(n), np.ones_like(n)
    lower, upper, middle = here.copy(), here.copy(), here.copy()
    for s in range(TOP, 0, -1):
        above, here = here, (square * (n + s + 1) * above + stay * s * here) / (n - s + 1)
        if s > 1:
            _add_below(lower, down, here)
            _add_below(upper, capped, here)
            _add_below(middle, tau, here)
    return _logs(walks, (lower, here, upper), (down, up), norm=here + 2 * tau * middle)


def _add_below(total: Floats, factor: Floats, term: Floats) -> None:
    """Step a sum f(s+1) + factor f(s+2) + factor^2 f(s+3) + ... down to s, in place."""
    total *= factor
    total += term


def _logs(walks: Tilted, sums: tuple[Floats, Floats, Floats], factors: tuple[Floats, Floats], *, norm: Floats) -> Logs:
    """Logarithms of the chances from the three sums; the first and last still lack a factor.

    Where steps up are rare, the three sums together are the whole. Elsewhere the sum of S > 0 may be huge; there
    S > 0 is likely, and its chance is what the other two leave of 1.
    """
    (lower, here, upper), (down, up) = sums, factors
    is_whole = up <= 1
    capped = np.minimum(up, 1.0)
    power = np.where(is_whole, 0.0, walks.items * walks.log_rho)
    norm = np.where(is_whole, down * lower + here + capped * upper, norm)
    lose, tie = power + (np.log(down) + np.log(lower / norm)), power + log_or_none(here / norm)
    win = np.log(capped * (upper / norm))
    return lose, tie, np.where(is_whole, win, log_rest(np.minimum(np.logaddexp(lose, tie), 0.0)))


# ---- Chances of a walk's sign by a finite Fourier sum whose number of nodes does not grow with the number of items

WIDTH = 8.4
"""The grid reaches this many standard deviations of the symmetric walk: the rest is below 1e-15 of the middle."""
CUT = 35.0  # nodes at which the characteristic function to the power n is below exp(-CUT) are left out
RATIO = 1.5  # walks whose variances are within this ratio share their nodes
MIXED = 20.0  # from n v = MIXED on a walk forgets whether its number of steps was odd or even: exp(-2 n v) < 1e-17
FOURIER_BLOCK = 16384  # this many (node, walk) pairs at a time stay in the processor's cache


class Grid(NamedTuple):
    """The nodes t = pi k / H, from 0, at which the characteristic function matters, and their sin^2(t/2).

    H is even, half the number of points of the whole grid; the arrays have shape (n_nodes, 1).
    """

    half: int
    nodes: Floats
    sine: Floats


def _by_grid(sums: Callable[[Tilted, Grid], tuple[Floats, Floats]], walks: Tilted) -> Logs:
    """By the sum of theta^(s-1) Q(s) over 1 <= s < H and by Q(0), for walks that share nodes, a few at a time."""
    largest = np.log(np.maximum(2 * walks.u * walks.items / RARE, 1.0))
    bins = np.ceil(largest / np.log(RATIO)).astype(np.int16)
    lose, tie = np.empty_like(walks.x), np.empty_like(walks.x)
    for number in np.unique(bins):
        index, shared = np.flatnonzero(bins == number), grid(int(number))
        width = max(1, FOURIER_BLOCK // len(shared.nodes))  # stays in the cache
        for start in range(0, len(index), width):
            part = index[start : start + width]
            lose[part], tie[part] = sums(walks[part], shared)
    power, theta = walks.items * walks.log_rho, np.sqrt(walks.y) / np.sqrt(walks.x)
    log_win = log_rest(np.minimum(power + np.log(theta * lose + tie), 0.0))
    return power + (log_theta(walks) + np.log(lose)), power + log_or_none(tie), log_win


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


def many_items(walks: Tilted, shared: Grid) -> tuple[Floats, Floats]:
    """Sum of theta^(s-1) Q(s) over 1 <= s < H, and Q(0), for walks with 2 u n >= RARE and many steps of 0.

    The kernel of the first is (a (1 - c) - 2 sine (1 + theta c)) / (a^2 + 4 theta sine) with a = 1 - theta and
    c = +-theta^(H-1), the sign alternating from node to node. What does not depend on the node is taken out, so that
    a node costs few operations.
    """
    root_x, root_y, half = np.sqrt(walks.x), np.sqrt(walks.y), float(shared.half)
    theta, log_factor = root_y / root_x, log_theta(walks)
    a = (walks.x - walks.y) / (walks.x + root_x * root_y)
    plain, sine = np.empty((2, len(a))), np.empty((2, len(a)))
    weight = power_of(shared.sine * (-4 * walks.u), walks.items)
    tie = weight.sum(axis=0)
    ratio = shared.sine[1:] + a * a / (4 * theta)
    np.divide(weight[1:], ratio, out=ratio)
    for sign in (0, 1):
        part = ratio[sign::2]
        plain[sign] = part.sum(axis=0)
        np.einsum("k,km->m", shared.sine[1 + sign :: 2, 0], part, out=sine[sign])
    end = np.array([[-1.0], [1.0]]) * np.exp((half - 1) * log_factor)
    parts = a * (1 - end) / 2 * plain - (1 + theta * end) * sine
    lose = geometric(half - 1, log_factor, a, terms=half - 1) / 2 + parts.sum(axis=0) / (2 * theta)
    return lose / half, tie / half


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


def geometric(power: float, log_ratio: Floats, rest: Floats, *, terms: float) -> Floats:
    """The geometric sum (1 - theta^power) / rest of this many terms; rest is 1 less the ratio of the terms."""
    total = np.full(rest.shape, float(terms))
    np.divide(-np.expm1(power * log_ratio), rest, where=rest > 0, out=total)
    return total


def many_items_by_parity(walks: Tilted, shared: Grid) -> tuple[Floats, Floats]:
    """The same for walks with 2 u n >= RARE and n v < MIXED.

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


Ties: TypeAlias = Literal["lose", "half", "win"]
TIES: tuple[Ties, ...] = ("lose", "half", "win")
FEW = 64  # up to this many items the recurrence runs over all of them; up to twice as many before `MIXED`
TOO_MUCH = 1e-9  # how far x + y may exceed 1 by rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogChances:
    """Logarithms of the chances that the better classifier loses, P(S < 0), ties and wins; all of the same shape.

    Minus infinity where it cannot happen.
    """

    lose: Floats
    tie: Floats
    win: Floats

    @property
    def lose_or_tie(self) -> Floats:
        """Logarithm of the chance that the better classifier does not win."""
        return np.asarray(np.minimum(np.logaddexp(self.lose, self.tie), 0.0))

    def error(self, ties: Ties = "lose") -> Floats:
        """Logarithm of the chance of an error, where a tie is one, is half of one (a coin is flipped), or is none."""
        if ties == "lose":
            return self.lose_or_tie
        if ties == "win":
            return self.lose
        if ties == "half":
            return np.asarray(np.minimum(np.logaddexp(self.lose, self.tie - np.log(2)), 0.0))
        raise OptionError.unknown("ties", ties, TIES)


def log_chances(x: npt.ArrayLike, y: npt.ArrayLike, items: npt.ArrayLike) -> LogChances:
    """Chances of S < 0, S = 0 and S > 0, where S sums one step of +1, -1 or 0 per item.

    Exact but for rounding, also far out in the tail: the logarithms are sums of positive terms throughout. The time
    does not grow with the number of items beyond 128.

    `x`, `y`: chances of a step of +1 (the item speaks for the better classifier) and of -1 (for the worse one).
    `items`: number of items, at least 1; broadcasts against `x` and `y`. Returns of the shape that `x`, `y` and `items`
    broadcast to.

    "Don't Label Twice", Propositions 1 and 2 and Lemma 2.
    """
    up, down, n = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float), np.asarray(items, float))
    _check(up, down, n)
    is_swapped = up < down
    more, less = np.where(is_swapped, down, up).ravel(), np.where(is_swapped, up, down).ravel()
    # A chance of nearly 1 may come out a rounding error above it.
    lose, tie, win = (np.minimum(logs, 0.0).reshape(up.shape) for logs in _log_chances(more, less, n.ravel()))
    return LogChances(lose=np.where(is_swapped, win, lose), tie=tie, win=np.where(is_swapped, lose, win))


def _check(x: Floats, y: Floats, items: Floats) -> None:
    if not np.all((x >= 0) & (y >= 0) & (x + y <= 1 + TOO_MUCH)):
        raise OptionError("The chances of a step up and down must be 0 or more and add up to at most 1.")
    if not np.all((items >= 1) & (items == np.floor(items))):
        raise OptionError("items must be whole numbers from 1.")


def _log_chances(x: Floats, y: Floats, items: Floats) -> Logs:
    """Logarithms of the chances for x >= y, all of shape (n_walks,)."""
    two_sided = y > 0
    if np.all(two_sided):
        return _two_sided(tilted(x, y, items))
    logs = np.empty((3, len(x)))
    one = ~two_sided
    # No step down: P(S = 0) = (1 - x)^n.
    tie = items[one] * np.log1p(-x[one], where=x[one] < 1, out=np.full(int(one.sum()), -np.inf))
    logs[:, one] = np.full(tie.shape, -np.inf), tie, log_or_none(-np.expm1(tie))
    if np.any(two_sided):
        logs[:, two_sided] = _two_sided(tilted(x[two_sided], y[two_sided], items[two_sided]))
    return logs[0], logs[1], logs[2]


def _two_sided(walks: Tilted) -> Logs:
    """Each walk by the way that suits its number of items and how many of them say anything."""
    is_rare, is_mixed = 2 * walks.u * walks.items < RARE, walks.items * walks.v >= MIXED
    is_few = walks.items <= np.where(is_mixed, FEW, 2 * FEW)
    ways = np.where(is_few, 0, np.where(is_rare, 1, np.where(is_mixed, 2, 3)))
    logs_of: tuple[Callable[[Tilted], Logs], ...] = (
        few_items, partial(_in_blocks, rare_steps), partial(_by_grid, many_items),
        partial(_by_grid, many_items_by_parity),
    )  # fmt: skip
    used = np.flatnonzero(np.bincount(ways))
    if len(used) == 1:
        return logs_of[int(used[0])](walks)
    logs = np.empty((3, len(ways)))
    for way in used:
        index = np.flatnonzero(ways == way)
        logs[:, index] = logs_of[int(way)](walks[index])
    return logs[0], logs[1], logs[2]
