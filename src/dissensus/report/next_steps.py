"""What to collect next, with what it costs, in words."""

import math
from dataclasses import dataclass

from dissensus.methods.compare.result import CompareResult
from dissensus.methods.decide.answers import Answers
from dissensus.methods.decide.unanswered import COLLECT, Unanswered
from dissensus.methods.describe.result import Description
from dissensus.methods.equivalence.result import EquivalenceResult, JudgeWorth
from dissensus.methods.plan_raters.result import PlanRatersResult
from dissensus.report.numbers import counted, decimal, quoted, whole
from dissensus.report.verdict import is_any_shown
from dissensus.report.views.equivalence import best_first
from dissensus.report.views.plan_raters import design_words
from dissensus.report.views.surveys import terms_of
from dissensus.report.views.worth import judge_name, place_of

WIDE = 1.0
"""An interval wider than one rater leaves open how many people a judge replaces."""
FEW = 0.5
"""A worth that rests on a smaller share of the rated items than that is worth a suggestion."""
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
    why = next((left.reason for left in answers.unanswered if left.question == COLLECT), "")
    is_shown = is_any_shown(answers.worth) is not False
    said = [] if is_shown else [beat_nobody(answers)]
    said.append(tell_apart(answers.comparison, answers.plan, why, is_shown=is_shown))
    if answers.worth is not None and best is not None:
        said += [
            more_answers(answers.worth, part),
            narrow_interval(best, answers.worth, part, prices),
            lengthen_curve(best, answers.worth, part, prices),
        ]
    return [text for text in [*said, second_ratings(part, prices)] if text]


def beat_nobody(answers: Answers) -> str:
    """What is missing where no judge is shown to be better than asking nobody: more items, or better judges."""
    worth = answers.worth
    assert worth is not None  # noqa: S101 - otherwise nothing would be known about asking nobody
    ranked = best_first(worth.judges)
    best = ranked[0]
    alone = judge_name(best) if len(ranked) == 1 else "No judge"
    said = f"{alone} is {'not ' * (len(ranked) == 1)}shown to predict people better than asking nobody"
    items = counted(worth.curve[0].items, "item")
    if best.equivalence_high < WIDE:
        return (
            f"{said}, and on {items} none can be worth as much as one rater: better judges are needed before more "
            "ratings."
        )
    return f"{said} on {items}: it takes more items to know, or better judges."


def tell_apart(
    comparison: CompareResult | None, plan: PlanRatersResult | None, why: str = "", *, is_shown: bool = True
) -> str:
    """What it takes to know whether the best judge is better than the second, or `why` that is unknown."""
    if comparison is None or not comparison.pairs:
        return ""
    pair = comparison.pairs[0]
    two = f"{quoted(pair.judge_a)} and {quoted(pair.judge_b)}"
    if pair.better != "neither" and not is_shown:
        return f"{two} are told apart by these {counted(pair.items, 'item')}, which makes neither of them worth using."
    if pair.better != "neither":
        return f"To tell {two} apart nothing more is needed: {counted(pair.items, 'item')} were enough."
    best = None if plan is None else plan.recommended
    if plan is None:
        return f"What it takes to tell {two} apart these data cannot tell. {why}".strip()
    if best is None:
        return f"To tell {two} apart more items are needed; how many these data cannot tell."
    power = _share(plan)
    said = (
        f"To tell {two} apart, collect {design_words(best)}: as far as these data tell how large the difference is, "
        f"that finds it {power} of the time (cost {whole(round(best.cost, 2))})."
    )
    # A test set with other numbers of raters asks another question, so that fewer items can be enough for it.
    small = f" Mind that the {counted(pair.items, 'item')} here did not find it, so take more rather than fewer."
    return f"{said}{small}" if best.items <= pair.items else said


def _share(plan: PlanRatersResult | None) -> str:
    power = 0.8 if plan is None else plan.settings.get("power", 0.8)
    return f"{float(str(power)):.0%}"


def more_answers(worth: EquivalenceResult, part: Description) -> str:
    """That judges left rated items out, whose answers would cost no rating."""
    used = worth.curve[0].items
    if used >= FEW * part.items:
        return ""
    return (
        f"What judges are worth rests on {whole(used)} of the {counted(part.items, 'item')}. Let every judge answer "
        "all rated items before you collect new ones: that costs no rating."
    )


def narrow_interval(best: JudgeWorth, worth: EquivalenceResult, part: Description, prices: Prices) -> str:
    """What it takes to know better how many raters the best judge is worth."""
    low, high = best.equivalence_low, best.equivalence_high
    is_whole = math.isfinite(low) and math.isfinite(high)
    # An end off the curve is at least as far away as the end of the curve.
    width = (high if math.isfinite(high) else worth.curve[-1].raters) - (low if math.isfinite(low) else 0.0)
    if best.verdict != "within" or not worth.settings.get("bootstrap") or width <= WIDE:
        return ""
    items, each = 3 * worth.curve[0].items, max(round(part.median), 1)
    return (
        f"The interval of what {judge_name(best)} is worth is {'' if is_whole else 'at least '}{decimal(width, 1)} "
        "raters wide. An interval shrinks with the square root of the number of items: "
        f"{counted(items, 'new item')} with {counted(each, 'rating')} each would about halve it "
        f"({prices.text(items=items, ratings=items * each)})."
    )


def lengthen_curve(best: JudgeWorth, worth: EquivalenceResult, part: Description, prices: Prices) -> str:
    """What it takes to know how many raters a judge is worth that is better than every survey here."""
    largest = worth.curve[-1].raters
    if place_of(best, terms_of(worth.settings, largest=largest)) != "above K":
        return ""
    if largest and part.median > largest + 1:
        further = f"`dissensus equivalence` with --max-raters {math.floor(part.median) - 1} looks further"
        return (
            f"{judge_name(best)} is better than asking {largest} raters, the largest survey here. Most items have more "
            f"ratings than that takes: {further}, without a new rating."
        )
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
