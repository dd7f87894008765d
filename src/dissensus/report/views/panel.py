"""What `panel` says: what judges are worth together, and beside people."""

import math
from collections.abc import Sequence

from dissensus.errors import DissensusError
from dissensus.methods.panel.options import Method
from dissensus.methods.panel.result import PanelResult, PanelWorth, PeopleAndJudge
from dissensus.report.document import Block, Cell, Figure, Paragraph, Points, Section, Table
from dissensus.report.numbers import counted, decimal, finite, percent, quoted, short_names, with_interval
from dissensus.report.specs import LineChart, Row, line_chart
from dissensus.report.views.section import interval_sentence
from dissensus.report.views.worth import ScoreWords, Terms, end_text, score_sentence, score_words, terms_of, worth_text
from dissensus.results import Result

METHOD_WORDS: dict[Method, str] = {
    "plurality": "Plurality: the label that most judges find likeliest; labels that tie share it.",
    "average": "Average: the mean of the judges' probabilities; a bare label counts as certain.",
    "stacked": "Stacked: a weighted sum of the judges' log-probabilities, with weights learned from other items, "
    "calibrated as a judge of its own.",
}
CALIBRATED = (
    "Members, plurality and average are calibrated: each answer is replaced by what people said where the answer was "
    "the same or similar, so what is left is what they know."
)
BESIDE = (
    "With a judge beside them, people's labels and the judge's answer are stacked in the same way, and drawn towards "
    "what raters said in cases of the same kind; so are people alone, and the difference is the judge's. A score is "
    "the mean of that on other items than those learned from, which is a little too low, and on the same ones, which "
    "is as much too high."
)
THESE_RATERS = "How many raters a judge saves beside people has intervals for these raters alone."
ALONE = "people alone"
RULER_NAMES = {"constant": "always the same answer", "person": "one more person"}
MOST_LINES = 4


def view(result: Result) -> Section:
    """What judges are worth together and beside people: the answer, each of them, and how it was computed."""
    if not isinstance(result, PanelResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what panel found.")
    terms, words = terms_of(result.settings, largest=result.curve[-1].raters), score_words(result.settings)
    computed = [score_sentence(result.settings), *(METHOD_WORDS[panel.method] for panel in result.panels)]
    computed += [CALIBRATED] if result.settings.get("calibrate", "none") != "none" and result.panels else []
    computed += [BESIDE, THESE_RATERS] if result.people_and_judge else []
    computed.append(interval_sentence(result.settings))
    return Section(
        title="What are the judges worth together?" if result.panels else "How many raters does the judge save?",
        lead=lead_sentence(result, terms),
        blocks=[
            _worths(result, terms, words),
            *_beside(result, terms, words),
            Points(title="How this was computed", texts=[text for text in computed if text]),
        ],
    )


def lead_sentence(result: PanelResult, terms: Terms) -> str:
    """The answer: what the best panel is worth, or what the only judge saves."""
    if not result.panels:
        saving = saving_sentence(_best_row(result), terms)
        return saving or "There is one judge and no survey to put it beside: name two judges, or collect more ratings."
    panel = max(result.panels, key=lambda panel: panel.worth.score)
    worth, members = worth_text(panel.worth, terms), counted(len(panel.judges), "judge")
    confidence = result.settings.get("confidence")
    if panel.is_better(confidence if isinstance(confidence, float) else 0.95):
        more = f"{difference_text(panel)} more than"
        if not math.isfinite(panel.difference):
            more = f"better in {percent(panel.share_better)} of the bootstrap samples than"
        return (
            f"Together the {members} are worth more than any of them: the {panel.method} panel {worth} raters, "
            f"{more} its best member {quoted(panel.best_judge)}."
        )
    best = next(member for member in result.judges if member.judge == panel.best_judge)
    return (
        f"It is not shown that the {members} together are worth more than {quoted(panel.best_judge)} alone "
        f"({worth_text(best, terms)} raters): the best panel, {panel.method}, is worth {worth} raters."
    )


def difference_text(panel: PanelWorth) -> str:
    """How many raters more than the best member, with its interval."""
    return (
        with_interval(panel.difference, panel.low, panel.high) if math.isfinite(panel.difference) else "off the curve"
    )


def _worths(result: PanelResult, terms: Terms, words: ScoreWords) -> Table:
    origin, names = words.origin(result.curve), short_names(worth.judge for worth in result.judges)
    rows: list[list[Cell]] = [
        [names[member.judge], worth_text(member, terms), member.score - origin, None] for member in result.judges
    ]
    rows += [
        [f"panel, {p.method}", worth_text(p.worth, terms), p.worth.score - origin, difference_text(p)]
        for p in result.panels
    ]
    rows += [
        [RULER_NAMES[name], f"{worth:g}", result.curve[int(worth)].score - origin, None]
        for name, worth in result.rulers.items()
        if worth < len(result.curve)
    ]
    best = f", and how much more than the best of them, {quoted(result.panels[0].best_judge)}" if result.panels else ""
    return Table(
        caption=f"What each judge and each panel is worth, in raters{best}",
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


def saving_sentence(row: PeopleAndJudge | None, terms: Terms) -> str:
    """How many raters a judge saves beside a survey; empty without one."""
    if row is None:
        return ""
    who = f"Asking {terms.people(row.raters)} with {quoted(row.beside)} beside them"
    if row.verdict == "above K" and row.low_verdict in {None, "above K"}:
        return f"{who} predicts another person better than asking {terms.people(terms.largest)}, the largest survey."
    if row.verdict == "below 0" and row.high_verdict in {None, "below 0"}:
        return f"{who} predicts another person worse than asking nobody."
    worth = end_text(row.worth, row.verdict, terms.above)
    return f"{who} is worth asking {worth} people: the judge saves {saved_text(row, terms)} raters."


def saved_text(row: PeopleAndJudge, terms: Terms) -> str:
    """How many raters a judge saves, with the interval; an end off the curve in words."""
    value, low, high = (_place(worth, row, terms) for worth in (row.worth, row.low, row.high))
    is_off = math.isinf(row.worth) and row.low == row.high == row.worth
    return value if is_off or math.isnan(row.low) or math.isnan(row.high) else f"{value} [{low}, {high}]"


def _place(worth: float, row: PeopleAndJudge, terms: Terms) -> str:
    if math.isnan(worth):
        return "undefined"
    if math.isinf(worth):
        below = f"below -{row.raters}" if row.raters else "below 0"
        return f"above {terms.largest - row.raters}" if worth > 0 else below
    return decimal(worth - row.raters)


def curve_finding(result: PanelResult, name: str) -> str:
    """What the chart of surveys with a judge shows: what the last one drawn saves beside few people."""
    few = [r for r in result.people_and_judge if r.beside == name and r.verdict == "within" and r.raters <= 1]
    if not few:
        return "What surveys score with a judge beside them"
    people = "one person" if few[-1].raters else "nobody"
    who = quoted(name) if name in {judge.judge for judge in result.judges} else "the panel"
    return f"Beside {people} {who} saves {decimal(few[-1].saved)} raters"


def _beside(result: PanelResult, terms: Terms, words: ScoreWords) -> list[Block]:
    if not result.people_and_judge:
        return []
    saving = saving_sentence(_best_row(result), terms) if result.panels else ""
    drawn = _drawn(result)
    chart = LineChart(
        rows=_lines(result, drawn, words.origin(result.curve)),
        series="Who answers",
        x_title="Number of people asked",
        y_title=words.axis,
        x_form="d",
        y_form=".0%" if words.percent_columns else ".2f",
        tip_form=words.d3_form,
    )
    figure = Figure(
        title=curve_finding(result, drawn[-1]),
        caption="Each line: what surveys of so many people score, alone or with a judge beside them, each predicting "
        "somebody who was not asked. How far a line with a judge lies to the left of people alone is what it saves.",
        spec=line_chart(chart),
        table=_table(result, drawn, terms, words),
    )
    return [*([Paragraph(text=saving)] if saving else []), figure]


def _drawn(result: PanelResult) -> list[str]:
    """Whom the chart shows beside people: the best judges, and the panel last."""
    beside, names = {row.beside: None for row in result.people_and_judge}, {member.judge for member in result.judges}
    panel = [name for name in beside if name not in names]
    ranked = [member.judge for member in result.ranked if member.judge in beside]
    return [*ranked[: MOST_LINES - 1 - len(panel)], *panel]


def _lines(result: PanelResult, drawn: Sequence[str], origin: float) -> list[Row]:
    """People alone as on the curve; a judge alone, then what it adds to so many of them."""
    names, last = short_names(drawn, 40), max(row.raters for row in result.people_and_judge)
    people = {point.raters: point.score for point in result.curve if point.raters <= last}
    rows = [_point(ALONE, raters, score - origin) for raters, score in people.items()]
    alone = {member.judge: member.score for member in result.judges}
    stacked = next((panel.worth.score for panel in result.panels if panel.method == "stacked"), math.nan)
    for name in drawn:
        with_it = {0: alone.get(name, stacked)}
        with_it |= {r.raters: people[r.raters] + r.gain for r in result.people_and_judge if r.beside == name}
        rows += [_point(f"with {names[name]}", raters, score - origin) for raters, score in with_it.items()]
    return rows


def _point(series: str, raters: int, score: float) -> Row:
    ends = {"low": None, "high": None, "is_main": series == ALONE}
    return {"series": series, "x": raters, "y": finite(score), **ends}


def _table(result: PanelResult, drawn: Sequence[str], terms: Terms, words: ScoreWords) -> Table:
    """How many raters those that the chart shows save, by the number of people asked."""
    ends = list(dict.fromkeys([drawn[0], drawn[-1]]))  # the best judge and the panel; the JSON has all
    names = short_names(ends, 40)
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
        caption="How many raters a judge beside them saves, by the number of people asked",
        columns=["Asked", heading, *(f"{names[name]} saves" for name in ends), "Items"],
        rows=rows,
        percent=frozenset({heading} if words.percent_columns else ()),
    )
