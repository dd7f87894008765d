"""A whole report: a verdict, a section for each question that was answered, and what is left open."""

from collections.abc import Sequence
from dataclasses import replace

from dissensus.methods.decide.answers import Answers
from dissensus.methods.decide.unanswered import BETTER, COLLECT, COMMANDS, POSITIVE, RATERS, REPLACE, options_elsewhere
from dissensus.report.document import Block, Figure, Fold, Note, Paragraph, Part, Points, Report, Section
from dissensus.report.next_steps import Prices, next_steps, open_question
from dissensus.report.numbers import quoted
from dissensus.report.verdict import is_any_shown, verdict_of
from dissensus.report.views import section_of
from dissensus.report.views.equivalence import best_first
from dissensus.report.views.finding import warning_texts
from dissensus.report.views.judge_choice import choice_of, pick_in_short
from dissensus.results import Result

MOST_WARNINGS = 2
"""More warnings than that about one question are folded."""
WITHOUT_INTERVAL = (
    "What a judge is worth in raters of a group is told without its interval, which `dissensus raters` computes."
)
UNIT = "Costs are in units of what one rating costs, unless you give --item-cost and --rating-cost."
PRICES = "Costs are in your units: {item:g} for a new item and {rating:g} for a rating."


def report_of(answers: Answers, *, title: str, item_cost: float = 0.0, rating_cost: float = 1.0) -> Report:
    """The report about some answers, in the order of a reader's questions."""
    sections = [section_of(answers.agreement), *_raters(answers)]
    sections += [*([] if answers.worth is None else [section_of(answers.worth)]), *_ranking(answers)]
    for section in _titled(BETTER, answers.comparison):
        sections.append(replace(section, blocks=[*_why_these(answers), *section.blocks]))
    sections += _titled(REPLACE, answers.replacing)
    sections += [section_of(part) for part in (answers.together,) if part is not None]
    sections += _titled(POSITIVE, answers.prevalence)
    sections.append(_collect(answers, Prices(item=item_cost, rating=rating_cost)))
    return Report(
        title=title,
        verdict=verdict_of(answers),
        sections=[*map(_with_options, _warned_once(sections, answers.results)), *_left_open(answers)],
        results=answers.results,
    )


def _titled(title: str, result: Result | None) -> list[Section]:
    """The section of a result under the question that it answers, if it does."""
    return [] if result is None else [replace(section_of(result), title=title)]


def _ranking(answers: Answers) -> list[Section]:
    """Which judge can stand in; none is one to pick where none is shown to be better than asking nobody."""
    if answers.ranking is None:
        return []
    is_shown = is_any_shown(answers.worth) is not False
    return [replace(section_of(answers.ranking), lead=pick_in_short(choice_of(answers.ranking), is_shown=is_shown))]


def _raters(answers: Answers) -> list[Section]:
    """Who the raters are, and where the intervals are that a report does not compute."""
    sections = _titled(RATERS, answers.raters)
    if answers.raters is None or not answers.raters.judges:
        return sections
    return [replace(section, blocks=[*section.blocks, Paragraph(text=WITHOUT_INTERVAL)]) for section in sections]


def report_on(results: Sequence[Result], *, title: str) -> Report:
    """A report with a section for each result; their leads are the verdict."""
    sections = [section_of(result) for result in results]
    return Report(
        title=title, verdict=[section.lead for section in sections], sections=sections, results=tuple(results)
    )


def _why_these(answers: Answers) -> list[Block]:
    """Why these two judges were compared, where they are the best in two ways and not the first and the second."""
    choice = None if answers.ranking is None else choice_of(answers.ranking)
    picked = None if choice is None else choice.picked
    worthiest = None if answers.worth is None else next(iter(best_first(answers.worth.judges)), None)
    by = None if choice is None else choice.select_by
    if picked is None or by is None or worthiest is None or picked.judge == worthiest.judge:
        return []
    text = f"{quoted(picked.judge)} comes first by {by.name}, {quoted(worthiest.judge)} is worth the most raters."
    return [Paragraph(text=text)]


def _warned_once(sections: Sequence[Section], results: Sequence[Result]) -> list[Section]:
    """The sections with each result's warning in the first one that has it, many warnings of a section in a fold."""
    about_data = {text for result in results for text in warning_texts(result)}
    told: set[str] = set()
    found = []
    for section in sections:
        warnings = [block for block in section.blocks if isinstance(block, Note) and block.text in about_data]
        others = [block for block in section.blocks if block not in warnings]
        new = [warning for warning in warnings if warning.text not in told]
        told |= {warning.text for warning in new}
        shown = [Fold(title=f"{len(new)} warnings about the data", parts=new)] if len(new) > MOST_WARNINGS else new
        found.append(replace(section, blocks=[*others, *shown]))
    return found


def _with_options(section: Section) -> Section:
    """The section, and where the options are that its hints and warnings name and a report does not have."""
    told = [text for part in section.parts() for text in _advice(part)]
    said = options_elsewhere(told, COMMANDS.get(section.title, "describe"))
    return replace(section, blocks=[*section.blocks, Paragraph(text=said)]) if said else section


def _advice(part: Part) -> Sequence[str]:
    return part.texts if isinstance(part, Points) else [part.text] if isinstance(part, Note | Paragraph) else []


def _collect(answers: Answers, prices: Prices) -> Section:
    """What to collect next: suggestions, then the plan behind the first of them."""
    steps = next_steps(answers, prices)
    lead = steps[0] if steps else "Nothing that these data suggest: more of the same would only narrow the intervals."
    blocks: list[Block] = [Points(title="Besides", texts=steps[1:])] if steps[1:] else []
    if any("(cost " in step for step in steps):
        own = PRICES.format(item=prices.item, rating=prices.rating)
        blocks.append(Paragraph(text=UNIT if prices == Prices(item=0.0, rating=1.0) else own))
    return Section(title=COLLECT, lead=lead, blocks=[*blocks, *_plan_blocks(answers)])


def _plan_blocks(answers: Answers) -> list[Block]:
    """The plan where one was needed: its first chart, the rest on demand."""
    if answers.plan is None:
        return []
    parts = section_of(answers.plan).parts()
    first = next((part for part in parts if isinstance(part, Figure)), None)
    rest = [part for part in parts if part is not first]
    return [*([] if first is None else [first]), Fold(title="What the plan rests on", parts=rest)]


def _left_open(answers: Answers) -> list[Section]:
    # Why there is no plan is told where a reader asks what to collect.
    said = [open_question(part) for part in answers.unanswered if part.question != COLLECT]
    if not said:
        return []
    lead = "Some questions cannot be answered from these data; below is what would answer them."
    return [Section(title="What these data leave open", lead=lead, blocks=[Points(title="Open questions", texts=said)])]
