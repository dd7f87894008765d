"""How many items are positive, in words."""

import math
from collections.abc import Callable

from dissensus.decisions.prevalences.question import Method
from dissensus.decisions.prevalences.result import Estimate, JudgePrevalence, PrevalenceResult
from dissensus.report.numbers import counted, decimal, listing, percent, whole, with_interval
from dissensus.report.untrusted import quoted

METHOD_NAMES: dict[Method, str] = {
    "naive": "judge alone (naive)",
    "people": "people alone",
    "rogan-gladen": "Rogan-Gladen",
    "ppi": "PPI",
    "ppi++": "PPI++",
}
SHORT_NAMES: dict[Method, str] = METHOD_NAMES | {"naive": "alone", "people": "people", "rogan-gladen": "Rogan-G."}
METHOD_WORDS: dict[Method, str] = {
    "naive": "Judge alone: its mean answer over all items, as if it never erred. Its interval does not know of its "
    "errors.",
    "people": "People alone: their mean answer over the items that they rated.",
    "rogan-gladen": "Rogan-Gladen: the share that makes the judge say yes as often as it does, given how often it "
    "agrees with raters who say yes and with raters who say no. Wide where the judge tells them apart badly.",
    "ppi": "PPI, prediction-powered inference: the judge's mean over the items that nobody rated, plus what it is off "
    "by where people looked.",
    "ppi++": "PPI++: the same, with the judge at the weight that makes the interval shortest. A judge that does not "
    "help gets the weight 0, and people alone remain.",
}
UNITS = (
    "Items are what was drawn at random. An interval holds the differences between items and the disagreement between "
    "the raters of an item; that other raters might see all items differently is not in it. Ratings saved are counted "
    "at as many raters per item as there are now."
)
UNSEEN = (
    "Intervals count half an error of the judge more than people found: that it did not err on a few items does not "
    "make it perfect."
)
MOST_RIVALS = 3
STRENGTHS = (
    "Strengths are those of Bradley and Terry: the log-odds that a system wins against one of strength 0, the mean of "
    "all. A tie is half a win."
)


def estimate_text(estimate: Estimate) -> str:
    """A share with its interval.

    Examples
    --------
    >>> estimate_text(Estimate(method="ppi++", value=0.331, low=0.28, high=0.389))
    '33.1% [28.0%, 38.9%]'
    """
    return _with_interval(estimate, percent)


def strength_text(estimate: Estimate) -> str:
    """A strength with its interval.

    Examples
    --------
    >>> strength_text(Estimate(method="people", value=-0.5, low=-0.75, high=-0.25))
    '-0.50 [-0.75, -0.25]'
    """
    return _with_interval(estimate, decimal)


def _with_interval(estimate: Estimate, form: Callable[[float], str]) -> str:
    if not math.isfinite(estimate.value):
        bounds = (estimate.low, estimate.high)
        return f"[{form(bounds[0])}, {form(bounds[1])}]" if all(map(math.isfinite, bounds)) else "-"
    return with_interval(estimate.value, estimate.low, estimate.high, form=form)


def counted_as(result: PrevalenceResult) -> str:
    """What is counted: an item, or a rater's answer to it."""
    labels = _either([quoted(label) for label in result.positive])
    halves = f" ({_either([quoted(label) for label in result.half])} counting half)" if result.half else ""
    return f"{labels}{halves}"


def _either(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def lead_sentence(result: PrevalenceResult) -> str:
    """The share of positive items, by the judge that helps most."""
    best = result.judges[0]
    found = best.estimate("ppi++")
    return (
        f"{_subject(result, found)}: {quoted(best.judge)} answered {counted(best.items, 'item')}, and people rated "
        f"{whole(best.rated_items)} of them."
    )


def _subject(result: PrevalenceResult, found: Estimate) -> str:
    if result.target == "decision":
        return f"{estimate_text(found)} of the items are {counted_as(result)} by the decision of their raters"
    return f"{estimate_text(found)} of raters' answers are {counted_as(result)}, averaged over items"


def naive_sentence(judge: JudgePrevalence) -> str:
    """How far off the judge would be if one took it at its word."""
    alone, found = judge.estimate("naive"), judge.estimate("ppi++")
    name = quoted(judge.judge)
    if not (math.isfinite(alone.value) and math.isfinite(found.value)):
        return ""
    gap = f"{decimal(100 * abs(alone.value - found.value), 1)} percentage points"
    more = "more" if alone.value > found.value else "less"
    if found.low <= alone.value <= found.high:
        return f"{name} taken at its word says {percent(alone.value)}, which the interval holds."
    return f"{name} taken at its word says {percent(alone.value)}, {gap} {more}: do not report that."


def saved_sentence(judge: JudgePrevalence) -> str:
    """How many ratings the judge saves."""
    if not math.isfinite(judge.ratings_saved):
        return ""
    name = quoted(judge.judge)
    if judge.weight == 0 or round(judge.ratings_saved) <= 0:
        why = (
            "it answered no item that nobody rated"
            if judge.items == judge.rated_items
            else "where people looked, its answers do not go with theirs"
        )
        return f"{name} saves no ratings: {why}."
    return (
        f"{name} saves {counted(round(judge.ratings_saved), 'rating')}: people alone would need "
        f"{whole(round(judge.ratings + judge.ratings_saved))} instead of {whole(judge.ratings)} for an interval as "
        "short."
    )


def finding_sentence(judge: JudgePrevalence) -> str:
    """What the chart of the estimates shows."""
    alone, found = judge.estimate("naive"), judge.estimate("ppi++")
    both = f"{quoted(judge.judge)} alone says {percent(alone.value)}"
    if not math.isfinite(found.value):
        return both
    return f"{both}, corrected by people it is {percent(found.value)}"


def target_sentence(result: PrevalenceResult) -> str:
    """What counts as an item's answer."""
    if result.target == "share":
        return (
            f"An item counts by the share of its raters who say {counted_as(result)}; a judge by the share of its "
            "samples, or by its probability."
        )
    return (
        f"An item is positive where {percent(result.tau, 0)} or more of its raters say {counted_as(result)}, and for a "
        "judge where so much of its samples or of its probability does. It is the decision of these raters: with few "
        "of them it need not be that of everybody."
    )


def systems_sentence(judge: JudgePrevalence) -> str:
    """Which systems are strongest, and whether that is sure."""
    known = [
        (system.system, estimate)
        for system in judge.systems or ()
        for estimate in system.strengths
        if estimate.method == "ppi++" and math.isfinite(estimate.value)
    ]
    if not known:
        return ""
    first, best = known[0]
    rivals = [name for name, estimate in known[1:] if estimate.high >= best.low]
    said = f"{quoted(first)} is the strongest of {counted(len(known), 'system')}, at {strength_text(best)}"
    if not rivals:
        return f"{said}, above all others' intervals."
    more = len(rivals) - MOST_RIVALS
    shown = [*(quoted(name) for name in rivals[:MOST_RIVALS]), *([f"{more} more"] if more > 0 else [])]
    return f"{said}; its interval meets that of {listing(shown)}."
