"""The first screen of a report on several questions or slices: what they say together, and a small chart of each."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dissensus.methods.decide.reasons import worth_text
from dissensus.methods.decide.result import DecideResult
from dissensus.methods.describe.describe import DescribeResult
from dissensus.methods.parts.result import Overall, Part, PartsResult
from dissensus.report.answers import Answers, AnswersInParts
from dissensus.report.document import Figure, Front, Points, Section, Table, Tile
from dissensus.report.front import NEXT, agree_tile, ends_of, judges_in, next_tile, worth_tile
from dissensus.report.numbers import capital, counted, decimal, listing, short_names, visible
from dissensus.report.specs import Row, slot_row, worth_dots
from dissensus.report.views.describe import coefficient_name, headline, labels_figure
from dissensus.report.views.parts import mean_text
from dissensus.report.views.section import judge_slots

MOST_PANELS = 24
"""More questions or slices than that are in the table only."""
MOST_JUDGES = 10
LONGEST_NAME = 18
MOST_NAMES = 3


def front_of_parts(found: AnswersInParts, section: Section, *, title: str, steps: Mapping[str, str]) -> Front:
    """The first screen of several questions, or of slices.

    `found`: what the data say of each, and together. `section`: what the parts say together, as their view has it: the
    answer, the table, notes. `title`: the name of the data. `steps`: what to collect next, by question; empty for
    nothing.
    """
    notes = [text for block in section.blocks if isinstance(block, Points) for text in block.texts]
    tiles = _of_slices(found, steps) if found.decision.by is not None else _of_questions(found, steps)
    return Front(
        title=title,
        scope=_scope(found),
        answer=section.lead,
        reason=notes[0] if notes else "",
        tiles=tiles,
        main=next((block for block in section.blocks if isinstance(block, Table)), None),
        figures=panels_of(found.decision),
        more=notes[1:],
    )


def _scope(found: AnswersInParts) -> str:
    parts, each = found.decision, list(found.by_question.values())
    by = "" if parts.by is None else f" by {visible(parts.by)}"
    items = {answers.agreement.whole.items for answers in each}
    raters = max((answers.agreement.whole.raters or 0 for answers in each), default=0)
    judges = len({name for answers in each for name in judges_in(answers)})
    counts = [
        f"{counted(len(parts.parts), 'question' if parts.by is None else 'slice')}{by}",
        counted(max(items), "item") if len(items) == 1 else f"up to {counted(max(items), 'item')} each",
        *([counted(raters, "rater")] if raters else []),
        *([counted(judges, "judge")] if judges else []),
    ]
    return ", ".join(counts)


# ---- Tiles


def _of_slices(found: AnswersInParts, steps: Mapping[str, str]) -> list[Tile]:
    """Of all items together, and whether a slice stands out."""
    question, answers = next(iter(found.by_question.items()))
    decision, differences = answers.decision, found.decision.differences
    tiles = [agree_tile(answers.agreement)]
    tiles += [] if decision is None else [worth_tile(decision)]
    if differences:
        out = [f"{visible(one.judge)} on {visible(one.value)}" for one in differences if one.finding is not None]
        answer = counted(len(out), "slice") if out else "No slice"
        detail = f"{listing(out, most=MOST_NAMES)}." if out else "The differences could be chance."
        tiles.append(Tile(question="Where does a judge do worse or better?", answer=answer, detail=detail))
    return [*tiles, next_tile(decision, steps.get(question, ""))]


def _of_questions(found: AnswersInParts, steps: Mapping[str, str]) -> list[Tile]:
    """The range over questions, and whether one judge suits all of them."""
    overall, tiles = found.decision.overall, [_agreement_range(list(found.by_question.values()))]
    if isinstance(overall, Overall):
        known = [judge for judge in overall.judges if math.isfinite(judge.worth)]
        if known:
            value, _, ends = mean_text(known[0]).partition(" [")
            detail = f"{visible(known[0].judge)}, mean over questions{f' [{ends}' if ends else ''}."
            tiles.append(
                Tile(question="What is the best judge worth?", answer=capital(f"{value} raters"), detail=detail)
            )
    if any(answers.decision is not None for answers in found.by_question.values()):
        use = overall.use if isinstance(overall, Overall) else ()
        names = listing([visible(name) for name in use], most=MOST_NAMES, word="or")
        detail = f"Use {names}." if use else "Choose a judge for each question."
        tiles.append(Tile(question="Does one judge suit every question?", answer="Yes" if use else "No", detail=detail))
    wanted = [question for question, step in steps.items() if step]
    if not wanted:
        return [*tiles, next_tile(None, "")]
    detail = f"See {listing([visible(question) for question in wanted], most=MOST_NAMES)}."
    return [*tiles, Tile(question=NEXT, answer=f"Collect more for {len(wanted)} of {len(steps)}", detail=detail)]


def _agreement_range(each: Sequence[Answers]) -> Tile:
    best = [headline(answers.agreement.whole.coefficients, answers.agreement.settings.get("scale")) for answers in each]
    known = sorted((one for one in best if one is not None and math.isfinite(one.value)), key=lambda one: one.value)
    if not known:
        return Tile(question="Do raters agree?", answer="Not known", detail="No item has two ratings.")
    ends = list(dict.fromkeys(decimal(one.value) for one in (known[0], known[-1])))
    names = listing(list(dict.fromkeys(coefficient_name(one.name) for one in known)), most=MOST_NAMES)
    return Tile(
        question="Do raters agree?",
        answer=" to ".join(ends),
        detail=f"{names}: 0 is chance, 1 is perfect.",
    )


# ---- A small chart of each question or slice, all on the same axis


def panels_of(result: PartsResult) -> list[Figure]:
    """What judges are worth in each part; without judges how often each label was given."""
    parts = result.parts[:MOST_PANELS]
    decisions = [part.result for part in parts if isinstance(part.result, DecideResult)]
    if len(decisions) == len(parts):
        last = max((own.largest for own in decisions), default=0)
        ends = [end for own in decisions for judge in own.judges for end in ends_of(judge).values() if end is not None]
        finite = [end for end in ends if math.isfinite(end)]
        reach = float(last) if math.inf in ends else max([2.0, *map(math.ceil, finite)])
        return [_panel(part, own, reach) for part, own in zip(parts, decisions, strict=True)] if last else []
    described = [part for part in parts if isinstance(part.result, DescribeResult)]
    return [_labels_panel(part) for part in described]


def _title(part: Part) -> str:
    return f"{capital(visible(part.name))} ({counted(part.items, 'item')})"


def _panel(part: Part, own: DecideResult, reach: float) -> Figure:
    judges = own.judges[:MOST_JUDGES]
    names = short_names([judge.judge for judge in judges], LONGEST_NAME, has_end=True)
    slots = judge_slots(own, [judge.judge for judge in judges])
    rows: list[Row] = []
    for judge in judges:
        places = {name: _inside(end, reach) for name, end in ends_of(judge).items()}
        rows.append(
            {
                "name": names[judge.judge],
                **places,
                "text": worth_text(judge, own.largest),
                **slot_row(slots[judge.judge]),
            }
        )
    cells = [[names[judge.judge], worth_text(judge, own.largest)] for judge in judges]
    return Figure(
        title=_title(part),
        caption="Worth in people; dashed: one person.",
        spec=worth_dots(rows, reach=reach),
        table=Table(caption=f"Worth in raters: {visible(part.name)}", columns=["Judge", "Worth"], rows=cells),
    )


def _inside(end: float | None, reach: float) -> float | None:
    """A place on the axis: what is beyond its ends is at them."""
    return None if end is None else min(max(end, 0.0), reach)


def _labels_panel(part: Part) -> Figure:
    assert isinstance(part.result, DescribeResult)  # noqa: S101 - the caller looked
    figure = labels_figure(part.result)
    return replace(figure, title=_title(part), caption=f"{figure.title}.")
