"""Each threshold on its own: the method that it takes, then its check.

Intervals are the wider ones of the bootstrap and of a formula: where all items come out alike the bootstrap sees no
spread, and five items would pass any gate.
"""

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import Judges, Ratings, Task
from dissensus.errors import OptionError
from dissensus.methods.compare import compare
from dissensus.methods.compare.result import CompareResult
from dissensus.methods.equivalence.crossing import crossings, equivalence_interval, verdict_of
from dissensus.methods.equivalence.options import Question as SurveyQuestion
from dissensus.methods.equivalence.options import survey_options
from dissensus.methods.gate.options import POWER, Question
from dissensus.methods.gate.result import Check, CheckName, Constant, Verdict
from dissensus.methods.gate.survey_run import SurveyRun, run_survey
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.result import ALWAYS_POSITIVE, BASELINES, Downstream, JudgesResult
from dissensus.methods.judges.summary import kappa_warnings
from dissensus.sampling import Progress
from dissensus.sampling.intervals import bootstrap_interval, paired_difference_interval, share_interval

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


def more_above(found: Estimate, threshold: float, question: Question) -> int | None:
    """How many more items would settle whether the number is at least the threshold; None if it lies upon it."""
    if not math.isfinite(found.value):
        return None
    half_width = found.value - found.low if found.value >= threshold else found.high - found.value
    return _more(found.items, half_width, abs(found.value - threshold), question.confidence)


def more_between(found: Estimate, most: float, question: Question) -> int | None:
    """How many more items would settle whether the number is at most so far from 0."""
    if not math.isfinite(found.value):
        return None
    below, above = found.value - found.low, found.high - found.value
    if abs(found.value) > most:
        half_width = below if found.value > 0 else above
        return _more(found.items, half_width, abs(found.value) - most, question.confidence)
    sides = [
        _more(found.items, below, most + found.value, question.confidence),
        _more(found.items, above, most - found.value, question.confidence),
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


def settled(check: Check, more_items: int | None) -> Check:
    """The check with what would settle it, if it is inconclusive."""
    return replace(check, more_items=more_items) if check.verdict == "inconclusive" else check


def with_enough_items(check: Check, question: Question) -> Check:
    """The check, inconclusive where its items are too few for an interval from resampling them."""
    lacking = question.min_items - check.items
    if lacking <= 0:
        return check
    return replace(check, verdict="inconclusive", more_items=max(lacking, check.more_items or 0))


def comparison_check(result: CompareResult, margin: float | None, question: Question) -> Check:
    """Whether the interval of the difference lies above 0, or above the margin with a minus."""
    found = difference_of(result)
    threshold = 0.0 if margin is None else -margin
    pair = result.pairs[0]
    verdict = (
        better_verdict(found, is_better=pair.better == "a")
        if margin is None
        else verdict_above(found.low, found.high, threshold)
    )
    check = Check(
        check="better_than" if margin is None else "not_worse_than", threshold=threshold, value=found.value,
        low=found.low, high=found.high, verdict=verdict, items=found.items, more_items=None, measure=result.metric,
        against=pair.judge_b, p_value=pair.p_value,
    )  # fmt: skip
    return with_enough_items(settled(check, more_above(found, threshold, question)), question)


def difference_of(result: CompareResult) -> Estimate:
    """How much better the first judge is than the second, whichever way the metric runs."""
    pair = result.pairs[0]
    if result.better_scores == "higher":
        return Estimate(value=pair.difference, low=pair.low, high=pair.high, items=pair.items)
    return Estimate(value=0.0 - pair.difference, low=0.0 - pair.high, high=0.0 - pair.low, items=pair.items)


def better_verdict(found: Estimate, *, is_better: bool) -> Verdict:
    """Better only if the interval and the test of `compare` both say so; not better if nothing above 0 is possible."""
    if found.low > 0 and is_better:
        return "pass"
    return "fail" if not math.isnan(found.high) and found.high <= 0 else "inconclusive"


# ---- Does the judge decide as people do, and as often positively?


def decision_checks(row: Downstream, constants: Sequence[Downstream], items: int, question: Question) -> list[Check]:
    """Whether consistency and bias of the decisions keep to the thresholds that were given, beside the constants."""
    found = []
    if question.min_consistency is not None:
        least = question.min_consistency
        estimate, *others = (consistency_of(own, items, question) for own in (row, *constants))
        verdicts = [verdict_above(own.low, own.high, least) for own in (estimate, *others)]
        check = _check("min_consistency", least, estimate, verdicts[0], row)
        beside = _beside(constants, others, verdicts[1:])
        found.append(replace(settled(check, more_above(estimate, least, question)), constants=beside))
    if question.max_bias is not None:
        most = question.max_bias
        estimate, *others = (bias_of(own, items, question) for own in (row, *constants))
        verdicts = [verdict_between(own.low, own.high, most) for own in (estimate, *others)]
        check = _check("max_bias", most, estimate, verdicts[0], row)
        beside = _beside(constants, others, verdicts[1:])
        found.append(replace(settled(check, more_between(estimate, most, question)), constants=beside))
    return found


def _beside(rows: Sequence[Downstream], found: Sequence[Estimate], verdicts: Sequence[Verdict]) -> tuple[Constant, ...]:
    """What the constants would find."""
    return tuple(
        Constant(judge=row.judge, value=own.value, low=own.low, high=own.high, verdict=verdict)
        for row, own, verdict in zip(rows, found, verdicts, strict=True)
    )


def constant_warnings(checks: Iterable[Check]) -> tuple[str, ...]:
    """That deciding all items alike, without looking, would pass as well: such a check tells nothing of the judge."""
    return tuple(
        f"Calling {'every' if own.judge == ALWAYS_POSITIVE else 'no'} item positive, without looking, would pass "
        f"--{check.check.replace('_', '-')} {check.threshold:g} as well ({_reaches(check, own)}): passing it takes no "
        "skill here."
        for check in checks
        for own in check.as_good
    )


def _reaches(check: Check, own: Constant) -> str:
    if check.check == "max_bias":
        return f"a bias of {100 * own.value:.1f} points, the judge's {100 * check.value:.1f}"
    return f"{own.value:.1%} decided as people do, by the judge {check.value:.1%}"


def consistency_of(row: Downstream, items: int, question: Question) -> Estimate:
    """The share of items decided alike, with its interval."""
    exact = share_interval(round(row.consistency * items), items, confidence=question.confidence)
    return Estimate(
        value=row.consistency,
        low=min(row.consistency_low, exact[0]),
        high=max(row.consistency_high, exact[1]),
        items=items,
    )


def bias_of(row: Downstream, items: int, question: Question) -> Estimate:
    """The judge's prevalence less people's, with its interval."""
    unlike = round((1 - row.consistency) * items)
    more = (unlike + round(row.bias * items)) / 2  # items that only the judge calls positive
    paired = paired_difference_interval(more, unlike - more, items, confidence=question.confidence)
    return Estimate(value=row.bias, low=min(row.bias_low, paired[0]), high=max(row.bias_high, paired[1]), items=items)


def _check(name: CheckName, threshold: float, found: Estimate, verdict: Verdict, row: Downstream) -> Check:
    return Check(
        check=name, threshold=threshold, value=found.value, low=found.low, high=found.high, verdict=verdict,
        items=found.items, more_items=None, measure=name.partition("_")[2], tau=row.tau,
    )  # fmt: skip


POSITIVE_SCORES = ("auc", "f1", "precision", "recall")
PROBABILITY_SCORES = (None, "cross-entropy", "brier")
"""Scores that a judge's manners can spoil, so that it is calibrated; None is the default."""


def survey_question(ratings: Ratings, judges: Judges, question: Question) -> SurveyQuestion:
    """How the judge is compared with surveys: as the user says, else as the data allow."""
    options = survey_options(ratings, judges[question.judge])
    score = question.score or options.get("score", "cross-entropy")
    calibrate = options.get("calibrate", "none") if question.score in PROBABILITY_SCORES else "none"
    return SurveyQuestion(
        judge=(question.judge,), combiner=question.combiner or options.get("combiner", "abc"), score=score,
        positive=question.positive[0] if len(question.positive) == 1 and score in POSITIVE_SCORES else None,
        learn=None, calibrate=question.calibrate or calibrate, reference_raters=1, experts=None, amateurs=None,
        elicitation=None, prior="uniform", clip=0.02, weights="item", max_raters=None, cohort=False,
        bootstrap=question.bootstrap, interval="basic", confidence=question.confidence, ceiling=False,
        seed=question.seed,
    )  # fmt: skip


def worth_check(run: SurveyRun, threshold: float, question: Question, *, score: str) -> Check:
    """Whether the interval of the survey equivalence keeps to the threshold."""
    gap, gaps = run.judge - run.curve, run.judges[:, None] - run.curves
    value = float(crossings(run.curve[None, :], np.array([run.judge]))[0])
    low, high = equivalence_interval(gap, gaps, confidence=question.confidence)
    items = run.items_of(math.ceil(threshold))
    check = Check(
        check="min_equivalence", threshold=threshold, value=value, low=low, high=high,
        verdict=verdict_above(low, high, threshold), items=items, more_items=None, measure=score,
        place=verdict_of(value), largest=run.prepared.problem.sizes[-1],
    )  # fmt: skip
    # Equivalences can be infinite; the gap to a survey of the threshold's size is not, and has the same sign.
    apart = _gap_at(gap, gaps, threshold, items, confidence=question.confidence)
    return with_enough_items(settled(check, more_above(apart, 0.0, question)), question)


def _gap_at(gap: Floats, gaps: Floats, threshold: float, items: int, *, confidence: float) -> Estimate:
    """The judge's score less that of a survey of the threshold's size, between whole numbers interpolated."""
    below, above = math.floor(threshold), math.ceil(threshold)
    share = threshold - below
    value = float((1 - share) * gap[below] + share * gap[above])
    drawn = (1 - share) * gaps[:, below] + share * gaps[:, above]
    low, high = bootstrap_interval(value, drawn, confidence=confidence, kind="basic")
    return Estimate(value=value, low=low, high=high, items=items)


# ---- Each threshold on its own: the method that it takes, then its check


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """The data, and what is asked of them."""

    ratings: Ratings
    judges: Judges
    task: Task | None
    question: Question
    rng: int | Generator | None
    executor: Executor
    progress: Progress | None

    def worth(self, threshold: float) -> tuple[Check, tuple[str, ...]]:
        """Is the judge worth at least so many raters?"""
        asked = survey_question(self.ratings, self.judges, self.question)
        run = run_survey(
            self.ratings,
            self.judges,
            asked,
            reach=math.ceil(threshold),
            rng=self.rng,
            engine=self.executor,
            progress=self.progress,
        )
        return worth_check(run, threshold, self.question, score=asked.score), run.prepared.warnings

    def decisions(self) -> tuple[list[Check], tuple[str, ...]]:
        """Does the judge decide as people do, and as often positively?"""
        question = self.question
        result = rank_judges(
            self.ratings,
            self.judges,
            task=self.task,
            judge=question.judge,
            positive=question.positive or None,
            tau=question.tau,
            bootstrap=question.bootstrap,
            confidence=question.confidence,
            rng=self.rng,
            engine=self.executor,
            progress=self.progress,
        )
        if not result.downstream:
            raise OptionError(
                "--min-consistency and --max-bias are about a decision: name its label, --positive LABEL."
            )
        row, *_ = (row for row in result.downstream if row.judge == question.judge)
        constants = result.downstream[-len(BASELINES) :]  # they stand last
        items = result.settings["items"]
        assert isinstance(items, int)  # noqa: S101 - `judges` counts them
        checks = decision_checks(row, constants, items, question)
        return checks, (*constant_warnings(checks), *_about_decisions(result))

    def comparison(self, other: str, *, margin: float | None) -> tuple[Check, tuple[str, ...]]:
        """Is the judge better than another, or at most so much worse?"""
        question = self.question
        result = compare(
            self.ratings,
            self.judges,
            a=question.judge,
            b=other,
            metric=question.metric,
            bootstrap=question.bootstrap,
            confidence=question.confidence,
            rng=self.rng,
            engine=self.executor,
            progress=self.progress,
        )
        return comparison_check(result, margin, question), result.warnings


def _about_decisions(result: JudgesResult) -> tuple[str, ...]:
    """The warnings about the data and the decisions, not those about definitions that no gate asks for."""
    others = {*kappa_warnings(result.downstream)}
    ids = [definition.id for definition in result.definitions]
    return tuple(text for text in result.warnings if text not in others and not any(id_ in text for id_ in ids))
