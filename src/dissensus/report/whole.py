"""A whole report: a verdict, a section for each question that was answered, what to collect next, what is left open."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from dissensus.errors import NAME_START, spelled
from dissensus.methods.describe.describe import Description
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.parts.result import Part as DataPart
from dissensus.methods.parts.result import PartsResult
from dissensus.report.answers import (
    AGREE,
    BETTER,
    COLLECT,
    COMMANDS,
    DECISION,
    ITEMS,
    POSITIVE,
    RATERS,
    REPLACE,
    REPORT_IT,
    STAND_IN,
    TOGETHER,
    WORTH,
    Answers,
    AnswersInParts,
    Unanswered,
    unforeseen,
)
from dissensus.report.document import (
    Block,
    Figure,
    Fold,
    Front,
    Note,
    Paragraph,
    Part,
    Report,
    Section,
    Table,
    reworded,
)
from dissensus.report.front import ENOUGH, NARROWER, front_of, front_of_parts, verdict_of
from dissensus.report.numbers import capital, cost_text, counted, sentences, whole
from dissensus.report.views.judges import ASK_DECIDE
from dissensus.report.views.section import MISREAD, is_fact, noted, unspelled_section, warning_texts, with_warnings
from dissensus.results import Result, unspelled

AS_THEY_ARE = "Here answers count as they are; which judge to use is answered at the top."
NOT_RECALIBRATED = "This test takes answers as they are, not recalibrated."
NO_FRONT = "The answer in short could not be made."
ONE_PAIR = "This compares two judges only; among all {judges} they cannot be told apart, so the top names both."
PICKED = "At the top, the best judge's interval also allows for having picked it."
EACH_ALONE, BESIDE = "Each slice alone", "What the first screen puts side by side, one after the other."
FOLDED = "Tables, charts and notes"
BESIDE_RULERS = "Each judge beside a constant, a person and a perfect judge"
FEW = 0.5
"""A worth that rests on a smaller share of the rated items than that is worth a suggestion."""
MANY = 0.1
"""A share of items rated once that is worth a suggestion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a new item costs to prepare, and one rating of it."""

    item: float
    rating: float

    @property
    def settings(self) -> dict[str, object]:
        """The same as the settings of a plan have them."""
        return {"item_cost": self.item, "rating_cost": self.rating}


def report_of(
    answers: Answers, *, title: str, asked: str = "", item_cost: float = 0.0, rating_cost: float = 1.0
) -> Report:
    """The report about some answers, in the order of a reader's questions, options in words."""
    prices = Prices(item=item_cost, rating=rating_cost)
    front = _front(answers, prices, title=title, asked=asked)
    return Report(
        title=title,
        front=reworded(front, for_readers),
        verdict=[for_readers(text) for text in _verdict(answers)],
        sections=_sections(answers, prices, elsewhere=front.figures),
        results=answers.results,
    )


def _sections(
    answers: Answers, prices: Prices, *, elsewhere: Sequence[Figure] = (), decision: Result | None = None
) -> list[Section]:
    """A section for each question, without charts that stand elsewhere; which judge to use first, unless it does."""
    makers: dict[str, Callable[[], list[Section]]] = {
        DECISION: lambda: _titled(DECISION, decision),
        AGREE: lambda: _titled(AGREE, answers.agreement),
        RATERS: lambda: _titled(RATERS, answers.raters),
        WORTH: lambda: _worth(answers),
        STAND_IN: lambda: _ranking(answers),
        BETTER: lambda: _duel(answers),
        REPLACE: lambda: _replacing(answers),
        TOGETHER: lambda: _together(answers),
        POSITIVE: lambda: _titled(POSITIVE, answers.prevalence),
        ITEMS: lambda: _titled(ITEMS, answers.items),
        COLLECT: lambda: [_collect(answers, prices)],
    }
    sections = [
        replace(section, blocks=[block for block in section.blocks if block not in elsewhere])
        for question, make in makers.items()
        for section in _shown(question, make)
    ]
    warned = _warned_once(sections, answers.results)
    return reworded([*warned, *_left_open(answers)], for_readers)


def report_in_parts(found: AnswersInParts, *, title: str, item_cost: float = 0.0, rating_cost: float = 1.0) -> Report:
    """The report about several questions, or slices: what they say together, then each question in full."""
    prices = Prices(item=item_cost, rating=rating_cost)
    first = reworded(unspelled_section(found.decision), for_readers)
    verdicts = {question: reworded(verdict_of(own), for_readers) for question, own in found.by_question.items()}
    short = {question: f"{_called(question)} {texts[0]}" for question, texts in verdicts.items() if question}
    sections = [
        replace(_short(section), title=f"{_called(question)} {section.title}", group=short[question])
        if question
        else section
        for question, answers in found.by_question.items()
        for section in _sections(answers, prices, decision=answers.decision if question else None)
    ]
    verdict = [first.lead, *short.values(), *verdicts.get("", [])]
    results = [found.decision, *(result for answers in found.by_question.values() for result in answers.results)]
    steps = {question: next(iter(next_steps(answers, prices)), "") for question, answers in found.by_question.items()}
    front = reworded(front_of_parts(found, first, title=title, steps=steps), for_readers)
    folds = [block for block in first.blocks if isinstance(block, Fold)]  # the rest is on the first screen
    opening = [replace(first, title=EACH_ALONE, lead=BESIDE, blocks=folds)] if folds and not short else []
    return Report(title=title, verdict=verdict, sections=[*opening, *sections], results=results, front=front)


def _called(question: str) -> str:
    """A question before what is said about it."""
    return question if question.endswith(("?", "!", ".", ":")) else f"{question}:"


def _short(section: Section) -> Section:
    """A section about one of several questions: only its answer, if it is not about the decision itself."""
    if section.title in {DECISION, AGREE, WORTH, COLLECT} or not section.blocks:
        return section
    parts = [
        part for block in section.blocks
        for part in ([Paragraph(text=block.title), *block.parts] if isinstance(block, Fold) else [block])
    ]  # fmt: skip
    return replace(section, blocks=[Fold(title=FOLDED, parts=parts)])


_ASIDE = re.compile(rf" \([^()]*{NAME_START}[^()]*\)")
_BREAKS = ((": ", "; ", ", or "), (" with ",))
"""Where advice to give an option begins; what stands later is looked for only where there is nothing before."""
_COMMAND = re.compile(r"`dissensus ([a-z]+(?:[ -](?:raters|labels|test))?)`")
_PLACES = {command: f"'{question}'" for question, command in COMMANDS.items()} | {"decide": "the top of this page"}


def for_readers(text: str) -> str:
    """A text as a page has it, whose readers give no options: commands become sections, advice to give options goes.

    >>> from dissensus.options import named
    >>> for_readers(f"3 items are left out. Keep them with {named('keep')}."), for_readers(f"Or {named('keep')}.")
    ('3 items are left out.', "Or 'keep'.")
    """
    first, *others = re.split(r"(?<=\.) ", _ASIDE.sub("", text)) if NAME_START in text else [text]
    kept = [_without_options(first), *(sentence for sentence in others if NAME_START not in sentence)]
    shown = spelled(" ".join(kept), lambda option, _: f"'{option.replace('_', ' ')}'")
    return _COMMAND.sub(lambda found: _PLACES.get(found[1], found[0]), shown)


def _without_options(sentence: str) -> str:
    """A sentence up to the clause that names an option, if it does not begin with that."""
    start, _, named_from = sentence.partition(NAME_START)
    ends = (max(start.rfind(mark) for mark in marks) for marks in _BREAKS)
    end = next((place for place in ends if named_from and place > 0), -1)
    return f"{sentence[:end].removesuffix(',')}." if end > 0 else sentence


def _shown(question: str, make: Callable[[], list[Section]]) -> list[Section]:
    """The sections of a question; where they cannot be made, one that says so, so that the others are read."""
    try:
        return make()
    except Exception as error:  # noqa: BLE001 - a mistake of ours in one section
        return [Section(title=question, lead=f"{unforeseen(question, error)} {REPORT_IT}")]


def _verdict(answers: Answers) -> Sequence[str]:
    """The verdict, or that there is none, as in `_shown`."""
    try:
        return verdict_of(answers)
    except Exception as error:  # noqa: BLE001 - as in _shown
        return [f"{NO_FRONT} {unforeseen(NO_FRONT, error)} {REPORT_IT}"]


def _titled(title: str, result: Result | None) -> list[Section]:
    """The section of a result under the question that it answers, if it does."""
    return [] if result is None else [replace(unspelled_section(result), title=title)]


def _front(answers: Answers, prices: Prices, *, title: str, asked: str) -> Front:
    """The first screen, with the chart of what judges are worth."""
    try:
        steps = next_steps(answers, prices)
        known = [] if answers.decision is None else warning_texts(answers.decision)
        warnings = [text for text in known if not is_fact(text)]
        figures = [figure for section in _shown(WORTH, lambda: _worth(answers)) for figure in section.figures()[:1]]
        return front_of(
            answers, title=title, asked=asked, figures=figures, step=steps[0] if steps else "", warnings=warnings
        )
    except Exception as error:  # noqa: BLE001 - as in _shown
        return Front(title=title, scope=asked, answer=NO_FRONT, reason=f"{unforeseen(title, error)} {REPORT_IT}")


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
    section = replace(section, blocks=[block for block in section.blocks if block != ASK_DECIDE])
    tables = [block for block in section.blocks if isinstance(block, Table)]
    if tables and any(isinstance(block, Figure) for block in section.blocks):
        last = len(section.blocks) - sum(isinstance(block, Fold) for block in section.blocks)
        blocks: list[Block] = [block for block in section.blocks if block not in tables]
        blocks.insert(last - len(tables), Fold(title=BESIDE_RULERS, parts=tables))
        section = replace(section, blocks=blocks)
    return [_remarked(section, AS_THEY_ARE)]


def _remarked(section: Section, text: str) -> Section:
    """A section that first says which question it answers."""
    return replace(section, blocks=[Paragraph(text=text), *section.blocks])


def _duel(answers: Answers) -> list[Section]:
    """Whether the best judge is better than the second; why that is not enough to use it alone, where it is not."""
    sections = _titled(BETTER, answers.comparison)
    use = () if answers.decision is None else answers.decision.recommendation.use
    is_apart = answers.comparison is not None and answers.comparison.pairs[0].better != "neither"
    if answers.decision is None or not is_apart or not len(use) > 1:
        return sections
    return [_remarked(section, ONE_PAIR.format(judges=len(answers.decision.judges))) for section in sections]


def _replacing(answers: Answers) -> list[Section]:
    """Whether a judge can replace a rater, which is asked of its answers as they are."""
    sections = _titled(REPLACE, answers.replacing)
    is_read_otherwise = answers.decision is not None and answers.decision.recommendation.how == "recalibrated"
    return [_remarked(section, NOT_RECALIBRATED) for section in sections] if is_read_otherwise else sections


def _together(answers: Answers) -> list[Section]:
    """What judges are worth together; why the interval of the best of several differs from that at the top."""
    if answers.together is None:
        return []
    section = unspelled_section(answers.together)
    is_picked = answers.worth is not None and answers.worth.picked is not None and len(answers.together.judges) > 1
    return [_remarked(section, PICKED) if is_picked else section]


def _warned_once(sections: Sequence[Section], results: Sequence[Result]) -> list[Section]:
    """The sections with each result's warning in the first one that has it; which ratings count is said once."""
    about_data = {text for result in results for text in warning_texts(result)}
    seen: set[str] = set()
    found = []
    for section in sections:
        warnings = [part for part in section.parts() if isinstance(part, Note) and part.text in about_data]
        others = [block for block in section.blocks if any(part not in warnings for part in _parts(block))]
        new = [warning for warning in warnings if warning.text not in seen]
        known = [one for one in new if _is_about_kinds(one.text) and any(map(_is_about_kinds, seen))]
        advising = [one for one in new if NAME_START in one.text and not one.text.startswith(MISREAD)]
        known += [one for one in advising if one not in known and not _is_about_kinds(one.text)]
        seen |= {warning.text for warning in new}
        found.append(with_warnings(replace(section, blocks=others), new, folded=known))
    return found


def _is_about_kinds(warning: str) -> bool:
    """Whether a warning says which of two kinds of ratings count: forced choices or response sets."""
    return "forced choices" in warning.lower() or "response sets only" in warning


def _parts(block: Block) -> Sequence[Part]:
    return block.parts if isinstance(block, Fold) else [block]


def _left_open(answers: Answers) -> list[Section]:
    points = noted([open_question(part) for part in answers.unanswered])
    lead = "These data cannot answer every question."
    return [Section(title="What these data leave open", lead=lead, blocks=points)] if points else []


def open_question(unanswered: Unanswered) -> str:
    """A question that is left open, with the reason and the remedy."""
    return sentences(unanswered.question, *map(unspelled, (unanswered.reason, unanswered.remedy)))


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
        verdict=_verdict(answers),
        results=results,
        unanswered=answers.unanswered,
    )


def together_in_parts(found: AnswersInParts) -> PartsResult:
    """The answers to each question as one result; of slices all of it is in the last part, called all items."""
    own = found.decision
    parts = [
        DataPart(question=question or None, by=None if question else own.by, value=None if question else "all items",
             items=answers.agreement.whole.items, result=together(answers))
        for question, answers in found.by_question.items()
    ]  # fmt: skip
    slices = own.parts if own.by is not None else ()
    return replace(own, method="report", parts=(*slices, *parts))


# ---- What to collect next, with what it costs


def _collect(answers: Answers, prices: Prices) -> Section:
    """What to collect next: suggestions, and folded the plan behind the first of them."""
    steps = next_steps(answers, prices)
    lead = steps[0] if steps else f"{ENOUGH}. {NARROWER}"
    blocks: list[Block] = [*noted(steps[1:])]
    if answers.plan is not None:
        blocks.append(Fold(title="The plan behind this", parts=unspelled_section(answers.plan).parts()))
    return Section(title=COLLECT, lead=lead, blocks=blocks)


def next_steps(answers: Answers, prices: Prices) -> list[str]:
    """Suggestions, each with what it would bring and what it costs; that of the decision comes first."""
    part, worth = answers.agreement.whole, answers.worth
    step = None if answers.decision is None else answers.decision.next
    texts = []
    if step is not None:
        cost = "" if step.cost is None else f" ({cost_text(step.cost, prices.settings)})"
        texts.append(f"{capital(step.text.removesuffix('.'))}{cost}.")
    texts += [] if worth is None or not worth.ranked else [more_answers(worth, part)]
    return [text for text in [*texts, second_ratings(part, prices)] if text]


def more_answers(worth: EquivalenceResult, part: Description) -> str:
    """That judges left rated items out, whose answers would cost no rating."""
    used = worth.curve[0].items
    if used >= FEW * part.items:
        return ""
    return (
        f"Let every judge answer all {counted(part.items, 'rated item')}, which costs no rating: what judges are worth "
        f"rests on {whole(used)} of them."
    )


def second_ratings(part: Description, prices: Prices) -> str:
    """What items rated once are missing."""
    once = part.items - sum(count for _, count in part.agreement_by_item)
    if once < MANY * part.items:
        return ""
    return (
        f"Get a second rating of {counted(once, 'item')} ({cost_text(once * prices.rating, prices.settings)}): an item "
        "with one rating says nothing about agreement."
    )
