"""Systems compared in pairs: how often each wins, and how strong it is.

The model is a logistic regression of who wins on who takes part: P(a wins) = 1 / (1 + exp(s_b - s_a)). Strengths add up
to 0. PPI and PPI++ for such models: A. Angelopoulos, J. Duchi, T. Zrnic (2023), "PPI++: Efficient Prediction-Powered
Inference", section 2; for strengths of systems: P. Boyeau and others (2024), "AutoEval Done Right: Using Synthetic Data
for Model Evaluation".
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data.labels import natural_order
from dissensus.errors import OptionError, counted, listed
from dissensus.methods.prevalence.estimators import LeaveRatersOut, Sample, estimates_of
from dissensus.methods.prevalence.result import Estimate, Method, PrevalenceOptions, SystemScore
from dissensus.options import named
from dissensus.sampling.intervals import normal_interval

# ---- Bradley-Terry strengths of systems that were compared in pairs, by people on some items and by a judge on all

MOST_STEPS = 100
FARTHEST = 12.0  # strengths beyond are on their way to infinity: a system never lost, or never won
STILL = 1e-12
LEAST_PART = 1e-12  # a matrix whose least stretch is a smaller part of its largest counts as one that has no inverse
FEWEST = 2  # items that it takes to see how much they vary


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Duels:
    """Pairs of systems and who wins."""

    first: Codes  # (n_items,): the systems of each item
    second: Codes  # (n_items,)
    people: Floats  # (n_rated,): how far the first one wins by people, from 0 to 1, on the first items
    judge: Floats  # (n_items,): the same by the judge
    n_systems: int

    @property
    def n_rated(self) -> int:
        """How many items people rated."""
        return len(self.people)


class Strengths(NamedTuple):
    """Strengths and the variances and covariances of their estimates.

    All are NaN where strengths are without bound; variances also where a single item was rated, or left to the judge.
    """

    values: Floats
    covariance: Floats


def judged_strengths(duels: Duels) -> Strengths:
    """The judge's strengths, as if it never erred."""
    return strengths_of(replace(duels, people=duels.judge), 0.0)


def strengths_of(duels: Duels, weight: float) -> Strengths:
    """Strengths by people, with the judge's answers to the other items at a weight: 0 is people only, 1 is PPI."""
    values = _fitted(duels, weight)
    n, others = duels.n_rated, len(duels.judge) - duels.n_rated
    if not np.isfinite(values).all() or n < FEWEST or (weight and others < FEWEST):
        return Strengths(values=values, covariance=np.full((duels.n_systems, duels.n_systems), np.nan))
    chance = _chances(duels, values)
    inverse = _inverse(duels, chance, slice(None) if weight else slice(n))
    rated = (chance[:n] - duels.people) - weight * (chance[:n] - duels.judge[:n])
    middle = _covariance(duels, rated, slice(n)) / n
    if weight:
        middle = middle + _covariance(duels, weight * (chance - duels.judge)[n:], slice(n, None)) / others
    covariance = inverse @ middle @ inverse
    # A variance that should be 0 may come out a rounding below it.
    np.fill_diagonal(covariance, np.maximum(np.diag(covariance), 0.0))
    return Strengths(values=values, covariance=covariance)


def tuned_weight_of_duels(duels: Duels) -> float:
    """The weight, from 0 to 1, with which the judge helps most on the whole; 0 where it cannot help."""
    n, others = duels.n_rated, len(duels.judge) - duels.n_rated
    if others < FEWEST:
        return 0.0
    values = _fitted(duels, 1.0)
    if not np.isfinite(values).all():
        return 0.0
    chance = _chances(duels, values)
    inverse = _inverse(duels, chance, slice(None))
    of_people, of_judge = _gradients(duels, chance[:n] - duels.people), _gradients(duels, chance - duels.judge)
    together = (of_people - of_people.mean(axis=0)).T @ (of_judge[:n] - of_judge[:n].mean(axis=0)) / n
    spread = (1 + n / others) * np.trace(inverse @ np.cov(of_judge.T) @ inverse)
    return float(np.clip(np.trace(inverse @ together @ inverse) / spread, 0, 1)) if spread > 0 else 0.0


def _chances(duels: Duels, values: Floats) -> Floats:
    """The chance that the first system of each item wins."""
    return np.asarray(1 / (1 + np.exp(values[duels.second] - values[duels.first])))


def _gradients(duels: Duels, rest: Floats) -> Floats:
    """What each of the first items adds to the slope, of shape (len(rest), n_systems)."""
    gradients = np.zeros((len(rest), duels.n_systems))
    rows = np.arange(len(rest))
    gradients[rows, duels.first[: len(rest)]] = rest
    gradients[rows, duels.second[: len(rest)]] -= rest
    return gradients


def _slope(duels: Duels, rest: Floats, items: slice) -> Floats:
    """Sum of what these items add to the slope."""
    k = duels.n_systems
    plus = np.bincount(duels.first[items], weights=rest, minlength=k)
    return np.asarray(plus - np.bincount(duels.second[items], weights=rest, minlength=k))


def _products(duels: Duels, weights: Floats, items: slice) -> Floats:
    """Weighted sum of x x' over these items, where x is 1 for the first system and -1 for the second."""
    k = duels.n_systems
    cross = np.bincount(duels.first[items] * k + duels.second[items], weights=weights, minlength=k * k).reshape(k, k)
    both = cross + cross.T
    return np.asarray(np.diag(both.sum(axis=1)) - both)


def _covariance(duels: Duels, rest: Floats, items: slice) -> Floats:
    """Variances and covariances of what an item adds to the slope."""
    n = len(rest)
    mean = _slope(duels, rest, items) / n
    return np.asarray((_products(duels, rest**2, items) / n - np.outer(mean, mean)) * n / (n - 1))


def _inverse(duels: Duels, chance: Floats, items: slice) -> Floats:
    """Inverse of the mean curvature among strengths that add up to 0."""
    curvature = _products(duels, (chance * (1 - chance))[items], items) / len(chance[items])
    k = duels.n_systems
    level = np.full((k, k), 1 / k)
    return np.asarray(np.linalg.inv(curvature + level) - level)


def _is_connected(duels: Duels, n_items: int) -> bool:
    """Whether every two systems are compared, if only by way of others, on the first items."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - takes a while to import
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - as above

    pairs = (np.ones(n_items), (duels.first[:n_items], duels.second[:n_items]))
    graph = coo_array(pairs, shape=(duels.n_systems, duels.n_systems))
    return connected_components(graph, directed=False)[0] == 1


def _fitted(duels: Duels, weight: float) -> Floats:
    """The strengths, by Newton's method; NaN where they have no bound."""
    n, others = duels.n_rated, len(duels.judge) - duels.n_rated
    unknown = np.full(duels.n_systems, np.nan)
    if not _is_connected(duels, n) or (weight and not others):
        return unknown
    importance = np.concatenate([np.full(n, (1 - weight) / n), np.full(others, weight / max(others, 1))])
    seen = np.concatenate([(duels.people - weight * duels.judge[:n]) / n, weight * duels.judge[n:] / max(others, 1)])
    level = np.full((duels.n_systems, duels.n_systems), 1 / duels.n_systems)
    values = np.zeros(duels.n_systems)
    for _ in range(MOST_STEPS):
        chance = _chances(duels, values)
        slope = _slope(duels, importance * chance - seen, slice(None))
        if float(np.abs(slope).max()) < STILL:
            return values
        curvature = _products(duels, importance * chance * (1 - chance), slice(None))
        stretches = np.linalg.eigvalsh(curvature + level)
        if stretches[0] <= LEAST_PART * stretches[-1]:
            return unknown
        step = np.linalg.solve(curvature + level, slope)
        values = values - step / max(1.0, float(np.abs(step).max()))
        if float(np.abs(values).max()) > FARTHEST:
            return unknown
    return values if float(np.abs(slope).max()) < math.sqrt(STILL) else unknown


Pairs = Mapping[str, tuple[str, str]]
"""The two systems of each item: the one that a positive label is about, and the other."""


def systems_of(
    sample: Sample, items: Sequence[str], pairs: Pairs, options: PrevalenceOptions, *, judge: str,
    without: LeaveRatersOut | None = None,
) -> tuple[tuple[SystemScore, ...], list[str]]:  # fmt: skip
    """Every system, the strongest first, and what to warn about; the rated items stand first.

    With people's answers `without` some raters, intervals are for raters like these.
    """
    names = _check_pairs(items, pairs)
    place = {name: code for code, name in enumerate(names)}
    first, second = (np.array([place[pairs[item][side]] for item in items], dtype=np.intp) for side in (0, 1))
    duels = Duels(first=first, second=second, people=sample.people, judge=sample.all_judged, n_systems=len(names))
    weights: dict[Method, float] = {"people": 0.0, "ppi": 1.0, "ppi++": tuned_weight_of_duels(duels)}
    fitted: dict[Method, Strengths] = {
        "naive": judged_strengths(duels),
        **{method: strengths_of(duels, weight) for method, weight in weights.items()},
    }
    if without is not None:
        fitted |= {name: _wider(fitted[name], duels, weight, without, options) for name, weight in weights.items()}
    scores = [_score(name, code, duels, fitted, options, without) for code, name in enumerate(names)]
    best = fitted["ppi++"].values
    order = sorted(range(len(names)), key=lambda code: -best[code] if math.isfinite(best[code]) else code)
    return tuple(scores[code] for code in order), _warnings(judge, scores, fitted)


def _wider(
    strengths: Strengths, duels: Duels, weight: float, without: LeaveRatersOut, options: PrevalenceOptions
) -> Strengths:
    """The same with variances for raters like these."""
    n = duels.n_rated
    values = []
    for people in without.people:
        left = np.concatenate([~np.isnan(people), np.ones(len(duels.judge) - n, dtype=np.bool_)])
        own = Duels(
            first=duels.first[left], second=duels.second[left], people=people[left[:n]], judge=duels.judge[left],
            n_systems=duels.n_systems,
        )  # fmt: skip
        values.append(_fitted(own, weight) if own.n_rated else np.full(duels.n_systems, np.nan))
    spread = without.pool.spread(np.stack(values))
    variances = spread.variance_with(np.diag(strengths.covariance), options.confidence)
    covariance = strengths.covariance.copy()
    np.fill_diagonal(covariance, variances)
    return strengths._replace(covariance=covariance)


def _check_pairs(items: Sequence[str], pairs: Pairs) -> list[str]:
    """The systems by name; an error where an item has no pair, or a pair is one system."""
    missing = [item for item in items if item not in pairs]
    if missing:
        raise OptionError(
            f"{named('pairs')} does not say which systems {counted(len(missing), 'item')} compare: {listed(missing)}. "
            "Add them, or leave their answers out."
        )
    used = [pairs[item] for item in items]
    if alike := [item for item, (a, b) in zip(items, used, strict=True) if a == b]:
        raise OptionError(f"{named('pairs')} compares a system with itself: {listed(alike)}.")
    return sorted({name for pair in used for name in pair}, key=natural_order)


def _score(
    name: str, code: int, duels: Duels, fitted: Mapping[Method, Strengths], options: PrevalenceOptions,
    without: LeaveRatersOut | None,
) -> SystemScore:  # fmt: skip
    rows = np.flatnonzero((duels.first == code) | (duels.second == code))
    sample = _seen_by(code, rows, duels)
    rated = rows[rows < duels.n_rated]
    if without is not None:
        own = without.people[:, rated]
        without = replace(without, people=np.where(duels.first[rated] == code, own, 1 - own))
    enough = len(sample.people) >= FEWEST
    strengths = []
    for method, strength in fitted.items():
        value, variance = float(strength.values[code]), float(strength.covariance[code, code])
        low, high = normal_interval(value, variance, options.confidence)
        strengths.append(Estimate(method=method, value=value, low=low, high=high))
    return SystemScore(
        system=name, items=len(rows), rated_items=len(sample.people),
        win_rates=estimates_of(sample, options, without).estimates if enough else (), strengths=tuple(strengths),
    )  # fmt: skip


def _seen_by(code: int, rows: Codes, duels: Duels) -> Sample:
    """How often a system wins by people and by the judge, on its items."""
    is_first = duels.first[rows] == code
    judge = np.where(is_first, duels.judge[rows], 1 - duels.judge[rows])
    is_rated = rows < duels.n_rated
    people = duels.people[rows[is_rated]]
    return Sample(
        people=np.where(is_first[is_rated], people, 1 - people), judge=judge[is_rated], judge_only=judge[~is_rated]
    )


def _warnings(judge: str, scores: Sequence[SystemScore], fitted: Mapping[Method, Strengths]) -> list[str]:
    warnings = []
    if few := [score.system for score in scores if score.rated_items < FEWEST]:
        warnings.append(f"People rated fewer than two pairs of {listed(few)}: no win rate.")
    unbounded = [method for method, strength in fitted.items() if not np.isfinite(strength.values).all()]
    if unbounded:
        warnings.append(
            f"No strengths by {', '.join(unbounded)} with {judge}: some systems are not compared with the rest, or "
            "win or lose every time, so that their strength has no bound."
        )
    vague = [method for method, strength in fitted.items() if not np.isfinite(strength.covariance).all()]
    unsure = [method for method in vague if method not in unbounded]
    if unsure:
        warnings.append(
            f"No intervals of the strengths by {', '.join(unsure)} with {judge}: it answered one item that nobody "
            "rated, and one does not tell how much they vary."
        )
    return warnings
