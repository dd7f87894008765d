"""What `equivalence` says: how many raters is each judge worth."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.errors import DissensusError
from dissensus.methods.equivalence.result import (
    AmateurPoint,
    Ceiling,
    CurvePoint,
    EquivalenceResult,
    JudgeDifference,
    JudgeWorth,
)
from dissensus.report.document import Block, Cell, Figure, Fold, Note, Paragraph, Points, Section, Table
from dissensus.report.numbers import (
    are,
    counted,
    decimal,
    finite,
    listing,
    percent,
    quoted,
    sentences,
    short_names,
    with_interval,
)
from dissensus.report.specs import CurveChart, Row, power_curve
from dissensus.report.text import sparkline
from dissensus.report.views import worth as words_of
from dissensus.report.views.section import interval_sentence
from dissensus.report.views.worth import ScoreWords, Settings, Terms, judge_name, samples, score_words, terms_of
from dissensus.results import Result

MOST_SENTENCES = 6
MOST_LINES = 7
"""More judges than colours beside that of the curve cannot be told apart."""
MOST_NAMES = 4
LONGEST_NAME = 20
"""Longer names, with their worth before them, would be cut a second time beside the plot."""
RAW, CALIBRATED = " (raw)", " (calibrated)"
CAPTION = (
    "Dots: surveys of so many raters, each predicting somebody who was not asked. Lines across: judges; a mark shows "
    "where one meets the curve, and below it how many raters it is worth."
)
PICKED = (
    "The best of several judges is partly lucky, and its interval allows for that. The other intervals are for judges "
    "that were named beforehand."
)
DEEPEST = 0.5
"""How far below the curve a judge may lie to be drawn, as a share of the curve's height."""


def view(result: Result) -> Section:
    """How many raters each judge is worth: the answer, each judge, the power curve, and how it was computed."""
    if not isinstance(result, EquivalenceResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what equivalence found.")
    terms = terms_of(result.settings, largest=result.curve[-1].raters)
    ranked = result.ranked
    return Section(
        title="How many raters is each judge worth?",
        lead=_lead(result, ranked, terms),
        blocks=[
            *_meaning(result, ranked, terms),
            *_judges(result, ranked, terms),
            *_curve(result, ranked, terms),
            *_others(result, ranked, terms),
            *_amateurs(result, terms),
            *_computed(result, terms),
        ],
    )


def _lead(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> str:
    if not ranked:
        return "There is no judge to compare with people."
    if result.is_flat and ranked[0].verdict == "within":
        return words_of.FLAT
    return words_of.worth_in_short(result.picked or ranked[0], result.settings, terms, judges=len(ranked))


def _meaning(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> list[Block]:
    """What the best judge's number means, and how sure it is."""
    if not ranked or result.is_flat:
        return []
    best = ranked[0]
    text = sentences(
        words_of.fraction_sentence(best, result.settings, terms),
        candidates_sentence(result),
        words_of.nearly_flat_sentence(result.curve, result.settings, terms),
    )
    return [Paragraph(text=text)] if text else []


def candidates_sentence(result: EquivalenceResult) -> str:
    """Which judges cannot be told from the best one; empty where it stands alone."""
    others = () if result.best is None else result.best.candidates[1:]
    names = listing([quoted(name) for name in others], most=MOST_NAMES)
    return f"On these items {names} cannot be told from it, allowing for all comparisons." if others else ""


def _judges(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> list[Block]:
    """Every judge: raw and calibrated beside each other, in a table."""
    if not ranked:
        return []
    blocks: list[Block] = [_judges_table(result, ranked, terms)]
    if any(worth.calibrated for worth in ranked):
        has_raw = not all(worth.calibrated for worth in result.judges)
        blocks.append(Paragraph(text=words_of.CALIBRATION_MATTERS if has_raw else words_of.CALIBRATED))
    if any(worth.verdict == "below 0" for worth in ranked):
        blocks.append(Note(text=words_of.below_hint(result.settings, terms), kind="hint"))
    return blocks


def _judges_table(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> Table:
    words = score_words(result.settings)
    origin, names = words.origin(result.curve), short_names(worth.judge for worth in ranked)
    raw = {worth.judge: worth for worth in result.judges if not worth.calibrated}
    has_both = bool(raw) and any(worth.calibrated for worth in ranked)
    has_ratio = any(worth.performance_ratio is not None for worth in ranked)
    rows: list[list[Cell]] = []
    for worth in ranked:
        # The best judge has one interval everywhere, which allows for having picked it.
        known = result.picked if result.picked is not None and result.picked.judge == worth.judge else worth
        worths = [words_of.worth_text(known, terms)]
        if has_both:
            own = raw.get(worth.judge)
            worths.insert(0, "bare labels" if own is None else words_of.worth_text(own, terms))
        ratio = [worth.performance_ratio] if has_ratio else []
        rows.append([names[worth.judge], *worths, worth.score - origin, *ratio])
    headings = ["Worth, raw", "Worth, calibrated"] if has_both else ["Worth"]
    return Table(
        caption=f"What each judge is worth, in {terms.raters}",
        columns=["Judge", *headings, words.heading, *(["Of ceiling"] if has_ratio else [])],
        rows=rows,
        percent=frozenset({"Of ceiling", *words.percent_columns}),
    )


def _curve(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> list[Block]:
    """The power curve with what it says, and the ceiling."""
    if sum(math.isfinite(point.score) for point in result.curve) <= 1:  # one point is no curve
        return []
    text = words_of.curve_sentence(result.curve, terms, score_words(result.settings))
    blocks: list[Block] = [curve_figure(result, ranked, terms), Paragraph(text=text)]
    if result.ceiling is not None:
        ratio = ratio_sentence(ranked[0]) if ranked else ""
        blocks.append(Paragraph(text=sentences(ceiling_sentence(result.ceiling, result.curve, terms), ratio)))
    falling = words_of.falling_sentence(result.curve, result.settings)
    return [*blocks, Note(text=falling, kind="hint")] if falling else blocks


def ceiling_sentence(ceiling: Ceiling, curve: Sequence[CurvePoint], terms: Terms) -> str:
    """What no survey and no judge can exceed."""
    gain = with_interval(ceiling.gain, ceiling.low, ceiling.high, form=lambda value: decimal(value, 3))
    reached = (curve[-1].score - curve[0].score) / ceiling.gain if ceiling.gain > 0 else math.nan
    part = (
        f"Asking {terms.people(terms.largest)} reaches {percent(reached, 0)} of it." if math.isfinite(reached) else ""
    )
    return sentences(
        f"However many people are asked, nobody and nothing can tell more than {gain} bits about {terms.target}: the "
        "rest is disagreement among people.",
        part,
    )


def ratio_sentence(worth: JudgeWorth) -> str:
    """A judge's information as a share of the ceiling; empty where there is none."""
    if worth.performance_ratio is None or not math.isfinite(worth.performance_ratio):
        return ""
    ends = (worth.performance_ratio_low, worth.performance_ratio_high)
    low, high = (math.nan if end is None else end for end in ends)
    ratio = with_interval(worth.performance_ratio, low, high, form=lambda share: percent(share, 0))
    return f"{judge_name(worth)} reaches {ratio} of it."


# ---- The judges after the best one, and amateurs


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One judge against another: how much more it is worth, and in which share of the samples it is better."""

    judge: JudgeWorth
    other: JudgeWorth
    difference: float
    low: float
    high: float
    share_better: float


def compared(judge: JudgeWorth, other: JudgeWorth, differences: Sequence[JudgeDifference]) -> Comparison | None:
    """The comparison of two judges, whichever of them the result names first."""
    for gap in differences:
        if (gap.judge_a, gap.judge_b) == (judge.name, other.name):
            ends, share = (gap.difference, gap.low, gap.high), gap.share_a_better
        elif (gap.judge_a, gap.judge_b) == (other.name, judge.name):
            ends, share = (-gap.difference, -gap.high, -gap.low), 1 - gap.share_a_better
        else:
            continue
        return Comparison(judge=judge, other=other, difference=ends[0], low=ends[1], high=ends[2], share_better=share)
    return None


def difference_sentence(gap: Comparison, terms: Terms) -> str:
    """How much more one judge is worth than another, and how sure it is that it is better at all."""
    one, other = judge_name(gap.judge), judge_name(gap.other)
    share = f" in {samples(gap.share_better)}" if math.isfinite(gap.share_better) else ""
    if not math.isfinite(gap.difference):
        far = f"; how many {terms.raters} apart they are is unknown, since they are not both on the curve"
        return f"{one} predicts people better than {other}{share}{far if terms.largest else ''}."
    if gap.difference == gap.low == gap.high == 0:
        return f"{one} and {other} are worth the same in every bootstrap sample."
    more = "more" if gap.difference >= 0 else "less"
    ends = (gap.low, gap.high) if gap.difference >= 0 else (-gap.high, -gap.low)
    better = f"; it predicts people better{share}" if share else ""
    return f"{one} is worth {with_interval(abs(gap.difference), *ends)} {terms.raters} {more} than {other}{better}."


def _others(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> list[Block]:
    """The judges after the best one, in words, and the best one against each of them."""
    others = ranked[1 : MOST_SENTENCES + 1]
    texts = [words_of.judge_sentence(worth, result.settings, terms) for worth in others]
    more = len(ranked) - 1 - len(texts)
    texts += [f"{counted(more, 'more judge')} {are(more)} in the table."] if more > 0 else []
    gaps = [compared(ranked[0], other, result.differences) for other in others]
    against = [difference_sentence(gap, terms) for gap in gaps if gap is not None]
    parts = [Points(title=title, texts=own) for title, own in (("", texts), ("Is the best really better?", against))]
    known = [part for part in parts if part.texts]
    return [Fold(title="The other judges, and how the best compares with them", parts=known)] if known else []


def _amateurs(result: EquivalenceResult, terms: Terms) -> list[Block]:
    """How many experts amateurs are worth."""
    if not result.amateurs:
        return []
    text = amateurs_sentence(result.amateurs[-1], result.curve, result.settings, terms)
    words = score_words(result.settings)
    origin = words.origin(result.curve)
    rows = [[p.raters, p.worth_experts, p.score - origin, p.low - origin, p.high - origin] for p in result.amateurs]
    table = Table(
        caption="What surveys of amateurs are worth",
        columns=["Asked", f"Worth {terms.raters}", words.heading, "Low", "High"],
        rows=rows,
        percent=words.percent_columns,
    )
    return [Paragraph(text=text), table]


def amateurs_sentence(point: AmateurPoint, curve: Sequence[CurvePoint], settings: Settings, terms: Terms) -> str:
    """How many experts so many amateurs are worth."""
    who = quoted(str(settings.get("amateurs", "amateur")))
    asked = f"{counted(point.raters, f'{who} rater')} {are(point.raters)} worth"
    if math.isfinite(point.worth_experts):
        return f"{asked} {decimal(point.worth_experts)} {terms.raters}."
    if point.score < curve[0].score:
        return f"{asked} less than asking nobody: {terms.nobody} does better."
    return f"{asked} more than {terms.largest} {terms.raters}, the largest survey of them here."


def _computed(result: EquivalenceResult, terms: Terms) -> list[Block]:
    """How the numbers came about."""
    settings = result.settings
    texts = [
        words_of.reference_sentence(settings, terms),
        words_of.score_sentence(settings),
        f"{words_of.combiner_sentence(settings)} {words_of.exactness_sentence(result.curve)}",
        words_of.clip_sentence(settings),
        words_of.calibration_sentence(settings),
        words_of.items_sentence(result.curve),
        interval_sentence(settings),
        PICKED if result.best is not None and len(result.ranked) > 1 else "",
    ]
    return [Fold(title="How this was computed", parts=[Points(title="", texts=[text for text in texts if text])])]


# ---- The power curve with the judges on it


def curve_figure(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> Figure:
    """The power curve with band, judges, crossings and ceiling."""
    words = score_words(result.settings)
    origin, ceiling = words.origin(result.curve), result.ceiling
    lines, left_out = drawn(result, ranked)
    chart = CurveChart(
        surveys=[_point(p, origin) | {"items": p.items} for p in result.curve if math.isfinite(p.score)],
        judges=_lines(lines, ranked, result, terms, origin),
        beyond=[] if ceiling is None else [_point(p, 0.0) for p in ceiling.curve],
        ceiling=None if ceiling is None else _ceiling_row(ceiling),
        amateurs=[_point(p, origin) for p in result.amateurs or () if math.isfinite(p.score)],
        people="people asked" if terms.group is None else f"{terms.group} raters",
        amateur_people=f"{quoted(str(result.settings.get('amateurs')))} raters",
        scores=words.axis,
        form=words.d3_form,
    )
    best = None if result.is_flat else result.picked
    return Figure(
        title=words_of.curve_finding(best, terms),
        caption=_caption(result, lines, left_out),
        spec=power_curve(chart),
        table=_table(result, words, origin),
        spark=_spark(result.curve, words),
    )


def drawn(result: EquivalenceResult, ranked: Sequence[JudgeWorth]) -> tuple[list[JudgeWorth], list[JudgeWorth]]:
    """What the chart has room for, and the judges that it leaves out.

    A judge far below the curve would flatten it; among too many the best and the worst are kept. What room is left goes
    to calibrated judges as they are raw, where that is on or above the curve.
    """
    curve = [p.score for p in result.curve if math.isfinite(p.score)]
    floor = min(curve) - DEEPEST * (max(curve) - min(curve))
    raw = [w for w in result.judges if w not in ranked and w.verdict in {"within", "above K"}]
    fitting = [w for w in ranked if math.isfinite(w.score) and w.score >= floor]
    if len(fitting) > MOST_LINES:
        best = (MOST_LINES + 1) // 2
        fitting = [*fitting[:best], *fitting[best - MOST_LINES :]]
    return [*fitting, *raw[: MOST_LINES - len(fitting)]], [w for w in ranked if w not in fitting]


def _point(point: CurvePoint | AmateurPoint, origin: float) -> dict[str, int | float | None]:
    low, high = (finite(end - origin) for end in (point.low, point.high))
    return {"raters": point.raters, "score": point.score - origin, "low": low, "high": high}


def _lines(
    lines: Sequence[JudgeWorth], ranked: Sequence[JudgeWorth], result: EquivalenceResult, terms: Terms, origin: float
) -> list[Row]:
    """A row for each judge that is drawn; a judge has the same colour raw and calibrated."""
    order = list(dict.fromkeys(w.judge for w in lines))
    has_both = len({w.calibrated for w in lines}) > 1
    names = short_names((w.judge for w in ranked), LONGEST_NAME, has_end=True)
    rows: list[Row] = []
    for worth in lines:
        is_raw = has_both and not worth.calibrated
        # A judge off the curve is marked by the end that it is beyond.
        mark = words_of.value_text(worth, terms).replace("below ", "<").replace("above ", ">")
        rows.append(
            {
                "name": f"{names[worth.judge]}{CALIBRATED if worth.calibrated else ''}",
                "text": f"{mark} {names[worth.judge]}{RAW if is_raw else ''}",
                "score": worth.score - origin,
                "low": finite(worth.low - origin),
                "high": finite(worth.high - origin),
                "worth": words_of.raters_text(worth, result.settings, terms),
                "raters": worth.equivalence if worth.verdict == "within" else None,
                "colour": 1 + order.index(worth.judge),
                "is_raw": is_raw,
            }
        )
    return rows


def _ceiling_row(ceiling: Ceiling) -> Row:
    ends = {"low": finite(ceiling.low), "high": finite(ceiling.high)}
    return {"text": f"ceiling {decimal(ceiling.gain, 3)}", "score": ceiling.gain, **ends}


def _caption(result: EquivalenceResult, lines: Sequence[JudgeWorth], left_out: Sequence[JudgeWorth]) -> str:
    texts = [CAPTION]
    if any(worth.calibrated for worth in lines):
        has_raw = not all(worth.calibrated for worth in lines)
        texts.append("Judges are calibrated; dashed lines show them raw." if has_raw else "Judges are calibrated.")
    if result.ceiling is not None:
        texts.append("Dotted: what nothing can exceed.")
        texts += ["Small dots: the curve beyond the data, estimated."] if result.ceiling.curve else []
    shown = "The band is about the scores of surveys, not about what a judge is worth; it holds"
    texts.append(interval_sentence(result.settings, shown))
    if left_out:
        names = [quoted(worth.judge) for worth in left_out]
        texts.append(f"Not drawn, to keep the curve readable: {listing(names, most=MOST_NAMES)}.")
    return sentences(*texts)


def _table(result: EquivalenceResult, words: ScoreWords, origin: float) -> Table:
    """The curve in numbers, on the same scale as the chart."""
    rows: list[list[Cell]] = [
        [p.raters, p.score - origin, p.low - origin, p.high - origin, p.items] for p in result.curve
    ]
    beyond = result.ceiling.curve if result.ceiling is not None else ()
    rows += [[p.raters, p.score, p.low, p.high, None] for p in beyond]
    unit = f"{words.axis} (that scores {origin:.3f})" if words.is_gain else words.axis
    note = "; without items: estimated beyond the data" if beyond else ""
    return Table(
        caption=f"The survey power curve. {unit}{note}",
        columns=["Raters", words.heading, "Low", "High", "Items"],
        rows=rows,
        percent=words.percent_columns,
    )


def _spark(curve: Sequence[CurvePoint], words: ScoreWords) -> str:
    """The curve as blocks, from nobody to the largest survey, with its ends in numbers."""
    known = [p for p in curve if math.isfinite(p.score)]
    first, last = known[0], known[-1]
    blocks = sparkline([max(p.score - first.score, 0.0) for p in known])
    ends = [words.form(p.score - words.origin(known)) for p in (first, last)]
    return f"{first.raters} raters: {ends[0]} |{blocks}| {last.raters} raters: {ends[1]}"
