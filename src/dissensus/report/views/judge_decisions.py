"""The charts of decisions: how often judges decide as people do, over the threshold."""

import math
from collections.abc import Callable, Sequence

from dissensus.methods.judges.result import ALWAYS_NEGATIVE, BASELINES, Downstream, JudgesResult
from dissensus.report.document import Block, Cell, Figure, Note, Paragraph, Table
from dissensus.report.numbers import percent, quoted
from dissensus.report.specs import LineChart, Row, Spec, intervals, line_chart
from dissensus.report.text import sparkline
from dissensus.report.views.intervals import interval_sentence
from dissensus.report.views.judge_choice import (
    Choice,
    below_constant,
    best_constant,
    bias_finding,
    consistency_finding,
    consistency_sentence,
    decision_meaning,
    elsewhere_sentence,
)
from dissensus.report.views.judge_ranks import drawn_judges, judge_names, left_out_sentence

TAU = "Tau: share needed to be positive"
AS_PEOPLE = "Items decided as people do"
NO_DECISIONS = (
    "Name the options that count as positive (--positive LABEL, or positive in the task) to see what follows from each "
    "judge's decisions, beside always saying yes and always no."
)
CONSTANT_NAMES = dict(zip(BASELINES, ("always positive", "always negative"), strict=True))


def decision_blocks(result: JudgesResult, choice: Choice) -> list[Block]:
    """Decisions beside those of people and beside the constants; a hint where no option is positive and no warning."""
    if not result.downstream:
        return [] if result.warnings else [Note(text=NO_DECISIONS, kind="hint")]
    taus = list(dict.fromkeys(row.tau for row in result.downstream))
    here = list(choice.downstream.values())
    said = [decision_meaning(result.settings, choice.tau)]
    if choice.picked is not None and choice.picked.judge in choice.downstream:
        said.append(consistency_sentence(choice.downstream[choice.picked.judge]))
    beaten = " ".join(filter(None, [below_constant(here), elsewhere_sentence(result.downstream, choice.tau)]))
    warnings = [Note(text=beaten)] if beaten else []
    figures = [_consistency(result, choice, here)]
    if len(taus) > 1:
        figures.append(_bias(result, choice, here))
    return [Paragraph(text=" ".join(said)), *warnings, *figures]


def _consistency(result: JudgesResult, choice: Choice, here: Sequence[Downstream]) -> Figure:
    judged = [row for row in here if row.judge not in BASELINES]
    best, constant = max(judged, key=lambda row: row.consistency), best_constant(here)
    taus = list(dict.fromkeys(row.tau for row in result.downstream))
    has_grid = len(taus) > 1
    shown = _band_of(choice) if has_grid else "Whiskers hold"
    dashed = "Dashed: a constant that decides all items alike, without looking."
    caption = f"{dashed} {interval_sentence(result.settings, shown)} {left_out(choice)}"
    return Figure(
        title=consistency_finding(judged, constant),
        caption=" ".join(caption.split()),
        spec=_over_tau(result, choice, _consistency_of, AS_PEOPLE) if has_grid else _at_tau(choice, judged, constant),
        table=_downstream_table(result, choice),
        spark=_spark(result, best.judge) if has_grid else None,
    )


def _band_of(choice: Choice) -> str:
    """Whose band it is: one for each judge would hide the lines."""
    return f"The band around {quoted(drawn_judges(choice)[0])} holds"


def left_out(choice: Choice) -> str:
    """How many judges are not drawn; empty if all are."""
    return left_out_sentence(choice, drawn_judges(choice))


def _at_tau(choice: Choice, judged: Sequence[Downstream], constant: Downstream | None) -> Spec:
    names = judge_names(choice)
    rows: list[Row] = [
        {
            "name": names[row.judge],
            "value": row.consistency,
            "low": _end(row.consistency_low),
            "high": _end(row.consistency_high),
        }
        for row in sorted(judged, key=lambda row: -row.consistency)
    ]
    reference = None if constant is None else constant.consistency
    return intervals(rows, names="Judge", values=["Share of the items decided as people do"], reference=reference)


def _over_tau(
    result: JudgesResult,
    choice: Choice,
    numbers: Callable[[Downstream], tuple[float, float, float]],
    title: str,
    *,
    level: float | None = None,
) -> Spec:
    names, drawn = judge_names(choice), drawn_judges(choice)
    rows: list[Row] = []
    for judge in drawn:
        for row in (own for own in result.downstream if own.judge == judge):
            value, low, high = numbers(row)
            ends = {"low": _end(low), "high": _end(high)}
            rows.append({"series": names[judge], "x": row.tau, "y": value, **ends, "is_main": judge == drawn[0]})
    constants: list[Row] = [
        {
            "name": CONSTANT_NAMES[row.judge],
            "x": row.tau,
            "y": row.consistency,
            "is_rising": row.judge == ALWAYS_NEGATIVE,
        }
        for row in result.downstream
        if row.judge in BASELINES and level is None
    ]
    chart = LineChart(rows=rows, constants=constants, series="Judge", x_title=TAU, y_title=title, level=level)
    return line_chart(chart)


def _consistency_of(row: Downstream) -> tuple[float, float, float]:
    return row.consistency, row.consistency_low, row.consistency_high


def _bias_of(row: Downstream) -> tuple[float, float, float]:
    return row.bias, row.bias_low, row.bias_high


def _bias(result: JudgesResult, choice: Choice, here: Sequence[Downstream]) -> Figure:
    band = interval_sentence(result.settings, _band_of(choice))
    return Figure(
        title=bias_finding(here),
        caption="Share of the items that the judge calls positive, less the share that people call positive. Dashed: "
        f"as many as people do. Above it the judge overstates, below it understates. {band} {left_out(choice)}".strip(),
        spec=_over_tau(result, choice, _bias_of, "Positive items, judge less people", level=0.0),
        table=_bias_table(result, choice),
        spark=_bias_spark(result, choice),
    )


def _bias_table(result: JudgesResult, choice: Choice) -> Table:
    names = {**judge_names(choice), **CONSTANT_NAMES}
    rows: list[list[Cell]] = [[row.tau, names.get(row.judge, row.judge), *_bias_of(row)] for row in result.downstream]
    return Table(
        caption="Prevalence, judge less people",
        columns=["Tau", "Judge", "Bias", "Low", "High"],
        rows=rows,
        digits=2,
        percent=frozenset({"Bias", "Low", "High"}),
    )


def _bias_spark(result: JudgesResult, choice: Choice) -> str:
    judge = drawn_judges(choice)[0]
    rows = [row for row in result.downstream if row.judge == judge]
    blocks = sparkline([abs(row.bias) for row in rows])
    ends = [f"tau {row.tau:g}: {100 * row.bias:+.1f}" for row in (rows[0], rows[-1])]
    return f"{quoted(judge)} {ends[0]} |{blocks}| {ends[1]} points"


def _downstream_table(result: JudgesResult, choice: Choice) -> Table:
    names = {**judge_names(choice), **CONSTANT_NAMES}
    rows: list[list[Cell]] = [
        [
            row.tau,
            names.get(row.judge, row.judge),
            _percents(*_consistency_of(row)),
            _percents(*_bias_of(row)),
            row.kappa,
        ]
        for row in result.downstream
    ]
    return Table(
        caption="Decisions beside people's: alike, bias of the prevalence, and kappa",
        columns=["Tau", "Judge", "Alike", "Bias", "Kappa"],
        rows=rows,
        digits=2,
    )


def _percents(value: float, low: float, high: float) -> str:
    bounds = "" if math.isnan(low) else f" [{percent(low, 0)}, {percent(high, 0)}]"
    return f"{percent(value)}{bounds}"


def _spark(result: JudgesResult, judge: str) -> str:
    rows = [row for row in result.downstream if row.judge == judge]
    blocks = sparkline([row.consistency for row in rows])
    ends = [f"tau {row.tau:g}: {percent(row.consistency)}" for row in (rows[0], rows[-1])]
    return f"{quoted(judge)} {ends[0]} |{blocks}| {ends[1]}"


def _end(number: float) -> float | None:
    return None if math.isnan(number) else number
