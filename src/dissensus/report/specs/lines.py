"""Numbers of several series over one quantity, beside constants and turning points."""

from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.report.specs.parts import LEGEND, Row, Spec, placed, tip

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
