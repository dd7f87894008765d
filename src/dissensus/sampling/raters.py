"""Raters as a sample: how much further a number could have moved with other raters like these.

Bootstrap samples of the items speak of these very raters. To speak of people like these, each bootstrap value is moved
by a draw of the noise that raters add. A jackknife that leaves out one rater at a time, or one of 30 groups of them,
has that noise and, since every rater saw other items, noise of items that the bootstrap holds already. The same
jackknife after labels changed hands among the raters of each item has the latter alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Ratings
from dissensus.errors import OptionError, counted
from dissensus.options import named, option

RatersAs = Literal["sampled", "fixed"]
FEWEST_RATERS = 3  # two raters differ by one number, which says next to nothing about a third
FEW_RATERS = 4  # up to this many raters say little about others, and intervals are very wide
MOST_GROUPS = 30
SHUFFLES = 4
MOST_SHUFFLED = 120_000
"""Ratings that are shuffled in all, where they are too many for four shuffles; one there is always."""
CHANCES = 1000  # equally likely values of a chi-squared draw, where none is drawn
STEPS, END = 100, 1e-14  # how the end of an interval is found: at most so many steps, until they are that short
STREAM = 0x7A7E25
"""Keeps the random numbers of raters apart from those of items; the same for all methods, so that they share draws."""


def raters_option() -> RatersAs | None:
    """Whether intervals are for raters like these or for these raters."""
    text = "Intervals for raters like these (sampled) or for these raters alone (fixed); sampled where ids allow it."
    return option(None, metavar="R", choices=get_args(RatersAs), help=text)


def resolve_raters(wanted: RatersAs | None, ratings: Ratings, *, bootstrap: int = 1) -> tuple[RatersAs, list[str]]:
    """Whether raters are a sample, and a sentence where the intervals do not cover other raters or hardly can.

    Without `bootstrap` samples there are no intervals and nothing to say.
    """
    if wanted == "fixed":
        return "fixed", []
    known = 0 if ratings.rater is None else len(np.unique(ratings.rater))
    if known < FEWEST_RATERS or ratings.times is not None or ratings.copies is not None:
        who = "this one rater" if known == 1 else f"these {counted(known, 'rater')}" if known else "these raters"
        why = f"it takes {FEWEST_RATERS} raters" if known else "the ratings do not say who rated"
        if wanted == "sampled":
            raise OptionError(f"{named('raters')} cannot be sampled: {why}. Choose fixed.")
        text = f"Intervals are for {who} only, since {why}: others could move the numbers several times further."
        return "fixed", [text] if bootstrap else []
    few = f"Intervals are very wide, because {known} raters say little about others like them"
    has_few = bootstrap > 0 and known <= FEW_RATERS
    return "sampled", [f"{few}; {named('raters')} fixed has those for these raters alone."] if has_few else []


def rater_stream(rng: int | Generator | None) -> Generator:
    """The random numbers of raters: for one seed the same in every method."""
    if isinstance(rng, Generator):
        return rng.spawn(1)[0]
    return np.random.default_rng(None if rng is None else [STREAM, rng])


class CountCells(NamedTuple):
    """How often items got labels without some raters: every pair that occurs, ordered by item, then label."""

    item: Codes
    label: Codes
    times: Codes

    def dense(self, n_items: int, n_labels: int) -> Codes:
        """Counts of shape (n_items, n_labels); an item that nobody else rated has a row of zeros."""
        table = np.zeros((n_items, n_labels), dtype=np.intp)
        table[self.item, self.label] = self.times
        return table


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RaterPool:
    """Who rated what, to leave raters out one group at a time; ratings are ordered by item and rater."""

    row: Codes  # (n_ratings,): where each rating stands in the data
    item: Codes  # (n_ratings,)
    group: Codes  # (n_ratings,): the group of each rating's rater
    labels: tuple[Codes, ...]  # each (n_ratings,): as they are, then shuffled among the raters of each item
    raters: Codes  # (n_groups,): the rater where every group is one; empty else
    n_groups: int

    def rows(self) -> Iterator[tuple[Flags, Codes]]:
        """The ratings without each group, and their labels: as they are, then each shuffle."""
        for label in self.labels:
            for group in range(self.n_groups):
                yield self.group != group, label

    def cells(self, n_labels: int) -> Iterator[CountCells]:
        """The counts of labels without each group, in the order of `rows`."""
        for label in self.labels:
            key, place = _cells_of(self.item * n_labels + label)
            whole = np.bincount(place, minlength=len(key))
            order = np.argsort(self.group, kind="stable")
            ends = np.cumsum(np.bincount(self.group, minlength=self.n_groups))[:-1]
            for own in np.split(place[order], ends):
                count = whole - np.bincount(own, minlength=len(key))
                left = count > 0
                yield CountCells(key[left] // n_labels, key[left] % n_labels, count[left])

    def spread(self, values: Floats) -> "RaterSpread":
        """Variances from the statistics of `rows` or `cells`, of shape (n_shuffles + 1, n_groups, n_statistics)."""
        return jackknife_spread(np.reshape(values, (len(self.labels), self.n_groups, -1)))

    def spread_of(self, statistics: Callable[[CountCells], Floats], n_labels: int) -> "RaterSpread":
        """Variances of statistics of label counts, each of shape (n_statistics,)."""
        return self.spread(np.stack([statistics(cells) for cells in self.cells(n_labels)]))


def _cells_of(code: Codes) -> tuple[Codes, Codes]:
    """The cells that occur, and the place of each code among them; where most do, all cells, without sorting."""
    size = int(code.max(initial=-1)) + 1
    return (np.arange(size), code) if size <= 2 * len(code) else np.unique(code, return_inverse=True)


def rater_pool(ratings: Ratings, rng: Generator) -> RaterPool:
    """The raters in groups of one, or in 30 random groups, and labels shuffled among the raters of each item.

    Labels change hands within an elicitation only, so that a forced choice stays one.
    """
    assert ratings.rater is not None  # noqa: S101 - as `resolve_raters` says
    kind = np.zeros_like(ratings.item) if ratings.elicitation is None else ratings.elicitation
    row = np.lexsort((ratings.label, ratings.rater, kind, ratings.item))  # whatever the order of the rows
    new_part = (np.diff(ratings.item[row], prepend=-1) != 0) | (np.diff(kind[row], prepend=-2) != 0)
    return pool_of(row, ratings.item[row], ratings.rater[row], ratings.label[row], rng, part=np.cumsum(new_part))


def pool_of(
    row: Codes, item: Codes, rater: Codes, label: Codes, rng: Generator, *, part: Codes | None = None
) -> RaterPool:
    """The same of answers, ordered by item; labels change hands within a part, the item if not given.

    All of shape (n_ratings,); `row` says where each stands in the data.
    """
    raters, place = np.unique(rater, return_inverse=True)
    n_groups = min(len(raters), MOST_GROUPS)
    group = place if n_groups == len(raters) else rng.permutation(np.arange(len(raters)) % n_groups)[place]
    within = item if part is None else part
    times = min(max(MOST_SHUFFLED // max(len(label), 1), 1), SHUFFLES)
    shuffles = [label[np.argsort(within + rng.random(len(within)), kind="stable")] for _ in range(times)]
    return RaterPool(
        row=row, item=item, group=group, labels=(label, *shuffles),
        raters=raters if n_groups == len(raters) else raters[:0], n_groups=n_groups,
    )  # fmt: skip


def _jackknife(values: Floats) -> Floats:
    """Variance of leaving one group out, from values of shape (..., n_groups, n_statistics); NaN values do not count.

    NaN where fewer than two are defined.
    """
    is_known = ~np.isnan(values)
    known = is_known.sum(axis=-2)
    mean = np.where(is_known, values, 0).sum(axis=-2) / np.maximum(known, 1)
    squares = np.where(is_known, (values - mean[..., None, :]) ** 2, 0).sum(axis=-2)
    return np.asarray(np.where(known > 1, squares * (known - 1) / np.maximum(known, 1), np.nan))


def jackknife_spread(values: Floats) -> "RaterSpread":
    """Variances from statistics without each group, of shape (n_shuffles + 1, n_groups, n_statistics).

    First as labels are, then after each shuffle.
    """
    variances = _jackknife(values)
    return RaterSpread(total=variances[0], within=variances[1:].mean(axis=0), groups=values.shape[1])


class RaterDraws(NamedTuple):
    """What moves each bootstrap value, shared by all statistics; both of shape (n_replicates,)."""

    normal: Floats
    inflation: Floats  # of the variance, which so few groups only estimate


def rater_draws(replicates: int, groups: int, rng: Generator) -> RaterDraws:
    """Draws for bootstrap samples of raters in this many groups."""
    return RaterDraws(rng.standard_normal(replicates), (groups - 1) / rng.chisquare(groups - 1, size=replicates))


class RaterSpread(NamedTuple):
    """Variances that raters bring to some statistics; `total` and `within` are of shape (n_statistics,)."""

    total: Floats  # of leaving raters out
    within: Floats  # the same where raters do not differ: what bootstrap samples of the items hold already
    groups: int

    @property
    def variance(self) -> Floats:
        """What raters add to the variance of the items' bootstrap, not below 0; without `RaterDraws.inflation`."""
        return np.maximum(self.total - self.within, 0)

    def variance_with(self, variance: Floats, confidence: float) -> Floats:
        """The variance of a normal interval as long as one for other items and other raters.

        `variance` (n_statistics,): what items alone bring. `confidence`: of the interval: few raters count for more,
        the more certain it is.
        """
        from scipy.special import chdtri, ndtr, ndtri  # noqa: PLC0415 - takes a while to import

        steps = (np.arange(CHANCES) + 0.5) / CHANCES
        inflation = (self.groups - 1) / chdtri(self.groups - 1, steps)
        extra = np.maximum(self.total * inflation[:, None] - self.within, 0)
        spreads = np.sqrt(variance + extra)
        # The chance beyond an end falls ever more slowly as the end grows: Newton's steps never go past the true one.
        end = ndtri((1 + confidence) / 2) * spreads.min(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            for _ in range(STEPS):
                beyond = ndtr(np.where(spreads > 0, -end / spreads, -np.inf)).mean(axis=0) - (1 - confidence) / 2
                slope = np.where(spreads > 0, np.exp(-((end / spreads) ** 2) / 2) / spreads, 0.0).mean(axis=0)
                step = np.where(beyond > 0, beyond * np.sqrt(2 * np.pi) / slope, 0.0)
                end = end + step
                if not (step > END * end).any():
                    break
        return np.asarray(np.where(np.isnan(self.total), np.nan, (end / ndtri((1 + confidence) / 2)) ** 2))

    def column(self, i: int) -> "RaterSpread":
        """Those of one statistic."""
        return RaterSpread(self.total[[i]], self.within[[i]], self.groups)

    def moved(self, replicates: Floats, draws: RaterDraws) -> Floats:
        """Bootstrap values of shape (n_replicates, n_statistics), moved by the noise of raters.

        The item noise in `within` is part of the replicates already: take the difference; chi-squared draws stand for
        not knowing `total` (a t distribution with few raters).
        """
        with np.errstate(invalid="ignore"):
            extra = np.maximum(self.total[None, :] * draws.inflation[:, None] - self.within[None, :], 0)
        return np.asarray(replicates + draws.normal[:, None] * np.sqrt(extra))
