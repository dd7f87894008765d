"""F': which response sets stand behind a forced choice, estimated where both were asked for.

Every function takes weights, one per rating or item, or one row of them per bootstrap replicate, so that F' is
estimated anew in each replicate. Sums that are not whole numbers go through einsum, whose order is fixed, so that the
number of threads never changes a byte.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dissensus.arrays import Codes, Flags, Floats
from dissensus.errors import RatingsError
from dissensus.methods.judges.answers import People
from dissensus.simulation.indeterminate_population import onto_simplex

# ---- F': which response sets stand behind a forced choice, estimated where both were asked for

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


# ---- People's response sets where only forced choices were asked for, through the reverse matrix F' of paired ratings

PairedBy = Literal["rater", "item"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reversal:
    """Paired ratings, from which F' is estimated: P(response set | forced choice).

    Attributes
    ----------
    paired_by : {"rater", "item"}
        Whether raters gave both, or only items have both, from different raters.
    members : ndarray of shape (n_sets, n_options)
        Which option is in which response set.
    row : ndarray of shape (n_pairs,)
        The item of each pair, as a place in the pool of items that are resampled.
    choice, set_code : ndarray of shape (n_pairs,)
        The option and the set of each rater; empty where items are paired.
    choices : ndarray of shape (n_pairs, n_options)
        Shares of the forced choices of each item; empty where raters are paired.
    sets : ndarray of shape (n_pairs, n_sets)
        Shares of the response sets of each item; empty where raters are paired.
    copies : ndarray of shape (n_pairs,), optional
        How many pairs of the data each one stands for; one if None.
    """

    paired_by: PairedBy
    members: Flags
    row: Codes
    choice: Codes
    set_code: Codes
    choices: Floats
    sets: Floats
    copies: Floats | None = None

    @property
    def n_pairs(self) -> int:
        """How many pairs there are in the data."""
        return len(self.row) if self.copies is None else int(self.copies.sum())

    def matrix(self, weights: Floats | None = None) -> Floats:
        """F', of shape (n_options, n_sets); with weights of shape (n_replicates, n_pool) one for each replicate."""
        own = self.copies if weights is None else weights[:, self.row]
        if self.paired_by == "rater":
            return pooled_reverse(self.choice, self.set_code, self.members, weights=own)
        return reverse_by_items(self.choices, self.sets, self.members, weights=own)


def pool_of(people: People, rows: Codes) -> tuple[Codes, Codes]:
    """The items that are resampled, and the place of each rated item among them, or -1.

    Parameters
    ----------
    people : People
        What they said of the rated items.
    rows : ndarray of shape (n_items,)
        The items that are compared; they stand first, then others with paired ratings.
    """
    is_other = people.has_choice & people.has_set
    is_other[people.pair_item] = True
    is_other[rows] = False
    pool = np.concatenate([rows, np.flatnonzero(is_other)])
    place = np.full(len(is_other), -1, dtype=np.intp)
    place[pool] = np.arange(len(pool))
    return pool, place


def reversal_of(people: People, members: Flags, pool: Codes, copies: Floats | None = None) -> Reversal | None:
    """The paired ratings, by rater if anybody gave both, else by item; None if there are none.

    Parameters
    ----------
    people : People
        What they said.
    members : ndarray of shape (n_sets, n_options)
        Which option is in which response set.
    pool : ndarray of shape (n_items,)
        The place of each rated item in the pool.
    copies : ndarray of shape (n_items,), optional
        How many items of the data each rated item stands for.
    """
    nothing = np.empty(0, dtype=np.intp)
    if len(people.pair_item):
        return Reversal(
            paired_by="rater",
            members=members,
            row=pool[people.pair_item],
            choice=people.pair_choice,
            set_code=people.pair_set,
            choices=np.empty((0, members.shape[1])),
            sets=np.empty((0, len(members))),
            copies=None if copies is None else copies[people.pair_item],
        )
    both = np.flatnonzero(people.has_choice & people.has_set)
    if not both.size:
        return None
    return Reversal(
        paired_by="item",
        members=members,
        row=pool[both],
        choice=nothing,
        set_code=nothing,
        choices=people.shares_of_choices()[both],
        sets=people.shares_of_sets()[both],
        copies=None if copies is None else copies[both],
    )


def own_betas(
    soft: Floats,
    judge_positive: Floats,
    *,
    positive: Flags,
    has_both: Flags,
    leaking: Flags | None = None,
    weights: Floats | None = None,
) -> Floats:
    """Each judge's own beta: how often its response sets have a positive option where its forced choice is negative.

    It tells which beta is plausible for people. How much more often a judge's sets are positive than its choices, as a
    share of its negative choices: sets are positive with probability O_positive + beta O_leak.

    Differs from the paper: choices and sets come from separate samples, so which set goes with which choice is not
    known. The share of positive sets on items with a negative choice would take a judge that wavers between yes and
    no, and never endorses both, for one with a large beta.

    Parameters
    ----------
    soft : ndarray of shape (n_items, n_judges, n_options)
        Shares of each judge's forced choices.
    judge_positive : ndarray of shape (n_items, n_judges)
        Share of its response sets with a positive option.
    positive : ndarray of shape (n_options,)
        Which options are positive.
    has_both : ndarray of shape (n_items, n_judges)
        On which items the judge was asked for both.
    leaking : ndarray of shape (n_options,), optional
        Which negative options leak; all if not given.
    weights : ndarray of shape (n_items,) or (n_replicates, n_items), optional
        How often each item counts.

    Returns
    -------
    ndarray of shape (n_judges,) or (n_replicates, n_judges)
        From 0, also for a judge whose sets are less often positive than its choices, to 1; NaN for a judge that was
        asked for both nowhere, or never chose a negative option there.

    References
    ----------
    "Validating LLM-as-a-Judge Systems in the Absence of Gold Labels", section 7, Finding 6: .32, .44, .04, .06, .11.

    Examples
    --------
    >>> choices = np.array([[[0.0, 1.0]], [[0.5, 0.5]], [[1.0, 0.0]]])
    >>> own_betas(choices, np.array([[0.2], [0.8], [1.0]]), positive=np.array([True, False]),
    ...           has_both=np.ones((3, 1), dtype=bool)).round(3)  # (.2 + .3 + 0) / (1 + .5 + 0)
    array([0.333])
    """
    leaks = ~positive if leaking is None else leaking & ~positive
    gained = (judge_positive - soft[:, :, positive].sum(axis=2)) * has_both
    negative = soft[:, :, leaks].sum(axis=2) * has_both
    w = np.ones(len(soft)) if weights is None else np.asarray(weights, dtype=np.float64)
    total = np.einsum("...i,ij->...j", w, negative)
    share = np.divide(np.einsum("...i,ij->...j", w, gained), total, out=np.full_like(total, np.nan), where=total > 0)
    return np.asarray(np.clip(share, 0.0, 1.0))
