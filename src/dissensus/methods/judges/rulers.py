"""Rulers beside the judges: the best constant answer, one more person, and a perfect judge.

A person can only be compared with the other raters of an item. So each rating is left out in turn, exactly, and judges,
constants, the person left out and a judge who knows every item's distribution are compared with those who remain: on
the same items and the same reduced panels, each item counting the same. Labels that tie there share the item.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.methods.equivalence.ceiling import fit_mixtures
from dissensus.methods.judges.answers import shares
from dissensus.methods.judges.definitions import BLIND, COEFFICIENTS, SLACK, RatingVectors
from dissensus.methods.judges.reverse_matrix import apply_reverse, share_meeting
from dissensus.methods.judges.scoring import Problem, Scores, scores_of, statistics_of
from dissensus.methods.judges.setup import Prepared

FEWEST_ITEMS = 20  # items with two ratings or more: with fewer, a person's figure would be mostly noise
MOST_LABELS = 12  # of more labels the most frequent ones and the one in the middle are tried as constants
MOST_TYPES = 1000  # of more different items evenly taken ones stand for the rest where item states are fitted
FEWEST = 2  # ratings: one to leave out and one to compare with
DRAWN_CELLS = 200_000
MOST_DRAWS = 400
"""Draws of what a perfect judge knows: about this many numbers in all, and at most this many draws of each item."""
STREAM = 0x9E5FEC  # keeps the random numbers of perfect judges apart from others

Kind = Literal["choices", "sets"]


class Vectors(NamedTuple):
    """Rating vectors, and the share of response sets with a positive option, each of shape (...)."""

    ratings: RatingVectors
    positive: Floats


# ---- Constants


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BestConstant:
    """The best constant answer by one definition."""

    answer: str | Mapping[str, float]  # a label, or the overall shares of the labels
    place: int  # among the constants that were tried
    value: float

    @property
    def is_random(self) -> bool:
        """Whether it is the overall shares, from which hard labels are drawn at random."""
        return not isinstance(self.answer, str)


def constant_answers(prepared: Prepared) -> tuple[list[str | Mapping[str, float]], Vectors]:
    """Labels, then the overall shares, as answers of shape (n_constants, n_options)."""
    problem, options = prepared.problem, prepared.space.options
    weights = problem.weights * problem.is_chosen
    overall = np.einsum("i,ik->k", weights, problem.people.soft) / weights.sum()
    places = np.arange(len(options))
    if len(places) > MOST_LABELS:
        order = places if problem.numbers is None else np.argsort(problem.numbers, kind="stable")
        middle = order[int(np.searchsorted(np.cumsum(overall[order]), 0.5))]
        frequent = np.argsort(-overall, kind="stable")[: MOST_LABELS - 1]
        places = np.unique(np.append(frequent, middle))
    single = np.eye(len(options))[places]
    told, positive = prepared.layout.implied_by_choices(single)
    marginals = np.einsum("i,ik->k", problem.weights, problem.people.marginals) / problem.weights.sum()
    share = 0.0 if problem.people_positive is None else float(
        np.einsum("i,i->", problem.weights, problem.people_positive) / problem.weights.sum()
    )  # fmt: skip
    answers: list[str | Mapping[str, float]] = [options[place] for place in places]
    answers.append(dict(zip(options, overall.tolist(), strict=True)))
    vectors = RatingVectors(soft=np.vstack([single, overall]), marginals=np.vstack([told, marginals]))
    return answers, Vectors(vectors, np.append(positive, share))


def best_constants(prepared: Prepared) -> list[BestConstant | None]:
    """The best constant by each definition: a label, or the overall shares where distributions are compared.

    Where every judge gives single labels, so does the constant. Answering at random by the overall shares has 0 of
    agreement beyond chance.
    """
    answers, vectors = constant_answers(prepared)
    problem = prepared.problem
    asked = with_judges(problem, every_item(vectors, problem.n_items))
    values = scores_of(asked, statistics_of(asked), asked.pool_weights[None, :]).values[0]
    gives_labels = give_labels(problem)
    best: list[BestConstant | None] = []
    for definition, own in zip(problem.definitions, values, strict=True):
        tried = definition.sign * own
        if definition.name in COEFFICIENTS:
            tried[-1] = 0.0
        elif gives_labels or definition.judge in {"hard", "hard_response_set"}:
            tried[-1] = np.nan
        if definition.name == BLIND or np.isnan(tried).all():
            best.append(None)
            continue
        place = int(np.nanargmax(tried))
        value = definition.sign * float(tried[place])
        best.append(BestConstant(answer=answers[place], place=place, value=value))
    return best


def give_labels(problem: Problem) -> bool:
    """Whether every judge that does not give the same answer everywhere gives single labels only."""
    asked = problem.judges.soft[:, ~is_constant(problem)]
    return bool(asked.shape[1]) and bool((asked.max(axis=-1) >= 1 - SLACK).all())


def is_constant(problem: Problem) -> Flags:
    """Which judges give the same answer to every item, of shape (n_judges,)."""
    parts = (problem.judges.soft, problem.judges.choices, problem.judges.marginals)
    return np.asarray(np.all([(np.ptp(part, axis=0) <= SLACK).all(axis=-1) for part in parts], axis=0))


def beats_constant(prepared: Prepared, constants: Sequence[BestConstant | None], values: Floats) -> Flags:
    """Which judges are better than the best constant, from values of shape (n_definitions, n_judges)."""
    signs = np.array([definition.sign for definition in prepared.problem.definitions])
    worst = np.array([-np.inf if one is None else sign * one.value for one, sign in zip(constants, signs, strict=True)])
    with np.errstate(invalid="ignore"):
        is_better = signs[:, None] * values > worst[:, None] + SLACK
    return np.asarray(is_better & ~is_constant(prepared.problem))


def every_item(vectors: Vectors, n_items: int) -> Vectors:
    """The same answers, of shape (n_judges, n_options), to every item."""
    soft, marginals = vectors.ratings.soft, vectors.ratings.marginals
    return Vectors(
        RatingVectors(
            soft=np.broadcast_to(soft, (n_items, *soft.shape)),
            marginals=np.broadcast_to(marginals, (n_items, *marginals.shape)),
        ),
        np.broadcast_to(vectors.positive, (n_items, *vectors.positive.shape)),
    )


def with_judges(problem: Problem, judges: Vectors) -> Problem:
    """The problem with these judges, whose answers are of shape (n_items, n_judges, n_options)."""
    return replace(
        problem,
        judges=judges.ratings,
        judge_positive=None if problem.judge_positive is None else judges.positive,
        has_both=np.zeros(judges.ratings.soft.shape[:2], dtype=np.bool_),
    )


# ---- Panels without one rater


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panels:
    """Every item without each of its ratings; labels that tie among the others have a row each."""

    kind: Kind  # what was left out
    item: Codes  # (n_rows,)
    cell: Codes  # (n_rows,): the option or set of the rating that was left out
    problem: Problem  # its people are those who remain, its weights parts of items; its judges are to be set
    items: int  # how many items have two ratings or more


def reduced_panels(prepared: Prepared, counts: Floats, weights: Floats, kind: Kind) -> Panels:
    """The panels without one rating of items with these counts, of shape (n_items, n_cells); the problem has no judges.

    Items with one rating have no panel.
    """
    total = counts.sum(axis=1)
    item, cell = np.nonzero(counts * (total >= FEWEST)[:, None])
    others = (counts[item] - np.eye(counts.shape[1])[cell]) / (total[item] - 1)[:, None]
    part = counts[item, cell] / total[item] * weights[item]
    people = vectors_of(prepared, others, kind)
    is_first = people.ratings.soft >= people.ratings.soft.max(axis=1, keepdims=True) - SLACK
    row, label = np.nonzero(is_first)
    problem = prepared.problem
    reduced = replace(
        problem, people=replace(people.ratings.of(row), stated=np.eye(is_first.shape[1])[label]),
        people_positive=None if problem.people_positive is None else people.positive[row],
        is_chosen=np.ones(len(row), dtype=np.bool_), is_reversed=np.zeros(len(row), dtype=np.bool_), reversal=None,
        pool=len(row), pool_copies=(part / is_first.sum(axis=1))[row],
    )  # fmt: skip
    items = int(weights[total >= FEWEST].sum())
    return Panels(kind=kind, item=item[row], cell=cell[row], problem=reduced, items=items)


def vectors_of(prepared: Prepared, distribution: Floats, kind: Kind) -> Vectors:
    """Rating vectors of distributions over options or sets, of shape (..., n_cells), as those of people are made."""
    layout, members = prepared.layout, prepared.space.members
    if kind == "sets":
        soft = np.einsum("...v,vk->...k", distribution, shares(members.astype(np.float64)))
        marginals = np.einsum("...v,vk->...k", distribution, members.astype(np.float64))
        return Vectors(RatingVectors(soft=soft, marginals=marginals), distribution @ layout.meets)
    reversal = prepared.problem.reversal
    if reversal is None:
        marginals, positive = layout.implied_by_choices(distribution)
    else:
        matrix, flat = reversal.matrix(), distribution.reshape(-1, distribution.shape[-1])
        marginals = apply_reverse(flat, matrix, members).reshape(distribution.shape)
        positive = share_meeting(flat, matrix, layout.meets).reshape(distribution.shape[:-1])
    return Vectors(RatingVectors(soft=distribution, marginals=marginals), positive)


def person_of(prepared: Prepared, panels: Panels) -> Vectors:
    """The rating that was left out as the answer of a judge, of shape (n_rows, 1, n_options)."""
    n_cells = len(prepared.space.options) if panels.kind == "choices" else len(prepared.space.members)
    given = np.eye(n_cells)[panels.cell][:, None, :]
    if panels.kind == "sets":
        return vectors_of(prepared, given, "sets")
    # Who makes a choice gives it as the whole set, as judges do.
    marginals, positive = prepared.layout.implied_by_choices(given)
    return Vectors(RatingVectors(soft=given, marginals=marginals), positive)


# ---- A judge who knows each item's distribution


def dirichlet_weights(counts: Floats, items: Floats) -> Floats:
    """The Dirichlet distribution of item states that makes the counts most likely, its mean being that of the items.

    `counts` (n_types, n_cells): every cell was used. `items` (n_types,): how many items of each type there are. Returns
    shape (n_cells,).
    """
    from scipy.special import gammaln  # noqa: PLC0415 - takes a while to import

    total = counts.sum(axis=1)
    mean = np.einsum("t,tc->c", items, counts / total[:, None]) / items.sum()
    grid = np.exp(np.linspace(np.log(0.02), np.log(500), 120))
    fit = []
    for size in grid:
        prior = size * mean
        each = (gammaln(counts + prior) - gammaln(prior)).sum(axis=1) + gammaln(size) - gammaln(total + size)
        fit.append(float(np.einsum("t,t->", items, each)))
    return np.asarray(grid[int(np.argmax(fit))] * mean)


def perfect_draws(counts: Floats, items: Floats, draws: int, rng: Generator) -> list[Floats]:
    """Item states drawn from what two models say of each item, each of shape (n_types, draws, n_cells).

    Nobody knows the distribution of an item's labels among all people; with a model of all items, its ratings tell how
    likely each is. The models are a Dirichlet distribution and a mixture of any shape (NPMLE).
    """
    used = counts.any(axis=0)
    own = counts[:, used]
    alpha = dirichlet_weights(own, items)
    smooth = np.maximum(rng.standard_gamma((own + alpha)[:, None, :], size=(len(own), draws, len(alpha))), 1e-300)
    smooth /= smooth.sum(axis=-1, keepdims=True)
    kept = np.unique(np.linspace(0, len(own) - 1, min(MOST_TYPES, len(own))).astype(np.intp))
    mixture, *_ = fit_mixtures(own[kept].astype(np.intp), items[kept][None, :])
    logs = np.einsum("tl,gl->tg", own, np.log(mixture.states))
    chance = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)) * mixture.weights, axis=1)
    chance /= chance[:, -1:]
    state = np.stack([np.searchsorted(row, rng.random(draws), side="right") for row in chance])
    rough = mixture.states[np.minimum(state, len(mixture.states) - 1)]
    found = []
    for drawn in (smooth, rough):
        states = np.zeros((len(own), draws, counts.shape[1]))
        states[:, :, used] = drawn
        found.append(states)
    return found


# ---- All rulers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rulers:
    """Judges and rulers on panels without one rater; by definition (axis 0), or by threshold for decisions."""

    judges: Floats  # (n_definitions, n_judges)
    constants: Floats  # (n_definitions,)
    person: Floats
    perfect: Floats  # (n_definitions, 2): by two models, the lower value first
    consistency: Floats  # (n_taus, n_judges)
    person_consistency: Floats  # (n_taus,)
    perfect_consistency: Floats  # (n_taus, 2)
    constant_consistency: Floats  # (n_taus, 2): always positive, always negative
    items: tuple[int, ...]  # (n_definitions,): items with two ratings


def rulers_of(prepared: Prepared, constants: Sequence[BestConstant | None], seed: int | None) -> Rulers | None:
    """Every ruler; None if too few items have two ratings."""
    people, definitions = prepared.people, prepared.problem.definitions
    by_choice: Kind = "choices" if people.has_choice.any() else "sets"
    by_set: Kind = "sets" if people.has_set.any() else "choices"
    rng = np.random.default_rng([STREAM, seed or 0])
    done = {kind: _on_panels(prepared, kind, constants, rng) for kind in dict.fromkeys((by_choice, by_set))}
    kinds: list[Kind] = [by_choice if definition.needs_choices else by_set for definition in definitions]
    runs = [done[kind] for kind in kinds]
    decided = done[by_set]
    if decided is None or any(run is None for run in runs):
        return None

    def rows(name: str) -> Floats:
        return np.stack([getattr(run, name)[d] for d, run in enumerate(runs)])

    return replace(
        decided, judges=rows("judges"), constants=rows("constants"), person=rows("person"), perfect=rows("perfect"),
        items=tuple(run.items[0] for run in runs if run is not None),
    )  # fmt: skip


def _on_panels(
    prepared: Prepared, kind: Kind, constants: Sequence[BestConstant | None], rng: Generator
) -> Rulers | None:
    """All rulers on the panels without one rating of a kind."""
    whole, n_judges = prepared.problem, len(prepared.judges)
    panels = reduced_panels(prepared, _counts(prepared, kind), whole.weights, kind)
    if panels.items < FEWEST_ITEMS:
        return None
    problem = panels.problem
    positive = np.zeros((whole.n_items, n_judges)) if whole.judge_positive is None else whole.judge_positive
    judged = _scores(with_judges(problem, Vectors(whole.judges.of(panels.item), positive[panels.item])))
    person = _scores(with_judges(problem, person_of(prepared, panels)))
    same = _constants(prepared, problem, constants)
    perfect = _perfect(prepared, kind, rng)
    share = judged.prevalence[0]
    return Rulers(
        judges=judged.values[0],
        constants=same,
        person=person.values[0, :, 0],
        perfect=np.sort(np.stack([values for values, _ in perfect], axis=-1), axis=-1),
        consistency=judged.consistency[0] if share.size else np.zeros((0, n_judges)),
        person_consistency=person.consistency[0, :, 0],
        perfect_consistency=np.sort(np.stack([decided for _, decided in perfect], axis=-1), axis=-1),
        constant_consistency=np.stack([share, 1 - share], axis=-1),
        items=(panels.items,),
    )  # fmt: skip


def _constants(prepared: Prepared, problem: Problem, constants: Sequence[BestConstant | None]) -> Floats:
    """The value of the best constant by each definition, as it was chosen on the whole panels."""
    _, (ratings, positive) = constant_answers(prepared)
    places = sorted({one.place for one in constants if one is not None})
    chosen = Vectors(ratings.of(np.array(places, dtype=np.intp)), positive[places])
    values = _scores(with_judges(problem, every_item(chosen, problem.n_items))).values[0]
    found = []
    for one, own, definition in zip(constants, values, problem.definitions, strict=True):
        is_random = one is not None and one.is_random and definition.name in COEFFICIENTS
        found.append(float("nan") if one is None else 0.0 if is_random else float(own[places.index(one.place)]))
    return np.array(found)


def _scores(problem: Problem) -> Scores:
    return scores_of(problem, statistics_of(problem), problem.pool_weights[None, :])


def _counts(prepared: Prepared, kind: Kind) -> Floats:
    return prepared.people.choices if kind == "choices" else prepared.people.sets


def _perfect(prepared: Prepared, kind: Kind, rng: Generator) -> list[tuple[Floats, Floats]]:
    """Mean value by each definition and consistency at each threshold of a perfect judge, by each model.

    Items with the same counts are the same item here.
    """
    counts = _counts(prepared, kind)
    is_rated = counts.any(axis=1)
    types, place = np.unique(counts[is_rated], axis=0, return_inverse=True)
    items = np.bincount(place.ravel(), weights=prepared.problem.weights[is_rated], minlength=len(types))
    panels = reduced_panels(prepared, types, items.astype(np.float64), kind)
    draws = int(np.clip(DRAWN_CELLS // (len(panels.item) * types.shape[1]), 2, MOST_DRAWS))
    found = []
    for states in perfect_draws(types, items.astype(np.float64), draws, rng):
        answers = vectors_of(prepared, states, kind)
        asked = Vectors(answers.ratings.of(panels.item), answers.positive[panels.item])
        scores = _scores(with_judges(panels.problem, asked))
        found.append((scores.values[0].mean(axis=-1), scores.consistency[0].mean(axis=-1)))
    return found
