"""What forced choices tell about response sets: the rating model, and whether a task lets it be turned round.

The matrices of the model are drawn in simulations, too, so they stand there; here they have their place in the method.
"""

import numpy as np

from dissensus.judges.aggregation import Flags
from dissensus.ratings import Task
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
    "is_identifiable",
    "observed_sets",
    "recalled_sets",
    "response_sets",
    "reverse_choice",
    "reverse_error",
    "selection_effect",
    "specification_sentence",
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


def specification_sentence(task: Task) -> str:
    """Whether forced choices can be trusted to tell everything for this task, in a sentence.

    Examples
    --------
    >>> specification_sentence(Task(options=("Very toxic", "Toxic", "Not toxic")))
    'Your task is underspecified: three options, seven admissible sets.'
    >>> specification_sentence(Task(options=("No", "Maybe", "Yes"), response_sets="single"))
    'Your task is fully specified: three options, three admissible sets.'
    """
    how = "fully specified" if _is_fully_specified(task) else "underspecified"
    sets = count_of_sets(task)
    noun = "admissible set" if sets == 1 else "admissible sets"
    return f"Your task is {how}: {_in_words(len(task.options))} options, {_in_words(sets)} {noun}."


def _is_fully_specified(task: Task) -> bool:
    if isinstance(task.response_sets, str):
        return task.response_sets == "single"
    place = {option: i for i, option in enumerate(task.options)}
    members = np.zeros((len(task.response_sets), len(task.options)), dtype=np.bool_)
    for row, options in enumerate(task.admissible_sets()):
        members[row, [place[option] for option in options]] = True
    return is_identifiable(members)


def _in_words(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else f"{number:,}"
