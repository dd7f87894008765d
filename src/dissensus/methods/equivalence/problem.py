"""Everything that a survey equivalence is computed from, as plain arrays: it travels to other processes as it is.

Where every item has another output, items are put together by their label counts alone, and the judges' scores within
a profile are known by mean and covariance. The score of the data is exact. A bootstrap sample that draws a profile w
times adds up w scores: a sum with w times the mean and w times the covariance, taken as normal.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges
from dissensus.data.coding import rows_among
from dissensus.data.counts import count_types
from dissensus.errors import OptionError
from dissensus.methods.equivalence.curve import CLOSED_SCORES, Panel
from dissensus.methods.equivalence.options import EquivalenceOptions
from dissensus.methods.equivalence.scores import MOMENT_SCORES, Score, label_scores, pearson_of_items, ranked_score
from dissensus.methods.equivalence.surveys import numbers_of_subsets, plurality_of_draws
from dissensus.options import named
from dissensus.sampling.draws import FEW_KINDS, MERGED_FROM, Copies, kinds_of, observed

# ---- Judges with continuous outputs on profiles: their scores from the moments of what the outputs score

DECIMALS = 12
"""Of the noise that a bootstrap sample adds."""


class ScoredMoments(NamedTuple):
    """What judges score against the raters of each item, over its copies."""

    mean: Floats  # (n_items, n_judges); NaN where an item has no reference
    covariance: Floats  # (n_items, n_judges, n_judges)


def check_moments(judges: Judges, options: EquivalenceOptions, labels: tuple[str, ...]) -> None:
    """Raise where the options need the outputs themselves, and only their moments are known."""
    if judges.moments is None:
        return
    remedy = f"read them with rounded outputs ({named('round_outputs', of='read_reduced')} 3)"
    known = "Of these outputs only mean and covariance by label counts were kept"
    if options.calibrate != "none":
        raise OptionError(f"{known}, which {named('calibrate')} {options.calibrate} cannot learn from: {remedy}.")
    if options.scored_by not in MOMENT_SCORES:
        raise OptionError(f"{known}, which {named('score')} {options.scored_by} cannot be told apart from: {remedy}.")
    if judges.moments.scored_by != label_scores(options.scored_by, clip=options.clip):
        raise OptionError(f"{known}, of another score: read them with that of the question.")
    if set(labels) != set(judges.moments.labels):
        raise OptionError(
            f"{known}, for the labels {', '.join(judges.moments.labels)}; here they are {', '.join(labels)}: {remedy}."
        )


def scored_moments(judges: Judges, items: tuple[str, ...], labels: tuple[str, ...], shares: Floats) -> ScoredMoments:
    """Moments of the judges' scores on these items, from the shares of their raters' labels.

    Shares of shape (n_items, n_labels) say how a reference rater answers; NaN where there is none.
    """
    assert judges.moments is not None  # noqa: S101 - the caller asked
    row = rows_among(items, judges.items)
    column = rows_among(labels, judges.moments.labels)
    mean = judges.moments.mean[row][:, :, column]
    n_judges, n_labels = mean.shape[1:]
    covariance = judges.moments.covariance.reshape(-1, n_judges, n_labels, n_judges, n_labels)[row]
    covariance = covariance[:, :, column][:, :, :, :, column]
    return ScoredMoments(
        np.einsum("nl,njl->nj", shares, mean),
        np.einsum("nl,njlkm,nm->njk", shares, covariance, shares, optimize=["einsum_path", (0, 1), (0, 1)]),
    )


def moment_scores(moments: ScoredMoments, weights: npt.NDArray[np.integer], rng: Generator | None) -> Floats:
    """Score of each judge in each replicate, of shape (n_replicates, n_judges).

    The noise of a replicate is drawn once for all of its profiles, from the sum of their covariances, and jointly for
    all judges, so that differences between judges vary as they should; without `rng` there is none.
    """
    known = ~np.isnan(moments.mean).any(axis=1)
    times = weights[:, known].astype(np.float64)
    total = times.sum(axis=1)
    items = np.where(total > 0, total, np.nan)[:, None]
    scores = np.asarray(np.einsum("ri,ij->rj", times, moments.mean[known]) / items)
    if rng is None:
        return scores
    root = _root(np.einsum("ri,ijk->rjk", times, moments.covariance[known]))
    noise = np.einsum("rjk,rk->rj", root, rng.standard_normal(scores.shape)) / items
    # Two judges that always answer the same must not differ by rounding errors.
    return np.asarray(scores + np.round(noise, DECIMALS))


def _root(covariance: Floats) -> Floats:
    """The symmetric square root of each matrix: unlike a factor, there is one, however judges depend on each other."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(np.einsum("rjv,rv,rkv->rjk", vectors, np.sqrt(np.maximum(values, 0)), vectors))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predictions:
    """One judge, raw or calibrated, on every item."""

    judge: str
    calibrated: bool
    predictions: Floats  # (n_items, n_labels)
    values: Floats  # (n_items,), for correlations; NaN where they come from the predictions
    inside: Floats | None = None  # (n_items, n_labels): calibrated on all items, its own among them

    def of(self, rows: Codes) -> "Predictions":
        """Those of some items."""
        inside = None if self.inside is None else self.inside[rows]
        return replace(self, predictions=self.predictions[rows], values=self.values[rows], inside=inside)

    def label_scores(self, score: Score) -> Floats:
        """What each label would score, of shape (n_items, n_labels), for an additive score.

        Of a calibrated judge the mean of two scores, learned from other items and from all: the first loses by learning
        what the second gains.
        """
        outside = score.of_labels()(self.predictions)
        return outside if self.inside is None else (outside + score.of_labels()(self.inside)) / 2


class Among(NamedTuple):
    """Where items stand among those that bootstrap samples draw from: all of a file of which these are a part."""

    items: int
    place: Codes  # (n_items,)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """Types of items, who rated them, judges, and how to score."""

    counts: Codes  # (n_types, n_labels): ratings by those whom judges are compared with, all raters or the experts
    type_of_item: Codes  # (n_items,)
    judges: tuple[Predictions, ...]
    sizes: tuple[int, ...]  # numbers of raters k of the curve, from 0
    panel: Panel
    score: Score
    fold: Codes  # (n_items,), for cross-fitting
    references: int = 1  # how many held-out raters make the reference
    amateurs: Codes | None = None  # (n_types, n_labels)
    amateur_sizes: tuple[int, ...] = ()
    columns: tuple[Codes, Codes, Codes] | None = None  # item, rater and label, where judges are scored by rater
    copies: Codes | None = None  # (n_items,): how many items of the data each stands for; None means one
    moments: ScoredMoments | None = None  # of the judges' scores on the copies of each item, where outputs differ
    among: Among | None = None  # where bootstrap samples draw other parts of the file, too
    # (n_types,): what an item of each type counts for, where items were drawn with other chances; None means one. Types
    # are told apart by it, since an item leaves with all it counts for where the combiner is learned without it.
    unit: Floats | None = None

    @property
    def n_items(self) -> int:
        """How many items there are, those that stand for many counted once."""
        return len(self.type_of_item)

    @property
    def stands_for(self) -> Codes | Floats | None:
        """How many items each item stands for, of shape (n_items,); None means one."""
        return self.copies if self.unit is None else self.unit[self.type_of_item]

    @property
    def weights(self) -> npt.NDArray[Any]:
        """How many items of the data each item stands for, of shape (1, n_items); whole numbers without `unit`."""
        known = self.stands_for
        return np.asarray(np.ones(self.n_items, dtype=np.intp) if known is None else known)[None, :]

    @property
    def items(self) -> Codes:
        """How many items of the data each type has."""
        copies = np.ones(self.n_items, dtype=np.intp) if self.copies is None else self.copies
        return np.asarray(type_weights(copies[None, :], self)[0], dtype=np.intp)

    @property
    def observed(self) -> Copies:
        """The data themselves, as a replicate."""
        return observed(self.items).counting(self.unit)


class Kinds(NamedTuple):
    """Items to which all judges give the same answers, in one fold."""

    first: Codes  # (n_kinds,): an item of each
    of_item: Codes  # (n_items,)

    def merged(self, problem: Problem) -> Problem:
        """The problem with a row for each type and kind that occurs, standing for its items."""
        key, n_kinds = problem.type_of_item * len(self.first) + self.of_item, len(self.first)
        table = np.bincount(key, minlength=len(problem.counts) * n_kinds)
        rows = np.flatnonzero(table)
        item = self.first[rows % n_kinds]
        judges = tuple(judge.of(item) for judge in problem.judges)
        return replace(
            problem, type_of_item=rows // n_kinds, judges=judges, fold=problem.fold[item], copies=table[rows]
        )


def kinds_of_items(problem: Problem) -> Kinds | None:
    """How items can be put together; None where they are few or mostly differ, or have to be told apart.

    What many items score is exact so, and bootstrap samples are the same in distribution.
    """
    is_apart = any(part is not None for part in (problem.copies, problem.moments, problem.among, problem.unit))
    if problem.n_items < MERGED_FROM or is_apart or problem.columns is not None:
        return None
    columns: list[npt.NDArray[Any]] = [problem.fold]
    for judge in problem.judges:
        columns += [*judge.predictions.T, judge.values, *(() if judge.inside is None else judge.inside.T)]
    kinds = Kinds(*kinds_of(columns))
    return kinds if FEW_KINDS * len(kinds.first) * len(problem.counts) <= problem.n_items else None


def merged(problem: Problem) -> Problem:
    """The problem with equal items put together, where that pays."""
    kinds = kinds_of_items(problem)
    return problem if kinds is None else kinds.merged(problem)


def types_of_items(counts: Codes) -> tuple[Codes, Codes]:
    """Distinct rows of counts, of shape (n_types, n_columns), and the type of each row."""
    item, label = np.nonzero(counts)
    if len(np.unique(item)) < len(counts):
        raise ValueError("every item needs a rating")
    cells = (item.astype(np.intp), label.astype(np.intp), counts[item, label])
    types, type_of_item = count_types(*cells, n_items=len(counts), n_labels=counts.shape[1])
    return types.dense(), type_of_item


def is_closed(problem: Problem, k: int) -> bool:
    """Whether the score after surveys of k raters follows from the items' counts, without going through surveys."""
    is_mean = problem.panel.combiner == "frequency" and k > 0 and problem.references == 1
    return is_mean and problem.score.name in CLOSED_SCORES


def number_of_cells(problem: Problem, k: int) -> int:
    """How many surveys of one size there are to go through, those that the types of items allow times labels."""
    return numbers_of_cells(problem, (k,))[k]


def numbers_of_cells(problem: Problem, sizes: Iterable[int]) -> dict[int, int]:
    """The same of several sizes at once."""
    asked = list(sizes)
    total, number = problem.counts.sum(axis=1), numbers_of_subsets(problem.counts, max(asked))
    enough = {k: total >= k + problem.references for k in asked}
    cells = {k: int(number[enough[k], k].sum()) * len(problem.counts.T) for k in asked}
    return {k: 0 if is_closed(problem, k) else cells[k] for k in asked}


def type_weights(item_weights: npt.NDArray[np.integer], problem: Problem) -> Floats:
    """Weights of types, of shape (n_replicates, n_types), from weights of items."""
    n_types = len(problem.counts)
    return np.stack([np.bincount(problem.type_of_item, weights=row, minlength=n_types) for row in item_weights])


def fold_weights(item_weights: npt.NDArray[np.integer], problem: Problem) -> Floats:
    """Weights of types by fold, of shape (n_folds, n_replicates, n_types)."""
    n_folds, n_types = int(problem.fold.max(initial=0)) + 1, len(problem.counts)
    key = problem.fold * n_types + problem.type_of_item
    table = np.stack([np.bincount(key, weights=row, minlength=n_folds * n_types) for row in item_weights])
    return table.reshape(len(item_weights), n_folds, n_types).transpose(1, 0, 2).astype(np.float64)


# ---- Scores of judges against the raters (Algorithm 1), in every replicate

MASSES_AT_ONCE = 1 << 23


def reference_shares(problem: Problem) -> Floats:
    """How a random reference answers each type of item, of shape (n_types, n_labels); NaN where there is none."""
    total = problem.counts.sum(axis=1)
    if problem.references == 1:
        with np.errstate(invalid="ignore"):
            return np.asarray(problem.counts / np.where(total > 0, total, np.nan)[:, None])
    shares = np.full(problem.counts.shape, np.nan)
    enough = total >= problem.references
    shares[enough] = plurality_of_draws(problem.counts[enough], problem.references)
    return shares


def judge_scores(problem: Problem, item_weights: npt.NDArray[np.integer], rng: Generator | None = None) -> Floats:
    """Score of each judge in each replicate, of shape (n_replicates, n_judges).

    Bootstrap samples need `rng` where judges' outputs are known by their moments only.
    """
    if problem.moments is not None:
        return moment_scores(problem.moments, item_weights, rng)
    if not problem.judges:
        return np.empty((len(item_weights), 0))
    if problem.columns is not None:
        each = [_rater_by_rater(problem, judge, item_weights) for judge in problem.judges]
    else:
        shares = reference_shares(problem)[problem.type_of_item]
        known = np.asarray(~np.isnan(shares).any(axis=1))
        each = [_item_by_item(problem, judge, item_weights, shares, known) for judge in problem.judges]
    return np.stack(each, axis=1)


def _item_by_item(
    problem: Problem, judge: Predictions, item_weights: npt.NDArray[np.integer], shares: Floats,
    known: npt.NDArray[np.bool_],
) -> Floats:  # fmt: skip
    """Every item counts the same, however many raters it has."""
    weights = item_weights[:, known].astype(np.float64)
    score = problem.score
    if score.is_additive:
        per_item = (shares * judge.label_scores(score)).sum(axis=1)[known]
        total = weights.sum(axis=1)
        mean = np.einsum("ri,i->r", weights, per_item) / np.where(total > 0, total, np.nan)
        return np.asarray(mean)
    predictions, shares = judge.predictions[known], shares[known]
    if not score.is_ranked:
        hard = score.hard(predictions)
        return score.of_confusion(np.einsum("ri,ip,il->rpl", weights, hard, shares, optimize=_PATH))
    if score.name == "pearson":
        own = judge.values[known]  # a judge that gave numbers is correlated as it is
        numbers = None if np.isnan(own).any() or judge.calibrated else own
        return pearson_of_items(predictions, shares, weights, values=score.values, numbers=numbers)
    step = max(1, MASSES_AT_ONCE // max(1, shares.size))
    parts = []
    for first in range(0, len(weights), step):
        masses = weights[first : first + step, :, None] * shares
        parts.append(_ranked(problem, judge, predictions, judge.values[known], masses))
    return np.concatenate(parts)


# First the two matrices of an item, then the sum over items: the order is fixed, so no thread can change it.
_PATH = ["einsum_path", (1, 2), (0, 1)]


def _ranked(problem: Problem, judge: Predictions, predictions: Floats, values: Floats, masses: Floats) -> Floats:
    score = problem.score
    if score.name == "auc" or np.isnan(values).any() or judge.calibrated:
        return score.of_joint(predictions, masses)
    # A judge that gave numbers is correlated as it is: one label whose value is its answer.
    return ranked_score("spearman", values[:, None], masses, values=score.values, prediction_values=np.ones(1))


def _rater_by_rater(problem: Problem, judge: Predictions, item_weights: npt.NDArray[np.integer]) -> Floats:
    """The mean over raters of the score against that rater alone."""
    assert problem.columns is not None  # noqa: S101 - the caller asked for it
    item, rater, label = problem.columns
    scored = judge.label_scores(problem.score)[item, label]
    n_raters = int(rater.max(initial=-1)) + 1
    means = []
    for row in item_weights:
        weight = row[item].astype(np.float64)
        total = np.bincount(rater, weights=weight * scored, minlength=n_raters)
        count = np.bincount(rater, weights=weight, minlength=n_raters)
        means.append(float(np.mean(total[count > 0] / count[count > 0])) if (count > 0).any() else np.nan)
    return np.array(means)
