"""Is a judge worse in a slice, or the longer a text is? Tests that a slice which looks bad by chance does not fail.

The number that is compared is a judge's lead, item by item: its score less that of as many raters as the judge is worth
on all items. So a slice on which people, too, find it hard to agree does not count against the judge. Items change
slices at random, and the largest difference of all slices and judges that chance then brings is what a real one has to
beat. What raters add, where slices have different ones, makes a difference count for less.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.methods.parts.result import SliceDifference, Trend
from dissensus.sampling.intervals import normal_interval

T = TypeVar("T", SliceDifference, Trend)
LEVEL = 0.05
MOST, FEWEST = 2000, 400
"""Random exchanges, fewer of many items."""
AT_ONCE = 40_000_000


class Leads(NamedTuple):
    """What is compared: the items that take part, and what raters bring."""

    judges: tuple[str, ...]
    lead: Floats  # (n_items, n_judges); 0 where an item does not take part
    known: Floats  # (n_items, n_judges): 1 where it does, else 0
    place: Codes  # (n_items,): the slice of each item
    rating: tuple[Codes, Codes] | None  # item and rater of each rating; None where raters are taken as they are
    rater_variance: Floats  # (n_judges,): what raters add to the variance of the mean lead of all items


def slice_differences(
    leads: Leads, values: tuple[str, ...], *, confidence: float, question: str | None, rng: Generator
) -> tuple[SliceDifference, ...]:
    """Each slice against the other items, for each judge, the p-values allowing for all of them."""
    difference, variance = _against_the_rest(leads.lead, leads.known, leads.place, len(values))
    extra = np.stack([_rater_part(leads, leads.place == s, leads.place != s) for s in range(len(values))])
    t = _ratio(difference, variance + extra)
    largest = _largest_by_chance(leads, len(values), rng)
    found = []
    for s, value in enumerate(values):
        for j, judge in enumerate(leads.judges):
            low, high = normal_interval(float(difference[s, j]), float(variance[s, j] + extra[s, j]), confidence)
            p = _p_value(t[s, j], largest)
            found.append(
                SliceDifference(
                    question=question, value=value, judge=judge, difference=float(difference[s, j]), low=low, high=high,
                    p_value=p, finding=_finding(float(difference[s, j]), p),
                )
            )  # fmt: skip
    return tuple(found)


def trends(leads: Leads, numbers: Floats, *, question: str | None, rng: Generator) -> tuple[Trend, ...]:
    """Whether leads fall or rise with a number of each item, by its rank, the p-values allowing for all judges."""
    ranks = _ranks(numbers)
    slopes = [_slope(leads.lead, leads.known, ranks)]
    slopes += [_slope(leads.lead, leads.known, ranks[order]) for order in _orders(leads, rng)]
    observed, others = slopes[0], np.array(slopes[1:])
    largest = np.nanmax(np.abs(others), axis=1, initial=0.0)
    found = []
    for j, judge in enumerate(leads.judges):
        r = float(observed[j])
        p = _p_value(r * _shrunk(leads, ranks, j), largest)
        found.append(Trend(question=question, judge=judge, correlation=r, p_value=p, finding=_finding(r, p)))
    return tuple(found)


def _finding(difference: float, p_value: float) -> Literal["worse", "better"] | None:
    if not p_value < LEVEL:
        return None
    return "worse" if difference < 0 else "better"


def for_questions(differences: Sequence[T], questions: int) -> tuple[T, ...]:
    """Differences, or trends, of slices of several questions, the p-values allowing for them (Bonferroni)."""
    allowed = []
    for one in differences:
        p = min(one.p_value * questions, 1.0)
        allowed.append(replace(one, p_value=p, finding=one.finding if p < LEVEL else None))
    return tuple(allowed)


def _p_value(value: float, largest: Floats) -> float:
    """How often chance brings a value as large; NaN where there is none."""
    if not np.isfinite(value):
        return float("nan")
    return float((1 + np.sum(largest >= abs(value) - 1e-12)) / (1 + len(largest)))


def _orders(leads: Leads, rng: Generator) -> list[Codes]:
    """Random orders of the items."""
    times = int(np.clip(AT_ONCE // max(leads.lead.size, 1), FEWEST, MOST))
    return [rng.permutation(len(leads.place)) for _ in range(times)]


def _largest_by_chance(leads: Leads, n_slices: int, rng: Generator) -> Floats:
    """The largest difference of all slices and judges, in standard errors, in each random exchange of items."""
    columns = _columns(leads.lead, leads.known)
    sizes = np.bincount(leads.place[leads.place >= 0], minlength=n_slices)
    last = np.cumsum(sizes)
    starts, inside = np.append(last - sizes, last[-1])[: n_slices + (last[-1] < len(columns))], n_slices
    sums = np.stack([np.add.reduceat(columns[order], starts, axis=0)[:inside] for order in _orders(leads, rng)])
    t = np.abs(_ratio(*_against(sums, columns.sum(axis=0))))
    return np.asarray(np.nanmax(t.reshape(len(t), -1), axis=1, initial=0.0))


def _columns(lead: Floats, known: Floats) -> Floats:
    """Numbers, leads and their squares of each item, (n_items, 3 * n_judges)."""
    return np.concatenate([known, lead, lead**2], axis=1)


def _against_the_rest(lead: Floats, known: Floats, place: Codes, n_slices: int) -> tuple[Floats, Floats]:
    """Mean lead of each slice less that of the other items, and its variance; both (n_slices, n_judges)."""
    columns = _columns(lead, known)
    sums = np.stack([columns[place == s].sum(axis=0) for s in range(n_slices)])
    return _against(sums, columns.sum(axis=0))


def _against(sums: Floats, whole: Floats) -> tuple[Floats, Floats]:
    """The same from sums over each slice, (..., n_slices, 3 * n_judges), and over all items."""
    (mean, variance), (others, more) = _moments(sums), _moments(whole - sums)
    return mean - others, variance + more


def _moments(sums: Floats) -> tuple[Floats, Floats]:
    """Mean, and its variance, from numbers, sums and sums of squares; NaN of fewer than two."""
    number, total, squares = np.split(sums, 3, axis=-1)
    n = np.where(number > 1, number, np.nan)
    mean = total / n
    return mean, np.maximum(squares / n - mean**2, 0) / (n - 1)


def _ratio(difference: Floats, variance: Floats) -> Floats:
    return np.asarray(difference / np.sqrt(np.where(variance > 0, variance, np.nan)))


# ---- What raters bring: as if each moved the leads of the items that they rated


def _rater_part(leads: Leads, inside: Codes, outside: Codes) -> Floats:
    """What raters add to the variance of a difference of two means, (n_judges,)."""
    if leads.rating is None:
        return np.zeros(len(leads.judges))
    weights = inside / max(inside.sum(), 1) - outside / max(outside.sum(), 1)
    return leads.rater_variance * _concentration(leads, weights)


def _concentration(leads: Leads, weights: Floats) -> float:
    """How much raters move a weighted sum of leads, of how much they move the mean of all."""
    assert leads.rating is not None  # noqa: S101 - the caller asked
    item, rater = leads.rating
    ratings = np.bincount(item, minlength=len(leads.place))
    share = 1 / np.maximum(ratings, 1)
    own = np.bincount(rater, weights=(weights * share)[item])
    mean = np.bincount(rater, weights=(share / len(leads.place))[item])
    return float((own**2).sum() / (mean**2).sum())


def _shrunk(leads: Leads, ranks: Floats, j: int) -> float:
    """What is left of a correlation where part of it may be the raters'."""
    if leads.rating is None:
        return 1.0
    weights = ranks * leads.known[:, j]
    weights = weights - leads.known[:, j] * weights.sum() / max(leads.known[:, j].sum(), 1)
    apart = leads.lead[:, j] - leads.known[:, j] * leads.lead[:, j].sum() / max(leads.known[:, j].sum(), 1)
    variance = float((weights**2 * apart**2).sum())
    extra = float(leads.rater_variance[j]) * _concentration(leads, weights)
    return float(np.sqrt(variance / (variance + extra))) if variance > 0 else 1.0


# ---- Ranks


def _ranks(numbers: Floats) -> Floats:
    """Ranks from 1, those of equal numbers in the middle; 0 where a number is missing."""
    missing = np.isnan(numbers)
    _, place, count = np.unique(numbers[~missing], return_inverse=True, return_counts=True)
    ranks = np.zeros(len(numbers))
    ranks[~missing] = (np.cumsum(count) - (count - 1) / 2)[place]
    return ranks


def _slope(lead: Floats, known: Floats, ranks: Floats) -> Floats:
    """Correlation of ranks and leads, over the items that have both, (n_judges,)."""
    both = known * (ranks > 0)[:, None]
    n = np.where(both.sum(axis=0) > 1, both.sum(axis=0), np.nan)
    x = both * (ranks[:, None] - (both * ranks[:, None]).sum(axis=0) / n)
    y = both * (lead - (both * lead).sum(axis=0) / n)
    scale = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    return np.asarray((x * y).sum(axis=0) / np.where(scale > 0, scale, np.nan))
