"""Is the judge better than another, or at most so much worse?"""

import math

from dissensus.comparison.result import CompareResult
from dissensus.decisions.gating.deciding import Estimate, more_above, settled, verdict_above, with_enough_items
from dissensus.decisions.gating.question import Question
from dissensus.decisions.gating.result import Check, Verdict


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
