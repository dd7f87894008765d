"""What to collect next, with what it costs, in words."""

import math
from dataclasses import dataclass

from dissensus.agreement.result import Description
from dissensus.comparison.result import CompareResult
from dissensus.decisions.answers import Answers
from dissensus.decisions.unanswered import Unanswered
from dissensus.planning import PlanRatersResult
from dissensus.report.numbers import counted, decimal, whole
from dissensus.report.sentences.equivalence import judge_name, place_of
from dissensus.report.sentences.plan_raters import design_words
from dissensus.report.sentences.surveys import terms_of
from dissensus.report.untrusted import quoted
from dissensus.report.views.equivalence import best_first
from dissensus.survey.result import EquivalenceResult, JudgeWorth

WIDE = 1.0
"""An interval wider than one rater leaves open how many people a judge replaces."""
MANY = 0.1
"""So large a share of items rated once is worth a suggestion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a new item costs to prepare, and one rating of it."""

    item: float
    rating: float

    def text(self, *, items: int, ratings: int) -> str:
        """What new items and ratings cost together."""
        return f"cost {whole(round(items * self.item + ratings * self.rating, 2))}"


def next_steps(answers: Answers, prices: Prices) -> list[str]:
    """Suggestions, each with what it would bring and what it costs."""
    part = answers.agreement.whole
    best = None if answers.worth is None else next(iter(best_first(answers.worth.judges)), None)
    said = [tell_apart(answers.comparison, answers.plan)]
    if answers.worth is not None and best is not None:
        said += [narrow_interval(best, part, prices), lengthen_curve(best, answers.worth, part, prices)]
    return [text for text in [*said, second_ratings(part, prices)] if text]


def tell_apart(comparison: CompareResult | None, plan: PlanRatersResult | None) -> str:
    """What it takes to know whether the best judge is better than the second."""
    if comparison is None or not comparison.pairs:
        return ""
    pair = comparison.pairs[0]
    two = f"{quoted(pair.judge_a)} and {quoted(pair.judge_b)}"
    if pair.better != "neither":
        return f"To tell {two} apart nothing more is needed: {counted(pair.items, 'item')} were enough."
    best = None if plan is None else plan.recommended
    if best is None:
        return f"To tell {two} apart more items are needed; how many these data cannot tell."
    power = _share(plan)
    return (
        f"To tell {two} apart, collect {design_words(best)}: where the difference is as these data suggest, that finds "
        f"it {power} of the time (cost {whole(round(best.cost, 2))})."
    )


def _share(plan: PlanRatersResult | None) -> str:
    power = 0.8 if plan is None else plan.settings.get("power", 0.8)
    return f"{float(str(power)):.0%}"


def narrow_interval(best: JudgeWorth, part: Description, prices: Prices) -> str:
    """What it takes to know better how many raters the best judge is worth."""
    width = best.equivalence_high - best.equivalence_low
    if best.verdict != "within" or not math.isfinite(width) or width <= WIDE:
        return ""
    items, each = 3 * part.items, max(round(part.median), 1)
    return (
        f"The interval of what {judge_name(best)} is worth is {decimal(width, 1)} raters wide. An interval shrinks "
        f"with the square root of the number of items: {counted(items, 'new item')} with {counted(each, 'rating')} "
        f"each would about halve it ({prices.text(items=items, ratings=items * each)})."
    )


def lengthen_curve(best: JudgeWorth, worth: EquivalenceResult, part: Description, prices: Prices) -> str:
    """What it takes to know how many raters a judge is worth that is better than every survey here."""
    largest = worth.curve[-1].raters
    if place_of(best, terms_of(worth.settings, largest=largest)) != "above K":
        return ""
    ratings = max(math.ceil(part.items / 2), 1)
    beaten = "the largest survey that the data allow" if largest else "asking nobody"
    needed = f"A survey of {largest + 1} takes {counted(largest + 2, 'rating')} of at least half of the items"
    return (
        f"{judge_name(best)} is better than {beaten}. {needed}: up to {counted(ratings, 'rating')} more "
        f"({prices.text(items=0, ratings=ratings)})."
    )


def second_ratings(part: Description, prices: Prices) -> str:
    """What items rated once are missing."""
    once = part.items - sum(count for _, count in part.agreement_by_item)
    if once < MANY * part.items:
        return ""
    return (
        f"{counted(once, 'item')} {'has' if once == 1 else 'have'} one rating only and say nothing about how far "
        f"raters agree; a second rating of each would ({prices.text(items=0, ratings=once)})."
    )


def open_question(unanswered: Unanswered) -> str:
    """A question that is left open, with the reason and the remedy."""
    return " ".join(filter(None, [unanswered.question, unanswered.reason, unanswered.remedy]))
