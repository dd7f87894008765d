"""Policies: on which items people are asked, and what that costs and tells.

People are asked where they are expected to add most. What k people add to the judge is learned from other items: the
more the less sure the judge is, and then as items of the same answer and the same sureness had it. Items are judged by
a threshold that was set without them.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.methods.equivalence.problem import Predictions
from dissensus.methods.equivalence.scores import Score
from dissensus.methods.equivalence.surveys import count_subsets
from dissensus.methods.panel.beside_people import Rows, distinct_answers, row_predictions, rows_of
from dissensus.sampling.draws import draw_weights
from dissensus.sampling.raters import RaterPool

if TYPE_CHECKING:
    from scipy.sparse import csr_array


# ---- What is known of each item: with the judge alone, with k people, and with both, exactly
#
# Every survey of k of an item's raters is scored against every rater who was not in it. Where a rater is left out, the
# same surveys come with other probabilities; what they predict was learned once. Items with the same answer, fold and
# ratings score the same, so each such kind is scored once for all raters who are left out.

MOST_MASSES = 600_000
"""Surveys of one size that the items allow, times labels."""
AT_ONCE = 5_000
"""Kinds of items that are scored together."""
TABLE = 16
"""Numbers per row that a table may have room for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Survey:
    """Surveys of k people: what each label scores after each of them."""

    size: int
    rows: Rows
    alone: Floats  # (n_rows, n_scores, n_labels): without the judge
    beside: Floats  # (n_rows, n_scores, n_labels): with it


class ItemScores(NamedTuple):
    """Score of each item; NaN where it has too few ratings."""

    judge: Floats  # (n_scores, n_items)
    alone: Floats  # (n_sizes, n_scores, n_items): 0, 1, ... people
    beside: Floats  # (n_sizes, n_scores, n_items): the same beside the judge; nobody beside it is the judge alone


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Knowledge:
    """The items, and what every label scores by the judge alone and after every survey."""

    counts: Codes  # (n_items, n_labels)
    kind: Codes  # (n_items,): items of one kind have the same answer and the same fold
    judge: Floats  # (n_items, n_scores, n_labels)
    surveys: tuple[Survey, ...]  # of 0, 1, ... people

    def scores(self) -> ItemScores:
        """The score of each item."""
        every = np.arange(len(self.counts))
        judge = _judge_scores(self.judge, self.counts)
        return _with_judge(judge, *_scored(self, self.counts, every))

    def scores_without(self, pool: RaterPool, places: Codes, n_labels: int, whole: ItemScores) -> Iterator[ItemScores]:
        """The score of each item without each group of raters, in the order of `RaterPool.cells`.

        `places` says where each of the raters' labels stands among all labels; `whole` are the scores with all raters.
        """
        items, rows = [], []
        for cells in pool.cells(n_labels):
            counts = np.zeros_like(self.counts)
            counts[:, places] = cells.dense(len(counts), n_labels)
            changed = np.flatnonzero((counts != self.counts).any(axis=1))
            items.append(changed)
            rows.append(np.column_stack([self.kind[changed], counts[changed]]))
        every = np.concatenate(rows)
        first, place = _distinct_rows(every)
        kinds, example = every[first, 1:], np.concatenate(items)[first]
        blocks = [slice(start, start + AT_ONCE) for start in range(0, len(kinds), AT_ONCE)]
        parts = [_scored(self, kinds[block], example[block]) for block in blocks]
        alone, beside = (np.concatenate(part, axis=2) for part in zip(*parts, strict=True))
        ends = np.cumsum([len(changed) for changed in items])[:-1]
        for changed, own, at in zip(items, rows, np.split(place, ends), strict=True):
            judge = _judge_scores(self.judge[changed], own[:, 1:])
            scores = _with_judge(judge, alone[..., at], beside[..., at])
            if len(changed) < len(self.counts):
                copy = ItemScores(*(part.copy() for part in whole))
                for part, new in zip(copy, scores, strict=True):
                    part[..., changed] = new
                scores = copy
            yield scores


def known_of(counts: Codes, outputs: Floats, calibrated: Predictions, scores: tuple[Score, ...], *, most: int,
             fold: Codes) -> Knowledge:  # fmt: skip
    """What is learned about the next rater from the judge and from surveys of up to `most` people.

    `counts` (n_items, n_labels): ratings of items that all have more than `most` of them. `outputs` (n_items,
    n_labels): the judge's answers as they are, which people's labels are put beside. `calibrated`: the judge alone.
    `scores`: what a prediction is worth. `most`: the largest survey. `fold` (n_items,): fold of each item, for learning
    from others.
    """
    assert calibrated.inside is not None  # noqa: S101 - it is calibrated
    scored = partial(_scores_of, scores=scores)
    judge = (scored(calibrated.inside) + scored(calibrated.predictions)) / 2
    surveys = []
    for k in range(most + 1):
        rows = rows_of(counts, k)
        inside, outside = row_predictions(rows, np.empty((0, *counts.shape)), fold=fold, of=scored)
        alone = (inside + outside) / 2
        inside, outside = row_predictions(rows, outputs[None], fold=fold, of=scored) if k else (judge, judge)
        surveys.append(Survey(size=k, rows=rows, alone=alone, beside=(inside + outside) / 2))
    kind = distinct_answers(outputs[None])[1] * (int(fold.max()) + 1) + fold
    return Knowledge(counts=counts, kind=kind, judge=judge, surveys=tuple(surveys))


def _distinct_rows(rows: Codes) -> tuple[Codes, Codes]:
    """Where one of each different row is, and which of them each row has."""
    code = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        size = int(column.max(initial=0)) + 1
        if int(code.max(initial=0)) >= TABLE * len(rows) // size:  # few numbers are looked up in a table, not sorted
            code = np.unique(code, return_inverse=True)[1]
        code = code * size + column
    where = np.full(int(code.max(initial=0)) + 1, -1)
    where[code] = np.arange(len(rows))
    used = np.flatnonzero(where >= 0)
    example = where[used]
    where[used] = np.arange(len(used))
    return example, where[code]


def _scores_of(predictions: Floats, scores: tuple[Score, ...]) -> Floats:
    """What each label scores under predictions of shape (n, n_labels); shape (n, n_scores, n_labels)."""
    return np.stack([score.of_labels()(predictions) for score in scores], axis=1)


def largest_survey(counts: Codes, most: int) -> int:
    """The largest survey up to `most` whose surveys are few enough to go through."""
    possible = 0
    for k in range(1, most + 1):
        enough = counts[counts.sum(axis=1) > k]
        if not len(enough) or count_subsets(enough, k) * counts.shape[1] > MOST_MASSES:
            break
        possible = k
    return possible


def _judge_scores(judge: Floats, counts: Codes) -> Floats:
    """What the judge alone scores on items with these ratings, (n_scores, n_items); NaN where there are none."""
    total = counts.sum(axis=1)
    shares = counts / np.where(total > 0, total, np.nan)[:, None]
    return np.asarray(np.einsum("nl,nsl->sn", shares, judge))


def _scored(known: Knowledge, counts: Codes, items: Codes) -> tuple[Floats, Floats]:
    """Scores of surveys alone and beside the judge, (n_sizes, n_scores, n), of items as if they had these ratings."""
    alone, beside = [], []
    for survey in known.surveys:
        rows, place = _rows_at(survey.rows, items, len(known.counts))
        mass = survey_masses(survey, rows, counts[place])
        enough = np.where(counts.sum(axis=1) > survey.size, 0.0, np.nan)
        alone.append(_summed(survey.alone[rows], mass, place, len(items)) + enough)
        beside.append(_summed(survey.beside[rows], mass, place, len(items)) + enough)
    return np.stack(alone), np.stack(beside)


def _with_judge(judge: Floats, alone: Floats, beside: Floats) -> ItemScores:
    """Scores with those of the judge, which is what nobody beside it scores."""
    return ItemScores(judge, alone, np.concatenate([judge[None], beside[1:]]))


def _rows_at(rows: Rows, items: Codes, n_items: int) -> tuple[Codes, Codes]:
    """The rows of these items, and which of them each row belongs to; rows are ordered by item."""
    first = np.searchsorted(rows.item, np.arange(n_items + 1))
    size = np.diff(first)[items]
    place = np.repeat(np.arange(len(items)), size)
    return np.arange(len(place)) - (np.cumsum(size) - size)[place] + first[items][place], place


def _summed(scored: Floats, masses: Floats, place: Codes, n_items: int) -> Floats:
    """Score of each item, of shape (n_scores, n_items)."""
    rows = np.einsum("rsl,rl->sr", scored, masses)
    return np.stack([np.bincount(place, weights=row, minlength=n_items) for row in rows])


def survey_masses(survey: Survey, rows: Codes, given: Codes) -> Floats:
    """Probability of each survey and of the next rater's label, if its item has these ratings; both (n_rows, n_labels).

    The survey y out of counts n has the probability prod C(n_l, y_l) / C(N, k), and the next rater gives label l with
    (n_l - y_l) / (N - k).
    """
    drawn = survey.rows.counts[survey.rows.survey[rows]]
    total = given.sum(axis=1)
    most = int(total.max(initial=0))
    ways = np.array([[float(math.comb(n, j)) for j in range(survey.size + 1)] for n in range(most + 1)])
    chance = ways[given, np.minimum(drawn, survey.size)].prod(axis=1)
    possible = total > survey.size
    below = np.where(possible, ways[total, survey.size] * (total - survey.size), 1.0)
    return np.asarray(np.where(possible, chance / below, 0.0)[:, None] * np.maximum(given - drawn, 0))


SHARES = np.array([0, 0.01, 0.02, 0.035, 0.05, 0.075, *np.arange(0.1, 0.91, 0.05).round(2), 0.95, 1])
"""Shares of the items with people: between two of them the score of a policy is taken as straight."""
ITEMS_PER_CELL, CELLS_OF_A_LABEL = 25, 20
SAME = 1e-12
"""In bits: what differs by less differs by rounding."""


# ---- What people would add


class Doubt(NamedTuple):
    """What a judge's predictions say of its answers."""

    likely: Codes  # (n_items,): the most likely label
    bits: Floats  # (n_items,): entropy, the loss that the judge expects

    @classmethod
    def of(cls, predictions: Floats) -> "Doubt":
        """Of predictions of shape (n_items, n_labels)."""
        bits = -(predictions * np.log2(np.where(predictions > 0, predictions, 1))).sum(axis=1)
        return cls(predictions.argmax(axis=1), np.asarray(bits))

    def at(self, which: Codes | Flags) -> "Doubt":
        """Of some of the items."""
        return Doubt(self.likely[which], self.bits[which])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GainMap:
    """What people would add to a judge's prediction, in bits."""

    edges: tuple[Floats, ...]  # for each label that is the most likely one: where cells of entropy end
    slope: float  # bits gained for each bit of entropy
    beyond: Floats  # (n_cells,): what items of the cell gained beyond that

    @classmethod
    def of(cls, predictions: Floats, gains: Floats) -> "GainMap":
        """Learned from the items' predictions, of shape (n_items, n_labels), and what people added to each."""
        doubt = Doubt.of(predictions)
        edges = _edges(doubt, predictions.shape[1])
        slope, beyond = _fitted(doubt.bits, gains, *_cells(edges, doubt))
        return cls(edges=edges, slope=slope, beyond=beyond)

    def __call__(self, predictions: Floats) -> Floats:
        """What people would add on items with these predictions."""
        doubt = Doubt.of(predictions)
        return np.asarray(self.slope * doubt.bits + self.beyond[_cells(self.edges, doubt)[0]])


def _edges(doubt: Doubt, n_labels: int) -> tuple[Floats, ...]:
    """For each label that is the most likely one, where cells of about as many items end."""
    edges = []
    for label in range(n_labels):
        bits = doubt.bits[doubt.likely == label]
        n_cells = min(max(len(bits) // ITEMS_PER_CELL, 1), CELLS_OF_A_LABEL)
        edges.append(np.unique(np.quantile(bits, np.arange(1, n_cells) / n_cells)) if n_cells > 1 else np.empty(0))
    return tuple(edges)


def _cells(edges: tuple[Floats, ...], doubt: Doubt) -> tuple[Codes, int]:
    """The cell of each item, and how many there are."""
    first = np.cumsum([0, *(len(own) + 1 for own in edges)])
    cell = np.zeros(len(doubt.bits), dtype=np.intp)
    for label, own in enumerate(edges):
        mine = doubt.likely == label
        cell[mine] = first[label] + np.searchsorted(own, doubt.bits[mine], side="right")
    return cell, int(first[-1])


def _fitted(bits: Floats, gains: Floats, cell: Codes, n_cells: int) -> tuple[float, Floats]:
    """What people add for each bit of entropy, and in each cell beyond that."""
    apart = bits - bits.mean()
    square = float(np.einsum("i,i->", apart, apart))
    # Not through the origin: of a judge that guesses at times people add most where it is sure.
    slope = float(np.einsum("i,i->", apart, gains)) / square if square > SAME else 0.0
    level = float(gains.mean()) - slope * float(bits.mean())
    return slope, level + _shrunk(gains - level - slope * bits, cell, n_cells)


def _shrunk(values: Floats, cell: Codes, n_cells: int) -> Floats:
    """Mean of each cell, drawn to 0 as far as cells of this size would differ by chance."""
    size = np.bincount(cell, minlength=n_cells).astype(np.float64)
    mean = np.bincount(cell, weights=values, minlength=n_cells) / np.maximum(size, 1)
    used = int((size > 0).sum())
    within = float(((values - mean[cell]) ** 2).sum()) / max(len(values) - used, 1)
    between = max((float((size * mean**2).sum()) - used * within) / max(len(values), 1), 0.0)
    return np.asarray(mean * size * between / np.maximum(size * between + within, np.finfo(float).tiny))


# ---- Who is asked


def routed_shares(expected: Floats, known: Floats) -> Floats:
    """How likely each item is to go to people at each of `SHARES`, by a threshold from other items.

    `expected` (n_items,): what people would add to each item. `known` (n_others,): the same on the items that set the
    threshold. Items at the threshold itself are drawn at random. Returns shape (n_shares, n_items).
    """
    order = np.sort(np.round(known, 9))
    threshold = order[np.clip(len(order) - np.ceil(SHARES * len(order)).astype(np.intp), 0, len(order) - 1)]
    above = 1 - np.searchsorted(order, threshold, side="right") / len(order)
    tied = 1 - np.searchsorted(order, threshold, side="left") / len(order) - above
    part = np.clip((SHARES - above) / tied, 0, 1)
    gains = np.round(expected, 9)
    routed = np.where(gains > threshold[:, None], 1.0, np.where(gains == threshold[:, None], part[:, None], 0.0))
    routed[0], routed[-1] = 0.0, 1.0  # nobody and everybody, whatever the threshold of others
    return routed


def routing(predictions: Floats, scores: ItemScores, fold: Codes) -> Floats:
    """How likely each item is to go to k people at each share, of shape (n_sizes - 1, n_shares, n_items).

    What people add and the threshold both come from the items of other folds.
    """
    n_sizes, _, n_items = scores.beside.shape
    routes = np.empty((n_sizes - 1, len(SHARES), n_items))
    doubt, added = Doubt.of(predictions), scores.beside[1:, 0] - scores.judge[0]
    for number in np.unique(fold):
        held, others = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        cell, n_cells = _cells(_edges(doubt.at(others), predictions.shape[1]), doubt)
        for gains, own in zip(added, routes, strict=True):
            slope, beyond = _fitted(doubt.bits[others], gains[others], cell[others], n_cells)
            expected = slope * doubt.bits + beyond[cell]
            own[:, held] = routed_shares(expected[held], expected[others])
    return routes


# ---- What to label next

EVEN = 0.5
"""Share of the draws in which every item has the same chance: no item counts for more than twice as many as evenly."""


def chances_of(information: Floats, number: int) -> Floats:
    """The chance of each item to be among this many drawn ones: half of it even, half by its information; never 0."""
    total = information.sum()
    own = information / total if total > 0 else np.full(len(information), 1 / len(information))
    parts = EVEN / len(information) + (1 - EVEN) * own
    chances = np.minimum(number * parts, 1.0)
    while (missing := number - chances.sum()) > SAME * number and (free := chances < 1).any():
        chances[free] = np.minimum(chances[free] * (1 + missing / chances[free].sum()), 1.0)
    return np.asarray(chances)


def drawn_items(chances: Floats, rng: Generator) -> Codes:
    """Items drawn with these chances, as many as their sum: every one so far along the sum, in a random order.

    References
    ----------
    W. G. Madow (1949), "On the Theory of Systematic Sampling, II".
    """
    order = rng.permutation(len(chances))
    ends = np.cumsum(chances[order])
    at = rng.random() + np.arange(round(float(ends[-1])))
    return np.sort(order[np.minimum(np.searchsorted(ends, at, side="right"), len(order) - 1)])


# ---- What policies cost and tell


class Means(NamedTuple):
    """Means over the items, in each replicate."""

    people: Floats  # (n_replicates, n_sizes, n_scores)
    policies: Floats  # (n_replicates, n_sizes - 1, n_shares, n_scores)

    def gaps(self, k: int) -> Floats:
        """How much more each policy tells than k people everywhere, in bits."""
        return np.asarray(self.policies[..., 0] - self.people[:, k, 0][:, None, None])


def steps_of(routes: Floats) -> "csr_array":
    """How much likelier each item is to go to people than at the share before, by size and share.

    Of shape ((n_sizes - 1) * n_shares, n_items) and nearly empty: most items go to people at one share, from none.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - takes a while to import

    return csr_array(np.diff(routes, axis=1, prepend=0.0).reshape(-1, routes.shape[-1]))


def columns_of(scores: ItemScores, steps: "csr_array") -> "csr_array":
    """Everything that `Means` is summed up from, item by item: shape (n_columns, n_items)."""
    from scipy.sparse import csr_array, vstack  # noqa: PLC0415 - takes a while to import

    n_items = steps.shape[1]
    gains = (scores.beside[1:] - scores.judge).transpose(1, 0, 2)  # (n_scores, n_sizes - 1, n_items)
    size = np.repeat(np.arange(steps.shape[0]) // len(SHARES), np.diff(steps.indptr))
    told = [csr_array((steps.data * own[size, steps.indices], steps.indices, steps.indptr), steps.shape)
            for own in gains]  # fmt: skip
    plain = csr_array(np.concatenate([scores.alone.reshape(-1, n_items), scores.judge]))
    return csr_array(vstack([plain, *told], format="csr"))


def means_in(values: Floats, n_sizes: int, n_scores: int) -> Means:
    """Means from those of the columns, of shape (n_columns, n_replicates)."""
    people, judge = n_sizes * n_scores, (n_sizes + 1) * n_scores
    steps = values[judge:].reshape(n_scores, n_sizes - 1, len(SHARES), -1)
    summed = np.cumsum(steps, axis=2).transpose(3, 1, 2, 0)
    return Means(values[:people].T.reshape(-1, n_sizes, n_scores), summed + values[people:judge].T[:, None, None])


def bootstrap_columns(task: tuple["csr_array", int], rng: Generator) -> Floats:
    """Means of the columns in bootstrap samples of the items; a task for an executor."""
    columns, replicates = task
    weights = draw_weights(columns.shape[1], replicates, rng)
    return np.asarray(columns @ weights.T.astype(np.float64) / columns.shape[1])


def known_means(scores: ItemScores, steps: Sequence["csr_array"]) -> Means:
    """The means of one replicate, each over the items that have enough ratings for it; `steps` of each size."""
    known = ~np.isnan(scores.alone[:, 0])
    number = np.where(known.any(axis=1), known.sum(axis=1), np.nan)[:, None]
    people = np.nansum(scores.alone, axis=2) / number
    judge = np.einsum("kn,cn->kc", known[1:], np.nan_to_num(scores.judge))
    gains = np.nan_to_num(scores.beside[1:] - scores.judge)
    told = np.stack([of_size @ own.T for of_size, own in zip(steps, gains, strict=True)])
    policies = (judge[:, None] + np.cumsum(told, axis=1)) / number[1:, None]
    return Means(people[None], policies[None])


def share_needed(gaps: Floats) -> Floats:
    """The least share of items at which a policy tells as much, from gaps of shape (..., n_shares); NaN if never.

    Examples
    --------
    >>> gaps = np.where(SHARES < 0.5, -1.0, 1.0)
    >>> round(float(share_needed(gaps)), 3)  # between .45 and .5
    0.475
    """
    enough = gaps >= -SAME
    first = enough.argmax(axis=-1)
    before = np.maximum(first - 1, 0)
    low, high = (np.take_along_axis(gaps, at[..., None], axis=-1)[..., 0] for at in (before, first))
    rise = np.where(high > low, high - low, 1.0)
    share = SHARES[before] + (SHARES[first] - SHARES[before]) * np.clip(-low / rise, 0, 1)
    return np.asarray(np.where(enough.any(axis=-1), np.where(first == 0, 0.0, share), np.nan))


def at_share(values: Floats, share: float) -> Floats:
    """Values of shape (..., n_shares, n) at a share between those of the grid, of shape (..., n)."""
    after = int(np.clip(np.searchsorted(SHARES, share), 1, len(SHARES) - 1))
    part = (share - SHARES[after - 1]) / (SHARES[after] - SHARES[after - 1])
    return np.asarray(values[..., after - 1, :] * (1 - part) + values[..., after, :] * part)
