"""What `describe` says: do the raters agree."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dissensus.data.labels import number
from dissensus.errors import DissensusError
from dissensus.methods.describe.result import Coefficient, DescribeResult, Description
from dissensus.report.document import Block, Cell, Figure, Fold, Note, Paragraph, Points, Section, Table
from dissensus.report.numbers import told_apart, visible
from dissensus.report.specs import Row, Spec, histogram, intervals, share_bars, share_dots
from dissensus.report.text import sparkline
from dissensus.report.views.agreement import (
    RULE_OF_THUMB,
    agreement_in_short,
    coefficient_heading,
    coefficient_name,
    coefficient_sentence,
    coefficients_finding,
    counterpart,
    groups_finding,
    headline,
    labels_finding,
    numbers_finding,
    response_sets_sentence,
    scale_sentence,
    shape_sentence,
    unanimity_finding,
    unused_labels_sentence,
)
from dissensus.report.views.intervals import interval_sentence
from dissensus.results import Result

MOST_BARS = 20
MOST_SERIES = 8
MOST_GROUPS = 30
BLOCKS = 40
AGREEMENT_STEPS = 10
CHANCE_TO_PERFECT = "0: chance, 1: perfect agreement"
_LABEL_WORDS = {"names": "Label", "shares": "Share of the ratings", "counts": "Ratings"}


def view(result: Result) -> Section:
    """How far the raters agree: coefficients, the spread over items, the labels, and each group."""
    if not isinstance(result, DescribeResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what describe found.")
    whole = result.whole
    return Section(
        title="Do the raters agree?",
        lead=agreement_in_short(whole, result.settings.get("scale")),
        blocks=[
            _shape(result),
            *_agreement(result),
            *([] if result.settings.get("scale") == "interval" else _agreement_by_item(whole)),
            *_labels(result),
            *_groups(result),
        ],
    )


def _shape(result: DescribeResult) -> Paragraph:
    whole = result.whole
    said = [
        shape_sentence(whole),
        scale_sentence(result.settings.get("scale")),
        response_sets_sentence(whole.labels),
        unused_labels_sentence(whole.labels),
    ]
    return Paragraph(text=" ".join(filter(None, said)))


def _agreement(result: DescribeResult) -> list[Block]:
    """The coefficients: a chart if any is defined, what each means, and a rule of thumb for alpha."""
    whole = result.whole
    measures = (whole.pairwise_agreement, *whole.coefficients)
    table = Table(
        caption="Agreement among all ratings",
        columns=["Measure", "Value", "Low", "High"],
        rows=[[coefficient_name(c.name), c.value, c.low, c.high] for c in measures],
    )
    defined = [c for c in whole.coefficients if math.isfinite(c.value)]
    blocks: list[Block] = [_coefficients_figure(defined, table, result.settings) if defined else table]
    meanings = [coefficient_sentence(c) for c in whole.coefficients]
    brackets = interval_sentence(result.settings)
    if meanings:
        said = Points(title="", texts=[*meanings, *([brackets] if brackets else [])])
        blocks.append(Fold(title="What the coefficients mean", parts=[said, Note(text=RULE_OF_THUMB, kind="hint")]))
    return blocks


def _coefficients_figure(defined: Sequence[Coefficient], table: Table, settings: Mapping[str, object]) -> Figure:
    lines = interval_sentence(settings, "Lines are")
    return Figure(
        title=coefficients_finding(defined),
        caption=f"Each coefficient corrects for chance in its own way. {lines}".strip(),
        spec=intervals(
            [_interval_row(coefficient_heading(c.name), c) for c in defined],
            names="Coefficient",
            values=[CHANCE_TO_PERFECT],
            reference=0,
        ),
        table=table,
    )


def _interval_row(name: str, coefficient: Coefficient) -> Row:
    low, high = (bound if math.isfinite(bound) else None for bound in (coefficient.low, coefficient.high))
    return {"name": name, "value": coefficient.value, "low": low, "high": high}


def _agreement_by_item(whole: Description) -> list[Block]:
    """How many items have much or little agreement; nothing if no item has two ratings."""
    counts = [0] * (AGREEMENT_STEPS + 1)
    for share, items in whole.agreement_by_item:
        # A hair above each edge, so that 3/5 computed as .6 - 1e-17 counts as 3/5; all agreeing is a step of its own.
        counts[min(int(share * AGREEMENT_STEPS + 1e-9), AGREEMENT_STEPS)] += items
    total = sum(counts)
    if not total:
        return []
    names = [f"{10 * i}% to {10 * i + 10}%" for i in range(AGREEMENT_STEPS)] + ["all agree"]
    rows = [(name, count, count / total) for name, count in zip(names, counts, strict=True)]
    spec = share_bars(
        [{"name": name, "count": count, "share": share} for name, count, share in reversed(rows)],
        names="Pairs of raters that agree",
        shares="Share of the items",
        counts="Items",
    )
    columns = ["Pairs that agree", "Items", "Share"]
    figure = Figure(
        title=unanimity_finding(whole),
        caption="For each item with two or more ratings: the share of pairs of its raters that gave the same label.",
        spec=spec,
        table=Table(
            caption="Items by how many pairs of raters agree", columns=columns, rows=rows, percent=frozenset({"Share"})
        ),
        spark=f"no pair agrees |{sparkline(counts)}| all agree",
    )
    return [figure]


def _labels(result: DescribeResult) -> list[Block]:
    """The shares of the labels: a histogram of many numbers, dots within a few groups, else bars."""
    whole = result.whole
    values = [value for value in (number(label.label) for label in whole.labels) if value is not None]
    is_numeric = len(values) == len(whole.labels) and result.settings.get("scale") == "interval"
    if is_numeric and len(values) > MOST_BARS:
        shares = [label.share for label in whole.labels]
        rows: list[Row] = [{"value": v, "share": share} for v, share in zip(values, shares, strict=True)]
        spec = histogram(rows, values="Label", shares="Share of the ratings")
        figure = _labels_figure(whole, (whole,), spec, spark=_spark_of_values(values, shares))
        return [replace(figure, title=numbers_finding(values, shares))]
    if 0 < len(result.groups) <= MOST_SERIES:
        spec = share_dots(_label_rows(whole, result.groups), series="Group", **_LABEL_WORDS)
        return [_labels_figure(whole, result.groups, spec)]
    spec = share_bars(_label_rows(whole, (whole,)), **_LABEL_WORDS)
    return [_labels_figure(whole, (whole,), spec)]


def _labels_figure(whole: Description, parts: Sequence[Description], spec: Spec, spark: str | None = None) -> Figure:
    within = " Shares within each group add up to 100%." if len(parts) > 1 else ""
    return Figure(
        title=labels_finding(whole.labels),
        caption=f"Every rating counts the same.{within}",
        spec=spec,
        table=_labels_table(parts),
        spark=spark,
    )


def _spark_of_values(values: Sequence[float], shares: Sequence[float]) -> str:
    """The shares between the lowest and the highest number, in equal steps."""
    low, high = min(values), max(values)
    heights = [0.0] * BLOCKS
    for value, share in zip(values, shares, strict=True):
        heights[min(int((value - low) / (high - low) * BLOCKS), BLOCKS - 1)] += share
    return f"{low:g} |{sparkline(heights)}| {high:g}"


def _label_rows(whole: Description, parts: Sequence[Description]) -> list[Row]:
    """A row for each label and part; where there are many labels, the less common ones together at the end."""
    common = sorted(whole.labels, key=lambda label: -label.count)[: MOST_BARS - 1]
    is_long = len(whole.labels) > MOST_BARS
    kept = {label.label for label in (common if is_long else whole.labels)}
    names = told_apart(label.label for label in whole.labels if label.label in kept)
    groups = told_apart(part.group or "" for part in parts)
    rows: list[Row] = []
    for part in parts:
        series = groups[part.group or ""]
        own = [label for label in part.labels if label.label in kept]
        rows += [
            {"name": names[label.label], "series": series, "count": label.count, "share": label.share} for label in own
        ]
        if is_long:
            rest = [label for label in part.labels if label.label not in kept]
            count, share = sum(label.count for label in rest), sum(label.share for label in rest)
            rows.append(
                {
                    "name": f"{len(whole.labels) - len(kept)} others together",
                    "series": series,
                    "count": count,
                    "share": share,
                }
            )
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


def _groups(result: DescribeResult) -> list[Block]:
    """Agreement within each group; nothing without groups."""
    best = headline(result.whole.coefficients, result.settings.get("scale"))
    if not result.groups or best is None:
        return []
    found = {part.group or "": counterpart(part.coefficients, best.name) for part in result.groups}
    known = {group: c for group, c in found.items() if c is not None and math.isfinite(c.value)}
    table = _groups_table(result.groups, best.name)
    if not known or len(known) > MOST_GROUPS:
        return [table]
    name = coefficient_name(best.name)
    lines = interval_sentence(result.settings, "Lines are")
    names = told_apart(known)
    figure = Figure(
        title=groups_finding(best.name, {group: c.value for group, c in known.items()}),
        caption=f"{name} among the ratings of each group. {lines}".strip(),
        spec=intervals(
            [_interval_row(names[group], c) for group, c in known.items()],
            names="Group",
            values=[name, CHANCE_TO_PERFECT],
            reference=0,
        ),
        table=table,
    )
    return [figure]


def _groups_table(groups: Sequence[Description], name: str) -> Table:
    rows: list[list[Cell]] = []
    for part in groups:
        found = counterpart(part.coefficients, name)
        values = [None] * 3 if found is None else [found.value, found.low, found.high]
        rows.append([visible(part.group or ""), part.items, part.ratings, part.pairwise_agreement.value, *values])
    return Table(
        caption="Agreement within each group",
        columns=["Group", "Items", "Ratings", "Pairs agree", coefficient_heading(name), "Low", "High"],
        rows=rows,
        percent=frozenset({"Pairs agree"}),
    )
