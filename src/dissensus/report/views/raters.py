"""What `raters` says: who the raters are."""

import math
from collections.abc import Sequence

from dissensus.errors import DissensusError
from dissensus.methods.raters.cells import FEWEST_RATERS
from dissensus.methods.raters.raters import FAR
from dissensus.methods.raters.result import JudgeByGroup, Measure, Population, RaterRow, RatersResult, Siding
from dissensus.report.document import Block, Cell, Figure, Paragraph, Points, Section, Table
from dissensus.report.numbers import counted, decimal, listing, p_text, percent, quoted, told_apart, with_interval
from dissensus.report.specs import Row, Spec, intervals
from dissensus.report.specs.shapes import zoomed
from dissensus.results import Result

# ---- Who the raters are, in words

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


def standing_out(result: RatersResult) -> list[RaterRow]:
    """The raters who stand out, those who agree the least first."""
    found = [own for own in result.raters if own.stands_out and own.difference is not None]
    return sorted(found, key=lambda own: own.difference.shrunk if own.difference is not None else 0.0)


def lead_sentence(result: RatersResult) -> str:
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


def untold(result: RatersResult) -> str:
    """Why it cannot be told whether somebody stands out; empty if it can."""
    known = [own.difference for own in result.raters if own.difference is not None]
    if len(known) < FEWEST_RATERS:
        return f"that takes {FEWEST_RATERS} raters of items with three"
    return "" if any(own.items > 1 for own in known) else "nobody has two items with three raters"


def agreement_beside(portrait: RaterRow) -> float:
    """A rater's agreement on the items on which that of the others is known; on all where it is known on none."""
    if portrait.difference is None:
        return portrait.agreement
    return min(1.0, max(0.0, portrait.others + portrait.difference.value))


def population_sentences(result: RatersResult) -> list[str]:
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


def height_words(result: RatersResult) -> str:
    """What the JSON calls leniency, in words: it says nothing of whether the positive label is good or bad."""
    if result.settings.get("leniency_in") != "share":
        return "how high their labels are"
    return f"how often they say {positive_words(result)}"


def height_heading(result: RatersResult) -> str:
    """The same above a column."""
    if result.settings.get("leniency_in") != "share":
        return "Higher labels"
    name = positive_words(result)
    return f"Oftener {name}" if len(name) <= LONGEST_LABEL else "Oftener positive"


def positive_words(result: RatersResult) -> str:
    """The positive label by name; several as what they are."""
    positive = result.settings.get("positive")
    names = [str(name) for name in positive] if isinstance(positive, Sequence) else []
    return quoted(names[0]) if len(names) == 1 else "a positive label"


def height_text(value: float, result: RatersResult) -> str:
    """A spread of leniency: percentage points of positive labels, or steps of the labels."""
    return _points(value) if result.settings.get("leniency_in") == "share" else _not_nothing(value, 2)


def measure_text(measure: Measure | None, *, is_share: bool) -> str | None:
    """A shrunk number with its interval; None without one."""
    if measure is None:
        return None
    return with_interval(measure.shrunk, measure.low, measure.high, form=percent if is_share else decimal)


def group_sentences(result: RatersResult) -> list[str]:
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


def _level(result: RatersResult) -> float:
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


def named(portraits: Sequence[RaterRow]) -> str:
    """The first raters by name, and how many more there are."""
    names = [quoted(own.rater) for own in portraits[:MOST_NAMED]]
    more = [f"{len(portraits) - MOST_NAMED} more"] if len(portraits) > MOST_NAMED else []
    return listing([*names, *more])


# ---- What `raters` says: who the raters are

OTHERS = (
    "Others: how well these others agree among themselves on the same items; the difference allows for items that are "
    "hard for everybody. Items counts those with two or more others."
)
LONGEST_NAME = 20
"""Names are cut to so many letters in tables."""
FINE = 0.05
"""An axis that reaches no farther has tenths of a percent."""
MOST_RATERS = 20
"""The chart and its table show so many raters: those who agree the least, and those who agree the most."""


def view(result: Result) -> Section:
    """Who the raters are: the answer, the raters, groups of them, and how it was computed."""
    if not isinstance(result, RatersResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what raters found.")
    said = " ".join(population_sentences(result))
    return Section(
        title="Who are the raters?",
        lead=lead_sentence(result),
        blocks=[
            *([Paragraph(text=said)] if said else []),
            _raters(result),
            *_groups(result),
            Points(title="How this was computed", texts=_computed(result)),
        ],
    )


def shown(result: RatersResult) -> list[RaterRow]:
    """The raters from the least agreement to the most; of many those at both ends."""
    known = [own for own in result.raters if own.difference is not None]
    ranked = sorted(known, key=lambda own: own.difference.shrunk if own.difference is not None else 0.0)
    ranked = ranked or list(result.raters)
    half = MOST_RATERS // 2
    return ranked if len(ranked) <= MOST_RATERS else [*ranked[:half], *ranked[-half:]]


def _raters(result: RatersResult) -> Block:
    portraits = shown(result)
    table = _table(result, portraits)
    known = [own for own in portraits if own.difference is not None]
    if not known:
        return table
    out = standing_out(result)
    nobody = "Agreement of each rater" if untold(result) else "No rater stands out"
    title = f"{named(out)} {'stands' if len(out) == 1 else 'stand'} out" if out else nobody
    return Figure(
        title=title,
        caption="How much better each rater agrees with the others of the same items than those among themselves, "
        f"drawn towards the mean, with {_confidence(result)} intervals; to the left of the dashed line worse."
        f"{_left_out(result)}",
        spec=_chart(known),
        table=table,
    )


def _left_out(result: RatersResult) -> str:
    n = sum(own.difference is not None for own in result.raters)
    return f" Of {n:,} raters those at both ends are shown; the JSON has all." if n > MOST_RATERS else ""


def _confidence(result: RatersResult) -> str:
    confidence = result.settings.get("confidence")
    return f"{100 * confidence:g}%" if isinstance(confidence, float) else "95%"


def _chart(portraits: Sequence[RaterRow]) -> Spec:
    names = told_apart((own.rater for own in portraits), LONGEST_NAME)
    rows: list[Row] = [
        {"name": names[own.rater], "value": own.difference.shrunk, "low": own.difference.low,
         "high": own.difference.high}
        for own in portraits
        if own.difference is not None
    ]  # fmt: skip
    spec = intervals(rows, names="Rater", values=["Agreement less that of the others"], reference=0.0)
    reach = max(abs(float(row[key] or 0)) for row in rows for key in ("low", "high"))
    return zoomed(spec, rows, anchors=[0.0], form=".0%" if reach > FINE else ".1%")


def _table(result: RatersResult, portraits: Sequence[RaterRow]) -> Table:
    names = told_apart((own.rater for own in portraits), LONGEST_NAME)
    has = {name: any(own.measures()[name] is not None for own in portraits) for name in ("leniency", "consistency")}
    in_shares = result.settings.get("leniency_in") == "share"
    rows: list[list[Cell]] = []
    for own in portraits:
        items = own.items if own.difference is None else own.difference.items
        cells: list[Cell] = [names[own.rater], items, agreement_beside(own), own.others]
        cells.append(measure_text(own.difference, is_share=True))
        cells += [measure_text(own.leniency, is_share=in_shares)] if has["leniency"] else []
        cells += [measure_text(own.consistency, is_share=True)] if has["consistency"] else []
        rows.append(cells)
    titles = {"leniency": height_heading(result), "consistency": "Consistency"}
    more = [title for name, title in titles.items() if has[name]]
    return Table(
        caption="The raters, from the least agreement with the rest to the most",
        columns=["Rater", "Items", "Agrees", "Others", "Difference", *more],
        rows=rows,
        percent=frozenset({"Agrees", "Others"}),
    )


def _groups(result: RatersResult) -> list[Block]:
    """Groups of raters, and judges by group."""
    if not result.groups:
        return []
    said = group_sentences(result)
    names = told_apart((group.group for group in result.groups), LONGEST_NAME)
    has_leniency = "leniency" in result.populations
    rows: list[list[Cell]] = [
        [names[own.group], own.raters, own.ratings, own.difference, *([own.leniency] if has_leniency else [])]
        for own in result.groups
    ]
    heading = height_heading(result)
    shares = {"Difference"} | ({heading} if result.settings.get("leniency_in") == "share" else set())
    blocks: list[Block] = [Points(title="Groups of raters", texts=said)] if said else []
    blocks.append(
        Table(
            caption="Groups of raters: means over their ratings of items that other groups rated too",
            columns=["Group", "Raters", "Ratings", "Difference", *([heading] if has_leniency else [])],
            rows=rows,
            percent=frozenset(shares),
        )
    )
    return [*blocks, *([_judges(result)] if result.judges else [])]


def _judges(result: RatersResult) -> Table:
    judges = told_apart((siding.judge for siding in result.judges), LONGEST_NAME)
    groups = told_apart((group.group for group in result.groups), LONGEST_NAME)
    has_bias = "leniency" in result.populations
    rows: list[list[Cell]] = [
        [judges[siding.judge], groups[own.group], own.agreement, own.nearer, *([own.bias] if has_bias else []),
         worth_of(own), own.items]
        for siding in result.judges
        for own in siding.groups
    ]  # fmt: skip
    shares = {"Agrees", "Nearer"} | ({"Bias"} if result.settings.get("leniency_in") == "share" else set())
    return Table(
        caption="Judges by group",
        columns=["Judge", "Group", "Agrees", "Nearer", *(["Bias"] if has_bias else []), "Worth", "Items"],
        rows=rows,
        percent=frozenset(shares),
    )


def _computed(result: RatersResult) -> list[str]:
    has = result.populations
    said = [AGREEMENT_WORDS[str(result.settings.get("closeness"))]]
    if "difference" in has:
        said += [OTHERS, SHRUNK, STANDS_OUT]
    in_shares = result.settings.get("leniency_in") == "share"
    if "leniency" in has:
        what = f"oftener a rater says {positive_words(result)}" if in_shares else "higher a rater's labels are"
        said.append(f"{height_heading(result)}: how much {what} than the others of the same items; below 0 less.")
    if "consistency" in has:
        said.append("Consistency: how near a rater's labels are when the same item comes again.")
    said += [DEALT] if result.tests else []
    oftener = f"oftener it says {positive_words(result)} than the group"
    what = oftener if in_shares else "higher its answers are than the group's"
    return [*said, *([NEARER.format(what=what)] if result.judges else [])]
