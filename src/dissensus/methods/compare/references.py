"""What the best constant answer and one more person score, on the metric by which judges are compared."""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data.align import Responses
from dissensus.methods.compare.information import Rows, rows_in_folds, scores_of_labels
from dissensus.methods.compare.metrics import Metric, cross_entropy
from dissensus.methods.compare.pairs import Cloud, Pairs, Space, clouds_of
from dissensus.methods.compare.result import Constant, Person


class People(NamedTuple):
    """What raters answered to the items of all pairs."""

    responses: Responses
    shares: Floats  # (n_items, n_labels)
    copies: Codes | None  # (n_items,): how many items of the data each item stands for; one if None

    def mean(self, values: Floats) -> Floats:
        """Mean over items, the first axis, copies counted."""
        return np.asarray(np.average(values, axis=0, weights=self.copies))


def references_of(asked: Pairs, folds: Generator) -> tuple[Constant | None, Person | None]:
    """The best constant and one more person; None where the metric scores pairs only, or where nobody has a score."""
    metric, ratings = asked.pairs[0].problem.metric, asked.ratings
    if metric.name in {"wins", "spearman", "emd-binned"}:
        return None, None
    used = np.zeros(ratings.n_items, dtype=np.bool_)
    for pair in asked.pairs:
        used[pair.rows] = True
    rows = np.flatnonzero(used)
    copies = None if ratings.copies is None else ratings.copies[rows]
    responses = asked.people.on(rows)
    n_labels = asked.n_labels
    cell = responses.item * n_labels + responses.place
    times = responses.times[responses.item, responses.response]
    counts = np.bincount(cell, weights=times, minlength=len(rows) * n_labels).astype(np.float64)
    counts = counts.reshape(len(rows), n_labels)
    people = People(responses, counts / counts.sum(axis=1, keepdims=True), copies)
    if metric.name == "information":
        split = rows_in_folds(len(rows), copies, folds)
        return _informed_constant(people, split, asked), _informed_person(counts, split, asked)
    (cloud,) = clouds_of([responses], metric.coordinates, Space(n_labels=n_labels))
    return _constant(people, metric, asked), _person(people, cloud, metric)


def _constant(people: People, metric: Metric, asked: Pairs) -> Constant:
    """The label with the best score, or for cross-entropy the shares of the labels."""
    if metric.name == "cross-entropy":
        usual = np.broadcast_to(people.mean(people.shares), people.shares.shape)
        return Constant(
            answer=None, score=float(people.mean(cross_entropy(usual, people.shares, clip=asked.options.clip)))
        )
    scores = _scores_of_constants(people, metric)
    best = int(np.argmax(scores) if metric.higher_is_better else np.argmin(scores))
    return Constant(answer=asked.ratings.labels[best], score=float(scores[best]))


def _scores_of_constants(people: People, metric: Metric) -> Floats:
    """The score of always giving each of the raters' labels."""
    own = people.responses
    weight = own.times[own.item, own.response] / own.sizes[own.item]
    if metric.coordinates in {"shares", "half-shares"}:
        shares = people.mean(people.shares)
        return shares if metric.higher_is_better else 1 - shares
    values = np.full(people.shares.shape[1], np.nan)
    values[own.place] = own.value
    if metric.coordinates == "steps":
        far = np.abs(own.value[:, None] - values) * weight[:, None]
        each = np.stack([np.bincount(own.item, weights=column) for column in far.T], axis=1).astype(np.float64)
    else:
        middle = np.bincount(own.item, weights=weight * own.value)
        each = np.abs(middle[:, None] - values)
    squares = metric.name == "rmse"
    scores = np.sqrt(people.mean(each**2)) if squares else people.mean(each)
    return np.where(np.isnan(scores), np.inf, scores)


def _person(people: People, cloud: Cloud, metric: Metric) -> Person | None:
    """Each rater of an item against the others, averaged over the raters and then over items."""
    sizes = cloud.sizes
    enough = sizes > 1
    if not enough.any():
        return None
    vectors, times, n = cloud.vectors[enough], cloud.times[enough], sizes[enough]
    total = np.einsum("imc,im->ic", vectors, times)
    others = (total[:, None, :] - vectors) / (n - 1)[:, None, None]
    each = np.where(times > 0, metric.of_item(vectors, others), 0.0)
    by_item = np.einsum("im,im->i", each, times) / n
    weights = None if people.copies is None else people.copies[enough]
    mean = float(np.average(by_item, weights=weights))
    return Person(score=math.sqrt(mean) if metric.name == "rmse" else mean)


def _informed_constant(people: People, split: Rows, asked: Pairs) -> Constant:
    """Always the most frequent label, calibrated as judges are."""
    shares = people.shares[split.place]
    usual = int(people.mean(people.shares).argmax())
    outputs = np.tile(np.eye(shares.shape[1])[usual], (len(shares), 1))
    scores = scores_of_labels(outputs, shares, split, clip=asked.options.clip)
    each = np.einsum("il,il->i", scores, shares)
    return Constant(answer=asked.ratings.labels[usual], score=float(np.average(each, weights=split.copies)))


def _informed_person(counts: Floats, split: Rows, asked: Pairs) -> Person | None:
    """Each rater's label, calibrated as judges are, against the other raters of the item."""
    own, size = counts[split.place], counts.sum(axis=1)[split.place]
    row, label = np.nonzero((own > 0) & (size > 1)[:, None])
    if not len(row):
        return None
    outputs = np.eye(own.shape[1])[label]
    others = (own[row] - outputs) / (size[row] - 1)[:, None]
    weight = own[row, label] / size[row] * (1 if split.copies is None else split.copies[row])
    left_out = Rows(split.place[row], split.fold[row], weight)
    scores = scores_of_labels(outputs, others, left_out, clip=asked.options.clip)
    return Person(score=float(np.average(np.einsum("il,il->i", scores, others), weights=weight)))
