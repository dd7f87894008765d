"""What if some of those who said no would also have endorsed yes? A sweep over beta, where F' is not known.

Beta is the share of raters with a negative forced choice who find the nearest positive option reasonable as well. It
moves decisions, and with them the judge that does best and the judge that a definition selects.

References
----------
"Validating LLM-as-a-Judge Systems in the Absence of Gold Labels", section 7 and Table 2.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Flags, Floats
from dissensus.errors import OptionError
from dissensus.methods.judges.definitions import BLIND, SLACK, RatingVectors, mean_of, reaches
from dissensus.methods.judges.result import FlipPoint, JudgesOptions, LeakMapping, Sensitivity
from dissensus.methods.judges.scoring import Problem, item_values
from dissensus.methods.judges.summary import ranks
from dissensus.options import named

DECIMALS = 12  # flip points that agree to this many decimals are one
DEFAULT_BETAS = tuple(round(0.05 * step, 2) for step in range(11))
"""From 0 to .5: beyond it most of those who said no would have meant yes as well."""

Select = Callable[[Floats, float], Mapping[str, int | None]]
"""Called as select(marginals, tau) with people's Omega, of shape (n_items, n_options): which judge each definition
selects; None where it is undefined for every judge."""


# ---- What leaks, and where items flip


def leaked_marginals(soft: Floats, beta: npt.ArrayLike, positive: Flags, mapping: LeakMapping = "keep") -> Floats:
    """Omega if a share beta of the negative choices goes with the nearest positive option.

    `soft` (n_items, n_options): o: shares of the forced choices. Omega is of the same shape, or (n_betas, n_items,
    n_options) for several betas. `positive` (n_options,): which options are positive; all others leak. `mapping`:
    whether such a rater endorses both options, or the positive one only, as in the paper's Table 2, where raters
    un-endorse what they chose.
    """
    betas = _checked_betas(beta, mapping)
    leaks = np.zeros((len(positive), len(positive)))
    rows = np.flatnonzero(~positive)
    leaks[rows, nearest_positive(positive)[rows]] = 1.0
    if mapping == "paper":
        leaks[rows, rows] -= 1.0
    endorsed = np.eye(len(positive)) + betas[..., None, None] * leaks
    return np.asarray(np.einsum("ik,...kl->...il", soft, endorsed))


def nearest_positive(positive: Flags) -> Codes:
    """The positive option nearest to each option in their order, the first one of two that are equally near."""
    places = np.flatnonzero(positive)
    if not places.size:
        raise OptionError(f"No option is positive: name at least one with {named('positive')} or in the task.")
    apart = np.abs(np.arange(len(positive))[:, None] - places)
    return np.asarray(places[apart.argmin(axis=1)])


def leaked_positive(soft: Floats, beta: npt.ArrayLike, positive: Flags) -> Floats:
    """Probability that a response set has a positive option: O_positive + beta O_leak, under either mapping.

    Of shape (n_items,), or (n_betas, n_items) for several betas.
    """
    leak = soft[:, ~positive].sum(axis=1)
    return np.asarray(soft[:, positive].sum(axis=1) + _checked_betas(beta)[..., None] * leak)


def flip_points(soft: Floats, tau: float, positive: Flags) -> Floats:
    """The least beta at which each item is decided positive: (tau - O_positive) / O_leak, of shape (n_items,).

    0 for an item that is positive as it is, infinity for one that no beta up to 1 makes positive.
    """
    JudgesOptions(tau=(tau,))  # raises where there is no such threshold
    share = soft[:, positive].sum(axis=1)
    leak = soft[:, ~positive].sum(axis=1)
    point = np.divide(tau - share, leak, out=np.full(len(soft), np.inf), where=leak > 0)
    point = np.where(point > 1 + SLACK, np.inf, np.minimum(point, 1.0))
    return np.where(reaches(share, tau), 0.0, point)


def _checked_betas(beta: npt.ArrayLike, mapping: LeakMapping = "keep") -> Floats:
    betas = np.asarray(beta, dtype=np.float64)
    JudgesOptions(beta=tuple(betas.ravel().tolist()), mapping=mapping)  # raises where they cannot be
    return betas


# ---- Decisions under each beta, and where another judge becomes best


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownSets:
    """Items on which people gave response sets, so that beta changes nothing there."""

    is_known: Flags  # (n_items,): the others are read on those only
    marginals: Floats  # (n_items, n_options): Omega
    positive: Floats  # (n_items,): share of the response sets with a positive option


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SweepPoint:
    """What follows if beta is so much, at one threshold: a Sensitivity whose judges are numbers."""

    beta: float
    tau: float
    prevalence: float
    selected: Mapping[str, int | None]
    best: int
    consistency: Floats

    def lost(self) -> dict[str, float]:
        """Consistency lost by selecting with each definition instead of taking the best judge (Table 3).

        0 or less; NaN where the definition selects nobody.
        """
        top = float(self.consistency[self.best])
        return {
            name: float("nan") if judge is None else float(self.consistency[judge]) - top
            for name, judge in self.selected.items()
        }


def sweep(
    soft: Floats, judge_positive: Floats, *, positive: Flags, betas: Sequence[float], taus: Sequence[float],
    select: Select, mapping: LeakMapping = "keep", known: KnownSets | None = None, weights: Floats | None = None,
) -> tuple[SweepPoint, ...]:  # fmt: skip
    """Prevalence, selected and best judge: every tau of the first beta, then of the next.

    `soft`, `positive`, `mapping`: as in `leaked_marginals`. `judge_positive` (n_items, n_judges): share of
    each judge's response sets with a positive option; beta is about people and leaves it alone. `betas`, `taus`: the
    grid. `select`: called as select(marginals, tau). `known`: items on which people gave response sets. `weights`
    (n_items,): how often each item counts; once if not given.
    """
    items = np.ones(len(soft)) if weights is None else weights
    points = []
    for beta in betas:
        marginals = leaked_marginals(soft, beta, positive, mapping)
        share = leaked_positive(soft, beta, positive)
        if known is not None:
            marginals = np.where(known.is_known[:, None], known.marginals, marginals)
            share = np.where(known.is_known, known.positive, share)
        for tau in taus:
            people, judges = reaches(share, tau), reaches(judge_positive, tau)
            consistency, prevalence = mean_of(judges == people[:, None], items), mean_of(people, items)
            point = SweepPoint(
                beta=float(beta), tau=float(tau), prevalence=float(prevalence), selected=select(marginals, tau),
                best=int(consistency.argmax()), consistency=consistency,
            )  # fmt: skip
            points.append(point)
    return tuple(points)


class BestChange(NamedTuple):
    """From this beta on, another judge decides most often as people do."""

    beta: float
    before: int
    after: int


def best_changes(
    soft: Floats, judge_positive: Floats, tau: float, *, positive: Flags, known: KnownSets | None = None,
    weights: Floats | None = None,
) -> tuple[BestChange, ...]:  # fmt: skip
    """Every beta at which another judge becomes best; parameters are as in `sweep`.

    Consistency changes only where an item flips, so walking through the flip points finds all of them.

    >>> soft = np.array([[0.3, 0.7], [0.4, 0.6], [0.9, 0.1]])
    >>> strict_and_lenient = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]])
    >>> changes = best_changes(soft, strict_and_lenient, 0.52, positive=np.array([True, False]))
    >>> [(change.beta, change.before, change.after) for change in changes]  # (.52 - .3) / .7
    [(0.314285714286, 0, 1)]
    """
    point = np.round(flip_points(soft, tau, positive), DECIMALS)
    if known is not None:
        point = np.where(known.is_known, np.where(reaches(known.positive, tau), 0.0, np.inf), point)
    judges = reaches(judge_positive, tau).astype(np.intp)
    flips = np.unique(point[(point > 0) & np.isfinite(point)])
    # Items agreed upon below the first flip point, then what each flip adds: +1 where the judge says positive, else -1.
    times = np.ones(len(point), dtype=np.intp) if weights is None else weights.astype(np.intp)
    agreed = (times[:, None] * np.where((point <= 0)[:, None], judges, 1 - judges)).sum(axis=0)
    gained = np.zeros((len(flips), judges.shape[1]), dtype=np.intp)
    flipping = np.isin(point, flips)
    np.add.at(gained, np.searchsorted(flips, point[flipping]), times[flipping, None] * (2 * judges[flipping] - 1))
    best = np.vstack([agreed, agreed + np.cumsum(gained, axis=0)]).argmax(axis=1)
    return tuple(
        BestChange(float(flips[i]), before=int(best[i]), after=int(best[i + 1]))
        for i in np.flatnonzero(np.diff(best)).tolist()
    )


# ---- The sweep on the user's own items: what each definition selects, who is best, and where that changes


class Constants(NamedTuple):
    """Constant answers that judges must beat to be selected."""

    answers: RatingVectors  # (n_constants, n_options): labels, then the overall shares
    may_share: bool  # whether the shares count, where a definition compares distributions
    beats: Flags  # (n_definitions, n_judges): which judge beats them where beta changes nothing
    are_constant: Flags  # (n_judges,): which judges are constants themselves


def sweep_problem(
    problem: Problem, values: Floats, is_known: Flags, judges: Sequence[str], options: JudgesOptions,
    constants: Constants,
) -> tuple[tuple[Sensitivity, ...], tuple[FlipPoint, ...]]:  # fmt: skip
    """The sweep over the user's betas, or ours, and where it changes its mind.

    `problem`: what is compared; it has a positive option. `values` (n_definitions, n_judges): values as people's
    vectors are; those that need forced choices only do not depend on beta. `is_known` (n_items,): items on which people
    gave response sets. `constants`: what a judge must beat to be selected.
    """
    assert problem.judge_positive is not None  # noqa: S101 - there is no sweep without a positive option
    assert problem.people_positive is not None  # noqa: S101 - as above
    soft, betas = problem.people.soft, options.beta or DEFAULT_BETAS
    known = KnownSets(is_known=is_known, marginals=problem.people.marginals, positive=problem.people_positive)
    points = sweep(
        soft, problem.judge_positive, positive=problem.positive, betas=betas, taus=problem.taus,
        select=lambda marginals, tau: _selected(problem, values, marginals, tau, constants),
        mapping=options.mapping, known=known, weights=problem.weights,
    )  # fmt: skip
    changes = [
        FlipPoint(
            definition=None, tau=tau, beta_from=change.beta, beta_to=change.beta,
            judge_from=judges[change.before], judge_to=judges[change.after],
        )
        for tau in problem.taus
        for change in best_changes(
            soft, problem.judge_positive, tau, positive=problem.positive, known=known, weights=problem.weights
        )
        if betas[0] <= change.beta <= betas[-1]
    ]  # fmt: skip
    rows = tuple(
        Sensitivity(
            beta=point.beta, tau=point.tau, prevalence=point.prevalence,
            selected={id_: None if judge is None else judges[judge] for id_, judge in point.selected.items()},
            best=judges[point.best],
            consistency=dict(zip(judges, point.consistency.tolist(), strict=True)),
            lost=point.lost(),
        )
        for point in points
    )  # fmt: skip
    return rows, (*changes, *selection_changes(rows))


def _selected(
    problem: Problem, values: Floats, marginals: Floats, tau: float, constants: Constants
) -> dict[str, int | None]:
    """The judge that each definition selects with these response sets of people; None if a constant is better."""
    people = RatingVectors(soft=problem.people.soft, marginals=marginals)
    places = [
        place for place, definition in enumerate(problem.definitions) if definition.tau is None or definition.tau == tau
    ]
    moving = [problem.definitions[place] for place in places if not problem.definitions[place].needs_choices]
    moved = mean_of(item_values(problem, moving, problem.judges, people), problem.weights)
    same = mean_of(item_values(problem, moving, _of_every_item(constants.answers), people), problem.weights)
    anew = {}
    for definition, own, constant in zip(moving, moved, same, strict=True):
        turned = definition.sign * own
        tried = constant if constants.may_share and definition.judge == "soft_response_set" else constant[:-1]
        beats = (turned > (definition.sign * tried).max() + SLACK) & ~constants.are_constant
        anew[definition.id] = np.where(beats | (definition.name == BLIND), turned, np.nan)
    chosen: dict[str, int | None] = {}
    for place in places:
        definition = problem.definitions[place]
        known = np.where(constants.beats[place], definition.sign * values[place], np.nan)
        first = np.flatnonzero(ranks(anew.get(definition.id, known)) == 1)
        chosen[definition.id] = int(first[0]) if first.size else None
    return chosen


def _of_every_item(answers: RatingVectors) -> RatingVectors:
    """The same answers to all items, of shape (1, n_constants, n_options)."""
    return RatingVectors(soft=answers.soft[None], marginals=answers.marginals[None])


def selection_changes(rows: Sequence[Sensitivity]) -> list[FlipPoint]:
    """Between which betas of the grid a definition selects another judge."""
    return [
        FlipPoint(
            definition=id_, tau=tau, beta_from=before.beta, beta_to=after.beta,
            judge_from=judge, judge_to=after.selected[id_],
        )
        for tau in dict.fromkeys(row.tau for row in rows)
        for before, after in pairwise(row for row in rows if row.tau == tau)
        for id_, judge in before.selected.items()
        if judge != after.selected[id_]
    ]  # fmt: skip
