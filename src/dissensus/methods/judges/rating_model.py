"""What forced choices tell about response sets: the rating model, and whether a task lets it be turned round.

The matrices of the model are drawn in simulations, too, so they stand there; here they have their place in the method.
"""

import numpy as np

from dissensus.arrays import Flags, Floats
from dissensus.data import Task
from dissensus.simulation.indeterminate_model import (
    choice_matrix,
    choice_weights,
    endorsements,
    error_matrix,
    forced_choices,
    observed_sets,
    recalled_sets,
    response_sets,
    reverse_choice,
    reverse_error,
    selection_effect,
)

__all__ = [
    "choice_matrix",
    "choice_weights",
    "count_of_sets",
    "endorsements",
    "error_matrix",
    "forced_choices",
    "is_fully_specified",
    "is_identifiable",
    "observed_sets",
    "recalled_sets",
    "response_sets",
    "reverse_choice",
    "reverse_error",
    "selection_effect",
    "sets_behind_choices",
    "specification_sentence",
    "through_sets",
]

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def is_identifiable(members: Flags) -> bool:
    """Whether forced choices alone determine the response sets (Theorem 3.4).

    They do if no option is in two sets: the option chosen then names the set, however raters choose. Where every option
    alone is an admissible set, as the paper assumes, that means that all sets are single options.

    Parameters
    ----------
    members : ndarray of shape (n_sets, n_options)
        Which option is in which admissible set.

    Examples
    --------
    >>> is_identifiable(response_sets(3, 3)), is_identifiable(response_sets(3, 4))
    (True, False)
    """
    return bool((np.asarray(members).sum(axis=0) <= 1).all())


def count_of_sets(task: Task) -> int:
    """How many response sets a task admits, without listing them.

    Examples
    --------
    >>> count_of_sets(Task(options=("No", "Yes")))
    3
    """
    if task.response_sets == "any":
        return int(2 ** len(task.options)) - 1
    return len(task.admissible_sets())


def is_fully_specified(task: Task) -> bool:
    """Whether the option that a rater chooses tells the response set, whatever it is (Theorem 3.4).

    Single options are the usual case; sets of several will do if they have no option in common.

    Examples
    --------
    >>> is_fully_specified(Task(options=("A", "B", "C"), response_sets=(("A", "B"), ("C",))))
    True
    >>> is_fully_specified(Task(options=("A", "B", "C"), response_sets=(("A",), ("B",), ("C",), ("A", "B"))))
    False
    """
    if isinstance(task.response_sets, str):
        return task.response_sets == "single"
    return is_identifiable(_members(task))


def sets_behind_choices(task: Task) -> Flags | None:
    """For each option the members of the response set that it tells, of shape (n_options, n_options).

    An option that is in no admissible set stands for itself. None where a choice tells no more than itself: the task is
    underspecified, or its sets are single options.

    Examples
    --------
    >>> sets_behind_choices(Task(options=("A", "B", "C"), response_sets=(("A", "B"), ("C",)))).astype(int)
    array([[1, 1, 0],
           [1, 1, 0],
           [0, 0, 1]])
    """
    if isinstance(task.response_sets, str) or not is_fully_specified(task):
        return None
    members, alone = _members(task), np.eye(len(task.options), dtype=np.bool_)
    behind = np.asarray(alone | np.einsum("vk,vl->kl", members, members))
    return behind if behind.sum() > len(alone) else None


def through_sets(choices: Floats, behind: Flags, positive: Flags) -> tuple[Floats, Floats]:
    """How often each option is in the sets behind choices, and how often such a set has a positive option.

    Parameters
    ----------
    choices : ndarray of shape (..., n_options)
        Shares of the forced choices.
    behind : ndarray of shape (n_options, n_options)
        As `sets_behind_choices` has it.
    positive : ndarray of shape (n_options,)
        Which options are positive.

    Returns
    -------
    marginals : ndarray of shape (..., n_options)
    share : ndarray of shape (...)

    Examples
    --------
    >>> behind = np.array([[True, True, False], [True, True, False], [False, False, True]])
    >>> through_sets(np.array([0.3, 0.2, 0.5]), behind, np.array([False, True, False]))
    (array([0.5, 0.5, 0.5]), array(0.5))
    """
    meets = (behind & positive).any(axis=1).astype(np.float64)
    marginals = np.einsum("...k,kl->...l", choices, behind.astype(np.float64))
    return np.asarray(marginals), np.asarray(np.einsum("...k,k->...", choices, meets))


def _members(task: Task) -> Flags:
    """Which option is in which of the sets that a task lists."""
    sets = [frozenset(options) for options in task.admissible_sets()]
    return np.array([[option in options for option in task.options] for options in sets])


def specification_sentence(task: Task) -> str:
    """Whether forced choices can be trusted to tell everything for this task, in a sentence.

    Examples
    --------
    >>> specification_sentence(Task(options=("Very toxic", "Toxic", "Not toxic")))
    'Your task is underspecified: three options, seven admissible sets.'
    >>> specification_sentence(Task(options=("No", "Maybe", "Yes"), response_sets="single"))
    'Your task is fully specified: three options, three admissible sets.'
    """
    how = "fully specified" if is_fully_specified(task) else "underspecified"
    sets = count_of_sets(task)
    noun = "admissible set" if sets == 1 else "admissible sets"
    return f"Your task is {how}: {_in_words(len(task.options))} options, {_in_words(sets)} {noun}."


def _in_words(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else f"{number:,}"
