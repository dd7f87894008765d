"""Resnick, Kong, Schoenebeck, Weninger: "Survey Equivalence", a procedure to measure classifiers against human labels.

Printed values are typed from the paper; the place is in the name of each claim. Figures 1 and 3 show ten items that
stand in the pictures only; what the text says about them is among the claims.

Here are the files that the authors published inside their package, as ratings and judges.

Items with few ratings leave blank cells at the end of their row in a matrix. The code of the case studies draws k of
its columns and drops what is blank, so that a "survey of k raters" has fewer labels, most of all where there are few.
Two labels only.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from dissensus.arrays import Floats
from dissensus.data import Judges, Ratings
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.reproduce.claims import Drawing
from dissensus.methods.reproduce.data import REQUIREMENT, WHEEL, PaperData

PAPER = "survey-equivalence"
REMEDY = (
    f"Run `pip download --no-deps {REQUIREMENT}` and then `dissensus reproduce {PAPER} --data {WHEEL}`, "
    f"or let `dissensus reproduce {PAPER} --download` do both."
)
FOLDER = "surveyequivalence/data"

Counts = npt.NDArray[np.intp]


@cache
def rows_of(data: PaperData, name: str) -> tuple[Mapping[str, str], ...]:
    """The rows of one of the authors' files, by the names in its first line."""
    return tuple(csv.DictReader(io.StringIO(data.text(f"{FOLDER}/{name}", remedy=REMEDY))))


def drawing(place: str, title: str, caption: str, curve: EquivalenceResult) -> Drawing:
    """A power curve of the paper, drawn anew."""
    return Drawing(paper=PAPER, place=place, title=title, caption=caption, kind="power curve", curve=curve)


def ratings_of_counts(counts: npt.ArrayLike, labels: Sequence[str]) -> Ratings:
    """Ratings by nobody in particular, from how often each label was given, of shape (n_items, n_labels)."""
    matrix = np.asarray(counts, dtype=np.intp)
    item, label = np.nonzero(matrix)
    return Ratings(item=item, label=label, times=matrix[item, label], items=_items(len(matrix)), labels=tuple(labels))


def soft_judges(predictions: Mapping[str, npt.ArrayLike], labels: Sequence[str]) -> Judges:
    """Judges that answer with probabilities, each of shape (n_items, n_labels)."""
    names = tuple(sorted(predictions))
    rows = [np.asarray(predictions[name], dtype=np.float64) for name in names]
    n = len(rows[0])
    return Judges(
        item=np.tile(np.arange(n), len(names)), judge=np.repeat(np.arange(len(names)), n),
        sample=np.zeros(n * len(names), dtype=np.intp), label=np.full(n * len(names), -1),
        probability=np.concatenate(rows), items=_items(n), judges=names, labels=tuple(labels), options=tuple(labels),
    )  # fmt: skip


def hard_judge(name: str, answers: npt.ArrayLike, labels: Sequence[str]) -> Judges:
    """A judge that answers with a label: the code of one per item."""
    codes = np.asarray(answers, dtype=np.intp)
    n = len(codes)
    return Judges(
        item=np.arange(n), judge=np.zeros(n, dtype=np.intp), sample=np.zeros(n, dtype=np.intp), label=codes,
        items=_items(n), judges=(name,), labels=tuple(labels), options=tuple(labels),
    )  # fmt: skip


def _items(n: int) -> tuple[str, ...]:
    return tuple(f"item-{i:05}" for i in range(n))


# ---- What happens to a power curve if blank cells count as raters

CLIP = 0.02


def _log_choose(n: Floats, k: Floats) -> Floats:
    """Logarithm of the binomial coefficient, minus infinity where it is 0."""
    is_possible = (k >= 0) & (k <= n)
    safe_n, safe_k = np.where(is_possible, n, 0.0), np.where(is_possible, k, 0.0)
    logs = gammaln(safe_n + 1) - gammaln(safe_k + 1) - gammaln(safe_n - safe_k + 1)
    return np.where(is_possible, logs, -np.inf)


def drawn(first: Floats, total: Floats, size: int, of_first: Floats) -> Floats:
    """Chance that this many labels of an item have this many of the first; 0 where it has fewer labels.

    Examples
    --------
    >>> drawn(np.array([2.0, 0.0]), np.array([4.0, 1.0]), 2, np.array([1.0, 1.0])).round(4).tolist()
    [0.6667, 0.0]
    """
    ways = _log_choose(first, of_first) + _log_choose(total - first, size - of_first)
    every = _log_choose(total, np.full(total.shape, float(size)))
    with np.errstate(invalid="ignore"):
        return np.where(total >= size, np.exp(ways - every), 0.0)


def scores_by_labels(counts: Counts, most: int) -> Floats:
    """Cross-entropy in bits of what is predicted after this many labels of an item, of shape (most + 1, n_items).

    Predicted by the Anonymous Bayesian Combiner, which leaves the item out; NaN where no label is left to predict.
    """
    first, total = (column.astype(np.float64)[:, None] for column in (counts[:, 0], counts.sum(axis=1)))
    found = []
    for size in range(most + 1):
        seen = np.arange(size + 1.0)[None, :]
        shares = np.exp(_log_choose(np.full(seen.shape, float(size)), seen))
        up = drawn(first, total, size + 1, seen + 1) / np.exp(_log_choose(np.full(seen.shape, size + 1.0), seen + 1))
        down = drawn(first, total, size + 1, seen) / np.exp(_log_choose(np.full(seen.shape, size + 1.0), seen))
        others_up, others_down = up.sum(axis=0) - up, down.sum(axis=0) - down
        both = others_up + others_down
        chance = np.clip(np.where(both > 0, others_up / np.where(both > 0, both, 1.0), 0.5), CLIP, 1 - CLIP)
        bits = up * shares * np.log2(chance) + down * shares * np.log2(1 - chance)
        # `up` is the chance of one order of the labels and a first label after it, so times the orders.
        found.append(np.where(total[:, 0] > size, bits.sum(axis=1), np.nan))
    return np.array(found)


def padded_curve(counts: Counts, *, columns: int, most: int) -> Floats:
    """Power curve if k of this many columns are drawn, blank ones included, of shape (most + 1,)."""
    total = counts.sum(axis=1).astype(np.float64)
    scores = scores_by_labels(counts, most)
    curve = []
    for k in range(most + 1):
        sum_of, weight = np.zeros(len(total)), np.zeros(len(total))
        for labels in range(k + 1):
            # Of the columns with a label, and of the blank ones.
            filled = np.exp(
                _log_choose(total, np.full(total.shape, float(labels)))
                + _log_choose(columns - total, np.full(total.shape, float(k - labels)))
                - _log_choose(np.full(total.shape, float(columns)), np.full(total.shape, float(k)))
            )
            is_left = np.isfinite(scores[labels])
            sum_of += np.where(is_left, filled * np.nan_to_num(scores[labels]), 0.0)
            weight += np.where(is_left, filled, 0.0)
        curve.append(sum_of.sum() / weight.sum())
    return np.array(curve)


def judge_score(counts: Counts, predictions: Sequence[float] | Floats) -> float:
    """Cross-entropy in bits of a judge's probabilities of the first label, against a random rater of each item."""
    chance = np.clip(np.asarray(predictions, dtype=np.float64), CLIP, 1 - CLIP)
    first, total = counts[:, 0], counts.sum(axis=1)
    return float(np.mean((first * np.log2(chance) + (total - first) * np.log2(1 - chance)) / total))


def crossing(curve: Floats, score: float) -> float:
    """How many raters reach a score, with fractions; NaN if it is off the curve.

    Examples
    --------
    >>> crossing(np.array([0.0, 0.5, 0.75]), 0.625)
    1.5
    """
    if not curve[0] < score <= curve.max():
        return float("nan")
    k = int(np.argmax(curve >= score))
    return float(k - 1 + (score - curve[k - 1]) / (curve[k] - curve[k - 1]))
