"""What `prevalence` says: how many items are positive."""

import math
from collections.abc import Callable, Sequence

from dissensus.methods.prevalence.result import Estimate, JudgePrevalence, Method, PrevalenceResult
from dissensus.report.document import Block, Cell, Figure, Fold, Paragraph, Section, Table
from dissensus.report.numbers import (
    counted,
    decimal,
    listing,
    percent,
    points,
    quoted,
    short_names,
    whole,
    with_interval,
)
from dissensus.report.specs.shapes import interval_row, intervals, zoomed
from dissensus.report.views.section import how_computed, judge_slots, noted, setting

METHOD_NAMES: dict[Method, str] = {
    "naive": "judge alone (naive)",
    "people": "people alone",
    "rogan-gladen": "Rogan-Gladen",
    "ppi": "PPI",
    "ppi++": "PPI++",
}
SHORT_NAMES: dict[Method, str] = METHOD_NAMES | {"naive": "alone", "people": "people", "rogan-gladen": "Rogan-G."}
METHOD_WORDS: dict[Method, str] = {
    "naive": "Judge alone: its mean answer over all items; the interval ignores its errors.",
    "people": "People alone: their mean answer over the items that they rated.",
    "rogan-gladen": "Rogan-Gladen: the share that explains how often the judge says yes, given how often it agrees "
    "with raters; wide if it cannot tell yes from no, and undefined if it says yes no more often where people do.",
    "ppi": "PPI (prediction-powered inference): the judge's mean on unrated items, plus its mean error on rated ones.",
    "ppi++": "PPI++, the corrected share: PPI with the weight of the judge that makes the interval shortest.",
}
UNITS = {
    "sampled": "Intervals are for other items and other raters like these.",
    "fixed": "Intervals are for other items rated by these raters, who may differ from others.",
}
SAVED = "Saved: how many more ratings people alone would need for an interval as short, from these raters."
UNSEEN = "Intervals allow for half an error more than people found: no error on a few items proves little."
STRENGTHS = "Strength (Bradley and Terry): the log-odds of beating a system of mean strength, 0. A tie is half a win."
SILENT = (
    "answered the rated items only", "did not answer ", "Rescaled ", "The ratings hold forced choices",
    "rogan-gladen has no value", "so ppi++ is what people say",
)  # fmt: skip
"""In warnings that a note or the table replaces, or that ask for nothing."""
MOST_NAMES = 3
MOST_JUDGES = 6
LONGEST = 16
LONGEST_NAME = 20
WIDE = 0.05
"""An interval of five percentage points or more supports no decimals."""


def view(result: PrevalenceResult) -> Section:
    """How many items are positive: the answer, each judge, the estimates, and how they were computed."""
    notes = [text for text in (_naive_note(result), _unrated_note(result)) if text]
    blocks = [_figure(result), *noted(notes), *_systems(result), _computed(result)]
    return Section(title="How many items are positive?", lead=lead_sentence(result), blocks=blocks)


def estimate_text(estimate: Estimate, form: Callable[[float], str] = percent) -> str:
    """A share, or another number, with its interval; a wide interval of a share has no decimals.

    >>> estimate_text(Estimate(method="ppi++", value=0.331, low=0.28, high=0.389))
    '33% [28%, 39%]'
    >>> estimate_text(Estimate(method="people", value=-0.5, low=-0.75, high=-0.25), decimal)
    '-0.50 [-0.75, -0.25]'
    """
    is_wide = form is percent and estimate.high - estimate.low >= WIDE
    shown = (lambda share: percent(share, 0)) if is_wide else form
    if math.isfinite(estimate.value):
        return with_interval(estimate.value, estimate.low, estimate.high, form=shown)
    is_known = math.isfinite(estimate.low) and math.isfinite(estimate.high)
    return f"[{shown(estimate.low)}, {shown(estimate.high)}]" if is_known else "-"


def lead_sentence(result: PrevalenceResult) -> str:
    """The share of positive items, by the judge that helps most."""
    best, labels = result.judges[0], _labels(result.positive)
    share = estimate_text(best.estimate("ppi++"))
    what = "raters' answers are" if result.target == "share" else "the items are, by their raters' decision,"
    if best.rated_items == best.items:
        return f"{share} of {what} {labels}, from people's ratings of {counted(best.items, 'item')}."
    known = f"people's ratings of {counted(best.rated_items, 'item')}"
    return f"{share} of {what} {labels}, from {known} and {quoted(best.judge)}'s answers to {whole(best.items)}."


def _labels(labels: Sequence[str]) -> str:
    return listing([quoted(label) for label in labels], most=MOST_NAMES, word="or")


# ---- What to do


def _naive_note(result: PrevalenceResult) -> str:
    """Which judges would be off if one took them at their word, and by how much."""
    gaps = {}
    for judge in result.judges:
        alone, best = judge.estimate("naive").value, judge.estimate("ppi++")
        if math.isfinite(alone) and not best.low <= alone <= best.high and math.isfinite(best.value):
            gaps[judge.judge] = abs(alone - best.value)
    gaps = {name: gap for name, gap in gaps.items() if float(points(gap))}
    if not gaps:
        return ""
    names = listing([quoted(name) for name in gaps], most=MOST_NAMES)
    most = f"{'up to ' if len(gaps) > 1 else ''}{points(max(gaps.values()), 0 if max(gaps.values()) >= WIDE else 1)}"
    return f"Do not report what {names} say{'s' * (len(gaps) == 1)} alone: that is off by {most} percentage points."


def _unrated_note(result: PrevalenceResult) -> str:
    """Whom to ask for answers on items that nobody rated."""
    rated = [judge.judge for judge in result.judges if judge.items == judge.rated_items]
    if not rated:
        return ""
    who = "the judges" if len(rated) > 1 else quoted(rated[0])
    return f"Let {who} answer items that nobody rated: only those save ratings."


# ---- The estimates


def _confidence(result: PrevalenceResult) -> str:
    return percent(setting(result.settings, "confidence", math.nan), 0)


def _judges_table(result: PrevalenceResult) -> Table:
    """Each judge: alone, corrected by people, and what it saves."""
    names = short_names((judge.judge for judge in result.judges), LONGEST_NAME, has_end=True)
    rows: list[list[Cell]] = [
        [
            names[judge.judge],
            judge.rated_items,
            percent(judge.estimate("naive").value) if math.isfinite(judge.estimate("naive").value) else None,
            estimate_text(judge.estimate("people")),
            estimate_text(judge.estimate("ppi++")),
            round(judge.ratings_saved) if math.isfinite(judge.ratings_saved) else None,
        ]
        for judge in result.judges
    ]
    return Table(
        caption=f"Share of positive items ({_confidence(result)} intervals), and how many ratings a judge saves",
        columns=["Judge", "Rated", "Alone", "People alone", "Corrected", "Saved"],
        rows=rows,
    )


def _figure(result: PrevalenceResult) -> Figure:
    """The estimates with their intervals, judge by judge."""
    judges = result.judges[:MOST_JUDGES]
    names = short_names((judge.judge for judge in judges), longest=LONGEST)
    slots = judge_slots(result, (judge.judge for judge in judges))
    rows = []
    for judge in judges:
        for estimate in judge.estimates:
            method = METHOD_NAMES[estimate.method]
            name = f"{names[judge.judge]}: {SHORT_NAMES[estimate.method]}" if len(judges) > 1 else method
            if math.isfinite(estimate.value):
                rows.append(interval_row(name, estimate.value, estimate.low, estimate.high, slot=slots[judge.judge]))
    first, left = result.judges[0], len(result.judges) - len(judges)
    alone, best = (estimate_text(first.estimate(method)).partition(" [")[0] for method in ("naive", "ppi++"))
    more = f" The table has {counted(left, 'more judge')}." if left else ""
    return Figure(
        title=f"{quoted(first.judge)} alone says {alone}; corrected by people it is {best}",
        caption=f"Whiskers are {_confidence(result)} intervals; that of a judge alone ignores its errors.{more}",
        spec=zoomed(intervals(rows, names="Estimate", values=["Share of positive items"]), rows, form=".0%"),
        table=_judges_table(result),
    )


def systems_sentence(judge: JudgePrevalence) -> str:
    """Which system is strongest, and whether that is sure."""
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
    near = f"cannot be told apart from {listing(rivals, most=MOST_NAMES)}" if rivals else "stands above all others"
    return f"{quoted(first)} is the strongest of {counted(len(known), 'system')}, {'but ' if rivals else 'and '}{near}."


def _systems(result: PrevalenceResult) -> list[Block]:
    """Win rates and strengths of the systems, by the judge that helps most."""
    judge = next((judge for judge in result.judges if judge.systems), None)
    if judge is None:
        return []
    title, strongest = f"The systems by {quoted(judge.judge)}, which helps most", systems_sentence(judge)
    return [Fold(title=title, parts=[*([Paragraph(text=strongest)] if strongest else []), *_tables_of(judge)])]


def _tables_of(judge: JudgePrevalence) -> list[Table]:
    systems = judge.systems or ()
    names = short_names(system.system for system in systems)
    tables = []
    for is_strength, what in enumerate(("How often each system wins", "Strength of each system")):
        rows: list[list[Cell]] = []
        for system in systems:
            own, form = (system.strengths, decimal) if is_strength else (system.win_rates, percent)
            texts = {estimate.method: estimate_text(estimate, form) for estimate in own}
            shown = (texts.get(method) for method in ("naive", "people", "ppi++"))
            rows.append([names[system.system], system.items, system.rated_items, *shown])
        columns = ["System", "Pairs", "Rated", "Judge alone", "People alone", "PPI++"]
        tables.append(Table(caption=f"{what}, with {quoted(judge.judge)}", columns=columns, rows=rows))
    return tables


def _computed(result: PrevalenceResult) -> Fold:
    """What counts as positive, and the methods."""
    by = "the share of its raters, and of a judge's samples or probability, for"
    if result.target == "decision":
        by = f"whether {percent(result.tau, 0)} or more of its raters, or of a judge's samples or probability, are for"
    half = f"; {_labels(result.half)} counts half" if result.half else ""
    texts = [f"An item counts by {by} {_labels(result.positive)}{half}.", *METHOD_WORDS.values()]
    texts += [UNITS[str(result.settings.get("raters", "fixed"))], SAVED]
    texts += [UNSEEN] if result.settings.get("interval") == "wilson" else []
    texts += [STRENGTHS] if any(judge.systems for judge in result.judges) else []
    return how_computed(texts)
