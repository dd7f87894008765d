"""The first screen of a report: the decision with one reason and one caveat, four tiles, the judges and the chart.

The page of a report and the web app show the same `Front` with the same template (`templates/front.html.j2`).
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

from dissensus.methods.alt_test.result import AltTestResult
from dissensus.methods.decide.reasons import raters_text, worth_text
from dissensus.methods.decide.result import AsIs, DecideJudge, DecideResult, Measure
from dissensus.methods.describe.describe import DescribeResult
from dissensus.report.answers import Answers
from dissensus.report.document import Bar, Bars, Cell, Figure, Front, Table, Tile
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
from dissensus.report.views.alt_test import replaced_by
from dissensus.report.views.decide import (
    MEASURES,
    SHIFT_MEANS,
    STANDINGS,
    answer_sentence,
    lead_sentence,
    shift_text,
    value_text,
    worth_means,
)
from dissensus.report.views.describe import (
    agreement_by_item,
    agreement_in_short,
    agreement_table,
    coefficient_name,
    headline,
    labels_finding,
)
from dissensus.report.views.section import judge_slots

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
    return [lead_sentence(decision), *(visible(text) for text in advice.caveats), *step]


GENERIC = frozenset({"ratings", "rating", "labels", "annotations", "data", "people", "human", "humans", "export"})
"""Names of files that say nothing about what is in them: the folder's name says more."""
LONGEST_QUESTION = 140
LONGEST_NAME = 22
MOST_JUDGES = 8
"""More judges than that do not fit on a screen beside everything else."""
MOST_NAMES = 2
MOST_TICKS = 6
NEXT = "What next?"
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
    """The first screen of some answers.

    `answers`: what the data say. `title`: the name of the data. `asked`: what people were asked, if that is known.
    `figures`: the chart beside the judges: the survey power curve. `step`: what to collect next; empty for nothing.
    `warnings`: of the decision: the first stands for a caveat where there is none.
    """
    decision = answers.decision
    scope = scope_of(answers, asked)
    if decision is None:
        return _without_decision(answers, title=title, scope=scope, step=step)
    # Of a warning what was done; what to do about it is for those who look further.
    done = [f"{text.partition('. ')[0].removesuffix('.')}." for text in warnings]
    caveats = [*map(visible, decision.recommendation.caveats), *done]
    return Front(
        title=title,
        scope=scope,
        answer=answer_sentence(decision),
        reason=visible(decision.recommendation.reason),
        caveat=caveats[0] if caveats else "",
        tiles=[agree_tile(answers.agreement), worth_tile(decision), _ahead(decision), next_tile(decision, step)],
        main=bars_of(decision, answers.replacing),
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
    name = f"{shortened(best.judge, LONGEST_NAME)}, {worth_means(decision)}"
    between = f", from {' to '.join(ends.rstrip(']').split(', '))}" if ends else ""
    return Tile(question="What is the best judge worth?", answer=capital(text), detail=f"{name}{between}.")


def _ahead(decision: DecideResult) -> Tile:
    """Whether the best judge can be told from the second, and from all others."""
    question, (best, *others) = "Is it ahead of the second?", decision.judges
    if not others:
        return Tile(question=question, answer="Only one judge", detail="Add the answers of a second judge to compare.")
    if not decision.recommendation.use:
        return Tile(question=question, answer="No judge leads", detail="None is certain enough to recommend.")
    name, near = shortened(best.judge, LONGEST_NAME), [other.judge for other in others if not other.separable]
    if near:
        names = listing([shortened(other, LONGEST_NAME) for other in near], most=MOST_NAMES)
        return Tile(question=question, answer="Not shown", detail=f"{names} cannot be told apart from {name}.")
    rest = shortened(others[0].judge, LONGEST_NAME) if len(others) == 1 else f"all {len(others)} others"
    return Tile(question=question, answer="Yes", detail=f"{name} beats {rest}.")


def next_tile(decision: DecideResult | None, step: str) -> Tile:
    """What to collect next."""
    if not step and decision is not None:
        step = next((text for text in decision.recommendation.caveats if text.startswith("Add raters: ")), "")
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
WORTH, AS_IS, SHIFT, REPLACES = "Worth", "Beats constant", "Shift", "Replaces a rater"


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


def bars_of(decision: DecideResult, replacing: AltTestResult | None) -> Bars:
    """The judges with what they are worth, as they are, their shift, and whether they replace a rater."""
    judges, rulers = decision.judges, rulers_of(decision)
    slots = judge_slots(decision, [judge.judge for judge in judges])
    table = _table(decision, {} if replacing is None else replaced_by(replacing))
    kept = [name for name in (WORTH, AS_IS, SHIFT, REPLACES) if name in table.columns]
    cells = [[str(dict(zip(table.columns, row, strict=True))[name] or "") for name in kept] for row in table.rows]
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
        columns=["Judge", "Worth, in people", *kept],
        rows=rows,
        ticks=_ticks(judges, decision.largest),
        table=table,
        left_out=f"{counted(left, 'more judge')} in the table" if left > 0 else "",
    )


def _table(decision: DecideResult, tested: Mapping[str, str]) -> Table:
    """The judges in numbers and words, and below them what they are held against."""
    names = short_names([judge.judge for judge in decision.judges], LONGEST_NAME, has_end=True)
    measure = next((judge.as_is.measure for judge in decision.judges if judge.as_is is not None), None)
    known: list[dict[str, Cell]] = [
        {
            "Judge": names[judge.judge],
            WORTH: worth_text(judge, decision.largest).replace("above ", ">").replace("below ", "<"),
            AS_IS: None if judge.as_is is None else STANDINGS[judge.as_is.standing],
            "Its answers": None if judge.as_is is None else _with_ends(judge.as_is),
            SHIFT: None if judge.shift is None else shift_text(judge.shift, decision.person),
            REPLACES: tested.get(judge.judge),
        }
        for judge in decision.judges
    ]
    known += [
        {
            "Judge": shortened(one.name, LONGEST_NAME),
            WORTH: str(one.worth),
            "Its answers": value_text(one.measure, one.value),
        }
        for one in rulers_of(decision)
    ]
    columns = [name for name in known[0] if any(row.get(name) is not None for row in known)]
    parts = [
        f"Worth: {worth_means(decision)}",
        *([f"its answers {MEASURES[measure]}"] if measure else []),
        *([SHIFT_MEANS] if SHIFT in columns else []),
    ]
    return Table(caption="; ".join(parts), columns=columns, rows=[[row.get(name) for name in columns] for row in known])


def _with_ends(own: AsIs) -> str:
    return with_interval(own.value, own.low, own.high, form=lambda value: value_text(own.measure, value))


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
