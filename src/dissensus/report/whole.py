"""A whole report: a verdict, a section for each question that was answered, and what is left open."""

from collections.abc import Sequence
from dataclasses import replace

from dissensus.decisions.answers import Answers
from dissensus.decisions.unanswered import BETTER, COLLECT
from dissensus.report.document import Block, Figure, Fold, Note, Paragraph, Points, Report, Section
from dissensus.report.sentences.next_steps import Prices, next_steps, open_question
from dissensus.report.sentences.verdict import verdict_of
from dissensus.report.untrusted import visible
from dissensus.report.views import section_of
from dissensus.results import Result

MOST_WARNINGS = 2
"""More warnings than that about one question are folded."""
UNIT = "Costs are in units of what one rating costs, unless you give --item-cost and --rating-cost."


def report_of(answers: Answers, *, title: str, item_cost: float = 0.0, rating_cost: float = 1.0) -> Report:
    """The report about some answers, in the order of a reader's questions."""
    sections = [section_of(part) for part in (answers.agreement, answers.worth, answers.ranking) if part is not None]
    if answers.comparison is not None:
        sections.append(replace(section_of(answers.comparison), title=BETTER))
    sections.append(_collect(answers, Prices(item=item_cost, rating=rating_cost)))
    return Report(
        title=title,
        verdict=verdict_of(answers),
        sections=[*_warned_once(sections, answers.results), *_left_open(answers)],
        results=answers.results,
    )


def report_on(results: Sequence[Result], *, title: str) -> Report:
    """A report with a section for each result; their leads are the verdict."""
    sections = [section_of(result) for result in results]
    return Report(
        title=title, verdict=[section.lead for section in sections], sections=sections, results=tuple(results)
    )


def _warned_once(sections: Sequence[Section], results: Sequence[Result]) -> list[Section]:
    """The sections with each result's warning in the first one that has it, many warnings of a section in a fold."""
    about_data = {visible(warning) for result in results for warning in result.warnings}
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


def _collect(answers: Answers, prices: Prices) -> Section:
    """What to collect next: suggestions, then the plan behind the first of them."""
    steps = next_steps(answers, prices)
    lead = steps[0] if steps else "Nothing that these data suggest: more of the same would only narrow the intervals."
    blocks: list[Block] = [Points(title="Besides", texts=steps[1:])] if steps[1:] else []
    if any("(cost " in step for step in steps):
        blocks.append(Paragraph(text=UNIT))
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
    said = [open_question(part) for part in answers.unanswered]
    if not said:
        return []
    lead = "Some questions cannot be answered from these data; below is what would answer them."
    return [Section(title="What these data leave open", lead=lead, blocks=[Points(title="Open questions", texts=said)])]
