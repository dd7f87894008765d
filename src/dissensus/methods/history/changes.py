"""Changes over time that are real, however often one looks.

Each new run is compared with the runs before it, pair by pair on the items that both have. Under no change all
comparisons of a series, over all looks there will ever be, are together wrong with a probability of at most alpha: look
t may spend .8 alpha / (t (t + 1)), which sums to less than alpha, shared among the windows that it compares. So the
intervals form a confidence sequence, valid whenever one stops. Windows of 1, 2, 4, ... runs find a large change at once
and a small one after some runs.

References
----------
H. Robbins (1970), "Statistical Methods Related to the Law of the Iterated Logarithm".
S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon (2021), "Time-uniform, nonparametric, nonasymptotic confidence
sequences": the weights over looks are those of their stitching.
"""

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Codes, Flags, Floats

FEWEST_SHARED = 20
"""Items that two runs must share to be compared pair by pair, or have each to be compared without."""
TINY = 1e-12
SPENT = 0.8
"""Share of alpha that is spent. The rest is for few and skewed scores, whose tails are heavier than Student's: with all
of it 19 of 300 streams in which half of the items stayed the same raised an alarm at alpha .05."""
LOOKS = 64
"""Looks that are computed together."""


@dataclass(frozen=True, slots=True)
class Change:
    """A run beside those before it, since the last real change."""

    difference: float  # mean of the last runs less that of those before; NaN where nothing is comparable
    low: float  # of the confidence sequence
    high: float
    runs: int  # how many of the last runs are compared with those before
    items: int  # on how many items
    paired: bool  # whether both have the same items with the same ratings
    real: bool


def changes_in(run: Codes, key: Codes, values: Floats, runs: Codes, *, alpha: float = 0.05) -> list[Change | None]:
    """What changed with each run; None for the first, and where a run has no values.

    `run`, `key` (n_values,): the run and the item of each value; an item whose ratings changed has another key.
    `values` (n_values,): scores; NaN does not count. `runs` (n_runs,): the runs in their order. `alpha`: probability
    that any change is ever called real where there is none.
    """
    known = ~np.isnan(values)
    sums = _Sums.of(np.searchsorted(runs, run[known]), key[known], values[known], len(runs))
    found: list[Change | None] = []
    start, look = 0, 0
    while len(found) < len(runs):
        ends = np.arange(len(found) + 1, min(len(found) + LOOKS, len(runs)) + 1)
        looked = sums.comparable(start, ends)
        block = _compared(sums, start, ends[looked], alpha, look)
        first = next((i for i, change in enumerate(block) if change.real), None)
        if first is not None:  # later looks compare with what came after this change
            looked = looked[: np.flatnonzero(looked)[first] + 1]
            start = int(ends[len(looked) - 1]) - block[first].runs
        changes = iter(block)
        found += [next(changes) if here else None for here in looked]
        look += int(looked.sum())
    return found


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums and numbers of values over the first 0, 1, ... runs.

    Items of one run only are in no pair: sums of them suffice, and a table of every item and run would be too large.
    """

    total: Floats  # (n_runs + 1, n_items): items of several runs
    number: Codes  # (n_runs + 1, n_items)
    alone: Floats  # (4, n_runs + 1): items of one run; their number, and sums of their first three powers

    @classmethod
    def of(cls, run: Codes, key: Codes, values: Floats, n_runs: int) -> "_Sums":
        _, item, times = np.unique(key, return_inverse=True, return_counts=True)
        often, column = times[item] > 1, np.cumsum(times > 1) - 1
        centred = values - (values.mean() if len(values) else 0.0)
        table = np.full((n_runs, int((times > 1).sum())), np.nan)
        table[run[often], column[item[often]]] = centred[often]
        known = ~np.isnan(table)
        powers = [np.bincount(run[~often], centred[~often] ** k, minlength=n_runs) for k in range(4)]
        before = ((1, 0), (0, 0))
        return cls(
            np.pad(np.cumsum(np.where(known, table, 0.0), axis=0), before),
            np.pad(np.cumsum(known, axis=0), before),
            np.pad(np.cumsum(powers, axis=1), before[::-1]),
        )

    def comparable(self, start: int, ends: Codes) -> Flags:
        """Whether the last run before each end has a value, and one from `start` up to it has."""
        seen = self.number.sum(axis=1) + self.alone[0]
        return np.asarray((seen[ends] > seen[ends - 1]) & (seen[ends - 1] > seen[start]))

    def means(self, first: Codes, last: Codes) -> Floats:
        """Mean of each item over the runs from `first` to before `last`, (n_spans, n_items); NaN where it has none."""
        number = self.number[last] - self.number[first]
        return np.asarray(np.where(number > 0, (self.total[last] - self.total[first]) / np.maximum(number, 1), np.nan))


def _compared(sums: _Sums, start: int, ends: Codes, alpha: float, look: int) -> list[Change]:
    """For each end, the last runs up to it beside those before them from `start` on, at the window that shows most."""
    looks = look + 1 + np.arange(len(ends))
    windows = np.array([(int(length) - 1).bit_length() for length in ends - start], dtype=np.intp)
    allowed = SPENT * alpha / (looks * (looks + 1)) / np.maximum(windows, 1)
    best = {"shows": np.full(len(ends), -2.0)}
    for power in range(int(windows.max(initial=0))):
        own = np.flatnonzero(windows > power)
        split = ends[own] - 2**power
        found = _window(sums, np.full(len(own), start), split, ends[own], allowed[own])
        found["runs"] = np.full(len(own), 2**power)
        better = found["shows"] > best["shows"][own]
        for name, column in found.items():
            best.setdefault(name, np.zeros(len(ends), dtype=column.dtype))[own[better]] = column[better]
    columns = [best[name].tolist() for name in Change.__slots__ if name in best]
    return [Change(*row) for row in zip(*columns, strict=True)]


def _window(sums: _Sums, start: Codes, split: Codes, end: Codes, alpha: Floats) -> dict[str, np.ndarray]:
    """How values differ before and after each split, and by how many standard errors (`shows`)."""
    before, after = sums.means(start, split), sums.means(split, end)
    shared = _Moments.of(after - before)
    paired = shared.items >= FEWEST_SHARED
    earlier, later = sums.alone[:, split] - sums.alone[:, start], sums.alone[:, end] - sums.alone[:, split]
    apart = (shared, shared) if paired.all() else (_Moments.of(after, later), _Moments.of(-before, SIGNS * earlier))
    items = np.where(paired, shared.items, np.minimum(apart[0].items, apart[1].items))
    enough = items >= FEWEST_SHARED
    difference = np.where(enough, np.where(paired, shared.mean, apart[0].mean + apart[1].mean), np.nan)
    error = np.sqrt(np.where(paired, shared.variance, apart[0].variance + apart[1].variance))
    third = np.where(paired, shared.third, apart[0].third + apart[1].third)
    pooled, skewed = _pooled(*apart)
    reaches = _reaches(error, third, items - 1, alpha)
    others = _reaches(np.where(paired, error, pooled), np.where(paired, third, skewed), items - 1, alpha)
    below, above = np.maximum(reaches, others)
    low, high = difference - below, difference + above
    far = np.abs(difference) / np.where(error > 0, error, np.inf)
    return {
        "difference": difference, "low": low, "high": high, "items": items, "paired": paired,
        "real": (low > TINY) | (high < -TINY), "shows": np.where(enough, far, -1.0),
    }  # fmt: skip


SIGNS = np.array([[1], [-1], [1], [-1]])
"""Of the sums of powers where every value has the opposite sign."""


@dataclass(frozen=True, slots=True)
class _Moments:
    """Of each row's known values: how many, their mean, and the variance and third moment of that mean."""

    items: Codes
    mean: Floats
    variance: Floats
    third: Floats

    @classmethod
    def of(cls, values: Floats, alone: Floats | None = None) -> "_Moments":
        """`values` (n_rows, n_items). `alone` (4, n_rows): further values, as in `_Sums`."""
        known = ~np.isnan(values)
        number, one, two, three = np.zeros((4, len(values))) if alone is None else alone
        items = known.sum(axis=1) + number.astype(np.intp)
        some = np.maximum(items, 1)
        mean = (np.where(known, values, 0.0).sum(axis=1) + one) / some
        apart = np.where(known, values - mean[:, None], 0.0)
        square = apart * apart
        squares = square.sum(axis=1) + np.maximum(two - 2 * mean * one + mean**2 * number, 0.0)
        cubes = (square * apart).sum(axis=1) + three - 3 * mean * two + 3 * mean**2 * one - mean**3 * number
        return cls(items, mean, squares / np.maximum(items - 1, 1) / some, cubes / some**3)


def _pooled(after: _Moments, before: _Moments) -> tuple[Floats, Floats]:
    """Standard error and third moment of a difference if nothing changed; `before` has opposite signs.

    A few items without one of the rare large scores vary little among themselves. Those of all runs say what they might
    have been: without them 30 of 300 streams of 100 looks at 100 new items with rare large scores raised an alarm.
    """
    n, m = np.maximum(after.items, 2), np.maximum(before.items, 2)
    square = ((n - 1) * n * after.variance + (m - 1) * m * before.variance) / (n + m - 2)
    cube = (n**3 * after.third - m**3 * before.third) / (n + m)
    return np.sqrt(square * (1 / n + 1 / m)), cube * (1.0 / n**2 - 1.0 / m**2)


def _reaches(error: Floats, third: Floats, freedom: Codes, alpha: Floats) -> tuple[Floats, Floats]:
    """How far a two-sided interval reaches below and above: Student's, wider on the side that skewness makes likelier.

    Far out in the tail, where many looks push the bounds, skewness counts: without it 61 of 1,000 streams of 100 looks
    at skewed scores raised an alarm at alpha .05. The term is that of Cornish and Fisher for a studentised mean (P.
    Hall 1992, "On the Removal of Skewness by Transformation"), and never makes the interval narrower.
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - takes a while to import

    t = -stdtrit(np.maximum(freedom, 1), alpha / 2)
    scale = np.where(error > TINY, error, 1.0)
    skew = third / scale**3 * (2 * t**2 + 1) / 6
    known = np.where(error > TINY, error, 0.0)
    return np.asarray((t + np.maximum(-skew, 0.0)) * known), np.asarray((t + np.maximum(skew, 0.0)) * known)
