"""The rating model: from the options a rater would endorse to the one that a forced choice records, and back.

Everything is a distribution over response sets or over options, with items and judges on leading axes:

- theta, `stable`: the response set that a rater has in mind,
- E, `error`: which set a rater gives who has another one in mind, one column per set in mind,
- F, `choice`: which option a rater picks who must pick one, one column per set given,
- Lambda, `members`: which options are in which set,

so that O = F E theta and Omega = Lambda E theta. The way back is E' and F', whose rows are distributions.

References
----------
"Validating LLM-as-a-Judge Systems in the Absence of Gold Labels", sections 3 and 6.
"""

import itertools

import numpy as np

from dissensus.arrays import Flags, Floats
from dissensus.errors import OptionError
from dissensus.simulation.panels import checked_share

FEWEST_OPTIONS = 2
MOST_OPTIONS = 16


def response_sets(n_options: int, n_sets: int | None = None) -> Flags:
    """The first so many non-empty sets of options: smaller sets first, then in the order of the options.

    Parameters
    ----------
    n_options : int
        How many options there are.
    n_sets : int, optional
        How many sets a rater may give, at least one for each option; all of them if not said.

    Returns
    -------
    ndarray of shape (n_sets, n_options)
        Which option is in which set: Lambda of the paper, transposed, as `ratings.labels.membership` has it.

    Examples
    --------
    >>> response_sets(2).astype(int)
    array([[1, 0],
           [0, 1],
           [1, 1]])
    """
    if not FEWEST_OPTIONS <= n_options <= MOST_OPTIONS:
        raise OptionError(f"{n_options} options: give a number from {FEWEST_OPTIONS} to {MOST_OPTIONS}.")
    most = 2**n_options - 1
    size = most if n_sets is None else n_sets
    if not n_options <= size <= most:
        raise OptionError(f"{size} response sets of {n_options} options: give a number from {n_options} to {most}.")
    sizes = range(1, n_options + 1)
    every = itertools.chain.from_iterable(itertools.combinations(range(n_options), k) for k in sizes)
    members = np.zeros((size, n_options), dtype=np.bool_)
    for row, options in enumerate(itertools.islice(every, size)):
        members[row, list(options)] = True
    return members


def error_matrix(members: Flags, size: float, skew: float = 0.0) -> Floats:
    """E: the probability that a rater gives one set who has another one in mind.

    Parameters
    ----------
    members : ndarray of shape (n_sets, n_options)
        Which option is in which set.
    size : float
        Probability of an error, the same for every set.
    skew : float
        0 spreads errors evenly over the other sets. Above 0, they fall on sets with the first option rather than on
        others, below 0 the other way round: the others in that order, with weights 1, 1/2, 1/3, ... to the power of
        its absolute value.

    Returns
    -------
    ndarray of shape (n_sets, n_sets)
        Given by in mind; each column sums to 1.

    Examples
    --------
    >>> error_matrix(response_sets(2), 0.3, skew=1).round(2)
    array([[0.7, 0.2, 0.2],
           [0.1, 0.7, 0.1],
           [0.2, 0.1, 0.7]])
    """
    checked_share("The size of the error", size)
    n_sets = len(members)
    order = np.argsort(~members[:, 0] if skew > 0 else members[:, 0], kind="stable")
    place = np.argsort(order)
    # The rank of a set among the others: those behind the set in mind move up by one.
    rank = place[:, None] - (place[:, None] > place[None, :])
    weight = (1.0 + rank) ** -abs(skew)
    np.fill_diagonal(weight, 0.0)
    error = size * weight / np.maximum(weight.sum(axis=0), 1e-300)
    error[np.arange(n_sets), np.arange(n_sets)] = 1 - size
    return np.asarray(error)


def choice_weights(members: Flags, gamma: float) -> Floats:
    """How much each option of a set appeals to a rater who must choose one: exp(-|gamma| rank).

    Parameters
    ----------
    members : ndarray of shape (n_sets, n_options)
        Which option is in which set.
    gamma : float
        Strength of the selection effect: above 0 the first option of a set is preferred, below 0 the last, at 0 none.

    Returns
    -------
    ndarray of shape (n_options, n_sets)
        0 for an option that is not in the set.

    Examples
    --------
    >>> choice_weights(response_sets(2), -1.0).round(3)
    array([[1.   , 0.   , 0.368],
           [0.   , 1.   , 1.   ]])
    """
    is_in = members.T
    rank = np.cumsum(is_in, axis=0) - 1 if gamma >= 0 else np.cumsum(is_in[::-1], axis=0)[::-1] - 1
    return np.asarray(np.exp(-abs(gamma) * rank) * is_in)


def choice_matrix(weights: Floats, members: Flags) -> Floats:
    """F: each set's weights as probabilities; where none is above 0, its options are equally likely.

    Parameters
    ----------
    weights : ndarray of shape (..., n_options, n_sets)
        What each option weighs in each set; below 0 counts as 0.
    members : ndarray of shape (n_sets, n_options)
        Which option is in which set.

    Returns
    -------
    ndarray of shape (..., n_options, n_sets)
        Each column sums to 1.
    """
    is_in = members.T
    positive = np.where(is_in, np.maximum(weights, 0.0), 0.0)
    total = positive.sum(axis=-2, keepdims=True)
    return np.asarray(np.where(total > 0, positive / np.where(total > 0, total, 1.0), is_in / is_in.sum(axis=0)))


def observed_sets(stable: Floats, error: Floats) -> Floats:
    """E theta: the response sets that raters give, of shape (..., n_sets)."""
    return np.asarray(np.einsum("...vu,...u->...v", error, stable))


def forced_choices(choice: Floats, observed: Floats) -> Floats:
    """O = F E theta: how often each option is chosen, of shape (..., n_options).

    Parameters
    ----------
    choice : ndarray of shape (..., n_options, n_sets)
        F.
    observed : ndarray of shape (..., n_sets)
        E theta.

    Examples
    --------
    >>> forced_choices(np.array([[1, 0, 1], [0, 1, 0]]), np.array([0.4, 0.5, 0.1]))  # judge w of Appendix C
    array([0.5, 0.5])
    """
    return np.asarray(np.einsum("...kv,...v->...k", choice, observed))


def endorsements(observed: Floats, members: Flags) -> Floats:
    """Omega = Lambda E theta: how often each option is in the response set, of shape (..., n_options).

    Examples
    --------
    >>> endorsements(np.array([0.4, 0.5, 0.1]), response_sets(2))
    array([0.5, 0.6])
    """
    return np.asarray(np.einsum("...v,vk->...k", observed, members.astype(np.float64)))


def reverse_choice(choice: Floats, observed: Floats, members: Flags) -> Floats:
    """F': the probability of each response set, given the option that was chosen.

    Parameters
    ----------
    choice : ndarray of shape (..., n_options, n_sets)
        F.
    observed : ndarray of shape (..., n_sets)
        E theta.
    members : ndarray of shape (n_sets, n_options)
        Which option is in which set.

    Returns
    -------
    ndarray of shape (..., n_options, n_sets)
        Each row sums to 1. Nobody chooses an option whose row is undefined; its sets are made equally likely.

    Examples
    --------
    >>> reverse_choice(np.array([[1, 0, 0.5], [0, 1, 0.5]]), np.array([0.2, 0.4, 0.4]), response_sets(2)).round(3)
    array([[0.5  , 0.   , 0.5  ],
           [0.   , 0.667, 0.333]])
    """
    return _rows_given(choice * observed[..., None, :], members.T / np.maximum(members.sum(axis=0), 1)[:, None])


def reverse_error(error: Floats, stable: Floats) -> Floats:
    """E': the probability of each set in mind, given the set that was given.

    Parameters
    ----------
    error : ndarray of shape (..., n_sets, n_sets)
        E.
    stable : ndarray of shape (..., n_sets)
        Theta.

    Returns
    -------
    ndarray of shape (..., n_sets, n_sets)
        Given by in mind; each row sums to 1. A set that nobody gives is taken at its word.
    """
    return _rows_given(error * stable[..., None, :], np.eye(error.shape[-1]))


def _rows_given(joint: Floats, otherwise: Floats) -> Floats:
    total = joint.sum(axis=-1, keepdims=True)
    return np.where(total > 0, joint / np.where(total > 0, total, 1.0), otherwise)


def recalled_sets(soft: Floats, reverse: Floats) -> Floats:
    """F'^T O: the response sets behind forced choices, of shape (..., n_sets).

    With E' in place of F' and response sets in place of choices: E'^T F'^T O = theta, the sets in mind.

    Parameters
    ----------
    soft : ndarray of shape (..., n_given)
        Shares of what was given.
    reverse : ndarray of shape (..., n_given, n_sets)
        F' or E'.
    """
    return np.asarray(np.einsum("...k,...kv->...v", soft, reverse))


def selection_effect(choice: Floats, members: Flags) -> Floats:
    """Gamma: how much likelier than by chance the first option is chosen from a set that has it.

    Differs from the paper: it divides by the size of the set, which makes chance 1/4 in a set of two.

    Parameters
    ----------
    choice : ndarray of shape (..., n_options, n_sets)
        F.
    members : ndarray of shape (n_sets, n_options)
        Which option is in which set.

    Returns
    -------
    ndarray of shape (...)
        1 is chance, 2 twice as likely; the mean over the sets with the first option.

    Examples
    --------
    >>> float(selection_effect(np.array([[1, 0, 0.5], [0, 1, 0.5]]), response_sets(2)))
    1.0
    """
    has_first = members[:, 0]
    size = members.sum(axis=1)[has_first]
    return np.asarray((choice[..., 0, :][..., has_first] * size).mean(axis=-1))
