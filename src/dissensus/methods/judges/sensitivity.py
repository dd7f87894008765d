"""What if some of those who said no would also have endorsed yes? A sweep over beta, where F' is not known.

Beta is the share of raters with a negative forced choice who find the nearest positive option reasonable as well. It
moves decisions, and with them the judge that does best and the judge that a definition selects.

References
----------
"Validating LLM-as-a-Judge Systems in the Absence of Gold Labels", section 7 and Table 2.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Flags, Floats
from dissensus.errors import OptionError
from dissensus.methods.judges.vectors import SLACK, mean_of, reaches

# ---- What if some of those who said no would also have endorsed yes? A sweep over beta, where F' is not known

LeakMapping = Literal["keep", "paper"]
MAPPINGS: tuple[LeakMapping, ...] = ("keep", "paper")
DECIMALS = 12
"""Flip points that agree to so many decimals are one."""

Select = Callable[[Floats, float], Mapping[str, int | None]]
"""Called as select(marginals, tau) with people's Omega, of shape (n_items, n_options): which judge each definition
selects; None where it is undefined for every judge."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownSets:
    """Items on which people gave response sets, so that beta changes nothing there.

    Attributes
    ----------
    is_known : ndarray of shape (n_items,)
        Which items.
    marginals : ndarray of shape (n_items, n_options)
        Omega; read on those items only.
    positive : ndarray of shape (n_items,)
        Share of the response sets with a positive option; read on those items only.
    """

    is_known: Flags
    marginals: Floats
    positive: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SweepPoint:
    """What follows if beta is so much, at one threshold.

    Attributes
    ----------
    beta, tau : float
        The share that leaks, and the threshold of the decision.
    prevalence : float
        Share of the items that people decide positive.
    selected : mapping of str to int
        The judge that each definition selects; None where it is undefined.
    best : int
        The judge that decides most often as people do, the first one of those that tie.
    consistency, bias : ndarray of shape (n_judges,)
        Share of the items on which judge and people decide alike; the judge's prevalence less people's.
    """

    beta: float
    tau: float
    prevalence: float
    selected: Mapping[str, int | None]
    best: int
    consistency: Floats
    bias: Floats

    def lost(self) -> dict[str, float]:
        """Consistency lost by selecting with each definition instead of taking the best judge (Table 3).

        0 or less; NaN where the definition selects nobody.
        """
        top = float(self.consistency[self.best])
        return {
            name: float("nan") if judge is None else float(self.consistency[judge]) - top
            for name, judge in self.selected.items()
        }


def leaked_marginals(
    soft: Floats,
    beta: npt.ArrayLike,
    positive: Flags,
    mapping: LeakMapping = "keep",
    *,
    leaking: Flags | None = None,
) -> Floats:
    """Omega if a share beta of the negative choices goes with the nearest positive option.

    Parameters
    ----------
    soft : ndarray of shape (n_items, n_options)
        O: shares of the forced choices.
    beta : float or array_like of shape (n_betas,)
        Shares that leak.
    positive : ndarray of shape (n_options,)
        Which options are positive.
    mapping : {"keep", "paper"}
        Whether such a rater endorses both options, or the positive one only, as in the paper's Table 2, where raters
        un-endorse what they chose.
    leaking : ndarray of shape (n_options,), optional
        Which options leak; all negative ones if not given.

    Returns
    -------
    ndarray of shape (n_items, n_options) or (n_betas, n_items, n_options)

    Examples
    --------
    >>> very_toxic_toxic_no = np.array([[0.1, 0.3, 0.6]])
    >>> leaked_marginals(very_toxic_toxic_no, 0.5, np.array([True, True, False]))
    array([[0.1, 0.6, 0.6]])
    >>> leaked_marginals(very_toxic_toxic_no, 0.5, np.array([True, True, False]), "paper")
    array([[0.1, 0.6, 0.3]])
    """
    if mapping not in MAPPINGS:
        raise OptionError.unknown("--mapping", mapping, MAPPINGS)
    betas = _checked_betas(beta)
    n_options = len(positive)
    leaks = np.zeros((n_options, n_options))
    rows = np.flatnonzero(_leaking(positive, leaking))
    leaks[rows, nearest_positive(positive)[rows]] = 1.0
    if mapping == "paper":
        leaks[rows, rows] -= 1.0
    endorsed = np.eye(n_options) + betas[..., None, None] * leaks
    return np.asarray(np.einsum("ik,...kl->...il", soft, endorsed))


def nearest_positive(positive: Flags) -> Codes:
    """The positive option nearest to each option in their order, the first one of two that are equally near.

    Examples
    --------
    >>> nearest_positive(np.array([True, True, False, False]))
    array([0, 1, 1, 1])
    """
    places = np.flatnonzero(positive)
    if not places.size:
        raise OptionError("No option is positive: name at least one with --positive or in the task.")
    apart = np.abs(np.arange(len(positive))[:, None] - places)
    return np.asarray(places[apart.argmin(axis=1)])


def leaked_positive(soft: Floats, beta: npt.ArrayLike, positive: Flags, *, leaking: Flags | None = None) -> Floats:
    """Probability that a response set has a positive option: O_positive + beta O_leak, under either mapping.

    Returns
    -------
    ndarray of shape (n_items,) or (n_betas, n_items)

    Examples
    --------
    >>> leaked_positive(np.array([[0.1, 0.3, 0.6]]), [0.0, 0.5], np.array([True, True, False])).round(3)
    array([[0.4],
           [0.7]])
    """
    betas = _checked_betas(beta)
    return np.asarray(soft[:, positive].sum(axis=1) + betas[..., None] * _leak_share(soft, positive, leaking))


def flip_points(soft: Floats, tau: float, positive: Flags, *, leaking: Flags | None = None) -> Floats:
    """The least beta at which each item is decided positive: (tau - O_positive) / O_leak.

    Returns
    -------
    ndarray of shape (n_items,)
        0 for an item that is positive as it is, infinity for one that no beta up to 1 makes positive.

    Examples
    --------
    >>> flip_points(np.array([[0.5, 0.5], [0.3, 0.7], [0.0, 1.0]]), 0.5, np.array([True, False])).round(4)
    array([0.    , 0.2857, 0.5   ])
    """
    check_tau(tau)
    share = soft[:, positive].sum(axis=1)
    leak = _leak_share(soft, positive, leaking)
    point = np.divide(tau - share, leak, out=np.full(len(soft), np.inf), where=leak > 0)
    point = np.where(point > 1 + SLACK, np.inf, np.minimum(point, 1.0))
    return np.where(reaches(share, tau), 0.0, point)


def _leaking(positive: Flags, leaking: Flags | None) -> Flags:
    return np.asarray(~positive if leaking is None else leaking & ~positive)


def _leak_share(soft: Floats, positive: Flags, leaking: Flags | None) -> Floats:
    return np.asarray(soft[:, _leaking(positive, leaking)].sum(axis=1))


def sweep(
    soft: Floats,
    judge_positive: Floats,
    *,
    positive: Flags,
    betas: Sequence[float],
    taus: Sequence[float],
    select: Select,
    mapping: LeakMapping = "keep",
    leaking: Flags | None = None,
    known: KnownSets | None = None,
    copies: Floats | None = None,
) -> tuple[SweepPoint, ...]:
    """Prevalence, selected and best judge, for each beta and tau.

    Parameters
    ----------
    soft : ndarray of shape (n_items, n_options)
        O: shares of people's forced choices.
    judge_positive : ndarray of shape (n_items, n_judges)
        Share of each judge's response sets with a positive option; beta is about people and leaves it alone.
    positive, leaking : ndarray of shape (n_options,)
        Which options are positive, and which leak: all others if not given.
    betas, taus : sequence of float
        The grid.
    select : callable
        Called as select(marginals, tau).
    mapping : {"keep", "paper"}
        As in `leaked_marginals`.
    known : KnownSets, optional
        Items on which people gave response sets.
    copies : ndarray of shape (n_items,), optional
        How many items of the data each one stands for; one if not given.

    Returns
    -------
    tuple of SweepPoint
        Every tau of the first beta, then of the next.
    """
    for tau in taus:
        check_tau(tau)
    points = []
    for beta in betas:
        marginals = leaked_marginals(soft, beta, positive, mapping, leaking=leaking)
        share = leaked_positive(soft, beta, positive, leaking=leaking)
        if known is not None:
            marginals = np.where(known.is_known[:, None], known.marginals, marginals)
            share = np.where(known.is_known, known.positive, share)
        points += [_point(beta, tau, share, judge_positive, select(marginals, tau), copies) for tau in taus]
    return tuple(points)


def _point(
    beta: float,
    tau: float,
    share: Floats,
    judge_positive: Floats,
    selected: Mapping[str, int | None],
    copies: Floats | None,
) -> SweepPoint:
    people, judges = reaches(share, tau), reaches(judge_positive, tau)
    consistency, prevalence = mean_of(judges == people[:, None], copies), mean_of(people, copies)
    return SweepPoint(
        beta=float(beta),
        tau=float(tau),
        prevalence=float(prevalence),
        selected=dict(selected),
        best=int(consistency.argmax()),
        consistency=consistency,
        bias=mean_of(judges, copies) - prevalence,
    )


def check_tau(tau: float) -> None:
    """Raise unless a threshold lies above 0 and not above 1."""
    if not 0 < tau <= 1:
        raise OptionError(f"--tau cannot be {tau:g}: give a share above 0 and at most 1, such as 0.5.")


def _checked_betas(beta: npt.ArrayLike) -> Floats:
    betas = np.asarray(beta, dtype=np.float64)
    wrong = betas[~((betas >= 0) & (betas <= 1))]
    if wrong.size:
        raise OptionError(f"--beta cannot be {wrong.flat[0]:g}: give shares from 0 to 1, such as 0,0.1,0.2.")
    return betas


@dataclass(frozen=True, slots=True, kw_only=True)
class BestChange:
    """From this beta on, another judge decides most often as people do."""

    tau: float
    beta: float
    before: int
    after: int


def best_changes(
    soft: Floats,
    judge_positive: Floats,
    tau: float,
    *,
    positive: Flags,
    leaking: Flags | None = None,
    known: KnownSets | None = None,
    copies: Floats | None = None,
) -> tuple[BestChange, ...]:
    """Every beta at which another judge becomes best.

    Consistency changes only where an item flips, so walking through the flip points finds all of them.

    Parameters
    ----------
    soft, judge_positive, positive, leaking, known, copies
        As in `sweep`.
    tau : float
        Threshold of the decision.

    Examples
    --------
    >>> soft = np.array([[0.3, 0.7], [0.4, 0.6], [0.9, 0.1]])
    >>> strict_and_lenient = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]])
    >>> changes = best_changes(soft, strict_and_lenient, 0.52, positive=np.array([True, False]))
    >>> [(change.beta, change.before, change.after) for change in changes]  # (.52 - .3) / .7
    [(0.314285714286, 0, 1)]
    """
    point = np.round(flip_points(soft, tau, positive, leaking=leaking), DECIMALS)
    if known is not None:
        point = np.where(known.is_known, np.where(reaches(known.positive, tau), 0.0, np.inf), point)
    judges = reaches(judge_positive, tau).astype(np.intp)
    flips = np.unique(point[(point > 0) & np.isfinite(point)])
    # Items agreed upon below the first flip point, then what each flip adds: +1 where the judge says positive, else -1.
    times = np.ones(len(point), dtype=np.intp) if copies is None else copies.astype(np.intp)
    agreed = (times[:, None] * np.where((point <= 0)[:, None], judges, 1 - judges)).sum(axis=0)
    gained = np.zeros((len(flips), judges.shape[1]), dtype=np.intp)
    flipping = np.isin(point, flips)
    changed = times[flipping, None] * (2 * judges[flipping] - 1)
    np.add.at(gained, np.searchsorted(flips, point[flipping]), changed)
    best = np.vstack([agreed, agreed + np.cumsum(gained, axis=0)]).argmax(axis=1)
    return tuple(
        BestChange(tau=tau, beta=float(flips[i]), before=int(best[i]), after=int(best[i + 1]))
        for i in np.flatnonzero(np.diff(best)).tolist()
    )
