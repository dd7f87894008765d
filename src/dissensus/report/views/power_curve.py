"""The chart of a survey equivalence: the power curve with the judges on it."""

import math
from collections.abc import Sequence

from dissensus.methods.equivalence.result import AmateurPoint, Ceiling, CurvePoint, EquivalenceResult, JudgeWorth
from dissensus.report.document import Cell, Figure, Table
from dissensus.report.numbers import decimal, listing, quoted, told_apart
from dissensus.report.specs import CurveChart, Row, power_curve
from dissensus.report.text import sparkline
from dissensus.report.views.intervals import interval_sentence
from dissensus.report.views.surveys import ScoreWords, Terms, score_words
from dissensus.report.views.worth import curve_finding, is_flat, off_curve, place_of, raters_text, value_text

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
DEEPEST = 0.5
"""How far below the curve a judge may lie to be drawn, as a share of the curve's height."""


def curve_figure(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> Figure:
    """The power curve with band, judges, crossings and ceiling."""
    words = score_words(result.settings)
    origin = result.curve[0].score if words.is_gain else 0.0
    lines, left_out = drawn(result, ranked)
    ceiling = result.ceiling
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
    best = ranked[0] if ranked and not is_flat(result.curve) else None
    return Figure(
        title=curve_finding(best, terms),
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
    low, high = (end - origin if math.isfinite(end) else None for end in (point.low, point.high))
    return {"raters": point.raters, "score": point.score - origin, "low": low, "high": high}


def _lines(
    lines: Sequence[JudgeWorth],
    ranked: Sequence[JudgeWorth],
    result: EquivalenceResult,
    terms: Terms,
    origin: float,
) -> list[Row]:
    """A row for each judge that is drawn; a judge has the same colour raw and calibrated."""
    order = list(dict.fromkeys(w.judge for w in lines))
    has_both = len({w.calibrated for w in lines}) > 1
    names = told_apart((w.judge for w in ranked), LONGEST_NAME, has_end=True)
    rows: list[Row] = []
    for worth in lines:
        is_raw = has_both and not worth.calibrated
        low, high = (end - origin if math.isfinite(end) else None for end in (worth.low, worth.high))
        rows.append(
            {
                "name": f"{names[worth.judge]}{CALIBRATED if worth.calibrated else ''}",
                "text": f"{_mark(worth, terms)} {names[worth.judge]}{RAW if is_raw else ''}",
                "score": worth.score - origin,
                "low": low,
                "high": high,
                "worth": raters_text(worth, result.settings, terms),
                "raters": worth.equivalence if worth.verdict == "within" else None,
                "colour": 1 + order.index(worth.judge),
                "is_raw": is_raw,
            }
        )
    return rows


def _mark(worth: JudgeWorth, terms: Terms) -> str:
    """What a judge is worth, as short as can be.

    A judge off the curve is marked by the end that it is beyond.
    """
    if worth.verdict == "within":
        return value_text(worth, terms)
    return {"below 0": "<0", "above K": f">{terms.largest}"}.get(str(place_of(worth, terms)), off_curve(None, terms))


def _ceiling_row(ceiling: Ceiling) -> Row:
    low, high = (end if math.isfinite(end) else None for end in (ceiling.low, ceiling.high))
    return {"text": f"ceiling {decimal(ceiling.gain, 3)}", "score": ceiling.gain, "low": low, "high": high}


def _caption(result: EquivalenceResult, lines: Sequence[JudgeWorth], left_out: Sequence[JudgeWorth]) -> str:
    said = [CAPTION]
    if any(worth.calibrated for worth in lines):
        has_raw = not all(worth.calibrated for worth in lines)
        said.append("Judges are calibrated; dashed lines show them raw." if has_raw else "Judges are calibrated.")
    if result.ceiling is not None:
        said.append("Dotted: what nothing can exceed.")
        if result.ceiling.curve:
            said.append("Small dots: the curve beyond the data, estimated.")
    band = interval_sentence(
        result.settings, "The band is about the scores of surveys, not about what a judge is worth; it holds"
    )
    said += [band] if band else []
    if left_out:
        names = [quoted(worth.judge) for worth in left_out[:MOST_NAMES]]
        more = [f"{len(left_out) - MOST_NAMES} more"] if len(left_out) > MOST_NAMES else []
        said.append(f"Not drawn, to keep the curve readable: {listing([*names, *more])}.")
    return " ".join(said)


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
    origin = first.score if words.is_gain else 0.0
    blocks = sparkline([max(p.score - first.score, 0.0) for p in known])
    ends = [words.form(p.score - origin) for p in (first, last)]
    return f"{first.raters} raters: {ends[0]} |{blocks}| {last.raters} raters: {ends[1]}"
