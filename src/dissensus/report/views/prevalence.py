"""What `prevalence` says: how many items are positive."""

import math
from collections.abc import Callable, Sequence

from dissensus.errors import DissensusError
from dissensus.methods.prevalence.options import Method
from dissensus.methods.prevalence.result import Estimate, JudgePrevalence, PrevalenceResult, SystemScore
from dissensus.report.document import Block, Cell, Figure, Fold, Paragraph, Part, Points, Section, Table
from dissensus.report.numbers import counted, decimal, listing, percent, quoted, told_apart, whole, with_interval
from dissensus.report.specs import Row, intervals
from dissensus.report.specs.shapes import zoomed
from dissensus.results import Result

# ---- How many items are positive, in words

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


# ---- What `prevalence` says: how many items are positive

MOST_JUDGES = 6
"""So many judges are drawn and told of; the table has them all."""
LONGEST = 16
"""A chart has so much room for a judge's name before the method's."""


def view(result: Result) -> Section:
    """How many items are positive: the answer, what the judge saves, all estimates, and how they were computed."""
    if not isinstance(result, PrevalenceResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what prevalence found.")
    return Section(
        title="How many items are positive?",
        lead=lead_sentence(result),
        blocks=[*_said(result), _figure(result), *_systems(result), _computed(result)],
    )


def _said(result: PrevalenceResult) -> list[Block]:
    """What each judge is off by, and what it saves."""
    texts = [
        " ".join(filter(None, [naive_sentence(judge), saved_sentence(judge)])) for judge in result.judges[:MOST_JUDGES]
    ]
    known = [text for text in texts if text]
    if len(known) > 1:
        return [Points(title="", texts=known)]
    return [Paragraph(text=text) for text in known]


def _table(result: PrevalenceResult) -> Table:
    names = told_apart(judge.judge for judge in result.judges)
    has_several = len(result.judges) > 1
    rows: list[list[Cell]] = [
        [
            *([names[judge.judge]] if has_several else []),
            METHOD_NAMES[estimate.method],
            estimate_text(estimate),
            _or_none(estimate.high - estimate.low),
            _or_none(judge.ratings_saved) if estimate.method == "ppi++" else None,
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


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _figure(result: PrevalenceResult) -> Block:
    """The estimates with their intervals, judge by judge."""
    rows = _rows(result.judges[:MOST_JUDGES])
    spec = intervals(rows, names="Estimate", values=["Share of positive items"])
    return Figure(
        title=finding_sentence(result.judges[0]),
        caption=f"Each line is an estimate of the share of positive items. Whiskers are "
        f"{percent(_confidence(result), 0)} intervals; that of the judge alone does not know of its errors.",
        spec=zoomed(spec, rows, form=".0%"),
        table=_table(result),
    )


def _rows(judges: Sequence[JudgePrevalence]) -> list[Row]:
    names = told_apart((judge.judge for judge in judges), longest=LONGEST)
    lines = [(judge, estimate) for judge in judges for estimate in judge.estimates if math.isfinite(estimate.value)]
    return [
        {
            "name": METHOD_NAMES[estimate.method]
            if len(judges) == 1
            else f"{names[judge.judge]}: {SHORT_NAMES[estimate.method]}",
            "value": estimate.value,
            "low": _or_none(estimate.low),
            "high": _or_none(estimate.high),
        }
        for judge, estimate in lines
    ]


def _systems(result: PrevalenceResult) -> list[Block]:
    """Win rates and strengths of the systems, by the judge that helps most; by the others, folded away."""
    judged = [judge for judge in result.judges if judge.systems]
    if not judged:
        return []
    said = systems_sentence(judged[0])
    blocks: list[Block] = [Paragraph(text=said)] if said else []
    blocks += _tables_of(judged[0])
    others: list[Part] = [table for judge in judged[1:] for table in _tables_of(judge)]
    return [*blocks, *([Fold(title="The systems by the other judges", parts=others)] if others else [])]


def _tables_of(judge: JudgePrevalence) -> list[Table]:
    systems = judge.systems or ()
    names = told_apart(system.system for system in systems)
    head = ["System", "Pairs", "Rated"]
    return [
        Table(
            caption=f"How often each system wins, with {quoted(judge.judge)}",
            columns=[*head, "Judge alone", "People alone", "PPI++"],
            rows=[[*_head(system, names), *_texts(system.win_rates, is_share=True)] for system in systems],
        ),
        Table(
            caption=f"Strength of each system, with {quoted(judge.judge)}",
            columns=[*head, "Judge alone", "People alone", "PPI++"],
            rows=[[*_head(system, names), *_texts(system.strengths, is_share=False)] for system in systems],
        ),
    ]


def _head(system: SystemScore, names: dict[str, str]) -> list[Cell]:
    return [names[system.system], system.items, system.rated_items]


def _texts(estimates: Sequence[Estimate], *, is_share: bool) -> list[Cell]:
    by_method = {estimate.method: estimate for estimate in estimates}
    found = [by_method.get(method) for method in ("naive", "people", "ppi++")]
    form = estimate_text if is_share else strength_text
    return [None if estimate is None else form(estimate) for estimate in found]


def _computed(result: PrevalenceResult) -> Block:
    weights = [
        f"PPI++ takes {quoted(judge.judge)} at the weight {decimal(judge.weight)}; it agrees with "
        f"{percent(judge.sensitivity)} of the yes and {percent(judge.specificity)} of the no of raters."
        for judge in result.judges[:MOST_JUDGES]
        if math.isfinite(judge.sensitivity)
    ]
    systems = [STRENGTHS] if any(judge.systems for judge in result.judges) else []
    unseen = [UNSEEN] if result.settings.get("interval") == "wilson" else []
    texts = [target_sentence(result), *METHOD_WORDS.values(), *weights, UNITS, *unseen, *systems]
    return Fold(title="How this was computed", parts=[Points(title="", texts=texts)])


def _confidence(result: PrevalenceResult) -> float:
    confidence = result.settings.get("confidence")
    return confidence if isinstance(confidence, float) else math.nan
