"""From scores and their replicates to the result."""

from collections.abc import Sequence

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import listed
from dissensus.methods.equivalence.crossing import crosses_again, crossings, equivalence_interval, verdict_of
from dissensus.methods.equivalence.large_sizes import SAMPLES
from dissensus.methods.equivalence.options import Question
from dissensus.methods.equivalence.problem import Problem
from dissensus.methods.equivalence.replicates import Extras, Replicates
from dissensus.methods.equivalence.result import (
    AmateurPoint,
    Ceiling,
    CurvePoint,
    EquivalenceResult,
    JudgeDifference,
    JudgeWorth,
)
from dissensus.methods.equivalence.scores import RANGES
from dissensus.methods.equivalence.setup import Prepared
from dissensus.sampling.intervals import bootstrap_interval

NAN = float("nan")


def sum_up(
    prepared: Prepared, question: Question, extras: Extras, data: Replicates, samples: Replicates | None
) -> EquivalenceResult:
    """The result of a question, from the data's scores and those of the bootstrap samples."""
    problem = prepared.problem
    warnings = [*prepared.warnings]
    curve = _curve(problem, question, extras, data.curve[0], None if samples is None else samples.curve)
    ceiling = _ceiling(question, extras, data, samples)
    worths, worth_samples = _worths(problem, question, data, samples, has_ceiling=ceiling is not None)
    warnings += _judge_warnings(question, worths, data.curve[0])
    if extras.no_ceiling:
        warnings.append(extras.no_ceiling)
    warnings += _curve_warnings(problem, question, extras, data.curve[0])
    return EquivalenceResult(
        settings=prepared.settings,
        data=prepared.data,
        warnings=tuple(warnings),
        curve=curve,
        judges=worths,
        differences=_differences(question, worths, worth_samples, samples),
        amateurs=_amateurs(problem, question, data, samples),
        ceiling=ceiling,
    )


def _what_relearning_adds(question: Question) -> str:
    if question.score == "agreement":
        return "so the intervals miss what learning adds"
    return "which matters in second order only"  # a proper score is at its optimum in the combiner


def _judge_warnings(question: Question, worths: Sequence[JudgeWorth], curve: Floats) -> list[str]:
    warnings = []
    again = [worth.name for worth in worths if crosses_again(curve, worth.score, worth.equivalence)]
    if again:
        warnings.append(f"The curve crosses the score of {listed(again)} more than once; the leftmost crossing counts.")
    undefined = [worth.name for worth in worths if np.isnan(worth.score)]
    if undefined:
        warnings.append(f"{question.score} of {listed(undefined)} is undefined, so there is no equivalence.")
    if np.isnan(curve[0]):
        warnings.append(f"{question.score} of nobody asked is undefined, so no judge can be placed on the curve.")
    return warnings


def _bounds(question: Question, estimate: float, replicates: Floats | None) -> tuple[float, float]:
    if replicates is None:
        return NAN, NAN
    return bootstrap_interval(estimate, replicates, confidence=question.confidence, kind=question.interval)


def _score_bounds(question: Question, estimate: float, replicates: Floats | None) -> tuple[float, float]:
    """Bounds of a score, which end where the score itself does."""
    low, high = _bounds(question, estimate, replicates)
    least, most = RANGES[question.score]
    return max(low, least), min(high, most)


def _curve(
    problem: Problem, question: Question, extras: Extras, scores: Floats, samples: Floats | None
) -> tuple[CurvePoint, ...]:
    per_item = problem.counts.sum(axis=1)
    points = []
    for i, k in enumerate(problem.sizes):
        low, high = _score_bounds(question, float(scores[i]), None if samples is None else samples[:, i])
        items = int(problem.items[per_item >= k + problem.references].sum())
        error = extras.large[k].standard_error if k in extras.large else NAN
        point = CurvePoint(raters=k, score=float(scores[i]), low=low, high=high, items=items, standard_error=error)
        points.append(point)
    return tuple(points)


def _worths(
    problem: Problem, question: Question, data: Replicates, samples: Replicates | None, *, has_ceiling: bool
) -> tuple[tuple[JudgeWorth, ...], list[Floats | None]]:
    worths, all_samples = [], []
    for j, judge in enumerate(problem.judges):
        score = float(data.judges[0, j])
        value = float(_placed(crossings(data.curve, data.judges[:, j]), problem)[0])
        drawn = None if samples is None else _placed(crossings(samples.curve, samples.judges[:, j]), problem)
        low, high = _score_bounds(question, score, None if samples is None else samples.judges[:, j])
        worth_low, worth_high = _worth_bounds(question, data, samples, j, value, drawn)
        ratio, ratio_low, ratio_high = _ratio(question, data, samples, j) if has_ceiling else (None, None, None)
        worths.append(
            JudgeWorth(
                judge=judge.judge,
                calibrated=judge.calibrated,
                score=score,
                low=low,
                high=high,
                equivalence=value if np.isfinite(value) else NAN,
                equivalence_raters=int(np.ceil(value)) if np.isfinite(value) else None,
                equivalence_low=worth_low,
                equivalence_high=worth_high,
                verdict=verdict_of(value),
                share_below=NAN if drawn is None else float(np.mean(drawn == -np.inf)),
                share_above=NAN if drawn is None or problem.sizes[-1] == 0 else float(np.mean(drawn == np.inf)),
                performance_ratio=ratio,
                performance_ratio_low=ratio_low,
                performance_ratio_high=ratio_high,
            )
        )
        all_samples.append(drawn)
    return tuple(worths), all_samples


def _placed(equivalence: Floats, problem: Problem) -> Floats:
    """Equivalences on a curve; one that ends with nobody asked can show that a judge is worse, not how much better."""
    if problem.sizes[-1] > 0:
        return equivalence
    return np.where(equivalence > 0, np.nan, equivalence)


def _worth_bounds(
    question: Question, data: Replicates, samples: Replicates | None, j: int, value: float, drawn: Floats | None
) -> tuple[float, float]:
    """Bounds of an equivalence; NaN where a bound is off the curve."""
    if samples is None or drawn is None or np.isnan(value):
        return NAN, NAN
    if question.interval == "percentile":
        return _bounds(question, value, drawn)
    gaps = samples.judges[:, j, None] - samples.curve
    low, high = equivalence_interval(data.judges[0, j] - data.curve[0], gaps, confidence=question.confidence)
    return (low if np.isfinite(low) else NAN, high if np.isfinite(high) else NAN)


def _ratio(question: Question, data: Replicates, samples: Replicates | None, j: int) -> tuple[float, float, float]:
    """A judge's information as a share of the ceiling."""
    ratio = float((data.judges[0, j] - data.prior[0]) / data.ceiling[0])
    drawn = None if samples is None else (samples.judges[:, j] - samples.prior) / samples.ceiling
    return (ratio, *_bounds(question, ratio, drawn))


def _differences(
    question: Question, worths: Sequence[JudgeWorth], drawn: Sequence[Floats | None], samples: Replicates | None
) -> tuple[JudgeDifference, ...]:
    """Every pair of judges; a calibrated judge is not compared with itself uncalibrated."""
    differences = []
    for a in range(len(worths)):
        for b in range(a + 1, len(worths)):
            if worths[a].judge == worths[b].judge:
                continue
            first, second = drawn[a], drawn[b]
            gap = worths[a].equivalence - worths[b].equivalence
            low = high = share = NAN
            if first is not None and second is not None and samples is not None:
                # Percentile, whatever the others are: it keeps to the sign that the samples agree on.
                gaps = _gaps(first, second)
                low, high = bootstrap_interval(gap, gaps, confidence=question.confidence, kind="percentile")
                wins = samples.judges[:, a] - samples.judges[:, b]
                share = float(np.mean(np.where(wins == 0, 0.5, wins > 0)))
            differences.append(
                JudgeDifference(
                    judge_a=worths[a].name,
                    judge_b=worths[b].name,
                    difference=gap,
                    low=low,
                    high=high,
                    share_a_better=share,
                )
            )
    return tuple(differences)


def _gaps(first: Floats, second: Floats) -> Floats:
    """Differences of equivalences; two judges off the same end of the curve cannot be told apart by it."""
    with np.errstate(invalid="ignore"):
        return first - second


def _amateurs(
    problem: Problem, question: Question, data: Replicates, samples: Replicates | None
) -> tuple[AmateurPoint, ...] | None:
    if problem.amateurs is None:
        return None
    points = []
    for i, k in enumerate(problem.amateur_sizes):
        score = data.amateurs[:, i]
        worth = float(crossings(data.curve, score)[0])
        low, high = _score_bounds(question, float(score[0]), None if samples is None else samples.amateurs[:, i])
        points.append(
            AmateurPoint(
                raters=k, score=float(score[0]), low=low, high=high, worth_experts=worth if np.isfinite(worth) else NAN
            )
        )
    return tuple(points)


def _ceiling(question: Question, extras: Extras, data: Replicates, samples: Replicates | None) -> Ceiling | None:
    if not extras.labels or not data.ceiling.size:
        return None
    gain = float(data.ceiling[0])
    low, high = _bounds(question, gain, None if samples is None else samples.ceiling)
    points = []
    for i, k in enumerate(extras.beyond):
        value = float(data.beyond[0, i])
        bounds = _bounds(question, value, None if samples is None else samples.beyond[:, i])
        points.append(CurvePoint(raters=k, score=value, low=bounds[0], high=bounds[1], items=0))
    return Ceiling(gain=gain, low=low, high=high, curve=tuple(points))


def _curve_warnings(problem: Problem, question: Question, extras: Extras, curve: Floats) -> list[str]:
    warnings = []
    per_item = problem.counts.sum(axis=1)
    if (per_item <= problem.references).all() and len(problem.sizes) == 1:
        warnings.append(
            "No item has a rating to spare for a survey: the curve ends with nobody asked, and no judge can be placed "
            "on it. Collect two or more ratings per item."
        )
    elif problem.sizes[-1] == 0:
        warnings.append("The curve ends with nobody asked: it shows whether a judge is worse than that, no more.")
    if np.isnan(curve).any():
        missing = [k for k, score in zip(problem.sizes, curve, strict=True) if np.isnan(score)]
        warnings.append(f"{question.score} is undefined for surveys of {', '.join(map(str, missing))} raters.")
    sampled = [k for k, scores in extras.large.items() if not np.isnan(scores.standard_error)]
    kept = [k for k in extras.large if k not in sampled]
    if sampled:
        worst = max(extras.large[k].standard_error for k in sampled)
        warnings.append(
            f"From {sampled[0]} raters on there are too many surveys to enumerate: {SAMPLES:,} were sampled, with a "
            f"standard error of at most {worst:.2g}."
        )
    if kept and question.bootstrap:
        warnings.append(
            f"From {kept[0]} raters on, bootstrap samples reweight items and do not learn the combiner again, "
            f"{_what_relearning_adds(question)}."
        )
    return warnings
