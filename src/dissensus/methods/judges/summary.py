"""From scores and their replicates to the parts of the result."""

import math
from collections.abc import Sequence

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import listed
from dissensus.methods.judges.answers import JudgeAnswers
from dissensus.methods.judges.decisions import (
    BASELINES,
    Downstream,
    ranks,
    selected,
    shares_best,
)
from dissensus.methods.judges.definitions import COEFFICIENTS, Definition
from dissensus.methods.judges.result import DefinitionResult, JudgeValue, OrderFlips, OwnBeta, ReverseMatrix
from dissensus.methods.judges.scoring import Scores
from dissensus.methods.judges.setup import Prepared
from dissensus.methods.judges.vectors import number_of
from dissensus.sampling.intervals import UNDEFINED_SHARE, percentile_interval

NAN = float("nan")


def oriented(definitions: Sequence[Definition], values: Floats) -> Floats:
    """Values of shape (..., n_definitions, n_judges), turned so that higher is better."""
    return np.asarray(values * np.array([definition.sign for definition in definitions])[:, None])


def definition_results(
    prepared: Prepared, data: Scores, samples: Scores | None, *, confidence: float
) -> tuple[DefinitionResult, ...]:
    """Every definition with the value, interval, rank and share of each judge."""
    definitions = prepared.problem.definitions
    turned = oriented(definitions, data.values[0])
    rank = ranks(turned)
    best = None if samples is None else shares_best(oriented(definitions, samples.values))
    tied_people, tied_judges = prepared.problem.tied()
    results = []
    for d, definition in enumerate(definitions):
        values = []
        for j, judge in enumerate(prepared.judges):
            value = float(data.values[0, d, j])
            low = high = NAN
            if samples is not None and not math.isnan(value):
                low, high = percentile_interval(samples.values[:, d, j], confidence)
            values.append(
                JudgeValue(
                    judge=judge,
                    value=value,
                    low=low,
                    high=high,
                    rank=None if math.isnan(rank[d, j]) else int(rank[d, j]),
                    share_best=NAN if best is None or math.isnan(value) else float(best[d, j]),
                    tied_items=tied_judges[j] if definition.judge == "hard" else 0,
                )
            )
        results.append(
            DefinitionResult(
                id=definition.id,
                definition=definition.name,
                judge_aggregation=definition.judge,
                human_aggregation=definition.human,
                tau=definition.tau,
                better=definition.better,
                selected=selected(turned[d], prepared.judges),
                tied_items=tied_people if definition.human == "hard" else 0,
                values=tuple(values),
            )
        )
    return tuple(results)


def reverse_matrix(prepared: Prepared, samples: Scores | None, *, confidence: float) -> ReverseMatrix | None:
    """F' with its intervals, where there are paired ratings."""
    reversal = prepared.problem.reversal
    if reversal is None:
        return None
    values = reversal.matrix()
    bounds = np.full((2, *values.shape), np.nan)
    if samples is not None:
        tail = (1 - confidence) / 2
        bounds = np.quantile(samples.reverse, [tail, 1 - tail], axis=0)
    return ReverseMatrix(
        options=prepared.space.options,
        response_sets=prepared.space.response_sets,
        values=_rows(values),
        low=_rows(bounds[0]),
        high=_rows(bounds[1]),
        pairs=reversal.n_pairs,
        paired_by=reversal.paired_by,
    )


def _rows(matrix: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())


def own_beta(prepared: Prepared, data: Scores, samples: Scores | None, *, confidence: float) -> tuple[OwnBeta, ...]:
    """The own beta of each judge that answered in both elicitations."""
    problem = prepared.problem
    items = number_of(problem.has_both, problem.copies)
    found = []
    for j, both in enumerate(items):
        if both and prepared.positive.any():
            low, high = (NAN, NAN) if samples is None else percentile_interval(samples.own_beta[:, j], confidence)
            own = OwnBeta(
                judge=prepared.judges[j], beta=float(data.own_beta[0, j]), low=low, high=high, items=int(both)
            )
            found.append(own)
    return tuple(found)


def order_flips(answers: JudgeAnswers, judges: Sequence[str], copies: Floats | None = None) -> tuple[OrderFlips, ...]:
    """How often each judge that was asked in both orders answers otherwise."""
    asked, flipped = (number_of(items, copies) for items in (answers.both_orders, answers.flips))
    return tuple(
        OrderFlips(judge=judge, items=int(asked[j]), share=float(flipped[j] / asked[j]))
        for j, judge in enumerate(judges)
        if asked[j]
    )


def undefined_warnings(prepared: Prepared, results: Sequence[DefinitionResult]) -> list[str]:
    """Why values are missing."""
    missing: dict[str, list[str]] = {}
    for result in results:
        if result.definition in COEFFICIENTS:
            for value in result.values:
                if math.isnan(value.value):
                    missing.setdefault(value.judge, []).append(result.id)
    reasons = dict(zip(prepared.judges, _one_label(prepared), strict=True))
    return [f"{', '.join(ids)} of {judge} undefined: {reasons[judge]}." for judge, ids in missing.items()]


def _one_label(prepared: Prepared) -> list[str]:
    """For each judge why its agreement beyond chance is undefined."""
    problem, options = prepared.problem, prepared.space.options
    rows = problem.is_chosen
    people = np.asarray(problem.people.aggregated("hard")[rows].any(axis=0))
    reasons = []
    for own in np.asarray(problem.judges.aggregated("hard")[rows].any(axis=0)):
        alone = [options[int(side.argmax())] for side in (own, people) if side.sum() == 1]
        if own.sum() == 1 and people.sum() == 1:
            reasons.append(f"it and people each have one hard label only ({listed(list(dict.fromkeys(alone)))})")
        else:
            whose = "it has" if own.sum() == 1 else "people have"
            reasons.append(f"{whose} one hard label only ({listed(alone)}), so that agreement is that of chance")
    return reasons


def interval_warnings(results: Sequence[DefinitionResult], *, bootstrap: int, n_items: int) -> list[str]:
    """Why intervals are missing."""
    if not bootstrap:
        return []
    if n_items == 1:
        return ["There is only one item to resample, so there are no intervals."]
    ids = [r.id for r in results if any(math.isnan(v.low) and not math.isnan(v.value) for v in r.values)]
    if not ids:
        return []
    why = f"undefined in more than {UNDEFINED_SHARE:.0%} of the bootstrap samples"
    return [f"No interval for {', '.join(ids)} of some judges: {why}."]


def tie_warnings(results: Sequence[DefinitionResult]) -> list[str]:
    """Where several judges are best."""
    tied: dict[tuple[str, ...], list[str]] = {}
    for result in results:
        first = tuple(value.judge for value in result.values if value.rank == 1)
        if len(first) > 1:
            tied.setdefault(first, []).append(result.id)
    return [
        f"{listed(judges)} tie for best by {listed(ids)}: the first is named as selected."
        for judges, ids in tied.items()
    ]


def kappa_warnings(downstream: Sequence[Downstream]) -> list[str]:
    """Where decisions have no kappa."""
    missing = [row for row in downstream if math.isnan(row.kappa)]
    if not missing:
        return []
    own = [f"{row.judge} at tau {row.tau:g}" for row in missing if row.judge not in BASELINES]
    others = f", and of {listed(own)}, where judge or people decide all items alike" if own else ""
    return [f"Decisions have no kappa of the constants{others}: agreement is then that of chance."]
