"""The charts of decisions: how often judges decide as people do, over the threshold and over beta."""

import math
from collections.abc import Callable, Sequence

from dissensus.judges.downstream import ALWAYS_NEGATIVE, BASELINES, Downstream
from dissensus.judges.result import JudgesResult
from dissensus.judges.sweeping import Sensitivity
from dissensus.report.document import Block, Cell, Figure, Note, Paragraph, Points, Table
from dissensus.report.numbers import counted, decimal, percent
from dissensus.report.sentences.definitions import name_of
from dissensus.report.sentences.intervals import interval_sentence
from dissensus.report.sentences.judge_decisions import (
    below_constant,
    best_constant,
    bias_finding,
    consistency_finding,
    consistency_sentence,
    decision_meaning,
    elsewhere_sentence,
    own_beta_sentence,
    prevalence_finding,
    selection_flips,
    sweep_finding,
    sweep_meaning,
)
from dissensus.report.sentences.judges import Choice
from dissensus.report.spark import sparkline
from dissensus.report.specs import LineChart, Row, Spec, intervals, line_chart
from dissensus.report.untrusted import quoted
from dissensus.report.views.judge_ranks import drawn_judges, judge_names, left_out_sentence

TAU = "Tau: share needed to be positive"
AS_PEOPLE = "Items decided as people do"
CONSTANT_NAMES = dict(zip(BASELINES, ("always positive", "always negative"), strict=True))
BETA = "Beta: share of hidden positives"
MOST_FLIPS = 5


def decision_blocks(result: JudgesResult, choice: Choice) -> list[Block]:
    """Decisions beside those of people and beside the constants; a hint where no option is positive."""
    if not result.downstream:
        hint = (
            "Name the options that count as positive (--positive LABEL, or positive in the task) to see what follows "
        )
        return [Note(text=f"{hint}from each judge's decisions, beside always saying yes and always no.", kind="hint")]
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
    shown = "The band holds" if has_grid else "Whiskers hold"
    dashed = "Dashed: a constant that decides all items alike, without looking."
    caption = f"{dashed} {interval_sentence(result.settings, shown)} {_left_out(choice)}"
    return Figure(
        title=consistency_finding(best, constant),
        caption=" ".join(caption.split()),
        spec=_over_tau(result, choice, _consistency_of, AS_PEOPLE) if has_grid else _at_tau(choice, judged, constant),
        table=_downstream_table(result, choice),
        spark=_spark(result, best.judge) if has_grid else None,
    )


def _left_out(choice: Choice) -> str:
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
    return Figure(
        title=bias_finding(here),
        caption="Share of the items that the judge calls positive, less the share that people call positive. Dashed: "
        f"as many as people do. Above it the judge overstates, below it understates. {_left_out(choice)}".strip(),
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


def sweep_blocks(result: JudgesResult, choice: Choice) -> list[Block]:
    """What would follow if forced choices hid positive options."""
    rows = [row for row in result.sensitivity if math.isclose(row.tau, choice.tau)]
    own = [own_beta_sentence(beta) for beta in result.own_beta]
    hints: list[Block] = (
        [Points(title="The judges' own beta, which hints at what is plausible", texts=own)] if own else []
    )
    if len(rows) < 2:  # noqa: PLR2004 - one point is no sweep
        return hints
    said = [sweep_meaning(result.settings), *_selections(result, choice)]
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
    chart = LineChart(rows=rows, turns=turns, series="Judge", x_title=BETA, y_title=AS_PEOPLE)
    caption = (
        f"At tau {choice.tau:g}. Dotted down the chart: another judge becomes the most consistent. {_left_out(choice)}"
    )
    return Figure(
        title=sweep_finding(points, flips),
        caption=caption.strip(),
        spec=line_chart(chart),
        table=_sweep_table(points, names),
        spark=f"{quoted(best)} |{sparkline([point.consistency[best] for point in points])}| "
        f"beta {points[0].beta:g} to {points[-1].beta:g}",
    )


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
