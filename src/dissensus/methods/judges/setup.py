"""From ratings, judges and options to the arrays of a Problem."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, Ratings, Task
from dissensus.data.align import rows_among
from dissensus.data.labels import Scale, option_name
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed
from dissensus.methods.judges.answers import JudgeAnswers, People, answers_of, people_of, shares
from dissensus.methods.judges.definitions import definitions_at
from dissensus.methods.judges.label_space import LabelSpace, label_space
from dissensus.methods.judges.options import Question
from dissensus.methods.judges.rating_model import is_fully_specified, sets_behind_choices, through_sets
from dissensus.methods.judges.reverse_matrix import Reversal, apply_reverse, pool_of, reversal_of, share_meeting
from dissensus.methods.judges.scoring import Problem
from dissensus.methods.judges.vectors import RatingVectors, number_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A problem, and what there is to say about how it came about.

    Attributes
    ----------
    problem : Problem
        The arrays.
    items, judges : tuple of str
        What is compared, by name.
    space : LabelSpace
        Options and response sets.
    task : Task
        What was asked; options that may be combined in any way if the user named no task.
    scale : str
        What the order of the options means.
    positive : ndarray of shape (n_options,)
        Which options are positive.
    people : People
        What they said of the items that are compared.
    answers : JudgeAnswers
        What the judges said of them.
    warnings : tuple of str
        What was left out, rounded or taken for granted.
    """

    problem: Problem
    items: tuple[str, ...]
    judges: tuple[str, ...]
    space: LabelSpace
    task: Task
    scale: Scale
    positive: Flags
    people: People
    answers: JudgeAnswers
    warnings: tuple[str, ...]

    @property
    def is_fully_specified(self) -> bool:
        """Whether the option that a rater chooses tells the response set."""
        return is_fully_specified(self.task)

    @property
    def has_larger_sets(self) -> bool:
        """Whether choices tell response sets, and some of these have several options."""
        return sets_behind_choices(self.task) is not None


def set_up(ratings: Ratings, judges: Judges, task: Task | None, question: Question) -> Prepared:
    """The problem behind a question."""
    _check_answers(judges)
    shared = judges.only(question.judge).on_items_of(ratings)
    space = label_space(ratings, shared, task)
    positive, more = _positive(space.options, task, question)
    warnings = [*ratings.warnings, *shared.warnings, *space.warnings, *more]
    answers = answers_of(
        shared,
        space,
        row_of_item=rows_among(shared.items, ratings.items),
        n_items=ratings.n_items,
        positive=positive,
        order=shared.order,
    )
    rows = np.flatnonzero(answers.has_answer.all(axis=1))
    copies = None if ratings.copies is None else ratings.copies.astype(np.float64)
    warnings += _left_out(answers, copies)
    everybody = people_of(ratings, space)
    asked = _task(space, task)
    behind = sets_behind_choices(asked)
    pool, place = pool_of(everybody, rows)
    reversal = reversal_of(everybody, space.members, place, copies) if behind is None else None
    people, own = _people_at(everybody, rows), _with_sets_told(_answers_at(answers, rows), behind, positive)
    resampled = pool if behind is None else rows
    problem = _problem(people, own, space, question, positive, reversal, resampled, copies, behind)
    return Prepared(
        problem=problem,
        items=tuple(ratings.items[row] for row in rows),
        judges=shared.judges,
        space=space,
        task=asked,
        scale=ratings.scale,
        positive=positive,
        people=people,
        answers=own,
        warnings=(*warnings, *_assumptions(people, own, shared.judges, problem, is_told=behind is not None)),
    )


def _check_answers(judges: Judges) -> None:
    """Raise where nobody knows what a judge answered to an item."""
    if judges.moments is not None:
        raise JudgesError(
            "Of the judges' probabilities only the means over many items are known, and every definition needs those "
            "of each item: read the judges with --round-outputs 3."
        )


def _positive(options: Sequence[str], task: Task | None, question: Question) -> tuple[Flags, list[str]]:
    """Which options are positive, and what to say about it."""
    named = tuple(option_name(name) for name in question.positive) or (() if task is None else task.positive)
    for name in named:
        if name not in options:
            raise OptionError(f"--positive {name!r} is no option: the options are {listed(options)}.")
    is_positive = np.isin(options, named)
    if is_positive.all():
        raise OptionError("--positive names every option, so that nothing could be negative: leave at least one out.")
    if named:
        return is_positive, []
    if task is not None and task.kind == "pairwise":
        return np.arange(len(options)) == 0, [f"No positive option was named: {options[0]} counts as positive."]
    return is_positive, [
        "No positive option was named, so there are no decisions to compare: name it with --positive, or in the task."
    ]


def _task(space: LabelSpace, task: Task | None) -> Task:
    """What was asked; without a task every set of options may be given."""
    if task is not None:
        return task
    if len(space.options) == 1:
        raise RatingsError(
            f"People and judges have one label only ({space.options[0]}), so that nothing could be told apart: "
            "check the label columns, or give all labels with --labels."
        )
    return Task(options=space.options)


def _left_out(answers: JudgeAnswers, copies: Floats | None) -> list[str]:
    """Say how many items not every judge answered; an error if none is left."""
    has_answer = answers.has_answer
    answered = int(number_of(np.asarray(has_answer.any(axis=1)), copies))
    by_all = int(number_of(np.asarray(has_answer.all(axis=1)), copies))
    if not by_all:
        raise JudgesError("No item was answered by every judge, and judges are compared on the same items: name those "
                          "to compare with --judge.")  # fmt: skip
    if by_all == answered:
        return []
    left, kept = counted(answered - by_all, "item"), counted(by_all, "item")
    return [f"Left out {left} that not every judge answered: all are compared on the same {kept}."]


def _people_at(people: People, rows: Codes) -> People:
    """What people said of these items; pairs stay as they are, since F' belongs to no item."""
    return People(
        choices=people.choices[rows],
        sets=people.sets[rows],
        pair_item=people.pair_item,
        pair_choice=people.pair_choice,
        pair_set=people.pair_set,
    )


def _answers_at(answers: JudgeAnswers, rows: Codes) -> JudgeAnswers:
    return JudgeAnswers(**{name: getattr(answers, name)[rows] for name in answers.__dataclass_fields__})


def _with_sets_told(answers: JudgeAnswers, behind: Flags | None, positive: Flags) -> JudgeAnswers:
    """The answers with the response sets that the judges' choices tell, where these were not asked for."""
    if behind is None:
        return answers
    marginals, share = through_sets(answers.soft, behind, positive)
    return replace(
        answers,
        marginals=np.where(answers.has_set[:, :, None], answers.marginals, marginals),
        positive=np.where(answers.has_set, answers.positive, share),
    )


def _problem(
    people: People,
    answers: JudgeAnswers,
    space: LabelSpace,
    question: Question,
    positive: Flags,
    reversal: Reversal | None,
    pool: Codes,
    copies: Floats | None,
    behind: Flags | None,
) -> Problem:
    meets = np.asarray((space.members & positive).any(axis=1), dtype=np.float64)
    soft, is_chosen = _people_soft(people, space.members)
    is_reversed = ~people.has_set & (reversal is not None)
    marginals, share = set_vectors(people, soft, space.members, positive, behind)
    if reversal is not None and is_reversed.any():
        matrix = reversal.matrix()
        marginals[is_reversed] = apply_reverse(soft[is_reversed], matrix, space.members)
        share[is_reversed] = share_meeting(soft[is_reversed], matrix, meets)
    has_positive = bool(positive.any())
    return Problem(
        definitions=definitions_at(question.taus),
        taus=question.taus,
        judges=RatingVectors(soft=answers.soft, marginals=answers.marginals),
        judge_positive=answers.positive if has_positive else None,
        people=RatingVectors(soft=soft, marginals=marginals),
        people_positive=share if has_positive else None,
        is_chosen=is_chosen,
        is_reversed=is_reversed,
        reversal=reversal,
        positive=positive,
        meets=meets,
        pool=len(pool),
        has_both=answers.has_choice & answers.has_set,
        smoothing=question.smoothing,
        pool_copies=None if copies is None else copies[pool],
    )


def _people_soft(people: People, members: Flags) -> tuple[Floats, Flags]:
    """People's forced choices, and on which items they are known.

    Where nobody made one on any item, each response set counts in equal parts for its options.
    """
    if people.has_choice.any():
        return people.shares_of_choices(), people.has_choice
    in_parts = np.einsum("iv,vk->ik", people.shares_of_sets(), shares(members.astype(np.float64)))
    return in_parts, people.has_set


def set_vectors(
    people: People, soft: Floats, members: Flags, positive: Flags, behind: Flags | None
) -> tuple[Floats, Floats]:
    """Omega and the probability of a positive response set: of the sets that were given, else of what choices tell.

    Returns
    -------
    marginals : ndarray of shape (n_items, n_options)
    positive : ndarray of shape (n_items,)
    """
    given = people.shares_of_sets()
    has_set = people.has_set
    meets = np.asarray((members & positive).any(axis=1), dtype=np.float64)
    told, chosen = (soft, soft[:, positive].sum(axis=1)) if behind is None else through_sets(soft, behind, positive)
    marginals = np.where(has_set[:, None], np.einsum("iv,vk->ik", given, members.astype(np.float64)), told)
    return marginals, np.where(has_set, np.einsum("iv,v->i", given, meets), chosen)


def _assumptions(
    people: People, answers: JudgeAnswers, judges: Sequence[str], problem: Problem, *, is_told: bool
) -> list[str]:
    """What was taken for granted, in words."""
    told = "The task admits one response set with each option: a forced choice counts as the whole set that it is in."
    said = [told] if is_told else []
    if not people.has_choice.any():
        said.append(
            "Nobody made a forced choice: where a definition needs one, each response set of people counts in equal "
            "parts for its options."
        )
    elif not problem.is_chosen.all():
        said.append(
            f"Only {problem.items_chosen:,} of {counted(problem.items_in_all, 'item')} have forced choices of "
            "people: definitions that take people's hard or soft label use these items only."
        )
    silent = _without(answers.has_choice, judges)
    if silent:
        said.append(
            f"Response sets only from {listed(silent)}: where a definition needs a forced choice, each set counts in "
            "equal parts for its options."
        )
    silent = _without(answers.has_set, judges)
    if silent and not is_told and (people.has_set.any() or problem.reversal is not None):
        said.append(f"Forced choices only from {listed(silent)}: the choice counts as the whole response set.")
    if problem.reversal is not None and problem.reversal.paired_by == "item" and problem.is_reversed.any():
        said.append(
            f"Nobody gave both a forced choice and a response set: F' comes from {problem.reversal.n_pairs:,} items "
            "that have both from different raters, and what distinguishes these raters counts as an effect of the "
            "forced choice."
        )
    return said


def _without(has_answer: Flags, judges: Sequence[str]) -> list[str]:
    """Judges that lack such an answer on some item."""
    return [judge for judge, column in zip(judges, has_answer.T, strict=True) if not column.all()]
