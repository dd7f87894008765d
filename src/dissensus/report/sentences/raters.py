"""Who the raters are, in words."""

import math
from collections.abc import Sequence

from dissensus.decisions.portraying.measuring import FAR
from dissensus.decisions.portraying.result import (
    JudgeByGroup,
    Measure,
    Population,
    Portrait,
    PortraitsResult,
    Siding,
)
from dissensus.report.numbers import counted, decimal, listing, percent, with_interval
from dissensus.report.sentences.compare import p_text
from dissensus.report.untrusted import quoted

MOST_NAMED = 5
AGREEMENT_WORDS = {
    "same label": "Agreement is the share of the other raters of the same items who gave the same label.",
    "distance": "Agreement is how near a rater's labels are to those of the other raters of the same items: 1 less the "
    "distance as a share of the largest one.",
}
SHRUNK = (
    "Numbers with brackets are drawn towards the mean of all raters, the more the fewer items a rater has (empirical "
    "Bayes), since few items make anybody look unusual."
)
STANDS_OUT = (
    f"A rater stands out whose difference is more than {FAR:g} robust standard deviations (of the median absolute "
    "deviation) below the median, and whose interval lies below it."
)
DEALT = (
    "The p-values ask how often raters dealt into groups at random would be as far apart; raters and not ratings are "
    "dealt, so groups of few raters can hardly be told apart."
)


def standing_out(result: PortraitsResult) -> list[Portrait]:
    """The raters who stand out, those who agree the least first."""
    found = [own for own in result.raters if own.stands_out and own.difference is not None]
    return sorted(found, key=lambda own: own.difference.shrunk if own.difference is not None else 0.0)


def lead_sentence(result: PortraitsResult) -> str:
    """How many raters there are, and who stands out."""
    n = counted(len(result.raters), "rater")
    if "difference" not in result.populations:
        return f"There are {n}; how each compares with the rest cannot be told, because no item has three of them."
    out = standing_out(result)
    if not out:
        return f"None of {n} stands out: nobody agrees far less with the others than raters do."
    worst = out[0]
    have = "agrees" if len(out) == 1 else "agree"
    agree = f"{percent(worst.agreement)} where those others agree {percent(worst.others)} among themselves"
    least = ": " if len(out) == 1 else ", the least "
    return f"Of {n}, {len(out)} {have} far less with the others than raters do{least}{quoted(worst.rater)}, {agree}."


def population_sentences(result: PortraitsResult) -> list[str]:
    """How much raters differ in each respect."""
    said = []
    if (agreement := result.populations.get("difference")) is not None and _is_known(agreement):
        said.append(_spread("Agreement with the rest", agreement.spread, _points(agreement.spread)))
    if (leniency := result.populations.get("leniency")) is not None and _is_known(leniency):
        said.append(_spread("Leniency", leniency.spread, height_text(leniency.spread, result)))
    if (consistency := result.populations.get("consistency")) is not None:
        mean = percent(consistency.mean)
        said.append(f"When an item came again, {consistency.raters} raters agreed {mean} with themselves on average.")
    return said


def _spread(what: str, spread: float, text: str) -> str:
    """How much raters differ, or that they do not."""
    if spread == 0:
        return f"{what}: raters differ by no more than chance."
    return f"{what} differs between raters with a standard deviation of {text}, chance taken off."


def _is_known(population: Population) -> bool:
    return math.isfinite(population.spread)


def _points(share: float) -> str:
    return f"{decimal(100 * share, 1)} percentage points"


def height_text(value: float, result: PortraitsResult) -> str:
    """A leniency: percentage points of positive labels, or steps of the labels."""
    return _points(value) if result.settings.get("leniency_in") == "share" else decimal(value)


def measure_text(measure: Measure | None, *, is_share: bool) -> str | None:
    """A shrunk number with its interval; None without one."""
    if measure is None:
        return None
    return with_interval(measure.shrunk, measure.low, measure.high, form=percent if is_share else decimal)


def group_sentences(result: PortraitsResult) -> list[str]:
    """Whether groups of raters differ, and whether judges side with one."""
    level = _level(result)
    said = []
    for test in result.tests:
        if math.isnan(test.p_value):
            continue
        how = "differ" if test.p_value <= level else "are not shown to differ"
        what = "how well their raters agree with the rest" if test.about == "agreement" else "leniency"
        said.append(f"Groups {how} in {what} ({p_text(test.p_value)}).")
    return [*said, *(siding_sentence(siding, len(result.judges)) for siding in result.judges)]


def _level(result: PortraitsResult) -> float:
    confidence = result.settings.get("confidence")
    return 1 - confidence if isinstance(confidence, float) else 0.05


def siding_sentence(siding: Siding, n_judges: int) -> str:
    """Whether a judge sides with one group."""
    sure = f"{p_text(siding.p_holm)}{', Holm-corrected' if n_judges > 1 else ''}"
    known = [group for group in siding.groups if math.isfinite(group.nearer)]
    if not known:
        return f"Whether {quoted(siding.judge)} sides with a group cannot be told: groups share no item."
    if siding.sides_with is None:
        return f"It is not shown that {quoted(siding.judge)} sides with a group ({sure})."
    near = max(known, key=lambda group: group.nearer)
    far = min(known, key=lambda group: group.nearer)
    return (
        f"{quoted(siding.judge)} sides with {quoted(near.group)}: it agrees {_points(near.nearer - far.nearer)} more "
        f"with them than with {quoted(far.group)}, on the same items ({sure})."
    )


def worth_of(group: JudgeByGroup) -> str | None:
    """How many raters of the group a judge is worth; None where that cannot be told."""
    if group.worth is None:
        return None
    if group.worth.verdict != "within":
        return {"below 0": "below 0", "above K": "above all"}.get(str(group.worth.verdict))
    if math.isnan(group.worth.share_below):
        return decimal(group.worth.equivalence)
    low, high = group.worth.equivalence_low, group.worth.equivalence_high
    ends = decimal(low) if math.isfinite(low) else "below 0", decimal(high) if math.isfinite(high) else "above all"
    return f"{decimal(group.worth.equivalence)} [{ends[0]}, {ends[1]}]"


def named(portraits: Sequence[Portrait]) -> str:
    """The first raters by name, and how many more there are."""
    names = [quoted(own.rater) for own in portraits[:MOST_NAMED]]
    more = [f"{len(portraits) - MOST_NAMED} more"] if len(portraits) > MOST_NAMED else []
    return listing([*names, *more])
