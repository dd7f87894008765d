"""The sweep over beta on the user's own items: what each definition selects, who is best, and where that changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from dissensus.arrays import Flags, Floats
from dissensus.methods.judges.decisions import ranks
from dissensus.methods.judges.scoring import Problem, item_values
from dissensus.methods.judges.sensitivity import KnownSets, LeakMapping, SweepPoint, best_changes, sweep
from dissensus.methods.judges.vectors import RatingVectors, mean_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """What would follow if a share beta of those who chose a negative option also endorsed a positive one.

    Attributes
    ----------
    beta, tau : float
        The share, and the threshold of the decisions.
    prevalence : float
        Share of the items that people decide positive.
    selected : mapping of str to str
        The judge that each definition selects, by id.
    best : str
        The judge whose decisions are most consistent with people's.
    consistency : mapping of str to float
        Of each judge's decisions.
    lost : mapping of str to float
        Consistency lost by selecting with each definition instead of taking the best judge, by id: 0 or less.
    """

    beta: float
    tau: float
    prevalence: float
    selected: Mapping[str, str | None]
    best: str
    consistency: Mapping[str, float]
    lost: Mapping[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        named = {name: getattr(self, name) for name in self.__dataclass_fields__}
        consistency = [{"judge": judge, "value": value} for judge, value in self.consistency.items()]
        return named | {"selected": dict(self.selected), "consistency": consistency, "lost": dict(self.lost)}


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipPoint:
    """Where the sweep changes its mind.

    Attributes
    ----------
    definition : str, optional
        The id of the definition that selects another judge; None where the best judge changes.
    tau : float
        Threshold.
    beta_from, beta_to : float
        The change lies between these neighbours on the grid; they are the same where it is known exactly.
    judge_from, judge_to : str
        Before and after.
    """

    definition: str | None
    tau: float
    beta_from: float
    beta_to: float
    judge_from: str | None
    judge_to: str | None

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leak:
    """What beta is about.

    Attributes
    ----------
    positive : ndarray of shape (n_options,)
        Which options are positive.
    is_known : ndarray of shape (n_items,)
        Items on which people gave response sets, so that beta changes nothing there.
    mapping : {"keep", "paper"}
        Whether a rater who endorses a positive option, too, keeps the own choice.
    betas : tuple of float
        The grid.
    """

    positive: Flags
    is_known: Flags
    mapping: LeakMapping
    betas: tuple[float, ...]


def sweep_problem(
    problem: Problem, values: Floats, leak: Leak, judges: Sequence[str]
) -> tuple[tuple[Sensitivity, ...], tuple[FlipPoint, ...]]:
    """The sweep, and where it changes its mind.

    Parameters
    ----------
    problem : Problem
        What is compared; it has a positive option.
    values : ndarray of shape (n_definitions, n_judges)
        Values as people's vectors are; those that need forced choices only do not depend on beta.
    leak : Leak
        What beta is about.
    judges : sequence of str
        Their names.
    """
    assert problem.judge_positive is not None  # noqa: S101 - there is no sweep without a positive option
    assert problem.people_positive is not None  # noqa: S101 - as above
    soft = problem.people.soft
    known = KnownSets(is_known=leak.is_known, marginals=problem.people.marginals, positive=problem.people_positive)
    points = sweep(
        soft,
        problem.judge_positive,
        positive=leak.positive,
        betas=leak.betas,
        taus=problem.taus,
        select=lambda marginals, tau: _selected(problem, values, marginals, tau),
        mapping=leak.mapping,
        known=known,
        copies=problem.copies,
    )
    changes = [
        FlipPoint(
            definition=None,
            tau=tau,
            beta_from=change.beta,
            beta_to=change.beta,
            judge_from=judges[change.before],
            judge_to=judges[change.after],
        )
        for tau in problem.taus
        for change in best_changes(
            soft, problem.judge_positive, tau, positive=leak.positive, known=known, copies=problem.copies
        )
        if leak.betas[0] <= change.beta <= leak.betas[-1]
    ]
    rows = tuple(_row(point, judges) for point in points)
    return rows, (*changes, *selection_changes(rows))


def _selected(problem: Problem, values: Floats, marginals: Floats, tau: float) -> dict[str, int | None]:
    """The judge that each definition selects with these response sets of people, by id."""
    people = RatingVectors(soft=problem.people.soft, marginals=marginals)
    places = [place for place, own in enumerate(problem.definitions) if own.tau is None or own.tau == tau]
    moving = [problem.definitions[place] for place in places if not problem.definitions[place].needs_choices]
    moved = mean_of(item_values(problem, moving, problem.judges, people), problem.copies)
    anew = {definition.id: moved[i] for i, definition in enumerate(moving)}
    chosen: dict[str, int | None] = {}
    for place in places:
        definition = problem.definitions[place]
        first = np.flatnonzero(ranks(definition.sign * anew.get(definition.id, values[place])) == 1)
        chosen[definition.id] = int(first[0]) if first.size else None
    return chosen


def _row(point: SweepPoint, judges: Sequence[str]) -> Sensitivity:
    return Sensitivity(
        beta=point.beta,
        tau=point.tau,
        prevalence=point.prevalence,
        selected={id_: None if judge is None else judges[judge] for id_, judge in point.selected.items()},
        best=judges[point.best],
        consistency=dict(zip(judges, point.consistency.tolist(), strict=True)),
        lost=point.lost(),
    )


def selection_changes(rows: Sequence[Sensitivity]) -> list[FlipPoint]:
    """Between which betas of the grid a definition selects another judge."""
    found = []
    for tau in dict.fromkeys(row.tau for row in rows):
        for before, after in pairwise(row for row in rows if row.tau == tau):
            found += [
                FlipPoint(
                    definition=id_,
                    tau=tau,
                    beta_from=before.beta,
                    beta_to=after.beta,
                    judge_from=judge,
                    judge_to=after.selected[id_],
                )
                for id_, judge in before.selected.items()
                if judge != after.selected[id_]
            ]
    return found
