"""The charts of the sweep: what would follow if forced choices hid positive options."""

import math
from collections.abc import Sequence

from dissensus.methods.judges.result import JudgesResult, Sensitivity
from dissensus.report.document import Cell, Figure, Paragraph, Part, Points, Table
from dissensus.report.numbers import counted, decimal, percent, quoted
from dissensus.report.specs import LineChart, Row, line_chart
from dissensus.report.text import sparkline
from dissensus.report.views.judge_choice import (
    Choice,
    name_of,
    own_beta_sentence,
    prevalence_finding,
    selection_flips,
    sweep_finding,
    sweep_meaning,
)
from dissensus.report.views.judge_decisions import AS_PEOPLE, CONSTANT_NAMES, left_out
from dissensus.report.views.judge_ranks import drawn_judges, judge_names

BETA = "Beta: share of hidden positives"
MOST_FLIPS = 5


def sweep_parts(result: JudgesResult, choice: Choice) -> list[Part]:
    """What would follow if forced choices hid positive options."""
    rows = [row for row in result.sensitivity if math.isclose(row.tau, choice.tau)]
    own = [own_beta_sentence(beta) for beta in result.own_beta]
    hints: list[Part] = (
        [Points(title="The judges' own beta, which hints at what is plausible", texts=own)] if own else []
    )
    if len(rows) < 2:  # noqa: PLR2004 - one point is no sweep
        return hints
    said = [sweep_meaning(result.settings), *(_selections(result, choice) if len(choice.ranked) > 1 else [])]
    return [Paragraph(text=" ".join(said)), _sweep(result, choice, rows), _prevalence(result, rows), *hints]


def _selections(result: JudgesResult, choice: Choice) -> list[str]:
    flips = selection_flips(result, choice.tau)
    if not flips:
        return ["No definition would select another judge."]
    first = {flip.definition: flip for flip in reversed(flips)}  # the lowest beta of each definition
    shown = [
        f"{name_of(result.definition(str(id_)))} from {decimal(flip.beta_to)} on {quoted(str(flip.judge_to))}"
        for id_, flip in sorted(first.items(), key=lambda pair: pair[1].beta_to)[:MOST_FLIPS]
    ]
    more = f"; {counted(len(first) - len(shown), 'more definition')} too" if len(first) > len(shown) else ""
    return [f"Definitions that would select another judge: {'; '.join(shown)}{more}."]


def _sweep(result: JudgesResult, choice: Choice, points: Sequence[Sensitivity]) -> Figure:
    names, drawn = judge_names(choice), drawn_judges(choice)
    rows: list[Row] = [
        {
            "series": names[judge],
            "x": point.beta,
            "y": point.consistency[judge],
            "low": None,
            "high": None,
            "is_main": judge == drawn[0],
        }
        for judge in drawn
        for point in points
    ]
    flips = [flip for flip in result.flip_points if flip.definition is None and math.isclose(flip.tau, choice.tau)]
    turns: list[Row] = [{"x": flip.beta_to, "text": names.get(str(flip.judge_to), "")} for flip in flips]
    best = points[0].best
    chart = LineChart(
        rows=rows, constants=_swept_constants(points), turns=turns, series="Judge", x_title=BETA, y_title=AS_PEOPLE
    )
    caption = (
        f"At tau {choice.tau:g}. Dashed: a constant that decides all items alike, without looking. "
        f"{'Dotted down the chart: another judge becomes the most consistent. ' if turns else ''}{left_out(choice)}"
    )
    return Figure(
        title=sweep_finding(points, flips),
        caption=caption.strip(),
        spec=line_chart(chart),
        table=_sweep_table(points, names),
        spark=f"{quoted(best)} |{sparkline([point.consistency[best] for point in points])}| "
        f"beta {points[0].beta:g} to {points[-1].beta:g}",
    )


def _swept_constants(points: Sequence[Sensitivity]) -> list[Row]:
    """What the constants reach: who calls every item positive is right on those that people call so."""
    positive, negative = CONSTANT_NAMES.values()
    rows: list[Row] = []
    for point in points:
        rows.append({"name": positive, "x": point.beta, "y": point.prevalence, "is_rising": True})
        rows.append({"name": negative, "x": point.beta, "y": 1 - point.prevalence, "is_rising": False})
    return rows


def _sweep_table(points: Sequence[Sensitivity], names: dict[str, str]) -> Table:
    rows: list[list[Cell]] = [
        [point.beta, point.prevalence, names.get(point.best, point.best), point.consistency[point.best]]
        for point in points
    ]
    return Table(
        caption="Who decides most like people at each beta",
        columns=["Beta", "Positive items", "Best judge", "Alike"],
        rows=rows,
        digits=2,
        percent=frozenset({"Positive items", "Alike"}),
    )


def _prevalence(result: JudgesResult, points: Sequence[Sensitivity]) -> Figure:
    rows: list[Row] = [
        {
            "series": f"tau {row.tau:g}",
            "x": row.beta,
            "y": row.prevalence,
            "low": None,
            "high": None,
            "is_main": row.tau == points[0].tau,
        }
        for row in sorted(result.sensitivity, key=lambda row: (row.tau, row.beta))
    ]
    chart = LineChart(rows=rows, series="Threshold", x_title=BETA, y_title="Items that people call positive")
    table: list[list[Cell]] = [[row["x"], row["series"], row["y"]] for row in rows]
    return Figure(
        title=prevalence_finding(points),
        caption="People's response sets are derived from their forced choices and beta; an item is positive where at "
        "least a share tau of them endorse a positive option.",
        spec=line_chart(chart),
        table=Table(
            caption="Prevalence over beta",
            columns=["Beta", "Threshold", "Positive items"],
            rows=table,
            digits=2,
            percent=frozenset({"Positive items"}),
        ),
        spark=f"positive items |{sparkline([point.prevalence for point in points])}| "
        f"{percent(points[0].prevalence)} to {percent(points[-1].prevalence)}",
    )
