"""What `raters` says: who the raters are."""

import math
from collections.abc import Sequence

from dissensus.errors import DissensusError
from dissensus.methods.raters.cells import FEWEST_RATERS
from dissensus.methods.raters.raters import FAR
from dissensus.methods.raters.result import JudgeByGroup, Measure, RaterRow, RatersResult, Siding
from dissensus.report.document import Block, Cell, Figure, Paragraph, Points, Section, Table
from dissensus.report.numbers import (
    are,
    counted,
    decimal,
    listing,
    p_text,
    percent,
    quoted,
    sentences,
    short_names,
    with_interval,
)
from dissensus.report.specs import Spec, interval_row, intervals, zoomed
from dissensus.report.views.worth import bounds_text, end_text
from dissensus.results import Result

MOST_NAMED = 5
LONGEST_LABEL = 20
"""Longer labels do not stand above a column."""
LONGEST_NAME = 20
ABOVE = "above all"
"""Of a judge that is worth more than the largest survey of a group."""
"""Names are cut to so many letters in tables."""
FINE = 0.05
"""An axis that reaches no farther has tenths of a percent."""
MOST_RATERS = 20
"""The chart and its table show so many raters: those who agree the least, and those who agree the most."""
AGREEMENT_WORDS = {
    "same label": "Agreement is the share of the other raters of the same items who gave the same label.",
    "distance": "Agreement is how near a rater's labels are to those of the other raters of the same items: 1 less the "
    "distance as a share of the largest one.",
    "shared options": "Agreement is how alike a rater's sets of options are to those of the other raters of the same "
    "items: the options in both over the options in one or both.",
}
OTHERS = (
    "Others: how well these others agree among themselves on the same items; the difference allows for items that are "
    "hard for everybody. Items counts those with two or more others."
)
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


def view(result: Result) -> Section:
    """Who the raters are: the answer, the raters, groups of them, and how it was computed."""
    if not isinstance(result, RatersResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what raters found.")
    spread = sentences(*population_sentences(result))
    return Section(
        title="Who are the raters?",
        lead=lead_sentence(result),
        blocks=[
            *([Paragraph(text=spread)] if spread else []),
            _raters(result),
            *_groups(result),
            Points(title="How this was computed", texts=_computed(result)),
        ],
    )


# ---- Who stands out, and how much raters differ


def standing_out(result: RatersResult) -> list[RaterRow]:
    """The raters who stand out, those who agree the least first."""
    return [row for row in result.ranked if row.stands_out]


def lead_sentence(result: RatersResult) -> str:
    """How many raters there are, and who stands out."""
    n, out = len(result.raters), standing_out(result)
    raters = counted(n, "rater")
    if "difference" not in result.populations:
        reason = "how each compares with the rest cannot be told, because no item has three of them"
        return f"There {are(n)} {raters}; {reason}."
    if why := untold(result):
        return f"There are {raters}; whether one stands out cannot be told, because {why}."
    if not out:
        return f"None of the {raters} stands out: nobody agrees far less with the others than most do."
    worst = out[0]
    name = f"{quoted(worst.rater)}, on {percent(worst.agreement_beside)}, where those others agree on "
    least = f"{name}{percent(worst.others)}"
    if len(out) == 1:
        return f"One of {n:,} raters agrees far less with the others than most do: {least}."
    return f"{len(out):,} of {n:,} raters agree far less with the others than most do; the least {least}."


def untold(result: RatersResult) -> str:
    """Why it cannot be told whether somebody stands out; empty if it can."""
    if len(result.ranked) < FEWEST_RATERS:
        return f"that takes {FEWEST_RATERS} raters of items with three"
    is_known = any(row.difference is not None and row.difference.items > 1 for row in result.ranked)
    return "" if is_known else "nobody has two items with three raters"


def population_sentences(result: RatersResult) -> list[str]:
    """How much raters differ in each respect."""
    words = {
        "difference": ("how well they agree with the rest", _points),
        "leniency": (height_words(result), _points if in_shares(result) else lambda value: _not_nothing(value, 2)),
    }
    texts = []
    for name, (what, form) in words.items():
        population = result.populations.get(name)
        if population is not None and math.isfinite(population.spread):
            how = f"a standard deviation of {form(population.spread)}, chance taken off"
            texts.append(f"Raters differ in {what} by {how if population.spread else 'no more than chance'}.")
    if (consistency := result.populations.get("consistency")) is not None:
        who = counted(consistency.raters, "rater")
        texts.append(f"When an item came again, {who} agreed {percent(consistency.mean)} with themselves on average.")
    return texts


def _points(share: float) -> str:
    return f"{_not_nothing(100 * share, 1)} percentage points"


def _not_nothing(value: float, digits: int) -> str:
    """A positive number that never looks like 0."""
    text = decimal(value, digits)
    return text if text.strip("0.") else f"less than {decimal(10.0**-digits, digits)}"


# ---- What the JSON calls leniency: it says nothing of whether the positive label is good or bad


def in_shares(result: RatersResult) -> bool:
    """Whether leniency is a share of positive labels, not a height on a scale."""
    return result.settings.get("leniency_in") == "share"


def height_words(result: RatersResult) -> str:
    """What raters differ in."""
    return f"how often they say {positive_words(result)}" if in_shares(result) else "how high their labels are"


def height_heading(result: RatersResult) -> str:
    """The same above a column."""
    if not in_shares(result):
        return "Higher labels"
    name = positive_words(result)
    return f"Oftener {name}" if len(name) <= LONGEST_LABEL else "Oftener positive"


def positive_words(result: RatersResult) -> str:
    """The positive label by name; several as what they are."""
    positive = result.settings.get("positive")
    names = [str(name) for name in positive] if isinstance(positive, Sequence) else []
    return quoted(names[0]) if len(names) == 1 else "a positive label"


# ---- Raters, in a chart and a table


def shown(result: RatersResult) -> list[RaterRow]:
    """The raters from the least agreement to the most; of many those at both ends."""
    ranked = result.ranked or list(result.raters)
    half = MOST_RATERS // 2
    return ranked if len(ranked) <= MOST_RATERS else [*ranked[:half], *ranked[-half:]]


def _raters(result: RatersResult) -> Block:
    raters = shown(result)
    table = _table(result, raters)
    if not result.ranked:
        return table
    out, n = [quoted(row.rater) for row in standing_out(result)], len(result.ranked)
    title = "Agreement of each rater" if untold(result) else "No rater stands out"
    if out:
        title = f"{listing(out, most=MOST_NAMED)} {'stands' if len(out) == 1 else 'stand'} out"
    confidence = result.settings.get("confidence")
    level = f"{100 * confidence:g}%" if isinstance(confidence, float) else "95%"
    left_out = f"Of {n:,} raters those at both ends are shown; the JSON has all." if n > MOST_RATERS else ""
    return Figure(
        title=title,
        caption=sentences(
            "How much better each rater agrees with the others of the same items than those among themselves, drawn "
            f"towards the mean, with {level} intervals; to the left of the dashed line worse.",
            left_out,
        ),
        spec=_chart(raters),
        table=table,
    )


def _chart(raters: Sequence[RaterRow]) -> Spec:
    names = short_names((row.rater for row in raters), LONGEST_NAME)
    measures = {names[row.rater]: row.difference for row in raters if row.difference is not None}
    rows = [interval_row(name, row.shrunk, row.low, row.high) for name, row in measures.items()]
    spec = intervals(rows, names="Rater", values=["Agreement less that of the others"], reference=0.0)
    reach = max(abs(end) for row in measures.values() for end in (row.low, row.high))
    return zoomed(spec, rows, anchors=[0.0], form=".0%" if reach > FINE else ".1%")


def _table(result: RatersResult, raters: Sequence[RaterRow]) -> Table:
    names = short_names((row.rater for row in raters), LONGEST_NAME)
    titles = {"difference": "Difference", "leniency": height_heading(result), "consistency": "Consistency"}
    kept = [name for name in titles if name == "difference" or any(row.measures()[name] is not None for row in raters)]
    rows: list[list[Cell]] = []
    for row in raters:
        items = row.items if row.difference is None else row.difference.items
        measures = [
            _measure_text(row.measures()[name], is_share=name != "leniency" or in_shares(result)) for name in kept
        ]
        rows.append([names[row.rater], items, row.agreement_beside, row.others, *measures])
    return Table(
        caption="The raters, from the least agreement with the rest to the most",
        columns=["Rater", "Items", "Agrees", "Others", *(titles[name] for name in kept)],
        rows=rows,
        percent=frozenset({"Agrees", "Others"}),
    )


def _measure_text(measure: Measure | None, *, is_share: bool) -> str | None:
    """A shrunk number with its interval; None without one."""
    if measure is None:
        return None
    return with_interval(measure.shrunk, measure.low, measure.high, form=percent if is_share else decimal)


# ---- Groups of raters, and judges that side with one


def group_sentences(result: RatersResult) -> list[str]:
    """Whether groups of raters differ, and whether judges side with one."""
    confidence = result.settings.get("confidence")
    level = 1 - confidence if isinstance(confidence, float) else 0.05
    texts = []
    for test in result.tests:
        if not math.isnan(test.p_value):
            how = "differ" if test.p_value <= level else "are not shown to differ"
            what = "how well their raters agree with the rest" if test.about == "agreement" else height_words(result)
            texts.append(f"Groups {how} in {what} ({p_text(test.p_value)}).")
    return [*texts, *siding_sentences(result.judges)]


def siding_sentences(judges: Sequence[Siding]) -> list[str]:
    """Which judges side with a group, and in one sentence that others do not."""
    known = [siding for siding in judges if math.isfinite(siding.p_holm)]
    partial = [siding for siding in known if siding.sides_with is not None]
    others = [siding for siding in known if siding.sides_with is None]
    unknown = [siding for siding in judges if not math.isfinite(siding.p_holm)]
    texts = [_siding_sentence(siding, len(judges)) for siding in partial[:MOST_NAMED]]
    if len(partial) > MOST_NAMED:
        texts.append(f"{counted(len(partial) - MOST_NAMED, 'more judge')} side with a group; the table has them.")
    if others:
        sure = _sure(min(siding.p_holm for siding in others), len(judges))
        several = f"any of the {len(others):,} {'others' if partial else 'judges'}"
        whose = quoted(others[0].judge) if len(others) == 1 else several
        texts.append(f"It is not shown that {whose} sides with a group ({sure}).")
    if unknown:
        who = f"{quoted(unknown[0].judge)} sides" if len(unknown) == 1 else f"{len(unknown):,} judges side"
        texts.append(f"Whether {who} with a group cannot be told: no item that was answered has two groups.")
    return texts


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
    worth = group.worth
    if worth is None or worth.verdict is None:
        return None
    return end_text(worth.equivalence, worth.verdict, ABOVE) + bounds_text(worth, ABOVE)


def _groups(result: RatersResult) -> list[Block]:
    """Groups of raters, and judges by group."""
    if not result.groups:
        return []
    texts = group_sentences(result)
    names = short_names((group.group for group in result.groups), LONGEST_NAME)
    heading = [height_heading(result)] if "leniency" in result.populations else []
    rows: list[list[Cell]] = [
        [names[row.group], row.raters, row.ratings, row.difference, *([row.leniency] if heading else [])]
        for row in result.groups
    ]
    table = Table(
        caption="Groups of raters: means over their ratings of items that other groups rated too",
        columns=["Group", "Raters", "Ratings", "Difference", *heading],
        rows=rows,
        percent=frozenset({"Difference", *(heading if in_shares(result) else [])}),
    )
    points = [Points(title="Groups of raters", texts=texts)] if texts else []
    return [*points, table, *([_judges(result, names)] if result.judges else [])]


def _judges(result: RatersResult, groups: dict[str, str]) -> Table:
    judges = short_names((siding.judge for siding in result.judges), LONGEST_NAME)
    bias = ["Bias"] if "leniency" in result.populations else []
    rows: list[list[Cell]] = [
        [judges[siding.judge], groups[row.group], row.agreement, row.nearer, *([row.bias] if bias else []),
         worth_of(row), row.items]
        for siding in result.judges
        for row in siding.groups
    ]  # fmt: skip
    return Table(
        caption="Judges by group",
        columns=["Judge", "Group", "Agrees", "Nearer", *bias, "Worth", "Items"],
        rows=rows,
        percent=frozenset({"Agrees", "Nearer", *(bias if in_shares(result) else [])}),
    )


def _computed(result: RatersResult) -> list[str]:
    has, positive = result.populations, positive_words(result)
    texts = [AGREEMENT_WORDS[str(result.settings.get("closeness"))]]
    texts += [OTHERS, SHRUNK, STANDS_OUT] if "difference" in has else []
    higher = "higher a rater's labels are", "higher its answers are than the group's"
    if in_shares(result):
        higher = f"oftener a rater says {positive}", f"oftener it says {positive} than the group"
    if "leniency" in has:
        texts.append(f"{height_heading(result)}: how much {higher[0]} than the others of the same items; below 0 less.")
    if "consistency" in has:
        texts.append("Consistency: how near a rater's labels are when the same item comes again.")
    texts += [DEALT] if result.tests else []
    return [*texts, *([NEARER.format(what=higher[1])] if result.judges else [])]
