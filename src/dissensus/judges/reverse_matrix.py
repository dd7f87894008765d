"""F': which response sets stand behind a forced choice, estimated where both were asked for.

Every function takes weights, one per rating or item, or one row of them per bootstrap replicate, so that F' is
estimated anew in each replicate. Sums that are not whole numbers go through einsum, whose order is fixed, so that the
number of threads never changes a byte.
"""

import numpy as np

from dissensus.errors import RatingsError
from dissensus.judges.aggregation import Flags, Floats
from dissensus.ratings.coding import Codes
from dissensus.simulation.indeterminate_population import onto_simplex

MOST_SMOOTHING = 0.5
SMOOTHING_PER_OPTION = 2.0
TOLERANCE = 1e-11
MOST_SWEEPS = 20_000
CHECK_EVERY = 8
OUTSIDE = -1e6
"""Stands for minus infinity: a projection onto the simplex sets such an entry to 0."""


def pooled_reverse(choice_codes: Codes, set_codes: Codes, members: Flags, weights: Floats | None = None) -> Floats:
    """F' from raters who gave both: how often each set comes with each choice, all items together.

    Each set that has the option starts with a small count, so that a set nobody happened to give is not ruled out:
    1/2, or 2 shared out among the sets if there are more than four. A rater whose set lacks the own choice counts as
    said.

    Parameters
    ----------
    choice_codes, set_codes : ndarray of shape (n_pairs,)
        Each rater's option and set for one item.
    members : ndarray of shape (n_sets, n_options)
        Which option is in which set.
    weights : ndarray of shape (n_pairs,) or (n_replicates, n_pairs), optional
        How often each pair counts; once if not given.

    Returns
    -------
    ndarray of shape (n_options, n_sets) or (n_replicates, n_options, n_sets)
        P(set | choice); each row sums to 1. An option that nobody chose has its sets equally likely.

    Examples
    --------
    >>> sets = np.array([[True, False], [False, True], [True, True]])
    >>> pooled_reverse(np.array([0, 0, 1]), np.array([0, 2, 1]), sets)
    array([[0.5 , 0.  , 0.5 ],
           [0.  , 0.75, 0.25]])
    """
    check_members(members)
    n_sets, n_options = members.shape
    counts = _cell_counts(choice_codes * n_sets + set_codes, n_options * n_sets, weights)
    counts = counts.reshape(*counts.shape[:-1], n_options, n_sets)
    smoothing = np.minimum(MOST_SMOOTHING, SMOOTHING_PER_OPTION / members.sum(axis=0))
    smoothed = counts + smoothing[:, None] * members.T
    return np.asarray(smoothed / smoothed.sum(axis=-1, keepdims=True))


def _cell_counts(cell: Codes, n_cells: int, weights: Floats | None) -> Floats:
    """Weighted number of pairs in each cell, of shape (n_cells,) or (n_replicates, n_cells)."""
    if weights is None or weights.ndim == 1:
        return np.bincount(cell, weights=weights, minlength=n_cells).astype(np.float64)
    order = np.argsort(cell, kind="stable")
    used, start = np.unique(cell[order], return_index=True)
    counts = np.zeros((len(weights), n_cells))
    if len(used):
        counts[:, used] = np.add.reduceat(weights[:, order].astype(np.float64), start, axis=1)
    return counts


def reverse_by_items(choices: Floats, set_shares: Floats, members: Flags, weights: Floats | None = None) -> Floats:
    """F' where items have both, from different raters: the best fit of the items' set shares by their choices.

    Least squares of the set shares on O with each row of F' a distribution over the sets that have the option.
    Counting which sets occur on items where an option is chosen would not do: much of it falls on sets without it.

    Parameters
    ----------
    choices : ndarray of shape (n_items, n_options)
        O: shares of the forced choices.
    set_shares : ndarray of shape (n_items, n_sets)
        Shares of the response sets.
    members : ndarray of shape (n_sets, n_options)
        Which option is in which set.
    weights : ndarray of shape (n_items,) or (n_replicates, n_items), optional
        How often each item counts; once if not given.

    Returns
    -------
    ndarray of shape (n_options, n_sets) or (n_replicates, n_options, n_sets)
        Each row sums to 1 and is 0 where the set lacks the option. An option that nobody chose has its sets equally
        likely; where fewer items than options are rated, F' is one of several best fits.

    Examples
    --------
    >>> sets = np.array([[True, False], [False, True], [True, True]])
    >>> chosen, given = np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.6, 0.0, 0.4], [0.3, 0.5, 0.2]])
    >>> reverse_by_items(chosen, given, sets).round(6)
    array([[0.6, 0. , 0.4],
           [0. , 1. , 0. ]])
    """
    check_members(members)
    w = np.ones((1, len(choices))) if weights is None else np.atleast_2d(np.asarray(weights, dtype=np.float64))
    of_option = [w * choices[:, k] for k in range(choices.shape[1])]
    gram = np.stack([np.einsum("ri,il->rl", own, choices) for own in of_option], axis=1)
    cross = np.stack([np.einsum("ri,iv->rv", own, set_shares) for own in of_option], axis=1)
    found = simplex_least_squares(gram, cross, members)
    return found if weights is not None and np.ndim(weights) > 1 else np.asarray(found[0])


def simplex_least_squares(gram: Floats, cross: Floats, members: Flags) -> Floats:
    """The X with rows on the simplex that minimises tr(X' A X) - 2 tr(X' B), for each A and B.

    Row by row, each solved exactly while the others stand still: with A_kk I as its Hessian, a row's best value is a
    projection onto the simplex. The sum falls with every step, and the problem is convex, so the sweeps converge.

    Parameters
    ----------
    gram : ndarray of shape (n_replicates, n_options, n_options)
        A, positive semidefinite.
    cross : ndarray of shape (n_replicates, n_options, n_sets)
        B.
    members : ndarray of shape (n_sets, n_options)
        Where X may be above 0.

    Returns
    -------
    ndarray of shape (n_replicates, n_options, n_sets)
    """
    is_in = members.T
    found = np.broadcast_to(is_in / is_in.sum(axis=1, keepdims=True), cross.shape).copy()
    active = np.arange(len(found))
    for sweep in range(MOST_SWEEPS):
        before = found[active] if sweep % CHECK_EVERY == 0 else None
        found[active] = _sweep(found[active], gram[active], cross[active], is_in)
        if before is not None:
            moved = np.abs(found[active] - before).max(axis=(1, 2))
            active = active[moved > TOLERANCE]
        if not active.size:
            break
    return found


def _sweep(x: Floats, gram: Floats, cross: Floats, is_in: Flags) -> Floats:
    """Each row moved to its best value, one after the other."""
    for k in range(x.shape[1]):
        own = gram[:, k, k, None]
        rest = np.einsum("rl,rlv->rv", gram[:, k], x) - own * x[:, k]
        target = np.divide(cross[:, k] - rest, own, out=x[:, k].copy(), where=own > 0)
        x[:, k] = onto_simplex(np.where(is_in[k], target, OUTSIDE))
    return x


def apply_reverse(soft: Floats, reverse: Floats, members: Flags) -> Floats:
    """Omega = Lambda F'^T O: how often each option is in the response sets behind forced choices.

    Parameters
    ----------
    soft : ndarray of shape (n_items, n_options)
        O: shares of the forced choices.
    reverse : ndarray of shape (n_options, n_sets) or (n_replicates, n_options, n_sets)
        F'.
    members : ndarray of shape (n_sets, n_options)
        Which option is in which set.

    Returns
    -------
    ndarray of shape (n_items, n_options) or (n_replicates, n_items, n_options)

    Examples
    --------
    >>> sets = np.array([[True, False], [False, True], [True, True]])
    >>> apply_reverse(np.array([[0.2, 0.8]]), np.array([[1, 0, 0], [0, 0.5, 0.5]]), sets)  # half of 80% join in
    array([[0.6, 0.8]])
    """
    endorsed = np.einsum("...kv,vl->...kl", reverse, members.astype(np.float64))
    return np.asarray(np.einsum("ik,...kl->...il", soft, endorsed))


def share_meeting(soft: Floats, reverse: Floats, meets: Flags | Floats) -> Floats:
    """Probability that a response set has one of several options, which the sum of Omega would overstate.

    Parameters
    ----------
    soft : ndarray of shape (n_items, n_options)
        O: shares of the forced choices.
    reverse : ndarray of shape (n_options, n_sets) or (n_replicates, n_options, n_sets)
        F'.
    meets : ndarray of shape (n_sets,)
        Which sets have one of the options.

    Returns
    -------
    ndarray of shape (n_items,) or (n_replicates, n_items)

    Examples
    --------
    >>> share_meeting(np.array([[0.2, 0.8]]), np.array([[1, 0, 0], [0, 0.5, 0.5]]), np.array([1.0, 0.0, 1.0]))
    array([0.6])
    """
    given_choice = np.einsum("...kv,v->...k", reverse, np.asarray(meets, dtype=np.float64))
    return np.asarray(np.einsum("ik,...k->...i", soft, given_choice))


def check_members(members: Flags) -> None:
    """Raise if an option is in no response set: choosing it would then say nothing."""
    nowhere = np.flatnonzero(~members.any(axis=0))
    if nowhere.size:
        raise RatingsError(
            f"Option number {nowhere[0] + 1} is in no response set: admit at least the set of that option alone."
        )
