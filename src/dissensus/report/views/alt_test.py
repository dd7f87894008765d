"""What `alt-test` says: can this judge replace a rater."""

import math

from dissensus.decisions.annotators.result import AltTestResult, JudgeTest
from dissensus.errors import DissensusError
from dissensus.report.document import Block, Cell, Figure, Fold, Note, Paragraph, Points, Section, Table
from dissensus.report.numbers import counted, percent
from dissensus.report.sentences.alt_test import (
    ADVANTAGE,
    LEFT_OUT,
    SCORE_WORDS,
    baseline_sentence,
    epsilon_sentence,
    finding_sentence,
    judge_sentence,
    lead_sentence,
    p_text,
    p_value_sentence,
)
from dissensus.report.specs import Row, intervals
from dissensus.report.specs.zoomed import zoomed
from dissensus.report.untrusted import quoted, told_apart
from dissensus.results import Result

MOST_SENTENCES = 6
MOST_RATERS = 25
"""So many raters are drawn, those in whose place the judge stands worst; the table has them all."""


def view(result: Result) -> Section:
    """Whether a judge can replace a rater: the answer, all judges, the raters one by one, and how it was computed."""
    if not isinstance(result, AltTestResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what alt-test found.")
    return Section(
        title="Can this judge replace a rater?" if len(result.judges) == 1 else "Which judge can replace a rater?",
        lead=lead_sentence(result),
        blocks=[
            Paragraph(text=epsilon_sentence(result)),
            *_judges(result),
            *_baseline(result),
            *_figure(result),
            *_others(result),
            _computed(result),
        ],
    )


def _judges(result: AltTestResult) -> list[Block]:
    """All judges in a table, and some in words."""
    names = told_apart(judge.judge for judge in result.judges)
    rows: list[list[Cell]] = [
        [
            names[judge.judge],
            {True: "yes", False: "not shown", None: "unknown"}[judge.replaces],
            judge.winning_rate,
            f"{judge.won} of {len(judge.raters)}",
            judge.advantage,
        ]
        for judge in result.judges
    ]
    table = Table(
        caption="Judges in the place of raters, by advantage",
        columns=["Judge", "Replaces a rater", "Winning rate", "Raters won", "Advantage"],
        rows=rows,
        percent=frozenset({"Winning rate", "Advantage"}),
    )
    said = [judge_sentence(judge) for judge in result.judges[1 : MOST_SENTENCES + 1]]
    more = len(result.judges) - 1 - len(said)
    said += [f"{counted(more, 'more judge')} {'is' if more == 1 else 'are'} in the table."] if more else []
    return [table, *([Points(title="", texts=said)] if said else [])]


def _baseline(result: AltTestResult) -> list[Block]:
    said = baseline_sentence(result)
    if not said:
        return []
    return [Note(text=said) if result.baseline.replaces else Paragraph(text=said)]


def _figure(result: AltTestResult) -> list[Block]:
    """The raters in whose place the best judge stands."""
    best = result.judges[0]
    if not best.raters:
        return []
    rows = _rows(best)
    spec = intervals(
        rows, names="Rater", values=["Items on which the rater is closer, less those of the judge"],
        reference=result.epsilon,
    )  # fmt: skip
    more = len(best.raters) - len(rows)
    drawn = f" The {len(rows)} least favourable of {len(best.raters)} raters are drawn." if more else ""
    return [
        Figure(
            title=finding_sentence(best),
            caption=f"Each line is a rater: the share of items on which the rater is closer to the others than "
            f"{quoted(best.judge)} is, less the share on which the judge is closer. The dashed line is epsilon; where "
            f"the whole whisker, a {percent(1 - 2 * _alpha(result), 0)} interval, lies to its left, the judge would "
            f"win if this were the only rater.{drawn}",
            spec=zoomed(spec, rows, anchors=(0.0, result.epsilon)),
            table=_raters_table(best),
        )
    ]


def _rows(judge: JudgeTest) -> list[Row]:
    ordered = sorted(judge.raters, key=lambda rater: -rater.difference)[:MOST_RATERS]
    names = told_apart(rater.rater for rater in ordered)
    return [
        {
            "name": names[rater.rater],
            "value": rater.difference,
            "low": rater.low if math.isfinite(rater.low) else None,
            "high": rater.high if math.isfinite(rater.high) else None,
        }
        for rater in ordered
    ]


def _raters_table(judge: JudgeTest) -> Table:
    names = told_apart(rater.rater for rater in judge.raters)
    rows: list[list[Cell]] = [
        [
            names[rater.rater],
            rater.items,
            rater.judge_at_least_as_close,
            rater.rater_at_least_as_close,
            p_text(rater),
            "yes" if rater.rejected else "no",
        ]
        for rater in sorted(judge.raters, key=lambda rater: rater.p_value)
    ]
    return Table(
        caption=f"{quoted(judge.judge)} in the place of each rater",
        columns=["Rater", "Items", "Judge as close", "Rater as close", "p", "Judge wins"],
        rows=rows,
        percent=frozenset({"Judge as close", "Rater as close"}),
    )


def _others(result: AltTestResult) -> list[Block]:
    tables = [_raters_table(judge) for judge in result.judges[1:] if judge.raters]
    return [Fold(title="The other judges, rater by rater", parts=tables)] if tables else []


def _computed(result: AltTestResult) -> Block:
    best = result.judges[0]
    tested = [p_value_sentence(best, _alpha(result))] if best.raters else []
    return Fold(
        title="How this was computed",
        parts=[Points(title="", texts=[LEFT_OUT, SCORE_WORDS[result.score], *tested, ADVANTAGE])],
    )


def _alpha(result: AltTestResult) -> float:
    alpha = result.settings.get("alpha")
    return alpha if isinstance(alpha, float) else math.nan
