"""What judges are worth together and beside people, in words."""

import math
from collections.abc import Sequence

from dissensus.decisions.combining.question import Method
from dissensus.decisions.combining.result import PanelsResult, PanelWorth, PeopleAndJudge
from dissensus.report.numbers import counted, decimal, percent
from dissensus.report.sentences.equivalence import worth_text
from dissensus.report.sentences.surveys import Terms
from dissensus.report.untrusted import quoted
from dissensus.survey.result import JudgeWorth

METHOD_WORDS: dict[Method, str] = {
    "plurality": "Plurality: the label that most judges find likeliest; labels that tie share it.",
    "average": "Average: the mean of the judges' probabilities; a bare label counts as certain.",
    "stacked": "Stacked: a weighted sum of the judges' log-probabilities puts the items in order, and a rising curve "
    "says what raters answer at each place of that order. Both are learned from other items than the one predicted.",
}
CALIBRATED = (
    "Members, plurality and average are calibrated: each answer is replaced by what people said on other items where "
    "the answer was alike, so what is left is what they know. The stacked panel is calibrated by the way it learns."
)
BESIDE = (
    "With a judge beside them, people's labels and the judge's answer are stacked in the same way, and drawn towards "
    "what raters said in cases of the same kind; so are people alone, and the difference is the judge's. A score is "
    "the mean of that on other items than those learned from, which is a little too low, and on the same ones, which "
    "is as much too high."
)


def better_by(panel: PanelWorth, *, confidence: float) -> bool:
    """Whether a panel is shown to be better than its best member.

    By the interval of the difference in raters, or where one of them is off the curve by the share of the samples.
    """
    if math.isfinite(panel.low):
        return panel.low > 0
    return panel.share_better >= (1 + confidence) / 2


def lead_sentence(result: PanelsResult, terms: Terms) -> str:
    """The answer: what the best panel is worth, or what the only judge saves."""
    if not result.panels:
        said = saving_sentence(best_row(result.people_and_judge, result.judges), terms)
        return said or "There is one judge and no survey to put it beside: name two judges, or collect more ratings."
    panel = max(result.panels, key=lambda panel: panel.worth.score)
    worth = worth_text(panel.worth, result.settings, terms)
    members = counted(len(panel.judges), "judge")
    if better_by(panel, confidence=_confidence(result)):
        return (
            f"Together the {members} are worth more than any of them: the {panel.method} panel {worth} raters, "
            f"{_more(panel)} its best member {quoted(panel.best_judge)}."
        )
    best = next(own for own in result.judges if own.judge == panel.best_judge)
    return (
        f"It is not shown that the {members} together are worth more than {quoted(panel.best_judge)} alone "
        f"({worth_text(best, result.settings, terms)} raters): the best panel, {panel.method}, is worth {worth} raters."
    )


def _confidence(result: PanelsResult) -> float:
    confidence = result.settings.get("confidence")
    return confidence if isinstance(confidence, float) else 0.95


def _more(panel: PanelWorth) -> str:
    """How much more than the best member."""
    if not math.isfinite(panel.difference):
        return f"better in {percent(panel.share_better)} of the bootstrap samples than"
    ends = f" [{decimal(panel.low)}, {decimal(panel.high)}]" if math.isfinite(panel.low + panel.high) else ""
    return f"{decimal(panel.difference)}{ends} more than"


def difference_text(panel: PanelWorth) -> str:
    """How many raters more than the best member, with its interval."""
    if not math.isfinite(panel.difference):
        return "off the curve"
    ends = f" [{decimal(panel.low)}, {decimal(panel.high)}]" if math.isfinite(panel.low + panel.high) else ""
    return f"{decimal(panel.difference)}{ends}"


def best_row(rows: Sequence[PeopleAndJudge], judges: Sequence[JudgeWorth]) -> PeopleAndJudge | None:
    """What the best judge saves beside one person, or beside nobody where there is no larger survey."""
    known = [judge for judge in judges if math.isfinite(judge.score)]
    if not known or not rows:
        return None
    best = max(known, key=lambda judge: judge.score).judge
    own = [row for row in rows if row.beside == best and row.raters <= 1]
    return own[-1] if own else None


def saving_sentence(row: PeopleAndJudge | None, terms: Terms) -> str:
    """How many raters a judge saves beside a survey; empty without one."""
    if row is None:
        return ""
    people = terms.people(row.raters)
    who = f"Asking {people} with {quoted(row.beside)} beside them"
    if row.verdict == "above K":
        return f"{who} predicts another person better than asking {terms.people(terms.largest)}, the largest survey."
    if row.verdict != "within":
        return f"{who} predicts another person worse than asking nobody."
    return f"{who} is worth asking {decimal(row.worth)} people: the judge saves {saved_text(row, terms)} raters."


def saved_text(row: PeopleAndJudge, terms: Terms) -> str:
    """How many raters a judge saves, with the interval; an end off the curve in words."""
    value = _place(row.worth, row, terms)
    if math.isnan(row.low) or math.isnan(row.high):
        return value
    low, high = _place(row.low, row, terms), _place(row.high, row, terms)
    if math.isinf(row.worth) and row.low == row.high == row.worth:
        return value
    return f"{value} [{low}, {high}]"


def _place(worth: float, row: PeopleAndJudge, terms: Terms) -> str:
    if math.isnan(worth):
        return "undefined"
    if math.isinf(worth):
        return (
            f"above {terms.largest - row.raters}" if worth > 0 else f"below -{row.raters}" if row.raters else "below 0"
        )
    return decimal(worth - row.raters)


def curve_finding(result: PanelsResult, name: str) -> str:
    """What the chart of surveys with a judge shows: what the last one drawn saves beside few people."""
    rows = [row for row in result.people_and_judge if row.beside == name and row.verdict == "within"]
    few = [row for row in rows if row.raters <= 1]
    if not few:
        return "What surveys score with a judge beside them"
    people = "one person" if few[-1].raters else "nobody"
    who = quoted(name) if name in {judge.judge for judge in result.judges} else "the panel"
    return f"Beside {people} {who} saves {decimal(few[-1].saved)} raters"
