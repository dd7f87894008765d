"""Raters as a sample: how far the curve and the judges' scores move where raters are left out."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Ratings
from dissensus.methods.equivalence.curve import predicts_alike
from dissensus.methods.equivalence.influence import TypeScores, scores_by_type
from dissensus.methods.equivalence.options import Learn
from dissensus.methods.equivalence.problem import Problem, judge_scores, kinds_of_items, numbers_of_cells
from dissensus.methods.equivalence.replicates import REPLICATES_PER_TASK, Extras, scores_of
from dissensus.sampling.draws import Copies, kinds_of
from dissensus.sampling.raters import RaterDraws, RaterPool, RaterSpread, rater_draws, rater_pool

MOST_CELLS = 400_000
"""Surveys of one size, times labels, up to which raters are left out: larger ones move as the largest of these do."""
FEW_SIZES = 4
"""Up to this many raters every survey size is tried without raters, beyond it some; the others are interpolated."""
STEP = 4 / 3
ENOUGH_LEFT = 0.5
"""Share of the items that a survey size must keep without any rater; larger sizes move as the largest that does."""


class Deleted(NamedTuple):
    """Scores without each group of raters; first as labels are, then after each shuffle among an item's raters."""

    judges: Floats  # (n_shuffles + 1, n_groups, n_judges)
    curve: Floats  # (n_shuffles + 1, n_groups, n_sizes)
    amateurs: Floats  # (n_shuffles + 1, n_groups, n_amateur_sizes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RaterTerm:
    """What raters add to the variance of every score, and the draws that move bootstrap values by it."""

    pool: RaterPool
    deleted: Deleted
    draws: RaterDraws
    normals: Floats  # (n_replicates, n_groups): a draw for each group, where statistics move together as raters do

    def up_to_size(self, n_sizes: int) -> "RaterTerm":
        """The same for the first survey sizes."""
        return replace(self, deleted=self.deleted._replace(curve=self.deleted.curve[:, :, :n_sizes]))

    def of_judges(self, columns: list[int]) -> RaterSpread:
        """Variances of these judges' scores."""
        return _known(self.pool.spread(self.deleted.judges[:, :, columns]))

    def of_curve(self, columns: list[int]) -> RaterSpread:
        """Variances of the scores of these survey sizes."""
        return _known(self.pool.spread(self.deleted.curve[:, :, columns]))

    def of_gain(self, i: int, *, of_amateurs: bool = False) -> RaterSpread:
        """Variances of the score of the i-th survey size, of raters or amateurs, less that of asking nobody."""
        scores = self.deleted.amateurs if of_amateurs else self.deleted.curve
        return _known(self.pool.spread(scores[:, :, [i]] - self.deleted.curve[:, :, [0]]))

    def of_amateurs(self, columns: list[int]) -> RaterSpread:
        """Variances of the scores of this many amateurs."""
        return _known(self.pool.spread(self.deleted.amateurs[:, :, columns]))

    def of_gaps(self, j: int) -> RaterSpread:
        """Variances of a judge's score less that of k raters, for every survey size."""
        return _known(self.pool.spread(self.deleted.judges[:, :, [j]] - self.deleted.curve))

    def of_differences(self, a: int, others: list[int]) -> RaterSpread:
        """Variances of other judges' scores less that of one."""
        judges = self.deleted.judges
        return _known(self.pool.spread(judges[:, :, others] - judges[:, :, [a]]))

    def together(self, values: Floats) -> tuple[Floats, Floats]:
        """What raters add to several statistics, moving together, and its variance, from values without each group.

        Values of shape (n_shuffles + 1, n_groups, n_statistics); noise of shape (n_replicates, n_statistics).
        """
        spread = _known(self.pool.spread(values))
        apart = np.nan_to_num(values[0] - np.nanmean(values[0], axis=0))
        length = np.sqrt(np.einsum("gs,gs->s", apart, apart))
        normal = np.einsum("rg,gs->rs", self.normals, apart) / np.where(length > 0, length, 1)
        extra = np.maximum(spread.total * self.draws.inflation[:, None] - spread.within, 0)
        return np.asarray(normal * np.sqrt(extra)), spread.variance


def _known(spread: RaterSpread) -> RaterSpread:
    """The same with 0 where no variance is known."""
    return spread._replace(total=np.nan_to_num(spread.total), within=np.nan_to_num(spread.within))


def rater_term(problem: Problem, rated: Ratings, labels: tuple[str, ...], *, replicates: int, rng: Generator
               ) -> RaterTerm:  # fmt: skip
    """Scores without each rater, or each of 30 groups of them.

    Judges' predictions stay as they are: they are learned once.

    `problem`: items, judges and survey sizes. `rated`: the ratings that judges are scored against, of the problem's
    items in their order. `labels`: the problem's labels. `replicates`: how many bootstrap samples there are to move.
    `rng`: of random numbers.
    """
    pool = rater_pool(rated, rng)
    places = np.array([labels.index(label) for label in rated.labels], dtype=np.intp)
    reduced = _reduced(problem, pool, places, rated.n_labels)
    shape = (len(pool.labels), pool.n_groups, -1)
    curve, amateurs = _surveys(problem, reduced)
    deleted = Deleted(
        judges=_judges(problem, rated, pool, places, reduced).reshape(shape),
        curve=_filled(problem, reduced, curve).reshape(shape),
        amateurs=amateurs.reshape(shape) if amateurs.shape[1] else np.empty((*shape[:2], 0)),
    )
    draws = rater_draws(replicates, pool.n_groups, rng)
    return RaterTerm(pool=pool, deleted=deleted, draws=draws, normals=rng.standard_normal((replicates, pool.n_groups)))


class Reduced(NamedTuple):
    """Items without each group of raters, by the types that they then have."""

    counts: Codes  # (n_types, n_labels): those of the problem and those that come up without raters
    amateurs: Codes | None
    type_of_item: Codes  # (n_deletions, n_items)
    unit: Floats | None  # (n_types,), as in `Problem`


def _reduced(problem: Problem, pool: RaterPool, places: Codes, n_labels: int) -> Reduced:
    own = problem.counts if problem.amateurs is None else np.concatenate([problem.counts, problem.amateurs], axis=1)
    values = None
    if problem.unit is not None:
        values, number = np.unique(problem.unit, return_inverse=True)
        own = np.column_stack([own, number])
    code = {row.tobytes(): number for number, row in enumerate(own)}
    rows, every = list(own), []
    width = problem.counts.shape[1]
    whole = problem.counts[problem.type_of_item]
    for cells in pool.cells(n_labels):
        counts = np.zeros_like(whole)
        counts[:, places] = cells.dense(len(whole), n_labels)
        changed = np.flatnonzero((counts != whole).any(axis=1))
        types = problem.type_of_item.copy()
        full = own[types[changed]]
        full[:, :width] = counts[changed]
        first, kind = kinds_of(full.T)
        distinct, place = np.unique(full[first], axis=0, return_inverse=True)
        numbers = np.empty(len(distinct), dtype=np.intp)
        for i, row in enumerate(distinct):
            if (key := row.tobytes()) not in code:
                code[key] = len(rows)
                rows.append(row)
            numbers[i] = code[key]
        types[changed] = numbers[place.ravel()[kind]]
        every.append(types)
    table = np.stack(rows)
    amateurs = None if problem.amateurs is None else table[:, width : 2 * width]
    return Reduced(table[:, :width], amateurs, np.stack(every), None if values is None else values[table[:, -1]])


def _judges(problem: Problem, rated: Ratings, pool: RaterPool, places: Codes, reduced: Reduced) -> Floats:
    """Score of each judge without each group, of shape (n_deletions, n_judges)."""
    scores = []
    without = replace(problem, counts=reduced.counts, amateurs=reduced.amateurs, unit=reduced.unit)
    kinds = kinds_of_items(problem)
    for types, (left, label) in zip(reduced.type_of_item, pool.rows(), strict=True):
        own = replace(without, type_of_item=types)
        own = own if kinds is None else kinds.merged(own)
        if problem.columns is not None and rated.rater is not None:
            own = replace(own, columns=(pool.item[left], rated.rater[pool.row][left], places[label[left]]))
        scores.append(judge_scores(own, own.weights)[0])
    return np.stack(scores)


def few_sizes(sizes: tuple[int, ...]) -> list[int]:
    """Some survey sizes, dense where the curve bends.

    >>> few_sizes(tuple(range(21)))
    [0, 1, 2, 3, 4, 6, 8, 11, 15, 20]
    """
    kept = [k for k in sizes if k <= FEW_SIZES]
    while kept[-1] < sizes[-1]:
        kept.append(min(round(kept[-1] * STEP + 0.4), sizes[-1]))
    return kept


def _surveys(problem: Problem, reduced: Reduced) -> tuple[Floats, Floats]:
    """Score of each survey size without each group, NaN where it was not tried; and the same of amateurs.

    A combiner that is cross-fitted or a mixture would have to be learned anew many times: how far raters move the curve
    is taken from the Bayesian combiner, learned from all items or without the item.
    """
    panel = problem.panel
    if panel.combiner == "npmle" or panel.learn == "cross-fit":
        learn: Learn = "in-sample" if problem.score.is_ranked else "leave-one-out"
        panel = replace(panel, combiner="abc" if panel.combiner == "npmle" else panel.combiner, learn=learn)
    every = replace(
        problem, counts=reduced.counts, amateurs=reduced.amateurs, unit=reduced.unit, judges=(), columns=None,
        panel=panel,
    )  # fmt: skip
    cells = numbers_of_cells(every, few_sizes(problem.sizes))
    tried = [k for k in cells if k == 0 or cells[k] <= MOST_CELLS]
    asked = replace(every, sizes=tuple(tried))
    fixed = _fixed(asked) if problem.score.is_additive else {}
    curve = np.full((len(reduced.type_of_item), len(problem.sizes)), np.nan)
    amateurs = []
    for first in range(0, len(curve), REPLICATES_PER_TASK):
        rows = slice(first, first + REPLICATES_PER_TASK)
        found = scores_of(asked, _copies(reduced, rows), problem.weights, Extras(large=fixed))
        curve[rows, tried] = found.curve
        amateurs.append(found.amateurs)
    return curve, np.concatenate(amateurs)


def _fixed(asked: Problem) -> dict[int, TypeScores]:
    """Scores by type of a combiner that learns nothing from other items."""
    return {k: scores_by_type(asked, k) for k in asked.sizes if predicts_alike(asked.panel, k)}


def _copies(reduced: Reduced, rows: slice) -> Copies:
    """Each item once, in each of these deletions."""
    types, n_types = reduced.type_of_item[rows], len(reduced.counts)
    weights = np.stack([np.bincount(row, minlength=n_types) for row in types])
    replicate, kind = np.nonzero(weights)
    ones = np.ones(len(kind), dtype=np.intp)
    found = Copies(replicate, kind, ones, weights[replicate, kind], weights.astype(np.float64))
    return found.counting(reduced.unit)


def _filled(problem: Problem, reduced: Reduced, curve: Floats) -> Floats:
    """The curve without each group, sizes between those tried interpolated.

    A size for which some group leaves too few items moves as the largest that works.
    """
    totals, whole = reduced.counts.sum(axis=1), problem.counts.sum(axis=1)
    items = np.stack([np.bincount(types, minlength=len(totals)) for types in reduced.type_of_item])
    sizes = np.array(problem.sizes)
    works = []
    for i, k in enumerate(problem.sizes):
        left = items[:, totals >= k + problem.references].sum(axis=1).min()
        is_tried = not np.isnan(curve[:, i]).any()
        works.append(is_tried and left >= ENOUGH_LEFT * problem.items[whole >= k + problem.references].sum())
    known = np.flatnonzero(works)
    if not len(known):
        return curve
    return np.stack([np.interp(sizes, sizes[known], row[known]) for row in curve])
