"""From answers to estimates with intervals, judge by judge."""

import math
from dataclasses import dataclass, replace

import numpy as np

from dissensus.errors import counted
from dissensus.methods.prevalence.estimators import (
    Base,
    Corrected,
    Point,
    Sample,
    error_size,
    interval_of,
    naive,
    people_only,
    prediction_powered,
    rogan_gladen,
    size_of,
    tuned_weight,
)
from dissensus.methods.prevalence.options import Method, Question
from dissensus.methods.prevalence.result import Estimate, JudgePrevalence
from dissensus.methods.prevalence.targets import Targets
from dissensus.sampling.intervals import reach_of

FEW_ITEMS = 30
"""With fewer rated items the intervals are rough."""
UNLIKE = reach_of(0.999)
"""So many standard errors between rated items and others are more than chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """All methods on one sample, and what they rest on.

    Attributes
    ----------
    weight : float
        Of the judge in ppi++.
    gain : float
        How many times the items that people alone would need for the interval of ppi++ are those they have, less 1; NaN
        where neither varies.
    """

    estimates: tuple[Estimate, ...]
    corrected: Corrected
    weight: float
    gain: float


def estimates_of(sample: Sample, question: Question) -> Estimates:
    """Every method on a sample."""
    weight = tuned_weight(sample)
    corrected = rogan_gladen(sample, question.confidence)
    alone, tuned = people_only(sample), prediction_powered(sample, weight)
    own = Base(share=float(sample.people.mean()), n_items=len(sample.people))
    judged, size = naive(sample), error_size(sample)
    found = [
        _estimate("naive", judged, Base(share=judged.value, n_items=len(sample.everything)), question),
        _estimate("people", alone, own, question),
        Estimate(method="rogan-gladen", value=corrected.value, low=corrected.interval[0], high=corrected.interval[1]),
        _estimate("ppi", prediction_powered(sample, 1.0), replace(own, error=size), question),
        _estimate("ppi++", tuned, replace(own, error=weight**2 * size), question),
    ]
    gain = _gain(alone, tuned, replace(own, error=weight**2 * size), question)
    return Estimates(estimates=tuple(found), corrected=corrected, weight=weight, gain=gain)


def _gain(alone: Point, tuned: Point, base: Base, question: Question) -> float:
    """What is saved by the intervals as they are."""
    if question.interval == "wilson":
        return size_of(tuned.variance, base) / size_of(alone.variance, replace(base, error=0.0)) - 1
    return alone.variance / tuned.variance - 1 if tuned.variance > 0 else math.nan


def _estimate(method: Method, point: Point, base: Base, question: Question) -> Estimate:
    low, high = interval_of(point.value, point.variance, base, kind=question.interval, confidence=question.confidence)
    return Estimate(method=method, value=point.value, low=low, high=high)


def sample_of(targets: Targets) -> Sample:
    """A judge's answers on rated items and others."""
    n = len(targets.people)
    return Sample(people=targets.people, judge=targets.judge[:n], judge_only=targets.judge[n:])


def sum_up(targets: Targets, question: Question) -> tuple[JudgePrevalence, list[str]]:
    """The estimates with one judge, and what to warn about."""
    sample = sample_of(targets)
    found = estimates_of(sample, question)
    judge = JudgePrevalence(
        judge=targets.name,
        items=len(targets.items),
        rated_items=len(targets.people),
        ratings=targets.ratings,
        estimates=found.estimates,
        ratings_saved=found.gain * targets.ratings,
        weight=found.weight,
        sensitivity=found.corrected.sensitivity,
        specificity=found.corrected.specificity,
    )
    return judge, [*_about_sample(targets.name, sample), *_about_correction(targets.name, sample, found)]


def _about_sample(name: str, sample: Sample) -> list[str]:
    """Few items, none to add, or items that were not drawn at random."""
    warnings = []
    n, others = len(sample.people), len(sample.judge_only)
    if n < FEW_ITEMS:
        warnings.append(f"People rated {counted(n, 'item')} that {name} answered: the intervals are rough below 30.")
    if not others:
        warnings.append(
            f"{name} answered the rated items only, so it adds nothing to what people say and ppi has no value: let it "
            "answer items that nobody rated."
        )
        return warnings
    gap = float(sample.judge.mean() - sample.judge_only.mean())
    error = math.sqrt(sample.judge.var() / n + sample.judge_only.var() / others)
    if abs(gap) > UNLIKE * error and error > 0:
        warnings.append(
            f"{name} says yes on {sample.judge.mean():.1%} of the rated items and on {sample.judge_only.mean():.1%} of "
            "the others: the rated ones do not look drawn at random, and then no estimate but naive is about all items."
        )
    return warnings


def _about_correction(name: str, sample: Sample, found: Estimates) -> list[str]:
    """What Rogan-Gladen and the savings could not do."""
    share = float(sample.people.mean())
    if not 0 < share < 1:
        word = "nobody" if share == 0 else "everybody"
        return [f"On the items that {name} answered {word} says yes, so there is no rogan-gladen and nothing is saved."]
    warnings = []
    if math.isnan(found.corrected.value):
        warnings.append(f"{name} says yes no more often where people do: rogan-gladen has no value.")
    if found.corrected.is_cut:
        warnings.append(f"With {name} rogan-gladen lies beyond what a share can be and was cut to it.")
    beyond = [one.method for one in found.estimates if one.method.startswith("ppi") and not 0 <= one.value <= 1]
    if beyond and len(sample.judge_only):
        warnings.append(f"With {name} {' and '.join(beyond)} lies beyond what a share can be: read its interval.")
    if np.ptp(sample.judge) == 0:
        warnings.append(f"{name} says the same of every rated item, so ppi++ is what people say.")
    return warnings
