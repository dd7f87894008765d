"""What people and judges said of each item: shares of choices, and of options endorsed."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, Ratings
from dissensus.errors import DissensusError, JudgesError, RatingsError
from dissensus.methods.judges.label_space import LabelSpace
from dissensus.methods.judges.vectors import modes


def is_response_set(
    stated: Codes | None, is_several: Flags, who: Codes, *, whose: str, error: type[DissensusError]
) -> Flags:
    """Which answers are response sets.

    Parameters
    ----------
    stated : ndarray of shape (n_answers,), optional
        0 for a forced choice, 1 for a response set, -1 where it was not said.
    is_several : ndarray of shape (n_answers,)
        Which answers endorse several options.
    who : ndarray of shape (n_answers,)
        Whose answers are of one kind where it was not said: if one of them endorses several options, the others could
        have, too.
    whose, error
        How to call the answers, and what to raise, where a forced choice has several options.

    Examples
    --------
    >>> several = np.array([True, False, False])
    >>> is_response_set(None, several, np.array([0, 0, 1]), whose="judges", error=DissensusError)
    array([ True,  True, False])
    """
    kind = np.full(len(is_several), -1) if stated is None else stated
    wrong = int(np.sum((kind == 0) & is_several))
    if wrong:
        raise error(
            f"{wrong:,} of the {whose}' answers are called a forced choice and endorse several options: "
            "mend their elicitation column, or leave it out."
        )
    gives_sets = np.bincount(who[(kind < 0) & is_several], minlength=int(who.max(initial=-1)) + 1) > 0
    return np.where(kind < 0, gives_sets[who], kind == 1)


# ---- What people said of each item: forced choices, response sets, and who gave both


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class People:
    """People's ratings by item.

    Attributes
    ----------
    choices : ndarray of shape (n_items, n_options)
        How many forced choices each option got.
    sets : ndarray of shape (n_items, n_sets)
        How many raters gave each response set.
    pair_item, pair_choice, pair_set : ndarray of shape (n_pairs,)
        Raters who gave both for an item: the item, the option and the set.
    """

    choices: Floats
    sets: Floats
    pair_item: Codes
    pair_choice: Codes
    pair_set: Codes

    @property
    def has_choice(self) -> Flags:
        """Which items have a forced choice."""
        return np.asarray(self.choices.sum(axis=1) > 0)

    @property
    def has_set(self) -> Flags:
        """Which items have a response set."""
        return np.asarray(self.sets.sum(axis=1) > 0)

    def shares_of_choices(self) -> Floats:
        """O: the shares of the options among the forced choices; zeros where there is none."""
        return shares(self.choices)

    def shares_of_sets(self) -> Floats:
        """The shares of the response sets; zeros where there is none."""
        return shares(self.sets)


def shares(counts: Floats) -> Floats:
    """Rows of counts as shares of their sums; zeros where the sum is 0."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.zeros_like(counts), where=total > 0))


def people_of(ratings: Ratings, space: LabelSpace) -> People:
    """People's answers, by item of the ratings.

    Where the elicitation was not said, all ratings are response sets if one of them has several options.
    """
    size = space.people_members.sum(axis=1)
    everybody = np.zeros(len(ratings.item), dtype=np.intp)
    is_set = is_response_set(
        ratings.elicitation, size[ratings.label] > 1, everybody, whose="raters", error=RatingsError
    )
    option = space.people_members.argmax(axis=1)[ratings.label]
    set_code = space.set_codes()[ratings.label]
    times = np.ones(len(ratings.item)) if ratings.times is None else ratings.times.astype(np.float64)
    pairs = _pairs(ratings, is_set)
    return People(
        choices=_table(ratings.item, option, times * ~is_set, (ratings.n_items, len(space.options))),
        sets=_table(ratings.item, set_code, times * is_set, (ratings.n_items, len(space.members))),
        pair_item=ratings.item[pairs[0]],
        pair_choice=option[pairs[0]],
        pair_set=set_code[pairs[1]],
    )


def _table(row: Codes, column: Codes, weight: npt.NDArray[np.float64], shape: tuple[int, int]) -> Floats:
    total = np.bincount(row * shape[1] + column, weights=weight, minlength=shape[0] * shape[1])
    return total.astype(np.float64).reshape(shape)


def _pairs(ratings: Ratings, is_set: Flags) -> tuple[Codes, Codes]:
    """Rows of a forced choice and of a response set that one rater gave for one item."""
    if ratings.rater is None:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    key = ratings.item * max(1, len(ratings.raters)) + ratings.rater
    choice_rows, set_rows = np.flatnonzero(~is_set), np.flatnonzero(is_set)
    _, first, second = np.intersect1d(key[choice_rows], key[set_rows], return_indices=True)
    return choice_rows[first], set_rows[second]


# ---- What each judge said of each item, over its samples and both orders: shares of choices, and of options endorsed

AB, BA, NOT_SAID = range(3)
"""In which order a pair was shown."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeAnswers:
    """Judges' answers by item and judge; zeros where a judge did not answer.

    Attributes
    ----------
    soft : ndarray of shape (n_items, n_judges, n_options)
        Shares of its forced choices. Where it gave response sets only, each set counts in equal parts for its options.
    marginals : ndarray of shape (n_items, n_judges, n_options)
        Shares of its response sets that have the option. Where it gave forced choices only, its choice is its set.
    positive : ndarray of shape (n_items, n_judges)
        Share of its response sets (else of its choices) that have a positive option.
    has_choice, has_set : ndarrays of shape (n_items, n_judges)
        Whether it made a forced choice there, and whether it gave a response set.
    both_orders, flips : ndarrays of shape (n_items, n_judges)
        Whether it was asked in both orders, and whether its most frequent choice then differs.
    """

    soft: Floats
    marginals: Floats
    positive: Floats
    has_choice: Flags
    has_set: Flags
    both_orders: Flags
    flips: Flags

    @property
    def has_answer(self) -> Flags:
        """Which judge answered which item."""
        return self.has_choice | self.has_set


def answers_of(
    judges: Judges,
    space: LabelSpace,
    *,
    row_of_item: Codes,
    n_items: int,
    positive: Flags,
    order: Codes | None = None,
) -> JudgeAnswers:
    """Each judge's answers on the items of the ratings.

    Parameters
    ----------
    judges : Judges
        Their answers.
    space : LabelSpace
        What their labels are.
    row_of_item : ndarray of shape (n_judge_items,)
        Where each of the judges' items stands among the ratings'.
    n_items : int
        How many items the ratings have.
    positive : ndarray of shape (n_options,)
        Which options are positive.
    order : ndarray of shape (n_answers,), optional
        0 where the pair was shown as ab, 1 as ba, -1 where it was not said. Labels are about a and b, not about places.
    """
    members = space.judge_members.astype(np.float64)
    meets = (space.judge_members & positive).any(axis=1)
    # For each label: its options in equal parts, as a choice; its options, as a set; whether one of them is positive.
    rows = _per_answer(judges, np.column_stack([shares(members), members, meets.astype(np.float64)]))
    is_several = _per_answer(judges, members.sum(axis=1, keepdims=True) > 1)[:, 0] > 0
    is_set = is_response_set(judges.elicitation, is_several, judges.judge, whose="judges", error=JudgesError)
    shape = (n_items, len(judges.judges))
    place, n_orders = _places(row_of_item[judges.item] * shape[1] + judges.judge, order)
    size = (shape[0] * shape[1], n_orders)
    chosen, asked = _means(rows[~is_set], place[~is_set], size)
    endorsed, asked_sets = _means(rows[is_set], place[is_set], size)
    has_choice, has_set = (np.asarray(which.any(axis=1)) for which in (asked, asked_sets))
    choice, sets = _over_orders(chosen, asked), _over_orders(endorsed, asked_sets)
    k = len(space.options)
    soft = np.where(has_choice[:, None], choice, sets)[:, :k]
    as_sets = np.where(has_set[:, None], sets, choice)
    is_choice = has_choice[:, None]
    both, flips = _flips(
        np.where(is_choice[:, :, None], chosen, endorsed)[:, :, :k], np.where(is_choice, asked, asked_sets)
    )
    return JudgeAnswers(
        soft=soft.reshape(*shape, k),
        marginals=as_sets[:, k : 2 * k].reshape(*shape, k),
        positive=as_sets[:, 2 * k].reshape(shape),
        has_choice=has_choice.reshape(shape),
        has_set=has_set.reshape(shape),
        both_orders=both.reshape(shape),
        flips=flips.reshape(shape),
    )


def _per_answer(judges: Judges, per_label: Floats | Flags) -> Floats:
    """The values of each answer's label, or their mean under its probabilities, of shape (n_answers, n_values)."""
    values = per_label[np.maximum(judges.label, 0)].astype(np.float64)
    if judges.probability is not None:
        has_probability = ~np.isnan(judges.probability).any(axis=1)
        values[has_probability] = np.einsum("av,vk->ak", judges.probability[has_probability], per_label)
    return values


def _places(cell: Codes, order: Codes | None) -> tuple[Codes, int]:
    """The place of each answer among cells and orders, and how many orders there are: one if none was said."""
    if order is None or (order < 0).all():
        return cell, 1
    return cell * (NOT_SAID + 1) + np.where(order < 0, NOT_SAID, order), NOT_SAID + 1


def _means(rows: Floats, place: Codes, size: tuple[int, int]) -> tuple[Floats, Flags]:
    """Mean answer in each cell and order, of shape (n_cells, n_orders, n_values), and where there is one."""
    asked = np.bincount(place, minlength=size[0] * size[1])
    total = [np.bincount(place, weights=column, minlength=size[0] * size[1]) for column in rows.T]
    means = np.stack(total, axis=1) / np.maximum(asked, 1)[:, None]
    return means.reshape(*size, rows.shape[1]), (asked > 0).reshape(size)


def _over_orders(means: Floats, asked: Flags) -> Floats:
    """The mean over orders, each of them counting the same however many samples it has."""
    return np.asarray(means.sum(axis=1) / np.maximum(asked.sum(axis=1), 1)[:, None])


def _flips(choice: Floats, asked: Flags) -> tuple[Flags, Flags]:
    """Which cells were asked in both orders, and where the most frequent choice differs between them."""
    if asked.shape[1] == 1:
        return np.zeros(len(asked), dtype=np.bool_), np.zeros(len(asked), dtype=np.bool_)
    both = asked[:, AB] & asked[:, BA]
    return both, both & (modes(choice[:, AB])[0] != modes(choice[:, BA])[0])
