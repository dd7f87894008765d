"""The charts of `judges`: ranks by each definition, decisions over the threshold, and the sweep over beta."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from dissensus.methods.judges.choice import Choice, Kind, rank_correlation
from dissensus.methods.judges.result import (
    ALWAYS_NEGATIVE,
    BASELINES,
    Downstream,
    JudgesResult,
    JudgeValue,
    Sensitivity,
)
from dissensus.report.document import Cell, Figure, Table
from dissensus.report.numbers import (
    DASH,
    are,
    counted,
    decimal,
    finite,
    percent,
    quoted,
    sentences,
    short_names,
    with_interval,
)
from dissensus.report.specs import LineChart, Row, Spec, interval_row, intervals, likeness, line_chart, rank_lines
from dissensus.report.text import sparkline
from dissensus.report.views import judge_words as words
from dissensus.report.views.section import interval_sentence

MOST_LINES = 8
"""As many lines as there are colours."""
LONGEST_NAME = 25
APART = 0.14
"""How far judges that share a rank stand apart."""
SAME = 1 - 1e-9
"""A rank correlation of 1, but for rounding."""
ENOUGH_JUDGES = 3
"""Of two judges there is one pair only, which the table of definitions tells already."""
TAU, BETA = "Tau: share needed to be positive", "Beta: share of hidden positives"
AS_PEOPLE = "Items decided as people do"
DASHED = "Dashed: a constant that decides all items alike, without looking."
CONSTANT_NAMES = dict(zip(BASELINES, ("always positive", "always negative"), strict=True))


def drawn_judges(choice: Choice) -> list[str]:
    """The judges that the charts have room for: those that some definition picks, then the best of the others."""
    names = [value.judge for value in choice.ranked]
    wanted = {judge for kind in choice.voting for judge in kind.best}
    kept = sorted(names, key=lambda name: (name not in wanted, names.index(name)))[:MOST_LINES]
    return [name for name in names if name in kept]


def judge_names(choice: Choice) -> dict[str, str]:
    """A short name for each judge, no two alike."""
    return short_names((value.judge for value in choice.ranked), LONGEST_NAME, has_end=True)


def _left_out(choice: Choice) -> str:
    """How many judges are not drawn; empty if all are."""
    left = len(choice.ranked) - len(drawn_judges(choice))
    return f"{counted(left, 'more judge')} {are(left)} in the table only." if left else ""


# ---- Ranks: each judge by each definition, and how alike definitions rank


def ranks_figure(choice: Choice) -> Figure:
    """The bump chart: a line for each judge through its ranks."""
    kinds, names, drawn = choice.most_alike_first(), judge_names(choice), drawn_judges(choice)
    rows = [
        _rank_row(kind, kind.first.of(judge), names, is_main=judge == drawn[0])
        for kind in kinds
        for judge in drawn
        if kind.first.of(judge).rank is not None
    ]
    table: list[list[Cell]] = [
        [words.kind_name(kind), names[value.judge], value.rank, _value(kind, value), value.share_best]
        for kind in kinds
        for value in sorted(kind.first.values, key=lambda value: value.rank or math.inf)
    ]
    last = len(choice.ranked)
    heights = [last + 1.0 - (kind.first.of(choice.ranked[0].judge).rank or last + 1) for kind in kinds]
    spark = f"place of {quoted(choice.ranked[0].judge)} by each definition |{sparkline(heights)}| full: first of {last}"
    return Figure(
        title=_ranks_finding(choice, kinds),
        caption=sentences(
            "From left to right in each line: the judges from best to worst by one definition. The first line is the "
            "definition to select by; below it those come first that rank judges most as it does. Judges that tie "
            "stand beside each other.",
            _left_out(choice),
        ),
        spec=rank_lines(rows, names="Definition", series="Judge", ranks="Rank (1 is best)", values="Value", last=last),
        table=Table(
            caption=f"Every judge by every definition, at tau {choice.tau:g}",
            columns=["Definition", "Judge", "Rank", "Value", "Best in"],
            rows=table,
            percent=frozenset({"Best in"}),
        ),
        spark=spark if choice.picked else None,
    )


def _rank_row(kind: Kind, value: JudgeValue, names: Mapping[str, str], *, is_main: bool) -> Row:
    tied = [other.judge for other in kind.first.values if other.rank == value.rank]
    offset = APART * (tied.index(value.judge) - (len(tied) - 1) / 2)
    return {
        "name": words.name_of(kind.first, names=words.SHORT),
        "series": names[value.judge],
        "rank": value.rank,
        "shown": (value.rank or 0) + max(min(offset, 0.4), -0.4),
        "value": _value(kind, value),
        "share": DASH if math.isnan(value.share_best) else f"{percent(value.share_best)} of the samples",
        "is_main": is_main,
    }


def _value(kind: Kind, value: JudgeValue) -> str:
    return words.short_interval(value, words.value_digits(kind.first.values))


def _ranks_finding(choice: Choice, kinds: Sequence[Kind]) -> str:
    picked = choice.picked
    looking = [kind for kind in kinds if kind.looks_at_people]
    if picked is not None and all(kind.first.of(picked.judge).rank == 1 for kind in looking):
        return f"{quoted(picked.judge)} comes first by every definition that looks at people"
    return "Ranks of the judges by each definition"


def likeness_figures(choice: Choice) -> list[Figure]:
    """The heat map of rank correlations; none where there are too few judges or definitions."""
    kinds = [kind for kind in choice.most_alike_first() if kind.looks_at_people]
    if len(choice.ranked) < ENOUGH_JUDGES or len(kinds) < 2:  # noqa: PLR2004 - there is nothing to compare
        return []
    names = [f"{i} {words.name_of(kind.first, names=words.SHORT)}" for i, kind in enumerate(kinds, start=1)]
    values = {(i, j): rank_correlation(a, b) for i, a in enumerate(kinds) for j, b in enumerate(kinds)}
    rows: list[Row] = [
        {"first": names[i], "second": names[j], "across": j + 1, "value": value} for (i, j), value in values.items()
    ]
    pairs = sorted(((value, i, j) for (i, j), value in values.items() if i < j), key=lambda pair: pair[0])
    table: list[list[Cell]] = [[words.kind_name(kinds[i]), words.kind_name(kinds[j]), value] for value, i, j in pairs]
    heights = [(values[0, j] + 1) / 2 for j in range(len(kinds))]
    least, one, other = pairs[0]
    share = percent(sum(pair[0] > SAME for pair in pairs) / len(pairs), 0)
    title = (
        f"{share} of the pairs of definitions put the judges in the same order; {words.kind_name(kinds[one])} and "
        f"{words.kind_name(kinds[other])} agree least ({decimal(least)})"
    )
    return [
        Figure(
            title="All definitions put the judges in the same order" if least > SAME else title,
            caption="Kendall's rank correlation of the judges by two definitions: 1 is the same order, -1 the opposite "
            "one, 0 as many pairs of judges one way as the other. The fuller the colour the more alike; the other "
            "colour and a minus mark opposite orders. The numbers across are those of the names.",
            spec=likeness(rows, names, values="Rank correlation"),
            table=Table(
                caption="Rank correlation of each two definitions, the least alike first",
                columns=["One", "Other", "Rank correlation"],
                rows=table,
                digits=2,
            ),
            spark=f"order of {words.kind_name(kinds[0])} |{sparkline(heights)}| full: same",
        )
    ]


# ---- Decisions: how often judges decide as people do, over the threshold

Measure = Literal["consistency", "bias"]


def decision_figures(result: JudgesResult, choice: Choice) -> list[Figure]:
    """How often judges decide as people do; over several thresholds also how far their prevalence is off."""
    here = list(choice.downstream.values())
    judged = [row for row in here if row.judge not in BASELINES]
    has_grid = len({row.tau for row in result.downstream}) > 1
    # One band for each judge would hide the lines.
    band = interval_sentence(result.settings, f"The band around {quoted(drawn_judges(choice)[0])} holds")
    best, table = max(judged, key=lambda row: row.consistency), _downstream_table(result, choice)
    whiskers = interval_sentence(result.settings, "Whiskers hold")
    consistency = Figure(
        title=words.consistency_finding(judged, choice.constant),
        caption=sentences(DASHED, band if has_grid else whiskers, _left_out(choice)),
        spec=_over_tau(result, choice, "consistency", AS_PEOPLE) if has_grid else _at_tau(choice, judged),
        table=table,
        spark=_tau_spark(result, best.judge, "consistency") if has_grid else None,
    )
    if not has_grid:
        return [consistency]
    bias = Figure(
        title=words.bias_finding(here),
        caption=sentences(
            "Share of the items that the judge calls positive, less the share that people call positive. Dashed: as "
            "many as people do. Above it the judge overstates, below it understates.",
            band,
            _left_out(choice),
        ),
        spec=_over_tau(result, choice, "bias", "Positive items, judge less people", level=0.0),
        table=table,
        spark=_tau_spark(result, drawn_judges(choice)[0], "bias"),
    )
    return [consistency, bias]


def _ends(row: Downstream, measure: Measure) -> tuple[float, float, float]:
    value, low, high = (getattr(row, f"{measure}{end}") for end in ("", "_low", "_high"))
    return value, low, high


def _at_tau(choice: Choice, judged: Sequence[Downstream]) -> Spec:
    names = judge_names(choice)
    ordered = sorted(judged, key=lambda row: -row.consistency)
    rows = [interval_row(names[row.judge], *_ends(row, "consistency")) for row in ordered]
    reference = None if choice.constant is None else choice.constant.consistency
    return intervals(rows, names="Judge", values=["Share of the items decided as people do"], reference=reference)


def _over_tau(
    result: JudgesResult, choice: Choice, measure: Measure, title: str, *, level: float | None = None
) -> Spec:
    names, drawn = judge_names(choice), drawn_judges(choice)
    rows: list[Row] = []
    for judge in drawn:
        for row in (one for one in result.downstream if one.judge == judge):
            value, low, high = _ends(row, measure)
            ends = {"low": finite(low), "high": finite(high)}
            rows.append({"series": names[judge], "x": row.tau, "y": value, **ends, "is_main": judge == drawn[0]})
    constants: list[Row] = [
        {"name": CONSTANT_NAMES[row.judge], "x": row.tau, "y": row.consistency,
         "is_rising": row.judge == ALWAYS_NEGATIVE}
        for row in result.downstream
        if row.judge in BASELINES and level is None
    ]  # fmt: skip
    return line_chart(
        LineChart(rows=rows, constants=constants, series="Judge", x_title=TAU, y_title=title, level=level)
    )


def _tau_spark(result: JudgesResult, judge: str, measure: Measure) -> str:
    rows = [(row.tau, _ends(row, measure)[0]) for row in result.downstream if row.judge == judge]
    blocks = sparkline([abs(value) for _, value in rows])
    is_bias = measure == "bias"
    ends = [f"tau {tau:g}: {f'{100 * v:+.1f}' if is_bias else percent(v)}" for tau, v in (rows[0], rows[-1])]
    return f"{quoted(judge)} {ends[0]} |{blocks}| {ends[1]}{' points' * is_bias}"


def _downstream_table(result: JudgesResult, choice: Choice) -> Table:
    names = judge_names(choice) | CONSTANT_NAMES
    rows: list[list[Cell]] = [
        [
            row.tau,
            names.get(row.judge, row.judge),
            _percents(*_ends(row, "consistency")),
            _percents(*_ends(row, "bias")),
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
    bounds = with_interval(0.0, low, high, form=lambda share: percent(share, 0)).removeprefix("0%")
    return f"{percent(value)}{bounds}"


# ---- The sweep: what would follow if forced choices hid positive options


def sweep_figures(result: JudgesResult, choice: Choice, points: Sequence[Sensitivity]) -> list[Figure]:
    """How often judges decide as people do over beta, and how many items are positive."""
    return [_sweep(result, choice, points), _prevalence(result, points)]


def _sweep(result: JudgesResult, choice: Choice, points: Sequence[Sensitivity]) -> Figure:
    names, drawn = judge_names(choice), drawn_judges(choice)
    rows = [
        _beta_row(names[judge], point.beta, point.consistency[judge], is_main=judge == drawn[0])
        for judge in drawn
        for point in points
    ]
    flips = [flip for flip in result.flip_points if flip.definition is None and math.isclose(flip.tau, choice.tau)]
    turns: list[Row] = [{"x": flip.beta_to, "text": names.get(str(flip.judge_to), "")} for flip in flips]
    positive, negative = CONSTANT_NAMES.values()
    # Who calls every item positive is right on those that people call so.
    constants: list[Row] = [
        {"name": name, "x": point.beta, "y": share, "is_rising": name == positive}
        for point in points
        for name, share in ((positive, point.prevalence), (negative, 1 - point.prevalence))
    ]
    chart = LineChart(rows=rows, constants=constants, turns=turns, series="Judge", x_title=BETA, y_title=AS_PEOPLE)
    table: list[list[Cell]] = [
        [point.beta, point.prevalence, names.get(point.best, point.best), point.consistency[point.best]]
        for point in points
    ]
    best = points[0].best
    dotted = "Dotted down the chart: another judge becomes the most consistent." if turns else ""
    return Figure(
        title=words.sweep_finding(points, flips),
        caption=sentences(f"At tau {choice.tau:g}. {DASHED}", dotted, _left_out(choice)),
        spec=line_chart(chart),
        table=Table(
            caption="Who decides most like people at each beta",
            columns=["Beta", "Positive items", "Best judge", "Alike"],
            rows=table,
            digits=2,
            percent=frozenset({"Positive items", "Alike"}),
        ),
        spark=f"{quoted(best)} |{sparkline([point.consistency[best] for point in points])}| "
        f"beta {points[0].beta:g} to {points[-1].beta:g}",
    )


def _beta_row(series: str, beta: float, value: float, *, is_main: bool) -> Row:
    return {"series": series, "x": beta, "y": value, "low": None, "high": None, "is_main": is_main}


def _prevalence(result: JudgesResult, points: Sequence[Sensitivity]) -> Figure:
    rows = [
        _beta_row(f"tau {row.tau:g}", row.beta, row.prevalence, is_main=row.tau == points[0].tau)
        for row in sorted(result.sensitivity, key=lambda row: (row.tau, row.beta))
    ]
    chart = LineChart(rows=rows, series="Threshold", x_title=BETA, y_title="Items that people call positive")
    return Figure(
        title=words.prevalence_finding(points),
        caption="People's response sets are derived from their forced choices and beta; an item is positive where at "
        "least a share tau of them endorse a positive option.",
        spec=line_chart(chart),
        table=Table(
            caption="Prevalence over beta",
            columns=["Beta", "Threshold", "Positive items"],
            rows=[[row["x"], row["series"], row["y"]] for row in rows],
            digits=2,
            percent=frozenset({"Positive items"}),
        ),
        spark=f"positive items |{sparkline([point.prevalence for point in points])}| "
        f"{percent(points[0].prevalence)} to {percent(points[-1].prevalence)}",
    )
