"""May this judge pass? Each threshold is tested on the bound of an interval.

Estimates and intervals are those of `equivalence`, `judges` and `compare`.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

from numpy.random import Generator

from dissensus.data import Judges, JudgesLike, Ratings, RatingsLike, Task, as_data
from dissensus.data.align import FOREIGN, KEEP_KIND, OTHER_KIND
from dissensus.data.ratings import refuse_weights
from dissensus.errors import OptionError
from dissensus.methods.compare import compare
from dissensus.methods.compare.metrics import MetricName
from dissensus.methods.compare.result import CompareResult
from dissensus.methods.equivalence.bounds import place_of
from dissensus.methods.equivalence.curve import verdict_of
from dissensus.methods.equivalence.options import Calibration, Combiner, EquivalenceOptions, survey_options
from dissensus.methods.equivalence.scores import SPECS, ScoreName
from dissensus.methods.gate.result import Check, Constant, GateOptions, GateResult, Missing, Ruler, Verdict
from dissensus.methods.gate.verdicts import (
    Before,
    Estimate,
    Settling,
    SurveyRun,
    beside_earlier,
    earlier_answers,
    more_above,
    more_between,
    renamed_since,
    run_survey,
    settling,
    verdict_above,
    verdict_between,
    worth_verdict,
)
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.result import ALWAYS_POSITIVE, BASELINES, Downstream, JudgesResult
from dissensus.methods.judges.summary import kappa_warnings
from dissensus.methods.parts.parts import in_parts
from dissensus.options import named
from dissensus.results import Message, unspelled
from dissensus.sampling import Engine, Progress, open_executor, seed_of
from dissensus.sampling.raters import RatersAs, resolve_raters


@in_parts()
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
    baseline: JudgesLike | None = None,
    metric: MetricName | None = None,
    task: Task | None = None,
    positive: str | Sequence[str] = (),
    score: ScoreName | None = None,
    combiner: Combiner | None = None,
    calibrate: Calibration = "auto",
    min_items: int = 30,
    raters: RatersAs | None = None,
    bootstrap: int = 500,
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
        It must be worth at least this many raters (`equivalence`).
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
    baseline : path, Judges, or anything that `read_judges` takes, optional
        The judge's earlier answers, or a history (`.duckdb`) with the last gate that it passed: it may be at most
        `margin` worse than then, on the items that both answered and by today's ratings.
    metric : str, optional
        Of the comparisons, as in `compare`; the one that it takes if not given.
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

    Raises
    ------
    DissensusError
        If the ratings or the judges cannot be read or do not match, or an option has a value it cannot have, or no
        threshold is given.

    See Also
    --------
    decide : Which judge to use, and how.
    compare : Is one judge better than another?
    equivalence : How many raters a judge is worth.

    Examples
    --------
    >>> from dissensus import read, read_judges
    >>> from dissensus.data.paths import example_path
    >>> folder = example_path("binary")
    >>> result = gate(
    ...     read(folder / "ratings.csv"), read_judges(folder / "judges.csv"), judge="classifier", min_equivalence=1
    ... )
    >>> result.verdict, result.checks[0].items
    ('pass', 300)
    """
    ratings, judges = as_data(ratings, judges, has_weights=True)
    refuse_weights(ratings, "A gate")
    options = GateOptions.given(locals(), seed=seed_of(rng), has_baseline=baseline is not None)
    before = None if baseline is None else earlier_answers(baseline, options.judge[0])
    for name in (*options.judge, *options.better_than, *options.not_worse_than):
        judges[name]  # raises for an unknown judge, before any work
    with open_executor(engine, workers=workers) as executor:
        asking = _GateRun(ratings, judges, before, task, options, rng, executor, progress)
        parts = list(asking.all_checks())
    survey = {} if min_equivalence is None else asking.survey_options().settings()
    checks = tuple(check for checks, _ in parts for check in checks)
    used = {check.check: check for check in checks}
    if "min_equivalence" in used:
        survey["calibrate"] = used["min_equivalence"].calibrate
    return GateResult(
        settings=options.settings()
        | {"raters": resolve_raters(raters, ratings)[0]}
        | {name: survey[name] for name in ("score", "combiner", "calibrate") if survey}
        | {"metric": next((check.measure for check in checks if check.against is not None), metric)},
        data={"ratings": ratings.describe_data(), "judges": judges.describe_data()},
        warnings=tuple(dict.fromkeys(warning for _, warnings in parts for warning in warnings)),
        judge=options.judge[0],
        checks=checks,
    )


# ---- Each threshold on its own: the method that it takes, then its check

Part = tuple[Sequence[Check], Sequence[str]]
"""Checks, and warnings about them."""


@dataclass(frozen=True, slots=True)
class _GateRun:
    """The data, and what is asked of them."""

    ratings: Ratings
    judges: Judges
    before: Before | None
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
        if self.before is not None:
            yield self.since(self.before)

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
            positive=options.positive[0] if len(options.positive) == 1 and SPECS[score].has_positive else None,
            calibrate=options.calibrate, raters=options.raters, bootstrap=options.bootstrap,
            confidence=options.confidence, seed=options.seed,
        )  # fmt: skip

    def worth(self, threshold: float) -> Part:
        """Is the judge worth at least this many raters?"""
        asked = self.survey_options()
        run = run_survey(
            self.ratings, self.judges, asked, reach=math.ceil(threshold), rng=self.rng, executor=self.executor,
            progress=self.progress,
        )  # fmt: skip
        return [worth_check(run, threshold, self.options, score=asked.scored_by)], [
            Message(unspelled(text).replace(OTHER_KIND, KEEP_KIND)) for text in run.prepared.warnings
        ]

    def decisions(self) -> Part:
        """Does the judge decide as people do, and as often positively?"""
        result = self.ranked(self.options.raters)
        checks = decision_checks(result, self.options)
        if result.settings["raters"] == "sampled" and any(check.verdict == "inconclusive" for check in checks):
            checks = decision_checks(result, self.options, these=self.ranked("fixed"))
        return checks, (*constant_warnings(checks), *_about_decisions(result))

    def ranked(self, raters: RatersAs | None) -> JudgesResult:
        """What `judges` says about the judge's decisions."""
        result = rank_judges(
            self.ratings, self.judges, task=self.task, judge=self.options.judge[0],
            positive=self.options.positive or None, tau=self.options.tau, raters=raters, **self.where(),
        )  # fmt: skip
        if not result.downstream:
            raise OptionError(
                f"{named('min_consistency')} and {named('max_bias')} are about a decision: name its label, "
                f"{named('positive')} LABEL."
            )
        return result

    def comparison(self, other: str, *, margin: float | None) -> Part:
        """Is the judge better than another, or at most so much worse?"""
        result = self.compared(other, self.options.raters)
        check = comparison_check(result, margin, self.options)
        if result.settings["raters"] == "sampled" and check.verdict == "inconclusive":
            check = comparison_check(result, margin, self.options, these=self.compared(other, "fixed"))
        return [check], result.warnings

    def since(self, before: Before) -> Part:
        """Is the judge at most so much worse than it was before?"""
        both, name, about = beside_earlier(self.judges, self.options.judge[0], before)
        (check,), warnings = replace(self, judges=both).comparison(name, margin=self.options.margin)
        renamed = renamed_since(self.ratings.labels, self.judges, self.options.judge[0], before)
        if renamed:
            warnings = [text for text in warnings if not text.startswith(FOREIGN)]
        return [replace(check, check="baseline")], (*about, *renamed, *warnings)

    def compared(self, other: str, raters: RatersAs | None) -> CompareResult:
        """What `compare` says about the judge and another."""
        (judge,) = self.options.judge
        return compare(
            self.ratings, self.judges, a=judge, b=other, metric=self.options.metric, raters=raters, **self.where()
        )


def _about_decisions(result: JudgesResult) -> tuple[str, ...]:
    """The warnings about the data and the decisions, not those about definitions that no gate asks for."""
    others = {Message(text) for text in kappa_warnings(result.downstream)}
    ids = [definition.id for definition in result.definitions]
    return tuple(text for text in result.warnings if text not in others and not any(id_ in text for id_ in ids))


# ---- From an estimate and a verdict to a check


def with_enough_items(check: Check, options: GateOptions) -> Check:
    """The check, inconclusive where its items are too few for an interval from resampling them."""
    lacking = options.min_items - check.items
    if lacking <= 0:
        return check
    missing: Missing = "ratings" if check.missing == "ratings" else "items"
    return replace(check, verdict="inconclusive", more_items=max(lacking, check.more_items or 0), missing=missing)


def _check(
    name: str, threshold: float, estimate: Estimate, verdict: Verdict, settling: Settling, measure: str
) -> Check:
    """A check, with what would settle it if it is inconclusive."""
    is_open = verdict == "inconclusive"
    return Check(
        check=name, threshold=threshold, value=estimate.value, low=estimate.low, high=estimate.high, verdict=verdict,
        items=estimate.items, more_items=settling.more_items if is_open else None, measure=measure,
        missing=settling.missing if is_open else None,
    )  # fmt: skip


def comparison_check(
    result: CompareResult, margin: float | None, options: GateOptions, *, these: CompareResult | None = None
) -> Check:
    """Whether the interval of the difference lies above 0, or above the margin with a minus.

    `these` is the comparison for these raters alone.
    """
    estimate, pair = difference_of(result), result.pairs[0]
    if these is not None:
        own = difference_of(these)
        estimate = replace(estimate, these=(own.low, own.high))
    threshold = 0.0 if margin is None else -margin
    if margin is None:
        verdict = better_verdict(estimate, is_better=pair.better == "a")
    else:
        verdict = verdict_above(estimate.low, estimate.high, threshold)
    name = "better_than" if margin is None else "not_worse_than"
    what = settling(estimate, threshold, options.confidence, more_above)
    check = _check(name, threshold, estimate, verdict, what, result.metric)
    sign = 1 if result.better_scores == "higher" else -1
    constant = person = None
    if result.constant is not None:
        constant = Ruler(answer=result.constant.answer, value=sign * (result.constant.score - pair.score_b))
    if result.person is not None:
        person = Ruler(value=sign * (result.person.score - pair.score_b))
    placed = replace(
        check, against=pair.judge_b, p_value=pair.p_value, constant=constant, person=person,
        calibrate="auto" if result.metric == "information" else None,
    )  # fmt: skip
    return with_enough_items(placed, options)


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


def decision_checks(result: JudgesResult, options: GateOptions, *, these: JudgesResult | None = None) -> list[Check]:
    """Whether consistency and bias of the decisions keep to the thresholds that were given, beside the constants.

    `these` says the same for these raters alone.
    """
    row, constants, items = _decided(result, options)
    alone = None if these is None else _decided(these, options)[0]
    checks = []
    for name, verdict_by, more_by in _DECISIONS:
        threshold, measure = getattr(options, name), name.partition("_")[2]
        if threshold is None:
            continue
        ends = [[getattr(one, f"{measure}{end}") for end in ("", "_low", "_high")] for one in (row, *constants)]
        estimate, *others = (Estimate(value=own, low=low, high=high, items=items) for own, low, high in ends)
        if alone is not None:
            estimate = replace(estimate, these=(getattr(alone, f"{measure}_low"), getattr(alone, f"{measure}_high")))
        beside = tuple(
            Constant(
                judge=one.judge, value=other.value, low=other.low, high=other.high,
                verdict=verdict_by(other.low, other.high, threshold),
            )
            for one, other in zip(constants, others, strict=True)
        )  # fmt: skip
        verdict = verdict_by(estimate.low, estimate.high, threshold)
        what = settling(estimate, threshold, options.confidence, more_by)
        check = _check(name, threshold, estimate, verdict, what, measure)
        checks.append(_with_rulers(replace(check, tau=row.tau, constants=beside), row, result))
    return checks


def _decided(result: JudgesResult, options: GateOptions) -> tuple[Downstream, Sequence[Downstream], int]:
    """The decisions of the judge, those of the constants, and on how many items."""
    (judge,) = options.judge
    row, *_ = (row for row in result.downstream if row.judge == judge)
    items = result.settings["items"]
    assert isinstance(items, int)  # noqa: S101 - `judges` counts them
    return row, result.downstream[-len(BASELINES) :], items  # constants stand last


def _with_rulers(check: Check, row: Downstream, result: JudgesResult) -> Check:
    """The check of decisions with the better constant and, of consistency, one more person."""
    if check.check == "max_bias":
        best = min(check.constants, key=lambda constant: abs(constant.value))
        return replace(check, constant=Ruler(answer=best.judge, value=best.value))
    rulers, *_ = (one for one in result.decision_rulers if one.tau == row.tau)
    person = None if rulers.person is None else Ruler(value=rulers.person.value, judge=row.reduced)
    constant = Ruler(answer=str(rulers.constant.answer), value=rulers.constant.value)
    return replace(check, constant=constant, person=person)


def constant_warnings(checks: Iterable[Check]) -> tuple[str, ...]:
    """That a constant decision would pass as well: such a check says nothing about the judge."""
    return tuple(
        f"Calling {'every' if constant.judge == ALWAYS_POSITIVE else 'no'} item positive would also pass "
        f"{named(check.check)} {check.threshold:g} ({_reaches(check, constant)}): choose a stricter threshold."
        for check in checks
        for constant in check.as_good
    )


def _reaches(check: Check, constant: Constant) -> str:
    if check.check == "max_bias":
        return f"a bias of {100 * constant.value:.1f} percentage points, the judge's {100 * check.value:.1f}"
    return f"{constant.value:.1%} decided as people do, by the judge {check.value:.1%}"


_DECISIONS: tuple[tuple[str, Any, Any], ...] = (
    ("min_consistency", verdict_above, more_above), ("max_bias", verdict_between, more_between),
)  # fmt: skip
"""Option, verdict and what would settle it."""


# ---- Is the judge worth so many raters?


def worth_check(run: SurveyRun, threshold: float, options: GateOptions, *, score: str) -> Check:
    """Whether the interval of the survey equivalence keeps to the threshold."""
    value, (low, high) = place_of(run.gap), run.intervals.worth(run.judge)
    items, verdict, what = worth_verdict(run, threshold, confidence=options.confidence)
    check = _check(
        "min_equivalence", threshold, Estimate(value=value, low=low, high=high, items=items), verdict, what, score
    )
    placed = replace(
        check, place=verdict_of(value), low_verdict=verdict_of(low), high_verdict=verdict_of(high),
        largest=run.prepared.problem.sizes[-1], calibrate=str(run.prepared.settings["calibrate"]), each=what.each,
        # By definition: always the same answer is what asking nobody is worth.
        constant=Ruler(value=0.0), person=Ruler(value=1.0),
    )  # fmt: skip
    return with_enough_items(placed, options)
