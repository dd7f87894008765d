"""From an estimate, its interval and a threshold to a verdict, and what would settle it."""

import math
import os
from collections.abc import Callable
from concurrent.futures import Executor
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import Judges, Ratings
from dissensus.data.coding import rows_among
from dissensus.data.history import SUFFIX, last_passed
from dissensus.data.inputs import JudgesLike
from dissensus.data.questions import joined_probabilities
from dissensus.data.readers import read_judges
from dissensus.errors import JudgesError, OptionError, counted, listed, named
from dissensus.methods.equivalence.bounds import Intervals
from dissensus.methods.equivalence.curve import crossings
from dissensus.methods.equivalence.equivalence import rater_term_of
from dissensus.methods.equivalence.options import EquivalenceOptions
from dissensus.methods.equivalence.problem import merged
from dissensus.methods.equivalence.replicates import bootstrap_replicates, starting_scores, up_to_size
from dissensus.methods.equivalence.setup import Prepared, set_up
from dissensus.methods.gate.result import POWER, Missing, Verdict
from dissensus.sampling import Progress
from dissensus.sampling.intervals import Bounds, bootstrap_interval
from dissensus.sampling.raters import rater_stream

FEW = 1000  # items that can be had
SENSIBLE = 20
"""More items than this many times the rated ones are nothing that anybody would collect to settle a check."""


class HalfWidth(NamedTuple):
    """How far an interval reaches to one side, and how far for these raters alone."""

    whole: float
    items: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its interval, and the items that it rests on."""

    value: float
    low: float
    high: float
    items: int
    these: Bounds | None = None  # for these raters alone, where the interval is for raters like these

    def below(self) -> HalfWidth:
        """How far the interval reaches down."""
        return HalfWidth(self.value - self.low, None if self.these is None else self.value - self.these[0])

    def above(self) -> HalfWidth:
        """How far it reaches up."""
        return HalfWidth(self.high - self.value, None if self.these is None else self.these[1] - self.value)


def verdict_above(low: float, high: float, threshold: float) -> Verdict:
    """Whether a number is at least the threshold: surely, surely not, or neither."""
    if low >= threshold:
        return "pass"
    return "fail" if high < threshold else "inconclusive"


def verdict_between(low: float, high: float, most: float) -> Verdict:
    """Whether a number is at most so far from 0."""
    if -most <= low and high <= most:
        return "pass"
    return "fail" if low > most or high < -most else "inconclusive"


def more_above(estimate: Estimate, threshold: float, confidence: float) -> int | None:
    """How many more items would settle whether the number is at least the threshold; None if it is exactly that."""
    if not math.isfinite(estimate.value):
        return None
    half_width = estimate.below() if estimate.value >= threshold else estimate.above()
    return _more(estimate.items, half_width, abs(estimate.value - threshold), confidence)


def more_between(estimate: Estimate, most: float, confidence: float) -> int | None:
    """How many more items would settle whether the number is at most so far from 0."""
    if not math.isfinite(estimate.value):
        return None
    below, above = estimate.below(), estimate.above()
    if abs(estimate.value) > most:
        half_width = below if estimate.value > 0 else above
        return _more(estimate.items, half_width, abs(estimate.value) - most, confidence)
    sides = [
        _more(estimate.items, below, most + estimate.value, confidence),
        _more(estimate.items, above, most - estimate.value, confidence),
    ]
    return None if None in sides else max(side for side in sides if side is not None)


def _more(items: int, half_width: HalfWidth, distance: float, confidence: float) -> int | None:
    """More items until the threshold is out of the interval, with the chance that `POWER` names; None if none would do.

    The interval is z standard errors wide to each side. Its part for these raters narrows with the root of the number
    of items; what raters add stays. A new estimate falls short of this one half of the time, so the distance must be z
    and z(POWER) standard errors.
    """
    from scipy.special import ndtri  # noqa: PLC0415 - takes a while to import

    if not (math.isfinite(half_width.whole) and distance > 0):
        return None
    z = float(ndtri((1 + confidence) / 2))
    by_items = half_width.whole if half_width.items is None else min(half_width.items, half_width.whole)
    room = (distance * z / (z + float(ndtri(POWER)))) ** 2 - (half_width.whole**2 - by_items**2)
    if not room > 0:
        return None
    needed = items * by_items**2 / room
    return max(1, math.ceil(needed) - items) if math.isfinite(needed) else None


More = Callable[[Estimate, float, float], int | None]
"""How many more items would settle a check."""


class Settling(NamedTuple):
    """What would settle a check that the interval leaves open."""

    missing: Missing
    more_items: int | None
    each: int | None = None  # of a worth: ratings that an item needs to count


def round_up(count: int) -> int:
    """A count with two digits: how many items are needed is known no better."""
    step = int("1".ljust(len(str(count)) - 1, "0"))
    return -(-count // step) * step


def settling(estimate: Estimate, threshold: float, confidence: float, more: More) -> Settling:
    """More items, if these would do; else more raters, or a threshold that is not where the estimate is."""
    if math.isnan(estimate.value):
        return Settling("score", None)
    if (needed := more(estimate, threshold, confidence)) is not None:
        return Settling("items", needed)
    if estimate.these is None:
        return Settling("distance", None)
    low, high = estimate.these
    alone = more(replace(estimate, low=low, high=high, these=None), threshold, confidence)
    # Where these raters alone would take that many items, other raters would not tell it apart, either.
    is_too_near = alone is None or alone > max(SENSIBLE * estimate.items, FEW)
    return Settling("distance" if is_too_near else "raters", None)


# ---- A survey equivalence with its replicates: the numbers of `equivalence`, bounds off the curve included


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurveyRun:
    """Scores of surveys and of one judge."""

    prepared: Prepared  # the problem and its warnings
    # Scores of the data and of bootstrap samples, of surveys up to a size that the judge does not reach.
    intervals: Intervals
    judge: int = -1  # which of the judges stands at the gate: the last one, calibrated if that was asked for

    @property
    def gap(self) -> Floats:
        """The judge's score less that of k raters, of shape (K + 1,)."""
        data = self.intervals.data
        return np.asarray(data.judges[0, self.judge] - data.curve[0])


def run_survey(
    ratings: Ratings,
    judges: Judges,
    options: EquivalenceOptions,
    *,
    reach: int,
    rng: int | Generator | None,
    executor: Executor,
    progress: Progress | None = None,
) -> SurveyRun:
    """The power curve, at least up to this many raters, and the one judge of the options."""
    # The streams of `equivalence`, so that the same seed gives the same numbers.
    folds, surveys, samples = np.random.default_rng(rng).spawn(3)
    prepared = set_up(ratings, judges, options, rng=deepcopy(folds))
    if prepared.problem.sizes[-1] < reach:
        most = int(prepared.problem.counts.sum(axis=1).max(initial=0))
        if reach >= most:
            raise OptionError(
                f"{named('min_equivalence')} needs {counted(reach, 'rater')} and one more to predict, and "
                f"no item has more than {counted(most, 'rating')}: lower it, or collect more ratings per item."
            )
        prepared = set_up(ratings, judges, replace(options, max_raters=reach), rng=folds)
    problem = prepared.problem if options.exact else merged(prepared.problem)
    extras, data = starting_scores(problem, options, rng=surveys)
    term, about_raters = rater_term_of(prepared, options, rng=rater_stream(rng))
    prepared = replace(prepared, warnings=(*prepared.warnings, *about_raters))
    for n_sizes in _stages(data.curve[0], float(data.judges[0, -1]), reach):
        part = replace(problem, sizes=problem.sizes[:n_sizes])
        # Each time the same samples: what was not needed before is added.
        drawn = bootstrap_replicates(
            part, extras, options.bootstrap, executor, rng=deepcopy(samples), progress=progress
        )
        raters = None if term is None else term.up_to_size(n_sizes)
        intervals = Intervals(options=options, data=up_to_size(data, n_sizes), samples=drawn, raters=raters)
        run = SurveyRun(prepared=prepared, intervals=intervals)
        if intervals.worth(run.judge).high < np.inf:
            break
    return run


def _stages(curve: Floats, judge: float, reach: int) -> list[int]:
    """How much of the curve to draw in the bootstrap samples, first, and if the upper bound lies beyond, in the end.

    Large surveys are many, and a judge that is worth few raters is not compared with them.
    """
    value = float(crossings(curve[None, :], np.array([judge]))[0])
    if not value < np.inf:
        return [len(curve)]
    first = 2 * max(reach, math.ceil(max(value, 0.0))) + 2
    return [first, len(curve)] if first < len(curve) else [len(curve)]


def gap_at(run: SurveyRun, threshold: float, items: int, *, confidence: float) -> Estimate:
    """The judge's score less that of a survey of the threshold's size, between whole numbers interpolated."""
    below, above = math.floor(threshold), math.ceil(threshold)
    share = threshold - below
    value = float((1 - share) * run.gap[below] + share * run.gap[above])

    def bounds(intervals: Intervals) -> Bounds:
        gaps = intervals.gaps(run.judge)
        assert gaps is not None  # noqa: S101 - a gate takes samples
        drawn = (1 - share) * gaps[:, below] + share * gaps[:, above]
        return bootstrap_interval(value, drawn, confidence=confidence, kind="percentile")

    low, high = bounds(run.intervals)
    these = None if run.intervals.raters is None else bounds(replace(run.intervals, raters=None))
    return Estimate(value=value, low=low, high=high, items=items, these=these)


def worth_verdict(run: SurveyRun, threshold: float, *, confidence: float) -> tuple[int, Verdict, Settling]:
    """On how many items, whether the judge is worth this many raters, and what would settle it if that is open."""
    problem = run.prepared.problem
    each = math.ceil(threshold) + problem.references
    enough = problem.counts.sum(axis=1) >= each
    items = int(problem.items[enough].sum())
    # Equivalences can be infinite; the gap to a survey of the threshold's size is not, and has the same sign.
    what = settling(gap_at(run, threshold, items, confidence=confidence), 0.0, confidence, more_above)
    if what.missing == "items" and items < int(problem.items.sum()):
        what = what._replace(missing="ratings")  # some of the rated items lack them, and cost less than new ones
    low, high = run.intervals.worth(run.judge)
    return items, verdict_above(low, high, threshold), what._replace(each=each)


# ---- What a judge answered before, beside what it answers now


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Before:
    """What a judge answered before."""

    answers: Judges
    name: str  # which answers these are


def earlier_answers(source: JudgesLike, judge: str) -> Before:
    """A judge's answers before: of a file or frame of them, or of the last gate that it passed in a history.

    Raises DissensusError if it cannot be read, or has no such judge.
    """
    if isinstance(source, str | os.PathLike) and Path(source).suffix.lower() == SUFFIX:
        answers, name = last_passed(Path(source), judge)
        return Before(answers=answers, name=name)
    answers = source if isinstance(source, Judges) else read_judges(source)
    if answers.questions:
        several = listed(list(answers.questions))
        raise OptionError(f"The earlier answers are to several questions ({several}): give those of one.")
    name = Path(source).name if isinstance(source, str | os.PathLike) else "before"
    return Before(answers=answers[judge], name=name)


def beside_earlier(judges: Judges, judge: str, before: Before) -> tuple[Judges, str, list[str]]:
    """A judge's answers and its earlier ones on the items of both, what the earlier ones are called, and what is left.

    Raises JudgesError if they share no item.
    """
    now, then = judges[judge], before.answers
    shared = set(now.items) & set(then.items)
    if not shared:
        never = f"{judge} answered none of the items of {before.name}"
        raise JudgesError(f"{never}: let it answer some of those again, or check the item ids.")
    counts = {"new": len(set(now.items) - shared), "gone": len(set(then.items) - shared)}
    left = [
        f"{counted(count, 'item')} {'is' if count == 1 else 'are'} {word}" for word, count in counts.items() if count
    ]
    about = [f"Compared with {before.name} on the {counted(len(shared), 'item')} of both: {' and '.join(left)}."]
    name = f"{judge} ({before.name})"
    return _together(_on(shared, now), _on(shared, then), name), name, about if left else []


def renamed_since(labels: tuple[str, ...], judges: Judges, judge: str, before: Before) -> list[str]:
    """What to do about labels of the earlier answers that neither people nor the judge have now.

    `labels`: of people. `judges`, `judge`: who is at the gate now. `before`: its answers before.
    """
    then = before.answers
    used = [label for label, is_used in zip(then.labels, then.labels_used(), strict=True) if is_used]
    gone = [label for label in used if label not in labels and label not in judges[judge].labels]
    if not gone:
        return []
    new = [label for label in labels if label not in then.labels]
    about = f"No rater used {listed(gone)} of {before.name}, so it can never be right there"
    since = f", and {listed(new)} {'is' if len(new) == 1 else 'are'} new since" if new else ""
    here, there = named("label_map", of="read"), named("label_map", of="read_judges")
    remedy = f"NEW=OLD with {here} in the ratings and with {there} in the judges' answers"
    rename = f"If a label only has another name now, give it the old one: {remedy}."
    return [f"{about}{since}. {rename} Or take answers to today's labels as a baseline."]


def _on(items: set[str], judges: Judges) -> Judges:
    return judges.where(np.array([item in items for item in judges.items], dtype=np.bool_)[judges.item])


def _together(now: Judges, then: Judges, name: str) -> Judges:
    """Both as two judges of one table; the earlier one gets a name."""
    labels = (*now.labels, *(label for label in then.labels if label not in now.labels))
    options = (*now.options, *(one for one in then.options if one not in now.options))
    column = np.array([*(labels.index(label) for label in then.labels), -1], dtype=np.intp)
    return Judges(
        item=np.concatenate([now.item, rows_among(then.items, now.items)[then.item]]),
        judge=np.concatenate([now.judge, np.full(then.n_answers, 1)]),
        sample=np.concatenate([now.sample, then.sample]),
        label=np.concatenate([now.label, column[then.label]]),
        items=now.items, judges=(*now.judges, name), labels=labels, options=options,
        probability=joined_probabilities([now, then], labels),
    )  # fmt: skip
