"""Which items take part, how large surveys of them can be, and what each judge predicts for them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.arrays import Codes
from dissensus.data import Ratings
from dissensus.errors import OptionError, RatingsError
from dissensus.methods.equivalence.calibration import FOLDS, draw_folds
from dissensus.methods.equivalence.options import Question

# ---- Which items take part, and how large surveys of them can be

MOST_RATERS = 20
"""The largest survey unless the user asks for more."""


class ItemChoice(NamedTuple):
    """The items that take part.

    Attributes
    ----------
    kept : ndarray of shape (n_rated_items,)
        Whether each rated item takes part.
    counts, amateurs : ndarray of shape (n_items, n_labels)
        Ratings of those that do, by label; None for amateurs if nobody asked for them.
    sizes, amateur_sizes : tuple of int
        Numbers of raters of the curves.
    copies : ndarray of shape (n_items,), optional
        How many items of the data each of those that do stands for; None means one.
    """

    kept: npt.NDArray[np.bool_]
    counts: Codes
    amateurs: Codes | None
    sizes: tuple[int, ...]
    amateur_sizes: tuple[int, ...]
    copies: Codes | None = None


def choose_items(
    asked: Ratings, rated: Ratings, answered: npt.NDArray[np.bool_], question: Question, n_labels: int
) -> tuple[ItemChoice, list[str]]:
    """The items with answers and enough ratings, and what was left out.

    Parameters
    ----------
    asked, rated : Ratings
        All ratings, and those that judges are compared with (all, or the experts').
    answered : ndarray of shape (n_rated_items,)
        Whether every judge answered the item.
    question : Question
        What the user asked for.
    n_labels : int
        How many labels there are, those included that only judges use.
    """
    kept = answered.copy()
    copies = np.ones(rated.n_items, dtype=np.intp) if rated.copies is None else rated.copies
    warnings = []
    if not kept.all():
        lost = f"{copies[~kept].sum()} of {rated.items_in_all} rated items"
        warnings.append(f"{lost} were not answered by every judge and were left out.")
    counts = _padded(rated.counts(), n_labels)
    amateurs = _amateur_counts(asked, rated, question, n_labels)
    if amateurs is not None:
        warnings += _unrated_by_amateurs(kept, amateurs, copies, question)
        kept &= amateurs.sum(axis=1) > 0
    sizes, limit = _sizes(counts[kept], copies[kept], question)
    warnings += _short_curve_warning(counts[kept], copies[kept], limit, question)
    if question.cohort:
        kept &= counts.sum(axis=1) >= limit + question.reference_raters
        warnings += _cohort_warning(kept, copies, limit)
    elif len(sizes) > 1:
        warnings += _ragged_warning(counts[kept], limit, question)
    chosen = None if amateurs is None else amateurs[kept]
    amateur_sizes = () if chosen is None else _amateur_sizes(chosen, copies[kept])
    own = None if rated.copies is None else copies[kept]
    return ItemChoice(kept, counts[kept], chosen, sizes, amateur_sizes, own), warnings


def _padded(counts: Codes, n_labels: int) -> Codes:
    """Counts with a column for labels that only judges use."""
    return np.pad(counts, ((0, 0), (0, n_labels - counts.shape[1])))


def _amateur_counts(ratings: Ratings, experts: Ratings, question: Question, n_labels: int) -> Codes | None:
    """How often amateurs gave each label to each of the experts' items."""
    if question.amateurs is None:
        return None
    amateurs = ratings.of_group(question.amateurs)
    label_place = {label: i for i, label in enumerate(experts.labels)}
    strange = [label for label in amateurs.labels if label not in label_place]
    if strange:
        raise RatingsError(
            f"Amateurs gave labels that experts never gave ({strange[0]}): give all labels with --labels."
        )
    row_of = {item: i for i, item in enumerate(experts.items)}
    own = amateurs.counts()
    counts = np.zeros((experts.n_items, n_labels), dtype=np.intp)
    place = [label_place[label] for label in amateurs.labels]
    for row, item in enumerate(amateurs.items):
        if item in row_of:
            counts[row_of[item], place] = own[row]
    return counts


def _unrated_by_amateurs(kept: npt.NDArray[np.bool_], amateurs: Codes, copies: Codes, question: Question) -> list[str]:
    rated = amateurs.sum(axis=1) > 0
    if not (kept & rated).any():
        raise RatingsError(f"No item was rated by both {question.experts} and {question.amateurs}: check the groups.")
    lost = int(copies[kept & ~rated].sum())
    return [f"Left out {lost} items that {question.amateurs} did not rate."] if lost else []


def _sizes(counts: Codes, copies: Codes, question: Question) -> tuple[tuple[int, ...], int]:
    """The survey sizes of the curve, and the largest."""
    per_item = counts.sum(axis=1)
    possible = int(per_item.max(initial=0)) - question.reference_raters
    if possible < 0:
        raise OptionError(
            f"--reference-raters {question.reference_raters} is more than any item has: the most are {per_item.max()}."
        )
    if question.max_raters is not None:
        if question.max_raters < 0:
            raise OptionError(f"--max-raters cannot be {question.max_raters}: it is a number of raters.")
        if question.max_raters > possible:
            raise OptionError(
                f"--max-raters {question.max_raters} is more than the data have: no item has more than "
                f"{possible + question.reference_raters} ratings, so {max(possible, 0)} is the most."
            )
        return tuple(range(question.max_raters + 1)), question.max_raters
    limit = _half(per_item - question.reference_raters, copies)
    return tuple(range(limit + 1)), limit


def _half(per_item: Codes, copies: Codes) -> int:
    """The largest survey for which half of the items have raters, at most `MOST_RATERS`."""
    enough = [k for k in range(MOST_RATERS + 1) if 2 * copies[per_item >= k].sum() >= copies.sum()]
    return max(enough, default=0)


def _short_curve_warning(counts: Codes, copies: Codes, limit: int, question: Question) -> list[str]:
    """Say what to do where most items have one rating and some have more."""
    more = int(copies[counts.sum(axis=1) > question.reference_raters].sum())
    if limit > 0 or not more or question.max_raters is not None:
        return []
    return [
        f"Most items have too few ratings for a survey of one: --max-raters 1 takes the {more} items that have more."
    ]


def _amateur_sizes(amateurs: Codes, copies: Codes) -> tuple[int, ...]:
    return tuple(range(_half(amateurs.sum(axis=1), copies) + 1))


def _cohort_warning(kept: npt.NDArray[np.bool_], copies: Codes, limit: int) -> list[str]:
    if not kept.any():
        raise RatingsError(f"No item has enough ratings for a survey of {limit} and its reference: lower --max-raters.")
    left = int(copies[~kept].sum())
    return [
        f"The cohort has the {copies[kept].sum()} items with enough ratings for {limit} raters; {left} were left out."
    ]


def _ragged_warning(counts: Codes, limit: int, question: Question) -> list[str]:
    per_item = counts.sum(axis=1)
    first = int(per_item.min()) - question.reference_raters + 1
    if first > limit:
        return []
    fewer = f"From surveys of {max(first, 0)} on the curve has fewer items, since some have too few ratings"
    return [f"{fewer}, and it can jump there: --cohort keeps the items fixed."]


# ---- The rows of a problem: an item each, or a profile's items of one fold

MOST_TO_SHARE_OUT = 10**9 - 1
"""More items than this numpy cannot draw without replacement."""


class Rows(NamedTuple):
    """What the rows of a problem are.

    Attributes
    ----------
    item : ndarray of shape (n_rows,)
        Which of the rated items each row is.
    place : ndarray of shape (n_rows,)
        Which of those that take part.
    fold : ndarray of shape (n_rows,)
        The fold of each row.
    copies : ndarray of shape (n_rows,), optional
        How many items each row stands for; None means one.
    """

    item: Codes
    place: Codes
    fold: Codes
    copies: Codes | None


def rows_of(choice: ItemChoice, *, needs_folds: bool, rng: Generator) -> Rows:
    """A row for each item that takes part; where items come as profiles and folds are needed, one per fold of each."""
    kept = np.flatnonzero(choice.kept)
    if choice.copies is None:
        return Rows(kept, np.arange(len(kept)), draw_folds(len(kept), rng), None)
    if not needs_folds:
        return Rows(kept, np.arange(len(kept)), np.zeros_like(kept), choice.copies)
    table = share_out(choice.copies, rng)
    place, fold = np.nonzero(table)
    return Rows(kept[place], place, fold, table[place, fold])


def share_out(copies: Codes, rng: Generator, *, folds: int = FOLDS) -> Codes:
    """How many of each profile's items come into each fold, of shape (n_profiles, n_folds).

    Folds are as equal in size as can be and their items are drawn without replacement, so this is distributed as if
    each item had been given a fold by `draw_folds`. Where numpy cannot draw so many, each item has a fold of its own
    accord, which makes no difference among so many.

    Examples
    --------
    >>> table = share_out(np.array([25, 5]), np.random.default_rng(0))
    >>> table.sum(axis=0), table.sum(axis=1)
    (array([3, 3, 3, 3, 3, 3, 3, 3, 3, 3]), array([25,  5]))
    """
    total = int(copies.sum())
    folds = min(folds, total)
    if total > MOST_TO_SHARE_OUT:
        return rng.multinomial(copies, np.full(folds, 1 / folds))
    left = copies.astype(np.int64)
    table = np.zeros((len(copies), folds), dtype=np.intp)
    for number in range(folds):
        size = (total + folds - 1 - number) // folds  # the first ones have one more where it does not come out even
        table[:, number] = rng.multivariate_hypergeometric(left, size, method="marginals")
        left -= table[:, number]
    return table
