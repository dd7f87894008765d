"""The one place where judges' elicitations, items, labels and scales meet those of people."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data.coding import position_in_item, rows_among
from dissensus.data.counts import median, quantiles
from dissensus.data.judges import Judges
from dissensus.data.labels import Scale, are_measures, label_values, nearest_labels, number
from dissensus.data.ratings import ELICITATIONS, Elicitation, Ratings
from dissensus.errors import JudgesError, RatingsError, counted, listed, named

# ---- Elicitations


def elicitations_in(ratings: Ratings) -> set[int]:
    """How ratings were asked for, as codes of `ELICITATIONS`; -1 where some do not say, none where no column does."""
    return set() if ratings.elicitation is None else set(np.unique(ratings.elicitation).tolist())


OTHER_KIND = f"Choose the other kind with {named('elicitation', of='equivalence')}."
KEEP_KIND = "To count those instead, keep only their rows in the file."
"""The same where a command has no such option."""


def asked_in_one_way(
    ratings: Ratings, judges: Judges | None, elicitation: Elicitation | None, *, remedy: str = OTHER_KIND
) -> tuple[Ratings, list[str]]:
    """The ratings of one elicitation, so that nobody counts twice, what was left out and what to do about it.

    Left to us, response sets where judges answer with several options, else forced choices.
    """
    if elicitation is not None:
        return ratings.of_elicitation(elicitation), []
    if len(elicitations_in(ratings)) < len(ELICITATIONS):
        return ratings, []
    kind = ELICITATIONS[judges is not None and len(judges.labels) > len(judges.options)]
    kept = ratings.of_elicitation(kind)
    lost = ratings.n_ratings - kept.n_ratings
    words = kind.replace("_", " ")
    if judges is None:
        return kept, [f"Raters are compared by {words}s only: {counted(lost, 'other rating')} were left out. {remedy}"]
    if not set(kept.items) & set(judges.items):
        return ratings, []
    return kept, [f"Judges are compared with {words}s only: {counted(lost, 'other rating')} were left out. {remedy}"]


def answers_to(judges: Judges, ratings: Ratings, elicitation: Elicitation) -> Judges:
    """The answers on these items that were asked for in this way, or all of them if none was, or nobody knows how."""
    there = judges.on_items_of(ratings)
    kind = ELICITATIONS.index(elicitation)
    if there.elicitation is None or not (there.elicitation == kind).any():
        return there
    return there.where((there.elicitation == kind) | (there.elicitation < 0))


# ---- Items

MOST_ITEMS = 5_000_000
"""More than this would fill the memory."""


def item_by_item(ratings: Ratings, judges: Judges, *, what: str) -> tuple[Ratings, Judges]:
    """Ratings and answers with a row for each item of the data, for the method that messages call `what`."""
    several = ratings.questions or judges.questions
    if several:
        raise RatingsError(
            f"{what} is about one question, and this asks {len(several)} ({listed(list(several))}): choose one with "
            f"{named('question', of='read')}."
        )
    if ratings.copies is None:
        return ratings, judges
    if judges.moments is not None:
        raise JudgesError(
            f"{what} needs judges' outputs, and only sums of them were read: use "
            f"{named('round_outputs', of='read_reduced')} 3."
        )
    if ratings.items_in_all > MOST_ITEMS:
        raise RatingsError(
            f"{what} looks at each of the {ratings.items_in_all:,} items, and {MOST_ITEMS:,} are the most: give it a "
            "sample of them."
        )
    return ratings.expanded(), judges.expanded(ratings)


# ---- Labels

FOREIGN = "Judges used labels that no rater used"


class CommonLabels(NamedTuple):
    """The labels of raters and judges."""

    labels: tuple[str, ...]  # the raters' labels, then those that only judges used
    place: Codes  # (n_judge_labels,): where each of the judges' labels stands among them
    rounded: tuple[str, ...] = ()  # judges' numbers that no rater gave, each of which counts as the nearest label
    warnings: tuple[str, ...] = ()  # that judges used labels that no rater used


def common_labels(judges: Judges, ratings: Ratings, scale: Scale) -> CommonLabels:
    """The labels of both; on an interval scale every number counts as the nearest label."""
    known = frozenset(ratings.labels)
    used = [label for label, is_used in zip(judges.labels, judges.labels_used(), strict=True) if is_used]
    foreign = tuple(label for label in used if label not in known)
    if foreign and are_measures(foreign, ratings.labels, scale):
        return CommonLabels(ratings.labels, nearest_labels(label_values(judges.labels), ratings.values), foreign)
    warning = f"{FOREIGN}, so they can never be right there: {listed(foreign)}."
    labels = (*ratings.labels, *foreign)
    return CommonLabels(labels, places_among(judges.labels, labels), warnings=(warning,) if foreign else ())


def places_among(names: Sequence[str], labels: Sequence[str]) -> Codes:
    """The place of each name among labels; 0 for a name without any share, which adds nothing there."""
    return np.maximum(rows_among(names, labels), 0)


def label_numbers(ratings: Ratings) -> Floats:
    """The raters' labels as numbers; words in a given order count 0, 1, 2, and so on; NaN where there is no order."""
    values = ratings.values
    if ratings.scale == "nominal":
        return np.full(len(values), np.nan)
    if np.isnan(values).any() and not ratings.has_response_sets:
        return np.arange(len(values), dtype=np.float64)
    return values


def order_of_labels(ratings: Ratings, labels: Sequence[str]) -> tuple[int, ...] | None:
    """The places of common labels from the lowest to the highest; None where they have no order.

    Labels that only judges used have a place among numbers; among words in a given order they have none.
    """
    if ratings.scale == "nominal" or ratings.has_response_sets:
        return None
    values = label_values(labels)
    if np.isfinite(values).all():
        return tuple(np.argsort(values, kind="stable").tolist())
    return tuple(range(len(labels))) if tuple(labels) == ratings.labels else None


def about_order(ratings: Ratings) -> list[str]:
    """Say that words count as numbers, where it matters how far apart they are."""
    if np.isfinite(ratings.values).all() or len(ratings.labels) <= 2:  # noqa: PLR2004 - one step
        return []
    return [f"The labels are words in an order: they count 0 ({ratings.labels[0]}), 1, 2, and so on."]


# ---- Each judge's distribution over the labels


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """One judge's predictions."""

    judge: str  # its name
    predictions: Floats  # (n_items, n_labels): probability of each label; NaN in items that it did not answer
    stated: Floats  # (n_items, n_labels): the same for hard scores, where a stated label stands for the probabilities
    values: Floats  # (n_items,): mean of its answers as numbers; NaN where they are words
    is_hard: bool  # whether it gave one label per item and nothing else


def answers_of(
    judges: Judges, ratings: Ratings, *, as_numbers: bool = False
) -> tuple[list[Answers], tuple[str, ...], list[str]]:
    """Each judge's predictions on the items of the ratings, the common labels, and warnings.

    Where a judge measures on the scale of raters who gave numbers, its answers count as the nearest label, except for
    correlations, which take the numbers themselves (`as_numbers`, of which there is nothing to warn).
    """
    common = common_labels(judges, ratings, ratings.scale)
    warnings = list(common.warnings)
    if common.rounded and not as_numbers:
        warnings.append(
            f"Judges gave {counted(len(common.rounded), 'number')} that no rater gave: each counts as the nearest "
            "label."
        )
    rows = rows_among(judges.items, ratings.items)
    pair_judge, pair_item, distribution = judges.distributions(common.place, len(common.labels))
    hard = judges.stated()
    stated = distribution if hard is judges else hard.distributions(common.place, len(common.labels))[2]
    numbers = np.where(judges.labels_used(), label_values(judges.labels), 0)
    means = judges.mean_numbers(numbers) if np.isfinite(numbers).all() else np.full(len(pair_judge), np.nan)
    everybody = []
    for code, name in enumerate(judges.judges):
        own = (pair_judge == code) & (rows[pair_item] >= 0)
        of_item = {"row": rows[pair_item[own]], "n_items": ratings.n_items}
        everybody.append(
            Answers(
                judge=name,
                predictions=_by_item(distribution[own], **of_item),
                stated=_by_item(stated[own], **of_item),
                values=_by_item(means[own], **of_item),
                is_hard=_is_hard(judges, code),
            )
        )
    return everybody, common.labels, warnings


def _by_item(values: Floats, *, row: Codes, n_items: int) -> Floats:
    """Values in the rows of their items; NaN in the others."""
    table = np.full((n_items, *values.shape[1:]), np.nan)
    table[row] = values
    return table


def _is_hard(judges: Judges, code: int) -> bool:
    own = judges.judge == code
    has_probabilities = judges.probability is not None and not np.isnan(judges.probability[own]).any()
    return not has_probabilities and int(judges.sample[own].max(initial=0)) == 0


def answered_by_all(everybody: list[Answers]) -> Flags:
    """Which items every judge answered; an error if there is none."""
    answered = [~np.isnan(answers.predictions).any(axis=1) for answers in everybody]
    for answers, own in zip(everybody, answered, strict=True):
        if not own.any():
            raise JudgesError(f"The judge {answers.judge} answered none of the rated items: check its item ids.")
    common = np.logical_and.reduce(answered)
    if not common.any():
        raise JudgesError(f"No item was answered by every judge: choose one of them with {named('judge')}.")
    return np.asarray(common)


# ---- Raters and judges response by response


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Responses:
    """The responses of one party: all raters, or one judge.

    A response is a label, or a distribution over labels. It comes as entries, one for each label with a share in it.
    """

    # (n_items, most): how often each response of an item was given: raters who gave the same label share one; 0 where
    # an item has fewer responses than others
    times: Floats
    item: Codes  # (n_entries,): which row and column of `times` an entry belongs to
    response: Codes  # (n_entries,)
    place: Codes  # (n_entries,): the label, as its place among the labels of raters and judges
    value: Floats  # (n_entries,): the label as a number; NaN for a word without one
    share: Floats  # (n_entries,): its share of the response

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

    def filled(self, column: Codes, n_columns: int, *, by_value: bool = False) -> Floats:
        """Sum of the shares, or of share times value, of the entries in each column; (n_items, most, n_columns)."""
        n_items, most = self.times.shape
        cell = (self.item * most + self.response) * n_columns + column
        weights = self.share * self.value if by_value else self.share
        sums = np.bincount(cell, weights=weights, minlength=n_items * most * n_columns).astype(np.float64)
        return sums.reshape(n_items, most, n_columns)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Aligned:
    """Everybody's responses on the rated items, on common labels and numbers."""

    people: Responses  # what the raters answered
    judges: dict[str, Responses]  # what each judge answered
    labels: tuple[str, ...]  # the raters' labels, then those that only judges used
    # (n_labels of the ratings,): the raters' labels as numbers; NaN where they are words without an order
    values: Floats
    scale: Scale  # of the ratings
    warnings: tuple[str, ...]  # that judges used labels that no rater used
    copies: Codes | None = None  # (n_items,): how many items of the data each item stands for; one if None

    @property
    def has_numbers(self) -> bool:
        """Whether the raters' labels are numbers, or words in an order that was given."""
        return bool(np.isfinite(self.values).all())


def align(ratings: Ratings, judges: Judges, *, labels: tuple[str, ...] | None = None) -> Aligned:
    """The responses of the raters and of these judges, a number between labels standing at the nearest one.

    `labels` are the raters' and those that only judges use; they are found out if not given.
    """
    values = label_numbers(ratings)
    if labels is None:
        common = common_labels(judges, ratings, "interval")
    else:
        common = CommonLabels(labels, places_among(judges.labels, labels))
    known = dict(zip(ratings.labels, values, strict=True))
    numbers = label_values(judges.labels) if np.isfinite(ratings.values).all() else np.full(len(judges.labels), np.nan)
    numbers = np.array([known.get(label, value) for label, value in zip(judges.labels, numbers, strict=True)])
    rows = rows_among(judges.items, ratings.items)
    return Aligned(
        people=_responses_of_raters(ratings, values),
        judges={
            name: _responses_of_judge(judges, code, rows, ratings.n_items, common.place, numbers)
            for code, name in enumerate(judges.judges)
        },
        labels=common.labels,
        values=values,
        scale=ratings.scale,
        warnings=common.warnings,
        copies=ratings.copies,
    )


def _responses_of_raters(ratings: Ratings, values: Floats) -> Responses:
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


def _responses_of_judge(
    judges: Judges, code: int, rows: Codes, n_items: int, place: Codes, numbers: Floats
) -> Responses:
    """What one judge answered to rated items, sample by sample; `place` and `numbers` are those of its labels."""
    own = np.flatnonzero((judges.judge == code) & (rows[judges.item] >= 0))
    sample = judges.sample[own]
    own = own[np.argsort(rows[judges.item[own]] * (sample.max(initial=0) + 1) + sample, kind="stable")]
    item = rows[judges.item[own]]
    response = position_in_item(item)
    table = np.zeros((n_items, int(response.max(initial=0)) + 1))
    table[item, response] = 1
    answer, label, share = _entries(judges, own)
    return Responses(
        times=table, item=item[answer], response=response[answer], place=place[label], value=numbers[label], share=share
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


# ---- Scales

MOST_OUTSIDE = 0.05
"""Share of a judge's answers that may lie outside the raters' labels."""
USUAL = 0.95
"""Share of the ratings that must surround the middle answer of a judge on an interval scale."""


def other_scale(aligned: Aligned, name: str) -> str | None:
    """Why a judge's numbers cannot be on the raters' scale; None if they can.

    On the scale are the numbers between the lowest and the highest label, and some beyond, since a label may exist that
    no rater gave: one step on an ordinal scale, on an interval scale half of what lies between. The middle answer of a
    judge that measures lies where raters' do.
    """
    answers, people = aligned.judges[name], aligned.people
    is_number = np.isfinite(answers.value)
    values, labels = answers.value[is_number], np.unique(aligned.values)
    copies = None if aligned.copies is None else aligned.copies[answers.item[is_number]]
    if not values.size or not aligned.has_numbers:
        return None
    low, high = labels[[0, -1]]
    step = float(np.diff(labels).max(initial=0)) if aligned.scale == "ordinal" else (high - low) / 2
    outside = float(np.average((values < low - step) | (values > high + step), weights=copies))
    middle = median(values, copies)
    if outside > MOST_OUTSIDE or not low <= middle <= high:
        return f"its answers run from {values.min():g} to {values.max():g}, the raters' labels from {low:g} to {high:g}"
    if aligned.scale == "interval":
        times = people.times[people.item, people.response]
        times = times * (1 if aligned.copies is None else aligned.copies[people.item])
        first, last = quantiles(people.value, [(1 - USUAL) / 2, (1 + USUAL) / 2], times)
        if not first <= middle <= last:
            return f"its middle answer is {middle:g}, but {USUAL:.0%} of the ratings lie from {first:g} to {last:g}"
    return None


def are_points_of_a_measure(ratings: Ratings, judges: Judges) -> bool:
    """Whether answers are points of a measure, of which two are near but rarely equal.

    So they are on an interval scale, and where judges answer with numbers between or beyond those that raters gave.
    """
    if ratings.scale == "interval":
        return True
    others = set(judges.labels) - set(ratings.labels)
    return bool(others) and all(number(label) is not None for label in (*ratings.labels, *others))
