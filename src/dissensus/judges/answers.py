"""What each judge said of each item, over its samples and both orders: shares of choices, and of options endorsed."""

from dataclasses import dataclass

import numpy as np

from dissensus.errors import JudgesError
from dissensus.judges.aggregation import Flags, Floats, modes
from dissensus.judges.elicited import is_response_set
from dissensus.judges.label_space import LabelSpace
from dissensus.judges.people import shares
from dissensus.ratings import Judges
from dissensus.ratings.coding import Codes

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
