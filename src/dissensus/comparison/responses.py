"""What raters and judges answered to each item, response by response."""

from dataclasses import dataclass, replace

import numpy as np

from dissensus.comparison.metrics.distances import Floats
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.coding import Codes, position_in_item


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Responses:
    """The responses of one party: all raters, or one judge.

    A response is a label, or a distribution over labels. It comes as entries, one for each label with a share in it.

    Attributes
    ----------
    times : ndarray of shape (n_items, most)
        How often each response of an item was given: raters who gave the same label share one; 0 where an item has
        fewer responses than others.
    item, response : ndarray of shape (n_entries,)
        Which row and column of `times` an entry belongs to.
    place : ndarray of shape (n_entries,)
        The label, as its place among the labels of raters and judges.
    value : ndarray of shape (n_entries,)
        The label as a number; NaN for a word without one.
    share : ndarray of shape (n_entries,)
        Its share of the response.
    """

    times: Floats
    item: Codes
    response: Codes
    place: Codes
    value: Floats
    share: Floats

    @property
    def sizes(self) -> Floats:
        """How many responses each item has."""
        return np.asarray(self.times.sum(axis=1))

    def on(self, rows: Codes) -> "Responses":
        """The responses to these items, in this order."""
        new = np.full(len(self.times), -1, dtype=np.intp)
        new[rows] = np.arange(len(rows))
        kept = new[self.item] >= 0
        times = self.times[rows]
        return replace(
            self,
            times=times[:, : max(1, int((times > 0).sum(axis=1).max(initial=0)))],
            item=new[self.item[kept]],
            response=self.response[kept],
            place=self.place[kept],
            value=self.value[kept],
            share=self.share[kept],
        )


def responses_of_raters(ratings: Ratings, values: Floats) -> Responses:
    """What all raters together answered; equal labels of an item are one response, given several times."""
    times = np.ones(len(ratings.item)) if ratings.times is None else ratings.times.astype(np.float64)
    cell, inverse = np.unique(ratings.item * ratings.n_labels + ratings.label, return_inverse=True)
    item, label = cell // ratings.n_labels, cell % ratings.n_labels
    response = position_in_item(item)
    table = np.zeros((ratings.n_items, int(response.max(initial=0)) + 1))
    table[item, response] = np.bincount(inverse, weights=times)
    return Responses(
        times=table, item=item, response=response, place=label, value=values[label], share=np.ones(len(item))
    )


def responses_of_judge(
    judges: Judges, code: int, *, rows: Codes, n_items: int, place: Codes, values: Floats
) -> Responses:
    """What one judge answered to rated items, sample by sample.

    Parameters
    ----------
    judges : Judges
        All of them.
    code : int
        Which one.
    rows : ndarray of shape (len(judges.items),)
        The row of each of the judges' items among the rated items; -1 where nobody rated it.
    n_items : int
        How many items were rated.
    place, values : ndarray of shape (len(judges.labels),)
        Where each of the judges' labels stands among the common labels, and its number.
    """
    own = np.flatnonzero((judges.judge == code) & (rows[judges.item] >= 0))
    own = own[np.lexsort((judges.sample[own], rows[judges.item[own]]))]
    item = rows[judges.item[own]]
    response = position_in_item(item)
    table = np.zeros((n_items, int(response.max(initial=0)) + 1))
    table[item, response] = 1
    answer, label, share = _entries(judges, own)
    return Responses(
        times=table,
        item=item[answer],
        response=response[answer],
        place=place[label],
        value=values[label],
        share=share,
    )


def _entries(judges: Judges, own: Codes) -> tuple[Codes, Codes, Floats]:
    """The labels with a share in each of these answers: which answer, which label, how large a share.

    A bare label has one entry, so that a judge with a label of its own for every item takes no table of them all.
    """
    if judges.probability is None:
        return np.arange(len(own)), judges.label[own], np.ones(len(own))
    is_bare = np.isnan(judges.probability[own]).any(axis=1)
    bare, spread = np.flatnonzero(is_bare), np.flatnonzero(~is_bare)
    shares = judges.probability[own[spread]]
    row, label = np.nonzero(shares)
    return (
        np.concatenate([bare, spread[row]]),
        np.concatenate([judges.label[own[bare]], label]),
        np.concatenate([np.ones(len(bare)), shares[row, label]]),
    )
