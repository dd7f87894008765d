"""The verdict: what a whole report comes down to, in a few sentences."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dissensus.agreement.result import Description
from dissensus.comparison.result import CompareResult
from dissensus.decisions.answers import Answers
from dissensus.judges.result import JudgesResult
from dissensus.report.numbers import counted, decimal, percent, spelled, whole, with_interval
from dissensus.report.sentences.asking_people import asking, people_in_words
from dissensus.report.sentences.by_score import by_words
from dissensus.report.sentences.coefficients import coefficient_name, headline, interval_of, pairwise_clause
from dissensus.report.sentences.compare import p_text
from dissensus.report.sentences.equivalence import FLAT, is_flat, judge_name, place_of, raters_text, reach_of
from dissensus.report.sentences.judge_decisions import best_constant, constant_words
from dissensus.report.sentences.judges import Choice, choice_of, constant_warning, rivals
from dissensus.report.sentences.standing import differing, is_any_shown, nearest_sentence, not_yet
from dissensus.report.sentences.surveys import Settings, Terms, terms_of
from dissensus.report.untrusted import quoted
from dissensus.report.views.equivalence import best_first
from dissensus.survey.result import EquivalenceResult, JudgeWorth

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
