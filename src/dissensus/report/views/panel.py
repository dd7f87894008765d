"""What `panel` says: what judges are worth together, and beside people."""

import math
from collections.abc import Mapping, Sequence

from dissensus.methods.equivalence.result import worth_decimals
from dissensus.methods.panel.result import Method, PanelResult, PanelWorth, PeopleAndJudge
from dissensus.report.document import Block, Cell, Figure, Section, Table
from dissensus.report.numbers import counted, decimal, quoted, short_names, with_interval
from dissensus.report.specs.lines import LineChart, line_chart, line_row
from dissensus.report.specs.shapes import Row
from dissensus.report.views.section import how_computed, interval_sentence, judge_slots, noted, setting
from dissensus.report.views.worth import (
    ScoreWords,
    Terms,
    calibration_sentence,
    place_text,
    raters_text,
    score_sentence,
    score_words,
    terms_of,
    worth_text,
)

METHOD_WORDS: dict[Method, str] = {
    "plurality": "Plurality: the label that most judges find most likely; tied labels share it.",
    "average": "Average: the mean of the judges' probabilities; a bare label counts as certain.",
    "stacked": "Stacked: a weighted sum of the judges' log-probabilities, with weights learned from other items.",
}
BESIDE = "Beside people, their labels and the judge's answer are stacked in the same way, for these raters."
ALONE = "people alone"
RULER_NAMES = {"constant": "always the same answer", "person": "one more person"}
MOST_LINES = 4
LONGEST = 26
SILENT = ("Rescaled ", "rests on fewer items", "Beside people, ", "The curve ends ", "Judges are put ")
"""In warnings that ask for nothing here; `equivalence` shows those about the curve."""


def view(result: PanelResult) -> Section:
    """What judges are worth together and beside people: the answer, each of them, and how it was computed."""
    terms, words = terms_of(result.settings, largest=result.curve[-1].raters), score_words(result.settings)
    computed = [score_sentence(result.settings), *(METHOD_WORDS[panel.method] for panel in result.panels)]
    computed += [BESIDE] if result.people_and_judge else []
    computed += [calibration_sentence(result.settings), interval_sentence(result.settings)]
    row, notes = _best_row(result), []
    if result.panels and row is not None and row.raters < terms.largest and row.low > row.raters:
        notes.append(f"Ask people as well if you can: {saving_sentence(row, terms)}")
    return Section(
        title="What are the judges worth together?" if result.panels else "How many raters does the judge save?",
        lead=lead_sentence(result, terms),
        blocks=[_worths(result, terms, words), *_beside(result, terms, words), *noted(notes), how_computed(computed)],
    )


def lead_sentence(result: PanelResult, terms: Terms) -> str:
    """The answer: what the best panel is worth, or what the only judge saves."""
    if not result.panels:
        row = _best_row(result)
        alone = "There is one judge and nobody to put it beside: name two judges, or collect more ratings."
        return alone if row is None else saving_sentence(row, terms)
    panel = max(result.panels, key=lambda panel: panel.worth.score)
    if panel.is_better(setting(result.settings, "confidence", 0.95)):
        return (
            f"The {counted(len(panel.judges), 'judge')} together ({panel.method}) are worth "
            f"{raters_text(panel.worth, terms)}, and beat {quoted(panel.best_judge)} alone."
        )
    best = next(member for member in result.judges if member.judge == panel.best_judge)
    return (
        f"The {counted(len(panel.judges), 'judge')} together are not shown to be better than "
        f"{quoted(panel.best_judge)} alone, which is worth {raters_text(best, terms)}."
    )


def difference_text(panel: PanelWorth) -> str | None:
    """How many raters more than the best member, with its interval; None off the curve."""
    if not math.isfinite(panel.difference):
        return None
    digits = worth_decimals(panel.difference, panel.low, panel.high)
    return with_interval(panel.difference, panel.low, panel.high, form=lambda gap: decimal(gap, digits))


def _worths(result: PanelResult, terms: Terms, words: ScoreWords) -> Table:
    """Panels first, then their members, the best one first, then what they are held against."""
    origin, names = words.origin(result.curve), short_names((own.judge for own in result.judges), LONGEST, has_end=True)
    rows: list[list[Cell]] = [
        [f"panel, {p.method}", worth_text(p.worth, terms), p.worth.score - origin, difference_text(p)]
        for p in sorted(result.panels, key=lambda panel: -panel.worth.score)
    ]
    rows += [[names[own.judge], worth_text(own, terms), own.score - origin, None] for own in result.ranked]
    rows += [
        [RULER_NAMES[name], f"{worth:g}", result.curve[int(worth)].score - origin, None]
        for name, worth in result.rulers.items()
        if worth < len(result.curve)
    ]
    return Table(
        caption="Worth in raters, and how much more than the best judge alone",
        columns=["Judge", "Worth", words.heading, "More than best"],
        rows=rows,
        percent=words.percent_columns,
    )


# ---- What surveys with a judge beside them are worth


def _best_row(result: PanelResult) -> PeopleAndJudge | None:
    """What the best judge saves beside one person, or beside nobody where there is no larger survey."""
    if not result.ranked:
        return None
    best = result.ranked[0].judge
    return next((row for row in reversed(result.people_and_judge) if row.beside == best and row.raters <= 1), None)


def saving_sentence(row: PeopleAndJudge, terms: Terms) -> str:
    """How many raters a judge saves beside a survey."""
    whom = " alongside one person" if row.raters else " on its own"
    saved = f"{saved_text(row, terms)} raters".replace(">1 raters", "more than 1 rater").replace(">", "more than ", 1)
    return f"{quoted(row.beside)} saves {saved}{whom}."


def saved_text(row: PeopleAndJudge, terms: Terms) -> str:
    """How many raters a judge saves, with the interval; an end off the curve in words."""
    digits = worth_decimals(row.worth, row.low, row.high)
    ends = (row.worth, row.low, row.high)
    value, low, high = (place_text(end - row.raters, -row.raters, terms.largest - row.raters, digits) for end in ends)
    is_off = math.isinf(row.worth) and row.low == row.high == row.worth
    return value if is_off or math.isnan(row.low) or math.isnan(row.high) else f"{value} [{low}, {high}]"


def _beside(result: PanelResult, terms: Terms, words: ScoreWords) -> list[Block]:
    if not result.people_and_judge:
        return []
    drawn = _drawn(result)
    names, slots = short_names(drawn, 40), judge_slots(result, [*(member.judge for member in result.judges), *drawn])
    chart = LineChart(
        rows=_lines(result, names, words.origin(result.curve)),
        series="Who answers",
        x_title="Number of people asked",
        y_title=words.axis,
        x_form="d",
        y_form=".0%" if words.percent_columns else ".2f",
        tip_form=words.d3_form,
        slots={ALONE: 0} | {f"with {names[name]}": slots[name] for name in drawn},
    )
    figure = Figure(
        title="How many people a judge saves, by how many are asked",
        caption="Each line: how well people predict somebody who was not asked, with or without a judge. "
        "How far a line with a judge lies to the left of people alone is what it saves.",
        spec=line_chart(chart),
        table=_table(result, drawn, terms, words),
    )
    return [figure]


def _drawn(result: PanelResult) -> list[str]:
    """Whom the chart shows beside people: the best judges, and the panel last."""
    beside, names = {row.beside: None for row in result.people_and_judge}, {member.judge for member in result.judges}
    panel = [name for name in beside if name not in names]
    ranked = [member.judge for member in result.ranked if member.judge in beside]
    return [*ranked[: MOST_LINES - 1 - len(panel)], *panel]


def _lines(result: PanelResult, names: Mapping[str, str], origin: float) -> list[Row]:
    """People alone as on the curve; a judge alone, then with each number of them."""
    last = max(row.raters for row in result.people_and_judge)
    people = {point.raters: point.score for point in result.curve if point.raters <= last}
    alone = {member.judge: member.score for member in result.judges}
    stacked = next((panel.worth.score for panel in result.panels if panel.method == "stacked"), math.nan)
    lines = {ALONE: people}
    for name, shown in names.items():
        beside = {row.raters: people[row.raters] + row.gain for row in result.people_and_judge if row.beside == name}
        lines[f"with {shown}"] = {0: alone.get(name, stacked)} | beside
    return [
        line_row(line, raters, score - origin, is_main=line == ALONE)
        for line, scores in lines.items()
        for raters, score in scores.items()
    ]


def _table(result: PanelResult, drawn: Sequence[str], terms: Terms, words: ScoreWords) -> Table:
    """How many raters those that the chart shows save, by the number of people asked."""
    ends = list(dict.fromkeys([drawn[0], drawn[-1]]))  # the best judge and the panel; the JSON has all
    names = short_names(ends, LONGEST)
    by_size: dict[int, dict[str, PeopleAndJudge]] = {}
    for row in result.people_and_judge:
        by_size.setdefault(row.raters, {})[row.beside] = row
    origin, people = words.origin(result.curve), {point.raters: point.score for point in result.curve}
    heading = f"{words.heading} alone"
    rows: list[list[Cell]] = []
    for size, beside in sorted(by_size.items()):
        first = beside[drawn[0]]
        if math.isfinite(first.score):
            saved = [saved_text(beside[name], terms) for name in ends]
            rows.append([size, people[size] - origin, *saved, first.items])
    return Table(
        caption="Raters saved by a judge, by how many people are asked (the best judge and the panel)",
        columns=["Asked", heading, *(f"{names[name]} saves" for name in ends), "Items"],
        rows=rows,
        percent=frozenset({heading} if words.percent_columns else ()),
    )
