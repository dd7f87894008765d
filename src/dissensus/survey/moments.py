"""Judges with continuous outputs on profiles: their scores from the moments of what the outputs score.

Where every item has another output, items are put together by their label counts alone, and the judges' scores within
a profile are known by mean and covariance. The score of the data is exact. A bootstrap sample that draws a profile w
times adds up w scores: a sum with w times the mean and w times the covariance, taken as normal.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.errors import OptionError
from dissensus.ratings import Judges
from dissensus.ratings.coding import Codes
from dissensus.survey.additive import ADDITIVE_SCORES, label_scores
from dissensus.survey.question import Question
from dissensus.survey.subsets import Floats

DECIMALS = 12
"""Of the noise that a bootstrap sample adds."""


class ScoredMoments(NamedTuple):
    """What judges score against the raters of each item, over its copies.

    Attributes
    ----------
    mean : ndarray of shape (n_items, n_judges)
        NaN where an item has no reference.
    covariance : ndarray of shape (n_items, n_judges, n_judges)
        Over the copies.
    """

    mean: Floats
    covariance: Floats


def check_moments(judges: Judges, question: Question, labels: tuple[str, ...]) -> None:
    """Raise where the question needs the outputs themselves, and only their moments are known."""
    if judges.moments is None:
        return
    remedy = "read them with rounded outputs (--round-outputs 3)"
    known = "Of these outputs only mean and covariance by label counts were kept"
    if question.calibrate != "none":
        raise OptionError(f"{known}, which --calibrate {question.calibrate} cannot learn from: {remedy}.")
    if question.score not in ADDITIVE_SCORES:
        raise OptionError(f"{known}, which --score {question.score} cannot be told from: {remedy}.")
    if judges.moments.scored_by != label_scores(question.score, clip=question.clip):
        raise OptionError(f"{known}, of another score: read them with that of the question.")
    if set(labels) != set(judges.moments.labels):
        raise OptionError(
            f"{known}, for the labels {', '.join(judges.moments.labels)}; here they are {', '.join(labels)}: {remedy}."
        )


def scored_moments(judges: Judges, items: tuple[str, ...], labels: tuple[str, ...], shares: Floats) -> ScoredMoments:
    """Moments of the judges' scores on these items, from the shares of their raters' labels.

    Parameters
    ----------
    judges : Judges
        With moments, and an answer to each of the items.
    items : tuple of str
        An item for each row of the shares.
    labels : tuple of str
        A label for each of their columns.
    shares : ndarray of shape (n_items, n_labels)
        How a reference rater answers; NaN where there is none.
    """
    assert judges.moments is not None  # noqa: S101 - the caller asked
    row_of = {name: i for i, name in enumerate(judges.items)}
    row = np.array([row_of[name] for name in items], dtype=np.intp)
    column = _places(labels, judges.moments.labels)
    mean = judges.moments.mean[row][:, :, column]
    n_judges, n_labels = mean.shape[1:]
    covariance = judges.moments.covariance.reshape(-1, n_judges, n_labels, n_judges, n_labels)[row]
    covariance = covariance[:, :, column][:, :, :, :, column]
    return ScoredMoments(
        np.einsum("nl,njl->nj", shares, mean),
        np.einsum("nl,njlkm,nm->njk", shares, covariance, shares, optimize=["einsum_path", (0, 1), (0, 1)]),
    )


def _places(names: tuple[str, ...], among: tuple[str, ...]) -> Codes:
    return np.array([among.index(name) for name in names], dtype=np.intp)


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
