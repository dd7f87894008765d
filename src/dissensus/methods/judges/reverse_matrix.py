"""Which response sets stand behind a forced choice: F', estimated where both were asked for, or as the task tells.

`members`, of shape (n_sets, n_options), says which option is in which response set, `soft`, of shape (n_items,
n_options), has O, the shares of the forced choices, and F' is of shape (n_options, n_sets), P(set | choice): its rows
sum to 1. Weights are one per rating or item, once if not given, or a row of them for each bootstrap replicate, so that
F' is estimated again there; replicates come first in what is returned. Sums that are not whole numbers go through
einsum, whose order is fixed, so that the number of threads never changes a byte.
"""

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Task
from dissensus.errors import RatingsError
from dissensus.methods.judges.result import PairedBy
from dissensus.simulation.indeterminate_model import onto_simplex

MOST_SMOOTHING = 0.5
SMOOTHING_PER_OPTION = 2.0
TOLERANCE = 1e-11
MOST_SWEEPS = 20_000
CHECK_EVERY = 8
OUTSIDE = -1e6  # stands for minus infinity: a projection onto the simplex sets such an entry to 0


def pooled_reverse(choice_codes: Codes, set_codes: Codes, members: Flags, weights: Floats | None = None) -> Floats:
    """F' from raters who gave both: how often each set comes with each choice, all items together.

    Each set that has the option starts with a small count, so that a set nobody happened to give is not ruled out:
    1/2, or 2 shared out among the sets if there are more than four; an option that nobody chose has its sets equally
    likely. A rater whose set lacks the own choice counts as above. The codes, of shape (n_pairs,), are each rater's
    option and set for one item.
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

    Least squares of the set shares, of shape (n_items, n_sets), on O with each row of F' a distribution over the sets
    that have the option. Counting which sets occur on items where an option is chosen would not do: much of it falls on
    sets without it. An option that nobody chose has its sets equally likely; where fewer items than options are rated,
    F' is one of several best fits.
    """
    check_members(members)
    w = np.ones((1, len(choices))) if weights is None else np.atleast_2d(np.asarray(weights, dtype=np.float64))
    of_option = [w * choices[:, k] for k in range(choices.shape[1])]
    gram = np.stack([np.einsum("ri,il->rl", weighted, choices) for weighted in of_option], axis=1)
    cross = np.stack([np.einsum("ri,iv->rv", weighted, set_shares) for weighted in of_option], axis=1)
    matrix = simplex_least_squares(gram, cross, members)
    return matrix if weights is not None and np.ndim(weights) > 1 else np.asarray(matrix[0])


def simplex_least_squares(gram: Floats, cross: Floats, members: Flags) -> Floats:
    """The X with rows on the simplex, 0 outside `members`, that minimises tr(X' A X) - 2 tr(X' B), for each A and B.

    A (`gram`), of shape (n_replicates, n_options, n_options), is positive semidefinite; X is of the shape of B
    (`cross`), (n_replicates, n_options, n_sets). Row by row, each solved exactly while the others stand still: with
    A_kk I as its Hessian, a row's best value is a projection onto the simplex. The sum falls with every step, and the
    problem is convex, so the sweeps converge.
    """
    is_in = members.T
    x = np.broadcast_to(is_in / is_in.sum(axis=1, keepdims=True), cross.shape).copy()
    active = np.arange(len(x))
    for sweep in range(MOST_SWEEPS):
        before = x[active] if sweep % CHECK_EVERY == 0 else None
        x[active] = _sweep(x[active], gram[active], cross[active], is_in)
        if before is not None:
            moved = np.abs(x[active] - before).max(axis=(1, 2))
            active = active[moved > TOLERANCE]
        if not active.size:
            break
    return x


def _sweep(x: Floats, gram: Floats, cross: Floats, is_in: Flags) -> Floats:
    """Each row moved to its best value, one after the other."""
    for k in range(x.shape[1]):
        diagonal = gram[:, k, k, None]
        rest = np.einsum("rl,rlv->rv", gram[:, k], x) - diagonal * x[:, k]
        target = np.divide(cross[:, k] - rest, diagonal, out=x[:, k].copy(), where=diagonal > 0)
        x[:, k] = onto_simplex(np.where(is_in[k], target, OUTSIDE))
    return x


def apply_reverse(soft: Floats, reverse: Floats, members: Flags) -> Floats:
    """Omega = Lambda F'^T O, of shape (n_items, n_options): how often each option is in the sets behind forced choices.

    >>> sets = np.array([[True, False], [False, True], [True, True]])
    >>> apply_reverse(np.array([[0.2, 0.8]]), np.array([[1, 0, 0], [0, 0.5, 0.5]]), sets)  # half of 80% join in
    array([[0.6, 0.8]])
    """
    endorsed = np.einsum("...kv,vl->...kl", reverse, members.astype(np.float64))
    return np.asarray(np.einsum("ik,...kl->...il", soft, endorsed))


def share_meeting(soft: Floats, reverse: Floats, meets: Flags | Floats) -> Floats:
    """Probability, for each item, that a set has one of several options, which the sum of Omega would overstate."""
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reversal:
    """Paired ratings, from which F' is estimated: P(response set | forced choice)."""

    paired_by: PairedBy  # whether raters gave both, or only items have both, from different raters
    members: Flags  # (n_sets, n_options)
    row: Codes  # (n_pairs,): the item of each pair, as a place in the pool
    choice: Codes  # (n_pairs,): the option of each rater, and
    set_code: Codes  # the set; empty where items are paired
    choices: Floats  # (n_pairs, n_options): shares of each item's forced choices, and
    sets: Floats  # (n_pairs, n_sets): of its response sets; empty where raters are paired
    weights: Floats  # (n_pairs,): how many pairs of the data each one stands for

    @property
    def n_pairs(self) -> int:
        """How many pairs there are in the data."""
        return int(self.weights.sum())

    def matrix(self, weights: Floats | None = None) -> Floats:
        """F', of shape (n_options, n_sets); with weights of shape (n_replicates, n_pool) one for each replicate."""
        pair_weights = self.weights if weights is None else weights[:, self.row]
        if self.paired_by == "rater":
            return pooled_reverse(self.choice, self.set_code, self.members, weights=pair_weights)
        return reverse_by_items(self.choices, self.sets, self.members, weights=pair_weights)


def own_betas(
    soft: Floats, judge_positive: Floats, *, positive: Flags, has_both: Flags, weights: Floats | None = None
) -> Floats:
    """Each judge's own beta: how often its response sets have a positive option where its forced choice is negative.

    It tells which beta is plausible for people. How much more often a judge's sets are positive than its choices, as a
    share of its negative choices: sets are positive with probability O_positive + beta O_leak.

    Differs from the paper: choices and sets come from separate samples, so which set goes with which choice is not
    known. The share of positive sets on items with a negative choice would take a judge that wavers between yes and
    no, and never endorses both, for one with a large beta.

    `soft` (n_items, n_judges, n_options): shares of each judge's forced choices. `judge_positive`, `has_both` (n_items,
    n_judges): share of its response sets with a positive option, and on which items it was asked for both. `positive`
    (n_options,): which options are positive; all others leak. `weights` (n_items,): how often each item counts. Returns
    shape (n_judges,): from 0, also for a judge whose sets are less often positive than its choices, to 1; NaN for a
    judge that was asked for both nowhere, or never chose a negative option there.

    "Validating LLM-as-a-Judge Systems in the Absence of Gold Labels", section 7, Finding 6: .32, .44, .04, .06, .11.
    """
    gained = (judge_positive - soft[:, :, positive].sum(axis=2)) * has_both
    negative = soft[:, :, ~positive].sum(axis=2) * has_both
    w = np.ones(len(soft)) if weights is None else np.asarray(weights, dtype=np.float64)
    total = np.einsum("...i,ij->...j", w, negative)
    share = np.divide(np.einsum("...i,ij->...j", w, gained), total, out=np.full_like(total, np.nan), where=total > 0)
    return np.asarray(np.clip(share, 0.0, 1.0))


# ---- Whether the options of a task tell the response set: then nothing has to be estimated

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def is_identifiable(members: Flags) -> bool:
    """Whether forced choices alone determine the response sets (Theorem 3.4).

    They do if no option is in two sets: the option chosen then names the set, however raters choose. Where every option
    alone is an admissible set, as the paper assumes, that means that all sets are single options.
    """
    return bool((np.asarray(members).sum(axis=0) <= 1).all())


def count_of_sets(task: Task) -> int:
    """How many response sets a task admits, without listing them.

    >>> count_of_sets(Task(options=("No", "Yes")))
    3
    """
    if task.response_sets == "any":
        return int(2 ** len(task.options)) - 1
    return len(task.admissible_sets())


def is_fully_specified(task: Task) -> bool:
    """Whether the option that a rater chooses tells the response set, whatever it is (Theorem 3.4).

    Single options are the usual case; sets of several will do if they have no option in common.
    """
    if isinstance(task.response_sets, str):
        return task.response_sets == "single"
    return is_identifiable(_members(task))


def sets_behind_choices(task: Task) -> Flags | None:
    """For each option the members of the response set that it tells, of shape (n_options, n_options).

    An option that is in no admissible set stands for itself. None where a choice tells no more than itself: the task is
    underspecified, or its sets are single options.
    """
    if isinstance(task.response_sets, str) or not is_fully_specified(task):
        return None
    members, alone = _members(task), np.eye(len(task.options), dtype=np.bool_)
    behind = np.asarray(alone | np.einsum("vk,vl->kl", members, members))
    return behind if behind.sum() > len(alone) else None


def through_sets(choices: Floats, behind: Flags, positive: Flags) -> tuple[Floats, Floats]:
    """How often each option is in the sets behind choices, and how often such a set has a positive option.

    From the shares of the forced choices, of shape (..., n_options), and what `sets_behind_choices` says.

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
