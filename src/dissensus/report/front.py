"""The first screen of a report: the decision with one reason and one caveat, four tiles, the judges and the chart.

The page of a report and the web app show the same `Front` with the same template (`templates/front.html.j2`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

from dissensus.methods.decide.reasons import raters_text, worth_text
from dissensus.methods.decide.result import DecideJudge, DecideResult, Measure
from dissensus.methods.describe.describe import DescribeResult
from dissensus.methods.parts.result import Overall, Part, PartsResult
from dissensus.report.answers import Answers, AnswersInParts
from dissensus.report.document import Bar, Bars, Cell, Figure, Front, Points, Section, Table, Tile
from dissensus.report.numbers import (
    capital,
    counted,
    decimal,
    listing,
    percent,
    quoted,
    sentences,
    short_names,
    shortened,
    visible,
    whole,
    with_interval,
)
from dissensus.report.specs.shapes import Row, slot_row, worth_dots
from dissensus.report.views.decide import (
    MEASURES,
    SHIFT_MEANS,
    STANDINGS,
    answer_sentence,
    lead_sentence,
    shift_text,
    short_worth,
    value_text,
    with_ends,
    worth_means,
)
from dissensus.report.views.describe import (
    agreement_by_item,
    agreement_in_short,
    agreement_table,
    coefficient_name,
    headline,
    labels_figure,
    labels_finding,
)
from dissensus.report.views.parts import mean_text
from dissensus.report.views.section import judge_slots
from dissensus.results import unspelled

WITH_JUDGES = "With a file of judges' answers this page also says which judge to use and what it is worth."


def verdict_of(answers: Answers) -> list[str]:
    """Which judge to use and why, what could change that, and what to do next; of ratings alone how far they agree."""
    decision = answers.decision
    if decision is None:
        agreement = answers.agreement
        texts = [agreement_in_short(agreement.whole, agreement.settings.get("scale"))]
        return texts if answers.ranking is not None or answers.worth is not None else [*texts, WITH_JUDGES]
    advice = decision.recommendation
    step = [] if decision.next is None else [f"Next: {visible(decision.next.text)}"]
    return [lead_sentence(decision), *(visible(unspelled(text)) for text in advice.caveats), *step]


GENERIC = frozenset({"ratings", "rating", "labels", "annotations", "data", "people", "human", "humans", "export"})
"""Names of files that say nothing about what is in them: the folder's name says more."""
LONGEST_QUESTION = 140
LONGEST_NAME = 22
LONGEST_IN_TILE = 40
MOST_JUDGES = 8
"""More judges than that do not fit on a screen beside everything else."""
MOST_NAMES = 2
MOST_TICKS = 6
NEXT, BEST_WORTH = "What next?", "What is the best judge worth?"
ENOUGH = "Enough for this choice"
NARROWER = "More ratings would only narrow the intervals."


def title_of(source: str) -> str:
    """A heading from the name of a file, or of its folder where the file's name says nothing.

    >>> title_of("convabuse/ratings.csv.gz"), title_of("toxic_comments.parquet"), title_of("example:toxicity")
    ('Convabuse', 'Toxic comments', 'Toxicity')
    >>> title_of("ratings.csv")
    'Ratings'
    """
    path = PurePath(source.removeprefix("example:"))
    stem = path.name.split(".")[0] or path.name
    folder = path.parent.name
    name = folder if stem.lower() in GENERIC and folder else stem
    return capital(visible(" ".join(name.replace("_", " ").split()))) or "Ratings"


def front_of(answers: Answers, *, title: str, asked: str = "", figures: Sequence[Figure] = (), step: str = "",
             warnings: Sequence[str] = ()) -> Front:  # fmt: skip
    """The first screen of some answers; of `warnings` the first stands for a caveat where the decision has none."""
    decision, scope = answers.decision, scope_of(answers, asked)
    if decision is None:
        return _without_decision(answers, title=title, scope=scope, step=step)
    # Of a warning what was done; what to do about it is for those who look further.
    done = [f"{text.partition('. ')[0].removesuffix('.')}." for text in warnings]
    caveats = [*(visible(unspelled(text)) for text in decision.recommendation.caveats), *done]
    return Front(
        title=title,
        scope=scope,
        answer=answer_sentence(decision),
        reason=visible(decision.recommendation.reason),
        caveat=caveats[0] if caveats else "",
        tiles=[agree_tile(answers.agreement), worth_tile(decision), _ahead(decision), next_tile(decision, step)],
        main=bars_of(decision),
        figures=figures,
        more=caveats[1:],
    )


def scope_of(answers: Answers, asked: str = "") -> str:
    """What was asked, and how many items, raters and judges there are.

    The judges are those that were compared, with or without an answer about them.
    """
    part, names = answers.agreement.whole, judges_in(answers)
    raters = "unnamed raters" if part.raters is None else counted(part.raters, "rater")
    counts = [counted(part.items, "item"), raters, *([counted(len(names), "judge")] if names else [])]
    question = shortened(" ".join(asked.split()), LONGEST_QUESTION)
    return f"{question} {', '.join(counts)}".strip() if question else ", ".join(counts)


def judges_in(answers: Answers) -> list[str]:
    """The judges that the answers are about, by name."""
    if answers.decision is not None:
        return [judge.judge for judge in answers.decision.judges]
    known = (result.data.get("judges", {}).get("judges") for result in answers.results)
    return next((list(map(str, names)) for names in known if isinstance(names, list | tuple)), [])


# ---- Four questions, each answered in a few words


def agree_tile(agreement: DescribeResult) -> Tile:
    """How far raters agree: corrected for chance, and how often two of them do."""
    part, question = agreement.whole, "Do raters agree?"
    best, pairs = headline(part.coefficients, agreement.settings.get("scale")), part.pairwise_agreement
    often = f"Two raters of an item agree {percent(pairs.value, 0)} of the time." if math.isfinite(pairs.value) else ""
    if best is None or not math.isfinite(best.value):
        return Tile(question=question, answer="Not known", detail=often or "No item has two ratings.")
    interval = with_interval(best.value, best.low, best.high).removeprefix(decimal(best.value))
    known = f"{coefficient_name(best.name)}{interval}: 0 is chance, 1 is perfect."
    return Tile(question=question, answer=decimal(best.value), detail=sentences(known, often))


def worth_tile(decision: DecideResult) -> Tile:
    """What the best judge is worth, with its interval."""
    best = decision.judges[0]
    text, _, ends = raters_text(best, decision.largest).partition(" [")
    name = f"{shortened(best.judge, LONGEST_IN_TILE)}, {worth_means(decision)}"
    between = f", from {' to '.join(ends.rstrip(']').split(', '))}" if ends else ""
    return Tile(question=BEST_WORTH, answer=capital(text), detail=f"{name}{between}.")


def _ahead(decision: DecideResult) -> Tile:
    """Whether the best judge can be told apart from the second, and from all others."""
    question, (best, *others) = "Is it ahead of the second?", decision.judges
    if not others:
        return Tile(question=question, answer="Only one judge", detail="Add the answers of a second judge to compare.")
    if not decision.recommendation.use:
        return Tile(question=question, answer="No judge leads", detail="None is certain enough to recommend.")
    name, near = shortened(best.judge, LONGEST_IN_TILE), [other.judge for other in others if not other.separable]
    if near:
        names = listing([shortened(other, LONGEST_IN_TILE) for other in near], most=MOST_NAMES)
        return Tile(question=question, answer="Not shown", detail=f"{names} cannot be told apart from {name}.")
    rest = shortened(others[0].judge, LONGEST_IN_TILE) if len(others) == 1 else f"all {len(others)} others"
    return Tile(question=question, answer="Yes", detail=f"{name} beats {rest}.")


def next_tile(decision: DecideResult | None, step: str) -> Tile:
    """What to collect next."""
    if not step and decision is not None:
        step = next(
            (unspelled(text) for text in decision.recommendation.caveats if text.startswith("Add raters: ")), ""
        )
    if not step:
        return Tile(question=NEXT, answer=ENOUGH, detail=NARROWER)
    own = None if decision is None else decision.next
    if own is not None and own.items is not None:
        return Tile(question=NEXT, answer=f"Rate {counted(own.items, 'item')}", detail=step)
    first, _, rest = step.partition(": ") if ": " in step else step.partition(", as ")
    return Tile(question=NEXT, answer=first.removesuffix("."), detail=capital(rest))


# ---- The judges, each with a bar, beside what they are held against

NOWHERE: dict[str, float | None] = {"value": None, "low": None, "high": None}
"""Where judges are on a curve that ends with nobody asked."""
WORTH, BEATS, SHIFT = "Worth", "Beats constant", "Shift"


class Ruler(NamedTuple):
    """What judges are held against."""

    name: str
    worth: int
    value: float
    measure: Measure


def rulers_of(decision: DecideResult) -> list[Ruler]:
    """Always giving one answer, and one more person."""
    constant, person = decision.constant, decision.person
    always = [] if constant is None else [Ruler(f"always {constant.answer}", 0, constant.value, constant.measure)]
    return [*always, *([] if person is None else [Ruler("one more person", 1, person.value, person.measure)])]


def bars_of(decision: DecideResult) -> Bars:
    """The judges with what they are worth, how they do as they are, and their shift."""
    judges, rulers = decision.judges, rulers_of(decision)
    slots = judge_slots(decision, [judge.judge for judge in judges])
    table = _table(decision)
    cells = [[str(cell or "") for cell in row[1:]] for row in table.rows]
    rows = [
        Bar(name=str(row[0]), slot=slots[judge.judge], cells=own, **(ends_of(judge) if decision.largest else NOWHERE))
        for judge, row, own in zip(judges[:MOST_JUDGES], table.rows, cells, strict=False)
    ]
    rows += [
        Bar(name=str(row[0]), slot=None, value=ruler.worth, low=None, high=None, cells=own)
        for ruler, row, own in zip(rulers, table.rows[len(judges) :], cells[len(judges) :], strict=True)
    ]
    left, constant = len(judges) - MOST_JUDGES, decision.constant
    zero = "asking nobody" if constant is None else f"always answering {quoted(constant.answer)}"
    return Bars(
        caption=f"Worth 0 is {zero}, worth 1 is one more person.",
        columns=["Judge", "Worth, in people", *table.columns[1:]],
        rows=rows,
        ticks=_ticks(judges, decision.largest),
        table=table,
        left_out=f"{counted(left, 'more judge')} in the table" if left > 0 else "",
    )


def _table(decision: DecideResult) -> Table:
    """The judges in numbers and words, and below them what they are held against."""
    names = short_names([judge.judge for judge in decision.judges], LONGEST_NAME, has_end=True)
    held = (*(judge.as_is for judge in decision.judges), decision.constant, decision.person)
    measure = next((own.measure for own in held if own is not None), None)
    as_is = capital(MEASURES[measure]) if measure else ""
    known: list[dict[str, Cell]] = [
        {
            "Judge": names[judge.judge],
            WORTH: short_worth(judge, decision.largest),
            as_is: None if judge.as_is is None else with_ends(judge.as_is),
            BEATS: None if judge.as_is is None else STANDINGS[judge.as_is.standing],
            SHIFT: None if judge.shift is None else shift_text(judge.shift, decision.person),
        }
        for judge in decision.judges
    ]
    for one in rulers_of(decision):
        name, value = shortened(one.name, LONGEST_NAME), value_text(one.measure, one.value)
        known.append({"Judge": name, WORTH: str(one.worth), as_is: value})
    columns = [name for name in known[0] if any(row.get(name) is not None for row in known)]
    parts = [f"Worth: {worth_means(decision)}", *([SHIFT_MEANS] if SHIFT in columns else [])]
    return Table(caption="; ".join(parts), columns=columns, rows=[[row.get(name) for name in columns] for row in known])


def ends_of(judge: DecideJudge) -> dict[str, float | None]:
    """Where a judge is on the axis; beyond its ends is infinitely far."""
    ends = ((judge.worth, judge.verdict), (judge.worth_low, judge.low_verdict), (judge.worth_high, judge.high_verdict))
    places = [{"above K": math.inf, "below 0": -math.inf, "within": value}.get(place or "") for value, place in ends]
    return dict(zip(("value", "low", "high"), places, strict=True))


def _ticks(judges: Sequence[DecideJudge], largest: int) -> list[int]:
    """Numbers of people on the axis: 0, 1 and 2 at least, beyond what judges may be worth."""
    ends = [end for judge in judges for end in ends_of(judge).values() if end is not None]
    most = largest if math.inf in ends else max((math.ceil(end) for end in ends if math.isfinite(end)), default=0)
    last = max(most, 2)
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, last) if last / step <= MOST_TICKS)
    return list(range(0, last + step, step))


# ---- Ratings alone, or judges about whom nothing can be decided


def _without_decision(answers: Answers, *, title: str, scope: str, step: str) -> Front:
    agreement, part = answers.agreement, answers.agreement.whole
    has_judges, scale = bool(judges_in(answers)), agreement.settings.get("scale")
    answer, _, reason = agreement_in_short(part, scale).partition("; ")
    per_item = f"{whole(part.fewest)} to {whole(part.most)}" if part.fewest < part.most else whole(part.most)
    common, _, share = labels_finding(part.labels).rpartition(": ")
    return Front(
        title=title,
        scope=scope,
        answer=f"{answer.removesuffix('.')}.",
        reason=capital(reason),
        caveat="" if has_judges else WITH_JUDGES,
        tiles=[
            agree_tile(agreement),
            Tile(question="Ratings of an item", answer=per_item, detail=f"The median is {whole(part.median)}."),
            Tile(question="The most common label", answer=share or "None", detail=f"{common}."),
            next_tile(None, step),
        ],
        main=agreement_table(part),
        figures=[] if scale == "interval" else agreement_by_item(part),
    )


# ---- Several questions or slices: what they say together, and a small chart of each

MOST_PANELS = 24
"""More questions or slices than that are in the table only."""
MOST_DOTS = 10
LONGEST_PART_NAME, MOST_PART_NAMES = 18, 3


def front_of_parts(found: AnswersInParts, section: Section, *, title: str, steps: Mapping[str, str]) -> Front:
    """The first screen of several questions, or slices; `section` is what their view says, `steps` what to collect."""
    notes = [text for block in section.blocks if isinstance(block, Points) for text in block.texts]
    tiles = _of_slices(found, steps) if found.decision.by is not None else _of_questions(found, steps)
    return Front(
        title=title,
        scope=_scope_of_parts(found),
        answer=section.lead,
        reason=notes[0] if notes else "",
        tiles=tiles,
        main=next((block for block in section.blocks if isinstance(block, Table)), None),
        figures=panels_of(found.decision),
        more=notes[1:],
    )


def _scope_of_parts(found: AnswersInParts) -> str:
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
        detail = f"{listing(out, most=MOST_PART_NAMES)}." if out else "The differences could be chance."
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
            tiles.append(Tile(question=BEST_WORTH, answer=capital(f"{value} raters"), detail=detail))
    if any(answers.decision is not None for answers in found.by_question.values()):
        use = overall.use if isinstance(overall, Overall) else ()
        names = listing([visible(name) for name in use], most=MOST_PART_NAMES, word="or")
        detail = f"Use {names}." if use else "Choose a judge for each question."
        tiles.append(Tile(question="Does one judge suit every question?", answer="Yes" if use else "No", detail=detail))
    wanted = [question for question, step in steps.items() if step and not step.lower().startswith("nothing")]
    if not wanted:
        return [*tiles, next_tile(None, "")]
    detail = f"See {listing([visible(question) for question in wanted], most=MOST_PART_NAMES)}."
    return [*tiles, Tile(question=NEXT, answer=f"Collect more for {len(wanted)} of {len(steps)}", detail=detail)]


def _agreement_range(each: Sequence[Answers]) -> Tile:
    best = [headline(answers.agreement.whole.coefficients, answers.agreement.settings.get("scale")) for answers in each]
    known = sorted((one for one in best if one is not None and math.isfinite(one.value)), key=lambda one: one.value)
    if not known:
        return Tile(question="Do raters agree?", answer="Not known", detail="No item has two ratings.")
    ends = list(dict.fromkeys(decimal(one.value) for one in (known[0], known[-1])))
    names = listing(list(dict.fromkeys(coefficient_name(one.name) for one in known)), most=MOST_PART_NAMES)
    detail = f"{names}: 0 is chance, 1 is perfect."
    return Tile(question="Do raters agree?", answer=" to ".join(ends), detail=detail)


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
    judges = own.judges[:MOST_DOTS]
    names = short_names([judge.judge for judge in judges], LONGEST_PART_NAME, has_end=True)
    slots = judge_slots(own, [judge.judge for judge in judges])
    worths = {judge.judge: worth_text(judge, own.largest) for judge in judges}
    rows: list[Row] = []
    for judge in judges:
        places = {name: _inside(end, reach) for name, end in ends_of(judge).items()}
        name, text = names[judge.judge], worths[judge.judge]
        rows.append({"name": name, **places, "text": text, **slot_row(slots[judge.judge])})
    cells = [[names[name], worth] for name, worth in worths.items()]
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
