"""The metrics by name: what an answer is to them, what an item counts, and which way is better."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, Protocol, get_args

import numpy as np

from dissensus.arrays import Floats
from dissensus.data.counts import median
from dissensus.methods.equivalence.scores import clipped, hard_predictions
from dissensus.sampling.draws import Coins


def absolute_error(judge: Floats, people: Floats) -> Floats:
    """Sum of the absolute differences of the coordinates.

    What that is depends on the coordinates: the absolute error of means (values), the total variation distance of
    distributions (half shares), the earth mover's distance (distribution functions times the gaps between answers).

    `judge`, `people` (..., n_items, n_coordinates): mean of their answers. Returns shape (..., n_items).

    >>> absolute_error(np.array([[1.0, 0.0]]), np.array([[0.25, 0.75]]))
    array([1.5])
    """
    return np.asarray(np.abs(judge - people).sum(axis=-1))


def squared_error(judge: Floats, people: Floats) -> Floats:
    """Sum of the squared differences of the coordinates; shapes as in `absolute_error`."""
    return np.asarray(np.square(judge - people).sum(axis=-1))


def sorted_error(judge: Floats, people: Floats) -> Floats:
    """Sum of the absolute differences after both sides were sorted; shapes as in `absolute_error`.

    The authors' tool sorts the counts of the bins before it subtracts them, so it does not see which bin is which: all
    answers in the lowest bin are as good as all in the highest. Kept to get the paper's numbers.

    >>> sorted_error(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    array([0.])
    """
    return absolute_error(np.sort(judge, axis=-1), np.sort(people, axis=-1))


def accuracy(judge: Floats, people: Floats) -> Floats:
    """Share of the raters who gave the judge's most frequent label; labels that tie share it.

    `judge`, `people` (..., n_items, n_labels): shares of the labels. Returns shape (..., n_items).

    >>> accuracy(np.array([[0.6, 0.4], [0.5, 0.5]]), np.array([[0.2, 0.8], [0.2, 0.8]]))
    array([0.2, 0.5])
    """
    return np.asarray((hard_predictions(judge) * people).sum(axis=-1))


def cross_entropy(judge: Floats, people: Floats, *, clip: float) -> Floats:
    """Bits of surprise of a rater's label to who expects the judge's distribution; shapes as in `accuracy`.

    `judge`, `people`: as in `accuracy`. `clip`: how far the judge's shares are kept from 0 and 1 before they are scaled
    to sum to 1 again.

    >>> cross_entropy(np.array([[0.5, 0.5]]), np.array([[0.2, 0.8]]), clip=0.02)
    array([1.])
    """
    return np.asarray(-(people * np.log2(clipped(judge, clip))).sum(axis=-1))


def information(judge: Floats, people: Floats) -> Floats:
    """Mean score of the raters' labels, from what each label scores; shapes as in `accuracy`."""
    return np.asarray((judge * people).sum(axis=-1))


# ---- From a number per item and judge to a score per judge: means, roots of means, and shares of wins

SCORE_TIE = 32 * float(np.finfo(np.float64).eps)
"""Errors that differ by less, relative to the answers that they come from, differ by rounding only: a mean of 700
answers is up to 18 units of the last digit off."""


class Columns(NamedTuple):
    """What each item says about A, about B and about the raters, each of shape (..., n_items).

    With `copies`, of shape (n_items,), each item stands for this number of equal ones.
    """

    a: Floats
    b: Floats
    people: Floats
    copies: Floats | None = None

    @property
    def items_in_all(self) -> int:
        """How many items there are, equal ones counted one by one."""
        return len(self.a) if self.copies is None else int(self.copies.sum())


class Pair(NamedTuple):
    """The scores of A and B, each of shape (...)."""

    a: Floats
    b: Floats

    @property
    def difference(self) -> Floats:
        """A's score less B's."""
        return np.asarray(self.a - self.b)


Swapper = Callable[[Floats | Coins], Floats]
"""Difference of the scores after A and B changed places on an item, or on some of its copies, of shape
(n, n_items)."""


class Score(Protocol):
    """Turns items into scores."""

    def __call__(self, columns: Columns, weights: Floats | None = None) -> Pair:
        """The scores; with weights of shape (n_replicates, n_items), those of each replicate.

        Weights tell how often an item counts, its copies included.
        """

    def swapper(self, columns: Columns) -> Swapper:
        """Prepares what many swaps need once."""


def mean_of(values: Floats, weights: Floats | None) -> Floats:
    """Mean over items, which count `weights` times."""
    if weights is None:
        return np.asarray(values.mean(axis=-1))
    return np.asarray(weights @ values / weights.sum(axis=-1))


def sum_of(values: Floats, copies: Floats | None) -> Floats:
    """Sum over items, each with its number of copies."""
    return np.asarray(values.sum() if copies is None else copies @ values)


class MeanScore:
    """The mean over items."""

    def __call__(self, columns: Columns, weights: Floats | None = None) -> Pair:
        """The mean of each judge."""
        counted = columns.copies if weights is None else weights
        return Pair(mean_of(columns.a, counted), mean_of(columns.b, counted))

    def swapper(self, columns: Columns) -> Swapper:
        """As in Score: a swap turns the sign of an item's difference."""
        gap = columns.a - columns.b
        total, n = sum_of(gap, columns.copies), columns.items_in_all
        return lambda swap: np.asarray((total - 2 * (swap @ gap)) / n)


class RootMeanScore:
    """The root of the mean over items."""

    def __call__(self, columns: Columns, weights: Floats | None = None) -> Pair:
        """The root of each judge's mean."""
        return Pair(*map(np.sqrt, MeanScore()(columns, weights)))

    def swapper(self, columns: Columns) -> Swapper:
        """As in Score."""
        n, gap = columns.items_in_all, columns.b - columns.a
        total_a, total_b = (sum_of(errors, columns.copies) for errors in (columns.a, columns.b))

        def swapped(swap: Floats | Coins) -> Floats:
            moved = swap @ gap
            # A sum of squares that should be 0 may come out a rounding below it.
            first, second = np.maximum(total_a + moved, 0), np.maximum(total_b - moved, 0)
            return np.asarray(np.sqrt(first / n) - np.sqrt(second / n))

        return swapped


class WinShare:
    """The share of the items on which a judge errs less than the other; a tie is half a win for each.

    Differs from the paper: there a tie is a win for B. With continuous responses there are none.
    """

    def __call__(self, columns: Columns, weights: Floats | None = None) -> Pair:
        """The share of each judge; they sum to 1."""
        share = (mean_of(wins(columns), columns.copies if weights is None else weights) + 1) / 2
        return Pair(share, 1 - share)

    def swapper(self, columns: Columns) -> Swapper:
        """As in Score: a swap turns a win into a loss."""
        won = wins(columns)
        return MeanScore().swapper(columns._replace(a=won, b=np.zeros_like(won)))


def wins(columns: Columns) -> Floats:
    """1 where A errs less than B, -1 where it errs more, 0 where they tie.

    >>> wins(Columns(np.array([0.1, 0.3, 0.3]), np.array([0.2, 0.1, 0.3]), np.zeros(3)))
    array([ 1., -1.,  0.])
    """
    return np.asarray(np.sign(columns.b - columns.a))


def settled(columns: Columns, *, size: float, is_square: bool = False) -> Columns:
    """The columns with B's errors equal to A's where rounding alone sets them apart.

    `columns`: errors, or scores in bits. `size`: how large the numbers are that errors are differences of: a hundredth
    is rounding between numbers of 10^13. `is_square`: whether the errors are squared.

    >>> settled(Columns(np.array([0.1 + 0.2, 0.3]), np.array([0.3, 0.4]), np.zeros(2)), size=1.0).b
    array([0.3, 0.4])
    """
    a, b, people, copies = columns
    first, second = (np.sqrt(a), np.sqrt(b)) if is_square else (a, b)
    is_tie = np.abs(second - first) <= SCORE_TIE * (np.abs(first + second) + size)
    return Columns(a, np.where(is_tie, a, b), people, copies)


def put_together(columns: Columns, *, by_sign: bool = False, by_people: bool = False) -> Columns:
    """The columns with one item, and its copies, for all that count the same.

    `columns`: of shape (n_items,), with copies. `by_sign`: whether all that counts is which of the judges errs more.
    `by_people`: whether what raters say counts, too.

    >>> two = Columns(np.array([0.1, 0.2]), np.array([0.3, 0.3]), np.zeros(2), np.array([2.0, 3.0]))
    >>> put_together(two, by_sign=True).copies
    array([5.])
    """
    a, b, people, copies = columns
    if by_sign:
        a, b = np.where(a > b, 1.0, 0.0), np.where(b > a, 1.0, 0.0)
    rows = np.column_stack([a, b, people if by_people else np.zeros(len(a))])
    distinct, code = np.unique(rows, axis=0, return_inverse=True)
    together = np.bincount(code.ravel(), weights=copies).astype(np.float64)
    return Columns(distinct[:, 0].copy(), distinct[:, 1].copy(), distinct[:, 2].copy(), together)


# ---- Spearman's rank correlation with the raters' mean, for many samples of the same items at once

ROUNDING = 1e-13
"""Ranks that spread less are all the same: even one item of a million apart from the rest spreads them more."""
SAME = 1e-12  # answers that differ by less, relative to their size, are the same


class RankCorrelation:
    """Spearman's correlation over items of a judge's mean answer with the raters' mean."""

    def __call__(self, columns: Columns, weights: Floats | None = None) -> Pair:
        """The correlation of each judge; NaN where somebody gave every item the same."""
        counted = columns.copies if weights is None else weights
        a, b, people = (_ranks(answers, counted) for answers in columns[:3])
        return Pair(correlation(a, people, counted), correlation(b, people, counted))

    def swapper(self, columns: Columns) -> Swapper:
        """As in Score.

        The judges exchange ranks, not answers, so that they need not be on one scale; the ranks stay as they were among
        all answers of a judge. Then every sample needs three sums only.
        """
        copies, n = columns.copies, columns.items_in_all
        a, b, people = (_standard(_ranks(answers, copies), copies) for answers in columns[:3])
        parts = np.stack([b - a, b**2 - a**2, (b - a) * people], axis=1)
        weighed = people if copies is None else copies * people
        own, other = (np.array([sum_of(x, copies), sum_of(x**2, copies), x @ weighed]) for x in (a, b))
        spread = float(np.sqrt(mean_of(people**2, copies)))

        def swapped(swap: Floats | Coins) -> Floats:
            moved = swap @ parts
            return np.asarray(_from_sums(own + moved, n, spread) - _from_sums(other - moved, n, spread))

        return swapped


def rankable(judge: Floats, *, copies: Floats | None = None) -> Floats:
    """The judge's mean answer to each item, equal where means differ by rounding only.

    `judge` (..., n_items, 1): mean answers. `copies` (n_items,): how many items each one stands for, which goes with
    answers of shape (n_items, 1) only.
    """
    values = judge[..., 0]
    # Not relative to the largest: one answer of a judge may be beyond all bounds, as perplexities are.
    usual = median(np.abs(values), copies)
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    starts = np.ones(values.shape, dtype=np.bool_)
    starts[..., 1:] = np.diff(ordered, axis=-1) > SAME * np.maximum(np.abs(ordered[..., 1:]), usual)
    first = np.maximum.accumulate(np.where(starts, np.arange(values.shape[-1]), 0), axis=-1)
    evened = np.empty(values.shape)
    np.put_along_axis(evened, order, np.take_along_axis(ordered, first, axis=-1), axis=-1)
    return evened


def _ranks(values: Floats, weights: Floats | None) -> Floats:
    return midranks(values) if weights is None else weighted_midranks(values, weights)


def _standard(ranks: Floats, copies: Floats | None) -> Floats:
    """Ranks around 0, between -1/2 and 1/2."""
    return np.asarray((ranks - mean_of(ranks, copies)) / (len(ranks) if copies is None else copies.sum()))


def _from_sums(sums: Floats, n: int, spread: float) -> Floats:
    """Correlation with ranks around 0 of this spread: from sums of x, x squared and x times the other."""
    variance = sums[..., 1] / n - (sums[..., 0] / n) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(variance > ROUNDING, sums[..., 2] / n / np.sqrt(variance) / spread, np.nan)


def midranks(values: Floats) -> Floats:
    """Ranks along the last axis from 1, equal values sharing theirs.

    >>> midranks(np.array([3.0, 1.0, 3.0]))
    array([2.5, 1. , 2.5])
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    starts = np.ones(values.shape, dtype=np.bool_)
    starts[..., 1:] = ordered[..., 1:] > ordered[..., :-1]
    place = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=-1)
    ends = np.ones(values.shape, dtype=np.bool_)
    ends[..., :-1] = starts[..., 1:]
    last = np.flip(np.minimum.accumulate(np.flip(np.where(ends, place, values.shape[-1]), -1), axis=-1), -1)
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def weighted_midranks(values: Floats, weights: Floats) -> Floats:
    """The ranks that values have when each occurs `weights` times, without sorting again for each replicate.

    >>> weighted_midranks(np.array([5.0, 7.0, 7.0]), np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 1.0]]))
    array([[1.5, 3. , 3. ],
           [0.5, 1.5, 1.5]])
    """
    distinct, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(distinct)))
    sizes = np.add.reduceat(weights[..., order], starts, axis=-1)
    ranks = np.cumsum(sizes, axis=-1) - sizes / 2 + 0.5
    return np.asarray(ranks[..., group])


def correlation(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Pearson's correlation of ranks along the last axis; NaN where one side is constant."""
    total = np.ones(x.shape) if weights is None else weights
    n_items = total.sum(axis=-1, keepdims=True)
    share = total / n_items
    dx, dy = ((v - (share * v).sum(axis=-1, keepdims=True)) / n_items for v in (x, y))
    spread = np.sqrt((share * dx * dx).sum(axis=-1) * (share * dy * dy).sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread > ROUNDING, (share * dx * dy).sum(axis=-1) / spread, np.nan)


MetricName = Literal["information", "wins", "mae", "rmse", "emd", "emd-binned", "accuracy", "cross-entropy", "spearman"]
METRICS: tuple[MetricName, ...] = get_args(MetricName)

Coordinates = Literal["values", "shares", "half-shares", "steps", "bins"]
"""What an answer is as a vector; see `dissensus.methods.compare.pairs`."""


@dataclass(frozen=True, slots=True)
class Metric:
    """How a judge is scored."""

    name: MetricName  # as the user calls it
    better: Literal["higher", "lower"]  # which scores are the better ones
    coordinates: Coordinates  # what an answer is as a vector
    # From the mean answers of judge and raters, each of shape (..., n_items, n_coordinates), to a number per item; None
    # where items are ranked, so that no single one has an error.
    of_item: Callable[[Floats, Floats], Floats] | None
    score: Score  # from those numbers to a score per judge
    widest: float = np.inf  # the largest difference that two scores can have
    counts_wins: bool = False  # whether all that counts of an item is which judge errs less
    is_root: bool = False  # whether errors are squared, and the score is the root of their mean
    has_references: bool = True  # whether a constant answer and one more person have a score

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is a better one."""
        return self.better == "higher"

    @property
    def is_ranks(self) -> bool:
        """Whether items are ranked, so that a judge's numbers may be on another scale than the raters'."""
        return self.of_item is None

    @property
    def needs_numbers(self) -> bool:
        """Whether labels must be numbers, or words in a given order."""
        return self.coordinates in {"values", "steps", "bins"}


def metric_of(name: MetricName, *, has_numbers: bool = True, clip: float = 0.02) -> Metric:
    """The metric of this name.

    `name`: one of METRICS. `has_numbers`: whether labels are numbers. Else wins and emd take distributions over labels
    that are all equally far apart: the earth mover's distance is then the total variation distance. `clip`: of the
    cross-entropy.
    """
    mean = MeanScore()
    values: Coordinates = "values" if has_numbers else "half-shares"
    steps: Coordinates = "steps" if has_numbers else "half-shares"
    metrics = (
        Metric("information", "higher", "shares", information, mean),
        Metric("wins", "higher", values, absolute_error, WinShare(), 1.0, counts_wins=True, has_references=False),
        Metric("mae", "lower", "values", absolute_error, mean),
        Metric("rmse", "lower", "values", squared_error, RootMeanScore(), is_root=True),
        Metric("emd", "lower", steps, absolute_error, mean),
        Metric("emd-binned", "lower", "bins", sorted_error, mean, has_references=False),
        Metric("accuracy", "higher", "shares", accuracy, mean, 1.0),
        Metric("cross-entropy", "lower", "shares", partial(cross_entropy, clip=clip), mean),
        Metric("spearman", "higher", "values", None, RankCorrelation(), 2.0, has_references=False),
    )
    return next(metric for metric in metrics if metric.name == name)
