"""What two judges answered to a pilot's items: answer by answer, each a label or a distribution over labels."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.planning.raters.nodes import Floats
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.coding import position_in_item
from dissensus.ratings.labels import label_values

Codes = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """The answers of one judge, as entries: one for each label with a share in an answer.

    Attributes
    ----------
    size : ndarray of shape (n_items,)
        How many answers each item got.
    item, answer : ndarray of shape (n_entries,)
        The item, and the how-manieth of its answers, from 0.
    place : ndarray of shape (n_entries,)
        The label, as its place in the label space; of no meaning where labels are numbers.
    value, share : ndarray of shape (n_entries,)
        The label as a number, NaN for a word without one; and its share of the answer.
    """

    size: Codes
    item: Codes
    answer: Codes
    place: Codes
    value: Floats
    share: Floats

    def filled(self, column: Codes, n_columns: int, *, by_value: bool = False) -> Floats:
        """Sum of the shares, or of share times value, by column, of shape (n_items, most, n_columns)."""
        n, most = len(self.size), int(self.size.max())
        cell = (self.item * most + self.answer) * n_columns + column
        weights = self.share * self.value if by_value else self.share
        sums = np.bincount(cell, weights=weights, minlength=n * most * n_columns).astype(np.float64)
        return sums.reshape(n, most, n_columns)

    def numbers(self) -> Floats:
        """Each answer as a number, the mean of its distribution, of shape (n_items, most); NaN where there is none."""
        means = self.filled(np.zeros_like(self.item), 1, by_value=True)[:, :, 0]
        return np.where(np.arange(means.shape[1]) < self.size[:, None], means, np.nan)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelSpace:
    """The labels of raters and judges.

    Attributes
    ----------
    labels : tuple of str
        Those of the raters, then words that only judges have.
    values : ndarray of shape (n_labels of the raters,)
        As numbers; NaN where they are words without an order.
    """

    labels: tuple[str, ...]
    values: Floats

    @property
    def has_numbers(self) -> bool:
        """Whether the raters' labels are numbers, or words in an order that was given."""
        return bool(np.isfinite(self.values).all())


def label_space(ratings: Ratings, judges: Judges) -> LabelSpace:
    """The labels; words in a given order count 0, 1, 2, and so on."""
    values = ratings.values
    if ratings.scale == "nominal":
        values = np.full(len(values), np.nan)
    elif np.isnan(values).any() and not ratings.has_response_sets:
        values = np.arange(len(values), dtype=np.float64)
    known = set(ratings.labels)
    # Numbers that only judges gave stand for themselves; words need a place of their own.
    strange = () if np.isfinite(values).all() else tuple(own for own in judges.labels if own not in known)
    return LabelSpace(labels=(*ratings.labels, *strange), values=values)


def answers_of(judge: Judges, space: LabelSpace, items: tuple[str, ...], ratings: Ratings) -> Answers:
    """What one judge answered to these items.

    Parameters
    ----------
    judge : Judges
        With this judge alone.
    space : LabelSpace
        The labels.
    items : tuple of str
        Those of the pilot, in order.
    ratings : Ratings
        Whose labels say whether others are numbers too.
    """
    row = {item: i for i, item in enumerate(items)}
    rows = np.array([row.get(item, -1) for item in judge.items], dtype=np.intp)
    own = np.flatnonzero(rows[judge.item] >= 0)
    own = own[np.lexsort((judge.sample[own], rows[judge.item[own]]))]
    item = rows[judge.item[own]]
    shares = _shares(judge, own)
    answer, label = np.nonzero(shares)
    place = {name: i for i, name in enumerate(space.labels)}
    places = np.array([place.get(name, 0) for name in judge.labels], dtype=np.intp)
    return Answers(
        size=np.bincount(item, minlength=len(items)),
        item=item[answer],
        answer=position_in_item(item)[answer],
        place=places[label],
        value=_values(judge, space, ratings)[label],
        share=shares[answer, label],
    )


def _shares(judge: Judges, own: Codes) -> Floats:
    shares = np.zeros((len(own), len(judge.labels)))
    is_bare: npt.NDArray[np.bool_] = np.ones(len(own), dtype=np.bool_)
    if judge.probability is not None:
        is_bare = np.asarray(np.isnan(judge.probability[own]).any(axis=1))
        shares[~is_bare] = judge.probability[own[~is_bare]]
    shares[is_bare, judge.label[own[is_bare]]] = 1
    return shares


def _values(judge: Judges, space: LabelSpace, ratings: Ratings) -> Floats:
    """A judge's labels as numbers: those of the raters, or what they say."""
    own = label_values(judge.labels)
    if not np.isfinite(ratings.values).all() or not space.has_numbers:
        own = np.full(len(judge.labels), np.nan)
    known = dict(zip(ratings.labels, space.values, strict=True))
    return np.array([known.get(label, number) for label, number in zip(judge.labels, own, strict=True)])
