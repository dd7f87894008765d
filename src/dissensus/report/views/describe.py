"""What `describe` says: do the raters agree."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from dissensus.data.labels import SEPARATOR, number
from dissensus.errors import DissensusError
from dissensus.methods.describe.result import Coefficient, DescribeResult, Description, LabelShare
from dissensus.report.document import Block, Cell, Figure, Fold, Note, Paragraph, Points, Section, Table
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
from dissensus.report.specs import Row, Spec, histogram, interval_row, intervals, share_bars, share_dots
from dissensus.report.text import sparkline
from dissensus.report.views.section import interval_sentence
from dissensus.results import Result

MOST_BARS = 20
MOST_SERIES = 8
MOST_GROUPS = 30
BLOCKS = 40
AGREEMENT_STEPS = 10
CHANCE_TO_PERFECT = "0: chance, 1: perfect agreement"
_LABEL_WORDS = {"names": "Label", "shares": "Share of the ratings", "counts": "Ratings"}
RULE_OF_THUMB = (
    "A common rule of thumb is Krippendorff's (Content Analysis, 2004): rely on ratings with an alpha of 0.8 or more, "
    "draw only tentative conclusions from 0.667 to 0.8. It is a convention, not a law: where people truly see things "
    "differently, a low alpha is a finding."
)


def view(result: Result) -> Section:
    """How far the raters agree: coefficients, the spread over items, the labels, and each group."""
    if not isinstance(result, DescribeResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what describe found.")
    part, scale = result.whole, result.settings.get("scale")
    shape = sentences(
        shape_sentence(part),
        scale_sentence(scale),
        response_sets_sentence(part.labels),
        unused_labels_sentence(part.labels),
    )
    return Section(
        title="Do the raters agree?",
        lead=agreement_in_short(part, scale),
        blocks=[
            Paragraph(text=shape),
            *_agreement(result),
            *([] if scale == "interval" else _agreement_by_item(part)),
            *_labels(result),
            *_groups(result),
        ],
    )


# ---- What the ratings are: how many, on which scale, with which labels

QUARTILES = (0.25 - 1e-9, 0.75 - 1e-9)
"""A hair below, so that shares that add up to a quarter but for rounding reach it."""
_SCALES = {
    "nominal": "The labels are read as names without an order (nominal scale).",
    "ordinal": "The labels are read as steps in an order, with no distances between them (ordinal scale).",
    "interval": "The labels are read as numbers with distances between them (interval scale).",
}


def shape_sentence(part: Description) -> str:
    """How many items, raters and ratings there are, and how they are spread."""
    whose = "" if part.group is None else f" of group {quoted(part.group)}"
    items, ratings = counted(part.items, "item"), counted(part.ratings, "rating")
    text = f"{items} {'has' if part.items == 1 else 'have'} {ratings}{whose}; the data do not say who gave them."
    if part.raters is not None:
        text = f"{counted(part.raters, 'rater')}{whose} gave {ratings} to {items}."
    return f"{text} {ratings_per_item_sentence(part.fewest, part.median, part.most)}"


def ratings_per_item_sentence(fewest: int, median: float, most: int) -> str:
    """How many ratings an item has.

    Examples
    --------
    >>> ratings_per_item_sentence(10, 10.0, 10)
    'Every item has 10 ratings.'
    >>> ratings_per_item_sentence(1, 4.5, 12)
    'An item has 1 to 12 ratings (median 4.5).'
    """
    if fewest == most:
        return f"Every item has {counted(most, 'rating')}."
    return f"An item has {whole(fewest)} to {counted(most, 'rating')} (median {whole(median)})."


def scale_sentence(scale: object) -> str:
    """How the labels were read."""
    return _SCALES.get(str(scale), "")


def labels_finding(labels: Sequence[LabelShare]) -> str:
    """Which label is the most common."""
    used = [label for label in labels if label.count]
    if not used:
        return "There are no ratings"
    if len(used) == 1:
        return f"Every rating says {quoted(used[0].label)}"
    top = [label for label in used if label.count == max(other.count for other in used)]
    share = percent(top[0].share)
    if len(top) == 1:
        return f"The most common label is {quoted(top[0].label)}: {share} of the ratings"
    if len(top) > 3:  # noqa: PLR2004 - more names would bury the finding
        return f"{len(top)} labels are the most common ones: {share} of the ratings each"
    return f"{listing([quoted(label.label) for label in top])} are the most common labels: {share} of the ratings each"


def numbers_finding(values: Sequence[float], shares: Sequence[float]) -> str:
    """Between which numbers the middle half of the ratings lies.

    Examples
    --------
    >>> numbers_finding([1.5, 2, 4, 9], [0.2, 0.3, 0.3, 0.2])
    'Half of the ratings lie between 2 and 4'
    """
    ordered = sorted(zip(values, shares, strict=True))
    reached = list(zip((v for v, _ in ordered), accumulate(share for _, share in ordered), strict=True))
    low, high = (next((v for v, r in reached if r >= q), ordered[-1][0]) for q in QUARTILES)
    return f"Half of the ratings lie between {low:g} and {high:g}"


def unused_labels_sentence(labels: Sequence[LabelShare], most: int = 5) -> str:
    """Which labels nobody gave; empty if all were."""
    unused = [quoted(label.label) for label in labels if not label.count]
    return f"Nobody gave {listing(unused, most=most)}." if unused else ""


def response_sets_sentence(labels: Sequence[LabelShare]) -> str:
    """How many ratings endorse several options at once; empty if none does."""
    sets = [label for label in labels if SEPARATOR in label.label and label.count]
    if not sets:
        return ""
    largest = max(sets, key=lambda label: label.count)
    share = percent(sum(label.share for label in sets))
    return (
        f"{share} of the ratings endorse several options at once (a response set); "
        f"the most common one is {quoted(largest.label)}."
    )


def _labels(result: DescribeResult) -> list[Block]:
    """The shares of the labels: a histogram of many numbers, dots within a few groups, else bars."""
    part = result.whole
    values = [value for value in (number(label.label) for label in part.labels) if value is not None]
    is_numeric = len(values) == len(part.labels) and result.settings.get("scale") == "interval"
    if is_numeric and len(values) > MOST_BARS:
        shares = [label.share for label in part.labels]
        rows: list[Row] = [{"value": v, "share": share} for v, share in zip(values, shares, strict=True)]
        spec = histogram(rows, values="Label", shares="Share of the ratings")
        figure = _labels_figure(part, (part,), spec)
        return [replace(figure, title=numbers_finding(values, shares), spark=_spark_of_values(values, shares))]
    if 0 < len(result.groups) <= MOST_SERIES:
        spec = share_dots(_label_rows(part, result.groups), series="Group", **_LABEL_WORDS)
        return [_labels_figure(part, result.groups, spec)]
    return [_labels_figure(part, (part,), share_bars(_label_rows(part, (part,)), **_LABEL_WORDS))]


def _labels_figure(part: Description, parts: Sequence[Description], spec: Spec) -> Figure:
    within = "Shares within each group add up to 100%." if len(parts) > 1 else ""
    caption = sentences("Every rating counts the same.", within)
    return Figure(title=labels_finding(part.labels), caption=caption, spec=spec, table=_labels_table(parts))


def _spark_of_values(values: Sequence[float], shares: Sequence[float]) -> str:
    """The shares between the lowest and the highest number, in equal steps."""
    low, high = min(values), max(values)
    heights = [0.0] * BLOCKS
    for value, share in zip(values, shares, strict=True):
        heights[min(int((value - low) / (high - low) * BLOCKS), BLOCKS - 1)] += share
    return f"{low:g} |{sparkline(heights)}| {high:g}"


def _label_rows(total: Description, parts: Sequence[Description]) -> list[Row]:
    """A row for each label and part; where there are many labels, the less common ones together at the end."""
    is_long = len(total.labels) > MOST_BARS
    common = sorted(total.labels, key=lambda label: -label.count)[: MOST_BARS - 1] if is_long else total.labels
    kept = {label.label for label in common}
    names = short_names(label.label for label in total.labels if label.label in kept)
    groups = short_names(part.group or "" for part in parts)
    rows: list[Row] = []
    for part in parts:
        series = {"series": groups[part.group or ""]}
        shown = [label for label in part.labels if label.label in kept]
        rows += [{"name": names[label.label], **series, "count": label.count, "share": label.share} for label in shown]
        if is_long:
            rest = [label for label in part.labels if label.label not in kept]
            sums = {"count": sum(label.count for label in rest), "share": sum(label.share for label in rest)}
            rows.append({"name": f"{len(total.labels) - len(kept)} others together", **series, **sums})
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


# ---- What a coefficient of agreement says

PAIRWISE = "pairwise_agreement"
_ALPHA = "Krippendorff's alpha"
_SET_DISTANCES = ("_jaccard", "_masi")
_COEFFICIENTS: Mapping[str, tuple[str, str]] = {
    PAIRWISE: ("Pairwise agreement", "Chance is not taken into account."),
    "krippendorff_alpha_nominal": (
        f"{_ALPHA} (nominal)",
        "Two different labels count as a full disagreement, whichever they are.",
    ),
    "krippendorff_alpha_ordinal": (
        f"{_ALPHA} (ordinal)",
        "Labels further apart in the order count as a larger disagreement.",
    ),
    "krippendorff_alpha_interval": (
        f"{_ALPHA} (interval)",
        "A disagreement counts by the square of the distance between the numbers.",
    ),
    "fleiss_kappa": (
        "Fleiss' kappa",
        "It is close to nominal alpha, but every item counts the same, however many ratings it has.",
    ),
    "gwet_ac1": (
        "Gwet's AC1",
        "It expects less agreement by chance when one label is very common, where alpha and kappa can be near 0.",
    ),
    "gwet_ac2": ("Gwet's AC2", "It is AC1 with part of the credit for labels that are close."),
    "krippendorff_alpha_jaccard": (
        f"{_ALPHA} (Jaccard)",
        "Response sets agree by the share of their options that they have in common.",
    ),
    "krippendorff_alpha_masi": (
        f"{_ALPHA} (MASI)",
        "Response sets agree by the options they share, less if they differ, least if neither contains the other.",
    ),
}
"""The name of each coefficient, and what it counts."""


def coefficient_name(name: str) -> str:
    """What a coefficient is called in a sentence.

    Examples
    --------
    >>> coefficient_name("gwet_ac1"), coefficient_name("some_new_measure")
    ("Gwet's AC1", 'Some new measure')
    """
    return _COEFFICIENTS[name][0] if name in _COEFFICIENTS else visible(name).replace("_", " ").capitalize()


def coefficient_heading(name: str) -> str:
    """What a coefficient is called above a column.

    Examples
    --------
    >>> coefficient_heading("krippendorff_alpha_nominal")
    'Alpha (nominal)'
    """
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


def interval_of(coefficient: Coefficient) -> str:
    """A coefficient's value and interval, in its own unit."""
    form = percent if coefficient.name == PAIRWISE else decimal
    return with_interval(coefficient.value, coefficient.low, coefficient.high, form=form)


def agreement_in_short(part: Description, scale: object = None) -> str:
    """Do the raters agree, in one sentence: how often a pair does, and how much better than chance that is."""
    best = headline(part.coefficients, scale)
    pairs = pairwise_clause(part.pairwise_agreement, group=part.group)
    if best is None or not (math.isfinite(best.value) or math.isfinite(part.pairwise_agreement.value)):
        return f"{pairs}."
    if not math.isfinite(best.value):
        return f"{pairs}; {_says(best)}."
    known = f"{_says(best)}, where 1 is perfect agreement and 0 is what chance would bring"
    if scale != "interval":
        return f"{pairs}; {known}."
    # Two numbers on a measure are seldom the same, so that it says little how often they are.
    return f"{known}; {interval_of(part.pairwise_agreement)} of the pairs of raters gave exactly the same number."


def pairwise_clause(agreement: Coefficient, *, group: str | None = None) -> str:
    """How often two raters agree, without a full stop.

    Examples
    --------
    >>> pairwise_clause(Coefficient(name="pairwise_agreement", value=0.588, low=0.561, high=0.614))
    'Two raters of the same item give the same label 58.8% of the time [56.1%, 61.4%]'
    """
    subject = "Two raters" if group is None else f"Within group {quoted(group)}, two raters"
    if not math.isfinite(agreement.value):
        return "How often two raters of the same item agree is undefined here (the warnings say why)"
    value, _, bounds = interval_of(agreement).partition(" ")
    return f"{subject} of the same item give the same label {value} of the time{' ' + bounds if bounds else ''}"


def coefficient_sentence(coefficient: Coefficient) -> str:
    """What a coefficient's value means.

    Examples
    --------
    >>> print(coefficient_sentence(Coefficient(name="krippendorff_alpha_nominal", value=0.13, low=0.10, high=0.16)))
    Krippendorff's alpha (nominal) is 0.13 [0.10, 0.16]: the raters disagree 13% less than chance would make them.
    Two different labels count as a full disagreement, whichever they are.
    """
    if coefficient.name == PAIRWISE:
        return f"{pairwise_clause(coefficient)}."
    if not math.isfinite(coefficient.value):
        return f"{_says(coefficient)}."
    _, counts = _COEFFICIENTS.get(coefficient.name, ("", ""))
    return sentences(f"{_says(coefficient)}: {_against_chance(coefficient.value)}.", counts)


def coefficients_finding(coefficients: Sequence[Coefficient]) -> str:
    """How much agreement is left when chance is taken off, over coefficients that are defined."""
    low, high = (decimal(pick(c.value for c in coefficients)) for pick in (min, max))
    if len(coefficients) == 1:
        return f"Corrected for chance, agreement is {low}"
    if low == high:
        return f"Corrected for chance, agreement is {low} by every coefficient"
    return f"Corrected for chance, agreement is between {low} and {high}, depending on the coefficient"


def _says(coefficient: Coefficient) -> str:
    name = coefficient_name(coefficient.name)
    if not math.isfinite(coefficient.value):
        return f"{name} is undefined here (the warnings say why)"
    return f"{name} is {interval_of(coefficient)}"


def _against_chance(value: float) -> str:
    """The value as what it is by definition: 1 minus the ratio of observed to expected disagreement."""
    if value == 1:
        return "the raters never disagree"
    size = percent(abs(value), 0)
    if size == "<1%" or value == 0:
        return "the raters disagree as much as chance would make them"
    return f"the raters disagree {size} {'less' if value > 0 else 'more'} than chance would make them"


def _agreement(result: DescribeResult) -> list[Block]:
    """The coefficients: a chart if any is defined, what each means, and a rule of thumb for alpha."""
    part = result.whole
    table = Table(
        caption="Agreement among all ratings",
        columns=["Measure", "Value", "Low", "High"],
        rows=[
            [coefficient_name(c.name), c.value, c.low, c.high] for c in (part.pairwise_agreement, *part.coefficients)
        ],
    )
    defined = {coefficient_heading(c.name): c for c in part.coefficients if math.isfinite(c.value)}
    blocks: list[Block] = [table]
    if defined:
        lines = interval_sentence(result.settings, "Lines are")
        spec = intervals(_interval_rows(defined), names="Coefficient", values=[CHANCE_TO_PERFECT], reference=0)
        caption = sentences("Each coefficient corrects for chance in its own way.", lines)
        title = coefficients_finding(list(defined.values()))
        blocks = [Figure(title=title, caption=caption, spec=spec, table=table)]
    texts = [*(coefficient_sentence(c) for c in part.coefficients), interval_sentence(result.settings)]
    if part.coefficients:
        points = Points(title="", texts=[text for text in texts if text])
        blocks.append(Fold(title="What the coefficients mean", parts=[points, Note(text=RULE_OF_THUMB, kind="hint")]))
    return blocks


def _interval_rows(coefficients: Mapping[str, Coefficient]) -> list[Row]:
    return [interval_row(name, c.value, c.low, c.high) for name, c in coefficients.items()]


# ---- On how many items raters agree, and within which groups


def unanimity_finding(part: Description) -> str:
    """On how many items all raters agree."""
    items = sum(count for _, count in part.agreement_by_item)
    agreed = sum(count for share, count in part.agreement_by_item if share >= 1)
    if not items:
        return "No item has two ratings"
    if not agreed:
        return "There is no item on which all raters agree"
    if agreed == items:
        return "All raters agree on every item"
    which = "" if items == part.items else " with two or more ratings"
    return f"All raters agree on {percent(agreed / items)} of the items{which}"


def _agreement_by_item(part: Description) -> list[Block]:
    """How many items have much or little agreement; nothing if no item has two ratings."""
    counts = [0] * (AGREEMENT_STEPS + 1)
    for share, items in part.agreement_by_item:
        # A hair above each edge, so that 3/5 computed as .6 - 1e-17 counts as 3/5; all agreeing is a step of its own.
        counts[min(int(share * AGREEMENT_STEPS + 1e-9), AGREEMENT_STEPS)] += items
    total = sum(counts)
    if not total:
        return []
    names = [f"{10 * i}% to {10 * i + 10}%" for i in range(AGREEMENT_STEPS)] + ["all agree"]
    rows = [(name, count, count / total) for name, count in zip(names, counts, strict=True)]
    bars: list[Row] = [{"name": name, "count": count, "share": share} for name, count, share in reversed(rows)]
    words = {"names": "Pairs of raters that agree", "shares": "Share of the items", "counts": "Items"}
    table = Table(
        caption="Items by how many pairs of raters agree",
        columns=["Pairs that agree", "Items", "Share"],
        rows=rows,
        percent=frozenset({"Share"}),
    )
    figure = Figure(
        title=unanimity_finding(part),
        caption="For each item with two or more ratings: the share of pairs of its raters that gave the same label.",
        spec=share_bars(bars, **words),
        table=table,
        spark=f"no pair agrees |{sparkline(counts)}| all agree",
    )
    return [figure]


def groups_finding(name: str, values: Mapping[str, float]) -> str:
    """In which groups the raters agree least and most.

    Parameters
    ----------
    name : str
        The coefficient.
    values : mapping from str to float
        Its value within each group where it is defined; at least one.

    Examples
    --------
    >>> print(groups_finding("fleiss_kappa", {"crowd": 0.2, "experts": 0.5, "students": 0.3}))
    Fleiss' kappa ranges from 0.20 within "crowd" to 0.50 within "experts"
    """
    low, high = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    least, most = (f"{decimal(values[group])} within {quoted(group)}" for group in (low, high))
    if len(values) == 1:
        return f"{coefficient_name(name)} is {least}"
    if decimal(values[low]) == decimal(values[high]):
        return f"{coefficient_name(name)} is {decimal(values[low])} within every group"
    return f"{coefficient_name(name)} ranges from {least} to {most}"


def _groups(result: DescribeResult) -> list[Block]:
    """Agreement within each group; nothing without groups."""
    best = headline(result.whole.coefficients, result.settings.get("scale"))
    if not result.groups or best is None:
        return []
    by_group = {part.group or "": counterpart(part.coefficients, best.name) for part in result.groups}
    known = {group: c for group, c in by_group.items() if c is not None and math.isfinite(c.value)}
    table = _groups_table(result.groups, best.name)
    if not known or len(known) > MOST_GROUPS:
        return [table]
    name, names = coefficient_name(best.name), short_names(known)
    rows = _interval_rows({names[group]: c for group, c in known.items()})
    lines = interval_sentence(result.settings, "Lines are")
    figure = Figure(
        title=groups_finding(best.name, {group: c.value for group, c in known.items()}),
        caption=sentences(f"{name} among the ratings of each group.", lines),
        spec=intervals(rows, names="Group", values=[name, CHANCE_TO_PERFECT], reference=0),
        table=table,
    )
    return [figure]


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
        percent=frozenset({"Pairs agree"}),
    )
