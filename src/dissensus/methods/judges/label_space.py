"""The options that people and judges share, and the response sets that can be made of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Codes, Flags
from dissensus.data import Judges, Ratings, Task
from dissensus.data.labels import SEPARATOR, are_measures, label_values, membership, nearest_labels, parts_of
from dissensus.errors import JudgesError, TaskError, counted, listed

MOST_LISTED_SETS = 64
"""Up to so many admissible response sets are all in the reverse matrix; of more, only those that were given."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelSpace:
    """Options, response sets, and what the judges' labels are among them.

    Attributes
    ----------
    options : tuple of str
        In order.
    response_sets : tuple of str
        Sets of options, as labels: single options first.
    members : ndarray of shape (n_sets, n_options)
        Which option is in which response set.
    people_members : ndarray of shape (n_people_labels, n_options)
        Which option is in which of the raters' labels.
    judge_members : ndarray of shape (n_judge_labels, n_options)
        Which option is in which of the judges' labels; a row of False for a label that no judge used.
    warnings : tuple of str
        What was done to the judges' labels.
    """

    options: tuple[str, ...]
    response_sets: tuple[str, ...]
    members: Flags
    people_members: Flags
    judge_members: Flags
    warnings: tuple[str, ...]

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
    sets = _response_sets(ratings, options, task)
    return LabelSpace(
        options=options,
        response_sets=sets,
        members=membership(sets, options),
        people_members=membership(ratings.labels, options),
        judge_members=_members_of_used(spelled, options, judges.labels_used()),
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
        if not _is_admissible(parts, task):
            raise error(
                f"The {whose} have the label {label!r}, which is no response set that the task admits. "
                "Add it to the task's response_sets, or leave the task out."
            )


def _is_admissible(parts: Sequence[str], task: Task) -> bool:
    if len(parts) == 1 or task.response_sets == "any":
        return True
    return task.response_sets != "single" and set(parts) in [set(s) for s in task.response_sets]


def _rounding(strange: Sequence[str], options: Sequence[str]) -> list[str]:
    """What to say about measurements that count as the nearest label."""
    numbers = f"{counted(len(strange), 'number')} that are no label of the raters ({listed(strange)})"
    said = [f"Judges gave {numbers}: each was rounded to the nearest label."]
    values, labels = label_values(strange), label_values(options)
    lowest, highest = float(labels.min()), float(labels.max())
    beyond = int(((values < lowest) | (values > highest)).sum())
    if beyond > len(strange) / 2:
        said.append(
            f"{beyond:,} of these numbers lie beyond the labels, which run from {lowest:g} to {highest:g}: a judge on "
            "another scale than people cannot be compared with them so."
        )
    return said


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
    admissible = [] if task is None or _count_sets(task) > MOST_LISTED_SETS else list(task.admissible_sets())
    given = [parts_of(label, options) for label in ratings.labels]
    place = {option: i for i, option in enumerate(options)}
    sets = {tuple(sorted(place[part] for part in parts)) for parts in [*admissible, *given]}
    sets |= {(i,) for i in range(len(options))}
    return tuple(SEPARATOR.join(options[i] for i in s) for s in sorted(sets, key=lambda s: (len(s), s)))


def _count_sets(task: Task) -> int:
    if task.response_sets == "any":
        return int(2 ** len(task.options)) - 1
    return len(task.options) if task.response_sets == "single" else len(task.response_sets)


def _members_of_used(labels: Sequence[str], options: Sequence[str], is_used: Flags) -> Flags:
    members = np.zeros((len(labels), len(options)), dtype=np.bool_)
    members[is_used] = membership([label for label, used in zip(labels, is_used, strict=True) if used], options)
    return members
