"""Surveys that are too many to enumerate: sampled, the prediction after each of them exact."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.errors import OptionError
from dissensus.methods.equivalence.ceiling import multisets
from dissensus.methods.equivalence.curve import fixed_predictions, nearest_dirichlet, predictions_from
from dissensus.methods.equivalence.influence import TypeScores
from dissensus.methods.equivalence.problem import Problem, number_of_cells
from dissensus.methods.equivalence.surveys import (
    log_factorials,
    numbers_of_subsets,
    plurality_of_draws,
    surveys_of_size,
)
from dissensus.options import named

SAMPLES = 4000
SAMPLES_AT_ONCE = 200


class Orders(NamedTuple):
    """Sampled items and an order in which their raters are asked, the same for every survey size."""

    type: Codes  # (n_samples,), ascending: every item is sampled equally often, up to one
    label: Codes  # (n_samples, most_ratings), in the order in which they come; -1 after the last


def draw_orders(problem: Problem, rng: Generator, *, samples: int) -> Orders:
    """Sample items evenly and put their ratings into a random order."""
    last = np.cumsum(problem.items)
    place = np.floor((np.arange(samples) + rng.random()) * (int(last[-1]) / samples)).astype(np.intp)
    drawn = np.searchsorted(last, place, side="right")
    most = int(problem.counts.sum(axis=1).max(initial=0))
    label = np.full((samples, most), -1, dtype=np.intp)
    for row, counts in enumerate(problem.counts[drawn]):
        ordered = rng.permutation(np.repeat(np.arange(len(counts)), counts))
        label[row, : len(ordered)] = ordered
    return Orders(drawn, label)


def sampled_scores(problem: Problem, k: int, orders: Orders) -> TypeScores:
    """Scores from sampled surveys, with the exact prediction after each and every reference rater."""
    if not problem.score.is_additive or problem.panel.combiner == "npmle" or problem.panel.learn == "cross-fit":
        raise OptionError(
            f"Samples of {k} raters are too many to enumerate here ({number_of_cells(problem, k):,} cells): lower "
            f"{named('max_raters')}, or use an additive score with a combiner that is not cross-fitted."
        )
    items = np.where(problem.counts.sum(axis=1) >= k + problem.references, problem.items, 0)
    able = np.flatnonzero(items[orders.type])
    types = orders.type[able]
    n_labels = problem.counts.shape[1]
    surveys = np.stack([(orders.label[able, :k] == label).sum(axis=1) for label in range(n_labels)], axis=1)
    parts = np.split(np.arange(len(able)), range(SAMPLES_AT_ONCE, len(able), SAMPLES_AT_ONCE))
    scores = np.concatenate([_scored(problem, items, types[part], surveys[part], k) for part in parts])
    drawn = np.bincount(types, minlength=len(items))
    total = np.bincount(types, weights=scores, minlength=len(items))
    mass = drawn / np.maximum(items, 1)
    # Of an even sample: neighbours are alike, so their differences are the noise.
    error = float(np.sqrt((np.diff(scores) ** 2).mean() / 2 / len(scores))) if len(scores) > 1 else np.nan
    return TypeScores(total / np.maximum(drawn, 1), mass, error, len(orders.type))


def _scored(problem: Problem, items: Codes, types: Codes, surveys: Codes, k: int) -> Floats:
    """Expected score of each sampled survey over the reference raters of its item."""
    reference = _reference(problem, types, surveys, k)
    scored = [
        np.einsum("nl,nl->n", reference, problem.score.of_labels()(predictions))
        for predictions in _predicted(problem, items, types, surveys, k, reference)
    ]
    return np.asarray(np.mean(scored, axis=0))


def _reference(problem: Problem, types: Codes, surveys: Codes, k: int) -> Floats:
    left = problem.counts[types] - surveys
    if problem.references == 1:
        return np.asarray(left / (problem.counts[types].sum(axis=1) - k)[:, None])
    return plurality_of_draws(left, problem.references)


def _predicted(problem: Problem, items: Codes, types: Codes, surveys: Codes, k: int, reference: Floats) -> list[Floats]:
    """What the combiner predicts after each survey; twice for the midpoint, without the item and from all."""
    fixed = fixed_predictions(problem.panel, surveys.astype(np.int32))
    if fixed is not None:
        return [fixed]
    chance = _sequence_chances(problem, items, surveys, k)
    totals = np.empty(surveys.shape)
    support = np.empty(surveys.shape)
    for row, survey in enumerate(surveys):
        able = np.flatnonzero(chance[row])
        answers = _reference(problem, able, np.broadcast_to(survey, (len(able), len(survey))), k)
        weight = items[able] * chance[row, able]
        totals[row] = np.einsum("t,tl->l", weight, answers)
        support[row] = np.einsum("t,tl->l", items[able].astype(np.float64), (answers > 0).astype(np.float64))
    panel = problem.panel
    pseudo = panel.pseudo_totals(surveys, _orders(surveys, k)) if panel.is_midpoint else 0.0
    found = [] if panel.leaves_out and not panel.is_midpoint else [predictions_from(totals + pseudo)]
    if panel.leaves_out:
        contribution = chance[np.arange(len(types)), types][:, None] * reference
        anybody = support - (contribution > 0) > 0
        others = np.where(anybody, np.maximum(totals - contribution, 0), 0)
        found.append(predictions_from(others + pseudo))
    return found


def _orders(surveys: Codes, k: int) -> Floats:
    """In how many orders the labels of each survey can come."""
    log = log_factorials(k)
    return np.asarray(np.exp(log[k] - log[surveys].sum(axis=1)))


def _sequence_chances(problem: Problem, items: Codes, surveys: Codes, k: int) -> Floats:
    """P(y|n) of each sampled survey for each type of item, of shape (n_samples, n_types); by logarithms."""
    total = problem.counts.sum(axis=1)
    log = log_factorials(int(total.max()))
    with np.errstate(invalid="ignore"):
        chance = np.tile(np.where(items > 0, log[np.maximum(total - k, 0)] - log[total], -np.inf), (len(surveys), 1))
    for label in range(surveys.shape[1]):
        given, asked = problem.counts[:, label][None, :], surveys[:, label][:, None]
        chance += np.where(given >= asked, log[given] - log[np.maximum(given - asked, 0)], -np.inf)
    return np.asarray(np.exp(chance))


# ---- The same of many sizes at once: surveys grow by a rater at a time, and with them the chances of all types

PAIRS, FEWEST_PAIRS = 5000, 1000
CHANCES = 15_000_000
"""Sampled items times types: where there are more types, fewer items are sampled."""
ROWS_AT_ONCE = 128
DENSE = 40_000_000
"""Surveys times types up to which all surveys of a size are gone through, with a combiner learned from all items."""
FEW = 24
"""Types that allow at most this many surveys of a size have all of them gone through: few of their raters are left."""
SINGLE = np.float32
"""Chances of surveys are good to six digits, which is far more than sampling them is."""
ROUNDING = 1e-5
"""Share of all answers below which a label's part is rounding."""


def can_grow(problem: Problem) -> bool:
    """Whether surveys can be sampled for all sizes at once."""
    return problem.panel.combiner == "abc" and problem.panel.learn != "cross-fit" and problem.references == 1


def draw_pairs(problem: Problem, rng: Generator) -> Orders:
    """Items sampled evenly, each with an order of its raters and the same order backwards."""
    number = min(PAIRS, max(FEWEST_PAIRS, CHANCES // len(problem.counts)), int(problem.items.sum()))
    first = draw_orders(problem, rng, samples=number)
    size = (first.label >= 0).sum(axis=1)[:, None]
    column = np.arange(first.label.shape[1])[None, :]
    back = np.take_along_axis(first.label, np.where(column < size, size - 1 - column, column), axis=1)
    return Orders(np.repeat(first.type, 2), np.stack([first.label, back], axis=1).reshape(2 * number, -1))


def grown_scores(problem: Problem, sizes: Sequence[int], orders: Orders) -> dict[int, TypeScores]:
    """Scores of the sizes from sampled pairs of orders, and from all surveys of types that allow few of them.

    The expectation of three things is known exactly, and what the sampled ones are off is taken off the scores: how
    often the survey agrees with its reference raters, the score of the Dirichlet distribution nearest to the data, and
    that of a combiner learned from all items, of the same size or of the largest whose surveys are few enough, asking
    the first of the raters only.
    """
    inside = {k: inside_scores(problem, k) for k in sizes if _is_dense(problem, k)}
    largest = max(inside, default=0)
    surveys = _label_counts(orders.label[:, : sizes[0]], problem.counts.shape[1])
    alike = np.lexsort(surveys.T)  # surveys that few types allow, and the same ones, come together
    scores = {k: np.empty((len(alike), 4)) for k in sizes}
    for first in range(0, len(alike), ROWS_AT_ONCE):
        rows = alike[first : first + ROWS_AT_ONCE]
        grown = _grown(problem, orders.type[rows], orders.label[rows], sizes, surveys[rows].min(axis=0), largest)
        for k in sizes:
            scores[k][rows] = grown[k]
    found = {}
    for k in sizes:
        size = _label_counts(orders.label[:, :k], problem.counts.shape[1])
        known = [_agreement(problem, k, orders, size), _dirichlet_score(problem, k, orders, size)]
        if inside:
            known.append((scores[k][:, 3], inside[min(k, largest)]))
        few = np.full(len(problem.counts), np.nan) if k in inside else few_scores(problem, k)
        found[k] = _by_type(problem, k, orders, scores[k], known, few)
    return found


def _is_dense(problem: Problem, k: int) -> bool:
    n_types, n_labels = problem.counts.shape
    return bool(math.comb(k + n_labels - 1, k) * n_types <= DENSE)


def inside_scores(problem: Problem, k: int) -> Floats:
    """Score of an item of each type after surveys of k raters, learned from all items, its own among them; all surveys.

    0 where a type has too few ratings.
    """
    surveys = multisets(k, problem.counts.shape[1])
    ways, scores = _orders(surveys, k), np.zeros(len(problem.counts))
    for first in range(0, len(surveys), ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        able, scored = _inside(problem, surveys[rows], ways[rows], k)
        scores[able] += scored
    return scores


def _inside(problem: Problem, survey: Codes, ways: Floats, k: int) -> tuple[Codes, Floats]:
    """Which types allow some of these surveys, and what they add to the score of an item."""
    able, chance = _chances(problem, survey, k)
    totals = _totals(problem, able, chance, survey)
    pseudo = problem.panel.pseudo_totals(survey, ways) if problem.panel.is_midpoint else 0.0
    scored = problem.score.of_labels()(predictions_from(totals + pseudo)) * ways[:, None]
    by_label = chance.T @ scored.astype(SINGLE)
    asked = chance.T @ np.einsum("nl,nl->n", survey.astype(np.float64), scored).astype(SINGLE)
    return able, np.einsum("tl,tl->t", problem.counts[able], by_label).astype(np.float64) - asked


def _chances(problem: Problem, survey: Codes, k: int) -> tuple[Codes, npt.NDArray[np.float32]]:
    """Which types allow some of these surveys, and the chance of each with them and of each further rater's label."""
    total = problem.counts.sum(axis=1)
    able = np.flatnonzero((problem.counts >= survey.min(axis=0)).all(axis=1) & (total > k))
    given, total = problem.counts[able].astype(SINGLE), total[able].astype(SINGLE)
    # The shares of labels, drawn with replacement, less so much: with the reference k + 1 raters are drawn without.
    without = 1 / np.prod(1 - np.arange(k + 1) / total[:, None], axis=1) / total
    chance = np.tile(without.astype(SINGLE), (len(survey), 1))
    for label in np.flatnonzero(survey.any(axis=0)):
        left = np.maximum(given[:, label] - np.arange(k, dtype=SINGLE)[:, None], 0) / total
        drawn = np.concatenate([np.ones_like(left[:1]), np.cumprod(left, axis=0)])
        chance *= drawn[survey[:, label]]
    return able, chance


def _totals(problem: Problem, able: Codes, chance: npt.NDArray[np.float32], survey: Codes) -> Floats:
    """Sums over items of the chance of each survey and of a further rater's label."""
    weighted = chance * problem.items[able].astype(SINGLE)
    everybody = (weighted @ problem.counts[able].astype(SINGLE)).astype(np.float64)
    totals = everybody - survey * weighted.sum(axis=1)[:, None]
    totals[totals < ROUNDING * everybody] = 0.0
    return np.asarray(totals)


def few_scores(problem: Problem, k: int) -> Floats:
    """Score of an item of each type that allows few surveys of k raters; NaN of the others."""
    scores, number = np.full(len(problem.counts), np.nan), numbers_of_subsets(problem.counts, k)[:, k]
    few = np.flatnonzero((problem.counts.sum(axis=1) > k) & (number <= FEW))
    if not len(few) or number[few].sum() * len(scores) > 4 * DENSE:  # most of them come up with several types
        return scores
    surveys = surveys_of_size(problem.counts[few], k)
    different = surveys.counts.astype(np.intp)
    parts = [different[first : first + ROWS_AT_ONCE] for first in range(0, len(different), ROWS_AT_ONCE)]
    totals = np.concatenate([_totals(problem, *_chances(problem, part, k), part) for part in parts])
    everybody = totals[surveys.survey]
    others = everybody - surveys.joint
    others[others < ROUNDING * everybody] = 0.0
    pseudo = (
        problem.panel.pseudo_totals(surveys.counts, surveys.orders)[surveys.survey]
        if problem.panel.is_midpoint
        else 0.0
    )
    mass = surveys.joint * surveys.orders[surveys.survey, None]
    each = _scored_twice(problem, mass, others + pseudo, everybody + pseudo)
    scores[few] = np.bincount(surveys.type, weights=each[:, 0], minlength=len(few))
    return scores


def _scored_twice(problem: Problem, reference: Floats, others: Floats, everybody: Floats) -> Floats:
    """Score of each survey, of a combiner learned from all items, and without the item, of shape (n, 3)."""
    panel, of_labels = problem.panel, problem.score.of_labels()
    without, inside = (
        np.einsum("nl,nl->n", reference, of_labels(predictions_from(learned))) for learned in (others, everybody)
    )
    own = (without + inside) / 2 if panel.is_midpoint else without if panel.leaves_out else inside
    return np.stack([own, inside, without], axis=1)


def _label_counts(labels: Codes, n_labels: int) -> Codes:
    return np.stack([(labels == label).sum(axis=1) for label in range(n_labels)], axis=1)


def _grown(
    problem: Problem, types: Codes, label: Codes, sizes: Sequence[int], allowed: Codes, largest: int
) -> dict[int, Floats]:
    """Expected score of each order's surveys over the reference raters of its item, of shape (n, 4) for each size.

    The second and third are those of a combiner learned from all items, and without the item; the fourth is the second
    of the first raters, up to the `largest` survey. Types of items without the `allowed` labels, of shape (n_labels,),
    allow none of the surveys.
    """
    able = np.flatnonzero((problem.counts >= allowed).all(axis=1))
    counts, items = problem.counts[able], problem.items[able].astype(SINGLE)
    place, row = np.searchsorted(able, types), np.arange(len(types))
    panel = problem.panel
    given, total = counts.astype(SINGLE), counts.sum(axis=1)
    left = np.maximum(given.T[:, None, :] - np.arange(sizes[-1], dtype=SINGLE)[:, None], 0)  # of a label, by the drawn
    survey = np.zeros((len(types), counts.shape[1]), dtype=np.intp)
    chance = np.tile(items, (len(types), 1))
    chance[row, place] -= 1  # all the others
    own, first, of_labels = np.ones(len(types)), np.zeros(survey.shape), problem.score.of_labels()
    scores = {}
    for k in range(sizes[-1] + 1):
        share = np.where(total > k, 1 / np.maximum(total - k, 1), 0).astype(SINGLE)
        chance *= share
        own *= share[place]
        if k in sizes:
            everybody = (chance @ given).astype(np.float64)
            others = everybody - survey * chance.sum(axis=1)[:, None]
            others[others < ROUNDING * everybody] = 0.0
            unasked = counts[place] - survey
            reference = np.asarray(unasked * share[place][:, None], dtype=np.float64)
            pseudo = panel.pseudo_totals(survey, _orders(survey, k)) if panel.is_midpoint else 0.0
            everybody = others + own[:, None] * unasked + pseudo
            if k <= largest:
                first = of_labels(predictions_from(everybody))
            scored = _scored_twice(problem, reference, others + pseudo, everybody)
            scores[k] = np.column_stack([scored, np.einsum("nl,nl->n", reference, first)])
        if k < sizes[-1]:
            asked = np.maximum(label[:, k], 0)  # where nobody is left the share is 0 from there on
            drawn = survey[row, asked]
            chance *= left[asked, drawn]
            own *= left[asked, drawn, place]
            survey[row, asked] += 1
    return scores


def _by_type(
    problem: Problem, k: int, orders: Orders, scores: Floats, known: Sequence[tuple[Floats, Floats]], few: Floats
) -> TypeScores:
    """The score of each type, those of `few` as they are, and the standard error that sampling adds.

    Scores of pairs are explained by what is known, of each order and what is expected of its type: how far the first
    is off the second, and the second. What that leaves is added to the types that were sampled, as much of it as makes
    items differ as they do: the rest is noise, which would widen intervals. Two orders of one item differ by sampling
    orders; neighbours differ by that and by sampling items, of which there may be more.
    """
    items = np.where((problem.counts.sum(axis=1) > k) & np.isnan(few), problem.items, 0)
    able, part = items[orders.type] > 0, problem.counts.sum(axis=1) > k
    of_pair = orders.type[able][::2]
    own = float(np.mean(scores[part[orders.type], 1] - scores[part[orders.type], 2]))
    if not len(of_pair):
        return TypeScores(np.where(part, few, 0.0), part.astype(np.float64), 0.0, len(orders.type), own)
    off = np.stack([of_order - expected[orders.type] for of_order, expected in known], axis=1)[able]
    off = off.reshape(len(of_pair), 2, -1)
    of_type = np.stack([np.ones(len(items)), *(expected for _, expected in known)], axis=1)
    pairs = scores[able, 0].reshape(-1, 2)
    features = np.concatenate([off.mean(axis=1), of_type[of_pair]], axis=1)
    slope = np.linalg.lstsq(features, pairs.mean(axis=1), rcond=None)[0]
    expected = of_type @ slope[len(known) :]
    pairs = pairs - off @ slope[: len(known)] - expected[of_pair, None]
    left, n, n_items = pairs.mean(axis=1), len(of_pair), int(items.sum())
    within, between = (float((np.diff(values, axis=0) ** 2).mean()) if n > 1 else np.nan for values in (pairs.T, left))
    seen = min(1.0, n / n_items)
    error = np.sqrt((seen * within / 4 + (1 - seen) * between / 2) / n) * n_items / (problem.items * part).sum()
    rest = np.bincount(of_pair, weights=left, minlength=len(items)) / np.maximum(items, 1)
    spread = max(np.mean(left**2) - np.nan_to_num(within) / 4, 0.0)  # of items
    size = (items * rest**2).sum() / n_items
    sampled = expected + (np.sqrt(spread / size) if size > 0 else 0.0) * rest
    by_type = np.where(part, np.where(np.isnan(few), sampled, few), 0.0)
    return TypeScores(by_type, part.astype(np.float64), float(error), len(orders.type), own)


# ---- What is known of each order, and what is expected of each type


def _agreement(problem: Problem, k: int, orders: Orders, survey: Codes) -> tuple[Floats, Floats]:
    """How often each survey agrees with the raters who are left, and how often two raters of an item agree."""
    given, size = problem.counts, problem.counts.sum(axis=1)
    left = given[orders.type] - survey
    of_order = (survey * left).sum(axis=1) / np.maximum(k * left.sum(axis=1), 1)
    return of_order, (given * (given - 1)).sum(axis=1) / np.maximum(size * (size - 1), 1)


def _dirichlet_score(problem: Problem, k: int, orders: Orders, survey: Codes) -> tuple[Floats, Floats]:
    """Logarithm of the share that the Dirichlet distribution nearest to the data gives to the raters who are left.

    It adds up over labels, and how often an item's raters give a label in a survey is hypergeometric.
    """
    alpha, drawn = np.array(nearest_dirichlet(problem.counts, problem.items)), np.arange(k + 1)
    table = np.log((drawn[:, None] + alpha) / (k + alpha.sum()))
    left = problem.counts[orders.type] - survey
    label = np.arange(len(alpha))
    of_order = (left * table[survey, label]).sum(axis=1) / np.maximum(left.sum(axis=1), 1)
    size, log = problem.counts.sum(axis=1), log_factorials(int(problem.counts.sum(axis=1).max()))
    kinds, place = np.unique((problem.counts + size[:, None] * len(log))[size > k], return_inverse=True)
    total, given = kinds[:, None] // len(log), kinds[:, None] % len(log)

    def choose(n: Codes, r: Codes) -> Floats:
        is_possible = (r >= 0) & (r <= n)
        n, r = np.where(is_possible, n, 0), np.where(is_possible, r, 0)
        return np.asarray(np.where(is_possible, log[n] - log[r] - log[n - r], -np.inf))

    # One rater who gave the label is the reference; the survey is drawn from the others.
    chance = np.exp(choose(given - 1, drawn) + choose(total - given, k - drawn) - choose(total - 1, np.full(1, k)))
    mean = (given / total * (chance @ table))[place.ravel()].reshape(-1, len(alpha), len(alpha))
    expected = np.zeros(len(size))
    expected[size > k] = mean[:, label, label].sum(axis=1)
    return of_order, expected
