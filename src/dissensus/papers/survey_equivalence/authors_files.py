"""The files that the authors of "Survey Equivalence" published inside their package, as ratings and judges."""

import csv
import io
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dissensus.papers.data import PaperData
from dissensus.ratings import Judges, Ratings

PAPER = "survey-equivalence"
REQUIREMENT = "surveyequivalence==0.1.3"
WHEEL = "surveyequivalence-0.1.3-py3-none-any.whl"
WHEEL_SHA256 = "9a86ad31ac5feacc3e31c617bbd0a0b90142e94f645ef77340b0362090286f84"
REMEDY = (
    f"Run `pip download --no-deps {REQUIREMENT}` and then `dissensus reproduce {PAPER} --data {WHEEL}`, "
    f"or let `dissensus reproduce {PAPER} --download` do both."
)
FOLDER = "surveyequivalence/data"

Counts = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]


def rows_of(data: PaperData, name: str) -> tuple[Mapping[str, str], ...]:
    """The rows of one of the authors' files, by the names in its first line."""
    return _rows(data.path, name)


@cache
def _rows(path: Path | None, name: str) -> tuple[Mapping[str, str], ...]:
    text = PaperData(path).text(f"{FOLDER}/{name}", remedy=REMEDY)
    return tuple(csv.DictReader(io.StringIO(text)))


def ratings_of_counts(counts: npt.ArrayLike, labels: Sequence[str]) -> Ratings:
    """Ratings by nobody in particular.

    Parameters
    ----------
    counts : array_like of shape (n_items, n_labels)
        How often each label was given to each item.
    labels : sequence of str
        Their names.
    """
    matrix = np.asarray(counts, dtype=np.intp)
    item, label = np.nonzero(matrix)
    return Ratings(item=item, label=label, times=matrix[item, label], items=_items(len(matrix)), labels=tuple(labels))


def soft_judges(predictions: Mapping[str, npt.ArrayLike], labels: Sequence[str]) -> Judges:
    """Judges that answer with probabilities.

    Parameters
    ----------
    predictions : mapping of str to array_like of shape (n_items, n_labels)
        By name of the judge.
    labels : sequence of str
        What the probabilities are of.
    """
    names = tuple(sorted(predictions))
    rows = [np.asarray(predictions[name], dtype=np.float64) for name in names]
    n = len(rows[0])
    return Judges(
        item=np.tile(np.arange(n), len(names)),
        judge=np.repeat(np.arange(len(names)), n),
        sample=np.zeros(n * len(names), dtype=np.intp),
        label=np.full(n * len(names), -1),
        probability=np.concatenate(rows),
        items=_items(n),
        judges=names,
        labels=tuple(labels),
        options=tuple(labels),
    )


def hard_judge(name: str, answers: npt.ArrayLike, labels: Sequence[str]) -> Judges:
    """A judge that answers with a label: the code of one per item."""
    codes = np.asarray(answers, dtype=np.intp)
    n = len(codes)
    return Judges(
        item=np.arange(n),
        judge=np.zeros(n, dtype=np.intp),
        sample=np.zeros(n, dtype=np.intp),
        label=codes,
        items=_items(n),
        judges=(name,),
        labels=tuple(labels),
        options=tuple(labels),
    )


def _items(n: int) -> tuple[str, ...]:
    return tuple(f"item-{i:05}" for i in range(n))
