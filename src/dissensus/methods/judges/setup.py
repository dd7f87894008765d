"""From ratings, judges and options to the arrays of a Problem: what people and judges answered, item by item."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, Ratings, Task
from dissensus.data.align import order_of_labels, rows_among
from dissensus.data.labels import (
    SEPARATOR,
    Scale,
    are_measures,
    label_values,
    membership,
    nearest_labels,
    option_name,
    parts_of,
)
from dissensus.errors import DissensusError, JudgesError, OptionError, RatingsError, TaskError, counted, listed
from dissensus.methods.judges.definitions import RatingVectors, definitions_at, modes, number_of
from dissensus.methods.judges.result import JudgesOptions
from dissensus.methods.judges.reverse_matrix import (
    Reversal,
    apply_reverse,
    count_of_sets,
    is_fully_specified,
    sets_behind_choices,
    share_meeting,
    through_sets,
)
from dissensus.methods.judges.scoring import Problem
from dissensus.options import named
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
        options=options,
        response_sets=sets,
        members=membership(sets, options),
        people_members=membership(ratings.labels, options),
        judge_members=judge_members,
        warnings=tuple(warnings),
    )


def _check_within(labels: Sequence[str], task: Task, whose: str, error: type[TaskError | JudgesError]) -> None:
    """Raise unless every label is a response set that the task admits."""
    for label in labels:
        parts = parts_of(label, task.options)
        unknown = [part for part in parts if part not in task.options]
        if unknown:
            raise error(
                f"The {whose} have the label {label!r}, and {unknown[0]!r} is no option of the task: its options are "
                f"{listed(task.options)}. Add it there, or leave the task out."
            )
        is_listed = not isinstance(task.response_sets, str) and set(parts) in map(set, task.response_sets)
        if len(parts) > 1 and task.response_sets != "any" and not is_listed:
            raise error(
                f"The {whose} have the label {label!r}, which is no response set that the task admits. "
                "Add it to the task's response_sets, or leave the task out."
            )


def _rounding(strange: Sequence[str], options: Sequence[str]) -> list[str]:
    """What to say about measurements that count as the nearest label."""
    numbers = f"{counted(len(strange), 'number')} that are no label of the raters ({listed(strange)})"
    texts = [f"Judges gave {numbers}: each was rounded to the nearest label."]
    values, labels = label_values(strange), label_values(options)
    lowest, highest = float(labels.min()), float(labels.max())
    beyond = int(((values < lowest) | (values > highest)).sum())
    if beyond > len(strange) / 2:
        texts.append(
            f"{beyond:,} of these numbers lie beyond the labels, which run from {lowest:g} to {highest:g}: a judge on "
            "another scale than people cannot be compared with them so."
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
    rows = _per_answer(judges, np.column_stack([shares(members), members, meets.astype(np.float64)]))
    # And as a choice that was stated.
    rows = np.column_stack([rows, _per_answer(judges.stated(), shares(members))])
    is_several = _per_answer(judges, members.sum(axis=1, keepdims=True) > 1)[:, 0] > 0
    is_set = is_response_set(judges.elicitation, is_several, judges.judge, whose="judges", error=JudgesError)
    shape = (n_items, len(judges.judges))
    place, n_orders = row_of_item[judges.item] * shape[1] + judges.judge, 1
    if order is not None and (order >= 0).any():
        place, n_orders = place * (NOT_SAID + 1) + np.where(order < 0, NOT_SAID, order), NOT_SAID + 1
    size = (shape[0] * shape[1], n_orders)
    chosen, asked = _means(rows[~is_set], place[~is_set], size)
    endorsed, asked_sets = _means(rows[is_set], place[is_set], size)
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
        soft=as_choices[:, :k].reshape(*shape, k),
        stated=as_choices[:, -k:].reshape(*shape, k),
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


def _means(rows: Floats, place: Codes, size: tuple[int, int]) -> tuple[Floats, Flags]:
    """Mean answer in each cell and order, of shape (n_cells, n_orders, n_values), and where there is one."""
    asked = np.bincount(place, minlength=size[0] * size[1])
    if asked.max(initial=0) <= 1:
        means = np.zeros((len(asked), rows.shape[1]))
        means[place] = rows
        return means.reshape(*size, rows.shape[1]), (asked > 0).reshape(size)
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


# ---- The problem behind a question


def pool_of(people: People, rows: Codes) -> tuple[Codes, Codes]:
    """The items that are resampled, and the place of each rated item among them, or -1.

    The `rows` of the items that are compared stand first, then others with paired ratings.
    """
    is_other = people.has_choice & people.has_set
    is_other[people.pair_item] = True
    is_other[rows] = False
    pool = np.concatenate([rows, np.flatnonzero(is_other)])
    place = np.full(len(is_other), -1, dtype=np.intp)
    place[pool] = np.arange(len(pool))
    return pool, place


def reversal_of(people: People, members: Flags, pool: Codes, weights: Floats) -> Reversal | None:
    """The paired ratings, by rater if anybody gave both, else by item; None if there are none.

    `pool` and `weights`, of shape (n_items,), have the place of each rated item in the pool, and how often it counts.
    """
    both = people.pair_item if len(people.pair_item) else np.flatnonzero(people.has_choice & people.has_set)
    if not both.size:
        return None
    no_items = both[:0] if len(people.pair_item) else both
    return Reversal(
        paired_by="rater" if len(people.pair_item) else "item",
        members=members,
        row=pool[both],
        choice=people.pair_choice,
        set_code=people.pair_set,
        choices=shares(people.choices)[no_items],
        sets=shares(people.sets)[no_items],
        weights=weights[both],
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A problem, and what there is to say about how it came about."""

    problem: Problem
    layout: "Layout"  # the same problem for other answers of people
    rows: RatingRows  # people's answers one by one
    items: tuple[str, ...]  # that are compared
    judges: tuple[str, ...]
    space: LabelSpace
    task: Task  # options that may be combined in any way if the user named none
    scale: Scale
    positive: Flags  # (n_options,)
    people: People  # on the items that are compared
    answers: JudgeAnswers  # on the same
    warnings: tuple[str, ...]  # what was left out, rounded or taken for granted
    kind: Codes | None  # (n_items,): items with the same answers of all judges, where items are many

    def merged(self, everybody: People) -> "tuple[Prepared, People]":
        """The problem where equal items are put together, and people's answers: the same sums, up to rounding."""
        if self.kind is None:
            return self, everybody
        own, layout = self.layout.people(everybody), self.layout
        first, place = kinds_of([self.kind, *own.choices.T, *own.sets.T])
        people = replace(own, choices=own.choices[first], sets=own.sets[first])
        every, copies = np.arange(len(first)), np.bincount(place).astype(np.float64)
        layout = replace(layout, answers=layout.answers.of(first), rows=every, pool=every, place=every)
        layout = replace(layout, weights=copies, pool_copies=copies)
        found = replace(self, problem=layout.problem(people), layout=layout, people=people, answers=layout.answers)
        return replace(found, items=tuple(self.items[row] for row in first)), people

    @property
    def is_fully_specified(self) -> bool:
        """Whether the option that a rater chooses tells the response set."""
        return is_fully_specified(self.task)

    @property
    def knows_sets(self) -> bool:
        """Whether people's response sets are known or estimated on every item."""
        return self.problem.reversal is not None or bool(self.people.has_set.all())

    @property
    def measure(self) -> str:
        """The id of the definition that fits the data, to select by."""
        if self.problem.numbers is not None:
            return "mae"
        return "mse_response_set" if self.knows_sets else "jsd"

    @property
    def has_sets(self) -> bool:
        """Whether response sets differ from forced choices for anybody."""
        is_told = self.problem.reversal is not None or sets_behind_choices(self.task) is not None
        return bool(is_told or self.people.has_set.any() or self.answers.has_set.any())


def set_up(ratings: Ratings, judges: Judges, task: Task | None, options: JudgesOptions) -> Prepared:
    """The problem behind a question."""
    if judges.moments is not None:
        raise JudgesError(
            "Of the judges' probabilities only the means over many items are known, and every definition needs those "
            f"of each item: read the judges with {named('round_outputs', of='read_reduced')} 3."
        )
    shared = judges.only(options.judge).on_items_of(ratings)
    space = label_space(ratings, shared, task)
    positive, about_positive = _positive(space.options, task, options)
    rated = rows_among(shared.items, ratings.items)
    answers = answers_of(
        shared, space, row_of_item=rated, n_items=ratings.n_items, positive=positive, order=shared.order
    )
    rows = np.flatnonzero(answers.has_answer.all(axis=1))
    copies = None if ratings.copies is None else ratings.copies.astype(np.float64)
    weights = np.ones(ratings.n_items) if copies is None else copies
    left_out = _left_out(answers, weights)
    rating_by_rating = rating_rows(ratings, space)
    everybody = rating_by_rating.people()
    asked = _task(space, task)
    behind = sets_behind_choices(asked)
    pool, place = pool_of(everybody, rows)
    given = answers.of(rows)
    if behind is not None:
        pool, given = rows, _with_sets_told(given, behind, positive)
    layout = Layout(
        space=space, options=options, positive=positive, answers=given, behind=behind,
        numbers=_numbers(ratings, space.options), rows=rows, pool=pool, place=place,
        weights=weights, pool_copies=None if copies is None else copies[pool],
    )  # fmt: skip
    people, problem = layout.people(everybody), layout.problem(everybody)
    assumptions = _assumptions(people, given, shared.judges, problem, is_told=behind is not None)
    return Prepared(
        problem=problem,
        layout=layout,
        rows=rating_by_rating,
        items=tuple(ratings.items[row] for row in rows),
        judges=shared.judges,
        space=space,
        task=asked,
        scale=ratings.scale,
        positive=positive,
        people=people,
        answers=given,
        warnings=(*ratings.warnings, *shared.warnings, *space.warnings, *about_positive, *left_out, *assumptions),
        kind=given.kinds() if problem.reversal is None and len(pool) == len(rows) and copies is None else None,
    )


FEWEST_STEPS = 3  # with two options there is no near miss


def _numbers(ratings: Ratings, options: Sequence[str]) -> Floats | None:
    """Where the options stand, as `compare` has it: numbers as they are, words in a given order by place."""
    order = order_of_labels(ratings, options)
    if order is None or len(options) < FEWEST_STEPS:
        return None
    values = label_values(options)
    return values if np.isfinite(values).all() else np.argsort(order).astype(np.float64)


def _positive(names: Sequence[str], task: Task | None, options: JudgesOptions) -> tuple[Flags, list[str]]:
    """Which options are positive, and what to say about it."""
    wanted = tuple(option_name(name) for name in options.positive) or (() if task is None else task.positive)
    for name in wanted:
        if name not in names:
            raise OptionError(f"{named('positive')} {name!r} is no option: the options are {listed(names)}.")
    is_positive = np.isin(names, wanted)
    if is_positive.all():
        raise OptionError(
            f"{named('positive')} names every option, so that nothing could be negative: leave at least one out."
        )
    if wanted:
        return is_positive, []
    if task is not None and task.kind == "pairwise":
        return np.arange(len(names)) == 0, [f"No positive option was named: {names[0]} counts as positive."]
    missing = "No positive option was named, so there are no decisions to compare"
    return is_positive, [f"{missing}: name it with {named('positive')}, or in the task."]


def _task(space: LabelSpace, task: Task | None) -> Task:
    """What was asked; without a task every set of options may be given."""
    if task is not None:
        return task
    if len(space.options) == 1:
        raise RatingsError(
            f"People and judges have one label only ({space.options[0]}), so nothing can be compared: "
            f"check the label columns, or give all labels with {named('labels', of='read')}."
        )
    return Task(options=space.options)


def _left_out(answers: JudgeAnswers, weights: Floats) -> list[str]:
    """Say how many items not every judge answered; an error if none is left."""
    has_answer = answers.has_answer
    some, every = np.asarray(has_answer.any(axis=1)), np.asarray(has_answer.all(axis=1))
    answered, by_all = int(number_of(some, weights)), int(number_of(every, weights))
    if not by_all:
        raise JudgesError("No item was answered by every judge, and judges are compared on the same items: name those "
                          f"to compare with {named('judge')}.")  # fmt: skip
    if by_all == answered:
        return []
    left, kept = counted(answered - by_all, "item"), counted(by_all, "item")
    return [f"Left out {left} that not every judge answered: all are compared on the same {kept}."]


def _with_sets_told(answers: JudgeAnswers, behind: Flags, positive: Flags) -> JudgeAnswers:
    """The answers with the response sets that the judges' choices tell, where these were not asked for."""
    marginals, share = through_sets(answers.soft, behind, positive)
    return replace(
        answers,
        marginals=np.where(answers.has_set[:, :, None], answers.marginals, marginals),
        positive=np.where(answers.has_set, answers.positive, share),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layout:
    """What makes a problem of people's answers: judges' answers, items and options, which stay as they are."""

    space: LabelSpace
    options: JudgesOptions
    positive: Flags  # (n_options,)
    answers: JudgeAnswers  # on the items that are compared
    behind: Flags | None  # (n_options, n_options): the response set that each choice tells, if it does
    numbers: Floats | None  # (n_options,): where the options stand, if they are in an order
    rows: Codes  # the items that are compared, among those that were rated
    pool: Codes  # the items that are resampled, among the same
    place: Codes  # (n_rated,): and the place of each there, or -1
    weights: Floats  # (n_rated,): how often each counts
    pool_copies: Floats | None

    def people(self, everybody: People) -> People:
        """People's answers on the items that are compared; pairs stay, since F' belongs to no item."""
        return replace(everybody, choices=everybody.choices[self.rows], sets=everybody.sets[self.rows])

    def problem(self, everybody: People) -> Problem:
        """The problem with these answers of people."""
        members = self.space.members
        reversal = reversal_of(everybody, members, self.place, self.weights) if self.behind is None else None
        people = self.people(everybody)
        given = shares(people.sets)
        soft, is_chosen = shares(people.choices), people.has_choice
        if not is_chosen.any():  # each response set counts in equal parts for its options
            soft, is_chosen = np.einsum("iv,vk->ik", given, shares(members.astype(np.float64))), people.has_set
        is_reversed = ~people.has_set & (reversal is not None)
        # Omega and the probability of a positive response set: of sets that were given, else of what choices tell.
        implied, chosen = self.implied_by_choices(soft)
        marginals = np.where(people.has_set[:, None], np.einsum("iv,vk->ik", given, members), implied)
        share = np.where(people.has_set, np.einsum("iv,v->i", given, self.meets), chosen)
        if reversal is not None and is_reversed.any():
            matrix = reversal.matrix()
            marginals[is_reversed] = apply_reverse(soft[is_reversed], matrix, members)
            share[is_reversed] = share_meeting(soft[is_reversed], matrix, self.meets)
        has_positive = bool(self.positive.any())
        return Problem(
            definitions=definitions_at(self.options.tau, are_ordered=self.numbers is not None),
            taus=self.options.tau,
            judges=RatingVectors(soft=self.answers.soft, marginals=self.answers.marginals, stated=self.answers.stated),
            judge_positive=self.answers.positive if has_positive else None,
            people=RatingVectors(soft=soft, marginals=marginals),
            people_positive=share if has_positive else None,
            is_chosen=is_chosen,
            is_reversed=is_reversed,
            reversal=reversal,
            positive=self.positive,
            meets=self.meets,
            pool=len(self.pool),
            has_both=self.answers.has_choice & self.answers.has_set,
            smoothing=self.options.smoothing,
            pool_copies=self.pool_copies,
            numbers=self.numbers,
        )

    @property
    def meets(self) -> Floats:
        """1 for a response set with a positive option, of shape (n_sets,)."""
        return np.asarray((self.space.members & self.positive).any(axis=1), dtype=np.float64)

    def implied_by_choices(self, soft: Floats) -> tuple[Floats, Floats]:
        """Omega and the share of a positive response set that forced choices alone tell."""
        if self.behind is None:
            return soft, np.asarray(soft[..., self.positive].sum(axis=-1))
        return through_sets(soft, self.behind, self.positive)


def _assumptions(
    people: People, answers: JudgeAnswers, judges: Sequence[str], problem: Problem, *, is_told: bool
) -> list[str]:
    """What was taken for granted, in words."""
    whole_sets = (
        "The task admits one response set with each option: a forced choice counts as the whole set that it is in."
    )
    texts = [whole_sets] if is_told else []
    if not people.has_choice.any():
        texts.append(
            "Nobody made a forced choice: where a definition needs one, each response set of people counts in equal "
            "parts for its options."
        )
    elif not problem.is_chosen.all():
        texts.append(
            f"Only {problem.items_chosen:,} of {counted(problem.items_in_all, 'item')} have forced choices of "
            "people: definitions that take people's hard or soft label use these items only."
        )
    no_choices, no_sets = (
        [judge for judge, column in zip(judges, has_answer.T, strict=True) if not column.all()]
        for has_answer in (answers.has_choice, answers.has_set)
    )
    if no_choices:
        texts.append(
            f"Response sets only from {listed(no_choices)}: where a definition needs a forced choice, each set counts "
            "in equal parts for its options."
        )
    if no_sets and not is_told and (people.has_set.any() or problem.reversal is not None):
        texts.append(f"Forced choices only from {listed(no_sets)}: the choice counts as the whole response set.")
    if problem.reversal is not None and problem.reversal.paired_by == "item" and problem.is_reversed.any():
        texts.append(
            f"Nobody gave both a forced choice and a response set: F' comes from {problem.reversal.n_pairs:,} items "
            "that have both from different raters, and what distinguishes these raters counts as an effect of the "
            "forced choice."
        )
    return texts
