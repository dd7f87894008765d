"""The verdict: what a whole report comes down to, in a few sentences."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dissensus.methods.compare.result import CompareResult
from dissensus.methods.decide.answers import Answers
from dissensus.methods.describe.result import Description
from dissensus.methods.equivalence.result import EquivalenceResult, JudgeWorth
from dissensus.methods.judges.result import JudgesResult
from dissensus.report.numbers import counted, decimal, percent, quoted, spelled, whole, with_interval
from dissensus.report.views.agreement import coefficient_name, headline, interval_of, pairwise_clause
from dissensus.report.views.compare import p_text
from dissensus.report.views.equivalence import best_first
from dissensus.report.views.judge_choice import (
    Choice,
    best_constant,
    choice_of,
    constant_warning,
    constant_words,
    rivals,
)
from dissensus.report.views.surveys import Settings, Terms, by_words, terms_of
from dissensus.report.views.worth import (
    FLAT,
    TURNED,
    asking,
    is_flat,
    judge_name,
    people_in_words,
    place_of,
    raters_text,
    reach_of,
    runs_against,
    surely_better,
)

# ---- Whether any judge is shown to predict people better than asking nobody, and what a report says where none is

PAIR = 2
ONE_PERSON = 1.0
"""A judge that is worth as much by its estimate could be thought to replace one."""


def is_any_shown(result: EquivalenceResult | None) -> bool | None:
    """Whether a judge is shown to be better than asking nobody; None where that is no question, or has no answer."""
    if result is None or is_flat(result.curve):
        return None
    terms = terms_of(result.settings, largest=result.curve[-1].raters)
    placed = [worth for worth in best_first(result.judges) if place_of(worth, terms) is not None]
    has_interval = bool(result.settings.get("bootstrap"))
    return any(_is_shown(worth, has_interval=has_interval) for worth in placed) if placed else None


def _is_shown(worth: JudgeWorth, *, has_interval: bool) -> bool:
    """By the interval; without one by the estimate."""
    if worth.verdict != "within":
        return worth.verdict != "below 0"
    if not has_interval:
        return worth.equivalence > 0
    return math.isfinite(worth.equivalence_low) and worth.equivalence_low > 0


def not_yet(result: EquivalenceResult) -> list[str]:
    """That no judge is to be used yet, and which one comes closest."""
    ranked = best_first(result.judges)
    terms = terms_of(result.settings, largest=result.curve[-1].raters)
    best = ranked[0]
    said = [not_yet_sentence(ranked), _closest(best, result, terms, is_only=len(ranked) == 1)]
    return [*said, TURNED] if runs_against(result, best) else said


def not_yet_sentence(ranked: Sequence[JudgeWorth]) -> str:
    """The verdict where no judge is shown to be better than asking nobody."""
    shown = "shown to predict people better than asking nobody"
    if len(ranked) == 1:
        return f"Do not use {judge_name(ranked[0])} yet: it is not {shown}."
    if len(ranked) == PAIR:
        return f"Use neither judge yet: neither is {shown}."
    return f"Use none of the {whole(len(ranked))} judges yet: none is {shown}."


def _closest(best: JudgeWorth, result: EquivalenceResult, terms: Terms, *, is_only: bool) -> str:
    """What the best of them is worth, and which survey is surely better."""
    said = "It is" if is_only else f"{judge_name(best)} is worth the most,"
    if best.verdict == "below 0":
        said = "It is" if is_only else f"{judge_name(best)} comes closest,"
        reach = reach_of(best)
        up_to = "" if reach is None or decimal(reach) == decimal(0) else f", at most {decimal(reach)} {terms.raters}"
        said += f" worth less than asking nobody{by_words(result.settings.get('score'))}{up_to}"
    else:
        said += f"{' worth' * is_only} {raters_text(best, result.settings, terms)}"
    better = _better_survey(best, result, terms)
    return f"{said}{'' if better is None else f'; asking {people_in_words(better, terms)} tells more'}."


def _better_survey(best: JudgeWorth, result: EquivalenceResult, terms: Terms) -> int | None:
    """The smallest survey that is surely better; of a judge off the curve one person, by the estimate."""
    if best.verdict == "within":
        return surely_better(best, terms)
    return next((p.raters for p in result.curve if p.raters == 1 and p.score > best.score), None)


def nearest_sentence(choice: Choice) -> str:
    """Which judge comes closest to people where none is one to pick; empty if there is nothing to choose between."""
    picked, select_by = choice.picked, choice.select_by
    if picked is None or select_by is None or len(choice.ranked) == 1:
        return ""
    said = f"Of these, {quoted(picked.judge)} comes closest to people by {select_by.name}"
    if len(select_by.best) > 1:
        said = f"Of these, none comes closest to people by {select_by.name}: the first tie"
    mine, constant = choice.downstream.get(picked.judge), best_constant(choice.downstream.values())
    if mine is None or constant is None or not constant_warning(choice):
        return f"{said}."
    often = "just as often" if mine.consistency == constant.consistency else "more often"
    return (
        f"{said}, but {constant_words(constant)}, without looking, decides as people do {often}: on "
        f"{percent(constant.consistency)} of the items{_instead(mine.consistency, constant.consistency)}."
    )


def _instead(mine: float, constant: float) -> str:
    return "" if mine == constant else f", the judge on {percent(mine)}"


def differing(answers: Answers) -> str:
    """Why the parts of a report do not say the same of the judges; empty where they do."""
    if answers.worth is None or not _do_differ(answers):
        return ""
    unit = by_words(answers.worth.settings.get("score")).strip() or "in bits"
    asked = [f"what a judge is worth is how well it predicts one more person's answer, {unit}"]
    if answers.ranking is not None and len(best_first(answers.worth.judges)) > 1:
        asked.append("which can stand in is how near its answers and decisions come to those of people together")
    if answers.replacing is not None:
        asked.append("whether it can replace a rater is whether it is as near to the raters as one of them is")
    return f"The sections differ because they measure different things: {'; '.join(asked)}."


def _do_differ(answers: Answers) -> bool:
    """Whether a judge is first in one way and not in another, or replaces raters and is worth none, or the reverse."""
    assert answers.worth is not None  # noqa: S101 - asked before
    best = next(iter(best_first(answers.worth.judges)), None)
    if best is None:
        return False
    ranked = answers.ranking
    first = None if ranked is None or ranked.recommended is None else ranked.definition(ranked.recommended).selected
    if answers.replacing is not None:
        replaces = any(judge.replaces is True for judge in answers.replacing.judges)
        is_worth_one = best.verdict == "above K" or best.equivalence >= ONE_PERSON
        if (replaces and is_any_shown(answers.worth) is False) or (is_worth_one and not replaces):
            return True
    return first is not None and first != best.judge


# ---- The verdict: what a whole report comes down to, in a few sentences

SENTENCES = 3
"""A shorter verdict ends with how far people agree."""
VISIBLE_BIAS = 0.01
"""Prevalence that is off by less than a point is not worth words."""
MOST_OPTIONS = 2
"""More positive options than that are not named one by one."""
FEW = 0.5
"""A worth that rests on a smaller share of the rated items than that says so."""


def verdict_of(answers: Answers) -> list[str]:
    """Three sentences: what the best judge is worth, what asking people would bring, and how sure the choice is.

    Where the sections do not say the same of the judges, a fourth tells why.
    """
    if answers.worth is not None and is_any_shown(answers.worth) is False:
        return _not_yet(answers, answers.worth)
    best = None if answers.worth is None else next(iter(best_first(answers.worth.judges)), None)
    said = [] if answers.worth is None or best is None else _worth(answers.worth, best, answers.agreement.whole)
    named = None if best is None or answers.worth is None or is_flat(answers.worth.curve) else best.judge
    if answers.ranking is not None:
        said += _choice(answers.ranking, answers.comparison, named)
    elif best is not None:
        duel = _duel(answers.comparison, best.judge)
        said += [] if duel is None else [duel.sentence("it" if named else quoted(best.judge))]
    if not said:
        return _agreement(answers)
    return _filled(said, answers)


def _filled(said: list[str], answers: Answers) -> list[str]:
    """The verdict with how far people agree where it is short, and with why its parts differ where they do."""
    filled = said if len(said) >= SENTENCES else [*said, *_agreement(answers)[:1]]
    return [text for text in [*filled, differing(answers)] if text]


def _not_yet(answers: Answers, worth: EquivalenceResult) -> list[str]:
    """Where no judge is shown to be better than asking nobody, no judge is picked either."""
    used, rated = worth.curve[0].items, answers.agreement.whole.items
    first, *rest = not_yet(worth)
    first = first if used >= FEW * rated else f"{first} That is on {whole(used)} of the {counted(rated, 'item')}."
    choice = None if answers.ranking is None else choice_of(answers.ranking)
    nearest = [] if choice is None else [nearest_sentence(choice)] if len(choice.ranked) > 1 else _only(choice)
    return _filled([text for text in [first, *rest, *nearest] if text], answers)


def _worth(result: EquivalenceResult, best: JudgeWorth, rated: Description) -> list[str]:
    terms = terms_of(result.settings, largest=result.curve[-1].raters)
    first, *rest = _placed(result, best, terms, rated)
    used = result.curve[0].items
    if used >= FEW * rated.items:
        return [first, *rest]
    return [f"On {whole(used)} of the {counted(rated.items, 'item')}, {first[0].lower()}{first[1:]}", *rest]


def _placed(result: EquivalenceResult, best: JudgeWorth, terms: Terms, rated: Description) -> list[str]:
    """What the best judge is worth, and what asking people would bring."""
    name, place = judge_name(best), place_of(best, terms)
    if place is None:
        return [f"How many {terms.raters} judge {name} is worth is undefined here."]
    if place == "above K":
        by = by_words(result.settings.get("score"))
        return _above(best, terms, by=by, has_more=rated.median > terms.largest + 1)
    if is_flat(result.curve):
        return [FLAT]
    return [
        f"Judge {name} is worth {raters_text(best, result.settings, terms)}.",
        asking(best, result.settings, terms),
    ]


def _above(best: JudgeWorth, terms: Terms, *, by: str, has_more: bool) -> list[str]:
    if not terms.largest:
        return [
            f"Judge {judge_name(best)} predicts people better than asking nobody.",
            f"To know how many {terms.raters} that is worth, at least half of the items need a second rating.",
        ]
    reach, people = reach_of(best), people_in_words(terms.largest, terms)
    begins = "" if reach is None else f"; its interval begins at {decimal(reach)}"
    unknown = f"How many more these data cannot tell: the largest survey that they allow asks {people}."
    return [
        f"Judge {judge_name(best)} is worth more than {terms.raters_of(terms.largest)}{by}{begins}.",
        f"How many more this page does not tell: its largest survey asks {people}." if has_more else unknown,
    ]


def _choice(result: JudgesResult, comparison: CompareResult | None, worthiest: str | None) -> list[str]:
    """Who should be picked, and who would have picked somebody else."""
    choice = choice_of(result)
    if choice.picked is None:
        return []
    if len(choice.ranked) == 1:
        return _only(choice)
    if constant_warning(choice):
        return [nearest_sentence(choice)]
    picked = choice.picked.judge
    duel = _duel(comparison, picked)
    found = rivals(choice)
    rival = found[0][0] if found else None
    said = _votes(choice, picked, worthiest)
    if duel is not None and duel.other != rival:
        said += duel.clause().replace(", but ", ", and ") if ", but " in said else duel.clause()
    if rival is not None:
        verbs = [_harm(choice, rival, result.settings), duel.verb() if duel is not None and duel.other == rival else ""]
        which = " and ".join(filter(None, verbs))
        said += f"; {spelled(len(found[0][1]))} would have picked {quoted(rival)}{f', which {which}' if which else ''}"
    return [f"{said}."]


def _votes(choice: Choice, picked: str, worthiest: str | None) -> str:
    """How many definitions pick the judge to pick, and by which it is that where most do not."""
    is_worthiest = picked == worthiest
    agreeing, total = choice.agreeing(picked), len(choice.voting)
    tied = sum(len(kind.best) > 1 for kind in agreeing)
    agree = len(agreeing) - tied
    if tied == total:
        return f"No definition of agreement can tell {'it' if is_worthiest else quoted(picked)} from another judge"
    share = f"{agree} of {counted(total, 'definition')} of agreement"
    open_ = f", {tied} cannot tell it from another judge" if tied else ""
    if 2 * len(agreeing) < total and choice.select_by is not None:
        who = "it is the judge to pick" if is_worthiest else f"the judge to pick is {quoted(picked)}"
        return f"By {choice.select_by.name} {who}, but only {share} pick{'s' * (agree == 1)} it{open_}"
    if agree == total:
        share = f"All {counted(total, 'definition')} of agreement" if total > 1 else "The one definition of agreement"
    is_same = worthiest is None or is_worthiest
    verb = f"pick{'s' * (agree == 1)}" if is_same else "would rather pick"
    return f"{share} {verb} {'it' if is_worthiest else quoted(picked)}{open_}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """The judge to pick against another one; `result` is who won, if anybody is shown to be better."""

    other: str
    result: Literal["won", "lost", "open"]
    how: str
    p_value: float

    def clause(self) -> str:
        """As what is added about the judge to pick."""
        other, sure = quoted(self.other), p_text(self.p_value)
        if self.result == "open":
            return f", but that it is better than {other} is not shown ({sure})"
        if self.result == "won":
            return f", and it beats {other} {self.how} ({sure})"
        return f", although {other} beats it {self.how} ({sure})"

    def sentence(self, judge: str = "it") -> str:
        """By itself."""
        other, sure = quoted(self.other), p_text(self.p_value)
        said = {
            "open": f"that {judge} is better than {other} is not shown",
            "won": f"{judge} beats {other} {self.how}",
            "lost": f"{other} beats {judge} {self.how}",
        }[self.result]
        return f"{said[0].upper()}{said[1:]} ({sure})."

    def verb(self) -> str:
        """As what the other one does."""
        did = {"won": f"loses to it {self.how}", "lost": f"beats it {self.how}", "open": "is not shown to be worse"}
        return f"{did[self.result]} ({p_text(self.p_value)})"


def _duel(comparison: CompareResult | None, picked: str) -> Duel | None:
    """Whether the judge to pick is shown to be better than the second; None if they were not compared."""
    pair = next((p for p in comparison.pairs if picked in {p.judge_a, p.judge_b}), None) if comparison else None
    if comparison is None or pair is None:
        return None
    won = {"a": pair.judge_a, "b": pair.judge_b}.get(pair.better)
    return Duel(
        other=pair.judge_b if pair.judge_a == picked else pair.judge_a,
        result="open" if won is None else "won" if won == picked else "lost",
        how="item by item" if comparison.metric == "wins" else f"by {comparison.metric}",
        p_value=pair.p_holm,
    )


def _harm(choice: Choice, other: str, settings: Settings) -> str:
    """What deciding with another judge does worse, as what that one does."""
    mine = choice.downstream.get(choice.picked.judge) if choice.picked else None
    theirs = choice.downstream.get(other)
    if mine is None or theirs is None:
        return ""
    if abs(theirs.bias) > abs(mine.bias) and abs(theirs.bias) >= VISIBLE_BIAS:
        how = "overstates" if theirs.bias > 0 else "understates"
        return f"{how} {_positive(settings)} by {abs(100 * theirs.bias):.0f} points"
    if theirs.consistency < mine.consistency:
        shares = percent(theirs.consistency), percent(mine.consistency)
        return f"decides as people do on {shares[0]} of the items, not on {shares[1]}"
    return ""


def _positive(settings: Settings) -> str:
    """What is decided about, in few words."""
    positive = settings.get("positive")
    names = [quoted(str(name)) for name in positive] if isinstance(positive, Sequence) else []
    return " or ".join(names) if 0 < len(names) <= MOST_OPTIONS else "the positive options"


def _only(choice: Choice) -> list[str]:
    """What one judge decides, beside the better constant."""
    row = choice.downstream.get(choice.ranked[0].judge)
    if row is None:
        return []
    share = with_interval(row.consistency, row.consistency_low, row.consistency_high, form=percent)
    said = f"It decides as people do on {share} of the items"
    constant = best_constant(choice.downstream.values())
    if constant is None:
        return [f"{said}."]
    return [f"{said}, {constant_words(constant)} without looking on {percent(constant.consistency)}."]


def _agreement(answers: Answers) -> list[str]:
    """Without judges: how far the raters agree; of numbers, which are seldom equal, by how near they are."""
    part, scale = answers.agreement.whole, answers.agreement.settings.get("scale")
    said = [f"{pairwise_clause(part.pairwise_agreement)}."]
    best = headline(part.coefficients, scale)
    if best is not None and math.isfinite(best.value):
        known = f"{coefficient_name(best.name)} is {interval_of(best)}, where 1 is perfect agreement and 0 is chance."
        said = [known] if scale == "interval" else [*said, known]
    said.append("With a file of judges' answers this page also says how many raters each judge is worth.")
    return said
