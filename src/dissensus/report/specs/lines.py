"""Numbers of several series over one quantity, beside constants and turning points."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dissensus.report.specs.shapes import LEGEND, Row, Spec, height_of, name_axis, placed, tip

# ---- Numbers of several series over one quantity, beside constants and turning points

HEIGHT = 280


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
    level : float, optional
        Where to draw a line across.
    series, x_title, y_title : str
        What they are, in words.
    x_form, y_form : str
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
    level: float | None = None


def line_chart(chart: LineChart) -> Spec:
    """A line with points for each series, told apart by colour and shape."""
    return {
        "height": HEIGHT,
        "encoding": {"x": _x(chart), "y": _y(chart)},
        # Dashed lines lie above the judges': a judge that decides like a constant would hide it.
        "layer": [*_band(chart), *_turns(chart), *_series(chart), *_level(chart), *_constants(chart)],
    }


def _x(chart: LineChart) -> Spec:
    places = sorted({float(row["x"] or 0) for row in chart.rows})
    step = 1 if len(places) <= 6 else 2  # noqa: PLR2004 - so many numbers fit below the plot on a phone
    ticks = places[::step]
    axis = {"values": ticks, "tickCount": len(ticks), "format": chart.x_form, "grid": False, "titleAnchor": "start"}
    scale = {"domain": [places[0], places[-1]], "nice": False, "zero": False, "padding": 10}
    return {"field": "x", "type": "quantitative", "title": chart.x_title, "axis": axis, "scale": scale}


def _y(chart: LineChart) -> Spec:
    # The title lies above the axis, where it needs no turned head and takes no width.
    title = {"titleAngle": 0, "titleAlign": "left", "titleBaseline": "bottom", "titleX": 0, "titleY": -10}
    axis = {"grid": True, "tickCount": 6, "format": chart.y_form, **title}
    return {
        "field": "y",
        "type": "quantitative",
        "title": chart.y_title,
        "axis": axis,
        "scale": {"zero": False, "nice": True, "padding": 8},
    }


def _level(chart: LineChart) -> list[Spec]:
    if chart.level is None:
        return []
    places = [float(row["x"] or 0) for row in chart.rows]
    ends = [{"x": place, "y": chart.level} for place in (min(places), max(places))]
    mark = {"type": "line", "style": "reference", "strokeWidth": 2, "aria": False}
    return [{"data": {"values": ends}, "mark": mark}]


def _band(chart: LineChart) -> list[Spec]:
    rows = [dict(row) for row in chart.rows if row["is_main"] and row["low"] is not None and row["high"] is not None]
    if not rows:
        return []
    y = {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}
    return [{"data": {"values": rows}, "mark": {"type": "area", "opacity": 0.14, "aria": False}, "encoding": y}]


def _constants(chart: LineChart) -> list[Spec]:
    if not chart.constants:
        return []
    data: Spec = {"values": [dict(row) for row in chart.constants]}
    detail = {"detail": {"field": "name", "type": "nominal"}}
    tips = {
        "tooltip": [
            tip("name", chart.series),
            tip("x", chart.x_title, chart.x_form),
            tip("y", chart.y_title, chart.tip_form),
        ]
    }
    places = [float(row["x"] or 0) for row in chart.constants]
    return [
        {"data": data, "mark": {"type": "line", "style": "reference", "strokeWidth": 2}, "encoding": detail | tips},
        _constant_name(data, min(places), is_rising=False),
        _constant_name(data, max(places), is_rising=True),
    ]


def _constant_name(data: Spec, place: float, *, is_rising: bool) -> Spec:
    """The name of a constant, above its higher end: there it is clear of its line and of the other's name."""
    side = {"align": "right", "dx": -2} if is_rising else {"align": "left", "dx": 2}
    kept = {"x": place, "is_rising": is_rising}
    return {
        "data": data,
        "transform": [{"filter": {"field": field, "equal": value}} for field, value in kept.items()],
        "mark": {"type": "text", "baseline": "bottom", "dy": -6, "aria": False, **side},
        "encoding": {"text": {"field": "name", "type": "nominal"}},
    }


def _turns(chart: LineChart) -> list[Spec]:
    if not chart.turns:
        return []
    data = {"values": [dict(row) for row in chart.turns]}
    tips = [tip("text", "From here on"), tip("x", chart.x_title, ".2f")]
    mark = {"type": "rule", "style": "reference", "strokeDash": [2, 3]}
    return [{"data": data, "mark": mark, "encoding": {"y": {"value": 0}, "y2": {"value": HEIGHT}, "tooltip": tips}}]


def _series(chart: LineChart) -> list[Spec]:
    rows = placed([{**row, "line": row["series"], "said": _said(row)} for row in chart.rows])
    channels = named_series(chart.series, offset=30)
    tips = [
        tip("series", chart.series),
        tip("x", chart.x_title, chart.x_form),
        tip("y", chart.y_title, chart.tip_form),
    ]
    if any(row["low"] is not None for row in chart.rows):
        tips += [tip("low", "Low", chart.tip_form), tip("high", "High", chart.tip_form)]
    width = {"strokeWidth": {"condition": {"test": "datum.is_main", "value": 3.5}, "value": 1.5}}
    said = {"description": {"field": "said", "type": "nominal"}}
    return [
        {
            "data": {"values": rows},
            "mark": {"type": "line", "aria": False},
            "encoding": {"stroke": line_colour(chart.series)} | width,
        },
        {
            "data": {"values": rows},
            "mark": {"type": "point", "size": 70},
            "encoding": channels | said | {"tooltip": tips},
        },
    ]


def named_series(title: str, *, offset: int) -> Spec:
    """Colour and shape of a series, with names so far above the plot that its titles have room."""
    legend = LEGEND | {"offset": offset, "title": None}
    return {channel: {**_channel(title), "legend": legend} for channel in ("color", "shape")}


def line_colour(title: str) -> Spec:
    """The colour of a line that its points name: with a legend of its own, every name would stand there twice."""
    # By a field of its own, or Vega-Lite takes the missing legend for that of the points.
    return {**_channel(title), "field": "line", "legend": None}


def _channel(title: str) -> Spec:
    sort = {"field": "place", "op": "min", "order": "ascending"}
    return {"field": "series", "type": "nominal", "sort": sort, "title": title}


def _said(row: Row) -> str:
    return f"{row['series']}: {float(row['y'] or 0):.3f} at {row['x']}"


# ---- Chances or counts of several series, drawn by their decimal logarithms: as deep or as high as they go

# A logarithm as the number it stands for: a percentage or a count while that is short, else a power of ten.
_LABELS = {
    "chance": "datum.value >= -3 ? format(pow(10, datum.value), '.2~p') : '10^' + format(datum.value, '~r')",
    "count": "datum.value <= 5 ? format(pow(10, datum.value), ',.2~r') : '10^' + format(datum.value, '~r')",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLines:
    """What the chart shows.

    Attributes
    ----------
    rows : sequence of mapping
        `series`, `x`, `y` (a decimal logarithm) and `shown` (the number in words); series in the order of the legend.
    kind : {"chance", "count"}
        What the logarithms are of.
    series, x_title, y_title : str
        What they are, in words.
    x_form : str
        Number format.
    is_log_x : bool
        Whether x grows by factors.
    mark : float, optional
        The x to mark with a line, and its name.
    mark_name : str
        What is there.
    """

    rows: Sequence[Row]
    kind: Literal["chance", "count"]
    series: str
    x_title: str
    y_title: str
    x_form: str
    is_log_x: bool = False
    mark: float | None = None
    mark_name: str = ""


def log_lines(chart: LogLines) -> Spec:
    """A line with points for each series, told apart by colour and shape."""
    rows = placed([{**row, "line": row["series"], "said": _log_tip(row)} for row in chart.rows])
    tips = [
        tip("series", chart.series),
        tip("x", chart.x_title, chart.x_form),
        tip("shown", chart.y_title),
        tip("items", "Items", ","),
    ]
    said = {"description": {"field": "said", "type": "nominal"}}
    return {
        "height": HEIGHT,
        "encoding": {"x": _log_x(chart), "y": _log_y(chart)},
        "layer": [
            *_mark(chart),
            {
                "data": {"values": rows},
                "mark": {"type": "line", "aria": False},
                "encoding": {"stroke": line_colour(chart.series)},
            },
            {
                "data": {"values": rows},
                "mark": {"type": "point", "size": 60},
                "encoding": named_series(chart.series, offset=30) | said | {"tooltip": tips},
            },
        ],
    }


def _log_x(chart: LogLines) -> Spec:
    axis: Spec = {"format": chart.x_form, "grid": False, "titleAnchor": "start", "labelOverlap": True}
    scale: Spec = {"type": "log", "nice": False} if chart.is_log_x else {"zero": False, "nice": False}
    if chart.is_log_x:
        axis |= {"values": sorted({row["x"] for row in chart.rows if row["x"] is not None})[::2]}
    return {
        "field": "x",
        "type": "quantitative",
        "title": chart.x_title,
        "axis": axis,
        "scale": scale | {"padding": 10},
    }


def _log_y(chart: LogLines) -> Spec:
    # The title lies above the axis, where it needs no turned head and takes no width.
    title = {"titleAngle": 0, "titleAlign": "left", "titleBaseline": "bottom", "titleX": 0, "titleY": -10}
    axis = {"grid": True, "tickCount": 6, "labelExpr": _LABELS[chart.kind], **title}
    return {
        "field": "y",
        "type": "quantitative",
        "title": chart.y_title,
        "axis": axis,
        "scale": {"zero": True, "nice": True},
    }


def _mark(chart: LogLines) -> list[Spec]:
    if chart.mark is None:
        return []
    here: Spec = {"data": {"values": [{"x": chart.mark, "name": chart.mark_name}]}}
    rule = {"type": "rule", "style": "reference", "strokeDash": [2, 3]}
    whole_height = {"y": {"value": 0}, "y2": {"value": HEIGHT}}
    return [{**here, "mark": rule, "encoding": whole_height | {"tooltip": [tip("name", "Here")]}}]


def _log_tip(row: Row) -> str:
    return f"{row['series']}: {row['shown']} at {row['x']}"


ROOM = 0.4
"""How far the plot goes beyond the first and the last rank."""


def rank_lines(rows: Sequence[Row], *, names: str, series: str, ranks: str, values: str, last: int) -> Spec:
    """A line for each series from name to name, through the rank that it has there.

    Parameters
    ----------
    rows : sequence of mapping
        `name`, `series`, `rank`, `shown` (the rank, moved a little where several share it), `value` and `share` in
        words, `is_main` (drawn thick); names from the top down, series in the order of the legend.
    names, series, ranks, values : str
        What they are, in words.
    last : int
        The largest rank there can be.
    """
    step = next(step for step in (1, 2, 5, 10, 20, 50, last) if last / step <= 8)  # noqa: PLR2004 - fits a phone
    ticks = [1, *(rank for rank in range(step, last + 1, step) if rank > 1)]
    x = {
        "field": "shown",
        "type": "quantitative",
        "title": ranks,
        "axis": {"values": ticks, "tickCount": len(ticks), "format": "d", "grid": True, "orient": "top"},
        "scale": {"domain": [1 - ROOM, last + ROOM], "nice": False, "zero": False},
    }
    tips = [tip("series", series), tip("name", names), tip("rank", ranks, "d"), tip("value", values)]
    channels = named_series(series, offset=18)
    width = {"condition": {"test": "datum.is_main", "value": 4}, "value": 1.5}
    said = {"description": {"field": "said", "type": "nominal"}}
    return {
        "data": {"values": placed([{**row, "line": row["series"], "said": _rank_tip(row)} for row in rows])},
        "height": height_of(rows),
        "encoding": {"y": name_axis(has_grid=False), "x": x},
        "layer": [
            {
                "mark": {"type": "line", "aria": False},
                "encoding": {
                    "stroke": line_colour(series),
                    "strokeWidth": width,
                    "order": {"field": "place", "type": "quantitative"},
                },
            },
            {
                "mark": {"type": "point", "size": 90},
                "encoding": channels | said | {"tooltip": [*tips, tip("share", "Best in")]},
            },
        ],
    }


def _rank_tip(row: Row) -> str:
    return f"{row['series']}: rank {row['rank']} by {row['name']}, {row['value']}"
