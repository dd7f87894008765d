"""Does the judge decide as people do, and as often positively?

Intervals are the wider ones of the bootstrap and of a formula: where all items come out alike the bootstrap sees no
spread, and five items would pass any gate.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dissensus.decisions.gating.deciding import (
    Estimate,
    more_above,
    more_between,
    settled,
    verdict_above,
    verdict_between,
)
from dissensus.decisions.gating.question import Question
from dissensus.decisions.gating.result import Check, CheckName, Constant, Verdict
from dissensus.decisions.gating.shares import paired_difference_interval, share_interval
from dissensus.judges.downstream import ALWAYS_POSITIVE, Downstream


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
