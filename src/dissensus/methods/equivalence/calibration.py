"""Calibration: what raters say where the judge says this.

The cross-entropy of a judge that is too sure of itself measures its manners, not its information. A map from outputs to
raters' shares takes the manners away. It is learned twice: from all items, and for each item from the items of other
folds. The first scores too well and the second too badly, by the same amount in first order (Akaike 1974), so the mean
of both scores is that of the best map.

`auto` serves bare labels, several sampled labels and probabilities, with two or more labels. Simple maps are mixed by
how well they predict the items of other folds. Where outputs come again and again, what raters said after each of them
moves the mixture, the more the more items there are: so it is right in the end, whatever the simple maps miss.

References
----------
H. Akaike (1974), "A New Look at the Statistical Model Identification".
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.align import answers_of
from dissensus.methods.equivalence.maps import (
    Curves,
    Logistic,
    Map,
    MixedMap,
    Multinomial,
    Scaling,
    SimpleMaps,
    Table,
    distinct,
    moved,
    sums,
)
from dissensus.methods.equivalence.options import Calibration
from dissensus.methods.equivalence.scores import label_scores

FOLDS = 10
MOST_TO_SHARE_OUT = 10**9 - 1
"""More items than this numpy cannot draw without replacement."""
PLACES = 12
"""Of calibrated predictions: what comes after them differs between machines."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibrated:
    """A judge's outputs turned into raters' shares."""

    inside: Floats  # (n_items, n_labels): learned from all items
    outside: Floats  # (n_items, n_labels): learned from the items of other folds
    map: Map  # for new outputs, learned from all items


def draw_folds(n_items: int, rng: Generator, *, folds: int = FOLDS) -> Codes:
    """A fold for each item, as equal in size as can be, at random."""
    fold = np.arange(n_items) % min(folds, n_items)
    return rng.permutation(fold).astype(np.intp)


def share_out(copies: Codes, rng: Generator, *, folds: int = FOLDS) -> Codes:
    """How many of each profile's items come into each fold, of shape (n_profiles, n_folds).

    Folds are as equal in size as can be and their items are drawn without replacement, so this is distributed as if
    each item had been given a fold by `draw_folds`. Where numpy cannot draw this many, each item has a fold of its own
    accord, which makes no difference among this many.

    >>> table = share_out(np.array([25, 5]), np.random.default_rng(0))
    >>> table.sum(axis=0), table.sum(axis=1)
    (array([3, 3, 3, 3, 3, 3, 3, 3, 3, 3]), array([25,  5]))
    """
    total = int(copies.sum())
    folds = min(folds, total)
    if total > MOST_TO_SHARE_OUT:
        return rng.multinomial(copies, np.full(folds, 1 / folds))
    left = copies.astype(np.int64)
    table = np.zeros((len(copies), folds), dtype=np.intp)
    for number in range(folds):
        size = (total + folds - 1 - number) // folds  # the first ones have one more where it does not come out even
        table[:, number] = rng.multivariate_hypergeometric(left, size, method="marginals")
        left -= table[:, number]
    return table


def calibrated_predictions(
    method: Calibration, outputs: Floats, shares: Floats, *, fold: Codes, copies: Codes | Floats | None = None,
    exact: bool = False,
) -> Calibrated:  # fmt: skip
    """A judge's outputs as raters' shares, learned from all items and from those of other folds.

    `method`: the best mixture; outputs as they are; a rising curve or a logistic one, label by label; the mean answer
    of raters for each different output; softmax regression on the logarithms of all labels. `outputs`, `shares`
    (n_items, n_labels): the judge's probabilities, and the share of raters who gave each label; a row of zeros teaches
    nothing. `fold`, `copies` (n_items,): fold of each item, and how many items each one stands for; one if not given.
    `exact`: whether auto sums up as it was always done, to the last digit, which takes longer with many labels.

    Raters always agree with this judge; an item that only one of two folds has is learned from all others.

    >>> found = calibrated_predictions("table", np.eye(2)[[0, 0, 1]], np.eye(2)[[0, 0, 1]], fold=np.array([0, 1, 1]))
    >>> found.inside[2], found.outside[2]
    (array([0., 1.]), array([1., 0.]))
    """
    if method == "none" or not shares.any():
        return Calibrated(inside=outputs, outside=outputs, map=np.asarray)
    if outputs.size > REMEMBERED:
        return _calibrated(method, _rows_of(outputs, shares, fold, copies), exact=exact)
    arrays = (outputs, shares, fold, copies)
    return _remembered(
        method, exact, outputs.shape, *(None if a is None else (a.dtype.str, a.tobytes()) for a in arrays)
    )


REMEMBERED = 1 << 17
"""Numbers of a judge, up to which what they were turned into is kept for other questions about the same judge."""
_Bytes = tuple[str, bytes]


@lru_cache(maxsize=64)  # judges of one file: with 17 of them a cache of 16 was of no use
def _remembered(
    method: Calibration, exact: bool, shape: tuple[int, ...], outputs: _Bytes, shares: _Bytes, fold: _Bytes,
    copies: _Bytes | None,
) -> Calibrated:  # fmt: skip
    probabilities, answers = (np.frombuffer(each[1], dtype=each[0]).reshape(shape) for each in (outputs, shares))
    items, times = (None if each is None else np.frombuffer(each[1], dtype=each[0]) for each in (fold, copies))
    assert items is not None  # noqa: S101 - every item has a fold
    return _calibrated(method, _rows_of(probabilities, answers, items, times), exact=exact)


def _calibrated(method: Calibration, rows: "Rows", *, exact: bool) -> Calibrated:
    outside, learned = _auto(rows, exact=exact) if method == "auto" else _alone(_FITS[method], rows)
    inside = np.round(learned(rows.outputs), PLACES)[rows.of_item]
    outside = np.round(outside, PLACES)[rows.of_item]
    for each in (inside, outside):
        each.flags.writeable = False
    return Calibrated(inside=inside, outside=outside, map=learned)


# ---- Rows: items of a fold with the same output, put together


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """The different outputs of each fold."""

    outputs: Floats  # (n_rows, n_labels)
    masses: Floats  # (n_rows, n_labels): sum of the raters' shares over the row's items
    times: Floats  # (n_rows,): how many items these are
    fold: Codes  # (n_rows,)
    output: Codes  # (n_rows,): which of the different outputs
    of_item: Codes  # (n_items,): the row of each item

    def folds(self) -> list[tuple[Flags, Flags]]:
        """Which rows are in each fold, and from which ones they are learned: all of them if others teach nothing."""
        everything = np.ones(len(self.fold), dtype=np.bool_)
        each = [np.asarray(self.fold == number) for number in np.unique(self.fold)]
        return [(held, ~held if self.masses[~held].any() else everything) for held in each]


def _rows_of(outputs: Floats, shares: Floats, fold: Codes, copies: Codes | Floats | None) -> Rows:
    times = np.ones(len(shares)) if copies is None else copies.astype(np.float64)
    different, output = distinct(outputs)
    key, of_item = np.unique(output * (int(fold.max(initial=0)) + 1) + fold, return_inverse=True)
    some = np.zeros(len(key), dtype=np.intp)
    some[of_item] = np.arange(len(of_item))
    return Rows(
        outputs=different[output[some]], masses=sums(of_item, shares * times[:, None], len(key)),
        times=np.bincount(of_item, weights=times, minlength=len(key)).astype(np.float64), fold=fold[some],
        output=output[some], of_item=of_item,
    )  # fmt: skip


_FITS: dict[Calibration, Callable[[Floats, Floats], Map]] = {
    "isotonic": Curves.of, "platt": Logistic.of, "table": Table.of, "multinomial": Multinomial.of,
}  # fmt: skip


def _alone(fit: Callable[[Floats, Floats], Map], rows: Rows) -> tuple[Floats, Map]:
    """Predictions of each row by one kind of map learned from other folds, and the map learned from all."""
    outside = np.empty_like(rows.masses)
    for held, others in rows.folds():
        outside[held] = fit(rows.outputs[others], rows.masses[others])(rows.outputs[held])
    return outside, fit(rows.outputs, rows.masses)


# ---- auto: simple maps, their mixture, and what raters said after each output

MIXING_STEPS, WARM_STEPS = 150, 5
STRENGTHS = (np.inf, 512.0, 128.0, 32.0, 8.0, 2.0, 0.5)
"""How many items the mixture may count for beside what raters said after the output itself."""
MOST_OUTPUTS = 0.5
"""Different outputs for each item, up to which a table can learn from them."""
TINY = 1e-12


def _auto(rows: Rows, *, exact: bool) -> tuple[Floats, Map]:
    """Predictions of each row learned from other folds, and the map learned from all."""
    scaling = Scaling.of(rows.outputs, rows.times)
    x = scaling(rows.outputs)
    everything = SimpleMaps.of(x, rows.masses, exact=exact)
    each = np.stack([np.empty_like(rows.masses)] * len(everything.predict(x[:1])))
    for held, others in rows.folds():
        each[:, held] = SimpleMaps.of(x[others], rows.masses[others], like=everything, exact=exact).predict(x[held])
    weights = mixing_weights(each, rows.masses, np.full(len(each), 1 / len(each)), steps=MIXING_STEPS)
    mixed = np.empty_like(rows.masses)
    for held, others in rows.folds():
        own = mixing_weights(each[:, others], rows.masses[others], weights, steps=WARM_STEPS)
        mixed[held] = np.einsum("k,krl->rl", own, each[:, held])
    table = Table.of(rows.outputs, rows.masses)
    outside, strength = _with_table(rows, mixed, table)
    return outside, MixedMap(scaling=scaling, maps=everything, weights=weights, table=table, strength=strength)


def mixing_weights(predictions: Floats, masses: Floats, weights: Floats, *, steps: int) -> Floats:
    """Weights under which the mixture of predictions scores best, by expectation maximisation.

    Predictions are of shape (n_maps, n_rows, n_labels), masses of shape (n_rows, n_labels); it starts from `weights`.
    """
    row, label = np.nonzero(masses)
    given, mass = np.maximum(predictions[:, row, label], TINY), masses[row, label]
    for _ in range(steps):
        weights = weights * np.einsum("kc,c->k", given, mass / np.einsum("k,kc->c", weights, given)) / mass.sum()
    return np.asarray(weights / weights.sum())


def _with_table(rows: Rows, mixed: Floats, table: Table) -> tuple[Floats, float]:
    """Predictions learned from other folds, moved by their table, and how many items the mixture counts for.

    How many is chosen by the score on other folds, for each fold without itself; of equal ones the most.
    """
    if len(table.outputs) > MOST_OUTPUTS * rows.times.sum():
        return mixed, np.inf
    others = np.maximum(table.masses[rows.output] - rows.masses, 0.0)
    candidates = np.stack([moved(mixed, others, strength) for strength in STRENGTHS])
    scores = np.einsum("rl,krl->kr", rows.masses, np.log(np.maximum(candidates, TINY)))
    outside = np.empty_like(mixed)
    for held, rest in rows.folds():
        outside[held] = candidates[_best(scores[:, rest].sum(axis=1)), held]
    return outside, STRENGTHS[_best(scores.sum(axis=1))]


def _best(scores: Floats) -> int:
    """The first of the best ones, which may differ by rounding."""
    return int(np.argmax(scores >= scores.max() - TINY * max(1.0, abs(float(scores.max())))))


# ---- Calibrated information of other commands: how well recalibrated answers predict a rater's label, item by item
#
# The score is that of `equivalence`, learned on the same folds: a judge that answered the same items has the same
# number.


def fold_stream(rng: int | Generator | None) -> Generator:
    """The random numbers of folds, for one seed those of `equivalence`."""
    return np.random.default_rng(rng).spawn(1)[0]


class FoldRows(NamedTuple):
    """Items, or those of an item's copies that come into one fold."""

    place: Codes  # (n_rows,): the item of each row
    fold: Codes  # (n_rows,)
    copies: Codes | Floats | None  # (n_rows,): how many items of the data each row stands for; one if None


def rows_in_folds(n_items: int, copies: Codes | None, rng: Generator) -> FoldRows:
    """A row for each item with its fold; where items have copies, one for each fold of them."""
    if copies is None:
        return FoldRows(np.arange(n_items), draw_folds(n_items, rng), None)
    table = share_out(copies, rng)
    place, fold = np.nonzero(table)
    return FoldRows(place, fold, table[place, fold])


def scores_of_labels(outputs: Floats, shares: Floats, rows: FoldRows, *, clip: float) -> Floats:
    """What each label would score after each answer, in bits, of shape (n_rows, n_labels).

    The mean of two scores, learned from all items and from other folds: the first gains by learning what the second
    loses. Outputs and shares of raters are of the same shape.
    """
    made = calibrated_predictions("auto", outputs, shares, fold=rows.fold, copies=rows.copies)
    score = label_scores("cross-entropy", clip=clip)
    return np.asarray((score(made.inside) + score(made.outside)) / 2)


class Outputs(NamedTuple):
    """What judges answered, as shares of labels, and how raters did."""

    judges: dict[str, Floats]  # each of shape (n_items, n_labels); NaN in items that it did not answer
    shares: Floats  # (n_items, n_labels)


def outputs_of(ratings: Ratings, judges: Judges) -> Outputs:
    """The answers of judges and the shares of raters on all rated items, on common labels."""
    everybody, labels, _ = answers_of(judges, ratings)
    counts = ratings.counts()
    shares = np.zeros((ratings.n_items, len(labels)))
    shares[:, : ratings.n_labels] = counts / counts.sum(axis=1, keepdims=True)
    return Outputs({answers.judge: answers.predictions for answers in everybody}, shares)
