"""What `panel` says: what judges are worth together, and beside people."""

import math
from collections.abc import Sequence

from dissensus.decisions.combining.result import PanelsResult, PeopleAndJudge
from dissensus.errors import DissensusError
from dissensus.report.document import Block, Cell, Figure, Paragraph, Points, Section, Table
from dissensus.report.sentences.equivalence import worth_text
from dissensus.report.sentences.intervals import interval_sentence
from dissensus.report.sentences.panel import (
    BESIDE,
    CALIBRATED,
    METHOD_WORDS,
    best_row,
    curve_finding,
    difference_text,
    lead_sentence,
    saved_text,
    saving_sentence,
)
from dissensus.report.sentences.surveys import ScoreWords, Terms, score_sentence, score_words, terms_of
from dissensus.report.specs import LineChart, Row, line_chart
from dissensus.report.untrusted import quoted, told_apart
from dissensus.results import Result

ALONE = "people alone"
MOST_LINES = 4


def view(result: Result) -> Section:
    """What judges are worth together and beside people: the answer, each of them, and how it was computed."""
    if not isinstance(result, PanelsResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what panel found.")
    terms = terms_of(result.settings, largest=result.curve[-1].raters)
    words = score_words(result.settings)
    return Section(
        title="What are the judges worth together?" if result.panels else "How many raters does the judge save?",
        lead=lead_sentence(result, terms),
        blocks=[
            _worths(result, terms, words),
            *_beside(result, terms, words),
            Points(title="How this was computed", texts=_computed(result)),
        ],
    )


def _worths(result: PanelsResult, terms: Terms, words: ScoreWords) -> Table:
    origin = result.curve[0].score if words.is_gain else 0.0
    names = told_apart(worth.judge for worth in result.judges)
    rows: list[list[Cell]] = [
        [names[own.judge], worth_text(own, result.settings, terms), own.score - origin, None] for own in result.judges
    ]
    rows += [
        [f"panel, {p.method}", worth_text(p.worth, result.settings, terms), p.worth.score - origin, difference_text(p)]
        for p in result.panels
    ]
    best = f", and how much more than the best of them, {quoted(result.panels[0].best_judge)}" if result.panels else ""
    return Table(
        caption=f"What each judge and each panel is worth, in raters{best}",
        columns=["Judge", "Worth", words.heading, "More than best"],
        rows=rows,
        percent=words.percent_columns,
    )


def _beside(result: PanelsResult, terms: Terms, words: ScoreWords) -> list[Block]:
    """What surveys with a judge beside them are worth."""
    if not result.people_and_judge:
        return []
    said = saving_sentence(best_row(result.people_and_judge, result.judges), terms) if result.panels else ""
    shown = _shown(result)
    origin = result.people_and_judge[0].people_score if words.is_gain else 0.0
    chart = LineChart(
        rows=_lines(result, shown, origin),
        series="Who answers",
        x_title="Number of people asked",
        y_title=words.axis,
        x_form="d",
        y_form=".0%" if words.percent_columns else ".2f",
        tip_form=words.d3_form,
    )
    figure = Figure(
        title=curve_finding(result, shown[-1]),
        caption="Each line: what surveys of so many people score, alone or with a judge beside them, each predicting "
        "somebody who was not asked. How far a line with a judge lies to the left of people alone is what it saves.",
        spec=line_chart(chart),
        table=_table(result, shown, terms, words),
    )
    return [*([Paragraph(text=said)] if said else []), figure]


def _shown(result: PanelsResult) -> list[str]:
    """Whom the chart shows beside people: the best judges, and the panel last."""
    beside = list(dict.fromkeys(row.beside for row in result.people_and_judge))
    known = [own for own in result.judges if math.isfinite(own.score) and own.judge in beside]
    ranked = [own.judge for own in sorted(known, key=lambda own: -own.score)]
    names = {own.judge for own in result.judges}
    panel = [name for name in beside if name not in names]
    return [*ranked[: MOST_LINES - 1 - len(panel)], *panel]


def _lines(result: PanelsResult, shown: Sequence[str], origin: float) -> list[Row]:
    names = told_apart(shown, 40)
    first = [row for row in result.people_and_judge if row.beside == shown[0]]
    rows = [_point(ALONE, row.raters, row.people_score - origin) for row in first]
    return [
        *rows,
        *(
            _point(f"with {names[name]}", row.raters, row.score - origin)
            for name in shown
            for row in result.people_and_judge
            if row.beside == name
        ),
    ]


def _point(series: str, raters: int, score: float) -> Row:
    value = score if math.isfinite(score) else None
    return {"series": series, "x": raters, "y": value, "low": None, "high": None, "is_main": series == ALONE}


def _table(result: PanelsResult, shown: Sequence[str], terms: Terms, words: ScoreWords) -> Table:
    """How many raters those that the chart shows save, by the number of people asked."""
    ends = list(dict.fromkeys([shown[0], shown[-1]]))  # the best judge and the panel; the JSON has all
    names = told_apart(ends, 40)
    by_size: dict[int, dict[str, PeopleAndJudge]] = {}
    for row in result.people_and_judge:
        by_size.setdefault(row.raters, {})[row.beside] = row
    origin = by_size[0][shown[0]].people_score if words.is_gain else 0.0
    heading = f"{words.heading} alone"
    return Table(
        caption="How many raters a judge beside them saves, by the number of people asked",
        columns=["Asked", heading, *(f"{names[name]} saves" for name in ends), "Items"],
        rows=[
            [k, rows[shown[0]].people_score - origin, *(saved_text(rows[name], terms) for name in ends),
             rows[shown[0]].items]
            for k, rows in sorted(by_size.items())
            if math.isfinite(rows[shown[0]].score)
        ],
        percent=frozenset({heading} if words.percent_columns else ()),
    )  # fmt: skip


def _computed(result: PanelsResult) -> list[str]:
    said = [score_sentence(result.settings), *(METHOD_WORDS[panel.method] for panel in result.panels)]
    said += [CALIBRATED] if result.settings.get("calibrate") and result.panels else []
    said += [BESIDE] if result.people_and_judge else []
    return [text for text in [*said, interval_sentence(result.settings)] if text]
