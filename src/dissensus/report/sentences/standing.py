"""Whether any judge is shown to predict people better than asking nobody, and what a report says where none is."""

import math
from collections.abc import Sequence

from dissensus.decisions.answers import Answers
from dissensus.report.numbers import decimal, percent, whole
from dissensus.report.sentences.asking_people import people_in_words, surely_better
from dissensus.report.sentences.by_score import by_words
from dissensus.report.sentences.equivalence import (
    TURNED,
    is_flat,
    judge_name,
    place_of,
    raters_text,
    reach_of,
    runs_against,
)
from dissensus.report.sentences.judge_decisions import best_constant, constant_words
from dissensus.report.sentences.judges import Choice, constant_warning
from dissensus.report.sentences.surveys import Terms, terms_of
from dissensus.report.untrusted import quoted
from dissensus.report.views.equivalence import best_first
from dissensus.survey.result import EquivalenceResult, JudgeWorth

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
