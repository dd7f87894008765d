"""May this judge pass? Each threshold is tested on the bound of an interval.

Intervals are the wider ones of the bootstrap and of a formula: where all items come out alike the bootstrap sees no
spread, and five items would pass any gate.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import Judges, JudgesLike, Ratings, RatingsLike, Task, as_data
from dissensus.errors import OptionError
from dissensus.methods.compare import compare
from dissensus.methods.compare.metrics import MetricName
from dissensus.methods.compare.result import CompareResult
from dissensus.methods.equivalence.bounds import Intervals, place_of
from dissensus.methods.equivalence.curve import crossings, verdict_of
from dissensus.methods.equivalence.equivalence import rater_term_of
from dissensus.methods.equivalence.options import Calibration, Combiner, EquivalenceOptions, survey_options
from dissensus.methods.equivalence.replicates import bootstrap_replicates, starting_scores, up_to_size
from dissensus.methods.equivalence.scores import POSITIVE_SCORES, ScoreName
from dissensus.methods.equivalence.setup import Prepared, set_up
from dissensus.methods.gate.options import POWER, GateOptions
from dissensus.methods.gate.result import Check, Constant, GateResult, Verdict
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.result import ALWAYS_POSITIVE, BASELINES, Downstream, JudgesResult
from dissensus.methods.judges.summary import kappa_warnings
from dissensus.options import named
from dissensus.results import Message
from dissensus.sampling import Engine, Progress, open_executor, seed_of
from dissensus.sampling.intervals import bootstrap_interval, paired_difference_interval, share_interval
from dissensus.sampling.raters import RatersAs, rater_stream, resolve_raters


def gate(
    ratings: RatingsLike,
    judges: JudgesLike | None = None,
    *,
    judge: str,
    min_equivalence: float | None = None,
    min_consistency: float | None = None,
    tau: float = 0.5,
    max_bias: float | None = None,
    better_than: str | Sequence[str] = (),
    not_worse_than: str | Sequence[str] = (),
    margin: float | None = None,
    metric: MetricName = "wins",
    task: Task | None = None,
    positive: str | Sequence[str] = (),
    score: ScoreName | None = None,
    combiner: Combiner | None = None,
    calibrate: Calibration = "auto",
    min_items: int = 30,
    raters: RatersAs | None = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> GateResult:
    """Whether a judge keeps to every threshold: pass, fail, or inconclusive where the interval holds the threshold.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes
        Who gave which label to which item.
    judges : Judges, or anything that `read_judges` takes, optional
        What judges answered on these items.
    judge : str
        The judge at the gate.
    min_equivalence : float, optional
        It must be worth at least so many raters (`equivalence`).
    min_consistency : float, optional
        It must decide at least this share of the items as people do (`judges`).
    tau : float
        An item is decided positive if at least this share of raters calls it so.
    max_bias : float, optional
        Its share of positive decisions may differ by at most so much from people's.
    better_than : str or sequence of str
        It must be better than these judges (`compare`).
    not_worse_than : str or sequence of str
        It may be at most `margin` worse than these judges.
    margin : float, optional
        In units of the metric.
    metric : str
        Of the comparisons, as in `compare`.
    task : Task, optional
        Which options are positive.
    positive : str or sequence of str
        Options that count as positive; those of the task if not given.
    score, combiner
        Of the equivalence, as in `equivalence`; what the data allow if not given: cross-entropy where the judge gives
        labels or probabilities.
    calibrate
        Of the equivalence, as in `equivalence`.
    min_items : int
        With fewer items an interval from resampling them is too narrow: equivalence and comparisons are inconclusive.
    raters : {"sampled", "fixed"}, optional
        Intervals for raters like these, or for these raters alone; sampled if not given and at least three raters have
        ids.
    bootstrap : int
        Bootstrap samples of the items.
    confidence : float
        Of the intervals, two-sided.
    rng : int or Generator
        Seed.
    engine, workers
        Where the bootstrap runs; the numbers do not depend on it.
    progress : callable, optional
        Told how many tasks of a check are done, and of how many.

    Returns
    -------
    GateResult

    Examples
    --------
    >>> from dissensus import read, read_judges
    >>> from dissensus.data.examples import example_path
    >>> folder = example_path("binary")
    >>> result = gate(
    ...     read(folder / "ratings.csv"), read_judges(folder / "judges.csv"), judge="classifier", min_equivalence=1
    ... )
    >>> result.verdict, result.checks[0].items
    ('pass', 300)
    """
    ratings, judges = as_data(ratings, judges)
    options = GateOptions.given(locals(), seed=seed_of(rng))
    for name in (*options.judge, *options.better_than, *options.not_worse_than):
        judges[name]  # raises for an unknown judge, before any work
    with open_executor(engine, workers=workers) as executor:
        asking = _Asking(ratings, judges, task, options, rng, executor, progress)
        parts = list(asking.all_checks())
    survey = {} if min_equivalence is None else asking.survey_options().settings()
    return GateResult(
        settings=options.settings()
        | {"raters": resolve_raters(raters, ratings)[0]}
        | {name: survey[name] for name in ("score", "combiner", "calibrate") if survey},
        data={"ratings": ratings.describe_data(), "judges": judges.describe_data()},
        warnings=tuple(dict.fromkeys(warning for _, warnings in parts for warning in warnings)),
        judge=options.judge[0],
        checks=tuple(check for checks, _ in parts for check in checks),
    )


# ---- Each threshold on its own: the method that it takes, then its check

Part = tuple[Sequence[Check], Sequence[str]]
"""Checks, and warnings about them."""


@dataclass(frozen=True, slots=True)
class _Asking:
    """The data, and what is asked of them."""

    ratings: Ratings
    judges: Judges
    task: Task | None
    options: GateOptions
    rng: int | Generator | None
    executor: Executor
    progress: Progress | None

    def all_checks(self) -> Iterator[Part]:
        """The checks that were asked for, in the order of the options."""
        options = self.options
        if options.min_equivalence is not None:
            yield self.worth(options.min_equivalence)
        if options.min_consistency is not None or options.max_bias is not None:
            yield self.decisions()
        for other in options.better_than:
            yield self.comparison(other, margin=None)
        for other in options.not_worse_than:
            yield self.comparison(other, margin=options.margin)

    def where(self) -> dict[str, Any]:
        """What every method takes."""
        options = self.options
        return {
            "bootstrap": options.bootstrap, "confidence": options.confidence, "rng": self.rng,
            "engine": self.executor, "progress": self.progress,
        }  # fmt: skip

    def survey_options(self) -> EquivalenceOptions:
        """How the judge is compared with surveys: as the user says, else as the data allow."""
        options = self.options
        fitting = survey_options(self.ratings, self.judges[options.judge[0]])
        score = options.score or fitting.get("score", "cross-entropy")
        return EquivalenceOptions(
            judge=options.judge, score=score, combiner=options.combiner or fitting.get("combiner", "abc"),
            positive=options.positive[0] if len(options.positive) == 1 and score in POSITIVE_SCORES else None,
            calibrate=options.calibrate, raters=options.raters, bootstrap=options.bootstrap,
            confidence=options.confidence, seed=options.seed,
        )  # fmt: skip

    def worth(self, threshold: float) -> Part:
        """Is the judge worth at least so many raters?"""
        asked = self.survey_options()
        run = run_survey(
            self.ratings, self.judges, asked, reach=math.ceil(threshold), rng=self.rng, executor=self.executor,
            progress=self.progress,
        )  # fmt: skip
        return [worth_check(run, threshold, self.options, score=asked.score)], run.prepared.warnings

    def decisions(self) -> Part:
        """Does the judge decide as people do, and as often positively?"""
        (judge,) = self.options.judge
        result = rank_judges(
            self.ratings, self.judges, task=self.task, judge=judge, positive=self.options.positive or None,
            tau=self.options.tau, **self.where(),
        )  # fmt: skip
        if not result.downstream:
            raise OptionError(
                f"{named('min_consistency')} and {named('max_bias')} are about a decision: name its label, "
                f"{named('positive')} LABEL."
            )
        row, *_ = (row for row in result.downstream if row.judge == judge)
        constants = result.downstream[-len(BASELINES) :]  # they stand last
        items = result.settings["items"]
        assert isinstance(items, int)  # noqa: S101 - `judges` counts them
        checks = decision_checks(row, constants, items, self.options)
        return checks, (*constant_warnings(checks), *_about_decisions(result))

    def comparison(self, other: str, *, margin: float | None) -> Part:
        """Is the judge better than another, or at most so much worse?"""
        (judge,) = self.options.judge
        result = compare(
            self.ratings, self.judges, a=judge, b=other, metric=self.options.metric, raters=self.options.raters,
            **self.where(),
        )  # fmt: skip
        return [comparison_check(result, margin, self.options)], result.warnings


def _about_decisions(result: JudgesResult) -> tuple[str, ...]:
    """The warnings about the data and the decisions, not those about definitions that no gate asks for."""
    others = {Message(text) for text in kappa_warnings(result.downstream)}
    ids = [definition.id for definition in result.definitions]
    return tuple(text for text in result.warnings if text not in others and not any(id_ in text for id_ in ids))


# ---- From an estimate, its interval and a threshold to a verdict, and how many more items would settle it


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its interval, and the items that it rests on."""

    value: float
    low: float
    high: float
    items: int


def verdict_above(low: float, high: float, threshold: float) -> Verdict:
    """Whether a number is at least the threshold: surely, surely not, or neither.

    Examples
    --------
    >>> verdict_above(2.0, 3.0, 2.0), verdict_above(1.0, 1.9, 2.0), verdict_above(1.0, 3.0, 2.0)
    ('pass', 'fail', 'inconclusive')
    """
    if low >= threshold:
        return "pass"
    return "fail" if high < threshold else "inconclusive"


def verdict_between(low: float, high: float, most: float) -> Verdict:
    """Whether a number is at most so far from 0."""
    if -most <= low and high <= most:
        return "pass"
    return "fail" if low > most or high < -most else "inconclusive"


def more_above(estimate: Estimate, threshold: float, options: GateOptions) -> int | None:
    """How many more items would settle whether the number is at least the threshold; None if it lies upon it."""
    if not math.isfinite(estimate.value):
        return None
    half_width = estimate.value - estimate.low if estimate.value >= threshold else estimate.high - estimate.value
    return _more(estimate.items, half_width, abs(estimate.value - threshold), options.confidence)


def more_between(estimate: Estimate, most: float, options: GateOptions) -> int | None:
    """How many more items would settle whether the number is at most so far from 0."""
    if not math.isfinite(estimate.value):
        return None
    below, above = estimate.value - estimate.low, estimate.high - estimate.value
    if abs(estimate.value) > most:
        half_width = below if estimate.value > 0 else above
        return _more(estimate.items, half_width, abs(estimate.value) - most, options.confidence)
    sides = [
        _more(estimate.items, below, most + estimate.value, options.confidence),
        _more(estimate.items, above, most - estimate.value, options.confidence),
    ]
    return None if None in sides else max(side for side in sides if side is not None)


def _more(items: int, half_width: float, distance: float, confidence: float) -> int | None:
    """More items until the threshold is out of the interval, with the chance that `POWER` names.

    The interval is z standard errors wide to each side and narrows with the root of the number of items. A new estimate
    falls short of this one half of the time, so the distance must be z and z(POWER) standard errors.
    """
    from scipy.special import ndtri  # noqa: PLC0415 - takes a while to import

    if not (math.isfinite(half_width) and distance > 0):
        return None
    z = float(ndtri((1 + confidence) / 2))
    needed = items * (half_width / distance * (z + float(ndtri(POWER))) / z) ** 2
    return max(1, math.ceil(needed) - items) if math.isfinite(needed) else None


def with_enough_items(check: Check, options: GateOptions) -> Check:
    """The check, inconclusive where its items are too few for an interval from resampling them."""
    lacking = options.min_items - check.items
    if lacking <= 0:
        return check
    return replace(check, verdict="inconclusive", more_items=max(lacking, check.more_items or 0))


def _check(
    name: str, threshold: float, estimate: Estimate, verdict: Verdict, more_items: int | None, measure: str
) -> Check:
    """A check, with what would settle it if it is inconclusive."""
    return Check(
        check=name, threshold=threshold, value=estimate.value, low=estimate.low, high=estimate.high, verdict=verdict,
        items=estimate.items, more_items=more_items if verdict == "inconclusive" else None, measure=measure,
    )  # fmt: skip


def comparison_check(result: CompareResult, margin: float | None, options: GateOptions) -> Check:
    """Whether the interval of the difference lies above 0, or above the margin with a minus."""
    estimate, pair = difference_of(result), result.pairs[0]
    threshold = 0.0 if margin is None else -margin
    if margin is None:
        verdict = better_verdict(estimate, is_better=pair.better == "a")
    else:
        verdict = verdict_above(estimate.low, estimate.high, threshold)
    name = "better_than" if margin is None else "not_worse_than"
    check = _check(name, threshold, estimate, verdict, more_above(estimate, threshold, options), result.metric)
    return with_enough_items(replace(check, against=pair.judge_b, p_value=pair.p_value), options)


def difference_of(result: CompareResult) -> Estimate:
    """How much better the first judge is than the second, whichever way the metric runs."""
    pair = result.pairs[0]
    if result.better_scores == "higher":
        return Estimate(value=pair.difference, low=pair.low, high=pair.high, items=pair.items)
    return Estimate(value=0.0 - pair.difference, low=0.0 - pair.high, high=0.0 - pair.low, items=pair.items)


def better_verdict(estimate: Estimate, *, is_better: bool) -> Verdict:
    """Better only if the interval and the test of `compare` both say so; not better if nothing above 0 is possible."""
    if estimate.low > 0 and is_better:
        return "pass"
    return "fail" if not math.isnan(estimate.high) and estimate.high <= 0 else "inconclusive"


# ---- Does the judge decide as people do, and as often positively?


def decision_checks(row: Downstream, constants: Sequence[Downstream], items: int, options: GateOptions) -> list[Check]:
    """Whether consistency and bias of the decisions keep to the thresholds that were given, beside the constants."""
    checks = []
    for name, estimate_of, verdict_by, more_by in _DECISIONS:
        threshold = getattr(options, name)
        if threshold is None:
            continue
        estimate, *others = (estimate_of(one, items, options) for one in (row, *constants))
        beside = tuple(
            Constant(
                judge=one.judge, value=other.value, low=other.low, high=other.high,
                verdict=verdict_by(other.low, other.high, threshold),
            )
            for one, other in zip(constants, others, strict=True)
        )  # fmt: skip
        verdict = verdict_by(estimate.low, estimate.high, threshold)
        more = more_by(estimate, threshold, options)
        check = _check(name, threshold, estimate, verdict, more, name.partition("_")[2])
        checks.append(replace(check, tau=row.tau, constants=beside))
    return checks


def constant_warnings(checks: Iterable[Check]) -> tuple[str, ...]:
    """That deciding all items alike, without looking, would pass as well: such a check tells nothing of the judge."""
    return tuple(
        f"Calling {'every' if constant.judge == ALWAYS_POSITIVE else 'no'} item positive, without looking, would pass "
        f"{named(check.check)} {check.threshold:g} as well ({_reaches(check, constant)}): passing it takes no "
        "skill here."
        for check in checks
        for constant in check.as_good
    )


def _reaches(check: Check, constant: Constant) -> str:
    if check.check == "max_bias":
        return f"a bias of {100 * constant.value:.1f} points, the judge's {100 * check.value:.1f}"
    return f"{constant.value:.1%} decided as people do, by the judge {check.value:.1%}"


def consistency_of(row: Downstream, items: int, options: GateOptions) -> Estimate:
    """The share of items decided alike, with its interval."""
    exact = share_interval(round(row.consistency * items), items, confidence=options.confidence)
    return Estimate(
        value=row.consistency,
        low=min(row.consistency_low, exact[0]),
        high=max(row.consistency_high, exact[1]),
        items=items,
    )


def bias_of(row: Downstream, items: int, options: GateOptions) -> Estimate:
    """The judge's prevalence less people's, with its interval."""
    unlike = round((1 - row.consistency) * items)
    more = (unlike + round(row.bias * items)) / 2  # items that only the judge calls positive
    paired = paired_difference_interval(more, unlike - more, items, confidence=options.confidence)
    return Estimate(value=row.bias, low=min(row.bias_low, paired[0]), high=max(row.bias_high, paired[1]), items=items)


_DECISIONS: tuple[tuple[str, Any, Any, Any], ...] = (
    ("min_consistency", consistency_of, verdict_above, more_above),
    ("max_bias", bias_of, verdict_between, more_between),
)
"""Option, estimate, verdict and what would settle it."""


# ---- A survey equivalence with its replicates: the numbers of `equivalence`, bounds off the curve included


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurveyRun:
    """Scores of surveys and of one judge.

    Attributes
    ----------
    prepared : Prepared
        The problem and its warnings.
    intervals : Intervals
        Scores of the data and of bootstrap samples, of surveys up to a size that the judge does not reach.
    judge : int
        Which of the judges stands at the gate: the last one, calibrated if that was asked for.
    """

    prepared: Prepared
    intervals: Intervals
    judge: int = -1

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
    """The power curve, at least up to so many raters, and the one judge of the options."""
    # The streams of `equivalence`, so that the same seed gives the same numbers.
    folds, surveys, samples = np.random.default_rng(rng).spawn(3)
    prepared = set_up(ratings, judges, options, rng=deepcopy(folds))
    if prepared.problem.sizes[-1] < reach:
        most = int(prepared.problem.counts.sum(axis=1).max(initial=0))
        if reach >= most:
            raise OptionError(
                f"{named('min_equivalence')} needs surveys of {reach} raters and one more to predict, and no item has "
                f"more than {most} ratings: lower it, or collect more ratings per item."
            )
        prepared = set_up(ratings, judges, replace(options, max_raters=reach), rng=folds)
    extras, data = starting_scores(prepared.problem, options, rng=surveys)
    term, about_raters = rater_term_of(prepared, options, rng=rater_stream(rng))
    prepared = replace(prepared, warnings=(*prepared.warnings, *about_raters))
    for n_sizes in _stages(data.curve[0], float(data.judges[0, -1]), reach):
        part = replace(prepared.problem, sizes=prepared.problem.sizes[:n_sizes])
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


def worth_check(run: SurveyRun, threshold: float, options: GateOptions, *, score: str) -> Check:
    """Whether the interval of the survey equivalence keeps to the threshold."""
    value, (low, high) = place_of(run.gap), run.intervals.worth(run.judge)
    problem = run.prepared.problem
    enough = problem.counts.sum(axis=1) >= math.ceil(threshold) + problem.references
    estimate = Estimate(value=value, low=low, high=high, items=int(problem.items[enough].sum()))
    # Equivalences can be infinite; the gap to a survey of the threshold's size is not, and has the same sign.
    apart = _gap_at(run, threshold, estimate.items, confidence=options.confidence)
    verdict, more = verdict_above(low, high, threshold), more_above(apart, 0.0, options)
    check = _check("min_equivalence", threshold, estimate, verdict, more, score)
    placed = replace(
        check, place=verdict_of(value), low_verdict=verdict_of(low), high_verdict=verdict_of(high),
        largest=problem.sizes[-1],
    )  # fmt: skip
    return with_enough_items(placed, options)


def _gap_at(run: SurveyRun, threshold: float, items: int, *, confidence: float) -> Estimate:
    """The judge's score less that of a survey of the threshold's size, between whole numbers interpolated."""
    below, above = math.floor(threshold), math.ceil(threshold)
    share = threshold - below
    value = float((1 - share) * run.gap[below] + share * run.gap[above])
    gaps = run.intervals.gaps(run.judge)
    assert gaps is not None  # noqa: S101 - a gate takes samples
    drawn = (1 - share) * gaps[:, below] + share * gaps[:, above]
    low, high = bootstrap_interval(value, drawn, confidence=confidence, kind="percentile")
    return Estimate(value=value, low=low, high=high, items=items)
