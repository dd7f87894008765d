"""The charts of `judges`: ranks by each definition, decisions, and the sweep over beta."""

import math
from collections.abc import Mapping, Sequence

from dissensus.methods.judges.choice import Choice, Kind
from dissensus.methods.judges.result import (
    BASELINES,
    JudgesResult,
    JudgeValue,
    Sensitivity,
)
from dissensus.report.document import Cell, Figure, Table
from dissensus.report.numbers import DASH, are, counted, percent, sentences, short_names, with_interval
from dissensus.report.specs import LineChart, Row, interval_row, intervals, line_chart, rank_lines
from dissensus.report.views import judge_words as words
from dissensus.report.views.section import interval_sentence, judge_slots

MOST_LINES = 8
"""As many lines as there are colours."""
LONGEST_NAME = 25
APART = 0.14
"""How far judges that share a rank stand apart."""
BETA = "Beta: share of hidden positives"
AS_PEOPLE = "Items decided as people do"
DASHED = "Dashed: a constant answer."
CONSTANT_NAMES = dict(zip(BASELINES, ("always positive", "always negative"), strict=True))


def drawn_judges(choice: Choice) -> list[str]:
    """The judges that the charts have room for: those that some definition picks, then the best of the others."""
    names = [value.judge for value in choice.ranked]
    wanted = {judge for kind in choice.kinds if kind.looks_at_people for judge in kind.best}
    kept = sorted(names, key=lambda name: (name not in wanted, names.index(name)))[:MOST_LINES]
    return [name for name in names if name in kept]


def judge_names(choice: Choice, longest: int = LONGEST_NAME) -> dict[str, str]:
    """A short name for each judge, no two the same."""
    return short_names((value.judge for value in choice.ranked), longest, has_end=True)


def _slots(result: JudgesResult, drawn: Sequence[str], names: Mapping[str, str]) -> dict[str, int]:
    """The place of each judge that is drawn among all, by its short name."""
    return {names[judge]: slot for judge, slot in judge_slots(result, drawn).items()}


def _left_out(choice: Choice) -> str:
    """How many judges are not drawn; empty if all are."""
    left = len(choice.ranked) - len(drawn_judges(choice))
    return f"{counted(left, 'more judge')} {are(left)} in the table only." if left else ""


# ---- Ranks: each judge by each definition


def ranks_figure(result: JudgesResult, choice: Choice, table: Table) -> Figure:
    """The bump chart: a line for each judge through its ranks; the table has what each definition picks."""
    kinds, names, drawn = choice.closest_first(), judge_names(choice), drawn_judges(choice)
    rows = [
        _rank_row(kind, kind.first.of(judge), names, is_main=judge == drawn[0])
        for kind in kinds
        for judge in drawn
        if kind.first.of(judge).rank is not None
    ]
    first, last = choice.ranked[0].judge, len(choice.ranked)
    ranks = [kind.first.of(first).rank for kind in kinds if kind.looks_at_people]
    return Figure(
        title=f"{words.plain(first)} comes first by {ranks.count(1)} of {counted(len(ranks), 'definition')}",
        caption=sentences(
            "Each line ranks the judges by one definition, the best on the left; the first is the definition to select "
            "by, then those that rank most like it.",
            _left_out(choice),
        ),
        spec=rank_lines(
            rows,
            names="Definition",
            series="Judge",
            ranks="Rank (1 is best)",
            values="Value",
            last=last,
            slots=_slots(result, drawn, names),
        ),
        table=table,
    )


def _rank_row(kind: Kind, value: JudgeValue, names: Mapping[str, str], *, is_main: bool) -> Row:
    tied = [other.judge for other in kind.first.values if other.rank == value.rank]
    offset = APART * (tied.index(value.judge) - (len(tied) - 1) / 2)
    return {
        "name": words.name_of(kind.first),
        "series": names[value.judge],
        "rank": value.rank,
        "shown": (value.rank or 0) + max(min(offset, 0.4), -0.4),
        "value": words.short_interval(value, words.value_digits(kind.first.values)),
        "share": DASH if math.isnan(value.share_best) else f"{percent(value.share_best)} of the samples",
        "is_main": is_main,
    }


# ---- Decisions: how often judges decide as people do


def decision_figure(result: JudgesResult, choice: Choice) -> Figure:
    """How often judges decide as people do at the main threshold; the table has every threshold."""
    names = judge_names(choice)
    judged = sorted(
        (row for row in choice.downstream.values() if row.judge not in BASELINES), key=lambda row: -row.consistency
    )
    slots = judge_slots(result, (row.judge for row in judged))
    rows = [
        interval_row(
            names[row.judge], row.consistency, row.consistency_low, row.consistency_high, slot=slots[row.judge]
        )
        for row in judged
    ]
    constant = None if choice.constant is None else choice.constant.consistency
    shares = {row.judge: row.consistency for row in judged}
    return Figure(
        title=words.consistency_finding(shares, math.nan if constant is None else constant, choice.tau),
        caption=sentences(DASHED, interval_sentence(result.settings, "Whiskers hold")),
        spec=intervals(rows, names="Judge", values=[AS_PEOPLE], reference=constant),
        table=_downstream_table(result, names | CONSTANT_NAMES),
    )


def _downstream_table(result: JudgesResult, names: Mapping[str, str]) -> Table:
    rows: list[list[Cell]] = [
        [
            row.tau,
            names.get(row.judge, row.judge),
            with_interval(row.consistency, row.consistency_low, row.consistency_high, form=lambda one: percent(one, 0)),
            with_interval(row.bias, row.bias_low, row.bias_high, form=lambda share: f"{100 * share:+.0f}"),
            row.kappa,
        ]
        for row in result.downstream
    ]
    return Table(
        caption="Same decisions as people, bias in percentage points, kappa",
        columns=["Tau", "Judge", "Same decision", "Bias", "Kappa"],
        rows=rows,
        digits=2,
    )


# ---- The sweep: what would follow if forced choices hid positive options


def sweep_figure(result: JudgesResult, choice: Choice, points: Sequence[Sensitivity]) -> Figure:
    """How often judges decide as people do over beta, and how many items are positive."""
    names, drawn = judge_names(choice), drawn_judges(choice)
    rows: list[Row] = [
        {"series": names[judge], "x": point.beta, "y": point.consistency[judge], "low": None, "high": None,
         "is_main": judge == drawn[0]}
        for judge in drawn
        for point in points
    ]  # fmt: skip
    flips = [flip for flip in result.flip_points if flip.definition is None and math.isclose(flip.tau, choice.tau)]
    turns: list[Row] = [{"x": flip.beta_to, "text": names.get(str(flip.judge_to), "")} for flip in flips]
    positive, negative = CONSTANT_NAMES.values()
    # Calling every item positive is right on those that people call positive.
    constants: list[Row] = [
        {"name": name, "x": point.beta, "y": share, "is_rising": name == positive}
        for point in points
        for name, share in ((positive, point.prevalence), (negative, 1 - point.prevalence))
    ]
    table: list[list[Cell]] = [
        [point.beta, point.prevalence, names.get(point.best, point.best), point.consistency[point.best]]
        for point in points
    ]
    dotted = "Dotted: another judge becomes the best." if turns else ""
    return Figure(
        title=words.sweep_finding(points, flips),
        caption=sentences(f"At tau {choice.tau:g}. {DASHED}", dotted, _left_out(choice)),
        spec=line_chart(
            LineChart(
                rows=rows,
                constants=constants,
                turns=turns,
                series="Judge",
                x_title=BETA,
                y_title=AS_PEOPLE,
                slots=_slots(result, drawn, names),
            )
        ),
        table=Table(
            caption="The judge that decides most like people at each beta",
            columns=["Beta", "Positive items", "Best judge", "Same decision"],
            rows=table,
            digits=2,
            percent=frozenset({"Positive items", "Same decision"}),
        ),
    )
