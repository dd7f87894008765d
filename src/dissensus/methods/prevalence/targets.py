"""What is estimated: for each item, the share of people who say yes or their decision, and the same of each judge."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.align import rows_among
from dissensus.data.labels import natural_order, parts_of
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed
from dissensus.methods.judges.vectors import SLACK
from dissensus.methods.prevalence.options import Question

HALF = 0.5
FEWEST_ITEMS = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Targets:
    """People's and one judge's answers on the items that the judge answered.

    Attributes
    ----------
    items : tuple of str
        All of them, the rated ones first.
    people : ndarray of shape (n_rated,)
        Share of the raters who say yes, or their decision.
    judge : ndarray of shape (n_items,)
        Share of the judge's samples or its probability, or its decision.
    ratings : int
        How many ratings the rated items have.
    """

    name: str
    items: tuple[str, ...]
    people: Floats
    judge: Floats
    ratings: int


def targets_of(ratings: Ratings, judges: Judges, question: Question) -> tuple[list[Targets], list[str]]:
    """One entry for each judge that was asked for, and what there is to warn about."""
    _check_labels(ratings, judges, question)
    names = tuple(judges.judges) if question.judge is None else question.judge
    people, times = people_shares(ratings, question), _times(ratings)
    answers = answer_shares(judges, question)
    found, warnings = [], []
    for name in names:
        own = judges[name]  # raises where there is no such judge
        values = _by_item(own, answers[judges.judge == judges.judges.index(name)])
        target, said = _targets(name, own.items, values, ratings, _decided(people, question), times, question)
        found.append(target)
        warnings += said
    return found, warnings


def people_shares(ratings: Ratings, question: Question) -> Floats:
    """Share of each item's raters who say yes, of shape (n_items,)."""
    weights = label_weights(ratings.labels, ratings.options, question)
    times = np.ones(len(ratings.item)) if ratings.times is None else ratings.times.astype(np.float64)
    total = np.bincount(ratings.item, weights=times, minlength=ratings.n_items)
    return np.asarray(
        np.bincount(ratings.item, weights=times * weights[ratings.label], minlength=ratings.n_items) / total
    )


def answer_shares(judges: Judges, question: Question) -> Floats:
    """How far each answer of a judge is a yes, of shape (n_answers,): its label, or its probability."""
    weights = label_weights(judges.labels, judges.options, question)
    values = weights[np.maximum(judges.label, 0)]
    if judges.probability is not None:
        has_probability = ~np.isnan(judges.probability).any(axis=1)
        values[has_probability] = judges.probability[has_probability] @ weights
    return np.asarray(values)


def label_weights(labels: Sequence[str], options: Sequence[str], question: Question) -> Floats:
    """How far each label is a yes: 1 if it is positive or a response set with a positive option, a half for a tie."""
    weights, single = np.zeros(len(labels)), frozenset(options)
    for place, label in enumerate(labels):
        parts = parts_of(label, single)
        is_positive, is_half = (not set(parts).isdisjoint(named) for named in (question.positive, question.half))
        weights[place] = 1.0 if is_positive else HALF if is_half else 0.0
    return weights


def _check_labels(ratings: Ratings, judges: Judges, question: Question) -> None:
    known = {*ratings.options, *judges.options}
    for option, names in (("--positive", question.positive), ("--half", question.half)):
        if unknown := [name for name in names if name not in known]:
            ordered = sorted(known, key=natural_order)
            raise OptionError(f"{option} {unknown[0]!r} is no label: the labels are {listed(ordered)}.")
    if known <= {*question.positive, *question.half}:
        raise OptionError(f"Every label counts as positive ({listed(question.positive)}): leave one out.")


def _times(ratings: Ratings) -> Codes:
    """How many ratings each item has."""
    weights = None if ratings.times is None else ratings.times
    return np.bincount(ratings.item, weights=weights, minlength=ratings.n_items).astype(np.intp)


def _by_item(own: Judges, values: Floats) -> Floats:
    """Mean answer to each item; where pairs were shown in both orders, each order counts the same."""
    n_items, kinds = len(own.items), 3
    order = np.zeros(len(values), dtype=np.intp) if own.order is None else own.order + 1
    place = own.item * kinds + order
    asked = np.bincount(place, minlength=n_items * kinds)
    total = np.bincount(place, weights=values, minlength=n_items * kinds)
    means = (total / np.maximum(asked, 1)).reshape(n_items, kinds)
    return np.asarray(means.sum(axis=1) / (asked.reshape(n_items, kinds) > 0).sum(axis=1))


def _decided(shares: Floats, question: Question) -> Floats:
    """The shares, or the decisions that they come to."""
    return (shares >= question.tau - SLACK).astype(np.float64) if question.target == "decision" else shares


def _targets(
    name: str,
    items: Sequence[str],
    values: Floats,
    ratings: Ratings,
    people: Floats,
    times: Codes,
    question: Question,
) -> tuple[Targets, list[str]]:
    rows = rows_among(items, ratings.items)
    rated, others = np.flatnonzero(rows >= 0), np.flatnonzero(rows < 0)
    if not len(rated):
        raise JudgesError(
            f"{name} shares no item with the ratings: its items are {listed(items)}; rated are {listed(ratings.items)}."
        )
    if len(rated) < FEWEST_ITEMS:
        raise RatingsError(f"People rated {counted(len(rated), 'item')} that {name} answered: rate more of them.")
    order = np.concatenate([rated, others])
    missing = ratings.n_items - len(rated)
    warnings = []
    if missing:
        left_out = counted(missing, "rated item")
        warnings.append(f"{name} did not answer {left_out}: left out of its estimates, people's among them.")
    found = Targets(
        name=name,
        items=tuple(items[place] for place in order),
        people=people[rows[rated]],
        judge=_decided(values, question)[order],
        ratings=int(times[rows[rated]].sum()),
    )
    return found, warnings
