"""Does the judge decide as people do, and as often positively?

Intervals are the wider ones of the bootstrap and of a formula: where all items come out alike the bootstrap sees no
spread, and five items would pass any gate.
"""

from dissensus.decisions.gating.deciding import (
    Estimate,
    more_above,
    more_between,
    settled,
    verdict_above,
    verdict_between,
)
from dissensus.decisions.gating.question import Question
from dissensus.decisions.gating.result import Check, CheckName, Verdict
from dissensus.decisions.gating.shares import paired_difference_interval, share_interval
from dissensus.judges.downstream import Downstream


def decision_checks(row: Downstream, items: int, question: Question) -> list[Check]:
    """Whether consistency and bias of the decisions keep to the thresholds that were given."""
    found = []
    if question.min_consistency is not None:
        least, estimate = question.min_consistency, consistency_of(row, items, confidence=question.confidence)
        check = _check("min_consistency", least, estimate, verdict_above(estimate.low, estimate.high, least), row)
        found.append(settled(check, more_above(estimate, least, question)))
    if question.max_bias is not None:
        most, estimate = question.max_bias, bias_of(row, items, confidence=question.confidence)
        check = _check("max_bias", most, estimate, verdict_between(estimate.low, estimate.high, most), row)
        found.append(settled(check, more_between(estimate, most, question)))
    return found


def consistency_of(row: Downstream, items: int, *, confidence: float) -> Estimate:
    """The share of items decided alike, with its interval."""
    exact = share_interval(round(row.consistency * items), items, confidence=confidence)
    return Estimate(
        value=row.consistency,
        low=min(row.consistency_low, exact[0]),
        high=max(row.consistency_high, exact[1]),
        items=items,
    )


def bias_of(row: Downstream, items: int, *, confidence: float) -> Estimate:
    """The judge's prevalence less people's, with its interval."""
    unlike = round((1 - row.consistency) * items)
    more = (unlike + round(row.bias * items)) / 2  # items that only the judge calls positive
    paired = paired_difference_interval(more, unlike - more, items, confidence=confidence)
    return Estimate(value=row.bias, low=min(row.bias_low, paired[0]), high=max(row.bias_high, paired[1]), items=items)


def _check(name: CheckName, threshold: float, found: Estimate, verdict: Verdict, row: Downstream) -> Check:
    return Check(
        check=name, threshold=threshold, value=found.value, low=found.low, high=found.high, verdict=verdict,
        items=found.items, more_items=None, measure=name.partition("_")[2], tau=row.tau,
    )  # fmt: skip
