"""Surveys of k people with a judge beside them, item by item."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.decisions.combining.pooling import likeliest
from dissensus.decisions.combining.refining import kinds_of, refined
from dissensus.decisions.combining.stacking import learned_stack, logs_of
from dissensus.ratings.coding import Codes
from dissensus.survey.learning import predictions_from
from dissensus.survey.problem import types_of_items
from dissensus.survey.scores import Score
from dissensus.survey.subsets import Floats, count_subsets
from dissensus.survey.surveys import surveys_of_size
from dissensus.survey.weights import draw_item_weights

MOST_CELLS = 4_000_000
"""Surveys that the items allow, times labels, of one size."""
STEP = 0.2
"""A judge's answers are taken to so many natural logarithms: finer ones make no difference that raters would notice."""
ALMOST_NOTHING = 1e-9
"""A mass below this is what rounding leaves of nothing."""


class Rows(NamedTuple):
    """Every survey of k raters that each item allows.

    Attributes
    ----------
    item, survey : ndarray of shape (n_rows,)
        Whose survey it is, and which.
    masses : ndarray of shape (n_rows, n_labels)
        Probability of the survey and of the next rater's label; those of an item sum to 1.
    n_surveys : int
        How many different surveys there are.
    """

    item: Codes
    survey: Codes
    masses: Floats
    n_surveys: int


def possible_sizes(counts: Codes, sizes: range) -> list[int]:
    """The sizes whose surveys are few enough to go through, from 0 on."""
    found = []
    for k in sizes:
        enough = counts[counts.sum(axis=1) > k]
        if k and (not len(enough) or count_subsets(enough, k) * counts.shape[1] > MOST_CELLS):
            break
        found.append(k)
    return found


def rows_of(counts: Codes, k: int) -> Rows:
    """The surveys of k raters of each item.

    Parameters
    ----------
    counts : ndarray of shape (n_items, n_labels)
        Ratings of each item.
    k : int
        How many raters are asked.
    """
    types, type_of_item = types_of_items(counts)
    surveys = surveys_of_size(types, k)
    size = np.diff(surveys.start)[type_of_item]
    item = np.repeat(np.arange(len(counts)), size)
    first = np.repeat(np.cumsum(size) - size, size)
    cell = np.arange(len(item)) - first + surveys.start[type_of_item[item]]
    masses = surveys.joint * surveys.orders[surveys.survey, None]
    return Rows(item, surveys.survey[cell], masses[cell], len(surveys.counts))


class Cases(NamedTuple):
    """Rows with the same survey and the same answers of the judges, put together.

    Attributes
    ----------
    of_row : ndarray of shape (n_rows,)
        Where each row went.
    survey, kind : ndarray of shape (n_cases,)
        The survey, and survey and kind of answer.
    beside : ndarray of shape (n_judges, n_cases, n_labels)
        What the judges answered.
    """

    of_row: Codes
    survey: Codes
    kind: Codes
    beside: Floats


def item_scores(rows: Rows, judges: Floats, score: Score, *, fold: Codes) -> Floats:
    """Score of each item's surveys with judges beside them; NaN where the item has too few ratings.

    The mean of two scores: learned from the items of other folds, and learned from all items. What is learned scores as
    much worse on other items as it scores better on its own than the best that could be learned, up to terms that
    vanish faster (Akaike 1974), so their mean is that best score. By the first one alone, judges that tell nothing
    would cost a fifth of a rater beside four people and 350 items, and seem certain to.

    Parameters
    ----------
    rows : Rows
        The surveys.
    judges : ndarray of shape (n_judges, n_items, n_labels)
        What the judges beside the people predict; none for people alone, who are learned in the same way.
    score : Score
        What a prediction is worth.
    fold : ndarray of shape (n_items,)
        Fold of each item.

    References
    ----------
    H. Akaike (1974), "A New Look at the Statistical Model Identification".
    """
    cases = _cases(rows, judges)
    n_folds = int(fold.max()) + 1
    masses = np.zeros((n_folds, len(cases.survey), rows.masses.shape[1]))
    np.add.at(masses, (fold[rows.item], cases.of_row), rows.masses)
    every = masses.sum(axis=0)
    inside = _scores(rows, cases, every, score)
    outside = inside.copy()
    for number in range(n_folds) if n_folds > 1 else ():
        held = fold[rows.item] == number
        outside[held] = _scores(rows, cases, np.maximum(every - masses[number], 0.0), score)[held]
    total = np.bincount(rows.item, weights=(inside + outside) / 2, minlength=len(fold))
    return np.where(np.bincount(rows.item, minlength=len(fold)) > 0, total, np.nan)


def _cases(rows: Rows, judges: Floats) -> Cases:
    answers, code = _distinct(judges)
    n_answers = answers.shape[1]
    found, of_row = np.unique(rows.survey * n_answers + code[rows.item], return_inverse=True)
    survey, answer = found // n_answers, found % n_answers
    kinds = kinds_of(answers, code)
    return Cases(of_row, survey, survey * (int(kinds.max()) + 1) + kinds[answer], answers[:, answer])


def _scores(rows: Rows, cases: Cases, learned: Floats, score: Score) -> Floats:
    """What each row scores, weighted with its mass, if predictions are learned from these masses."""
    predictions = refined(_predictions(learned, cases.survey, cases.beside, rows.n_surveys), learned, cases.kind)
    per_label = score.of_labels()(likeliest(predictions) if score.name == "agreement" else predictions)
    return np.asarray((rows.masses * per_label[cases.of_row]).sum(axis=1))


def _distinct(judges: Floats) -> tuple[Floats, Codes]:
    """The different answers that items got, of shape (n_judges, n_answers, n_labels), and the answer to each item.

    Answers that differ by less than a step in every logarithm are one: probabilities of .9 and .99 stay apart, and so
    do .99 and .999, by what they leave for the other labels.
    """
    n_judges, n_items, n_labels = judges.shape
    steps = np.rint(logs_of(judges) / STEP).transpose(1, 0, 2).reshape(n_items, n_judges * n_labels)
    different, code = np.unique(steps, axis=0, return_inverse=True)
    shares = np.exp(different * STEP).reshape(len(different), n_judges, n_labels).transpose(1, 0, 2)
    return shares / shares.sum(axis=2, keepdims=True), code.ravel()


def _predictions(masses: Floats, survey: Codes, beside: Floats, n_surveys: int) -> Floats:
    """What is predicted for each group of survey and answers, from the masses of other folds."""
    total = np.zeros((n_surveys, masses.shape[1]))
    np.add.at(total, survey, masses)
    everybody = total.sum(axis=0) / total.sum()
    people = np.where(total.sum(axis=1, keepdims=True) > 0, predictions_from(total), everybody)[survey]
    sources = np.concatenate([people[None], beside])
    known = masses.sum(axis=1) > ALMOST_NOTHING
    return learned_stack(sources[:, known], masses[known])(sources)


def mean_scores(scores: Floats, weights: npt.NDArray[np.integer]) -> Floats:
    """Mean over items in each replicate.

    Parameters
    ----------
    scores : ndarray of shape (n_columns, n_items)
        NaN where an item takes no part.
    weights : ndarray of shape (n_replicates, n_items)
        How often each item was drawn.

    Returns
    -------
    ndarray of shape (n_replicates, n_columns)
    """
    known = ~np.isnan(scores)
    total = np.einsum("ri,ci->rc", weights, np.where(known, scores, 0.0))
    count = np.einsum("ri,ci->rc", weights, known.astype(np.float64))
    return np.asarray(np.where(count > 0, total / np.where(count > 0, count, 1), np.nan))


def bootstrap_means(task: tuple[Floats, int], rng: Generator) -> Floats:
    """Means of bootstrap samples of the items; a task for an executor."""
    scores, replicates = task
    return mean_scores(scores, draw_item_weights(scores.shape[1], replicates, rng))
