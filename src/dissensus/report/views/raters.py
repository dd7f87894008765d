"""What `raters` says: who the raters are."""

import math
from collections.abc import Sequence
from statistics import median

from dissensus.methods.equivalence.result import worth_decimals
from dissensus.methods.raters.cells import FEWEST_TO_SHRINK
from dissensus.methods.raters.raters import FAR
from dissensus.methods.raters.result import JudgeByGroup, Measure, RaterRow, RatersResult, Siding
from dissensus.report.document import Block, Cell, Figure, Fold, Part, Section, Table
from dissensus.report.numbers import (
    are,
    counted,
    decimal,
    listing,
    p_text,
    percent,
    points,
    quoted,
    sentences,
    short_names,
    with_interval,
)
from dissensus.report.specs.shapes import Spec, interval_row, intervals, zoomed
from dissensus.report.views.section import how_computed, noted, setting
from dissensus.report.views.worth import bounds_text, end_text

MOST_NAMED = 3
LONGEST_NAME = 20
LONGEST_LABEL = 12
"""Longer labels do not stand above a column."""
ABOVE = ">max"
"""For a judge that is worth more than the largest survey of a group."""
FINE = 0.05
"""An axis or an interval of shares that reaches no farther has tenths of a percentage point."""
MOST_RATERS = 12
"""The chart and its table show this many raters: those who agree the least, and those who agree the most."""
AGREEMENT_WORDS = {
    "same label": "Agrees: the share of the other raters of the same items who gave the same label.",
    "distance": "Agrees: how close a rater's labels are to the other raters' of the same items; 100% is the same.",
    "shared options": "Agrees: the options in both a rater's and another's set, as a share of those in either.",
}
OTHERS = "Others: how well those other raters agree among themselves, on items with at least two of them."
SHRUNK = "Numbers with brackets are pulled towards the mean of all raters, more strongly for those with few items."
STANDS_OUT = f"Stands out: {FAR:g} robust standard deviations below the median, and the whole interval below it."
DEALT = "p: how often chance sets groups as far apart, on items that at least two groups rated."
NEARER = (
    "Nearer: how many points more the judge agrees with the group than with other groups on the same items. Bias: how "
    "much {what}. Worth: how many raters of the group predict another one of them as well as the judge does; >max: "
    "more than can be asked of the group."
)


def view(result: RatersResult) -> Section:
    """Who the raters are: the answer, the raters, groups of them, and how it was computed."""
    names = listing([quoted(row.rater) for row in standing_out(result)], most=MOST_NAMED)
    check = [f"Check the ratings of {names}: misread instructions, or a different view?"] if names else []
    blocks: list[Block] = [_raters(result), *noted([*check, *group_notes(result)])]
    blocks += [Fold(title="Groups of raters", parts=_groups(result))] if result.groups else []
    blocks.append(how_computed(_computed(result)))
    return Section(title="Who are the raters?", lead=lead_sentence(result), blocks=blocks)


# ---- Who stands out


def standing_out(result: RatersResult) -> list[RaterRow]:
    """The raters who stand out, those who agree the least first."""
    return [row for row in result.ranked if row.stands_out]


def lead_sentence(result: RatersResult) -> str:
    """How many raters there are, and who stands out."""
    n, out, why = len(result.raters), standing_out(result), unknown_because(result)
    if why:
        who = f"Whether one of the {n:,} raters stands out is unknown" if n > 1 else "With 1 rater nobody can stand out"
        return f"{who}: {why}."
    if not out:
        return f"None of the {counted(n, 'rater')} stands out: each agrees with the others about as well as most do."
    worst = out[0]
    agrees = f"{percent(worst.agreement_beside, 0)} agreement with the others, who reach {percent(worst.others, 0)}"
    if len(out) == 1:
        return f"{quoted(worst.rater)} stands out among {n:,} raters: {agrees} among themselves."
    return f"{len(out):,} of {n:,} raters stand out, {quoted(worst.rater)} most: {agrees} among themselves."


def unknown_because(result: RatersResult) -> str:
    """Why it is unknown whether somebody stands out; empty if it is known."""
    if "difference" not in result.populations:
        return "no item has three raters"
    if len(result.ranked) < FEWEST_TO_SHRINK:
        return f"it takes {FEWEST_TO_SHRINK} raters of items with three"
    is_known = any(row.difference is not None and row.difference.items > 1 for row in result.ranked)
    return "" if is_known else "nobody has two items with three raters"


# ---- What the JSON calls leniency: it says nothing of whether the positive label is good or bad


def in_shares(result: RatersResult) -> bool:
    """Whether leniency is a share of positive labels, not a height on a scale."""
    return result.settings.get("leniency_in") == "share"


def height_heading(result: RatersResult) -> str:
    """What raters differ in, above a column."""
    name = positive_words(result)
    return ("More " + (name if len(name) <= LONGEST_LABEL else "positive")) if in_shares(result) else "Higher labels"


def positive_words(result: RatersResult) -> str:
    """The positive label by name; several as what they are."""
    positive = result.settings.get("positive")
    names = [str(name) for name in positive] if isinstance(positive, Sequence) else []
    return quoted(names[0]) if len(names) == 1 else "a positive label"


# ---- Raters, in a chart and a table


def _raters(result: RatersResult) -> Figure | Table:
    """The raters from the least agreement to the most; of many those at both ends."""
    ranked, half = result.ranked or list(result.raters), MOST_RATERS // 2
    raters = ranked if len(ranked) <= MOST_RATERS else [*ranked[:half], *ranked[-half:]]
    table = _table(result, raters, left_out=len(ranked) - len(raters))
    if not result.ranked:
        return table
    out = [quoted(row.rater) for row in standing_out(result)]
    stand = f"{listing(out, most=MOST_NAMED)} {'stands' if len(out) == 1 else 'stand'} out"
    return Figure(
        title=stand if out else "Agreement of each rater" if unknown_because(result) else "No rater stands out",
        caption=sentences(
            "How much more each rater agrees with the others than they do among themselves; left of the dashes less.",
            f"Shown are the {MOST_RATERS} at both ends of {len(ranked):,}." if len(ranked) > MOST_RATERS else "",
        ),
        spec=_chart(raters),
        table=table,
    )


def _chart(raters: Sequence[RaterRow]) -> Spec:
    names = short_names((row.rater for row in raters), LONGEST_NAME)
    measures = {names[row.rater]: row.difference for row in raters if row.difference is not None}
    rows = [interval_row(name, row.shrunk, row.low, row.high) for name, row in measures.items()]
    spec = intervals(rows, names="Rater", values=["Agreement less that of the others, in points"], reference=0.0)
    reach = max(abs(end) for row in measures.values() for end in (row.low, row.high))
    return zoomed(spec, rows, anchors=[0.0], form=".0%" if reach > FINE else ".1%")


def _table(result: RatersResult, raters: Sequence[RaterRow], *, left_out: int) -> Table:
    names = short_names((row.rater for row in raters), LONGEST_NAME)
    titles = {"difference": "Difference", "leniency": height_heading(result), "consistency": "Consistency"}
    kept = [name for name in titles if name == "difference" or any(row.measures()[name] is not None for row in raters)]
    digits = {name: _digits([row.measures()[name] for row in raters]) for name in kept}
    if not in_shares(result):
        digits["leniency"] = None
    rows: list[list[Cell]] = []
    for row in raters:
        items = row.items if row.difference is None else row.difference.items
        measures = [_measure_text(row.measures()[name], digits[name]) for name in kept]
        shares = [percent(one, 0) if math.isfinite(one) else None for one in (row.agreement_beside, row.others)]
        rows.append([names[row.rater], items, *shares, *measures])
    more = f"; {counted(left_out, 'rater')} in between {are(left_out)} left out" if left_out else ""
    return Table(
        caption=f"Agreement with the other raters, lowest first; differences in points, allowing for chance{more}",
        columns=["Rater", "Items", "Agrees", "Others", *(titles[name] for name in kept)],
        rows=rows,
    )


def _digits(measures: Sequence[Measure | None]) -> int | None:
    """Decimals of a column of percentage points: one where most of its intervals are narrow."""
    widths = [measure.high - measure.low for measure in measures if measure is not None]
    return int(bool(widths) and median(widths) <= FINE)


def _measure_text(measure: Measure | None, digits: int | None) -> str | None:
    """A shrunk number with its interval, shares in percentage points with these decimals; None without one."""
    if measure is None:
        return None
    form = decimal if digits is None else (lambda share: points(share, digits))
    return with_interval(measure.shrunk, measure.low, measure.high, form=form)


# ---- Groups of raters, and judges that side with one


def group_notes(result: RatersResult) -> list[str]:
    """Where groups of raters differ, and which judges side with one."""
    texts = []
    for test in result.tests:
        higher = f"how often they give {positive_words(result)}" if in_shares(result) else "how high their labels are"
        what = "how well they agree with the rest" if test.about == "agreement" else higher
        if test.p_value <= 1 - setting(result.settings, "confidence", 0.95):
            texts.append(f"Groups differ in {what} ({p_text(test.p_value)}): look at each group alone.")
    siding = [siding for siding in result.judges if siding.sides_with is not None]
    texts += [_siding_sentence(one) for one in siding[:MOST_NAMED]]
    left = len(siding) - MOST_NAMED
    return [*texts, *([f"{counted(left, 'more judge')} {'sides' if left == 1 else 'side'} with a group."] * (left > 0))]


def _siding_sentence(siding: Siding) -> str:
    """With whom a judge sides, and how much."""
    near = max((group for group in siding.groups if math.isfinite(group.nearer)), key=lambda group: group.nearer)
    return (
        f"{quoted(siding.judge)} sides with {quoted(near.group)}: it agrees {points(near.nearer)} percentage points "
        f"more with them than with others on the same items ({p_text(siding.p_holm)})."
    )


def worth_of(group: JudgeByGroup) -> str | None:
    """How many raters of the group a judge is worth; None where that is unknown."""
    worth = group.worth
    if worth is None or worth.verdict is None:
        return None
    digits = worth_decimals(worth.equivalence, worth.equivalence_low, worth.equivalence_high)
    return end_text(worth.equivalence, worth.verdict, ABOVE, digits) + bounds_text(worth, ABOVE)


def _groups(result: RatersResult) -> list[Part]:
    """Groups of raters, and judges by group."""
    names = short_names((group.group for group in result.groups), LONGEST_NAME)
    heading = [height_heading(result)] if "leniency" in result.populations else []
    rows: list[list[Cell]] = [
        [names[row.group], row.raters, row.ratings, _in_points(row.difference),
         *([_height(row.leniency, result)] if heading else [])]
        for row in result.groups
    ]  # fmt: skip
    caption = "Groups of raters, on items that other groups rated too; differences in percentage points"
    columns = ["Group", "Raters", "Ratings", "Difference", *heading]
    about = {"agreement": "Difference", "leniency": height_heading(result)}
    tests = [f"{about[test.about]}: {p_text(test.p_value)}" for test in result.tests if math.isfinite(test.p_value)]
    caption = "; ".join([caption, *tests])
    table = Table(caption=caption, columns=columns, rows=rows)
    return [table, *([_judges(result, names)] if result.judges else [])]


def _in_points(share: float) -> str | None:
    return points(share) if math.isfinite(share) else None


def _height(value: float, result: RatersResult) -> str | None:
    """How much higher labels are: in percentage points of positive ones, or on the scale."""
    return _in_points(value) if in_shares(result) else decimal(value, 3) if math.isfinite(value) else None


def _judges(result: RatersResult, groups: dict[str, str]) -> Table:
    judges = short_names((siding.judge for siding in result.judges), LONGEST_NAME)
    bias = ["Bias"] if "leniency" in result.populations else []
    rows: list[list[Cell]] = [
        [judges[siding.judge], groups[row.group], row.agreement, _in_points(row.nearer),
         *([_height(row.bias, result)] if bias else []), worth_of(row), row.items, siding.p_holm]
        for siding in result.judges
        for row in siding.groups
    ]  # fmt: skip
    return Table(
        caption="Judges by group; p: of siding with no group, Holm-corrected for all judges",
        columns=["Judge", "Group", "Agrees", "Nearer", *bias, "Worth", "Items", "p"],
        rows=rows,
        percent=frozenset({"Agrees"}),
    )


# ---- How it was computed


def _computed(result: RatersResult) -> list[str]:
    has, positive = result.populations, positive_words(result)
    texts = [AGREEMENT_WORDS[str(result.settings.get("closeness"))]]
    texts += [OTHERS, SHRUNK, STANDS_OUT] if "difference" in has else []
    higher = "higher a rater's labels are", "higher its answers are than the group's"
    if in_shares(result):
        higher = f"more often a rater gives {positive}", f"more often it gives {positive} than the group"
    if "leniency" in has:
        texts.append(f"{height_heading(result)}: how much {higher[0]} than the others on the same items.")
    if "consistency" in has:
        texts.append("Consistency: how close a rater's labels are when the same item comes again.")
    texts += [DEALT] if result.tests else []
    return [*texts, *([NEARER.format(what=higher[1])] if result.judges else [])]
