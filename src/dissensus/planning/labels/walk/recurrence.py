"""Chances of a walk's sign by a recurrence of positive terms: few items, or items that rarely say anything."""

from collections.abc import Callable

import numpy as np

from dissensus.planning.labels.walk.tilted import Floats, Logs, Tilted, log_or_none, log_rest

BLOCK = 4096
"""So many walks at a time stay in the processor's cache."""

RARE = 16.0
"""Largest variance 2 u n of the symmetric walk for which `rare_steps` starts high enough."""

TOP = 48
"""The symmetric walk of variance `RARE` ends that far out with a chance of 1e-22 of that of ending at 0."""


def few_items(walks: Tilted, n: int) -> Logs:
    """Logarithms of the chances of S < 0, S = 0 and S > 0 after n steps, the same n for all walks.

    With R(s) = Q(s) / u^s the recurrence (n - s + 1) R(s - 1) = u^2 (n + s + 1) R(s + 1) + v s R(s) starts from
    R(n) = 1, holds positive terms only, needs no norming, and stays within 2^-n and 3^n.
    """
    return _in_blocks(lambda part: _few_items(part, n), walks)


def few_items_each(walks: Tilted) -> Logs:
    """The same after `walks.items` steps, which may differ: all walks at once, each from its own number on."""
    order = np.argsort(-walks.items, kind="stable")
    logs = np.empty((3, len(order)))
    logs[:, order] = _in_blocks(_few_items_each, walks[order])
    return logs[0], logs[1], logs[2]


def rare_steps(walks: Tilted) -> Logs:
    """Logarithms of the chances of S < 0, S = 0 and S > 0 for many items of which few say anything (2 u n <= RARE).

    The same recurrence for T(s) = Q(s) / tau^s, started at a point where nothing is left (Miller's algorithm) and
    normed by Q(0) + 2 Q(1) + 2 Q(2) + ... = 1. tau = min(1, un/v) keeps T within 1 and TOP!.
    """
    return _in_blocks(_rare_steps, walks)


def _in_blocks(logs: Callable[[Tilted], Logs], walks: Tilted) -> Logs:
    parts = [logs(walks[start : start + BLOCK]) for start in range(0, len(walks.x), BLOCK)]
    lose, tie, win = (np.concatenate(part) for part in zip(*parts, strict=True))
    return lose, tie, win


def _few_items(walks: Tilted, n: int) -> Logs:
    square, down, up = walks.u**2, walks.y / walks.rho, walks.x / walks.rho
    capped = np.minimum(up, 1.0)
    above, here = np.zeros_like(square), np.ones_like(square)
    lower, upper = here.copy(), here.copy()
    stay = np.empty_like(square)
    for s in range(n, 0, -1):
        above *= square
        above *= (n + s + 1) / (n - s + 1)
        np.multiply(here, walks.v, out=stay)
        stay *= s / (n - s + 1)
        above += stay
        above, here = here, above
        if s > 1:
            _add_below(lower, down, here)
            _add_below(upper, capped, here)
    return _logs(walks, (lower, here, upper), (down, up), norm=np.ones_like(here))


def _few_items_each(walks: Tilted) -> Logs:
    """As `_few_items`, for walks in order of their items, the most first: at s those with s items or more are on."""
    n, square, down, up = walks.items, walks.u**2, walks.y / walks.rho, walks.x / walks.rho
    capped = np.minimum(up, 1.0)
    above, here = np.zeros_like(square), np.ones_like(square)
    lower, upper = here.copy(), here.copy()
    for s in range(int(n[0]), 0, -1):
        on = slice(0, int(np.searchsorted(-n, -s, side="right")))
        above[on] *= square[on]
        above[on] *= (n[on] + s + 1) / (n[on] - s + 1)
        above[on] += here[on] * walks.v[on] * (s / (n[on] - s + 1))
        above[on], here[on] = here[on].copy(), above[on].copy()
        if s > 1:
            _add_below(lower[on], down[on], here[on])
            _add_below(upper[on], capped[on], here[on])
    return _logs(walks, (lower, here, upper), (down, up), norm=np.ones_like(here))


def _rare_steps(walks: Tilted) -> Logs:
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
