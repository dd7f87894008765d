"""What `describe` says: do the raters agree."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dissensus.data.labels import SEPARATOR, number
from dissensus.methods.describe.describe import Coefficient, DescribeResult, Description, LabelShare
from dissensus.report.document import Block, Cell, Figure, Fold, Points, Section, Table
from dissensus.report.numbers import (
    counted,
    decimal,
    listing,
    percent,
    quoted,
    sentences,
    short_names,
    visible,
    whole,
    with_interval,
)
from dissensus.report.specs.shapes import Row, histogram, interval_row, intervals, share_bars
from dissensus.report.text import sparkline
from dissensus.report.views.section import interval_sentence, setting

MOST_BARS = 20
MOST_GROUPS = 30
WIDE = 0.02
"""An interval of a share as wide as that supports no decimals of a percentage."""
CHANCE_TO_PERFECT = "0: chance, 1: perfect agreement"
TOGETHER = "(all together)"


def view(result: DescribeResult) -> Section:
    """How far the raters agree: coefficients, each group, the spread over items, and the labels."""
    part, scale = result.whole, result.settings.get("scale")
    known = {coefficient_heading(c.name): c for c in part.coefficients}
    all_ratings = _intervals(result, known, "Corrected for chance, agreement", "Coefficient", agreement_table(part))
    by_group = _groups(result)
    items = [] if scale == "interval" else agreement_by_item(part)
    folds = [
        *([Fold(title="All groups together", parts=[all_ratings])] if by_group else []),
        Fold(title="What the coefficients mean", parts=[_meaning(result)]),
        Fold(
            title="Items and labels", parts=[Points(title="", texts=facts(part, scale)), *items, labels_figure(result)]
        ),
    ]
    blocks: list[Block] = [*(by_group or [all_ratings]), *folds]
    return Section(title="Do the raters agree?", lead=agreement_in_short(part, scale), blocks=blocks)


# ---- What the ratings are: on which scale, with which labels

_SCALES = {"nominal": "names without an order", "ordinal": "steps in an order", "interval": "numbers"}


def facts(part: Description, scale: object) -> list[str]:
    """How many ratings items have, how labels are read, and response sets."""
    per_item = f"{whole(part.fewest)} to {counted(part.most, 'rating')} (median {whole(part.median)})"
    texts = [f"An item has {counted(part.most, 'rating') if part.fewest == part.most else per_item}."]
    texts += [f"The labels are read as {_SCALES[str(scale)]} ({scale} scale)."] if scale in _SCALES else []
    sets = sum(label.share for label in part.labels if SEPARATOR in label.label)
    several = f"{percent(sets)} of the ratings endorse several options at once (response sets)."
    return [*texts, several] if sets else texts


def labels_finding(labels: Sequence[LabelShare]) -> str:
    """Which label is the most common."""
    top = [label for label in labels if label.count and label.count == max(other.count for other in labels)]
    if not top:
        return "There are no ratings"
    names, are_many = listing([quoted(label.label) for label in top], most=3), len(top) > 1
    most = f"{names} are the most common labels" if are_many else f"The most common label is {names}"
    return f"{most}: {percent(top[0].share)} of the ratings{' each' * are_many}"


def labels_figure(result: DescribeResult) -> Figure:
    """The shares of the labels: a histogram of many numbers, else bars; the table has those within each group."""
    part = result.whole
    values = [value for value in (number(label.label) for label in part.labels) if value is not None]
    is_numeric = len(values) == len(part.labels) and result.settings.get("scale") == "interval"
    if is_numeric and len(values) > MOST_BARS:
        shares = [label.share for label in part.labels]
        rows: list[Row] = [{"value": v, "share": share} for v, share in zip(values, shares, strict=True)]
        title = f"The ratings lie between {min(values):g} and {max(values):g}"
        spec = histogram(rows)
    else:
        title = labels_finding(part.labels)
        spec = share_bars(_label_rows(part), names="Label", shares="Share of the ratings", counts="Ratings")
    table = _labels_table(result.groups or (part,))
    return Figure(title=title, caption="Shares add up to 100%.", spec=spec, table=table)


def _label_rows(part: Description) -> list[Row]:
    """A row for each label; where there are many, the less common ones together at the end."""
    is_long = len(part.labels) > MOST_BARS
    common = sorted(part.labels, key=lambda label: -label.count)[: MOST_BARS - 1] if is_long else part.labels
    names = short_names(label.label for label in common)
    rows: list[Row] = [{"name": names[own.label], "count": own.count, "share": own.share} for own in common]
    if is_long:
        rest = [label for label in part.labels if label not in common]
        sums = {"count": sum(label.count for label in rest), "share": sum(label.share for label in rest)}
        rows.append({"name": f"{len(rest)} others together", **sums})
    return rows


def _labels_table(parts: Sequence[Description]) -> Table:
    """Count and share of each label, in order; the most common ones first where there are many."""
    is_grouped = len(parts) > 1 or parts[0].group is not None
    rows: list[list[Cell]] = []
    for part in parts:
        is_long = len(part.labels) > MOST_BARS
        labels = sorted(part.labels, key=lambda label: -label.count) if is_long else part.labels
        group = [visible(part.group or "")] if is_grouped else []
        rows += [[*group, visible(label.label), label.count, label.share] for label in labels]
    columns = [*(["Group"] if is_grouped else []), "Label", "Ratings", "Share"]
    return Table(caption="How often each label was given", columns=columns, rows=rows, percent=frozenset({"Share"}))


# ---- How far raters agree

PAIRWISE = "pairwise_agreement"
_ALPHA = "Krippendorff's alpha"
_SET_DISTANCES = ("_jaccard", "_masi")
_COEFFICIENTS: Mapping[str, tuple[str, str]] = {
    PAIRWISE: ("Pairwise agreement", "how often two raters of an item agree, chance included"),
    "krippendorff_alpha_nominal": (f"{_ALPHA} (nominal)", "any two different labels disagree fully"),
    "krippendorff_alpha_ordinal": (f"{_ALPHA} (ordinal)", "labels further apart in the order disagree more"),
    "krippendorff_alpha_interval": (f"{_ALPHA} (interval)", "numbers disagree by the square of their distance"),
    "fleiss_kappa": ("Fleiss' kappa", "like nominal alpha, but every item counts the same"),
    "gwet_ac1": ("Gwet's AC1", "expects less agreement by chance where one label is very common"),
    "gwet_ac2": ("Gwet's AC2", "AC1 with part of the credit for labels that are close"),
    "krippendorff_alpha_jaccard": (f"{_ALPHA} (Jaccard)", "response sets agree by the share of options they share"),
    "krippendorff_alpha_masi": (f"{_ALPHA} (MASI)", "as Jaccard, less where neither set contains the other"),
}
"""The name of each coefficient, and what it counts."""


def coefficient_name(name: str) -> str:
    """What a coefficient is called in a sentence.

    >>> coefficient_name("gwet_ac1"), coefficient_name("some_new_measure")
    ("Gwet's AC1", 'Some new measure')
    """
    return _COEFFICIENTS[name][0] if name in _COEFFICIENTS else visible(name).replace("_", " ").capitalize()


def coefficient_heading(name: str) -> str:
    """What a coefficient is called above a column: `Alpha (nominal)`."""
    return coefficient_name(name).replace(_ALPHA, "Alpha")


def headline(coefficients: Sequence[Coefficient], scale: object = None) -> Coefficient | None:
    """The coefficient that sums up the others: alpha for response sets if there are any, else alpha for the scale."""
    by_name = {coefficient.name: coefficient for coefficient in coefficients}
    wanted = (by_name.get(f"krippendorff_alpha_{distance}") for distance in ("jaccard", scale, "nominal"))
    return next((one for one in wanted if one is not None), coefficients[0] if coefficients else None)


def counterpart(coefficients: Sequence[Coefficient], name: str) -> Coefficient | None:
    """The coefficient of that name among those of a group.

    A group that gave no response sets has no alpha for them; its nominal alpha is the same number, since sets of one
    option are either equal or have nothing in common.
    """
    by_name = {coefficient.name: coefficient for coefficient in coefficients}
    nominal = by_name.get("krippendorff_alpha_nominal") if name.endswith(_SET_DISTANCES) else None
    return by_name.get(name, nominal)


def agreement_in_short(part: Description, scale: object = None) -> str:
    """Do the raters agree, in one sentence: how often a pair does, and how much better than chance that is."""
    best, pairs = headline(part.coefficients, scale), part.pairwise_agreement
    digits = 0 if pairs.high - pairs.low >= WIDE else 1
    often = with_interval(pairs.value, pairs.low, pairs.high, form=lambda share: percent(share, digits))
    of_group = "" if part.group is None else f" of group {quoted(part.group)}"
    agree = f"Two raters{of_group} agree on an item {often.replace('%', '% of the time', 1)}"
    if not math.isfinite(pairs.value):
        return "How often two raters of an item agree is undefined here: the warnings say why."
    if best is None:
        return f"{agree}."
    name = coefficient_name(best.name)
    if not math.isfinite(best.value):
        return f"{agree}; {name} is undefined: the warnings say why."
    known = f"{name} is {with_interval(best.value, best.low, best.high)} (1 is perfect, 0 is chance)"
    if scale == "interval":  # two numbers on a measure are rarely the same
        return f"{known}; two raters give exactly the same number {often.replace('%', '% of the time', 1)}."
    return f"{agree}; {known}."


def _intervals(
    result: DescribeResult, coefficients: Mapping[str, Coefficient | None], what: str, names: str, table: Table
) -> Figure | Table:
    """A chart of the coefficients that are defined; the table if none is, or too many are."""
    known = {name: c for name, c in coefficients.items() if c is not None and math.isfinite(c.value)}
    if not known or len(known) > MOST_GROUPS:
        return table
    least, most = (decimal(pick(c.value for c in known.values())) for pick in (min, max))
    lines = f"Lines are {100 * setting(result.settings, 'confidence', 0.95):g}% intervals."
    return Figure(
        title=f"{what} is {least if least == most else f'between {least} and {most}'}",
        caption=sentences("0 is chance, 1 is perfect agreement.", lines if result.settings.get("bootstrap") else ""),
        spec=intervals(
            [interval_row(name, c.value, c.low, c.high) for name, c in known.items()],
            names=names,
            values=[CHANCE_TO_PERFECT],
            reference=0,
        ),
        table=table,
    )


def agreement_table(part: Description) -> Table:
    """The coefficients in numbers."""
    by_whom = "unnamed raters" if part.raters is None else counted(part.raters, "rater")
    every = (part.pairwise_agreement, *part.coefficients)
    return Table(
        caption=f"Agreement in {counted(part.ratings, 'rating')} of {counted(part.items, 'item')} by {by_whom}",
        columns=["Measure", "Value", "Low", "High"],
        rows=[[coefficient_name(c.name), c.value, c.low, c.high] for c in every],
        digits=2,
    )


def _meaning(result: DescribeResult) -> Points:
    """What each coefficient counts."""
    every = (result.whole.pairwise_agreement, *result.whole.coefficients)
    texts = [f"{coefficient_name(c.name)}: {_COEFFICIENTS[c.name][1]}." for c in every if c.name in _COEFFICIENTS]
    return Points(title="", texts=[*texts, *filter(None, [interval_sentence(result.settings)])])


def unanimity_finding(part: Description) -> str:
    """On how many items all raters agree."""
    items = sum(count for _, count in part.agreement_by_item)
    agreed = sum(count for share, count in part.agreement_by_item if share >= 1)
    which = "" if items == part.items else " with two or more ratings"
    return f"All raters agree on {percent(agreed / items, 0)} of the items{which}"


def agreement_by_item(part: Description) -> list[Figure]:
    """How many items have much or little agreement; nothing if no item has two ratings."""
    total = sum(items for _, items in part.agreement_by_item)
    if not total:
        return []
    rows = [(_share_name(share, part.agreement_step), items, items / total) for share, items in part.agreement_by_item]
    bars: list[Row] = [{"name": name, "count": count, "share": share} for name, count, share in reversed(rows)]
    table = Table(
        caption="Items by how many pairs of raters agree",
        columns=["Pairs that agree", "Items", "Share"],
        rows=rows,
        percent=frozenset({"Share"}),
    )
    figure = Figure(
        title=unanimity_finding(part),
        caption="For each item with two or more ratings: the share of pairs of its raters that gave the same label.",
        spec=share_bars(bars, names="Pairs of raters that agree", shares="Share of the items", counts="Items"),
        table=table,
        spark=f"least |{sparkline([items for _, items in part.agreement_by_item])}| all agree",
    )
    return [figure]


def _share_name(share: float, step: float) -> str:
    """A share of pairs that agree, or the bin that it begins."""
    if share >= 1:
        return "all agree"
    return f"{percent(share, 0)} to {percent(share + step, 0)}" if step else percent(share, 0) if share else "no pair"


# ---- Within which groups raters agree


def _groups(result: DescribeResult) -> list[Block]:
    """Agreement within each group; nothing without groups."""
    best = headline(result.whole.coefficients, result.settings.get("scale"))
    if not result.groups or best is None:
        return []
    names = short_names(part.group or "" for part in result.groups)
    by_group = {names[part.group or ""]: counterpart(part.coefficients, best.name) for part in result.groups}
    table = _groups_table([*result.groups, replace(result.whole, group=TOGETHER)], best.name)
    return [_intervals(result, by_group, f"{coefficient_name(best.name)} within groups", "Group", table)]


def _groups_table(groups: Sequence[Description], name: str) -> Table:
    rows: list[list[Cell]] = []
    for part in groups:
        known = counterpart(part.coefficients, name)
        values = [None] * 3 if known is None else [known.value, known.low, known.high]
        rows.append([visible(part.group or ""), part.items, part.ratings, part.pairwise_agreement.value, *values])
    return Table(
        caption="Agreement within each group",
        columns=["Group", "Items", "Ratings", "Pairs agree", coefficient_heading(name), "Low", "High"],
        rows=rows,
        digits=2,
        percent=frozenset({"Pairs agree"}),
    )
