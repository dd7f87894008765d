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
from dissensus.decisions.portraying.shrinking import FEWEST_RATERS
from dissensus.report.numbers import counted, decimal, listing, percent, with_interval
from dissensus.report.sentences.compare import p_text
from dissensus.report.untrusted import quoted

MOST_NAMED = 5
LONGEST_LABEL = 20
"""Longer labels do not stand above a column."""
AGREEMENT_WORDS = {
    "same label": "Agreement is the share of the other raters of the same items who gave the same label.",
    "distance": "Agreement is how near a rater's labels are to those of the other raters of the same items: 1 less the "
    "distance as a share of the largest one.",
    "shared options": "Agreement is how alike a rater's sets of options are to those of the other raters of the same "
    "items: the options in both over the options in one or both.",
}
SHRUNK = (
    "Numbers with brackets are drawn towards the mean of all raters, the more the fewer items a rater has (empirical "
    "Bayes), since few items make anybody look unusual; so the difference is smaller than agreement less others."
)
STANDS_OUT = (
    f"A rater stands out whose agreement less that of the others is more than {FAR:g} robust standard deviations (from "
    "the median absolute deviation) below the median rater's, and whose interval lies below it."
)
DEALT = (
    "Groups are compared on items that two or more of them rated. The p-values ask how often raters dealt into groups "
    "at random would be as far apart; raters and not ratings are dealt, so groups of few raters can hardly be told "
    "apart."
)
NEARER = (
    "Nearer: how much better a judge agrees with the group than with raters of other groups on the same items. Bias: "
    "how much {what}. Worth: how many raters of the group predict another of them as well."
)


def standing_out(result: PortraitsResult) -> list[Portrait]:
    """The raters who stand out, those who agree the least first."""
    found = [own for own in result.raters if own.stands_out and own.difference is not None]
    return sorted(found, key=lambda own: own.difference.shrunk if own.difference is not None else 0.0)


def lead_sentence(result: PortraitsResult) -> str:
    """How many raters there are, and who stands out."""
    n = len(result.raters)
    if "difference" not in result.populations:
        there = f"There {'is' if n == 1 else 'are'} {counted(n, 'rater')}"
        return f"{there}; how each compares with the rest cannot be told, because no item has three of them."
    if why := untold(result):
        return f"There are {counted(n, 'rater')}; whether one stands out cannot be told, because {why}."
    out = standing_out(result)
    if not out:
        return f"None of the {counted(n, 'rater')} stands out: nobody agrees far less with the others than most do."
    worst = out[0]
    agree = f"on {percent(agreement_beside(worst))}, where those others agree on {percent(worst.others)}"
    if len(out) == 1:
        return f"One of {n:,} raters agrees far less with the others than most do: {quoted(worst.rater)}, {agree}."
    return (
        f"{len(out):,} of {n:,} raters agree far less with the others than most do; the least {quoted(worst.rater)}, "
        f"{agree}."
    )


def untold(result: PortraitsResult) -> str:
    """Why it cannot be told whether somebody stands out; empty if it can."""
    known = [own.difference for own in result.raters if own.difference is not None]
    if len(known) < FEWEST_RATERS:
        return f"that takes {FEWEST_RATERS} raters of items with three"
    return "" if any(own.items > 1 for own in known) else "nobody has two items with three raters"


def agreement_beside(portrait: Portrait) -> float:
    """A rater's agreement on the items on which that of the others is known; on all where it is known on none."""
    if portrait.difference is None:
        return portrait.agreement
    return min(1.0, max(0.0, portrait.others + portrait.difference.value))


def population_sentences(result: PortraitsResult) -> list[str]:
    """How much raters differ in each respect."""
    said = []
    if (agreement := result.populations.get("difference")) is not None and _is_known(agreement):
        said.append(_spread("how well they agree with the rest", agreement.spread, _points(agreement.spread)))
    if (leniency := result.populations.get("leniency")) is not None and _is_known(leniency):
        said.append(_spread(height_words(result), leniency.spread, height_text(leniency.spread, result)))
    if (consistency := result.populations.get("consistency")) is not None:
        who = counted(consistency.raters, "rater")
        said.append(f"When an item came again, {who} agreed {percent(consistency.mean)} with themselves on average.")
    return said


def _spread(what: str, spread: float, text: str) -> str:
    """How much raters differ, or that they do not."""
    if spread == 0:
        return f"Raters differ in {what} by no more than chance."
    return f"Raters differ in {what} by a standard deviation of {text}, chance taken off."


def _is_known(population: Population) -> bool:
    return math.isfinite(population.spread)


def _points(share: float) -> str:
    return f"{_not_nothing(100 * share, 1)} percentage points"


def _not_nothing(value: float, digits: int) -> str:
    """A positive number that never looks like 0."""
    text = decimal(value, digits)
    return text if text.strip("0.") else f"less than {decimal(10.0**-digits, digits)}"


def height_words(result: PortraitsResult) -> str:
    """What the JSON calls leniency, in words: it says nothing of whether the positive label is good or bad."""
    if result.settings.get("leniency_in") != "share":
        return "how high their labels are"
    return f"how often they say {positive_words(result)}"


def height_heading(result: PortraitsResult) -> str:
    """The same above a column."""
    if result.settings.get("leniency_in") != "share":
        return "Higher labels"
    name = positive_words(result)
    return f"Oftener {name}" if len(name) <= LONGEST_LABEL else "Oftener positive"


def positive_words(result: PortraitsResult) -> str:
    """The positive label by name; several as what they are."""
    positive = result.settings.get("positive")
    names = [str(name) for name in positive] if isinstance(positive, Sequence) else []
    return quoted(names[0]) if len(names) == 1 else "a positive label"


def height_text(value: float, result: PortraitsResult) -> str:
    """A spread of leniency: percentage points of positive labels, or steps of the labels."""
    return _points(value) if result.settings.get("leniency_in") == "share" else _not_nothing(value, 2)


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
        what = "how well their raters agree with the rest" if test.about == "agreement" else height_words(result)
        said.append(f"Groups {how} in {what} ({p_text(test.p_value)}).")
    return [*said, *siding_sentences(result.judges)]


def _level(result: PortraitsResult) -> float:
    confidence = result.settings.get("confidence")
    return 1 - confidence if isinstance(confidence, float) else 0.05


def siding_sentences(judges: Sequence[Siding]) -> list[str]:
    """Which judges side with a group, and in one sentence that others do not."""
    known = [siding for siding in judges if math.isfinite(siding.p_holm)]
    siding_ = [siding for siding in known if siding.sides_with is not None]
    said = [_siding_sentence(siding, len(judges)) for siding in siding_[:MOST_NAMED]]
    if len(siding_) > MOST_NAMED:
        said.append(f"{counted(len(siding_) - MOST_NAMED, 'more judge')} side with a group; the table has them.")
    others = [siding for siding in known if siding.sides_with is None]
    if others:
        sure = _sure(min(siding.p_holm for siding in others), len(judges))
        whose = quoted(others[0].judge) if len(others) == 1 else f"any of the {len(others):,} judges"
        whose = f"any of the {len(others):,} others" if siding_ and len(others) > 1 else whose
        said.append(f"It is not shown that {whose} sides with a group ({sure}).")
    if len(known) < len(judges):
        unknown = [siding.judge for siding in judges if siding not in known]
        who = quoted(unknown[0]) if len(unknown) == 1 else f"{len(unknown):,} judges"
        verb = "sides" if len(unknown) == 1 else "side"
        said.append(f"Whether {who} {verb} with a group cannot be told: no item that was answered has two groups.")
    return said


def _sure(p_holm: float, n_judges: int) -> str:
    return f"{p_text(p_holm)}{', Holm-corrected' if n_judges > 1 else ''}"


def _siding_sentence(siding: Siding, n_judges: int) -> str:
    """With whom a judge sides, and how much."""
    near = max((group for group in siding.groups if math.isfinite(group.nearer)), key=lambda group: group.nearer)
    return (
        f"{quoted(siding.judge)} sides with {quoted(near.group)}: it agrees {_points(near.nearer)} more with them than "
        f"with others on the same items ({_sure(siding.p_holm, n_judges)})."
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
