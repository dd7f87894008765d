"""What `prevalence` says: how many items are positive."""

import math
from collections.abc import Callable, Sequence

from dissensus.errors import DissensusError
from dissensus.methods.prevalence.options import Method
from dissensus.methods.prevalence.result import Estimate, JudgePrevalence, PrevalenceResult
from dissensus.report.document import Block, Cell, Figure, Fold, Paragraph, Part, Points, Section, Table
from dissensus.report.numbers import (
    counted,
    decimal,
    finite,
    listing,
    percent,
    points,
    quoted,
    sentences,
    short_names,
    whole,
    with_interval,
)
from dissensus.report.specs import Row, interval_row, intervals, zoomed
from dissensus.results import Result

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
UNITS = {
    "sampled": "An interval is for other items and other raters like these: it holds the differences between items, "
    "the disagreement between the raters of an item and that some raters say yes more often than others.",
    "fixed": "An interval is for other items and these raters: it holds the differences between items and the "
    "disagreement between the raters of an item, not that other raters might see all items differently.",
}
SAVED = "Ratings saved are counted with these raters, at the number of raters per item that there is now."
UNSEEN = (
    "Intervals count half an error of the judge more than people found: that it did not err on a few items does not "
    "make it perfect."
)
STRENGTHS = (
    "Strengths are those of Bradley and Terry: the log-odds that a system wins against one of strength 0, the mean of "
    "all. A tie is half a win."
)
MOST_RIVALS = 3
MOST_JUDGES = 6
"""So many judges are drawn and told of; the table has them all."""
LONGEST = 16
"""A chart has so much room for a judge's name before the method's."""


def view(result: Result) -> Section:
    """How many items are positive: the answer, what the judge saves, all estimates, and how they were computed."""
    if not isinstance(result, PrevalenceResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what prevalence found.")
    judges = [sentences(naive_sentence(judge), saved_sentence(judge)) for judge in result.judges[:MOST_JUDGES]]
    texts = [text for text in judges if text]
    saved: list[Block] = [Points(title="", texts=texts)] if len(texts) > 1 else [Paragraph(text=t) for t in texts]
    return Section(
        title="How many items are positive?",
        lead=lead_sentence(result),
        blocks=[*saved, _figure(result), *_systems(result), _computed(result)],
    )


def estimate_text(estimate: Estimate, form: Callable[[float], str] = percent) -> str:
    """A share, or another number, with its interval.

    Examples
    --------
    >>> estimate_text(Estimate(method="ppi++", value=0.331, low=0.28, high=0.389))
    '33.1% [28.0%, 38.9%]'
    >>> estimate_text(Estimate(method="people", value=-0.5, low=-0.75, high=-0.25), decimal)
    '-0.50 [-0.75, -0.25]'
    """
    if math.isfinite(estimate.value):
        return with_interval(estimate.value, estimate.low, estimate.high, form=form)
    is_known = math.isfinite(estimate.low) and math.isfinite(estimate.high)
    return f"[{form(estimate.low)}, {form(estimate.high)}]" if is_known else "-"


def counted_as(result: PrevalenceResult) -> str:
    """What is counted: an item, or a rater's answer to it."""
    labels, halves = (
        listing([quoted(label) for label in names], word="or") for names in (result.positive, result.half)
    )
    return f"{labels} ({halves} counting half)" if result.half else labels


def lead_sentence(result: PrevalenceResult) -> str:
    """The share of positive items, by the judge that helps most."""
    best = result.judges[0]
    share = estimate_text(best.estimate("ppi++"))
    what = f"{share} of raters' answers are {counted_as(result)}, averaged over items"
    if result.target == "decision":
        what = f"{share} of the items are {counted_as(result)} by the decision of their raters"
    return (
        f"{what}: {quoted(best.judge)} answered {counted(best.items, 'item')}, and people rated "
        f"{whole(best.rated_items)} of them."
    )


def naive_sentence(judge: JudgePrevalence) -> str:
    """How far off the judge would be if one took it at its word."""
    alone, best = judge.estimate("naive"), judge.estimate("ppi++")
    if not (math.isfinite(alone.value) and math.isfinite(best.value)):
        return ""
    word = f"{quoted(judge.judge)} taken at its word says {percent(alone.value)}"
    if best.low <= alone.value <= best.high:
        return f"{word}, which the interval holds."
    gap = f"{points(abs(alone.value - best.value))} percentage points"
    return f"{word}, {gap} {'more' if alone.value > best.value else 'less'}: do not report that."


def saved_sentence(judge: JudgePrevalence) -> str:
    """How many ratings the judge saves."""
    if not math.isfinite(judge.ratings_saved):
        return ""
    name, saved = quoted(judge.judge), round(judge.ratings_saved)
    if judge.weight == 0 or saved <= 0:
        why = "where people looked, its answers do not go with theirs"
        if judge.items == judge.rated_items:
            why = "it answered no item that nobody rated"
        return f"{name} saves no ratings: {why}."
    return (
        f"{name} saves {counted(saved, 'rating')}: people alone would need "
        f"{whole(round(judge.ratings + judge.ratings_saved))} instead of {whole(judge.ratings)} for an interval as "
        "short."
    )


def finding_sentence(judge: JudgePrevalence) -> str:
    """What the chart of the estimates shows."""
    best = judge.estimate("ppi++").value
    corrected = f", corrected by people it is {percent(best)}" if math.isfinite(best) else ""
    return f"{quoted(judge.judge)} alone says {percent(judge.estimate('naive').value)}{corrected}"


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


def _figure(result: PrevalenceResult) -> Figure:
    """The estimates with their intervals, judge by judge."""
    judges = result.judges[:MOST_JUDGES]
    names = short_names((judge.judge for judge in judges), longest=LONGEST)
    rows: list[Row] = []
    for judge in judges:
        for estimate in judge.estimates:
            method = METHOD_NAMES[estimate.method]
            name = f"{names[judge.judge]}: {SHORT_NAMES[estimate.method]}" if len(judges) > 1 else method
            if math.isfinite(estimate.value):
                rows.append(interval_row(name, estimate.value, estimate.low, estimate.high))
    spec = intervals(rows, names="Estimate", values=["Share of positive items"])
    return Figure(
        title=finding_sentence(result.judges[0]),
        caption=f"Each line is an estimate of the share of positive items. Whiskers are "
        f"{percent(_confidence(result), 0)} intervals; that of the judge alone does not know of its errors.",
        spec=zoomed(spec, rows, form=".0%"),
        table=_table(result),
    )


def _table(result: PrevalenceResult) -> Table:
    names = short_names(judge.judge for judge in result.judges)
    has_several = len(result.judges) > 1
    rows: list[list[Cell]] = [
        [
            *([names[judge.judge]] if has_several else []),
            METHOD_NAMES[estimate.method],
            estimate_text(estimate),
            finite(estimate.high - estimate.low),
            finite(judge.ratings_saved) if estimate.method == "ppi++" else None,
        ]
        for judge in result.judges
        for estimate in judge.estimates
    ]
    return Table(
        caption=f"Share of positive items, with {percent(_confidence(result), 0)} intervals",
        columns=[*(["Judge"] if has_several else []), "Method", "Share", "Width", "Ratings saved"],
        rows=rows,
        digits=0,
        percent=frozenset({"Width"}),
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
    rivals = [quoted(name) for name, estimate in known[1:] if estimate.high >= best.low]
    sure = (
        f"; its interval meets that of {listing(rivals, most=MOST_RIVALS)}"
        if rivals
        else ", above all others' intervals"
    )
    return (
        f"{quoted(first)} is the strongest of {counted(len(known), 'system')}, at {estimate_text(best, decimal)}{sure}."
    )


def _systems(result: PrevalenceResult) -> list[Block]:
    """Win rates and strengths of the systems, by the judge that helps most; by the others, folded away."""
    judged = [judge for judge in result.judges if judge.systems]
    if not judged:
        return []
    strongest = systems_sentence(judged[0])
    others: list[Part] = [table for judge in judged[1:] for table in _tables_of(judge)]
    fold = [Fold(title="The systems by the other judges", parts=others)] if others else []
    return [*([Paragraph(text=strongest)] if strongest else []), *_tables_of(judged[0]), *fold]


def _tables_of(judge: JudgePrevalence) -> list[Table]:
    systems = judge.systems or ()
    names = short_names(system.system for system in systems)
    tables = []
    for is_strength, what in enumerate(("How often each system wins", "Strength of each system")):
        rows: list[list[Cell]] = []
        for system in systems:
            estimates = _texts(system.strengths, decimal) if is_strength else _texts(system.win_rates, percent)
            rows.append([names[system.system], system.items, system.rated_items, *estimates])
        columns = ["System", "Pairs", "Rated", "Judge alone", "People alone", "PPI++"]
        tables.append(Table(caption=f"{what}, with {quoted(judge.judge)}", columns=columns, rows=rows))
    return tables


def _texts(estimates: Sequence[Estimate], form: Callable[[float], str]) -> list[str | None]:
    by_method = {estimate.method: estimate_text(estimate, form) for estimate in estimates}
    return [by_method.get(method) for method in ("naive", "people", "ppi++")]


def _computed(result: PrevalenceResult) -> Block:
    weights = [
        f"PPI++ takes {quoted(judge.judge)} at the weight {decimal(judge.weight)}; it agrees with "
        f"{percent(judge.sensitivity)} of the yes and {percent(judge.specificity)} of the no of raters."
        for judge in result.judges[:MOST_JUDGES]
        if math.isfinite(judge.sensitivity)
    ]
    systems = [STRENGTHS] if any(judge.systems for judge in result.judges) else []
    unseen = [UNSEEN] if result.settings.get("interval") == "wilson" else []
    units = UNITS[str(result.settings.get("raters", "fixed"))]
    texts = [target_sentence(result), *METHOD_WORDS.values(), *weights, units, SAVED, *unseen, *systems]
    return Fold(title="How this was computed", parts=[Points(title="", texts=texts)])


def _confidence(result: PrevalenceResult) -> float:
    confidence = result.settings.get("confidence")
    return confidence if isinstance(confidence, float) else math.nan
