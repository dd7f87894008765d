"""A whole report: a verdict, a section for each question that was answered, what to collect next, what is left open."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from dissensus.methods.decide.answers import (
    BETTER,
    COLLECT,
    COMMANDS,
    ITEMS,
    OPTIONS,
    POSITIVE,
    RATERS,
    REPLACE,
    Answers,
    Unanswered,
)
from dissensus.methods.describe.result import Description
from dissensus.methods.equivalence.result import EquivalenceResult, JudgeWorth
from dissensus.methods.judges.choice import choice_of
from dissensus.options import Spelling, in_python, named
from dissensus.report.document import Block, Figure, Fold, Note, Paragraph, Part, Points, Report, Section, respelled
from dissensus.report.numbers import capital, counted, decimal, sentences, whole
from dissensus.report.verdict import verdict_of
from dissensus.report.views import unspelled_section, warning_texts, with_warnings
from dissensus.report.views.judge_words import pick_in_short
from dissensus.report.views.worth import judge_name, place_of, terms_of
from dissensus.results import Result

WITHOUT_INTERVAL = (
    "What a judge is worth in raters of a group is told without its interval, which `dissensus raters` computes."
)
AS_THEY_ARE = (
    "This section looks at answers as they are, by many definitions of agreement. Which judge to use, and whether to "
    "recalibrate it, is answered at the top."
)
NOT_RECALIBRATED = "This test takes answers as they are; recalibrated answers are not tested here."
ONE_PAIR = (
    "This compares two judges only. Allowing for all {judges} they cannot be told apart, so the answer at the top "
    "names both."
)
NAMED = "Intervals of judges are for one named beforehand; at the top that of the best one allows for having picked it."
UNIT = f"Costs are in units of what one rating costs, unless you give {named('item_cost')} and {named('rating_cost')}."
PRICES = "Costs are in your units: {item:g} for a new item and {rating:g} for a rating."
WIDE = 1.0
"""An interval wider than one rater leaves open how many people a judge replaces."""
FEW = 0.5
"""A worth that rests on a smaller share of the rated items than that is worth a suggestion."""
MANY = 0.1
"""So large a share of items rated once is worth a suggestion."""


def report_of(
    answers: Answers, *, title: str, item_cost: float = 0.0, rating_cost: float = 1.0, spelling: Spelling = in_python
) -> Report:
    """The report about some answers, in the order of a reader's questions, options as a front end spells them."""
    first = [] if answers.decision is None else [unspelled_section(answers.decision)]
    sections = [*first, unspelled_section(answers.agreement), *_raters(answers)]
    sections += [*_worth(answers), *_ranking(answers)]
    sections += [*_duel(answers), *_replacing(answers), *_together(answers), *_titled(POSITIVE, answers.prevalence)]
    sections += _titled(ITEMS, answers.items)
    sections.append(_collect(answers, Prices(item=item_cost, rating=rating_cost)))
    sections = _warned_once(sections, answers.results)
    return Report(
        title=title,
        verdict=[respelled(text, spelling) for text in verdict_of(answers)],
        sections=[
            *(respelled(section, _with_command(spelling, section.title)) for section in sections),
            *respelled(_left_open(answers), spelling),
        ],
        results=answers.results,
    )


def _with_command(spelling: Spelling, title: str) -> Spelling:
    """A spelling that names the command with each option that a report does not have."""
    names = (COMMANDS.get(title, "describe"), *COMMANDS.values())
    commands = {name.replace(" ", "_").replace("-", "_"): name for name in names}
    function = next(iter(commands))

    def spelled(option: str, of: str) -> str:
        home = of or ("" if option in OPTIONS else function)
        text = spelling(option, home)
        if home not in commands or home in text:
            return text
        # A value may follow, which has to stand next to the option.
        command = f"dissensus {commands[home]}"
        return f"`{command} {text}`" if text.startswith("-") else f"{text} of `{command}`"

    return spelled


def _titled(title: str, result: Result | None) -> list[Section]:
    """The section of a result under the question that it answers, if it does."""
    return [] if result is None else [replace(unspelled_section(result), title=title)]


def _worth(answers: Answers) -> list[Section]:
    """What judges are worth; only as the decision counts it, calibrated, where they are."""
    worth = answers.worth
    if worth is None:
        return []
    calibrated = tuple(judge for judge in worth.judges if judge.calibrated)
    return [unspelled_section(replace(worth, judges=calibrated) if calibrated else worth)]


def _ranking(answers: Answers) -> list[Section]:
    """How near answers are to people's as they are; which judge to use is said at the top."""
    if answers.ranking is None:
        return []
    section = unspelled_section(answers.ranking)
    if answers.decision is None:
        return [section]
    lead = pick_in_short(choice_of(answers.ranking), is_decided=True)
    return [_remarked(replace(section, lead=lead), AS_THEY_ARE)]


def _remarked(section: Section, text: str) -> Section:
    """A section that first says which question it answers."""
    return replace(section, blocks=[Paragraph(text=text), *section.blocks])


def _duel(answers: Answers) -> list[Section]:
    """Whether the best judge is better than the second; why that is not enough to use it alone, where it is not."""
    sections = _titled(BETTER, answers.comparison)
    use = () if answers.decision is None else answers.decision.recommendation.use
    is_told = answers.comparison is not None and answers.comparison.pairs[0].better != "neither"
    if answers.decision is None or not is_told or not len(use) > 1:
        return sections
    return [_remarked(section, ONE_PAIR.format(judges=len(answers.decision.judges))) for section in sections]


def _replacing(answers: Answers) -> list[Section]:
    """Whether a judge can replace a rater, which is asked of its answers as they are."""
    sections = _titled(REPLACE, answers.replacing)
    is_read_otherwise = answers.decision is not None and answers.decision.recommendation.how == "recalibrated"
    return [_remarked(section, NOT_RECALIBRATED) for section in sections] if is_read_otherwise else sections


def _together(answers: Answers) -> list[Section]:
    """What judges are worth together; of the best of several the interval is said to differ from that at the top."""
    if answers.together is None:
        return []
    section = unspelled_section(answers.together)
    is_picked = answers.worth is not None and answers.worth.picked is not None and len(answers.together.judges) > 1
    return [replace(section, blocks=[*section.blocks, Paragraph(text=NAMED)]) if is_picked else section]


def _raters(answers: Answers) -> list[Section]:
    """Who the raters are, and where the intervals are that a report does not compute."""
    sections = _titled(RATERS, answers.raters)
    if answers.raters is None or not answers.raters.judges:
        return sections
    return [replace(section, blocks=[*section.blocks, Paragraph(text=WITHOUT_INTERVAL)]) for section in sections]


def _warned_once(sections: Sequence[Section], results: Sequence[Result]) -> list[Section]:
    """The sections with each result's warning in the first one that has it."""
    about_data = {text for result in results for text in warning_texts(result)}
    seen: set[str] = set()
    shown = []
    for section in sections:
        warnings = [part for part in section.parts() if isinstance(part, Note) and part.text in about_data]
        others = [block for block in section.blocks if any(part not in warnings for part in _parts(block))]
        new = [warning for warning in warnings if warning.text not in seen]
        seen |= {warning.text for warning in new}
        shown.append(with_warnings(replace(section, blocks=others), new))
    return shown


def _parts(block: Block) -> Sequence[Part]:
    return block.parts if isinstance(block, Fold) else [block]


def _left_open(answers: Answers) -> list[Section]:
    texts = [open_question(part) for part in answers.unanswered]
    if not texts:
        return []
    lead = "Some questions cannot be answered from these data; below is what would answer them."
    points = Points(title="Open questions", texts=texts)
    return [Section(title="What these data leave open", lead=lead, blocks=[points])]


def open_question(unanswered: Unanswered) -> str:
    """A question that is left open, with the reason and the remedy."""
    # With the names of options as data.
    why = (getattr(text, "message", text) for text in (unanswered.reason, unanswered.remedy))
    return sentences(unanswered.question, *why)


# ---- All answers as one result, and a report in short


@dataclass(frozen=True, kw_only=True)
class Findings(Result):
    """What a report holds: its verdict, its results by the name of their command, and what is left open."""

    command: ClassVar[str] = "report"

    verdict: Sequence[str]
    results: tuple[Result, ...]
    unanswered: tuple[Unanswered, ...]

    def as_dict(self) -> dict[str, object]:
        """Each result's part of the JSON."""
        answered = {result.command: result.as_dict() for result in self.results}
        return {"verdict": list(self.verdict), **answered, "unanswered": [part.as_dict() for part in self.unanswered]}

    def rows(self) -> list[dict[str, object]]:
        """The rows of each result, with the command that they come from."""
        return [{"command": result.command, **row} for result in self.results for row in result.rows()]


def together(answers: Answers) -> Findings:
    """The answers as one result."""
    results = answers.results
    return Findings(
        settings={result.command: result.settings for result in results},
        data={role: facts for result in results for role, facts in result.data.items()},
        warnings=tuple(dict.fromkeys(warning for result in results for warning in result.warnings)),
        verdict=verdict_of(answers),
        results=results,
        unanswered=answers.unanswered,
    )


# ---- What to collect next, with what it costs


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a new item costs to prepare, and one rating of it."""

    item: float
    rating: float

    def text(self, *, items: int, ratings: int) -> str:
        """What new items and ratings cost together."""
        return f"cost {whole(round(items * self.item + ratings * self.rating, 2))}"


def _collect(answers: Answers, prices: Prices) -> Section:
    """What to collect next: suggestions, then the plan behind the first of them, its first chart before the rest."""
    steps = next_steps(answers, prices)
    lead = steps[0] if steps else "Nothing that these data suggest: more of the same would only narrow the intervals."
    blocks: list[Block] = [Points(title="Besides", texts=steps[1:])] if steps[1:] else []
    if any("(cost " in step for step in steps):
        is_usual = prices == Prices(item=0.0, rating=1.0)
        blocks.append(Paragraph(text=UNIT if is_usual else PRICES.format(item=prices.item, rating=prices.rating)))
    if answers.plan is not None:
        parts = unspelled_section(answers.plan).parts()
        first = next((part for part in parts if isinstance(part, Figure)), None)
        blocks += [] if first is None else [first]
        blocks.append(Fold(title="What the plan rests on", parts=[part for part in parts if part is not first]))
    return Section(title=COLLECT, lead=lead, blocks=blocks)


def next_steps(answers: Answers, prices: Prices) -> list[str]:
    """Suggestions, each with what it would bring and what it costs."""
    part, worth = answers.agreement.whole, answers.worth
    step = None if answers.decision is None else answers.decision.next
    best = None if worth is None else next(iter(worth.ranked), None)
    texts = []
    if step is not None:
        cost = "" if step.cost is None else f" (cost {whole(round(step.cost, 2))})"
        texts.append(f"{capital(step.text.removesuffix('.'))}{cost}.")
    if worth is not None and best is not None:
        texts.append(more_answers(worth, part))
        if step is None:  # which judge to use comes before what it is worth to the digit
            texts += [narrow_interval(best, worth, part, prices), lengthen_curve(best, worth, part, prices)]
    return [text for text in [*texts, second_ratings(part, prices)] if text]


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
        return (
            f"{judge_name(best)} is better than asking {largest} raters, the largest survey here. Most items have more "
            f"ratings than that takes: set {named('max_raters', of='equivalence')} to {math.floor(part.median) - 1} to "
            "look further, without a new rating."
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
