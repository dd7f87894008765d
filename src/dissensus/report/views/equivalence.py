"""What `equivalence` says: how many raters is each judge worth."""

import math
from collections.abc import Sequence

from dissensus.methods.equivalence.result import AmateurPoint, Ceiling, CurvePoint, EquivalenceResult, JudgeWorth
from dissensus.report.document import Block, Cell, Figure, Section, Table
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
from dissensus.report.specs.lines import CurveChart, power_curve
from dissensus.report.specs.shapes import Row, slot_row
from dissensus.report.views import worth as words_of
from dissensus.report.views.section import how_computed, interval_sentence, judge_slots, noted
from dissensus.report.views.worth import ScoreWords, Settings, Terms, score_words, terms_of

MOST_LINES = 7
"""More judges than colours beside that of the curve cannot be told apart."""
MOST_NAMES = 3
LONGEST_CELL = 24
LONGEST_NAME = 14
"""Longer names, with their worth before them, would be cut again beside a plot on a phone."""
RAW, CALIBRATED = " (raw)", " (recalibrated)"
CAPTION = "Dots: people asked. Lines: judges; each is worth the number of raters at which it meets the curve."
PICKED = "The best of several judges is partly lucky; its interval allows for that."
DEEPEST = 0.5
"""How far below the curve a judge may lie to be drawn, as a share of the curve's height."""


def view(result: EquivalenceResult) -> Section:
    """How many raters each judge is worth: the answer, each judge, the power curve, and how it was computed."""
    terms, ranked = terms_of(result.settings, largest=result.curve[-1].raters), result.ranked
    blocks: list[Block] = [_judges_table(result, ranked, terms)] if ranked else []
    if sum(math.isfinite(point.score) for point in result.curve) > 1:  # one point is no curve
        blocks.append(curve_figure(result, ranked, terms))
    blocks += [*noted(_notes(result, ranked, terms)), how_computed(_computed(result, terms))]
    return Section(title="How many raters is each judge worth?", lead=_lead(result, ranked, terms), blocks=blocks)


def _lead(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> str:
    if not ranked:
        return "There is no judge to compare with people."
    if result.is_flat and ranked[0].verdict == "within":
        return words_of.FLAT
    return words_of.worth_in_short(result.picked or ranked[0], result.settings, terms, judges=len(ranked))


def _notes(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> list[str]:
    """What was asked besides, and what to do."""
    others = result.best.candidates[1:] if result.best is not None and result.is_any_shown else ()
    names = listing([quoted(name) for name in others], most=MOST_NAMES)
    below = next((worth for worth in ranked if worth.verdict == "below 0"), None)
    texts = [
        amateurs_sentence(result.amateurs[-1], result.curve, result.settings, terms) if result.amateurs else "",
        f"{names} may be as good as {quoted(ranked[0].judge)}: choose by cost, or rate more items." if others else "",
        "" if below is None else words_of.below_note(below, result.settings),
        words_of.falling_note(result.curve, result.settings),
    ]
    return [text for text in texts if text]


def amateurs_sentence(point: AmateurPoint, curve: Sequence[CurvePoint], settings: Settings, terms: Terms) -> str:
    """How many experts the largest survey of amateurs is worth."""
    who = quoted(str(settings.get("amateurs", "amateur")))
    asked = f"{counted(point.raters, f'{who} rater')} {are(point.raters)} worth"
    if math.isfinite(point.worth_experts):
        return f"{asked} {decimal(point.worth_experts, 1)} {terms.raters}."
    if point.score < curve[0].score:
        return f"{asked} less than asking nobody: {terms.nobody} does better."
    return f"{asked} more than {terms.largest} {terms.raters}, the most that can be asked here."


def _judges_table(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> Table:
    """Every judge, calibrated and raw beside each other."""
    words = score_words(result.settings)
    origin, names = words.origin(result.curve), short_names((worth.judge for worth in ranked), LONGEST_CELL)
    raw = {worth.judge: worth for worth in result.judges if not worth.calibrated}
    is_calibrated = any(worth.calibrated for worth in ranked)
    has_ratio = any(worth.performance_ratio is not None for worth in ranked)
    rows: list[list[Cell]] = []
    for worth in ranked:
        # The best judge has one interval everywhere, which allows for having picked it.
        known = result.picked if result.picked is not None and result.picked.judge == worth.judge else worth
        row: list[Cell] = [names[worth.judge], words_of.worth_text(known, terms)]
        if is_calibrated and raw:
            own = raw.get(worth.judge)
            row.append("labels only" if own is None else words_of.worth_text(own, terms))
        rows.append([*row, worth.score - origin, *([worth.performance_ratio] if has_ratio else [])])
    headings = ["Worth, recalibrated" if is_calibrated else "Worth", *(["Worth, raw"] if is_calibrated and raw else [])]
    return Table(
        caption=f"What each judge is worth, in {terms.raters}{'; bits gained over asking nobody' * words.is_gain}",
        columns=["Judge", *headings, words.heading, *(["Of ceiling"] if has_ratio else [])],
        rows=rows,
        percent=frozenset({"Of ceiling", *words.percent_columns}),
    )


# ---- Folded away: what the numbers mean, how they were computed


def ceiling_sentence(ceiling: Ceiling, curve: Sequence[CurvePoint], terms: Terms) -> str:
    """What no survey and no judge can exceed."""
    gain = with_interval(ceiling.gain, ceiling.low, ceiling.high)
    reached = (curve[-1].score - curve[0].score) / ceiling.gain if ceiling.gain > 0 else math.nan
    part = f"Asking {terms.people(terms.largest)} reaches {percent(reached, 0)} of it." * math.isfinite(reached)
    return sentences(
        f"No number of people and no judge can gain more than {gain} bits: the rest is disagreement.", part
    )


def _computed(result: EquivalenceResult, terms: Terms) -> list[str]:
    """How the numbers came about."""
    settings = result.settings
    return [
        words_of.reference_sentence(settings, terms),
        words_of.score_sentence(settings),
        words_of.combiner_sentence(settings),
        words_of.calibration_sentence(settings),
        "" if result.ceiling is None else ceiling_sentence(result.ceiling, result.curve, terms),
        interval_sentence(settings),
        PICKED if result.best is not None and len(result.ranked) > 1 else "",
    ]


# ---- The power curve with the judges on it


def curve_figure(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> Figure:
    """The power curve with band, judges, crossings and ceiling."""
    words = score_words(result.settings)
    origin, ceiling = words.origin(result.curve), result.ceiling
    lines, left_out = drawn(result, ranked)
    top: Row | None = None
    if ceiling is not None:
        ends = {"low": finite(ceiling.low), "high": finite(ceiling.high)}
        top = {"text": f"ceiling {decimal(ceiling.gain)}", "score": ceiling.gain, **ends}
    chart = CurveChart(
        surveys=[_point(p, words, origin) | {"items": p.items} for p in result.curve if math.isfinite(p.score)],
        judges=_lines(result, lines, terms, words),
        beyond=[] if ceiling is None else [_point(p, words, 0.0) for p in ceiling.curve],
        ceiling=top,
        amateurs=[_point(p, words, origin) for p in result.amateurs or () if math.isfinite(p.score)],
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


def _ends(own: CurvePoint | AmateurPoint | JudgeWorth, words: ScoreWords) -> dict[str, float]:
    """The interval of what is shown: of the score, or of the gain over asking nobody."""
    return {"low": own.gain_low, "high": own.gain_high} if words.is_gain else {"low": own.low, "high": own.high}


def _point(point: CurvePoint | AmateurPoint, words: ScoreWords, origin: float) -> dict[str, int | float | None]:
    ends = {name: finite(end) for name, end in _ends(point, words).items()}
    return {"raters": point.raters, "score": point.score - origin, **ends}


def _lines(result: EquivalenceResult, lines: Sequence[JudgeWorth], terms: Terms, words: ScoreWords) -> list[Row]:
    """A row for each judge that is drawn; a judge has the same colour raw and calibrated."""
    origin = words.origin(result.curve)
    slots = judge_slots(result, (w.judge for w in result.judges))
    has_both = len({w.calibrated for w in lines}) > 1
    names = short_names((w.judge for w in result.ranked), LONGEST_NAME, has_end=True)
    return [
        {
            "name": f"{names[worth.judge]}{CALIBRATED if worth.calibrated else ''}",
            "text": f"{words_of.value_text(worth, terms)} {names[worth.judge]}{RAW * is_raw}",
            "score": worth.score - origin,
            **{name: finite(end) for name, end in _ends(worth, words).items()},
            "worth": words_of.raters_text(worth, terms),
            "raters": worth.equivalence if worth.verdict == "within" else None,
            **slot_row(slots[worth.judge]),
            "is_raw": is_raw,
        }
        for worth in lines
        for is_raw in [has_both and not worth.calibrated]
    ]


def _caption(result: EquivalenceResult, lines: Sequence[JudgeWorth], left_out: Sequence[JudgeWorth]) -> str:
    """What is drawn, in as many words as this chart needs."""
    has_both = len({worth.calibrated for worth in lines}) > 1
    names = listing([quoted(worth.judge) for worth in left_out], most=MOST_NAMES)
    return sentences(
        CAPTION,
        "Dashed: judges raw, not recalibrated." if has_both else "",
        "" if result.ceiling is None else "Dotted: what nothing can exceed; small dots are estimates beyond the data.",
        f"Not drawn, to keep the curve readable: {names}." if left_out else "",
    )


def _table(result: EquivalenceResult, words: ScoreWords, origin: float) -> Table:
    """The curve in numbers, on the same scale as the chart."""
    known = [[p.raters, p.score - origin, *_ends(p, words).values(), p.items] for p in result.curve]
    beyond = result.ceiling.curve if result.ceiling is not None else ()
    unit = f"{words.axis} (that scores {origin:.3f})" if words.is_gain else words.axis
    note = "; without items: estimated beyond the data" if beyond else ""
    return Table(
        caption=f"The survey power curve. {unit}{note}",
        columns=["Raters", words.heading, "Low", "High", "Items"],
        rows=[*known, *([p.raters, p.score, p.low, p.high, None] for p in beyond)],
        percent=words.percent_columns,
    )
