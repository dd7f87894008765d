"""What a judge says of each item, as one answer that can stand beside a rater's."""

from dataclasses import dataclass

import numpy as np

from dissensus.comparison.responses import Responses
from dissensus.decisions.annotators.answers import Answers
from dissensus.decisions.annotators.question import Score
from dissensus.decisions.closeness import Floats, accuracies, nearnesses, set_likeness, similarities
from dissensus.ratings.coding import Codes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Said:
    """One answer to each item, as the score needs it.

    Attributes
    ----------
    label : ndarray of shape (n_items,)
        For accuracy: the most frequent label, the first of several; -1 where there is no answer.
    value : ndarray of shape (n_items,)
        For rmse: the mean answer, on an ordinal scale the label nearest to it, as a rater would have to answer.
    shares : ndarray of shape (n_items, n_labels)
        For similarity: the share of each label.
    is_tied : ndarray of shape (n_items,)
        Where several labels are equally frequent.
    """

    label: Codes
    value: Floats
    shares: Floats
    is_tied: Codes


NO_CODES = np.empty(0, dtype=np.intp)
NO_NUMBERS = np.empty(0)


def said_by(answers: Answers, name: str, score: Score) -> Said:
    """What one judge says."""
    said, n_items = answers.panel.judges[name], answers.ratings.n_items
    if score == "accuracy":
        label, is_tied = _most_frequent(said, n_items, len(answers.panel.labels))
        return Said(label=label, value=NO_NUMBERS, shares=NO_NUMBERS, is_tied=is_tied)
    no_ties = np.zeros(n_items, dtype=np.intp)
    if score == "rmse":
        value = _on_scale(_means(said, n_items), answers)
        return Said(label=NO_CODES, value=value, shares=NO_NUMBERS, is_tied=no_ties)
    return Said(label=NO_CODES, value=NO_NUMBERS, shares=_shares(said, answers), is_tied=no_ties)


def constant(answers: Answers, score: Score) -> tuple[Said, str]:
    """Somebody who says the same of every item, what most ratings say, without looking; and what that is."""
    ratings, n_items = answers.ratings, answers.ratings.n_items
    code = int(np.bincount(ratings.label, minlength=ratings.n_labels).argmax())
    value, name = NO_NUMBERS, ratings.labels[code]
    if score == "rmse":
        middle = _on_scale(np.array([answers.panel.values[ratings.label].mean()]), answers)
        value, name = np.repeat(middle, n_items), f"{middle[0]:.3g}"
    shares = np.zeros((n_items if score == "similarity" else 0, len(answers.panel.labels)))
    shares[:, code] = 1
    no_ties = np.zeros(n_items, dtype=np.intp)
    return Said(label=np.full(n_items, code), value=value, shares=shares, is_tied=no_ties), name


def compared(answers: Answers, said: Said, rows: Codes, score: Score) -> tuple[Floats, Floats]:
    """How close judge and rater are to the others, on these rows of the ratings, whose items the judge answered."""
    item, label = answers.ratings.item[rows], answers.ratings.label[rows]
    if score == "accuracy":
        return accuracies(item, label, said.label, len(answers.panel.labels))
    if score == "rmse":
        return nearnesses(item, answers.panel.values[label], said.value)
    return similarities(item, label, said.shares, set_likeness(answers.panel.labels, answers.ratings.options))


def _means(said: Responses, n_items: int) -> Floats:
    """The mean answer to each item; NaN where there is none."""
    total = np.bincount(said.item, weights=said.share * said.value, minlength=n_items)
    return np.asarray(np.divide(total, said.sizes, out=np.full(n_items, np.nan), where=said.sizes > 0))


def _on_scale(values: Floats, answers: Answers) -> Floats:
    """Numbers as a rater could give them: on an ordinal scale the nearest label, the lower one of two."""
    if answers.panel.scale != "ordinal":
        return values
    labels = np.sort(answers.panel.values)
    nearest = labels[np.searchsorted((labels[1:] + labels[:-1]) / 2, values)]
    return np.where(np.isfinite(values), nearest, np.nan)


def _shares(said: Responses, answers: Answers) -> Floats:
    """The judge's answer to each item as shares of labels, of shape (n_items, n_labels)."""
    n_items, n_labels = answers.ratings.n_items, len(answers.panel.labels)
    total = np.bincount(said.item * n_labels + said.place, weights=said.share, minlength=n_items * n_labels)
    return np.asarray(total.reshape(n_items, n_labels) / np.maximum(said.sizes, 1)[:, None])


def _most_frequent(said: Responses, n_items: int, n_labels: int) -> tuple[Codes, Codes]:
    """The label with the largest share of each item, the first of several; -1 where there is none; whether it tied."""
    cell, inverse = np.unique(said.item * n_labels + said.place, return_inverse=True)
    share = np.bincount(inverse, weights=said.share).round(12)
    item, label = cell // n_labels, cell % n_labels
    order = np.lexsort((label, -share, item))
    item, label, share = item[order], label[order], share[order]
    is_first = np.r_[True, item[1:] != item[:-1]]
    found, tied = np.full(n_items, -1, dtype=np.intp), np.zeros(n_items, dtype=np.intp)
    found[item[is_first]] = label[is_first]
    follows = np.flatnonzero(~is_first)
    second = follows[is_first[follows - 1]]
    tied[item[second]] = share[second] == share[second - 1]
    return found, tied
