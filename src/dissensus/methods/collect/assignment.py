"""Who rates what, in which order: a balanced incomplete design, by seed.

Each item gets its number of different raters and the raters' loads differ by one at most. Raters meet each other as
evenly as that allows, so that no rater's effect is mixed up with that of the items.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes
from dissensus.data.collection import Slot
from dissensus.data.judges import ORDERS

MOST_SWAPS = 2000  # swaps that are tried before the design is taken as it is
SWAPS_PER_PAIR = 40
HEAVIER = 1e6  # a load counts for more than any number of meetings


def teams_of(n_items: int, n_raters: int, *, per_item: int, rng: Generator) -> Codes:
    """The raters of each item, of shape (n_items, per_item).

    Each item in turn takes the raters with the least to do, and among those the ones who have met the fewest of the
    item's other raters; then swaps join raters who have not met at all.
    """
    load, met = np.zeros(n_raters), np.zeros((n_raters, n_raters), dtype=np.intp)
    teams = np.empty((n_items, per_item), dtype=np.intp)
    for team in teams:
        cost = rng.random(n_raters) / 2 + load * HEAVIER
        for place in range(per_item):
            chosen = int(cost.argmin())
            team[place] = chosen
            cost += met[chosen]
            cost[chosen] = np.inf
        load[team] += 1
        met[np.ix_(team, team)] += 1
    np.fill_diagonal(met, 1)
    _join(teams, met, rng)
    return teams


def parts_of(met: Codes) -> int:
    """How many parts the raters fall into, between which nobody shares an item with anybody."""
    unseen, parts = np.ones(len(met), dtype=bool), 0
    while unseen.any():
        part = np.arange(len(met)) == unseen.argmax()
        while (grown := part | (met[part] > 0).any(axis=0)).sum() > part.sum():
            part = grown
        unseen &= ~part
        parts += 1
    return parts


def _join(teams: Codes, met: Codes, rng: Generator) -> None:
    """Swap raters between items, loads unchanged, as long as that joins parts or lets more pairs meet."""
    n_items, per_item = teams.shape
    if not 1 < per_item < len(met) or not n_items:
        return
    left, parts = MOST_SWAPS, parts_of(met)
    if parts == 1 and n_items * per_item * (per_item - 1) < len(met) * (len(met) - 1):
        return  # not all pairs can meet
    apart = np.argwhere(np.triu(met == 0))
    for one, other in rng.permutation(apart).tolist():
        if left <= 0 or (parts == 1 and met[one, other]):
            continue
        left -= SWAPS_PER_PAIR
        parts = _join_pair(teams, met, (one, other), parts, rng)


def _join_pair(teams: Codes, met: Codes, pair: tuple[int, int], parts: int, rng: Generator) -> int:
    """Let two raters meet if a swap of the second costs no more meetings than it brings; the number of parts then."""
    one, other = pair
    has_one, has_other = (teams == one).any(axis=1), (teams == other).any(axis=1)
    here, there = np.flatnonzero(has_one & ~has_other), np.flatnonzero(has_other & ~has_one)
    if not len(here) or not len(there):
        return parts
    for _ in range(SWAPS_PER_PAIR):
        i, j = int(rng.choice(here)), int(rng.choice(there))
        place, back = int(rng.integers(teams.shape[1])), int((teams[j] == other).argmax())
        leaving = int(teams[i, place])
        if leaving == one or leaving in teams[j]:
            continue
        before = int((met == 0).sum())
        _swap(teams, met, (i, place), (j, back))
        new_parts = parts_of(met) if parts > 1 or (met == 0).any() else 1
        if (new_parts, int((met == 0).sum())) < (parts, before):
            return new_parts
        _swap(teams, met, (i, place), (j, back))
    return parts


def _swap(teams: Codes, met: Codes, first: tuple[int, int], second: tuple[int, int]) -> None:
    rows = [first[0], second[0]]
    for row in rows:
        met[np.ix_(teams[row], teams[row])] -= 1
    teams[first], teams[second] = teams[second], teams[first]
    for row in rows:
        met[np.ix_(teams[row], teams[row])] += 1
    np.fill_diagonal(met, 1)


def assign(
    n_items: int, raters: Sequence[str], *, per_item: int, n_checks: int = 0, repeat_share: float = 0.0,
    check_share: float = 0.0, waves: int = 1, is_pairwise: bool = False, seed: int = 0,
) -> Mapping[str, tuple[Slot, ...]]:  # fmt: skip
    """What each rater is asked, in order.

    `n_items`, `n_checks`: items to rate, and items whose answer is known. `raters`: their names. `per_item`: ratings of
    each item, by different raters. `repeat_share`, `check_share`: of a rater's items: how many come again, and how many
    checks are mixed in. `waves`: items are dealt into as many waves; everybody finishes one before the next, so that a
    collection that stops after a wave has complete items. `is_pairwise`: whether the two sides of an item are shown in
    a random order.
    """
    by_rater, by_order = np.random.default_rng(seed).spawn(2)
    shuffled = by_rater.permutation(n_items)
    teams = teams_of(n_items, len(raters), per_item=per_item, rng=by_rater)
    slots = {}
    for number, (rater, stream) in enumerate(zip(raters, by_order.spawn(len(raters)), strict=True)):
        at = np.flatnonzero((teams == number).any(axis=1))
        at = at[np.lexsort((stream.random(len(at)), at * waves // n_items))]
        mine = _mixed(shuffled[at], n_checks, repeat_share, check_share, stream)
        sides = stream.integers(2, size=len(mine)) if is_pairwise else None
        slots[rater] = tuple(
            Slot(item=item, kind=kind, order="" if sides is None else ORDERS[sides[place]])
            for place, (item, kind) in enumerate(mine)
        )
    return slots


def _mixed(
    items: Codes, n_checks: int, repeat_share: float, check_share: float, stream: Generator
) -> list[tuple[int, str]]:
    """A rater's items with repeats, each at least a third of the way after its first time, and checks anywhere."""
    n = len(items)
    again = stream.permutation(-(-2 * n // 3))[: _share(repeat_share, n)]
    later = again + n / 3 + stream.random(len(again)) * (2 * n / 3 - again) + 0.5
    checks = stream.permutation(n_checks)[: _share(check_share, n)]
    keys = np.concatenate([np.arange(n), later, stream.random(len(checks)) * n])
    kinds = ["rating"] * n + ["repeat"] * len(again) + ["check"] * len(checks)
    found = [*items.tolist(), *items[again].tolist(), *checks.tolist()]
    return [(found[place], kinds[place]) for place in np.argsort(keys, kind="stable").tolist()]


def _share(share: float, n: int) -> int:
    """A share of some items as a number: at least one, where any are wanted."""
    return max(1, round(share * n)) if share and n else 0
