"""What people and judges answered, item by item: forced choices and response sets, on common options."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, Ratings, Task
from dissensus.data.labels import (
    SEPARATOR,
    are_measures,
    label_values,
    membership,
    nearest_labels,
    parts_of,
)
from dissensus.errors import DissensusError, JudgesError, RatingsError, TaskError, counted, listed
from dissensus.methods.judges.definitions import modes
from dissensus.methods.judges.reverse_matrix import (
    count_of_sets,
)
from dissensus.sampling.draws import FEW_KINDS, MERGED_FROM, kinds_of

# ---- The options that people and judges share, and the response sets that can be made of them

MOST_LISTED_SETS = 64
"""Up to this many admissible response sets are all in the reverse matrix; of more, only those that were given."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelSpace:
    """Options, response sets, and what the judges' labels are among them."""

    options: tuple[str, ...]  # in order
    response_sets: tuple[str, ...]  # sets of options, as labels: single options first
    members: Flags  # (n_sets, n_options): which option is in which response set
    people_members: Flags  # (n_people_labels, n_options): and in which of the raters' labels
    judge_members: Flags  # (n_judge_labels, n_options): and of the judges'; False for a label that no judge used
    warnings: tuple[str, ...]  # what was done to the judges' labels

    def set_codes(self) -> Codes:
        """The response set that each of the raters' labels is."""
        place = {tuple(row): i for i, row in enumerate(self.members.tolist())}
        return np.array([place[tuple(row)] for row in self.people_members.tolist()], dtype=np.intp)


def label_space(ratings: Ratings, judges: Judges, task: Task | None) -> LabelSpace:
    """The labels of both sides on common options; an error for a label outside the task.

    Where people gave numbers and judges measure on their scale (3.7), each measurement counts as the nearest label.
    """
    options = ratings.options if task is None else task.options
    if task is not None:
        _check_within(ratings.labels, task, "ratings", TaskError)
    used = [label for label, is_used in zip(judges.labels, judges.labels_used(), strict=True) if is_used]
    strange = sorted({part for label in used for part in parts_of(label, options) if part not in options})
    warnings: list[str] = []
    spelled = list(judges.labels)
    if strange and are_measures(strange, options, ratings.scale):
        warnings += _rounding(strange, options)
        spelled = _rounded(judges.labels, options)
    elif task is not None:
        _check_within(used, task, "judges", JudgesError)
    elif strange:
        warnings.append(f"Judges used options that no rater used, so they can never be right there: {listed(strange)}.")
        options = (*options, *strange)
    sets, is_used = _response_sets(ratings, options, task), judges.labels_used()
    judge_members = np.zeros((len(spelled), len(options)), dtype=np.bool_)
    judge_members[is_used] = membership([spelled[place] for place in np.flatnonzero(is_used)], options)
    return LabelSpace(
        options=options, response_sets=sets, members=membership(sets, options),
        people_members=membership(ratings.labels, options), judge_members=judge_members, warnings=tuple(warnings),
    )  # fmt: skip


def _check_within(labels: Sequence[str], task: Task, whose: str, error: type[TaskError | JudgesError]) -> None:
    """Raise unless every label is a response set that the task admits."""
    for label in labels:
        parts = parts_of(label, task.options)
        unknown = [part for part in parts if part not in task.options]
        if unknown:
            raise error(
                f"The {whose} have the label {label!r}, and {unknown[0]!r} is not an option of the task: its options "
                f"are {listed(task.options)}. Add it there, or leave the task out."
            )
        is_listed = not isinstance(task.response_sets, str) and set(parts) in map(set, task.response_sets)
        if len(parts) > 1 and task.response_sets != "any" and not is_listed:
            raise error(
                f"The {whose} have the label {label!r}, which is not a response set that the task admits. "
                "Add it to the task's response_sets, or leave the task out."
            )


def _rounding(strange: Sequence[str], options: Sequence[str]) -> list[str]:
    """What to say about measurements that count as the nearest label."""
    texts = [f"Judges gave {counted(len(strange), 'number')} that no rater gave: each counts as the nearest label."]
    values, labels = label_values(strange), label_values(options)
    lowest, highest = float(labels.min()), float(labels.max())
    beyond = int(((values < lowest) | (values > highest)).sum())
    if beyond > len(strange) / 2:
        texts.append(
            f"{beyond:,} of the judges' numbers lie beyond the labels, which run from {lowest:g} to {highest:g}: put "
            "the judge's answers on the raters' scale first."
        )
    return texts


def _rounded(labels: Sequence[str], options: Sequence[str]) -> list[str]:
    """Numbers that are no option as the nearest one; the other labels as they are."""
    values, known = label_values(labels), frozenset(options)
    nearest = nearest_labels(values, label_values(options))
    return [
        label if label in known or np.isnan(value) else options[place]
        for label, value, place in zip(labels, values, nearest, strict=True)
    ]


def _response_sets(ratings: Ratings, options: Sequence[str], task: Task | None) -> tuple[str, ...]:
    """Single options, then larger sets: those that the task admits, else those that were given."""
    admissible = [] if task is None or count_of_sets(task) > MOST_LISTED_SETS else list(task.admissible_sets())
    given = [parts_of(label, options) for label in ratings.labels]
    place = {option: i for i, option in enumerate(options)}
    sets = {tuple(sorted(place[part] for part in parts)) for parts in [*admissible, *given]}
    sets |= {(i,) for i in range(len(options))}
    return tuple(SEPARATOR.join(options[i] for i in s) for s in sorted(sets, key=lambda s: (len(s), s)))


def is_response_set(
    stated: Codes | None, is_several: Flags, who: Codes, *, whose: str, error: type[DissensusError]
) -> Flags:
    """Which answers are response sets, from what is stated: 0 is a forced choice, 1 a response set, -1 nothing.

    Where nothing is, the answers of one giver (`who`) are of one kind: if one endorses several options, the others
    could have, too.

    >>> several = np.array([True, False, False])
    >>> is_response_set(None, several, np.array([0, 0, 1]), whose="judges", error=DissensusError)
    array([ True,  True, False])
    """
    kind = np.full(len(is_several), -1) if stated is None else stated
    wrong = int(np.sum((kind == 0) & is_several))
    if wrong:
        raise error(
            f"{wrong:,} of the {whose}' answers are called a forced choice and endorse several options: "
            "fix their elicitation column, or leave it out."
        )
    gives_sets = np.bincount(who[(kind < 0) & is_several], minlength=int(who.max(initial=-1)) + 1) > 0
    return np.where(kind < 0, gives_sets[who], kind == 1)


# ---- People: forced choices, response sets, and who gave both


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class People:
    """People's ratings by item."""

    choices: Floats  # (n_items, n_options): how many forced choices each option got
    sets: Floats  # (n_items, n_sets): how many raters gave each response set
    pair_item: Codes  # (n_pairs,): items for which a rater gave both,
    pair_choice: Codes  # the option, and
    pair_set: Codes  # the set

    @property
    def has_choice(self) -> Flags:
        """Which items have a forced choice."""
        return np.asarray(self.choices.sum(axis=1) > 0)

    @property
    def has_set(self) -> Flags:
        """Which items have a response set."""
        return np.asarray(self.sets.sum(axis=1) > 0)


def shares(counts: Floats) -> Floats:
    """Rows of counts as shares of their sums; zeros where the sum is 0."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.zeros_like(counts), where=total > 0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingRows:
    """Ratings one by one: what each of them is, and which two one rater gave for one item."""

    shape: tuple[int, int, int]  # how many items, options and sets
    item: Codes  # (n_ratings,)
    label: Codes  # (n_ratings,)
    option: Codes  # (n_labels,): the option that each label is,
    set_code: Codes  # and the set
    is_set: Flags  # (n_ratings,): whether it is a response set
    times: Floats  # (n_ratings,): how many raters gave it
    chosen: Codes  # (n_pairs,): ratings that are a forced choice,
    given: Codes  # and the response set of the same rater for the same item

    def people(self, label: Codes | None = None, kept: Flags | None = None) -> People:
        """People's answers by item: of all ratings, or with other labels, or of some ratings only."""
        own, is_kept = self.label if label is None else label, np.ones_like(self.is_set) if kept is None else kept
        n_items, n_options, n_sets = self.shape
        paired = is_kept[self.chosen] & is_kept[self.given]
        chosen, given = self.chosen[paired], self.given[paired]
        return People(
            choices=_table(self.item, self.option[own], self.times * (is_kept & ~self.is_set), (n_items, n_options)),
            sets=_table(self.item, self.set_code[own], self.times * (is_kept & self.is_set), (n_items, n_sets)),
            pair_item=self.item[chosen],
            pair_choice=self.option[own[chosen]],
            pair_set=self.set_code[own[given]],
        )


def rating_rows(ratings: Ratings, space: LabelSpace) -> RatingRows:
    """The ratings one by one.

    Where the elicitation was not said, all ratings are response sets if one of them has several options.
    """
    size = space.people_members.sum(axis=1)
    everybody = np.zeros(len(ratings.item), dtype=np.intp)
    is_set = is_response_set(
        ratings.elicitation, size[ratings.label] > 1, everybody, whose="raters", error=RatingsError
    )
    chosen, given = _pairs(ratings, is_set)
    return RatingRows(
        shape=(ratings.n_items, len(space.options), len(space.members)),
        item=ratings.item, label=ratings.label, is_set=is_set, chosen=chosen, given=given,
        option=space.people_members.argmax(axis=1), set_code=space.set_codes(),
        times=np.ones(len(ratings.item)) if ratings.times is None else ratings.times.astype(np.float64),
    )  # fmt: skip


def _table(row: Codes, column: Codes, weight: Floats, shape: tuple[int, int]) -> Floats:
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


# ---- Judges, over their samples and both orders: shares of choices, and of options endorsed

AB, BA, NOT_SAID = range(3)  # in which order a pair was shown


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeAnswers:
    """Judges' answers by item and judge; zeros where a judge did not answer."""

    soft: Floats  # (n_items, n_judges, n_options): shares of forced choices; of sets, each in equal parts, without any
    stated: Floats  # the same for hard labels: a label that was stated stands for the probabilities beside it
    marginals: Floats  # (n_items, n_judges, n_options): shares of sets with the option; of choices without any
    positive: Floats  # (n_items, n_judges): share of sets (else choices) with a positive option
    has_choice: Flags  # (n_items, n_judges): whether it made a forced choice there,
    has_set: Flags  # or gave a response set
    both_orders: Flags  # (n_items, n_judges): whether it was asked in both orders,
    flips: Flags  # and its most frequent choice then differs

    @property
    def has_answer(self) -> Flags:
        """Which judge answered which item."""
        return self.has_choice | self.has_set

    def of(self, rows: Codes) -> "JudgeAnswers":
        """The answers to some items."""
        return JudgeAnswers(**{name: getattr(self, name)[rows] for name in self.__dataclass_fields__})

    def kinds(self) -> Codes | None:
        """Items with the same answers of all judges, of shape (n_items,); None where items are few or mostly differ."""
        if len(self.soft) < MERGED_FROM:
            return None
        parts = [getattr(self, name) for name in self.__dataclass_fields__]
        first, kind = kinds_of(column for part in parts for column in part.reshape(len(part), -1).T.astype(np.float64))
        return kind if FEW_KINDS * len(first) <= len(kind) else None


def answers_of(
    judges: Judges, space: LabelSpace, *, row_of_item: Codes, n_items: int, positive: Flags, order: Codes | None = None
) -> JudgeAnswers:
    """Each judge's answers on the items of the ratings, among which each of its items has the row `row_of_item`.

    `order` is 0 where the pair was shown as ab, 1 as ba, -1 where it was not said. Labels are about a and b, not about
    places.
    """
    members = space.judge_members.astype(np.float64)
    meets = (space.judge_members & positive).any(axis=1)
    # For each label: its options in equal parts, as a choice; its options, as a set; whether one of them is positive.
    per_label: Floats = np.column_stack([shares(members), members, meets.astype(np.float64)])
    asked_for = (judges, per_label), (judges.stated(), shares(members))  # and as a choice that was stated
    is_several = _per_answer(judges, members.sum(axis=1, keepdims=True) > 1)[:, 0] > 0
    is_set = is_response_set(judges.elicitation, is_several, judges.judge, whose="judges", error=JudgesError)
    shape = (n_items, len(judges.judges))
    place, n_orders = row_of_item[judges.item] * shape[1] + judges.judge, 1
    if order is not None and (order >= 0).any():
        place, n_orders = place * (NOT_SAID + 1) + np.where(order < 0, NOT_SAID, order), NOT_SAID + 1
    size = (shape[0] * shape[1], n_orders)
    found: list[list[Floats]] = [[], []]
    for own, values in asked_for:
        rows = _per_answer(own, values)
        for means, which in zip(found, (~is_set, is_set), strict=True):
            means.append(_means(rows if which.all() else rows[which], place[which], size))
    chosen, endorsed = (np.concatenate(means, axis=2) for means in found)
    asked, asked_sets = (np.bincount(place[which], minlength=size[0] * size[1]).reshape(size) > 0
                         for which in (~is_set, is_set))  # fmt: skip
    has_choice, has_set = (np.asarray(which.any(axis=1)) for which in (asked, asked_sets))
    choice, sets = _over_orders(chosen, asked), _over_orders(endorsed, asked_sets)
    k = len(space.options)
    is_choice = has_choice[:, None]
    as_choices = np.where(is_choice, choice, sets)
    as_sets = np.where(has_set[:, None], sets, choice)
    both, flips = _flips(
        np.where(is_choice[:, :, None], chosen, endorsed)[:, :, -k:], np.where(is_choice, asked, asked_sets)
    )
    return JudgeAnswers(
        soft=as_choices[:, :k].reshape(*shape, k), stated=as_choices[:, -k:].reshape(*shape, k),
        marginals=as_sets[:, k : 2 * k].reshape(*shape, k), positive=as_sets[:, 2 * k].reshape(shape),
        has_choice=has_choice.reshape(shape), has_set=has_set.reshape(shape), both_orders=both.reshape(shape),
        flips=flips.reshape(shape),
    )  # fmt: skip


def _per_answer(judges: Judges, per_label: Floats | Flags) -> Floats:
    """The values of each answer's label, or their mean under its probabilities, of shape (n_answers, n_values)."""
    values = per_label[np.maximum(judges.label, 0)].astype(np.float64)
    if judges.probability is not None:
        has_probability = ~np.isnan(judges.probability).any(axis=1)
        values[has_probability] = np.einsum("av,vk->ak", judges.probability[has_probability], per_label)
    return values


def _means(rows: Floats, place: Codes, size: tuple[int, int]) -> Floats:
    """Mean answer in each cell and order, of shape (n_cells, n_orders, n_values); 0 where there is none."""
    asked = np.bincount(place, minlength=size[0] * size[1])
    if asked.max(initial=0) <= 1:
        means = np.zeros((len(asked), rows.shape[1]))
        means[place] = rows
        return means.reshape(*size, rows.shape[1])
    total = [np.bincount(place, weights=column, minlength=size[0] * size[1]) for column in rows.T]
    means = np.stack(total, axis=1) / np.maximum(asked, 1)[:, None]
    return means.reshape(*size, rows.shape[1])


def _over_orders(means: Floats, asked: Flags) -> Floats:
    """The mean over orders, each of them counting the same however many samples it has."""
    return np.asarray(means.sum(axis=1) / np.maximum(asked.sum(axis=1), 1)[:, None])


def _flips(choice: Floats, asked: Flags) -> tuple[Flags, Flags]:
    """Which cells were asked in both orders, and where the most frequent choice differs between them."""
    if asked.shape[1] == 1:
        return np.zeros(len(asked), dtype=np.bool_), np.zeros(len(asked), dtype=np.bool_)
    both = asked[:, AB] & asked[:, BA]
    return both, both & (modes(choice[:, AB])[0] != modes(choice[:, BA])[0])
