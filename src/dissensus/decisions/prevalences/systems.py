"""Systems compared in pairs: how often each wins, and how strong it is."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dissensus.decisions.prevalences.estimators import Sample
from dissensus.decisions.prevalences.intervals import normal
from dissensus.decisions.prevalences.question import Method, Question
from dissensus.decisions.prevalences.result import Estimate, SystemScore
from dissensus.decisions.prevalences.strengths import (
    Duels,
    Strengths,
    judged_strengths,
    strengths_of,
    tuned_weight,
)
from dissensus.decisions.prevalences.summing_up import estimates_of
from dissensus.decisions.prevalences.targets import Targets
from dissensus.errors import OptionError, counted, listed
from dissensus.ratings.coding import Codes
from dissensus.ratings.labels import natural_order

Pairs = Mapping[str, tuple[str, str]]
"""The two systems of each item: the one that a positive label is about, and the other."""
FEWEST_RATED = 2


def systems_of(targets: Targets, pairs: Pairs, question: Question) -> tuple[tuple[SystemScore, ...], list[str]]:
    """Every system, the strongest first, and what to warn about."""
    names = _check_pairs(targets, pairs)
    place = {name: code for code, name in enumerate(names)}
    first, second = (np.array([place[pairs[item][side]] for item in targets.items], dtype=np.intp) for side in (0, 1))
    duels = Duels(first=first, second=second, people=targets.people, judge=targets.judge, n_systems=len(names))
    fitted: dict[Method, Strengths] = {
        "naive": judged_strengths(duels),
        "people": strengths_of(duels, 0.0),
        "ppi": strengths_of(duels, 1.0),
        "ppi++": strengths_of(duels, tuned_weight(duels)),
    }
    scores = [_score(name, code, duels, fitted, question) for code, name in enumerate(names)]
    best = fitted["ppi++"].values
    order = sorted(range(len(names)), key=lambda code: -best[code] if math.isfinite(best[code]) else code)
    return tuple(scores[code] for code in order), _warnings(targets.name, scores, fitted)


def _check_pairs(targets: Targets, pairs: Pairs) -> list[str]:
    """The systems by name; an error where an item has no pair, or a pair is one system."""
    missing = [item for item in targets.items if item not in pairs]
    if missing:
        raise OptionError(
            f"--pairs does not say which systems {counted(len(missing), 'item')} compare: {listed(missing)}. Add them, "
            "or leave their answers out."
        )
    used = [pairs[item] for item in targets.items]
    if alike := [item for item, (a, b) in zip(targets.items, used, strict=True) if a == b]:
        raise OptionError(f"--pairs compares a system with itself: {listed(alike)}.")
    return sorted({name for pair in used for name in pair}, key=natural_order)


def _score(name: str, code: int, duels: Duels, fitted: Mapping[Method, Strengths], question: Question) -> SystemScore:
    rows = np.flatnonzero((duels.first == code) | (duels.second == code))
    sample = _seen_by(code, rows, duels)
    enough = len(sample.people) >= FEWEST_RATED
    strengths = []
    for method, found in fitted.items():
        value, variance = float(found.values[code]), float(found.covariance[code, code])
        low, high = normal(value, variance, question.confidence)
        strengths.append(Estimate(method=method, value=value, low=low, high=high))
    return SystemScore(
        system=name,
        items=len(rows),
        rated_items=len(sample.people),
        win_rates=estimates_of(sample, question).estimates if enough else (),
        strengths=tuple(strengths),
    )


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
    if few := [score.system for score in scores if score.rated_items < FEWEST_RATED]:
        warnings.append(f"People rated fewer than two pairs of {listed(few)}: no win rate.")
    unbounded = [method for method, found in fitted.items() if not np.isfinite(found.values).all()]
    if unbounded:
        warnings.append(
            f"No strengths by {', '.join(unbounded)} with {judge}: some systems are not compared with the rest, or "
            "win or lose every time, so that their strength has no bound."
        )
    unsure = [method for method, found in fitted.items() if method not in unbounded and _is_unsure(found)]
    if unsure:
        warnings.append(
            f"No intervals of the strengths by {', '.join(unsure)} with {judge}: it answered one item that nobody "
            "rated, and one does not tell how much they vary."
        )
    return warnings


def _is_unsure(found: Strengths) -> bool:
    return not np.isfinite(found.covariance).all()
