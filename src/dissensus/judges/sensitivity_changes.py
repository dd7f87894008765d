"""Where another judge becomes best as beta grows: exactly, not between two points of a grid."""

from dataclasses import dataclass

import numpy as np

from dissensus.judges.aggregation import Flags, Floats, reaches
from dissensus.judges.sensitivity import DECIMALS, KnownSets, flip_points


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
