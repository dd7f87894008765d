"""What `history` says: is each judge still as good, what changed, and did people change?"""

import math
from collections.abc import Sequence

from dissensus.methods.equivalence.result import worth_decimals
from dissensus.methods.history.history import HistoryResult, Point, Series
from dissensus.report.document import Block, Cell, Figure, Fold, Points, Section, Table
from dissensus.report.numbers import counted, decimal, listing, percent, quoted, short_names, with_interval
from dissensus.report.specs.lines import LineChart, line_chart, line_row
from dissensus.report.specs.shapes import Row
from dissensus.report.views.section import how_computed, noted

LONGEST = 24
MOST_LINES = 4
MOST_SHOWN = 8
"""More series than that are folded."""
RULE = "A change is real where its interval, which allows for all runs of a series, excludes 0."
PAIRED = "The last runs are compared with those since the last real change, on items that both have where they can be."
BITS = "Bits: how much better the judge's answers, in people's terms, predict the next person than asking nobody does."


def view(result: HistoryResult) -> Section:
    """The answer, each series at its last run, the chart, and all runs."""
    judges = [own for own in result.series if own.kind == "judge"]
    blocks: list[Block] = [_latest(result), *_notes(result)]
    blocks += [_figure(judges)] if any(len(own.points) > 1 for own in judges) else []
    blocks.append(Fold(title="All runs", parts=[_runs(own) for own in result.series]))
    blocks.append(how_computed([BITS, PAIRED, RULE]))
    return Section(title="Is the judge still as good?", lead=lead_sentence(result), blocks=blocks)


def lead_sentence(result: HistoryResult) -> str:
    """Which judges changed last, or that none did."""
    judges = [own for own in result.series if own.kind == "judge"]
    if all(len(own.points) <= 1 for own in judges):
        return f"{counted(result.runs, 'run')} so far: a change needs two runs of one judge."
    changed = [own for own in judges if own.changes]
    if not changed:
        names = listing([quoted(own.name) for own in judges], most=3)
        return f"No real change of {names} in {counted(result.runs, 'run')}."
    texts = [f"{quoted(own.name)} became {_way(own.changes[-1])} with run {own.changes[-1].run}" for own in changed]
    return f"{listing(texts, most=3)}."


def _way(point: Point) -> str:
    return "better" if point.difference > 0 else "worse"


def _notes(result: HistoryResult) -> list[Points]:
    """What changed of people."""
    changed = [own for own in result.series if own.kind == "people" and own.changes]
    if not changed:
        return []
    parts = [f"{own.name} ({_change(own.changes[-1], own)}, run {own.changes[-1].run})" for own in changed]
    text = f"People changed as well: {listing(parts, most=3)}. Rate the same items again before you blame the judge."
    return noted([text])


def _latest(result: HistoryResult) -> Table:
    """Each judge and people at their last run."""
    names = short_names([own.name for own in result.series], LONGEST, has_end=True)
    rows = []
    for own in result.series[:MOST_SHOWN]:
        last = own.points[-1]
        changes = listing([f"{_change(point, own)} at {point.run}" for point in own.changes], most=2) or "none"
        rows.append([names[own.name], _worth(last), _value(last, own), changes])
    return Table(
        caption="The last run of each; a judge in bits over asking nobody, people in shares",
        columns=["Series", "Worth in raters", "Value", "Real changes"],
        rows=rows,
    )


def _value(point: Point, series: Series) -> str:
    form = decimal if series.kind == "judge" else percent
    return with_interval(point.value, point.low, point.high, form=form) if math.isfinite(point.value) else "-"


def _worth(point: Point) -> str:
    if math.isfinite(point.worth):
        digits = worth_decimals(point.worth, point.worth_low, point.worth_high)
        ends = (point.worth_low, "<0"), (point.worth_high, "more")  # one alone that is missing is off the curve
        low, high = (decimal(end, digits) if math.isfinite(end) else beyond for end, beyond in ends)
        interval = "" if (low, high) == ("<0", "more") else f" [{low}, {high}]"
        return f"{decimal(point.worth, digits)}{interval}"
    return point.worth_verdict or "-"


def _change(point: Point, series: Series) -> str:
    return f"{point.difference:+.2f}" if series.kind == "judge" else f"{100 * point.difference:+.1f} points"


def _runs(series: Series) -> Table:
    rows: list[list[Cell]] = []
    for point in series.points:
        form = decimal if series.kind == "judge" else percent
        change = with_interval(point.difference, point.difference_low, point.difference_high, form=form)
        told = f"{change}{' real' if point.changed else ''}" if math.isfinite(point.difference) else "-"
        how = "-" if not point.shared else f"{point.shared}{'' if point.paired else ' (other items)'}"
        rows.append([point.run, point.at, _worth(point), _value(point, series), told, how, point.verdict or "-"])
    question = "" if series.question is None else f", {series.question}"
    return Table(
        caption=f"{short_names([series.name], 60)[series.name]}{question}",
        columns=["Run", "At", "Worth", "Value", "Change", "Items", "Gate"],
        rows=rows,
    )


def _figure(judges: Sequence[Series]) -> Figure:
    shown = judges[:MOST_LINES]
    names = short_names([own.name for own in shown], LONGEST)
    rows = [
        line_row(names[own.name], place, point.value, low=point.low, high=point.high, is_main=own is shown[0])
        for own in shown
        for place, point in enumerate(own.points, start=1)
    ]
    turns: list[Row] = [
        {"x": place, "text": f"{names[own.name]} {_way(point)}"}
        for own in shown
        for place, point in enumerate(own.points, start=1)
        if point.changed
    ]
    chart = LineChart(
        rows=rows, series="Judge", x_title="Run of the judge", y_title="Bits over asking nobody", x_form="d",
        y_form=".2f", tip_form=".3f", turns=turns,
    )  # fmt: skip
    return Figure(
        title="Each judge, run by run",
        caption="The band is the 95% interval of the first judge; a mark is a real change.",
        spec=line_chart(chart),
        table=_runs(shown[0]),
    )
