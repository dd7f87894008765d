"""Vega-Lite of lines: numbers of several series over one quantity, over logarithms, through ranks; the power curve."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from dissensus.report.numbers import counted, finite
from dissensus.report.specs.shapes import (
    BY_PLACE,
    COLOUR,
    COLOURS,
    DESCRIBED,
    LEGEND,
    MARKED,
    SHAPES,
    TITLE_ABOVE,
    Row,
    Spec,
    height_of,
    name_axis,
    nominal,
    placed,
    quantity,
    slot_row,
    slot_scale,
    tip,
)

HEIGHT = 280
MOST_TICKS = 6
"""This many numbers fit below the plot on a phone."""


NOBODY = "\x7f"
"""A name that no series has."""
Slots = Mapping[str, int]
"""The place of each series among all judges, which gives its colour and mark; empty where series are no judges."""


def named_series(title: str, slots: Slots, *, offset: int) -> Spec:
    """Colour and shape of a series, with names so far above the plot that its titles have room."""
    legend: Spec = LEGEND | {"offset": offset, "title": None}
    if not slots:
        channel = nominal("series", sort=BY_PLACE, title=title, legend=legend)
        return {"color": channel, "shape": channel}
    legend |= {"values": list(slots)}
    names = slot_scale(slots)["domain"]
    # One legend for both, since they have the same names.
    marks = {"domain": names, "range": [SHAPES[slots.get(name, 0) % len(SHAPES)] for name in names]}
    return {
        "color": nominal("series", scale={"domain": names}, title=title, legend=legend),
        "shape": nominal("series", scale=marks, title=title, legend=legend),
    }


def line_colour(title: str, slots: Slots) -> Spec:
    """The colour of a line that its points name: with a legend of its own, every name would stand there twice."""
    # By a field and names of its own, or Vega-Lite takes the missing legend for that of the points.
    by = {"scale": {"domain": [*slot_scale(slots)["domain"], NOBODY]}} if slots else {"sort": BY_PLACE}
    return nominal("line", **by, title=title, legend=None)


def _lines_and_points(
    rows: Sequence[Row], title: str, tips: Sequence[Spec], slots: Slots, *, size: int, width: Spec
) -> list[Spec]:
    """A line for each series, and points that name it; `width` is that of the lines."""
    data = {"values": placed([{**row, "line": row["series"]} for row in rows])}
    points = named_series(title, slots, offset=30) | DESCRIBED | {"tooltip": list(tips)}
    stroke = {"stroke": line_colour(title, slots)}
    return [
        {"data": data, "mark": {"type": "line", "aria": False}, "encoding": stroke | width},
        {"data": data, "mark": {"type": "point", "size": size}, "encoding": points},
    ]


# ---- Numbers of several series over one quantity, beside constants and turning points


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChart:
    """What the chart shows.

    Attributes
    ----------
    rows : sequence of mapping
        `series`, `x`, `y`, `low` and `high` (may be None), `is_main` (drawn thick, with its band); series in the order
        of the legend, x rising.
    constants : sequence of mapping
        `name`, `x`, `y` and `is_rising`: dashed lines to compare with, named at their higher end.
    turns : sequence of mapping
        `x` and `text`: where something changes.
    slots : mapping
        The place of each series among all judges, where they are judges.
    series, x_title, y_title : str
        What they are, in words.
    x_form, y_form, tip_form : str
        Number formats.
    """

    rows: Sequence[Row]
    series: str
    x_title: str
    y_title: str
    x_form: str = ".1f"
    y_form: str = ".0%"
    tip_form: str = ".1%"
    constants: Sequence[Row] = ()
    turns: Sequence[Row] = ()
    slots: Slots = field(default_factory=dict)


def line_row(
    series: str, x: float, y: float, *, low: float = math.nan, high: float = math.nan, is_main: bool = False
) -> Row:
    """A point of a line; numbers that are none are left out."""
    ends = {"low": finite(low), "high": finite(high)}
    return {"series": series, "x": x, "y": finite(y), **ends, "is_main": is_main}


def line_chart(chart: LineChart) -> Spec:
    """A line with points for each series, told apart by colour and shape."""
    places = sorted({float(row["x"] or 0) for row in chart.rows})
    ticks = places[:: 1 if len(places) <= MOST_TICKS else 2]
    x_axis = {"values": ticks, "tickCount": len(ticks), "format": chart.x_form, "grid": False, "titleAnchor": "start"}
    x_scale = {"domain": [places[0], places[-1]], "nice": False, "zero": False, "padding": 10}
    y_axis = {"grid": True, "tickCount": 6, "format": chart.y_form, **TITLE_ABOVE}
    y_scale = {"zero": False, "nice": True, "padding": 8}
    return {
        "height": HEIGHT,
        "encoding": {
            "x": quantity("x", title=chart.x_title, axis=x_axis, scale=x_scale),
            "y": quantity("y", title=chart.y_title, axis=y_axis, scale=y_scale),
        },
        # Dashed lines lie above the judges': a judge that decides like a constant would hide it.
        "layer": [*_band(chart), *_turns(chart), *_series(chart), *_constants(chart)],
    }


def _band(chart: LineChart) -> list[Spec]:
    rows = [dict(row) for row in chart.rows if row["is_main"] and row["low"] is not None and row["high"] is not None]
    mark = {"type": "area", "opacity": 0.14, "aria": False}
    ends = {"y": quantity("low"), "y2": {"field": "high"}}
    return [{"data": {"values": rows}, "mark": mark, "encoding": ends}] if rows else []


def _turns(chart: LineChart) -> list[Spec]:
    tips = [tip("text", "From here on"), tip("x", chart.x_title, ".2f")]
    return [_upright(chart.turns, tips)] if chart.turns else []


def _upright(rows: Sequence[Row], tips: Sequence[Spec]) -> Spec:
    """Dotted lines down the chart."""
    mark = {"type": "rule", "style": "reference", "strokeDash": [2, 3]}
    encoding = {"y": {"value": 0}, "y2": {"value": HEIGHT}, "tooltip": list(tips)}
    return {"data": {"values": [dict(row) for row in rows]}, "mark": mark, "encoding": encoding}


def _series(chart: LineChart) -> list[Spec]:
    texts = [f"{row['series']}: {float(row['y'] or 0):.3f} at {row['x']}" for row in chart.rows]
    rows = [{**row, "said": text} for row, text in zip(chart.rows, texts, strict=True)]
    ends = [tip("low", "Low", chart.tip_form), tip("high", "High", chart.tip_form)]
    has_ends = any(row["low"] is not None for row in chart.rows)
    width: Spec = {"strokeWidth": {"condition": {"test": "datum.is_main", "value": 3.5}, "value": 1.5}}
    tips = [tip("series", chart.series), *_tips(chart), *(ends if has_ends else [])]
    return _lines_and_points(rows, chart.series, tips, chart.slots, size=70, width=width)


def _tips(chart: LineChart) -> list[Spec]:
    return [tip("x", chart.x_title, chart.x_form), tip("y", chart.y_title, chart.tip_form)]


def _constants(chart: LineChart) -> list[Spec]:
    """Dashed lines, each with its name above its higher end: there it is clear of its line and of the other's name."""
    if not chart.constants:
        return []
    data: Spec = {"values": [dict(row) for row in chart.constants]}
    places = [float(row["x"] or 0) for row in chart.constants]
    names: list[Spec] = [
        {
            "data": data,
            "transform": [{"filter": {"field": key, "equal": value}} for key, value in kept.items()],
            "mark": {"type": "text", "baseline": "bottom", "dy": -6, "aria": False, **side},
            "encoding": {"text": nominal("name")},
        }
        for kept, side in (
            ({"x": min(places), "is_rising": False}, {"align": "left", "dx": 2}),
            ({"x": max(places), "is_rising": True}, {"align": "right", "dx": -2}),
        )
    ]
    dashed = {"type": "line", "style": "reference", "strokeWidth": 2}
    encoding = {"detail": nominal("name"), "tooltip": [tip("name", chart.series), *_tips(chart)]}
    return [{"data": data, "mark": dashed, "encoding": encoding}, *names]


# ---- Chances or counts of several series, drawn by their decimal logarithms: as deep or as high as they go

# A logarithm as the number it stands for: a percentage or a count while that is short, else a power of ten.
_LABELS = {
    "chance": "datum.value >= -5 ? format(pow(10, datum.value), '.2~p') : '10^' + format(datum.value, '~r')",
    "count": "datum.value <= 5 ? format(pow(10, datum.value), ',.2~r') : '10^' + format(datum.value, '~r')",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLines:
    """What the chart shows."""

    # `series`, `x`, `y` (a decimal logarithm) and `shown` (the number in words); series in the order of the legend.
    rows: Sequence[Row]
    kind: Literal["chance", "count"]  # what the logarithms are of
    # `series`, `x_title`, `y_title`: what they are, in words.
    series: str
    x_title: str
    y_title: str
    x_form: str  # number format
    is_log_x: bool = False  # whether x grows by factors
    mark: float | None = None  # the x to mark with a line
    mark_name: str = ""  # what is there


def log_lines(chart: LogLines) -> Spec:
    """A line with points for each series, told apart by colour and shape."""
    rows = [{**row, "said": f"{row['series']}: {row['shown']} at {row['x']}"} for row in chart.rows]
    tips = [tip("series", chart.series), tip("x", chart.x_title, chart.x_form), tip("shown", chart.y_title)]
    x_axis: Spec = {"format": chart.x_form, "grid": False, "titleAnchor": "start", "labelOverlap": True}
    if chart.is_log_x:
        x_axis |= {"values": sorted({row["x"] for row in chart.rows if row["x"] is not None})[::2]}
    x_scale: Spec = {"type": "log", "nice": False} if chart.is_log_x else {"zero": False, "nice": False}
    y_axis = {"grid": True, "tickCount": 6, "labelExpr": _LABELS[chart.kind], **TITLE_ABOVE}
    here: list[Row] = [{"x": chart.mark, "name": chart.mark_name}]
    return {
        "height": HEIGHT,
        "encoding": {
            "x": quantity("x", title=chart.x_title, axis=x_axis, scale=x_scale | {"padding": 10}),
            "y": quantity("y", title=chart.y_title, axis=y_axis, scale={"zero": True, "nice": True}),
        },
        "layer": [
            *([] if chart.mark is None else [_upright(here, [tip("name", "Here")])]),
            *_lines_and_points(rows, chart.series, [*tips, tip("items", "Items", ",")], {}, size=60, width={}),
        ],
    }


# ---- Ranks

ROOM = 0.4
"""How far the plot goes beyond the first and the last rank."""


def rank_lines(
    rows: Sequence[Row], *, names: str, series: str, ranks: str, values: str, last: int, slots: Slots
) -> Spec:
    """A line for each series from name to name, through the rank that it has there.

    `rows`: `name`, `series`, `rank`, `shown` (the rank, moved a little where several share it), `value` and `share` in
    words, `is_main` (drawn thick); names from the top down, series in the order of the legend. `names`, `series`,
    `ranks`, `values`: what they are, in words. `last`: the largest rank there can be. `slots`: the place of each series
    among all judges.
    """
    step = next(step for step in (1, 2, 5, 10, 20, 50, last) if last / step <= 8)  # noqa: PLR2004 - fits a phone
    ticks = [1, *(rank for rank in range(step, last + 1, step) if rank > 1)]
    axis = {"values": ticks, "tickCount": len(ticks), "format": "d", "grid": True, "orient": "top"}
    scale = {"domain": [1 - ROOM, last + ROOM], "nice": False, "zero": False}
    tips = [tip("series", series), tip("name", names), tip("rank", ranks, "d"), tip("value", values)]
    texts = [f"{row['series']}: rank {row['rank']} by {row['name']}, {row['value']}" for row in rows]
    shown = [{**row, "line": row["series"], "said": text} for row, text in zip(rows, texts, strict=True)]
    width = {"condition": {"test": "datum.is_main", "value": 4}, "value": 1.5}
    line = {"stroke": line_colour(series, slots), "strokeWidth": width, "order": quantity("place")}
    points = named_series(series, slots, offset=18) | DESCRIBED | {"tooltip": [*tips, tip("share", "Best in")]}
    return {
        "data": {"values": placed(shown)},
        "height": height_of(rows),
        "encoding": {"y": name_axis(), "x": quantity("shown", title=ranks, axis=axis, scale=scale)},
        "layer": [
            {"mark": {"type": "line", "aria": False}, "encoding": line},
            {"mark": {"type": "point", "size": 90}, "encoding": points},
        ],
    }


# ---- The survey power curve: what a survey scores by its size, and where judges meet it

# Names stand beside the lines they belong to, in a column to the right of the plot, so that no legend has to be looked
# up; each also has a colour and a shape of its own.
CURVE_HEIGHT = 320
NAME_STEP = 17
"""Points between two names in the column."""
COLUMN = "clamp(width * 0.4, 160, 240)"
"""How wide the column of names is."""
PEOPLE, AMATEURS, NO_MARK = slot_row(0), slot_row(COLOURS - 1), {"colour": -1, "mark": -1}
BEYOND = "estimate beyond the data"
SOLID = [1, 0]
MEETING = {"filter": "isValid(datum.raters)"}
"""Only judges that meet the curve."""
MOST_SIZES = 8
"""This many numbers fit below the plot on a phone."""
ACROSS: Spec = {"x": {"value": 0}, "x2": {"value": {"expr": f"width - {COLUMN}"}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveChart:
    """What the chart shows; all scores on one scale, higher is better.

    Attributes
    ----------
    surveys, amateurs : sequence of mapping
        `raters`, `score`, `low` and `high` (may be None), and for surveys `items`.
    beyond : sequence of mapping
        The same where the curve is an estimate beyond the data; starts where the surveys end.
    judges : sequence of mapping
        `name`, `text` (its name with what it is worth), `score`, `worth` in words, `raters` (where it meets the curve,
        or None), `colour` and `mark` (of its place among all judges) and `is_raw` (drawn dashed).
    ceiling : mapping, optional
        `text`, `score`, `low` and `high`.
    people, amateur_people : str
        What the curves are called.
    scores, form : str
        What the score is, in words, and its number format.
    """

    surveys: Sequence[Row]
    judges: Sequence[Row]
    scores: str
    form: str = ".3f"
    people: str = "people asked"
    beyond: Sequence[Row] = ()
    ceiling: Row | None = None
    amateurs: Sequence[Row] = ()
    amateur_people: str = ""


def power_curve(chart: CurveChart) -> Spec:
    """Line with dots and a band, judges as horizontal rules with their crossings, names in a column to the right."""
    low, high = domain = _domain(chart)
    y_axis = {"grid": True, "tickCount": 6, **TITLE_ABOVE}
    y_scale = {"domain": list(domain), "nice": False, "zero": False}
    names = _names(chart, gap=NAME_STEP / CURVE_HEIGHT * (high - low))
    return {
        "height": CURVE_HEIGHT,
        "encoding": {"x": _x(chart), "y": quantity("score", title=chart.scores, axis=y_axis, scale=y_scale)},
        # What lies below must not keep the pointer from what it has to tell: bands, then lines, then marks.
        "layer": [*_bands(chart), *_ceiling(chart), *_lines(chart), *_marks(chart), *_name_column(names)],
    }


def _domain(chart: CurveChart) -> tuple[float, float]:
    """From the lowest to the highest of all that is drawn, with a little room."""
    rows = [*chart.surveys, *chart.beyond, *chart.amateurs, *chart.judges, *([chart.ceiling] if chart.ceiling else [])]
    ends = [row.get(key) for row in rows for key in ("score", "low", "high") if not (key != "score" and "name" in row)]
    numbers = [float(number) for number in ends if isinstance(number, int | float)]
    room = 0.04 * ((max(numbers) - min(numbers)) or 1.0)
    return min(numbers) - room, max(numbers) + room


def _x(chart: CurveChart) -> Spec:
    last = max(int(row["raters"] or 0) for row in (*chart.surveys, *chart.beyond, *chart.amateurs))
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, last) if last / step <= MOST_SIZES)
    sizes = list(range(0, last + 1, step))
    # Vega thins the values to the theme's count of ticks unless it gets another.
    axis = {"values": sizes, "tickCount": len(sizes), "format": "d", "grid": False, "labelOverlap": False}
    scale = {"domain": [0, last], "nice": False, "rangeMin": 8, "rangeMax": {"expr": f"width - {COLUMN}"}}
    return quantity("raters", title="Number of raters asked", axis=axis | {"titleAnchor": "start"}, scale=scale)


def _curves(chart: CurveChart) -> list[tuple[Spec, list[Spec], list[int]]]:
    """Of each curve its data, its tooltip and its dashes."""
    asked = [tip("name", "Who"), tip("raters", "Raters asked", "d"), *_score_tips(chart)]
    curves = [(_named(chart.surveys, chart.people, PEOPLE), [*asked, tip("items", "Items", ",")], SOLID)]
    if chart.beyond:
        start = {key: chart.surveys[-1][key] for key in ("raters", "score", "low", "high")}
        curves.append((_named((start, *chart.beyond), BEYOND, PEOPLE), asked, [6, 4]))
    if chart.amateurs:
        curves.append((_named(chart.amateurs, chart.amateur_people, AMATEURS), asked, SOLID))
    return curves


def _named(rows: Sequence[Row], name: str, own: Row) -> Spec:
    texts = [f"{name}: {counted(cast('int', row['raters']), 'rater')}, {float(row['score'] or 0):.3f}" for row in rows]
    named = {"name": name, **own}
    return {"values": [{**named, "said": text, **row} for text, row in zip(texts, rows, strict=True)]}


def _bands(chart: CurveChart) -> list[Spec]:
    ends: Spec = {"y": quantity("low"), "y2": {"field": "high"}}
    return [
        {
            "data": data,
            "mark": {"type": "area", "opacity": 0.16 if dash == SOLID else 0.08, "aria": False},
            "encoding": ends | COLOUR,
        }
        for data, _, dash in _curves(chart)
    ]


def _ceiling(chart: CurveChart) -> list[Spec]:
    if chart.ceiling is None:
        return []
    tips = [tip("text", "Ceiling"), *_score_tips(chart)]
    mark = {"type": "rule", "style": "reference", "strokeDash": [1, 4], "strokeWidth": 2, "strokeCap": "round"}
    return [{"data": {"values": [dict(chart.ceiling)]}, "mark": mark, "encoding": ACROSS | {"tooltip": tips}}]


def _lines(chart: CurveChart) -> list[Spec]:
    """The judges' rules with lines down from their crossings, and the curves."""
    dash = {"condition": {"test": "datum.is_raw", "value": [5, 4]}, "value": SOLID}
    down = {"type": "rule", "style": "reference", "strokeDash": [2, 3], "strokeWidth": 1, "aria": False}
    judges: list[Spec] = [
        {
            "data": _judges(chart),
            "mark": {"type": "rule", "aria": False},
            "encoding": ACROSS | COLOUR | {"strokeDash": dash, "tooltip": _judge_tips(chart)},
        },
        {
            "data": _judges(chart),
            "transform": [MEETING],
            "mark": down,
            "encoding": {"y2": {"value": {"expr": "height"}}},
        },
    ]
    curves: list[Spec] = [
        {
            "data": data,
            "mark": {"type": "line", "strokeWidth": 2, "strokeDash": dashes, "aria": False},
            "encoding": COLOUR,
        }
        for data, _, dashes in _curves(chart)
    ]
    return [*(judges if chart.judges else []), *curves]


def _marks(chart: CurveChart) -> list[Spec]:
    """A dot for each survey, small where it is estimated, and the crossings."""
    dots: list[Spec] = [
        {
            "data": data,
            "mark": {"type": "point", "size": 80 if dash == SOLID else 16},
            "encoding": MARKED | DESCRIBED | {"tooltip": tips},
        }
        for data, tips, dash in reversed(_curves(chart))
    ]
    crossings: Spec = {
        "data": _judges(chart),
        "transform": [MEETING],
        "mark": {"type": "point", "size": 110},
        "encoding": MARKED | DESCRIBED | {"tooltip": _judge_tips(chart)},
    }
    return [*dots, *([crossings] if chart.judges else [])]


def _judges(chart: CurveChart) -> Spec:
    return {"values": [{**row, "said": f"{row['name']}: worth {row['worth']}"} for row in chart.judges]}


def _judge_tips(chart: CurveChart) -> list[Spec]:
    return [tip("name", "Judge"), tip("worth", "Worth"), *_score_tips(chart)]


def _score_tips(chart: CurveChart) -> list[Spec]:
    return [tip("score", chart.scores, chart.form), tip("low", "Low", chart.form), tip("high", "High", chart.form)]


def _name_column(names: Sequence[Row]) -> list[Spec]:
    """The names, each led to from the end of its line."""
    data = {"values": [dict(row) for row in names]}
    lead, end, symbol, text = ({"value": {"expr": f"width - {COLUMN} + {gap}"}} for gap in (4, 14, 20, 29))
    place = quantity("place")
    words = {"type": "text", "align": "left", "baseline": "middle", "limit": {"expr": f"{COLUMN} - 29"}}
    return [
        {
            "data": data,
            "mark": {"type": "rule", "strokeWidth": 1, "aria": False},
            "encoding": {"x": lead, "x2": end, "y2": {"field": "place"}} | COLOUR,
        },
        {
            "data": data,
            "transform": [{"filter": "datum.colour >= 0"}],
            "mark": {"type": "point", "size": 60, "aria": False},
            "encoding": {"x": symbol, "y": place} | MARKED,
        },
        {
            "data": data,
            "mark": words,
            "encoding": {"x": text, "y": place, "text": nominal("text"), "description": nominal("text")},
        },
    ]


def _names(chart: CurveChart, *, gap: float) -> list[Row]:
    """What stands in the column: curves, judges and ceiling, each as near to its line as the others let it."""
    last = (chart.beyond or chart.surveys)[-1]
    ends: list[Row] = [{"text": chart.people, "score": last["score"], **PEOPLE}]
    if chart.amateurs:
        ends.append({"text": chart.amateur_people, "score": chart.amateurs[-1]["score"], **AMATEURS})
    if chart.ceiling:
        ends.append({"text": chart.ceiling["text"], "score": chart.ceiling["score"], **NO_MARK})
    ends += [{key: row[key] for key in ("text", "score", "colour", "mark")} for row in chart.judges]
    ends.sort(key=lambda row: float(row["score"] or 0))
    places = spread_apart([float(row["score"] or 0) for row in ends], gap=gap)
    return [{**row, "place": place} for row, place in zip(ends, places, strict=True)]


def spread_apart(places: Sequence[float], *, gap: float) -> list[float]:
    """Rising numbers moved as little as can be, so that neighbours are at least so far apart.

    >>> spread_apart([0.0, 0.0, 5.0], gap=1.0)
    [-0.5, 0.5, 5.0]
    """
    # With i gaps taken off, the i-th number must not be less than the one before: pool those that are.
    pools: list[tuple[float, int]] = []
    for i, place in enumerate(places):
        pools.append((place - i * gap, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (mean_b, n_b), (mean_a, n_a) = pools.pop(), pools.pop()
            pools.append(((mean_a * n_a + mean_b * n_b) / (n_a + n_b), n_a + n_b))
    pooled = [mean for mean, n in pools for _ in range(n)]
    return [mean + i * gap for i, mean in enumerate(pooled)]
