"""Each rater's numbers, drawn towards those of the other raters."""

from collections.abc import Sequence

import numpy as np

from dissensus.decisions.closeness import Floats
from dissensus.decisions.portraying.cells import Cells, rater_means
from dissensus.decisions.portraying.grouping import Groups
from dissensus.decisions.portraying.question import Question
from dissensus.decisions.portraying.result import Measure, Population, Portrait
from dissensus.decisions.portraying.shrinking import FEWEST_RATERS, pooled_variance, shrink
from dissensus.ratings import Ratings

FAR = 2.5
"""A rater stands out who is so many robust standard deviations below the median (Leys et al. 2013)."""
TO_DEVIATION = 1.4826
"""From the median absolute deviation of a normal distribution to its standard deviation."""


def portraits_of(
    ratings: Ratings, cells: Cells, groups: Groups | None, question: Question
) -> tuple[tuple[Portrait, ...], dict[str, Population]]:
    """A portrait of each rater, and how raters differ."""
    n = len(ratings.raters)
    agreement, _ = rater_means(cells, cells.agreement, n)
    others, _ = rater_means(cells, cells.others, n)
    items = np.bincount(cells.rater, minlength=n)
    given = np.bincount(cells.rater, weights=cells.size, minlength=n).astype(np.intp)
    parts = {
        "difference": (cells.agreement - cells.others, -1.0),
        "leniency": (cells.leniency, -np.inf),
        "consistency": (cells.repeated, 0.0),
    }
    measures: dict[str, list[Measure | None]] = {}
    populations: dict[str, Population] = {}
    for name, (values, least) in parts.items():
        measures[name], population = measures_of(cells, values, n, least=least, confidence=question.confidence)
        populations |= {} if population is None else {name: population}
    far = standing_out(measures["difference"])
    return tuple(
        Portrait(
            rater=name, group=None if groups is None or groups.of_rater[r] < 0 else groups.names[groups.of_rater[r]],
            items=int(items[r]), ratings=int(given[r]), agreement=float(agreement[r]), others=float(others[r]),
            difference=measures["difference"][r], leniency=measures["leniency"][r],
            consistency=measures["consistency"][r],
            stands_out=bool(far[r]),
        )
        for r, name in enumerate(ratings.raters)
    ), populations  # fmt: skip


def measures_of(
    cells: Cells, values: Floats, n_raters: int, *, least: float, confidence: float
) -> tuple[list[Measure | None], Population | None]:
    """A number for each rater from the values of the rater's cells, drawn towards the others.

    Bounds end at `least`, where it is finite, and at 1.
    """
    means, counts = rater_means(cells, values, n_raters)
    if not counts.any():
        return [None] * n_raters, None
    variance = pooled_variance(values, cells.rater, means)
    if variance == 0 and least == 0.0:
        # All answers were repeated exactly, which few repeats do by chance: as if one of two more had not been.
        share = (counts.sum() + 1) / (counts.sum() + 2)
        variance = float(share * (1 - share))
    shrunk = shrink(means, counts, variance, confidence=confidence)
    most = 1.0 if np.isfinite(least) else np.inf
    low, high = np.maximum(shrunk.low, least), np.minimum(shrunk.high, most)
    found = [
        Measure(value=float(means[r]), shrunk=float(shrunk.value[r]), low=float(low[r]), high=float(high[r]),
                items=int(counts[r]))
        if counts[r]
        else None
        for r in range(n_raters)
    ]  # fmt: skip
    return found, Population(mean=shrunk.mean, spread=shrunk.spread, raters=int(np.sum(counts > 0)))


def standing_out(measures: Sequence[Measure | None]) -> list[bool]:
    """Who lies far below the others; the median and the deviations from it do not hide one who does.

    A rater with few items must be far below by what chance gives to so few, too.
    """
    known = [own for own in measures if own is not None]
    if len(known) < FEWEST_RATERS:
        return [False] * len(measures)
    values = np.array([own.value for own in known])
    middle = float(np.median(values))
    limit = middle - FAR * TO_DEVIATION * float(np.median(np.abs(values - middle)))
    return [own is not None and own.value < limit and own.high < middle for own in measures]
