"""From ratings, judges and options to the arrays of a Problem, and back to what is compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, Ratings, Task
from dissensus.data.align import order_of_labels
from dissensus.data.coding import rows_among
from dissensus.data.labels import label_values, option_name
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, likely, listed
from dissensus.methods.judges.answers import (
    JudgeAnswers,
    LabelSpace,
    People,
    RatingRows,
    answers_of,
    label_space,
    rating_rows,
    shares,
)
from dissensus.methods.judges.definitions import RatingVectors, definitions_at, number_of
from dissensus.methods.judges.result import JudgesOptions
from dissensus.methods.judges.reverse_matrix import (
    Reversal,
    apply_reverse,
    is_fully_specified,
    sets_behind_choices,
    share_meeting,
    through_sets,
)
from dissensus.methods.judges.scoring import Problem
from dissensus.options import named
from dissensus.sampling.draws import kinds_of


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
        paired_by="rater" if len(people.pair_item) else "item", members=members, row=pool[both],
        choice=people.pair_choice, set_code=people.pair_set, choices=shares(people.choices)[no_items],
        sets=shares(people.sets)[no_items], weights=weights[both],
    )  # fmt: skip


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
        pool, given = rows, _with_implied_sets(given, behind, positive)
    layout = Layout(
        space=space, options=options, positive=positive, answers=given, behind=behind,
        numbers=_numbers(ratings, space.options), rows=rows, pool=pool, place=place,
        weights=weights, pool_copies=None if copies is None else copies[pool],
    )  # fmt: skip
    people, problem = layout.people(everybody), layout.problem(everybody)
    assumptions = _assumptions(people, given, shared.judges, problem, is_told=behind is not None)
    return Prepared(
        problem=problem, layout=layout, rows=rating_by_rating, items=tuple(ratings.items[row] for row in rows),
        judges=shared.judges, space=space, task=asked, positive=positive, people=people, answers=given,
        warnings=(*ratings.warnings, *shared.warnings, *space.warnings, *about_positive, *left_out, *assumptions),
        kind=given.kinds() if problem.reversal is None and len(pool) == len(rows) and copies is None else None,
    )  # fmt: skip


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
            known = f"the options are {listed(names)}.{likely(name, names)}"
            raise OptionError(f"{named('positive')} {name!r} is not an option: {known}")
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


def _with_implied_sets(answers: JudgeAnswers, behind: Flags, positive: Flags) -> JudgeAnswers:
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
            definitions=definitions_at(self.options.tau, are_ordered=self.numbers is not None), taus=self.options.tau,
            judges=RatingVectors(soft=self.answers.soft, marginals=self.answers.marginals, stated=self.answers.stated),
            judge_positive=self.answers.positive if has_positive else None,
            people=RatingVectors(soft=soft, marginals=marginals), people_positive=share if has_positive else None,
            is_chosen=is_chosen, is_reversed=is_reversed, reversal=reversal, positive=self.positive, meets=self.meets,
            pool=len(self.pool), has_both=self.answers.has_choice & self.answers.has_set,
            smoothing=self.options.smoothing, pool_copies=self.pool_copies, numbers=self.numbers,
        )  # fmt: skip

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
        texts.append(f"Forced choices only from {listed(no_sets)}: each counts as the whole response set.")
    if problem.reversal is not None and problem.reversal.paired_by == "item" and problem.is_reversed.any():
        texts.append(
            f"Nobody gave both a forced choice and a response set: what a choice stands for comes from "
            f"{problem.reversal.n_pairs:,} items that have both from different raters, and how these differ counts as "
            "an effect of the forced choice."
        )
    return texts
