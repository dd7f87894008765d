"""The verdict: what a whole report comes down to, in a few sentences."""

import math
from dataclasses import dataclass
from typing import Literal

from dissensus.methods.compare.result import CompareResult
from dissensus.methods.decide.answers import Answers
from dissensus.methods.describe.result import Description
from dissensus.methods.equivalence.result import EquivalenceResult, JudgeWorth
from dissensus.methods.judges.choice import Choice, choice_of
from dissensus.methods.judges.result import JudgesResult
from dissensus.report.numbers import (
    capital,
    counted,
    p_text,
    percent,
    quoted,
    whole,
    with_interval,
)
from dissensus.report.views import worth as words
from dissensus.report.views.describe import coefficient_name, headline, interval_of, pairwise_clause
from dissensus.report.views.judge_words import constant_words, kind_name, none_beats
from dissensus.report.views.worth import Terms

PAIR = 2
ONE_PERSON = 1.0
"""A judge that is worth as much by its estimate could be thought to replace one."""
SENTENCES = 3
"""A shorter verdict ends with how far people agree."""
FEW = 0.5
"""A worth that rests on a smaller share of the rated items than that says so."""


def verdict_of(answers: Answers) -> list[str]:
    """Three sentences: what the best judge is worth, what asking people would bring, and how sure the choice is.

    Where the sections do not say the same of the judges, a fourth tells why.
    """
    worth = answers.worth
    if worth is not None and worth.is_any_shown is False:
        return _filled(_not_yet(answers, worth), answers)
    best = None if worth is None else worth.picked
    texts = [] if worth is None or best is None else _worth(worth, best, answers.agreement.whole)
    worthiest = None if best is None or worth is None or worth.is_flat else best.judge
    if answers.ranking is not None:
        texts += _choice(answers.ranking, answers.comparison, worthiest)
    elif best is not None and (duel := _duel(answers.comparison, best.judge)) is not None:
        texts.append(duel.sentence("it" if worthiest else quoted(best.judge)))
    return _filled(texts, answers) if texts else _agreement(answers)


def _filled(texts: list[str], answers: Answers) -> list[str]:
    """The verdict with how far people agree where it is short, and with why its parts differ where they do."""
    filled = texts if len(texts) >= SENTENCES else [*texts, *_agreement(answers)[:1]]
    return [text for text in [*filled, differing(answers)] if text]


# ---- What a report says where no judge is shown to predict people better than asking nobody


def _not_yet(answers: Answers, worth: EquivalenceResult) -> list[str]:
    """Where no judge is shown to be better than asking nobody, no judge is picked either."""
    used, rated = worth.curve[0].items, answers.agreement.whole.items
    first, *rest = not_yet(worth)
    first = first if used >= FEW * rated else f"{first} That is on {whole(used)} of the {counted(rated, 'item')}."
    choice = None if answers.ranking is None else choice_of(answers.ranking)
    nearest = [] if choice is None else [nearest_sentence(choice)] if len(choice.ranked) > 1 else _only(choice)
    return [text for text in [first, *rest, *nearest] if text]


def not_yet(result: EquivalenceResult) -> list[str]:
    """That no judge is to be used yet, and which one comes closest."""
    ranked = result.ranked
    best, shown = result.picked or ranked[0], "shown to predict people better than asking nobody"
    first = f"Use none of the {whole(len(ranked))} judges yet: none is {shown}."
    if len(ranked) == 1:
        first = f"Do not use {words.judge_name(best)} yet: it is not {shown}."
    elif len(ranked) == PAIR:
        first = f"Use neither judge yet: neither is {shown}."
    runs_against = best.verdict == "below 0" and result.settings.get("score") in words.ORDERS
    return [first, _closest(best, result, is_only=len(ranked) == 1), *([words.TURNED] if runs_against else [])]


def _closest(best: JudgeWorth, result: EquivalenceResult, *, is_only: bool) -> str:
    """What the best of them is worth, and which survey is surely better; off the curve one person, by the estimate."""
    terms = words.terms_of(result.settings, largest=result.curve[-1].raters)
    if best.verdict == "below 0":
        who = "It is" if is_only else f"{words.judge_name(best)} comes closest,"
        is_certain = best.high_verdict in {None, "below 0"}
        less = f"less than asking nobody{words.by_words(result.settings.get('score'))}"
        text = f"{who} worth {less if is_certain else words.raters_text(best, result.settings, terms)}"
    else:
        who = "It is worth" if is_only else f"{words.judge_name(best)} is worth the most,"
        text = f"{who} {words.raters_text(best, result.settings, terms)}"
    better = next((p.raters for p in result.curve if p.raters == 1 and p.score > best.score), None)
    if best.verdict == "within" or best.high_verdict not in {None, "below 0"}:
        better = words.surely_better(best, terms)
    return f"{text}{'' if better is None else f'; asking {terms.people_in_words(better)} tells more'}."


def nearest_sentence(choice: Choice) -> str:
    """Which judge comes closest to people where none is one to pick; empty if there is nothing to choose between."""
    picked, select_by, mine, constant = choice.picked, choice.select_by, choice.decided, choice.constant
    if choice.beaten_by is not None and len(choice.ranked) > 1:
        return none_beats(choice)
    if picked is None or select_by is None or len(choice.ranked) == 1:
        return ""
    text = f"Of these, {quoted(picked.judge)} comes closest to people by {kind_name(select_by)}"
    if len(select_by.best) > 1:
        text = f"Of these, none comes closest to people by {kind_name(select_by)}: the first tie"
    if mine is None or constant is None or not choice.is_beaten:
        return f"{text}."
    is_same = mine.consistency == constant.consistency
    often, instead = ("just as often", "") if is_same else ("more often", f", the judge on {percent(mine.consistency)}")
    return (
        f"{text}, but {constant_words(constant)}, without looking, decides as people do {often}: on "
        f"{percent(constant.consistency)} of the items{instead}."
    )


# ---- What the best judge is worth


def _worth(result: EquivalenceResult, best: JudgeWorth, rated: Description) -> list[str]:
    """What the best judge is worth, and what asking people would bring."""
    terms = words.terms_of(result.settings, largest=result.curve[-1].raters)
    first, *rest = _placed(result, best, terms, rated)
    used = result.curve[0].items
    if used < FEW * rated.items:
        first = f"On {whole(used)} of the {counted(rated.items, 'item')}, {first[0].lower()}{first[1:]}"
    return [first, *rest]


def _placed(result: EquivalenceResult, best: JudgeWorth, terms: Terms, rated: Description) -> list[str]:
    name, place = words.judge_name(best), words.place_of(best, terms)
    if place is None:
        return [f"How many {terms.raters} judge {name} is worth is undefined here."]
    if place == "above K" and not terms.largest:
        return [
            f"Judge {name} predicts people better than asking nobody.",
            f"To know how many {terms.raters} that is worth, at least half of the items need a second rating.",
        ]
    worth = words.raters_text(best, result.settings, terms)
    if place == "above K" and best.low_verdict in {None, "above K"}:
        by, people = words.by_words(result.settings.get("score")), terms.people_in_words(terms.largest)
        unknown = f"How many more these data cannot tell: the largest survey that they allow asks {people}."
        if rated.median > terms.largest + 1:
            unknown = f"How many more this page does not tell: its largest survey asks {people}."
        return [f"Judge {name} is worth more than {terms.raters_of(terms.largest)}{by}.", unknown]
    if result.is_flat:
        return [words.FLAT]
    return [f"Judge {name} is worth {worth}.", words.asking(best, terms)]


# ---- Who should be picked, and who would have picked somebody else


def _choice(result: JudgesResult, comparison: CompareResult | None, worthiest: str | None) -> list[str]:
    choice = choice_of(result)
    if choice.beaten_by is not None:
        return [none_beats(choice)]
    if choice.picked is None:
        return []
    if len(choice.ranked) == 1:
        return _only(choice)
    if choice.is_beaten:
        return [nearest_sentence(choice)]
    picked, select_by = choice.picked.judge, choice.select_by
    who = "it" if picked == worthiest else quoted(picked)
    by = "" if select_by is None else f"By {kind_name(select_by)} "
    how = "comes closest to people, too" if picked == worthiest else "comes closest to people"
    if select_by is not None and len(select_by.best) > 1:
        how = "and others are equally near to people"
    text = f"{by}{who} {how}"
    duel = _duel(comparison, picked)
    if duel is not None:
        text += duel.clause()
    return [f"{text}."]


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """The judge to pick against another one; `result` is who won, if anybody is shown to be better."""

    other: str
    result: Literal["won", "lost", "open"]
    how: str
    p_value: float

    def clause(self) -> str:
        """As what is added about the judge to pick."""
        other = quoted(self.other)
        text = {
            "open": f"but that it is better than {other} is not shown",
            "won": f"and it beats {other} {self.how}",
            "lost": f"although {other} beats it {self.how}",
        }[self.result]
        return f", {text} ({p_text(self.p_value)})"

    def sentence(self, judge: str) -> str:
        """By itself."""
        other = quoted(self.other)
        text = {
            "open": f"that {judge} is better than {other} is not shown",
            "won": f"{judge} beats {other} {self.how}",
            "lost": f"{other} beats {judge} {self.how}",
        }[self.result]
        return f"{capital(text)} ({p_text(self.p_value)})."


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


def _only(choice: Choice) -> list[str]:
    """What one judge decides, beside the better constant."""
    row, constant = choice.downstream.get(choice.ranked[0].judge), choice.constant
    if row is None:
        return []
    share = with_interval(row.consistency, row.consistency_low, row.consistency_high, form=percent)
    text = f"It decides as people do on {share} of the items"
    if constant is None:
        return [f"{text}."]
    return [f"{text}, {constant_words(constant)} without looking on {percent(constant.consistency)}."]


# ---- How far people agree, and why the parts of a report differ


def _agreement(answers: Answers) -> list[str]:
    """Without judges: how far the raters agree; of numbers, which are seldom equal, by how near they are."""
    part, scale = answers.agreement.whole, answers.agreement.settings.get("scale")
    texts = [f"{pairwise_clause(part.pairwise_agreement)}."]
    best = headline(part.coefficients, scale)
    if best is not None and math.isfinite(best.value):
        known = f"{coefficient_name(best.name)} is {interval_of(best)}, where 1 is perfect agreement and 0 is chance."
        texts = [known] if scale == "interval" else [*texts, known]
    return [*texts, "With a file of judges' answers this page also says how many raters each judge is worth."]


def differing(answers: Answers) -> str:
    """Why the parts of a report do not say the same of the judges; empty where they do."""
    if answers.worth is None or not _do_differ(answers, answers.worth):
        return ""
    unit = words.by_words(answers.worth.settings.get("score")).strip() or "in bits"
    asked = [f"what a judge is worth is how well it predicts one more person's answer, {unit}"]
    if answers.ranking is not None and len(answers.worth.ranked) > 1:
        asked.append("which can stand in is how near its answers and decisions come to those of people together")
    if answers.replacing is not None:
        asked.append("whether it can replace a rater is whether it is as near to the raters as one of them is")
    return f"The sections differ because they measure different things: {'; '.join(asked)}."


def _do_differ(answers: Answers, worth: EquivalenceResult) -> bool:
    """Whether a judge is first in one way and not in another, or replaces raters and is worth none, or the reverse."""
    best = next(iter(worth.ranked), None)
    if best is None:
        return False
    if answers.replacing is not None:
        replaces = any(judge.replaces is True for judge in answers.replacing.judges)
        is_worth_one = best.verdict == "above K" or best.equivalence >= ONE_PERSON
        if (replaces and worth.is_any_shown is False) or (is_worth_one and not replaces):
            return True
    ranked = answers.ranking
    first = None if ranked is None or ranked.recommended is None else ranked.definition(ranked.recommended).selected
    return first is not None and first != best.judge
