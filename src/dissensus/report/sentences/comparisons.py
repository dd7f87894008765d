"""What stands beside a judge's worth: other judges, the ceiling of what can be known, and amateurs against experts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.report.numbers import counted, decimal, percent, with_interval
from dissensus.report.sentences.equivalence import judge_name, samples
from dissensus.report.sentences.surveys import Settings, Terms
from dissensus.report.untrusted import quoted
from dissensus.survey.result import AmateurPoint, Ceiling, CurvePoint, JudgeDifference, JudgeWorth


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One judge against another: how much more it is worth, and in which share of the samples it is better."""

    judge: JudgeWorth
    other: JudgeWorth
    difference: float
    low: float
    high: float
    share_better: float


def compared(judge: JudgeWorth, other: JudgeWorth, differences: Sequence[JudgeDifference]) -> Comparison | None:
    """The comparison of two judges, whichever of them the result names first."""
    for found in differences:
        if (found.judge_a, found.judge_b) == (judge.name, other.name):
            ends, share = (found.difference, found.low, found.high), found.share_a_better
        elif (found.judge_a, found.judge_b) == (other.name, judge.name):
            ends, share = (-found.difference, -found.high, -found.low), 1 - found.share_a_better
        else:
            continue
        return Comparison(judge=judge, other=other, difference=ends[0], low=ends[1], high=ends[2], share_better=share)
    return None


def difference_sentence(found: Comparison, terms: Terms) -> str:
    """How much more one judge is worth than another, and how sure it is that it is better at all."""
    one, other = judge_name(found.judge), judge_name(found.other)
    share = f" in {samples(found.share_better)}" if math.isfinite(found.share_better) else ""
    if not math.isfinite(found.difference):
        far = f"; how many {terms.raters} apart they are is unknown, since they are not both on the curve"
        return f"{one} predicts people better than {other}{share}{far if terms.largest else ''}."
    if found.difference == found.low == found.high == 0:
        return f"{one} and {other} are worth the same in every bootstrap sample."
    more = "more" if found.difference >= 0 else "less"
    ends = (found.low, found.high) if found.difference >= 0 else (-found.high, -found.low)
    said = f"{one} is worth {with_interval(abs(found.difference), *ends)} {terms.raters} {more} than {other}"
    return f"{said}; it predicts people better{share}." if share else f"{said}."


def ceiling_sentence(ceiling: Ceiling, curve: Sequence[CurvePoint], terms: Terms) -> str:
    """What no survey and no judge can exceed."""
    gain = with_interval(ceiling.gain, ceiling.low, ceiling.high, form=lambda value: decimal(value, 3))
    reached = (curve[-1].score - curve[0].score) / ceiling.gain if ceiling.gain > 0 else math.nan
    part = (
        f" Asking {terms.people(terms.largest)} reaches {percent(reached, 0)} of it." if math.isfinite(reached) else ""
    )
    return (
        f"However many people are asked, nobody and nothing can tell more than {gain} bits about {terms.target}: the "
        f"rest is disagreement among people.{part}"
    )


def ratio_sentence(worth: JudgeWorth) -> str:
    """A judge's information as a share of the ceiling; empty where there is none."""
    if worth.performance_ratio is None or not math.isfinite(worth.performance_ratio):
        return ""
    low, high = (
        math.nan if end is None else end for end in (worth.performance_ratio_low, worth.performance_ratio_high)
    )
    ratio = with_interval(worth.performance_ratio, low, high, form=lambda share: percent(share, 0))
    return f"{judge_name(worth)} reaches {ratio} of it."


def amateurs_sentence(point: AmateurPoint, curve: Sequence[CurvePoint], settings: Settings, terms: Terms) -> str:
    """How many experts so many amateurs are worth."""
    who = quoted(str(settings.get("amateurs", "amateur")))
    asked = f"{counted(point.raters, f'{who} rater')} {'is' if point.raters == 1 else 'are'} worth"
    if math.isfinite(point.worth_experts):
        return f"{asked} {decimal(point.worth_experts)} {terms.raters}."
    if point.score < curve[0].score:
        return f"{asked} less than asking nobody: {terms.nobody} does better."
    return f"{asked} more than {terms.largest} {terms.raters}, the largest survey of them here."
