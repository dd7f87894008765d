"""Every definition and every decision in each replicate: sums over items, weighted by how often an item was drawn.

A definition is a mean over items, or made of such means, so a bootstrap replicate is a row of weights. Sums of whole
numbers are exact in any order and use BLAS; the others go through einsum, whose order is fixed, so that the number of
threads never changes a byte. Only what rests on F' is computed again in each replicate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Flags, Floats
from dissensus.methods.judges.definitions import (
    COEFFICIENTS,
    ORDERED,
    PER_ITEM,
    SECOND_IS_JUDGE,
    SECOND_IS_PEOPLE,
    Definition,
    Margins,
    RatingVectors,
    modes,
    number_of,
    over_options,
    reaches,
    smoothed,
)
from dissensus.methods.judges.reverse_matrix import Reversal, apply_reverse, own_betas, share_meeting
from dissensus.sampling import Engine, Progress, open_executor, run_tasks
from dissensus.sampling.draws import chunk_sizes, draw_strata

# ---- The arrays of a question: judges' and people's rating vectors on the items that are compared


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """What is compared; what is about positive options is None if none was called so."""

    definitions: tuple[Definition, ...]
    taus: tuple[float, ...]
    judges: RatingVectors  # (n_items, n_judges, n_options)
    judge_positive: Floats | None  # (n_items, n_judges): share of response sets with a positive option
    people: RatingVectors  # (n_items, n_options)
    people_positive: Floats | None  # (n_items,): as for the judges
    is_chosen: Flags  # (n_items,): where people's forced choices are known, or made of response sets
    is_reversed: Flags  # (n_items,): where response sets come from forced choices through F'
    reversal: Reversal | None  # the paired ratings
    positive: Flags  # (n_options,)
    meets: Floats  # (n_sets,): 1 for a response set with a positive option
    pool: int  # items that are resampled: those that are compared, then others with paired ratings
    has_both: Flags  # (n_items, n_judges): asked for a forced choice and for a response set
    smoothing: float  # added to each option of a distribution under a logarithm
    pool_copies: Floats | None = None  # (n_pool,): items of the data that each one stands for; one if None
    numbers: Floats | None = None  # (n_options,): where the options stand, if they are in an order

    @property
    def n_items(self) -> int:
        """How many items are compared; where equal items were put together, how many different ones."""
        return len(self.is_chosen)

    @property
    def pool_weights(self) -> Floats:
        """How often each item of the pool counts in the data, of shape (n_pool,)."""
        return np.ones(self.pool) if self.pool_copies is None else self.pool_copies

    @property
    def weights(self) -> Floats:
        """How often each of the compared items counts, of shape (n_items,)."""
        return self.pool_weights[: self.n_items]

    @property
    def items_in_all(self) -> int:
        """How many items of the data are compared."""
        return int(self.weights.sum())

    @property
    def items_chosen(self) -> int:
        """On how many items of the data people's forced choices are known."""
        return int(number_of(self.is_chosen, self.weights))

    def tied(self) -> tuple[int, list[int]]:
        """On how many items people's most frequent choice ties, and each judge's."""
        people, judges = modes(self.people.soft)[1], modes(self.judges.choices)[1]
        tied = number_of(judges & self.is_chosen[:, None], self.weights)
        return int(number_of(people & self.is_chosen, self.weights)), [int(items) for items in tied]

    def with_matrix(self, matrix: Floats) -> tuple[RatingVectors, Floats | None]:
        """People's vectors and positive probabilities on the reversed items, under this F'."""
        soft = self.people.soft[self.is_reversed]
        assert self.reversal is not None  # noqa: S101 - the caller has its matrix
        marginals = apply_reverse(soft, matrix, self.reversal.members)
        positive = None if self.people_positive is None else share_meeting(soft, matrix, self.meets)
        return RatingVectors(soft=soft, marginals=marginals), positive


def decisions(positive: Floats | None, taus: tuple[float, ...], shape: tuple[int, ...]) -> Flags:
    """Which probabilities of a positive response set reach which threshold, of shape (n_items, n_taus, ...).

    `shape` is that of the probabilities; None if no option was called positive, and then there is nothing to decide.
    """
    if positive is None:
        return np.zeros((shape[0], 0, *shape[1:]), dtype=np.bool_)
    return np.stack([reaches(positive, tau) for tau in taus], axis=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """What there is to know about every judge, in each replicate."""

    values: Floats  # (n_replicates, n_definitions, n_judges); NaN where undefined
    consistency: Floats  # (n_replicates, n_taus, n_judges): share of the items that judge and people decide the same
    judged_positive: Floats  # (n_replicates, n_taus, n_judges): share of the items that the judge decides positive
    prevalence: Floats  # (n_replicates, n_taus): share of the items that people decide positive
    bias: Floats  # (n_replicates, n_taus, n_judges): what judges decide positive less what people do
    reverse: Floats  # (n_replicates, n_options, n_sets): F'; empty without paired ratings
    own_beta: Floats  # (n_replicates, n_judges); NaN where it is unknown


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Statistics:
    """What each item adds to the sums, as people's vectors are."""

    per_item: Floats  # (n_items, n_definitions, n_judges); zeros for the coefficients
    hard_judges: Floats  # (n_items, n_judges, n_options)
    hard_people: Floats  # (n_items, n_options)
    judge_decisions: Flags  # (n_items, n_taus, n_judges)
    people_decisions: Flags  # (n_items, n_taus)


def statistics_of(problem: Problem) -> Statistics:
    """What each item adds to the sums."""
    shape = problem.judges.soft.shape[:2]
    return Statistics(
        per_item=item_values(problem, problem.definitions, problem.judges, problem.people),
        hard_judges=problem.judges.aggregated("hard"),
        hard_people=problem.people.aggregated("hard"),
        judge_decisions=decisions(problem.judge_positive, problem.taus, shape),
        people_decisions=decisions(problem.people_positive, problem.taus, shape[:1]),
    )


def item_values(
    problem: Problem, definitions: Sequence[Definition], judges: RatingVectors, people: RatingVectors
) -> Floats:
    """Value of each definition for each item and judge, of shape (n_items, n_definitions, n_judges).

    Zeros for coefficients of agreement, which no single item has.
    """
    of_judges, of_people = cache(judges.aggregated), cache(people.aggregated)
    values = np.zeros((len(people.soft), len(definitions), judges.soft.shape[1]))
    for place, definition in enumerate(definitions):
        if definition.name in COEFFICIENTS:
            continue
        judge = of_judges(definition.judge, definition.tau)
        human = of_people(definition.human, definition.tau)[:, None, :]
        if definition.name in ORDERED:
            assert problem.numbers is not None  # noqa: S101 - as its definitions say
            values[:, place] = ORDERED[definition.name](judge, human, problem.numbers)
            continue
        if definition.name in SECOND_IS_JUDGE:
            judge = smoothed(judge, problem.smoothing)
        if definition.name in SECOND_IS_PEOPLE:
            human = smoothed(human, problem.smoothing)
        values[:, place] = PER_ITEM[definition.name](judge, human)
    return values


def scores_of(problem: Problem, statistics: Statistics, weights: Floats) -> Scores:
    """The scores under each row of weights of the pool, of shape (n_replicates, n_pool)."""
    compared = weights[:, : problem.n_items]
    chosen = compared * problem.is_chosen
    anew = _reversed(problem, statistics, weights)
    values = _definition_values(problem, statistics, compared, chosen, anew)
    alike = statistics.judge_decisions == statistics.people_decisions[:, :, None]
    total = compared.sum(axis=1)[:, None]
    consistency, prevalence = _totals(compared, alike), _totals(compared, statistics.people_decisions)
    if anew is not None:
        consistency, prevalence = consistency + anew.alike, prevalence + anew.positive
    judged, decided = _totals(compared, statistics.judge_decisions) / total[:, :, None], prevalence / total
    return Scores(
        values=values, consistency=consistency / total[:, :, None], judged_positive=judged, prevalence=decided,
        bias=judged - decided[:, :, None], reverse=np.zeros((len(weights), 0, 0)) if anew is None else anew.matrix,
        own_beta=_own_betas(problem, compared),
    )  # fmt: skip


def _own_betas(problem: Problem, weights: Floats) -> Floats:
    """Of the judges that answered in both elicitations."""
    if problem.judge_positive is None or not problem.has_both.any():
        return np.full((len(weights), problem.has_both.shape[1]), np.nan)
    return own_betas(
        problem.judges.soft, problem.judge_positive,
        positive=problem.positive, has_both=problem.has_both, weights=weights,
    )  # fmt: skip


def _totals(weights: Floats, per_item: Flags) -> Floats:
    """Weighted number of items that have something: whole numbers, exact in any order; of parts in a fixed one."""
    flat = per_item.reshape(len(per_item), -1).astype(np.float64)
    if len(weights) == 1:
        return np.asarray(np.einsum("ri,ix->rx", weights, flat).reshape(1, *per_item.shape[1:]))
    return np.asarray((weights @ flat).reshape(len(weights), *per_item.shape[1:]))


def _definition_values(
    problem: Problem, statistics: Statistics, compared: Floats, chosen: Floats, anew: "_Anew | None"
) -> Floats:
    """Values of all definitions, of shape (n_replicates, n_definitions, n_judges)."""
    needs_choices = np.array([definition.needs_choices for definition in problem.definitions])
    sums = np.einsum("ri,idj->rdj", compared, statistics.per_item)
    if not problem.is_chosen.all():
        sums[:, needs_choices] = np.einsum("ri,idj->rdj", chosen, statistics.per_item[:, needs_choices])
    if anew is not None:
        sums[:, ~needs_choices] += anew.sums
    items = np.where(needs_choices, chosen.sum(axis=1)[:, None], compared.sum(axis=1)[:, None])[:, :, None]
    values: Floats = np.divide(sums, items, out=np.full_like(sums, np.nan), where=items > 0)
    margins = _margins(statistics, chosen, problem.numbers)
    for place, definition in enumerate(problem.definitions):
        if definition.name in COEFFICIENTS:
            values[:, place] = COEFFICIENTS[definition.name](margins)
    return values


def _margins(statistics: Statistics, weights: Floats, numbers: Floats | None) -> Margins:
    """Agreement of hard labels and the shares of each label; NaN in a replicate without items."""
    items = weights.sum(axis=1)
    items = np.where(items > 0, items, np.nan)
    hits = over_options(statistics.hard_judges * statistics.hard_people[:, None, :])
    squared = None
    if numbers is not None:
        judged, given = (over_options(side * numbers) for side in (statistics.hard_judges, statistics.hard_people))
        squared = np.einsum("ri,ij->rj", weights, (judged - given[:, None]) ** 2) / items[:, None]
    return Margins(
        squared=squared, numbers=numbers, items=items[:, None], agreement=_totals(weights, hits > 0) / items[:, None],
        judge=_totals(weights, statistics.hard_judges > 0) / items[:, None, None],
        people=_totals(weights, statistics.hard_people > 0)[:, None, :] / items[:, None, None],
    )  # fmt: skip


class _Anew(NamedTuple):
    """How the sums of each replicate differ because F' does."""

    sums: Floats
    alike: Floats
    positive: Floats
    matrix: Floats


def _reversed(problem: Problem, statistics: Statistics, weights: Floats) -> _Anew | None:
    """What to add to the sums over reversed items, with F' estimated in each replicate."""
    if problem.reversal is None:
        return None
    rows = np.flatnonzero(problem.is_reversed)
    definitions = [definition for definition in problem.definitions if not definition.needs_choices]
    places = [place for place, definition in enumerate(problem.definitions) if not definition.needs_choices]
    judges = problem.judges.of(rows)
    judged, before = statistics.judge_decisions[rows], statistics.people_decisions[rows]
    values_before = statistics.per_item[rows][:, places]
    matrices = problem.reversal.matrix(weights)
    sums, alike, positive = [], [], []
    for row, matrix in zip(weights[:, rows], matrices, strict=True):
        people, share = problem.with_matrix(matrix)
        after = decisions(share, problem.taus, rows.shape)
        change = item_values(problem, definitions, judges, people) - values_before
        sums.append(np.einsum("i,idj->dj", row, change))
        same = (judged == after[:, :, None]).astype(np.float64) - (judged == before[:, :, None])
        alike.append(np.einsum("i,itj->tj", row, same))
        positive.append(np.einsum("i,it->t", row, after.astype(np.float64) - before))
    return _Anew(np.array(sums), np.array(alike), np.array(positive), matrices)


# ---- Bootstrap samples of the items, the same for every judge and every definition

REPLICATES_PER_TASK = 50  # fixed, so that the streams of random numbers do not depend on the number of workers


def bootstrap_scores(
    problem: Problem, statistics: Statistics, *, replicates: int, rng: int | Generator | None, engine: Engine,
    workers: int, progress: Progress | None,
) -> Scores | None:  # fmt: skip
    """Scores of bootstrap samples; None if there are to be none."""
    sizes = [min(REPLICATES_PER_TASK, replicates - done) for done in range(0, replicates, REPLICATES_PER_TASK)]
    if not sizes:
        return None
    tasks = [(problem, statistics, size) for size in sizes]
    with open_executor(engine, workers=workers) as executor:
        parts = run_tasks(executor, _run, tasks, rng=rng, progress=progress)
    return _joined(parts)


def _run(task: tuple[Problem, Statistics, int], rng: Generator) -> Scores:
    problem, statistics, replicates = task
    strata = (problem.n_items, problem.pool - problem.n_items)
    parts = []
    for size in chunk_sizes(replicates, problem.pool):
        weights = draw_strata(strata, size, rng, copies=problem.pool_copies)
        parts.append(scores_of(problem, statistics, weights))
    return _joined(parts)


def _joined(parts: Sequence[Scores]) -> Scores:
    """Replicates one after the other."""
    names = Scores.__dataclass_fields__
    return Scores(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})
