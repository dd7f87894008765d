"""Changes over time that are real, however often one looks.

Each new run is compared with the runs before it, pair by pair on the items that both have. Under no change all
comparisons of a series, over all looks there will ever be, are together wrong with a probability of at most alpha: look
t may spend alpha / (t (t + 1)), which sums to alpha, shared among the windows that it compares. So the intervals form a
confidence sequence, valid whenever one stops. Windows of 1, 2, 4, ... runs find a large change at once and a small one
after some runs.

References
----------
H. Robbins (1970), "Statistical Methods Related to the Law of the Iterated Logarithm".
S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon (2021), "Time-uniform, nonparametric, nonasymptotic confidence
sequences": the weights over looks are those of their stitching.
"""

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Codes, Floats

FEWEST_SHARED = 20
"""Items that two runs must share to be compared pair by pair, or have each to be compared without."""
TINY = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
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

    Parameters
    ----------
    run, key : ndarray of shape (n_values,)
        The run and the item of each value; an item whose ratings changed has another key.
    values : ndarray of shape (n_values,)
        Scores; NaN does not count.
    runs : ndarray of shape (n_runs,)
        The runs in their order.
    alpha : float
        Probability that any change is ever called real where there is none.
    """
    table = _table(run, key, values, runs)
    known = ~np.isnan(table)
    nothing = np.zeros((1, table.shape[1]))
    total = np.concatenate([nothing, np.cumsum(np.where(known, table, 0.0), axis=0)])
    number = np.concatenate([nothing.astype(np.intp), np.cumsum(known, axis=0)])
    found: list[Change | None] = []
    start, look = 0, 0
    for t in range(len(runs)):
        if not known[t].any() or not (number[t] > number[start]).any():
            found.append(None)
            continue
        look += 1
        change = _compared(total, number, start, t + 1, alpha / (look * (look + 1)))
        found.append(change)
        if change.real:
            start = t + 1 - change.runs
    return found


def _table(run: Codes, key: Codes, values: Floats, runs: Codes) -> Floats:
    """Values by run and item; NaN where there is none."""
    place = np.searchsorted(runs, run)
    keys, item = np.unique(key, return_inverse=True)
    table = np.full((len(runs), len(keys)), np.nan)
    table[place, item] = values
    return table


def _compared(total: Floats, number: Codes, start: int, end: int, alpha: float) -> Change:
    """The last runs up to `end` beside those before them from `start` on, at the window that shows most.

    Sums and numbers of the items' values over the first 0, 1, ... runs are of shape (n_runs + 1, n_items).
    """
    windows = [2**i for i in range((end - start).bit_length()) if 2**i < end - start]
    candidates = []
    for window in windows:
        split = end - window
        before = _means(total[split] - total[start], number[split] - number[start])
        after = _means(total[end] - total[split], number[end] - number[split])
        candidates.append(_window(before, after, window, alpha / len(windows)))
    return max(candidates, key=lambda one: one[1])[0]


def _window(before: Floats, after: Floats, window: int, alpha: float) -> tuple[Change, float]:
    """The mean of each item before and after, and by how many standard errors they differ."""
    shared = ~np.isnan(before) & ~np.isnan(after)
    paired = int(shared.sum()) >= FEWEST_SHARED
    samples = [after[shared] - before[shared]] if paired else [after[~np.isnan(after)], -before[~np.isnan(before)]]
    items = min(map(len, samples))
    if items < FEWEST_SHARED:
        return Change(difference=np.nan, low=np.nan, high=np.nan, runs=window, items=items, paired=False,
                      real=False), -1.0  # fmt: skip
    difference, error = float(sum(own.mean() for own in samples)), _error(samples)
    low, high = (difference + side for side in _reaches(samples, error, items - 1, alpha))
    real = bool(low > TINY or high < -TINY)
    change = Change(difference=difference, low=low, high=high, runs=window, items=items, paired=paired, real=real)
    return change, abs(difference) / error if error > 0 else 0.0


def _means(total: Floats, number: Codes) -> Floats:
    return np.asarray(np.where(number > 0, total / np.maximum(number, 1), np.nan))


def _error(samples: list[Floats]) -> float:
    """Standard error of the sum of the samples' means."""
    return float(np.sqrt(sum(own.var(ddof=1) / len(own) for own in samples)))


def _reaches(samples: list[Floats], error: float, freedom: int, alpha: float) -> tuple[float, float]:
    """How far a two-sided interval reaches below and above: Student's, wider on the side that skewness makes likelier.

    Far out in the tail, where many looks push the bounds, skewness counts: without it 61 of 1,000 streams of 100 looks
    at skewed scores raised an alarm at alpha .05. The term is that of Cornish and Fisher for a studentised mean (P.
    Hall 1992, "On the Removal of Skewness by Transformation"), and never makes the interval narrower.
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - takes a while to import

    if error <= TINY:
        return 0.0, 0.0
    t = float(-stdtrit(freedom, alpha / 2))
    third = sum(float(((own - own.mean()) ** 3).mean()) / len(own) ** 2 for own in samples) / error**3
    skew = third * (2 * t**2 + 1) / 6
    return -(t + max(-skew, 0.0)) * error, (t + max(skew, 0.0)) * error
